#include "read/timeline.h"

#include "io/jscan.h"
#include "read/values.h"

#define MAX_ROWS ((size_t)1 << 26)

/* columns of a row: [time, action, bytes, category] */
enum { COLUMN_TIME, COLUMN_ACTION, COLUMN_BYTES, COLUMN_CATEGORY, NR_COLUMNS };

struct timeline_reader {
	struct jscan *js;
	struct memory_timeline out;
	size_t limit;
	uint64_t byte; ///< offset of the current row
	bool half; ///< true if the previous row was the first of the two rows that describe a new
	           ///< version of a tensor
	int64_t owed; ///< the bytes of the previous row, negated; if `half`, the current row must have
	              ///< this number of bytes
	int64_t moved; ///< sum of the sizes of all changes, to check the limit
};

static bool failed(const struct timeline_reader *r)
{
	return jscan_status(r->js) != ST_OK;
}

static void fail_damaged(struct timeline_reader *r, const char *what)
{
	jscan_fail(r->js, r->byte, "memory timeline: %s", what);
}

static void add_timeline_row(struct timeline_reader *r, struct timeline_row row)
{
	struct memory_timeline *t = &r->out;
	if (t->rows.nr == r->limit) {
		jscan_fail(r->js, r->byte, "memory timeline: more than %zu rows: record fewer steps",
		           r->limit);
		return;
	}
	if (row.time_us < (t->rows.nr ? t->rows.v[t->rows.nr - 1].time_us : -1))
		fail_damaged(r, "rows are not in order of time");
	else if (__builtin_add_overflow(r->moved, row.bytes < 0 ? -row.bytes : row.bytes, &r->moved) ||
	         r->moved >= RECORD_BYTES)
		fail_damaged(r, "the bytes add up to 4 EiB or more");
	else
		vec_push(&t->rows, row);
}

/* ---- form with rows of actions ---- */

/* What is wrong with the row `v`, or NULL. A new version of a tensor has two rows: its
   bytes are taken from the category of the old version, then added to the category of the new
   version. */
static const char *fault_of(const struct timeline_reader *r, const int64_t v[NR_COLUMNS])
{
	int64_t bytes = v[COLUMN_BYTES];
	bool version = v[COLUMN_ACTION] == TIMELINE_VERSION;
	if (v[COLUMN_TIME] < -1)
		return "a time is below -1";
	if ((v[COLUMN_TIME] < 0) != (v[COLUMN_ACTION] == TIMELINE_PREEXISTING))
		return "time -1 and action 1 (preexisting) go together";
	if (v[COLUMN_ACTION] < TIMELINE_PREEXISTING || v[COLUMN_ACTION] > TIMELINE_DESTROY)
		return "an action is not one of 1 (preexisting) to 4 (destroy)";
	if (v[COLUMN_CATEGORY] < 0 || v[COLUMN_CATEGORY] >= TIMELINE_CATEGORIES)
		return "a category is not one of 0 to 7";
	if (bytes <= -RECORD_BYTES)
		return "a row is of 4 EiB or more";
	if (r->half && (!version || bytes != r->owed))
		return "a new version of a tensor lacks its second row";
	if (v[COLUMN_ACTION] == TIMELINE_DESTROY || (version && !r->half) ? bytes > 0 : bytes < 0)
		return "the bytes of a row have the wrong sign for its action";
	return NULL;
}

static void add_raw_row(struct timeline_reader *r, const int64_t v[NR_COLUMNS])
{
	const char *fault = fault_of(r, v);
	if (fault) {
		fail_damaged(r, fault);
		return;
	}
	r->half = v[COLUMN_ACTION] == TIMELINE_VERSION && !r->half;
	r->owed = -v[COLUMN_BYTES];
	add_timeline_row(r, (struct timeline_row){
	                        .time_us = v[COLUMN_TIME] < 0 ? -1 : v[COLUMN_TIME] / 1000,
	                        .bytes = v[COLUMN_BYTES],
	                        .action = (uint8_t)v[COLUMN_ACTION],
	                        .category = (uint8_t)v[COLUMN_CATEGORY],
	                        .more = r->half,
	                    });
}

/* Reads the numbers of a row whose opening bracket the caller has read; true if the row consists of
   `want` whole numbers. */
static bool read_numbers(struct timeline_reader *r, int64_t *v, size_t want)
{
	size_t nr = 0;
	bool whole = true;
	while (jscan_element(r->js)) {
		int64_t number;
		whole = read_integer(r->js, false, &number) && whole && nr < want;
		if (whole)
			v[nr++] = number;
	}
	return whole && nr == want;
}

/* Reads the form with rows of actions. The caller has read the first row, `row`. If `second` is
   true, there is a second row, and the caller has already read its opening bracket. */
