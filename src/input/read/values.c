#include "read/values.h"

#include "base/number.h"

bool enter_object(struct jscan *js)
{
	return jscan_object(js) || (jscan_skip(js), false);
}

bool enter_array(struct jscan *js)
{
	return jscan_array(js) || (jscan_skip(js), false);
}

bool read_integer(struct jscan *js, bool quoted, int64_t *out)
{
	struct span text;
	uint64_t magnitude;
	if (jscan_natural(js, out))
		return true;
	if (!jscan_number(js, &text) && !(quoted && jscan_string(js, &text))) {
		jscan_skip(js);
		return false;
	}
	bool negative = text.n && text.p[0] == '-';
	text.p += negative;
	text.n -= negative;
	if (!number_parse_u64(text, &magnitude) || magnitude > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	return true;
}
