#include <inttypes.h>

#include "base/text.h"
#include "report/diagnosis.h"
#include "report/markdown_tables.h"
#include "report/table.h"
#include "report/writers.h"

#define DEFAULT_BYTES 60000
#define LINE_CHARS 400
#define ENV_KEYS 8

static void add_code(struct strbuf *b, const char *text)
{
	md_code(b, text, MD_NAME_CHARS, false);
}

static void add_sentence(struct strbuf *b, const char *text)
{
	md_code(b, text, LINE_CHARS, false);
}

/* Unique for each workload: what had to be altered or cut carries its hash. */
static void add_marker(struct strbuf *b, const char *workload)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	const char *name = workload && *workload ? workload : "default";
	strbuf_adds(b, "<!-- gpugate:");
	size_t n = 0;
	for (; n < MD_NAME_CHARS && name[n]; n++)
		strbuf_addch(b, strchr(plain, name[n]) ? name[n] : '-');
	if (name[n] || strspn(name, plain) < n)
		strbuf_addf(b, "-%08x", text_hash32(span_of(name)));
	strbuf_adds(b, " -->\n");
}

static void add_title(struct markdown *m)
{
	struct md_section *s = md_section(&m->doc, true);
	static const char *const names[] = { [REPORT_DIFF] = "diff", [REPORT_RUN] = "report" };
	add_marker(&s->head, m->r->kind == REPORT_CHECK ? m->r->workload : names[m->r->kind]);
	if (m->r->error) {
		strbuf_adds(&s->head, "**gpugate: error:** ");
		add_sentence(&s->head, m->r->error);
	} else {
		strbuf_addf(&s->head, "**gpugate: %s**", text_or_empty(m->r->headline));
	}
	strbuf_adds(&s->head, "\n");
}

static void add_side(struct markdown *m, struct strbuf *b, const char *what, const struct side *s)
{
	strbuf_addf(b, "%s ", what);
	add_code(b, s->label);
	if (s->commit && s->commit[0]) {
		strbuf_adds(b, " at ");
		add_code(b, s->commit);
	}
	strbuf_addf(b, " (%s)", extent_of(&m->arena, s));
}

static void add_differences(struct strbuf *b, const struct report *r)
{
	size_t nr = 0;
	for (size_t i = 0; i < r->environment.nr; i++) {
		if (r->environment.v[i].match || nr++ >= ENV_KEYS)
			continue;
		strbuf_adds(b, nr == 1 ? "; environment differs: " : ", ");
		add_code(b, r->environment.v[i].key);
	}
	if (nr > ENV_KEYS)
		strbuf_addf(b, ", %zu more", nr - ENV_KEYS);
}

static void add_context(struct markdown *m)
{
	const struct report *r = m->r;
	if (!r->baseline.label || !r->candidate.label)
		return;
	struct strbuf *b = &md_section(&m->doc, true)->head;
	strbuf_adds(b, "\n");
	add_side(m, b, "baseline", &r->baseline);
	add_side(m, b, " → candidate", &r->candidate);
	if (r->candidate.gpu && r->candidate.gpu[0]) {
		strbuf_adds(b, "; ");
		add_code(b, r->candidate.gpu);
	}
	add_differences(b, r);
	if (r->rules && r->rules[0]) {
		strbuf_adds(b, "; rules ");
		add_code(b, r->rules);
	}
	if (r->profile) {
		strbuf_adds(b, ", profile ");
		add_code(b, r->profile);
	}
	strbuf_adds(b, r->partial ? "; partial (`--quick`)\n" : "\n");
	if (r->false_alarms_text && r->counts[VERDICT_FAIL]) {
		strbuf_adds(b, "\nfalse alarms: ");
		add_sentence(b, r->false_alarms_text);
		strbuf_adds(b, "\n");
	}
}

/* ---- what is said beside the figures ---- */

/* Where a check failed or warned, what is worth naming may be why. */
static void add_insights(struct markdown *m)
{
	const struct report *r = m->r;
	struct md_section *s;
	if (report_matters(r)) {
		s = md_section(&m->doc, false);
		strbuf_adds(&s->head, "\n**worth naming:**\n\n");
	} else {
		s = md_details(&m->doc, "worth naming", "");
	}
	for (size_t i = 0; i < r->insights.nr; i++) {
		const struct insight *n = &r->insights.v[i];
		struct strbuf *row = md_row(s);
		bool alone = r->kind == REPORT_RUN;
		strbuf_addf(row, "-%s", alone ? "" : n->candidate ? " candidate" : " baseline");
		if (n->rank >= 0)
			strbuf_addf(row, " rank %" PRId64, n->rank);
		strbuf_addf(row, "%s %s: ", alone && n->rank < 0 ? "" : ",", n->id);
		add_sentence(row, n->message);
		strbuf_addch(row, '\n');
	}
	md_close(&m->doc);
}

static void add_waived(struct md_section *s, const struct check *c)
{
	struct strbuf *row = md_row(s);
	strbuf_adds(row, "- waived: ");
	add_code(row, c->id);
	strbuf_adds(row, ", ");
	add_sentence(row, c->message);
	strbuf_addch(row, '\n');
}

