/* The operator that was running when allocated memory was highest. */
#include <stdlib.h>

#include "reduce_rig.h"

struct peak_row {
	const char *title, *script, *expect; ///< expected text "OP | DIMS | TYPES", with "-" for
	                                     ///< unknown parts
};

#define PEAK "M 0 1 900 1000 50\n"

static const struct peak_row rows[] = {
	{ "none", PEAK, "- | - | -" },
	{ "around it", "O a 1 10 90\n" PEAK, "a | [a] | t" },
	{ "events before operators", PEAK "O a 1 10 90\n", "a | [a] | t" },
	{ "the innermost", "O a 1 10 90\nO b 1 20 60\nO c 1 40 20\n" PEAK, "c | [c] | t" },
	{ "whatever the order", "O c 1 40 20\nO b 1 20 60\nO a 1 10 90\n" PEAK, "c | [c] | t" },
	{ "one that ended", "O a 1 10 90\nO b 1 20 10\n" PEAK, "a | [a] | t" },
	{ "begins with it", "O a 1 10 90\nO b 1 50 10\n" PEAK, "b | [b] | t" },
	{ "ends with it", "O a 1 10 90\nO b 1 40 10\n" PEAK, "a | [a] | t" },
	{ "empty", "O b 1 50 0\n" PEAK, "- | - | -" },
	{ "begun together", "O c 1 40 20\nO b 1 40 60\n" PEAK, "c | [c] | t" },
	{ "equal: the later", "O a 1 40 20\nO b 1 40 20\n" PEAK, "b | [b] | t" },
	{ "another thread", "O a 2 10 90\n" PEAK, "- | - | -" },
	{ "an inner one of another thread", "O a 1 10 90\nO b 2 40 20\n" PEAK, "a | [a] | t" },
	{ "no operator", "A b 1 10 90\nR c 1 -1 40 20\n" PEAK, "- | - | -" },
	{ "without shapes", "O a 1 10 90\nO xb 1 40 20\n" PEAK, "xb | - | -" },
	{ "shaped, around one without", "O m8 1 10 90\nO e 1 40 20\n" PEAK, "m8 | [m8] | t" },
	{ "the innermost shaped", "O m8 1 10 90\nO m9 1 30 60\nO e 1 40 20\n" PEAK, "m9 | [m9] | t" },
	{ "shapes alone", "O d8 1 10 90\n" PEAK, "d8 | [d8] | -" },
	{ "types alone", "O t8 1 10 90\n" PEAK, "t8 | - | t" },
	{ "the latest of equal peaks", "O a 1 10 20\nO b 1 40 20\n" PEAK "M 0 1 900 1000 15\n",
	  "b | [b] | t" },
	{ "the host's memory", "O a 1 10 20\nO b 1 40 20\nM 0 0 9000 9000 15\n" PEAK, "b | [b] | t" },
};

/* Completes the events of the rig: shapes and types for operators whose name does not begin with x,
   shapes alone if it begins with d, types alone if it begins with t; and the thread of
   allocations. */
static enum status with_inputs(void *ctx, const struct event *ev)
{
	struct event e = *ev;
	char dims[32];
	struct event_sink *sink = ctx;
	snprintf(dims, sizeof dims, "[%s]", e.name->s);
	if (e.kind == EVENT_OP && e.name->s[0] != 'x') {
		e.input_dims = e.name->s[0] == 't' ? SPAN("") : span_of(dims);
		e.input_types = e.name->s[0] == 'd' ? SPAN("") : SPAN("t");
	}
	if (e.kind == EVENT_MEMORY)
		e.pid = e.tid = 1;
	return sink->event(sink->ctx, &e);
}

static const char *known(const char *text)
{
	return text ? text : "-";
}

static void test_peak_op(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		struct event_sink sink = reducer_sink(g.r);
		g.through = (struct event_sink){ .ctx = &sink, .event = with_inputs };
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->memories.nr, 1);
		const struct memory_stat *m = &g.d->memories.v[0];
		strbuf_addf(&out, "%s | %s | %s", known(m->peak_op), known(m->peak_dims),
		            known(m->peak_types));
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("%s: expected %s, got %s", rows[i].title, rows[i].expect, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_peak_op) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
