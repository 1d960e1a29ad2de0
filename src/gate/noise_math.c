#include "gate/noise_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"

#define PI 3.14159265358979323846

/* ---- spread ---- */

static int64_t mad_of(const int64_t *v, size_t nr, int64_t *median)
{
	int64_t *copy = mem_calloc(nr, sizeof *copy);
	memcpy(copy, v, nr * sizeof *copy);
	int64_t mad = number_mad(copy, nr, median);
	free(copy);
	return mad;
}

int64_t scaled_mad(const int64_t *v, size_t nr)
{
	int64_t median;
	return number_div_round((__int128)mad_of(v, nr, &median) * 14826, 10000);
}

bool spread_excludes(const struct spread *s, int64_t value)
{
	return s->reach >= 0 && fabs((double)value - s->center) > s->reach;
}

struct spread spread_of(const int64_t *v, size_t nr)
{
	int64_t center, mad = mad_of(v, nr, &center);
	struct spread out = { .center = (double)center,
		                  .reach = mad > 0 ? 5 * 1.4826 * (double)mad : -1 };
	double sum = 0, squares = 0;
	for (size_t i = 0; i < nr; i++) {
		if (spread_excludes(&out, v[i]))
			continue;
		double d = (double)v[i] - out.center;
		sum += d;
		squares += d * d;
		out.kept++;
	}
	double n = (double)out.kept, rest = n > 0 ? squares - sum * sum / n : 0;
	if (out.kept > 1 && rest > 0)
		out.s = sqrt(rest / (n - 1));
	return out;
}

/* Exact up to ten (integrals over order statistics); then π / 2 over what the exact
   ones tend to, within 1 %. */
double median_variance(size_t nr)
{
	static const double exact[] = { 1,      1,      0.5,    0.4487, 0.2982, 0.2868,
		                            0.2147, 0.2104, 0.1682, 0.1661, 0.1383 };
	if (nr < sizeof exact / sizeof *exact)
		return exact[nr];
	return PI / 2 / ((double)nr + (nr % 2 ? 0.5 : 1.4));
}

/* ---- Mann-Whitney ---- */

enum { EXACT_RUNS = 20 };

static double normal_tail(double z)
{
	return 0.5 * erfc(z / sqrt(2));
}

/* P(U ≤ u) where all orders of nx and ny different values are equally likely: the
   numbers of ways to reach U, adding one value of y at a time. */
static double exact_at_most(size_t nx, size_t ny, size_t u)
{
	double ways[EXACT_RUNS * EXACT_RUNS + 1] = { 1 }, all = 1, sum = 0;
	/* the Gaussian binomial: multiply by (1 − q^(nx + i)) / (1 − q^i) for i = 1 … ny */
	for (size_t i = 1; i <= ny; i++) {
		size_t top = nx * ny;
		for (size_t k = top; k >= nx + i; k--)
			ways[k] -= ways[k - nx - i];
		for (size_t k = i; k <= top; k++)
			ways[k] += ways[k - i];
		all = all * (double)(nx + i) / (double)i;
	}
	for (size_t k = 0; k <= u; k++)
		sum += ways[k];
	return sum / all;
}

/* A value, and whose it is. */
struct ranked {
	int64_t value;
	bool is_x;
};

static int ranked_cmp(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return (x->value > y->value) - (x->value < y->value);
}

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
		twice_u += of_x * (2 * below + of_y); /* `below`: so many of y are lower */
		below += of_y;
	}
	free(all);
	double pairs = (double)nr_x * (double)nr_y, low = fmin(twice_u, 2 * pairs - twice_u) / 2;
	double p;
	if (ties == 0 && nr_x <= EXACT_RUNS && nr_y <= EXACT_RUNS) {
		p = 2 * exact_at_most(nr_x, nr_y, (size_t)low);
	} else {
		double variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
		p = variance > 0 ? 2 * normal_tail((pairs / 2 - low - 0.5) / sqrt(variance)) : 1;
	}
	return fmin(p, 1);
}

/* ---- limit and noise ---- */

/* P(T > x) of Student's t with `df` ≥ 1 degrees of freedom: the finite sum. */
static double student_tail(double x, size_t df)
{
	double cos2 = (double)df / ((double)df + x * x), sine = sqrt(1 - cos2);
	double term = df % 2 ? sqrt(cos2) : 1, sum = 0;
	for (size_t i = df % 2 ? 3 : 2; i <= df; i += 2) {
		sum += term;
		term *= cos2 * (double)(i - 1) / (double)i;
	}
	double within = sine * sum;
	if (df % 2)
		within = 2 / PI * (atan(fabs(x) / sqrt((double)df)) + within);
	double tail = fmax((1 - within) / 2, 0);
	return x < 0 ? 1 - tail : tail;
}

double noise_k_of(double k, size_t nu, double checks)
{
	double low = k, high = 1000, odds = student_tail(k, nu) / checks;
	for (int i = 0; i < 60 && checks > 1; i++) {
		double mid = (low + high) / 2;
		student_tail(mid, nu) > odds ? (low = mid) : (high = mid);
	}
	return low;
}

double threshold_noise(const struct threshold *t, double s)
{
	double noise = t->per_s * s, l2 = t->limit * t->limit, n2 = noise * noise;
	return noise > t->limit && t->limit > 0 ? sqrt((3 * l2 * l2 + n2 * n2) / (3 * l2 + n2)) : noise;
}

/* One of the baseline's runs, held against the others: given the sum of squares of all,
   its distance over the spread of the rest is Student's t. Where distance and threshold,
   which falls with that spread, meet is the t above which it would be an alarm. */
double threshold_false_alarms(const struct threshold *t, double scale, double s, size_t nu)
{
	const double far = 1000;
	double df = (double)nu - 1, squares = (double)nu * s * s, low = -far, high = far;
	for (int i = 0; i < 60; i++) {
		double mid = (low + high) / 2, rest = sqrt(squares / (df + mid * mid));
		bool beyond = mid * rest * scale > t->shift + fmax(t->limit, threshold_noise(t, rest));
		beyond ? (high = mid) : (low = mid);
	}
	return high < far ? student_tail(high, nu - 1) : 0;
}
