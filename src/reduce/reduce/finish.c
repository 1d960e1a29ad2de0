#include "base/number.h"
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
	t->tick_ns = r->gpu.activities.nr && r->gpu.tick_ns > 1 ? r->gpu.tick_ns : 0;
	t->malformed = (int64_t)meta->malformed;
	t->json_faults = (int64_t)meta->json_faults;
	t->fault_byte = (int64_t)meta->fault_byte;
	t->truncated = meta->truncated;
	t->partial = meta->partial;
}

static enum status gpu_side(struct reducer *r, bool open_end, struct digest *d,
                            struct diag_log *log)
{
	TRY(kernel_figures(r, d, log));
	TRY(comm_figures(r, d, log));
	function_rates(r);
	TRY(gpu_figures(r, d, log));
	account_figures(r, &d->trust);
	progress_figures(r, open_end, d);
	launches_end(r);
	function_classes(r, d);
	gpu_keep_launched(&r->gpu);
	return ST_OK;
}

/* Called after gpu_side(), which releases most of the memory of GPU activities. */
static void host_side(struct reducer *r, struct digest *d)
{
	function_runtime(r, d);
	python_order(&r->python);
	calls_walk(r, d);
	threads_walk(r);
	flops_size(r);
	where_link(r); /* reads the names of frames before function_paths() replaces them */
	function_paths(r);
	graphs_settle(r);
}

enum status reducer_finish(struct reducer *r, const struct trace_meta *meta, struct digest *out,
                           struct diag_log *log)
{
	where_end_intake(r);
	account_untime(r);
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
	launches_match(r, meta->open_end, &out->trust);
	if (r->first_ns <= r->last_ns) {
		out->start_ns = r->first_ns;
		out->window_ns = r->last_ns - r->first_ns;
	}
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
	TRY(gpu_side(r, meta->open_end, out, log));
	host_side(r, out);
	where_figures(r, out);
	graphs_figures(r, &out->trust);
	function_figures(r, out);
	call_figures(r, out);
	thread_figures(r, out);
	phase_figures(r, out);
	counter_figures(r, meta, out);
	memory_figures(r, meta, out);
	environment(r, meta, out);
	flops_figures(r, meta, out); /* needs the name of the GPU, which environment() sets */
	if (meta->base_ns)
		out->start_ns = number_add(out->start_ns, meta->base_ns);
	out->source_hash = digest_hash(out);
	return ST_OK;
}
