/* step.time by what ran meanwhile; other figures by those that they are made of. */
#include "base/text.h"
#include "diff/attribution_internal.h"

/* ---- figures of steps ---- */

/* Sum over all that a rank has: its usable steps, its devices, itself. */
typedef __int128 total_fn(const struct rank_part *r);

__int128 attribution_step_total(const struct digest *d, enum metric_id id)
{
	__int128 sum = 0;
	for (size_t i = 0; i < d->summaries.nr; i++)
		if (d->summaries.v[i].metric == id)
			return d->summaries.v[i].value[STAT_TOTAL];
	for (int64_t i = 0; i < d->usable_steps; i++)
		sum += d->samples[id][i];
	return sum;
}

static __int128 total(const struct rank_part *r, enum metric_id id)
{
	return attribution_step_total(r->rank->digest, id);
}

static __int128 part_total(const struct rank_part *r, enum step_part part)
{
	const struct digest *d = r->rank->digest;
	__int128 sum = 0;
	for (int64_t i = 0; i < d->usable_steps; i++)
		sum += d->parts[part][i];
	return sum;
}

static __int128 compute(const struct rank_part *r)
{
	return part_total(r, STEP_PART_COMPUTE);
}

static __int128 communication(const struct rank_part *r)
{
	return part_total(r, STEP_PART_COMM);
}

static __int128 memory(const struct rank_part *r)
{
	return part_total(r, STEP_PART_MEMORY);
}

static __int128 idle(const struct rank_part *r)
{
	return part_total(r, STEP_PART_IDLE);
}

static __int128 exposed(const struct rank_part *r)
{
	return total(r, METRIC_STEP_EXPOSED_COMM_TIME);
}

static __int128 busy_unexposed(const struct rank_part *r)
{
	return total(r, METRIC_STEP_BUSY_TIME) - exposed(r);
}

static __int128 gaps(const struct rank_part *r)
{
	return total(r, METRIC_STEP_SPAN) - total(r, METRIC_STEP_BUSY_TIME);
}

static __int128 communication_kernels(const struct rank_part *r)
{
	return total(r, METRIC_STEP_COMM_TIME);
}

static __int128 not_exposed(const struct rank_part *r)
{
	return exposed(r) - communication_kernels(r);
}

static __int128 period(const struct rank_part *r)
{
	return total(r, METRIC_STEP_IDLE_TIME) + total(r, METRIC_STEP_BUSY_TIME);
}

static __int128 not_idle(const struct rank_part *r)
{
	return -total(r, METRIC_STEP_BUSY_TIME);
}

/* ---- of devices ---- */

enum device_part { DEVICE_SPAN, DEVICE_BUSY, DEVICE_COMPUTE, DEVICE_COMM, DEVICE_MEMORY };

static bool is_device_of(const struct rank_part *r, const struct device_stat *d)
{
	return r->label.n == 0 || span_eq(span_of(d->id), r->label);
}

static __int128 device_total(const struct rank_part *r, enum device_part part)
{
	const struct digest *d = r->rank->digest;
	__int128 sum = 0;
	for (size_t i = 0; i < d->devices.nr; i++) {
		const struct device_stat *s = &d->devices.v[i];
		__int128 alone = (__int128)s->comm_ns - s->overlap_ns;
		const __int128 of[] = { s->span_ns, s->busy_ns, s->compute_ns, alone,
			                    (__int128)s->busy_ns - s->compute_ns - alone };
		sum += is_device_of(r, s) ? of[part] : 0;
	}
	return sum;
}

static __int128 device_span(const struct rank_part *r)
{
	return device_total(r, DEVICE_SPAN);
}

static __int128 device_busy(const struct rank_part *r)
{
	return device_total(r, DEVICE_BUSY);
}

static __int128 device_not_idle(const struct rank_part *r)
{
	return -device_total(r, DEVICE_BUSY);
}

static __int128 device_compute(const struct rank_part *r)
{
	return device_total(r, DEVICE_COMPUTE);
}

static __int128 device_comm(const struct rank_part *r)
{
	return device_total(r, DEVICE_COMM);
}

static __int128 device_memory(const struct rank_part *r)
{
	return device_total(r, DEVICE_MEMORY);
}

static __int128 device_not_compute(const struct rank_part *r)
{
	return device_compute(r) - device_busy(r);
}

/* ---- of one kernel, of one thread ---- */

