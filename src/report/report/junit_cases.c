#include "report/junit_cases.h"

#include <string.h>

#include "base/text.h"

/* text_add_line() replaces all characters that XML does not allow, except U+FFFE and U+FFFF. These
 * become U+FFFD here, which has as many bytes. */
void junit_clean(struct strbuf *b, const char *text)
{
	size_t from = b->n;
	text_add_line(b, span_of(text));
	for (char *p = b->p ? b->p + from : NULL; p && (p = strstr(p, "\xEF\xBF")); p += 3)
		p[2] = (unsigned char)p[2] > 0xBD ? '\xBD' : p[2];
}

void junit_put(struct sink *out, const char *text)
{
	static const char *const entities[128] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&apos;"
	};
	struct strbuf clean = STRBUF_INIT, b = STRBUF_INIT;
	junit_clean(&clean, text);
	text_add_escaped(&b, strbuf_span(&clean), entities);
	sink_write(out, strbuf_span(&b));
	strbuf_release(&clean);
	strbuf_release(&b);
}

void junit_put_attribute(struct sink *out, const char *name, const char *value)
{
	sink_printf(out, " %s=\"", name);
	junit_put(out, value);
	sink_puts(out, "\"");
}

static const char *clean_name(struct arena *a, const char *text)
{
	struct strbuf b = STRBUF_INIT;
	junit_clean(&b, text);
	return arena_take(a, &b);
}

const enum outcome junit_outcomes[NR_VERDICTS] = {
#define OUTCOME(id, name, tone, outcome, ...) [VERDICT_##id] = (outcome),
	VERDICTS(OUTCOME)
#undef OUTCOME
};

const char *const junit_elements[NR_OUTCOMES] = {
	[OUTCOME_NOTE] = "system-out",
	[OUTCOME_FAILURE] = "failure",
	[OUTCOME_ERROR] = "error",
	[OUTCOME_SKIPPED] = "skipped",
};

void junit_open(struct sink *out, enum outcome outcome, const char *type, const char *message)
{
	sink_printf(out, "      <%s", junit_elements[outcome]);
	if (outcome != OUTCOME_NOTE) {
		junit_put_attribute(out, "type", type);
		junit_put_attribute(out, "message", message);
	}
	sink_puts(out, ">");
}

static void add_check(struct testcases *t, const struct check *k, const struct finding *f)
{
	struct testcase c = { .group = k->group,
		                  .name = clean_name(&t->arena, k->id),
		                  .outcome = junit_outcomes[k->verdict],
		                  .type =
		                      k->verdict == VERDICT_FAIL ? "regression" : verdict_names[k->verdict],
		                  .message = k->message,
		                  .cause = f ? f->title : NULL,
		                  .check = k };
	vec_push(&t->all, c);
}

static void add_finding(struct testcases *t, const struct trust_finding *f)
{
	const char *side = f->candidate ? "candidate" : "baseline";
	const char *name =
	    f->rank < 0 ? arena_printf(&t->arena, "%s[%s]", f->id, side)
	                : arena_printf(&t->arena, "%s[%s, rank %lld]", f->id, side, (long long)f->rank);
	struct testcase c = { .group = GROUP_INPUTS,
		                  .name = clean_name(&t->arena, name),
		                  .outcome = f->warning_only ? OUTCOME_NOTE : OUTCOME_ERROR,
		                  .type =
		                      verdict_names[f->warning_only ? VERDICT_WARN : VERDICT_INCONCLUSIVE],
		                  .message = f->message,
		                  .finding = f };
	vec_push(&t->all, c);
}

ORDERING_POINTERS(by_name, struct testcase, RISING(group) BY_TEXT(name) THEN(COMPARE(x, y)))

/* Number cases with equal names: names that differ only in characters that XML cannot contain, and
   findings that occur twice. Returns true if there were equal names. */
static bool number_duplicates(struct testcases *t)
{
	bool found = false;
	VEC(struct testcase *) sorted = VEC_INIT;
	for (size_t i = 0; i < t->all.nr; i++)
		vec_push(&sorted, &t->all.v[i]);
	vec_sort(&sorted, by_name);
	for (size_t i = 0, nr; i < sorted.nr; i += nr) {
		const struct testcase *first = sorted.v[i];
		for (nr = 1; i + nr < sorted.nr; nr++) {
			struct testcase *c = sorted.v[i + nr];
			if (c->group != first->group || strcmp(c->name, first->name) != 0)
				break;
			c->name = arena_printf(&t->arena, "%s#%zu", c->name, nr + 1);
			found = true;
		}
	}
	vec_release(&sorted);
	return found;
}

/* True if a check or a trust finding shows why the gate did not pass. */
static bool shows_why(const struct report *r)
{
	return ANY(i, r->checks.nr,
	           junit_outcomes[r->checks.v[i].verdict] == OUTCOME_FAILURE ||
	               junit_outcomes[r->checks.v[i].verdict] == OUTCOME_ERROR) ||
	       ANY(i, r->trust.nr, !r->trust.v[i].warning_only);
}

void testcases_collect(struct testcases *t, const struct report *r)
{
	*t = (struct testcases){ .arena = ARENA_INIT };
	/* CI systems consider a file a success if all its cases are skipped, or pass with a note. So a
	   case is added that says why the gate did not pass. */
	if (r->error || r->status == ST_BASELINE || (r->status != ST_OK && !shows_why(r))) {
		struct testcase c = { .group = GROUP_INPUTS,
			                  .name = "gpugate",
			                  .outcome = r->status == ST_FAILED ? OUTCOME_FAILURE : OUTCOME_ERROR,
			                  .type = r->error ? "error" : verdict_names[r->verdict],
			                  .message = r->error ? r->error : r->headline };
		vec_push(&t->all, c);
	}
	if (r->error)
		return;
	for (size_t i = 0; i < r->checks.nr; i++)
		add_check(t, &r->checks.v[i], report_finding(r, i));
	for (size_t i = 0; i < r->trust.nr; i++)
		add_finding(t, &r->trust.v[i]);
	/* the numbering is repeated, since "x#2" may itself be the name of a case */
	while (number_duplicates(t))
		;
}

void testcases_release(struct testcases *t)
{
	vec_release(&t->all);
	arena_release(&t->arena);
}
