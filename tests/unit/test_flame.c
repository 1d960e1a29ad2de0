/* The tree of GPU time by place in the code, and the trend of a figure in past runs. */
#include "diff/breakdown_of.h"

#include <stdio.h>

#include "diff/past.h"
#include "gate/checks.h"
#include "gate_fixture.h"

struct line {
	const char *module, *place, *op, *kernel;
	int64_t ns;
};

/* A rank with one step and the given rows of code; `rest_ns` is GPU time without a row. */
static struct run run_of(const struct line *lines, size_t nr, int64_t rest_ns)
{
	struct activity a[8];
	size_t activities = 0;
	for (size_t i = 0; i < nr; i++) {
		size_t k = 0;
		while (k < activities && strcmp(a[k].name, lines[i].kernel) != 0)
			k++;
		activities += k == activities;
		a[k] = (struct activity){ EVENT_KERNEL, lines[i].kernel, 1,
			                      (k + 1 == activities ? 0 : a[k].total_ns) + lines[i].ns };
	}
	a[activities++] = (struct activity){ EVENT_KERNEL, "untold", 1, rest_ns };
	struct digest *d = fixture_digest(1, a, activities);
	for (size_t i = 0; i < nr; i++)
		vec_push(&d->code, (struct code_stat){ .module = span_of(lines[i].module),
		                                       .place = span_of(lines[i].place),
		                                       .op = span_of(lines[i].op),
		                                       .kernel = code_kernel_key(span_of(lines[i].kernel)),
		                                       .line = -1,
		                                       .count = 1,
		                                       .total_ns = lines[i].ns });
	return fixture_run(d);
}

static void tree_of(struct run *baseline, struct run *candidate, struct arena *a, struct flame *out)
{
	struct category_table categories;
	struct bench b;
	fixture_categories(&categories);
	bench_init(
	    &b,
	    &(struct bench_runs){ .baseline = baseline, .candidates = candidate, .nr_candidates = 1 },
	    (struct naming){ .categories = &categories });
	flame_of(&b, a, out);
	bench_release(&b);
	category_table_release(&categories);
	if (baseline)
		run_release(baseline);
	run_release(candidate);
}

static void expect(const struct flame *f, const struct flame_node *want, size_t nr)
{
	assert_int_equal(f->nodes.nr, nr);
	for (size_t i = 0; i < nr; i++) {
		const struct flame_node *n = &f->nodes.v[i];
		assert_string_equal(n->name, want[i].name);
		assert_int_equal(n->kind, want[i].kind);
		assert_int_equal(n->depth, want[i].depth);
		assert_int_equal(n->value[0], want[i].value[0]);
		assert_int_equal(n->value[1], want[i].value[1]);
	}
}

/* Paths with a common beginning share nodes, chains of one kind become one node, and the largest
   part comes first. */
static void test_both(void **state)
{
	static const struct line before[] = {
		{ "Net\nBlock", "net.py:forward", "aten::linear\naten::mm", "gemm", MS(5) },
		{ "Net\nBlock\nNorm", "", "aten::norm", "elem", MS(2) },
		{ "", "", "aten::add", "add", MS(1) },
	};
	static const struct line after[] = {
		{ "Net\nBlock", "net.py:forward", "aten::linear\naten::mm", "gemm", MS(4) },
		{ "Net\nBlock\nNorm", "", "aten::norm", "elem", MS(9) },
	};
	static const struct flame_node want[] = {
		{ FLAME_ALL, 0, "all GPU time", { MS(9), MS(14) } },
		{ FLAME_MODULE, 1, "Net > Block", { MS(7), MS(13) } },
		{ FLAME_MODULE, 2, "Norm", { MS(2), MS(9) } },
		{ FLAME_OPERATOR, 3, "aten::norm", { MS(2), MS(9) } },
		{ FLAME_KERNEL, 4, "elem", { MS(2), MS(9) } },
		{ FLAME_PLACE, 2, "net.py:forward", { MS(5), MS(4) } },
		{ FLAME_OPERATOR, 3, "aten::linear > aten::mm", { MS(5), MS(4) } },
		{ FLAME_KERNEL, 4, "gemm", { MS(5), MS(4) } },
		{ FLAME_OPERATOR, 1, "aten::add", { MS(1), 0 } },
		{ FLAME_KERNEL, 2, "add", { MS(1), 0 } },
		{ FLAME_KERNEL, 1, "(launch not recorded)", { MS(1), MS(1) } },
	};
	struct arena a = ARENA_INIT;
	struct flame f;
	struct run x = run_of(before, NR_OF(before), MS(1)), y = run_of(after, NR_OF(after), MS(1));
	(void)state;
	tree_of(&x, &y, &a, &f);
	assert_true(f.both);
	expect(&f, want, NR_OF(want));
	vec_release(&f.nodes);
	arena_release(&a);
}

/* If one side has no modules and places, the tree has only operators. If the baseline has no rows
   of code, the tree shows only the candidate. */
