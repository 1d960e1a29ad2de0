#include "merge/cycles.h"

#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/intern.h"
#include "base/number.h"
#include "model/rows.h"

/* ---- whether two traces of a rank can be joined ---- */

static bool disjoint(const struct digest *a, const struct digest *b)
{
	size_t nr = a->nr_steps + b->nr_steps;
	int64_t *all = mem_calloc(nr, sizeof *all);
	memcpy(all, a->step_numbers, a->nr_steps * sizeof *all);
	memcpy(all + a->nr_steps, b->step_numbers, b->nr_steps * sizeof *all);
	sort_plain(all, nr, sizeof *all, number_cmp_i64);
	bool distinct = ALL(i, nr - 1, all[i] != all[i + 1]);
	free(all);
	return distinct;
}

static bool same_environment(const struct digest *a, const struct digest *b)
{
	for (size_t i = 0; i < a->env.nr; i++) {
		const char *other = digest_env(b, a->env.v[i].key);
		if (other && strcmp(other, a->env.v[i].value) != 0)
			return false;
	}
	return true;
}

const char *cycles_fault(const struct digest *a, const struct digest *b)
{
	if (a->window || b->window || a->nr_steps == 0 || b->nr_steps == 0)
		return "one of them has no measured steps";
	if (!disjoint(a, b))
		return "they have steps with the same number";
	if (strcmp(a->marker, b->marker) != 0 || strcmp(a->communication, b->communication) != 0 ||
	    a->warmup != b->warmup)
		return "they were reduced with other settings (marker, warm-up or categories)";
	if (a->period_count || b->period_count)
		return "their steps are known only by the period of launches";
	if (a->world_size != b->world_size || !same_environment(a, b))
		return "their environments differ";
	return NULL;
}

/* ---- joining of steps and collectives ---- */

/// A step of one of the two digests that are joined.
struct step_place {
	const struct digest *of;
	size_t at;
	bool cut; ///< true if the step is cut short
};

ORDERING(step_cmp, struct step_place,
         RISING(cut) THEN(COMPARE(x->of->step_numbers[x->at], y->of->step_numbers[y->at])))

static void point_collectives(struct digest *of, const int64_t *step)
{
	for (size_t i = 0; i < of->collectives.nr; i++)
		of->collectives.v[i].step = step[of->collectives.v[i].step];
}

/* Allocates the figures of phases of the joined digest `d`. If only one of the digests has phases
 * within steps, the result has no such phases, since all work of the other digest would count as
 * outside of phases. If both have them, a phase that only one of them has is 0 in the steps of the
 * other. */
static void join_phases(struct digest *d, const struct digest *own, const struct digest *next)
{
	bool both = own->phases[PHASE_FORWARD][0] && next->phases[PHASE_FORWARD][0];
	for (int p = PHASE_FORWARD; p < NR_INNER_PHASES; p++)
		for (int c = 0; c < NR_PHASE_COLUMNS; c++)
			d->phases[p][c] = both && (own->phases[p][c] || next->phases[p][c])
			                      ? arena_alloc(&d->arena, d->nr_steps, sizeof *d->phases[p][c])
			                      : NULL;
	if (own->step_phases || next->step_phases)
		d->step_phases = arena_alloc(&d->arena, d->nr_steps, sizeof *d->step_phases);
}

/* Copies the figures of phases in step `at` of a cycle to step `i` of the joined digest. */
static void take_phases(struct digest *d, size_t i, const struct digest *of, size_t at)
{
	for (int p = PHASE_FORWARD; p < NR_INNER_PHASES; p++)
		for (int c = 0; c < NR_PHASE_COLUMNS; c++)
			if (d->phases[p][c] && of->phases[p][c])
				d->phases[p][c][i] = of->phases[p][c][at];
	if (of->step_phases)
		d->step_phases[i] = of->step_phases[at];
}

/* Merges the steps of both cycles in order of number. The step indices of collectives are changed
   to the new order. */
static void join_steps(struct digest *d, struct digest *next)
{
	struct digest own = *d;
	VEC(struct step_place) places = VEC_INIT;
	for (size_t i = 0; i < own.nr_steps; i++)
		vec_push(&places, (struct step_place){ &own, i, (int64_t)i >= own.usable_steps });
	for (size_t i = 0; i < next->nr_steps; i++)
		vec_push(&places, (struct step_place){ next, i, (int64_t)i >= next->usable_steps });
	vec_sort(&places, step_cmp);
	int64_t *to_own = mem_calloc(own.nr_steps, sizeof *to_own);
	int64_t *to_next = mem_calloc(next->nr_steps, sizeof *to_next);
	digest_set_steps(d, places.nr);
	for (size_t m = 0; m < NR_STEP_METRICS; m++)
		if (!own.samples[m] || !next->samples[m])
			d->samples[m] = NULL;
	join_phases(d, &own, next);
	for (size_t i = 0; i < places.nr; i++) {
		const struct digest *of = places.v[i].of;
		size_t at = places.v[i].at;
		(of == next ? to_next : to_own)[at] = (int64_t)i;
		d->step_numbers[i] = of->step_numbers[at];
		d->step_activities[i] = of->step_activities[at];
		for (size_t m = 0; m < NR_STEP_METRICS; m++)
			if (d->samples[m])
				d->samples[m][i] = of->samples[m][at];
		take_phases(d, i, of, at);
	}
	d->usable_steps += next->usable_steps;
	point_collectives(d, to_own);
	point_collectives(next, to_next);
	free(to_own);
	free(to_next);
	vec_release(&places);
}

