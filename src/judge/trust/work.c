/* Finds out whether figures of result files measure the same work in both runs: fewer requests are
   served faster although the code is not faster. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "metric/figure_name.h"
#include "trust/finding.h"

/* One item of the work that a figure measures, such as its number of requests. Digests store each
   item as a line of key, sign and value. */
struct item {
	struct span key, value;
	/// '=': the value was asked for; '~': the value was counted; '+': the value was counted, and
	/// the figure is a sum over that number of things
	char sign;
};

/* Remove the first line from `rest`, and read it into `out`; false if `rest` is empty. */
static bool next(struct span *rest, struct item *out)
{
	if (!rest->n)
		return false;
	const char *end = memchr(rest->p, '\n', rest->n);
	size_t n = end ? (size_t)(end - rest->p) : rest->n, at = 0;
	while (at < n && !strchr("=~+", rest->p[at]))
		at++;
	out->sign = at < n ? rest->p[at] : '=';
	out->key = (struct span){ rest->p, at };
	out->value = at < n ? (struct span){ rest->p + at + 1, n - at - 1 } : SPAN("");
	size_t taken = n + (end != NULL);
	*rest = (struct span){ rest->p + taken, rest->n - taken };
	return true;
}

/* Read a number. If `asked` is false, it was counted, and is stored with '_' between thousands;
   else the user asked for it. */
static bool read_number(struct span text, bool asked, struct decimal *out)
{
	enum { CHARS = 40 };
	char plain[CHARS];
	size_t n = 0;
	for (size_t i = 0; i < text.n && n < CHARS; i++)
		if (asked || text.p[i] != '_')
			plain[n++] = text.p[i];
	return n < CHARS && decimal_parse((struct span){ plain, n }, out) == DECIMAL_OK;
}

static bool is_less(struct decimal a, struct decimal b)
{
	int64_t digits = a.digits > b.digits ? a.digits : b.digits;
	return decimal_scaled(a, digits) < decimal_scaled(b, digits);
}

enum { COUNTED = 5 * MICRO }; /* in 1e-6 %: counted numbers may differ by 5 % */

/* True if an item of work differs between the figures `b` (baseline) and `c` (candidate). If the
   figure is a sum ('+'), it must also have changed, by more than 5 %, in the same direction as the
   number of things in the sum. */
static bool differs(const struct item *x, const struct item *y, const struct input_stat *b,
                    const struct input_stat *c)
{
	struct decimal was, now;
	if (span_eq(x->value, y->value))
		return false;
	bool asked = x->sign == '=';
	bool numbers = read_number(x->value, asked, &was) && read_number(y->value, asked, &now);
	if (numbers && decimal_is_near(was, now, asked ? 0 : COUNTED))
		return false;
	if (!numbers || x->sign != '+')
		return true;
	int unit = figure_unit_find(span_of(b->unit));
	struct decimal old = input_in(b, unit), new = input_in(c, unit);
	return !decimal_is_near(old, new, COUNTED) && is_less(old, new) == is_less(was, now);
}

/* True if a figure is better than in the baseline by more than 5 %, but has less than half as many
 * samples. It may be better only because the first samples of a run are better than later ones. */
static bool is_of_few(const struct input_stat *b, const struct input_stat *c)
{
	int unit = figure_unit_find(span_of(b->unit ? b->unit : ""));
	struct decimal old = input_in(b, unit), new = input_in(c, unit);
	bool better = b->better && !decimal_is_near(new, old, COUNTED) &&
	              is_less(new, old) == (strcmp(b->better, "lower") == 0);
	return better && c->samples < b->samples / 2;
}

/* True if a figure without a unit became at least 50 times better, from a share (up to 1) to a
 * percentage (up to 100) or the reverse: only its scale may have changed. */
static bool is_of_scale(const struct input_stat *b, const struct input_stat *c, double *was,
                        double *now)
{
	bool bare = b->unit && c->unit && !strcmp(b->unit, UNIT_BARE) && !strcmp(c->unit, UNIT_BARE);
	*was = (double)b->value * pow(10, -(double)b->digits);
	*now = (double)c->value * pow(10, -(double)c->digits);
	bool up = b->better && strcmp(b->better, "higher") == 0;
	double share = up ? *was : *now, percent = up ? *now : *was;
	return bare && b->better && share > 0 && (share < 1 || (up && share <= 1)) && percent > 1 &&
	       percent <= 100 && percent >= 50 * share;
}

/* True if a figure is a count for which neither direction is better, and its values on the two
 * sides differ by more than 5 %. What a tool repeats until it is sure may differ, unless it is less
 * than half. */
