#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/path.h"
#include "results/result_file.h"
#include "rules/formats_file.h"

/* Writes the figures as one line, or the error. */
static void show(struct strbuf *out, enum status st, const struct digest *d,
                 const struct diag_log *log)
{
	if (st != ST_OK)
		strbuf_adds(out, diag_first_error(log));
	for (size_t i = 0; st == ST_OK && i < d->inputs.nr; i++) {
		const struct input_stat *s = &d->inputs.v[i];
		char buf[NUMBER_TEXT];
		strbuf_addf(out, "%s%s=%s", i ? " " : "", s->name,
		            number_format(s->value, (int)s->digits, buf));
		if (strcmp(s->unit, UNIT_BARE) != 0)
			strbuf_addf(out, " %s", s->unit);
		if (s->better)
			strbuf_addf(out, " %s", s->better);
		if (s->samples)
			strbuf_addf(out, " n%lld ±%s", (long long)s->samples,
			            number_format(s->spread, (int)s->digits, buf));
	}
}

static struct result_formats built_in;

/* Reads a text; `formats` NULL means the built-in table. */
static enum status read_text(const char *formats, struct span text, size_t block, bool *found,
                             struct strbuf *out)
{
	struct result_formats table = { 0 };
	struct diag_log log;
	struct digest *d = digest_new();
	diag_init(&log);
	enum status st =
	    formats ? formats_read("f", (struct span[]){ span_of(formats) }, &table, &log) : ST_OK;
	if (st == ST_OK) {
		const struct result_formats *const tables[] = { formats ? &table : &built_in, NULL };
		struct result_reader reader = { tables, "bench/r.json", "r.json" };
		struct source *src =
		    source_memory("m", text.p, text.n, &(struct source_options){ .block = block });
		st = result_read(src, &reader, d, found, &log);
		source_close(src);
	}
	show(out, st, d, &log);
	result_formats_release(&table);
	diag_release(&log);
	digest_free(d);
	return st;
}

#define SERVE "\"backend\": \"vllm\", \"model_id\": \"m\", \"num_prompts\": 8, \"mean_ttft_ms\": "
#define SGLANG(rate, ttft)                                                             \
	"{\"backend\":\"s\",\"dataset_name\":\"d\",\"total_output_tokens_retokenized\":1," \
	"\"completed\":2,\"request_rate\":" rate ",\"median_ttft_ms\":" ttft "}\n"

