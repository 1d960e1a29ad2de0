#include "read/tree.h"

#include "base/number.h"
#include "io/jscan_inline.h"

struct json {
	struct jscan *js;
	struct jscan_repeats again; ///< cache of stack frames: the stack traces of a snapshot repeat a
	                            ///< few hundred frames
};

static struct jscan *scanner(void *ctx)
{
	return ((struct json *)ctx)->js;
}

#define FORWARD(type, name, to)  \
	static type name(void *ctx)  \
	{                            \
		return to(scanner(ctx)); \
	}
FORWARD(bool, json_object, jscan_object)
FORWARD(bool, json_array, jscan_array)
FORWARD(bool, json_element, jscan_element)
FORWARD(uint64_t, json_byte, jscan_value_byte_inline)
FORWARD(enum status, json_status, jscan_status)

static bool json_key(void *ctx, struct span *key)
{
	return jscan_key_inline(scanner(ctx), key);
}

static void json_scalar(void *ctx, struct scalar *out)
{
	struct jscan *js = scanner(ctx);
	enum jscan_type type;
	int64_t natural;
	out->byte = jscan_value_byte_inline(js);
	if (jscan_string_at(&js->at, &out->text) || jscan_string(js, &out->text)) {
		out->type = SCALAR_TEXT;
		return;
	}
	out->type = SCALAR_INTEGER;
	if (jscan_natural_at(&js->at, &natural) || jscan_natural(js, &natural)) {
		out->magnitude = (uint64_t)natural;
		return;
	}
	out->type = SCALAR_OTHER;
	if (jscan_number(js, &out->text)) {
		struct span digits = out->text;
		out->negative = digits.p[0] == '-';
		digits.p += out->negative;
		digits.n -= out->negative;
		if (number_parse_u64(digits, &out->magnitude))
			out->type = SCALAR_INTEGER;
	} else if (!jscan_literal(js, &type)) {
		jscan_skip(js);
	} else if (type == JSCAN_NULL) {
		out->type = SCALAR_NULL;
	} else if (type == JSCAN_TRUE || type == JSCAN_FALSE) {
		out->type = SCALAR_BOOL;
		out->magnitude = type == JSCAN_TRUE;
	}
}

static void json_skip(void *ctx)
{
	jscan_skip(scanner(ctx));
}

static void json_fail(void *ctx, uint64_t byte, const char *what)
{
	jscan_fail(scanner(ctx), byte, "%s", what);
}

static bool json_again(void *ctx, uint32_t *tag)
{
	struct json *json = ctx;
	return jscan_again(json->js, &json->again, tag);
}

static void json_learn(void *ctx, uint32_t tag)
{
	struct json *json = ctx;
	jscan_learn_again(json->js, &json->again, tag);
}

static const struct tree_ops json_ops = {
	.object = json_object,
	.key = json_key,
	.array = json_array,
	.element = json_element,
	.scalar = json_scalar,
	.skip = json_skip,
	.byte = json_byte,
	.fail = json_fail,
	.status = json_status,
	.again = json_again,
	.learn = json_learn,
};

enum status json_read_tree(struct source *src, const struct json_tree_options *options,
                           tree_form *form, void *ctx, struct diag_log *log)
{
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = true }, log);
	struct json json = { .js = js };
	struct tree tree = { &json_ops, &json };
	form(ctx, &tree);
	jscan_end(js);
	if (source_truncated(src))
		jscan_fail(js, jscan_byte(js), "%s", options->cut);
	enum status st = jscan_status(js);
	*options->faults = jscan_faults(js, options->fault_byte);
	jscan_repeats_release(&json.again);
	jscan_free(js);
	return st;
}
