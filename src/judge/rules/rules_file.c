#include "rules/rules_file.h"

#include "base/nearest.h"
#include "base/text.h"
#include "rules/formats_file.h"
#include "rules/rules_internal.h"

const char *workload_fault(struct span name)
{
	if (name.n == 0 || name.n > MAX_ID || !text_is_valid(name))
		return "must be 1 to 100 bytes of UTF-8";
	if (name.p[0] == '.')
		return "must not begin with '.': it is part of a file name";
	for (size_t i = 0; i < name.n; i++) {
		if ((unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7F)
			return "must not hold control characters";
		if (name.p[i] == '/' || name.p[i] == '\\')
			return "must not hold '/' or '\\': it is part of a file name";
		if (name.p[i] == '.' && i + 1 < name.n && name.p[i + 1] == '.')
			return "must not hold '..': it is part of a file name";
	}
	return NULL;
}

static const char *const placeholders[] = { "{workload}", "{gpu}", "{world_size}" };

static enum status check_baseline(struct document *d, const struct node *n)
{
	struct span s = n->text;
	for (size_t i = 0; i < s.n; i++) {
		struct span rest = { s.p + i, s.n - i };
		if (s.p[i] == '}')
			return document_fail(d, n, "'baseline' has a '}' without '{'");
		if (s.p[i] != '{')
			continue;
		size_t k = 0;
		while (k < 3 && !span_starts(rest, span_of(placeholders[k])))
			k++;
		if (k == 3)
			return document_fail(d, n,
			                     "'baseline' can fill in {workload}, {gpu} and {world_size} only");
		i += strlen(placeholders[k]) - 1;
	}
	return ST_OK;
}

/* Check a key of the environment. Users can define their own keys with --context. But a key that is
   similar to a known one is refused as a typo, and so is an unknown key that begins with "gpu." or
   "cuda.". */
static enum status check_key(struct document *d, const struct node *n)
{
	const char *near = env_key_near(n->text);
	if (!env_key_is_valid(n->text))
		return document_fail(d, n, "%s is not a key of the environment: " ENV_KEY_FORM,
		                     document_quote(d, n->text));
	if (near)
		return document_fail(d, n, "%s is not a key of the environment: did you mean '%s'?",
		                     document_quote(d, n->text), near);
	if ((!span_starts(n->text, SPAN("gpu.")) && !span_starts(n->text, SPAN("cuda."))) ||
	    span_is_listed(n->text, "gpu.name gpu.count cuda.runtime cuda.driver"))
		return ST_OK;
	return document_fail(d, n,
	                     "%s is not a key of the environment: there are gpu.name, gpu.count, "
	                     "cuda.runtime, cuda.driver, world_size and those of --context",
	                     document_quote(d, n->text));
}

static bool is_named_before(const struct node *list, const struct node *item)
{
	for (const struct node *n = node_first(list); n && n != item; n = n->next)
		if (span_eq(n->text, item->text))
			return true;
	return false;
}

/* Check each key in the two lists of environment keys, and that no key occurs twice, in one list or
   in both together. */
static enum status check_environment(struct document *d, const struct node *map)
{
	static const char *const names[] = { "must_match", "should_match" };
	const struct node *lists[] = { node_get(map, names[0]), node_get(map, names[1]) };
	for (size_t i = 0; i < 2; i++)
		for (const struct node *n = node_first(lists[i]); n; n = n->next) {
			TRY(check_key(d, n));
			for (size_t k = 0; k <= i; k++)
				if (is_named_before(lists[k], n))
					return document_fail(d, n, "%s is in '%s' already", document_quote(d, n->text),
					                     names[k]);
		}
	return ST_OK;
}

/* Read an entry of `kernels.categories`: kernels whose names contain one of its texts belong to its
   category. A text must not have blanks: digests store all texts of communication in one line,
   separated by blanks. */
static enum status addition_read(struct document *d, const struct node *n, struct rules *out)
{
	for (const struct node *m = node_get(n, "match")->first; m; m = m->next)
		if (!m->text.n || memchr(m->text.p, ' ', m->text.n))
			return document_fail(d, m, "%s: such texts must not be empty or hold blanks",
			                     document_quote(d, m->text));
	keys_fill(&addition_map, n, &out->arena, vec_push_zero(&out->categories));
	return ST_OK;
}

static enum status read_root(struct document *d, const struct node *root, struct rules *out)
{
	const struct node *baseline = node_get(root, "baseline"), *kernels = node_get(root, "kernels");
	if (baseline)
		TRY(check_baseline(d, baseline));
	keys_default(&rules_keys, out);
	keys_fill(&rules_keys, root, &out->arena, out);
	TRY(check_environment(d, node_get(root, "environment")));
	out->no_environment = !node_get(root, "environment");
	for (const struct node *n = node_first(node_get(kernels, "alias")); n; n = n->next)
		keys_fill(&alias_map, n, &out->arena, vec_push_zero(&out->aliases));
	for (const struct node *n = node_first(node_get(kernels, "categories")); n; n = n->next)
		TRY(addition_read(d, n, out));
	TRY(result_rows_read(d, node_get(node_get(root, "inputs"), "results"), true, &out->results));
	for (const struct node *n = node_get(root, "rules")->first; n; n = n->next)
		TRY(rule_read(d, n, out));
	TRY(unless_settle(d, out));
	for (const struct node *n = node_first(node_get(root, "allow")); n; n = n->next)
		TRY(allow_read(d, n, out));
	for (const struct node *n = node_first(node_get(root, "waivers")); n; n = n->next)
		TRY(waiver_read(d, n, out));
	return ST_OK;
}

static enum status read_variant(struct document *d, const struct node *p, struct rules *out)
{
	const struct node *root = d->root;
	if (p)
		TRY(profile_apply(d, p, &root));
	return read_root(d, root, out);
}

static enum status unknown_profile(struct document *d, const struct node *profiles,
                                   const char *name)
{
	struct nearest near = { .word = span_of(name) };
	const char *names = "";
	for (const struct node *n = node_first(profiles); n; n = n->next) {
		nearest_try(&near, n->key->text.p);
		names = arena_printf(&d->arena, "%s%s%s", names, *names ? ", " : "; it has ",
		                     document_quote(d, n->key->text));
	}
	return diag_fail(
	    d->log, ST_USAGE, "%s: there is no profile %s%s", d->shown,
	    document_quote(d, span_of(name)),
	    nearest_hint(&near, &d->arena, ';', profiles ? names : "; the file has no 'profiles'"));
}

/* Read the rules with the profile that out->profile names, if there is one. Then read them with
   every other profile: a mistake in a profile is reported now, and not only once the profile is
   used. */
static enum status read_all(struct document *d, void *ctx)
{
	struct rules *out = ctx;
	const char *profile = out->profile;
	const struct node *cases = node_get(d->root, "cases"), *rules;
	out->source = arena_dup(&out->arena, span_of(d->name));
	if (cases)
		return document_fail(d, cases, "'cases' is of a suite file, which 'gpugate suite' reads");
	TRY(differences_apply(d));
	rules = node_get(d->root, "rules");
	if (rules && rules->kind == NODE_MAP)
		return document_fail(d, rules, "'rules' is a map in 'version: 2', which the file lacks");
	TRY(keys_check(d, d->root, &rules_keys));
	const struct node *profiles = node_get(d->root, "profiles");
	const struct node *chosen = profile ? node_get(profiles, profile) : NULL;
	if (profile && !chosen)
		return unknown_profile(d, profiles, profile);
	TRY(read_variant(d, chosen, out));
	out->profile = profile ? arena_dup(&out->arena, span_of(profile)) : NULL;
	for (const struct node *p = node_first(profiles); p; p = p->next) {
		struct rules other = { .source = NULL };
		enum status st = p == chosen ? ST_OK : read_variant(d, p, &other);
		rules_release(&other);
		TRY(st);
		vec_push(&out->profiles, profile_of(p, &out->arena));
	}
	return ST_OK;
}

struct rules rules_default(void)
{
	struct rules r = { .source = NULL };
	keys_default(&rules_keys, &r);
	return r;
}

enum status rules_read(const char *path, const struct span *text, const char *profile,
                       struct rules *out, struct diag_log *log)
{
	*out = (struct rules){ .profile = profile };
	return document_open(path, text, &table_default, read_all, out, log);
}

bool env_key_is_valid(struct span key)
{
	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i];
		if (!((c >= 'a' && c <= 'z') || (i && (is_digit(c) || c == '_' || c == '.'))))
			return false;
	}
	return key.n > 0 && key.n <= 64;
}

const char *env_key_near(struct span key)
{
	static const char *const known[] = {
		"gpu.name",       "gpu.count",       "cuda.runtime",     "cuda.driver",
		"world_size",     "model",           "batch_size",       "precision",
		"parallelism",    "sequence_length", "samples_per_step", "tokens_per_step",
		"flops_per_step", "commit",          "peak_tflops",
	};
	const char *near = NULL;
	for (size_t i = 0; i < NR_OF(known); i++) {
		size_t d = edit_distance(key, span_of(known[i]), 1);
		if (d == 0)
			return NULL;
		if (d == 1)
			near = known[i];
	}
	return near;
}
