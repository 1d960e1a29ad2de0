#include "reduce/reducer.h"
#include "base/number.h"

struct reducer *reducer_new(const struct reduce_options *options, struct name_table *names)
{
	struct reducer *r = mem_calloc(1, sizeof *r);
	r->options = *options;
	if (!r->options.max_events)
		r->options.max_events = UINT32_MAX - 1;
	r->names = names;
	r->first_ns = INT64_MAX;
	r->last_ns = INT64_MIN;
	gpu_init(&r->gpu);
	thread_ids_init(&r->threads);
	host_init(&r->host);
	comm_init(&r->comm);
	steps_init(&r->steps);
	memories_init(&r->memories);
	python_init(&r->python);
	where_init(&r->where);
	return r;
}

void reducer_free(struct reducer *r)
{
	if (!r)
		return;
	gpu_release(&r->gpu);
	thread_ids_release(&r->threads);
	vec_release(&r->thread_times);
	host_release(&r->host);
	launches_release(&r->launches);
	flops_release(&r->flops);
	comm_release(&r->comm);
	steps_release(&r->steps);
	phases_release(&r->phases);
	memories_release(&r->memories);
	python_release(&r->python);
	functions_release(&r->functions);
	where_release(&r->where);
	graphs_release(&r->graphs);
	free(r);
}

/* Takes an event that is not a Python frame. It is not inlined, since event_take() would then save
 * more registers for each event, also for the many Python frames. */
static __attribute__((noinline)) void take(struct reducer *r, const struct event *ev)
{
	int64_t end;
	if (ev->kind == EVENT_FLOW) {
		code_links_take_flow(&r->where.links, &r->threads, ev);
		return;
	}
	if (ev->kind == EVENT_GPU_ANNOTATION) {
		gpu_annotation_take(r, ev);
		return;
	}
	r->negative_durations += ev->negative;
	if (ev->kind == EVENT_MEMORY) {
		memory_take(r, ev);
		return;
	}
	if (__builtin_add_overflow(ev->start_ns, ev->dur_ns, &end)) {
		r->fault = "an event ends beyond the range of times: check 'ts' and 'dur' of the trace";
		return;
	}
	if (event_is_gpu(ev->kind)) {
		gpu_take(r, ev);
		return;
	}
	number_lower(&r->first_ns, ev->start_ns);
	number_raise(&r->last_ns, end);
	if (ev->kind == EVENT_STEP)
		own_steps_take(r, ev);
	else
		host_take(r, ev);
}

static enum status event_take(void *ctx, const struct event *ev)
{
	struct reducer *r = ctx;
	if (r->fault)
		return ST_OK; /* reducer_finish() reports the fault, since it has the log */
	if (r->nr_events == r->options.max_events) {
		r->fault = "more events than can be held (about 4 billion): split the trace";
		return ST_OK;
	}
	r->nr_events++;
	if (ev->kind != EVENT_PYTHON) {
		take(r, ev);
		return ST_OK;
	}
	if (!phases_skip_python(&r->phases, ev->name))
		phases_take_python(r, ev);
	python_take(&r->python, &r->threads, ev, &r->fault);
	return ST_OK;
}

struct event_sink reducer_sink(struct reducer *r)
{
	return (struct event_sink){ r, event_take, &r->graphs.begun };
}
