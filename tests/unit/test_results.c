#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results_rig.h"

#define SERVE "\"backend\": \"vllm\", \"model_id\": \"m\", \"num_prompts\": 8, \"mean_ttft_ms\": "
#define SGLANG(rate, ttft)                                                             \
	"{\"backend\":\"s\",\"dataset_name\":\"d\",\"total_output_tokens_retokenized\":1," \
	"\"completed\":2,\"request_rate\":" rate ",\"median_ttft_ms\":" ttft "}\n"

#define LAST_RUN "- {match: '*', name: f, series: true, work: [step], take: [{at: v}]}"
#define OF(member) "- {match: \"*\", name: n, take: [{at: v}]}", "{\"v\": 1, " member "}"

static const struct row {
	const char *formats, *text;
	const char *figures; ///< expected figures, or, if `refused`, the expected error
	bool refused;
} rows[] = {
	{ NULL, "{" SERVE "2.2e-07, \"request_rate\": \"inf\", \"p99.9_ttft_ms\": 3}",
	  "m.rinf/mean_ttft_ms=0.00000022 ms lower m.rinf/p99.9_ttft_ms=3 ms lower", false },
	/* means with and without their standard deviation */
	{ NULL, "{" SERVE "10.5, \"std_ttft_ms\": 2.13, \"completed\": 8}",
	  "m.rnone/mean_ttft_ms=10.5 ms lower n8 ±2.13 m.rnone/std_ttft_ms=2.13 ms", false },
	{ NULL, "{" SERVE "10, \"std_ttft_ms\": 0.5, \"completed\": 8}",
	  "m.rnone/mean_ttft_ms=1e1 ms lower n8 ±0.5 m.rnone/std_ttft_ms=0.5 ms", false },
	{ "- {name: f, has: [a], take: [{at: a, scale: 1000, stdev_share: s, count: n}]}",
	  "{\"a\": 0.0125, \"s\": \"0.02\", \"n\": 40}", "a=12.5 n40 ±0.25", false },
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
	  "m.rnone/itl_samples_ms.median=2 ms lower n3 ±1.483 m.rnone/itl_samples_ms.n=3 "
	  "m.rnone/itl_samples_ms.p90=2.8 ms lower n3 ±0.691 "
	  "m.rnone/itl_samples_ms.p99=2.98 ms lower n3 ±0.691 m.rnone/mean_ttft_ms=1 ms "
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
	  "A/cpu_time=2 us lower n2 ±0 A/real_time=1.75 us lower n2 ±0.3706", false },
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
	  "s.median=2 n2 ±1.483 s.n=2 s.p90=2.8 n2 ±1.128 s.p99=2.98 n2 ±1.128", false },
	{ "- {match: \"*\", name: n, series: true, take: [{at: loss}, {at: b}]}",
	  "{\"loss\": 1, \"b\": 2}\n{\"loss\": NaN}\n", "b=2", false },
	/* what the last steps lack was not measured, unless earlier ones lacked it, too */
	{ "- {match: \"*\", name: n, series: true, take: [{at: loss}, {at: b}]}",
	  "{\"b\":1,\"loss\":2}\n{\"loss\":3,\"b\":2}\n{\"b\":3}\n{\"b\":4}\n", "b=4", false },
	{ "- {match: \"*\", name: n, series: true, samples: [{at: loss, as: s}], take: [{at: b}]}",
	  "{\"loss\":2,\"b\":1}\n{\"loss\":3,\"b\":2}\n{\"b\":3}\n", "b=3", false },
	{ "- {match: \"*\", name: n, series: true, take: [{at: loss}, {at: b}]}",
	  "{\"b\":1}\n{\"loss\":3,\"b\":2}\n{\"loss\":4,\"b\":3}\n{\"b\":4}\n", "b=4 loss=4 lower",
	  false },
	{ "- {match: \"*\", name: n, series: true, take: [{at: loss}, {at: b}]}",
	  "{\"loss\":3,\"b\":2}\n{\"loss\":4,\"b\":3}\n{\"b\":4,\"c\":1}\n", "b=4 loss=4 lower",
	  false },
	{ "- {match: \"*\", name: n, series: true, take: [{at: loss}, {at: b}]}",
	  "{\"loss\":3,\"b\":2}\n{\"b\":4}\n", "b=4 loss=3 lower", false },
	{ NULL, "epoch,step,loss,ms\n0,1,4,1\n0,2,5,2\n0,3,,3\n", "ms=3 ms lower", false },
	{ NULL, "epoch,step,loss,ms\n0,1,4,\n0,2,5,\n0,3,,3\n", "loss=5 lower ms=3 ms lower", false },
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
	{ "- {match: \"*\", name: n, take: [{at: a}]}", "{\"a\": 1, \"b\": \"x\ty\"}",
	  "a=1 | 1 faults from 16 on", false },
	/* the text is read as JSON again after it was tried as lines: the fault counts once */
	{ "- {match: \"*\", name: j, has: [c], take: [{at: c}]}\n- {match: \"*\", name: t, read: text, "
	  "pattern: 'v=(?<v>[0-9]+)', take: [{at: v}]}\n- {match: \"*\", name: n, take: [{at: a}]}",
	  "{\"a\": 1, \"b\": \"x\ty\"}", "a=1 | 1 faults from 16 on", false },
	/* tables with bars: a second one is read only if it has the same columns */
	{ "- {match: \"*\", name: n, read: csv, case: \"{a}\", take: [{at: t_ms}]}",
	  "| a | t_ms |\n|---|---|\n| x | 1 |\n\n| a | t_ms |\n|---|---|\n| y | 2 |\n",
	  "x/t_ms=1 ms lower y/t_ms=2 ms lower", false },
	{ "- {match: \"*\", name: n, read: csv, case: \"{a}\", take: [{at: t_ms}]}",
	  "| a | t_ms |\n|---|---|\n| x | 1 |\n\nMore:\n\n| a | t_ms | n |\n|---|---|---|\n| y | 2 | 3 "
	  "|\n",
	  "m:8: a second table, with other columns: write each table to a file of its own", true },
	{ "- {match: \"*\", name: n, read: csv, case: \"{a}\", take: [{at: t_ms}]}",
	  "| a | t_ms |\n|---|---|\n| x | 1 |\n\n## More\n\n| a | t_ms |\n|---|---|\n| y | 2 |\n",
	  "x/t_ms=1 ms lower y/t_ms=2 ms lower", false },
	{ "- {match: \"*\", name: n, read: csv, case: \"{a}\", take: [{at: t_ms}]}",
	  "| a | t_ms |\n|---|---|\n| x | 1 |\n\n## More\n\n| b | u_ms |\n|---|---|\n| y | 2 |\n",
	  "m:8: a second table, with other columns: write each table to a file of its own", true },
	{ "- {match: \"*\", name: n, read: csv, case: \"{a}\", take: [{at: t_ms}]}",
	  "a,t_ms\nx,1\n\nSummary follows\n+-----+\n| box |\n+-----+\n", "x/t_ms=1 ms lower", false },
	/* NaN is a value, and no fault */
	{ "- {match: \"*\", name: n, take: [{at: a}]}", "{\"c\": NaN, \"a\": 1, \"b\": \"x\ty\"}",
	  "a=1 | 1 faults from 26 on", false },
	{ "- {match: \"*\", name: n, take: [{at: a}]}", "{\"b\": 1}", "no figure at 'a'", true },
	{ "- {match: \"*\", name: n, take: [{at: a}]}", "{\"a\": \"fast\"}",
	  "'a' is 'fast', not a number", true },
	{ "- {match: \"*\", name: n, take: [{at: \"x.*\", as: \"{key}\"}]}",
	  "{\"x\": {\"a b\": 1, \"a_b\": 2}}", "would both be the figure a_b", true },
	{ "- {match: \"*\", name: n, take: [{at: \"[*].v\"}], series: true}", "{\"v\": 1}",
	  "no figure in", true },
	{ "- {match: \"*\", name: n, series: true, samples: [{at: v, drop: 1, as: s}]}",
	  "{\"v\": 9}\n{\"v\": 1}\n{\"v\": 3}\n",
	  "s.median=2 n2 ±1.483 s.n=2 s.p90=2.8 n2 ±1.128 s.p99=2.98 n2 ±1.128", false },
	{ "- {match: \"*\", name: n, take: [{at: \"a[\"}]}", "{}", "f:1:37: 'a[' is not a path", true },
	/* members that say of a failure, in the record or in objects in it, four deep */
	{ OF("\"exit_code\": 1"), "'exit_code' is '1'", true },
	{ OF("\"exit_code\": 0"), "v=1", false },
	{ OF("\"exit_code\": \"1 s\""), "v=1", false },
	{ OF("\"passed\": 0"), "'passed' is '0'", true },
	{ OF("\"passed\": 1"), "v=1", false },
	{ OF("\"error\": \"no x\""), "v=1", false },
	{ OF("\"error\": \"nox\""), "'error' is 'nox'", true },
	{ OF("\"a\": {\"b\": {\"c\": {\"d\": {\"failed\": true}}}}"), "'failed' is 'true'", true },
	{ OF("\"a\": {\"b\": {\"c\": {\"d\": {\"e\": {\"failed\": true}}}}}"), "v=1", false },
	/* samples with as many digits as fit, and one that any number of digits fits */
	{ "- {match: \"*\", name: n, samples: [{at: \"v[*]\", as: s}]}",
	  "{\"v\": [1.2345678901234567, 0, 1.2345678901234569]}",
	  "s.median=1.2345678901234567 n3 ±0 s.n=3 s.p90=1.23456789012345686 n3 ±0 "
	  "s.p99=1.2345678901234569 n3 ±0",
	  false },
	{ "- {name: n, take: [{at: a}]}", "{}", "needs 'has' or 'match'", true },
	{ "- {match: a, name: n, take: [{at: a, unit: parsec}]}", "{}", "'parsec' is not a known unit",
	  true },
};

