/* Bounds the size of the table of code places: rows with little time are merged into rows for their
 * module and operator. */
#include "base/number.h"
#include "merge/digest_small.h"
#include "model/rows.h"

static bool is_gpu(const struct code_stat *c)
{
	return c->kind != CODE_SYNC;
}

ORDERING(by_time, int64_t, THEN(COMPARE(*y, *x)))

/* The smallest time with which a row is kept, so that at most `most` of the rows for which `has` is
 * true are kept; 0 if all are. Rows of equal time are all kept or all dropped, so that their order
 * does not matter. */
static int64_t least_of_largest(const struct digest *d, bool (*has)(const struct code_stat *),
                                size_t most)
{
	int64_t *times = mem_calloc(d->code.nr, sizeof *times);
	size_t nr = 0;
	for (size_t i = 0; i < d->code.nr; i++)
		if (has(&d->code.v[i]))
			times[nr++] = d->code.v[i].total_ns;
	sort_plain(times, nr, sizeof *times, by_time);
	int64_t least = nr > most ? number_add(times[most], 1) : 0;
	free(times);
	return least;
}

static bool is_of_kernel(const struct code_stat *c)
{
	return is_gpu(c) && c->names == 0;
}

/* At most the KEEP_CODE_KERNELS rows with the most time keep the name of their kernel, and only if
 * their share of the time of all rows is at least 1 / KEEP_SHARE. All other rows lose it; rows that
 * are then equal become one. */
static void sum_code_kernels(struct digest *d)
{
	__int128 sum = 0;
	int64_t least_ns = least_of_largest(d, is_of_kernel, KEEP_CODE_KERNELS);
	for (size_t i = 0; i < d->code.nr; i++)
		sum += is_gpu(&d->code.v[i]) ? d->code.v[i].total_ns : 0;
	for (size_t i = 0; i < d->code.nr; i++) {
		struct code_stat *c = &d->code.v[i];
		if (is_of_kernel(c) &&
		    (c->total_ns < least_ns || (__int128)c->total_ns * KEEP_SHARE < sum)) {
			c->kernel = 0;
			c->names = 1;
		}
	}
	rows_unite(&code_stat_row, &d->code);
}

static bool is_any(const struct code_stat *c)
{
	(void)c;
	return true;
}

/* If the table has too many rows, removes the place in the code from the rows with the least time,
 * and if `all` their module and operator as well; rows that are then equal become one. */
static void sum_code_places(struct digest *d, bool all)
{
	if (d->code.nr <= KEEP_CODE)
		return;
	int64_t least_ns = least_of_largest(d, is_any, KEEP_CODE / 2);
	for (size_t i = 0; i < d->code.nr; i++) {
		struct code_stat *c = &d->code.v[i];
		if (c->total_ns >= least_ns)
			continue;
		c->place = SPAN("");
		c->line = -1;
		c->kernel = 0;
		c->names = c->names ? c->names : 1;
		if (all)
			c->module = c->op = SPAN("");
	}
	rows_unite(&code_stat_row, &d->code);
}

bool digest_has_places(const struct digest *d)
{
	return ANY(i, d->code.nr, d->code.v[i].place.n || d->code.v[i].module.n);
}

void digest_small_code(struct digest *d)
{
	sum_code_kernels(d);
	sum_code_places(d, false);
	sum_code_places(d, true);
}
