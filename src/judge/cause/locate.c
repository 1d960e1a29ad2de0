/* Finds where in the code a rise of GPU work or of waiting comes from: the phase, module, place and
 * operator that have most of it. If no phase (module, …) has most of the rise, none is named. */
#include <inttypes.h>

#include "base/text.h"
#include "cause/suspect.h"
#include "model/phase.h"

/* The rows of both sides' code tables with one phase, module, place and operator, summed up. */
struct spot {
	/* one of these rows: a row of the candidate if there is any, since only the candidate has the
	 * line numbers of the new code */
	const struct code_stat *row;
	double amount[NR_SIDES]; /* time in ns, or number of launches, per step */
};

struct spots {
	VEC(struct spot) list;
};

static struct spot *spot_of(struct spots *s, const struct code_stat *row)
{
	for (size_t i = 0; i < s->list.nr; i++) {
		const struct code_stat *x = s->list.v[i].row;
		if (x->phase != row->phase || !span_eq(x->module, row->module) ||
		    !span_eq(x->place, row->place) || !span_eq(x->op, row->op))
			continue;
		s->list.v[i].row = row;
		return &s->list.v[i];
	}
	struct spot *out = vec_push_zero(&s->list);
	out->row = row;
	return out;
}

static void collect(struct inquiry *q, const struct locate_query *what, enum side_index side,
                    struct spots *out)
{
	const struct run *run = q->bench->run[side];
	int64_t steps = 0;
	for (size_t r = 0; r < run->ranks.nr; r++)
		if (rank_scope_has(q->scope, run->ranks.v[r]->rank))
			steps = number_add(steps, run->ranks.v[r]->usable_steps);
	for (size_t r = 0; r < run->ranks.nr && steps > 0; r++) {
		const struct digest *d = run->ranks.v[r];
		for (size_t i = 0; i < d->code.nr && rank_scope_has(q->scope, d->rank); i++) {
			const struct code_stat *c = &d->code.v[i];
			if (c->kind != what->kind || c->names ||
			    (what->kernel[side] && c->kernel != what->kernel[side]))
				continue;
			spot_of(out, c)->amount[side] +=
			    (double)(what->by_count ? c->count : c->total_ns) / (double)steps;
		}
	}
}

/* ---- kinds of places of an origin: phase, module, place, operator ---- */

/* The name of an origin's place of a kind; NULL if it is unknown. */
static const char *name_at(struct inquiry *q, enum place_kind kind, const struct code_stat *c)
{
	struct span last = code_path_last(kind == PLACE_MODULE ? c->module : c->op);
	if (kind == PLACE_PHASE)
		return c->phase == PHASE_ALL ? NULL : phase_names[c->phase];
	if (kind != PLACE_CODE)
		return last.n ? text_line(q->a, last) : NULL;
	if (!c->place.n)
		return NULL;
	const char *place = text_line(q->a, c->place);
	return c->line > 0 ? arena_printf(q->a, "%s, line %" PRId64, place, c->line) : place;
}

static bool is_called(struct inquiry *q, const struct spot *x, enum place_kind kind,
                      const char *name)
{
	const char *other = name_at(q, kind, x->row);
	return other && strcmp(other, name) == 0;
}

static double spot_rise(const struct spot *x)
{
	return x->amount[SIDE_CANDIDATE] - x->amount[SIDE_BASELINE];
}

/* The name of a place of a kind (such as an operator) that has at least 60 % of the rise, or NULL.
 */
static const char *main_name(struct inquiry *q, const struct spots *s, enum place_kind kind,
                             double rise)
{
	const char *best = NULL;
	double most = rise * 0.6;
	for (size_t i = 0; i < s->list.nr; i++) {
		const char *name = name_at(q, kind, s->list.v[i].row);
		double part = 0;
		for (size_t k = 0; name && name != best && k < s->list.nr; k++)
			part += is_called(q, &s->list.v[k], kind, name) ? spot_rise(&s->list.v[k]) : 0;
		if (part >= most && part > 0) {
			best = name;
			most = part;
		}
	}
	return best;
}

void suspect_locate(struct inquiry *q, struct suspect *s, const struct locate_query *what)
{
	/* with this many spots or more, nothing is searched: hardly any name would have most of the
	   rise */
	enum { MANY = 400 };
	static const enum place_kind kinds[] = { PLACE_PHASE, PLACE_MODULE, PLACE_CODE,
		                                     PLACE_OPERATOR };
	struct spots spots = { 0 };
	double rise = 0;
	for (int side = 0; side < NR_SIDES; side++)
		collect(q, what, (enum side_index)side, &spots);
	for (size_t i = 0; i < spots.list.nr; i++)
		rise += spot_rise(&spots.list.v[i]);
	for (size_t k = 0; k < NR_OF(kinds) && rise > 0 && spots.list.nr < MANY; k++) {
		const char *name = main_name(q, &spots, kinds[k], rise);
		if (!name)
			continue;
		suspect_where(q, s, kinds[k], span_of(name));
		size_t nr = 0;
		for (size_t i = 0; i < spots.list.nr; i++)
			if (is_called(q, &spots.list.v[i], kinds[k], name))
				spots.list.v[nr++] = spots.list.v[i];
		spots.list.nr = nr;
		if (kinds[k] == PLACE_CODE && spots.list.nr)
			s->finding.where.v[s->finding.where.nr - 1].at =
			    source_line_of(q->a, spots.list.v[0].row->place, spots.list.v[0].row->line);
	}
	const struct spot *most = NULL;
	for (size_t i = 0; i < spots.list.nr && rise > 0; i++)
		if (!most || spot_rise(&spots.list.v[i]) > spot_rise(most))
			most = &spots.list.v[i];
	s->code = most ? most->row : NULL;
	vec_release(&spots.list);
}

/* ---- places of several kernels that share one finding ---- */

/* Add the place `p` to `s`, before the places of inner kinds, unless `s` has it already. */
static void add_beside(struct suspect *s, struct place p)
{
	struct finding *f = &s->finding;
	if (suspect_has_place(s, p.kind, p.name))
		return;
	vec_push(&f->where, p);
	for (size_t i = f->where.nr - 1;
	     i && f->where.v[i - 1].kind > p.kind && f->where.v[i - 1].kind <= PLACE_KERNEL; i--) {
		f->where.v[i] = f->where.v[i - 1];
		f->where.v[i - 1] = p;
	}
}

/* The first place of the suspect that has this kind, or NULL. */
static const struct place *place_of(const struct suspect *s, enum place_kind kind)
{
	return FIND(i, s->finding.where.v, s->finding.where.nr, s->finding.where.v[i].kind == kind);
}

void suspect_share_place(struct suspect *s, const struct suspect *other)
{
	const struct place *module = place_of(other, PLACE_MODULE);
	bool phased = place_of(s, PLACE_PHASE) && place_of(other, PLACE_PHASE);
	bool same = module && suspect_has_place(s, module->kind, module->name);
	size_t nr = 0;
	for (size_t i = 0; i < s->finding.where.nr; i++) {
		const struct place *p = &s->finding.where.v[i];
		if ((p->kind != PLACE_PHASE || phased) && (p->kind != PLACE_MODULE || same))
			s->finding.where.v[nr++] = *p;
	}
	s->finding.where.nr = nr;
	for (size_t i = 0; i < other->finding.where.nr; i++) {
		const struct place *o = &other->finding.where.v[i];
		if (o->kind != PLACE_MODULE && (o->kind != PLACE_PHASE || phased))
			add_beside(s, *o);
	}
}
