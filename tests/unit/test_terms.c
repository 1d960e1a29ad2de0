/* Every metric has parts into which its change is broken down, and its terms add up to it. */
#include "diff/terms.h"

#include "diff/breakdown_internal.h"
#include "memory_fixture.h"
#include "model/memory_view.h"

static uint64_t seed = 1;

static int64_t any(int64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((seed >> 16) % (uint64_t)below);
}

/* A digest with one row of each kind from which terms are taken, with random figures of realistic
 * size. */
static struct digest *random_digest(void)
{
	static const struct activity kernel = { EVENT_KERNEL, "gemm", 0, 0 };
	struct digest *d = fixture_digest((size_t)(1 + any(5)), &kernel, 1);
	for (int64_t i = 0; i < d->usable_steps; i++) {
		for (size_t m = 0; m < NR_STEP_METRICS; m++)
			d->samples[m][i] = any(MS(100));
		d->samples[METRIC_STEP_PERIOD][i] = d->samples[METRIC_STEP_PERIOD_COMPUTE][i] +
		                                    d->samples[METRIC_STEP_PERIOD_EXPOSED_COMM][i] +
		                                    d->samples[METRIC_STEP_PERIOD_EXPOSED_MEMORY][i] +
		                                    d->samples[METRIC_STEP_IDLE_TIME][i];
	}
	struct kernel_stat *k = d->kernels.v;
	k->step_count = 1 + any(50);
	k->step_max_ns = any(MS(3));
	k->step_total_ns = k->step_max_ns + any(MS(30));
	struct device_stat gpu = { .id = "0", .busy_ns = any(MS(30)) };
	gpu.span_ns = gpu.busy_ns + any(MS(30));
	gpu.compute_ns = any(gpu.busy_ns + 1);
	gpu.comm_ns = any(MS(30));
	gpu.overlap_ns = any(gpu.comm_ns + 1);
	vec_push(&d->devices, gpu);
	struct thread_stat t = { .id = "1/1", .busy_ns = any(MS(30)), .op_ns = any(MS(30)) };
	vec_push(&d->threads, t);
	struct memory_stat m = sample_memory("0", MEMORY_OF_SNAPSHOT, any(MIB(90)));
	int64_t *const fields[] = { &m.peak_reserved,    &m.end_allocated,   &m.end_reserved,
		                        &m.reserved_at_peak, &m.start_allocated, &m.alloc_count,
		                        &m.free_count,       &m.churn_bytes,     &m.growth_per_step,
		                        &m.capacity,         &m.end_requested,   &m.inactive,
		                        &m.largest_inactive, &m.segment_count,   &m.segment_churn,
		                        &m.segment_allocs };
	for (size_t i = 0; i < NR_OF(fields); i++)
		*fields[i] = 1 + any(MIB(90));
	vec_push(&d->memories, m);
	return d;
}

/* Stores the figure of a metric that has a single item. */
static void take_figure(void *ctx, const struct figure *f)
{
	assert_int_equal(f->nr, 1);
	*(int64_t *)ctx = f->samples[0];
}

static int64_t figure_of(const struct run_view *v, const struct metric *m)
{
	int64_t value = MEMORY_UNKNOWN;
	if (m->per_step) {
		__int128 total;
		assert_true(step_metric_total(v->ranks[0].digest, m->id, &total));
		return number_div_round(total, 1);
	}
	rank_figures(v, 0, m, take_figure, &value);
	assert_int_not_equal(value, MEMORY_UNKNOWN);
	return value;
}

static struct term_place place_of(const struct digest *d, const struct metric *m)
{
	struct term_place p = { .digest = d, .unknown = MEMORY_UNKNOWN, .ones = d->total_steps };
	if (m->label == LABEL_DEVICE)
		p.row = d->devices.v;
	else if (m->label == LABEL_THREAD)
		p.row = d->threads.v;
	else if (m->label == LABEL_MEMORY)
		p.row = d->memories.v;
	else if (m->label == LABEL_KERNEL) {
		p.row = d->kernels.v;
		p.ones = d->kernels.v[0].step_count;
	}
	return p;
}

static void check_terms(const struct run_view *v, const struct term_sum *t)
{
	const struct metric *m = &metric_table[t->metric];
	const struct term_place place = place_of(v->ranks[0].digest, m);
	__int128 value[TERM_ROWS] = { 0 }, sum = 0;
	assert_true(terms_values(t, &place, value));
	for (size_t i = 0; i < TERM_ROWS && t->rows[i].label; i++)
		sum += value[i];
	if (m->parts == PARTS_SHARE)
		sum = number_pct(t->rows[1].flags & ROW_COMPLEMENT ? value[0] - value[1] : value[1],
		                 value[0]);
	if (sum != figure_of(v, m))
		fail_msg("%s: terms are %lld, not %lld", m->name, (long long)sum,
		         (long long)figure_of(v, m));
}

static void test_terms_add_up(void **state)
{
	(void)state;
	struct category_table categories;
	fixture_categories(&categories);
	for (int round = 0; round < 200; round++) {
		struct run run = fixture_run(random_digest());
		const struct naming naming = { .exact = true, .categories = &categories };
		struct run_view v;
		run_view_init(&v, &run, &naming);
		for (size_t i = 0; i < NR_METRICS; i++) {
			const struct term_sum *t;
			for (size_t nth = 0; (t = terms_of(metric_table[i].id, nth)); nth++)
				check_terms(&v, t);
		}
		run_view_release(&v);
		run_release(&run);
	}
	category_table_release(&categories);
}

/* The column "parts" of metrics.def agrees with the tables of parts. */
static void test_every_metric_has_parts(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_METRICS; i++) {
		const struct metric *m = &metric_table[i];
		bool memory = m->need == NEED_MEMORY; /* breakdown_calls.c leaves out metrics of memory */
		bool terms = m->parts == PARTS_TERMS || m->parts == PARTS_SHARE;
		if ((terms_of(m->id, 0) != NULL) != terms)
			fail_msg("%s: terms in diff/terms.c?", m->name);
		if (m->parts != PARTS_CODE &&
		    breakdown_has_calls(m->id) != (m->parts == PARTS_CALLS && !memory))
			fail_msg("%s: calls in diff/breakdown_calls.c?", m->name);
		if (m->parts == PARTS_ACTIVITIES && !(m->sums & ~(unsigned)(SUMS_WAITS | SUMS_CODE)))
			fail_msg("%s: .sums in metrics.def?", m->name);
	}
}

/* If a member from which a term is computed is unknown, terms_values() returns false. */
static void test_unknown(void **state)
{
	(void)state;
	struct digest *d = random_digest();
	struct term_place place = place_of(d, &metric_table[METRIC_MEMORY_HEADROOM]);
	__int128 value[TERM_ROWS];
	d->memories.v[0].capacity = MEMORY_UNKNOWN;
	assert_false(terms_values(terms_of(METRIC_MEMORY_HEADROOM, 0), &place, value));
	assert_true(terms_values(terms_of(METRIC_MEMORY_GROWTH_PER_STEP, 0), &place, value));
	place.ones = 0; /* without steps, as in a snapshot, growth per step is unknown */
	assert_false(terms_values(terms_of(METRIC_MEMORY_GROWTH_PER_STEP, 0), &place, value));
	digest_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terms_add_up),
		cmocka_unit_test(test_every_metric_has_parts),
		cmocka_unit_test(test_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
