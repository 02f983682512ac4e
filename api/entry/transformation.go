package entry

var transformationChoices = []Choice{
	{"w-1600,c-at_max", "limit the width to 1600 px"},
	{`{"post":[{"type":"thumbnail","value":"w-300"}]}`, "thumbnail (videos)"},
	{`{"post":[{"type":"abs","value":"sr-240_360_480_720_1080","protocol":"hls"}]}`, "HLS stream (videos)"},
	{`{"post":[{"type":"abs","value":"sr-240_360_480_720_1080","protocol":"dash"}]}`, "DASH stream (videos)"},
}
