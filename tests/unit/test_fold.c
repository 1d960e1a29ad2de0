/* Sums of small rows: totals do not change, large rows stay, and summing twice changes nothing
 * more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "diff/drift.h"
#include "merge/digest_small.h"
#include "model/view.h"
#include "store/digest_json.h"

enum { WINDOW = 1000000 };

/* Categories "GEMM" (class compute), "copies" (memory) and "talk" (communication). */
static void categories_init(struct category_table *t)
{
	static const struct {
		const char *name;
		enum category_class cls;
		const char *match;
	} rows[] = { { "talk", CLASS_COMMUNICATION, "nccl" },
		         { "GEMM", CLASS_COMPUTE, "gemm" },
		         { "copies", CLASS_MEMORY, "copy" } };
	*t = (struct category_table){ 0 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct category *c = vec_push_zero(&t->rows);
		c->name = rows[i].name;
		c->cls = rows[i].cls;
		vec_push(&c->match, span_of(rows[i].match));
	}
}

static struct kernel_stat kernel(enum event_kind kind, const char *name, int64_t window_ns,
                                 int64_t step_ns)
{
	return (struct kernel_stat){ .kind = kind,
		                         .name = span_of(name),
		                         .count = 3,
		                         .total_ns = window_ns,
		                         .max_ns = window_ns,
		                         .step_count = step_ns > 0,
		                         .step_total_ns = step_ns,
		                         .step_max_ns = step_ns,
		                         .grid = { 1, 1, 1 },
		                         .block = { 1, 1, 1 },
		                         .shapes = 1,
		                         .occupancy = 5 };
}

/* ---- sums in all lists ---- */

struct sums {
	int64_t kernels[8], ops[4], threads[2], functions[NR_FUNCTION_CLASSES][4], items[3];
};

static int64_t names_of(int64_t names)
{
	return names ? names : 1;
}

static void sums_take(const struct digest *d, struct sums *s)
{
	*s = (struct sums){ 0 };
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		const int64_t v[] = { k->count,         k->total_ns,   k->bytes,          k->step_count,
			                  k->step_total_ns, k->step_bytes, names_of(k->names) };
		for (int n = 0; n < 7; n++)
			s->kernels[n] += v[n];
		if (k->max_ns > s->kernels[7])
			s->kernels[7] = k->max_ns;
	}
	for (size_t i = 0; i < d->ops.nr; i++) {
		s->ops[0] += d->ops.v[i].count;
		s->ops[1] += d->ops.v[i].total_ns;
		s->ops[2] += d->ops.v[i].self_ns;
		s->ops[3] += names_of(d->ops.v[i].names);
	}
	for (size_t i = 0; i < d->threads.nr; i++) {
		s->threads[0] += d->threads.v[i].busy_ns;
		s->threads[1] += names_of(d->threads.v[i].names);
	}
	for (size_t i = 0; i < d->functions.nr; i++) {
		const struct function_stat *f = &d->functions.v[i];
		s->functions[f->cls][0] += f->count;
		s->functions[f->cls][1] += f->total_ns;
		s->functions[f->cls][2] += f->exclusive_ns;
		s->functions[f->cls][3] += names_of(f->names);
	}
	for (size_t i = 0; i < d->memory_items.nr; i++) {
		s->items[0] += d->memory_items.v[i].bytes;
		s->items[1] += d->memory_items.v[i].blocks;
		s->items[2] += d->memory_items.v[i].other;
	}
}

static size_t rows_of(const struct digest *d)
{
	return d->kernels.nr + d->ops.nr + d->threads.nr + d->functions.nr + d->memory_items.nr;
}

static void fold(struct digest *d, const struct category_table *t)
{
	digest_small(d, t);
	digest_small_functions(d);
}

/* ---- lists with many rows of very different sizes ---- */

enum { MANY = 3000 };

static const char *label(struct digest *d, const char *what, int i)
{
	return arena_printf(&d->arena, "%s%04d", what, i);
}

