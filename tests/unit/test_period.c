#include "base/period.h"

#include "base/number.h"
#include "reduce_rig.h"

/* A sequence as text: each letter is a kernel of 1 us, a capital letter one of 20 us; "(ab)3" is
   ababab. '?' is any small letter, '~' one of two kernels at random, '-' one of four kernels or
   none. */
struct sequence {
	VEC(uint32_t) names;
	uint64_t seed;
};

static uint32_t chance(struct sequence *s, uint32_t nr)
{
	s->seed = s->seed * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(s->seed >> 33) % nr;
}

static const char *expand(struct sequence *s, const char *text)
{
	for (; *text && *text != ')'; text++) {
		if (*text == '(') {
			const char *body = text + 1, *end = body;
			for (size_t depth = 1; depth; end++)
				depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
			char *after;
			for (long n = strtol(end, &after, 10); n > 0; n--)
				expand(s, body);
			text = after - 1;
		} else if (*text == '?') {
			vec_push(&s->names, 'a' + chance(s, 26));
		} else if (*text == '~') {
			vec_push(&s->names, '0' + chance(s, 2));
		} else if (*text != '-') {
			vec_push(&s->names, (unsigned char)*text);
		} else if (chance(s, 2)) {
			vec_push(&s->names, '4' + chance(s, 4));
		}
	}
	return text;
}

/* Writes the period as "5 x 218 from 0 to 1090, 100 %", or as "none, 72 %" if there is none. */
static void show(const char *text, struct strbuf *out)
{
	struct sequence s = { .seed = 7 };
	struct period p;
	int64_t mean_ns[128];
	expand(&s, text);
	for (int i = 0; i < 128; i++)
		mean_ns[i] = i >= 'A' && i <= 'Z' ? 20000 : 1000;
	period_find(&(struct launch_sequence){ s.names.v, s.names.nr, mean_ns, 128 }, &p);
	if (p.starts.nr)
		strbuf_addf(out, "%zu x %" PRId64 " from %zu to %zu, ", p.starts.nr - 1, p.launches,
		            p.starts.v[0], p.starts.v[p.starts.nr - 1]);
	else
		strbuf_adds(out, "none, ");
	strbuf_addf(out, "%" PRId64 " %%", p.regularity / MICRO);
	vec_release(&s.names);
	period_release(&p);
}