static const struct row {
	const char *formats, *text;
	const char *figures; ///< expected figures, or, if `refused`, the expected error
	bool refused;
} rows[] = {
	{ NULL, "{" SERVE "2.2e-07, \"request_rate\": \"inf\", \"p99.9_ttft_ms\": 3}",
	  "m.rinf/mean_ttft_ms=0.00000022 ms lower m.rinf/p99.9_ttft_ms=3 ms lower", false },
	/* means with and without their standard deviation */
	{ NULL, "{" SERVE "10.5, \"std_ttft_ms\": 2.13, \"completed\": 8}",
	  "m.rnone/mean_ttft_ms=10.5 ms lower n8 ±2.1 m.rnone/std_ttft_ms=2.13 ms", false },
	{ "- {name: f, has: [a], take: [{at: a, scale: 1000, stdev_share: s, count: n}]}",
	  "{\"a\": 0.0125, \"s\": \"0.02\", \"n\": 40}", "a=12.5 n40 ±0.3", false },
	{ "- {name: f, has: [a], take: [{at: a, stdev: s, count: n}]}", "{\"a\": 12.5, \"s\": 2}",
	  "a=12.5", false },
	{ "- {name: f, has: [a], take: [{at: a, stdev: s}]}", "{\"a\": 1}", "'stdev' and 'count'",
	  true },
	/* a server that does not answer; NaN; a number with more digits than a figure can hold */
	{ NULL, "{" SERVE "0.0, \"completed\": 0}", "vLLM served 0 of 8 requests", true },
	{ NULL, "{" SERVE "1, \"completed\": 6, \"failed\": 2}", "vLLM served 6 of 8 requests", true },
	{ NULL, "{" SERVE "NaN}", "'mean_ttft_ms' of case 'm.rnone' is 'NaN', not measured", true },
	{ NULL, "{" SERVE "\"nan\"}", "is 'nan', not measured", true },
	{ NULL, "{" SERVE "0.123456789012345678901}", "with more than 18 significant digits", true },
	/* samples in seconds, in nested lists */
	{ NULL, "{" SERVE "1, \"itls\": [[0.001], [], [0.003, 0.002]]}",
	  "m.rnone/itl_samples_ms.median=2 ms lower n3 ±1 m.rnone/itl_samples_ms.n=3 "
	  "m.rnone/itl_samples_ms.p90=2.8 ms lower n3 ±0.7 "
	  "m.rnone/itl_samples_ms.p99=2.98 ms lower n3 ±0.69 m.rnone/mean_ttft_ms=1 ms "
	  "lower",
	  false },
	{ NULL, SGLANG("Infinity", "3") SGLANG("4.0", "5"),
	  "s.d.innone.outnone.r4.0/median_ttft_ms=5 ms lower "
	  "s.d.innone.outnone.rinf/median_ttft_ms=3 ms lower",
	  false },
	{ NULL, SGLANG("4.0", "3") SGLANG("4.0", "5"), "case 's.d.innone.outnone.r4.0' is there twice",
	  true },
	{ NULL, SGLANG("4.0", "3") "{\"backend\": 1}", "value 2 is not of the format sglang-serve",
	  true },
	{ NULL, SGLANG("4.0", "3") "{\"backend\"", "m:2: byte ", true },
	{ NULL,
	  "{\"context\":{},\"benchmarks\":[{\"name\":\"A\",\"time_unit\":\"us\",\"real_time\":1.5,"
	  "\"cpu_time\":2},{\"name\":\"A\",\"time_unit\":\"us\",\"real_time\":2,\"cpu_time\":2},"
	  "{\"name\":\"A_mean\",\"run_type\":\"aggregate\",\"time_unit\":\"us\",\"real_time\":9}]}",
	  "A/cpu_time=2 us lower n2 ±0 A/real_time=1.75 us lower n2 ±0.37", false },
	{ NULL, "N,Triton (GB/s)\n4096.0,9.6\n8192.0,22.1\n",
	  "N_4096.0/Triton=9.6 GB/s higher N_8192.0/Triton=22.1 GB/s higher", false },
	{ NULL, "N,Triton (GB/s)\n4096.0,9.6,1\n", "m:2: 3 columns where the header has 2", true },
	{ NULL, "epoch,step,train_loss,val_loss\n0,9,1.5,\n0,9,,1.25\n",
	  "train_loss=1.5 lower val_loss=1.25 lower", false },
	{ NULL,
	  "0: :::MLLOG {\"key\":\"run_start\",\"time_ms\":1000}\nx\n"
	  ":::MLLOG {\"key\":\"run_stop\",\"time_ms\":2500,\"metadata\":{\"status\":\"success\"}}\n",
	  "run_time_ms=15e2 ms lower", false },
	{ NULL,
	  ":::MLLOG {\"key\":\"run_start\",\"time_ms\":1000}\n"
	  ":::MLLOG {\"key\":\"run_stop\",\"time_ms\":2500,\"metadata\":{\"status\":\"aborted\"}}\n",
	  "the run is not valid: run_stop does not say success", true },
	{ NULL, "{\"some\": \"json\"}", "", false },
	/* what is below 0 was not measured, a difference apart */
	{ NULL, "{" SERVE "-1, \"p99_ttft_ms\": 3}", "m.rnone/p99_ttft_ms=3 ms lower", false },
	{ "- {name: f, has: [a], take: [{at: a, unit: ms, negative: true}, {at: offset_us}]}",
	  "{\"a\": -1, \"offset_us\": -2}", "a=-1 ms lower offset_us=-2 us", false },
	/* a unit that the value has stands above that of the format */
	{ "- {name: f, has: [a], take: [{at: a, unit: ms}]}", "{\"a\": \"1.5 s\"}", "a=1.5 s lower",
	  false },
	{ "- {name: f, has: [a], take: [{at: a, unit: ms, scale: 1000}]}", "{\"a\": \"1.5 s\"}",
	  "'a' is '1.5 s', not a number", true },
	/* what is dropped by rule is dropped first; of samples, 1 % may be not measured */
	{ "- {match: \"*\", name: n, series: true, samples: [{at: v, drop: 1, as: s}]}",
	  "{\"v\": \"nan\"}\n{\"v\": 1}\n{\"v\": \"n/a\"}\n{\"v\": 3}\n",
	  "'s' is 'n/a', not measured, and nothing else is", true },
	{ "- {match: \"*\", name: n, series: true, samples: [{at: v, as: s}]}",
	  "{\"v\": \"1 s\"}\n{\"v\": \"1 MB\"}\n", "units that measure different things", true },
	{ "- {match: \"*\", name: n, series: true, samples: [{at: v, drop: 1, as: s}]}",
	  "{\"v\": \"nan\"}\n{\"v\": 1}\n{\"v\": 3}\n",
	  "s.median=2 n2 ±1 s.n=2 s.p90=2.8 n2 ±1.1 s.p99=2.98 n2 ±1.13", false },
	{ "- {match: \"*\", name: n, series: true, take: [{at: loss}, {at: b}]}",
	  "{\"loss\": 1, \"b\": 2}\n{\"loss\": NaN}\n", "b=2", false },
	/* a table that is cut off within its last number */
	{ NULL, "epoch,step,ms\n0,1,12.50\n0,2,19.04\n0,3,1", "m:4: the last line has no end", true },
	{ NULL, "epoch,step,ms\n0,1,12.5\n0,2,19\n0,3,1", "ms=1 ms lower", false },
	/* formats that the user's rules define */
	{ "- {match: \"bench/*.json\", case: \"{gpu}.b{batch}\", name: n, valid: [{at: ok, equals: "
	  "'\"yes\"'}],"
	  " take: [{at: t.step_ms}, {at: '.\"tok per s\"', as: rate, unit: tok/s}]}",
	  "{\"gpu\":\"H 100\",\"batch\":8,\"ok\":\"yes\",\"t\":{\"step_ms\":\"12.5 ms\"},\"tok per "
	  "s\":7}",
	  "H_100.b8/rate=7 tok/s higher H_100.b8/step_ms=12.5 ms lower", false },
	{ "- {match: \"*\", name: n, take: [{at: a}]}", "{\"b\": 1}", "no figure at 'a'", true },
	{ "- {match: \"*\", name: n, take: [{at: a}]}", "{\"a\": \"fast\"}",
	  "'a' is 'fast', not a number", true },
	{ "- {match: \"*\", name: n, take: [{at: \"x.*\", as: \"{key}\"}]}",
	  "{\"x\": {\"a b\": 1, \"a_b\": 2}}", "would both be the figure a_b", true },
	{ "- {match: \"*\", name: n, take: [{at: \"[*].v\"}], series: true}", "{\"v\": 1}",
	  "no figure in", true },
	{ "- {match: \"*\", name: n, series: true, samples: [{at: v, drop: 1, as: s}]}",
	  "{\"v\": 9}\n{\"v\": 1}\n{\"v\": 3}\n",
	  "s.median=2 n2 ±1 s.n=2 s.p90=2.8 n2 ±1.1 s.p99=2.98 n2 ±1.13", false },
	{ "- {match: \"*\", name: n, take: [{at: \"a[\"}]}", "{}", "f:1:37: 'a[' is not a path", true },
	{ "- {name: n, take: [{at: a}]}", "{}", "needs 'has' or 'match'", true },
	{ "- {match: a, name: n, take: [{at: a, unit: parsec}]}", "{}", "'parsec' is not a known unit",
	  true },
};

