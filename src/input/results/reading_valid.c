/* Reads numbers in values, and checks the conditions that a record must meet. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "results/path.h"
#include "results/readings.h"

enum { NUMBER_CHARS = 64, UNIT_CHARS = 24 };

static size_t digits_at(struct span s, size_t at)
{
	size_t n = at;
	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n - at;
}

/* Number of bytes of the integer part at `at`, which may have commas between thousands:
   "1,234,567", or "1,234" before a decimal point. 0 if the commas may mean something else: "1,900"
   may be 1.9, unless `thousands` says that commas separate thousands. */
static size_t whole_bytes(struct span s, size_t at, bool thousands)
{
	size_t n = at + digits_at(s, at), groups = 0, lead = n - at;
	for (; n < s.n && s.p[n] == ','; n += 4, groups++)
		if (digits_at(s, n + 1) != 3)
			return 0;
	bool sure = thousands || groups > 1 || (n < s.n && s.p[n] == '.' && digits_at(s, n + 1));
	return groups && (!sure || lead > 3 || !lead) ? 0 : n - at;
}

/* Number of bytes of the exponent at `at`, 0 if there is none. */
static size_t exponent_bytes(struct span s, size_t at)
{
	if (at >= s.n || (s.p[at] | 0x20) != 'e')
		return 0;
	size_t sign = at + 1 < s.n && (s.p[at + 1] == '-' || s.p[at + 1] == '+');
	size_t digits = digits_at(s, at + 1 + sign);
	return digits ? 1 + sign + digits : 0;
}

/* Copies the number at the front of `s` to `buf` in the form of JSON, and lets `out` point to it.
   Returns the length of the number in `s`, 0 if there is none. */
static size_t copy_number(struct span s, bool thousands, struct span *out,
                          char buf[NUMBER_CHARS + 1])
{
	size_t sign = s.n && (s.p[0] == '-' || s.p[0] == '+'), n = sign, kept = 0;
	size_t whole = whole_bytes(s, n, thousands), fraction = 0;
	n += whole;
	if (n < s.n && s.p[n] == '.')
		fraction = digits_at(s, n + 1);
	n += n < s.n && s.p[n] == '.' ? 1 + fraction : 0;
	n += exponent_bytes(s, n);
	if ((!whole && !fraction) || n >= NUMBER_CHARS)
		return 0;
	for (size_t i = s.p[0] == '+'; i < n; i++) {
		if (i == sign && !whole)
			buf[kept++] = '0';
		if (s.p[i] != ',' && (s.p[i] != '.' || fraction))
			buf[kept++] = s.p[i];
	}
	*out = (struct span){ buf, kept };
	return n;
}

/* True if `s` may be a unit: "ms", "tok/s", "%". False for the rest of a date, or for a remark. */
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

/* Adds the digits at `at` to `sum`; returns their number, 0 if there are more than `most`. */
static size_t add_digits(struct span s, size_t at, size_t most, int64_t *sum)
{
	size_t n = digits_at(s, at);
	for (size_t i = 0; i < n && n <= most; i++)
		*sum = 10 * *sum + s.p[at + i] - '0';
	return n <= most ? n : 0;
}

enum { WHOLE = 5, FRACTION = 9 }; /* digits; the sum of the parts in nanoseconds fits into int64 */

/* Number of bytes of the decimal places at `at`, with the point; adds them to `sum`. */
static size_t add_fraction(struct span s, size_t at, int64_t *sum)
{
	size_t n = at < s.n && s.p[at] == '.' ? digits_at(s, at + 1) : 0;
	return n && n <= FRACTION ? 1 + add_digits(s, at + 1, FRACTION, sum) : 0;
}

/* Number of bytes of a time as a clock has it, "0:01:30" or "1:30.5", at the front of a text. */
static size_t clock_bytes(struct span s, struct decimal *out)
{
	int64_t sum = 0;
	size_t n = add_digits(s, 0, WHOLE, &sum), parts = n > 0, more;
	for (int64_t part = 0;
	     parts && parts < 3 && n < s.n && s.p[n] == ':' && digits_at(s, n + 1) == 2;
	     part = 0, parts++) {
		n += 1 + add_digits(s, n + 1, 2, &part);
		sum = 60 * sum + part;
	}
	more = add_fraction(s, n, &sum);
	*out = decimal_of(sum, more ? (int64_t)more - 1 : 0);
	return parts > 1 ? n + more : 0;
}

