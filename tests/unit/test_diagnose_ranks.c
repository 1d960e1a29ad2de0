#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "diagnose/diagnose.h"
#include "diagnose/peers.h"
#include "fold/links.h"
#include "ranks_rig.h"

enum { PCT = 1000000, UNKNOWN = -1 };

/* ---- slow ranks, late ranks and slow links, found in plain numbers ---- */

static void assert_flags(const char *what, const bool *flags, size_t nr, const char *want)
{
	for (size_t i = 0; i < nr; i++)
		if (flags[i] != (want[i] == '1'))
			fail_msg("%s: rank %zu is %s", what, i, flags[i] ? "named" : "not named");
}

static void test_slow(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		size_t nr;
		int64_t skew[8]; /* skew of each rank in 1e-3 % */
		const char *want;
	} rows[] = {
		{ "equal", 4, { 0, 0, 0, 0 }, "0000" },
		{ "one", 4, { 0, 0, 0, 20000 }, "0001" },
		{ "two of many", 7, { 0, 20000, 0, 20000, 0, 0, 0 }, "0101000" },
		{ "at 3 %", 4, { 0, 0, 0, 3000 }, "0000" },
		{ "above 3 %", 4, { 0, 0, 0, 3001 }, "0001" },
		{ "faster is not a fault", 4, { 0, 0, 0, -20000 }, "0000" },
		{ "within the spread of the peers", 5, { -5000, -2000, 0, 2000, 8000 }, "00000" },
		{ "beyond it", 5, { -5000, -2000, 0, 2000, 9000 }, "00001" },
		{ "of two nobody knows who is slow", 2, { -10000, 10000 }, "00" },
		{ "not all are known", 5, { 0, UNKNOWN, 0, 0, 9000 }, "00001" },
		{ "too few are known", 4, { 0, UNKNOWN, UNKNOWN, 9000 }, "0000" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t skew[8];
		bool is_slow[8];
		for (size_t k = 0; k < rows[i].nr; k++)
			skew[k] = rows[i].skew[k] == UNKNOWN ? INT64_MIN : rows[i].skew[k] * 1000;
		slow_ranks(skew, rows[i].nr, is_slow);
		assert_flags(rows[i].what, is_slow, rows[i].nr, rows[i].want);
	}
}

static void test_late(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		size_t nr;
		int64_t late[8]; /* delay of each rank per step, in 1/10,000 of a step */
		const char *want;
	} rows[] = {
		{ "nobody", 4, { 0, 0, 0, 0 }, "0000" },
		{ "one", 4, { 5, 0, 3000, 7 }, "0010" },
		{ "at 1 %", 4, { 0, 0, 100, 0 }, "0000" },
		{ "above 1 %", 4, { 0, 0, 101, 0 }, "0010" },
		{ "each now and then", 4, { 200, 300, 250, 350 }, "0000" },
		{ "one of two", 2, { 0, 500 }, "00" },
		{ "one with half as much as another", 5, { 0, 3000, 0, 1500, 0 }, "01010" },
		{ "one with less", 5, { 0, 3000, 0, 1499, 0 }, "01000" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t step[8];
		bool is_late[8];
		for (size_t k = 0; k < rows[i].nr; k++)
			step[k] = 10000;
		late_ranks(rows[i].late, step, rows[i].nr, is_late);
		assert_flags(rows[i].what, is_late, rows[i].nr, rows[i].want);
	}
}