/* The whole of what is read: titles, work and warnings, too. */
static const struct row details[] = {
	/* times of clocks are in seconds; what is not quite such a time is not a number */
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: runtime}]}",
	  "n,runtime\nx,1:30\ny,0:01:02.50\nz,12:05.125\n",
	  "x/runtime=9e1 s lower y/runtime=62.5 s lower z/runtime=725.125 s lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: runtime}]}",
	  "n,runtime\nx,1:30:\n", "m: 'runtime' of case 'x' is '1:30:', not a number", true },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: runtime}]}",
	  "n,runtime\nx,:30\n", "m: 'runtime' of case 'x' is ':30', not a number", true },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: runtime}]}",
	  "n,runtime\nx,1:2:3:4\n", "m: 'runtime' of case 'x' is '1:2:3:4', not a number", true },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: runtime}]}",
	  "n,runtime\nx,1:30.\n", "m: 'runtime' of case 'x' is '1:30.', not a number", true },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: runtime}]}",
	  "n,runtime\nx,1:3.5:2\n", "m: 'runtime' of case 'x' is '1:3.5:2', not a number", true },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\n\"x,\"\"y\"\" z\" w,1\n", "x__y__z/a_ms=1 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n;a_ms;b_ms\n \"p;q,r,s\" ;1; 2 \n", "p_q_r_s/a_ms=1 ms lower p_q_r_s/b_ms=2 ms lower",
	  false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n;\"a,,_ms\"\nx;3\n", "x/a___ms=3 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n\ta_ms\n x\t 2\n", "x/a_ms=2 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "\n\nn,a_ms\r\nx,1\r\n\r\ny,2\r\nn,a_ms\r\nz,3\r\n",
	  "x/a_ms=1 ms lower y/a_ms=2 ms lower z/a_ms=3 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\n\"x,1\n", "m:2: 0 columns where the header has 2; quotes hold no line break", true },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "alone\nn,a_ms\nx,1\n", "x/a_ms=1 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms,\nx,,1\ny,2,\n", "y/a_ms=2 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1\n\nm,b_ms,c_ms\ny,2,3\n", "x/a_ms=1 ms lower", false },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "log\nn,a_ms,b_ms\nx,1,2\n\nn,c_ms\ny,2\n\nz,1,2\nw,3\n",
	  "x/a_ms=1 ms lower x/b_ms=2 ms lower y/c_ms=2 ms lower", false },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "k,v\nn,a_ms\nx,1\n", "", false },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "intro\n  n   a_ms  b_ms\n --- ----- ----\n x    1.5  2\n y\303\244   2     3\n\n  n  c_ms\n "
	  "--- ----\n z   1\n\n n    a_b  e_ms\n ---- --- ----\n  u   1    2\n",
	  "u/e_ms=2 ms lower x/a_ms=1.5 ms lower x/b_ms=2 ms lower y__/a_ms=2 ms lower y__/b_ms=3 ms "
	  "lower",
	  false },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "  n   a_ms\r\n --- -----  \r\n x    1.5\r\n", "x/a_ms=1.5 ms lower", false },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "  n   a_ms\n --- -----\n x    1.5\n ---\n",
	  "m:4: the row is not below the columns of its table", true },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "  n   a_ms\n --- -----\n x    1.5\n long  1.5\n",
	  "m:4: the row is not below the columns of its table", true },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "  n   a_ms\n --- -----\n xxxx 1.5\n", "m:3: the row is not below the columns of its table",
	  true },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "  n   a_ms\n --- -----\n x\n", "m:3: the row is not below the columns of its table", true },
	{ "- {has: [\"*_ms\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "at,x_ms\nlong line, of a log\n", "", false },
	{ "- {has: [\"*_ms\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,x_ms\na,1\nb,text\n", "a/x_ms=1 ms lower", false },
	{ "- {has: [\"*_ms\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,x_ms\na,nan\nb,2\n", "m: 'x_ms' of case 'a' is 'nan', not measured | b/x_ms=2 ms lower",
	  false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1.50\ny,2.50\nz,3.5",
	  "m:4: the last line has no end, and its last number fewer digits than the others of its "
	  "column: the file is cut off; write it anew",
	  true },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1.50\ny,2.5\nz,3.5", "x/a_ms=1.5 ms lower y/a_ms=2.5 ms lower z/a_ms=3.5 ms lower",
	  false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1.50\ny,\nz,3", "x/a_ms=1.5 ms lower z/a_ms=3 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1.50 s\ny,2.50 s\nz,3.50",
	  "x/a_ms=1.5 s lower y/a_ms=2.5 s lower z/a_ms=3.5 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nw,1.9\nx,1.50\ny,2.59\nz,3.1",
	  "w/a_ms=1.9 ms lower x/a_ms=1.5 ms lower y/a_ms=2.59 ms lower z/a_ms=3.1 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1.95\ny,2.99\nz,3.9",
	  "m:4: the last line has no end, and its last number fewer digits than the others of its "
	  "column: the file is cut off; write it anew",
	  true },
	{ "- {match: \"*\", name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1.95", "x/a_ms=1.95 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, take: [{at: \"*_ms\"}]}", "n\tk,a_ms\n1,2\n",
	  "a_ms=2 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, take: [{at: \"*_ms\"}]}", "n;k,a_ms\n1,2\n",
	  "a_ms=2 ms lower", false },
	{ "- {match: \"*\", name: f, read: csv, take: [{at: \"*_ms\"}]}", "n;k\ta_ms\n1\t2\n",
	  "m:2: 1 columns where the header has 2; quotes hold no line break", true },
	{ "- {match: \"*\", name: f, read: csv, take: [{at: \"*_ms\"}]}", "n,a_ms,\"b_ms\n", "",
	  false },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1\n\nn\ny\nz,5\n", "x/a_ms=1 ms lower", false },
	{ "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}",
	  "n,a_ms\nx,1\n\nm\nn,b_ms,c_ms\ny,1,2\n", "x/a_ms=1 ms lower", false },
	{ "- {match: \"*\", name: f, take: [{at: '.\"a'}]}", "{}",
	  "f:1:37: '.\"a' is not a path: names between dots, [*], [n], [tag=text], .\"any name\"",
	  true },
	{ "- {match: \"*\", name: f, case: \"{a\", take: [{at: a}]}", "{}",
	  "f:1:31: '{a' has a '{' without its '}'", true },
	{ "- {match: \"*\", name: f, case: \"x{a}{a[}\", take: [{at: a}]}", "{}",
	  "f:1:31: 'x{a}{a[}' is not a path: names between dots, [*], [n], [tag=text], .\"any name\"",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"a..b\"}]}", "{}",
	  "f:1:37: 'a..b' is not a path: names between dots, [*], [n], [tag=text], .\"any name\"",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"a[x]\"}]}", "{}",
	  "f:1:37: 'a[x]' is not a path: names between dots, [*], [n], [tag=text], .\"any name\"",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"a[=x]\"}]}", "{}",
	  "f:1:37: 'a[=x]' is not a path: names between dots, [*], [n], [tag=text], .\"any name\"",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: a, minus: b}]}", "{\"a\": 1e30, \"b\": 1e-30}",
	  "m: 'a' is '1e30', and what is subtracted from it is not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a, scale: 1.23456789}]}",
	  "{\"a\": 123456789012345678}",
	  "m: 'a' is '123456789012345678', which has too many digits to be scaled", true },
	{ "- {match: \"*\", name: f, samples: [{at: \"t[*]\", as: t}], take: [{at: \"*\"}]}",
	  "{\"t\": [\"nan\", \"nan\", null, 1], \"u\": 1, \"v\": \"nan\", \"w\": \"failed\", \"x\": "
	  "\"--\", \"y\": \"NA\"}",
	  "m: 't' is 'nan' (3 values), 'v' is 'nan', 'w' is 'failed', not measured; so are 2 more "
	  "values | u=1",
	  false },
	{ "- {match: \"*\", name: f, samples: [{at: \"t[*]\", as: t}]}", "{\"t\": [\"x\", \"y\"]}",
	  "m: 't' is 'x', not a number", true },
	{ "- {match: \"*\", name: f, records: \"r[*]\", only: {k: x}, case: \"{n}\", take: [{at: "
	  "v}]}\n- {match: \"*\", name: g, records: \"r[*]\", only: {k: y}, take: [{at: w}]}",
	  "{\"r\": [{\"k\": \"x\", \"n\": 1, \"v\": 1}, {\"k\": \"x\", \"n\": 2, \"v\": 3}, {\"k\": "
	  "\"y\", \"w\": 2}, {\"k\": \"z\", \"w\": 3}]}",
	  "m: 1 of 4 records are of none of its formats, as 'only' says | 1/v=1 2/v=3 w=2", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": 1} {\"a\": 2}",
	  "m: byte 9: another value on the line of the one before it; write one JSON value, or one a "
	  "line",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "\036{\"a\": 1}\n\036{\"a\": 2}\n",
	  "m: figure 'a' is there twice; keep one run in the file (others are files of their own: "
	  "--repeat), or say 'repeats' in a format of your own",
	  true },
	{ "- {match: \"*\", name: f, series: true, take: [{at: a}]}", "\036{\"a\": 1}\036{\"a\": 2}",
	  "a=2", false },
	{ "- {match: \"*\", name: f, series: true, take: [{at: a}]}",
	  "{\"a\": 1}\n\n{\"a\": 2}\n{\"a\": 3}x\n",
	  "m: byte 27: another value on the line of the one before it; write one JSON value, or one a "
	  "line",
	  true },
	{ "- {match: \"*\", name: f, series: true, take: [{at: a}]}",
	  "[[{\"a\": 1}, {\"a\": 2}], {\"a\": 4}]\n", "a=4", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "[[[{\"a\": 1}]]]\n", "", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": 1}\n[]\n3\n",
	  "m: value 2 is not of the format f of the first: it lacks 'an object'", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "  [ true]", "", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "[0] loss 1", "", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": 1, \"a\": 2}", "a=2", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": {}}",
	  "m: 'a' is a list or an object, not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"1 parsec\"}",
	  "m: 'a' is '1 parsec', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"1,234.5 ms\"}", "a=1234.5 ms lower",
	  false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"1,234,567\"}", "a=1234567", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"1234,567\"}",
	  "m: 'a' is '1234,567', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"1,23,456.7\"}",
	  "m: 'a' is '1,23,456.7', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \",234.5\"}",
	  "m: 'a' is ',234.5', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \" +1.5e+3 ms \"}", "a=15e2 ms lower",
	  false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"1.5e ms\"}",
	  "m: 'a' is '1.5e ms', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \".5\"}", "a=0.5", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"e5\"}",
	  "m: 'a' is 'e5', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"5e\"}",
	  "m: 'a' is '5e', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"5e+\"}",
	  "m: 'a' is '5e+', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"5.\"}", "a=5", false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"-\"}",
	  "m: 'a' is '-', not measured, and nothing else is", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"1.5e-3s\"}", "a=0.0015 s lower",
	  false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": \"1.5 usec\"}", "a=1.5 us lower",
	  false },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": true}",
	  "m: 'a' is 'true', not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": [1]}",
	  "m: 'a' is a list or an object, not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a}]}", "{\"a\": null}",
	  "m: 'a' is null, not measured, and nothing else is", true },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}",
	  "{\"a\": 1, \"b\": \"12.4 (failed)\", \"c\": \"text\", \"d\": null, \"e_ms\": -1, \"j\": "
	  "\"2026-01-01\", \"k\": [1], \"l\": {}, \"m\": true}",
	  "m: 'b' is '12.4 (failed)', 'e_ms' is '-1', not measured | a=1", false },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}",
	  "{\"f\": 1e308, \"g_flop\": 1e29, \"h_s\": 1e12, \"p\": 1e30, \"q_s\": 1e21}",
	  "m: 'f' is '1e308', 'p' is '1e30', 'q_s' is '1e21', not measured | g_flop=1e29 h_s=1e12 s "
	  "lower",
	  false },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}",
	  "{\"a\": 1, \"n\": \"2.5k tok/s\", \"o\": \"2.5kx\", \"r\": \"1.2.3\", \"s\": \"-4x\", "
	  "\"u\": \"v2\"}",
	  "m: 'n' is '2.5k tok/s', not measured | a=1", false },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}",
	  "{\"a\": 1, \"t\": \"5,1 (x)\", \"v\": \"7M parameters\", \"x\": \"3-4\", \"y\": \"1:30\"}",
	  "m: 't' is '5,1 (x)', 'v' is '7M parameters', not measured | a=1", false },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}", "{\"a\": 1, \"passed\": false}",
	  "m: the run is not valid: 'passed' is 'false'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}", "{\"a\": 1, \"passed\": \"no\"}",
	  "m: the run is not valid: 'passed' is 'no'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}",
	  "{\"a\": 1, \"status\": \"failed: CUDA out of memory\"}",
	  "m: the run is not valid: 'status' is 'failed: CUDA out of memory'; run it again, or leave "
	  "that out if it means something else",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}",
	  "{\"a\": 1, \"status\": \"ok\", \"failed\": 0, \"error\": \"none\", \"passed\": true, "
	  "\"exception\": \"no error\", \"oom\": \"False\"}",
	  "m: 'error' is 'none', not measured | a=1 failed=0 lower", false },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}", "{\"a\": 1, \"failed\": \"yes\"}",
	  "m: the run is not valid: 'failed' is 'yes'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}", "{\"a\": 1, \"failed\": true}",
	  "m: the run is not valid: 'failed' is 'true'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}", "{\"a\": 1, \"oom\": \"why\"}", "a=1",
	  false },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}", "{\"a\": 1, \"error\": \"device lost\"}",
	  "m: the run is not valid: 'error' is 'device lost'; run it again, or leave that out if it "
	  "means something else",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: \"*\"}]}", "{\"a\": 1, \"error\": \"5\"}",
	  "a=1 error=5 lower", false },
	{ "- {match: \"*\", name: f, case: \"{n}\", take: [{at: a}]}",
	  "{\"n\": \"x\", \"a\": 1, \"passed\": false}\n{\"n\": \"y\", \"a\": 2}\n",
	  "m: the run is not valid, case 'x': 'passed' is 'false'; run it again, or leave that out if "
	  "it means something else; its figures are missing | y/a=2",
	  false },
	{ "- {match: \"*\", name: f, case: \"{n}\", take: [{at: a, optional: true}]}",
	  "{\"n\": \"x\", \"a\": \"nan\"}\n{\"n\": \"y\", \"a\": 2}\n{\"n\": \"z\"}\n{\"n\": \"v\", "
	  "\"a\": \"nan\"}\n{\"n\": \"w\", \"a\": null}\n{\"n\": \"u\", \"a\": \"N/A\"}\n",
	  "m: 'a' of case 'u' is 'N/A', 'a' of case 'v' is 'nan', 'a' of case 'x' is 'nan', not "
	  "measured | y/a=2",
	  false },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": \"2.0\"}", "a=1", false },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 3}", "m: the run is not valid: 'b' is 3, not 2", true },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: c, within: 10%}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 10, \"c\": 11}", "a=1", false },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: c, within: 10%}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 10, \"c\": 12}", "m: the run is not valid: 'b' is 10, not c (12)", true },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: c}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 10, \"c\": 10.5}", "m: the run is not valid: 'b' is 10, not c (10.5)",
	  true },
	{ "- {match: \"*\", name: f, valid: [{at: b, min: 1, max: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 2}", "a=1", false },
	{ "- {match: \"*\", name: f, valid: [{at: b, min: 1, max: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 1.0}", "a=1", false },
	{ "- {match: \"*\", name: f, valid: [{at: b, min: 1, max: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 0.5}",
	  "m: the run is not valid: 'b' is 0.5, must be at least 1 and at most 2", true },
	{ "- {match: \"*\", name: f, valid: [{at: b, min: 1, max: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 3}", "m: the run is not valid: 'b' is 3, must be at least 1 and at most 2",
	  true },
	{ "- {match: \"*\", name: f, valid: [{at: b, min: 1}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 0.5}", "m: the run is not valid: 'b' is 0.5, must be at least 1", true },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: 9.223372036854775807, within: 1%}], take: "
	  "[{at: a}]}",
	  "{\"a\": 1, \"b\": 1000}", "m: the run is not valid: 'b' is 1000, not 9.223372036854775807",
	  true },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: 9.223372036854775807}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 1000}", "m: the run is not valid: 'b' is 1000, not 9.223372036854775807",
	  true },
	{ "- {match: \"*\", name: f, take: [{at: lat_ms}]}", "{\"lat_ms\": 1e250000}",
	  "m: 'lat_ms' is '1e250000', with more than 18 significant digits, which cannot all be kept: "
	  "round it",
	  true },
	{ "- {match: \"*\", name: f, valid: [{at: b, max: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": 2.5}", "m: the run is not valid: 'b' is 2.5, must be at most 2", true },
	{ "- {match: \"*\", name: f, valid: [{at: b, max: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": \"x\"}", "m: the run is not valid: 'b' is x, must be at most 2", true },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: true}], take: [{at: a}]}",
	  "{\"a\": 1, \"true\": \"x\", \"b\": true}", "a=1", false },
	{ "- {match: \"*\", name: f, valid: [{at: \"b[*]\", equals: '\"y\"', say: \"{c} is wrong\"}], "
	  "take: [{at: a}]}",
	  "{\"a\": 1, \"b\": [\"y\", \"n\"], \"c\": 7}", "m: the run is not valid: 7 is wrong", true },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: 2}], take: [{at: a}]}", "{\"a\": 1}",
	  "m: the run is not valid: 'b' is not there, not 2", true },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: 2, optional: true}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": null}", "a=1", false },
	{ "- {match: \"*\", name: f, valid: [{at: b, equals: 2}], take: [{at: a}]}",
	  "{\"a\": 1, \"b\": null}", "m: the run is not valid: 'b' is null, not 2", true },
	{ "- {match: \"*\", name: f, take: [{at: \"l[n=x].v\"}, {at: \"l[-1].v\", as: last}, {at: "
	  "\"l[0].w\", as: first}, {at: \"m[n=y].q\"}, {at: '.\"a.b\".c'}]}",
	  "{\"l\": [{\"n\": \"z\", \"v\": 1, \"w\": 4}, {\"n\": \"x\", \"v\": 2}, {\"v\": 3}], \"m\": "
	  "{\"n\": \"y\", \"q\": 5}, \"a.b\": {\"c\": 6}}",
	  "c=6 first=4 last=3 q=5 v=2", false },
	{ "- {match: \"*\", name: f, ignore: [\"b*\"], take: [{at: \"x.*.*_ms\", as: "
	  "\"{key}.{KEY}.{file}\"}]}",
	  "{\"x\": {\"p-long_ab\": {\"a_ms\": 1, \"bc_ms\": 2, \"c\": 3}}}", "p-long_ab.P-LONG_AB.r=1",
	  false },
	{ "- {match: \"*\", name: f, records: \"x.*\", case: \"{key}.{^g}.{p.*}.{q}\", take: [{at: "
	  "v}]}",
	  "{\"g\": 7, \"x\": {\"a\": {\"p\": {\"s\": 1, \"t\": \"/u/v\"}, \"v\": 3}, \"b\": {\"p\": "
	  "{}, \"q\": null, \"v\": 4}, \"c\": 5}}",
	  "a.none..s1.tv.none/v=3 b.none..none/v=4", false },
	{ "- {match: \"*\", name: f, case: \"/m/{n}.{m}\", take: [{at: v}]}",
	  "{\"n\": \"/u/v\", \"m\": \"/w/x\", \"v\": 1}", "/m/v.x/v=1", false },
	{ "- {match: \"*\", name: f, case: \"{n}\", take: [{at: v}]}", "{\"n\": \"/u/v\", \"v\": 1}",
	  "/u/v/v=1", false },
	{ "- {match: \"*\", name: f, take: [{at: \"r[*]\", as: \"r{index}{combination}\"}]}",
	  "{\"r\": [1, 2, 3, 4]}", "r0.1=1 r1.2=2 r2.3=3 r3.4=4", false },
	{ "- {match: \"*\", name: f, take: [{at: \"r.*[0][*]\", as: \"{key}{combination}\", unit: s}]}",
	  "{\"r\": {\"a\": [[1, 2], [[\"''\", \"'\"]]]}}", "a.=1 s lower a._=2 s lower", false },
	{ "- {match: \"*\", name: f, take: [{at: \"r.*[0][*]\", as: \"{key}{combination}\", unit: s}]}",
	  "{\"r\": {\"a\": [[1, 2, 3, 4, 5, 6], [[\"'x'\", \"y\"], [\"p\", \"q\", \"'\"]]], \"b\": "
	  "[[1]], \"c\": [[1, 2]], \"d\": [[1, 2], [[\"x\"]]]}}",
	  "a.x._=3 s lower a.x.p=1 s lower a.x.q=2 s lower a.y._=6 s lower a.y.p=4 s lower a.y.q=5 s "
	  "lower b=1 s lower c.1=1 s lower c.2=2 s lower d.1=1 s lower d.2=2 s lower",
	  false },
	{ "- {match: \"*\", name: f, read: csv, case: \"{columns}\", take: [{at: \"t (ms)\"}]}",
	  "N,K,t (ms)\n1,2,3\n1,4,5\n", "N_1.K_2/t=3 ms lower N_1.K_4/t=5 ms lower", false },
	{ "- {has: [\"* (ms)\"], name: f, read: csv, case: \"{columns}\", take: [{at: \"t (ms)\"}]}",
	  "N,x_ms,t (ms)\n1,2.5,3\n1,4.5,5\n", "", false },
	{ "- {has: [\"* (ms)\"], name: f, read: csv, case: \"{columns}\", take: [{at: \"t (ms)\"}]}",
	  "N,q,t (ms)\n1,2.5,3\n2,4.5,5\n", "", false },
	{ "- {has: [\"* (ms)\"], name: f, read: csv, case: \"{columns}\", take: [{at: \"t (ms)\"}]}",
	  "N,q,t (ms)\n1,2.5,3\n2,2.5,5\n", "N_1.q_2.5/t=3 ms lower N_2.q_2.5/t=5 ms lower", false },
	{ "- {match: \"*\", name: f, records: \"r[*]\", skip: {k: \"x*\"}, case: \"{n}\", take: [{at: "
	  "v}]}",
	  "{\"r\": [{\"k\": \"xy\", \"n\": 1, \"v\": 1}, {\"k\": \"y\", \"n\": 2, \"v\": 2}, 3]}",
	  "2/v=2", false },
	{ "- {match: \"*\", name: f, records: \"r[*]\", skip: {k: \"x*\"}, take: [{at: v}]}",
	  "{\"r\": [{\"k\": \"xy\", \"v\": 1}]}", "m: no record in a result file of format f", true },
	{ "- {match: \"*\", name: f, records: \"r[*]\", only: {k: x}, take: [{at: v}]}\n- {match: "
	  "\"*\", name: g, records: \"r[*]\", only: {k: y}, take: [{at: w}]}\n- {match: \"*\", name: "
	  "h, rest: true, take: [{at: s}, {at: v}]}",
	  "{\"s\": 9, \"v\": 8, \"r\": [{\"k\": \"x\", \"v\": 1}, {\"k\": \"y\", \"w\": 2}, {\"k\": "
	  "\"z\", \"w\": 3}]}",
	  "m: 1 of 3 records are of none of its formats, as 'only' says | s=9 v=1 w=2", false },
	{ "- {match: \"*\", name: f, records: \"r[*]\", only: {k: x}, take: [{at: v}]}",
	  "{\"r\": [{\"k\": \"y\", \"v\": 1}]}", "m: no record in a result file of format f", true },
	{ "- {match: \"*\", name: f, repeats: last, take: [{at: v}]}",
	  "{\"v\": 1}\n{\"v\": 3}\n{\"v\": 2}\n", "v=2", false },
	{ "- {match: \"*\", name: f, repeats: samples, take: [{at: v}, {at: w, optional: true}]}",
	  "{\"v\": \"1 s\"}\n{\"v\": \"3000 ms\"}\n{\"v\": \"2.5 s\", \"w\": \"nan\"}\n{\"v\": \"9 "
	  "s\", \"w\": 4}\n",
	  "m: 'w' is 'nan', not measured | v=2.75 s lower n4 ±1.483", false },
	{ "- {match: \"*\", name: f, repeats: samples, take: [{at: \"*\"}]}",
	  "{\"v\": 1, \"t\": \"a\"}\n{\"v\": 3, \"t\": \"b\"}\n", "v=2 n2 ±1.483", false },
	{ "- {match: \"b/*\", name: f, take: [{at: v}]}\n- {match: \"*/r.json\", name: g, take: [{at: "
	  "w}]}",
	  "{\"w\": 1}", "w=1", false },
	{ "- {match: \"R.json\", name: f, take: [{at: v}]}\n- {match: \"r.js\", name: g, take: [{at: "
	  "w}]}",
	  "{\"w\": 1}", "", false },
	{ "- {match: \"*\", name: f, records: \"r[*]\", only: {k: x, j: y}, take: [{at: v}]}",
	  "{\"r\": [{\"k\": \"x\", \"j\": \"y\", \"v\": 1}, {\"k\": \"x\", \"j\": \"z\", \"v\": 2}]}",
	  "m: 1 of 2 records are of none of its formats, as 'only' says | v=1", false },
	{ "- {match: \"*\", name: f, records: \"r[*]\", skip: {k: x, j: y}, take: [{at: v}]}",
	  "{\"r\": [{\"k\": \"z\", \"j\": \"y\", \"v\": 1}, {\"k\": \"z\", \"j\": \"z\", \"v\": 2}]}",
	  "v=2", false },
	{ "- {match: \"*\", name: f, take: [{at: a, minus: b, unit: s}, {at: c, scale: 0.5, unit_at: "
	  "u}, {at: d.e, unit_at: ^u, title: \"x {KEY}\"}, {at: b}, {at: \"*\", better: higher}]}",
	  "{\"a\": 5.5, \"b\": 2, \"c\": 3, \"u\": \"ms\", \"d\": {\"e\": 4, \"u\": \"us\"}, \"k_ms\": "
	  "7}",
	  "a=3.5 s lower b=2 c=1.5 ms lower e=4 us lower 'x none' k_ms=7 ms higher", false },
	{ "- {match: \"*\", name: f, take: [{at: a, minus: b}]}", "{\"a\": 5.5, \"b\": \"x\"}",
	  "m: 'a' is '5.5', and what is subtracted from it is not a number", true },
	{ "- {match: \"*\", name: f, take: [{at: a, scale: 1.5}]}", "{\"a\": 123456789012345678}",
	  "a=185185183518518517", false },
	{ "- {match: \"*\", name: f, take: [{at: a, thousands: true}, {at: b, thousands: true, "
	  "optional: true}, {at: c, thousands: true, optional: true}]}",
	  "{\"a\": \"7,234\", \"b\": \"7,23\", \"c\": \"1,234,567\"}",
	  "m: 'b' is '7,23' (a text), not measured | a=7234 c=1234567", false },
	{ "- {match: \"*\", name: f, take: [{at: '.\"x (ms)\"'}, {at: '.\"y [GB/s]\"', as: rate}, {at: "
	  "\"z*\", as: \"{key}\"}]}",
	  "{\"x (ms)\": 1, \"y [GB/s]\": 2, \"z (s)\": 3}",
	  "rate=2 GB/s higher x=1 ms lower z=3 s lower", false },
	{ "- {match: \"*\", name: f, take: [{at: a, count: n, stdev: s}, {at: b, stderr: s}, {at: c, "
	  "margin: s}, {at: d, upper: u}, {at: e, stdev_share: s, count: m}, {at: n, stdev: s, count: "
	  "o}]}",
	  "{\"a\": 10.25, \"b\": 10.25, \"c\": 10.25, \"d\": 10.25, \"e\": 10.25, \"n\": 4, \"s\": "
	  "0.5, \"u\": 12.5, \"m\": 3, \"o\": 1}",
	  "a=10.25 n4 ±0.5 b=10.25 n2 ±0.7071 c=10.25 n2 ±0.2149 d=10.25 n2 ±1.233 e=10.25 n3 ±5.125 "
	  "n=4",
	  false },
	{ "- {match: \"*\", name: f, take: [{at: \"m_*_ms\", stdev: \"s_{key}\", count: n}]}",
	  "{\"m_x_ms\": -10, \"m_y_ms\": 20.5, \"s_x\": 1, \"s_y\": 2, \"n\": 5, \"m_z_ms\": 4}",
	  "m: 'm_x_ms' is '-10', not measured | m_y_ms=20.5 ms lower n5 ±2 m_z_ms=4 ms lower", false },
	{ "- {match: \"*\", name: f, samples: [{at: \"t[*]\", as: t, unit: ms, share_below: 0.0025s}]}",
	  "{\"t\": [1, 2, 3.5, 4.25, \"3000 us\", 7.125, 9]}",
	  "t.below_0.0025s=28.571429 % higher n7 ±45.18 'share of t below 0.0025s' t.median=3.5 ms "
	  "lower n7 ±2.224 'median t' t.n=7 'n t' t.p90=7.875 ms lower n7 ±5.014 'p90 t' t.p99=8.8875 "
	  "ms "
	  "lower n7 ±1.979 'p99 t'",
	  false },
	{ "- {match: \"*\", name: f, samples: [{at: \"t[*]\", as: t, unit: ms, share_below: 1MB}]}",
	  "{\"t\": [1, 2]}",
	  "t.median=1.5 ms lower n2 ±0.7413 'median t' t.n=2 'n t' t.p90=1.9 ms lower n2 ±0.5642 'p90 "
	  "t' "
	  "t.p99=1.99 ms lower n2 ±0.5642 'p99 t'",
	  false },
	{ "- {match: \"*\", name: f, samples: [{at: \"t[*]\", as: t}]}", "{\"t\": [0, 0, 0]}",
	  "t.median=0 n3 ±? 'median t' t.n=3 'n t' t.p90=0 n3 ±? 'p90 t' t.p99=0 n3 ±? 'p99 t'",
	  false },
	{ "- {match: \"*\", name: f, samples: [{at: \"t[*]\", as: t, drop: 3}]}", "{\"t\": [1, 2, 3]}",
	  "m: t has 3 values, of which the first 3 are to be dropped", true },
	{ "- {match: \"*\", name: f, take: [{at: a, as: x}], samples: [{at: \"t[*]\", as: \"x\"}]}",
	  "{\"t\": [1, 2, 3], \"a\": 1}",
	  "x.median=1.5 n4 ±0.7413 'median x' x.n=4 'n x' x.p90=2.7 n4 ±0.7979 'p90 x' x.p99=2.97 n4 "
	  "±0.7979 "
	  "'p99 x'",
	  false },
	{ "- {match: \"*\", name: f, take: [{at: \"a\", as: \"x.n\"}], samples: [{at: \"t[*]\", as: "
	  "\"x\"}]}",
	  "{\"t\": [1, 2, 3], \"a\": 1}",
	  "m: figure 'x.n' is there twice: give one another name with 'as'", true },
	{ "- {match: \"*\", name: f, take: [{at: a, unit_at: u}, {at: b, unit_at: v}, {at: c, title: "
	  "\"same\"}, {at: d, title: same}, {at: e, title: \"{g}\"}]}",
	  "{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"u\": \"seq/ms\", \"v\": \"ms/batch\", "
	  "\"g\": \"x_y\\u00e4(z)\"}",
	  "a=1 higher [unit=seq/ms] b=2 lower [unit=ms/batch] c=3 d=4 e=5 'x y  (z)'", false },
	{ "- {match: \"*\", name: f, case: \"{n}\", take: [{at: c, title: same}, {at: d, title: same}, "
	  "{at: delta_ms}, {at: e.*, as: \"{KEY}\"}]}",
	  "{\"n\": \"x\", \"c\": 3, \"d\": 4, \"delta_ms\": \"-5 ms\", \"e\": {\"az\": 1}}",
	  "x/AZ=1 x/c=3 x/d=4 x/delta_ms=-5 ms", false },
	{ "- {match: \"*\", name: f, records: \"r[*]\", case: \"{n}\", work: [b, ^c, p.\"x y\", '{k}', "
	  "o], work_done: [d, ^e], take: [{at: total_time_s, sum_of: q}, {at: v}]}",
	  "{\"c\": 3, \"e\": 4, \"r\": [{\"n\": \"x\", \"b\": 1, \"d\": 2, \"k\": \"b\", \"p\": {\"x "
	  "y\": \"/z\"}, \"o\": {}, \"q\": 6, \"total_time_s\": 5, \"v\": 1}, {\"n\": \"y\", \"b\": 7, "
	  "\"k\": \"d\", \"d\": null, \"q\": null, \"total_time_s\": 5, \"v\": 1}]}",
	  "x/total_time_s=5 s lower [c=3] [e~4] [b=1] [p.x_y=z] [b=1] [d~2] [q+6] x/v=1 [c=3] [e~4] "
	  "[b=1] [p.x_y=z] [b=1] [d~2] y/total_time_s=5 s lower [c=3] [e~4] [b=7] [d=none] y/v=1 [c=3] "
	  "[e~4] "
	  "[b=7] [d=none]",
	  false },
	{ "- {match: \"*\", name: f, work: [\"{file}\"], work_done: [\"x.{file}\"], take: [{at: v, "
	  "sum_of: \"{file}\"}]}",
	  "{\"r\": 5, \"x\": {\"r\": 6}, \"v\": 1}", "v=1 [r=5] [x.r~6] [r+5]", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nx\nv=2.5\nv=3", "v=2.5", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1,900\n", "m: 'v' is '1,900', not a number", true },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1.5e5\n", "v=15e4", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1.5 x\nv=nan\n", "m: 'v' is 'nan', not measured, and nothing else is", true },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1.5\nv=-inf ms\nv=2\n", "v=2", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=-inf ms\n", "m: 'v' is '-inf', not measured, and nothing else is", true },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=+Infinity\n", "m: 'v' is '+Infinity', not a number", true },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=nano\n", "v=1", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=NaN, 2\n", "m: 'v' is 'NaN', not measured, and nothing else is", true },
	/* "nan" as a word of the pattern, alone and beside a value */
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)( nan n=(?<n>[0-9]+))?', take: "
	  "[{at: v}, {at: n}], series: true}",
	  "v=1 nan n=2\n", "n=2 v=1", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+) b +nan +n=(?<n>[0-9]+)', "
	  "take: "
	  "[{at: v}, {at: n}], series: true}",
	  "v=nan b nan n=2\n", "m: 'v' is 'nan', not measured | n=2", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=3-4\n", "m: 'v' is '3-4', not a number", true },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=3e-4\n", "v=0.0003", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=3e-x\n", "v=3", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=3.x 4.\n", "v=3", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1\nv=3.5 4\n", "v=3.5", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: "
	  "true}",
	  "v=1.5 name=infinite\n\033[31mv=\033[1;2m4\033[0m\r\n", "v=4", false },
	{ "- {match: '*', name: f, read: text, pattern: '(a|b)+ v:\\s*(?<v>\\d+) "
	  "(?<n>[]a-c[:digit:]]*)', case: '{n}', take: [{at: v}]}",
	  "ab v:  12 a1]\nb v: 3 bd\n", "a1_/v=12 b/v=3", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}]}",
	  "v=1\nv=1\n", "v=1", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}]}",
	  "v=1\nv=2\n",
	  "m: figure 'v' is there twice; let 'case' have what differs between its lines, such as an "
	  "engine or a rank, or say 'series: true' if they are steps of one case",
	  true },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9.]+)( u=(?<u>[a-z]+))?', take: "
	  "[{at: v, unit_at: u}, {at: w, optional: true}], work: [u, ^u], series: true}",
	  "v=1 u=ms\nv=2\n", "v=2 ms lower [u=ms] [u=ms]", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v=(?<v>\\S+) \\w\\.', take: [{at: v}], "
	  "series: true}",
	  "v=1.5 _.\n", "v=1.5", false },
	{ "- {match: '*', name: f, read: text, pattern: 'v{1}', take: [{at: v}], series: true}", "",
	  "f:1:46: 'v{1}' has a count in braces; \\{ is a brace", true },
	{ "- {match: '*', name: f, read: text, pattern: '[^]{(]v=(?<v>[0-9]+)', take: [{at: v}], "
	  "series: true}",
	  "xv=5\n", "v=5", false },
	{ "- {match: '*', name: f, read: text, pattern: '[]{(]v=(?<v>[0-9]+)', take: [{at: v}], "
	  "series: true}",
	  "]v=5\n", "v=5", false },
	{ "- {match: '*', name: f, read: text, pattern: '(?<>v)', take: [{at: v}], series: true}", "",
	  "f:1:46: '(?<>v)' has '(?' that is not the beginning of a named part, (?<name>…)", true },
	{ "- {match: '*', name: f, read: text, pattern: '(?<v', take: [{at: v}], series: true}", "",
	  "f:1:46: '(?<v' has '(?' that is not the beginning of a named part, (?<name>…)", true },
	{ "- {match: '*', name: f, read: text, pattern: '[^]v]=(?<v>[[:digit:].]+)', take: [{at: v}], "
	  "series: true}",
	  "v=1\nx=2\n", "v=2", false },
	{ "- {match: '*', name: f, read: text, pattern: '\\{v\\} \\[(?<v>[0-9]+)\\]', take: [{at: v}], "
	  "series: true}",
	  "{v} [5]\n", "v=5", false },
	{ "- {match: '*', name: f, read: text, pattern: '(v)\\1', take: [{at: v}], series: true}", "",
	  "f:1:46: '(v)\\1' has a back reference, or ends in a backslash", true },
	{ "- {match: '*', name: f, read: text, pattern: '(v\\', take: [{at: v}], series: true}", "",
	  "f:1:46: '(v\\' has a back reference, or ends in a backslash", true },
	{ "- {match: '*', name: f, read: text, pattern: '(?:v)', take: [{at: v}], series: true}", "",
	  "f:1:46: '(?:v)' has '(?' that is not the beginning of a named part, (?<name>…)", true },
	{ "- {match: '*', name: f, read: text, pattern: 'v', take: [{at: v}], series: true}", "",
	  "f:1:46: 'v' has no named part, such as (?<ms>[0-9.]+)", true },
	{ "- {match: '*', name: f, read: text, pattern: '((((((?<a>v)+)+)+)+)+)+', take: [{at: v}], "
	  "series: true}",
	  "", "f:1:46: '((((((?<a>v)+)+)+)+)+)+' repeats repetitions too often", true },
	{ "- {match: '*', name: f, read: text, pattern: '((((?<a>v)+)+)+)+', take: [{at: v}], series: "
	  "true}",
	  "v\n", "m: no figure in a result file of format f", true },
	{ "- {match: '*', name: f, read: text, pattern: '(?<a>v', take: [{at: v}], series: true}", "",
	  "f:1:46: '(?<a>v' is not an extended regular expression", true },
	{ "- {match: \"*\", name: f, read: lines, prefix: \"::\", series: true, take: [{at: v}]}",
	  "x ::{\"v\": 1}\ny\n::{\"v\": 2}", "v=2", false },
	/* the last run counts of a log to which several were appended */
	{ LAST_RUN,
	  "{\"step\": 1, \"v\": 9}\n{\"step\": 2, \"v\": 8}\n{\"step\": 3, \"v\": 7}\n{\"step\": 1, "
	  "\"v\": 6}\n{\"step\": 2, \"v\": 5}\n{\"step\": 3, \"v\": 4}\n{\"step\": 0, \"v\": 3}\n",
	  "m: it holds 3 runs, since its steps begin anew: only the last is read; write each run into "
	  "a "
	  "file of its own | v=3 [step=0]",
	  false },
	/* not if too few steps came before, or the steps go back less far */
	{ LAST_RUN, "{\"step\": 1, \"v\": 9}\n{\"step\": 2, \"v\": 8}\n{\"step\": 1, \"v\": 6}\n",
	  "v=6 [step=1]", false },
	{ LAST_RUN,
	  "{\"step\": 1, \"v\": 9}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": 6}\n{\"step\": 2, "
	  "\"v\": 5}\n",
	  "v=5 [step=2]", false },
	/* nor if the record is of another kind, or another counter goes on */
	{ LAST_RUN,
	  "{\"step\": 1, \"v\": 9}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": 6}\n{\"step\": 1, "
	  "\"eval\": 5}\n{\"step\": 1, \"v\": null}\n{\"step\": 7, \"v\": 2}\n",
	  "v=2 [step=7]", false },
	{ LAST_RUN,
	  "{\"step\": 1, \"v\": 9, \"in\": \"a\"}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": 6}\n"
	  "{\"step\": 1, \"v\": 5, \"in\": \"b\"}\n",
	  "v=5 [step=1]", false },
	{ LAST_RUN,
	  "{\"step\": 1, \"v\": 9, \"date\": \"a\"}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": 6}\n"
	  "{\"step\": 1, \"v\": 5, \"date\": \"b\"}\n",
	  "m: it holds 2 runs, since its steps begin anew: only the last is read; write each run into "
	  "a "
	  "file of its own | v=5 [step=1]",
	  false },
	{ LAST_RUN,
	  "{\"epoch\": 1, \"step\": 1, \"v\": 9}\n{\"epoch\": 1, \"step\": 3, \"v\": 8}\n{\"epoch\": "
	  "1, \"step\": 5, \"v\": 6}\n{\"epoch\": 2, \"step\": 1, \"v\": 5}\n",
	  "v=5 [step=1]", false },
	{ LAST_RUN,
	  "{\"epoch\": 1, \"step\": 1, \"v\": 9}\n{\"epoch\": 1, \"step\": 3, \"v\": 8}\n{\"epoch\": "
	  "1, \"step\": 5, \"v\": 6}\n{\"epoch\": 1, \"step\": 1, \"v\": 5}\n",
	  "m: it holds 2 runs, since its steps begin anew: only the last is read; write each run into "
	  "a "
	  "file of its own | v=5 [step=1]",
	  false },
	/* empty cells and null do not count where a step may lack the figure */
	{ "- {match: '*', name: f, series: true, samples: [{at: v, optional: true}, {at: w}]}",
	  "{\"v\": null, \"w\": 1}\n{\"v\": 2, \"w\": null}\n{\"v\": null, \"w\": 3}\n",
	  "m: 'w' is null, not measured | v.median=2 'median v' v.n=1 'n v' v.p90=2 n1 ±? 'p90 v' "
	  "v.p99=2 n1 ±? 'p99 v'",
	  false },
	{ "- {match: \"*\", name: f, read: lines, prefix: \"::\", series: true, take: [{at: v}]}",
	  "x ::{\"v\": 1}\n::{\"v\": \n",
	  "m:2: byte 6: the input ends where a value was expected; it is empty or cut short", true },
	{ "- {match: \"*\", name: f, read: lines, prefix: \"::\", has: [w], take: [{at: v}]}",
	  "x ::{\"v\": 1}\n", "", false },
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