/* Number of bytes of a time of several units, "2m30s" or "1h 0m 3.5s", at the front of a text. */
static size_t units_bytes(struct span s, struct decimal *out)
{
	static const char units[] = "dhms";
	static const int64_t seconds[] = { 86400, 3600, 60, 1 };
	int64_t sum = 0, places = 0;
	size_t parts = 0, end = 0, next = 0, n;
	for (size_t at = 0; next < NR_OF(seconds); at = end + (end < s.n && s.p[end] == ' ')) {
		int64_t part = 0;
		at += n = add_digits(s, at, WHOLE, &part);
		size_t more = n ? add_fraction(s, at, &part) : 0;
		at += more;
		const char *unit = at < s.n ? strchr(units + next, s.p[at]) : NULL;
		bool ends = at + 1 >= s.n || !is_letter(s.p[at + 1]);
		if (!n || !unit || !*unit || !ends || (more && *unit != 's'))
			break;
		next = (size_t)(unit - units) + 1;
		for (places = 0; places + 1 < (int64_t)more; places++)
			sum *= 10;
		sum += part * seconds[next - 1];
		end = at + 1;
		parts++;
	}
	*out = decimal_of(sum, places);
	return parts > 1 ? end : 0;
}

size_t reading_time(struct span s, bool *is_clock, struct decimal *out)
{
	size_t n = clock_bytes(s, out);
	*is_clock = n;
	return n ? n : units_bytes(s, out);
}

enum decimal_fault reading_number(const struct value *v, struct decimal *out, struct span *unit)
{
	return reading_number_as(v, false, out, unit);
}

enum decimal_fault reading_number_as(const struct value *v, bool thousands, struct decimal *out,
                                     struct span *unit)
{
	char buf[NUMBER_CHARS + 1];
	struct span s = span_trim(v->text, " "), number = SPAN(""), unsaid;
	unit = unit ? unit : &unsaid;
	*unit = SPAN("");
	if (v->type == JSCAN_NUMBER)
		return decimal_parse(s, out);
	if (v->type != JSCAN_STRING)
		return DECIMAL_NO_NUMBER;
	bool clock;
	if (s.n && reading_time(s, &clock, out) == s.n && (!clock || figure_is_sum(v->key, "s"))) {
		*unit = SPAN("s");
		return DECIMAL_OK;
	}
	size_t n = copy_number(s, thousands, &number, buf);
	*unit = span_from(s, n);
	static const char *const blanks[] = { "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89" };
	for (size_t i = 0; n && i < NR_OF(blanks); i++) /* that do not break, or are narrow or thin */
		span_skip(unit, span_of(blanks[i]));
	*unit = span_trim(*unit, " ");
	return is_unit(*unit) ? decimal_parse(number, out) : DECIMAL_NO_NUMBER;
}

bool reading_begins_as_number(struct span s)
{
	size_t n = 0, points = 0;
	for (; n < s.n && (is_digit(s.p[n]) || strchr(".,", s.p[n]) || (n == 0 && s.p[0] == '-')); n++)
		points += s.p[n] == '.';
	n += n && n + 1 < s.n && strchr("kKM", s.p[n]) && s.p[n + 1] == ' '; /* the "k" in "2.5k
	                                                                        tok/s" */
	return n > 0 && points < 2 && (n == s.n || s.p[n] == ' ');
}

bool reading_is_of_run(struct span name)
{
	static const char words[] =
	    "timestamp date datetime time started created host hostname node "
	    "machine user git commit sha hash version path dir url id uuid unit";
	for (size_t at = 0, n; at < name.n; at += n + 1) {
		for (n = 0; at + n < name.n && !strchr("_-. ", name.p[at + n]);)
			n++;
		if (span_is_listed_nocase((struct span){ name.p + at, n }, words))
			return true;
	}
	return false;
}

bool reading_is_fraction(const struct value *v)
{
	enum { ROWS = 100 };
	const struct value *row = v->parent;
	struct decimal number;
	for (size_t nr = 0; row && nr < ROWS; row = row->next, nr++) {
		const struct value *own = value_get(row, v->key);
		if (own && reading_number(own, &number, NULL) == DECIMAL_OK && number.digits > 0)
			return true;
	}
	return false;
}

