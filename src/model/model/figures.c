/* Computes every figure of a single rank from its digest. */
#include "base/number.h"
#include "model/figures_internal.h"
#include "model/flops.h"
#include "model/fold.h"
#include "model/rows.h"
#include "model/step_figures.h"

void figure_emit(struct emitter *e, struct span label, int64_t value)
{
	e->figure.label = label;
	e->figure.samples = &value;
	e->figure.nr = 1;
	e->fn(e->ctx, &e->figure);
}

ORDERING(part_cmp, struct figure_part, BY_SPAN(label))

static void join_parts(void *first, void *more)
{
	((struct figure_part *)first)->num += ((const struct figure_part *)more)->num;
	((struct figure_part *)first)->den += ((const struct figure_part *)more)->den;
}

void figure_emit_parts(struct emitter *e, struct figure_parts *parts)
{
	const struct digest *d = e->rank->digest;
	enum unit unit = e->figure.metric->unit;
	vec_unite(&parts->list, part_cmp, join_parts);
	for (size_t i = 0; i < parts->list.nr; i++) {
		const struct figure_part *p = &parts->list.v[i];
		e->figure.function = p->function;
		if (unit == UNIT_PCT)
			figure_emit(e, p->label, number_pct(p->num, d->window_ns));
		else if (unit != UNIT_BYTES_PER_S)
			figure_emit(e, p->label, number_div_round(p->num, d->usable_steps));
		else if (p->num > 0 && p->den > 0)
			figure_emit(e, p->label, number_div_round(p->num, p->den));
	}
	vec_release(&parts->list);
}

/* The difference a − b, but 0 if malformed input would make it negative. */
static int64_t excess(int64_t a, int64_t b)
{
	return a > b ? number_sub(a, b) : 0;
}

/* ---- metrics with one value per rank ---- */

/* A number of the run's context, multiplied by 10^digits; false if it is absent or not above 0. */
static bool context_number(const struct digest *d, const char *key, int digits, int64_t *out)
{
	const char *text = digest_env(d, key);
	return text && number_parse(span_of(text), digits, out) && *out > 0;
}

static bool throughput(const struct digest *d, enum metric_id id, int64_t *out)
{
	int64_t work = MICRO;
	if (d->window || d->usable_steps == 0)
		return false;
	int64_t step_ns;
	if (!digest_step_stat(d, METRIC_STEP_PERIOD, STAT_MEDIAN, &step_ns) || step_ns <= 0)
		return false;
	if (id == METRIC_MFU_PCT || metric_table[id].need == NEED_FLOPS)
		return flops_figure(d, id, step_ns, out);
	if (id == METRIC_THROUGHPUT_SAMPLES && !context_number(d, "samples_per_step", 6, &work))
		return false;
	if (id == METRIC_THROUGHPUT_TOKENS && !context_number(d, "tokens_per_step", 6, &work))
		return false;
	*out = number_div_round((__int128)work * NS_PER_S, step_ns);
	return true;
}

static bool overlap(const struct digest *d, int64_t *out)
{
	__int128 under_compute = 0, all = 0;
	for (size_t i = 0; i < d->devices.nr; i++) {
		under_compute += d->devices.v[i].overlap_ns;
		all += d->devices.v[i].comm_ns;
	}
	*out = number_pct(under_compute, all);
	return all > 0;
}

/* Mean occupancy of compute kernels over the measured steps. False unless kernels with a known
 * occupancy take at least half of the time of compute kernels. The profiler writes 0 for an unknown
 * occupancy. */
static bool occupancy(const struct rank_view *r, int64_t *out)
{
	__int128 sum = 0, weight = 0, all = 0;
	for (size_t i = 0; i < r->nr_kernels + r->nr_small; i++) {
		const struct kernel_stat *s = &r->kernels[i].stat;
		if (r->kernels[i].cls == CLASS_COMMUNICATION)
			continue;
		all += s->step_total_ns;
		sum += kernel_occupancy_sum(s);
		weight += kernel_occupancy_ns(s);
	}
	if (weight == 0 || weight * 2 < all)
		return false;
	*out = number_div_round(sum, weight);
	return true;
}

