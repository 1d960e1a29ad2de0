#include "report/writers.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"

#define NR_GROUPS 5

enum outcome {
	OUTCOME_PASS,
	OUTCOME_NOTE,
	OUTCOME_FAILURE,
	OUTCOME_ERROR,
	OUTCOME_SKIPPED,
	NR_OUTCOMES
};

static const char *const elements[NR_OUTCOMES] = {
	[OUTCOME_NOTE] = "system-out",
	[OUTCOME_FAILURE] = "failure",
	[OUTCOME_ERROR] = "error",
	[OUTCOME_SKIPPED] = "skipped",
};

struct testcase {
	size_t group;
	const char *name; ///< fit for XML, not yet escaped
	enum outcome outcome;
	const char *type, *message;
	const struct check *check; ///< NULL none
	const struct finding *finding; ///< NULL none
};

struct testcases {
	struct arena arena; ///< owns the names
	VEC(struct testcase) all;
};

/* In the order of the suites. */
static const char *group_name(size_t i)
{
	static const char *const names[NR_GROUPS] = { "step", "kernels", "memory", "ranks", "inputs" };
	return names[i];
}

/* A group without a suite of its own still has to be seen: it goes to the last one. */
static size_t group_index(const char *name)
{
	size_t i = 0;
	while (i < NR_GROUPS - 1 && strcmp(group_name(i), name) != 0)
		i++;
	return i;
}

/* One line of XML 1.0 Char. text_add_line replaces all that is not, but for two code points. */
static void add_clean(struct strbuf *b, const char *text)
{
	struct strbuf line = STRBUF_INIT;
	text_add_line(&line, span_of(text));
	struct span s = strbuf_span(&line);
	for (size_t i = 0; i < s.n;) {
		uint32_t cp = text_next(s, &i);
		text_add_codepoint(b, cp == 0xFFFE || cp == 0xFFFF ? 0xFFFD : cp);
	}
	strbuf_release(&line);
}

static void put(struct sink *out, const char *text)
{
	struct strbuf clean = STRBUF_INIT, b = STRBUF_INIT;
	add_clean(&clean, text);
	for (const char *p = strbuf_str(&clean); *p; p++)
		switch (*p) {
		case '&':
			strbuf_adds(&b, "&amp;");
			break;
		case '<':
			strbuf_adds(&b, "&lt;");
			break;
		case '>':
			strbuf_adds(&b, "&gt;");
			break;
		case '"':
			strbuf_adds(&b, "&quot;");
			break;
		case '\'':
			strbuf_adds(&b, "&apos;");
			break;
		default:
			strbuf_addch(&b, *p);
		}
	sink_write(out, strbuf_span(&b));
	strbuf_release(&clean);
	strbuf_release(&b);
}

static void put_attribute(struct sink *out, const char *name, const char *value)
{
	sink_printf(out, " %s=\"", name);
	put(out, value);
	sink_puts(out, "\"");
}

/* --- which cases there are --- */

static const char *clean_name(struct arena *a, const char *text)
{
	struct strbuf b = STRBUF_INIT;
	add_clean(&b, text);
	const char *name = arena_dup(a, strbuf_span(&b));
	strbuf_release(&b);
	return name;
}

static enum outcome outcome_of(enum verdict v)
{
	switch (v) {
	case VERDICT_PASS:
		return OUTCOME_PASS;
	case VERDICT_WARN:
	case VERDICT_IMPROVED:
		return OUTCOME_NOTE;
	case VERDICT_FAIL:
		return OUTCOME_FAILURE;
	case VERDICT_SKIPPED:
		return OUTCOME_SKIPPED;
	default:
		return OUTCOME_ERROR;
	}
}

static void add_check(struct testcases *t, const struct check *k)
{
	struct testcase c = { .group = group_index(k->group),
		                  .name = clean_name(&t->arena, k->id),
		                  .outcome = outcome_of(k->verdict),
		                  .type =
		                      k->verdict == VERDICT_FAIL ? "regression" : verdict_name(k->verdict),
		                  .message = k->message,
		                  .check = k };
	vec_push(&t->all, c);
}

static void add_finding(struct testcases *t, const struct finding *f)
{
	const char *side = f->candidate ? "candidate" : "baseline";
	const char *name =
	    f->rank < 0 ? arena_printf(&t->arena, "%s[%s]", f->id, side)
	                : arena_printf(&t->arena, "%s[%s, rank %lld]", f->id, side, (long long)f->rank);
	struct testcase c = { .group = NR_GROUPS - 1,
		                  .name = clean_name(&t->arena, name),
		                  .outcome = f->warning_only ? OUTCOME_NOTE : OUTCOME_ERROR,
		                  .type =
		                      verdict_name(f->warning_only ? VERDICT_WARN : VERDICT_INCONCLUSIVE),
		                  .message = f->message,
		                  .finding = f };
	vec_push(&t->all, c);
}

static int by_name(const void *a, const void *b)
{
	const struct testcase *x = *(const struct testcase *const *)a,
	                      *y = *(const struct testcase *const *)b;
	int c = (x->group > y->group) - (x->group < y->group);
	c = c ? c : strcmp(x->name, y->name);
	return c ? c : (x > y) - (x < y);
}

/* Names that differ only in what XML cannot hold, and findings that come twice. */
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

