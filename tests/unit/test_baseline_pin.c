/* The pin, the part of an approved run that a baseline keeps: small, and exact in all figures that
 * rules compare. */
#include "gate_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "io/source.h"
#include "model/view.h"
#include "store/digest_json.h"
#include "text_rig.h"

/* ---- a realistic run of many ranks ---- */

struct shape {
	size_t ranks, kernels, ops, steps, sites;
};

enum { NR_KINDS = 18 };

/* Fills a table of categories: communication, and all families of kernels except family 0. */
static void many_categories(struct category_table *t)
{
	*t = (struct category_table){ .source = "test" };
	struct category *c = vec_push_zero(&t->rows);
	c->name = "communication";
	c->cls = CLASS_COMMUNICATION;
	vec_push(&c->match, SPAN("nccl"));
	for (int i = 1; i < NR_KINDS; i++) {
		c = vec_push_zero(&t->rows);
		c->name = arena_printf(&t->arena, "family %d", i);
		vec_push(&c->match, span_of(arena_printf(&t->arena, "family%d_", i)));
	}
}

/* Random numbers by splitmix64, equal on all machines. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += 0x9E3779B97F4A7C15u);
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

/* The value `base`, increased by up to 2 %. */
static int64_t noisy(uint64_t *state, int64_t base)
{
	return base + (int64_t)(next(state) % (uint64_t)(base / 50 + 1));
}

static void add_kernels(struct digest *d, const struct shape *s, uint64_t *seed)
{
	int64_t steps = (int64_t)s->steps;
	for (size_t i = 0; i < s->kernels; i++) {
		struct kernel_stat *k = vec_push_zero(&d->kernels);
		int64_t ns = noisy(seed, 40000000 / (int64_t)(i + 1) + 2000);
		k->kind = EVENT_KERNEL;
		k->name = span_of(arena_printf(
		    &d->arena,
		    "void at::native::%s%zu_kernel<%zu, at::native::func_wrapper_t<c10::BFloat16, "
		    "at::native::sum_functor<c10::BFloat16, float> > >(int, float*)",
		    i == 3 ? "ncclDevKernel_AllReduce" : "family", i % NR_KINDS, i));
		k->step_count = k->count = steps * (int64_t)(1 + i % 7);
		k->step_total_ns = k->total_ns = steps * ns;
		k->step_max_ns = k->max_ns = noisy(seed, ns);
		k->grid[0] = k->grid[1] = k->grid[2] = k->block[0] = k->block[1] = k->block[2] = 8;
		k->shapes = 1;
		k->occupancy = i % 2 ? 50000000 : -1;
	}
	fixture_activity(d, SPAN("Memcpy HtoD (Pageable -> Device)"),
	                 &(struct activity){ EVENT_MEMCPY, "", steps, noisy(seed, 5000) });
	vec_sort(&d->kernels, kernel_stat_cmp);
}

static void add_memory(struct digest *d, const struct shape *s, uint64_t *seed)
{
	struct memory_stat *m = vec_push_zero(&d->memories);
	m->id = "0";
	m->source = MEMORY_OF_SNAPSHOT;
	m->peak_allocated = noisy(seed, (int64_t)40 << 30);
	m->peak_reserved = m->end_reserved = m->reserved_at_peak = (int64_t)42 << 30;
	m->end_allocated = (int64_t)12 << 30;
	m->growth_per_step = m->capacity = MEMORY_UNKNOWN;
	for (int list = 0; list <= MEMORY_LIST_PINNED && s->sites; list++)
		for (size_t i = 0; i < (list == MEMORY_LIST_CATEGORY ? 6 : s->sites); i++)
			vec_push(&d->memory_items,
			         (struct memory_item){
			             "0", (enum memory_list)list, SPAN("activations"), SITE_USER,
			             SPAN("train/model.py"), span_of(arena_printf(&d->arena, "forward_%zu", i)),
			             (int64_t)i, ((int64_t)1 << 30) / (int64_t)(i + 1), 3, 512, 0 });
	vec_push(&d->memory_levels, (struct memory_level){ "0", 0, 1, 2, 3 });
	vec_push(&d->memory_evidence, (struct memory_evidence){ .memory = "0", .history = true });
}