/* Collectives with lag = offset + share % of the transfer time + noise. */
static void test_link(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		size_t nr;
		/* transfer time of the first collective, and increase per collective */
		int64_t first, more;
		int64_t offset, share, noise;
		int64_t low, high; /* range of the expected slope in millionths */
	} rows[] = {
		{ "a good link", 12, 1000, 500, 0, 0, 0, 0, 0 },
		{ "under another clock", 12, 1000, 500, -123456789, 0, 5, 0, 0 },
		{ "half as fast", 12, 1000, 500, 0, 50, 0, 500000, 500000 },
		{ "the same under another clock", 12, 1000, 500, 987654321, 50, 0, 500000, 500000 },
		{ "through noise", 12, 10000, 5000, 77, 50, 300, 480000, 520000 },
		{ "less than the noise", 12, 1000, 50, 0, 10, 300, 0, 0 },
		{ "too few", 7, 1000, 500, 0, 50, 0, 0, 0 },
		{ "just enough", 8, 1000, 500, 0, 50, 0, 500000, 500000 },
		{ "wire times that do not vary", 12, 10000, 200, 0, 50, 0, 0, 0 },
		{ "earlier by as much", 12, 1000, 500, 0, -50, 0, 0, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct link_point p[12];
		for (size_t k = 0; k < rows[i].nr; k++) {
			size_t at = (k * 5) % rows[i].nr; /* the transfer times are not sorted */
			int64_t wire = rows[i].first + (int64_t)at * rows[i].more;
			p[k] = (struct link_point){ .wire_ns = wire,
				                        .lag_ns = rows[i].offset + wire * rows[i].share / 100 +
				                                  rows[i].noise * ((int64_t)(k % 3) - 1),
				                        .bytes = -1 };
		}
		int64_t got = link_slope(p, rows[i].nr);
		if (got < rows[i].low || got > rows[i].high)
			fail_msg("%s: slope %" PRId64 ", not %" PRId64 " to %" PRId64, rows[i].what, got,
			         rows[i].low, rows[i].high);
	}
}

/* Messages of two sizes, ten each, on a link with half the speed. Waiting that all ranks share does
   not count as time of a message. Messages that waited for this rank are fitted separately. */
static void test_link_sizes(void **state)
{
	(void)state;
	struct link_point p[20];
	for (int i = 0; i < 20; i++) {
		int64_t bytes = i % 2 ? 100 : 1000, wire = i % 2 ? 2000 : 20000;
		p[i] = (struct link_point){ wire + (i / 2) * 3000, 5 + wire / 2 + i, 1, bytes, false };
	}
	int64_t got = link_slope(p, 20);
	assert_in_range(got, 499000, 501000);
	for (int i = 0; i < 20; i++)
		p[i] = (struct link_point){ 2000 + 1000 * (i / 2), 0, 1, -1, i % 2 };
	/* lag: a third of the transfer time if the rank comes last, else half of the transfer time plus
	 * 4000 ns */
	for (int i = 0; i < 20; i++)
		p[i].lag_ns = p[i].last ? p[i].wire_ns / 3 : p[i].wire_ns / 2 + 4000;
	got = link_slope(p, 20);
	assert_in_range(got, 499000, 501000);
}

/* ---- insights on runs ---- */

struct fixture {
	struct category_table categories;
	struct naming naming;
	struct run run;
	struct run_view view;
	struct report report;
};

static struct fixture *fixture_new(const char *const *lines)
{
	struct fixture *f = mem_calloc(1, sizeof *f);
	f->naming.categories = &f->categories;
	f->run = rig_run(lines);
	report_init(&f->report);
	return f;
}

static void diagnose(struct fixture *f)
{
	run_view_init(&f->view, &f->run, &f->naming);
	diagnose_ranks(&f->view, true, &f->report);
}

static void fixture_free(struct fixture *f)
{
	run_view_release(&f->view);
	run_release(&f->run);
	report_release(&f->report);
	free(f);
}

/* Compare the insights with `want`, "slow-rank 2: text | …", where messages begin with the text. */
static void assert_insights(const struct fixture *f, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < f->report.insights.nr; i++) {
		const struct insight *n = &f->report.insights.v[i];
		strbuf_addf(&b, "%s%s %" PRId64 ": %s", i ? " | " : "", n->id, n->rank, n->message);
	}
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("'%s' instead of '%s'", strbuf_str(&b), want);
	strbuf_release(&b);
}

static void set_step(struct fixture *f, size_t r, enum metric_id id, int64_t value)
{
	for (size_t i = 0; i < f->run.ranks.v[r]->nr_steps; i++)
		f->run.ranks.v[r]->samples[id][i] = value;
}

#define STEP_1 "4: a20 b10 a30"
static const char *const equal_lines[] = { STEP_1, STEP_1, STEP_1, STEP_1, STEP_1, NULL };
static const char *const late_lines[] = { "4: a5020 b10 a30", STEP_1, "4: a5020 b10 a30",
	                                      "4: a5021 b10 a30", NULL };

