#include <pthread.h>
#include <stdatomic.h>

#include "reduce/reducer.h"

static enum status check_times(const struct reducer *r, struct diag_log *log)
{
	int64_t range;
	if (r->fault)
		return diag_fail(log, ST_INPUT, "%s", r->fault);
	if (r->first_ns <= r->last_ns && __builtin_sub_overflow(r->last_ns, r->first_ns, &range))
		return diag_fail(log, ST_INPUT,
		                 "the events lie more than 292 years apart: check 'ts' of the trace");
	return ST_OK;
}

static void set_trust(const struct reducer *r, const struct trace_meta *meta,
                      struct trust_counts *t)
{
	t->negative_durations = r->negative_durations;
	t->untimed = r->untimed;
	t->tick_ns = r->gpu.activities.nr && r->gpu.tick_ns > 1 ? r->gpu.tick_ns : 0;
	t->malformed = (int64_t)meta->malformed;
	t->json_faults = (int64_t)meta->json_faults;
	t->fault_byte = (int64_t)meta->fault_byte;
	t->truncated = meta->truncated;
	t->partial = meta->partial;
}

/* Work of the host side, which needs only the steps. Whichever thread is free first lists the
   runtime calls and, if there are no frames, walks the host events. */
struct host_side {
	struct reducer *r;
	struct digest *d;
	atomic_flag walked, called; ///< set by the thread that begins to walk events, to list calls
	const char *name; ///< name of the file for messages, from mem_read_name()
};

static void host_walk_once(struct host_side *side)
{
	if (!atomic_flag_test_and_set(&side->walked)) {
		calls_walk(side->r, side->d);
		threads_walk(side->r);
		where_link(side->r);
	}
}

static void function_calls_once(struct host_side *side)
{
	if (!atomic_flag_test_and_set(&side->called))
		function_calls(side->r);
}

static void *host_side_run(void *ctx)
{
	struct host_side *side = ctx;
	mem_reads(side->name);
	python_order(&side->r->python);
	host_walk_once(side); /* reads the names of frames before python_make_paths() replaces them */
	python_make_paths(&side->r->python, side->r->names);
	function_calls_once(side);
	return NULL;
}

/* The GPU side, in parallel with host_side_run(). Only the GPU side uses the digest's arena. */
static enum status gpu_side(struct reducer *r, struct digest *d, struct diag_log *log)
{
	TRY(kernel_figures(r, d, log));
	TRY(comm_figures(r, d, log));
	function_rates(r);
	TRY(gpu_figures(r, d, log));
	progress_figures(r, d);
	launches_end(r);
	function_classes(r, d);
	return ST_OK;
}

static enum status both_sides(struct reducer *r, struct digest *d, struct diag_log *log)
{
	struct host_side side = { r, d, ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT, mem_read_name() };
	pthread_t thread;
	bool beside =
	    r->options.threads > 1 && pthread_create(&thread, NULL, host_side_run, &side) == 0;
	enum status st = gpu_side(r, d, log);
	if (beside && !r->python.threads.nr)
		host_walk_once(&side);
	function_calls_once(&side);
	if (beside)
		pthread_join(thread, NULL);
	if (st == ST_OK)
		function_runtime(r, d);
	if (!beside)
		host_side_run(&side); /* runs last, because most memory has been released by then */
	return st;
}

enum status reducer_finish(struct reducer *r, const struct trace_meta *meta, struct digest *out,
                           struct diag_log *log)
{
	TRY(check_times(r, log));
	out->where = meta->where;
	if (meta->where)
		r->options.warmup = 0; /* the recording is one step, which must be measured */
	out->world_size = meta->world_size;
	out->marker = arena_dup(&out->arena, span_of(r->options.marker));
	out->communication = arena_dup(&out->arena, span_of(r->options.communication));
	out->unmarked = r->options.by_period ? UNMARKED_PERIOD : NULL;
	out->warmup = r->options.warmup;
	out->events = (int64_t)meta->events;
	set_trust(r, meta, &out->trust);
	if (r->first_ns <= r->last_ns) {
		out->start_ns = r->first_ns;
		out->window_ns = r->last_ns - r->first_ns;
	}
	launches_match(r, &out->trust);
	own_steps_use(r);
	if (r->steps.marks.nr == 0) {
		markers_propose(r, out);
		unmarked_steps(r, out);
	}
	steps_make(r, out);
	steps_attribute(r, out);
	lost_figures(r, &out->trust);
	phases_make(r);
	phases_samples(r, out);
	where_begin(r, out);
	TRY(both_sides(r, out, log));
	where_figures(r, out);
	function_figures(r, out);
	call_figures(r, out);
	thread_figures(r, out);
	flops_figures(r, out);
	phase_figures(r, out);
	counter_figures(r, meta, out);
	memory_figures(r, meta, out);
	environment(r, meta, out);
	out->source_hash = digest_hash(out);
	return ST_OK;
}
