/* Memory in `gpugate metrics`: a snapshot, the record of another profiler, or the peaks in a
   trace. */
#include "report/memory_text.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/number.h"
#include "base/text.h"
#include "model/memory_view.h"
#include "report/table.h"

#define NAME_CHARS 100
#define INPUT_CHARS 256
#define TOP 10

struct memory_text {
	const struct digest *digest;
	const struct memory_stat *m;
	struct document *d;
};

/* ---- texts of cells ---- */

static const char *bytes(struct memory_text *t, int64_t value)
{
	return unit_text(&t->d->arena, UNIT_BYTES, value);
}

static const char *count(struct memory_text *t, int64_t value, const char *one, const char *many)
{
	if (value == MEMORY_UNKNOWN)
		return "";
	return arena_printf(&t->d->arena, "%s %s", unit_text(&t->d->arena, UNIT_COUNT, value),
	                    value == 1 ? one : many);
}

static const char *share(struct memory_text *t, int64_t part, int64_t whole)
{
	return whole > 0 ? unit_text(&t->d->arena, UNIT_PCT, number_pct(part, whole)) : "";
}

static const char *line(struct memory_text *t, struct span s)
{
	struct strbuf b = STRBUF_INIT;
	text_add_log(&b, s, NAME_CHARS);
	return arena_take(&t->d->arena, &b);
}

/* An untrusted text on one line, of at most INPUT_CHARS characters. */
static const char *input(struct memory_text *t, const char *s)
{
	struct strbuf b = STRBUF_INIT;
	if (s)
		text_add_log(&b, span_of(s), INPUT_CHARS);
	return arena_take(&t->d->arena, &b);
}

static const char *types(struct memory_text *t, const char *s)
{
	return s ? arena_printf(&t->d->arena, "(%s)", input(t, s)) : "";
}

/* Add an item of a list. Untrusted texts in it must have passed input(). */
static void say(struct memory_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct memory_text *t, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	doc_item(t->d, 0);
	doc_said(t->d, arena_take(&t->d->arena, &b));
}

static bool is_snapshot(const struct memory_stat *m)
{
	return m->source == MEMORY_OF_SNAPSHOT;
}

/* Text such as "train/model.py:forward, line 61 (attention)". */
static const char *site(struct memory_text *t, const struct memory_item *item)
{
	struct strbuf b = STRBUF_INIT;
	memory_item_add_site(&b, item);
	const char *name = line(t, strbuf_span(&b));
	strbuf_release(&b);
	return arena_printf(&t->d->arena, "%s (%s)", name, line(t, item->category));
}

/* ---- tables of items ---- */

/* Type of functions that fill the cells of one item, in the order of the table's columns. */
typedef void cells_fn(struct memory_text *t, const struct memory_item *item, const char **cells);

struct list_table {
	enum memory_list list;
	const char *title, *align;
	cells_fn *cells;
};

enum { MAX_COLUMNS = 5 };

static void write_list(struct memory_text *t, const struct list_table *l)
{
	struct table table = { .align = l->align };
	size_t nr;
	const struct memory_item *v = memory_list_of(t->digest, t->m->id, l->list, &nr);
	if (!nr)
		return;
	for (size_t i = 0; i < nr && i < TOP; i++) {
		const char *cells[MAX_COLUMNS];
		l->cells(t, &v[i], cells);
		table_add(&table, cells);
	}
	table_put(&table, false, l->title, nr > TOP ? nr - TOP : 0, t->d);
}

static void category_cells(struct memory_text *t, const struct memory_item *item,
                           const char **cells)
{
	cells[0] = bytes(t, item->bytes);
	cells[1] = share(t, item->bytes, t->m->peak_allocated);
	cells[2] = count(t, item->blocks, "block", "blocks");
	cells[3] = item->other == MEMORY_UNKNOWN
	               ? ""
	               : arena_printf(&t->d->arena, "%s at the end", bytes(t, item->other));
	cells[4] = line(t, item->category);
	if (item->largest != MEMORY_UNKNOWN)
		cells[4] = arena_printf(&t->d->arena, "%s, largest %s", cells[4], bytes(t, item->largest));
}