static struct digest *big_digest(int64_t rank, const struct shape *s)
{
	uint64_t seed = (uint64_t)rank + 1;
	struct digest *d = fixture_digest(s->steps, NULL, 0);
	d->rank = rank;
	d->world_size = (int64_t)s->ranks;
	d->trace = arena_printf(&d->arena, "rank%d.json.gz", (int)rank);
	d->source_hash = next(&seed);
	d->usable_steps = (int64_t)s->steps;
	d->window_ns = noisy(&seed, 900000000);
	digest_set_env(d, SPAN("samples_per_step"), SPAN("256"));
	add_kernels(d, s, &seed);
	for (size_t i = 0; i < s->steps; i++) {
		d->step_numbers[i] = 100 + (int64_t)i;
		d->step_activities[i] = 1200;
		for (int m = 0; m < NR_STEP_METRICS; m++)
			d->samples[m][i] = metric_table[m].exact ? 12 + m : noisy(&seed, 90000000 + m);
	}
	for (size_t i = 0; i < s->ops; i++)
		vec_push(&d->ops,
		         (struct op_stat){ span_of(arena_printf(&d->arena, "aten::op_%04zu", i)), 40,
		                           noisy(&seed, 9000000 / (int64_t)(i + 1)), 3000, 0 });
	for (int i = 0; i < 12; i++)
		vec_push(&d->threads,
		         (struct thread_stat){ arena_printf(&d->arena, "%d/%02d", (int)rank, i),
		                               noisy(&seed, 1000), 0, 0 });
	vec_push(&d->devices,
	         (struct device_stat){ arena_printf(&d->arena, "%d", (int)(rank % 8)), 3, 40, 900,
	                               noisy(&seed, 800), 600, 90, 30, 900, noisy(&seed, 450) });
	vec_push(&d->comms, (struct comm_stat){ .kind = COLLECTIVE_ALL_REDUCE,
	                                        .group = SPAN("default_pg"),
	                                        .dtype = SPAN("Float"),
	                                        .group_size = (int64_t)s->ranks,
	                                        .count = 100,
	                                        .total_ns = noisy(&seed, 88000000),
	                                        .max_ns = 900,
	                                        .bytes = 1 << 20,
	                                        .sized_count = 100,
	                                        .sized_ns = noisy(&seed, 88000000) });
	for (int i = 0; i < 500; i++)
		vec_push(&d->collectives, (struct collective){ .step = i * (int64_t)s->steps / 500,
		                                               .bytes = 4096,
		                                               .start_ns = 1000 * i,
		                                               .dur_ns = noisy(&seed, 500) });
	d->trust.gpu_ns = noisy(&seed, 800000000);
	add_memory(d, s, &seed);
	return d;
}

static struct run big_run(const struct shape *s)
{
	struct run run = { .label = "run" };
	for (size_t i = 0; i < s->ranks; i++)
		vec_push(&run.ranks, big_digest((int64_t)i, s));
	return run;
}

/* ---- the stored form of the pin ---- */

static char *text_of(const struct run *pin, size_t *n)
{
	struct baseline b = { .workload = "toy", .provenance = { "", "", "", "", "" }, .pin = *pin };
	struct sink *s = sink_open_memory();
	baseline_write(&b, s);
	return taken(s, n);
}