static void test_quiet(void **state)
{
	(void)state;
	struct fixture *f = fixture_new(equal_lines);
	diagnose(f);
	assert_insights(f, "");
	fixture_free(f);
}

/* A rank that computes longer is slow rather than late, however long the others wait. */
static void test_slow_rank(void **state)
{
	(void)state;
	struct fixture *f = fixture_new(late_lines);
	set_step(f, 1, METRIC_STEP_COMPUTE_TIME, 84000);
	diagnose(f);
	assert_insights(f, "slow-rank 1: computes 84.00 µs a step, 20.00 % beyond the median of the "
	                   "ranks, and the others wait 5.000 µs a step for it");
	fixture_free(f);
}

static void test_late_rank(void **state)
{
	(void)state;
#define LATE                                                                                    \
	"late-rank 1: came last in 1 of 3 collectives, where the others wait 5.000 µs a step for " \
	"it, 5.00 % of its steps, though its compute is like theirs (0.00 %)"
	static const struct {
		/* metric in which the rank differs; NR_METRICS means idle GPU; 0 means none */
		enum metric_id metric;
		int64_t beyond;
		const char *want;
	} rows[] = {
		{ 0, 0, LATE },
		{ METRIC_STEP_DATALOADER_TIME, 4000,
		  LATE "; its data loader takes 4.000 µs a step more than its peers'" },
		{ METRIC_STEP_DATALOADER_TIME, 2000, LATE },
		{ METRIC_STEP_LAUNCH_TIME, 3000,
		  LATE "; its kernel launches take 3.000 µs a step more than its peers'" },
		{ METRIC_STEP_SYNC_TIME, 2500,
		  LATE "; its synchronization takes 2.500 µs a step more than its peers'" },
		{ METRIC_STEP_IDLE_TIME, 5000,
		  LATE "; its GPU is without work for 5.000 µs a step more than its peers'" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture *f = fixture_new(late_lines);
		for (size_t r = 0; r < 4; r++) {
			if (rows[i].metric)
				set_step(f, r, rows[i].metric, 10 + (r == 1 ? rows[i].beyond : 0));
		}
		diagnose(f);
		assert_insights(f, rows[i].want);
		fixture_free(f);
	}
}

/* Two ranks that are late together waited for each other or for something else: neither is
   named. */
static void test_late_together(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: a5020", "4: a20",   "4: a5020",
		                                 "4: a21",   "4: a5020", NULL };
	struct fixture *f = fixture_new(lines);
	diagnose(f);
	assert_insights(f, "");
	fixture_free(f);
}

/* Ten collectives of 1 to 10 µs and ten more, in which rank 2 ends late by half of their duration,
   with a clock that is 7 ms ahead. Rank 2 is last in the second ten, but this does not make it a
   late rank. */
static struct fixture *link_fixture(int nr)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_adds(&line, "4:");
	for (int i = 1; i <= nr; i++)
		strbuf_addf(&line, " a%d b%d", i * 1000, i * 1000);
	const char *const lines[] = { line.p, line.p, line.p, line.p, NULL };
	struct fixture *f = fixture_new(lines);
	strbuf_release(&line);
	f->run.ranks.v[2]->start_ns = 7000000;
	for (size_t r = 0; r < 4; r++)
		for (size_t i = 0; i < f->run.ranks.v[r]->collectives.nr; i++) {
			struct collective *c = &f->run.ranks.v[r]->collectives.v[i];
			if (r == 2) {
				c->dur_ns = c->dur_ns * 3 / 2;
			} else if (c->comm == 1) {
				c->start_ns -= 9000;
				c->dur_ns += 9000;
			}
		}
	return f;
}

static void test_slow_link(void **state)
{
	(void)state;
	struct fixture *f = link_fixture(10);
	diagnose(f);
	assert_insights(f,
	                "slow-link 2: its collectives end after those of its peers, by 50.00 % of the "
	                "time on the wire: the longer a transfer, the later; look at its links");
	fixture_free(f);
	f = link_fixture(5); /* five collectives are too few to blame a link */
	diagnose(f);
	assert_int_equal(f->report.insights.nr, 1);
	assert_string_equal(f->report.insights.v[0].id, "late-rank");
	fixture_free(f);
}