static void peak_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	cells[0] = bytes(t, item->bytes);
	cells[1] = share(t, item->bytes, t->m->peak_allocated);
	cells[2] = count(t, item->blocks, "block", "blocks");
	cells[3] = site(t, item);
}

static void end_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	peak_cells(t, item, cells);
	cells[1] = share(t, item->bytes, t->m->end_allocated);
}

static void site_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	cells[0] = bytes(t, item->bytes);
	cells[1] = count(t, item->blocks, "block", "blocks");
	cells[2] = site(t, item);
}

static void block_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	site_cells(t, item, cells);
	cells[1] = item->blocks == 1 ? "" : arena_printf(&t->d->arena, "× %" PRId64, item->blocks);
}

static void growth_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	site_cells(t, item, cells);
	cells[1] = arena_printf(&t->d->arena, "in %s", count(t, item->other, "step", "steps"));
}

static void churn_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	cells[0] = bytes(t, item->bytes);
	cells[1] = count(t, item->blocks, "allocation", "allocations");
	cells[2] = item->kind == SITE_REST
	               ? "" /* a row that sums up sites has no most frequent size */
	               : arena_printf(&t->d->arena, "%s, most often %s",
	                              count(t, item->other, "size", "sizes"), bytes(t, item->largest));
	cells[3] = site(t, item);
}

static void size_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	cells[0] = bytes(t, item->bytes);
	cells[1] = count(t, item->blocks, "block", "blocks");
	cells[2] = arena_printf(&t->d->arena, "of %s and more", bytes(t, item->other));
}

static void segment_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	cells[0] = bytes(t, item->bytes);
	cells[1] = count(t, item->blocks, "segment", "segments");
	cells[2] = arena_printf(&t->d->arena, "%s free", bytes(t, item->largest));
	cells[3] = arena_printf(&t->d->arena, "%s, of %s and more", line(t, item->category),
	                        bytes(t, item->other));
}

static void gap_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	cells[0] = bytes(t, item->bytes);
	cells[1] = arena_printf(&t->d->arena, "in a %s segment of %s", line(t, item->category),
	                        bytes(t, item->other));
}

static void pinned_cells(struct memory_text *t, const struct memory_item *item, const char **cells)
{
	cells[0] = bytes(t, item->other);
	cells[1] = arena_printf(&t->d->arena, "beside %s of %s",
	                        count(t, item->blocks, "block", "blocks"), bytes(t, item->bytes));
	cells[2] = site(t, item);
}

static const struct list_table before_files[] = {
	{ MEMORY_LIST_CATEGORY, "by category at the peak", "rrrrl", category_cells },
	{ MEMORY_LIST_PEAK, "by site at the peak", "rrrl", peak_cells },
};

static const struct list_table after_files[] = {
	{ MEMORY_LIST_BLOCK, "largest blocks at the peak", "rrl", block_cells },
	{ MEMORY_LIST_SIZE, "by size of block at the peak", "rrl", size_cells },
	{ MEMORY_LIST_END, "by site at the end", "rrrl", end_cells },
	{ MEMORY_LIST_GROWTH, "sites that grew from the first step end to the last", "rrl",
	  growth_cells },
	{ MEMORY_LIST_CHURN, "allocations by site, as requested", "rrrl", churn_cells },
	{ MEMORY_LIST_SEGMENT, "segments at the end", "rrrl", segment_cells },
	{ MEMORY_LIST_GAP, "largest free blocks at the end", "rl", gap_cells },
	{ MEMORY_LIST_PINNED, "free memory held apart by small blocks at the end", "rrl",
	  pinned_cells },
	{ MEMORY_LIST_OOM, "by site when memory ran out for the last time", "rrl", site_cells },
};

/* ---- sums by file ---- */

static int by_file(const void *a, const void *b)
{
	const struct memory_item *x = a, *y = b;
	return span_cmp(x->file, y->file);
}