static __int128 kernel_mean(const struct rank_part *r)
{
	const struct kernel_stat *k = &attribution_kernel(r)->stat;
	return number_div_round(k->step_total_ns, k->step_count);
}

static __int128 kernel_longest(const struct rank_part *r)
{
	const struct kernel_stat *k = &attribution_kernel(r)->stat;
	return number_div_round(k->step_max_ns, k->step_count);
}

static __int128 kernel_others(const struct rank_part *r)
{
	return kernel_mean(r) - kernel_longest(r);
}

static __int128 kernel_beyond_mean(const struct rank_part *r)
{
	return attribution_kernel(r)->stat.step_max_ns - kernel_mean(r);
}

static const struct thread_stat *thread(const struct rank_part *r)
{
	const struct digest *d = r->rank->digest;
	for (size_t i = 0; i < d->threads.nr; i++)
		if (d->threads.v[i].names == 0 && span_eq(span_of(d->threads.v[i].id), r->label))
			return &d->threads.v[i];
	return NULL;
}

static __int128 thread_ops(const struct rank_part *r)
{
	const struct thread_stat *t = thread(r);
	return t ? t->op_ns : 0;
}

static __int128 thread_calls(const struct rank_part *r)
{
	const struct thread_stat *t = thread(r);
	return t ? t->busy_ns - t->op_ns : 0;
}

/* ---- the table ---- */

/* How many the totals are over; -1 where a rank does not know the rows. */
static int64_t nr_of(const struct metric *m, const struct rank_part *r)
{
	const struct digest *d = r->rank->digest;
	int64_t nr = 0;
	switch (m->label) {
	case LABEL_DEVICE:
		for (size_t i = 0; i < d->devices.nr; i++)
			nr += is_device_of(r, &d->devices.v[i]);
		return nr;
	case LABEL_KERNEL: {
		const struct kernel_row *k = attribution_kernel(r);
		return k && k->stat.step_count > 0;
	}
	case LABEL_THREAD: {
		const struct thread_stat *t = thread(r);
		return !t ? 0 : t->op_ns < 0 ? -1 : 1;
	}
	default:
		return d->usable_steps;
	}
}

/* The rows of one metric; they add up to it in every step, device, kernel or thread. */
static const struct made_of {
	enum metric_id metric;
	bool one_rank; ///< several are rather told apart
	const char *by; ///< for the title
	struct {
		const char *label;
		total_fn *total;
	} rows[NR_STEP_PARTS];
} made_of[] = {
	{ METRIC_STEP_TIME,
	  false,
	  "what runs meanwhile",
	  { { "compute", compute },
	    { "exposed communication", communication },
	    { "exposed memory operations", memory },
	    { "idle GPU", idle } } },
	{ METRIC_STEP_BUSY_TIME,
	  false,
	  "what runs",
	  { { "compute and memory operations", busy_unexposed },
	    { "exposed communication", exposed } } },
	{ METRIC_STEP_SPAN,
	  false,
	  "what runs in it",
	  { { "compute and memory operations", busy_unexposed },
	    { "exposed communication", exposed },
	    { "gaps", gaps } } },
	{ METRIC_STEP_EXPOSED_COMM_TIME,
	  true,
	  "communication and what hides it",
	  { { "communication kernels", communication_kernels },
	    { "hidden by compute kernels or by each other", not_exposed } } },
	{ METRIC_STEP_IDLE_TIME,
	  true,
	  "what surrounds it",
	  { { "from step to step", period }, { "GPU busy", not_idle } } },
	{ METRIC_WINDOW_BUSY_TIME,
	  false,
	  "what runs",
	  { { "compute", device_compute },
	    { "exposed communication", device_comm },
	    { "exposed memory operations", device_memory } } },
	{ METRIC_WINDOW_IDLE_TIME,
	  false,
	  "what surrounds it",
	  { { "from the first start to the last end", device_span },
	    { "GPU busy", device_not_idle } } },
	{ METRIC_WINDOW_COMPUTE_TIME,
	  false,
	  "what surrounds it",
	  { { "GPU busy", device_busy },
	    { "communication or memory operations alone", device_not_compute } } },
	{ METRIC_WINDOW_NON_COMPUTE_TIME,
	  false,
	  "what runs",
	  { { "exposed communication", device_comm },
	    { "exposed memory operations", device_memory } } },
	{ METRIC_KERNEL_MEAN,
	  true,
	  "launch",
	  { { "the longest launch", kernel_longest }, { "all other launches", kernel_others } } },
	{ METRIC_KERNEL_MAX,
	  true,
	  "mean and what is beyond it",
	  { { "mean of the launches", kernel_mean },
	    { "the longest beyond the mean", kernel_beyond_mean } } },
	{ METRIC_THREAD_TIME,
	  true,
	  "what runs",
	  { { "operators", thread_ops }, { "runtime calls outside of operators", thread_calls } } },
};