static bool value_of_rank(const struct rank_view *r, enum metric_id id, int64_t *out)
{
	enum need need = metric_table[id].need;
	if (need == NEED_RANKS || need == NEED_MATCHED)
		return figure_of_ranks(r, id, out);
	if (id == METRIC_GPU_OCCUPANCY_PCT)
		return occupancy(r, out);
	if (id == METRIC_SLOW_STEPS_PCT) {
		*out = r->digest->window ? -1 : digest_slow_share(r->digest);
		return *out >= 0;
	}
	if (id == METRIC_FLOPS_PER_STEP)
		return flops_per_step(r->digest, out);
	return id == METRIC_COMM_OVERLAP_PCT ? overlap(r->digest, out) : throughput(r->digest, id, out);
}

static void emit_steps(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	enum metric_id id = e->figure.metric->id;
	struct arena scratch = ARENA_INIT;
	struct step_samples s = { 0 };
	e->figure.summary = digest_summary(d, id);
	if (!d->summaries.nr)
		s = digest_samples(d, id, &scratch);
	figure_take_samples(&e->figure, &s);
	if (d->usable_steps && digest_has_steps(d, id) && (e->figure.summary || s.usable))
		e->fn(e->ctx, &e->figure);
	arena_release(&scratch);
}

static void emit_rank(struct emitter *e)
{
	int64_t value;
	if (e->figure.metric->per_step)
		emit_steps(e);
	else if (value_of_rank(e->rank, e->figure.metric->id, &value))
		figure_emit(e, SPAN(""), value);
}

/* ---- metrics of devices, memories and threads ---- */

static void emit_devices(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	for (size_t i = 0; i < d->devices.nr; i++) {
		const struct device_stat *s = &d->devices.v[i];
		/* values in the order of their metrics in metrics.def */
		const int64_t of_window[] = { s->busy_ns, excess(s->span_ns, s->busy_ns), s->compute_ns,
			                          excess(s->busy_ns, s->compute_ns) };
		enum metric_id id = e->figure.metric->id;
		if (id != METRIC_GPU_UTILIZATION_PCT)
			figure_emit(e, span_of(s->id), of_window[id - METRIC_WINDOW_BUSY_TIME]);
		else if (s->measured_ns > 0) /* 0: all steps are warm-up; -1: not recorded */
			figure_emit(e, span_of(s->id), number_pct(s->measured_busy_ns, s->measured_ns));
	}
}

/* How figures of a memory are computed: the member `at` minus the member `less`, as a share of the
   member `whole` if there is one. */
#define OF(member) offsetof(struct memory_stat, member)
static const struct memory_figure {
	size_t at, less, whole; /* offsets in struct memory_stat; 0, the offset of `id`, if unused */
} memory_figures[NR_METRICS] = {
	[METRIC_MEMORY_PEAK_ALLOCATED] = { OF(peak_allocated), 0, 0 },
	[METRIC_MEMORY_PEAK_RESERVED] = { OF(peak_reserved), 0, 0 },
	[METRIC_MEMORY_END_ALLOCATED] = { OF(end_allocated), 0, 0 },
	[METRIC_MEMORY_END_RESERVED] = { OF(end_reserved), 0, 0 },
	[METRIC_MEMORY_FRAGMENTATION_PCT] = { OF(end_reserved), OF(end_allocated), OF(end_reserved) },
	[METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT] = { OF(reserved_at_peak), OF(peak_allocated),
	                                              OF(reserved_at_peak) },
	[METRIC_MEMORY_INACTIVE_PCT] = { OF(inactive), 0, OF(end_reserved) },
	[METRIC_MEMORY_FREE_SPLIT_PCT] = { OF(inactive), OF(largest_inactive), OF(inactive) },
	[METRIC_MEMORY_ROUNDING_PCT] = { OF(end_allocated), OF(end_requested), OF(end_allocated) },
	[METRIC_MEMORY_ALLOC_COUNT] = { OF(alloc_count), 0, 0 },
	[METRIC_MEMORY_FREE_COUNT] = { OF(free_count), 0, 0 },
	[METRIC_MEMORY_CHURN_BYTES] = { OF(churn_bytes), 0, 0 },
	[METRIC_MEMORY_SEGMENT_COUNT] = { OF(segment_count), 0, 0 },
	[METRIC_MEMORY_SEGMENT_CHURN] = { OF(segment_churn), 0, 0 },
	[METRIC_MEMORY_OOM_COUNT] = { OF(oom_count), 0, 0 },
	[METRIC_MEMORY_GROWTH_PER_STEP] = { OF(growth_per_step), 0, 0 },
	[METRIC_MEMORY_HEADROOM] = { OF(capacity), OF(peak_reserved), 0 },
};

