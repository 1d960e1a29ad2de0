/* Tables of memories: actions of the allocator, segments, and the sites that hold memory at the
   peak. */
#include <inttypes.h>

#include "base/number.h"
#include "diagnose/tables.h"
#include "model/memory_view.h"

/* The name of a memory as text such as "0", or "0 of rank 3" if the run has several ranks. */
static const char *memory_name(struct tabler *t, const struct digest *d, const char *id)
{
	if (t->v->run->ranks.nr < 2)
		return id;
	return arena_printf(t->a, "%s of rank %" PRId64, id, d->rank);
}

/* A memory and the rank that it belongs to. If there are many, those with the highest peaks come
   first. */
struct owned_memory {
	const struct digest *digest;
	const struct memory_stat *stat;
};
struct owned_memories {
	VEC(struct owned_memory) list;
};

ORDERING(owned_cmp, struct owned_memory,
         FALLING(stat->peak_allocated) RISING(digest->rank) BY_TEXT(stat->id))

static void memories_of(const struct run *run, struct owned_memories *out)
{
	*out = (struct owned_memories){ 0 };
	for (size_t i = 0; i < run->ranks.nr; i++)
		for (size_t k = 0; k < run->ranks.v[i]->memories.nr; k++)
			vec_push(&out->list,
			         (struct owned_memory){ run->ranks.v[i], &run->ranks.v[i]->memories.v[k] });
	vec_sort(&out->list, owned_cmp);
}

static void allocator(struct tabler *t, const struct owned_memories *m)
{
	struct report_table *table =
	    table_begin(t, "allocator", "what the allocator did", "whole window");
	static const char *const names[] = { "allocations", "frees", "segments", "segment actions",
		                                 "out of memory" };
	table_column(table, "requested", UNIT_BYTES);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		table_column(table, names[i], UNIT_COUNT);
	table_names(table, "source");
	table_names(table, "memory");
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++) {
		const struct memory_stat *s = m->list.v[i].stat;
		cell_figure(t, table, s->churn_bytes);
		cell_figure(t, table, s->alloc_count);
		cell_figure(t, table, s->free_count);
		cell_figure(t, table, s->segment_count);
		cell_figure(t, table, s->segment_churn);
		cell_figure(t, table, s->oom_count);
		cell_name(t, table, span_of(memory_source_names[s->source]));
		cell_name(t, table, span_of(memory_name(t, m->list.v[i].digest, s->id)));
	}
	table->more = m->list.nr > TABLE_ROWS ? m->list.nr - TABLE_ROWS : 0;
	table_end(t);
}

/* ---- levels of memory, and reasons for them ---- */

static void levels(struct tabler *t, const struct owned_memories *m)
{
	struct report_table *table = table_begin(t, "memory_levels", "memory at two moments", "");
	table_column(table, "allocated", UNIT_BYTES);
	table_column(table, "reserved", UNIT_BYTES);
	table_column(table, "not in use", UNIT_BYTES);
	table_column(table, "fragmentation", UNIT_PCT);
	table_names(table, "moment");
	table_names(table, "memory");
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++) {
		const struct memory_stat *s = m->list.v[i].stat;
		const int64_t level[2][2] = { { s->peak_allocated, s->reserved_at_peak },
			                          { s->end_allocated, s->end_reserved } };
		for (int k = 0; k < 2; k++) {
			bool known = level[k][0] != MEMORY_UNKNOWN && level[k][1] != MEMORY_UNKNOWN;
			if (!known)
				continue;
			cell_figure(t, table, level[k][0]);
			cell_figure(t, table, level[k][1]);
			cell_figure(t, table, number_sub(level[k][1], level[k][0]));
			cell_figure(t, table, memory_fragmentation(level[k][0], level[k][1]));
			cell_name(t, table, k ? SPAN("at the end") : SPAN("at the peak"));
			cell_name(t, table, span_of(memory_name(t, m->list.v[i].digest, s->id)));
		}
	}
	table_end(t);
}

