#include "diff/changes.h"

#include <math.h>

static double not_zero(double v)
{
	return v == 0 ? 1e-300 : v;
}

/* Continued fraction of the incomplete beta function, evaluated by the modified method of Lentz. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	double f = d = 1 / not_zero(d);
	for (int m = 1; m < 500; m++) {
		double n = m, even = n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n));
		double odd = -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1));
		for (int i = 0; i < 2; i++) {
			double by = i == 0 ? even : odd;
			d = 1 / not_zero(1 + by * d);
			c = not_zero(1 + by / c);
			f *= d * c;
		}
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return f;
}

/* Regularized incomplete beta function. There are two equivalent continued fractions; the one that
   converges fast at `x` is used. */
static double beta_share(double a, double b, double x)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
	                                 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_tail(double x, double df)
{
	double tail = beta_share(df / 2, 0.5, df / (df + x * x)) / 2;
	return x < 0 ? 1 - tail : tail;
}

/* Solves student_tail(x, df) = tail by Newton's method for the logarithm of the tail, which is
 * nearer to a straight line than the tail itself. A step at most halves x. */
double student_quantile(double tail, double df)
{
	const double most = 1e9;
	double x = 1;
	for (int i = 0; i < 100; i++) {
		double at = student_tail(x, df);
		double density =
		    exp(lgamma((df + 1) / 2) - lgamma(df / 2) - (df + 1) / 2 * log1p(x * x / df)) /
		    sqrt(df * 3.14159265358979323846);
		double by = log(at / tail) * at / density;
		x = fmin(fmax(x + by, x / 2), most);
		if (!(fabs(by) > 1e-12 * x) || x >= most)
			break;
	}
	return x;
}
