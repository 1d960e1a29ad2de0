#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "model/rows.h"

#define TYPE(type)         \
	{                      \
#type, &type##_row \
	}
static const struct {
	const char *name;
	const struct schema *row;
} types[] = {
	TYPE(env_entry),     TYPE(trust_counts),    TYPE(kernel_stat),   TYPE(device_stat),
	TYPE(op_stat),       TYPE(call_stat),       TYPE(flop_stat),     TYPE(thread_stat),
	TYPE(comm_stat),     TYPE(collective),      TYPE(function_stat), TYPE(counter_stat),
	TYPE(progress),      TYPE(cross_rank),      TYPE(memory_stat),   TYPE(memory_item),
	TYPE(memory_level),  TYPE(memory_evidence), TYPE(input_stat),    TYPE(step_summary),
	TYPE(phase_summary), TYPE(machine_stat),    TYPE(code_stat),     TYPE(range_stat),
};
enum { NR_TYPES = sizeof types / sizeof *types };

/* ---- every member of a struct is in its table ---- */

/* Bytes of a struct that no line of its table covers may only be padding: before a member that is
   aligned to eight bytes, or at the end. What follows from the name of a kernel is left out. */
static void test_members(void **state)
{
	(void)state;
	for (size_t t = 0; t < NR_TYPES; t++) {
		const struct schema *s = types[t].row;
		size_t size = s == &kernel_stat_row ? offsetof(struct kernel_stat, key) : s->size;
		unsigned char *owner = calloc(size, 1);
		for (size_t i = 0; i < s->nr; i++)
			for (size_t k = 0; k < field_size(&s->fields[i]); k++) {
				size_t at = s->fields[i].offset + k;
				if (at >= size || owner[at]++)
					fail_msg("%s: %s lies where another member does", types[t].name,
					         s->fields[i].key);
			}
		for (size_t from = 0, end; from < size; from = end + 1) {
			for (end = from; end < size && !owner[end];)
				end++;
			if (end - from >= 8 || (end > from && end % 8))
				fail_msg("%s: no line for the %zu bytes from %zu on", types[t].name, end - from,
				         from);
		}
		free(owner);
	}
}

/* ---- every member is joined as its table line says ---- */

/* Fills a row with numbers that differ between members and between rows. */
static void fill(const struct schema *s, int which, void *row)
{
	static const char *const texts[] = { "first", "second" };
	memset(row, 0, s->size);
	for (size_t i = 0; i < s->nr; i++) {
		const struct field *f = &s->fields[i];
		void *at = (char *)row + f->offset;
		int64_t *number = at;
		int64_t value = 1000 + (int64_t)i * 10 + (i % 2 ? which : 3 - which);
		switch (f->type) {
		case FIELD_BOOL:
			*(bool *)at = which == 1;
			break;
		case FIELD_TEXT:
		case FIELD_OPTIONAL_TEXT:
			*(const char **)at = f->order ? "key" : texts[which];
			break;
		case FIELD_NAME:
			*(struct span *)at = f->order ? SPAN("key") : span_of(texts[which]);
			break;
		case FIELD_ENUM:
			*(unsigned *)at = 0;
			break;
		case FIELD_SHAPE:
			number[0] = number[1] = number[2] = value;
			break;
		default:
			*number = f->order ? 1 : value;
		}
	}
}

static int64_t number_of(const struct field *f, const void *row)
{
	int64_t n = 0;
	if (f->type != FIELD_BOOL && f->type != FIELD_ENUM)
		memcpy(&n, (const char *)row + f->offset, sizeof n);
	return n;
}

static bool is_same(const struct field *f, const void *a, const void *b)
{
	return memcmp((const char *)a + f->offset, (const char *)b + f->offset, field_size(f)) == 0;
}

static bool is_joined(const struct field *f, enum row_join join, const void *a, const void *b,
                      const void *out)
{
	int64_t x = number_of(f, a), y = number_of(f, b);
	switch (join) {
	case JOIN_KEEP:
	/* JOIN_NONE: a sum of rows lacks the member, but kernels joined by match name keep the first
	 * value */
	case JOIN_NONE:
		return is_same(f, out, a);
	case JOIN_LAST:
		return is_same(f, out, b);
	case JOIN_SUM:
	case JOIN_BOTH:
	case JOIN_NAMES:
		return number_of(f, out) == x + y;
	case JOIN_MAX:
		return number_of(f, out) == (x > y ? x : y);
	case JOIN_OR:
		return *((const bool *)out + f->offset);
	case JOIN_OWN: /* a member that a function of its row type joins; such functions have tests
	                  below */
		return true;
	}
	return false;
}