static void fill_functions(struct digest *d)
{
	for (int cls = 0; cls < NR_FUNCTION_CLASSES; cls++)
		for (int i = 0; i < MANY; i++) {
			int64_t parent = cls == FUNCTION_PYTHON && i ? (i - 1) / 3 : -1;
			vec_push(&d->functions,
			         (struct function_stat){
			             .cls = (enum function_class)cls,
			             .name = span_of(label(d, "f", i)),
			             .parent = parent < 0 ? -1 : parent + (NR_FUNCTION_CLASSES - 1) * MANY,
			             .count = i + 1,
			             .total_ns = WINDOW / (i + 1),
			             .exclusive_ns = WINDOW / 2 / (i + 1),
			             .median_ns = 7,
			             .rate = 5,
			             .rate_mad = 1 });
		}
}

static struct digest *many(void)
{
	struct digest *d = digest_new();
	d->communication = "nccl";
	d->trace = d->marker = "t";
	d->window_ns = WINDOW;
	for (int i = 0; i < MANY; i++) {
		const char *what = i % 3 == 0 ? "gemm" : i % 3 == 1 ? "copy" : "else";
		vec_push(&d->kernels,
		         kernel(EVENT_KERNEL, label(d, what, i), WINDOW / (i + 1), WINDOW / 3 / (i + 1)));
		vec_push(&d->ops, (struct op_stat){ span_of(label(d, "op", i)), 2, WINDOW / (i + 1),
		                                    WINDOW / 2 / (i + 1), 0 });
		vec_push(&d->threads, (struct thread_stat){ label(d, "1/", i), WINDOW / (i + 1), 0, 0 });
	}
	vec_sort(&d->kernels, kernel_stat_cmp);
	fill_functions(d);
	for (int list = 0; list < NR_MEMORY_LISTS; list++)
		for (int i = 0; i < 200; i++)
			vec_push(&d->memory_items,
			         (struct memory_item){ .memory = "0",
			                               .list = (enum memory_list)list,
			                               .category = SPAN("c"),
			                               .kind = i < 190 ? SITE_USER : SITE_BEFORE,
			                               .file = span_of(label(d, "file", i)),
			                               .function = SPAN("f"),
			                               .line = 3,
			                               .bytes = (int64_t)WINDOW >> (i < 40 ? i : 40),
			                               .blocks = 1 });
	return d;
}

/* The largest calls of each kind stay; one row after them is the sum of the other calls. */
static void test_calls(void **state)
{
	(void)state;
	struct category_table t;
	struct digest *d = digest_new();
	d->communication = "";
	categories_init(&t);
	for (int kind = CALL_LAUNCH; kind <= CALL_DATALOADER; kind++)
		for (int i = 0; i < (kind == CALL_SYNC ? KEEP_CALLS : KEEP_CALLS + 3); i++)
			vec_push(&d->calls, (struct call_stat){ (enum call_kind)kind,
			                                        span_of(label(d, "call", i)), 1, 100 - i, 0 });
	vec_sort(&d->calls, call_stat_cmp);
	for (int round = 0; round < 2; round++) { /* folding again changes nothing */
		fold(d, &t);
		assert_int_equal(d->calls.nr, 3 * KEEP_CALLS + 2);
		const struct call_stat *sum = &d->calls.v[KEEP_CALLS];
		assert_int_equal(sum->kind, CALL_LAUNCH);
		assert_int_equal(sum->names, 3);
		assert_int_equal(sum->count, 3);
		assert_int_equal(sum->total_ns, 3 * (100 - KEEP_CALLS) - 3);
		assert_int_equal(d->calls.v[2 * KEEP_CALLS].names, 0);
		assert_int_equal(d->calls.v[3 * KEEP_CALLS + 1].names, 3);
	}
	digest_free(d);
	category_table_release(&t);
}

static struct sink *written(struct digest *d)
{
	struct sink *out = sink_open_memory();
	digest_write(d, out);
	return out;
}

static void sums_stay(void **state)
{
	(void)state;
	struct category_table t;
	struct digest *d = many();
	struct sums before, after;
	categories_init(&t);
	sums_take(d, &before);
	fold(d, &t);
	sums_take(d, &after);
	assert_memory_equal(&before, &after, sizeof before);
	assert_true(rows_of(d) < 5 * KEEP_FUNCTIONS + KEEP_KERNELS + KEEP_OPS + 2000);
	size_t rows = rows_of(d);
	struct sink *once = written(d);
	fold(d, &t); /* folding a folded digest changes nothing */
	assert_int_equal(rows_of(d), rows);
	struct sink *twice = written(d);
	assert_true(span_eq(sink_memory(once), sink_memory(twice)));
	sink_abort(once);
	sink_abort(twice);
	digest_free(d);
	category_table_release(&t);
}

