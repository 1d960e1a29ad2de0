#include <string.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "rules/rules_file.h"
#include "rules/rules_internal.h"

#define ID_PATTERN "\"pattern\": \"^[A-Za-z0-9._-]{1,%d}$\""
#define NUMBER "[0-9]+(\\\\.[0-9]{1,6})?"

/* Where a schema is written; `differences`: true for version 2, with rules as differences. */
struct schema_out {
	struct sink *sink;
	bool differences;
};

static void write_map(const struct schema_out *s, const struct key_map *map, int depth);

static void line(struct sink *out, int depth, const char *text)
{
	sink_printf(out, "\n%*s%s", 2 * depth, "", text);
}

/* Write a text of the program itself, in which only quotes and backslashes must be escaped. */
static void write_text(struct sink *out, const char *text)
{
	struct strbuf b = STRBUF_INIT;
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_addch(&b, '\\');
		strbuf_addch(&b, *p);
	}
	sink_printf(out, "\"%s\"", strbuf_str(&b));
	strbuf_release(&b);
}

static void write_words(struct sink *out, const char *const *words)
{
	sink_puts(out, "\"enum\": [");
	for (size_t i = 0; words[i]; i++) {
		/* other readers of YAML read these words as booleans unless they are quoted: allow both
		   types */
		bool flag = strcmp(words[i], "true") == 0 || strcmp(words[i], "false") == 0;
		sink_printf(out, "%s\"%s\"", i ? ", " : "", words[i]);
		if (flag)
			sink_printf(out, ", %s", words[i]);
	}
	sink_puts(out, "]");
}

#define TEXT "\"type\": [\"string\", \"number\", \"boolean\"], "

/* Write those members of a key's schema that depend on the key's kind. The caller has written the
 * description before it. */
static void write_kind(const struct schema_out *s, const struct key *key, int depth)
{
	struct sink *out = s->sink;
	static const char *const forms[] = {
		[KEY_TEXT] = TEXT "\"minLength\": 1",
		[KEY_DATE] = "\"type\": \"string\", \"pattern\": \"^[0-9]{4}-[0-9]{2}-[0-9]{2}$\"",
		[KEY_SHARE] = "\"type\": \"string\", \"pattern\": \"^" NUMBER " *%$\"",
		[KEY_PAIRS] = "\"type\": \"object\", \"minProperties\": 1",
		[KEY_PATTERNS] =
		    "\"type\": [\"string\", \"number\", \"boolean\", \"array\"], \"minLength\": 1, "
		    "\"minItems\": 1, \"items\": {" TEXT "\"minLength\": 1}",
		[KEY_TEXTS] = "\"type\": \"array\", \"items\": {" TEXT "\"minLength\": 1}",
	};
	char min[NUMBER_TEXT], max[NUMBER_TEXT];
	if (key->kind == KEY_MAP) {
		write_map(s, key->map, depth);
		return;
	}
	line(out, depth, "");
	switch (key->kind) {
	case KEY_NAMED:
		sink_printf(out,
		            "\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": %s, "
		            "\"propertyNames\": {" ID_PATTERN "},",
		            number_format(key->max, 0, max), MAX_ID);
		line(out, depth, "\"additionalProperties\": {");
		write_map(s, key->map, depth + 1);
		line(out, depth, "}");
		return;
	case KEY_MAPS:
		sink_printf(out, "\"type\": \"array\", \"minItems\": %d, \"items\": {",
		            key->need == REQUIRED);
		write_map(s, key->map, depth + 1);
		line(out, depth, "}");
		return;
	case KEY_ID:
		sink_printf(out, TEXT ID_PATTERN, MAX_ID);
		return;
	case KEY_WORKLOAD:
		sink_printf(
		    out,
		    TEXT "\"pattern\": \"^(?!.*\\\\.\\\\.)[^./\\\\\\\\][^/\\\\\\\\]*$\", \"maxLength\": %d",
		    MAX_ID);
		return;
	case KEY_WORD:
		write_words(out, key->words);
		return;
	case KEY_METRIC:
		sink_puts(out, "\"anyOf\": [{");
		write_words(out, key->words);
		sink_printf(out, "}, {\"pattern\": \"^input\\\\.[A-Za-z0-9_./*? %%()+,-]{1,%d}$\"}]",
		            INPUT_NAME_MAX);
		return;
	case KEY_INTEGER:
	case KEY_NUMBER:
		if (strcmp(key->name, "version") == 0) {
			sink_printf(out, "\"const\": %d", s->differences ? 2 : 1);
			return;
		}
		sink_printf(out, "\"type\": \"%s\", \"minimum\": %s, \"maximum\": %s",
		            key->kind == KEY_INTEGER ? "integer" : "number",
		            number_format(key->min, 0, min), number_format(key->max, 0, max));
		return;
	case KEY_LIMIT:
	case KEY_AND:
		sink_puts(out, "\"type\": [\"number\", \"string\"], \"minimum\": 0,");
		line(out, depth,
		     "\"pattern\": \"^" NUMBER " *(ns|us|ms|s|(B|KiB|MiB|GiB|kB|MB|GB)(/s)?|%|pp");
		sink_puts(out, key->kind == KEY_AND ? "|% of step|spreads)$\"" : ")$\"");
		return;
	default:
		sink_puts(out, forms[key->kind]);
	}
}

