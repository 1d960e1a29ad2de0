/* Result files at the limits of what is read: both sides of comparisons, what is absent, damaged or
   of another kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/path.h"
#include "results_rig.h"

#define F(rest) "- {match: '*', name: f, " rest "}"
#define NUMS F("take: [{at: a}]")
#define MEMBERS F("take: [{at: \"*\"}]")
#define SPREAD F("take: [{at: a, stdev: s, count: n}]")
#define CSV F("read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]")
#define RULED "- {has: [n, \"a_*\"], name: f, read: csv, case: \"{n}\", take: [{at: \"*_ms\"}]}"
#define LINE F("read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}], series: true")
#define STEPS \
	F("series: true, take: [{at: loss, optional: true}, {at: b}, {at: acc, optional: true}]")
#define RUN F("series: true, work: [step], take: [{at: v}]")
#define OF(member) F("take: [{at: v}]"), "{\"v\": 1, " member "}"

static const struct {
	const char *formats, *text;
	const char *figures; ///< expected figures and warnings or, if `refused`, the expected error
	bool refused;
} rows[] = {
	/* Cells that are empty, and quotes behind a tab; a blank line before a row that is damaged. */
	{ CSV, "n\ta_ms\tb_ms\nx\t\t2\n", "x/b_ms=2 ms lower", false },
	{ CSV, "n,a_ms\n\t\"x,y\",1\n", "x_y/a_ms=1 ms lower", false },
	{ CSV, "n,a_ms\nx,1\n\n\"y,2\n",
	  "m:4: 0 columns where the header has 2; quotes hold no line break", true },
	/* A last line without an end is cut if its last cell has fewer decimal places than each other.
	 */
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,1.25\n1,12.250\n1,1.2",
	  "m:4: the last line has no end, and its last number fewer digits than the others of its "
	  "column: the file is cut off; write it anew",
	  true },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,1.25\n1,1.25\n1,1.",
	  "m:4: the last line has no end, and its last number fewer digits than the others of its "
	  "column: the file is cut off; write it anew",
	  true },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,1.5\n1,2.5\n1,1",
	  "m:4: the last line has no end, and its last number fewer digits than the others of its "
	  "column: the file is cut off; write it anew",
	  true },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,.5\n1,.5\n1,1",
	  "m:4: the last line has no end, and its last number fewer digits than the others of its "
	  "column: the file is cut off; write it anew",
	  true },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,1.5\n1,12.5\n1,1.2",
	  "a_ms=1.5 ms lower n3 ±0.4448", false },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,1.2\n1,1.25\n1,1.5",
	  "a_ms=1.25 ms lower n3 ±0.07413", false },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,15\n1,16\n1,1",
	  "a_ms=15 ms lower n3 ±1.483", false },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,.5\n1,.5\n1,.5",
	  "a_ms=0.5 ms lower n3 ±0", false },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,1.25\n1,1.25\n1,1.2\n",
	  "a_ms=1.25 ms lower n3 ±0", false },
	{ F("read: csv, repeats: samples, take: [{at: a_ms}]"), "b_ms,a_ms\n1,15\n1,16\n1,",
	  "m:4: the last line has no end, and its last number fewer digits than the others of its "
	  "column: the file is cut off; write it anew",
	  true },
	/* A table of one row whose last cell is empty is not cut short. */
	{ F("read: csv, take: [{at: a_ms}, {at: b_ms, optional: true}]"), "a_ms,b_ms\n1,",
	  "a_ms=1 ms lower", false },
	{ F("read: csv, take: [{at: a_ms}, {at: b_ms, optional: true}]"), "a_ms,b_ms\n1,2",
	  "a_ms=1 ms lower b_ms=2 ms lower", false },
	/* Tables whose columns a ruler marks, from the first column on; those of other kinds are
	   skipped. */
	{ RULED, "n   a_ms\n--- -----\nx   1.5\n", "x/a_ms=1.5 ms lower", false },
	{ RULED, "  n   a_ms\n ---  -----\n xxxx  1.5\n",
	  "m:3: the row is not below the columns of its table", true },
	{ RULED, " q   b\n --- ---\n 1   2\n\n n   a_ms\n --- ----\n x   5\n", "x/a_ms=5 ms lower",
	  false },
	/* What a path and a template lead to where there is nothing, and words of four and of more
	   letters. */
	{ F("take: [{at: \"^^b\", optional: true}, {at: a}]"), "{\"a\": 1}", "a=1", false },
	{ F("read: csv, case: \"{columns}\", take: [{at: \"t (ms)\"}]"), "N,,t (ms)\n1,2,3\n",
	  "N_1/t=3 ms lower", false },
	{ "- {has: [\"* (ms)\"], name: f, read: csv, case: \"{columns}\", take: [{at: \"t (ms)\"}]}",
	  ",N,t (ms)\n0.5,1,3\n1.5,2,5\n", "N_1/t=3 ms lower N_2/t=5 ms lower", false },
	{ F("take: [{at: \"x.*\", as: \"{KEY}\"}]"),
	  "{\"x\": {\"e2e_latency\": 1, \"long_longs~z-az\": 2}}",
	  "E2E_latency=1 lower LONG_longs_z-AZ=2", false },
	{ F("case: \"c{index}{combination}\", take: [{at: a, title: \"x {key}\"}]"),
	  "{\"a\": 1, \"key\": 5}", "c0/a=1 'x 5'", false },
	{ F("take: [{at: \"r.*[0][*]\", as: \"{key}{combination}\"}]"),
	  "{\"r\": {\"a\": [[1, 2], [[\"ab'\", \"'b\"]]]}}", "a._b=2 a.ab_=1", false },
	/* A star that matches nothing, a name with a slash, an empty title, and columns of similar
	   names. */
	{ F("take: [{at: \"a*b\", title: \"T{key}\"}]"), "{\"ab\": 1, \"axb\": 2}",
	  "ab=1 'T' axb=2 'Tx'", false },
	{ F("take: [{at: a, as: x/y, title: t}, {at: b, title: \"{g}\"}]"),
	  "{\"a\": 1, \"b\": 2, \"g\": \"\"}", "b=2 x/y=1", false },
	{ F("read: csv, take: [{at: \"*\"}]"), "a,\n1,2\n", "a=1", false },
	{ F("read: csv, take: [{at: \"*\"}]"), "time (us),time x (ms),time_total\n1,2,3\n",
	  "time=1 us lower time_total=3 lower time_x=2 ms lower", false },
	/* A difference that no number holds, or whose other number is absent. */
	{ F("take: [{at: a, minus: b}]"), "{\"a\": -1e30, \"b\": 1e-30}",
	  "m: 'a' is '-1e30', and what is subtracted from it is not a number", true },
	{ F("take: [{at: a, minus: b}]"), "{\"a\": 1e-30, \"b\": 1e30}",
	  "m: 'a' is '1e-30', and what is subtracted from it is not a number", true },
	{ F("take: [{at: a, minus: b}]"), "{\"a\": 1e-30, \"b\": -1e30}",
	  "m: 'a' is '1e-30', and what is subtracted from it is not a number", true },
	{ F("take: [{at: a, minus: b}]"), "{\"a\": 9000000000000000000, \"b\": -900000000000000001}",
	  "m: 'a' is '9000000000000000000', and what is subtracted from it is not a number", true },
	{ F("take: [{at: a, minus: b}]"), "{\"a\": 9000000000000000000, \"b\": 900000000000000001}",
	  "a=8099999999999999999", false },
	{ F("take: [{at: a, minus: b}]"), "{\"a\": 1}",
	  "m: 'a' is '1', and what is subtracted from it is not a number", true },
	/* Numbers with commas and with very many digits. */
	{ NUMS, "{\"a\": \"1234,567,890\"}", "m: 'a' is '1234,567,890', not a number", true },
	{ NUMS, "{\"a\": \"123,456,789\"}", "a=123456789", false },
	{ NUMS, "{\"a\": \"123,456.5\"}", "a=123456.5", false },
	{ NUMS, "{\"a\": \"1234,567.5\"}", "m: 'a' is '1234,567.5', not a number", true },
	{ NUMS, "{\"a\": \"1.0000000000000000000000000000000000000000000000000000000000000\"}", "a=1",
	  false },
	{ NUMS, "{\"a\": \"1.00000000000000000000000000000000000000000000000000000000000000\"}",
	  "m: 'a' is '1.00000000000000000000000000000000000000000000000000000000000000', not a number",
	  true },
	{ NUMS, "{\"a\": \".00000000000000000000000000000000000000000000000000000000000000\"}", "a=0",
	  false },
	{ NUMS, "{\"a\": \"-.0000000000000000000000000000000000000000000000000000000000000\"}", "a=0",
	  false },
	/* Each part of a time with colons has up to 5 digits, that behind the point up to 9. */
	{ F("take: [{at: runtime}]"), "{\"runtime\": \"00001:30\"}", "runtime=9e1 s lower", false },
	{ F("take: [{at: runtime}]"), "{\"runtime\": \"000001:30\"}",
	  "m: 'runtime' is '000001:30', not a number", true },
	{ F("take: [{at: runtime}]"), "{\"runtime\": \"1:30.000000001\"}",
	  "runtime=90.000000001 s lower", false },
	{ F("take: [{at: runtime}]"), "{\"runtime\": \"1:30.0000000001\"}",
	  "m: 'runtime' is '1:30.0000000001', not a number", true },
	{ F("take: [{at: runtime}]"), "{\"runtime\": \"1:2:3:4\"}",
	  "m: 'runtime' is '1:2:3:4', not a number", true },
	{ F("take: [{at: a}, {at: t, optional: true}]"), "{\"a\": 1, \"t\": \"PT1M30S\"}",
	  "m: 't' is 'PT1M30S' (a text), not measured | a=1", false },
	{ F("take: [{at: a, unit: FLOP/s}, {at: b, unit: B/s}]"), "{\"a\": 1e22, \"b\": 1e22}",
	  "m: 'b' is '1e22', not measured | a=1e22 FLOP/s higher", false },
	/* Figures in steps that may be null, and texts among numbers. */
	{ "- {has: [w], name: f, series: true, samples: [{at: v, optional: true}], take: [{at: w}]}",
	  "{\"v\": null, \"w\": 1}\n{\"v\": 2, \"w\": 2}\n", "m: 'v' is null, not measured | w=2",
	  false },
	{ F("repeats: samples, take: [{at: \"*\"}]"),
	  "{\"v\": 1, \"t\": true}\n{\"v\": 3, \"t\": true}\n", "v=2 n2 ±1.483", false },
	{ F("repeats: samples, take: [{at: v, optional: true}, {at: \"*\", as: \"{key}2\"}]"),
	  "{\"v\": 1, \"u\": 1}\n{\"v\": null, \"u\": 2}\n",
	  "m: 'v' is null, not measured | u2=1.5 n2 ±0.7413", false },
	{ F("take: [{at: a}, {at: t, optional: true}, {at: u, optional: true}]"),
	  "{\"a\": 1, \"t\": \"81k\", \"u\": \"fast\"}", "m: 't' is '81k' (a text), not measured | a=1",
	  false },
	{ F("series: true, take: [{at: \"*\"}]"), "{\"v\": 1, \"t\": \"a\"}\n{\"v\": 2, \"t\": 3}\n",
	  "t=3 v=2", false },
	{ F("series: true, take: [{at: \"*\"}]"), "{\"v\": 1, \"t\": 3}\n{\"v\": 2, \"t\": \"a\"}\n",
	  "m: 't' is 'a', not measured | v=2", false },
	{ F("series: true, take: [{at: \"*\"}]"),
	  "{\"v\": 1, \"t\": \"a\"}\n{\"v\": 2, \"t\": \"b\"}\n", "v=2", false },
	{ F("samples: [{at: \"t[*]\", as: ttft_ms}, {at: \"u[*]\", as: u}]"),
	  "{\"t\": [\"0 ms\", 1, 2], \"u\": [0, 1]}",
	  "m: 'ttft_ms' is '0 ms', not measured | u.median=0.5 n2 ±0.7413 'median u' u.n=2 'n u' "
	  "u.p90=0.9 n2 ±0.5642 'p90 u' u.p99=0.99 n2 ±0.5642 'p99 u'",
	  false },
	/* Spreads: of a mean of 0, of a great many values, below 0, and far above the mean. */
	{ SPREAD, "{\"a\": 0, \"s\": 1, \"n\": 4}", "a=0", false },
	{ SPREAD, "{\"a\": 2, \"s\": 1, \"n\": 2}", "a=2 n2 ±1", false },
	{ SPREAD, "{\"a\": 2, \"s\": -1, \"n\": 4}", "a=2", false },
	{ SPREAD, "{\"a\": 2, \"s\": 0, \"n\": 4}", "a=2 n4 ±0", false },
	{ SPREAD, "{\"a\": 2, \"s\": 1, \"n\": 999999999999999}", "a=2 n999999999999999 ±1", false },
	{ SPREAD, "{\"a\": 2, \"s\": 1, \"n\": 1000000000000000}", "a=2", false },
	{ SPREAD, "{\"a\": 2, \"s\": 1999998, \"n\": 4}", "a=2 n4 ±2e+06", false },
	{ SPREAD, "{\"a\": 2, \"s\": 2000000, \"n\": 4}", "a=2", false },
	{ F("take: [{at: \"m.*\", stdev: \"s.{key}\", count: n}]"),
	  "{\"m\": {\"a..b\": 2, \"c\": 2}, \"s\": {\"c\": 1}, \"n\": 3}", "a..b=2 c=2 n3 ±1", false },
	{ F("samples: [{at: \"t[*]\", as: t, stdev: s, count: n}]"), "{\"t\": [5], \"s\": 1, \"n\": 4}",
	  "t.median=5 'median t' t.n=1 'n t' t.p90=5 n1 ±? 'p90 t' t.p99=5 n1 ±? 'p99 t'", false },
	{ F("repeats: samples, take: [{at: a, stdev: s, count: n}]"),
	  "{\"a\": 2, \"s\": 1, \"n\": 4}\n{\"a\": 4, \"s\": 1, \"n\": 4}\n", "a=3 n2 ±1.483", false },
	/* Units that measure different things, in either order, and such that measure the same. */
	{ F("samples: [{at: \"t[*]\", as: t}]"), "{\"t\": [1, \"2 ms\"]}",
	  "m: the values of t have units that measure different things", true },
	{ F("samples: [{at: \"t[*]\", as: t}]"), "{\"t\": [\"1 ms\", 2]}",
	  "m: the values of t have units that measure different things", true },
	{ F("take: [{at: w}], samples: [{at: \"t[*]\", as: t}]"),
	  "{\"t\": [\"1 us\", \"3000 ns\"], \"w\": 1}",
	  "t.median=2 us lower n2 ±1.483 'median t' t.n=2 'n t' t.p90=2.8 us lower n2 ±1.128 'p90 t' "
	  "t.p99=2.98 us lower n2 ±1.128 'p99 t' w=1",
	  false },
	{ F("take: [{at: w}], samples: [{at: \"t[*]\", as: t}]"),
	  "{\"t\": [\"1000 ns\", \"3 us\"], \"w\": 1}",
	  "t.median=2e3 ns lower n2 ±1483 'median t' t.n=2 'n t' t.p90=28e2 ns lower n2 ±1128 'p90 t' "
	  "t.p99=298e1 ns lower n2 ±1128 'p99 t' w=1",
	  false },
	/* Shares below a limit: of figures that should rise or have no direction, of no sample and of
	   all. */
	{ F("samples: [{at: \"t[*]\", as: t, share_below: fast}]"), "{}",
	  "f:1:68: 'fast' is not a number with a unit, such as 200ms", true },
	{ F("samples: [{at: \"t[*]\", as: t, share_below: 200parsec}]"), "{}",
	  "f:1:68: '200parsec' is not a number with a unit, such as 200ms", true },
	{ F("samples: [{at: \"t[*]\", as: t, unit: tok/s, share_below: 2}]"), "{\"t\": [1, 2, 3]}",
	  "t.below_2=33.333333 % n3 ±47.14 'share of t below 2' t.median=2 tok/s higher n3 ±1.483 "
	  "'median t' t.n=3 'n t' t.p90=2.8 tok/s higher n3 ±0.691 'p90 t' t.p99=2.98 tok/s higher n3 "
	  "±0.691 'p99 t'",
	  false },
	{ F("samples: [{at: \"t[*]\", as: t, share_below: 2.5}]"), "{\"t\": [1, 2, 3]}",
	  "t.below_2.5=66.666667 % n3 ±47.14 'share of t below 2.5' t.median=2 n3 ±1.483 'median t' "
	  "t.n=3 'n t' t.p90=2.8 n3 ±0.691 'p90 t' t.p99=2.98 n3 ±0.691 'p99 t'",
	  false },
	{ F("samples: [{at: \"t[*]\", as: t, unit: ms, share_below: 1ms}]"), "{\"t\": [1, 2]}",
	  "t.below_1ms=0 % higher n2 ±? 'share of t below 1ms' t.median=1.5 ms lower n2 ±0.7413 "
	  "'median t' t.n=2 'n t' t.p90=1.9 ms lower n2 ±0.5642 'p90 t' t.p99=1.99 ms lower n2 ±0.5642 "
	  "'p99 t'",
	  false },
	{ F("samples: [{at: \"t[*]\", as: t, unit: ms, share_below: 3ms}]"), "{\"t\": [1, 2]}",
	  "t.below_3ms=1e2 % higher n2 ±0 'share of t below 3ms' t.median=1.5 ms lower n2 ±0.7413 "
	  "'median t' t.n=2 'n t' t.p90=1.9 ms lower n2 ±0.5642 'p90 t' t.p99=1.99 ms lower n2 ±0.5642 "
	  "'p99 t'",
	  false },
	/* Lines of several processes that are the same, and such that differ in one thing. */
	{ F("read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}]"), "v=1\nv=10\n",
	  "m: figure 'v' is there twice; let 'case' have what differs between its lines, such as an "
	  "engine or a rank, or say 'series: true' if they are steps of one case",
	  true },
	{ F("read: text, pattern: 'v=(?<v>[0-9.]+ [a-z]+)', take: [{at: v}]"), "v=1 s\nv=1 ms\n",
	  "m: figure 'v' is there twice; let 'case' have what differs between its lines, such as an "
	  "engine or a rank, or say 'series: true' if they are steps of one case",
	  true },
	{ F("read: text, pattern: 'v=(?<v>[0-9.]+) k=(?<k>[a-z])', take: [{at: v}], work: [k]"),
	  "v=1 k=a\nv=1 k=b\n",
	  "m: figure 'v' is there twice; let 'case' have what differs between its lines, such as an "
	  "engine or a rank, or say 'series: true' if they are steps of one case",
	  true },
	{ F("read: text, pattern: 'v=(?<v>[0-9.]+) k=(?<k>[a-z])', take: [{at: v}], work: [k]"),
	  "v=1 k=a\nv=1 k=a\n", "v=1 [k=a]", false },
	{ F("read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: v}]"), "v=0\nv=nan\n",
	  "m: figure 'v' is there twice; let 'case' have what differs between its lines, such as an "
	  "engine or a rank, or say 'series: true' if they are steps of one case",
	  true },
	{ F("read: text, pattern: 'v=(?<v>[0-9.]+)', take: [{at: w, optional: true}], samples: [{at: "
	    "v}]"),
	  "v=1\nv=1\n",
	  "m: figure 'v' is there twice; let 'case' have what differs between its lines, such as an "
	  "engine or a rank, or say 'series: true' if they are steps of one case",
	  true },
	{ F("case: \"{n}\", take: [{at: v}]"),
	  "{\"n\": \"a b\", \"v\": 1}\n{\"n\": \"a_b\", \"v\": 2}\n",
	  "m: 'a b' and 'a_b' would both be the figure a_b/v: change the format's 'case' or 'as'",
	  true },
	{ F("case: \"{n}\", take: [{at: v}]"), "{\"n\": \"x\", \"w\": 1}\n",
	  "m: 'x' has no figure at 'v', where the format f has one", true },
	/* Figures that contradict one another: by more than 1 %, and of one thing. */
	{ MEMBERS, "{\"p50_ms\": 101, \"p99_ms\": 100}", "p50_ms=101 ms lower p99_ms=1e2 ms lower",
	  false },
	{ MEMBERS, "{\"p50_ms\": 101.1, \"p99_ms\": 100}",
	  "m: 'p99_ms' is less than 'p50_ms': one of them is wrong, or not what it is called | "
	  "p50_ms=101.1 ms lower p99_ms=1e2 ms lower",
	  false },
	{ MEMBERS, "{\"p50_ms\": 100, \"p99_ms\": 101.1}", "p50_ms=1e2 ms lower p99_ms=101.1 ms lower",
	  false },
	{ F("read: csv, take: [{at: \"*\"}]"), "p50 (ms),p99 (us)\n1,980\n",
	  "m: 'p99' is less than 'p50': one of them is wrong, or not what it is called | p50=1 ms "
	  "lower p99=98e1 us lower",
	  false },
	{ F("read: csv, take: [{at: \"*\"}]"), "p50 (ms),p99 (us)\n1,1001\n",
	  "p50=1 ms lower p99=1001 us lower", false },
	{ MEMBERS, "{\"a_p50_ms\": 5, \"b_p99_ms\": 4}", "a_p50_ms=5 ms lower b_p99_ms=4 ms lower",
	  false },
	{ MEMBERS, "{\"p50_tok_s\": 5, \"p99_tok_s\": 4}",
	  "p50_tok_s=5 tok/s higher p99_tok_s=4 tok/s higher", false },
	{ MEMBERS, "{\"mean_ms\": 3, \"max_ms\": 2}",
	  "m: 'max_ms' is less than 'mean_ms': one of them is wrong, or not what it is called | "
	  "max_ms=2 ms lower mean_ms=3 ms lower",
	  false },
	{ MEMBERS, "{\"mean_ms\": 3, \"min_ms\": 4, \"max_ms\": 5}",
	  "m: 'mean_ms' is less than 'min_ms': one of them is wrong, or not what it is called | "
	  "max_ms=5 ms lower mean_ms=3 ms lower min_ms=4 ms lower",
	  false },
	{ MEMBERS, "{\"mean_ms\": 9, \"p99_ms\": 4}", "mean_ms=9 ms lower p99_ms=4 ms lower", false },
	{ MEMBERS, "{\"min_ms\": 1, \"max_ms\": 2}", "max_ms=2 ms lower min_ms=1 ms lower", false },
	{ MEMBERS, "{\"p50_loss\": -1, \"p99_loss\": -2}",
	  "m: 'p99_loss' is less than 'p50_loss': one of them is wrong, or not what it is called | "
	  "p50_loss=-1 lower p99_loss=-2 lower",
	  false },
	{ F("case: \"{n}\", take: [{at: \"*_ms\"}]"),
	  "{\"n\": \"x\", \"p50_ms\": 5}\n{\"n\": \"y\", \"p99_ms\": 4}\n{\"n\": \"z\", \"p50_ms\": 3, "
	  "\"p99_ms\": 2}\n",
	  "m: 'z/p99_ms' is less than 'z/p50_ms': one of them is wrong, or not what it is called | "
	  "x/p50_ms=5 ms lower y/p99_ms=4 ms lower z/p50_ms=3 ms lower z/p99_ms=2 ms lower",
	  false },
	/* Conditions: texts in quotes or with one of them, members that are texts, null in a list. */
	{ F("valid: [{at: b, equals: '\"y'}], take: [{at: a}]"), "{\"a\": 1, \"b\": \"\\\"y\"}", "a=1",
	  false },
	{ F("valid: [{at: b, equals: '\"y\"'}], take: [{at: a}]"), "{\"a\": 1, \"b\": \"n\"}",
	  "m: the run is not valid: 'b' is n, not \"y\"", true },
	{ F("valid: [{at: b, equals: false}], take: [{at: a}]"),
	  "{\"a\": 1, \"false\": \"x\", \"b\": false}", "a=1", false },
	{ F("valid: [{at: b, equals: c}], take: [{at: a}]"), "{\"a\": 1, \"b\": 5, \"c\": \"x\"}",
	  "m: the run is not valid: 'b' is 5, not c (x)", true },
	{ F("valid: [{at: b, equals: c}], take: [{at: a}]"), "{\"a\": 1, \"b\": \"x\", \"c\": 5}",
	  "m: the run is not valid: 'b' is x, not c (5)", true },
	{ F("valid: [{at: \"b[*]\", equals: 0, optional: true}], take: [{at: a}]"),
	  "{\"a\": 1, \"b\": [0, null]}", "m: the run is not valid: 'b[*]' is null, not 0", true },
	{ F("valid: [{at: \"b[*]\", equals: 0, optional: true}], take: [{at: a}]"),
	  "{\"a\": 1, \"b\": []}", "a=1", false },
	{ F("valid: [{at: \"b[*]\", equals: 0}], take: [{at: a}]"), "{\"a\": 1, \"b\": [0, 2, 3]}",
	  "m: the run is not valid: 'b[*]' is 2, not 0", true },
	{ F("valid: [{at: b, equals: c, within: 10%, say: \"only {b} of {c}\"}], take: [{at: a}]"),
	  "{\"a\": 1, \"b\": 10, \"c\": 11}",
	  "m: only 10 of 11: see whether the figures are of all | a=1", false },
	{ F("valid: [{at: b, equals: c, within: 10%, say: \"only {b} of {c}\"}], take: [{at: a}]"),
	  "{\"a\": 1, \"b\": 11, \"c\": 11}", "a=1", false },
	{ F("valid: [{at: b, equals: c, within: 10%, say: \"only {b} of {c}\"}], take: [{at: a}]"),
	  "{\"a\": 1, \"b\": 9, \"c\": 11}", "m: the run is not valid: only 9 of 11", true },
	/* Words of failure, and keys that ask. */
	{ OF("\"status\": \"failed{x\""),
	  "m: the run is not valid: 'status' is 'failed{x'; run it again, or leave that out if it "
	  "means something else",
	  true },
	{ OF("\"status\": \"cancelled\""),
	  "m: the run is not valid: 'status' is 'cancelled'; run it again, or leave that out if it "
	  "means something else",
	  true },
	{ OF("\"status\": \"failing\""), "v=1", false },
	{ OF("\"is_valid\": 0"),
	  "m: the run is not valid: 'is_valid' is '0'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ OF("\"has_error\": true"),
	  "m: the run is not valid: 'has_error' is 'true'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ OF("\"numerics_ok\": 0"), "v=1", false },
	{ OF("\"numerics_ok\": false"),
	  "m: the run is not valid: 'numerics_ok' is 'false'; run it again, or leave that out if it "
	  "means something else",
	  true },
	{ OF("\"x_ok\": false"), "v=1", false },
	{ OF("\"crashed\": \"aborted\""),
	  "m: the run is not valid: 'crashed' is 'aborted'; run it again, or leave that out if it "
	  "means something else",
	  true },
	{ OF("\"crashed\": \"maybe\""), "v=1", false },
	{ OF("\"is_a_ok\": false"), "v=1", false },
	{ OF("\"ok\": \"0 s\""), "v=1", false },
	{ OF("\"error\": \"no \""), "v=1", false },
	{ OF("\"error\": \"no\""), "v=1", false },
	/* Failures beside the list of records, and around that; a failure of the record is said first.
	 */
	{ F("records: \"r[*]\", take: [{at: a}]"), "{\"status\": \"failed\", \"r\": [{\"a\": 1}]}",
	  "m: the run is not valid: 'status' is 'failed'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ F("records: \"q.r[*]\", take: [{at: a}]"),
	  "{\"status\": \"failed\", \"q\": {\"r\": [{\"a\": 1}]}}",
	  "m: the run is not valid: 'status' is 'failed'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ F("records: \"r[*]\", take: [{at: a}]"),
	  "{\"status\": \"failed\", \"r\": [{\"a\": 1, \"ok\": false}]}",
	  "m: the run is not valid: 'ok' is 'false'; run it again, or leave that out if it means "
	  "something else",
	  true },
	{ F("records: \"r[*]\", take: [{at: a}]"), "{\"status\": \"ok\", \"r\": [{\"a\": 1}]}", "a=1",
	  false },
	/* Texts in a list of errors say that requests failed; those around the first record count once.
	 */
	{ NUMS, "{\"a\": 1, \"errors\": [\"\", \"boom\", \"none\", 5, \"x\"]}",
	  "m: 'errors' has 2 texts, such as 'boom': see whether the figures are of all requests | a=1",
	  false },
	{ NUMS, "{\"a\": 1, \"errors\": [\"boom\"]}",
	  "m: 'errors' has 1 text, such as 'boom': see whether the figures are of all requests | a=1",
	  false },
	{ NUMS, "{\"a\": 1, \"errors\": [\"\", \"OK\", null]}", "a=1", false },
	{ F("records: \"r[*]\", case: \"{n}\", take: [{at: a}]"),
	  "{\"errors\": [\"out\"], \"r\": [{\"n\": 1, \"a\": 1, \"errors\": [\"in\"]}, {\"n\": 2, "
	  "\"a\": 2}]}",
	  "m: 'errors' has 2 texts, such as 'in': see whether the figures are of all requests | 1/a=1 "
	  "2/a=2",
	  false },
	/* Settings: neither an empty cell nor a list counts, and a path with a brace begins in the
	   record. */
	{ F("read: csv, case: \"{n}\", work: [k], take: [{at: a_ms}]"), "n,k,a_ms\nx,,1\ny,2,1\n",
	  "x/a_ms=1 ms lower y/a_ms=1 ms lower [k=2]", false },
	{ F("work: [l, k], take: [{at: a}]"), "{\"a\": 1, \"l\": [1], \"k\": null}", "a=1 [k=none]",
	  false },
	{ F("records: \"r[*]\", case: \"{n}\", work: [\"^{k}\"], take: [{at: a}]"),
	  "{\"c\": 1, \"d\": 2, \"r\": [{\"n\": 1, \"k\": \"c\", \"a\": 1}, {\"n\": 2, \"k\": \"d\", "
	  "\"a\": 2}]}",
	  "1/a=1 [c=1] 2/a=2 [d=2]", false },
	/* Settings around a list are those of its own list. */
	{ F("records: \"r[*].s[*]\", case: \"{n}\", work: [\"^k\"], take: [{at: a}]"),
	  "{\"r\": [{\"k\": 1, \"s\": [{\"n\": 1, \"a\": 1}, {\"n\": 2, \"a\": 2}]}, {\"k\": 2, \"s\": "
	  "[{\"n\": 3, \"a\": 3}]}]}",
	  "1/a=1 [k=1] 2/a=2 [k=1] 3/a=3 [k=2]", false },
	/* The last steps lack a figure: among lines of another kind, in lines of another kind, and in
	   empty lines. */
	{ STEPS,
	  "{\"b\": 1, \"loss\": 3}\n{\"ev\": 1}\n{\"b\": 2, \"loss\": 4}\n{\"ev\": 2}\n{\"b\": 3}\n",
	  "m: 'loss' is 'absent at the end', not measured | b=3", false },
	{ STEPS,
	  "{\"b\": 1}\n{\"ev\": 1, \"acc\": 5}\n{\"ev\": 2, \"acc\": 6}\n{\"ev\": 3}\n{\"b\": 2}\n",
	  "m: 'acc' is 'absent at the end', not measured | b=2", false },
	{ STEPS, "{\"b\": 1}\n{}\n", "b=1", false },
	{ STEPS, "{\"b\": 1, \"loss\": 3}\n{}\n{\"b\": 2, \"loss\": 4}\n{\"b\": 3}\n",
	  "m: 'loss' is 'absent at the end', not measured | b=3", false },
	{ STEPS, "{\"b\": 1, \"loss\": 3}\n{\"b\": 2}\n", "b=2 loss=3 lower", false },
	{ STEPS,
	  "{\"b\": 1, \"loss\": 3}\n{\"b\": 2, \"loss\": 4}\n{\"loss\": 5, \"b\": 3}\n{\"b\": "
	  "4}\n{\"b\": 5}\n",
	  "m: 'loss' is 'absent at the end', not measured | b=5", false },
	/* A run does not begin anew for another rank; numbers as texts, and null, need not be the same.
	 */
	{ RUN,
	  "{\"step\": 1, \"v\": 9, \"rank\": 0}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": "
	  "6}\n{\"step\": 1, \"v\": 5, \"rank\": 1}\n",
	  "v=5 [step=1]", false },
	{ RUN,
	  "{\"step\": 1, \"v\": 9, \"rank\": 0}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": "
	  "6}\n{\"step\": 1, \"v\": 5, \"rank\": 0}\n",
	  "m: it holds 2 runs, since its steps begin anew: only the last is read; write each run into "
	  "a file of its own | v=5 [step=1]",
	  false },
	{ RUN,
	  "{\"step\": 1, \"v\": 9, \"seq_len\": 5}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": "
	  "6}\n{\"step\": 1, \"v\": 5, \"seq_len\": 6}\n",
	  "v=5 [step=1]", false },
	{ RUN,
	  "{\"step\": 1, \"v\": 9, \"in\": \"5\"}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": "
	  "6}\n{\"step\": 1, \"v\": 5, \"in\": \"6\"}\n",
	  "m: it holds 2 runs, since its steps begin anew: only the last is read; write each run into "
	  "a file of its own | v=5 [step=1]",
	  false },
	{ RUN,
	  "{\"step\": 1, \"v\": 9, \"in\": \"2.5k tok/s\"}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, "
	  "\"v\": 6}\n{\"step\": 1, \"v\": 5, \"in\": \"3.5k tok/s\"}\n",
	  "m: it holds 2 runs, since its steps begin anew: only the last is read; write each run into "
	  "a file of its own | v=5 [step=1]",
	  false },
	{ RUN,
	  "{\"step\": 1, \"v\": 9, \"in\": null}\n{\"step\": 3, \"v\": 8}\n{\"step\": 5, \"v\": "
	  "6}\n{\"step\": 1, \"v\": 5}\n",
	  "m: it holds 2 runs, since its steps begin anew: only the last is read; write each run into "
	  "a file of its own | v=5 [step=1]",
	  false },
	{ RUN,
	  "{\"step\": 1, \"v\": 9}\n{\"step\": 1, \"v\": 8}\n{\"step\": 1, \"v\": 6}\n{\"step\": 1, "
	  "\"v\": 5}\n",
	  "v=5 [step=1]", false },
	{ RUN,
	  "{\"step\": 2, \"v\": 9}\n{\"step\": 3, \"v\": 8}\n{\"step\": 4, \"v\": 7}\n{\"step\": 3, "
	  "\"v\": 5}\n",
	  "v=5 [step=3]", false },
	{ RUN,
	  "{\"step\": 2, \"v\": 9}\n{\"step\": 3, \"v\": 8}\n{\"step\": 4, \"v\": 7}\n{\"step\": 2, "
	  "\"v\": 5}\n",
	  "m: it holds 2 runs, since its steps begin anew: only the last is read; write each run into "
	  "a file of its own | v=5 [step=2]",
	  false },
	{ RUN, "{\"step\": 2, \"v\": 9}\n{\"step\": 3, \"v\": 8}\n{\"step\": 2, \"v\": 5}\n",
	  "v=5 [step=2]", false },
	/* Files all of whose numbers a format takes; files without a record, or with all of the only
	   ones. */
	{ "- {has: [a], whole: true, name: f, take: [{at: a}]}", "{\"a\": 1, \"t\": \"x\"}", "a=1",
	  false },
	{ "- {has: [a], whole: true, name: f, take: [{at: a}]}", "{\"a\": 1, \"b\": 2}", "", false },
	{ "- {has: [r], whole: true, name: f, records: \"r[*]\", ignore: [i], case: \"{n}\", take: "
	  "[{at: a}]}",
	  "{\"r\": [{\"n\": \"x\", \"a\": 1}, {\"n\": \"y\", \"a\": 2}], \"i\": 3}", "x/a=1 y/a=2",
	  false },
	{ "- {has: [r], whole: true, name: f, records: \"r[*]\", take: [{at: a}]}",
	  "{\"r\": [{\"a\": 1}], \"a\": 3}", "", false },
	{ F("records: \"r[*]\", only: {k: x}, take: [{at: v}]"), "{\"r\": []}", "", false },
	{ F("records: \"r[*]\", only: {k: x}, take: [{at: v}]"), "{\"r\": [{\"k\": \"x\", \"v\": 1}]}",
	  "v=1", false },
	{ F("series: true, take: [{at: a}]"),
	  "{\"a\": 1, \"b\": \"x\ty\"}\n{\"a\": 2, \"b\": \"x\ty\"}\n", "a=2 | 2 faults from 16 on",
	  false },
	/* Patterns: parentheses and brackets that do not end, classes, and repetitions beside one
	   another. */
	{ F("read: text, pattern: 'a)(?<v>1)', take: [{at: v}], series: true"), "a)1\n", "v=1", false },
	{ F("read: text, pattern: '[[a](?<v>[0-9]+)', take: [{at: v}], series: true"), "[5\n", "v=5",
	  false },
	{ F("read: text, pattern: '[[:x](?<v>[0-9]+)', take: [{at: v}], series: true"), ":5\n",
	  "f:1:46: '[[:x](?<v>[0-9]+)' is not an extended regular expression", true },
	{ F("read: text, pattern: '(?<v>1)[abc', take: [{at: v}], series: true"), "",
	  "f:1:46: '(?<v>1)[abc' is not an extended regular expression", true },
	{ F("read: text, pattern: '((((?<a>[a-z])+)+)+)+\\d+ (?<v>[0-9]+)', take: [{at: v}], series: "
	    "true"),
	  "b12 3\n", "v=3", false },
	{ F("read: text, pattern: '((((?<a>[a-z])+)+)+)+[0-9]+ (?<v>[0-9]+)', take: [{at: v}], series: "
	    "true"),
	  "b12 3\n", "v=3", false },
	{ F("read: text, pattern: '((((?<a>[a-z])+)+)+)+b+ (?<v>[0-9]+)', take: [{at: v}], series: "
	    "true"),
	  "bb 3\n", "v=3", false },
	{ F("read: text, pattern: '((((?<a>[a-z])+)+)+)+*b', take: [{at: v}], series: true"), "", "",
	  false },
	{ F("read: text, pattern: '(((((?<a>v)+)+)+)+)+', take: [{at: v}], series: true"), "",
	  "f:1:46: '(((((?<a>v)+)+)+)+)+' repeats repetitions too often", true },
	/* Classes within brackets, at the beginning and at the end; a backslash before another letter
	   is one of the characters. */
	{ F("read: text, pattern: 'v=(?<v>[\\d.]+)', take: [{at: v}], series: true"), "v=1.5\n",
	  "v=1.5", false },
	{ F("read: text, pattern: 'v=(?<v>[.\\d]+)', take: [{at: v}], series: true"), "v=1.5\n",
	  "v=1.5", false },
	{ F("read: text, pattern: 'v[\\s=\\wd]+ (?<v>[0-9]+)', take: [{at: v}], series: true"),
	  "v_d9 = 5\n", "v=5", false },
	{ F("read: text, pattern: 'v[[:space:](]+(?<v>[0-9]+)', take: [{at: v}], series: true"),
	  "v (5\n", "v=5", false },
	{ F("read: text, pattern: 'v[\\x]+(?<v>[0-9]+)', take: [{at: v}], series: true"), "v\\x5\n",
	  "v=5", false },
	{ F("read: text, pattern: 'v=(?<v>[\\d.]+)', take: [{at: v}], series: true"), "v=1.5d3\n",
	  "v=1.5", false },
	{ F("read: text, pattern: 'v=(?<v>[[:digit:]]+)', take: [{at: v}], series: true"), "v=5\n",
	  "v=5", false },
	{ F("read: text, pattern: 'v[x:]+(?<v>[0-9]+)', take: [{at: v}], series: true"), "v:5\n", "v=5",
	  false },
	{ F("read: text, pattern: '(?<v>1)[\\', take: [{at: v}], series: true"), "",
	  "f:1:46: '(?<v>1)[\\' is not an extended regular expression", true },
	/* A word of the pattern that looks like a number that was not measured, before such a number.
	 */
	{ F("read: text, pattern: 'nan iterations: (?<v>[0-9]+)', take: [{at: v}], series: true"),
	  "nan iterations: nan\n", "m: 'v' is 'nan', not measured, and nothing else is", true },
	{ F("read: text, pattern: 'nan +iterations: (?<v>[0-9]+)', take: [{at: v}], series: true"),
	  "nan iterations: nan\n", "m: 'v' is 'nan', not measured, and nothing else is", true },
	{ F("read: text, pattern: 'x (?<w>[0-9]+) steps: (?<v>[0-9]+)', take: [{at: v}], series: true"),
	  "x nan steps: 5\n", "v=5", false },
	/* Colors that are cut off, other escapes, and words in place of numbers. */
	{ LINE, "v=1.5\033\nv=2.5\033[31\n", "v=2.5", false },
	{ LINE, "v=1\n\033(Bv=2\n", "v=2", false },
	{ LINE, "v=1\nv=nanms\n", "m: 'v' is 'nan', not measured, and nothing else is", true },
	{ LINE, "v=3e+4\n", "v=3e4", false },
	{ LINE, "v=3e+x\n", "v=3", false },
	{ F("read: text, pattern: 'v=(?<v>[0-9])', take: [{at: v}], series: true"), "v=12\n", "v=12",
	  false },
	{ F("read: text, pattern: 'a=(?<a>[0-9]+) v1(?<v>[a-z]*)2', take: [{at: a}, {at: v, optional: "
	    "true}], series: true"),
	  "a=5 v12\n", "m: 'v' is '', not measured | a=5", false },
	{ F("read: text, pattern: 'v=(?<v>[0-9.]+ *[a-z]*)', take: [{at: v}], series: true"),
	  "v=1 ms\nv=-inf ms\n", "m: 'v' is '-inf', not measured, and nothing else is", true },
	{ F("read: text, pattern: 'v=(?<v>[0-9.]+ *[a-z]*)', take: [{at: v}], series: true"),
	  "v=1 ms\nv=nan foo\n", "m: 'v' is 'nan foo', not a number", true },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct strbuf b = STRBUF_INIT;
		bool found;
		enum status st =
		    read_file(rows[i].formats, "m", "r.json", span_of(rows[i].text), 0, ALL, &found, &b);
		if ((st != ST_OK) != rows[i].refused || strcmp(strbuf_str(&b), rows[i].figures) != 0)
			fail_msg("%s %s: %s", rows[i].formats, rows[i].text, strbuf_str(&b));
		strbuf_release(&b);
	}
}

