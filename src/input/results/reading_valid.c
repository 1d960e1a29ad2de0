/* Reads numbers in values, and checks the conditions that a record must meet. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "results/path.h"
#include "results/readings.h"

enum { NUMBER_CHARS = 64, UNIT_CHARS = 24 };

static struct span trimmed(struct span s)
{
	while (s.n && s.p[0] == ' ')
		s.p++, s.n--;
	while (s.n && s.p[s.n - 1] == ' ')
		s.n--;
	return s;
}

static size_t digits_at(struct span s, size_t at)
{
	size_t n = at;
	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n - at;
}

/* Number of bytes of the whole part at `at`, with separators of thousands: "1,234,567", or "1,234"
   before a decimal point. 0 if the commas are something else: "1,900" may be 1.9. */
static size_t whole_part(struct span s, size_t at)
{
	size_t n = at + digits_at(s, at), groups = 0, lead = n - at;
	for (; n < s.n && s.p[n] == ','; n += 4, groups++)
		if (digits_at(s, n + 1) != 3)
			return 0;
	bool sure = groups > 1 || (n < s.n && s.p[n] == '.' && digits_at(s, n + 1));
	return groups && (!sure || lead > 3 || !lead) ? 0 : n - at;
}

/* Number of bytes of the exponent at `at`, 0 if there is none. */
static size_t exponent_part(struct span s, size_t at)
{
	if (at >= s.n || (s.p[at] | 0x20) != 'e')
		return 0;
	size_t sign = at + 1 < s.n && (s.p[at + 1] == '-' || s.p[at + 1] == '+');
	size_t digits = digits_at(s, at + 1 + sign);
	return digits ? 1 + sign + digits : 0;
}

/* Copies the number at the front of `s` to `out` as JSON writes it. Returns its bytes in `s`. */
static size_t copy_number(struct span s, struct span *out, char buf[NUMBER_CHARS + 1])
{
	size_t sign = s.n && (s.p[0] == '-' || s.p[0] == '+'), n = sign, kept = 0;
	size_t whole = whole_part(s, n), fraction = 0;
	n += whole;
	if (n < s.n && s.p[n] == '.')
		fraction = digits_at(s, n + 1);
	n += n < s.n && s.p[n] == '.' ? 1 + fraction : 0;
	size_t mantissa = n;
	n += exponent_part(s, n);
	if ((!whole && !fraction) || n >= NUMBER_CHARS)
		return 0;
	for (size_t i = s.p[0] == '+'; i < n; i++) {
		if (i == sign && !whole)
			buf[kept++] = '0';
		bool bare_point = s.p[i] == '.' && !fraction && i < mantissa;
		if (s.p[i] != ',' && !bare_point)
			buf[kept++] = s.p[i];
	}
	*out = (struct span){ buf, kept };
	return n;
}

/* True if `s` may be a unit: "ms", "tok/s", "%"; not the rest of a date, or a remark. */
static bool is_unit(struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i], small = c | 0x20;
		bool letter = (small >= 'a' && small <= 'z') || c >= 0x80 || c == '%';
		if (!letter && (i == 0 || !strchr("/*^-1234", c)))
			return false;
	}
	return s.n <= UNIT_CHARS;
}

enum decimal_fault reading_number(const struct value *v, struct decimal *out, struct span *unit)
{
	char buf[NUMBER_CHARS + 1];
	struct span s = trimmed(v->text), number = SPAN("");
	*unit = SPAN("");
	if (v->type == JSCAN_NUMBER)
		return decimal_parse(s, out);
	if (v->type != JSCAN_STRING)
		return DECIMAL_NO_NUMBER;
	size_t n = copy_number(s, &number, buf);
	*unit = trimmed((struct span){ s.p + n, s.n - n });
	return is_unit(*unit) ? decimal_parse(number, out) : DECIMAL_NO_NUMBER;
}

bool reading_begins_as_number(struct span s)
{
	size_t n = 0, points = 0;
	for (; n < s.n && (is_digit(s.p[n]) || strchr(".,", s.p[n]) || (n == 0 && s.p[0] == '-')); n++)
		points += s.p[n] == '.';
	n += n && n + 1 < s.n && strchr("kKM", s.p[n]) && s.p[n + 1] == ' '; /* "2.5k tok/s" */
	return n > 0 && points < 2 && (n == s.n || s.p[n] == ' ');
}

bool reading_is_word(struct span word, const char *const *words)
{
	while (*words && !span_eq_nocase(word, span_of(*words)))
		words++;
	return *words != NULL;
}

bool reading_is_unmeasured(const struct value *v)
{
	static const char *const words[] = { "nan",   "inf",     "infinity", "-nan", "-inf",
		                                 "n/a",   "[n/a]",   "na",       "none", "null",
		                                 "-",     "--",      "failed",   "",     "-infinity",
		                                 "error", "timeout", "oom",      NULL };
	return v->type == JSCAN_NAN || v->type == JSCAN_NULL ||
	       (v->type == JSCAN_STRING && reading_is_word(trimmed(v->text), words));
}