/* Write which keys must be present. For the need REQUIRED, these are all keys that have it
   ("required": ["a", "b"]); for ONE_OF, at least one of them ("anyOf": [{"required": ["a"]},
   …]). */
static void write_need(struct sink *out, const struct key_map *map, enum key_need need, int depth)
{
	bool any = false;
	for (size_t i = 0; i < map->nr; i++) {
		if (map->keys[i].need != need)
			continue;
		if (!any)
			line(out, depth, need == REQUIRED ? "\"required\": [" : "\"anyOf\": [");
		sink_printf(out, need == REQUIRED ? "%s\"%s\"" : "%s{\"required\": [\"%s\"]}",
		            any ? ", " : "", map->keys[i].name);
		any = true;
	}
	sink_puts(out, any ? "]," : "");
}

/* Write the schema of the value of a key in version 2; `rule`: true for a key of a rule. Rules are
   a list, or a map by their ids, in which a rule may be `off`. A map within a rule may be `off`,
   too. YAML 1.1 reads `off` as false. */
static void write_difference(const struct schema_out *s, const struct key *key, bool rule,
                             int depth)
{
	static const char off[] = "{\"enum\": [\"off\", false]}";
	struct sink *out = s->sink;
	if (key->map == &rule_map) {
		static const char one[] = "{\"$ref\": \"#/$defs/rule\"}";
		line(out, depth, "\"anyOf\": [");
		sink_printf(out, "{\"type\": \"array\", \"items\": %s}, {\"type\": \"object\", ", one);
		sink_printf(out, "\"additionalProperties\": {\"anyOf\": [%s, %s]}}]", off, one);
	} else if (rule && key->kind == KEY_MAP) {
		sink_printf(out, "\"anyOf\": [%s, {", off);
		write_kind(s, key, depth + 1);
		sink_puts(out, "}]");
	} else {
		write_kind(s, key, depth);
	}
}

/* Write the schema of a map. The recursion is at most six deep: the tables of keys are nested no
   deeper. */
static void write_map(const struct schema_out *s, const struct key_map *map, int depth)
{
	struct sink *out = s->sink;
	bool whole = !s->differences || (map != &rule_map && map != &rules_keys);
	line(out, depth,
	     "\"type\": \"object\", \"additionalProperties\": false, \"minProperties\": 1,");
	if (whole) {
		write_need(out, map, REQUIRED, depth);
		write_need(out, map, ONE_OF, depth);
	}
	if (!whole && map == &rules_keys)
		line(out, depth, "\"required\": [\"version\"],");
	line(out, depth, "\"properties\": {");
	if (!whole && map == &rules_keys)
		line(out, depth + 1,
		     "\"only\": {\"description\": \"true: without the built-in rules\", "
		     "\"type\": \"boolean\"},");
	for (size_t i = 0; i < map->nr; i++) {
		const struct key *key = &map->keys[i];
		line(out, depth + 1, "");
		sink_printf(out, "\"%s\": {", key->name);
		line(out, depth + 2, "\"description\": ");
		write_text(out, key->meaning);
		sink_puts(out, ",");
		if (whole)
			write_kind(s, key, depth + 2);
		else
			write_difference(s, key, map == &rule_map, depth + 2);
		line(out, depth + 1, i + 1 < map->nr ? "}," : "}");
	}
	line(out, depth, "}");
}

static void schema_write(const struct schema_out *s)
{
	sink_puts(s->sink, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",");
	line(s->sink, 1, "\"$id\": \"gpugate-rules-");
	sink_printf(s->sink, "%d.json\",", s->differences ? 2 : 1);
	line(s->sink, 1, "\"title\": \"gpugate rules\",");
	if (s->differences) {
		line(s->sink, 1, "\"$defs\": {\"rule\": {");
		write_map(s, &rule_map, 2);
		sink_puts(s->sink, "}},");
	}
	write_map(s, &rules_keys, 1);
	sink_puts(s->sink, "\n}\n");
}

void rules_schema_write(struct sink *out)
{
	schema_write(&(struct schema_out){ .sink = out });
}

void rules_differences_schema_write(struct sink *out)
{
	schema_write(&(struct schema_out){ .sink = out, .differences = true });
}
