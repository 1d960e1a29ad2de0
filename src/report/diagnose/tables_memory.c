/* Tables of memories: actions of the allocator, segments, and the sites that hold memory at the
   peak. */
#include <inttypes.h>

#include "base/number.h"
#include "diagnose/internal.h"
#include "model/memory_view.h"

/* A memory, such as that of one GPU, and the rank that it belongs to. Memories with the highest
 * peaks come first. */
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

/* Append the last cell of a row, the name of the memory: "0", or "0 of rank 3" if the run has
 * several ranks. */
static void cell_memory(struct tabler *t, const struct owned_memory *m)
{
	const char *id = m->stat->id;
	if (t->v->run->ranks.nr > 1)
		id = arena_printf(t->a, "%s of rank %" PRId64, id, m->digest->rank);
	cell_name(t, span_of(id));
}

/* A table of figures of memories. The function `rows` adds the rows of one memory. */
struct memory_table {
	const char *id, *title, *note;
	void (*rows)(struct tabler *t, const struct owned_memory *m);
	bool detail, each; /* `detail`: only documents with every figure of the run show the table;
	                      `each`: each memory has one row, so that rows left out can be counted */
	struct column columns[8]; /* columns before that of the memory, ended by one without a name */
};

static void add_table(struct tabler *t, const struct owned_memories *m,
                      const struct memory_table *k)
{
	struct column columns[NR_OF(k->columns)];
	size_t nr = 0;
	for (; k->columns[nr].name; nr++)
		columns[nr] = k->columns[nr];
	columns[nr++] = (struct column){ "memory", TEXT };
	table_begin(t, k->id, k->title, k->note, columns, nr);
	t->table->detail = k->detail;
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++)
		k->rows(t, &m->list.v[i]);
	if (k->each)
		table_shows(t, m->list.nr);
	table_end(t);
}

static void allocator(struct tabler *t, const struct owned_memory *m)
{
	const struct memory_stat *s = m->stat;
	CELLS(t, s->churn_bytes, s->alloc_count, s->free_count, s->segment_count, s->segment_churn,
	      s->oom_count);
	cell_name(t, span_of(memory_source_names[s->source]));
	cell_memory(t, m);
}

/* ---- levels of memory, and reasons for them ---- */

static void level(struct tabler *t, const struct owned_memory *m, int64_t allocated,
                  int64_t reserved, const char *moment)
{
	if (allocated == MEMORY_UNKNOWN || reserved == MEMORY_UNKNOWN)
		return;
	CELLS(t, allocated, reserved, number_sub(reserved, allocated),
	      memory_fragmentation(allocated, reserved));
	cell_name(t, span_of(moment));
	cell_memory(t, m);
}

static void levels(struct tabler *t, const struct owned_memory *m)
{
	level(t, m, m->stat->peak_allocated, m->stat->reserved_at_peak, "at the peak");
	level(t, m, m->stat->end_allocated, m->stat->end_reserved, "at the end");
}

static void lifetime(struct tabler *t, const struct owned_memory *m, int64_t bytes,
                     const char *name)
{
	if (bytes == MEMORY_UNKNOWN)
		return;
	CELLS(t, bytes, number_pct(bytes, m->stat->peak_allocated));
	cell_name(t, span_of(name));
	cell_memory(t, m);
}

static void lifetimes(struct tabler *t, const struct owned_memory *m)
{
	lifetime(t, m, m->stat->peak_persistent, "persistent: there at the end too");
	lifetime(t, m, m->stat->peak_carried, "from before the recording, freed later");
	lifetime(t, m, m->stat->peak_transient, "transient: allocated and freed meanwhile");
}

/* Add a row on whether expandable segments would help, with the figures on which this depends. */
static void expandable(struct tabler *t, const struct owned_memory *m)
{
	static const char *const words[] = {
		[EXPANDABLE_IN_USE] = "in use",
		[EXPANDABLE_HELPS] = "would help: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
		[EXPANDABLE_NO] = "would not help",
	};
	const struct memory_stat *s = m->stat;
	int64_t unused = memory_headroom_of(s).unused;
	if (s->reserved_at_peak == MEMORY_UNKNOWN || s->segment_count == MEMORY_UNKNOWN)
		return;
	CELLS(t, unused, number_pct(unused, s->reserved_at_peak), s->oom_count);
	cell_name(t, span_of(words[memory_expandable(m->digest, s)]));
	cell_memory(t, m);
}

/* ---- lists of sites, blocks and segments ---- */

#define BYTES offsetof(struct memory_item, bytes)
#define BLOCKS offsetof(struct memory_item, blocks)
#define LARGEST offsetof(struct memory_item, largest)
#define OTHER offsetof(struct memory_item, other)

enum { ITEM_COLUMNS = 4 };

/* The columns of a table that shows one list of a memory. `member` is an offset in struct
   memory_item; the meaning of that member depends on the list (enum memory_list). */
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
	bool share; /* true: add a column with the value of the first column as a share of
	               peak_allocated */
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

static void add_item(struct tabler *t, const struct item_table *k, const struct owned_memory *m,
                     const struct memory_item *item)
{
	struct strbuf name = STRBUF_INIT;
	for (size_t c = 0; c < ITEM_COLUMNS && k->columns[c].heading; c++) {
		int64_t value = *(const int64_t *)(const void *)((const char *)item + k->columns[c].member);
		CELLS(t, value);
		if (c == 0 && k->share)
			CELLS(t, number_pct(value, m->stat->peak_allocated));
	}
	cell_name(t, item->category);
	if (*k->site)
		memory_item_add_site(&name, item);
	cell_name(t, strbuf_span(&name));
	cell_memory(t, m);
	strbuf_release(&name);
}