static void test_sequences(void **state)
{
	(void)state;
	static const struct {
		const char *title, *sequence, *expect;
	} rows[] = {
		{ "nothing", "", "none, 0 %" },
		{ "one launch", "a", "none, 0 %" },
		{ "the same twice", "aa", "2 x 1 from 0 to 2, 100 %" },
		{ "two repetitions", "(abcdefgh)2", "2 x 8 from 0 to 16, 100 %" },
		{ "ten thousand", "(abcdefgh)10000", "10000 x 8 from 0 to 80000, 100 %" },
		{ "layers of a step", "(e(abcd)36hijk(dxcbay)36opq)5", "5 x 368 from 0 to 1840, 100 %" },
		{ "layers of steps that launch forward alone", "(e(abcdfg)36hijk)5",
		  "5 x 221 from 0 to 1105, 100 %" },
		{ "layers of one step", "e(abcdfg)36hijk", "none, 54 %" },
		{ "parts of a batch, then the optimizer", "((e(abcd)9hij(dxcbay)9)8op)3",
		  "3 x 754 from 0 to 2262, 100 %" },
		{ "and that of kernels that others launch too", "((e(abcd)9hij(dxcbay)9)8ayayayay)3",
		  "3 x 760 from 0 to 2280, 100 %" },
		{ "kernels that come by chance", "(e(abcd-)9hij(dxcba-y)9op)20",
		  "20 x 105 from 0 to 2098, 90 %" },
		{ "kernels of two kinds by chance", "(e(abcdfg)9hij~(dxcbay)9opqrstuvw)20",
		  "20 x 122 from 0 to 2440, 94 %" },
		{ "every third step logs",
		  "(((abcdefghijklmnopqrstuvwxyz)4hij)2(abcdefghijklmnopqrstuvwxyz)4hijab)10",
		  "30 x 107 from 0 to 3228, 99 %" },
		{ "a first one that tries out kernels",
		  "eaXabcXbcdXcXdhijopqrs(e(abcd)5hijklm(dxcbay)5opqrstu)6",
		  "6 x 64 from 22 to 406, 100 %" },
		{ "a first one that lacks some", "e(abcd)5hijopqrs(e(abcd)5hij(dxcbay)5opqrstu)6",
		  "6 x 61 from 29 to 395, 100 %" },
		{ "what comes before and behind", "zzz(efghijklmnop(abcd)9)8zzzz",
		  "8 x 48 from 0 to 384, 94 %" },
		{ "a last one cut short", "(efghijklmnop(abcd)9)5efghijklm",
		  "5 x 48 from 0 to 240, 100 %" },
		{ "the end of one before", "bcdabcd(efghijklmnop(abcd)9)5", "5 x 48 from 0 to 240, 95 %" },
		{ "no order", "(?)3000", "none, 86 %" },
		{ "no order, and many", "(?)30000", "none, 87 %" },
		{ "too much by chance", "(e(abcd-)5hij(dxcba-y)3opqrstuvw)10", "none, 88 %" },
		{ "two kernels in no order", "(~)5000", "none, 68 %" },
		{ "no two alike", "abcdefghijklmnopqrstuvwxyz", "none, 0 %" },
		{ "one head, of much time", "(abcdfgijklmnopqrstuvwxyz)36HHHHHH", "none, 87 %" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct strbuf out = STRBUF_INIT;
		show(rows[i].sequence, &out);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("%s: %s", rows[i].title, strbuf_str(&out));
		strbuf_release(&out);
	}
}

/* ---- steps of a trace ---- */

/* Feeds launches 10 ns apart, from 1000 on, each of which lasts 5 ns on the host, and their kernels
 * 3 ns later; other parameters are those of `rig_row`. With `graph` there is one launch for all
 * kernels; with `stamps` there are only kernels, without launches. */
static void feed(struct rig *g, const char *text, bool graph, bool stamps)
{
	struct sequence s = { .seed = 7 };
	expand(&s, text);
	for (size_t i = 0; i < s.names.nr; i++) {
		char line[80];
		size_t id = graph ? 1 : i + 1;
		snprintf(line, sizeof line, "R cudaLaunchKernel 1 %zu %zu 5", id, 1000 + 10 * id);
		if (!stamps && (!graph || i == 0))
			rig_line(g, line);
		snprintf(line, sizeof line, "K %c 0 7 %zu %zu 3", (int)s.names.v[i], id, 1500 + 10 * i);
		rig_line(g, line);
	}
	vec_release(&s.names);
}

static void test_steps(void **state)
{
	(void)state;
	static const struct {
		const char *title, *sequence, *more;
		bool by_period, graph, stamps;
		const char *what, *expect;
	} rows[] = {
		{ "a repetition ends where the next one begins", "(abcde)3", "", true, false, false,
		  "step.time", "50 50 45" },
		{ "numbered from 0", "(abcde)3", "", true, false, false, "steps", "0 1 2" },
		{ "launches count for it", "(abcde)3", "", true, false, false, "step.cuda_time",
		  "15 15 15" },
		{ "by their launch", "(abcde)3", "", true, false, false, "attribution", "1 0 0 0" },
		{ "what follows is in none", "(abcdefghijkl)3z", "", true, false, false, "attribution",
		  "1 0 0 1" },
		{ "the last one ends with the operator that launches last", "(abcde)3",
		  "O aten::add 1 1140 100\nO aten::sum 2 1100 900\nR cudaDeviceSynchronize 1 -1 1160 500",
		  true, false, false, "step.time", "50 50 130" },
		{ "markers come first", "(abcde)3", "A ProfilerStep#7 1 1000 500", true, false, false,
		  "steps", "7" },
		{ "and no period is looked for", "(abcde)3", "A ProfilerStep#7 1 1000 500", false, false,
		  false, "period", "marker 0 0 0" },
		{ "one window unless asked", "(abcde)3", "", false, false, false, "step.cuda_time", "45" },
		{ "of which it is told", "(abcde)3", "", false, false, false, "period",
		  "window 3 5 100000000: no steps: figures are those of the whole trace; its launches "
		  "repeat 3 times, regularity 100.00 %: measure them as steps with 'steps: {unmarked: "
		  "period}' in the rules" },
		{ "what is told of steps", "(abcde)3", "", true, false, false, "period",
		  "period 3 5 100000000: steps: recognized from the period of launches: 3 × 5 launches, "
		  "regularity 100.00 %" },
		{ "and of none", "e(abcd)3gh", "", true, false, false, "period",
		  "window 0 0 57142857: no steps: figures are those of the whole trace, as its launches "
		  "have no period: regularity 57.14 %, needed 90 %" },
		{ "and of none that is looked for", "e(abcd)3gh", "", false, false, false, "period",
		  "window 0 0 57142857: no steps: figures are those of the whole trace" },
		{ "within one launch there are none", "(abcde)3", "", true, true, false, "period",
		  "window 0 0 0: no steps: figures are those of the whole trace, as its launches have no "
		  "period" },
		{ "without launches by start", "(abcde)3", "", true, false, true, "step.time", "50 50 43" },
		{ "the last one ends behind a kernel without length", "",
		  "K a 0 7 -1 10 3\nK b 0 7 -1 20 3\nK a 0 7 -1 30 3\nK b 0 7 -1 40 3\n"
		  "K a 0 7 -1 50 3\nK b 0 7 -1 60 0\n",
		  true, false, false, "step.time", "20 20 11" },
		{ "nor where one launch has two of three repetitions", "",
		  "R cudaLaunchGraph 1 1 1000 5\nR cudaLaunchKernel 1 2 1100 5\nR cudaLaunchKernel 1 3 "
		  "1110 5\n"
		  "K a 0 7 1 1500 3\nK b 0 7 1 1510 3\nK a 0 7 1 1520 3\nK b 0 7 1 1530 3\n"
		  "K a 0 7 2 1540 3\nK b 0 7 3 1550 3\n",
		  true, false, false, "period",
		  "window 0 0 0: no steps: figures are those of the whole trace, as its launches have no "
		  "period" },
		{ "be they the last two", "",
		  "R cudaLaunchKernel 1 1 1000 5\nR cudaLaunchKernel 1 2 1010 5\nR cudaLaunchGraph 1 3 "
		  "1100 "
		  "5\n"
		  "K a 0 7 1 1500 3\nK b 0 7 2 1510 3\nK a 0 7 3 1520 3\nK b 0 7 3 1530 3\n"
		  "K a 0 7 3 1540 3\nK b 0 7 3 1550 3\n",
		  true, false, false, "period",
		  "window 0 0 0: no steps: figures are those of the whole trace, as its launches have no "
		  "period" },
		{ "no GPU activity", "", "O aten::add 1 1140 100", true, false, false, "period",
		  "window 0 0 0: no steps: figures are those of the whole trace, as its launches have no "
		  "period" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, &(struct reduce_options){ .by_period = rows[i].by_period });
		feed(&g, rows[i].sequence, rows[i].graph, rows[i].stamps);
		rig_feed(&g, rows[i].more);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		if (strcmp(rows[i].what, "period") == 0) {
			const char *text = digest_unmarked_text(g.d, &g.d->arena);
			strbuf_addf(&out, "%s ", digest_steps_by(g.d));
			strbuf_addf(&out, "%" PRId64 " %" PRId64 " %" PRId64, g.d->period_count,
			            g.d->period_launches, g.d->period_regularity);
			strbuf_addf(&out, "%s%s", text ? ": " : "", text ? text : "");
		} else {
			rig_show(g.d, rows[i].what, &out);
		}
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("%s: %s", rows[i].title, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sequences),
		                                cmocka_unit_test(test_steps) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