static bool counts_others(const struct input_stat *b, const struct input_stat *c)
{
	size_t n = input_case(b).n;
	struct span name = span_of(b->name + n + (n > 0));
	bool counted = figure_is_setting(name, "amount");
	return !b->better && (counted || figure_is_setting(name, "repeated")) &&
	       !decimal_is_near((struct decimal){ b->value, b->digits },
	                        (struct decimal){ c->value, c->digits },
	                        counted ? COUNTED : 100 * MICRO);
}

/* Figures for which the same items of work differ. */
struct group {
	const char *keys; ///< names of the items that differ, separated by commas
	const char *text; ///< what differs in the first figure
	VEC(const char *) metrics;
};
struct groups {
	VEC(struct group) list;
	struct strbuf counts; ///< counts that differ: "requests 100 → 50, …"
	const char *counted; ///< name of the first figure in `counts`; NULL if no count differs
};

static void compare(const struct input_stat *b, const struct input_stat *c, struct groups *out,
                    struct arena *a)
{
	struct strbuf keys = STRBUF_INIT, text = STRBUF_INIT;
	struct item x, y;
	if (counts_others(b, c)) {
		strbuf_addf(&out->counts, "%s%s %g → %g", out->counted ? ", " : "", b->name,
		            (double)b->value * pow(10, -(double)b->digits),
		            (double)c->value * pow(10, -(double)c->digits));
		out->counted = out->counted ? out->counted : b->name;
	}
	for (struct span left = span_of(b->work ? b->work : ""); next(&left, &x);)
		for (struct span right = span_of(c->work ? c->work : ""); next(&right, &y);)
			if (span_eq(x.key, y.key) && differs(&x, &y, b, c)) {
				struct span name = figure_work_name(x.key, input_case(b));
				strbuf_addf(&keys, "%s%.*s", keys.n ? ", " : "", (int)name.n, name.p);
				strbuf_addf(&text, "%s%.*s %.*s → %.*s", text.n ? ", " : "", (int)name.n, name.p,
				            (int)x.value.n, x.value.p, (int)y.value.n, y.value.p);
			}
	if (is_of_few(b, c)) {
		strbuf_adds(&keys, keys.n ? ", samples" : "samples");
		strbuf_addf(&text, "%ssamples %" PRId64 " → %" PRId64, text.n ? ", " : "", b->samples,
		            c->samples ? c->samples : 1);
	}
	double was, now;
	if (is_of_scale(b, c, &was, &now)) {
		strbuf_adds(&keys, keys.n ? ", scale" : "scale");
		strbuf_addf(&text, "%sscale %g → %g", text.n ? ", " : "", was, now);
	}
	size_t i = 0;
	while (i < out->list.nr && strcmp(out->list.v[i].keys, strbuf_str(&keys)) != 0)
		i++;
	if (keys.n && i == out->list.nr)
		vec_push(&out->list, (struct group){ .keys = arena_dup(a, strbuf_span(&keys)),
		                                     .text = arena_dup(a, strbuf_span(&text)) });
	if (keys.n)
		vec_push(&out->list.v[i].metrics, metric_of_input(span_of(b->name), a)->name);
	strbuf_release(&keys);
	strbuf_release(&text);
}

static void compare_ranks(const struct digest *b, const struct digest *c, struct groups *out,
                          struct arena *a)
{
	for (size_t i = 0, k = 0; i < b->inputs.nr && k < c->inputs.nr;) {
		const struct input_stat *x = &b->inputs.v[i], *y = &c->inputs.v[k];
		int order = strcmp(x->name, y->name);
		if (order == 0)
			compare(x, y, out, a);
		i += order <= 0;
		k += order >= 0;
	}
}

void trust_find_work(const struct run *baseline, const struct run *candidate,
                     const struct trust_scope *s)
{
	struct groups groups = { 0 };
	for (size_t i = 0; i < candidate->ranks.nr; i++) {
		const struct digest *c = candidate->ranks.v[i], *b = trust_rank(baseline, c->rank);
		if (b)
			compare_ranks(b, c, &groups, &s->out->arena);
	}
	for (size_t i = 0; i < groups.list.nr; i++) {
		struct group *g = &groups.list.v[i];
		struct trust_finding *f =
		    trust_add(s, "context-differs", 0, "did other work than the baseline: %s", g->text);
		f->warning_only = false;
		f->work = g->keys;
		vec_move(&f->spoils, &g->metrics);
		vec_release(&g->metrics);
	}
	if (groups.counted)
		trust_add(s, "context-differs", 0, "counted other things than the baseline: %s",
		          strbuf_str(&groups.counts))
		    ->work = groups.counted;
	strbuf_release(&groups.counts);
	vec_release(&groups.list);
}
