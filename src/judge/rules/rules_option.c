/* A limit of the command line (`--limit step.cuda_time:+3%`) becomes a rule of its own. It is first
 * written as YAML, since the code that reads a rules file can then check it. */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "rules/rules_file.h"
#include "rules/rules_internal.h"

#define VALUE_CHARS "0123456789.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ% "
#define FORM "write METRIC:+3%%, METRIC:-3%%, METRIC:max=6GiB or another limit of the rules"

static enum status read_rule(struct document *d, void *out)
{
	d->placeless = true;
	TRY(keys_check(d, d->root, &rules_keys));
	return rule_read(d, node_get(d->root, "rules")->first, out);
}

/* The id of the rule: "limit-" and its metric, in characters that an id may have. A number is
   appended if there is such a rule already. */
static const char *id_of(struct rules *rules, struct span metric)
{
	enum { CHARS = 80 }; /* an id may have 100 */
	char *id = arena_printf(&rules->arena, "limit-%.*s", metric.n < CHARS ? (int)metric.n : CHARS,
	                        metric.p);
	const char *out = id;
	for (char *c = id; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '.' && *c != '_')
			*c = '-';
	for (size_t nr = 2; ANY(i, rules->rules.nr, strcmp(rules->rules.v[i].id, out) == 0); nr++)
		out = arena_printf(&rules->arena, "%s-%zu", id, nr);
	return out;
}

enum status rules_add_limit(const char *limit, struct rules *out, struct diag_log *log)
{
	const char *colon = strrchr(limit, ':'), *value = colon ? colon + 1 : "";
	const char *equals = strchr(value, '='), *key = *value == '-' ? "decrease" : "increase";
	struct span metric = { limit, colon ? (size_t)(colon - limit) : 0 };
	struct strbuf b = STRBUF_INIT;
	if (equals)
		key = arena_dup(&log->arena, (struct span){ value, (size_t)(equals - value) });
	const char *number = equals ? equals + 1 : *value ? value + 1 : value;
	bool fits = (equals || *value == '+' || *value == '-') && *number &&
	            !number[strspn(number, VALUE_CHARS)] && !key[strspn(key, VALUE_CHARS "_")] && *key;
	const char *shown = arena_printf(&log->arena, "--limit %s", limit);
	if (!fits || !metric.n || memchr(metric.p, '"', metric.n) || memchr(metric.p, '\\', metric.n))
		return diag_fail(log, ST_USAGE, "%s: " FORM, text_line(&log->arena, span_of(shown)));
	/* `on_missing: fail`, since the user names the figure and thus expects it to exist */
	strbuf_addf(
	    &b, "version: 1\nrules:\n- {id: %s, metric: \"%.*s\", on_missing: fail, fail: {%s: %s}}\n",
	    id_of(out, metric), (int)metric.n, metric.p, key, number);
	struct span text = strbuf_span(&b);
	enum status st = document_open(shown, &text, NULL, read_rule, out, log);
	strbuf_release(&b);
	return st;
}