static void check_type(const char *name, const struct schema *s, enum row_occasion occasion)
{
	void *row[2], *out = malloc(s->size);
	for (int which = 0; which < 2; which++) {
		row[which] = malloc(s->size);
		fill(s, which, row[which]);
	}
	for (int first = 0; first < 2; first++) {
		memcpy(out, row[first], s->size);
		row_add(s, occasion, out, row[1 - first]);
		for (size_t i = 0; i < s->nr; i++) {
			const struct field *f = &s->fields[i];
			if (!is_joined(f, f->join[occasion], row[first], row[1 - first], out))
				fail_msg("%s: %s is not what its line says of occasion %d", name, f->key, occasion);
			if (f->order && !is_same(f, out, row[first]))
				fail_msg("%s: joining changes the key %s", name, f->key);
			if (f->join[occasion] == JOIN_OWN && !s->own[occasion])
				fail_msg("%s: %s has no function", name, f->key);
		}
		if (s->fields->order)
			assert_int_equal(row_cmp(s, out, row[first]), 0);
	}
	free(row[0]);
	free(row[1]);
	free(out);
}

static void test_joins(void **state)
{
	(void)state;
	for (size_t t = 0; t < NR_TYPES; t++)
		for (int o = 0; o < NR_ROW_OCCASIONS; o++)
			check_type(types[t].name, types[t].row, (enum row_occasion)o);
}

/* Values that cannot be added are taken from the cycle with more events. */
static void test_whole_values(void **state)
{
	(void)state;
	static const struct {
		const struct schema *row;
		size_t more_of;
	} rows[] = {
		{ &kernel_stat_row, offsetof(struct kernel_stat, count) },
		{ &function_stat_row, offsetof(struct function_stat, count) },
		{ &counter_stat_row, offsetof(struct counter_stat, samples) },
		{ &progress_row, offsetof(struct progress, step) },
		{ &memory_stat_row, offsetof(struct memory_stat, peak_allocated) },
	};
	for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
		const struct schema *s = rows[t].row;
		char *row[2] = { malloc(s->size), malloc(s->size) }, *out = malloc(s->size);
		fill(s, 0, row[0]);
		fill(s, 1, row[1]);
		const struct field more = { .offset = rows[t].more_of };
		bool larger = number_of(&more, row[1]) > number_of(&more, row[0]);
		for (int first = 0; first < 2; first++) {
			memcpy(out, row[first], s->size);
			row_add(s, ROWS_OF_CYCLES, out, row[1 - first]);
			for (const struct field *f = s->fields; f < s->fields + s->nr; f++)
				if (f->join[ROWS_OF_CYCLES] == JOIN_OWN && strncmp(f->key, "occupancy", 9) != 0 &&
				    !is_same(f, out, row[larger]))
					fail_msg("%s is not that of the larger row", f->key);
		}
		free(row[0]);
		free(row[1]);
		free(out);
	}
	struct trust_counts x = { .fault_byte = 0 }, y = { .json_faults = 2, .fault_byte = 70 };
	row_add(&trust_counts_row, ROWS_OF_CYCLES, &x, &y);
	y.fault_byte = 80;
	row_add(&trust_counts_row, ROWS_OF_CYCLES, &x, &y);
	assert_int_equal(x.fault_byte, 70);
	assert_int_equal(x.json_faults, 4);
}

static void test_unknown(void **state)
{
	(void)state;
	struct thread_stat x = { .id = "1/1", .busy_ns = 5, .op_ns = -1 };
	struct thread_stat y = { .id = "1/1", .busy_ns = 6, .op_ns = 7 };
	row_add(&thread_stat_row, ROWS_OF_CYCLES, &x, &y);
	assert_int_equal(x.busy_ns, 11);
	assert_int_equal(x.op_ns, -1);
	struct memory_stat m = { .id = "0", .churn_bytes = 4, .capacity = MEMORY_UNKNOWN };
	struct memory_stat n = { .id = "0", .churn_bytes = 5, .capacity = 80, .peak_op = "mm" };
	row_add(&memory_stat_row, ROWS_OF_CYCLES, &m, &n);
	assert_int_equal(m.churn_bytes, 9);
	assert_int_equal(m.capacity, 80);
	assert_string_equal(m.peak_op, "mm"); /* equal peaks: the later cycle's figures are kept */
}

