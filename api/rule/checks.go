package rule

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mediadesk/api"
)

// CheckChecks checks the field checks (hosted-service.md §12): comparisons such as
// "file.size" < "2mb", joined by AND and OR, with parentheses. It does not know the types of custom
// metadata. The error is a *api.RuleError with the reason.
func CheckChecks(text string) error {
	_, err := ParseChecks(text, nil, false)
	if err == nil {
		return nil
	}
	return broken(FieldChecks, "checks cannot be read: "+err.Error(),
		`Write comparisons such as "file.size" < "2mb" AND "request.folder" : "news/".`)
}

// ParseChecks parses the field checks and checks its values. fields are the custom metadata fields.
// Unless they are known, every custom metadata field is accepted with every operator and value.
func ParseChecks(text string, fields []api.MetadataField, known bool) (Condition, error) {
	c, err := ParseCondition(text, func(field SearchWord) ([]string, error) {
		_, operators, err := ChecksField(field, fields, known)
		return operators, err
	})
	if err != nil {
		return c, err
	}
	return c, c.each(func(c *Condition) error {
		schema, _, _ := ChecksField(c.Field, fields, known)
		for _, v := range c.Values {
			if c.Field.Text == ChecksSize {
				if _, err := SearchSize(v.Text); err != nil {
					return err
				}
			}
			if reason := SearchMisfit(&schema, c.Operator, v); reason != "" {
				return fmt.Errorf("%s %s", v, reason)
			}
		}
		return nil
	})
}

// The operators of checks, by type.
var (
	checksText   = append(slices.Clip(SearchEquals), ":")
	checksSwitch = []string{"=", "NOT ="}
	checksNumber = append([]string{"="}, SearchCompares...)
)

// ChecksSize is the field of checks that takes a number of bytes or a text such as "2mb".
const ChecksSize = "file.size"

// checksNames match the fields that checks can compare, except custom metadata, with their types
// and operators. ChecksSize has no type.
var checksNames = []struct {
	name      *regexp.Regexp
	schema    api.MetadataSchema
	operators []string
}{
	{regexp.MustCompile(`^(request\.(fileName|folder|customCoordinates|webhookUrl)|file\.mime|mediaMetadata\.(videoCodec|audioCodec))$`), api.MetadataSchema{Type: MetadataText}, checksText},
	{regexp.MustCompile(`^request\.tags$`), api.MetadataSchema{Type: MetadataText}, SearchLists},
	{regexp.MustCompile(`^file\.size$`), api.MetadataSchema{}, checksNumber},
	{regexp.MustCompile(`^mediaMetadata\.(width|height|duration|bitRate)$`), api.MetadataSchema{Type: MetadataNumber}, checksNumber},
	{regexp.MustCompile(`^request\.(useUniqueFileName|isPrivateFile|isPublished|overwrite\w+)$`), api.MetadataSchema{Type: MetadataBoolean}, checksSwitch},
}

// ChecksField returns the type and the operators, such as "NOT IN", of a field of checks. fields
// and known are as in ParseChecks.
func ChecksField(field SearchWord, fields []api.MetadataField,
	known bool,
) (api.MetadataSchema, []string, error) {
	var none api.MetadataSchema
	if !field.Quoted {
		return none, nil, fmt.Errorf("%s is not a field in quotation marks", api.Quote(field.Text))
	}
	if name, custom := strings.CutPrefix(field.Text, "request."+SearchKey); custom {
		at := slices.IndexFunc(fields, func(f api.MetadataField) bool { return f.Name == name })
		switch {
		case at >= 0:
			operators := slices.DeleteFunc(SearchOperators(&fields[at].Schema),
				func(op string) bool { return slices.Contains(SearchExists, op) })
			return fields[at].Schema, operators, nil
		case !known:
			return none, slices.Concat(checksText, checksNumber), nil
		}
		return none, nil, fmt.Errorf("no custom metadata field %s", api.Quote(name))
	}
	for _, c := range checksNames {
		if c.name.MatchString(field.Text) {
			return c.schema, c.operators, nil
		}
	}
	return none, nil, fmt.Errorf("there is no field %s", api.Quote(field.Text))
}
