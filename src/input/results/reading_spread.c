#include "results/reading_spread.h"

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

static double number_at(const char *template, struct value *record, struct span key)
{
	struct template_words words = { .record = record, .file = "", .key = key };
	struct strbuf b = STRBUF_INIT;
	template_fill(template, &words, &b);
	const char *path = strbuf_str(&b);
	double number = path_fault(path) ? NAN : number_of(path_find(path, record));
	strbuf_release(&b);
	return number;
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
	for (const char *p = star; *p && *p != '.'; p++)
		after = *p == '*' ? 0 : after + 1;
	bool fits = key.n >= before + after;
	return fits ? (struct span){ key.p + before, key.n - before - after } : key;
}

void reading_spread(struct reading *r, struct value *record, const struct value *v, struct span key)
{
	const struct result_take *row = r->row;
	double figure = fabs(number_of(v));
	if ((!row->count && !row->error && !row->margin) || !(figure > 0))
		return;
	struct span word = reading_key_part(row->at, key);
	/* a standard error is that of two values whose standard deviation is larger by √2 */
	double count = row->error || row->margin ? 2 : number_at(row->count, record, word);
	const double errors = 3.29; /* half of a 99.9 % interval of a normal distribution */
	double stdev = row->error    ? number_at(row->error, record, word) / figure * M_SQRT2
	               : row->margin ? number_at(row->margin, record, word) / errors / figure * M_SQRT2
	               : row->stdev  ? number_at(row->stdev, record, word) / figure
	                             : number_at(row->stdev_share, record, word);
	if (count > 1 && count < 1e15 && stdev >= 0 && stdev < 1e6) {
		r->count = (int64_t)count;
		r->stdev = stdev;
	}
}
