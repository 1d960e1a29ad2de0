/* Trust findings that need both sides: what one of them alone recorded, did or called. */
#include "gate_fixture.h"
#include "trust/trust.h"

#include <inttypes.h>
#include <stdio.h>

static const struct activity work[] = { { EVENT_KERNEL, "gemm", 50, MS(400) },
	                                    { EVENT_KERNEL, "elem", 50, MS(60) },
	                                    { EVENT_KERNEL, "other", 50, MS(40) } };

static void add_copies(struct digest *d, int64_t count, int64_t bytes)
{
	struct activity a = { EVENT_MEMCPY, "Memcpy HtoD", count, MS(1) };
	fixture_activity(d, SPAN("Memcpy HtoD"), &a);
	for (size_t i = 0; i < d->kernels.nr; i++)
		if (d->kernels.v[i].kind == EVENT_MEMCPY)
			d->kernels.v[i].step_bytes = bytes;
}

static void add_memory(struct digest *d, const char *id, int64_t peak)
{
	vec_push(&d->memories,
	         (struct memory_stat){ .id = id, .peak_allocated = peak, .capacity = MEMORY_UNKNOWN });
}

/* Adds an operator with its calls, and its operations or bytes over all calls. */
static void add_operator(struct digest *d, const char *name, int64_t count, int64_t flops,
                         int64_t bytes, int64_t gpu_ns)
{
	struct flop_stat *f = vec_push_zero(&d->flops);
	f->op = span_of(name);
	f->count = count;
	f->flops = flops;
	f->bytes = bytes;
	f->gpu_ns = gpu_ns;
	struct op_stat *op = vec_push_zero(&d->ops);
	op->name = span_of(name);
	op->count = count;
}

static void requests(struct digest *d, int64_t low, int64_t high)
{
	d->trust.requests_low = low;
	d->trust.requests_high = high;
}

/* ---- copies ---- */

static void no_copies(struct digest *b, struct digest *c)
{
	add_copies(b, 5, 1000);
	c->trust.lost_copies = 5;
}
static void no_calls(struct digest *b, struct digest *c)
{
	(void)c;
	add_copies(b, 5, 1000);
}
static void no_copies_at_all(struct digest *b, struct digest *c)
{
	b->trust.lost_copies = 5;
	c->trust.lost_copies = 5;
}
static void one_copy(struct digest *b, struct digest *c)
{
	add_copies(b, 5, 1000);
	add_copies(c, 1, 200);
	c->trust.lost_copies = 1;
}

/* ---- steps ---- */

static void empty_steps(struct digest *b, struct digest *c)
{
	(void)b;
	c->step_activities[1] = c->step_activities[2] = 0;
}
static void empty_on_both(struct digest *b, struct digest *c)
{
	empty_steps(c, b);
	empty_steps(b, c);
	b->samples[METRIC_STEP_KERNEL_COUNT][1] = 0;
	c->samples[METRIC_STEP_KERNEL_COUNT][1] = 0;
}

/* ---- what the runs were asked to do ---- */

static void batch(struct digest *b, struct digest *c)
{
	digest_set_env(b, SPAN("batch_size"), SPAN("8"));
	digest_set_env(c, SPAN("batch_size"), SPAN("16"));
}
static void same_batch(struct digest *b, struct digest *c)
{
	digest_set_env(b, SPAN("batch_size"), SPAN("8"));
	digest_set_env(c, SPAN("batch_size"), SPAN("8"));
}
static void unknown_batch(struct digest *b, struct digest *c)
{
	(void)b;
	digest_set_env(c, SPAN("batch_size"), SPAN("8"));
}
static void length(struct digest *b, struct digest *c)
{
	same_batch(b, c);
	digest_set_env(b, SPAN("sequence_length"), SPAN("128"));
	digest_set_env(c, SPAN("sequence_length"), SPAN("256"));
}
static void more_requests(struct digest *b, struct digest *c)
{
	requests(b, 8, 20);
	requests(c, 22, 32);
}
static void fewer_requests(struct digest *b, struct digest *c)
{
	requests(b, 32, 32);
	requests(c, 30, 30);
}
static void about_as_many(struct digest *b, struct digest *c)
{
	requests(b, 8, 20);
	requests(c, 21, 32);
}
static void about_as_few(struct digest *b, struct digest *c)
{
	requests(b, 21, 32);
	requests(c, 8, 20);
}
static void more_tokens(struct digest *b, struct digest *c)
{
	about_as_few(b, c);
	b->trust.tokens_low = b->trust.tokens_high = 300;
	c->trust.tokens_low = 400;
	c->trust.tokens_high = 900;
}

/* ---- work by the shapes of operators, the grids of kernels, or the bytes of copies ---- */

