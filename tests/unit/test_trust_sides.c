/* Trust findings that need both sides: what one of them alone recorded, did or called. */
#include "gate_fixture.h"
#include "trust/finding.h"
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

static void set_steps(struct digest *d, size_t nr)
{
	digest_set_steps(d, nr);
	fixture_samples(d);
	d->total_steps = d->usable_steps = (int64_t)nr;
	d->trust.timed = d->trust.gpu_events;
}
static void empty_steps(struct digest *b, struct digest *c)
{
	(void)b;
	c->step_activities[1] = c->step_activities[2] = 0;
}
static void one_of(struct digest *b, struct digest *c, size_t nr)
{
	set_steps(b, nr);
	set_steps(c, nr);
	c->step_activities[1] = 0;
}
static void one_of_ten(struct digest *b, struct digest *c)
{
	one_of(b, c, 10);
}
static void one_of_nine(struct digest *b, struct digest *c)
{
	one_of(b, c, 9);
}
static void all_empty(struct digest *b, struct digest *c)
{
	empty_steps(b, c);
	c->trust.gpu_events = 0;
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
static void unknown_before(struct digest *b, struct digest *c)
{
	unknown_batch(c, b);
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
/* The requests of one side are not known, so that the operators are compared. */
static void of_a_server_before(struct digest *b, struct digest *c)
{
	operators(b, c);
	requests(b, 8, 20);
}
static void of_a_server_now(struct digest *b, struct digest *c)
{
	operators(b, c);
	requests(c, 8, 20);
}
static void one_operator(struct digest *b, struct digest *c)
{
	add_operator(b, "aten::mm", 1, 1, 0, MS(60));
	add_operator(c, "aten::mm", 1, 2, 0, MS(120));
}
/* A third operator, which takes as long as the two others, or nearly. */
static void third(struct digest *b, struct digest *c, int64_t flops, int64_t bytes,
                  int64_t flops_now, int64_t bytes_now)
{
	operators(b, c);
	add_operator(b, "aten::sum", 10, flops, bytes, MS(199));
	add_operator(c, "aten::sum", 10, flops_now, bytes_now, MS(199));
}
static void third_unknown_before(struct digest *b, struct digest *c)
{
	third(b, c, 0, 0, 0, 1000);
}
static void third_unknown_now(struct digest *b, struct digest *c)
{
	third(b, c, 0, 1000, 0, 0);
}
static void third_of_another_unit(struct digest *b, struct digest *c)
{
	third(b, c, 0, 1000, 2000, 0);
}
static void third_of_some_sizes(struct digest *b, struct digest *c)
{
	third(b, c, 0, 1000, 0, 2000);
	c->flops.v[2].unsized = 1;
}
static void third_of_some_counts(struct digest *b, struct digest *c)
{
	third(b, c, 0, 1000, 0, 2000);
	c->flops.v[2].uncounted = 1;
}
static void third_unchanged(struct digest *b, struct digest *c)
{
	third(b, c, 0, 1000, 0, 1000);
}
static void third_alike(struct digest *b, struct digest *c)
{
	third(b, c, 0, 1000, 0, 2000);
}
/* An operator that only the candidate has, between the two others. */
static void new_operator(struct digest *b, struct digest *c, int64_t ms)
{
	operators(b, c);
	add_operator(c, "aten::bmm", 10, 1000, 0, MS(ms));
	struct flop_stat last = c->flops.v[1];
	c->flops.v[1] = c->flops.v[2];
	c->flops.v[2] = last;
}
static void new_last_operator(struct digest *b, struct digest *c)
{
	operators(b, c);
	add_operator(c, "aten::sum", 10, 1000, 0, MS(200));
}
static void new_operator_of_half(struct digest *b, struct digest *c)
{
	new_operator(b, c, 200);
}
static void new_operator_of_less(struct digest *b, struct digest *c)
{
	new_operator(b, c, 199);
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
static void began_late(struct digest *b, struct digest *c)
{
	begins_late(c, b);
}
static void begins_elsewhere(struct digest *b, struct digest *c)
{
	begins_late(b, c);
	b->memory_evidence.v[0].memory = "1";
}
static void begins_unknown(struct digest *b, struct digest *c)
{
	begins_late(b, c);
	b->memory_evidence.v[0].history = false;
	begins(b, false, true);
	b->memory_evidence.v[1].memory = "1";
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
static void at_no_time(struct digest *b, struct digest *c)
{
	behind(b, c);
	c->memory_levels.v[0].time_us = INT64_MAX / 1000;
}
static void within(struct digest *b, struct digest *c)
{
	(void)b;
	snapshot_at(c, 71);
	snapshot_at(c, 70);
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
static void graphs_without_launches(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	b->trust.launches = c->trust.launches = 0;
}
static void graphs_of_one_launch(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	b->trust.launches = c->trust.launches = 1;
}
static void graphs_in_one_window(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	c->window = true;
}
/* Launches and steps of the baseline, and of the candidate. */
static void units(struct digest *b, struct digest *c, int64_t x, int64_t n, int64_t y, int64_t m)
{
	b->trust.launches = x;
	b->total_steps = n;
	c->trust.launches = y;
	c->total_steps = m;
}
static void one_launch(struct digest *b, struct digest *c)
{
	units(b, c, 1, 6, 1, 4);
}
static void no_launch(struct digest *b, struct digest *c)
{
	units(b, c, 0, 6, 1, 4);
}
static void launches_gone(struct digest *b, struct digest *c)
{
	units(b, c, 1, 6, 0, 4);
}
static void one_step(struct digest *b, struct digest *c)
{
	units(b, c, 150, 1, 150, 2);
}
static void one_step_now(struct digest *b, struct digest *c)
{
	units(b, c, 150, 2, 150, 1);
}
static void steps_of_close_size(struct digest *b, struct digest *c)
{
	units(b, c, 150, 3, 150, 2);
}
static void more_steps_of_close_size(struct digest *b, struct digest *c)
{
	units(b, c, 150, 2, 150, 3);
}
static void few_of_launches(struct digest *b, struct digest *c)
{
	units(b, c, 100, 2, 80, 1);
}
static void too_few_launches(struct digest *b, struct digest *c)
{
	units(b, c, 100, 2, 79, 1);
}
static void more_of_launches(struct digest *b, struct digest *c)
{
	units(b, c, 80, 1, 100, 2);
}
static void too_many_launches(struct digest *b, struct digest *c)
{
	units(b, c, 79, 1, 100, 2);
}
/* Takes launches of a kernel away, each of its mean time. */
static void lose(struct digest *d, const char *name, int64_t nr)
{
	for (size_t i = 0; i < d->kernels.nr; i++) {
		struct kernel_stat *k = &d->kernels.v[i];
		if (!span_eq(k->name, span_of(name)))
			continue;
		k->step_total_ns -= k->step_total_ns / k->step_count * nr;
		k->step_count -= nr;
	}
}
static void add_kernel(struct digest *d, const char *name, int64_t count)
{
	struct activity a = { EVENT_KERNEL, name, count, MS(1) };
	fixture_activity(d, span_of(name), &a);
}
static void first_runs_more(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	lose(c, "elem", -11);
	lose(c, "gemm", 11);
}
static void new_last_kernel(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	add_kernel(c, "zoom", 1);
}
static void new_kernel(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	add_kernel(c, "fill", 1);
}
static void copies_run_more(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	add_copies(b, 5, 0);
	add_copies(c, 6, 0);
}
static void small_run_more(struct digest *b, struct digest *c)
{
	other_graphs(b, c);
	add_kernel(b, "zoom", 5);
	add_kernel(c, "zoom", 6);
	for (size_t i = 0; i < c->kernels.nr; i++)
		if (span_eq(c->kernels.v[i].name, SPAN("zoom")))
			b->kernels.v[i].names = c->kernels.v[i].names = 3;
}
/* Two steps have fewer kernels than each step of the baseline. */
static void some_steps_have_fewer(struct digest *b, struct digest *c)
{
	(void)b;
	lose(c, "elem", 10);
	c->samples[METRIC_STEP_KERNEL_COUNT][1] -= 5;
	c->samples[METRIC_STEP_KERNEL_COUNT][3] -= 5;
}
static void more_steps_left_out(struct digest *b, struct digest *c)
{
	some_steps_have_fewer(b, c);
	c->total_steps = 6;
	c->trust.launches = 180;
}
static void varied_before(struct digest *b, struct digest *c)
{
	some_steps_have_fewer(b, c);
	b->samples[METRIC_STEP_KERNEL_COUNT][0]--;
}
/* Which launches are lost is not known: those of the longest kernels are assumed. */
static void lost_of_any(struct digest *b, struct digest *c)
{
	(void)b;
	for (size_t i = 0; i < NR_OF(work); i++)
		lose(c, work[i].name, 2);
	c->trust.launches_without_kernel = 3;
}

/* One launch of a kernel without any time is untimed: it took as long as those of the baseline. */
static void untimed(struct digest *d, const char *name)
{
	for (size_t i = 0; i < d->kernels.nr; i++)
		if (span_eq(d->kernels.v[i].name, span_of(name)))
			d->kernels.v[i].step_total_ns = 0;
	d->trust.untimed = 1;
	d->trust.timed--;
}
static void untimed_short(struct digest *b, struct digest *c)
{
	(void)b;
	untimed(c, "other");
}
static void untimed_long(struct digest *b, struct digest *c)
{
	(void)b;
	untimed(c, "gemm");
}

/* ---- activities that overlap, and kernels without a name ---- */

static void overlap(struct digest *b, struct digest *c)
{
	b->trust.overlap_ns = MS(5);
	c->trust.overlap_ns = MS(10);
}
static void overlap_alike(struct digest *b, struct digest *c)
{
	overlap(b, c);
	c->trust.overlap_ns -= 1000;
}
static void unnamed(struct digest *b, struct digest *c)
{
	(void)b;
	c->kernels.v[0].name = SPAN("");
}
static void unnamed_sum(struct digest *b, struct digest *c)
{
	unnamed(b, c);
	c->kernels.v[0].names = 3;
}
static void unnamed_little(struct digest *b, struct digest *c)
{
	unnamed(b, c);
	c->kernels.v[0].total_ns = MS(5);
	c->kernels.v[1].total_ns = MS(455);
}
static void unnamed_more(struct digest *b, struct digest *c)
{
	unnamed_little(b, c);
	c->kernels.v[0].total_ns += 6;
}

/* ---- code that is not known ---- */

/* Adds 50 activities, some of which have a known operator. */
static void add_code(struct digest *d, int64_t known_ns, int64_t unknown_ns, int64_t unknown)
{
	for (int known = 0; known < 2; known++) {
		struct code_stat *k = vec_push_zero(&d->code);
		k->kind = CODE_KERNEL;
		k->op = known ? SPAN("aten::mm") : SPAN("");
		k->module = SPAN("Net");
		k->place = SPAN("train.py:f");
		k->count = known ? 50 - unknown : unknown;
		k->total_ns = known ? known_ns : unknown_ns;
	}
}
static void fewer_operators(struct digest *b, struct digest *c)
{
	add_code(b, MS(400), 0, 0);
	add_code(c, MS(395), MS(5), 5);
}
static void operators_before(struct digest *b, struct digest *c)
{
	fewer_operators(c, b);
}
static void few_unknown(struct digest *b, struct digest *c)
{
	add_code(b, MS(400), 0, 0);
	add_code(c, MS(396), MS(4), 5);
}
static void unknown_take_longer(struct digest *b, struct digest *c)
{
	add_code(b, MS(400), 0, 5);
	add_code(c, MS(200), MS(200), 5);
}

/* 12 activities in place of 10 have no known operator. */
static void more_unknown(struct digest *b, struct digest *c)
{
	add_code(b, MS(396), MS(4), 10);
	add_code(c, MS(380), MS(20), 12);
}
static void fewer_modules(struct digest *b, struct digest *c)
{
	few_unknown(b, c);
	c->code.v[0].op = SPAN("aten::mm");
	c->code.v[0].module = SPAN("");
	c->code.v[0].total_ns += 3;
}
static void fewer_places(struct digest *b, struct digest *c)
{
	add_code(b, MS(395), MS(5), 5);
	add_code(c, MS(395), MS(5), 5);
	c->code.v[0].place = SPAN("");
}
static void no_time_of_code(struct digest *b, struct digest *c)
{
	add_code(b, 0, 0, 0);
	add_code(c, MS(395), MS(5), 5);
}

/* ---- GPU time outside of steps ---- */

static void outside(struct digest *d, int64_t ns)
{
	d->trust.unattributed_ns = ns;
}
static void point_outside(struct digest *b, struct digest *c)
{
	outside(b, MS(5));
	outside(c, MS(10));
}
static void more_outside(struct digest *b, struct digest *c)
{
	outside(b, MS(5));
	outside(c, MS(10) + 6);
}
static void most_outside(struct digest *b, struct digest *c)
{
	outside(b, MS(5));
	outside(c, MS(300));
}
static void outside_by_time(struct digest *b, struct digest *c)
{
	more_outside(b, c);
	b->attribution = ATTRIBUTION_TIMESTAMP;
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
/* All kernels ran less often, but there are only two: the third is a memset. */
static void two_in_window(struct digest *b, struct digest *c)
{
	fewer_in_window(b, c);
	b->kernels.v[2].kind = c->kernels.v[2].kind = EVENT_MEMSET;
}
static void graphs_in_window(struct digest *b, struct digest *c)
{
	windows(b, c);
	other_graphs(b, c);
}
static void more_launches_in_window(struct digest *b, struct digest *c)
{
	windows(b, c);
	more_launches(b, c);
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
	{ one_of_ten, "empty-steps : the candidate has 1 step without GPU work, of 10, and the other "
	              "side has none such" },
	{ one_of_nine, "empty-steps kcs: the candidate has 1 step without GPU work, of 9, and the "
	               "other side has none such" },
	{ all_empty, "no-gpu-activity kcw: the candidate has no GPU activity: was CUDA or HIP "
	             "activity recorded?" },
	{ batch,
	  "context-differs kcswpe: the candidate did other work than the baseline: batch_size 8 → 16" },
	{ same_batch, "" },
	{ unknown_batch, "" },
	{ unknown_before, "" },
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
	{ of_a_server_before,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 100.00 % of the time of such operators, are 2 times as large" },
	{ of_a_server_now,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 100.00 % of the time of such operators, are 2 times as large" },
	{ one_operator,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 1 "
	  "operator's work (by shapes), 100.00 % of the time of such operators, is 2 times as large" },
	{ third_unknown_before,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 50.13 % of the time of such operators, are 2 times as large" },
	{ third_unknown_now,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 50.13 % of the time of such operators, are 2 times as large" },
	{ third_of_another_unit,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 50.13 % of the time of such operators, are 2 times as large" },
	{ third_of_some_sizes,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 50.13 % of the time of such operators, are 2 times as large" },
	{ third_of_some_counts,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 50.13 % of the time of such operators, are 2 times as large" },
	{ third_unchanged,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 50.13 % of the time of such operators, are 2 times as large" },
	{ third_alike,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 3 "
	  "operators' work (by shapes), 100.00 % of the time of such operators, are 2 times as large" },
	{ new_operator_of_half, "" },
	{ new_last_operator, "" },
	{ new_operator_of_less,
	  "context-differs kcswpe: the candidate seems to run another batch than the baseline: 2 "
	  "operators' work (by shapes), 50.13 % of the time of such operators, are 2 times as large" },
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
	{ began_late, "history-cut p: the baseline has a history of memory 0 that begins when memory "
	              "was already allocated, and the candidate has all of it: peaks may lie before" },
	{ begins_elsewhere, "" },
	{ begins_unknown, "" },
	{ before, "stale-rank pe: the candidate has a snapshot whose history lies 61.00 s before its "
	          "trace: it is not of the same run" },
	{ behind, "stale-rank pe: the candidate has a snapshot whose history lies 61.00 s behind its "
	          "trace: it is not of the same run" },
	{ at_no_time, "" },
	{ within, "" },
	{ windows, "" },
	{ same_graphs, "" },
	{ other_graphs,
	  "lost-kernels kcw: the candidate has graph launches that lack 10 kernels, which "
	  "others of the same graph have, about 12.00 ms or 2.34 % of its GPU time" },
	{ one_launch, "context-differs kcs: the candidate has 4 steps and the baseline 6 of about as "
	              "many launches in all: a step is another unit of work" },
	{ no_launch, "" },
	{ launches_gone, "" },
	{ one_step, "context-differs kcs: the candidate has 2 steps and the baseline 1 of about as "
	            "many launches in all: a step is another unit of work" },
	{ one_step_now, "context-differs kcs: the candidate has 1 step and the baseline 2 of about as "
	                "many launches in all: a step is another unit of work" },
	{ steps_of_close_size, "context-differs kcs: the candidate has 2 steps and the baseline 3 of "
	                       "about as many launches in all: a step is another unit of work" },
	{ more_steps_of_close_size,
	  "context-differs kcs: the candidate has 3 steps and the baseline 2 of about as many launches "
	  "in all: a step is another unit of work" },
	{ few_of_launches, "context-differs kcs: the candidate has 1 step and the baseline 2 of about "
	                   "as many launches in all: a step is another unit of work" },
	{ too_few_launches, "" },
	{ more_of_launches, "context-differs kcs: the candidate has 2 steps and the baseline 1 of "
	                    "about as many launches in all: a step is another unit of work" },
	{ too_many_launches, "" },
	{ graphs_without_launches, "" },
	{ graphs_of_one_launch,
	  "lost-kernels kcw: the candidate has graph launches that lack 10 kernels, which others of "
	  "the same graph have, about 12.00 ms or 2.34 % of its GPU time" },
	{ graphs_in_one_window, "window-against-steps kcs: the candidate has no steps and the baseline "
	                        "has: per-step figures do not compare" },
	{ graphs_in_window,
	  "lost-kernels kcw: the candidate has graph launches that lack 10 kernels, which "
	  "others of the same graph have, about 12.00 ms or 2.34 % of its GPU time" },
	{ more_launches_in_window, "" },
	{ more_of_another, "" },
	{ more_launches, "" },
	{ first_runs_more, "" },
	{ new_last_kernel, "" },
	{ new_kernel, "" },
	{ copies_run_more,
	  "lost-kernels kcw: the candidate has graph launches that lack 10 kernels, which "
	  "others of the same graph have, about 12.00 ms or 2.34 % of its GPU time" },
	{ small_run_more,
	  "lost-kernels kcw: the candidate has graph launches that lack 10 kernels, which "
	  "others of the same graph have, about 10.80 ms or 2.11 % of its GPU time" },
	{ some_steps_have_fewer,
	  "lost-kernels kcw: the candidate has graph launches that lack 10 kernels, which "
	  "others of the same graph have, about 12.00 ms or 2.34 % of its GPU time" },
	{ more_steps_left_out, "" },
	{ varied_before, "" },
	{ lost_of_any,
	  "lost-kernels kcw: the candidate has 3 of 150 kernel launches without a kernel, about 17.20 "
	  "ms or 3.33 % of its GPU time" },
	{ untimed_short, "" },
	{ untimed_long, "unknown-durations kcw: the candidate has 1 of 150 GPU activities without a "
	                "valid start or duration: their time is not known" },
	{ overlap, "overlapping-activities kcw: the candidate has activities that overlap on one "
	           "stream for 2.00 % of its GPU time: sums count it twice" },
	{ overlap_alike, "" },
	{ unnamed, "unnamed-kernels kcw: the candidate has kernels without a name, 12.00 % of its "
	           "kernel time: what they are is not known" },
	{ unnamed_sum, "" },
	{ unnamed_little, "" },
	{ unnamed_more, "unnamed-kernels kcw: the candidate has kernels without a name, 1.00 % of its "
	                "kernel time: what they are is not known" },
	{ fewer_operators, "fewer-operators : the candidate has 98.75 % of its GPU time in known "
	                   "operators, and the baseline 100.00 %: they do not compare" },
	{ operators_before, "fewer-operators : the baseline has 98.75 % of its GPU time in known "
	                    "operators, and the candidate 100.00 %: they do not compare" },
	{ few_unknown, "" },
	{ unknown_take_longer, "" },
	{ more_unknown, "fewer-operators : the candidate has 95.00 % of its GPU time in known "
	                "operators, and the baseline 99.00 %: they do not compare" },
	{ fewer_modules, "fewer-modules : the candidate has 99.00 % of its GPU time in known modules, "
	                 "and the baseline 100.00 %: they do not compare" },
	{ fewer_places, "fewer-places : the candidate has 98.75 % of its GPU time with a known place "
	                "in the code, and the baseline 100.00 %: they do not compare" },
	{ no_time_of_code, "" },
	{ point_outside, "" },
	{ more_outside, "less-in-steps kcs: the candidate has 98.00 % of its GPU time in judged steps, "
	                "and the baseline 99.00 %: they do not compare" },
	{ most_outside, "outside-steps kcs: the candidate has 60.00 % of its GPU time outside of the "
	                "judged steps, where no rule judges it; add a rule on window.busy_time, or "
	                "'outside: allow' to 'steps' if it is meant" },
	{ outside_by_time,
	  "attribution-differs kc: the candidate or the baseline lacks launches: on one side "
	  "activities belong to steps by launch, on the other by start time" },
	{ fewer_in_window,
	  "context-differs kcswpe: the candidate seems to hold fewer iterations than the baseline: "
	  "launches of 50.00 % of the kernel time are gone; mark the steps" },
	{ two_in_window,
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

/* Two runs that were made from `work`, their digests and their report. */
struct two {
	struct digest *d[2];
	struct run run[2];
	struct report r;
};

static void setup(struct two *t)
{
	report_init(&t->r);
	for (int s = 0; s < 2; s++) {
		t->d[s] = fixture_digest(5, work, NR_OF(work));
		t->d[s]->trust.timed = t->d[s]->trust.gpu_events;
		t->run[s] = fixture_run(t->d[s]);
	}
}

static void compare(struct two *t)
{
	trust_findings(&t->run[0], &t->run[1], 1, &(struct rules){ .min_steps = 1 }, &t->r);
}

static void release(struct two *t)
{
	report_release(&t->r);
	run_release(&t->run[0]);
	run_release(&t->run[1]);
}

/* Expects one finding, with this message, or none if it is NULL; releases `t`. */
static void expect(const char *what, size_t row, struct two *t, const char *message)
{
	const char *got = t->r.trust.nr ? t->r.trust.v[0].message : "";
	if (t->r.trust.nr != (message != NULL) || (message && strcmp(got, message) != 0))
		fail_msg("%s %zu: %zu findings, first '%s'", what, row, t->r.trust.nr, got);
	release(t);
}

/* Times of another unit: those of the host and of the GPU must all be 500 to 2000 times as long. */
static void test_units_of_time(void **state)
{
	(void)state;
	static const struct {
		int64_t host, gpu; ///< factors of the candidate's times, or of the baseline's
		bool found;
	} times[] = {
		{ 1000, 1000, true }, { 500, 1000, false },  { 501, 1000, true },
		{ 1999, 1000, true }, { 2000, 1000, false }, { 1000, 500, false },
		{ 1000, 501, true },  { 1000, 1999, true },  { 1000, 2000, false },
	};
	for (size_t i = 0; i < 2 * NR_OF(times); i++) {
		struct two t;
		int longer = i % 2;
		setup(&t);
		t.d[!longer]->window_ns = MS(1000);
		t.d[longer]->window_ns = MS(1000) * times[i / 2].host;
		t.d[longer]->trust.gpu_ns *= times[i / 2].gpu;
		compare(&t);
		expect("times", i / 2, &t,
		       !times[i / 2].found ? NULL
		       : longer ? "the candidate has times that are all about 1000 times longer than those "
		                  "of the baseline: they seem to be in another unit"
		                : "the candidate has times that are all about 1000 times shorter than "
		                  "those of the baseline: they seem to be in another unit");
	}
}

/* A step is another unit of work if it has 1.5 times as many launches, or fewer, where the
   recordings have about as many. */
static void test_units_of_work(void **state)
{
	(void)state;
	static const struct {
		int64_t steps[2], launches[2];
		bool found;
	} units[] = {
		{ { 6, 4 }, { 150, 150 }, true },  { { 7, 5 }, { 150, 150 }, false },
		{ { 4, 6 }, { 150, 150 }, true },  { { 5, 7 }, { 150, 150 }, false },
		{ { 6, 3 }, { 150, 120 }, true },  { { 6, 3 }, { 150, 119 }, false },
		{ { 3, 6 }, { 120, 150 }, true },  { { 3, 6 }, { 119, 150 }, false },
		{ { 9, 0 }, { 150, 150 }, false }, { { 0, 9 }, { 150, 150 }, false },
	};
	for (size_t i = 0; i < NR_OF(units); i++) {
		struct two t;
		setup(&t);
		for (int s = 0; s < 2; s++) {
			t.d[s]->total_steps = units[i].steps[s];
			t.d[s]->trust.launches = units[i].launches[s];
		}
		compare(&t);
		const char *message =
		    arena_printf(&t.r.arena,
		                 "the candidate has %" PRId64 " steps and the baseline %" PRId64
		                 " of about as many launches in all: a step is another unit of work",
		                 units[i].steps[1], units[i].steps[0]);
		expect("units", i, &t, units[i].found ? message : NULL);
	}
}

/* Gives each step its kind: 'p' for prefill, 'd' for decode, 'm' for both, '-' for none. */
static void set_kinds(struct digest *d, const char *kinds)
{
	set_steps(d, strlen(kinds));
	d->step_phases = arena_alloc(&d->arena, d->nr_steps, sizeof *d->step_phases);
	for (size_t i = 0; i < d->nr_steps; i++)
		d->step_phases[i] = step_phase_code(kinds[i] == 'p'   ? PHASE_PREFILL
		                                    : kinds[i] == 'd' ? PHASE_DECODE
		                                    : kinds[i] == 'm' ? PHASE_MIXED
		                                                      : PHASE_ALL);
}

/* The tokens of a step may differ by 5 %, and by 50 % if one side has only one or two steps that
   process prompts. */
static void test_tokens(void **state)
{
	(void)state;
	static const struct {
		const char *kinds[2];
		int64_t tokens; ///< of the candidate's steps, where the baseline's have 300
		bool found;
	} prompts[] = {
		{ { "pppdd", "pppdd" }, 315, false }, { { "pppdd", "pppdd" }, 316, true },
		{ { "ppddd", "pppdd" }, 450, false }, { { "ppddd", "pppdd" }, 451, true },
		{ { "pppdd", "ppddd" }, 450, false }, { { "pppdd", "pdddd" }, 450, false },
		{ { "pdddd", "pppdd" }, 450, false }, { { "pmddd", "pmmdd" }, 450, false },
		{ { "pmmdd", "pmmdd" }, 316, true },  { { "ddddd", "ddddd" }, 316, true },
		{ { "ddddd", "pppdd" }, 316, true },  { { "pppdd", "ddddd" }, 316, true },
	};
	for (size_t i = 0; i < NR_OF(prompts); i++) {
		struct two t;
		setup(&t);
		for (int s = 0; s < 2; s++) {
			set_kinds(t.d[s], prompts[i].kinds[s]);
			t.d[s]->trust.tokens_low = t.d[s]->trust.tokens_high = s ? prompts[i].tokens : 300;
		}
		compare(&t);
		const char *message = arena_printf(&t.r.arena,
		                                   "the candidate has steps of %" PRId64
		                                   " tokens and the baseline of 300: another batch",
		                                   prompts[i].tokens);
		expect("tokens", i, &t, prompts[i].found ? message : NULL);
	}
}

/* Other shares of the kinds of steps make the mean step longer or shorter, which counts if more
   than 1 % are due to them. */
static void test_kinds(void **state)
{
	(void)state;
	static const struct {
		const char *kinds[2];
		int64_t prefill; ///< ms of a step of prefill, where one of decode takes 100 ms
		int64_t mix;
		const char *message;
	} kinds[] = {
		{ { "pdddd", "ppppd" },
		  300,
		  85714285,
		  "the candidate has steps of other kinds than the baseline: 4 of prefill, 1 of decode, "
		  "and there 1 of prefill, 4 of decode" },
		{ { "ppppd", "mdddd" },
		  200,
		  44444444,
		  "the candidate has steps of other kinds than the baseline: 4 of decode, 1 of mixed, "
		  "and there 4 of prefill, 1 of decode" },
		{ { "pdddd", "pdddd" }, 300, 0, NULL },
		{ { "pdddd", "ppppd" }, 100, 0, NULL },
		{ { "dddd", "dddp" }, 104, 0, NULL },
		{ { "dddd", "dddp" },
		  105,
		  1249999,
		  "the candidate has steps of other kinds than the baseline: 1 of prefill, 3 of decode, "
		  "and there 4 of decode" },
		/* both kinds are judged by themselves */
		{ { "pppddddd", "pppppddd" }, 300, 0, NULL },
		/* of more than a tenth of the steps the kind is not known */
		{ { "pddddddddd", "ppppdddd--" }, 300, 0, NULL },
		{ { "pddddddddd", "ppppddddd-" },
		  300,
		  57407407,
		  "the candidate has steps of other kinds than the baseline: 4 of prefill, 5 of decode, "
		  "and there 1 of prefill, 9 of decode" },
		{ { "pddd-", "ppppd" }, 300, 0, NULL },
		{ { "pdddd", "pdddd" }, 0, 0, NULL },
	};
	for (size_t i = 0; i < NR_OF(kinds); i++) {
		struct two t;
		setup(&t);
		for (int s = 0; s < 2; s++) {
			set_kinds(t.d[s], kinds[i].kinds[s]);
			for (size_t k = 0; k < t.d[s]->nr_steps; k++)
				t.d[s]->samples[METRIC_STEP_CUDA_TIME][k] =
				    MS(kinds[i].kinds[s][k] == 'p' ? kinds[i].prefill : 100);
		}
		compare(&t);
		if (t.r.trust.nr && (t.r.trust.v[0].fallen != kinds[i].mix || !t.r.trust.v[0].of_kinds))
			fail_msg("kinds %zu: %" PRId64, i, t.r.trust.v[0].fallen);
		expect("kinds", i, &t, kinds[i].message);
	}
}

/* What differs on two ranks alike is said once, and also what differs on the second one alone. */
static void test_said_once(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct two t;
		int how = i % 3;
		setup(&t);
		for (int s = 0; s < 2; s++) {
			vec_push(&t.run[s].ranks, fixture_digest(5, work, NR_OF(work)));
			t.run[s].ranks.v[1]->rank = 1;
			for (size_t k = 0; k < 2; k++) {
				struct digest *d = t.run[s].ranks.v[k];
				bool other = s && (k || i < 3);
				d->trust.timed = d->trust.gpu_events;
				d->window_ns = how == 0 && other ? MS(1000000) : MS(1000);
				d->trust.gpu_ns *= how == 0 && other ? 1000 : 1;
				d->total_steps = how == 1 && other ? 3 : 5;
				if (how == 2)
					requests(d, other ? 22 : 8, other ? 32 : 20);
			}
		}
		compare(&t);
		if (t.r.trust.nr != 1)
			fail_msg("%d: %zu findings", i, t.r.trust.nr);
		release(&t);
	}
}

/* A control run is compared with the baseline, and named. */
static void test_controls(void **state)
{
	(void)state;
	struct two t;
	setup(&t);
	fewer_operators(t.d[0], t.d[1]);
	trust_find_controls(&t.run[0], &t.run[1], 1, &(struct rules){ .min_steps = 1 }, &t.r);
	assert_false(t.r.trust.v[0].candidate);
	expect("controls", 0, &t,
	       "control run 1 has 98.75 % of its GPU time in known operators, and the baseline 100.00 "
	       "%: they do not compare");
}

/* Times are compared if both are dates between 2008 and 2096, and more than a minute apart. */
static void test_apart(void **state)
{
	(void)state;
	const int64_t from = 1200000000 * NS_PER_S, to = 4000000000 * NS_PER_S, most = 60 * NS_PER_S;
	const struct {
		int64_t start, window, at, want;
	} times[] = {
		{ from, 0, from + most, 0 },
		{ from, 0, from + most + 1, most + 1 },
		{ from - 1, 0, from + most + 1, 0 },
		{ from, 5, from + most + 5, 0 },
		{ from, 5, from + most + 6, most + 1 },
		{ from + most, 0, from, 0 },
		{ from + most + 1, 0, from, -most - 1 },
		{ from + most + 1, 5, from, -most - 1 },
		{ from + most + 1, 0, from - 1, 0 },
		{ to - most - 1, 0, to, most + 1 },
		{ to - most - 1, 0, to + 1, 0 },
		{ to, 0, to - most - 1, -most - 1 },
		{ to + 1, 0, to - most - 1, 0 },
		{ from, INT64_MAX, to, 0 },
	};
	for (size_t i = 0; i < NR_OF(times); i++) {
		struct digest d = { .start_ns = times[i].start, .window_ns = times[i].window };
		int64_t got = trust_apart(&d, times[i].at);
		if (got != times[i].want)
			fail_msg("times %zu: %" PRId64, i, got);
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sides),         cmocka_unit_test(test_units_of_time),
		cmocka_unit_test(test_units_of_work), cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_kinds),         cmocka_unit_test(test_said_once),
		cmocka_unit_test(test_controls),      cmocka_unit_test(test_apart),
		cmocka_unit_test(test_memory_ranks)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
