/* Writes OpenMetrics 1.0, which GitLab's metrics report can read too. Values are in base units,
 * except figures of result files, which keep their units. They have no timestamps. Everything has
 * the same place in every run: families in a fixed order, series sorted by their labels. GitLab
 * compares values as texts, so figures with noise are rounded to four significant digits, as in
 * other reports: this changes them by at most 0.05 %, while repeated runs of unchanged code differ
 * by 1 %. Counts and bytes are exact. All arithmetic uses integers, so that doubles round nothing.
 * Only very large or small figures of result files have an exponent. */
#include <string.h>

#include "base/text.h"
#include "report/writer.h"

enum { SIGNIFICANT = 4, ITEM_CHARS = 100 };

/* ---- names and numbers ---- */

struct base_unit {
	const char *name; ///< unit at the end of the series' name; NULL: a number without a unit
	int digits; ///< a digest's integer × 10^-digits is the figure in this unit
};

static const struct base_unit base_units[] = {
	[UNIT_NS] = { "seconds", 9 },
	[UNIT_BYTES] = { "bytes", 0 },
	[UNIT_COUNT] = { NULL, 0 },
	[UNIT_PCT] = { "ratio", 8 },
	[UNIT_PER_S] = { "per_second", 6 },
	[UNIT_BYTES_PER_S] = { "bytes_per_second", 0 },
	[UNIT_NS_PER_STEP] = { "seconds_per_step", 9 },
	[UNIT_COUNT_PER_STEP] = { "per_step", 6 },
	[UNIT_BYTES_PER_STEP] = { "bytes_per_step", 0 },
	[UNIT_FLOPS] = { NULL, 0 },
	[UNIT_FLOPS_PER_S] = { "per_second", 0 },
	[UNIT_NUMBER] = { NULL, 6 },
	[UNIT_HZ] = { "hertz", 0 },
	[UNIT_MILLIWATT] = { "watts", 3 },
	[UNIT_MICROJOULE] = { "joules", 6 },
	[UNIT_CELSIUS] = { "celsius", 0 },
};

/* Append the name of a metric's family, such as "gpugate_memory_growth_bytes_per_step" for
 * "memory.growth_per_step". The name contains the unit once, at the end. */
static void add_family(struct strbuf *out, const struct metric *m)
{
	static const char *const said[] = {
		"_pct", "_per_step", "_per_s", ".per_s", "_bytes", ".bytes"
	};
	const char *unit = base_units[m->unit].name;
	struct span name = span_of(m->name);
	if (m->id == METRIC_INPUT)
		name = SPAN("input"); /* all figures of result files are one family */
	for (size_t i = 0; unit && i < NR_OF(said); i++) {
		size_t n = strlen(said[i]);
		if (name.n > n && memcmp(name.p + name.n - n, said[i], n) == 0)
			name.n -= n;
	}
	strbuf_adds(out, "gpugate_");
	for (size_t i = 0; i < name.n; i++)
		strbuf_addch(out, name.p[i] == '.' ? '_' : name.p[i]);
	if (unit)
		strbuf_addf(out, "_%s", unit);
}

static int64_t rounded(int64_t value)
{
	uint64_t v = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	int64_t step = 1;
	for (int i = 0; i < SIGNIFICANT; i++)
		v /= 10;
	for (; v; v /= 10)
		step *= 10;
	return number_div_round(value, step) * step;
}

/* ---- labels of series ---- */

struct series_row {
	const struct metric *metric; ///< metric of the value; NULL: the value is the state of a check,
	                             ///< as a number
	const char *labels; ///< labels except workload and side; "" if there are none
	const char *side; ///< side as a label; NULL if there is only one side
	int64_t value;
	int digits; ///< number of decimals of `value`
};

struct exposition {
	const struct report *r;
	struct sink *out;
	struct arena arena;
	const char *workload; ///< workload as a label; "" if there is none
	VEC(struct series_row) rows;
};

/* A label with an untrusted name. '#' becomes '@', since GitLab takes everything after a '#' as a
   comment, even inside quotes. */
