#include "results/reading_figures.h"

#include <math.h>
#include <string.h>

#include "results/path.h"

static double number_of(const struct value *v)
{
	struct decimal number;
	struct span unit;
	bool any = v && reading_number(v, &number, &unit) == DECIMAL_OK;
	return any ? (double)number.value * pow(10, -(double)number.digits) : NAN;
}

static double number_at(const char *template, struct value *record, struct value *v,
                        struct span key)
{
	struct template_words words = { .record = record, .file = "", .key = key, .value = v };
	struct strbuf b = STRBUF_INIT;
	template_fill(template, &words, &b);
	const char *path = strbuf_str(&b);
	double number = path_fault(path) ? NAN : number_of(path_find(path, record));
	strbuf_release(&b);
	return number;
}

/* The standard error of the figure `figure` in its unit; NAN if the format does not tell it. */
static double error_of(const struct reading *r, struct value *record, struct value *v,
                       struct span word, double figure)
{
	const struct result_take *row = r->row;
	const double margin = 3.29, bound = 2.58; /* half of a 99.9 % and of a 99 % interval of a
	                                             normal distribution */
	return row->error    ? number_at(row->error, record, v, word)
	       : row->margin ? number_at(row->margin, record, v, word) / margin
	       : row->upper  ? (number_at(row->upper, record, v, word) - figure) / bound
	                     : NAN;
}

struct span reading_key_part(const char *at, struct span key)
{
	const char *star = strchr(at, '*');
	if (!star || !key.p)
		return key;
	const char *from = star;
	while (from > at && from[-1] != '.')
		from--;
	size_t before = (size_t)(star - from), after = 0;
	for (const char *p = star; *p && *p != '.' && *p != '['; p++)
		after = *p == '*' ? 0 : after + 1;
	bool fits = key.n >= before + after;
	return fits ? (struct span){ key.p + before, key.n - before - after } : key;
}

void reading_spread(struct reading *r, struct value *record, struct value *v, struct span key)
{
	const struct result_take *row = r->row;
	double figure = fabs(number_of(v));
	struct span word = reading_key_part(row->at, key);
	double error = error_of(r, record, v, word, figure);
	if ((!row->count && isnan(error)) || !(figure > 0))
		return;
	/* a standard error is that of two values whose standard deviation is larger by √2 */
	double count = isnan(error) ? number_at(row->count, record, v, word) : 2;
	double stdev = !isnan(error) ? error / figure * M_SQRT2
	               : row->stdev  ? number_at(row->stdev, record, v, word) / figure
	                             : number_at(row->stdev_share, record, v, word);
	if (count > 1 && count < 1e15 && stdev >= 0 && stdev < 1e6) {
		r->count = (int64_t)count;
		r->stdev = stdev;
	}
}