static void lifetimes(struct tabler *t, const struct owned_memories *m)
{
	struct report_table *table =
	    table_begin(t, "memory_lifetimes", "memory at the peak by lifetime", "of allocated memory");
	table_column(table, "bytes", UNIT_BYTES);
	table_column(table, "share", UNIT_PCT);
	table_names(table, "lifetime");
	table_names(table, "memory");
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++) {
		const struct memory_stat *s = m->list.v[i].stat;
		const struct {
			int64_t bytes;
			const char *name;
		} parts[] = { { s->peak_persistent, "persistent: there at the end too" },
			          { s->peak_carried, "from before the recording, freed later" },
			          { s->peak_transient, "transient: allocated and freed meanwhile" } };
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
			if (parts[k].bytes == MEMORY_UNKNOWN)
				continue;
			cell_figure(t, table, parts[k].bytes);
			cell_figure(t, table, number_pct(parts[k].bytes, s->peak_allocated));
			cell_name(t, table, span_of(parts[k].name));
			cell_name(t, table, span_of(memory_name(t, m->list.v[i].digest, s->id)));
		}
	}
	table_end(t);
}

/* Add a note that says whether expandable segments would help, and the figures on which this
 * depends. */
static void expandable(struct tabler *t, const struct owned_memories *m)
{
	static const char *const words[] = {
		[EXPANDABLE_IN_USE] = "in use",
		[EXPANDABLE_HELPS] = "would help: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
		[EXPANDABLE_NO] = "would not help",
	};
	struct report_table *table =
	    table_begin(t, "expandable_segments", "expandable segments",
	                arena_printf(t->a,
	                             "recommended if %d %% of reserved memory and %" PRId64
	                             " MiB are not in use at the peak, or if memory ran out",
	                             EXPANDABLE_PCT, EXPANDABLE_BYTES >> 20));
	table_column(table, "not in use", UNIT_BYTES);
	table_column(table, "share", UNIT_PCT);
	table_column(table, "out of memory", UNIT_COUNT);
	table_names(table, "expandable segments");
	table_names(table, "memory");
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++) {
		const struct memory_stat *s = m->list.v[i].stat;
		int64_t unused = memory_headroom_of(s).unused;
		if (s->reserved_at_peak == MEMORY_UNKNOWN || s->segment_count == MEMORY_UNKNOWN)
			continue;
		cell_figure(t, table, unused);
		cell_figure(t, table, number_pct(unused, s->reserved_at_peak));
		cell_figure(t, table, s->oom_count);
		cell_name(t, table, span_of(words[memory_expandable(m->list.v[i].digest, s)]));
		cell_name(t, table, span_of(memory_name(t, m->list.v[i].digest, s->id)));
	}
	table_end(t);
}

/* ---- lists of sites, blocks and segments ---- */

#define BYTES offsetof(struct memory_item, bytes)
#define BLOCKS offsetof(struct memory_item, blocks)
#define LARGEST offsetof(struct memory_item, largest)
#define OTHER offsetof(struct memory_item, other)

enum { ITEM_COLUMNS = 4 };

/* The columns of a table that shows one list of a memory. The meaning of a member depends on the
   list (enum memory_list). */
struct item_table {
	const char *id, *title, *note;
	enum memory_list list;
	const char *category,
	    *site; /* headings of the columns with category and site; "" if the list lacks them */
	struct {
		const char *heading; /* heading of the column; NULL after the last column */
		enum unit unit;
		size_t member;
	} columns[ITEM_COLUMNS];
	bool share; /* true: add a column with the first one's value as a share of peak_allocated */
};

#define HELD                         \
	{ "bytes", UNIT_BYTES, BYTES },  \
	{                                \
		"blocks", UNIT_COUNT, BLOCKS \
	}