static const char *label(struct exposition *e, const char *key, const char *text)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s=\"", key);
	for (const char *p = text_short(&e->arena, span_of(text), ITEM_CHARS); *p; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_addch(&b, '\\');
		strbuf_addch(&b, *p == '#' ? '@' : *p);
	}
	strbuf_adds(&b, "\"");
	return arena_take(&e->arena, &b);
}

/* ---- families of series ---- */

static void family(struct exposition *e, const char *name, const char *type, const char *unit,
                   const char *help)
{
	sink_printf(e->out, "# TYPE %s %s\n", name, type);
	if (unit)
		sink_printf(e->out, "# UNIT %s %s\n", name, unit);
	sink_printf(e->out, "# HELP %s %s\n", name, help);
}

static void series(struct exposition *e, const char *name, const char *labels, const char *side,
                   int64_t value, int digits)
{
	const char *all[] = { e->workload, labels, side ? label(e, "side", side) : "" };
	const char *before = "{";
	char buf[NUMBER_TEXT];
	sink_puts(e->out, name);
	for (size_t i = 0; i < NR_OF(all); i++) {
		if (!*all[i])
			continue;
		sink_printf(e->out, "%s%s", before, all[i]);
		before = ",";
	}
	sink_printf(e->out, "%s %s\n", *before == ',' ? "}" : "", number_format(value, digits, buf));
}

static void write_verdict(struct exposition *e)
{
	static const enum verdict states[] = {
		VERDICT_PASS,      VERDICT_WARN,    VERDICT_FAIL,
		VERDICT_UNDECIDED, VERDICT_MISSING, VERDICT_INCONCLUSIVE
	};
	const struct report *r = e->r;
	const char *name = "gpugate_verdict";
	family(e, name, "stateset", NULL, "Verdict on the run; error where nothing could be judged.");
	for (size_t i = 0; i < NR_OF(states); i++)
		series(e, name, label(e, name, verdict_names[states[i]]), NULL,
		       !r->error && r->verdict == states[i], 0);
	series(e, name, label(e, name, "error"), NULL, r->error != NULL, 0);
}

static void write_counts(struct exposition *e)
{
	const struct report *r = e->r;
	family(e, "gpugate_checks", "gauge", NULL, "Number of checks, by verdict.");
	for (int i = 0; i < NR_VERDICTS; i++)
		if (i != VERDICT_ERROR)
			series(e, "gpugate_checks", label(e, "verdict", verdict_names[i]), NULL, r->counts[i],
			       0);
	family(e, "gpugate_same_artifact", "gauge", NULL,
	       "1 where the candidate is the baseline's own artifact: nothing was compared.");
	series(e, "gpugate_same_artifact", "", NULL, r->same_artifact, 0);
}

static void write_trust(struct exposition *e)
{
	int64_t nr[2] = { 0 };
	for (size_t i = 0; i < e->r->trust.nr; i++)
		nr[e->r->trust.v[i].candidate]++;
	family(e, "gpugate_trust_findings", "gauge", NULL,
	       "Number of findings about what was recorded, by side.");
	if (e->r->kind != REPORT_RUN)
		series(e, "gpugate_trust_findings", "", "baseline", nr[0], 0);
	series(e, "gpugate_trust_findings", "", "candidate", nr[1], 0);
}

/* ---- figures as series ---- */

static void add_side(struct exposition *e, const struct metric *m, const char *labels,
                     const char *side, bool has, int64_t value)
{
	int digits = m->id == METRIC_INPUT ? unit_digits(m->unit) : base_units[m->unit].digits;
	const struct metric *row = &metric_table[m->id];
	if (m->id == METRIC_INPUT &&
	    m->label != LABEL_INPUT) /* result files' figures are one family; a label has the name */
		labels = arena_printf(&e->arena, "%s%s%s", labels, *labels ? "," : "",
		                      label(e, "name", m->name));
	if (has)
		vec_push(&e->rows, (struct series_row){ row, labels, side,
		                                        m->exact ? value : rounded(value), digits });
}

static const int numbers[] = {
#define STATE(id, name, tone, outcome, state) [VERDICT_##id] = (state),
	VERDICTS(STATE)
#undef STATE
};