ORDERING(collective_cmp, struct collective, RISING(start_ns))

/* Changes the indices `comm` of collectives from rows of the old list `was` to the same rows in the
 * joined list d->comms. */
static void point_comms(const struct digest *d, struct digest *of, const struct comm_stat *was)
{
	for (size_t i = 0; i < of->collectives.nr; i++) {
		struct collective *c = &of->collectives.v[i];
		const struct comm_stat *found =
		    bsearch(&was[c->comm], d->comms.v, d->comms.nr, sizeof *d->comms.v, comm_stat_cmp);
		c->comm = found - d->comms.v;
	}
}

/* Number of collectives at the beginning of the joined list among which none of this cycle is
 * missing. The cycle's own list may be cut off after the collective that starts at `last_ns`. */
static size_t end_of_kept(const struct digest *d, const struct digest *cycle, int64_t last_ns)
{
	size_t nr = d->collectives.nr;
	while (cycle->collectives_cut && nr && d->collectives.v[nr - 1].start_ns > last_ns)
		nr--;
	return nr;
}

static void join_row(const struct schema *s, void *row, const void *more)
{
	row_add(s, ROWS_OF_CYCLES, row, more);
}

static void join_comms(struct digest *d, struct digest *next)
{
	int64_t start = d->start_ns < next->start_ns ? d->start_ns : next->start_ns, last[2] = { 0 };
	struct comm_stat *was = mem_calloc(d->comms.nr, sizeof *was);
	struct digest *both[] = { d, next };
	if (d->comms.nr)
		memcpy(was, d->comms.v, d->comms.nr * sizeof *was);
	rows_join(&comm_stat_row, &d->comms, &next->comms, join_row);
	point_comms(d, d, was);
	point_comms(d, next, next->comms.v);
	free(was);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->collectives.nr; i++) {
			struct collective *c = &both[k]->collectives.v[i];
			c->start_ns = last[k] = number_add(c->start_ns, both[k]->start_ns - start);
		}
	vec_move(&d->collectives, &next->collectives);
	vec_sort(&d->collectives, collective_cmp);
	size_t all = d->collectives.nr, kept = COLLECTIVES_KEPT;
	for (size_t k = 0; k < 2; k++) {
		size_t end = end_of_kept(d, both[k], last[k]);
		kept = end < kept ? end : kept;
	}
	d->collectives.nr = kept;
	d->collectives_cut += next->collectives_cut + (int64_t)(all - kept);
	d->start_ns = start;
}

/* ---- joining of functions ---- */

/* A function of the joined list; Python functions form a tree. */
struct node {
	struct function_stat f;
	struct node *parent;
	size_t depth;
	uint32_t id; ///< id of the function's call path
	int64_t at; ///< index of the function in the joined list
};
struct nodes {
	struct node **v; ///< nodes; before they are sorted, the index of a node is its `id`
	size_t nr, cap;
	struct name_table names;
	struct idmap ids; ///< ids of call paths; a path is the pair of the caller's path and a name
};

/* Orders two nodes by class and by the names on their call paths; a caller is before its
   callees. */
static int node_cmp(const void *a, const void *b)
{
	const struct node *first = *(struct node *const *)a, *second = *(struct node *const *)b;
	const struct node *x = first, *y = second;
	while (x->depth > y->depth)
		x = x->parent;
	while (y->depth > x->depth)
		y = y->parent;
	if (x == y)
		return COMPARE(first->depth, second->depth);
	while (x->parent != y->parent) {
		x = x->parent;
		y = y->parent;
	}
	return row_cmp(&function_stat_row, &x->f, &y->f);
}

/* Id of the call path of a function called by `caller`. */
static uint32_t path_id(struct nodes *all, const struct node *caller, const struct function_stat *f)
{
	const struct name *nm = name_intern(&all->names, f->name);
	/* if the table of names is full, all further names share one id */
	uint32_t name = nm ? nm->id + 1 : 0;
	name = name << 4 | (uint32_t)(f->names > 0) << 3 | (uint32_t)f->cls;
	return idmap_add(&all->ids, idmap_pair(caller ? caller->id : NO_ID, name));
}

/* Adds the functions of `from` to the tree, as new nodes or into existing ones. In `from`, callers
   must come before their callees. */
