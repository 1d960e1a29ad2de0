#include "store/step_bases.h"

/* ---- bases that are tried ---- */

#define OF(name) (METRIC_COLUMN + METRIC_STEP_##name)
#define LESS(column) ~(column)

/* Columns, each with other columns whose sum is equal or close to it, so that only a small
   difference has to be stored. This is so if a rank has one GPU and a step's work runs in its
   period. */
static const struct relation {
	size_t column;
	struct step_bases bases;
} relations[] = {
	{ NUMBER_COLUMN, { 1, { NUMBER_COLUMN } } },
	{ OF(PERIOD), { 1, { OF(TIME) } } },
	{ OF(LATENCY), { 1, { OF(TIME) } } },
	{ OF(LATENCY), { 1, { OF(PERIOD) } } },
	{ OF(CUDA_TIME), { 1, { OF(PERIOD_COMPUTE) } } },
	{ OF(CUDA_TIME),
	  { 3, { OF(PERIOD_COMPUTE), OF(PERIOD_EXPOSED_COMM), OF(PERIOD_EXPOSED_MEMORY) } } },
	{ OF(KERNEL_TIME), { 1, { OF(CUDA_TIME) } } },
	{ OF(KERNEL_TIME), { 2, { OF(CUDA_TIME), LESS(OF(PERIOD_EXPOSED_MEMORY)) } } },
	{ OF(MEMCPY_TIME), { 2, { OF(CUDA_TIME), LESS(OF(KERNEL_TIME)) } } },
	{ OF(MEMSET_TIME), { 3, { OF(CUDA_TIME), LESS(OF(KERNEL_TIME)), LESS(OF(MEMCPY_TIME)) } } },
	{ OF(COMPUTE_TIME), { 1, { OF(PERIOD_COMPUTE) } } },
	{ OF(COMPUTE_TIME), { 1, { OF(KERNEL_TIME) } } },
	{ OF(COMM_TIME), { 2, { OF(KERNEL_TIME), LESS(OF(COMPUTE_TIME)) } } },
	{ OF(BUSY_TIME), { 1, { OF(CUDA_TIME) } } },
	{ OF(BUSY_TIME),
	  { 3, { OF(PERIOD_COMPUTE), OF(PERIOD_EXPOSED_COMM), OF(PERIOD_EXPOSED_MEMORY) } } },
	{ OF(SPAN), { 1, { OF(BUSY_TIME) } } },
	{ OF(SPAN), { 1, { OF(LATENCY) } } },
	{ OF(SPAN), { 1, { OF(PERIOD) } } },
	{ OF(IDLE_TIME),
	  { 4,
	    { OF(PERIOD), LESS(OF(PERIOD_COMPUTE)), LESS(OF(PERIOD_EXPOSED_COMM)),
	      LESS(OF(PERIOD_EXPOSED_MEMORY)) } } },
	{ OF(EXPOSED_COMM_TIME), { 1, { OF(PERIOD_EXPOSED_COMM) } } },
	{ OF(KERNEL_COUNT), { 1, { ACTIVITIES_COLUMN } } },
};

/* The figure of the whole step that a column of a phase is a part of. */
static const int whole_of[NR_PHASE_COLUMNS] = {
	[PHASE_COMPUTE] = OF(COMPUTE_TIME),
	[PHASE_MEMCPY] = OF(MEMCPY_TIME),
	[PHASE_MEMSET] = OF(MEMSET_TIME),
	[PHASE_KERNELS] = OF(KERNEL_COUNT),
};

/* The bases of a phase's column: the figure of the whole step, less that of the phases before this
   one. What remains is of this phase and of later ones. */
static struct step_bases left_to_phase(size_t column, uint64_t known)
{
	size_t part = (column - PHASE_COLUMN) % NR_PHASE_COLUMNS;
	struct step_bases out = { 1, { whole_of[part] } };
	for (size_t k = PHASE_COLUMN + part; k < column; k += NR_PHASE_COLUMNS)
		if (known >> k & 1)
			out.column[out.nr++] = LESS((int)k);
	return out;
}
_Static_assert(NR_INNER_PHASES - 1 <= STEP_BASES_MAX, "the whole, and all other phases");