bool reading_is_impossible(struct decimal d, struct span name, const char *unit, bool negative)
{
	/* 1e21 ns are 30,000 years; what has no unit may be a number of FLOP, as of a training */
	int at = unit ? figure_unit_find(span_of(unit)) : -1;
	bool flop = at < 0 || strcmp(figure_units[at].dimension, "rate-of-flops") == 0;
	double size = fabs((double)d.value) * pow(10, -(double)d.digits);
	return size >= (flop ? 1e30 : 1e21) ||
	       (d.value < 0 && !negative && figure_is_amount(name, unit));
}

/* True if a text begins with a word of failure: "failed: CUDA out of memory", "ERROR". */
static bool says_failure(struct span s)
{
	static const char *const words[] = { "fail",    "failed",   "failure", "error",     "crash",
		                                 "crashed", "abort",    "aborted", "oom",       "timeout",
		                                 "killed",  "invalid",  "wrong",   "incorrect", "cancelled",
		                                 "timed",   "canceled", NULL };
	size_t n = 0;
	while (n < s.n && (s.p[n] | 0x20) >= 'a' && (s.p[n] | 0x20) <= 'z')
		n++;
	return reading_is_word((struct span){ s.p, n }, words);
}

bool reading_is_failure(const struct value *v)
{
	static const char *const outcomes[] = { "correct",     "passed",     "pass",     "success",
		                                    "valid",       "successful", "ok",       "status",
		                                    "verified",    "is_correct", "result",   "outcome",
		                                    "state",       "succeeded",  "okay",     "match",
		                                    "matches",     "matched",    "accuracy", "allclose",
		                                    "disposition", NULL };
	static const char *const counts[] = { "correct",  "passed",     "success",   "valid", "ok",
		                                  "verified", "is_correct", "succeeded", NULL };
	static const char *const codes[] = { "exit_code",   "exitcode",    "returncode",
		                                 "return_code", "exit_status", NULL };
	static const char *const failures[] = { "failed", "timed_out", "oom", NULL };
	static const char *const reasons[] = { "error", "exception", NULL };
	static const char *const yes[] = { "true", "yes", NULL };
	static const char *const no[] = { "false", "no", NULL };
	static const char *const none[] = { "ok", "success", NULL };
	struct decimal number;
	struct span unit;
	bool text = v->type == JSCAN_STRING;
	struct span s = trimmed(v->text);
	bool whole = reading_number(v, &number, &unit) == DECIMAL_OK && !unit.n;
	if (whole && reading_is_word(v->key, number.value ? codes : counts))
		return true;
	if (reading_is_word(v->key, outcomes))
		return v->type == JSCAN_FALSE || (text && (reading_is_word(s, no) || says_failure(s)));
	bool fails = v->type == JSCAN_TRUE || (text && (reading_is_word(s, yes) || says_failure(s)));
	bool reason = text && !reading_is_unmeasured(v) &&
	              reading_number(v, &number, &unit) != DECIMAL_OK && !reading_is_word(s, no) &&
	              !reading_is_word(s, none) &&
	              !(s.n > 3 && span_eq_nocase((struct span){ s.p, 3 }, SPAN("no ")));
	return (fails && reading_is_word(v->key, failures)) ||
	       ((fails || reason) && reading_is_word(v->key, reasons));
}

const struct value *reading_failure_in(const struct value *of, int depth)
{
	const struct value *found = NULL;
	for (const struct value *v = of->first; v && !found; v = v->next)
		found = reading_is_failure(v)                  ? v
		        : v->type == JSCAN_OBJECT && depth > 0 ? reading_failure_in(v, depth - 1)
		                                               : NULL;
	return found;
}

const char *reading_failure_text(const struct value *v, struct arena *a)
{
	return arena_printf(a, "%s is %s; run it again, or leave that out if it means something else",
	                    text_quote(a, v->key), text_quote(a, v->text));
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

/* True if `v` is a number that differs from the number `text` by at most this share (1e-6 %). */
static bool is_near(const struct value *v, struct span text, int64_t share)
{
	struct decimal a, b;
	struct span unit;
	return share && reading_number(v, &a, &unit) == DECIMAL_OK &&
	       decimal_parse(text, &b) == DECIMAL_OK && decimal_is_near(a, b, share);
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
	/* null in a list is a value: the exit code of a run that a signal ended */
	if (v->type == JSCAN_NULL && k->optional && v->parent->type != JSCAN_ARRAY)
		return;
	c->seen++;
	struct span want = k->equals ? wanted(c) : SPAN("");
	bool equal =
	    !k->equals || span_eq(v->text, want) || same_number(v, want) || is_near(v, want, k->within);
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
