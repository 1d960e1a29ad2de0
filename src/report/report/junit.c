#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/document.h"
#include "report/junit_cases.h"
#include "report/table.h"
#include "report/writer.h"

struct junit {
	const struct report *r;
	struct sink *out;
	struct arena *arena;
	struct short_names *names;
};

static void put_breakdown(struct sink *out, const struct breakdown *b)
{
	sink_puts(out, "\n");
	junit_put(out, b->title);
	for (size_t i = 0; i < b->parts.nr; i++) {
		const struct part *p = &b->parts.v[i];
		sink_printf(out, "\n%*s", 2 * (p->depth + 1), "");
		junit_put(out, p->text);
		sink_puts(out, "  ");
		junit_put(out, p->label);
		if (p->detail[0]) {
			sink_puts(out, "  (");
			junit_put(out, p->detail);
			sink_puts(out, ")");
		}
	}
}

static void put_line(struct sink *out, const char *text)
{
	if (!text || !*text)
		return;
	sink_puts(out, "\n");
	junit_put(out, text);
}

static const char *why_of(const struct junit *j, const struct testcase *c)
{
	return report_sentence(j->names, c->cause ? c->cause : c->message, j->arena);
}

/* Text such as "3.16 GiB → 3.87 GiB (+22.23 %), limit 2 %: memory is fragmented". */
static const char *message_of(const struct junit *j, const struct testcase *c)
{
	const struct check *k = c->check;
	const char *why = why_of(j, c);
	if (!c->cause || !k || !k->has_change || !k->limit[0])
		return why;
	return arena_printf(j->arena, "%s → %s (%s), limit %s%s: %s", k->baseline_text,
	                    k->candidate_text, k->pct_text[0] ? k->pct_text : k->change_text,
	                    limit_text(j->arena, k->limit),
	                    k->unconfirmed ? ", to be confirmed by pairs" : "", why);
}

static void put_body(const struct junit *j, const struct testcase *c)
{
	struct sink *out = j->out;
	junit_put(out, why_of(j, c)); /* the title of the finding that the case belongs to, else the
	                                 message */
	if (c->cause && strcmp(c->cause, c->message) != 0)
		put_line(out, c->message);
	if (c->check && c->check->unconfirmed)
		put_line(out, "to be confirmed by pairs");
	if (c->check) {
		put_line(out, runs_of(j->arena, c->check));
		put_line(out, c->check->evidence.text);
		put_line(out, c->check->item);
	}
	if (c->check && c->check->breakdown)
		put_breakdown(out, c->check->breakdown);
	for (size_t i = 0; c->finding && i < c->finding->spoils.nr; i++) {
		sink_puts(out, i ? ", " : "\nspoils ");
		junit_put(out, c->finding->spoils.v[i]);
	}
}

static void put_property(struct sink *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	sink_puts(out, "      <property");
	junit_put_attribute(out, "name", name);
	junit_put_attribute(out, "value", value);
	sink_puts(out, "/>\n");
}

static void put_number(struct sink *out, const char *name, bool has, int64_t value, int digits)
{
	char buf[NUMBER_TEXT];
	put_property(out, name, has ? number_format(value, digits, buf) : NULL);
}

static void put_outcome(const struct junit *j, const struct testcase *c)
{
	junit_open(j->out, c->outcome, c->type, message_of(j, c));
	if (c->outcome == OUTCOME_NOTE)
		sink_printf(j->out, "%s: ", c->type);
	put_body(j, c);
	sink_printf(j->out, "</%s>\n", junit_elements[c->outcome]);
}

static void put_case(const struct junit *j, const struct testcase *c)
{
	bool outcome = junit_elements[c->outcome];
	/* true: the name of the case has the item only shortened, so the body gets the complete item */
	bool whole = !outcome && c->check && !strstr(c->check->id, c->check->item);
	bool empty = !outcome && !whole;
	sink_puts(j->out, "    <testcase classname=\"gpugate.");
	junit_put(j->out, j->r->workload);
	sink_printf(j->out, ".%s\"", group_names[c->group]);
	junit_put_attribute(j->out, "name", c->name);
	sink_puts(j->out, empty ? " time=\"0.000\"/>\n" : " time=\"0.000\">\n");
	if (outcome)
		put_outcome(j, c);
	if (whole) {
		sink_puts(j->out, "      <system-out>");
		junit_put(j->out, c->check->item);
		sink_puts(j->out, "</system-out>\n");
	}
	sink_puts(j->out, empty ? "" : "    </testcase>\n");
}

