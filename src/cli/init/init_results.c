#include "init/init_results.h"

#include <string.h>

#include "base/vec.h"

enum { RULES_MAX = 60 };

/* The name of a figure without the name of its case, which comes first and may contain '/'
   itself. */
struct figure_name {
	const char *name;
	const char *full;
	bool has_case, is_bytes;
	enum worse worse;
};

static int name_cmp(const void *a, const void *b)
{
	const struct figure_name *x = a, *y = b;
	int c = strcmp(x->name, y->name);
	c = c ? c : (int)x->has_case - (int)y->has_case;
	return c ? c : strcmp(x->full, y->full);
}

/* True for figures that get no rule, because others say nearly the same: percentiles other than the
   usual ones, and numbers of values. */
static bool is_minor(const char *name)
{
	static const char *const endings[] = { ".p90", "_p10", "_p25", "_p75", "_p90", ".n" };
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t k = strlen(endings[i]);
		if (n >= k && strcmp(name + n - k, endings[i]) == 0)
			return true;
	}
	return false;
}

static void add_rule(const struct figure_name *f, struct strbuf *out)
{
	const char *key = f->worse == WORSE_UP ? "increase" : "decrease";
	strbuf_addf(out, "  - id: %s%s\n    metric: input.%s%s\n", f->has_case ? "" : "run-", f->name,
	            f->has_case ? "*/" : "", f->name);
	if (f->is_bytes)
		strbuf_addf(out, "    fail: {%s: 1%%}\n", key);
	else
		strbuf_addf(out, "    fail: {%s: 10%%}\n    warn: {%s: 5%%}\n", key, key);
}

size_t init_results_add(const struct run_view *v, struct strbuf *out)
{
	VEC(struct figure_name) names = VEC_INIT;
	size_t nr = 0;
	for (size_t i = 0; i < v->nr_inputs; i++) {
		const struct metric *m = v->inputs[i];
		const char *full = m->name + strlen("input."), *slash = strrchr(full, '/');
		const char *name = slash ? slash + 1 : full;
		if (m->worse == WORSE_EITHER || is_minor(name) || !*name || strlen(name) > 90)
			continue;
		bool bytes = strcmp(unit_name(m->unit), "B") == 0;
		vec_push(&names, (struct figure_name){ name, full, slash != NULL, bytes, m->worse });
	}
	vec_sort(&names, name_cmp);
	struct strbuf rules = STRBUF_INIT;
	for (size_t i = 0; i < names.nr; i++) {
		const struct figure_name *f = &names.v[i];
		if (i && strcmp(f->name, names.v[i - 1].name) == 0 &&
		    f->has_case == names.v[i - 1].has_case)
			continue;
		if (nr++ == 0)
			strbuf_adds(&rules, "\n  # Figures of result files: each case by itself.\n");
		add_rule(f, &rules);
	}
	nr = nr <= RULES_MAX ? nr : 0;
	if (nr)
		strbuf_add(out, strbuf_span(&rules));
	strbuf_release(&rules);
	vec_release(&names);
	return nr;
}