/* ---- sums of small rows ---- */

static void test_sums(void **state)
{
	(void)state;
	for (size_t t = 0; t < NR_TYPES; t++) {
		const struct schema *s = types[t].row;
		if (!s->names)
			continue;
		void *row = malloc(s->size), *sum = calloc(1, s->size);
		fill(s, 0, row);
		*(int64_t *)(void *)((char *)row + s->names) = 0;
		row_add_small(s, sum, row);
		row_add_small(s, sum, row);
		row_add_small(s, sum, sum);
		assert_true(row_is_sum(s, sum));
		assert_true(s->fields->type != FIELD_ENUM || is_same(s->fields, sum, row));
		for (size_t i = 0; i < s->nr; i++) {
			const struct field *f = &s->fields[i];
			enum row_join join = f->join[ROWS_SMALL];
			int64_t want = join == JOIN_SUM     ? 4 * number_of(f, row)
			               : join == JOIN_NAMES ? 4
			               : join == JOIN_NONE  ? f->type == FIELD_SHAPE ? -1 : f->absent
			                                    : 0;
			if (want && number_of(f, sum) != want)
				fail_msg("%s: %s of a sum", types[t].name, f->key);
		}
		free(row);
		free(sum);
	}
}

/* The occupancy of a sum is exact, in whatever order the sum was made. */
static void test_occupancy(void **state)
{
	(void)state;
	static const int64_t of[][2] = { /* pairs of occupancy and step_total_ns */
		                             { 33333333, 7 }, { 0, 1000 },       { 98765432, 1001 },
		                             { -1, 500 },     { 12345678, 999 }, { 1, 3 }
	};
	enum { NR = sizeof of / sizeof *of };
	struct kernel_stat forward, backward;
	__int128 want = 0;
	for (size_t i = 0; i < NR; i++) {
		struct kernel_stat k[2];
		for (size_t way = 0; way < 2; way++) {
			const int64_t *v = of[way ? NR - 1 - i : i];
			k[way] = (struct kernel_stat){ .occupancy = v[0], .step_total_ns = v[1] };
		}
		want += kernel_occupancy_sum(&k[0]);
		if (i == 0) {
			forward = k[0], backward = k[1];
			continue;
		}
		row_add(&kernel_stat_row, ROWS_SMALL, &forward, &k[0]);
		row_add(&kernel_stat_row, ROWS_SMALL, &backward, &k[1]);
	}
	assert_true(kernel_occupancy_sum(&forward) == want && kernel_occupancy_sum(&backward) == want);
	assert_int_equal(kernel_occupancy_ns(&forward), 7 + 1001 + 999 + 3);
	assert_int_equal(forward.occupancy, number_div_round(want, 2010));
	assert_int_equal(backward.occupancy, forward.occupancy);
}

/* If the occupancy of both rows is unknown (0 or less), their sum has no time with an occupancy and
   no remainder. If at least one of the rows has time in steps, the sum has the lower of the two
   occupancies, else the higher one. */