static int by_bytes(const void *a, const void *b)
{
	const struct memory_item *x = a, *y = b;
	ORDER_BY(y->bytes, x->bytes);
	return by_file(a, b);
}

static void write_files(struct memory_text *t, const char *title)
{
	VEC(struct memory_item) files = VEC_INIT;
	struct table table = { .align = "rrrl" };
	size_t nr, kept = 0;
	const struct memory_item *v = memory_list_of(t->digest, t->m->id, MEMORY_LIST_PEAK, &nr);
	for (size_t i = 0; i < nr; i++)
		if (memory_item_has_place(&v[i]))
			vec_push(&files, v[i]);
	vec_sort(&files, by_file);
	for (size_t i = 0; i < files.nr; i++) {
		struct memory_item *last = kept ? &files.v[kept - 1] : NULL;
		if (last && span_eq(last->file, files.v[i].file)) {
			last->bytes = number_add(last->bytes, files.v[i].bytes);
			last->blocks = number_add(last->blocks, files.v[i].blocks);
		} else {
			files.v[kept++] = files.v[i];
		}
	}
	files.nr = kept;
	vec_sort(&files, by_bytes);
	for (size_t i = 0; i < kept && i < TOP; i++) {
		const struct memory_item *f = &files.v[i];
		table_add(&table,
		          (const char *[]){ bytes(t, f->bytes), share(t, f->bytes, t->m->peak_allocated),
		                            count(t, f->blocks, "block", "blocks"), line(t, f->file) });
	}
	table_put(&table, false, arena_printf(&t->d->arena, "by %s at the peak", title),
	          kept > TOP ? kept - TOP : 0, t->d);
	vec_release(&files);
}

/* ---- levels, and what they mean ---- */

static void write_levels(struct memory_text *t)
{
	const struct memory_stat *m = t->m;
	struct table table = { .align = "lrrrr" };
	table_add(&table,
	          (const char *[]){ "", "allocated", "reserved", "not in use", "fragmentation" });
	table_add(&table,
	          (const char *[]){
	              "at the peak", bytes(t, m->peak_allocated), bytes(t, m->reserved_at_peak),
	              bytes(t, number_sub(m->reserved_at_peak, m->peak_allocated)),
	              unit_text(&t->d->arena, UNIT_PCT,
	                        memory_fragmentation(m->peak_allocated, m->reserved_at_peak)) });
	table_add(&table, (const char *[]){
	                      "at the end", bytes(t, m->end_allocated), bytes(t, m->end_reserved),
	                      bytes(t, number_sub(m->end_reserved, m->end_allocated)),
	                      unit_text(&t->d->arena, UNIT_PCT,
	                                memory_fragmentation(m->end_allocated, m->end_reserved)) });
	table_put(&table, true, "", 0, t->d);
	if (m->peak_persistent != MEMORY_UNKNOWN && m->peak_carried != MEMORY_UNKNOWN &&
	    m->peak_transient != MEMORY_UNKNOWN)
		say(t,
		    "of the peak: %s (%s) persistent, there at the end too; %s (%s) from before "
		    "the recording, freed later; %s (%s) transient",
		    bytes(t, m->peak_persistent), share(t, m->peak_persistent, m->peak_allocated),
		    bytes(t, m->peak_carried), share(t, m->peak_carried, m->peak_allocated),
		    bytes(t, m->peak_transient), share(t, m->peak_transient, m->peak_allocated));
}

/* Add text such as "running at the peak: aten::mul, inputs [8, 4], [8, 4] (float, float)". */
static void write_peak_op(struct memory_text *t)
{
	const struct memory_stat *m = t->m;
	if (!m->peak_op)
		return;
	say(t, "running at the peak%s: %s", is_snapshot(m) ? " of the trace" : "",
	    line(t, span_of(m->peak_op)));
	if (m->peak_dims || m->peak_types)
		doc_said(t->d,
		         arena_printf(&t->d->arena, ", inputs %s%s%s", input(t, m->peak_dims),
		                      m->peak_dims && m->peak_types ? " " : "", types(t, m->peak_types)));
}

