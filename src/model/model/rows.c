#include "model/rows.h"

#include "base/number.h"

#define LIST(member, type, joined_, summed_)                                                \
	{                                                                                       \
		.offset = offsetof(struct digest, member), .row = &type##_row, .joined = (joined_), \
		.summed = (summed_)                                                                 \
	}
const struct digest_list digest_lists[] = {
	/* LIST(member of struct digest, row type, are rows of equal keys joined when profiler cycles
	   are merged?, are they summed over the ranks of a folded run?). Rows of a GPU or thread are
	   not summed, since another rank's GPU or thread of the same name is a different one. */
	LIST(env, env_entry, false, false), /* merge/cycles.c joins it (join_env()) */
	LIST(summaries, step_summary, false, false),
	LIST(phase_summaries, phase_summary, false, false),
	LIST(kernels, kernel_stat, true, true),
	LIST(devices, device_stat, true, false),
	LIST(ops, op_stat, true, true),
	LIST(flops, flop_stat, true, true),
	LIST(calls, call_stat, true, true),
	LIST(threads, thread_stat, true, false),
	LIST(comms, comm_stat, false, true), /* merge/cycles.c joins it, and sets collective.comm */
	LIST(collectives, collective, false, false),
	LIST(functions, function_stat, false, false), /* a tree: merge/cycles.c joins it */
	LIST(code, code_stat, true, true),
	LIST(ranges, range_stat, true, true),
	LIST(counters, counter_stat, true, false),
	LIST(phase_kernels, kernel_stat, true, false),
	LIST(phase_ops, op_stat, true, false),
	LIST(memories, memory_stat, true, false),
	LIST(trace_memories, memory_stat, true, false),
	LIST(memory_items, memory_item, false, false), /* never joined: a rank has one snapshot */
	LIST(memory_levels, memory_level, false, false),
	LIST(memory_evidence, memory_evidence, false, false),
	LIST(inputs, input_stat, false, false), /* merge/cycles.c joins those of several result files */
	LIST(machines, machine_stat, false, false),
};
const size_t nr_digest_lists = NR_OF(digest_lists);

/* ---- members of row types ---- */

size_t field_size(const struct field *f)
{
	switch (f->type) {
	case FIELD_BOOL:
		return sizeof(bool);
	case FIELD_TEXT:
	case FIELD_OPTIONAL_TEXT:
		return sizeof(const char *);
	case FIELD_NAME:
	case FIELD_OPTIONAL_NAME:
		return sizeof(struct span);
	case FIELD_ENUM:
		return sizeof(unsigned);
	case FIELD_SHAPE:
		return 3 * sizeof(int64_t);
	default:
		return sizeof(int64_t);
	}
}

static int64_t *number_at(const struct field *f, void *row)
{
	return (void *)((char *)row + f->offset);
}

static int64_t number_of(const struct field *f, const void *row)
{
	return *(const int64_t *)(const void *)((const char *)row + f->offset);
}

static int64_t names_of(const struct schema *s, const void *row)
{
	return s->names ? *(const int64_t *)(const void *)((const char *)row + s->names) : 0;
}

bool row_is_sum(const struct schema *s, const void *row)
{
	return names_of(s, row) > 0;
}

/* ---- order of rows ---- */

static int member_cmp(const struct field *f, const void *a, const void *b)
{
	const void *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
	unsigned k, m;
	int64_t n, o;
	switch (f->type) {
	case FIELD_TEXT:
		return strcmp(*(const char *const *)x, *(const char *const *)y);
	case FIELD_NAME:
	case FIELD_OPTIONAL_NAME:
		return span_cmp(*(const struct span *)x, *(const struct span *)y);
	case FIELD_ENUM:
		k = *(const unsigned *)x, m = *(const unsigned *)y;
		return COMPARE(k, m);
	default:
		n = *(const int64_t *)x, o = *(const int64_t *)y;
		return COMPARE(n, o);
	}
}

static int keys_cmp(const struct schema *s, const void *a, const void *b, enum row_key until)
{
	int c = 0;
	for (const struct field *f = s->fields; !c && f < s->fields + s->nr; f++) {
		if (f->order == KEY_NOT || f->order > until)
			break;
		if (f->sums_last)
			c = (int)row_is_sum(s, a) - (int)row_is_sum(s, b);
		c = c ? c : member_cmp(f, a, b);
	}
	return c;
}

int row_cmp(const struct schema *s, const void *a, const void *b)
{
	return keys_cmp(s, a, b, KEY_SAME);
}

/* True if different rows may have the same sorting keys, or if the row type has no sorting keys. A
 * file may list such rows in any order. */
static bool has_order_of_writer(const struct schema *s)
{
	size_t nr = 0;
	while (nr < s->nr && s->fields[nr].order == KEY_ORDER)
		nr++;
	return nr == 0 || (nr < s->nr && s->fields[nr].order == KEY_SAME);
}