/* ---- parts ---- */

struct sums {
	const struct attribution_query *query;
	const struct made_of *made;
	__int128 sum[NR_STEP_PARTS][NR_SIDES];
	int64_t of[NR_SIDES];
	bool unknown, several; ///< rows are not known; a rank has several devices
};

static void take(void *ctx, const struct rank_part *r)
{
	struct sums *s = ctx;
	int64_t nr = nr_of(s->query->metric, r);
	s->unknown = s->unknown || nr < 0;
	s->several = s->several || r->rank->digest->devices.nr > 1;
	if (nr <= 0)
		return;
	s->of[r->side] = number_add(s->of[r->side], nr);
	for (size_t i = 0; i < NR_STEP_PARTS && s->made->rows[i].label; i++)
		s->sum[i][r->side] += s->made->rows[i].total(r);
}

int64_t attribution_mean_change(const __int128 sum[NR_SIDES], const int64_t steps[NR_SIDES])
{
	if (steps[0] <= 0 || steps[1] <= 0)
		return 0;
	return number_div_round(sum[1] * steps[0] - sum[0] * steps[1], (__int128)steps[0] * steps[1]);
}

void attribution_rows(const struct parts *p, const struct attribution_query *q,
                      const struct attribution_row *rows, size_t nr, const int64_t of[NR_SIDES])
{
	int64_t change[ATTRIBUTION_ROWS], before = 0;
	__int128 sum[NR_SIDES] = { 0 };
	for (size_t i = 0; i < nr; i++) {
		for (int side = 0; side < NR_SIDES; side++)
			sum[side] += rows[i].sum[side];
		int64_t now = attribution_mean_change(sum, of);
		change[i] = number_sub(now, before);
		before = now;
	}
	int64_t rest = number_sub(number_sub(q->change, q->later), before);
	if (nr && (rest == 1 || rest == -1)) {
		change[nr - 1] = number_add(change[nr - 1], rest);
		rest = 0;
	}
	for (size_t i = 0; i < nr; i++)
		if (change[i])
			parts_add(p, 0, rows[i].label, change[i], rows[i].detail);
	attribution_complete(p, q, rest);
}

static void add_rows(const struct parts *p, const struct sums *s)
{
	struct attribution_row rows[NR_STEP_PARTS];
	size_t nr = 0;
	for (; nr < NR_STEP_PARTS && s->made->rows[nr].label; nr++) {
		bool devices = s->several && s->made->rows[nr].total == gaps;
		rows[nr] = (struct attribution_row){ s->made->rows[nr].label,
			                                 devices ? "less what several devices run at once" : "",
			                                 { s->sum[nr][0], s->sum[nr][1] } };
	}
	attribution_rows(p, s->query, rows, nr, s->of);
}

static const struct made_of *made_of_what(const struct bench *b, const struct attribution_query *q,
                                          bool any_ranks)
{
	for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++)
		if (made_of[i].metric == q->metric->id &&
		    (any_ranks || !made_of[i].one_rank || attribution_nr_ranks(b, q) == 1))
			return &made_of[i];
	return NULL;
}

struct breakdown *attribution_of_made(const struct bench *b, const struct activity_pairs *p,
                                      const struct attribution_query *q, bool any_ranks,
                                      struct arena *a)
{
	struct sums s = { .query = q, .made = made_of_what(b, q, any_ranks) };
	if (!s.made)
		return NULL;
	attribution_each_rank(b, p, q, take, &s);
	if (s.unknown)
		return NULL;
	const char *of = q->label.n ? arena_printf(a, " of '%s'", text_short(a, q->label, 60)) : "";
	struct parts parts =
	    parts_new(a, arena_printf(a, "%s%s by %s", q->metric->name, of, s.made->by),
	              q->metric->unit, q->change);
	add_rows(&parts, &s);
	return parts.out;
}