static void test_less_is_known(void **state)
{
	static const struct line bare[] = { { "", "", "aten::mm", "gemm", MS(5) } };
	static const struct line told[] = { { "Net", "net.py:forward", "aten::mm", "gemm", MS(6) } };
	static const struct flame_node both[] = {
		{ FLAME_ALL, 0, "all GPU time", { MS(6), MS(7) } },
		{ FLAME_OPERATOR, 1, "aten::mm", { MS(5), MS(6) } },
		{ FLAME_KERNEL, 2, "gemm", { MS(5), MS(6) } },
		{ FLAME_KERNEL, 1, "(launch not recorded)", { MS(1), MS(1) } },
	};
	static const struct flame_node one[] = {
		{ FLAME_ALL, 0, "all GPU time", { 0, MS(7) } },
		{ FLAME_MODULE, 1, "Net", { 0, MS(6) } },
		{ FLAME_PLACE, 2, "net.py:forward", { 0, MS(6) } },
		{ FLAME_OPERATOR, 3, "aten::mm", { 0, MS(6) } },
		{ FLAME_KERNEL, 4, "gemm", { 0, MS(6) } },
		{ FLAME_KERNEL, 1, "(launch not recorded)", { 0, MS(1) } },
	};
	struct arena a = ARENA_INIT;
	struct flame f;
	struct run x = run_of(bare, 1, MS(1)), y = run_of(told, 1, MS(1));
	(void)state;
	tree_of(&x, &y, &a, &f);
	expect(&f, both, NR_OF(both));
	vec_release(&f.nodes);
	x = run_of(NULL, 0, MS(3)), y = run_of(told, 1, MS(1));
	tree_of(&x, &y, &a, &f);
	assert_false(f.both);
	expect(&f, one, NR_OF(one));
	vec_release(&f.nodes);
	x = run_of(NULL, 0, MS(3));
	tree_of(NULL, &x, &a, &f);
	assert_int_equal(f.nodes.nr, 0);
	arena_release(&a);
}

/* With very many kernels the tree has few nodes, none larger than its parent. */
static void test_bounded(void **state)
{
	enum { MANY = 3000 };
	static char names[MANY][16];
	struct arena a = ARENA_INIT;
	struct flame f;
	struct digest *d = fixture_digest(1, &(struct activity){ EVENT_KERNEL, "gemm", 1, 1 }, 1);
	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof names[i], "m%d", i % 1000);
		vec_push(&d->code, (struct code_stat){ .module = span_of(names[i]),
		                                       .place = SPAN(""),
		                                       .op = SPAN("op"),
		                                       .count = 1,
		                                       .total_ns = MS(1) + i });
	}
	struct run y = fixture_run(d);
	tree_of(NULL, &y, &a, &f);
	assert_in_range(f.nodes.nr, 1, FLAME_NODES);
	vec_release(&f.nodes);
	arena_release(&a);
}

static struct run step_of(int64_t ms)
{
	return fixture_run(fixture_digest(1, &(struct activity){ EVENT_KERNEL, "gemm", 1, MS(ms) }, 1));
}

/* Order of a trend: runs of an earlier baseline, the pin, later runs by time, of which one is not
   known, the candidate. */
static void test_trend(void **state)
{
	static const int64_t past_ms[] = { 12, 11, 9, 10 }; /* the last one is the pin */
	static const char *const times[] = { "2026-03-02T00:00:00Z", "", "2026-04-01T00:00:00Z",
		                                 "2026-02-01T00:00:00Z" };
	static const int64_t want[] = { MS(9), MS(10), MS(11), MS(12), MS(13) };
	struct category_table categories;
	struct rules rules = fixture_rules();
	struct history sample = { 0 }, recent = { 0 };
	struct arena a = ARENA_INIT;
	struct run pin = step_of(10), candidate = step_of(13), control = step_of(14), past[4];
	struct bench b;
	struct entries e;
	(void)state;
	fixture_categories(&categories);
	struct naming naming = { .categories = &categories };
	fixture_add(&rules, fixture_rule(METRIC_STEP_CUDA_TIME));
	for (int i = 0; i < 4; i++) {
		struct past_run *p = vec_push_zero(i == 3 ? &recent.runs : &sample.runs);
		past[i] = step_of(past_ms[i]);
		past_run_of(&rules, naming, &past[i], &a, p);
		p->provenance = (struct provenance){ .commit = "c", .time = times[i] };
		if (i == 3)
			p->source_hash = past_source_hash(&pin);
		p->pin = i >= 2 ? p->source_hash : past_source_hash(&pin);
	}
	bench_init(&b,
	           &(struct bench_runs){ .baseline = &pin,
	                                 .recent = &recent,
	                                 .history = &sample,
	                                 .candidates = &candidate,
	                                 .nr_candidates = 1,
	                                 .controls = &control,
	                                 .nr_controls = 1 },
	           naming);
	bench_query(&b, &rules.rules.v[0].query, &e);
	struct entry of_rank = e.list.v[0], labeled = of_rank, bare = of_rank;
	of_rank.rank = 0;
	labeled.label = SPAN("x");
	bare.cells = NULL;
	assert_null(trend_of(&b, &bare, &a));
	assert_null(trend_of(&b, &of_rank, &a));
	assert_null(trend_of(&b, &labeled, &a));
	struct trend *t = trend_of(&b, &e.list.v[0], &a);
	assert_non_null(t);
	assert_int_equal(t->points.nr, NR_OF(want));
	for (size_t i = 0; i < NR_OF(want); i++)
		assert_int_equal(t->points.v[i].value, want[i]);
	/* an earlier pin and the present pin, each once, are marked as approved */
	assert_string_equal(t->points.v[0].commit, "c");
	assert_string_equal(t->points.v[1].commit, "c");
	assert_string_equal(t->points.v[4].commit, "");
	assert_int_equal(t->points.v[0].source, TREND_APPROVED);
	assert_int_equal(t->points.v[1].source, TREND_APPROVED);
	assert_int_equal(t->points.v[2].source, TREND_PAST);
	assert_int_equal(t->points.v[4].source, TREND_CANDIDATE);
	assert_string_equal(t->points.v[2].commit, "c");
	vec_release(&t->points);
	vec_release(&e.list);
	bench_release(&b);
	for (int i = 0; i < 4; i++)
		run_release(&past[i]);
	run_release(&pin);
	run_release(&candidate);
	run_release(&control);
	history_release(&sample);
	history_release(&recent);
	rules_release(&rules);
	category_table_release(&categories);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_less_is_known),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_trend),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