static int64_t member(const struct memory_stat *s, size_t at)
{
	return at ? *(const int64_t *)((const char *)s + at) : 0;
}

/* Value of a memory metric; MEMORY_UNKNOWN if the recording lacks one of its parts. */
static int64_t memory_value(enum metric_id id, const struct memory_stat *s)
{
	const struct memory_figure *f = &memory_figures[id];
	int64_t of = member(s, f->at), less = member(s, f->less), whole = member(s, f->whole);
	/* reports show the number of out-of-memory errors of a trace, but the metric lacks it: it is
	 * not compared, since digests by earlier versions lack the number */
	if (of == MEMORY_UNKNOWN || less == MEMORY_UNKNOWN ||
	    (id == METRIC_MEMORY_OOM_COUNT && s->source == MEMORY_OF_TRACE))
		return MEMORY_UNKNOWN;
	/* (of - less) / whole, computed by a function that also works for levels below 0 */
	return f->whole ? memory_fragmentation((__int128)whole - of + less, whole)
	                : number_sub(of, less);
}

static void emit_memories(struct emitter *e)
{
	size_t nr;
	const struct memory_stat *v = digest_memories(e->rank->digest, e->view->by_trace, &nr);
	for (size_t i = 0; i < nr; i++) {
		const struct memory_stat *s = &v[i];
		int64_t value = memory_value(e->figure.metric->id, s);
		e->figure.source = memory_source_names[s->source];
		if (value != MEMORY_UNKNOWN)
			figure_emit(e, span_of(s->id), value);
	}
}

static void emit_counters(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	for (size_t i = 0; i < d->counters.nr; i++)
		figure_emit(e, d->counters.v[i].name,
		            e->figure.metric->id == METRIC_GPU_COUNTER_MEDIAN_PCT ? d->counters.v[i].median
		                                                                  : d->counters.v[i].mad);
}

static void emit_machines(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	for (size_t i = 0; i < d->machines.nr; i++) {
		const struct machine_stat *s = &d->machines.v[i];
		const int64_t values[] = { s->sm_clock_hz,      s->memory_clock_hz, s->power_mw,
			                       s->temperature_c,    s->throttled_pct,   s->other_processes,
			                       machine_energy(d, s) };
		int64_t value = values[e->figure.metric->id - METRIC_MACHINE_SM_CLOCK];
		if (value >= 0)
			figure_emit(e, span_of(s->id), value);
	}
}

static void emit_threads(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	for (size_t i = 0; i < d->threads.nr; i++)
		if (d->threads.v[i].names == 0)
			figure_emit(e, span_of(d->threads.v[i].id), d->threads.v[i].busy_ns);
}

/* ---- metrics per step: kernels, categories, copies, operators ---- */

static int64_t per_step(const struct emitter *e, __int128 sum)
{
	return number_div_round(sum, e->rank->digest->usable_steps);
}