int row_order(const struct schema *s, const void *a, const void *b)
{
	if (s->cmp)
		return s->cmp(a, b);
	int c = keys_cmp(s, a, b, KEY_ORDER);
	return c == 0 && has_order_of_writer(s) ? -1 : c;
}

int row_identity(const struct schema *s, const void *a, const void *b)
{
	return s->cmp ? s->cmp(a, b) : s->fields->order == KEY_NOT ? -1 : row_cmp(s, a, b);
}

/* ---- joining of rows ---- */

static void set_absent(const struct field *f, void *row)
{
	int64_t *number = number_at(f, row);
	if (f->type == FIELD_SHAPE)
		number[0] = number[1] = number[2] = -1;
	else
		*number = f->absent;
}

static void join_both(const struct field *f, int64_t *x, int64_t y)
{
	*x = *x == f->absent || y == f->absent ? f->absent : number_add(*x, y);
}

static void join_member(const struct schema *s, const struct field *f, enum row_join join,
                        void *row, const void *more)
{
	int64_t names = names_of(s, more);
	void *at = (char *)row + f->offset;
	const void *from = (const char *)more + f->offset;
	switch (join) {
	case JOIN_SUM:
		*number_at(f, row) = number_add(number_of(f, row), number_of(f, more));
		break;
	case JOIN_MAX:
		if (number_of(f, more) > number_of(f, row))
			*number_at(f, row) = number_of(f, more);
		break;
	case JOIN_LAST:
		memcpy(at, from, field_size(f));
		break;
	case JOIN_OR:
		*(bool *)at = *(bool *)at || *(const bool *)from;
		break;
	case JOIN_BOTH:
		join_both(f, at, number_of(f, more));
		break;
	case JOIN_NAMES:
		if (row_is_sum(s, row))
			*number_at(f, row) = number_add(number_of(f, row), names > 0 ? names : 1);
		break;
	case JOIN_KEEP:
	case JOIN_NONE:
	case JOIN_OWN:
		break;
	}
}

void row_add(const struct schema *s, enum row_occasion occasion, void *row, const void *more)
{
	if (s->own[occasion])
		s->own[occasion](row, more);
	for (const struct field *f = s->fields; f < s->fields + s->nr; f++)
		if (f->order == KEY_NOT)
			join_member(s, f, f->join[occasion], row, more);
}

void row_make_sum(const struct schema *s, void *row)
{
	if (row_is_sum(s, row))
		return;
	for (const struct field *f = s->fields; f < s->fields + s->nr; f++) {
		void *at = (char *)row + f->offset;
		if (f->order && f->type == FIELD_NAME)
			*(struct span *)at = SPAN("");
		else if (f->order && f->type == FIELD_TEXT)
			*(const char **)at = "";
		else if (f->join[ROWS_SMALL] == JOIN_NAMES)
			*number_at(f, row) = 1;
		else if (f->join[ROWS_SMALL] == JOIN_NONE)
			set_absent(f, row);
	}
}

void row_add_small(const struct schema *s, void *sum, const void *row)
{
	if (row_is_sum(s, sum)) {
		row_add(s, ROWS_SMALL, sum, row);
		return;
	}
	memcpy(sum, row, s->size);
	row_make_sum(s, sum);
}

/* A VEC of any row type, since every VEC is a pointer and two sizes. */
struct row_list {
	char *v;
	size_t nr, cap;
};

void rows_join(const struct schema *s, void *into, const void *from, row_joiner *join)
{
	struct row_list a, b, out = { 0 };
	memcpy(&a, into, sizeof a);
	memcpy(&b, from, sizeof b);
	if (b.nr == 0)
		return;
	out.cap = a.nr + b.nr;
	out.v = mem_calloc(out.cap, s->size);
	for (size_t i = 0, k = 0; i < a.nr || k < b.nr;) {
		int c = i == a.nr ? 1 : k == b.nr ? -1 : row_cmp(s, a.v + i * s->size, b.v + k * s->size);
		char *row = out.v + out.nr++ * s->size;
		memcpy(row, c <= 0 ? a.v + i * s->size : b.v + k * s->size, s->size);
		if (c == 0)
			join(s, row, b.v + k * s->size);
		i += c <= 0;
		k += c >= 0;
	}
	free(a.v);
	memcpy(into, &out, sizeof out);
}

static int list_cmp(const void *a, const void *b, void *schema)
{
	return row_cmp(schema, a, b);
}

void rows_unite(const struct schema *s, void *list)
{
	struct row_list rows;
	size_t nr = 0;
	memcpy(&rows, list, sizeof rows);
	sort_runs(rows.v, rows.nr, s->size, list_cmp, (void *)(uintptr_t)s);
	for (size_t i = 0; i < rows.nr; i++) {
		const char *row = rows.v + i * s->size;
		char *last = nr ? rows.v + (nr - 1) * s->size : NULL;
		if (last && row_cmp(s, last, row) == 0)
			row_add(s, ROWS_SMALL, last, row);
		else
			memmove(rows.v + nr++ * s->size, row, s->size);
	}
	rows.nr = nr;
	memcpy(list, &rows, sizeof rows);
}