static void operators(struct digest *b, struct digest *c)
{
	add_operator(b, "aten::add", 10, 0, 1000, MS(40));
	add_operator(b, "aten::mm", 10, 1000, 500, MS(60));
	add_operator(c, "aten::add", 10, 0, 2000, MS(80));
	add_operator(c, "aten::mm", 10, 2000, 500, MS(120));
}
static void one_of_two(struct digest *b, struct digest *c)
{
	operators(b, c);
	c->flops.v[0].bytes = 1000;
}
static void one_and_the_copies(struct digest *b, struct digest *c)
{
	one_of_two(b, c);
	add_copies(b, 5, 1000);
	add_copies(c, 5, 2000);
}
static void other_calls(struct digest *b, struct digest *c)
{
	operators(b, c);
	for (size_t i = 0; i < c->flops.nr; i++)
		c->flops.v[i].count = c->ops.v[i].count = 11;
}
static void of_a_server(struct digest *b, struct digest *c)
{
	operators(b, c);
	requests(b, 8, 20);
	requests(c, 8, 20);
}
static void grid(struct digest *d, const char *name, int64_t x)
{
	for (size_t i = 0; i < d->kernels.nr; i++)
		if (span_eq(d->kernels.v[i].name, span_of(name)))
			for (int k = 0; k < 3; k++)
				d->kernels.v[i].grid[k] = k ? 1 : x;
}
static void grids(struct digest *b, struct digest *c)
{
	for (size_t i = 0; i < NR_OF(work); i++) {
		grid(b, work[i].name, 100);
		grid(c, work[i].name, 150);
	}
}
static void two_grids(struct digest *b, struct digest *c)
{
	grids(b, c);
	grid(c, "other", 100);
}
static void two_grids_and_the_copies(struct digest *b, struct digest *c)
{
	two_grids(b, c);
	add_copies(b, 5, 1000);
	add_copies(c, 5, 1500);
}
static void copies_alone(struct digest *b, struct digest *c)
{
	add_copies(b, 5, 1000);
	add_copies(c, 5, 1500);
}
static void more_copies(struct digest *b, struct digest *c)
{
	add_copies(b, 5, 1000);
	add_copies(c, 6, 1500);
}

/* ---- memory ---- */

static void devices(struct digest *b, struct digest *c)
{
	add_memory(b, "0", 100);
	add_memory(c, "0", 100);
	add_memory(c, "1", 100);
}
static void idle_device(struct digest *b, struct digest *c)
{
	devices(b, c);
	c->memories.v[1].peak_allocated = 0;
}
static void begins(struct digest *d, bool midway, bool history)
{
	vec_push(&d->memory_evidence,
	         (struct memory_evidence){
	             .memory = "0", .history = history, .midway = midway, .allocs = 9 });
}
static void begins_late(struct digest *b, struct digest *c)
{
	begins(b, false, true);
	begins(c, true, true);
}
static void begin_late(struct digest *b, struct digest *c)
{
	begins(b, true, true);
	begins(c, true, true);
}
static void snapshot_at(struct digest *d, int64_t second)
{
	const int64_t start = INT64_C(1700000000000000000);
	d->start_ns = start;
	d->window_ns = MS(10000);
	d->snapshot = "snapshot.json";
	vec_push(&d->memory_levels,
	         (struct memory_level){ .memory = "0", .time_us = start / 1000 + second * 1000000 });
}
static void before(struct digest *b, struct digest *c)
{
	(void)b;
	snapshot_at(c, -61);
}
static void behind(struct digest *b, struct digest *c)
{
	(void)b;
	snapshot_at(c, 71);
}
static void within(struct digest *b, struct digest *c)
{
	(void)b;
	snapshot_at(c, 71);
	snapshot_at(c, 70);
}

/* ---- times of another unit ---- */

static void longer(struct digest *b, struct digest *c)
{
	b->window_ns = MS(1000);
	c->window_ns = b->window_ns * 1100;
	c->trust.gpu_ns = b->trust.gpu_ns * 900;
}
static void shorter(struct digest *b, struct digest *c)
{
	longer(c, b);
}
static void longer_windows(struct digest *b, struct digest *c)
{
	longer(b, c);
	c->trust.gpu_ns = b->trust.gpu_ns * 400;
}

/* ---- launches of graphs, whose nodes have no ids ---- */

static void same_graphs(struct digest *b, struct digest *c)
{
	struct kernel_stat *k = c->kernels.v;
	b->trust.graph_kinds = c->trust.graph_kinds = 2;
	while (k->kind != EVENT_KERNEL || k->step_count < 10)
		k++;
	k->step_total_ns -= k->step_total_ns / k->step_count * 10;
	k->step_count -= 10;
	for (size_t i = 0; i < 5; i++)
		c->samples[METRIC_STEP_KERNEL_COUNT][i] -= 2;
}
static void other_graphs(struct digest *b, struct digest *c)
{
	same_graphs(b, c);
	c->trust.graph_kinds = 4;
}
static void more_of_another(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	c->kernels.v[c->kernels.nr - 1].kind = EVENT_KERNEL;
	b->kernels.v[b->kernels.nr - 1].kind = EVENT_KERNEL;
	c->kernels.v[c->kernels.nr - 1].step_count++;
}
static void more_launches(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	c->trust.launches++;
}

