#include "cli/artifact_format.h"

#include <string.h>

#include "base/decimal.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/setup.h"
#include "io/jscan.h"
#include "rules/rules_file.h"
#include "rules/yaml_reader.h"

#define VALUE_MAX_CHARS 200

/* True if the key may have the value. Keys that figures are computed from need a number above 0.
   Other keys take any valid text that is not too long. */
static bool is_value(struct span key, struct span value)
{
	static const char *const numeric[] = { "samples_per_step", "tokens_per_step", "flops_per_step",
		                                   "peak_tflops", NULL };
	int64_t whole;
	struct decimal exact;
	if (span_find(key, numeric) >= 0)
		return number_parse(value, 0, &whole) && decimal_parse(value, &exact) == DECIMAL_OK &&
		       exact.value > 0;
	return value.n > 0 && text_is_valid(value) && text_chars(value) <= VALUE_MAX_CHARS;
}

/* Why the key and value cannot be used; NULL if they can. */
static const char *fault(struct span key, struct span value)
{
	if (!env_key_is_valid(key))
		return ENV_KEY_FORM;
	if (env_key_near(key))
		return "almost a key that is known, but not quite: is it misspelt?";
	if (span_starts(key, SPAN("gpu.")) || span_starts(key, SPAN("cuda.")) ||
	    span_eq(key, SPAN("world_size")))
		return "this key comes from the artifact itself";
	if (!is_value(key, value))
		return "no usable value for this key";
	return NULL;
}

static enum status apply_document(struct document *doc, void *digest)
{
	struct digest *d = digest;
	if (doc->root->kind != NODE_MAP)
		return document_fail(doc, doc->root, "a map of keys and values was expected");
	for (const struct node *n = doc->root->first; n; n = n->next) {
		for (const struct node *m = doc->root->first; m != n; m = m->next)
			if (span_eq(m->key->text, n->key->text))
				return document_fail(doc, n->key, "key %s is there twice",
				                     document_quote(doc, n->key->text));
		const char *why =
		    n->kind == NODE_SCALAR ? fault(n->key->text, n->text) : "a plain value was expected";
		if (why)
			return document_fail(doc, n->key, "%s: %s", document_quote(doc, n->key->text), why);
		digest_set_env(d, n->key->text, n->text);
	}
	return ST_OK;
}

bool context_is_artifact(const char *path)
{
	static const char *const keys[] = { "schema", "traceEvents", "segments", "device_traces",
		                                NULL };
	struct diag_log own; /* errors in the file are dropped here: the reader of the file reports
	                        them later */
	struct source *src;
	struct span key;
	diag_init(&own);
	if (source_open(path, NULL, &src, &own) != ST_OK) {
		diag_release(&own);
		return false;
	}
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = true }, &own);
	bool found = jscan_peek(js) == JSCAN_ARRAY;
	if (!found && jscan_object(js))
		while (!found && jscan_key(js, &key)) {
			found = span_find(key, keys) >= 0;
			if (!found)
				jscan_skip(js);
		}
	jscan_free(js);
	source_close(src);
	diag_release(&own);
	return found;
}

static const char *beside(const char *artifact, const char *name, struct arena *a)
{
	return arena_printf(a, "%.*s%s", (int)(path_last(artifact) - artifact), artifact, name);
}

bool context_may_be_beside(const char *artifact)
{
	struct arena scratch = ARENA_INIT;
	bool any = !is_absent(beside(artifact, CONTEXT_YAML, &scratch)) ||
	           !is_absent(beside(artifact, CONTEXT_JSON, &scratch));
	arena_release(&scratch);
	return any;
}

static enum status apply_beside(const char *artifact, struct digest *d, struct diag_log *log)
{
	const char *yaml = beside(artifact, CONTEXT_YAML, &log->arena);
	const char *json = beside(artifact, CONTEXT_JSON, &log->arena);
	bool has_yaml = !is_absent(yaml), has_json = !is_absent(json) && !context_is_artifact(json);
	if (has_yaml && has_json)
		return diag_fail(log, ST_USAGE, "%s: there is a %s too; keep one of them",
		                 diag_quote(log, yaml), CONTEXT_JSON);
	if (has_yaml || has_json)
		return document_open(has_yaml ? yaml : json, NULL, NULL, apply_document, d, log);
	return ST_OK;
}

static struct span key_of(const char *pair)
{
	return (struct span){ pair, strcspn(pair, "=") };
}

enum status context_check(const struct options *cli, struct diag_log *log)
{
	for (size_t i = 0; i < cli->all[OPT_CONTEXT].nr; i++) {
		const char *pair = cli->all[OPT_CONTEXT].v[i], *equals = strchr(pair, '=');
		const char *why =
		    equals ? fault(key_of(pair), span_of(equals + 1)) : "KEY=VALUE was expected";
		if (why)
			return diag_fail(log, ST_USAGE, "--context %s: %s", diag_quote(log, pair), why);
	}
	return ST_OK;
}

enum status context_apply(const struct options *cli, const char *path, struct digest *d,
                          struct diag_log *log)
{
	if (strcmp(path, "-") != 0)
		TRY(apply_beside(path, d, log));
	for (size_t i = 0; i < cli->all[OPT_CONTEXT].nr; i++) {
		struct span key = key_of(cli->all[OPT_CONTEXT].v[i]);
		digest_set_env(d, key, span_of(key.p + key.n + 1));
	}
	return ST_OK;
}
