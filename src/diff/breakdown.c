#include "diff/breakdown.h"

#include "model/unit.h"

struct parts parts_new(struct arena *a, const char *title, enum unit unit, int64_t change)
{
	struct parts p = { a, arena_alloc(a, 1, sizeof *p.out) };
	p.out->title = title;
	p.out->unit = unit;
	p.out->change = change;
	return p;
}

void parts_add(const struct parts *p, int level, const char *label, int64_t change,
               const char *detail)
{
	vec_push(&p->out->parts, (struct part){ level, label, change,
	                                        unit_change(p->arena, p->out->unit, change), detail });
}

void parts_add_rest(const struct parts *p, int level, const char *what, const char *plural,
                    size_t nr, int64_t change)
{
	if (change)
		parts_add(p, level, arena_printf(p->arena, "%zu other %s", nr, nr == 1 ? what : plural),
		          change, "");
}

bool parts_is_small(const struct parts *p, int64_t change)
{
	__int128 part = change, whole = p->out->change;
	return (part < 0 ? -part : part) * 100 < (whole < 0 ? -whole : whole);
}

int parts_order(int64_t a, int64_t b)
{
	uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
	return (x < y) - (x > y);
}