static void test_details(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
		const struct row *r = &details[i];
		struct strbuf b = STRBUF_INIT;
		bool found;
		enum status st = read_file(r->formats, "m", "r.json", span_of(r->text), 0, ALL, &found, &b);
		if ((st != ST_OK) != r->refused || strcmp(strbuf_str(&b), r->figures) != 0)
			fail_msg("%s %s: %s", r->formats, r->text, strbuf_str(&b));
		strbuf_release(&b);
	}
}

/* ---- proposals ---- */

/* What is proposed for a file reads it; `figures` begin with a '?' if the better direction of one
   is not known, and with a '!' if the file is read so without any rules. */
static const struct {
	const char *file, *text, *figures;
	bool refused;
} proposals[] = {
	{ "x.json",
	  "{\"model\": \"m\", \"batch_size\": 8, \"steps\": 3, \"latency_ms\": 12.5, \"rate\": \"900 "
	  "tok/s\", \"rating\": 0.5, \"seed\": 3, \"date\": \"2026-01-01\", \"ok\": true, \"nan_ms\": "
	  "NaN, \"a_ms\": \"nan\", \"c_ms\": \"fast\", \"d\": [], \"e\": {}, \"time\": 1.5}",
	  "?!m: 'a_ms' is 'nan', 'nan_ms' is 'NaN', not measured | latency_ms=12.5 ms lower [model=m] "
	  "[batch_size=8] rate=9e2 tok/s higher [model=m] [batch_size=8] rating=0.5 [model=m] "
	  "[batch_size=8] seed=3 [model=m] [batch_size=8] steps=3 [model=m] [batch_size=8] time=1.5 "
	  "lower [model=m] [batch_size=8]",
	  false },
	{ "x.json",
	  "{\"step\": 3, \"loss\": 2.5, \"a\\\"b\": 1, \"\": 2, \"x y (ms)\": 1, \"p.q_ms\": 2, "
	  "\"r:s_ms\": 3, \"t-u_ms\": 4, \"v'w\": 5, \"\\u0001\": 6}",
	  "!loss=2.5 lower [step=3] p.q_ms=2 ms lower [step=3] r_s_ms=3 ms lower [step=3] t-u_ms=4 ms "
	  "lower [step=3] x_y=1 ms lower [step=3]",
	  false },
	{ "x.json",
	  "[{\"name\": \"a\", \"n\": 1, \"value\": 2.5, \"unit\": \"ms\"}, {\"name\": \"b\", \"n\": 1, "
	  "\"value\": 3.5, \"unit\": \"ms\"}]",
	  "!a.n1=2.5 ms lower b.n1=3.5 ms lower", false },
	{ "x.json",
	  "[{\"name\": \"a\", \"value\": 2.5, \"unit\": \"parsec\"}, {\"name\": \"b\", \"value\": 3.5, "
	  "\"unit\": \"parsec\"}]",
	  "!a=2.5 [unit=parsec] b=3.5 [unit=parsec]", false },
	{ "x.json",
	  "{\"version\": 1, \"results\": [{\"gpu\": \"H100\", \"batch_size\": 8, \"dtype\": \"bf16\", "
	  "\"kind\": \"k\", \"t_ms\": 1.5, \"lat\": {\"p50_ms\": 1}, \"date\": \"x\", \"long\": "
	  "\"0123456789012345678901234567890123456789\"}, {\"gpu\": \"H100\", \"batch_size\": 16, "
	  "\"dtype\": \"bf16\", \"kind\": \"k\", \"t_ms\": 2.5, \"x_ms\": 3, \"lat\": {}}]}",
	  "!H100.batch_size16.bf16/t_ms=2.5 ms lower H100.batch_size16.bf16/x_ms=3 ms lower "
	  "H100.batch_size8.bf16/lat.p50_ms=1 ms lower H100.batch_size8.bf16/t_ms=1.5 ms lower",
	  false },
	{ "x.json",
	  "{\"took_ms\": 5, \"results\": [{\"gpu\": \"H\", \"t_ms\": 1}, {\"gpu\": \"I\", \"t_ms\": "
	  "1}]}",
	  "!results.H.t_ms=1 ms lower results.I.t_ms=1 ms lower took_ms=5 ms lower", false },
	{ "x.json",
	  "[{\"step\": 1, \"loss\": 2.5, \"batch_size\": 4}, {\"step\": 2, \"loss\": 2.25, "
	  "\"batch_size\": 4}]",
	  "!loss.median=2.375 lower n2 ±0.1853 'median loss' [step=2] [batch_size=4]", false },
	/* brackets without a unit are a part of the name, as is a unit that distinguishes columns */
	{ "x.csv", "name,t (mean),t (p99),tput [tok/s],a (ms),a (us)\nx,5,8,90,1.5,1500\n",
	  "?!x/a__ms_=1.5 ms lower x/a__us_=15e2 us lower x/t__mean_=5 x/t__p99_=8 x/tput=9e1 tok/s "
	  "higher",
	  false },
	/* a setting of each record is its work */
	{ "x.csv", "name,infer_batch_size,n_elements,t_ms\na,256,8,1\nb,256,8,2\n",
	  "!a/t_ms=1 ms lower [infer_batch_size=256] [n_elements=8] b/t_ms=2 ms lower "
	  "[infer_batch_size=256] [n_elements=8]",
	  false },
	/* a duration with letters is told, though it is not read */
	{ "x.json", "{\"epoch_time\": \"1m30s\", \"model\": \"m\", \"x_ms\": 1.5}",
	  "!epoch_time=9e1 s lower [model=m] x_ms=1.5 ms lower [model=m]", false },
	/* times in several units, and what only resembles them */
	{ "x.json",
	  "{\"a_time\": \"1d 2h 3m 4.5s\", \"b_time\": \"0m37.414s\", \"c_time\": \"1h0m\", "
	  "\"d_time\": "
	  "\"2m 0.000000001s\", \"e_time\": \"99999d99999h99999m99999.999999999s\"}",
	  "!a_time=93784.5 s lower b_time=37.414 s lower c_time=36e2 s lower d_time=120.000000001 s "
	  "lower "
	  "e_time=9006009939.999999999 s lower",
	  false },
	{ "x.json", "{\"a_time\": \"2m 30m\", \"x_ms\": 1.5}",
	  "!m: 'a_time' is '2m 30m' (a text), not measured | x_ms=1.5 ms lower", false },
	/* what all earlier steps have, and the last ones lack, was not measured at last; what some
	   steps have among others is optional */
	{ "x.json",
	  "[{\"step\": 0, \"t_ms\": 1, \"loss\": 2}, {\"step\": 1, \"t_ms\": 1, \"loss\": 2}, "
	  "{\"step\": 2, \"t_ms\": 1, \"loss\": 2}, {\"step\": 3, \"t_ms\": 1, \"loss\": null}, "
	  "{\"step\": 4, \"t_ms\": 1, \"loss\": null}, {\"step\": 5, \"t_ms\": 1, \"loss\": null}]",
	  "!m: 'loss' is 'null at the end', not measured | t_ms.median=1 ms lower n6 ±0 'median t_ms' "
	  "[step=5]",
	  false },
	{ "x.json",
	  "[{\"step\": 0, \"t_ms\": 1, \"loss\": 2}, {\"step\": 1, \"t_ms\": 1, \"loss\": 2}, "
	  "{\"step\": 2, \"t_ms\": 1, \"loss\": 2}, {\"step\": 3, \"t_ms\": 1}, {\"step\": 4, "
	  "\"t_ms\": 1}, {\"step\": 5, \"t_ms\": 1}]",
	  "!m: 'loss' is 'absent at the end', not measured | t_ms.median=1 ms lower n6 ±0 'median "
	  "t_ms' [step=5]",
	  false },
	{ "x.json",
	  "[{\"step\": 0, \"t_ms\": 1, \"loss\": null}, {\"step\": 1, \"t_ms\": 1, \"loss\": 2}, "
	  "{\"step\": 2, \"t_ms\": 1, \"loss\": null}, {\"step\": 3, \"t_ms\": 1, \"loss\": 2}, "
	  "{\"step\": 4, \"t_ms\": 1, \"loss\": null}, {\"step\": 5, \"t_ms\": 1, \"loss\": null}]",
	  "!loss.median=2 lower n2 ±0 'median loss' [step=5] t_ms.median=1 ms lower n6 ±0 'median "
	  "t_ms' [step=5]",
	  false },
	/* a sweep: round numbers, not with the same step each */
	{ "x.json",
	  "[{\"elements\": 16, \"t_ms\": 1}, {\"elements\": 64, \"t_ms\": 2}, {\"elements\": 128, "
	  "\"t_ms\": 3}]",
	  "!elements128/t_ms=3 ms lower elements16/t_ms=1 ms lower elements64/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"id\": 16, \"t_ms\": 1}, {\"id\": 64, \"t_ms\": 2}, {\"id\": 128, \"t_ms\": 3}]",
	  "?!id.median=64 n3 ±71.16 'median id' t_ms.median=2 ms lower n3 ±1.483 'median t_ms'",
	  false },
	{ "x.json",
	  "[{\"tok_s\": 16, \"t_ms\": 1}, {\"tok_s\": 64, \"t_ms\": 2}, {\"tok_s\": 128, \"t_ms\": 3}]",
	  "!t_ms.median=2 ms lower n3 ±1.483 'median t_ms' tok_s.median=64 tok/s higher n3 ±71.16 "
	  "'median tok_s'",
	  false },
	{ "x.json",
	  "[{\"elements\": 16, \"t_ms\": 1}, {\"elements\": 64, \"t_ms\": 2}, {\"elements\": 65, "
	  "\"t_ms\": 3}]",
	  "!elements.median=64 n3 ±1.483 'median elements' t_ms.median=2 ms lower n3 ±1.483 'median "
	  "t_ms'",
	  false },
	{ "x.json",
	  "[{\"elements\": 16, \"t_ms\": 1}, {\"t_ms\": 2}, {\"elements\": 128, \"t_ms\": 3}]",
	  "!elements.median=72 n2 ±83.03 'median elements' t_ms.median=2 ms lower n3 ±1.483 'median "
	  "t_ms'",
	  false },
	{ "x.json",
	  "[{\"elements\": 16, \"t_ms\": 1}, {\"elements\": 64.5, \"t_ms\": 2}, {\"elements\": 128, "
	  "\"t_ms\": 3}]",
	  "!elements.median=64.5 n3 ±71.91 'median elements' t_ms.median=2 ms lower n3 ±1.483 'median "
	  "t_ms'",
	  false },
	{ "x.json",
	  "[{\"elements\": 0, \"t_ms\": 1}, {\"elements\": 64, \"t_ms\": 2}, {\"elements\": 128, "
	  "\"t_ms\": 3}]",
	  "!elements.median=64 n3 ±94.89 'median elements' t_ms.median=2 ms lower n3 ±1.483 'median "
	  "t_ms'",
	  false },
	{ "x.json",
	  "[{\"elements\": 16, \"t_ms\": 1}, {\"elements\": 24, \"t_ms\": 2}, {\"elements\": 128, "
	  "\"t_ms\": 3}]",
	  "!elements128/t_ms=3 ms lower elements16/t_ms=1 ms lower elements24/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"elements\": 16, \"t_ms\": 1}, {\"elements\": 32, \"t_ms\": 2}, {\"elements\": 48, "
	  "\"t_ms\": 3}]",
	  "!elements.median=32 n3 ±23.72 'median elements' t_ms.median=2 ms lower n3 ±1.483 'median "
	  "t_ms'",
	  false },
	{ "x.json", "[{\"elements\": 16, \"t_ms\": 1}, {\"elements\": 32, \"t_ms\": 2}]",
	  "!elements16/t_ms=1 ms lower elements32/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"elements\": 64, \"t_ms\": 1}, {\"elements\": 16, \"t_ms\": 2}, {\"elements\": 128, "
	  "\"t_ms\": 3}]",
	  "!elements128/t_ms=3 ms lower elements16/t_ms=2 ms lower elements64/t_ms=1 ms lower", false },
	/* settings in objects, if they differ; a number beside a figure does not count as one */
	{ "x.json",
	  "[{\"in\": {\"batch_size\": 8, \"tp\": 2}, \"t_ms\": 1}, {\"in\": {\"batch_size\": 4, "
	  "\"tp\": 2}, \"t_ms\": 2}]",
	  "!batch_size4/t_ms=2 ms lower [in.tp=2] batch_size8/t_ms=1 ms lower [in.tp=2]", false },
	{ "x.json", "[{\"in\": {\"rate\": 4}, \"t_ms\": 1}, {\"in\": {\"rate\": 8}, \"t_ms\": 2}]",
	  "!rate4/t_ms=1 ms lower rate8/t_ms=2 ms lower", false },
	{ "x.json", "[{\"in\": {\"seen\": 4, \"t_ms\": 1}}, {\"in\": {\"seen\": 8, \"t_ms\": 2}}]",
	  "?!in.seen.median=6 n2 ±2.965 'median in.seen' in.t_ms.median=1.5 ms lower n2 ±0.7413 "
	  "'median in.t_ms'",
	  false },
	{ "x.json",
	  "{\"tok_s\": 5, \"l\": [{\"name\": \"a\", \"in\": {\"rate\": 4}, \"t_ms\": 1}, {\"name\": "
	  "\"a\", \"in\": {\"rate\": 8}, \"t_ms\": 2, \"u_ms\": 3}]}",
	  "!l.a.rate4.t_ms=1 ms lower l.a.rate8.t_ms=2 ms lower l.a.rate8.u_ms=3 ms lower tok_s=5 "
	  "tok/s higher",
	  false },
	/* figures and settings of later records, also in objects and lists; what was measured there */
	{ "x.json",
	  "[{\"step\": 1, \"a_ms\": 1}, {\"step\": 2, \"b_ms\": 2, \"in\": {\"c_ms\": 3}}, {\"step\": "
	  "3, \"in\": {\"c_ms\": 5, \"d\": [4]}, \"batch_size\": 2}]",
	  "?!a_ms.median=1 ms lower 'median a_ms' [step=3] [batch_size=2] b_ms.median=2 ms lower "
	  "'median b_ms' [step=3] [batch_size=2] in.c_ms.median=4 ms lower n2 ±1.483 'median in.c_ms' "
	  "[step=3] [batch_size=2] in.d.median=4 'median in.d' [step=3] [batch_size=2]",
	  false },
	{ "x.json",
	  "[{\"name\": \"a\", \"a_ms\": \"-\", \"l\": []}, {\"name\": \"b\", \"a_ms\": 2, \"l\": [3]}]",
	  "?!m: 'a_ms' of case 'a' is '-', not measured | b/a_ms=2 ms lower b/l.median=3 'median l'",
	  false },
	{ "x.json", "{\"parts\": [{\"t_ms\": 1}, {\"u_ms\": 2}], \"tok_s\": 3}",
	  "!parts.t_ms.median=1 ms lower 'median parts.t_ms' parts.u_ms.median=2 ms lower 'median "
	  "parts.u_ms' tok_s=3 tok/s higher",
	  false },
	/* a column of which half of the cells are empty, and of which fewer are */
	{ "x.csv", "step,a_ms,eval_acc\n1,1,\n2,2,\n3,3,.3\n4,4,.5\n",
	  "!a_ms.median=2.5 ms lower n4 ±1.483 'median a_ms' [step=4] eval_acc.median=0.4 higher n2 "
	  "±0.1483 'median eval_acc' [step=4]",
	  false },
	{ "x.csv", "step,a_ms,b_ms\n1,1,\n2,2,\n3,3,3\n4,4,4\n",
	  "!m: 'b_ms' is null (2 values), not measured | a_ms.median=2.5 ms lower n4 ±1.483 'median "
	  "a_ms' [step=4]",
	  false },
	{ "x.csv", "step,a_ms,b_ms\n1,1,\n2,2,2\n3,3,3\n",
	  "!m: 'b_ms' is null, not measured | a_ms.median=2 ms lower n3 ±1.483 'median a_ms' [step=3]",
	  false },
	/* more than three members name records, at most twelve, where these do not distinguish them */
	{ "x.json",
	  "[{\"a\": \"k\", \"b\": \"l\", \"c\": \"m\", \"d\": \"n\", \"e\": \"o\", \"t_ms\": 1}, "
	  "{\"a\": \"k\", \"b\": \"l\", \"c\": \"m\", \"d\": \"p\", \"e\": \"o\", \"t_ms\": 2}]",
	  "!k.l.m.n/t_ms=1 ms lower k.l.m.p/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"a\": \"a\", \"b\": \"b\", \"c\": \"c\", \"d\": \"d\", \"e\": \"e\", \"f\": \"f\", "
	  "\"g\": \"g\", \"h\": \"h\", \"i\": \"i\", \"j\": \"j\", \"k\": \"k\", \"l\": \"l\", \"m\": "
	  "\"m\", \"t_ms\": 1}, {\"a\": \"a\", \"b\": \"b\", \"c\": \"c\", \"d\": \"d\", \"e\": \"e\", "
	  "\"f\": \"f\", \"g\": \"g\", \"h\": \"h\", \"i\": \"i\", \"j\": \"j\", \"k\": \"k\", \"l\": "
	  "\"l\", \"m\": \"n\", \"t_ms\": 2}]",
	  "!m: case 'a.b.c' is there twice; keep one run in the file (others are files of their own: "
	  "--repeat), or say 'repeats' in a format of your own",
	  true },
	{ "x.json", "[{\"batch_size\": 0.5, \"a_ms\": 1}, {\"batch_size\": 1, \"a_ms\": 2}]",
	  "!a_ms.median=1.5 ms lower n2 ±0.7413 'median a_ms' batch_size.median=0.75 n2 ±0.3706 "
	  "'median batch_size'",
	  false },
	{ "x.json", "[{\"batch_size\": 1, \"a_ms\": 1}, {\"batch_size\": 1.5, \"a_ms\": 2}]",
	  "!a_ms.median=1.5 ms lower n2 ±0.7413 'median a_ms' batch_size.median=1.25 n2 ±0.3706 "
	  "'median batch_size'",
	  false },
	{ "x.json",
	  "{\"a\": {\"b\": {\"c\": {\"d_ms\": 1, \"d\": {\"e_ms\": 2, \"e\": {\"f_ms\": 3}}}}}, "
	  "\"lat\": {\"value\": 3, \"unit\": \"ms\"}, \"val\": 4}",
	  "?!a.b.c.d.e_ms=2 ms lower a.b.c.d_ms=1 ms lower lat=3 ms lower val=4", false },
	{ "x.json",
	  "{\"times_ms\": [1, 2, null, 3, 4], \"b\": [1, \"x\"], \"c_ms\": [0.5, \"1.5 ms\", 2.5], "
	  "\"d\": [null], \"e_ms\": 1}",
	  "!m: 'times_ms' is null, not measured | c_ms.median=1.5 ms lower n3 ±1.483 'median c_ms' "
	  "e_ms=1 ms lower",
	  false },
	{ "x.json",
	  "{\"gpus\": [{\"name\": \"g0\", \"t_ms\": 1, \"in\": {\"u_ms\": 2, \"value\": 5}, \"deep\": "
	  "[{\"v_ms\": 1}], \"batch_size\": 1}, {\"name\": \"g1\", \"t_ms\": 2, \"in\": {\"u_ms\": 3, "
	  "\"value\": 6}, \"deep\": [], \"batch_size\": 2}], \"tok_s\": 3}",
	  "?!gpus.g0.batch_size1.in=5 gpus.g0.batch_size1.in.u_ms=2 ms lower "
	  "gpus.g0.batch_size1.t_ms=1 ms lower gpus.g1.batch_size2.in=6 gpus.g1.batch_size2.in.u_ms=3 "
	  "ms lower gpus.g1.batch_size2.t_ms=2 ms lower tok_s=3 tok/s higher",
	  false },
	{ "x.json", "{\"parts\": [{\"t_ms\": 1}, {\"t_ms\": 2}], \"tok_s\": 3}",
	  "!parts.t_ms.median=1.5 ms lower n2 ±0.7413 'median parts.t_ms' tok_s=3 tok/s higher",
	  false },
	{ "x.json",
	  "{\"num_requests\": 10, \"total_time_s\": 5, \"req\": {\"num_tokens\": 7, \"total_time_s\": "
	  "2, \"z_s\": 1}, \"num_tokens\": 3}",
	  "!num_tokens=3 [num_requests=10] req.num_tokens=7 [num_requests=10] req.total_time_s=2 s "
	  "lower [num_requests=10] [req.num_tokens+7] req.z_s=1 s lower [num_requests=10] "
	  "total_time_s=5 s lower [num_requests=10] [num_tokens+3]",
	  false },
	{ "x.json",
	  "{\"num_steps\": 10, \"dtype\": \"bf16\", \"cmd\": {\"lr\": 0.5, \"tp\": 2, \"mode\": "
	  "\"fast\"}, \"total_time_s\": 5}",
	  "!cmd.lr=0.5 [num_steps=10] [dtype=bf16] [cmd.tp=2] total_time_s=5 s lower [num_steps=10] "
	  "[dtype=bf16] [cmd.tp=2]",
	  false },
	{ "x.csv", "name,batch_size,t_ms\na,8,1.5\nb,8,2.5\n",
	  "!a.batch_size8/t_ms=1.5 ms lower b.batch_size8/t_ms=2.5 ms lower", false },
	{ "x.csv", "name,step,t_ms\na,8,1.5\na,9,2.5\n",
	  "!t_ms.median=2 ms lower n2 ±0.7413 'median t_ms' [step=9]", false },
	{ "x.csv", "1.5,2.5\n3,4\n", "?c2.median=3.25 n2 ±1.112 'median c2'", false },
	{ "x.csv", "name,\na,1\n", "", false },
	{ "x.json",
	  "{\"a\": {\"b\": {\"c\": {\"d_ms\": 1}}}, \"results\": [{\"name\": \"x\", \"t_ms\": 1}, "
	  "{\"name\": \"y\", \"t_ms\": 1}]}",
	  "!a.b.c.d_ms=1 ms lower results.x.t_ms=1 ms lower results.y.t_ms=1 ms lower", false },
	{ "x.csv", "name,t_ms\na,1\nfoot\nb,2\n",
	  "!m:3: 1 columns where the header has 2; quotes hold no line break", true },
	{ "x.json", "[[{\"t_ms\": 1}], [{\"t_ms\": 2}]]",
	  "!m: figure 't_ms' is there twice; keep one run in the file (others are files of their own: "
	  "--repeat), or say 'repeats' in a format of your own",
	  true },
	{ "x.json", "[1, 2]", "", false },
	{ "x.json", "{\"a\": \"b\"}", "", false },
	{ "x.json", "{\"t_ms\": 1",
	  "x.json: byte 10: the input ends where ',' or '}' was expected; it is empty or cut short",
	  true },
	{ "x.log", "{\"t_ms\": 1", "", false },
	{ "x.log", "{ \"a\": 1,\nt 1.5 ms\nt 2.5 ms\n",
	  "t.median=2 ms lower n2 ±0.7413 'median t' t.n=2 'n t'", false },
	{ "x.log", "[0] t 1.5 ms\n[1] t 2.5 ms\n",
	  "t.median=2 ms lower n2 ±0.7413 'median t' t.n=2 'n t'", false },
	{ "x.log",
	  "start\nstep 1/10 loss: 2.50 tput 900.5 samples/s | time (ms): 12.5 lr 1.0e-04\nstep 2/10 "
	  "loss: 2.25 tput 901.5 samples/s | time (ms): 11.5 lr 1.0E+4\n",
	  "loss.median=2.375 lower n2 ±0.1853 'median loss' [step=2] lr.median=5000.00005 n2 ±7413 "
	  "'median lr' [step=2] time_ms.median=12 ms lower n2 ±0.7413 'median time_ms' [step=2] "
	  "tput.median=901 samples/s higher n2 ±0.7413 'median tput' [step=2]",
	  false },
	{ "x.log", "log\n# size time busbw\n# (B) (us) (GB/s)\n 1024 10.5 3.5\r\n 2048 11.5\t4.5\r\n",
	  "size1024/busbw=3.5 higher size1024/time=10.5 lower size2048/busbw=4.5 higher "
	  "size2048/time=11.5 lower",
	  false },
	{ "x.log",
	  "took 5 ms for 3 tokens per second: 7.5, tokens/sec: 3 in 2 s\n a1 2 3.x _4 loss 5e-3 5e-\n",
	  "?for=3 tok in=2 s lower loss=0.005 lower second=7.5 s lower tokens_per_sec=3 tok/s higher "
	  "took=5 ms lower",
	  false },
	{ "x.log", "n 1.5 (s)\nn 2.5 (s)\nn 2.5 (s)\n", "n.median=2.5 n3 ±0 'median n' n.n=3 'n n'",
	  false },
	{ "x.log", "[a] x.y? {1} 2.5 $^|*+ \\ 3 ms\n", "?c4=2.5 ms=3 ms lower", false },
	{ "x.log", "a.b+c(d)*e?f$g^h 2.5 ms [i] 3 ms\na.b+c(d)*e?f$g^h 3.5 ms [i] 4 ms\n",
	  "h.median=3 ms lower n2 ±0.7413 'median h' h.n=2 'n h' i.median=3.5 ms lower n2 ±0.7413 "
	  "'median i' i.n=2 'n i'",
	  false },
	{ "x.log", "time 1.5\ntime 2.5", "time=1.5 lower", false },
	{ "*\".log", "time 1.5\n", "time=1.5 lower", false },
	{ "x.log", "2.5 3.5\n4.5 5.5\n",
	  "?c1.median=3.5 n2 ±1.483 'median c1' c2.median=4.5 n2 ±1.483 'median c2'", false },
	{ "x.log", "epoch loss\n-- --\n1 2.5\n2 2.25\n3 2.125\n",
	  "loss.median=2.25 lower n3 ±0.1853 'median loss'", false },
	{ "x.log", "speed /tok: 2.5\n", "?tok=2.5", false },
	{ "x.log", "saw tokens per second: 7.5\nsaw tokens per second: 8.5\n",
	  "tokens_per_second.median=8 tok/s higher n2 ±0.7413 'median tokens_per_second'", false },
	{ "x.log", "12.5 ms 3.5 GB/s\n", "gb_s=3.5 GB/s higher ms=12.5 ms lower", false },
	{ "x.log", "a per 2.5 s\n", "per=2.5 s lower", false },
	{ "x.log", "x/y per step 3.5 s\n", "x_per_y_per_step=3.5 s lower", false },
	{ "x.log", "loss (s): 2.5 (GB/s): 3.5 [ms] = 4\n",
	  "gb_s=3.5 GB/s higher loss_s=2.5 s lower ms=4 ms lower", false },
	{ "x.log", "elapsed/time 1.5 x per 2.5 / 3.5\n", "?c7=3.5 elapsed_per_time=1.5 lower per=2.5",
	  false },
	{ "x.json",
	  "{\"calls\": 10, \"total_time_s\": 5, \"p50_ms\": 3, \"req\": {\"trials\": 7, "
	  "\"total_time_s\": 2, \"mean_time_s\": 1}, \"l\": [{\"name\": \"a\", \"runs\": 3, "
	  "\"total_time_s\": 2}]}",
	  "!calls=1e1 l.a.runs=3 l.a.total_time_s=2 s lower [calls+10] p50_ms=3 ms lower "
	  "req.mean_time_s=1 s lower req.total_time_s=2 s lower [req.trials+7] req.trials=7 "
	  "total_time_s=5 s lower [calls+10]",
	  false },
	/* headings of several words, and of pandas, which has none for the numbers of rows */
	{ "x.log",
	  "# OSU Latency Test\n# Size    Avg Latency(us)  Iterations\n4     18.25   1000\n8     20.5   "
	  "1000\n",
	  "size4/avg_latency_us=18.25 us lower size8/avg_latency_us=20.5 us lower", false },
	{ "x.log",
	  "fp16:\n      M     N     Triton (TFLOP/s)\n0  256.0  256.0  4.25\n1  384.0  384.0  12.5\n",
	  "m256.0.n256.0/triton_tflop_s=4.25 TFLOP/s higher m384.0.n384.0/triton_tflop_s=12.5 TFLOP/s "
	  "higher",
	  false },
	{ "x.log", "fp16:\n      M     N     ms\n0  256.0  256.0  4.25\n1  384.0  384.0  12.5\n",
	  "m256.0.n256.0/ms=4.25 ms lower m384.0.n384.0/ms=12.5 ms lower", false },
	/* figures of two ranks, which have the same words before them */
	{ "x.log",
	  "[rank0]: step 1 loss 2.5 10.5 ms\n[rank1]: step 1 loss 3.5 20.5 ms\n[rank0]: step 2 loss "
	  "2.5 10.5 ms\n[rank1]: step 2 loss 3.5 20.5 ms\n",
	  "loss.median=2.5 lower n2 ±0 'median loss' [step=2] loss_ms.median=20.5 ms lower n2 ±0 "
	  "'median loss_ms' [step=2] ms.median=10.5 ms lower n2 ±0 'median ms' [step=2] "
	  "rank1_step_loss.median=3.5 lower n2 ±0 'median rank1_step_loss' [step=2]",
	  false },
	/* a line that has another at its end, or goes on, is another line */
	{ "x.log", "loss: 2.5\nloss: 2.5\nval loss: 3.5\n",
	  "loss.median=2.5 lower n2 ±0 'median loss' val_loss=3.5 lower", false },
	{ "x.log", "step 1 loss 2.5\nstep 2 loss 2.5\nstep 3 loss 2.5 val_loss 3.5\n",
	  "loss.median=2.5 lower n3 ±0 'median loss' [step=3] val_loss=3.5 lower [step=3]", false },
	/* a line that begins with the time has no headings, though it has a comma */
	{ "x.log",
	  "2026-01-02 12:00:01,123 - t - INFO - loss 2.5\n2026-01-02 12:00:02,123 - t - INFO - loss "
	  "3.5\n",
	  "loss.median=3 lower n2 ±0.7413 'median loss'", false },
	/* a sentence with a number has no headings above it */
	{ "x.log", "Training run done\nFinal accuracy 0.91\nlatency is 5.5 ms\n",
	  "accuracy=0.91 higher is=5.5 ms lower", false },
	/* commas of thousands, and in place of a point */
	{ "x.log", "forward 12,145.6 ms\n", "forward=12145.6 ms lower", false },
	{ "x.log", "Latenz: 5,5 ms\n", "?m: 'latenz' is '5,5 ms', not a number", true },
	/* blanks that align numbers may be missing; hours follow a 'T'; a spread is left out */
	{ "x.log",
	  "time=[ 95.5 ms]\ntime=[195.5 ms]\n2026-01-02T10:30:00Z rate 5.5 it/s\n2026-01-02T11:30:00Z "
	  "rate 7.5 it/s\nlat 5.5 ms ± 0.5 ms\n",
	  "lat=5.5 ms lower rate.median=6.5 1/s higher n2 ±1.483 'median rate' time.median=145.5 ms "
	  "lower n2 ±74.13 'median time'",
	  false },
	/* tables with bars; their last cells may be empty, and a row may lack its last bar */
	{ "x.md",
	  "# Run\n\n| model | tok/s | note |\n|---|--:|:-:|\n| a | `120.5` | |\n| b | **82.5** | x\n",
	  "!a/tok/s=120.5 tok/s higher b/tok/s=82.5 tok/s higher", false },
	{ "x.txt", "+---+-----+\n| n | ms  |\n+===+=====+\n| a | 1.5 |\n+---+-----+\n",
	  "!a/ms=1.5 ms lower", false },
	{ "x.md", "| a | b_ms |\n|---|---|\n| x | 1.5 |\ntook 12.5 ms\n", "?took=12.5 ms lower x=1.5",
	  false },
	/* a null of a rate was not measured; one of bytes may not have been meant to be */
	{ "x.jsonl",
	  "{\"step\":1,\"x (GB/s)\":null,\"x_ms\":1}\n{\"step\":2,\"x (GB/s)\":2.5,\"x_ms\":1}\n",
	  "!m: 'x' is null, not measured | x_ms.median=1 ms lower n2 ±0 'median x_ms' [step=2]",
	  false },
	{ "x.jsonl",
	  "{\"step\":1,\"x (GB)\":null,\"x_ms\":1}\n{\"step\":2,\"x (GB)\":2.5,\"x_ms\":1}\n",
	  "!x.median=2.5 GB lower 'median x' [step=2] x.n=1 'n x' x_ms.median=1 ms lower n2 ±0 'median "
	  "x_ms' [step=2]",
	  false },
	/* keys that YAML would take for several words, and characters that it cannot have */
	{ "x.json",
	  "[{\"name\": \"a\", \"global, batch size\": 8, \"my # batch size\": 8, \"x: batch size\": 8, "
	  "\"[g] batch size\": 8, \"t_ms\": 1}]",
	  "!a/t_ms=1 ms lower [.global__batch_size=8] [.my___batch_size=8] [.x__batch_size=8] "
	  "[._g__batch_size=8]",
	  false },
	{ "x.json", "{\"t\xef\xbf\xbe_ms\": 1, \"t_ms\": 2}", "!t_ms=2 ms lower", false },
	/* words of YAML */
	{ "x.json", "{\"null\": 1, \"true\": 2, \"no\": 3, \"a_ms\": 4}",
	  "?!a_ms=4 ms lower no=3 null=1 true=2", false },
	/* a spread beside a number is left over */
	{ "x.json", "{\"a_ms\": \"5.25 ms ± 84.3 µs\"}",
	  "!m: 'a_ms' is '5.25 ms ± 84.3 µs', not a number", true },
	/* lines with quotes and signs; names with digits */
	{ "x.log",
	  "'loss': -2.5, \"rate\": 5 tok/s\n'loss': 1.5, \"rate\": 6 tok/s\np50 5.5 ms p99 7.5 ms\n",
	  "loss.median=-0.5 lower n2 ±2.965 'median loss' p50=5.5 ms lower p99=7.5 ms lower "
	  "rate.median=5.5 tok/s higher n2 ±0.7413 'median rate'",
	  false },
	{ "x.csv", "a,b_ms\n\"x,1\n", "", false },
	{ "x.csv", "name,calls,total_time_s\na,8,1.5\nb,9,2.5\n",
	  "!a/calls=8 a/total_time_s=1.5 s lower [calls+8] b/calls=9 b/total_time_s=2.5 s lower "
	  "[calls+9]",
	  false },
};

