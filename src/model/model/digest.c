#include "model/digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/period.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "model/category.h"
#include "model/fold.h"
#include "model/memory_view.h"
#include "model/rows.h"

const char *const event_gpu_names[] = { "kernel", "memcpy", "memset", NULL };
const char *const call_kind_names[] = { CALL_KINDS(ENUM_WORD) NULL };
const char *const attribution_names[] = { "none", "launch", "timestamp", NULL };
const char *const memory_source_names[] = { "trace", "snapshot", "xprof", "timeline", NULL };
const char *const collective_names[] = { COLLECTIVE_KINDS(ENUM_WORD) NULL };
const char *const function_class_names[] = { FUNCTION_CLASSES(ENUM_WORD) NULL };

const char *const phase_names[] = { ALL_PHASES(ENUM_WORD) NULL };

struct digest *digest_new(void)
{
	struct digest *d = mem_calloc(1, sizeof *d);
	d->world_size = -1;
	d->device_memory = MEMORY_UNKNOWN;
	d->progress.step = -1;
	return d;
}

/* Releases one list of a digest. VEC(char) is used for any VEC, since all consist of a pointer and
   two sizes. */
static void free_list(struct digest *d, const struct digest_list *l)
{
	VEC(char) list;
	memcpy(&list, (char *)d + l->offset, sizeof list);
	vec_release(&list);
	memcpy((char *)d + l->offset, &list, sizeof list);
}

static void free_one(struct digest *d)
{
	for (size_t i = 0; i < nr_digest_lists; i++)
		free_list(d, &digest_lists[i]);
	fold_free(d->fold);
	vec_release(&d->step.rows);
	vec_release(&d->step.around);
	vec_release(&d->step.launches);
	arena_release(&d->arena);
	free(d);
}

void digest_forget(struct digest *d)
{
	for (size_t i = 0; i < nr_digest_lists; i++)
		if (digest_lists[i].row != &env_entry_row && digest_lists[i].row != &input_stat_row)
			free_list(d, &digest_lists[i]);
}

void digest_free(struct digest *d)
{
	for (struct digest *next; d; d = next) {
		next = d->joined;
		free_one(d);
	}
}

void digest_own(struct digest *d, struct digest *other)
{
	struct digest *last = other;
	while (last->joined)
		last = last->joined;
	last->joined = d->joined;
	d->joined = other;
}

void digest_set_steps(struct digest *d, size_t nr)
{
	d->nr_steps = nr;
	d->step_numbers = arena_alloc(&d->arena, nr, sizeof *d->step_numbers);
	d->step_activities = arena_alloc(&d->arena, nr, sizeof *d->step_activities);
	for (size_t m = 0; m < NR_STEP_METRICS; m++)
		d->samples[m] = arena_alloc(&d->arena, nr, sizeof *d->samples[m]);
}

static int env_key_cmp(const void *key, const void *entry)
{
	return span_cmp(*(const struct span *)key, span_of(((const struct env_entry *)entry)->key));
}

/* Index of the entry with `key`, or the index at which it would be inserted. */
static size_t env_place(const struct digest *d, struct span key, bool *found)
{
	size_t i = lower_bound(d->env.v, d->env.nr, sizeof *d->env.v, &key, env_key_cmp);
	*found = i < d->env.nr && env_key_cmp(&key, &d->env.v[i]) == 0;
	return i;
}

const char *digest_env(const struct digest *d, const char *key)
{
	bool found;
	size_t i = env_place(d, span_of(key), &found);
	return found ? d->env.v[i].value : NULL;
}

const char *run_env(const struct run *run, const char *key)
{
	const char *value = NULL;
	for (size_t i = 0; i < run->ranks.nr && !value; i++)
		value = digest_env(run->ranks.v[i], key);
	return value;
}

void digest_set_env(struct digest *d, struct span key, struct span value)
{
	bool found;
	size_t i = env_place(d, key, &found);
	const char *text = arena_dup(&d->arena, value);
	if (found) {
		d->env.v[i].value = text;
		return;
	}
	vec_reserve(&d->env, 1);
	memmove(d->env.v + i + 1, d->env.v + i, (d->env.nr - i) * sizeof *d->env.v);
	d->env.v[i] = (struct env_entry){ arena_dup(&d->arena, key), text };
	d->env.nr++;
}

