#include "gate/waivers.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

bool allow_is_for(const struct metric *m)
{
	return unit_is_time(m->unit);
}

/* True if `text` is `label` or, with `module`, a module within the module `label`. */
static bool is_in(const char *text, const char *label, bool module)
{
	size_t n = strlen(label);
	return strncmp(text, label, n) == 0 &&
	       (!text[n] || (module && strncmp(text + n, " > ", 3) == 0));
}

/* Sum of the changes of all parts that have the label `label` or, with `module`, are modules within
   the module `label`. Parts below a part that was added are not added again, since its change
   contains theirs. */
static int64_t change_of(const struct breakdown *of, const char *label, bool module)
{
	int64_t sum = 0;
	int within = -1;
	for (size_t i = 0; i < of->parts.nr; i++) {
		const struct part *p = &of->parts.v[i];
		if (within >= 0 && p->depth > within)
			continue;
		bool is = is_in(p->label, label, module);
		within = is ? p->depth : -1;
		sum = is ? number_add(sum, p->change) : sum;
	}
	return sum;
}

struct query allow_query(const struct waiver *w)
{
	struct query q = w->select;
	q.metric = &metric_table[q.op       ? METRIC_OP_SELF_GPU_TIME
	                         : q.module ? METRIC_MODULE_GPU_TIME
	                                    : METRIC_KERNEL_TIME];
	q.reduce = q.metric->reduce;
	return q;
}

int64_t allow_compute(const struct breakdown *of)
{
	return change_of(of, "compute", false);
}

int64_t allow_part(struct bench *b, const struct waiver *w, const struct breakdown *of)
{
	struct query q = allow_query(w);
	struct entries items;
	int64_t part = 0;
	bench_query(b, &q, &items);
	for (size_t i = 0; i < items.list.nr; i++) {
		const struct entry *e = &items.list.v[i];
		const char *own = arena_dup(&b->arena, e->label);
		bool held = false; /* true if another item is a module that contains this item: only that
		                      module's growth counts then */
		for (size_t k = 0; q.module && k < items.list.nr; k++)
			held =
			    held || (k != i && is_in(own, arena_dup(&b->arena, items.list.v[k].label), true));
		if (held)
			continue;
		int64_t grown = change_of(of, text_line(&b->arena, e->label), q.module);
		__int128 most = (__int128)e->value[SIDE_BASELINE] * w->up_to / ((__int128)100 * 1000000);
		if (grown > 0)
			part = number_add(part, grown < most ? grown : (int64_t)most);
	}
	vec_release(&items.list);
	return part < of->change ? part : of->change;
}