static void test_proposals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof proposals / sizeof *proposals; i++) {
		struct strbuf b = STRBUF_INIT;
		enum status st = propose(proposals[i].file, span_of(proposals[i].text), &b);
		if ((st != ST_OK) != proposals[i].refused ||
		    strcmp(strbuf_str(&b), proposals[i].figures) != 0)
			fail_msg("%s: %s", proposals[i].text, strbuf_str(&b));
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

static enum status propose_many(int nr, struct strbuf *lines)
{
	struct result_proposal found;
	struct diag_log log;
	struct strbuf text = STRBUF_INIT;
	for (int i = 0; i < nr; i++)
		strbuf_addf(&text, "%s\"f%d_ms\": 1", i ? ", " : "{", i);
	strbuf_addch(&text, '}');
	diag_init(&log);
	struct source *src = source_memory("m", strbuf_str(&text), text.n, NULL);
	enum status st = result_propose(src, "r.json", &found, &log);
	source_close(src);
	strbuf_adds(lines, found.is_plain ? "!" : "");
	strbuf_add(lines, strbuf_span(&found.lines));
	strbuf_release(&found.lines);
	strbuf_release(&text);
	diag_release(&log);
	return st;
}

static void test_many_figures(void **state)
{
	(void)state;
	for (int nr = 400; nr < 403; nr++) {
		struct strbuf b = STRBUF_INIT, more = STRBUF_INIT;
		strbuf_addf(&more, "# and %d more figures", nr - 400);
		assert_int_equal(propose_many(nr, &b), ST_OK);
		assert_int_equal(strstr(strbuf_str(&b), strbuf_str(&more)) != NULL, nr > 400);
		assert_int_equal(strbuf_str(&b)[0] == '!', nr == 400);
		assert_non_null(strstr(strbuf_str(&b), "f399_ms"));
		assert_null(strstr(strbuf_str(&b), "f400_ms"));
		strbuf_release(&b);
		strbuf_release(&more);
	}
}

/* A folder that says what a sweep varies is the case, unless the format has one. */
static void test_sweep(void **state)
{
	static const char *const of[][2] = {
		{ "out/concurrency_16/r.json", "concurrency_16/a=1" },
		{ "concurrency=16/r.json", "concurrency_16/a=1" },
		{ "batch_size-8/r.json", "batch_size-8/a=1" },
		{ "batch_size-8/x/r.json", "a=1" },
		{ "llama_70b-chat-bs8/r.json", "llama_70b-chat-bs8/a=1" },
		{ "llama-70b-concurrency16-x/r.json", "llama-70b-concurrency16-x/a=1" },
		{ "llama_bs8/r.json", "a=1" },
		{ "bs-/r.json", "a=1" },
		{ "out/tp8/r.json", "a=1" },
		{ "out/tp_x/r.json", "a=1" },
		{ "out/run_16/r.json", "a=1" },
		{ "out/tp_/r.json", "a=1" },
		{ "concurrency_16", "a=1" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct strbuf b = STRBUF_INIT;
		bool found;
		assert_int_equal(read_file("- {match: \"*\", name: f, take: [{at: a}]}", of[i][0], "r.json",
		                           SPAN("{\"a\": 1}"), 0, FIGURES, &found, &b),
		                 ST_OK);
		assert_string_equal(strbuf_str(&b), of[i][1]);
		strbuf_release(&b);
	}
}

/* Lines of up to 2,000 bytes are searched. */
static void test_long_lines(void **state)
{
	static const char *const said[] = { "v=3",
		                                "m: 1 line is longer than 2000 bytes, which is not "
		                                "searched for figures | v=3",
		                                "m: 2 lines are longer than 2000 bytes, which are not "
		                                "searched for figures | v=3" };
	(void)state;
	for (int nr = 0; nr < 3; nr++) {
		struct strbuf text = STRBUF_INIT, b = STRBUF_INIT;
		bool found;
		for (int i = 0; i < nr; i++)
			strbuf_addf(&text, "v=%01999d\n", 4);
		strbuf_addf(&text, "v=3%*s\n", 1997, "");
		enum status st = read_file("- {match: '*', name: f, read: text, pattern: 'v=(?<v>[0-9]+)', "
		                           "series: true, take: [{at: v}]}",
		                           "m", "r.log", strbuf_span(&text), 0, ALL, &found, &b);
		assert_int_equal(st, ST_OK);
		assert_string_equal(strbuf_str(&b), said[nr]);
		strbuf_release(&text);
		strbuf_release(&b);
	}
}

/* A pattern has up to 1,000 bytes and 40 parentheses. */
static void test_pattern_limits(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		struct strbuf many = STRBUF_INIT, large = STRBUF_INIT;
		for (int i = 0; i < 39 + more; i++)
			strbuf_adds(&many, "(a)");
		strbuf_adds(&many, "(?<v>1)");
		strbuf_addf(&large, "(?<v>1)%0*d", 993 + more, 0);
		assert_int_equal(text_pattern_fault(strbuf_str(&many)) != NULL, more);
		assert_int_equal(text_pattern_fault(strbuf_str(&large)) != NULL, more);
		strbuf_release(&many);
		strbuf_release(&large);
	}
}

/* A line of a table has up to 1,024 columns. */
static void test_columns(void **state)
{
	(void)state;
	for (int nr = CSV_COLUMNS; nr <= CSV_COLUMNS + 1; nr++) {
		struct strbuf text = STRBUF_INIT, b = STRBUF_INIT;
		bool found;
		for (int i = 0; i < 2 * nr; i++)
			strbuf_addf(&text, i < nr ? "c%d%s" : "%d%s", i % nr, i % nr + 1 < nr ? "," : "\n");
		enum status st = read_file("- {match: '*', name: f, read: csv, take: [{at: c1023}]}", "m",
		                           "r.csv", strbuf_span(&text), 0, FIGURES, &found, &b);
		assert_int_equal(st, ST_OK);
		assert_int_equal(found, nr == CSV_COLUMNS);
		strbuf_release(&text);
		strbuf_release(&b);
	}
}

/* ---- guesses by the first bytes ---- */

/* What a text may be: m(etrics file), r(esult file) by its first bytes, j(son), s: a result file by
   its keys; l(ines) that nothing reads, and the error. */
static const struct {
	struct span text;
	const char *kinds;
} guesses[] = {
	{ { "{\"a\": 1}", 8 }, "mrjs" },
	{ { "{\"a\": 1, \"b\": \"x\"}", 18 }, "mrjs" },
	{ { "{\"a\": 1, \"b\": \"x\"", 17 }, "rjs" },
	{ { "{\"a\": 1, \"b\": 2", 15 }, "mrjs" },
	{ { "{\"a\": \"x\"}", 10 }, "rjs" },
	{ { "{\"a\": 1, \"b\": [1]}", 18 }, "rjs" },
	{ { "{\"a\": NaN}", 10 }, "mrjs" },
	{ { "{\"a\": 1} x", 10 },
	  "mrjsl m: byte 9: another value on the line of the one before it; write one JSON value, or "
	  "one a line" },
	{ { "[1]", 3 }, "rjs" },
	{ { "{\"a\": 1, \"traceEvents\": 1}", 26 }, "j" },
	{ { "", 0 }, "s" },
	{ { "<a>", 3 }, "s" },
	{ { "{\"segments\": 1}", 15 }, "j" },
	{ { "{\"ph\": 1}", 9 }, "mj" },
	{ { "[{\"ph\": \"X\"}]", 13 }, "j" },
	{ { "[{\"a\": 1, \"ph\": \"X\"}]", 21 }, "j" },
	{ { "[]", 2 }, "rj" },
	{ { "[[1]]", 5 }, "rjs" },
	{ { "{\"a\": {\"ph\": 1}}", 16 }, "js" },
	{ { "a\000b", 3 }, "s" },
	{ { "{\"a\": {\"ph\": 1}, \"segment_type\": 2}", 35 }, "j" },
	{ { "{\"a\": 1}\n{\"a\": 2}\n", 18 },
	  "mrjsl m: JSON lines, where a metrics file has one object; for a result file of no known "
	  "format, 'gpugate explain FILE' prints the lines to add to the rules (inputs: results)" },
	{ { "{\"a\": 1}\n{\"a\": \n", 16 },
	  "mrjsl m:2: byte 7: the input ends where a value was expected; it is empty or cut short" },
	{ { "{\"a\": 1}{", 9 },
	  "mrjsl m: byte 8: another value on the line of the one before it; write one JSON value, or "
	  "one a line" },
	{ { "3\n4\n", 4 }, "rs" },
	{ { "[0] loss", 8 }, "rs" },
	{ { "[rank0]: x", 10 }, "rs" },
	{ { "[1, 2", 5 }, "rjs" },
	{ { "[ \"a\"", 5 }, "rjs" },
	{ { "[true", 5 }, "rjs" },
	{ { "[-1.5e+3,", 9 }, "rjs" },
	{ { "[2026-11-28 10:00", 17 }, "rs" },
	{ { "[NaN", 4 }, "rjs" },
	{ { "[", 1 }, "rj" },
	{ { "[1]", 3 }, "rjs" },
	{ { "[1] \n", 5 }, "rjs" },
	{ { "[1] x", 5 }, "rs" },
	{ { "[1", 2 }, "rjs" },
	{ { "[1-2]", 5 }, "rs" },
	{ { "[e", 2 }, "rjs" },
	{ { "[.5,", 4 }, "rjs" },
	{ { "[+ ", 3 }, "rjs" },
	{ { "[nul", 4 }, "rs" },
	{ { "[1e-5\t", 6 }, "rjs" },
	{ { "[Infinity", 9 }, "rjs" },
	{ { "[[", 2 }, "rjs" },
	{ { "[x", 2 }, "rs" },
	{ { "\036 [1]", 5 }, "rjs" },
	{ { "[false", 6 }, "rjs" },
	{ { "[5:", 3 }, "rs" },
};

static void test_guesses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
		struct span s = guesses[i].text;
		struct strbuf b = STRBUF_INIT;
		struct diag_log log;
		bool lines;
		diag_init(&log);
		strbuf_adds(&b, metrics_recognize(s) ? "m" : "");
		strbuf_adds(&b, result_recognize(s) ? "r" : "");
		strbuf_adds(&b, value_is_json(s) ? "j" : "");
		struct source *src = source_memory("m", s.p, s.n, NULL);
		strbuf_adds(&b, result_sniff(src) ? "s" : "");
		source_close(src);
		src = source_memory("m", s.p, s.n, NULL);
		enum status st = result_refuse_lines(src, &lines, &log);
		source_close(src);
		assert_int_equal(lines, st != ST_OK);
		strbuf_addf(&b, "%s%s", lines ? "l " : "", lines ? diag_first_error(&log) : "");
		diag_release(&log);
		assert_string_equal(strbuf_str(&b), guesses[i].kinds);
		strbuf_release(&b);
	}
}