static void write_risk(struct memory_text *t)
{
	static const char *const words[] = {
		[RISK_NONE] = "low", [RISK_WARNING] = "warning", [RISK_CRITICAL] = "critical"
	};
	struct memory_headroom h = memory_headroom_of(t->m);
	if (h.risk == RISK_UNKNOWN)
		say(t, "out-of-memory risk: unknown without the size of the device "
		       "(--device-memory)");
	else
		say(t,
		    "out-of-memory risk: %s: %s of the device less %s allocated and %s not in "
		    "use at the peak leaves %s (critical below 1 GB, warning below 2 GB)",
		    words[h.risk], bytes(t, t->m->capacity), bytes(t, t->m->peak_allocated),
		    bytes(t, h.unused), bytes(t, h.left));
	if (t->m->oom_count > 0)
		say(t, "memory ran out %s", count(t, t->m->oom_count, "time", "times"));
}

static void write_expandable(struct memory_text *t)
{
	static const char *const words[] = {
		[EXPANDABLE_IN_USE] = "in use",
		[EXPANDABLE_HELPS] = "would help (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True)",
		[EXPANDABLE_NO] = "would not help",
	};
	const struct memory_stat *m = t->m;
	int64_t unused = memory_headroom_of(m).unused;
	say(t,
	    "expandable segments: %s: at the peak %s of %s reserved were not in use; they "
	    "are recommended from %d %% on, of at least %s or where memory ran out",
	    words[memory_expandable(t->digest, m)], bytes(t, unused), bytes(t, m->reserved_at_peak),
	    EXPANDABLE_PCT, bytes(t, EXPANDABLE_BYTES));
}

static void write_snapshot(struct memory_text *t)
{
	write_levels(t);
	write_peak_op(t);
	write_risk(t);
	write_expandable(t);
	for (size_t i = 0; i < sizeof before_files / sizeof *before_files; i++)
		write_list(t, &before_files[i]);
	write_files(t, "file");
	for (size_t i = 0; i < sizeof after_files / sizeof *after_files; i++)
		write_list(t, &after_files[i]);
}

/* Write what XProf or a memory timeline recorded, which has nothing on reserved memory. */
static void write_record(struct memory_text *t)
{
	const struct memory_stat *m = t->m;
	say(t, "at the peak %s allocated", bytes(t, m->peak_allocated));
	if (m->capacity != MEMORY_UNKNOWN)
		doc_printf(t->d, ", %s of %s", share(t, m->peak_allocated, m->capacity),
		           bytes(t, m->capacity));
	if (m->end_allocated != MEMORY_UNKNOWN)
		doc_printf(t->d, "; %s at the end", bytes(t, m->end_allocated));
	write_peak_op(t);
	write_list(t, &before_files[0]);
	if (m->source != MEMORY_OF_XPROF)
		/* A memory timeline has only bytes by category: it has neither sites nor operators. */
		return;
	write_list(t, &before_files[1]);
	write_files(t, "operator");
}

static void write_memory(struct memory_text *t, bool name_rank)
{
	doc_section(t->d, "memory", "", DOC_OPEN);
	doc_paragraph(t->d);
	doc_words(t->d, "memory ");
	doc_said(t->d, t->m->id);
	if (name_rank)
		doc_printf(t->d, " of rank %" PRId64, t->digest->rank);
	if (is_snapshot(t->m))
		write_snapshot(t);
	else if (t->m->source == MEMORY_OF_TRACE)
		write_peak_op(t);
	else
		write_record(t);
	doc_end(t->d);
}

void memory_document(const struct digest *digest, bool name_rank, struct document *d)
{
	for (size_t i = 0; i < digest->memories.nr; i++) {
		struct memory_text t = { .digest = digest, .m = &digest->memories.v[i], .d = d };
		if (t.m->peak_op || t.m->source != MEMORY_OF_TRACE)
			write_memory(&t, name_rank);
	}
}