static void add_items(struct tabler *t, const struct owned_memories *m, const struct item_table *k)
{
	struct column columns[ITEM_COLUMNS + 4];
	size_t nr = 0;
	for (size_t c = 0; c < ITEM_COLUMNS && k->columns[c].heading; c++) {
		columns[nr++] = (struct column){ k->columns[c].heading, k->columns[c].unit };
		if (c == 0 && k->share)
			columns[nr++] = (struct column){ "share", UNIT_PCT };
	}
	columns[nr++] = (struct column){ k->category, TEXT };
	columns[nr++] = (struct column){ k->site, TEXT };
	columns[nr++] = (struct column){ "memory", TEXT };
	table_begin(t, k->id, k->title, k->note, columns, nr);
	t->table->detail = k->list == MEMORY_LIST_SIZE || k->list == MEMORY_LIST_END;
	for (size_t i = 0; i < m->list.nr && i < TABLE_ROWS; i++) {
		const struct memory_item *v =
		    memory_list_of(m->list.v[i].digest, m->list.v[i].stat->id, k->list, &nr);
		size_t shown = table_shows(t, nr);
		for (size_t j = 0; j < shown; j++)
			add_item(t, k, &m->list.v[i], &v[j]);
	}
	table_end(t);
}

ORDERING(by_place, struct memory_item, BY_SPAN(file))

ORDERING(by_bytes, struct memory_item, FALLING(bytes) THEN(by_place(x, y)))

/* Add the bytes of a memory at its peak, summed by file or by the operator that XProf names. */
static void files(struct tabler *t, const struct owned_memory *m)
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
	size_t shown = table_shows(t, kept);
	for (size_t i = 0; i < shown; i++) {
		int64_t bytes = files.v[i].bytes;
		CELLS(t, bytes, number_pct(bytes, m->stat->peak_allocated), files.v[i].blocks);
		cell_name(t, files.v[i].file);
		cell_memory(t, m);
	}
	vec_release(&files);
}

/* Add a row on what ran at the peak of a memory, and on the risk to run out of memory. */
static void peaks(struct tabler *t, const struct owned_memory *m)
{
	static const char *const risks[] = { [RISK_UNKNOWN] = "unknown without --device-memory",
		                                 [RISK_NONE] = "low",
		                                 [RISK_WARNING] = "warning",
		                                 [RISK_CRITICAL] = "critical" };
	const struct memory_stat *s = m->stat;
	struct memory_headroom h = memory_headroom_of(s);
	bool dumped = s->source == MEMORY_OF_SNAPSHOT;
	const char *const texts[] = { dumped ? risks[h.risk] : "", s->peak_dims, s->peak_types,
		                          s->peak_op };
	if (!s->peak_op && !dumped)
		return;
	CELLS(t, s->capacity, h.risk == RISK_UNKNOWN ? MEMORY_UNKNOWN : h.left);
	for (size_t k = 0; k < NR_OF(texts); k++)
		cell_name(t, span_of(text_or_empty(texts[k])));
	cell_memory(t, m);
}

void tables_of_memory(struct tabler *t)
{
	const char *advised = arena_printf(t->a,
	                                   "recommended if %d %% of reserved memory and %" PRId64
	                                   " MiB are not in use at the peak, or if memory ran out",
	                                   EXPANDABLE_PCT, EXPANDABLE_BYTES >> 20);
	const struct memory_table tables[] = {
		{ "allocator", "what the allocator did", "whole window", allocator, .each = true,
		  .columns = { { "requested", UNIT_BYTES },
		               { "allocations", UNIT_COUNT },
		               { "frees", UNIT_COUNT },
		               { "segments", UNIT_COUNT },
		               { "segment actions", UNIT_COUNT },
		               { "out of memory", UNIT_COUNT },
		               { "source", TEXT } } },
		{ "memory_levels", "memory at two moments", "", levels,
		  .columns = { { "allocated", UNIT_BYTES },
		               { "reserved", UNIT_BYTES },
		               { "not in use", UNIT_BYTES },
		               { "fragmentation", UNIT_PCT },
		               { "moment", TEXT } } },
		{ "memory_lifetimes", "memory at the peak by lifetime", "of allocated memory", lifetimes,
		  .columns = { { "bytes", UNIT_BYTES }, { "share", UNIT_PCT }, { "lifetime", TEXT } } },
		{ "memory_files", "memory at the peak by file", "of XProf by operator; of allocated memory",
		  files, .detail = true,
		  .columns = { { "bytes", UNIT_BYTES },
		               { "share", UNIT_PCT },
		               { "blocks", UNIT_COUNT },
		               { "file", TEXT } } },
		{ "memory_peaks", "what ran at the peak, and the risk to run out of memory",
		  "left is the device less what was allocated or reserved: critical below 1 GB, a warning "
		  "below 2 GB",
		  peaks, .detail = true,
		  .columns = { { "device", UNIT_BYTES },
		               { "left", UNIT_BYTES },
		               { "risk", TEXT },
		               { "inputs", TEXT },
		               { "types", TEXT },
		               { "ran", TEXT } } },
		{ "expandable_segments", "expandable segments", advised, expandable,
		  .columns = { { "not in use", UNIT_BYTES },
		               { "share", UNIT_PCT },
		               { "out of memory", UNIT_COUNT },
		               { "expandable segments", TEXT } } },
	};
	enum { FIRST = 3 }; /* number of tables that come before `item_tables` */
	struct owned_memories m;
	memories_of(t->v->run, &m);
	for (size_t i = 0; i < NR_OF(tables); i++) {
		for (size_t k = 0; i == FIRST && k < NR_OF(item_tables); k++)
			add_items(t, &m, &item_tables[k]);
		add_table(t, &m, &tables[i]);
	}
	vec_release(&m.list);
}