static const struct item_table item_tables[] = {
	{ "memory_categories", "memory at the peak by category", "of allocated memory",
	  MEMORY_LIST_CATEGORY, "category", "", .columns = { HELD, { "largest", UNIT_BYTES, LARGEST } },
	  .share = true },
	{ "memory_sites", "memory at the peak by site", "of allocated memory", MEMORY_LIST_PEAK,
	  "category", "site", .columns = { HELD, { "largest", UNIT_BYTES, LARGEST } }, .share = true },
	{ "memory_growth", "sites that grew from the first step end to the last", "",
	  MEMORY_LIST_GROWTH, "category", "site",
	  .columns = { HELD, { "steps in which it grew", UNIT_COUNT, OTHER } } },
	{ "memory_churn", "allocations by site", "as requested, whole window", MEMORY_LIST_CHURN,
	  "category", "site",
	  .columns = { { "bytes", UNIT_BYTES, BYTES },
	               { "allocations", UNIT_COUNT, BLOCKS },
	               { "sizes", UNIT_COUNT, OTHER },
	               { "most frequent size", UNIT_BYTES, LARGEST } } },
	{ "memory_blocks", "largest blocks at the peak", "", MEMORY_LIST_BLOCK, "category", "site",
	  .columns = { HELD } },
	{ "memory_sizes", "memory at the peak by size of block", "", MEMORY_LIST_SIZE, "", "",
	  .columns = { HELD, { "size from", UNIT_BYTES, OTHER } } },
	{ "memory_end", "memory at the end by site", "", MEMORY_LIST_END, "category", "site",
	  .columns = { HELD } },
	{ "segments", "segments by size, at the end", "", MEMORY_LIST_SEGMENT, "kind", "",
	  .columns = { { "bytes", UNIT_BYTES, BYTES },
	               { "segments", UNIT_COUNT, BLOCKS },
	               { "free", UNIT_BYTES, LARGEST },
	               { "size from", UNIT_BYTES, OTHER } } },
	{ "memory_gaps", "largest free blocks at the end", "", MEMORY_LIST_GAP, "kind", "",
	  .columns = { { "bytes", UNIT_BYTES, BYTES }, { "of a segment of", UNIT_BYTES, OTHER } } },
	{ "memory_pinned", "free memory held apart by small blocks at the end", "", MEMORY_LIST_PINNED,
	  "category", "site",
	  .columns = { { "free beside", UNIT_BYTES, OTHER },
	               { "blocks", UNIT_COUNT, BLOCKS },
	               { "bytes", UNIT_BYTES, BYTES } } },
	{ "memory_oom", "memory by site when it ran out for the last time", "", MEMORY_LIST_OOM,
	  "category", "site", .columns = { HELD, { "largest", UNIT_BYTES, LARGEST } } },
};

static void add_item(struct tabler *t, struct report_table *table, const struct item_table *k,
                     const struct owned_memory *m, const struct memory_item *item)
{
	struct strbuf name = STRBUF_INIT;
	for (size_t c = 0; c < ITEM_COLUMNS && k->columns[c].heading; c++) {
		int64_t value = *(const int64_t *)(const void *)((const char *)item + k->columns[c].member);
		cell_figure(t, table, value);
		if (c == 0 && k->share)
			cell_figure(t, table, number_pct(value, m->stat->peak_allocated));
	}
	cell_name(t, table, item->category);
	if (*k->site)
		memory_item_add_site(&name, item);
	cell_name(t, table, strbuf_span(&name));
	cell_name(t, table, span_of(memory_name(t, m->digest, m->stat->id)));
	strbuf_release(&name);
}

static void add_items(struct tabler *t, const struct owned_memories *m, const struct item_table *k)
{
	struct report_table *table = table_begin(t, k->id, k->title, k->note);
	table->detail = k->list == MEMORY_LIST_SIZE || k->list == MEMORY_LIST_END;
	for (size_t c = 0; c < ITEM_COLUMNS && k->columns[c].heading; c++) {
		table_column(table, k->columns[c].heading, k->columns[c].unit);
		if (c == 0 && k->share)
			table_column(table, "share", UNIT_PCT);
	}
	table_names(table, k->category);
	table_names(table, k->site);
	table_names(table, "memory");
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++) {
		size_t nr;
		const struct memory_item *v =
		    memory_list_of(m->list.v[i].digest, m->list.v[i].stat->id, k->list, &nr);
		for (size_t j = 0; j < nr && j < TABLE_ROWS; j++)
			add_item(t, table, k, &m->list.v[i], &v[j]);
		table->more += nr > TABLE_ROWS ? nr - TABLE_ROWS : 0;
	}
	table_end(t);
}