/* A zero byte separates no columns, and ends no color. */
static void test_zero_bytes(void **state)
{
	static const struct {
		const char *formats;
		struct span text;
		const char *figures;
	} of[] = {
		{ CSV, { "n,\0,a_ms\nx,2,1\n", 15 }, "x/a_ms=1 ms lower" },
		{ LINE, { "\033[3\0001v=2\n", 9 }, "v=2" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(of); i++) {
		struct strbuf b = STRBUF_INIT;
		bool found;
		assert_int_equal(read_file(of[i].formats, "m", "r.json", of[i].text, 0, ALL, &found, &b),
		                 ST_OK);
		assert_string_equal(strbuf_str(&b), of[i].figures);
		strbuf_release(&b);
	}
}

/* The case of a file of Criterion: what is behind the last folder that is called so, or the last
   folder. */
static void test_folders(void **state)
{
	static const char *const of[][2] = {
		{ "x/new/estimates.json", "x/a=1" },
		{ "a/x/new/estimates.json", "x/a=1" },
		{ "target/criterion/g/f/new/estimates.json", "g/f/a=1" },
		{ "new/estimates.json", "a=1" },
		{ "criterion/new/estimates.json", "criterion/a=1" },
		{ "x/new/estimates.json/criterion/", "x/a=1" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(of); i++) {
		struct strbuf b = STRBUF_INIT;
		bool found;
		assert_int_equal(read_file(F("case: '{folders}', take: [{at: a}]"), of[i][0], "r.json",
		                           SPAN("{\"a\": 1}"), 0, FIGURES, &found, &b),
		                 ST_OK);
		assert_string_equal(strbuf_str(&b), of[i][1]);
		strbuf_release(&b);
	}
}

/* Up to 1 % of the samples may be unmeasured, but not the newest of a series. */
static void test_unmeasured_share(void **state)
{
	static const struct {
		int nr, at; ///< number of samples; index of the one that was not measured
		bool series, counts;
	} of[] = {
		{ 100, 0, false, true }, { 99, 0, false, false },  { 100, 99, false, true },
		{ 100, 98, true, true }, { 100, 99, true, false },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(of); i++) {
		struct strbuf text = STRBUF_INIT, b = STRBUF_INIT;
		bool found;
		for (int k = 0; k < of[i].nr; k++)
			strbuf_addf(&text, "{\"v\": %s, \"w\": 1}\n", k == of[i].at ? "NaN" : "5");
		enum status st =
		    read_file(of[i].series ? F("series: true, samples: [{at: v}], take: [{at: w}]")
		                           : F("repeats: samples, take: [{at: v}, {at: w}]"),
		              "m", "r.json", strbuf_span(&text), 0, ALL, &found, &b);
		assert_int_equal(st, ST_OK);
		assert_non_null(strstr(strbuf_str(&b), "m: 'v' is 'NaN', not measured | "));
		assert_int_equal(strstr(strbuf_str(&b), of[i].series ? "v.n=99" : "v=5 n99") != NULL,
		                 of[i].counts);
		assert_int_equal(strstr(strbuf_str(&b), "| v") != NULL, of[i].counts);
		strbuf_release(&text);
		strbuf_release(&b);
	}
}

/* Paths have up to 500 bytes, and titles as many as names. */
static void test_lengths(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		struct strbuf path = STRBUF_INIT, text = STRBUF_INIT, b = STRBUF_INIT, title = STRBUF_INIT;
		bool found;
		strbuf_addf(&path, "%0*d", 500 + more, 0);
		assert_int_equal(path_fault(strbuf_str(&path)) != NULL, more);
		strbuf_addf(&title, "%0*d", INPUT_NAME_MAX + more, 0);
		strbuf_addf(&text, "{\"a\": 1, \"t\": \"%s\"}", strbuf_str(&title));
		enum status st = read_file(F("take: [{at: a, title: '{t}'}]"), "m", "r.json",
		                           strbuf_span(&text), 0, ALL, &found, &b);
		assert_int_equal(st, ST_OK);
		assert_int_equal(strstr(strbuf_str(&b), strbuf_str(&title)) != NULL, !more);
		strbuf_release(&path);
		strbuf_release(&text);
		strbuf_release(&title);
		strbuf_release(&b);
	}
}

/* A table with a ruler has up to 1,024 columns, too. */
static void test_columns(void **state)
{
	(void)state;
	for (int nr = CSV_COLUMNS; nr <= CSV_COLUMNS + 1; nr++) {
		struct strbuf text = STRBUF_INIT, b = STRBUF_INIT;
		bool found;
		for (int i = 0; i < 3 * nr; i++)
			strbuf_addf(&text, "%c%c",
			            i / nr == 0   ? (i == 0       ? 'n'
			                             : i + 1 < nr ? 'x'
			                                          : 'z')
			            : i / nr == 1 ? '-'
			                          : '7',
			            (i + 1) % nr ? ' ' : '\n');
		enum status st = read_file("- {has: [n], name: f, read: csv, take: [{at: z}]}", "m",
		                           "r.csv", strbuf_span(&text), 0, FIGURES, &found, &b);
		assert_int_equal(st, ST_OK);
		assert_string_equal(strbuf_str(&b), nr == CSV_COLUMNS ? "z=7" : "");
		strbuf_release(&text);
		strbuf_release(&b);
	}
}

/* A file with only long lines has no figure, and is of another kind: nothing is said of it. */
static void test_only_long_lines(void **state)
{
	struct strbuf text = STRBUF_INIT, b = STRBUF_INIT;
	bool found;
	(void)state;
	strbuf_addf(&text, "v=%01999d\n", 4);
	assert_int_equal(read_file(LINE, "m", "r.log", strbuf_span(&text), 0, ALL, &found, &b), ST_OK);
	assert_false(found);
	assert_string_equal(strbuf_str(&b), "");
	strbuf_release(&text);
	strbuf_release(&b);
}

/* ---- proposals ---- */

/* As in test_results.c: '?' if a direction is unknown, '!' if no rules are needed. */
static const struct {
	const char *file, *text, *figures;
	bool refused;
} proposals[] = {
	/* Texts and numbers that are not proposed, and such that are told when the file is read. */
	{ "x.json", "{\"loss\": 1, \"a\\\"b\": NaN, \"x\": NaN}",
	  "?!m: 'x' is 'NaN', not measured | loss=1 lower", false },
	{ "x.json", "{\"note\": \"1.5 parsec\", \"b_ms\": 2}", "!b_ms=2 ms lower", false },
	{ "x.json", "{\"lat_ms\": \"1.5 parsec\", \"b_ms\": 2}",
	  "!m: 'lat_ms' is '1.5 parsec', not a number", true },
	{ "x.json", "{\"a_ms\": 0.1234567890123456789012, \"b_ms\": 1}", "!b_ms=1 ms lower", false },
	{ "x.json", "{\"start_time\": \"12:30\", \"b_ms\": 1}", "!b_ms=1 ms lower", false },
	{ "x.json", "{\"b_ms\": 1, \"timestamp\": 1760000000, \"seed\": 1}", "!b_ms=1 ms lower seed=1",
	  false },
	{ "x.json", "{\"lat_ms\": 5, \"lat\": 3, \"lat_ms_x\": 4}",
	  "?!lat=3 lat_ms=5 ms lower lat_ms_x=4", false },
	{ "x.json", "{\"value\": 2.5, \"calls\": 10, \"unit\": \"ms\"}",
	  "!calls=1e1 value=2.5 ms lower", false },
	{ "x.json", "{\"a\": {\"value\": 2.5, \"calls\": 10, \"unit\": \"ms\"}}",
	  "!a=2.5 ms lower a.calls=1e1", false },
	/* Names of cases: empty, as long as a name may be, and longer. */
	{ "x.json",
	  "[{\"name\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"t_ms\": 1}, {\"name\": "
	  "\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\", \"t_ms\": 2}]",
	  "!aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/t_ms=1 ms lower "
	  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb/t_ms=2 ms lower",
	  false },
	{ "x.json",
	  "[{\"name\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"t_ms\": 1}, {\"name\": "
	  "\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\", \"t_ms\": 2}]",
	  "!t_ms.median=1.5 ms lower n2 ±0.7413 'median t_ms'", false },
	{ "x.json",
	  "[{\"name\": \"\", \"kind\": \"x\", \"tag\": \"none\", \"t_ms\": 1}, {\"name\": \"\", "
	  "\"kind\": \"y\", \"tag\": \"none\", \"t_ms\": 2}]",
	  "!x/t_ms=1 ms lower y/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"name\": \"a\", \"value\": 1, \"t_ms\": 2}, {\"name\": \"b\", \"value\": 3, \"t_ms\": "
	  "4}]",
	  "?!a/t_ms=2 ms lower a/value=1 b/t_ms=4 ms lower b/value=3", false },
	{ "x.json",
	  "[{\"name\": \"a\", \"n_elements\": 8, \"t_ms\": 1}, {\"name\": \"a\", \"n_elements\": 8, "
	  "\"u_ms\": 2}]",
	  "!a/t_ms=1 ms lower [n_elements=8] a/u_ms=2 ms lower [n_elements=8]", false },
	{ "x.json",
	  "[{\"name\": \"a\", \"n_elements\": 8, \"t_ms\": 1}, {\"name\": \"a\", \"n_elements\": 8, "
	  "\"t_ms\": 2}]",
	  "!m: case 'a' is there twice; keep one run in the file (others are files of their own: "
	  "--repeat), or say 'repeats' in a format of your own",
	  true },
	/* Settings: without a text, null, and of objects and lists. */
	{ "x.json", "{\"model\": \"\", \"t_ms\": 1}", "!t_ms=1 ms lower", false },
	{ "x.json", "{\"model\": null, \"t_ms\": 1}", "!t_ms=1 ms lower [model=none]", false },
	{ "x.json", "{\"gpu\": {\"name\": \"H100\"}, \"t_ms\": 1}", "!t_ms=1 ms lower [gpu.name=H100]",
	  false },
	{ "x.json",
	  "{\"gpus\": [{\"name\": \"g0\", \"n_elements\": 8, \"t_ms\": 1}, {\"name\": \"g1\", "
	  "\"n_elements\": 8, \"t_ms\": 2}], \"tok_s\": 3}",
	  "!gpus.g0.t_ms=1 ms lower gpus.g1.t_ms=2 ms lower tok_s=3 tok/s higher", false },
	{ "x.json",
	  "{\"a\\\"b\": 1, \"model\": \"m\", \"cfg\": {\"tp\": 2, \"a'b\": 3, \"in\": {\"d\": {\"e\": "
	  "{\"pp\": 2, \"f\": {\"dp\": 3}}}}}, \"results\": [{\"name\": \"x\", \"t_ms\": 1}, "
	  "{\"name\": \"y\", \"t_ms\": 2}]}",
	  "!x/t_ms=1 ms lower [.model=m] [.cfg.tp=2] [.cfg.in.d.e.pp=2] y/t_ms=2 ms lower [.model=m] "
	  "[.cfg.tp=2] [.cfg.in.d.e.pp=2]",
	  false },
	{ "x.json",
	  "{\"a\\\"b\": [{\"t_ms\": 9}], \"results\": [{\"name\": \"x\", \"t_ms\": 1}, {\"name\": "
	  "\"y\", \"t_ms\": 2}]}",
	  "!results.x.t_ms=1 ms lower results.y.t_ms=2 ms lower", false },
	/* A figure and settings four objects deep, which are seen. */
	{ "x.json",
	  "{\"a\": {\"b\": {\"c\": {\"d\": {\"u_ms\": 3}}}}, \"results\": [{\"name\": \"x\", \"t_ms\": "
	  "1}, {\"name\": \"y\", \"t_ms\": 2}]}",
	  "!a.b.c.d.u_ms=3 ms lower results.x.t_ms=1 ms lower results.y.t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"a\": {\"b\": {\"c\": {\"d\": {\"tp\": 2}}}}, \"t_ms\": 1}, {\"a\": {\"b\": {\"c\": "
	  "{\"d\": {\"tp\": 4}}}}, \"t_ms\": 2}]",
	  "!tp2/t_ms=1 ms lower tp4/t_ms=2 ms lower", false },
	/* A figure and settings five objects deep, which are too deep. */
	{ "x.json",
	  "{\"a\": {\"b\": {\"c\": {\"d\": {\"e\": {\"u_ms\": 3}}}}}, \"results\": [{\"name\": \"x\", "
	  "\"t_ms\": 1}, {\"name\": \"y\", \"t_ms\": 2}]}",
	  "!x/t_ms=1 ms lower y/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"a\": {\"b\": {\"c\": {\"d\": {\"e\": {\"tp\": 2}}}}}, \"t_ms\": 1}, {\"a\": {\"b\": "
	  "{\"c\": {\"d\": {\"e\": {\"tp\": 4}}}}}, \"t_ms\": 2}]",
	  "!t_ms.median=1.5 ms lower n2 ±0.7413 'median t_ms'", false },
	/* A list three objects deep, which is seen. */
	{ "x.json", "{\"a\": {\"b\": {\"c\": {\"l\": [{\"t_ms\": 1}, {\"u_ms\": 2}]}}}, \"v_ms\": 1}",
	  "!a.b.c.l.t_ms.median=1 ms lower 'median a.b.c.l.t_ms' a.b.c.l.u_ms.median=2 ms lower "
	  "'median a.b.c.l.u_ms' v_ms=1 ms lower",
	  false },
	/* A list four objects deep, which is too deep. */
	{ "x.json",
	  "{\"a\": {\"b\": {\"c\": {\"d\": {\"l\": [{\"t_ms\": 1}, {\"u_ms\": 2}]}}}}, \"v_ms\": 1}",
	  "!v_ms=1 ms lower", false },
	/* Sweeps: what is round, what grows enough, and names that need more than one number. */
	{ "x.json",
	  "[{\"size_MB\": 16, \"t_ms\": 1}, {\"size_MB\": 64, \"t_ms\": 2}, {\"size_MB\": 128, "
	  "\"t_ms\": 3}]",
	  "!size_MB128/t_ms=3 ms lower size_MB16/t_ms=1 ms lower size_MB64/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"in\": {\"kind\": \"x\", \"rate\": 4}, \"t_ms\": 1}, {\"in\": {\"kind\": \"x\", "
	  "\"rate\": 8}, \"t_ms\": 2}]",
	  "!rate4/t_ms=1 ms lower rate8/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"elements\": 16, \"t_ms\": 1}, {\"elements\": null, \"t_ms\": 2}, {\"elements\": 128, "
	  "\"t_ms\": 3}]",
	  "!m: 'elements' is null, not measured | t_ms.median=2 ms lower n3 ±1.483 'median t_ms'",
	  false },
	{ "x.json",
	  "[{\"elements\": 20, \"t_ms\": 1}, {\"elements\": 50, \"t_ms\": 2}, {\"elements\": 130, "
	  "\"t_ms\": 3}]",
	  "!elements130/t_ms=3 ms lower elements20/t_ms=1 ms lower elements50/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"elements\": 3, \"t_ms\": 1}, {\"elements\": 17, \"t_ms\": 2}, {\"elements\": 130, "
	  "\"t_ms\": 3}]",
	  "!elements.median=17 n3 ±20.76 'median elements' t_ms.median=2 ms lower n3 ±1.483 'median "
	  "t_ms'",
	  false },
	{ "x.json",
	  "[{\"elements\": 3, \"t_ms\": 1}, {\"elements\": 15, \"t_ms\": 2}, {\"elements\": 130, "
	  "\"t_ms\": 3}]",
	  "!elements130/t_ms=3 ms lower elements15/t_ms=2 ms lower elements3/t_ms=1 ms lower", false },
	{ "x.json",
	  "[{\"elements\": 16, \"t_ms\": 1}, {\"elements\": 64, \"t_ms\": 2}, {\"elements\": 128, "
	  "\"t_ms\": 3}, {\"elements\": 192, \"t_ms\": 4}]",
	  "!elements128/t_ms=3 ms lower elements16/t_ms=1 ms lower elements192/t_ms=4 ms lower "
	  "elements64/t_ms=2 ms lower",
	  false },
	{ "x.json",
	  "[{\"elements\": 1, \"t_ms\": 1}, {\"elements\": 11, \"t_ms\": 2}, {\"elements\": 20, "
	  "\"t_ms\": 3}, {\"elements\": 30, \"t_ms\": 4}]",
	  "!elements1/t_ms=1 ms lower elements11/t_ms=2 ms lower elements20/t_ms=3 ms lower "
	  "elements30/t_ms=4 ms lower",
	  false },
	{ "x.json",
	  "[{\"x\\\"y\": 16, \"elements\": 16, \"t_ms\": 1}, {\"x\\\"y\": 64, \"elements\": 64, "
	  "\"t_ms\": 2}]",
	  "!elements16/t_ms=1 ms lower elements64/t_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"name\": \"a\", \"elements\": 16, \"reps\": 10, \"t_ms\": 1}, {\"name\": \"a\", "
	  "\"elements\": 16, \"reps\": 20, \"t_ms\": 2}, {\"name\": \"a\", \"elements\": 64, \"reps\": "
	  "30, \"t_ms\": 3}]",
	  "!a.reps10/elements=16 a.reps10/t_ms=1 ms lower a.reps20/elements=16 a.reps20/t_ms=2 ms "
	  "lower a.reps30/elements=64 a.reps30/t_ms=3 ms lower",
	  false },
	{ "x.json",
	  "[{\"in\": {\"tp\": 2, \"pp\": 1}, \"t_ms\": 1}, {\"in\": {\"tp\": 2, \"pp\": 2}, \"t_ms\": "
	  "2}, {\"in\": {\"tp\": 4, \"pp\": 1}, \"t_ms\": 3}]",
	  "!tp2.pp1/t_ms=1 ms lower tp2.pp2/t_ms=2 ms lower tp4.pp1/t_ms=3 ms lower", false },
	{ "x.json",
	  "[{\"in\": {\"tp\": 2, \"batch_size\": 8}, \"t_ms\": 1}, {\"in\": {\"tp\": 2, "
	  "\"batch_size\": 4}, \"t_ms\": 2}]",
	  "!batch_size4/t_ms=2 ms lower [in.tp=2] batch_size8/t_ms=1 ms lower [in.tp=2]", false },
	{ "x.json", "[{\"in\": {\"tp\": 2}, \"t_ms\": 1}, {\"in\": {}, \"t_ms\": 2}]",
	  "!tp2/t_ms=1 ms lower tpnone/t_ms=2 ms lower", false },
	/* Records of one name that have no figure in common need no longer names. Those that have one
	   do, beside one another or apart. */
	{ "x.json", "[{\"name\": \"a\", \"x_ms\": 1}, {\"name\": \"a\", \"y_ms\": 2}]",
	  "!a/x_ms=1 ms lower a/y_ms=2 ms lower", false },
	{ "x.json",
	  "[{\"name\": \"a\", \"hidden_size\": 1, \"x_ms\": 1}, {\"name\": \"a\", \"hidden_size\": 2, "
	  "\"y_ms\": 2}]",
	  "!a/x_ms=1 ms lower [hidden_size=1] a/y_ms=2 ms lower [hidden_size=2]", false },
	{ "x.json",
	  "[{\"name\": \"a\", \"hidden_size\": 1, \"x\": {\"t_ms\": 1}}, {\"name\": \"a\", "
	  "\"hidden_size\": 2, \"x\": {\"t_ms\": 1}}]",
	  "!a.hidden_size1/x.t_ms=1 ms lower a.hidden_size2/x.t_ms=1 ms lower", false },
	{ "x.json",
	  "[{\"name\": \"a\", \"hidden_size\": 1, \"x_ms\": 1}, {\"name\": \"b\", \"hidden_size\": 1, "
	  "\"x_ms\": 2}, {\"name\": \"a\", \"hidden_size\": 2, \"x_ms\": 3}]",
	  "!a.hidden_size1/x_ms=1 ms lower a.hidden_size2/x_ms=3 ms lower b.hidden_size1/x_ms=2 ms "
	  "lower",
	  false },
	/* Records in which members are of different kinds, lists in several, and a list of one. */
	{ "x.json",
	  "[{\"name\": \"a\", \"x_ms\": 1, \"l\": [{\"t_ms\": 1}]}, {\"name\": \"b\", \"x_ms\": 2, "
	  "\"l\": [{\"u_ms\": 2}]}]",
	  "!a/l.t_ms.median=1 ms lower 'median l.t_ms' a/x_ms=1 ms lower b/l.u_ms.median=2 ms lower "
	  "'median l.u_ms' b/x_ms=2 ms lower",
	  false },
	{ "x.json", "[{\"name\": \"a\", \"x_ms\": 1}, {\"name\": \"b\", \"x_ms\": {\"t_ms\": 2}}]",
	  "!m: 'x_ms' of case 'b' is a list or an object, not a number", true },
	{ "x.json", "[{\"name\": \"a\", \"l\": 5}, {\"name\": \"b\", \"l\": [{\"t_ms\": 1}]}]",
	  "?m: 'l' of case 'b' is a list or an object, not a number", true },
	{ "x.json", "{\"results\": [{\"t_ms\": 1}]}", "!t_ms=1 ms lower", false },
	{ "x.json", "[]", "", false },
	{ "x.txt", "{\"t_ms\": 1}", "!t_ms=1 ms lower", false },
	{ "x.csv", ",t_ms\n0,1.5\n1,2.5\n", "!t_ms.median=2 ms lower n2 ±0.7413 'median t_ms'", false },
	{ "x.csv", "t_ms,\n1.5,0\n2.5,1\n", "?m: 't_ms_' is '1.5,0', not a number", true },
	{ "x.csv", "step,a_ms,eval_acc\n1,1,\n2,2,.2\n3,3,.3\n",
	  "!m: 'eval_acc' is null, not measured | a_ms.median=2 ms lower n3 ±1.483 'median a_ms' "
	  "[step=3]",
	  false },
	{ "x.csv", "step,a_ms,eval_acc\n1,1,\n2,2,.2\n",
	  "!a_ms.median=1.5 ms lower n2 ±0.7413 'median a_ms' [step=2] eval_acc.median=0.2 higher "
	  "'median eval_acc' [step=2]",
	  false },
	{ "x.csv", "step,a_ms,mem_GB\n1,1,\n2,2,2\n",
	  "!a_ms.median=1.5 ms lower n2 ±0.7413 'median a_ms' [step=2] mem_GB.median=2 GB lower "
	  "'median mem_GB' [step=2]",
	  false },
	/* Lines of a log: headings, units in place of names, two blanks, and a name that is there
	   twice. */
	{ "x.log", "a\n1 2.5 3.5\n", "?c2=2.5 c3=3.5", false },
	{ "x.log", "a b c\n1 2.5 3.5\n", "?b=2.5 c=3.5", false },
	{ "x.log", "aa bb\nx\nx\nx\nx\nx\nx\nx\n1 2.5\n", "?bb=2.5", false },
	{ "x.log", "aa bb\nx\nx\nx\nx\nx\nx\nx\nx\n1 2.5\n", "?c2=2.5", false },
	{ "x.log", "rate (1/s): 2.5\n", "?s=2.5", false },
	{ "x.log", "speed (it/s): 2.5\n", "speed_per_s=2.5 1/s higher", false },
	{ "x.log", "power (W): 2.5\n", "power_w=2.5 lower", false },
	{ "x.log", "time  of   it  1.5\ntime of it 2.5\n", "?it.median=2 n2 ±0.7413 'median it'",
	  false },
	{ "x.log", "loss: 2.5 loss: 3.5\n", "loss=2.5 lower loss_c4=3.5 lower", false },
	{ "x.log", "\ntime 1.5\n", "time=1.5 lower", false },
	{ "x.log", "loss 1.5\nloss 2.5\ntime x 3.5\n", "loss.median=2 lower n2 ±0.7413 'median loss'",
	  false },
	{ "x.log", "loss 1.5\ntime x 2.5\ntime x 3.5\n",
	  "?loss=1.5 lower x.median=3 n2 ±0.7413 'median x' x.n=2 'n x'", false },
	{ "x.log",
	  "aa 1.5 ab 1.5 ac 1.5 ad 1.5 ae 1.5 af 1.5 ag 1.5 ah 1.5 ai 1.5 aj 1.5 ak 1.5 al 1.5 am 1.5 "
	  "an 1.5 ao 1.5 ap 1.5 aq 1.5 ar 1.5 as 1.5 at 1.5 au 1.5 av 1.5 aw 1.5 ax 1.5 ay 1.5 az 1.5 "
	  "ba 1.5 bb 1.5 bc 1.5 bd 1.5 be 1.5 bf 1.5 bg 1.5 bh 1.5 bi 1.5 bj 1.5 bk 1.5 bl 1.5 bm 1.5 "
	  "bn 1.5\n",
	  "?aa=1.5 ab=1.5 ac=1.5 ad=1.5 ae=1.5 af=1.5 ag=1.5 ah=1.5 ai=1.5 aj=1.5 ak=1.5 al=1.5 am=1.5 "
	  "an=1.5 ao=1.5 ap=1.5 aq=1.5 ar=1.5 as=1.5 at=1.5 au=1.5 av=1.5 aw=1.5 ax=1.5 ay=1.5 az=1.5 "
	  "ba=1.5 bb=1.5 bc=1.5 bd=1.5 be=1.5 bf=1.5 bg=1.5 bh=1.5 bi=1.5 bj=1.5 bk=1.5 bl=1.5 bm=1.5 "
	  "bn=1.5",
	  false },
	{ "x.log",
	  "aa 1.5 ab 1.5 ac 1.5 ad 1.5 ae 1.5 af 1.5 ag 1.5 ah 1.5 ai 1.5 aj 1.5 ak 1.5 al 1.5 am 1.5 "
	  "an 1.5 ao 1.5 ap 1.5 aq 1.5 ar 1.5 as 1.5 at 1.5 au 1.5 av 1.5 aw 1.5 ax 1.5 ay 1.5 az 1.5 "
	  "ba 1.5 bb 1.5 bc 1.5 bd 1.5 be 1.5 bf 1.5 bg 1.5 bh 1.5 bi 1.5 bj 1.5 bk 1.5 bl 1.5 bm 1.5 "
	  "bn 1.5 bo 1.5\n",
	  "", false },
};

static void test_proposals(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(proposals); i++) {
		struct strbuf b = STRBUF_INIT;
		enum status st = propose(proposals[i].file, span_of(proposals[i].text), &b);
		if ((st != ST_OK) != proposals[i].refused ||
		    strcmp(strbuf_str(&b), proposals[i].figures) != 0)
			fail_msg("%s: %s", proposals[i].text, strbuf_str(&b));
		strbuf_release(&b);
	}
}