bool reading_is_shortened(struct span s)
{
	size_t n = 0;
	if (!span_skip(&s, SPAN("PT"))) /* the beginning of a duration such as "PT1M30S" */
		span_skip(&s, SPAN("P"));
	while (n < s.n && strchr("0123456789.,: kKMGTmhsHSDT", s.p[n]))
		n++;
	return n && n == s.n && is_digit(s.p[0]);
}

bool reading_is_unmeasured(const struct value *v)
{
	static const char words[] = "nan inf infinity -nan -inf -infinity n/a [n/a] na none null - -- "
	                            "failed error timeout oom";
	struct span s = span_trim(v->text, " ");
	return v->type == JSCAN_NAN || v->type == JSCAN_NULL ||
	       (v->type == JSCAN_STRING && (!s.n || span_is_listed_nocase(s, words)));
}

bool reading_is_impossible(struct decimal d, struct span name, const char *unit, bool negative)
{
	/* 1e21 ns are 30,000 years; a number without a unit may be the FLOP of a whole training */
	int at = unit ? figure_unit_find(span_of(unit)) : -1;
	bool flop = at < 0 || strcmp(figure_units[at].dimension, "rate-of-flops") == 0;
	double size = fabs((double)d.value) * pow(10, -(double)d.digits);
	return size >= (flop ? 1e30 : 1e21) ||
	       (d.value < 0 && !negative && figure_is_amount(name, unit));
}

/* True if a text begins with a word of failure: "failed: CUDA out of memory", "ERROR", "NODE_FAIL";
   or is a name that has one: "eager_fail_to_run". */
static bool says_failure(struct span s)
{
	static const char words[] =
	    "fail fails failed failure error errored crash crashed abort aborted oom timeout timed "
	    "killed invalid wrong incorrect mismatch mismatched canceled interrupted "
	    "incomplete unsuccessful unhealthy preempted differ nok";
	/* words that mean a failure also within a name; others may be of what was tried */
	static const char within[] = "fail fails failed failure crashed oom differ";
	static const char *const phrases[] = { "cancelled",      "not ok",           "out of memory",
		                                   "out_of_memory",  "did not converge", "did not complete",
		                                   "did not finish", "did not run",      "did not pass",
		                                   "infra_error" };
	for (size_t i = 0; i < NR_OF(phrases); i++)
		if (s.n >= strlen(phrases[i]) && strncasecmp(s.p, phrases[i], strlen(phrases[i])) == 0)
			return true;
	bool name = !memchr(s.p, ' ', s.n);
	for (size_t at = 0, n; at < s.n; at += n + 1) {
		for (n = 0; at + n < s.n && is_letter(s.p[at + n]);)
			n++;
		struct span word = { s.p + at, n };
		bool more = name && at + n < s.n && s.p[at + n] == '_';
		if (span_is_listed_nocase(word, at ? within : words))
			return at || !more || span_is_listed_nocase(word, within);
		if (!more || span_is_listed_nocase(word, "no not non zero without xfail"))
			return false;
	}
	return false;
}

/* Kinds of keys whose values may say that the run failed. */
enum key_kind {
	KEY_OTHER,
	KEY_OUTCOME, ///< false, or a word of failure, is a failure
	KEY_COUNT, ///< like KEY_OUTCOME, but 0 is a failure, too
	KEY_TEXT, ///< a word of failure is a failure
	KEY_CODE, ///< a number other than 0 is a failure
	KEY_FAILED, ///< true is a failure
	KEY_ERROR ///< like KEY_FAILED, but a text that gives a reason is a failure, too
};