static void read_raw(struct timeline_reader *r, const int64_t *row, bool second)
{
	int64_t v[NR_COLUMNS];
	r->out.raw = true;
	add_raw_row(r, row);
	while (second && !failed(r)) {
		if (!read_numbers(r, v, NR_COLUMNS))
			fail_damaged(r, "a row is not of four whole numbers");
		else
			add_raw_row(r, v);
		second = jscan_element(r->js);
		r->byte = jscan_value_byte(r->js);
		if (second && !jscan_array(r->js))
			fail_damaged(r, "a row is not a list");
	}
	if (r->half)
		fail_damaged(r, "a new version of a tensor lacks its second row");
}

/* ---- form with times and sizes ---- */

struct numbers {
	VEC(int64_t) list;
};

/* Reads the sizes of one moment: 0, then a number for each category. */
static void read_sizes(struct timeline_reader *r, int64_t time_us,
                       int64_t last[TIMELINE_CATEGORIES])
{
	int64_t v[1 + TIMELINE_CATEGORIES];
	r->byte = jscan_value_byte(r->js);
	if (!jscan_array(r->js) || !read_numbers(r, v, 1 + TIMELINE_CATEGORIES) || v[0] != 0) {
		fail_damaged(r, "the sizes of a moment are not 0 and those of eight categories");
		return;
	}
	size_t left = 0;
	for (size_t c = 0; c < TIMELINE_CATEGORIES; c++) {
		if (v[c + 1] < 0 || v[c + 1] >= RECORD_BYTES) {
			fail_damaged(r, "a size is below 0, or 4 EiB or more");
			return;
		}
		left += v[c + 1] != last[c];
	}
	struct timeline_row row = { .time_us = time_us };
	if (!left) /* no category changed: the moment is kept too, as a row of 0 bytes */
		add_timeline_row(r, row);
	for (size_t c = 0; c < TIMELINE_CATEGORIES && left && !failed(r); c++) {
		row.bytes = v[c + 1] - last[c];
		if (!row.bytes)
			continue;
		row.category = (uint8_t)c;
		row.more = --left > 0;
		add_timeline_row(r, row);
		last[c] = v[c + 1];
	}
}

static void read_moments(struct timeline_reader *r, const struct numbers *times)
{
	int64_t last[TIMELINE_CATEGORIES] = { 0 };
	size_t nr = 0;
	while (!failed(r) && jscan_element(r->js)) {
		if (nr == times->list.nr)
			fail_damaged(r, "there are more sizes than times");
		else
			read_sizes(r, times->list.v[nr++], last);
	}
	if (!failed(r) && nr < times->list.nr)
		fail_damaged(r, "there are fewer sizes than times");
	if (!failed(r) && jscan_element(r->js))
		fail_damaged(r, "more than times and sizes");
}

/* ---- choice of the form ---- */

/* Reads a timeline in either of its forms. In one form the first list is a row, in the other it is
 * the list of times; the beginning of the second list shows which form the file has. */
static void read_form(struct timeline_reader *r, struct numbers *first)
{
	while (!failed(r) && jscan_element(r->js)) {
		int64_t number;
		if (first->list.nr == r->limit)
			jscan_fail(r->js, r->byte, "memory timeline: more than %zu times: record fewer steps",
			           r->limit);
		else if (!read_integer(r->js, false, &number) || number < -RECORD_BYTES)
			fail_damaged(r, "a number is not whole");
		else
			vec_push(&first->list, number);
	}
	if (failed(r))
		return;
	bool second = jscan_element(r->js);
	r->byte = jscan_value_byte(r->js);
	if (second && !jscan_array(r->js)) {
		fail_damaged(r, "a row is not a list");
	} else if (second && (first->list.nr == 0 || jscan_peek(r->js) == JSCAN_ARRAY)) {
		read_moments(r, first);
	} else if (first->list.nr != NR_COLUMNS) {
		fail_damaged(r, "neither rows of four whole numbers nor times and sizes");
	} else {
		read_raw(r, first->list.v, second);
	}
}

enum status timeline_read(struct source *src, size_t rows, struct memory_timeline *out,
                          struct diag_log *log)
{
	struct jscan_options scan = { .tolerant = true };
	struct timeline_reader r = { .js = jscan_new(src, &scan, log),
		                         .limit = rows ? rows : MAX_ROWS };
	struct numbers first = { 0 };
	if (!jscan_array(r.js) || !jscan_element(r.js) || !jscan_array(r.js))
		fail_damaged(&r, "not a list of lists");
	else
		read_form(&r, &first);
	jscan_end(r.js);
	r.byte = jscan_byte(r.js);
	if (source_truncated(src))
		fail_damaged(&r, "it is cut short; copy it anew");
	if (r.out.rows.nr == 0)
		fail_damaged(&r,
		             "nothing was recorded of this device; name it in export_memory_timeline()");
	enum status st = jscan_status(r.js);
	r.out.json_faults = jscan_faults(r.js, &r.out.fault_byte);
	if (st == ST_OK)
		*out = r.out;
	else
		memory_timeline_release(&r.out);
	vec_release(&first.list);
	jscan_free(r.js);
	return st;
}