static void test_unknown_occupancy(void **state)
{
	(void)state;
	static const struct {
		int64_t x[2], y[2], want; /* occupancy and step_total_ns of two rows; joined occupancy */
	} rows[] = {
		{ { 0, 0 }, { -1, 1 }, -1 }, { { -1, 1 }, { 0, 0 }, -1 }, { { 0, 0 }, { -1, 0 }, 0 },
		{ { -1, 0 }, { 0, 0 }, 0 },  { { 0, 1 }, { -1, 0 }, -1 }, { { 0, 0 }, { 0, 0 }, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kernel_stat x = { .occupancy = rows[i].x[0],
			                     .step_total_ns = rows[i].x[1],
			                     .occupancy_rest = 7 };
		struct kernel_stat y = { .occupancy = rows[i].y[0], .step_total_ns = rows[i].y[1] };
		row_add(&kernel_stat_row, ROWS_SMALL, &x, &y);
		if (x.occupancy != rows[i].want || x.occupancy_rest || x.occupancy_ns)
			fail_msg("row %zu: %d", i, (int)x.occupancy);
	}
}

/* A row that becomes a sum has no name and no shape; a row that is a sum stays as it is. */
static void test_make_sum(void **state)
{
	(void)state;
	struct kernel_stat k = {
		.name = SPAN("k"), .count = 3, .grid = { 4, 5, 6 }, .block = { 7, 8, 9 }
	};
	row_make_sum(&kernel_stat_row, &k);
	assert_true(k.name.n == 0 && k.names == 1 && k.count == 3);
	for (int n = 0; n < 3; n++)
		assert_true(k.grid[n] == -1 && k.block[n] == -1);
	k.names = 7;
	row_make_sum(&kernel_stat_row, &k);
	assert_int_equal(k.names, 7);
}

/* ---- lists of rows ---- */

static void join_cycles(const struct schema *s, void *row, const void *more)
{
	row_add(s, ROWS_OF_CYCLES, row, more);
}

static void test_lists(void **state)
{
	(void)state;
	struct digest *d = digest_new(), *more = digest_new();
	vec_push(&d->ops, (struct op_stat){ .name = SPAN("a"), .count = 1 });
	vec_push(&d->ops, (struct op_stat){ .name = SPAN("c"), .count = 2 });
	vec_push(&d->ops, (struct op_stat){ .name = SPAN(""), .count = 3, .names = 9 });
	vec_push(&more->ops, (struct op_stat){ .name = SPAN("b"), .count = 10 });
	vec_push(&more->ops, (struct op_stat){ .name = SPAN("c"), .count = 20 });
	vec_push(&more->ops, (struct op_stat){ .name = SPAN(""), .count = 30, .names = 5 });
	rows_join(&op_stat_row, &d->ops, &more->ops, join_cycles);
	assert_int_equal(d->ops.nr, 4);
	static const int64_t counts[] = { 1, 10, 22, 33 };
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(d->ops.v[i].count, counts[i]);
	assert_int_equal(d->ops.v[3].names, 9);
	digest_free(d);
	digest_free(more);
	for (size_t i = 0; i < nr_digest_lists; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(digest_lists[i].offset, digest_lists[k].offset);
}

/* ---- members that files of the first minor version lack, and values that are not written ---- */

/* All members that a file may lack: "TYPE.KEY", the minor version that introduced the member, and
   its value if it is absent. An additional line would accept files that lack the member by mistake;
   a missing line would make old files unreadable. */
static void test_absent_members(void **state)
{
	(void)state;
	static const char want[] = "trust_counts.lost_ns 1 0\n"
	                           "trust_counts.tick_ns 1 0\n"
	                           "trust_counts.untimed 1 0\n"
	                           "trust_counts.timed 2 0\n"
	                           "trust_counts.untimed_ns 2 0\n"
	                           "trust_counts.twice 2 0\n"
	                           "trust_counts.twice_ns 2 0\n"
	                           "trust_counts.before_ns 2 0\n"
	                           "trust_counts.unknown_ns 2 0\n"
	                           "trust_counts.cut_ns 2 0\n"
	                           "trust_counts.contained_ns 2 0\n"
	                           "trust_counts.captured 2 0\n"
	                           "trust_counts.pending 2 0\n"
	                           "trust_counts.left_over 2 0\n"
	                           "trust_counts.lost_unknown 2 0\n"
	                           "trust_counts.marker_ns 2 0\n"
	                           "trust_counts.completion_ns 2 0\n"
	                           "trust_counts.replayed_ns 3 0\n"
	                           "trust_counts.joined_ns 3 0\n"
	                           "trust_counts.unordered_ns 3 0\n"
	                           "trust_counts.ambiguous_ns 3 0\n"
	                           "trust_counts.lost_copies 3 0\n"
	                           "trust_counts.lost_copies_ns 3 0\n"
	                           "trust_counts.lost_nodes 3 0\n"
	                           "trust_counts.early 3 0\n"
	                           "trust_counts.early_ns 3 0\n"
	                           "trust_counts.requests_low 3 0\n"
	                           "trust_counts.requests_high 3 0\n"
	                           "trust_counts.tokens_low 3 0\n"
	                           "trust_counts.tokens_high 3 0\n"
	                           "trust_counts.graph_kinds 3 0\n"
	                           "kernel_stat.registers 3 -1\n"
	                           "kernel_stat.shared_memory 3 -1\n"
	                           "kernel_stat.local_memory 3 -1\n"
	                           "kernel_stat.occupancy 0 -1\n"
	                           "kernel_stat.occupancy_ns 1 0\n"
	                           "kernel_stat.occupancy_rest 1 0\n"
	                           "device_stat.measured_ns 1 -1\n"
	                           "device_stat.measured_busy_ns 1 -1\n"
	                           "flop_stat.bytes 3 0\n"
	                           "flop_stat.unsized 3 0\n"
	                           "flop_stat.sized_ns 3 0\n"
	                           "flop_stat.memory_ns 3 0\n"
	                           "flop_stat.compute_ns 3 0\n"
	                           "flop_stat.short_ns 3 0\n"
	                           "flop_stat.moved_ns 3 0\n"
	                           "flop_stat.roof_ns 3 0\n"
	                           "thread_stat.op_ns 0 -1\n"
	                           "comm_stat.group_size 0 -1\n"
	                           "collective.bytes 0 -1\n"
	                           "function_stat.parent 0 -1\n"
	                           "function_stat.rate 0 -1\n"
	                           "function_stat.rate_mad 0 -1\n"
	                           "progress.step 0 -1\n"
	                           "memory_level.time_us 0 -1\n"
	                           "input_stat.value 1 0\n"
	                           "input_stat.digits 1 0\n"
	                           "input_stat.unit 1 0\n"
	                           "input_stat.better 1 0\n"
	                           "input_stat.samples 1 0\n"
	                           "input_stat.spread 1 -1\n"
	                           "input_stat.spread_share 3 -1\n"
	                           "input_stat.work 2 0\n"
	                           "input_stat.title 3 0\n"
	                           "input_stat.place 3 0\n"
	                           "step_summary.slow 3 -1\n"
	                           "machine_stat.id 1 0\n"
	                           "machine_stat.samples 1 0\n"
	                           "machine_stat.span_ns 1 -1\n"
	                           "machine_stat.sm_clock_hz 1 -1\n"
	                           "machine_stat.memory_clock_hz 1 -1\n"
	                           "machine_stat.power_mw 1 -1\n"
	                           "machine_stat.temperature_c 1 -1\n"
	                           "machine_stat.throttled_pct 1 -1\n"
	                           "machine_stat.other_processes 1 -1\n"
	                           "machine_stat.energy_uj 3 -1\n"
	                           "machine_stat.energy_ns 3 -1\n"
	                           "machine_stat.reasons 1 0\n"
	                           "code_stat.kind 1 0\n"
	                           "code_stat.phase 1 0\n"
	                           "code_stat.module 1 0\n"
	                           "code_stat.place 1 0\n"
	                           "code_stat.line 1 -1\n"
	                           "code_stat.op 1 0\n"
	                           "code_stat.kernel 1 0\n"
	                           "code_stat.count 1 0\n"
	                           "code_stat.total_ns 1 0\n"
	                           "code_stat.bytes 1 0\n"
	                           "code_stat.names 1 0\n"
	                           "range_stat.name 1 0\n"
	                           "range_stat.count 1 0\n"
	                           "range_stat.total_ns 1 0\n"
	                           "range_stat.names 1 0\n";
	struct strbuf b = STRBUF_INIT;
	for (size_t t = 0; t < NR_TYPES; t++)
		for (const struct field *f = types[t].row->fields;
		     f < types[t].row->fields + types[t].row->nr; f++)
			if (f->since || (f->absent && f->absent != MEMORY_UNKNOWN))
				strbuf_addf(&b, "%s.%s %d %lld\n", types[t].name, f->key, f->since,
				            (long long)f->absent);
	if (strcmp(strbuf_str(&b), want) != 0) {
		fputs(strbuf_str(&b), stderr);
		fail_msg("other members than expected: all are above");
	}
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_joins),
		cmocka_unit_test(test_whole_values),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_occupancy),
		cmocka_unit_test(test_unknown_occupancy),
		cmocka_unit_test(test_make_sum),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_absent_members),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