/* The kind of a word. Length and first letter rule out most words. */
static enum key_kind kind_of_word(struct span key)
{
#define KEY(text, kind)                       \
	{                                         \
		{ text, sizeof text - 1 }, KEY_##kind \
	}
	static const struct {
		struct span word;
		enum key_kind kind;
	} keys[] = {
		KEY("correct", COUNT),
		KEY("passed", COUNT),
		KEY("success", COUNT),
		KEY("valid", COUNT),
		KEY("ok", COUNT),
		KEY("verified", COUNT),
		KEY("correctness", OUTCOME),
		KEY("succeeded", COUNT),
		KEY("pass", OUTCOME),
		KEY("validation", OUTCOME),
		KEY("verdict", OUTCOME),
		KEY("accuracy_check", OUTCOME),
		KEY("crashed", FAILED),
		KEY("aborted", FAILED),
		KEY("nan", FAILED),
		KEY("successful", OUTCOME),
		KEY("status", OUTCOME),
		KEY("result", OUTCOME),
		KEY("outcome", OUTCOME),
		KEY("state", OUTCOME),
		KEY("okay", OUTCOME),
		KEY("match", OUTCOME),
		KEY("matches", OUTCOME),
		KEY("matched", OUTCOME),
		KEY("accuracy", OUTCOME),
		KEY("allclose", OUTCOME),
		KEY("disposition", OUTCOME),
		KEY("exit_code", CODE),
		KEY("exitcode", CODE),
		KEY("returncode", CODE),
		KEY("return_code", CODE),
		KEY("exit_status", CODE),
		KEY("failed", FAILED),
		KEY("timed_out", FAILED),
		KEY("oom", FAILED),
		KEY("error", ERROR),
		KEY("exception", ERROR),
		KEY("error_message", ERROR),
		KEY("error_msg", ERROR),
		KEY("failure_reason", ERROR),
		KEY("traceback", ERROR),
		KEY("cancelled", FAILED),
		KEY("was_cancelled", FAILED),
		KEY("interrupted", FAILED),
		KEY("invalid", FAILED),
		KEY("completed", OUTCOME),
		KEY("finished", OUTCOME),
		KEY("retcode", CODE),
		KEY("rc", CODE),
	};
#undef KEY
	for (size_t i = 0; i < NR_OF(keys); i++)
		if (key.n == keys[i].word.n && (key.p[0] | 0x20) == keys[i].word.p[0] &&
		    span_eq_nocase(key, keys[i].word))
			return keys[i].kind;
	return KEY_OTHER;
}

/* The kind of a key, which may be a question, such as "is_valid" or "numerics_ok", or the outcome
   of something that was run: "test_status", "run_exit_code". */
static enum key_kind kind_of_key(struct span key)
{
	static const char outcomes[] = "status result outcome state verdict disposition";
	enum key_kind kind = kind_of_word(key);
	const char *end = memchr(key.p, '_', key.n);
	struct span before = { key.p, end ? (size_t)(end - key.p) : 0 };
	if (kind != KEY_OTHER || !before.n || before.n + 1 == key.n)
		return kind;
	struct span what = span_from(key, before.n + 1);
	kind = kind_of_word(what);
	if (span_is_listed_nocase(before, "is has"))
		return kind;
	/* "tests_passed": 0 may be a number of tests that were not run */
	if (kind == KEY_COUNT &&
	    span_is_listed_nocase(before, "numerics results result output outputs check test run job"))
		return KEY_OUTCOME;
	bool run = span_is_listed_nocase(before, "test tests run job bench benchmark final overall");
	return run && kind == KEY_CODE                        ? KEY_CODE
	       : run && span_is_listed_nocase(what, outcomes) ? KEY_TEXT
	                                                      : KEY_OTHER;
}

/* True for a text that gives a reason of a failure. */
static bool is_reason(const struct value *v)
{
	struct span s = span_trim(v->text, " .!");
	struct decimal number;
	return v->type == JSCAN_STRING && s.n && reading_number(v, &number, NULL) != DECIMAL_OK &&
	       !span_is_listed_nocase(s, "false no ok success none null n/a na - passed completed") &&
	       !(s.n > 3 && span_eq_nocase((struct span){ s.p, 3 }, SPAN("no ")));
}

/* True if a list or an object tells a failure, as {"code": 500, "message": "…"} and ["timed out"]
   do. Other objects have figures, such as the largest error. */
static bool holds_reason(const struct value *of)
{
	for (const struct value *v = of->first; v; v = v->next) {
		bool told = of->type == JSCAN_ARRAY ||
		            span_is_listed_nocase(v->key, "message msg type code reason detail");
		bool code = told && v->type == JSCAN_NUMBER && span_eq_nocase(v->key, SPAN("code"));
		if (v->first ? holds_reason(v) : code || (told && is_reason(v)))
			return true;
	}
	return false;
}

