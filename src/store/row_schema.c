/* The JSON Schema of what row_write() writes, from the same tables of fields. In a document of
   several structs, a field has one value for all structs, or a list with a value for each. */
#include "store/row.h"

#include "store/digest_schema.h"

/* Definitions of values in JSON Schema: a name, and the schema of the value. Each schema file
   has all of them, and its fields refer to them by name. */
static const char *const value_defs[][2] = {
	{ "count", "{\"type\": \"integer\", \"minimum\": 0}" },
	{ "number", "{\"type\": \"integer\"}" },
	{ "flag", "{\"type\": \"boolean\"}" },
	{ "text", "{\"type\": \"string\"}" },
	{ "bytes", "{\"type\": \"string\", \"pattern\": \"^([0-9a-f]{2})+$\"}" },
	{ "hash", "{\"type\": \"string\", \"pattern\": \"^[0-9a-f]{16}$\"}" },
	{ "shape", "{\"type\": \"array\", \"items\": {\"type\": \"integer\", \"minimum\": 0}, "
	           "\"minItems\": 3, \"maxItems\": 3}" },
};

static const char *const value_def_of[] = {
	[FIELD_COUNT] = "count",        [FIELD_OPTIONAL_COUNT] = "count",
	[FIELD_NUMBER] = "number",      [FIELD_OPTIONAL_NUMBER] = "number",
	[FIELD_BOOL] = "flag",          [FIELD_TEXT] = "text",
	[FIELD_NAME] = "text",          [FIELD_OPTIONAL_TEXT] = "text",
	[FIELD_HASH] = "hash",          [FIELD_SHAPE] = "shape",
	[FIELD_OPTIONAL_NAME] = "text",
};

void row_schema_line(struct sink *out, int depth, const char *text)
{
	sink_printf(out, "\n%*s%s", 2 * depth, "", text);
}

/* Writes the schema of a field; `value` is the schema of its value. If `several`, the field may
 * also be a list with one value for each struct; if `optional`, null is allowed in this list. */
static void write_value(const char *value, bool optional, bool several, struct sink *out)
{
	if (!several)
		sink_puts(out, value);
	else if (optional)
		sink_printf(out,
		            "{\"anyOf\": [%s, {\"type\": \"array\", \"items\": {\"anyOf\": [%s, "
		            "{\"type\": \"null\"}]}}]}",
		            value, value);
	else
		sink_printf(out, "{\"anyOf\": [%s, {\"type\": \"array\", \"items\": %s}]}", value, value);
}

static void write_def(const char *def, bool optional, bool several, struct sink *out)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "{\"$ref\": \"#/$defs/%s\"}", def);
	write_value(strbuf_str(&b), optional, several, out);
	strbuf_release(&b);
}

static void write_names(const char *const *names, bool several, struct sink *out)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; names[i]; i++)
		strbuf_addf(&b, "%s\"%s\"", i ? ", " : "{\"enum\": [", names[i]);
	strbuf_adds(&b, "]}");
	write_value(strbuf_str(&b), false, several, out);
	strbuf_release(&b);
}

/* Writes the schema of the object that holds one struct or, if `several`, several structs together.
 * `depth` is the indentation of the object's last line. */
static void write_row(const struct schema *s, bool several, int depth, struct sink *out);

static void write_field(const struct field *f, bool several, int depth, struct sink *out)
{
	switch (f->type) {
	case FIELD_ENUM:
		write_names(f->names, several, out);
		return;
	case FIELD_ROW:
		write_row(f->sub, several, depth, out);
		return;
	case FIELD_ROWS:
	case FIELD_OPTIONAL_ROWS:
		sink_puts(out, "{\"type\": \"array\", \"items\": ");
		write_row(f->sub, several, depth, out);
		sink_puts(out, "}");
		return;
	case FIELD_STEPS:
		steps_describe(several, depth, out);
		return;
	case FIELD_OWN:
		if (f->most)
			sink_printf(out, "{\"type\": \"array\", \"maxItems\": %d, \"items\": ", f->most);
		if (f->described)
			sink_puts(out, f->described);
		else
			write_row(f->sub, f->sub->counted, depth, out);
		sink_puts(out, f->most ? "}" : "");
		return;
	default:
		write_def(value_def_of[f->type], row_is_optional(f), several, out);
	}
}

static void write_key(const char *key, const char *suffix, int depth, struct sink *out)
{
	row_schema_line(out, depth, "\"");
	sink_printf(out, "%s%s\": ", key, suffix);
}

/* Writes the keys that come before the fields, such as "schema". */
static void write_leading(const struct schema *s, bool several, int depth, struct sink *out)
{
	if (s->id) {
		write_key("schema", "", depth, out);
		sink_printf(out, "{\"const\": \"%s\"},", s->id);
		write_key("minor", "", depth, out);
		sink_puts(out, "{\"$ref\": \"#/$defs/count\"},");
	}
	if (s->counted || (several && s->listed)) {
		write_key(ROW_OWNERS, "", depth, out);
		sink_puts(out, s->counted ? "{\"type\": \"integer\", \"minimum\": 1},"
		                          : "{\"type\": \"array\", \"items\": {\"$ref\": "
		                            "\"#/$defs/count\"}},");
	}
}

/* Writes the schema of an object from "type" on, without the braces. The recursion is bounded,
 * since tables of fields are nested at most four deep. */
static void write_object(const struct schema *s, bool several, int depth, struct sink *out)
{
	const char *before = s->id ? "\"schema\", " : s->counted ? "\"" ROW_OWNERS "\", " : "";
	sink_puts(out, "\"type\": \"object\", \"additionalProperties\": false,");
	row_schema_line(out, depth, "\"required\": [");
	for (size_t i = 0; i < s->nr; i++)
		if (!row_is_optional(&s->fields[i])) {
			sink_printf(out, "%s\"%s\"", before, s->fields[i].key);
			before = ", ";
		}
	sink_puts(out, "],");
	row_schema_line(out, depth, "\"properties\": {");
	write_leading(s, several, depth + 1, out);
	for (size_t i = 0; i < s->nr; i++) {
		const struct field *f = &s->fields[i];
		write_key(f->key, "", depth + 1, out);
		write_field(f, several, depth + 1, out);
		if (row_is_text(f)) {
			sink_puts(out, ",");
			write_key(f->key, "_hex", depth + 1, out);
			write_def("bytes", true, several, out);
		}
		sink_puts(out, i + 1 < s->nr ? "," : "");
	}
	row_schema_line(out, depth, "}");
}

static void write_row(const struct schema *s, bool several, int depth, struct sink *out)
{
	sink_puts(out, "{");
	write_object(s, several, depth + 1, out);
	row_schema_line(out, depth, "}");
}

void row_schema_write(const struct schema *s, struct sink *out)
{
	size_t nr = NR_OF(value_defs);
	sink_puts(out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",");
	sink_printf(out, "\n  \"$id\": \"%s.json\",\n  \"title\": \"%s\",\n  \"$defs\": {", s->id,
	            s->title);
	for (size_t i = 0; i < nr; i++)
		sink_printf(out, "\n    \"%s\": %s%s", value_defs[i][0], value_defs[i][1],
		            i + 1 < nr ? "," : "");
	sink_puts(out, "\n  },");
	row_schema_line(out, 1, "");
	write_object(s, false, 1, out);
	sink_puts(out, "\n}\n");
}
