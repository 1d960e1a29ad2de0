/* Repeated objects in JSON: the scanner recognizes an object that it has seen before by a single
 * comparison, unless the object reaches beyond the window, as every object does if the window has
 * one byte. Documents of such objects with some bytes
 * changed must give the same events and the same error at the same byte, whether values are read or
 * skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/number.h"
#include "jscan_walk.h"
#include "trace_record.h"

static uint64_t random_state = 11;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % n;
}

static const char *const objects[] = {
	"{\"a\": 1, \"b\": \"x\", \"c\": {\"d\": [1, 2], \"e\": null}}",
	"{\n  \"a\": 12.50,\n  \"b\": \"\",\n  \"c\": {}\n}",
	"{\"a\": -3, \"b\": \"\\u0041\", \"c\": {\"d\": [], \"e\": true}, \"f\\n\": 0}",
	"{\"a\":1e3,\"b\":[{\"a\":0},{\"a\":0}],\"a key that is longer than thirty-two bytes\":01}",
	"{\"a\": 1234567890123456789, \"b\": NaN}",
	"{\"a\001\": 1, \"b\\x\": 2}", /* two tolerated faults: a control character, a bad escape */
	"{}",
};

static const char *const events[] = {
	"{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 7, \"tid\": 8,\n"
	"    \"ts\": 1712195495501688.500, \"dur\": 3.250,\n    \"args\": {\n      \"External id\": 5, "
	"\"Input Dims\": [[2, 3], []]\n    }\n  }",
	"{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7,\n"
	"    \"ts\": 1712195495501700, \"dur\": 0.001,\n    \"args\": {\n      \"device\": 0, "
	"\"stream\": "
	"7, \"correlation\": 31, \"grid\": [1, 2, 3], \"block\": [64, 1, 1]\n    }\n  }",
	"{\n    \"ph\": \"f\", \"id\": 31, \"pid\": 0, \"tid\": 7, \"ts\": 1712195495501700.1,\n    "
	"\"cat\": "
	"\"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  }",
	"{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"f\", \"pid\": 7, \"tid\": 8, "
	"\"ts\": 5, "
	"\"dur\": 1, \"args\": {\"Python id\": 4, \"Python parent id\": 3, \"Ev Idx\": 9}}",
	/* an object with the text of the first one, but at another place of the document */
	"{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 7, \"tid\": "
	"\"9\",\n"
	"    \"ts\": 12, \"dur\": 0.25,\n    \"args\": {\n      \"External id\": 0.125, \"Sequence "
	"number\": 4\n    }\n  }",
	"{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"pid\": 1e30, \"tid\": 8, "
	"\"id\": 1,\n"
	"    \"name\": \"b\", \"ts\": 14, \"ph\": \"i\"}",
	"{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"pid\": 7, \"tid\": 8, "
	"\"name\": \"b\", \"ts\": 14}",
	"{\"ph\": \"X\", \"cat\": \"cpu\001op\", \"name\": \"n\", \"ts\": 6}",
	"{\"ph\": \"i\", \"name\": \"[memory]\", \"pid\": 7, \"tid\": 8, \"ts\": 6, \"args\": "
	"{\"Bytes\": -512, "
	"\"Device Type\": 1, \"Device Id\": 0, \"Total Allocated\": 1024, \"Total Reserved\": 4096}}",
};

/* Makes a list of the given texts, in which a few bytes are changed, lost or doubled. */
static void make(struct strbuf *b, const char *const *texts, uint32_t nr)
{
	static const char bytes[] = "\"\\{}[],: 0123456789.-eE\n\x01\x80naXf";
	struct strbuf whole = STRBUF_INIT;
	uint32_t parts = 1 + random_below(16);
	strbuf_setlen(b, 0);
	strbuf_adds(&whole, "[");
	for (uint32_t i = 0; i < parts; i++) {
		/* now and then the comma before an element is left out: an error, except before the first
		   element */
		strbuf_adds(&whole, i && random_below(60) ? ",\n  " : "\n  ");
		strbuf_adds(&whole, texts[random_below(3) ? random_below(nr) : 0]);
	}
	strbuf_adds(&whole, "\n]");
	uint32_t changes = random_below(3), n = (uint32_t)whole.n, at[3];
	for (uint32_t i = 0; i < changes; i++)
		at[i] = random_below(n);
	for (uint32_t i = 0; i < n; i++) {
		bool changed = false;
		for (uint32_t k = 0; k < changes; k++)
			changed = changed || at[k] == i;
		uint32_t form = random_below(4);
		if (!changed || form == 0)
			strbuf_addch(b, whole.p[i]);
		if (changed && form < 3)
			strbuf_addch(b, bytes[random_below(sizeof bytes - 1)]);
	}
	strbuf_release(&whole);
}

