/* Breakdown of figures of steps, devices, kernels and threads by terms that add up to them, and of
   figures of phases by other figures of the same phase. */
#include "base/number.h"
#include "diff/breakdown_internal.h"
#include "diff/terms.h"
#include "model/phases.h"

struct term_breakdown {
	const struct breakdown_input *in;
	const struct term_sum *terms;
	/* for a figure of a phase: the figures that add up to it; NULL for other figures */
	const struct phase_sum *of_phase;
	enum phase phase;
	struct parts parts;
	struct node root, *rows[TERM_ROWS];
	/* for each side, how many steps, devices, kernels or threads its amounts are sums over */
	int64_t of[NR_SIDES];
	bool unknown, several; /* `unknown`: a rank did not record the terms; `several`: a rank has
	                          several devices */
};

/* ---- terms that add up to a figure ---- */

static void take_place(struct term_breakdown *b, int side, struct term_place place, int64_t nr)
{
	__int128 value[TERM_ROWS];
	if (nr <= 0)
		return;
	if (!terms_values(b->terms, &place, value)) {
		b->unknown = true;
		return;
	}
	b->of[side] = number_add(b->of[side], nr);
	for (size_t i = 0; i < b->root.nr; i++)
		b->rows[i]->amount[side] += value[i];
}

static void take_rank(void *ctx, const struct covered_rank *r)
{
	struct term_breakdown *b = ctx;
	const struct digest *d = r->rank->digest;
	struct term_place place = { .digest = d, .unknown = INT64_MIN };
	const struct kernel_row *k;
	b->several = b->several || d->devices.nr > 1;
	switch (b->in->query->metric->label) {
	case LABEL_DEVICE:
		for (size_t i = 0; i < d->devices.nr; i++) {
			place.row = &d->devices.v[i];
			if (r->label.n == 0 || span_eq(span_of(d->devices.v[i].id), r->label))
				take_place(b, r->side, place, 1);
		}
		break;
	case LABEL_KERNEL:
		k = rank_view_kernel(r->rank, r->label);
		place.row = k ? &k->stat : NULL;
		place.ones = k ? k->stat.step_count : 0;
		take_place(b, r->side, place, place.ones > 0);
		break;
	case LABEL_THREAD:
		place.unknown = -1;
		for (size_t i = 0; i < d->threads.nr; i++) {
			place.row = &d->threads.v[i];
			if (d->threads.v[i].names == 0 && span_eq(span_of(d->threads.v[i].id), r->label)) {
				take_place(b, r->side, place, 1);
				break;
			}
		}
		break;
	default:
		take_place(b, r->side, place, step_metric_nr(d, b->in->query->metric->id));
	}
}

static struct breakdown *breakdown_by(const struct breakdown_input *in,
                                      const struct term_sum *terms)
{
	const struct breakdown_query *q = in->query;
	struct term_breakdown b = { .in = in, .terms = terms };
	if (b.terms->one_rank && !in->any_ranks && breakdown_nr_ranks(in) != 1)
		return NULL;
	b.parts = breakdown_begin(in, b.terms->by);
	for (size_t i = 0; i < TERM_ROWS && b.terms->rows[i].label; i++)
		b.rows[i] = node_add(&b.parts, &b.root, b.terms->rows[i].label);
	breakdown_each_rank(in, take_rank, &b);
	if (b.unknown) {
		parts_drop(&b.parts);
		return NULL;
	}
	for (size_t i = 0; i < b.root.nr && b.several; i++)
		if (b.terms->rows[i].flags & ROW_OF_DEVICES)
			b.rows[i]->detail = "less what several devices run at once";
	return breakdown_end(&b.parts, &b.root, q, nodes_spread(&b.root, b.of, breakdown_change(q)));
}

struct breakdown *breakdown_by_term(const struct breakdown_input *in)
{
	const struct metric *m = in->query->metric;
	const struct term_sum *terms;
	struct breakdown *out = NULL;
	for (size_t i = 0; m->need != NEED_MEMORY && !out && (terms = terms_of(m->id, i)); i++)
		out = breakdown_by(in, terms);
	return out;
}

/* ---- figures of phases: digests do not store the kernels of a phase ---- */

static void take_phase(void *ctx, const struct covered_rank *r)
{
	struct term_breakdown *b = ctx;
	const struct digest *d = r->rank->digest;
	struct phase_summary of, part;
	/* Number that the figures of a phase are divided by. Parts of the wall time are sums over the
	 * devices: their number. Else 1. */
	int64_t devices = b->of_phase->metric == METRIC_STEP_PERIOD ? terms_devices(d) : 1;
	if (devices <= 0 || !phase_summary_of(d, b->phase, b->in->query->metric, &of))
		return;
	b->of[r->side] = number_add(b->of[r->side], of.steps);
	for (size_t i = 0; i < b->root.nr; i++)
		if (phase_summary_of(d, b->phase, &metric_table[b->of_phase->terms[i]], &part))
			b->rows[i]->amount[r->side] += number_div_round(part.value[STAT_TOTAL], devices);
}

struct breakdown *breakdown_by_phase(const struct breakdown_input *in)
{
	const struct breakdown_query *q = in->query;
	struct term_breakdown b = { .in = in, .of_phase = phase_sum_of(q->metric) };
	if (!b.of_phase->terms[0])
		return NULL;
	for (int k = PHASE_FORWARD; k < NR_PHASES; k++)
		if (span_eq(q->label, span_of(phase_names[k])))
			b.phase = (enum phase)k;
	b.parts = breakdown_begin(in, "what runs in it");
	for (size_t i = 0; i < PHASE_TERMS && b.of_phase->terms[i]; i++)
		b.rows[i] = node_add(&b.parts, &b.root, metric_table[b.of_phase->terms[i]].head);
	breakdown_each_rank(in, take_phase, &b);
	return breakdown_end(&b.parts, &b.root, q, nodes_spread(&b.root, b.of, breakdown_change(q)));
}