static void collect(struct exposition *e)
{
	const struct report *r = e->r;
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		const char *labels = label(e, "check", c->id);
		vec_push(&e->rows, (struct series_row){ NULL, labels, NULL, numbers[c->verdict], 0 });
		add_side(e, c->metric, labels, "baseline", c->has_baseline, c->baseline);
		add_side(e, c->metric, labels, "candidate", c->has_candidate, c->candidate);
	}
	for (size_t i = 0; i < r->figures.nr; i++) {
		const struct figure_row *f = &r->figures.v[i];
		const char *labels = *f->item ? label(e, "item", f->item) : "";
		add_side(e, f->metric, labels, "baseline", f->has_baseline, f->baseline);
		add_side(e, f->metric, labels, "candidate", f->has_candidate, f->candidate);
	}
	for (size_t i = 0; r->run && r->kind == REPORT_RUN && i < r->run->facts.nr; i++) {
		const struct fact *f = &r->run->facts.v[i];
		const struct metric *m = metric_named(span_of(f->id), &e->arena);
		if (!m)
			continue;
		struct metric own = *m;
		own.unit = m->id == METRIC_INPUT ? f->unit : m->unit;
		add_side(e, &own, "", NULL, f->has_value && f->unit == own.unit, f->value);
	}
}

/* Metrics are elements of one table, so that their addresses give their order; rows about checks
   have no metric (NULL), and come first. */
ORDERING(row_cmp, struct series_row,
         THEN(!y->metric - !x->metric) RISING(metric) BY_TEXT(labels)
             THEN(strcmp(text_or_empty(x->side), text_or_empty(y->side))) RISING(value))

/* The labels of row `i`. If rows before it have the same metric, labels and side, a label with a
   number is added: labels of different names may be equal, since they are shortened. */
static const char *numbered(struct exposition *e, size_t i)
{
	const struct series_row *v = e->rows.v;
	size_t nr = 1;
	while (nr <= i && v[i - nr].metric == v[i].metric &&
	       strcmp(v[i - nr].labels, v[i].labels) == 0 &&
	       (v[i - nr].side == v[i].side || strcmp(v[i - nr].side, v[i].side) == 0))
		nr++;
	return nr == 1 ? v[i].labels
	               : arena_printf(&e->arena, "%s%snumber=\"%zu\"", v[i].labels,
	                              *v[i].labels ? "," : "", nr);
}

static void write_rows(struct exposition *e)
{
	struct strbuf name = STRBUF_INIT;
	vec_sort(&e->rows, row_cmp);
	for (size_t i = 0; i < e->rows.nr; i++) {
		const struct series_row *row = &e->rows.v[i];
		const struct metric *m = row->metric;
		if (i == 0 || m != row[-1].metric) {
			strbuf_setlen(&name, 0);
			if (m) {
				add_family(&name, m);
				family(e, strbuf_str(&name), "gauge", base_units[m->unit].name, m->meaning);
			} else {
				strbuf_adds(&name, "gpugate_check_state");
				family(e, strbuf_str(&name), "gauge", NULL,
				       "0 pass, 1 improved, 2 skipped, 3 waived, 4 warn, 5 missing, "
				       "6 inconclusive, 7 fail, 8 undecided.");
			}
		}
		series(e, strbuf_str(&name), numbered(e, i), row->side, row->value, row->digits);
	}
	strbuf_release(&name);
}

void openmetrics_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct exposition e = { .r = r, .out = out, .arena = ARENA_INIT };
	(void)o;
	e.workload = r->workload && *r->workload ? label(&e, "workload", r->workload) : "";
	family(&e, "gpugate_exit_code", "gauge", NULL, "Exit code of the program.");
	series(&e, "gpugate_exit_code", "", NULL, status_exit_code(r->status), 0);
	if (r->kind == REPORT_CHECK)
		write_verdict(&e);
	if (!r->error) {
		if (r->kind == REPORT_CHECK)
			write_counts(&e);
		write_trust(&e);
		collect(&e);
		write_rows(&e);
	}
	sink_puts(out, "# EOF\n");
	vec_release(&e.rows);
	arena_release(&e.arena);
}