/* ---- functions that differ from the peers' ---- */

static void add_functions(struct fixture *f, size_t r, const struct function_stat *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		vec_push(&f->run.ranks.v[r]->functions, rows[i]);
}

static void test_functions(void **state)
{
	(void)state;
#define UNLIKE "unlike-peers 3: is unlike its peers: "
	static const struct {
		const char *what;
		size_t row; /* index of the function of rank 3 to change */
		/* new exclusive time, median and rate of the changed function */
		int64_t exclusive, median, rate;
		const char *want;
	} rows[] = {
		{ "alike", 0, 100000, 50, -1, "" },
		{ "within a tenth", 0, 110000, 55, -1, "" },
		{ "larger share", 0, 150000, 50, -1,
		  UNLIKE "'gemm' 15.00 % of the window against 10.00 %" },
		{ "smaller share", 0, 50000, 50, -1, UNLIKE "'gemm' 5.00 % of the window against 10.00 %" },
		{ "longer execution", 0, 100000, 80, -1, UNLIKE "'gemm' 80 ns an execution against 50 ns" },
		{ "shorter execution", 0, 100000, 20, -1, "" },
		{ "slower copies", 1, 20000, 40, 600, UNLIKE "'Memcpy' 600 B/s against 1,000 B/s" },
		{ "faster copies", 1, 20000, 40, 2000, "" },
		{ "communication waits", 2, 400000, 900, 100, "" },
		{ "calls wait, too", 3, 30000, 9000, -1, "" },
		{ "a call's own share", 3, 60000, 30, -1,
		  UNLIKE "'cudaFree' 6.00 % of the window against 3.00 %" },
		{ "a smaller one: it waits less", 3, 10000, 30, -1, "" },
		{ "one function in two ways", 0, 150000, 80, -1,
		  UNLIKE "'gemm' 80 ns an execution against 50 ns" },
		{ "a frame on another path", 5, 90000, 30, -1,
		  UNLIKE "'f' 9.00 % of the window against 2.00 %" },
		{ "below 1 %", 6, 9900, 30, -1, "" },
	};
	static const struct function_stat usual[] = {
		{ FUNCTION_COMPUTE, SPAN("gemm"), -1, 1, 1, 100000, 50, -1, -1, 0 },
		{ FUNCTION_MEMORY, SPAN("Memcpy"), -1, 1, 1, 20000, 40, 1000, 10, 0 },
		{ FUNCTION_COMMUNICATION, SPAN("nccl"), -1, 1, 1, 100000, 90, 500, 10, 0 },
		{ FUNCTION_RUNTIME, SPAN("cudaFree"), -1, 1, 1, 30000, 30, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN("f"), -1, 1, 1, 90000, 30, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN("f"), 4, 1, 1, 20000, 30, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN("g"), -1, 1, 1, 2000, 30, -1, -1, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture *f = fixture_new(equal_lines);
		for (size_t r = 0; r < 5; r++)
			add_functions(f, r, usual, sizeof usual / sizeof *usual);
		struct function_stat *own = &f->run.ranks.v[3]->functions.v[rows[i].row];
		own->exclusive_ns = rows[i].exclusive;
		own->median_ns = rows[i].median;
		own->rate = rows[i].rate;
		diagnose(f);
		assert_insights(f, rows[i].want);
		fixture_free(f);
	}
}

/* If the only step of a rank is cut short, functions that differ give the rank no insight of
 * its own; they are only listed if the rank is named for another reason. */
static void test_functions_of_named(void **state)
{
	(void)state;
	static const struct function_stat usual[] = {
		{ FUNCTION_COMPUTE, SPAN("gemm"), -1, 1, 1, 100000, 50, -1, -1, 0 },
		{ FUNCTION_COMPUTE, SPAN("norm"), -1, 1, 1, 100000, 50, -1, -1, 0 },
	};
	for (int what = 0; what < 3; what++) {
		struct fixture *f = fixture_new(what == 2 ? equal_lines : late_lines);
		for (size_t r = 0; r < 4; r++)
			add_functions(f, r, usual, 2);
		f->run.ranks.v[1]->functions.v[0].median_ns = 80;
		f->run.ranks.v[1]->functions.v[1].median_ns = 70;
		if (what == 0)
			set_step(f, 1, METRIC_STEP_COMPUTE_TIME, 84000);
		if (what == 2)
			f->run.ranks.v[1]->usable_steps = 0;
		diagnose(f);
		static const char *const want[] = {
			"slow-rank 1: computes 84.00 µs a step, 20.00 % beyond the median of the ranks, and "
			"the "
			"others wait 5.000 µs a step for it; most unlike its peers': 'gemm' 80 ns an execution "
			"against 50 ns, and 1 function more",
			"late-rank 1: came last in 1 of 3 collectives, where the others wait 5.000 µs a step "
			"for "
			"it, 5.00 % of its steps, though its compute is like theirs (0.00 %); most unlike its "
			"peers': 'gemm' 80 ns an execution against 50 ns, and 1 function more",
			"",
		};
		assert_insights(f, want[what]);
		fixture_free(f);
	}
}

/* A function that only one rank has; and three ranks, which are too few to compare. */
static void test_functions_of_few(void **state)
{
	(void)state;
	static const struct function_stat own = { FUNCTION_PYTHON, SPAN("gc"), -1, 1,  1,
		                                      50000,           1,          -1, -1, 0 };
	static const struct function_stat all = {
		FUNCTION_COMPUTE, SPAN("a"), -1, 1, 1, 1, 1, -1, -1, 0
	};
	for (size_t nr = 3; nr < 6; nr++) {
		struct fixture *f = fixture_new(equal_lines + 5 - nr);
		for (size_t r = 0; r < nr; r++)
			add_functions(f, r, &all, 1);
		add_functions(f, 1, &own, 1);
		diagnose(f);
		assert_insights(
		    f,
		    nr < 4
		        ? ""
		        : "unlike-peers 1: is unlike its peers: 'gc' 5.00 % of the window against 0.00 %");
		fixture_free(f);
	}
}

/* ---- the table of ranks ---- */

static void test_table(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: a50 | 5: a20", "4: a30", NULL };
	static const char *const want[] = { "2",      "100.00 µs", "70.00 µs", "0 ns", "0 ns", "10 ns",
		                                "0.00 %", "0.00 %",    "50.00 %",  "–",    "0" };
	struct fixture *f = fixture_new(lines);
	vec_push(&f->run.ranks.v[0]->kernels,
	         (struct kernel_stat){ .kind = EVENT_KERNEL, .name = SPAN("nccl") });
	vec_push(&f->run.ranks.v[0]->devices,
	         (struct device_stat){ .id = "0", .measured_ns = 100, .measured_busy_ns = 50 });
	vec_push(&f->run.ranks.v[1]->devices,
	         (struct device_stat){ .id = "0", .measured_ns = 100, .measured_busy_ns = 80 });
	run_view_init(&f->view, &f->run, &f->naming);
	diagnose_rank_table(&f->view, true, &f->report);
	diagnose_rank_table(&f->view, false, &f->report);
	assert_int_equal(f->report.rank_columns.nr, sizeof want / sizeof *want);
	assert_int_equal(f->report.ranks.nr, 4);
	const struct rank_row *row = &f->report.ranks.v[0];
	assert_true(row->candidate && !f->report.ranks.v[3].candidate);
	assert_int_equal(f->report.ranks.v[3].rank, 1);
	for (size_t i = 0; i < row->cells.nr; i++)
		assert_string_equal(row->cells.v[i].text, want[i]);
	assert_int_equal(f->report.candidate.notes.nr, 1);
	assert_string_equal(f->report.candidate.notes.v[0].p,
	                    "GPU utilization of the ranks 50.00 % (rank 0) to 80.00 % (rank 1), median "
	                    "65.00 %");
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_link_sizes),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_slow_rank),
		cmocka_unit_test(test_late_rank),
		cmocka_unit_test(test_late_together),
		cmocka_unit_test(test_slow_link),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_functions_of_named),
		cmocka_unit_test(test_functions_of_few),
		cmocka_unit_test(test_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