bool reading_is_failure(const struct value *v)
{
	enum key_kind kind = kind_of_key(v->key);
	bool text = v->type == JSCAN_STRING;
	struct span s = span_trim(v->text, " ");
	struct decimal number;
	struct span unit;
	if (kind == KEY_OTHER)
		return false;
	if (kind == KEY_ERROR && v->first)
		return holds_reason(v);
	bool is_number = reading_number(v, &number, &unit) == DECIMAL_OK;
	if (is_number && !unit.n && number.digits <= 0 && kind == (number.value ? KEY_CODE : KEY_COUNT))
		return true;
	if (kind == KEY_TEXT)
		return text && says_failure(s);
	if (kind == KEY_OUTCOME || kind == KEY_COUNT)
		return v->type == JSCAN_FALSE ||
		       (text && (span_is_listed_nocase(s, "false no") || says_failure(s)));
	bool fails = v->type == JSCAN_TRUE ||
	             (text && (span_is_listed_nocase(s, "true yes") || says_failure(s)));
	bool reason = !reading_is_unmeasured(v) && is_reason(v);
	return kind != KEY_CODE && (fails || (reason && kind == KEY_ERROR));
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
	                    text_quote(a, v->key), v->first ? "not empty" : text_quote(a, v->text));
}

/* ---- conditions that a record must meet ---- */

struct condition {
	const struct result_valid *valid;
	struct value *record;
	size_t seen;
	struct value *broken, *near; ///< value that breaks the condition; value that meets it only
	                             ///< within the tolerance
};

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

/* Compares a value with a number: -1, 0 or 1 if the value is less, equal or more; 2 if one of them
 * is not a number. They count as equal if they differ by at most `share` of the number, in 1e-6 %.
 */
static int order(const struct value *v, struct span text, int64_t share)
{
	struct decimal a, b;
	if (reading_number(v, &a, NULL) != DECIMAL_OK || decimal_parse(text, &b) != DECIMAL_OK)
		return 2;
	int64_t digits = decimal_digits_of_both(a, b);
	int64_t x = decimal_scaled(a, digits), y = decimal_scaled(b, digits);
	return share && decimal_is_near(a, b, share) ? 0 : COMPARE(x, y);
}

static void check(void *ctx, const struct path_hit *hit)
{
	struct condition *c = ctx;
	const struct result_valid *k = c->valid;
	struct value *v = hit->v;
	/* null in a list is a value, such as the exit code of a run that a signal ended */
	if (v->type == JSCAN_NULL && k->optional && v->parent->type != JSCAN_ARRAY)
		return;
	c->seen++;
	struct span want = k->equals ? wanted(c) : SPAN("");
	bool fits = !k->equals || span_eq(v->text, want) || order(v, want, k->within) == 0;
	if (fits && k->within && k->say && order(v, want, 0) != 0)
		c->near = v;
	int least = k->min ? order(v, span_of(k->min), 0) : 0;
	int most = k->max ? order(v, span_of(k->max), 0) : 0;
	if (!c->broken && !(fits && (least == 0 || least == 1) && most <= 0))
		c->broken = v;
}

static const char *said(const struct condition *c, struct arena *a)
{
	const struct result_valid *k = c->valid;
	if (k->say) {
		struct template_words words = { .record = c->record, .file = "" };
		return text_short(a, template_fill(k->say, &words, a), 200);
	}
	const char *text = arena_printf(a, "'%s' is %s", k->at,
	                                c->broken ? text_short(a, c->broken->text, 60) : "not there");
	if (k->equals) {
		struct span want = wanted(c);
		text = arena_printf(a, "%s, not %s", text, k->equals);
		if (!span_eq(want, span_of(k->equals)) && k->equals[0] != '"')
			text = arena_printf(a, "%s (%s)", text, text_short(a, want, 60));
	}
	if (k->min || k->max)
		text = arena_printf(a, "%s, must be %s%s%s%s%s", text, k->min ? "at least " : "",
		                    k->min ? k->min : "", k->min && k->max ? " and " : "",
		                    k->max ? "at most " : "", k->max ? k->max : "");
	return text;
}

const char *reading_fault(const struct reading_file *f, struct value *record, struct diag_log *log)
{
	for (size_t i = 0; i < f->format->valid.nr; i++) {
		struct condition c = { .valid = &f->format->valid.v[i], .record = record };
		path_visit(c.valid->at, record, NULL, check, &c);
		if (c.broken || (!c.seen && !c.valid->optional))
			return said(&c, &log->arena);
		c.broken = c.near;
		if (c.near) /* figures may be better because the slower requests failed */
			diag_warn(log, "%s: %s: see whether the figures are of all", f->name,
			          said(&c, &log->arena));
	}
	return NULL;
}