/* ---- recordings without steps ---- */

static void windows(struct digest *b, struct digest *c)
{
	b->window = c->window = true;
}
static void fewer_in_window(struct digest *b, struct digest *c)
{
	windows(b, c);
	for (size_t i = 0; i < c->kernels.nr; i++)
		c->kernels.v[i].count /= 2;
	c->trust.launches = 75;
}
static void lost_in_window(struct digest *b, struct digest *c)
{
	fewer_in_window(b, c);
	c->trust.launches = b->trust.launches;
	c->trust.launches_without_kernel = 1;
}

/* A letter for each metric that a finding makes unreliable. */
static const struct {
	char letter;
	enum metric_id id;
} metrics[] = { { 'k', METRIC_STEP_COMPUTE_TIME },
	            { 'c', METRIC_STEP_MEMCPY_TIME },
	            { 's', METRIC_STEP_TIME },
	            { 'w', METRIC_WINDOW_BUSY_TIME },
	            { 'p', METRIC_MEMORY_PEAK_ALLOCATED },
	            { 'e', METRIC_MEMORY_END_ALLOCATED } };

static void add_finding(struct strbuf *b, const struct trust_finding *f)
{
	strbuf_addf(b, "%s%s ", b->n ? "\n" : "", f->id);
	for (size_t i = 0; i < NR_OF(metrics); i++)
		for (size_t k = 0; k < f->spoils.nr; k++)
			if (strcmp(f->spoils.v[k], metric_table[metrics[i].id].name) == 0)
				strbuf_addch(b, metrics[i].letter);
	strbuf_addf(b, ": %s", f->message);
}

static const struct {
	void (*make)(struct digest *baseline, struct digest *candidate);
	const char *want; ///< a line for each finding: its id, letters of `metrics`, and its message
} rows[] = {
	{ no_copies, "lost-copies kcw: the candidate calls for 5 copies, and has none: was memory "
	             "activity recorded?" },
	{ no_calls, "" },
	{ no_copies_at_all, "" },
	{ one_copy, "lost-copies c: the candidate has 1 call for a copy that was not recorded, about 0 "
	            "ns or 0.00 % of its GPU time" },
	{ empty_steps, "empty-steps kcs: the candidate has 2 steps without GPU work, of 5, and the "
	               "other side has none such" },
	{ empty_on_both, "" },
	{ batch,
	  "context-differs kcswpe: the candidate did other work than the baseline: batch_size 8 → 16" },
	{ same_batch, "" },
	{ unknown_batch, "" },
	{ length, "context-differs kcswpe: the candidate did other work than the baseline: "
	          "sequence_length 128 → 256" },
	{ more_requests, "context-differs kcswpe: the candidate has steps of 22 to 32 requests and the "
	                 "baseline of 8 to 20: another batch" },
	{ fewer_requests, "context-differs kcswpe: the candidate has steps of 30 requests and the "
	                  "baseline of 32: another batch" },
	{ about_as_many, "" },
	{ about_as_few, "" },
	{ more_tokens, "context-differs kcswpe: the candidate has steps of 400 to 900 tokens and the "
	               "baseline of 300: another batch" },
	{ operators,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 100.00 % of the time of such operators, are 2 times as large" },
	{ one_of_two, "" },
	{ one_and_the_copies,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 1 "
	  "operator's work (by shapes), 60.00 % of the time of such operators, is 2 times as large" },
	{ other_calls, "" },
	{ of_a_server, "" },
	{ grids, "context-differs kcswpe: the candidate seems to run another batch than the baseline: "
	         "3 grids of kernels, 100.00 % of the kernel time, are 1.5 times as large" },
	{ two_grids, "" },
	{ two_grids_and_the_copies,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 grids "
	  "of kernels, 92.00 % of the kernel time, are 1.5 times as large" },
	{ copies_alone,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 1 kind "
	  "of copy, 100.00 % of the bytes copied, is 1.5 times as large" },
	{ more_copies, "" },
	{ devices, "memory-source-differs pe: the candidate has memory of 2 devices, and the baseline "
	           "of 1: only the highest would be judged" },
	{ idle_device, "" },
	{ begins_late, "history-cut p: the candidate has a history of memory 0 that begins when memory "
	               "was already allocated, and the baseline has all of it: peaks may lie before" },
	{ begin_late, "" },
	{ before, "stale-rank pe: the candidate has a snapshot whose history lies 61.00 s before its "
	          "trace: it is not of the same run" },
	{ behind, "stale-rank pe: the candidate has a snapshot whose history lies 61.00 s behind its "
	          "trace: it is not of the same run" },
	{ within, "" },
	{ windows, "" },
	{ longer, "context-differs kcsw: the candidate has times that are all about 1000 times longer "
	          "than those of the baseline: they seem to be in another unit" },
	{ shorter,
	  "context-differs kcsw: the candidate has times that are all about 1000 times shorter "
	  "than those of the baseline: they seem to be in another unit" },
	{ longer_windows, "" },
	{ same_graphs, "" },
	{ other_graphs,
	  "lost-kernels kcw: the candidate has graph launches that lack 10 kernels, which "
	  "others of the same graph have, about 12.00 ms or 2.34 % of its GPU time" },
	{ more_of_another, "" },
	{ more_launches, "" },
	{ fewer_in_window,
	  "context-differs kcswpe: the candidate seems to hold fewer iterations than the baseline: "
	  "launches of 50.00 % of the kernel time are gone; mark the steps" },
	{ lost_in_window, "" },
};

static void test_sides(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d[2];
		struct run runs[2];
		struct report r;
		struct strbuf b = STRBUF_INIT;
		report_init(&r);
		for (int s = 0; s < 2; s++) {
			d[s] = fixture_digest(5, work, NR_OF(work));
			d[s]->trust.timed = d[s]->trust.gpu_events;
			runs[s] = fixture_run(d[s]);
		}
		rows[i].make(d[0], d[1]);
		trust_findings(&runs[0], &runs[1], 1, &(struct rules){ .min_steps = 1 }, &r);
		for (size_t k = 0; k < r.trust.nr; k++)
			add_finding(&b, &r.trust.v[k]);
		if (strcmp(strbuf_str(&b), rows[i].want) != 0)
			fail_msg("row %zu: '%s' instead of '%s'", i, strbuf_str(&b), rows[i].want);
		strbuf_release(&b);
		report_release(&r);
		for (int s = 0; s < 2; s++)
			run_release(&runs[s]);
	}
}

