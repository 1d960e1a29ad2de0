#include "reduce/reducer.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/text.h"

struct reducer *reducer_new(const struct reduce_options *options, struct name_table *names)
{
	struct reducer *r = mem_calloc(1, sizeof *r);
	r->options = *options;
	if (!r->options.max_events)
		r->options.max_events = UINT32_MAX - 1;
	r->names = names;
	r->first_ns = INT64_MAX;
	r->last_ns = INT64_MIN;
	r->last_lane = r->python_found.thread = NO_ID;
	for (size_t i = 0; i < sizeof r->thread_found / sizeof *r->thread_found; i++)
		r->thread_found[i].thread = NO_ID;
	name_table_init(&r->shapes);
	name_table_init(&r->inputs);
	name_table_init(&r->comm.texts);
	name_table_init(&r->comm.keys);
	struct idmap *maps[] = { &r->gpu_ids,   &r->gpu_rows, &r->devices,    &r->streams,
		                     &r->lanes,     &r->host_ids, &r->host_rows,  &r->pids,
		                     &r->tids,      &r->threads,  &r->memory_ids, &r->python_ids,
		                     &r->own.groups };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		idmap_init(maps[i]);
	return r;
}

void reducer_free(struct reducer *r)
{
	if (!r)
		return;
	struct idmap *maps[] = { &r->gpu_ids,   &r->gpu_rows, &r->devices,    &r->streams,
		                     &r->lanes,     &r->host_ids, &r->host_rows,  &r->pids,
		                     &r->tids,      &r->threads,  &r->memory_ids, &r->python_ids,
		                     &r->own.groups };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		idmap_release(maps[i]);
	name_table_release(&r->shapes);
	name_table_release(&r->inputs);
	name_table_release(&r->comm.texts);
	name_table_release(&r->comm.keys);
	vec_release(&r->comm.kernels);
	vec_release(&r->comm.scopes);
	vec_release(&r->activities);
	vec_release(&r->transfers);
	vec_release(&r->rates);
	vec_release(&r->gpu_names);
	vec_release(&r->shape_counts);
	vec_release(&r->launches);
	vec_release(&r->wide);
	vec_release(&r->spans);
	vec_release(&r->span_bases);
	vec_release(&r->wide_spans);
	vec_release(&r->op_inputs);
	vec_release(&r->op_flops);
	vec_release(&r->counted);
	vec_release(&r->host_names);
	vec_release(&r->thread_times);
	for (size_t i = 0; i < r->python_threads.nr; i++) {
		vec_release(&r->python_threads.v[i].frames);
		vec_release(&r->python_threads.v[i].runs);
	}
	vec_release(&r->python_threads);
	python_free(r->python);
	vec_release(&r->calls);
	vec_release(&r->higher.list);
	vec_release(&r->phases.list);
	vec_release(&r->marks);
	vec_release(&r->own.marks);
	vec_release(&r->own.parts);
	vec_release(&r->own.numbered);
	vec_release(&r->owned);
	for (size_t i = 0; i < r->memories.nr; i++)
		vec_release(&r->memories.v[i].levels);
	vec_release(&r->memories);
	free(r);
}

uint32_t wide_add(struct reducer *r, int64_t v)
{
	if (r->wide.nr == 0 || r->wide.v[r->wide.nr - 1] != v) /* as none follows none */
		vec_push(&r->wide, v);
	if (r->wide.nr == WIDE)
		r->fault = "more than 1 billion long durations or correlation ids: split the trace";
	return WIDE | (uint32_t)(r->wide.nr - 1);
}

const char *ident_text(struct arena *a, const struct name_table *names, int64_t ident)
{
	if (ident >= 0)
		return arena_printf(a, "%" PRId64, ident);
	if (ident == IDENT_NONE)
		return "null";
	struct strbuf b = STRBUF_INIT;
	text_add_valid(&b, name_span(names->by_id[-2 - ident]));
	return arena_take(a, &b);
}

static void gpu_take(struct reducer *r, const struct event *ev)
{
	if (__builtin_add_overflow(r->gpu_ns, ev->dur_ns, &r->gpu_ns)) {
		r->fault = "the durations of GPU activities add up to more than 292 years: check 'dur' of "
		           "the trace";
		return;
	}
	if (r->last_lane == NO_ID || ev->device != r->last_device || ev->stream != r->last_stream) {
		uint32_t device = idmap_add(&r->devices, ev->device);
		uint32_t stream = idmap_add(&r->streams, ev->stream);
		r->last_device = ev->device;
		r->last_stream = ev->stream;
		r->last_lane = idmap_add(&r->lanes, idmap_pair(device, stream));
	}
	if (ev->bytes)
		vec_push(&r->transfers, (struct transfer){ (uint32_t)r->activities.nr, ev->bytes });
	struct activity a = { .start_ns = ev->start_ns,
		                  .dur = narrow(r, ev->dur_ns),
		                  .correlation = narrow(r, ev->correlation),
		                  .row = gpu_row_add(r, ev, r->last_lane),
		                  .step = NO_ID };
	vec_push(&r->activities, a);
	if (ev->kind == EVENT_KERNEL && activity_name(r, &a)->communication)
		comm_take_kernel(r, ev);
}

