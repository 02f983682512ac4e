// upload sends a file from a web page. The page has no private key: sign is a call to your server.
export async function upload(endpoint, file, sign) {
  const form = new FormData();
  form.append("file", file);
  form.append("fileName", file.name);
  for (const [name, value] of Object.entries(await sign())) form.append(name, value);
  const response = await fetch(`${endpoint}/api/v1/files/upload`, { method: "POST", body: form });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}