static void test_rows(void **state)
{
	(void)state;
	static const size_t blocks[] = { 0, 1, 3 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
			struct strbuf b = STRBUF_INIT;
			bool found;
			enum status st =
			    read_text(rows[i].formats, span_of(rows[i].text), blocks[k], &found, &b);
			bool same = rows[i].refused ? strstr(strbuf_str(&b), rows[i].figures) != NULL
			                            : strcmp(strbuf_str(&b), rows[i].figures) == 0;
			if ((st != ST_OK) != rows[i].refused || !same)
				fail_msg("%s: %s", rows[i].text, strbuf_str(&b));
			strbuf_release(&b);
		}
}

/* A file cut anywhere is of another kind, refused with one line, or read up to a complete line. */
static void test_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t n = 0, all = strlen(rows[i].text); n < all && !rows[i].formats; n++) {
			struct strbuf b = STRBUF_INIT;
			bool found = false;
			enum status st = read_text(NULL, (struct span){ rows[i].text, n }, 0, &found, &b);
			assert_true(st == ST_OK || (st == ST_INPUT && found));
			assert_null(strchr(strbuf_str(&b), '\n'));
			strbuf_release(&b);
		}
}

static void test_limits(void **state)
{
	(void)state;
	struct strbuf text = STRBUF_INIT, b = STRBUF_INIT;
	bool found;
	strbuf_adds(&text, "{\"x\": {");
	for (int i = 0; i <= RESULT_FIGURES_MAX; i++)
		strbuf_addf(&text, "%s\"f%d\": 1", i ? "," : "", i);
	strbuf_adds(&text, "}}");
	enum status st = read_text("- {match: \"*\", name: n, take: [{at: \"x.*\"}]}",
	                           strbuf_span(&text), 0, &found, &b);
	assert_int_equal(st, ST_INPUT);
	assert_non_null(strstr(strbuf_str(&b), "more than 10000 figures"));
	strbuf_release(&text);
	strbuf_release(&b);
}