/* ---- sums of kernels ---- */

/* Which kernels stay rows ("NAME"), and how many of a category are summed ("CATEGORY*number"). */
static void kernels_stay(void **state)
{
	(void)state;
	static const struct {
		const char *title;
		struct kernel_stat rows[5];
		const char *expect;
	} cases[] = {
		{ "one in 2,000 stays, less does not",
		  { { .kind = EVENT_KERNEL, .name = { "a gemm", 6 }, .total_ns = 1 },
		    { .kind = EVENT_KERNEL, .name = { "b gemm", 6 }, .total_ns = 2 },
		    { .kind = EVENT_KERNEL, .name = { "c", 1 }, .total_ns = 3997 } },
		  "b gemm, c, GEMM*1" },
		{ "of the steps' time is enough",
		  { { .kind = EVENT_KERNEL, .name = { "a", 1 }, .total_ns = 1, .step_total_ns = 1 },
		    { .kind = EVENT_KERNEL, .name = { "b", 1 }, .total_ns = 1 },
		    { .kind = EVENT_KERNEL, .name = { "c", 1 }, .total_ns = 4000, .step_total_ns = 9 } },
		  "a, c, other*1" },
		{ "communication, copies and sets stay",
		  { { .kind = EVENT_KERNEL, .name = { "c", 1 }, .total_ns = 4000 },
		    { .kind = EVENT_KERNEL, .name = { "ncclX", 5 }, .total_ns = 1 },
		    { .kind = EVENT_MEMCPY, .name = { "m", 1 }, .total_ns = 1 },
		    { .kind = EVENT_MEMSET, .name = { "s", 1 } } },
		  "c, ncclX, m, s" },
		{ "a sum for each category",
		  { { .kind = EVENT_KERNEL, .name = { "b copy", 6 }, .total_ns = 1 },
		    { .kind = EVENT_KERNEL, .name = { "c", 1 }, .total_ns = 9000 },
		    { .kind = EVENT_KERNEL, .name = { "d gemm", 6 }, .total_ns = 1 },
		    { .kind = EVENT_KERNEL, .name = { "e gemm", 6 }, .total_ns = 1 } },
		  "c, GEMM*2, copies*1" },
		{ "nothing takes time: all stay",
		  { { .kind = EVENT_KERNEL, .name = { "a", 1 } },
		    { .kind = EVENT_KERNEL, .name = { "b", 1 } } },
		  "a, b" },
	};
	struct category_table t;
	categories_init(&t);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct digest *d = digest_new();
		struct strbuf out = STRBUF_INIT;
		d->communication = "nccl";
		d->trace = d->marker = "t";
		for (int k = 0; k < 5 && cases[i].rows[k].name.n; k++)
			vec_push(&d->kernels, cases[i].rows[k]);
		digest_small(d, &t);
		for (size_t k = 0; k < d->kernels.nr; k++) {
			strbuf_adds(&out, k ? ", " : "");
			strbuf_add(&out, d->kernels.v[k].name);
			if (d->kernels.v[k].names)
				strbuf_addf(&out, "*%d", (int)d->kernels.v[k].names);
		}
		if (strcmp(strbuf_str(&out), cases[i].expect) != 0)
			fail_msg("%s: expected %s, got %s", cases[i].title, cases[i].expect, strbuf_str(&out));
		strbuf_release(&out);
		digest_free(d);
	}
	category_table_release(&t);
}

static void add_figure(void *ctx, const struct figure *f)
{
	struct strbuf *out = ctx;
	strbuf_adds(out, "[");
	strbuf_add(out, f->label);
	strbuf_addf(out, " %lld]", (long long)f->samples[0]);
}

