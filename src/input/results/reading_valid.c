/* Reads numbers in values, and checks the conditions that a record must meet. */
#include <string.h>

#include "base/text.h"
#include "results/path.h"
#include "results/readings.h"

/* Number of bytes at the front of `s` that form a number. */
static size_t number_bytes(struct span s)
{
	size_t n = s.n && (s.p[0] == '-' || s.p[0] == '+');
	while (n < s.n && (is_digit(s.p[n]) || s.p[n] == '.'))
		n++;
	if (n + 1 < s.n && (s.p[n] | 0x20) == 'e' &&
	    (is_digit(s.p[n + 1]) || (n + 2 < s.n && strchr("+-", s.p[n + 1]) && is_digit(s.p[n + 2]))))
		for (n += 2; n < s.n && is_digit(s.p[n]);)
			n++;
	return n;
}

enum decimal_fault reading_number(const struct value *v, struct decimal *out, struct span *unit)
{
	struct span s = v->text;
	*unit = SPAN("");
	if (v->type == JSCAN_NUMBER)
		return decimal_parse(s, out);
	if (v->type != JSCAN_STRING)
		return DECIMAL_NO_NUMBER;
	while (s.n && s.p[0] == ' ')
		s.p++, s.n--;
	while (s.n && s.p[s.n - 1] == ' ')
		s.n--;
	size_t n = number_bytes(s);
	struct span number = { s.p, n };
	*unit = (struct span){ s.p + n, s.n - n };
	while (unit->n && unit->p[0] == ' ')
		unit->p++, unit->n--;
	if (number.n && number.p[0] == '+')
		number.p++, number.n--;
	/* only a unit may follow a number: "1.2.3" and dates are not numbers */
	if (unit->n > 16 || (unit->n && (is_digit(unit->p[0]) || strchr("-+:_", unit->p[0]))))
		return DECIMAL_NO_NUMBER;
	if (number.n && number.p[number.n - 1] == '.')
		number.n--;
	return decimal_parse(number, out);
}

/* ---- conditions that a record must meet ---- */

struct condition {
	const struct result_valid *valid;
	struct value *record;
	size_t seen;
	struct value *broken;
};

static bool is_text_of(const struct value *v, const char *text)
{
	return span_eq(v->text, span_of(text));
}

static bool same_number(const struct value *v, struct span text)
{
	struct decimal a, b;
	struct span unit;
	return reading_number(v, &a, &unit) == DECIMAL_OK && decimal_parse(text, &b) == DECIMAL_OK &&
	       a.value == b.value && a.digits == b.digits;
}

/* The text that `equals` demands in this record: a given text, or the value of another member. */
static struct span wanted(const struct condition *c)
{
	struct span s = span_of(c->valid->equals);
	const struct value *other = NULL;
	struct decimal number;
	if (s.n > 1 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		return (struct span){ s.p + 1, s.n - 2 };
	if (decimal_parse(s, &number) != DECIMAL_OK && !span_eq(s, SPAN("true")) &&
	    !span_eq(s, SPAN("false")))
		other = path_find(c->valid->equals, c->record);
	return other ? other->text : s;
}

static int order(struct decimal a, struct decimal b)
{
	int64_t digits = a.digits > b.digits ? a.digits : b.digits;
	int64_t x = decimal_scaled(a, digits), y = decimal_scaled(b, digits);
	return COMPARE(x, y);
}

static bool within(const struct value *v, const char *limit, int wrong)
{
	struct decimal a, b;
	struct span unit;
	if (!limit)
		return true;
	return reading_number(v, &a, &unit) == DECIMAL_OK &&
	       decimal_parse(span_of(limit), &b) == DECIMAL_OK && order(a, b) != wrong;
}

static void check(void *ctx, struct value *v, struct span first_key, struct span last_key)
{
	struct condition *c = ctx;
	const struct result_valid *k = c->valid;
	(void)first_key;
	(void)last_key;
	if (v->type == JSCAN_NULL && k->optional)
		return;
	c->seen++;
	struct span want = k->equals ? wanted(c) : SPAN("");
	bool equal = !k->equals || span_eq(v->text, want) || same_number(v, want);
	if (!c->broken && !(equal && within(v, k->min, -1) && within(v, k->max, 1)))
		c->broken = v;
}

static const char *said(const struct condition *c, struct arena *a)
{
	const struct result_valid *k = c->valid;
	struct strbuf b = STRBUF_INIT;
	if (k->say) {
		struct strbuf raw = STRBUF_INIT;
		template_fill(k->say, &(struct template_words){ .record = c->record, .file = "" }, &raw);
		text_add_short(&b, strbuf_span(&raw), 200);
		strbuf_release(&raw);
		return arena_take(a, &b);
	}
	strbuf_addf(&b, "'%s' is ", k->at);
	if (c->broken)
		text_add_short(&b, c->broken->text, 60);
	else
		strbuf_adds(&b, "not there");
	if (k->equals) {
		strbuf_addf(&b, ", not %s", k->equals);
		if (!is_text_of(&(struct value){ .text = wanted(c) }, k->equals) && k->equals[0] != '"') {
			strbuf_adds(&b, " (");
			text_add_short(&b, wanted(c), 60);
			strbuf_adds(&b, ")");
		}
	}
	if (k->min || k->max)
		strbuf_addf(&b, ", must be %s%s", k->min ? "at least " : "at most ",
		            k->min ? k->min : k->max);
	return arena_take(a, &b);
}

const char *reading_fault(const struct reading_file *f, struct value *record, struct arena *a)
{
	for (size_t i = 0; i < f->format->valid.nr; i++) {
		struct condition c = { .valid = &f->format->valid.v[i], .record = record };
		path_visit(c.valid->at, record, NULL, check, &c);
		if (c.broken || (!c.seen && !c.valid->optional))
			return said(&c, a);
	}
	return NULL;
}
