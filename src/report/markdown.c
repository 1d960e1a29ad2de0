#include <inttypes.h>

#include "base/text.h"
#include "report/markdown_doc.h"
#include "report/table.h"
#include "report/writers.h"

#define DEFAULT_BYTES 60000
#define LINE_CHARS 400
#define DRIFT_ROWS 25
#define ENV_KEYS 8

struct markdown {
	const struct report *r;
	struct md_document doc;
	struct arena arena;
};

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
	for (; name[n] && n < MD_NAME_CHARS; n++)
		strbuf_addch(b, strchr(plain, name[n]) ? name[n] : '-');
	if (name[n] || strspn(name, plain) < n)
		strbuf_addf(b, "-%08x", text_hash32(span_of(name)));
	strbuf_adds(b, " -->\n");
}

static void add_title(struct markdown *m)
{
	struct md_section *s = md_section(&m->doc, true);
	add_marker(&s->head, m->r->is_diff ? "diff" : m->r->workload);
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
	strbuf_adds(b, r->partial ? "; partial (`--quick`)\n" : "\n");
}

/* ---- tables ---- */

#define CHECKS_HEADER                                               \
	"| verdict | check | baseline | candidate | change | limit |\n" \
	"| --- | --- | ---: | ---: | ---: | --- |\n"

static const char *direction(const struct check *c)
{
	if (!c->has_change || c->change == 0 || c->worse == WORSE_EITHER)
		return "";
	return (c->change > 0) == (c->worse == WORSE_UP) ? ", worse" : ", better";
}

static void add_check(struct markdown *m, struct md_section *s, const struct check *c)
{
	struct strbuf *row = md_table_row(s);
	md_cell(row, verdict_name(c->verdict));
	md_code_cell(row, c->id);
	md_cell(row, c->baseline_text);
	md_cell(row, c->candidate_text);
	strbuf_adds(row, change_of(&m->arena, c->change_text, c->pct_text));
	md_cell(row, direction(c));
	md_code_cell(row, c->limit);
	md_end_row(row);
}

static void add_failures(struct markdown *m)
{
	struct md_section *s = md_section(&m->doc, true);
	strbuf_adds(&s->head, "\n" CHECKS_HEADER);
	for (size_t i = 0; i < m->r->checks.nr; i++)
		if (check_matters(&m->r->checks.v[i]))
			add_check(m, s, &m->r->checks.v[i]);
	md_close(&m->doc);
}

/* Warnings, findings and why checks could not be decided. */
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
	for (size_t i = 0; i < r->trust.nr; i++) {
		const struct finding *f = &r->trust.v[i];
		struct strbuf *row = md_row(s);
		strbuf_addf(row, "- trust, %s", f->candidate ? "candidate" : "baseline");
		if (f->rank >= 0)
			strbuf_addf(row, " rank %" PRId64, f->rank);
		strbuf_addf(row, ", %s: ", f->id);
		add_sentence(row, f->message);
		strbuf_addch(row, '\n');
	}
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		if (!check_needs_reason(r, c))
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

static void add_breakdowns(struct markdown *m)
{
	struct breakdown_list l;
	breakdowns_of(m->r, &l);
	for (size_t i = 0; i < l.list.nr; i++) {
		struct md_section *s = md_section(&m->doc, false);
		strbuf_addf(&s->head, "\n**where the %s went:** ", l.list.v[i]->metric ? "memory" : "time");
		add_sentence(&s->head, l.list.v[i]->title);
		strbuf_adds(&s->head, "\n\n");
		for (size_t k = 0; k < l.list.v[i]->parts.nr; k++)
			add_part(s, &l.list.v[i]->parts.v[k]);
	}
	vec_release(&l.list);
}

static void add_figures(struct markdown *m)
{
	struct md_section *s = md_section(&m->doc, true);
	strbuf_adds(&s->head, "\n| figure | of | baseline | candidate | change |\n"
	                      "| --- | --- | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < m->r->figures.nr; i++) {
		const struct figure_row *f = &m->r->figures.v[i];
		struct strbuf *row = md_table_row(s);
		md_cell(row, f->metric->name);
		md_code_cell(row, f->item);
		md_cell(row, f->baseline_text);
		md_cell(row, f->candidate_text);
		md_cell(row, change_of(&m->arena, f->change_text, f->pct_text));
		md_end_row(row);
	}
	md_close(&m->doc);
}

static void add_kernels(struct markdown *m)
{
	struct md_section *s =
	    md_details(&m->doc, "kernels",
	               "| drift | kernel | baseline | candidate | change | launches | "
	               "shape |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n");
	size_t nr = m->r->drift.nr < DRIFT_ROWS ? m->r->drift.nr : DRIFT_ROWS;
	s->more = m->r->drift.nr - nr;
	for (size_t i = 0; i < nr; i++) {
		const struct drift_row *k = &m->r->drift.v[i];
		struct strbuf *row = md_table_row(s);
		md_cell(row, k->drift);
		if (k->renamed_to) {
			md_code(row, k->kernel, MD_NAME_CHARS, true);
			strbuf_adds(row, " → ");
		}
		md_code_cell(row, k->renamed_to ? k->renamed_to : k->kernel);
		md_cell(row, k->baseline_text);
		md_cell(row, k->candidate_text);
		md_cell(row, k->change_text);
		md_cell(row, k->count_text);
		md_cell(row, k->shape_text);
		md_end_row(row);
	}
	md_close(&m->doc);
}

static void add_scaling(struct markdown *m)
{
	struct md_section *s = md_details(&m->doc, "largest tensors by category",
	                                  "| memory | category | baseline | candidate | ratio |\n"
	                                  "| --- | --- | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < m->r->scaling.nr; i++) {
		const struct scaling_row *k = &m->r->scaling.v[i];
		struct strbuf *row = md_table_row(s);
		md_code_cell(row, k->memory);
		md_code_cell(row, k->category);
		md_cell(row, k->baseline_text);
		md_cell(row, k->candidate_text);
		md_cell(row, k->ratio_text);
		md_end_row(row);
	}
	md_close(&m->doc);
}

static void add_checks(struct markdown *m, const char *summary, const char *group)
{
	struct md_section *s = md_details(&m->doc, summary, CHECKS_HEADER);
	for (size_t i = 0; i < m->r->checks.nr; i++)
		if (!group || strcmp(m->r->checks.v[i].group, group) == 0)
			add_check(m, s, &m->r->checks.v[i]);
	md_close(&m->doc);
}

static void add_environment(struct markdown *m)
{
	struct md_section *s = md_details(&m->doc, "environment",
	                                  "| | key | baseline | candidate |\n"
	                                  "| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < m->r->environment.nr; i++) {
		const struct env_row *e = &m->r->environment.v[i];
		struct strbuf *row = md_table_row(s);
		md_cell(row, e->match ? "same" : "differs");
		md_code_cell(row, e->key);
		md_code_cell(row, e->baseline);
		md_code_cell(row, e->candidate);
		md_end_row(row);
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
	add_title(&m);
	add_context(&m);
	if (r->is_diff && !r->error)
		add_figures(&m);
	add_failures(&m);
	add_remarks(&m);
	add_breakdowns(&m);
	add_kernels(&m);
	add_scaling(&m);
	add_checks(&m, "memory", "memory");
	add_checks(&m, "all checks", NULL);
	if (r->is_diff)
		add_environment(&m);
	add_accept(&m);
	md_write(&m.doc, o->max_bytes ? o->max_bytes : DEFAULT_BYTES, out);
	arena_release(&m.arena);
}