static enum status take(void *ctx, const struct event *ev)
{
	struct reducer *r = ctx;
	int64_t end;
	if (r->fault)
		return ST_OK; /* reducer_finish() has the log to tell it */
	if (r->nr_events == r->options.max_events) {
		r->fault = "more events than can be held (about 4 billion): split the trace";
		return ST_OK;
	}
	r->nr_events++;
	if (ev->kind == EVENT_PYTHON) {
		python_take(r, ev);
		return ST_OK;
	}
	r->negative_durations += ev->negative;
	if (ev->kind == EVENT_MEMORY) {
		memory_take(r, ev);
		return ST_OK;
	}
	if (__builtin_add_overflow(ev->start_ns, ev->dur_ns, &end)) {
		r->fault = "an event ends beyond the range of times: check 'ts' and 'dur' of the trace";
		return ST_OK;
	}
	if (ev->start_ns < r->first_ns)
		r->first_ns = ev->start_ns;
	if (end > r->last_ns)
		r->last_ns = end;
	if (event_is_gpu(ev->kind))
		gpu_take(r, ev);
	else if (ev->kind == EVENT_STEP)
		own_steps_take(r, ev);
	else
		host_take(r, ev);
	return ST_OK;
}

struct event_sink reducer_sink(struct reducer *r)
{
	return (struct event_sink){ r, take, &reducer_parts };
}

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

static void trust_of_meta(const struct reducer *r, const struct trace_meta *meta,
                          struct trust_counts *t)
{
	t->negative_durations = r->negative_durations;
	t->malformed = (int64_t)meta->malformed;
	t->json_faults = (int64_t)meta->json_faults;
	t->fault_byte = (int64_t)meta->fault_byte;
	t->truncated = meta->truncated;
	t->partial = meta->partial;
}

/* Of the finish what needs no more than the steps: whichever of two threads is free first does the
   walk and the calls. */
struct host_side {
	struct reducer *r;
	struct digest *d;
	atomic_flag walked, called; ///< or one is about to
};

static void walk_once(struct host_side *side)
{
	if (!atomic_flag_test_and_set(&side->walked))
		host_walk(side->r, side->d);
}

static void calls_once(struct host_side *side)
{
	if (!atomic_flag_test_and_set(&side->called))
		function_calls(side->r);
}

static void *host_side(void *ctx)
{
	struct host_side *side = ctx;
	python_paths(side->r);
	walk_once(side);
	calls_once(side);
	return NULL;
}

/* The other side: all that is put into the digest's arena is of this one. */
static enum status gpu_side(struct reducer *r, struct digest *d, struct diag_log *log)
{
	TRY(kernel_figures(r, d, log));
	TRY(comm_figures(r, d, log));
	function_rates(r);
	TRY(gpu_figures(r, d, log));
	progress_figures(r, d);
	steps_launches_end(r);
	function_classes(r, d);
	parts_figures(r, d);
	return ST_OK;
}

static enum status both_sides(struct reducer *r, struct digest *d, struct diag_log *log)
{
	struct host_side side = { r, d, ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT };
	pthread_t thread;
	bool beside = r->options.threads > 1 && pthread_create(&thread, NULL, host_side, &side) == 0;
	enum status st = gpu_side(r, d, log);
	if (beside)
		walk_once(&side); /* if there are so many Python functions */
	calls_once(&side);
	if (beside)
		pthread_join(thread, NULL);
	if (st == ST_OK)
		function_runtime(r, d);
	if (!beside)
		host_side(&side); /* at last, when there is most room */
	return st;
}

enum status reducer_finish(struct reducer *r, const struct trace_meta *meta, struct digest *out,
                           struct diag_log *log)
{
	TRY(check_times(r, log));
	out->world_size = meta->world_size;
	out->marker = arena_dup(&out->arena, span_of(r->options.marker));
	out->communication = arena_dup(&out->arena, span_of(r->options.communication));
	out->unmarked = r->options.by_period ? UNMARKED_PERIOD : NULL;
	out->warmup = r->options.warmup;
	out->events = (int64_t)meta->events;
	trust_of_meta(r, meta, &out->trust);
	if (r->first_ns <= r->last_ns) {
		out->start_ns = r->first_ns;
		out->window_ns = r->last_ns - r->first_ns;
	}
	steps_launches(r, &out->trust);
	own_steps_serve(r);
	if (r->marks.nr == 0)
		unmarked_steps(r, out);
	steps_make(r, out);
	steps_attribute(r, out);
	phases_make(r);
	phases_samples(r, out);
	TRY(both_sides(r, out, log));
	function_figures(r, out);
	host_figures(r, out);
	flops_figures(r, out);
	phase_figures(r, out);
	counter_figures(r, meta, out);
	memory_figures(r, meta, out);
	environment(r, meta, out);
	out->source_hash = digest_hash(out);
	return ST_OK;
}
