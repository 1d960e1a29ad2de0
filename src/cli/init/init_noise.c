#include "init/init_repo.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"

enum { RUNS_LEAST = 5, TIMES = 3, PCT = 1000000 };

/* The relative increase that the rule allows, in 1e-6 percent; 0 if its limit is not relative, or
   if it has other limits too. */
static int64_t share_of(const struct rule *r)
{
	const struct limits *map = &r->fail;
	bool one = map->list.nr == 1 && map->list.v[0].relative && !map->has_and;
	return one && map->list.v[0].condition == COND_INCREASE ? map->list.v[0].value : 0;
}

bool init_limit_of(const struct rule *r, const struct history *h, struct init_limit *out)
{
	struct arena a = ARENA_INIT;
	int64_t *v = mem_calloc(h->runs.nr + 1, sizeof *v), median = 0;
	*out = (struct init_limit){ 0 };
	for (size_t i = 0; !r->for_each && i < h->runs.nr; i++) {
		size_t nr;
		const struct past_value *value = past_query(&h->runs.v[i], query_text(&r->query, &a), &nr);
		if (nr == 1 && !value->label.n && value->rank < 0)
			v[out->runs++] = value->value;
	}
	int64_t mad = out->runs >= RUNS_LEAST ? number_mad(v, out->runs, &median) : 0;
	if (median > 0) {
		/* for a normal distribution, 1.4826 MAD is the standard deviation */
		out->spread = number_pct((__int128)mad * 14826 / 10000, median);
		int64_t steps = (TIMES * out->spread + PCT / 2 - 1) / (PCT / 2);
		out->limit = steps * (PCT / 2) > PCT ? steps * (PCT / 2) : PCT;
	}
	free(v);
	arena_release(&a);
	return median > 0 && out->limit < share_of(r);
}
