/* Checks the rows of a digest that refer to other rows. */
#include "store/digest_schema.h"

/* State of one function during the check: `last` is the index of its callee that was checked
   last, or -1; `depth` is the function's depth in the tree of callers. */
struct seen {
	int64_t last;
	int depth;
};

/* Says what is wrong with function `i`, as the end of a sentence; NULL if nothing is. For each
 * index p below `i`, seen[p + 1] is the state of function p; seen[0] is the state of the root of
 * the tree. */
static const char *function_fault(const struct digest *d, size_t i, const struct seen *seen)
{
	const struct function_stat *f = &d->functions.v[i];
	if (f->names < 0)
		return "has a negative number of names";
	if (f->exclusive_ns > f->total_ns)
		return "runs by itself for longer than it runs";
	if (f->parent >= (int64_t)i)
		return "does not come after its caller";
	if (f->parent >= 0 &&
	    (f->cls != FUNCTION_PYTHON || d->functions.v[f->parent].cls != FUNCTION_PYTHON ||
	     d->functions.v[f->parent].names > 0))
		return "has a caller that cannot be one";
	const struct seen *caller = &seen[f->parent + 1];
	if (caller->last >= 0 && row_cmp(&function_stat_row, &d->functions.v[caller->last], f) >= 0)
		return "does not come after the callee before it";
	return caller->depth == FUNCTION_DEPTH ? "has more callers than are kept" : NULL;
}

static void check_functions(struct row_reader *r, const struct digest *d)
{
	size_t nr = d->functions.nr;
	struct seen *seen = mem_calloc(nr + 1, sizeof *seen);
	seen[0].last = -1;
	for (size_t i = 0; i < nr && jscan_status(r->js) == ST_OK; i++) {
		const char *fault = function_fault(d, i, seen);
		if (fault) {
			row_fail(r, jscan_byte(r->js), arena_printf(r->arena, "functions[%zu]", i), fault);
			break;
		}
		struct seen *caller = &seen[d->functions.v[i].parent + 1];
		caller->last = (int64_t)i;
		seen[i + 1] = (struct seen){ -1, caller->depth + 1 };
	}
	free(seen);
}

static void check_collectives(struct row_reader *r, const struct digest *d)
{
	for (size_t i = 0; i < d->collectives.nr && jscan_status(r->js) == ST_OK; i++) {
		const struct collective *c = &d->collectives.v[i];
		const char *fault = c->step >= (int64_t)d->nr_steps   ? "is of a step that is not there"
		                    : c->comm >= (int64_t)d->comms.nr ? "is of a kind that is not there"
		                                                      : NULL;
		if (fault)
			row_fail(r, jscan_byte(r->js), arena_printf(r->arena, "collectives[%zu]", i), fault);
	}
}

/* True if the member `names` of all rows is valid. It is the number of rows that a sum replaces, 0
 * for a row that is not a sum. It must not be negative; of GPU activities, only kernels may have
 * sums. */
static bool are_sums(const struct digest *d)
{
	return ALL(i, d->kernels.nr,
	           d->kernels.v[i].names >= 0 &&
	               (d->kernels.v[i].names == 0 || d->kernels.v[i].kind == EVENT_KERNEL)) &&
	       ALL(i, d->ops.nr, d->ops.v[i].names >= 0) &&
	       ALL(i, d->calls.nr, d->calls.v[i].names >= 0) &&
	       ALL(i, d->code.nr, d->code.v[i].names >= 0) &&
	       ALL(i, d->ranges.nr, d->ranges.v[i].names >= 0) &&
	       ALL(i, d->threads.nr, d->threads.v[i].names >= 0);
}

void digest_check_rows(struct row_reader *r, const struct digest *d)
{
	check_functions(r, d);
	check_collectives(r, d);
	row_need(r, are_sums(d), "names",
	         "of a row is not a number of kernels, operators, calls or threads");
}