/* The kernels of a sum are not items for rules, but shares and categories include them. */
static void view(void **state)
{
	(void)state;
	static const struct {
		const char *metric, *whole, *folded;
	} rows[] = {
		{ "kernel.time", "[a gemm 1][b gemm 1][c 3998]", "[c 3998]" },
		{ "kernel.share_pct", "[a gemm 25000][b gemm 25000][c 99950000]", "[c 99950000]" },
		{ "category.time", "[GEMM 2][other 3998]", "[GEMM 2][other 3998]" },
	};
	struct category_table t;
	categories_init(&t);
	struct naming naming = { .categories = &t };
	struct digest *d = digest_new();
	struct run run = { 0 };
	vec_push(&run.ranks, d);
	d->communication = "nccl";
	d->trace = d->marker = "t";
	d->usable_steps = 1;
	digest_set_steps(d, 1);
	vec_push(&d->kernels, kernel(EVENT_KERNEL, "a gemm", 1, 1));
	vec_push(&d->kernels, kernel(EVENT_KERNEL, "b gemm", 1, 1));
	vec_push(&d->kernels, kernel(EVENT_KERNEL, "c", 3998, 3998));
	for (int folded = 0; folded < 2; folded++) {
		struct run_view v;
		run_view_init(&v, &run, &naming);
		assert_int_equal(v.ranks[0].nr_small, folded);
		assert_int_equal(v.ranks[0].small_ns, folded ? 2 : 0);
		assert_int_equal(v.ranks[0].small_count, folded ? 2 : 0);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			struct strbuf out = STRBUF_INIT;
			const char *expect = folded ? rows[i].folded : rows[i].whole;
			rank_figures(&v, 0, metric_find(span_of(rows[i].metric)), add_figure, &out);
			assert_string_equal(strbuf_str(&out), expect);
			strbuf_release(&out);
		}
		run_view_release(&v);
		digest_small(d, &t);
	}
	run_release(&run);
	category_table_release(&t);
}

static struct digest *one_step(const struct kernel_stat *kernels, size_t nr)
{
	struct digest *d = digest_new();
	d->communication = "nccl";
	d->trace = d->marker = "t";
	digest_set_steps(d, 1);
	d->usable_steps = 1;
	for (size_t i = 0; i < nr; i++)
		vec_push(&d->kernels, kernels[i]);
	vec_sort(&d->kernels, kernel_stat_cmp);
	return d;
}

/* A kernel on one side only is not new if the other side may have it in its sum of small kernels.
 */
static void new_or_folded(void **state)
{
	(void)state;
	struct category_table t;
	struct naming naming = { .categories = &t };
	struct run runs[2] = { 0 };
	struct run_view views[2];
	struct activity_pairs pairs;
	struct report r;
	VEC(struct kernel_stat) before = VEC_INIT;
	const struct kernel_stat then = kernel(EVENT_KERNEL, "large", 100000, 100000);
	const struct kernel_stat now[] = { kernel(EVENT_KERNEL, "large", 80000, 80000),
		                               kernel(EVENT_KERNEL, "small 07", 42, 42),
		                               kernel(EVENT_KERNEL, "fresh", 500, 500) };
	struct arena a = ARENA_INIT;
	categories_init(&t);
	report_init(&r);
	vec_push(&before, then);
	for (int i = 0; i < 100; i++)
		vec_push(&before, kernel(EVENT_KERNEL, arena_printf(&a, "small %02d", i), 45, 45));
	vec_push(&runs[0].ranks, one_step(before.v, before.nr));
	vec_push(&runs[1].ranks, one_step(now, 3));
	for (int s = 0; s < 2; s++) {
		digest_small(runs[s].ranks.v[0], &t);
		run_view_init(&views[s], &runs[s], &naming);
	}
	activity_pairs_init(&pairs, &views[0], &views[1], 1, (struct rank_scope){ 0 });
	assert_int_equal(pairs.small_most[SIDE_BASELINE], 45);
	assert_int_equal(pairs.small_most[SIDE_CANDIDATE], 0);
	drift_rows(&pairs, &t, &r);
	assert_int_equal(r.drift.nr, 3);
	for (size_t i = 0; i < r.drift.nr; i++)
		assert_int_equal(r.drift.v[i].drift, strcmp(r.drift.v[i].kernel, "fresh") == 0 ? DRIFT_NEW
		                                     : strcmp(r.drift.v[i].kernel, "large") == 0
		                                         ? DRIFT_FASTER
		                                         : DRIFT_SAME);
	vec_release(&pairs.list);
	vec_release(&before);
	arena_release(&a);
	report_release(&r);
	for (int s = 0; s < 2; s++) {
		run_view_release(&views[s]);
		run_release(&runs[s]);
	}
	category_table_release(&t);
}

