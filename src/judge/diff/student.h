/// Student's t distribution.
#ifndef GG_DIFF_STUDENT_H
#define GG_DIFF_STUDENT_H

/// P(T > x) of Student's t with `df` > 0 degrees of freedom.
double student_tail(double x, double df);

/// The x for which P(T > x) = `tail` in Student's t, 0 < `tail` < 0.5; at most 1e9.
double student_quantile(double tail, double df);

#endif