/* Up to 40 patterns, of lines of less than 400 bytes with up to 40 figures, are tried on a log. */
static void test_log_limits(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		struct strbuf many = STRBUF_INIT, wide = STRBUF_INIT, line = STRBUF_INIT;
		struct strbuf b[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
		for (int i = 0; i < 39 + more; i++)
			strbuf_addf(&many, "%c%c_ms 1.5\n", 'a' + i / 26, 'a' + i % 26);
		strbuf_adds(&many, "zz_ms 1.5\nzz_ms 2.5\n");
		for (int i = 0; i < 40 + more; i++)
			strbuf_addf(&wide, "%c%c 1.5%c", 'a' + i / 26, 'a' + i % 26,
			            i < 39 + more ? ' ' : '\n');
		strbuf_addf(&line, "%*s 1.5\n", 395 + more, "t_ms");
		assert_int_equal(propose("x.log", strbuf_span(&many), &b[0]), ST_OK);
		assert_int_equal(strstr(strbuf_str(&b[0]), "zz_ms.median=2 ") != NULL, !more);
		assert_int_equal(propose("x.log", strbuf_span(&wide), &b[1]), ST_OK);
		assert_int_equal(strstr(strbuf_str(&b[1]), " bn=1.5") != NULL, !more);
		assert_int_equal(propose("x.log", strbuf_span(&line), &b[2]), ST_OK);
		assert_int_equal(b[2].n > 0, !more);
		for (int i = 0; i < 3; i++)
			strbuf_release(&b[i]);
		strbuf_release(&many);
		strbuf_release(&wide);
		strbuf_release(&line);
	}
}