/* ---- sums of bases ---- */

static __int128 guess(const struct digest *d, size_t column, const struct step_bases *b, size_t at)
{
	__int128 sum = 0;
	for (size_t k = 0; k < b->nr; k++) {
		bool minus = b->column[k] < 0;
		size_t base = (size_t)(minus ? ~b->column[k] : b->column[k]);
		const int64_t *v = step_column(d, base);
		size_t from = base == column ? at - 1 : at;
		if (v && (at > 0 || base != column) && v[from] != NO_SAMPLE)
			sum += minus ? -(__int128)v[from] : v[from];
	}
	return sum;
}

bool step_bases_subtract(const struct digest *d, size_t column, const struct step_bases *b,
                         int64_t *rest)
{
	const int64_t *v = step_column(d, column);
	for (size_t i = 0; i < d->nr_steps; i++) {
		__int128 left = v[i] - guess(d, column, b, i);
		if (left <= NO_REST || left > INT64_MAX)
			return false;
		rest[i] = v[i] == NO_SAMPLE ? NO_REST : (int64_t)left;
	}
	return true;
}

bool step_bases_add(struct digest *d, size_t column, const struct step_bases *b)
{
	int64_t *v = step_column(d, column);
	for (size_t i = 0; v && i < d->nr_steps; i++) {
		__int128 value = v[i] == NO_REST ? NO_SAMPLE : v[i] + guess(d, column, b, i);
		if (v[i] != NO_REST && (value < 0 || value > INT64_MAX))
			return false;
		v[i] = (int64_t)value;
	}
	return true;
}

/* ---- choice of bases ---- */

/* Estimated length of a column in a compressed file, in characters. A step is stored as a rest:
   its value minus the values of the bases `b`. A rest that equals the rest of the step before
   counts as 0 characters. SIZE_MAX if a rest is out of range. */
static size_t cost(const struct digest *d, size_t column, const struct step_bases *b, int64_t *rest)
{
	size_t out = 0;
	if (!step_bases_subtract(d, column, b, rest))
		return SIZE_MAX;
	for (size_t i = 1; i < d->nr_steps; i++) {
		int64_t left = rest[i] == rest[i - 1] ? 0 : rest[i];
		out += left < 0;
		for (; left; left /= 10)
			out++;
	}
	return out;
}

static bool are_known(const struct relation *r, uint64_t known)
{
	bool all = true;
	for (size_t k = 0; k < r->bases.nr; k++) {
		int c = r->bases.column[k];
		all = all && ((size_t)c == r->column || known >> (c < 0 ? ~c : c) & 1);
	}
	return all;
}

/* The digest with the most steps among those that have the column; NULL if there are none. */
static const struct digest *largest(const void *const *digests, size_t nr, size_t column)
{
	const struct digest *out = NULL;
	for (size_t k = 0; k < nr; k++) {
		const struct digest *d = digests[k];
		if (step_column(d, column) && (!out || d->nr_steps > out->nr_steps))
			out = d;
	}
	return out;
}

struct step_bases step_bases_choose(const void *const *digests, size_t nr, size_t column,
                                    uint64_t known)
{
	struct step_bases best = { 0 };
	struct arena scratch = ARENA_INIT;
	const struct digest *d = largest(digests, nr, column);
	if (!d)
		return best;
	int64_t *rest = arena_alloc(&scratch, d->nr_steps, sizeof *rest);
	size_t least = cost(d, column, &best, rest);
	struct relation left = { column, { 0 } };
	if (column >= PHASE_COLUMN)
		left.bases = left_to_phase(column, known);
	for (size_t i = 0; i <= sizeof relations / sizeof *relations; i++) {
		const struct relation *r = i ? &relations[i - 1] : &left;
		if (r->column != column || !r->bases.nr || !are_known(r, known))
			continue;
		size_t chars = cost(d, column, &r->bases, rest);
		if (chars < least) {
			least = chars;
			best = r->bases;
		}
	}
	arena_release(&scratch);
	return best;
}
