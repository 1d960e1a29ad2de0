#include "gate/waivers.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

bool allow_is_for(const struct metric *m)
{
	return m->unit == UNIT_NS || m->unit == UNIT_NS_PER_STEP;
}

/* What the parts called `label` add to the change; a part within such a part is counted with it. */
static int64_t change_of(const struct breakdown *of, const char *label)
{
	int64_t sum = 0;
	int within = -1;
	for (size_t i = 0; i < of->parts.nr; i++) {
		const struct part *p = &of->parts.v[i];
		if (within >= 0 && p->level > within)
			continue;
		bool is = strcmp(p->label, label) == 0;
		within = is ? p->level : -1;
		sum = is ? number_add(sum, p->change) : sum;
	}
	return sum;
}

int64_t allow_part(struct bench *b, const struct waiver *w, const struct breakdown *of)
{
	struct query q = w->select;
	struct entries kernels;
	int64_t part = 0;
	q.metric = &metric_table[METRIC_KERNEL_TIME];
	q.reduce = q.metric->reduce;
	bench_query(b, &q, &kernels);
	for (size_t i = 0; i < kernels.list.nr; i++) {
		const struct entry *e = &kernels.list.v[i];
		int64_t grown = change_of(of, text_line(&b->arena, e->label));
		__int128 most = (__int128)e->value[SIDE_BASELINE] * w->up_to / ((__int128)100 * 1000000);
		if (grown > 0 && e->has[SIDE_BASELINE])
			part = number_add(part, grown < most ? grown : (int64_t)most);
	}
	vec_release(&kernels.list);
	return part < of->change ? part : of->change;
}
