#include "gate/noise_math.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

/* ---- centers and variances ---- */

enum { MEDIAN_MOST = 5, WINSORISED_FROM = 5, REACH = 4 };

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return COMPARE(x, y);
}

static double *sorted(const double *v, size_t nr)
{
	double *copy = mem_calloc(nr, sizeof *copy);
	memcpy(copy, v, nr * sizeof *copy);
	sort_plain(copy, nr, sizeof *copy, by_size);
	return copy;
}

static double median_of(const double *v, size_t nr)
{
	return (v[(nr - 1) / 2] + v[nr / 2]) / 2;
}

double noise_center(const double *v, size_t nr)
{
	double *s = sorted(v, nr), sum = 0;
	size_t cut = nr > MEDIAN_MOST ? nr / 5 : 0;
	for (size_t i = cut; i < nr - cut; i++)
		sum += s[i];
	double center = nr > MEDIAN_MOST ? sum / (double)(nr - 2 * cut) : median_of(s, nr);
	free(s);
	return center;
}

/* The variances are those for normally distributed values. For up to five values, they are
 * variances of the median, from numeric integrals over order statistics. For more values, the
 * result is the variance of the mean without the lowest and the highest fifth of the values. */
double noise_center_variance(size_t nr)
{
	static const double of_median[] = { 1, 1, 0.5, 0.4487, 0.2982, 0.2868 };
	return nr < NR_OF(of_median) ? of_median[nr] : 1.10 / (double)nr;
}

double noise_mad(const double *v, size_t nr)
{
	double *s = mem_calloc(nr, sizeof *s);
	for (size_t i = 0; i < nr; i++)
		s[i] = fabs(v[i]);
	double mad = 1.4826 * noise_median(s, nr);
	free(s);
	return mad;
}

/* Subtract from each value the center of its group, as the function `of` computes it. Returns the
   number of groups. */
static size_t center_groups(double *v, const uint64_t *group, size_t nr,
                            double (*of)(const double *v, size_t nr))
{
	double *own = mem_calloc(nr + 1, sizeof *own);
	bool *done = mem_calloc(nr + 1, sizeof *done);
	size_t groups = 0;
	for (size_t i = 0; i < nr; i++) {
		size_t n = 0;
		if (done[i])
			continue;
		for (size_t k = i; k < nr; k++)
			if (group[k] == group[i])
				own[n++] = v[k];
		double center = of(own, n);
		for (size_t k = i; k < nr; k++)
			if (group[k] == group[i]) {
				v[k] -= center;
				done[k] = true;
			}
		groups++;
	}
	free(done);
	free(own);
	return groups;
}

double noise_median(const double *v, size_t nr)
{
	double *s = sorted(v, nr), median = median_of(s, nr);
	free(s);
	return median;
}

static double mean_of(const double *v, size_t nr)
{
	double sum = 0;
	for (size_t i = 0; i < nr; i++)
		sum += v[i];
	return sum / (double)nr;
}

double noise_variance(double *v, const uint64_t *group, size_t nr, double *df)
{
	double sum = 0;
	center_groups(v, group, nr, noise_median);
	double mad = nr >= WINSORISED_FROM ? noise_mad(v, nr) : 0;
	for (size_t i = 0; i < nr && mad > 0; i++)
		v[i] = fmin(fmax(v[i], -REACH * mad), REACH * mad);
	size_t groups = center_groups(v, group, nr, mean_of);
	for (size_t i = 0; i < nr; i++)
		sum += v[i] * v[i];
	*df = (double)(nr - groups);
	return *df > 0 ? sum / *df : 0;
}

/* ---- the prior distribution of variances ---- */

/* Digamma function: an asymptotic series for x ≥ 10; a recurrence leads there from smaller x. */
static double digamma(double x)
{
	double sum = 0;
	for (; x < 10; x++)
		sum -= 1 / x;
	double f = 1 / (x * x);
	return sum + log(x) - 0.5 / x - f * (1.0 / 12 - f * (1.0 / 120 - f / 252));
}

static double trigamma(double x)
{
	double sum = 0;
	for (; x < 10; x++)
		sum += 1 / (x * x);
	double f = 1 / (x * x);
	return sum + 1 / x + f / 2 + f / x * (1.0 / 6 - f * (1.0 / 30 - f / 42));
}

/* Inverse of the trigamma function, which falls from infinity to 0. Found by bisection over the
 * logarithm of x. */
static double trigamma_inverse(double y)
{
	double low = 1e-6, high = 1e6;
	for (int i = 0; i < 80; i++) {
		double mid = sqrt(low * high);
		trigamma(mid) > y ? (low = mid) : (high = mid);
	}
	return sqrt(low * high);
}

struct noise_prior noise_prior_of(const double *s2, size_t nr, double df)
{
	const double least = 1e-30, few = 2, many = 200;
	double mean = 0, squares = 0;
	for (size_t i = 0; i < nr; i++)
		mean += log(fmax(s2[i], least)) - digamma(df / 2) + log(df / 2);
	mean /= (double)nr;
	for (size_t i = 0; i < nr; i++) {
		double d = log(fmax(s2[i], least)) - digamma(df / 2) + log(df / 2) - mean;
		squares += d * d;
	}
	/* variance of the logarithms that the small number of degrees of freedom does not explain */
	double beyond = nr > 1 ? squares / (double)(nr - 1) - trigamma(df / 2) : 0;
	double d0 = fmin(fmax(2 * trigamma_inverse(fmax(beyond, 1e-3)), few), many);
	return (struct noise_prior){ exp(mean + digamma(d0 / 2) - log(d0 / 2)), d0 };
}

double noise_moderated(struct noise_prior prior, double s2, double df)
{
	return (prior.df * prior.s2 + df * s2) / (prior.df + df);
}