/* Moves a list from the digest `from` to the digest `to`, whose own list is dropped. */
#define TAKE(to, from)      \
	do {                    \
		(to)->nr = 0;       \
		vec_move(to, from); \
		vec_release(from);  \
	} while (0)

/* Copies from the trace's digest `d` into `snapshot` data that a snapshot lacks: operators at the
 * peak and, if `snapshot` is the record of another profiler, memories that the record lacks. */
static void keep_of_trace(const struct digest *d, struct digest *snapshot)
{
	size_t k = 0, nr = snapshot->memories.nr;
	bool record = nr && snapshot->memories.v[0].source != MEMORY_OF_SNAPSHOT;
	for (size_t i = 0; i < d->memories.nr; i++) {
		const struct memory_stat *m = &d->memories.v[i];
		while (k < nr && strcmp(snapshot->memories.v[k].id, m->id) < 0)
			k++;
		if (k == nr || strcmp(snapshot->memories.v[k].id, m->id) != 0) {
			if (record)
				vec_push(&snapshot->memories, *m);
			continue;
		}
		snapshot->memories.v[k].peak_op = m->peak_op;
		snapshot->memories.v[k].peak_dims = m->peak_dims;
		snapshot->memories.v[k].peak_types = m->peak_types;
	}
	vec_sort(&snapshot->memories, text_cmp);
}

void digest_join(struct digest *d, struct digest *snapshot)
{
	struct trust_counts *t = &d->trust;
	digest_own(d, snapshot);
	d->snapshot = snapshot->snapshot;
	keep_of_trace(d, snapshot);
	TAKE(&d->trace_memories, &d->memories);
	TAKE(&d->memories, &snapshot->memories);
	TAKE(&d->memory_items, &snapshot->memory_items);
	TAKE(&d->memory_levels, &snapshot->memory_levels);
	TAKE(&d->memory_evidence, &snapshot->memory_evidence);
	for (size_t i = 0; i < d->memories.nr; i++)
		if (d->memories.v[i].capacity == MEMORY_UNKNOWN &&
		    !memory_is_host(span_of(d->memories.v[i].id)))
			d->memories.v[i].capacity = d->device_memory;
	if (!t->json_faults)
		t->fault_byte = snapshot->trust.fault_byte;
	t->json_faults = number_add(t->json_faults, snapshot->trust.json_faults);
	d->source_hash = number_hash(d->source_hash, snapshot->source_hash);
}

#define ORDER(type)                              \
	int type##_cmp(const void *a, const void *b) \
	{                                            \
		return row_cmp(&type##_row, a, b);       \
	}
ORDER(kernel_stat)
ORDER(op_stat)
ORDER(call_stat)
ORDER(flop_stat)
ORDER(comm_stat)
ORDER(counter_stat)

/* How often the host both freed and allocated memory of the device in the complete measured steps:
 * the smaller of the two numbers of calls. `*ns` becomes the duration of all these calls. */
static int64_t memory_calls(const struct digest *d, int64_t *ns)
{
	int64_t count[2] = { 0 }; /* number of allocations, number of frees */
	*ns = 0;
	for (size_t i = 0; i < d->calls.nr; i++) {
		const struct call_stat *c = &d->calls.v[i];
		if (c->kind != CALL_MEMORY)
			continue;
		int64_t *of = &count[memmem(c->name.p, c->name.n, "Free", 4) != NULL];
		*of = number_add(*of, c->count);
		*ns = number_add(*ns, c->total_ns);
	}
	return count[0] < count[1] ? count[0] : count[1];
}

int64_t run_memory_calls(const struct run *run, int64_t *ns)
{
	int64_t most = *ns = 0, took;
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		int64_t nr = memory_calls(d, &took), steps = (int64_t)d->usable_steps;
		nr = steps > 1 ? number_div_round((__int128)nr * MICRO, steps) : 0;
		if (d->window || nr <= most)
			continue;
		most = nr;
		*ns = took / steps;
	}
	return most;
}

bool digest_has_trace(const struct digest *d)
{
	return d->trace || (!d->snapshot && !d->metrics_file);
}

bool run_is_recorded(const struct run *run)
{
	return ANY(i, run->ranks.nr, digest_has_trace(run->ranks.v[i]) || run->ranks.v[i]->memories.nr);
}