static void collect(struct testcases *t, const struct report *r)
{
	if (r->error) {
		struct testcase c = { .group = NR_GROUPS - 1,
			                  .name = "gpugate",
			                  .outcome = OUTCOME_ERROR,
			                  .type = "error",
			                  .message = r->error };
		vec_push(&t->all, c);
		return;
	}
	for (size_t i = 0; i < r->checks.nr; i++)
		add_check(t, &r->checks.v[i]);
	for (size_t i = 0; i < r->trust.nr; i++)
		add_finding(t, &r->trust.v[i]);
	while (number_duplicates(t)) /* "x#2" may be a name of its own */
		;
}

/* --- how they are written --- */

static void put_breakdown(struct sink *out, const struct breakdown *b)
{
	sink_puts(out, "\n");
	put(out, b->title);
	for (size_t i = 0; i < b->parts.nr; i++) {
		const struct part *p = &b->parts.v[i];
		sink_printf(out, "\n%*s", 2 * (p->level + 1), "");
		put(out, p->text);
		sink_puts(out, "  ");
		put(out, p->label);
		if (p->detail[0]) {
			sink_puts(out, "  (");
			put(out, p->detail);
			sink_puts(out, ")");
		}
	}
}

static void put_body(struct sink *out, const struct testcase *c)
{
	put(out, c->message);
	if (c->check && c->check->item[0]) {
		sink_puts(out, "\n");
		put(out, c->check->item);
	}
	if (c->check && c->check->breakdown)
		put_breakdown(out, c->check->breakdown);
	for (size_t i = 0; c->finding && i < c->finding->spoils.nr; i++) {
		sink_puts(out, i ? ", " : "\nspoils ");
		put(out, c->finding->spoils.v[i]);
	}
}

static void put_case(struct sink *out, const struct report *r, const struct testcase *c)
{
	const char *element = elements[c->outcome];
	sink_puts(out, "    <testcase classname=\"gpugate.");
	put(out, r->workload);
	sink_printf(out, ".%s\"", group_name(c->group));
	put_attribute(out, "name", c->name);
	sink_puts(out, " time=\"0.000\"");
	if (!element && c->check && !strstr(c->check->id, c->check->item)) {
		sink_puts(out, ">\n      <system-out>"); /* the name was shortened: here it is whole */
		put(out, c->check->item);
		sink_puts(out, "</system-out>\n    </testcase>\n");
		return;
	}
	if (!element) {
		sink_puts(out, "/>\n");
		return;
	}
	sink_printf(out, ">\n      <%s", element);
	if (c->outcome != OUTCOME_NOTE) {
		put_attribute(out, "type", c->type);
		put_attribute(out, "message", c->message);
	}
	sink_puts(out, ">");
	if (c->outcome == OUTCOME_NOTE)
		sink_printf(out, "%s: ", c->type);
	put_body(out, c);
	sink_printf(out, "</%s>\n    </testcase>\n", element);
}

static void put_property(struct sink *out, const char *name, const char *value)
{
	if (!value)
		return;
	sink_puts(out, "      <property");
	put_attribute(out, "name", name);
	put_attribute(out, "value", value);
	sink_puts(out, "/>\n");
}

/* Counts of the cases of one group, or of all. */
static void put_counts(struct sink *out, const struct testcases *t, size_t group, bool skipped)
{
	size_t nr[NR_OUTCOMES] = { 0 }, tests = 0;
	for (size_t i = 0; i < t->all.nr; i++)
		if (group == NR_GROUPS || t->all.v[i].group == group) {
			nr[t->all.v[i].outcome]++;
			tests++;
		}
	sink_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", tests, nr[OUTCOME_FAILURE],
	            nr[OUTCOME_ERROR]);
	if (skipped)
		sink_printf(out, " skipped=\"%zu\"", nr[OUTCOME_SKIPPED]);
	sink_puts(out, " time=\"0.000\">\n");
}

static void put_suite(struct sink *out, const struct report *r, const struct testcases *t,
                      size_t group)
{
	sink_printf(out, "  <testsuite name=\"%s\"", group_name(group));
	put_counts(out, t, group, true);
	sink_puts(out, "    <properties>\n");
	put_property(out, "workload", r->workload);
	put_property(out, "baseline", r->baseline_path);
	put_property(out, "rules", r->rules);
	put_property(out, "verdict", verdict_name(r->verdict));
	sink_puts(out, "    </properties>\n");
	for (size_t i = 0; i < t->all.nr; i++)
		if (t->all.v[i].group == group)
			put_case(out, r, &t->all.v[i]);
	for (size_t i = 0; i < r->warnings.nr; i++) {
		sink_puts(out, i ? "\n" : "    <system-out>");
		put(out, r->warnings.v[i]);
	}
	sink_puts(out, r->warnings.nr ? "</system-out>\n  </testsuite>\n" : "  </testsuite>\n");
}

void junit_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct testcases t = { .arena = ARENA_INIT, .all = VEC_INIT };
	bool used[NR_GROUPS] = { false };
	collect(&t, r);
	for (size_t i = 0; i < t.all.nr; i++)
		used[t.all.v[i].group] = true;
	sink_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpugate\"");
	/* the schema of Jenkins knows no `skipped` here */
	put_counts(out, &t, NR_GROUPS, !o->junit_strict);
	for (size_t i = 0; i < NR_GROUPS; i++)
		if (used[i])
			put_suite(out, r, &t, i);
	sink_puts(out, "</testsuites>\n");
	vec_release(&t.all);
	arena_release(&t.arena);
}