/* ---- kinds of files, and state of GPUs ---- */

/* As in test_results.c: m(etrics file), r(esult file), j(son), s: a result file by its keys. */
static const char *const guesses[][2] = {
	{ "{\"a\": 1, \"blocks\": 1}", "rjs" },
	{ "{\"a\": 1, \"nodes\": 1}", "rjs" },
	{ "[1,0]<stdout>: x", "rs" },
	{ "[1,0]", "rjs" },
	{ "[1,0, 2]", "rjs" },
	{ "[1,2,3", "rjs" },
	{ "[1,", "rjs" },
	{ "[1-", "rs" },
};

static void test_guesses(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(guesses); i++) {
		struct span s = span_of(guesses[i][0]);
		struct strbuf b = STRBUF_INIT;
		strbuf_adds(&b, metrics_recognize(s) ? "m" : "");
		strbuf_adds(&b, result_recognize(s) ? "r" : "");
		strbuf_adds(&b, value_is_json(s) ? "j" : "");
		struct source *src = source_memory("m", s.p, s.n, NULL);
		strbuf_adds(&b, result_sniff(src) ? "s" : "");
		source_close(src);
		assert_string_equal(strbuf_str(&b), guesses[i][1]);
		strbuf_release(&b);
	}
}

static const char *const machines[][2] = {
	{ "index,clocks.max.sm [MHz]\n0,1980 MHz\n",
	  "0: n1 -1ns sm-1 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; machine.sm_clock_max=1980 MHz; "
	  "4e2ba7f1" },
	{ "index,clocks.sm,timestamp\n0,5,1970/01/01 00:00:00\n0,6,1970/01/01 00:00:01\n",
	  "0: n2 1000000000ns sm5500000 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; 00b2d0f1" },
	{ "index,clocks_event_reasons_counters.sw_power_cap [us],utilization.gpu "
	  "[%]\n0,5,9\n0,25005,9\n",
	  "0: n2 -1ns sm-1 mem-1 -1mW -1C thr-1(sw_power_cap) -1uJ/-1ns others-1; 6244badd" },
	{ "timestamp,index,power.draw [W]\n2026/07/14 08:12:38,0,5\n2026/07/14 08:12:38,0,7\n",
	  "0: n2 0ns sm-1 mem-1 6000mW -1C thr-1() -1uJ/-1ns others-1; d05598f5" },
	{ "timestamp,index,clocks.sm,power.draw [W]\n2026/07/14 08:12:38,0,9,5\n2026/07/14 "
	  "08:12:39,0,9,[N/A]\n2026/07/14 08:12:40,0,9,5\n2026/07/14 08:12:42,0,9,8\n",
	  "0: n4 4000000000ns sm9000000 mem-1 5000mW -1C thr-1() 13000000uJ/2000000000ns others-1; "
	  "d80d6dee" },
	{ "timestamp,index,power.draw [W]\n2026/07/14 08:12:38,0,8 W\n2026/07/14 08:12:39,0,0 "
	  "W\n2026/07/14 08:12:40,0,4 W\n",
	  "0: n3 2000000000ns sm-1 mem-1 4000mW -1C thr-1() 6000000uJ/2000000000ns others-1; "
	  "3683227d" },
	{ "timestamp,index,utilization.gpu [%],clocks_event_reasons_counters.sw_power_cap "
	  "[us]\n2026/07/14 08:12:38,0,9,5\n2026/07/14 08:12:38,0,9,8\n",
	  "0: n2 0ns sm-1 mem-1 -1mW -1C thr-1(sw_power_cap) -1uJ/-1ns others-1; b1a5d235" },
	/* a GPU is busy from 1 % on; the figures of other moments do not count then */
	{ "index,clocks.sm,utilization.gpu [%]\n0,5,1\n0,9,0\n0,9,0\n",
	  "0: n3 -1ns sm5000000 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; c842f940" },
	{ "index,clocks.sm,utilization.gpu [%]\n0,5,0\n0,9,0\n0,9,0\n",
	  "0: n3 -1ns sm9000000 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; c842f940" },
	{ "index,clocks.sm [MHz]\n0,5\nclocks.sm [MHz],index\n7,1\n",
	  "0: n1 -1ns sm5000000 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; 1: n1 -1ns sm7000000 mem-1 "
	  "-1mW -1C thr-1() -1uJ/-1ns others-1; c6456f15" },
	{ "{\"card0\": {\"GPU use (%)\": \"5\"}, \"card1\": {\"x\": 1}}",
	  "0: n1 -1ns sm-1 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; 1: n1 -1ns sm-1 mem-1 -1mW -1C "
	  "thr-1() -1uJ/-1ns others-1; 6244badd" },
	{ "{\"card0\": {\"GPU use (%)\": 5}}\n{\"x\": 1}\n",
	  "0: n1 -1ns sm-1 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; 4e2ba7f1" },
	{ "{\"schema\": \"gpugate-machine-1\", \"time_ns\": 5, \"gpus\": [{\"index\": \"0\", "
	  "\"power_mw\": 1, \"reasons\": \"hw_slowdown\"}]}\n{\"schema\": \"gpugate-machine-1\", "
	  "\"time_ns\": 7, \"gpus\": [{\"index\": \"0\", \"power_mw\": 1, \"reasons\": null}]}\n",
	  "0: n2 2ns sm-1 mem-1 1mW -1C thr-1() 0uJ/2ns others-1; 26f79367" },
	{ "index,driver_version,clocks.sm\n0,d00,5\n0,d01,5\n0,d02,5\n0,d03,5\n0,d04,5\n0,d05,5\n0,d06,"
	  "5\n0,d07,5\n0,d08,5\n0,d09,5\n0,d10,5\n0,d11,5\n0,d12,5\n0,d13,5\n0,d14,5\n0,d15,5\n0,d16,"
	  "5\n0,d17,5\n0,d18,5\n0,d19,5\n0,d20,5\n0,d21,5\n0,d22,5\n0,d23,5\n0,d24,5\n0,d25,5\n0,d26,"
	  "5\n0,d27,5\n0,d28,5\n0,d29,5\n0,d30,5\n0,d31,5\n0,d32,5\n0,d33,5\n0,d34,5\n0,d35,5\n0,d36,"
	  "5\n0,d37,5\n0,d38,5\n0,d39,5\n0,d40,5\n0,d41,5\n0,d42,5\n0,d43,5\n0,d44,5\n0,d45,5\n0,d46,"
	  "5\n0,d47,5\n0,d48,5\n0,d49,5\n0,d50,5\n0,d51,5\n0,d52,5\n0,d53,5\n0,d54,5\n0,d55,5\n0,d56,"
	  "5\n0,d57,5\n0,d58,5\n0,d59,5\n0,d60,5\n0,d61,5\n0,d62,5\n0,d63,5\n0,d64,5\n0,d65,5\n",
	  "0: n66 -1ns sm5000000 mem-1 -1mW -1C thr-1() -1uJ/-1ns others-1; machine.driver=d00, d01, "
	  "d02, d03, d04, d05, d06, d07, d08, d09, d10, d11, d12, d13, d14, d15, d16, d17, d18, d19, "
	  "d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31, d32, d33, d34, d35, d36, d37, "
	  "d38, d39, d40, d41, d42, d43, d44, d45, d46, d47, d48, d49, d50, d51, d52, d53, d54, d55, "
	  "d56, d57, d58, d59, d60, d61, d62, d63; 8f29e795" },
};