static void read_text(const char *text, size_t n, struct baseline *out)
{
	struct diag_log log;
	struct source *src = source_memory("b.json", text, n, NULL);
	diag_init(&log);
	if (baseline_parse(src, out, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	source_close(src);
	diag_release(&log);
}

/* ---- equal answers of the pin and of the run ---- */

/* True for kinds of labels whose small items a pin may leave out. */
static bool may_lack(enum label_kind kind)
{
	return kind == LABEL_KERNEL || kind == LABEL_OP || kind == LABEL_THREAD ||
	       kind == LABEL_FUNCTION || kind == LABEL_MODULE || kind == LABEL_RANGE ||
	       kind == LABEL_PLACE;
}

static void assert_same_answers(const struct run_view *x, const struct run_view *pin,
                                const struct query *q)
{
	struct answers a, b;
	struct arena scratch = ARENA_INIT;
	run_query(x, q, &scratch, &a);
	run_query(pin, q, &scratch, &b);
	size_t k = 0;
	for (size_t i = 0; i < b.list.nr; i++, k++) {
		const struct answer *have = &b.list.v[i];
		while (k < a.list.nr &&
		       (!span_eq(a.list.v[k].label, have->label) || a.list.v[k].rank != have->rank))
			k++;
		if (k == a.list.nr || a.list.v[k].value != have->value)
			fail_msg("%s of %.*s rank %d: %lld in the pin, %lld in the run", q->metric->name,
			         (int)have->label.n, have->label.p, (int)have->rank, (long long)have->value,
			         k < a.list.nr ? (long long)a.list.v[k].value : -1LL);
	}
	if (!may_lack(q->metric->label) && b.list.nr != a.list.nr)
		fail_msg("%s: %zu answers of the pin, %zu of the run", q->metric->name, b.list.nr,
		         a.list.nr);
	vec_release(&a.list);
	vec_release(&b.list);
	arena_release(&scratch);
}

static void assert_same(const struct run *x, const struct run *pin, const struct naming *naming)
{
	static const enum reduce reduces[] = { REDUCE_MAX, REDUCE_MEDIAN, REDUCE_MEAN, REDUCE_EACH };
	struct run_view a, b;
	run_view_init(&a, x, naming);
	run_view_init(&b, pin, naming);
	for (int m = 0; m < NR_METRICS; m++) {
		const struct metric *metric = &metric_table[m];
		if (!may_lack(metric->label))
			assert_int_equal(run_has(&a, metric), run_has(&b, metric));
		for (size_t r = 0; r < NR_OF(reduces); r++)
			for (int stat = 0; stat < (metric->per_step ? NR_STATISTICS : 1); stat++)
				assert_same_answers(&a, &b,
				                    &(struct query){ .metric = metric,
				                                     .stat = (enum statistic)stat,
				                                     .reduce = reduces[r] });
	}
	run_view_release(&a);
	run_view_release(&b);
}

/* A pin of a run, the pin read from its file, and a pin made of that pin have the run's figures. */
static void test_pin(void **state)
{
	(void)state;
	static const struct {
		struct shape shape;
		bool samples;
	} rows[] = {
		{ { 1, 30, 10, 5, 3 }, true },        { { 1, 300, 400, 40, 200 }, true },
		{ { 1, 30, 10, 20000, 3 }, false },   { { 2, 300, 10, 5, 3 }, true },
		{ { 8, 300, 100, 50, 100 }, true },   { { 64, 300, 200, 6, 100 }, true },
		{ { 64, 300, 200, 50, 100 }, false },
	};
	struct category_table categories;
	many_categories(&categories);
	struct naming naming = { .categories = &categories };
	struct rules rules = fixture_rules();
	struct rule top = fixture_rule(METRIC_KERNEL_TIME);
	top.for_each = true;
	vec_push(&rules.rules, top);
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run = big_run(&rows[i].shape), pin, again;
		struct baseline b;
		size_t n, m;
		bool few = run.ranks.nr < 8; /* with many ranks, each check takes long */
		pin_make(&run, &rules, &naming, &pin);
		if (few)
			assert_same(&run, &pin, &naming);
		assert_int_equal(pin.ranks.v[0]->summaries.nr == 0, rows[i].samples);
		char *text = text_of(&pin, &n);
		assert_in_range(n, 1, 200000);
		read_text(text, n, &b);
		assert_same(&run, &b.pin, &naming);
		char *rewritten = text_of(&b.pin, &m);
		assert_string_equal(text, rewritten);
		pin_make(&b.pin, &rules, &naming, &again);
		if (few)
			assert_same(&run, &again, &naming);
		free(text);
		free(rewritten);
		run_release(&again);
		baseline_release(&b);
		run_release(&pin);
		run_release(&run);
	}
	vec_release(&rules.rules);
	category_table_release(&categories);
}

/* Kernels that a rule names are kept however small they are, and so are the first in a ranking. */
static void test_pin_keeps_what_rules_ask(void **state)
{
	(void)state;
	struct category_table categories;
	many_categories(&categories);
	struct naming naming = { .categories = &categories };
	struct rules rules = fixture_rules();
	struct rule top = fixture_rule(METRIC_KERNEL_COUNT), named = fixture_rule(METRIC_KERNEL_TIME),
	            op = fixture_rule(METRIC_OP_TIME), pair = fixture_rule(METRIC_KERNEL_DRIFT_PCT),
	            thread = fixture_rule(METRIC_THREAD_TIME);
	top.for_each = true;
	top.top = 25;
	pair.top = 30;
	named.query.kernel = "*<299,*";
	op.query.op = "aten::op_0190";
	vec_push(&rules.rules, top);
	vec_push(&rules.rules, named);
	vec_push(&rules.rules, op);
	vec_push(&rules.rules, pair);
	vec_push(&rules.rules, thread);
	struct run run = big_run(&(struct shape){ 64, 300, 200, 50, 100 }), pin;
	struct run_view v;
	pin_make(&run, &rules, &naming, &pin);
	run_view_init(&v, &pin, &naming);
	for (size_t i = 0; i < pin.ranks.nr; i++) {
		/* the kernel that the rule names is kept, and the 30 kernels with the most time */
		assert_in_range(v.ranks[i].nr_kernels, 31, 100);
		assert_true(v.ranks[i].nr_small > 0);
		assert_in_range(pin.ranks.v[i]->threads.nr, 12, 12);
	}
	struct rule *const asked[] = { &named, &op };
	for (size_t i = 0; i < NR_OF(asked); i++) {
		struct answers a;
		struct arena scratch = ARENA_INIT;
		run_query(&v, &asked[i]->query, &scratch, &a);
		assert_int_equal(a.list.nr, 1);
		vec_release(&a.list);
		arena_release(&scratch);
	}
	run_view_release(&v);
	run_release(&pin);
	run_release(&run);
	vec_release(&rules.rules);
	category_table_release(&categories);
}

/* A pin that leaves small items out keeps the sums of a category and of a list of sites. */
static void test_pin_adds_up(void **state)
{
	(void)state;
	struct category_table categories;
	many_categories(&categories);
	struct naming naming = { .categories = &categories };
	struct rules rules = fixture_rules();
	struct run run = big_run(&(struct shape){ 64, 300, 200, 50, 100 }), pin;
	pin_make(&run, &rules, &naming, &pin);
	for (size_t r = 0; r < run.ranks.nr; r++) {
		const struct digest *x = run.ranks.v[r], *y = pin.ranks.v[r];
		int64_t ns[2] = { 0, 0 }, self[2] = { 0, 0 }, names = 0;
		int64_t bytes[2][NR_MEMORY_LISTS] = { 0 };
		for (size_t i = 0; i < x->kernels.nr; i++)
			ns[0] += x->kernels.v[i].step_total_ns;
		for (size_t i = 0; i < y->kernels.nr; i++) {
			ns[1] += y->kernels.v[i].step_total_ns;
			names += y->kernels.v[i].names ? y->kernels.v[i].names : 1;
			if (y->kernels.v[i].names) /* a sum of small kernels also has the time of the largest of
			                              them */
				assert_in_range(y->kernels.v[i].largest_ns, 1, y->kernels.v[i].step_total_ns);
		}
		for (size_t i = 0; i < x->ops.nr; i++)
			self[0] += x->ops.v[i].self_ns;
		for (size_t i = 0; i < y->ops.nr; i++)
			self[1] += y->ops.v[i].self_ns;
		for (size_t i = 0; i < x->memory_items.nr; i++)
			bytes[0][x->memory_items.v[i].list] += x->memory_items.v[i].bytes;
		for (size_t i = 0; i < y->memory_items.nr; i++)
			bytes[1][y->memory_items.v[i].list] += y->memory_items.v[i].bytes;
		assert_int_equal(ns[0], ns[1]);
		assert_int_equal(names, x->kernels.nr);
		assert_int_equal(self[0], self[1]);
		for (int list = 0; list < MEMORY_LIST_GROWTH; list++)
			assert_int_equal(bytes[0][list], bytes[1][list]);
		for (int list = MEMORY_LIST_GROWTH + 1; list < NR_MEMORY_LISTS; list++)
			assert_int_equal(bytes[1][list], list == MEMORY_LIST_SEGMENT ? bytes[0][list] : 0);
		assert_int_equal(y->collectives.nr + y->memory_levels.nr + y->functions.nr, 0);
		assert_true(y->cross.known);
	}
	run_release(&pin);
	run_release(&run);
	category_table_release(&categories);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pin),
		cmocka_unit_test(test_pin_keeps_what_rules_ask),
		cmocka_unit_test(test_pin_adds_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