static void add_functions(struct nodes *all, const struct digest *from)
{
	struct node **made = mem_calloc(from->functions.nr, sizeof(*made));
	for (size_t i = 0; i < from->functions.nr; i++) {
		const struct function_stat *f = &from->functions.v[i];
		struct node *parent = f->parent < 0 ? NULL : made[f->parent];
		uint32_t id = path_id(all, parent, f);
		if (id < all->nr) {
			row_add(&function_stat_row, ROWS_OF_CYCLES, &all->v[id]->f, f);
		} else {
			struct node *n = mem_calloc(1, sizeof *n);
			*n = (struct node){ *f, parent, parent ? parent->depth + 1 : 0, id, 0 };
			vec_push(all, n);
		}
		made[i] = all->v[id];
	}
	free(made);
}

static void join_functions(struct digest *d, const struct digest *next)
{
	struct nodes all = { 0 };
	name_table_init(&all.names);
	idmap_init(&all.ids);
	add_functions(&all, d);
	add_functions(&all, next);
	idmap_release(&all.ids);
	name_table_release(&all.names);
	vec_sort(&all, node_cmp);
	d->functions.nr = 0;
	for (size_t i = 0; i < all.nr; i++) {
		all.v[i]->at = (int64_t)i;
		all.v[i]->f.parent = all.v[i]->parent ? all.v[i]->parent->at : -1;
		vec_push(&d->functions, all.v[i]->f);
	}
	for (size_t i = 0; i < all.nr; i++)
		free(all.v[i]);
	vec_release(&all);
}

/* ---- joining of whole digests ---- */

static void join_env(struct digest *d, const struct digest *from)
{
	for (size_t i = 0; i < from->env.nr; i++)
		if (!digest_env(d, from->env.v[i].key))
			digest_set_env(d, span_of(from->env.v[i].key), span_of(from->env.v[i].value));
}

/* Joins the digest `y`, which must begin with a later step, into the digest `x`. `y` stays alive
   as long as `x`, since rows of `x` use its names. */
static void join_cycle(struct digest *x, struct digest *y)
{
	join_env(x, y);
	row_add(&trust_counts_row, ROWS_OF_CYCLES, &x->trust, &y->trust);
	row_add(&progress_row, ROWS_OF_CYCLES, &x->progress, &y->progress);
	join_steps(x, y);
	join_comms(x, y);
	join_functions(x, y);
	/* counts of operations that only one cycle has are dropped: they lack the other cycle's
	   steps */
	if (!x->flops.nr || !y->flops.nr)
		x->flops.nr = y->flops.nr = 0;
	for (size_t i = 0; i < nr_digest_lists; i++) {
		const struct digest_list *l = &digest_lists[i];
		if (l->joined)
			rows_join(l->row, (char *)x + l->offset, (char *)y + l->offset, join_row);
	}
	x->phase_known = x->phase_known || y->phase_known;
	x->events = number_add(x->events, y->events);
	x->total_steps = number_add(x->total_steps, y->total_steps);
	x->window_ns = number_add(x->window_ns, y->window_ns);
	/* ATTRIBUTION_TIMESTAMP is the largest value: the joined digest has this value if any cycle has
	 * it */
	if (y->attribution > x->attribution)
		x->attribution = y->attribution;
	if (x->device_memory != y->device_memory)
		x->device_memory = MEMORY_UNKNOWN;
	x->trace = arena_printf(&x->arena, "%s, %s", x->trace, y->trace);
	x->source_hash = number_hash(x->source_hash, y->source_hash);
	digest_own(x, y);
}

static void join_inputs(struct digest *d, const struct digest *from)
{
	if (!from->metrics_file)
		return;
	d->metrics_file = d->metrics_file
	                      ? arena_printf(&d->arena, "%s, %s", d->metrics_file, from->metrics_file)
	                      : from->metrics_file;
	rows_join(&input_stat_row, &d->inputs, &from->inputs, join_row);
	rows_join(&machine_stat_row, &d->machines, &from->machines, join_row);
}

static void keep_metrics(struct digest *d, struct digest *metrics)
{
	d->source_hash = number_hash(d->source_hash, metrics->source_hash);
	digest_own(d, metrics);
}

ORDERING_POINTERS(by_artifact, struct digest, THEN(run_digest_cmp(x, y)))

/* Moves figures of the whole run, as of result files, to the digest of the first rank. */
static void place_run_wide(struct run *run)
{
	size_t nr = 0;
	while (nr < run->ranks.nr && run->ranks.v[nr]->rank < 0)
		nr++;
	for (size_t i = 0; i < nr; i++)
		run->ranks.v[i]->rank = nr < run->ranks.nr ? run->ranks.v[nr]->rank : 0;
	if (nr)
		vec_sort(&run->ranks, by_artifact);
}

void run_join(struct run *run)
{
	place_run_wide(run);
	size_t nr = 0;
	for (size_t i = 0; i < run->ranks.nr; i++) {
		struct digest *d = run->ranks.v[i], *whole = nr ? run->ranks.v[nr - 1] : NULL;
		if (!whole || whole->rank != d->rank) {
			run->ranks.v[nr++] = d;
		} else if (digest_has_trace(d)) {
			join_inputs(whole, d);
			join_cycle(whole, d);
		} else {
			join_env(whole, d);
			join_inputs(whole, d);
			d->snapshot ? digest_join(whole, d) : keep_metrics(whole, d);
		}
	}
	run->ranks.nr = nr;
}