static void test_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(machines); i++) {
		struct strbuf b = STRBUF_INIT;
		struct digest *d = digest_new();
		bool found;
		enum status st;
		machine_of(machines[i][0], strlen(machines[i][0]), d, &found, &st);
		show_machines(&b, d);
		assert_int_equal(st, ST_OK);
		assert_true(found);
		assert_string_equal(strbuf_str(&b), machines[i][1]);
		strbuf_release(&b);
		digest_free(d);
	}
}

/* A file of the recorder whose only line is cut has no GPU, even behind an empty line. */
static void test_cut_recorder(void **state)
{
	static const char text[] = "\n{\"schema\": \"gpugate-machine-1\", \"time_ns\"";
	struct digest *d = digest_new();
	bool found;
	enum status st;
	(void)state;
	machine_of(text, sizeof text - 1, d, &found, &st);
	assert_int_equal(st, ST_INPUT);
	assert_true(found);
	digest_free(d);
}

/* The beginning of gzip data that is damaged is an error for each reader. */
static void test_damaged(void **state)
{
	const struct span text = SPAN("\037\213\010\377");
	struct digest *d = digest_new();
	struct strbuf b = STRBUF_INIT;
	struct diag_log log;
	bool found;
	enum status st;
	(void)state;
	machine_of(text.p, text.n, d, &found, &st);
	assert_int_equal(st, ST_INPUT);
	assert_true(found);
	digest_free(d);
	assert_int_equal(propose("x.log", text, &b), ST_INPUT);
	diag_init(&log);
	struct source *src = source_memory("m", text.p, text.n, NULL);
	assert_int_equal(result_refuse_lines(src, &found, &log), ST_INPUT);
	assert_false(found);
	source_close(src);
	diag_release(&log);
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_zero_bytes),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_unmeasured_share),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_only_long_lines),
		cmocka_unit_test(test_proposals),
		cmocka_unit_test(test_log_limits),
		cmocka_unit_test(test_guesses),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_cut_recorder),
		cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, read_built_in, release_built_in);
}