/* ---- sums in the other lists ---- */

static void ops_and_threads(void **state)
{
	(void)state;
	struct category_table t = { 0 };
	struct digest *d = digest_new();
	d->communication = "";
	const struct op_stat ops[] = { { SPAN("a"), 1, 3, 1, 0 },
		                           { SPAN("caller"), 1, 2000, 0, 0 },
		                           { SPAN("large"), 1, 4000, 4000, 0 },
		                           { SPAN("z"), 1, 2, 2, 0 } };
	for (size_t i = 0; i < 4; i++)
		vec_push(&d->ops, ops[i]);
	vec_push(&d->threads, (struct thread_stat){ "1/1", 1, 0, 0 });
	vec_push(&d->threads, (struct thread_stat){ "1/2", 5000, 0, 0 });
	vec_push(&d->threads, (struct thread_stat){ "1/3", 2, 0, 0 });
	digest_small(d, &t);
	assert_int_equal(d->ops.nr, 3);
	assert_string_equal(d->ops.v[0].name.p, "caller");
	assert_string_equal(d->ops.v[1].name.p, "large");
	assert_int_equal(d->ops.v[2].names, 2);
	assert_int_equal(d->ops.v[2].self_ns, 3);
	assert_int_equal(d->threads.nr, 2);
	assert_string_equal(d->threads.v[0].id, "");
	assert_int_equal(d->threads.v[0].busy_ns, 3);
	assert_int_equal(d->threads.v[0].names, 2);
	assert_string_equal(d->threads.v[1].id, "1/2");
	digest_free(d);
}

static void sites(void **state)
{
	(void)state;
	struct category_table t = { 0 };
	struct digest *d = digest_new();
	d->communication = "";
	static const struct {
		enum memory_list list;
		enum site_kind kind;
		int64_t bytes;
	} in[] = {
		{ MEMORY_LIST_PEAK, SITE_USER, 3000 },     { MEMORY_LIST_PEAK, SITE_FRAMEWORK, 3 },
		{ MEMORY_LIST_PEAK, SITE_FRAMEWORK, 2 },   { MEMORY_LIST_PEAK, SITE_UNEXPLAINED, -1 },
		{ MEMORY_LIST_END, SITE_USER, 5000 },      { MEMORY_LIST_END, SITE_USER, 4 },
		{ MEMORY_LIST_END, SITE_REST, 100 },       { MEMORY_LIST_GROWTH, SITE_USER, 5000 },
		{ MEMORY_LIST_GROWTH, SITE_USER, 1 },
	}, out[] = {
		{ MEMORY_LIST_PEAK, SITE_USER, 3000 },     { MEMORY_LIST_PEAK, SITE_UNEXPLAINED, -1 },
		{ MEMORY_LIST_PEAK, SITE_REST, 5 },        { MEMORY_LIST_END, SITE_USER, 5000 },
		{ MEMORY_LIST_END, SITE_REST, 104 },       { MEMORY_LIST_GROWTH, SITE_USER, 5000 },
		{ MEMORY_LIST_GROWTH, SITE_USER, 1 },
	};
	for (size_t i = 0; i < sizeof in / sizeof *in; i++)
		vec_push(&d->memory_items, (struct memory_item){ .memory = "0",
		                                                 .list = in[i].list,
		                                                 .kind = in[i].kind,
		                                                 .bytes = in[i].bytes,
		                                                 .blocks = 1,
		                                                 .largest = in[i].bytes });
	digest_small(d, &t);
	assert_int_equal(d->memory_items.nr, sizeof out / sizeof *out);
	for (size_t i = 0; i < d->memory_items.nr; i++) {
		assert_int_equal(d->memory_items.v[i].list, out[i].list);
		assert_int_equal(d->memory_items.v[i].kind, out[i].kind);
		assert_int_equal(d->memory_items.v[i].bytes, out[i].bytes);
	}
	assert_int_equal(d->memory_items.v[2].largest, 3);
	assert_int_equal(d->memory_items.v[2].blocks, 2);
	digest_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_stay),     cmocka_unit_test(test_calls),
		cmocka_unit_test(kernels_stay),  cmocka_unit_test(view),
		cmocka_unit_test(new_or_folded), cmocka_unit_test(ops_and_threads),
		cmocka_unit_test(sites),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