/* ---- state of GPUs ---- */

static void machine_of(const char *text, size_t n, struct digest *d, bool *found, enum status *st)
{
	struct diag_log log;
	struct source *src = source_memory("m", text, n, NULL);
	diag_init(&log);
	*st = machine_read(src, d, found, &log);
	diag_release(&log);
	source_close(src);
}

static const char smi[] =
    "timestamp, index, power.draw [W], clocks.current.sm [MHz], utilization.gpu [%], "
    "clocks_event_reasons.sw_power_cap, clocks_event_reasons_counters.sw_power_cap [us]\n"
    "2026/07/14 08:12:38.696, 0, 69.85 W, 345 MHz, 0 %, Not Active, 0 us\n"
    "2026/07/14 08:12:43.696, 0, 600.00 W, 1755 MHz, 100 %, Active, 0 us\n\n"
    "2026/07/14 08:12:48.696, 0, 631.95 W, [N/A], 100 %, Active, 2500000 us\n";

static void test_machine(void **state)
{
	(void)state;
	struct digest *d = digest_new();
	bool found;
	enum status st;
	machine_of(smi, sizeof smi - 1, d, &found, &st);
	assert_int_equal(st, ST_OK);
	assert_true(found);
	assert_int_equal(d->machines.nr, 1);
	const struct machine_stat *m = &d->machines.v[0];
	assert_string_equal(m->id, "0");
	assert_int_equal(m->samples, 3);
	assert_int_equal(m->span_ns, 10 * NS_PER_S);
	assert_int_equal(m->sm_clock_hz, 1755000000); /* the clock of the idle sample is left out */
	assert_int_equal(m->power_mw, 615975);
	assert_int_equal(m->throttled_pct, 25 * MICRO);
	assert_string_equal(m->reasons, "sw_power_cap");
	assert_int_equal(m->temperature_c, -1);
	digest_free(d);
	for (size_t n = 0; n < sizeof smi - 1; n++) {
		d = digest_new();
		machine_of(smi, n, d, &found, &st);
		assert_true(st == ST_OK);
		digest_free(d);
	}
}

#define MOMENT(ns)                                                                            \
	"{\"schema\": \"gpugate-machine-1\", \"time_ns\": " ns ", \"gpus\": [{\"index\": \"0\", " \
	"\"sm_clock_mhz\": 1980}]}\n"

/* Only the last line may be cut short, and then without its line break. */
static void test_recorder(void **state)
{
	static const struct {
		const char *text;
		int samples; ///< -1: refused
	} recordings[] = {
		{ MOMENT("1") MOMENT("2") MOMENT("3"), 3 },
		{ MOMENT("1") MOMENT("2") "{\"schema\": \"gpugate-ma", 2 },
		{ MOMENT("1") MOMENT("2") "{\"schema\": \"gpugate-ma\n", -1 },
		{ MOMENT("1") "{\"schema\": \"gpugate-ma\n" MOMENT("3"), -1 },
		{ MOMENT("1") "{\"schema\": \"gpugate-ma\n" MOMENT("3") "{", -1 },
		{ "{\"schema\": \"gpugate-machine-1\", \"time_ns\"", -1 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
		struct digest *d = digest_new();
		bool found;
		enum status st;
		machine_of(recordings[i].text, strlen(recordings[i].text), d, &found, &st);
		assert_true(found);
		assert_int_equal(st, recordings[i].samples < 0 ? ST_INPUT : ST_OK);
		if (st == ST_OK)
			assert_int_equal(d->machines.v[0].samples, recordings[i].samples);
		digest_free(d);
	}
}

static int read_built_in(void **state)
{
	struct diag_log log;
	(void)state;
	diag_init(&log);
	enum status st = formats_read(NULL, NULL, &built_in, &log);
	diag_release(&log);
	return st != ST_OK;
}

static int release_built_in(void **state)
{
	(void)state;
	result_formats_release(&built_in);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),    cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_limits),  cmocka_unit_test(test_recorder),
		cmocka_unit_test(test_machine),
	};
	return cmocka_run_group_tests(tests, read_built_in, release_built_in);
}