/* Warnings, findings, waivers and why checks could not be decided. */
static void add_remarks(struct markdown *m)
{
	const struct report *r = m->r;
	struct md_section *s = md_section(&m->doc, false);
	strbuf_adds(&s->head, "\n");
	for (size_t i = 0; i < r->warnings.nr; i++) {
		struct strbuf *row = md_row(s);
		strbuf_adds(row, "- warning: ");
		add_sentence(row, r->warnings.v[i]);
		strbuf_addch(row, '\n');
	}
	for (size_t i = 0; i < m->trust.list.nr; i++) {
		const struct trust_line *line = &m->trust.list.v[i];
		struct strbuf *row = md_row(s);
		strbuf_addf(row, "- trust%s%s, %s: ", *line->whose ? "," : "", line->whose,
		            line->first->id);
		add_sentence(row, line->first->message);
		strbuf_adds(row, line->others ? TRUST_OTHERS "\n" : "\n");
	}
	for (size_t i = 0; i < m->trust.list.nr; i++) {
		const char *sum = trust_line_sum(&m->trust, &m->trust.list.v[i]);
		if (*sum)
			strbuf_addf(md_row(s), "- inconclusive: %s\n", sum);
	}
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		if (c->verdict == VERDICT_WAIVED)
			add_waived(s, c);
		if (!check_needs_reason(c))
			continue;
		struct strbuf *row = md_row(s);
		strbuf_addf(row, "- %s: ", verdict_name(c->verdict));
		add_sentence(row, c->message);
		strbuf_addch(row, '\n');
	}
	md_close(&m->doc);
}

static void add_part(struct md_section *s, const struct part *p)
{
	struct strbuf *row = md_row(s);
	strbuf_addf(row, "%*s- %s ", 2 * p->level, "", p->text);
	add_code(row, p->label);
	if (p->detail[0]) {
		strbuf_adds(row, " ");
		add_sentence(row, p->detail);
	}
	strbuf_addch(row, '\n');
}

static const char *what_went(const struct breakdown *b)
{
	if (b->metric)
		return "memory";
	return b->unit == UNIT_NS || b->unit == UNIT_NS_PER_STEP ? "time" : "change";
}

static void add_breakdowns(struct markdown *m)
{
	struct breakdown_list l;
	breakdowns_of(m->r, &l);
	for (size_t i = 0; i < l.list.nr; i++) {
		struct md_section *s = md_section(&m->doc, false);
		strbuf_addf(&s->head, "\n**where the %s went:** ", what_went(l.list.v[i]));
		add_sentence(&s->head, l.list.v[i]->title);
		strbuf_adds(&s->head, "\n\n");
		for (size_t k = 0; k < l.list.v[i]->parts.nr; k++)
			add_part(s, &l.list.v[i]->parts.v[k]);
	}
	vec_release(&l.list);
}

static void add_remark(struct strbuf *b, const char *before, const char *text)
{
	if (!text[0])
		return;
	strbuf_adds(b, before);
	add_sentence(b, text);
}

static void add_evidence(struct markdown *m)
{
	struct md_section *s = md_details(&m->doc, "evidence", "");
	if (m->r->false_alarms_text && !m->r->counts[VERDICT_FAIL]) {
		struct strbuf *row = md_row(s);
		strbuf_adds(row, "- false alarms: ");
		add_sentence(row, m->r->false_alarms_text);
		strbuf_addch(row, '\n');
	}
	for (size_t i = 0; i < m->r->checks.nr; i++) {
		const struct check *c = &m->r->checks.v[i];
		const char *runs = runs_of(&m->arena, c), *text = text_or_empty(c->evidence.text);
		if (!runs[0] && !text[0])
			continue;
		struct strbuf *row = md_row(s);
		strbuf_adds(row, "- ");
		add_code(row, c->id);
		add_remark(row, ": ", text);
		add_remark(row, text[0] ? "; " : ": ", runs);
		strbuf_addch(row, '\n');
	}
	md_close(&m->doc);
}

static void add_notes(struct markdown *m)
{
	const struct side *sides[] = { &m->r->candidate, &m->r->baseline };
	struct md_section *s = md_details(&m->doc, "notes", "");
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < sides[i]->notes.nr; k++) {
			struct strbuf *row = md_row(s);
			strbuf_addf(row, "- %s: ", i == 0 ? "candidate" : "baseline");
			const char *text = arena_dup(&m->arena, sides[i]->notes.v[k]);
			add_sentence(row, text);
			strbuf_addch(row, '\n');
		}
	md_close(&m->doc);
}

static void add_accept(struct markdown *m)
{
	if (!m->r->accept || !m->r->accept[0])
		return;
	struct strbuf *row = md_row(md_details(&m->doc, "how to accept", ""));
	md_code(row, m->r->accept, (size_t)-1, false);
	strbuf_addch(row, '\n');
}

void markdown_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct markdown m = { .r = r };
	trust_lines_init(&m.trust, r, r->kind != REPORT_RUN);
	add_title(&m);
	add_context(&m);
	bool alone = r->kind == REPORT_RUN && r->run && !r->error;
	if (alone)
		md_run_summary(&m);
	if (r->kind == REPORT_DIFF && !r->error)
		md_figures(&m);
	add_remarks(&m);
	md_failures(&m);
	add_insights(&m);
	md_recommendations(&m);
	add_breakdowns(&m);
	if (alone)
		md_run_tables(&m);
	md_kernels(&m);
	md_scaling(&m);
	md_ranks(&m);
	md_checks(&m, "memory", GROUP_MEMORY);
	md_checks(&m, "all checks", NR_GROUPS);
	add_evidence(&m);
	add_notes(&m);
	if (r->kind == REPORT_DIFF)
		md_environment(&m);
	add_accept(&m);
	md_write(&m.doc, o->max_bytes ? o->max_bytes : DEFAULT_BYTES, out);
	trust_lines_release(&m.trust);
	arena_release(&m.arena);
}