static void emit_kernels(struct emitter *e)
{
	__int128 all_ns = e->rank->small_ns;
	for (size_t i = 0; i < e->rank->nr_kernels; i++)
		all_ns += e->rank->kernels[i].stat.step_total_ns;
	for (size_t i = 0; i < e->rank->nr_kernels; i++) {
		const struct kernel_row *row = &e->rank->kernels[i];
		const struct kernel_stat *s = &row->stat;
		int64_t value;
		if (s->step_count == 0)
			continue;
		switch (e->figure.metric->id) {
		case METRIC_KERNEL_TIME:
			value = per_step(e, s->step_total_ns);
			break;
		case METRIC_KERNEL_COUNT:
			value = per_step(e, (__int128)s->step_count * MICRO);
			break;
		case METRIC_KERNEL_MEAN:
			value = number_div_round(s->step_total_ns, s->step_count);
			break;
		case METRIC_KERNEL_MAX:
			value = s->step_max_ns;
			break;
		case METRIC_KERNEL_SHARE_PCT:
			value = number_pct(s->step_total_ns, all_ns);
			break;
		case METRIC_KERNEL_REGISTERS:
		case METRIC_KERNEL_SHARED_MEMORY:
		case METRIC_KERNEL_LOCAL_MEMORY:
			value = s->resources[e->figure.metric->id - METRIC_KERNEL_REGISTERS];
			if (value < 0)
				continue;
			break;
		default:
			if (s->occupancy <= 0) /* in files of earlier versions, 0 means unknown */
				continue;
			value = s->occupancy;
		}
		e->figure.kernel = row;
		figure_emit(e, row->match, value);
	}
}

/* Several rows of the category table may have the same name, even "other": their times are added
 * up. */
static void emit_categories(struct emitter *e)
{
	struct figure_parts parts = { 0 };
	for (size_t i = 0; i < e->rank->nr_kernels + e->rank->nr_small; i++) {
		const struct kernel_row *row = &e->rank->kernels[i];
		const char *name = category_name(e->view->naming->categories, row->category);
		if (row->stat.step_count)
			vec_push(&parts.list, (struct figure_part){ .label = span_of(name),
			                                            .num = row->stat.step_total_ns });
	}
	figure_emit_parts(e, &parts);
}

/* Directions of copies as CUPTI, HIP and XLA write them, sorted by label.
   Source: "Memcpy HtoD (Pageable -> Device)", libkineto (CUDA and newer ROCm); "CopyHostToDevice",
   roctracer (ROCm up to 5); "MemcpyH2D", XLA. */
static const struct {
	const char *label, *cuda, *hip, *xla;
} directions[] = {
	{ "DtoD", "dtod", "devicetodevice", "memcpyd2d" },
	{ "DtoH", "dtoh", "devicetohost", "memcpyd2h" },
	{ "HtoD", "htod", "hosttodevice", "memcpyh2d" },
	{ "HtoH", "htoh", "hosttohost", "memcpyh2h" },
	{ "PtoP", "ptop", "peertopeer", "memcpyp2p" },
	{ "other", "", "", "" },
};
struct span memcpy_direction(struct span name)
{
	size_t i = 0;
	while (!span_contains_nocase(name, span_of(directions[i].cuda)) &&
	       !span_contains_nocase(name, span_of(directions[i].hip)) &&
	       !span_contains_nocase(name, span_of(directions[i].xla)))
		i++;
	return span_of(directions[i].label);
}

static void emit_directions(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	bool bandwidth = e->figure.metric->id == METRIC_MEMCPY_BANDWIDTH;
	struct figure_parts parts = { 0 };
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *s = &d->kernels.v[i];
		if (s->kind == EVENT_MEMCPY && s->step_count)
			vec_push(&parts.list, (struct figure_part){ .label = memcpy_direction(s->name),
			                                            .num = s->step_bytes *
			                                                   (bandwidth ? (__int128)NS_PER_S : 1),
			                                            .den = s->step_total_ns });
	}
	figure_emit_parts(e, &parts);
}

static void emit_ops(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	for (size_t i = 0; i < d->ops.nr; i++) {
		const struct op_stat *s = &d->ops.v[i];
		int64_t ns = e->figure.metric->id == METRIC_OP_TIME ? s->total_ns : s->self_ns;
		if (s->names == 0)
			figure_emit(e, s->name, per_step(e, ns));
	}
}

/* Passes on op.bytes, op.bandwidth_pct or op.roofline_pct of each operator. Rows of one operator,
 * one for each type of its inputs, are adjacent. */
