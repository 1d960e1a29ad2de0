/* Scanning of numbers and of the words true, false, null, NaN. */
#include "io/jscan_inline.h"

/* ---- scanning of numbers ---- */

static char current(struct jscan *js)
{
	return jscan_have(js, 1) ? *js->at : '\0';
}

static void skip_digits(struct jscan *js, bool *any)
{
	while (is_digit(current(js))) {
		*any = true;
		js->at = (char *)bytes_digits_end(js->at);
	}
}

bool jscan_scan_number(struct jscan *js)
{
	bool any = false;
	if (current(js) == '-')
		js->at++;
	if (current(js) == '0') {
		js->at++;
		any = true;
	} else {
		skip_digits(js, &any);
	}
	if (any && current(js) == '.') {
		js->at++;
		any = false;
		skip_digits(js, &any);
	}
	if (any && (current(js) == 'e' || current(js) == 'E')) {
		js->at++;
		if (current(js) == '+' || current(js) == '-')
			js->at++;
		any = false;
		skip_digits(js, &any);
	}
	if (!any)
		jscan_fail_expected(js, jscan_have(js, 1) ? (unsigned char)*js->at : -1, "a digit");
	return js->status == ST_OK;
}

bool jscan_number(struct jscan *js, struct span *text)
{
	if (jscan_peek(js) != JSCAN_NUMBER)
		return false;
	js->mark = js->at;
	bool ok = jscan_scan_number(js);
	if (ok)
		*text = (struct span){ js->mark, (size_t)(js->at - js->mark) };
	js->mark = NULL;
	return ok;
}

bool jscan_decimal(struct jscan *js, unsigned digits, int64_t *out)
{
	bool negative = jscan_next(js) == '-';
	char *at = js->at + negative;
	if (!jscan_decimal_at(&at, digits, out))
		return false;
	*out = negative ? -*out : *out;
	js->at = at;
	return true;
}

bool jscan_natural(struct jscan *js, int64_t *out)
{
	(void)jscan_next(js);
	return jscan_natural_at(&js->at, out);
}

/* ---- scanning of words ---- */

static bool scan_word(struct jscan *js, const char *word)
{
	size_t n = strlen(word);
	jscan_have(js, n);
	size_t left = (size_t)(js->end - js->at);
	if (left < n && memcmp(js->at, word, left) == 0)
		return jscan_fail_cut(js, "the rest of a word");
	if (left < n || memcmp(js->at, word, n) != 0)
		return false;
	js->at += n;
	return true;
}

static bool scan_nan(struct jscan *js)
{
	static const char *const words[] = { "NaN", "nan", "Infinity", "infinity", "inf", "Inf" };
	uint64_t byte = jscan_byte(js);
	if (!js->tolerant)
		return jscan_fail(js, byte, "NaN or infinity, which is not JSON");
	if (*js->at == '-')
		js->at++;
	for (size_t i = 0; i < NR_OF(words); i++)
		if (scan_word(js, words[i])) {
			if (!js->nan)
				jscan_fault(js, byte);
			return true;
		}
	return jscan_fail_expected(js, (unsigned char)*js->at, "a value");
}

bool jscan_literal(struct jscan *js, enum jscan_type *type)
{
	static const char *const words[] = {
		[JSCAN_TRUE] = "true", [JSCAN_FALSE] = "false", [JSCAN_NULL] = "null"
	};
	enum jscan_type t = jscan_peek(js);
	bool word = t == JSCAN_TRUE || t == JSCAN_FALSE || t == JSCAN_NULL;
	if (word && !scan_word(js, words[t]))
		return jscan_fail_expected(js, (unsigned char)*js->at, "a value");
	if (!word && (t != JSCAN_NAN || !scan_nan(js)))
		return false;
	*type = t;
	return true;
}

bool jscan_null(struct jscan *js)
{
	enum jscan_type type;
	return jscan_peek(js) == JSCAN_NULL && jscan_literal(js, &type);
}