/* ---- state of GPUs ---- */

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

static const struct {
	const char *text, *machines;
	bool refused;
} machines[] = {
	{ "timestamp, index, name, driver_version, power.limit [W], clocks.max.sm [MHz], power.draw "
	  "[W], clocks.current.memory [MHz], temperature.gpu, utilization.gpu [%], "
	  "clocks_throttle_reasons.hw_slowdown, clocks_event_reasons.sw_thermal_slowdown\n2026/07/14 "
	  "08:12:38.000, 1, H100, 580.1, 700.00 W, 1980 MHz, 100.5 W, 2619 MHz, 59, 0 %, Active, Not "
	  "Active\n2026/07/14 08:12:39.000, 0, H100, 580.1, 650.00 W, [N/A], 200.25 W, (2619MHz), 60, "
	  "50 %, Not Active, Active\n2026/07/14 08:12:40.500, 1, H200, 580.1, 700.00 W, 1980 MHz, 300 "
	  "W, 2620 MHz, 61, 5 %, Active, Active\n2026/07/14 08:12:41.500, 1, H200, 580.1, 700.00 W, "
	  "1980 MHz, 200 W, 2610 MHz, 58, 0 %, Active, Not Active\n2026/07/14 08:12:39.500, 1, [N/A], "
	  ", 700.00 W, 1980 MHz, 150 W, 2630 MHz, 62, 7 %, , \n",
	  "0: n1 0ns sm-1 mem2619000000 200250mW 60C thr-1() -1uJ/-1ns others-1; 1: n4 3500000000ns "
	  "sm-1 mem2625000000 225000mW 62C thr100000000(hw_slowdown, sw_thermal_slowdown) "
	  "412875000uJ/2500000000ns others-1; machine.driver=580.1; machine.gpu=H100, H200; "
	  "machine.power_limit=650.00 W, 700.00 W; machine.sm_clock_max=1980 MHz; 76254ff4",
	  false },
	{ "log\nuuid,power.draw [W],temperature.gpu\nGPU-a b,5 W,-3\n,6,7\nonly two,1\n",
	  "0: n1 -1ns sm-1 mem-1 6000mW 7C thr-1() -1uJ/-1ns others-1; GPU-a b: n1 -1ns sm-1 mem-1 "
	  "5000mW -1C thr-1() -1uJ/-1ns others-1; a06cd115",
	  false },
	{ "timestamp,gpu_uuid,clocks.sm,clocks.mem,power.draw.average\n1969/12/31 "
	  "23:59:59,u,5,6,7\n2026/07/14 08:12,u,5,6,7\n2262/04/11 "
	  "23:47:16.854775807,u,5,6,7\n2262/04/11 23:47:16.854775808,u,5,6,7\n2026-07-14 "
	  "18:02:03,u,4,-1,9223372036854775\n2026/13/14 08:12:38,u,5,6,7\n2026/07/14 "
	  "xx:12:38,u,5,6,7\n2026/07/14 08:xx:38,u,5,6,7\n2026/07/14 08:12:xx,u,5,6,7\n2026/07/14 "
	  "23:59:59,u,5,6,7\n",
	  "u: n10 -1ns sm5000000 mem6000000 7000mW -1C thr-1() "
	  "52075089064983431uJ/7439298437854775807ns others-1; 2e2dfe36",
	  false },
	{ " \n\nindex,clocks.sm\n0,[N/A]\n1,5\n",
	  "1: n1 -1ns sm5000000 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; c489b010", false },
	{ "index,clocks_event_reasons_counters.sw_power_cap "
	  "[us],clocks_event_reasons_counters.hw_slowdown [us],timestamp,utilization.gpu "
	  "[%]\n0,5,7,2026/07/14 08:12:38,9\n0,25005,4000007,2026/07/14 08:12:39,9\n1,9,1,2026/07/14 "
	  "08:12:38,9\n1,8,1,2026/07/14 08:12:39,9\n2,9,1,2026/07/14 08:12:38,9\n",
	  "0: n2 1000000000ns sm-1 mem-1 -1mW -1C thr100000000(sw_power_cap, hw_slowdown) -1uJ/-1ns "
	  "others-1; 1: n2 1000000000ns sm-1 mem-1 -1mW -1C thr0() -1uJ/-1ns others-1; 2: n1 0ns sm-1 "
	  "mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; 0bee3956",
	  false },
	{ "{\"card0\": {\"sclk clock speed:\": \"(300Mhz)\", \"mclk clock speed:\": \"(1200Mhz)\", "
	  "\"Average Graphics Package Power (W)\": \"36.0\", \"GPU use (%)\": \"5\", \"Temperature "
	  "(Sensor edge) (C)\": \"31.0\", \"Temperature (Sensor junction) (C)\": \"33.0\", \"Card "
	  "series\": \"MI100\", \"Max Graphics Package Power (W)\": \"290.0\"}, \"card1\": {\"Current "
	  "Socket Graphics Package Power (W)\": \"53.5\", \"Temperature (Sensor edge) (C)\": "
	  "\"30.0\"}, \"cardx\": {}, \"card\": {\"GPU use (%)\": 1}, \"card2\": 5, \"system\": "
	  "{\"Driver version\": \"6.1\"}}",
	  "0: n1 -1ns sm300000000 mem1200000000 36000mW 33C thr-1() -1uJ/-1ns others-1; 1: n1 -1ns "
	  "sm-1 mem-1 53500mW 30C thr-1() -1uJ/-1ns others-1; machine.driver=6.1; machine.gpu=MI100; "
	  "machine.power_limit=290.0; fe59cb91",
	  false },
	{ "{\"x\": 1}", "00000000", false },
	{ "{\"card0\": {\"x\": 1}}", "00000000", false },
	{ "[1]", "00000000", false },
	{ "n,v\n1,2\n", "00000000", false },
	{ "", "00000000", false },
	{ "{\"schema\": \"gpugate-machine-1\", \"time_ns\": 100, \"driver\": \"580\", \"gpus\": "
	  "[{\"index\": \"1\", \"name\": \"H100\", \"power_limit\": \"700 W\", \"sm_clock_max\": "
	  "\"1980 MHz\", \"sm_clock_mhz\": 1900, \"memory_clock_mhz\": 2600, \"power_mw\": 500000, "
	  "\"temperature_c\": 50, \"utilization_pct\": 90, \"other_processes\": 2, \"energy_mj\": "
	  "1000, \"reasons\": [\"hw_slowdown\", \"x\"], \"counters_us\": {\"sw_power_cap\": 7}}, "
	  "{\"index\": \"a\\u0001b\", \"name\": \"[N/A]\", \"power_mw\": 1000, \"time\": "
	  "3}]}\n{\"schema\": \"gpugate-machine-1\", \"time_ns\": 3000000100, \"driver\": \"580\", "
	  "\"gpus\": [{\"index\": \"1\", \"name\": \"H100\", \"power_limit\": \"700 W\", "
	  "\"sm_clock_max\": \"1980 MHz\", \"sm_clock_mhz\": 1800, \"memory_clock_mhz\": 2600, "
	  "\"power_mw\": 600000, \"temperature_c\": 52, \"utilization_pct\": 95, \"other_processes\": "
	  "1, \"energy_mj\": 1600000, \"reasons\": [], \"counters_us\": {\"sw_power_cap\": 300007}}, "
	  "{\"index\": \"a\\u0001b\", \"power_mw\": 2000, \"utilization_pct\": 3}]}\n{\"schema\": "
	  "\"gpugate-machine-1\", \"time_ns\": 4000000100, \"driver\": \"581\", \"gpus\": [{\"index\": "
	  "\"1\", \"power_mw\": 500000, \"utilization_pct\": 95, \"energy_mj\": 1600000}, "
	  "{\"power_mw\": 3000, \"utilization_pct\": 0}]}\n{\"schema\": \"gpugate-machine-1\", "
	  "\"time_ns\": 5000000100, \"driver\": \"581\", \"gpus\": [{\"index\": \"1\", \"power_mw\": "
	  "500000, \"utilization_pct\": 0, \"energy_mj\": 1700000}, {\"power_mw\": 4000}]}\n",
	  "0: n2 1000000000ns sm-1 mem-1 3500mW -1C thr-1() 3500000uJ/1000000000ns others-1; 1: n4 "
	  "5000000000ns sm1850000000 mem2600000000 500000mW 52C thr50000000(hw_slowdown) "
	  "2149000000uJ/4000000000ns others2; a�b: n2 3000000000ns sm-1 mem-1 2000mW -1C thr-1() "
	  "4500000uJ/3000000000ns others-1; machine.driver=580, 581; machine.gpu=H100; "
	  "machine.power_limit=700 W; machine.sm_clock_max=1980 MHz; 645bbed3",
	  false },
	{ "{\"schema\": \"gpugate-machine-1\", \"time_ns\": 5, \"driver\": \"\", \"gpus\": "
	  "[{\"index\": \"0\", \"energy_mj\": 0, \"utilization_pct\": 1}]}\n{\"schema\": "
	  "\"gpugate-machine-1\", \"time_ns\": 7, \"driver\": \"\", \"gpus\": [{\"index\": \"0\", "
	  "\"energy_mj\": 3, \"utilization_pct\": 1}]}\n{\"schema\": \"gpugate-machine-1\", "
	  "\"time_ns\": 9, \"driver\": \"\", \"gpus\": [{\"index\": \"0\", \"energy_mj\": 3, "
	  "\"utilization_pct\": 1}]}\n",
	  "0: n3 4ns sm-1 mem-1 -1mW -1C thr-1() 3000uJ/2ns others-1; c4df1d75", false },
	{ "{\"schema\": \"gpugate-machine-1\", \"time_ns\": 0, \"driver\": \"\", \"gpus\": "
	  "[{\"index\": \"0\", \"power_mw\": 5}]}\n{\"schema\": \"gpugate-machine-1\", \"time_ns\": 7, "
	  "\"driver\": \"\", \"gpus\": [{\"index\": \"0\", \"power_mw\": 4}]}\n",
	  "0: n2 7ns sm-1 mem-1 5mW -1C thr-1() 0uJ/7ns others-1; 766d8353", false },
	{ "{\"schema\": \"gpugate-machine-1\", \"time_ns\": 5, \"driver\": \"\", \"gpus\": "
	  "[{\"index\": \"0\", \"power_mw\": NaN}]}\n{\"schema\": \"gpugate-machine-1\", \"time_ns\": "
	  "7, \"driver\": \"\", \"gpus\": [{\"index\": \"0\", \"power_mw\": 4}]}\n{\"schema\": ",
	  "0: n2 2ns sm-1 mem-1 4mW -1C thr-1() -1uJ/-1ns others-1; c956e020", false },
	{ "{\"schema\": \"gpugate-machine-1\", \"time_ns\": -5, \"driver\": \"\", \"gpus\": "
	  "[{\"index\": \"0\", \"power_mw\": 1}]}\n{\"schema\": \"gpugate-machine-1\", \"time_ns\": 7, "
	  "\"driver\": \"\", \"gpus\": [{\"index\": \"0\", \"power_mw\": 1}]}\n",
	  "0: n2 -1ns sm-1 mem-1 1mW -1C thr-1() -1uJ/-1ns others-1; a5807cd9", false },
};

