/* Tables of memories: what the allocator did, segments, who holds the peak. */
#include <inttypes.h>

#include "base/number.h"
#include "diagnose/tables.h"
#include "model/memory_view.h"

/* "0", or "0 of rank 3" where the run has several ranks. */
static const char *memory_name(struct tabler *t, const struct digest *d, const char *id)
{
	if (t->v->run->ranks.nr < 2)
		return id;
	return arena_printf(t->a, "%s of rank %" PRId64, id, d->rank);
}

static void cell_known(struct tabler *t, struct report_table *table, int64_t value)
{
	if (value == MEMORY_UNKNOWN)
		cell_absent(table);
	else
		cell_figure(t, table, value);
}

/* The ranks with the highest peaks come first where there are many. */
struct owned_memory {
	const struct digest *digest;
	const struct memory_stat *stat;
};
struct owned_memories {
	VEC(struct owned_memory) list;
};

static int owned_cmp(const void *a, const void *b)
{
	const struct owned_memory *x = a, *y = b;
	if (x->stat->peak_allocated != y->stat->peak_allocated)
		return x->stat->peak_allocated > y->stat->peak_allocated ? -1 : 1;
	int c = (x->digest->rank > y->digest->rank) - (x->digest->rank < y->digest->rank);
	return c ? c : strcmp(x->stat->id, y->stat->id);
}

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
		cell_known(t, table, s->churn_bytes);
		cell_known(t, table, s->alloc_count);
		cell_known(t, table, s->free_count);
		cell_known(t, table, s->segment_count);
		cell_known(t, table, s->segment_churn);
		cell_known(t, table, s->oom_count);
		cell_name(t, table, span_of(memory_source_names[s->source]));
		cell_name(t, table, span_of(memory_name(t, m->list.v[i].digest, s->id)));
	}
	table->more = m->list.nr > TABLE_ROWS ? m->list.nr - TABLE_ROWS : 0;
	table_end(t);
}

/* One list of a memory, with up to three of its figures. */
struct item_table {
	const char *id, *title, *note;
	enum memory_list list;
	const char *bytes, *blocks, *largest; /* headings; NULL: not shown */
	const char *name; /* of the site or size class */
	bool share; /* of the peak of allocated */
};

static void add_name(struct tabler *t, struct report_table *table, const struct item_table *k,
                     const struct memory_item *item)
{
	struct strbuf b = STRBUF_INIT;
	if (k->list == MEMORY_LIST_SEGMENT) {
		strbuf_adds(&b, "from ");
		unit_format(&b, UNIT_BYTES, item->other, false);
	} else if (k->list != MEMORY_LIST_CATEGORY) {
		memory_item_add_name(&b, item);
	}
	cell_name(t, table, strbuf_span(&b));
	strbuf_release(&b);
}

static void add_item(struct tabler *t, struct report_table *table, const struct item_table *k,
                     const struct owned_memory *m, const struct memory_item *item)
{
	cell_figure(t, table, item->bytes);
	if (k->share)
		cell_figure(t, table, number_pct(item->bytes, m->stat->peak_allocated));
	cell_known(t, table, item->blocks);
	cell_known(t, table, item->largest);
	cell_name(t, table, item->category);
	add_name(t, table, k, item);
	cell_name(t, table, span_of(memory_name(t, m->digest, m->stat->id)));
}

static void add_memory_items(struct tabler *t, const struct owned_memories *m,
                             const struct item_table *k)
{
	struct report_table *table = table_begin(t, k->id, k->title, k->note);
	table_column(table, k->bytes, UNIT_BYTES);
	if (k->share)
		table_column(table, "share", UNIT_PCT);
	table_column(table, k->blocks, UNIT_COUNT);
	table_column(table, k->largest, UNIT_BYTES);
	table_names(table, k->list == MEMORY_LIST_SEGMENT ? "kind" : "category");
	table_names(table, k->name);
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

void tables_of_memory(struct tabler *t)
{
	static const struct item_table tables[] = {
		{ "memory_categories", "memory at the peak by category", "of allocated memory",
		  MEMORY_LIST_CATEGORY, "bytes", "blocks", "largest", "", true },
		{ "memory_sites", "memory at the peak by site", "of allocated memory", MEMORY_LIST_PEAK,
		  "bytes", "blocks", "largest", "site", true },
		{ "segments", "segments by size, at the end", "", MEMORY_LIST_SEGMENT, "bytes", "segments",
		  "free", "size", false },
	};
	struct owned_memories m;
	memories_of(t->v->run, &m);
	allocator(t, &m);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		add_memory_items(t, &m, &tables[i]);
	vec_release(&m.list);
}