static void scanned_alike(void **state)
{
	static const size_t sizes[] = { 1, 7, 63, 64, 65, 200 };
	struct strbuf b = STRBUF_INIT;
	(void)state;
	for (int round = 0; round < 4000; round++) {
		make(&b, objects, sizeof objects / sizeof *objects);
		for (int tolerant = 0; tolerant < 2; tolerant++) {
			struct walked slow = walk_text_of(strbuf_span(&b), tolerant, 1, false);
			struct walked whole = walk_text_of(strbuf_span(&b), tolerant, 0, false);
			struct walked skip = walk_text_of(strbuf_span(&b), tolerant, 0, true);
			struct walked some =
			    walk_text_of(strbuf_span(&b), tolerant, sizes[random_below(6)], round % 2);
			if (!walked_same(&slow, &whole, true) || !walked_same(&slow, &skip, false) ||
			    !walked_same(&slow, &some, round % 2 == 0))
				fail_msg("%s:\n'%s' and '%s' or '%s' or '%s'", strbuf_str(&b),
				         strbuf_str(&slow.error), strbuf_str(&whole.error), strbuf_str(&skip.error),
				         strbuf_str(&some.error));
			walked_release(&slow);
			walked_release(&whole);
			walked_release(&skip);
			walked_release(&some);
		}
	}
	strbuf_release(&b);
}

static void traces_alike(void **state)
{
	static const size_t sizes[] = { 2, 7, 63, 64, 65, 200 };
	struct strbuf b = STRBUF_INIT;
	(void)state;
	for (int round = 0; round < 2500; round++) {
		make(&b, events, sizeof events / sizeof *events);
		struct trace_options options = { .allow_truncated = round % 3 == 0 };
		struct record slow = record_trace(strbuf_span(&b), options, 1, 0);
		struct record whole = record_trace(strbuf_span(&b), options, 0, 0);
		options.portable = true;
		struct record some = record_trace(strbuf_span(&b), options, sizes[random_below(6)], 0);
		if (!record_same(&slow, &whole) || !record_same(&slow, &some))
			fail_msg("%s:\n%s%s%s\n%s%s%s", strbuf_str(&b), strbuf_str(&slow.events),
			         strbuf_str(&slow.meta), strbuf_str(&slow.log), strbuf_str(&whole.events),
			         strbuf_str(&whole.meta), strbuf_str(&whole.log));
		record_release(&slow);
		record_release(&whole);
		record_release(&some);
	}
	strbuf_release(&b);
}

struct scan {
	struct diag_log log;
	struct source *src;
	struct jscan *js;
};

static void scan_begin(struct scan *s, const char *text)
{
	diag_init(&s->log);
	s->src = source_memory("doc", text, strlen(text), NULL);
	s->js = jscan_new(s->src, NULL, &s->log);
}

static void scan_end(struct scan *s)
{
	jscan_free(s->js);
	source_close(s->src);
	diag_release(&s->log);
}

/* A quick function for numbers either gives the same result as the slow one, or gives up without
   consuming anything. */
static void plain_numbers(void **state)
{
	static const char bytes[] = "0123456789.-+eE ,]";
	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[48] = { 0 };
		uint32_t n = 1 + random_below(22);
		bool natural = round % 2;
		for (uint32_t i = 0; i < n; i++)
			text[i] = bytes[random_below(i && random_below(6) == 0 ? 18 : 10)];
		text[0] = random_below(8) ? text[0] : '-';
		text[n] = ',';
		unsigned digits = natural ? 0 : random_below(7);
		int64_t got = 0, want = 0;
		struct span number = SPAN("");
		struct scan quick, slow;
		scan_begin(&quick, text);
		scan_begin(&slow, text);
		if (natural ? jscan_natural(quick.js, &got) : jscan_decimal(quick.js, digits, &got)) {
			assert_true(jscan_number(slow.js, &number));
			assert_true(number_parse(number, (int)digits, &want));
			assert_int_equal(got, want);
			assert_int_equal(jscan_byte(quick.js), jscan_byte(slow.js));
			assert_false(natural && text[0] == '-');
		} else {
			/* a function that fails must not consume anything */
			assert_int_equal(jscan_byte(quick.js), 0);
		}
		scan_end(&quick);
		scan_end(&slow);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scanned_alike),
		cmocka_unit_test(traces_alike),
		cmocka_unit_test(plain_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