static void test_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		struct strbuf b = STRBUF_INIT;
		struct digest *d = digest_new();
		bool found;
		enum status st;
		machine_of(machines[i].text, strlen(machines[i].text), d, &found, &st);
		show_machines(&b, d);
		assert_int_equal(found, st != ST_OK || d->machines.nr > 0);
		if ((st != ST_OK) != machines[i].refused ||
		    strcmp(strbuf_str(&b), machines[i].machines) != 0)
			fail_msg("%s: %s", machines[i].text, strbuf_str(&b));
		strbuf_release(&b);
		digest_free(d);
	}
}

/* A file has up to 256 GPUs. */
static void test_many_machines(void **state)
{
	(void)state;
	for (int nr = MACHINE_GPUS_MAX; nr <= MACHINE_GPUS_MAX + 1; nr++)
		for (int kind = 0; kind < 3; kind++) {
			static const char *const heads[] = {
				"index,clocks.sm\n", "{", "{\"schema\": \"gpugate-machine-1\", \"gpus\": ["
			};
			static const char *const ends[] = { "", "}", "]}" };
			struct strbuf b = STRBUF_INIT;
			struct digest *d = digest_new();
			bool found;
			enum status st;
			strbuf_adds(&b, heads[kind]);
			for (int i = 0; i < 2 * nr; i++)
				strbuf_addf(&b,
				            kind == 0   ? "%.0s%d,5\n"
				            : kind == 1 ? "%s\"card%d\": {\"GPU use\": 1}"
				                        : "%s{\"index\": \"%d\", \"power_mw\": 1}",
				            i ? ", " : "", i % nr);
			strbuf_adds(&b, ends[kind]);
			machine_of(strbuf_str(&b), b.n, d, &found, &st);
			assert_true(found);
			assert_int_equal(st, nr > MACHINE_GPUS_MAX ? ST_INPUT : ST_OK);
			assert_int_equal(d->machines.nr, nr > MACHINE_GPUS_MAX ? 0 : nr);
			strbuf_release(&b);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),          cmocka_unit_test(test_details),
		cmocka_unit_test(test_proposals),     cmocka_unit_test(test_guesses),
		cmocka_unit_test(test_many_figures),  cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_long_lines),    cmocka_unit_test(test_pattern_limits),
		cmocka_unit_test(test_columns),       cmocka_unit_test(test_machines),
		cmocka_unit_test(test_many_machines), cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_limits),        cmocka_unit_test(test_recorder),
		cmocka_unit_test(test_machine),
	};
	return cmocka_run_group_tests(tests, read_built_in, release_built_in);
}