/* Ranks with figures of memory ('m') and without ('-') of each side. Some ranks on both sides must
   lack what the same rank of the other side has, and one run must have several ranks. */
static const struct {
	const char *side[2];
	int64_t ranks[2]; /* that the finding names: candidate, baseline; -1: there is no finding */
} memory_rows[] = {
	{ { "m-", "-m" }, { 1, 0 } },     { { "-m", "m-" }, { 0, 1 } },
	{ { "m", " m" }, { -1, -1 } },    { { "m-", " m" }, { 1, 0 } },
	{ { " m", "m-" }, { 0, 1 } },     { { "mm", "-m" }, { -1, -1 } },
	{ { "mm", "mm" }, { -1, -1 } },   { { "m-", "--" }, { -1, -1 } },
	{ { "mm--", "m--m" }, { 3, 1 } }, { { "mm  ", "  mm" }, { 2, 0 } },
	{ { "  mm", "mm  " }, { 0, 2 } }, { { "m  m", "mm--" }, { 1, 3 } },
};

static struct run memory_run(const char *ranks)
{
	struct run run = { 0 };
	for (int64_t rank = 0; ranks[rank]; rank++) {
		if (ranks[rank] == ' ')
			continue;
		struct digest *d = fixture_digest(5, work, NR_OF(work));
		d->trust.timed = d->trust.gpu_events;
		d->rank = rank;
		if (ranks[rank] == 'm')
			add_memory(d, "0", 1000);
		vec_push(&run.ranks, d);
	}
	return run;
}

static void test_memory_ranks(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(memory_rows); i++) {
		struct run runs[2];
		struct report r;
		int64_t got[2] = { -1, -1 };
		report_init(&r);
		for (int s = 0; s < 2; s++)
			runs[s] = memory_run(memory_rows[i].side[s]);
		trust_findings(&runs[0], &runs[1], 1, &(struct rules){ .min_steps = 1 }, &r);
		for (size_t k = 0; k < r.trust.nr; k++)
			sscanf(r.trust.v[k].message,
			       "the candidate has memory figures of rank %" SCNd64
			       ", and the baseline of rank %" SCNd64,
			       &got[0], &got[1]);
		if (got[0] != memory_rows[i].ranks[0] || got[1] != memory_rows[i].ranks[1])
			fail_msg("row %zu: ranks %" PRId64 " and %" PRId64, i, got[0], got[1]);
		report_release(&r);
		for (int s = 0; s < 2; s++)
			run_release(&runs[s]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sides),
		                                cmocka_unit_test(test_memory_ranks) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
