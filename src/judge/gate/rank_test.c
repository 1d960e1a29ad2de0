#include "gate/noise_math.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"

int64_t scaled_mad(const int64_t *v, size_t nr)
{
	int64_t median, *copy = mem_calloc(nr, sizeof *copy);
	memcpy(copy, v, nr * sizeof *copy);
	int64_t spread = number_spread(copy, nr, &median);
	free(copy);
	return spread;
}

enum { EXACT_RUNS = 20 };

/* P(U ≤ u) if all orders of nx values of x and ny of y are equally likely, and all values are
   distinct. Counts the orders that give each U, adding one value of y at a time. */
static double exact_at_most(size_t nx, size_t ny, size_t u)
{
	double ways[EXACT_RUNS * EXACT_RUNS + 1] = { 1 }, all = 1, sum = 0;
	/* Gaussian binomial: multiply by (1 − q^(nx + i)) / (1 − q^i) for i = 1 … ny */
	for (size_t i = 1; i <= ny; i++) {
		for (size_t k = u; k >= nx + i; k--)
			ways[k] -= ways[k - nx - i];
		for (size_t k = i; k <= u; k++)
			ways[k] += ways[k - i];
		all = all * (double)(nx + i) / (double)i;
	}
	for (size_t k = 0; k <= u; k++)
		sum += ways[k];
	return sum / all;
}

struct ranked {
	int64_t value;
	bool is_x;
};

ORDERING(ranked_cmp, struct ranked, RISING(value))

double mann_whitney(const int64_t *x, size_t nr_x, const int64_t *y, size_t nr_y)
{
	double twice_u = 0, ties = 0, n = (double)nr_x + (double)nr_y, below = 0;
	size_t nr = nr_x + nr_y;
	struct ranked *all = mem_calloc(nr, sizeof *all);
	for (size_t i = 0; i < nr; i++)
		all[i] = (struct ranked){ i < nr_x ? x[i] : y[i - nr_x], i < nr_x };
	sort_plain(all, nr, sizeof *all, ranked_cmp);
	for (size_t i = 0, end; i < nr; i = end) {
		double of_x = 0;
		for (end = i; end < nr && all[end].value == all[i].value; end++)
			of_x += all[end].is_x;
		double t = (double)(end - i), of_y = t - of_x;
		ties += t * t * t - t;
		twice_u += of_x * (2 * below + of_y); /* twice U: a value of x counts 2 for each lower
		                                         value of y, and 1 for each equal one */
		below += of_y;
	}
	free(all);
	double pairs = (double)nr_x * (double)nr_y, low = fmin(twice_u, 2 * pairs - twice_u) / 2;
	double p;
	if (ties == 0 && nr_x <= EXACT_RUNS && nr_y <= EXACT_RUNS) {
		p = 2 * exact_at_most(nr_x, nr_y, (size_t)low);
	} else {
		double variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
		/* if all values are equal the variance is 0, and erfc(-∞) is 2 */
		p = erfc((pairs / 2 - low - 0.5) / sqrt(2 * variance));
	}
	return fmin(p, 1);
}