enum artifact_kind { KIND_TRACE, KIND_SNAPSHOT, KIND_METRICS };

static enum artifact_kind kind_of(const struct digest *d)
{
	return digest_has_trace(d) ? KIND_TRACE : d->snapshot ? KIND_SNAPSHOT : KIND_METRICS;
}

const char *digest_steps_by(const struct digest *d)
{
	return d->window ? "window" : d->period_count ? "period" : d->total_steps ? "marker" : NULL;
}

const char *digest_unmarked_text(const struct digest *d, struct arena *a)
{
	static const char whole[] = "no steps: figures are those of the whole trace";
	const char *by = arena_printf(a, "regularity %s", unit_text(a, UNIT_PCT, d->period_regularity));
	if (!d->window && !d->period_count)
		return NULL;
	if (!d->window)
		return arena_printf(a,
		                    "steps: recognized from the period of launches: %" PRId64 " × %" PRId64
		                    " launches, %s",
		                    d->period_count, d->period_launches, by);
	if (d->proposed_marker) {
		const char *marker = text_line(a, span_of(d->proposed_marker));
		return arena_printf(a,
		                    "%s; its annotations '%s' would make %" PRId64
		                    " step%s: measure them with --marker '%s'",
		                    whole, marker, d->proposed_steps, text_s(d->proposed_steps), marker);
	}
	if (d->period_count)
		return arena_printf(a,
		                    "%s; its launches repeat %" PRId64 " times, %s: measure them as steps "
		                    "with 'steps: {unmarked: period}' in the rules",
		                    whole, d->period_count, by);
	if (!d->unmarked)
		return whole;
	/* period_regularity is 0 if no period could be judged, or if one launch begins several
	 * repetitions */
	return d->period_regularity
	           ? arena_printf(a, "%s, as its launches have no period: %s, needed %" PRId64 " %%",
	                          whole, by, PERIOD_NEEDED / MICRO)
	           : arena_printf(a, "%s, as its launches have no period", whole);
}

/* Compares result files by the names of their first figures, then by the ids of their first GPUs: a
 * file with the state of GPUs has no figures. */
static int metrics_cmp(const struct digest *a, const struct digest *b)
{
	int c =
	    strcmp(a->inputs.nr ? a->inputs.v[0].name : "", b->inputs.nr ? b->inputs.v[0].name : "");
	return c ? c
	         : strcmp(a->machines.nr ? a->machines.v[0].id : "",
	                  b->machines.nr ? b->machines.v[0].id : "");
}

int run_digest_cmp(const struct digest *a, const struct digest *b)
{
	int64_t x = a->nr_steps ? a->step_numbers[0] : -1, y = b->nr_steps ? b->step_numbers[0] : -1;
	ORDER_BY(a->rank, b->rank);
	ORDER_BY(kind_of(a), kind_of(b));
	if (kind_of(a) == KIND_METRICS)
		return metrics_cmp(a, b);
	return COMPARE(x, y);
}

bool run_has_window(const struct run *run)
{
	return ANY(i, run->ranks.nr, run->ranks.v[i]->window);
}

size_t run_find(const struct run *run, int64_t rank)
{
	size_t lo = 0, hi = run->ranks.nr;
	SEARCH(lo, hi, i, run->ranks.v[i]->rank < rank);
	return lo < run->ranks.nr && run->ranks.v[lo]->rank == rank ? lo : run->ranks.nr;
}

void run_release(struct run *run)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		digest_free(run->ranks.v[i]);
	digest_free(run->folded);
	vec_release(&run->ranks);
	vec_release(&run->ignored);
	arena_release(&run->arena);
	*run = (struct run){ 0 };
}

uint64_t kernel_key(struct kernel_stat *k)
{
	if (!k->key)
		k->key = code_kernel_key(k->name);
	return k->key;
}

bool kernel_communicates(const struct digest *d, struct kernel_stat *k)
{
	if (k->kind != EVENT_KERNEL || k->names)
		return false;
	if (!k->communicates)
		k->communicates = category_matches_any(d->communication, k->name) ? 1 : -1;
	return k->communicates > 0;
}

void digest_narrow(struct digest *d)
{
	TAKE(&d->kernels, &d->phase_kernels);
	TAKE(&d->ops, &d->phase_ops);
}