/* Write how many cases of each outcome one group has, or all groups together (NR_GROUPS). */
static void put_counts(struct sink *out, const struct testcases *t, enum check_group group)
{
	size_t nr[NR_OUTCOMES] = { 0 }, tests = 0;
	for (size_t i = 0; i < t->all.nr; i++)
		if (group == NR_GROUPS || t->all.v[i].group == group) {
			nr[t->all.v[i].outcome]++;
			tests++;
		}
	sink_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", tests, nr[OUTCOME_FAILURE],
	            nr[OUTCOME_ERROR]);
	if (group != NR_GROUPS) /* Jenkins' schema has `skipped` only for suites */
		sink_printf(out, " skipped=\"%zu\"", nr[OUTCOME_SKIPPED]);
	sink_puts(out, " time=\"0.000\">\n");
}

static void put_properties(const struct junit *j)
{
	const struct report *r = j->r;
	sink_puts(j->out, "    <properties>\n");
	put_property(j->out, "workload", r->workload);
	put_property(j->out, "baseline", r->baseline_path);
	put_property(j->out, "rules", r->rules);
	put_property(j->out, "profile", r->profile);
	put_property(j->out, "judged", r->candidate.judged);
	put_property(j->out, "first_run_of", r->made);
	put_property(j->out, "verdict", verdict_names[r->verdict]);
	put_number(j->out, "baseline_runs", r->baseline.label, side_runs(&r->baseline), 0);
	put_number(j->out, "candidate_runs", r->candidate.label, side_runs(&r->candidate), 0);
	put_number(j->out, "pin_age_days", r->baseline.has_pin_age, r->baseline.pin_age_days, 0);
	put_number(j->out, "false_alarms_per_1000", r->has_false_alarms, r->false_alarms, 3);
	sink_puts(j->out, "    </properties>\n");
}

/* Write warnings into every suite, since some tools show only the first suite. Insights are written
   only into the suite on ranks. */
static void put_remarks(const struct junit *j, enum check_group group)
{
	const struct report *r = j->r;
	size_t nr = 0, insights = group == GROUP_RANKS ? r->insights.nr : 0;
	for (size_t i = 0; i < r->warnings.nr; i++) {
		sink_puts(j->out, nr++ ? "\n" : "    <system-out>");
		junit_put(j->out, r->warnings.v[i]);
	}
	for (size_t i = 0; i < insights; i++) {
		const struct insight *n = &r->insights.v[i];
		sink_puts(j->out, nr++ ? "\n" : "    <system-out>");
		sink_puts(j->out, n->candidate ? "candidate" : "baseline");
		if (n->rank >= 0)
			sink_printf(j->out, " rank %" PRId64, n->rank);
		sink_printf(j->out, ": %s: ", n->id);
		junit_put(j->out, n->message);
	}
	sink_puts(j->out, nr ? "</system-out>\n" : "");
}

static void put_suite(const struct junit *j, const struct testcases *t, enum check_group group)
{
	sink_printf(j->out, "  <testsuite name=\"%s\"", group_names[group]);
	put_counts(j->out, t, group);
	put_properties(j);
	for (size_t i = 0; i < t->all.nr; i++)
		if (t->all.v[i].group == group)
			put_case(j, &t->all.v[i]);
	put_remarks(j, group);
	sink_puts(j->out, "  </testsuite>\n");
}

void junit_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct testcases t;
	struct short_names own = { 0 };
	struct junit j = { .r = r, .out = out, .arena = &t.arena, .names = o->names ? o->names : &own };
	bool used[NR_GROUPS] = { [GROUP_RANKS] = r->insights.nr > 0 };
	testcases_collect(&t, r);
	report_names(r, j.names);
	for (size_t i = 0; i < t.all.nr; i++)
		used[t.all.v[i].group] = true;
	sink_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpugate\"");
	put_counts(out, &t, NR_GROUPS);
	for (int i = 0; i < NR_GROUPS; i++)
		if (used[i])
			put_suite(&j, &t, i);
	sink_puts(out, "</testsuites>\n");
	short_names_release(&own);
	testcases_release(&t);
}