ORDERING(by_place, struct memory_item, BY_SPAN(file))

ORDERING(by_bytes, struct memory_item, FALLING(bytes) THEN(by_place(x, y)))

/* Sums of the sites of a memory at its peak by file, or by the operator that XProf names. */
static void add_files(struct tabler *t, struct report_table *table, const struct owned_memory *m)
{
	VEC(struct memory_item) files = VEC_INIT;
	size_t nr, kept = 0;
	const struct memory_item *v = memory_list_of(m->digest, m->stat->id, MEMORY_LIST_PEAK, &nr);
	for (size_t i = 0; i < nr; i++)
		if (memory_item_has_place(&v[i]))
			vec_push(&files, v[i]);
	vec_sort(&files, by_place);
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
	for (size_t i = 0; i < kept && i < TABLE_ROWS; i++) {
		cell_figure(t, table, files.v[i].bytes);
		cell_figure(t, table, number_pct(files.v[i].bytes, m->stat->peak_allocated));
		cell_figure(t, table, files.v[i].blocks);
		cell_name(t, table, files.v[i].file);
		cell_name(t, table, span_of(memory_name(t, m->digest, m->stat->id)));
	}
	table->more += kept > TABLE_ROWS ? kept - TABLE_ROWS : 0;
	vec_release(&files);
}

static void files(struct tabler *t, const struct owned_memories *m)
{
	struct report_table *table = table_begin(t, "memory_files", "memory at the peak by file",
	                                         "of XProf by operator; of allocated memory");
	table->detail = true;
	table_column(table, "bytes", UNIT_BYTES);
	table_column(table, "share", UNIT_PCT);
	table_column(table, "blocks", UNIT_COUNT);
	table_names(table, "file");
	table_names(table, "memory");
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++)
		add_files(t, table, &m->list.v[i]);
	table_end(t);
}

/* What ran at the peak of each memory, and whether that was near the size of the device. */
static void peaks(struct tabler *t, const struct owned_memories *m)
{
	static const char *const risks[] = { [RISK_UNKNOWN] = "unknown without --device-memory",
		                                 [RISK_NONE] = "low",
		                                 [RISK_WARNING] = "warning",
		                                 [RISK_CRITICAL] = "critical" };
	struct report_table *table =
	    table_begin(t, "memory_peaks", "what ran at the peak, and the risk to run out of memory",
	                "left is the device less what was allocated or reserved: critical below 1 GB, "
	                "a warning below 2 GB");
	table->detail = true;
	table_column(table, "device", UNIT_BYTES);
	table_column(table, "left", UNIT_BYTES);
	table_names(table, "risk");
	table_names(table, "inputs");
	table_names(table, "types");
	table_names(table, "ran");
	table_names(table, "memory");
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++) {
		const struct memory_stat *s = m->list.v[i].stat;
		struct memory_headroom h = memory_headroom_of(s);
		const char *const texts[] = { s->source == MEMORY_OF_SNAPSHOT ? risks[h.risk] : "",
			                          s->peak_dims, s->peak_types, s->peak_op,
			                          memory_name(t, m->list.v[i].digest, s->id) };
		if (!s->peak_op && s->source != MEMORY_OF_SNAPSHOT)
			continue;
		cell_figure(t, table, s->capacity);
		cell_figure(t, table, h.risk == RISK_UNKNOWN ? MEMORY_UNKNOWN : h.left);
		for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
			cell_name(t, table, span_of(texts[k] ? texts[k] : ""));
	}
	table_end(t);
}

void tables_of_memory(struct tabler *t)
{
	struct owned_memories m;
	memories_of(t->v->run, &m);
	allocator(t, &m);
	levels(t, &m);
	lifetimes(t, &m);
	for (size_t i = 0; i < sizeof item_tables / sizeof *item_tables; i++)
		add_items(t, &m, &item_tables[i]);
	files(t, &m);
	peaks(t, &m);
	expandable(t, &m);
	vec_release(&m.list);
}