static void emit_moved(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	for (size_t i = 0, end; i < d->flops.nr; i = end) {
		struct flop_stat sum = d->flops.v[i];
		bool rated = sum.roof_ns || !sum.flops;
		for (end = i + 1; end < d->flops.nr && span_eq(d->flops.v[end].op, sum.op); end++) {
			const struct flop_stat *s = &d->flops.v[end];
			/* op.roofline_pct covers all calls, so it is unknown if one row lacks roof_ns */
			rated = rated && (s->roof_ns || !s->flops);
			row_add(&flop_stat_row, ROWS_SMALL, &sum, s);
		}
		int64_t part =
		    e->figure.metric->id == METRIC_OP_ROOFLINE_PCT ? sum.roof_ns * rated : sum.moved_ns;
		if (e->figure.metric->id != METRIC_OP_BYTES && part && sum.sized_ns)
			figure_emit(e, sum.op, number_pct(part, sum.sized_ns));
		else if (e->figure.metric->id == METRIC_OP_BYTES && sum.sized_ns && !sum.unsized)
			figure_emit(e, sum.op, per_step(e, sum.bytes));
	}
}

/* Passes on the figures of result files. A metric for a single figure has no label, since its name
 * already says which figure it is. */
static void emit_inputs(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	const struct metric *m = e->figure.metric;
	for (size_t i = 0; i < d->inputs.nr; i++) {
		const struct input_stat *s = &d->inputs.v[i];
		struct span name = span_of(s->name);
		if (!input_is_of(m, s))
			continue;
		e->figure.metric = view_metric(e->view, &metric_table[METRIC_INPUT], name);
		figure_emit(e, m->label == LABEL_INPUT ? name : SPAN(""),
		            decimal_scaled(input_in(s, unit_figure(e->figure.metric->unit)),
		                           unit_digits(e->figure.metric->unit)));
	}
}

static struct emitter emitter_of(const struct run_view *v, size_t r, const struct metric *m,
                                 figure_fn *fn, void *ctx)
{
	const struct rank_view *rank = &v->ranks[r];
	return (struct emitter){
		.view = v,
		.rank = rank,
		.fn = fn,
		.ctx = ctx,
		.figure = { .metric = m, .rank = rank->digest->rank, .label = SPAN("") },
	};
}

void rank_code_figures(const struct run_view *v, size_t r, const struct metric *m,
                       const char *phase, const char *cls, figure_fn *fn, void *ctx)
{
	struct emitter e = emitter_of(v, r, m, fn, ctx);
	if (e.rank->digest->usable_steps)
		figures_of_code(&e, phase, cls);
}

void rank_figures(const struct run_view *v, size_t r, const struct metric *m, figure_fn *fn,
                  void *ctx)
{
	static void (*const of_label[LABEL_PAIR + 1])(struct emitter *) = {
		[LABEL_NONE] = emit_rank,
		[LABEL_DEVICE] = emit_devices,
		[LABEL_THREAD] = emit_threads,
		[LABEL_MEMORY] = emit_memories,
		[LABEL_KERNEL] = emit_kernels,
		[LABEL_CATEGORY] = emit_categories,
		[LABEL_DIRECTION] = emit_directions,
		[LABEL_OP] = emit_ops,
		[LABEL_COLLECTIVE] = figures_of_collectives,
		[LABEL_FUNCTION] = figures_of_functions,
		[LABEL_COUNTER] = emit_counters,
	};
	struct emitter e = emitter_of(v, r, m, fn, ctx);
	const struct digest *d = e.rank->digest;
	bool of_steps = m->label == LABEL_KERNEL || m->label == LABEL_CATEGORY ||
	                m->label == LABEL_DIRECTION || m->label == LABEL_OP;
	if (d->in_fold) {
		fold_rank_figures(d->in_fold, d->fold_index, m, fn, ctx);
		return;
	}
	if (of_steps && d->usable_steps == 0)
		return; /* all steps are warm-up: there are no figures per step */
	if (m->parts == PARTS_CODE)
		rank_code_figures(v, r, m, NULL, NULL, fn, ctx);
	else if (m->need == NEED_MACHINE)
		emit_machines(&e);
	else if (m->need == NEED_INPUT)
		emit_inputs(&e);
	else if (m->need == NEED_FLOPS && m->label == LABEL_OP)
		emit_moved(&e);
	else if (of_label[m->label])
		of_label[m->label](&e);
}
