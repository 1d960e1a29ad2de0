#include <inttypes.h>

#include "base/idmap.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/text.h"
#include "diagnose/internal.h"
#include "diagnose/peers.h"

enum {
	FEWEST_RANKS = 4,
	FLOOR_PCT = 10, /* least difference from the peers' median, in percent */
	NAME_CHARS = 60
};

/* One function on one rank. */
struct row {
	uint32_t id; /* id of the function or Python call path, equal on all ranks */
	uint32_t rank;
	const struct function_stat *f;
	int64_t share; /* the function's share of the window in 1e-6 % */
};

/* A function whose figure on one rank differs from that of the same function on its peers (the
   other ranks). */
struct unlike {
	uint32_t rank;
	const struct function_stat *f;
	enum { UNLIKE_SHARE, UNLIKE_COST, UNLIKE_RATE } what;
	/* the rank's figure and the median of its peers; `beyond`: what their difference costs, in 1e-6
	 * % of the window */
	int64_t value, median, beyond;
};

struct comparison {
	const struct run *run;
	size_t eligible; /* number of ranks that can be compared */
	VEC(struct row) rows; /* rows sorted by function, then rank */
	VEC(struct unlike) found;
	int64_t *values; /* scratch memory, one value per rank */
};

/* ---- functions and their ids, which are equal on all ranks ---- */

static void add_rank(struct comparison *c, struct name_table *names, struct idmap *ids, uint32_t r)
{
	const struct digest *d = c->run->ranks.v[r];
	uint32_t *id = mem_calloc(d->functions.nr, sizeof *id);
	for (size_t i = 0; i < d->functions.nr; i++) {
		const struct function_stat *f = &d->functions.v[i];
		const struct name *nm = name_intern(names, f->name);
		bool has_caller = f->parent >= 0 && f->parent < (int64_t)i;
		uint32_t name = (nm ? nm->id : 0) << 3 | (uint32_t)f->cls;
		id[i] = idmap_add(ids, idmap_pair(has_caller ? id[f->parent] : NO_ID, name));
		if (nm && f->names == 0 && f->cls != FUNCTION_COMMUNICATION)
			vec_push(&c->rows,
			         (struct row){ id[i], r, f, number_pct(f->exclusive_ns, d->window_ns) });
	}
	free(id);
}

ORDERING(by_function, struct row, RISING(id) RISING(rank))

static void gather_functions(struct comparison *c, const struct run_view *v)
{
	struct name_table names;
	struct idmap ids;
	name_table_init(&names);
	idmap_init(&ids);
	for (uint32_t r = 0; r < v->run->ranks.nr; r++) {
		const struct digest *d = v->ranks[r].digest;
		if (v->ranks[r].cross->missing_steps || d->usable_steps != (int64_t)d->nr_steps ||
		    d->window_ns <= 0 || !d->functions.nr)
			continue;
		add_rank(c, &names, &ids, r);
		c->eligible++;
	}
	vec_sort(&c->rows, by_function);
	idmap_release(&ids);
	name_table_release(&names);
}

/* ---- comparing one function over the ranks ---- */

static bool is_named(int64_t share)
{
	return share >= FUNCTION_WORTH_NAMING;
}

/* Compare the shares of the window that the function takes on each rank. If a rank lacks the
   function, its share is too small to be stored, and counts as 0. */
static void compare_shares(struct comparison *c, const struct row *rows, size_t nr)
{
	for (size_t i = 0; i < c->eligible; i++)
		c->values[i] = i < nr ? rows[i].share : 0;
	struct peers s = peers_of(c->values, c->eligible);
	bool host = rows->f->cls > FUNCTION_COMMUNICATION;
	for (size_t i = 0; i < nr; i++)
		if ((is_named(rows[i].share) || is_named(s.median)) &&
		    (!host || rows[i].share > s.median) && peers_exclude(s, rows[i].share, FLOOR_PCT))
			vec_push(&c->found,
			         (struct unlike){ rows[i].rank, rows[i].f, UNLIKE_SHARE, rows[i].share,
			                          s.median, number_distance(rows[i].share, s.median) });
}

static int64_t cost_or_rate(const struct function_stat *f, bool rate)
{
	return rate ? f->rate : f->median_ns;
}

/* Compare the time of one execution of the function, or its rate in bytes per second. All ranks
 * must have the function; only ranks that are worse than their peers are found. */
static void compare_costs(struct comparison *c, const struct row *rows, size_t nr, bool rate)
{
	for (size_t i = 0; i < nr; i++)
		if ((c->values[i] = cost_or_rate(rows[i].f, rate)) < 0)
			return;
	struct peers s = peers_of(c->values, nr);
	for (size_t i = 0; i < nr; i++) {
		int64_t value = cost_or_rate(rows[i].f, rate);
		if (is_named(rows[i].share) && rate == (value < s.median) &&
		    peers_exclude(s, value, FLOOR_PCT))
			vec_push(
			    &c->found,
			    (struct unlike){
			        rows[i].rank, rows[i].f, rate ? UNLIKE_RATE : UNLIKE_COST, value, s.median,
			        number_div_round((__int128)rows[i].share * number_distance(value, s.median),
			                         s.median ? s.median : 1) });
	}
}

static void compare(struct comparison *c)
{
	for (size_t i = 0, end; i < c->rows.nr; i = end) {
		for (end = i; end < c->rows.nr && c->rows.v[end].id == c->rows.v[i].id;)
			end++;
		const struct row *rows = &c->rows.v[i];
		compare_shares(c, rows, end - i);
		if (end - i < c->eligible || rows->f->cls > FUNCTION_MEMORY)
			/* calls and frames of the host are compared only by their shares, since their times may
			   contain waiting */
			continue;
		compare_costs(c, rows, end - i, false);
		compare_costs(c, rows, end - i, true);
	}
}

/* ---- texts on functions ---- */

/* Order by rank, then by `beyond`, the largest first. */
ORDERING(by_weight, struct unlike, RISING(rank) FALLING(beyond) RISING(what) BY_SPAN(f->name))

static void add_words(struct strbuf *b, const struct unlike *u)
{
	static const struct {
		enum unit unit;
		const char *text;
	} words[] = {
		[UNLIKE_SHARE] = { UNIT_PCT, "of the window" },
		[UNLIKE_COST] = { UNIT_NS, "an execution" },
		[UNLIKE_RATE] = { UNIT_BYTES_PER_S, "" },
	};
	strbuf_adds(b, "'");
	text_add_short(b, u->f->name, NAME_CHARS);
	strbuf_adds(b, "' ");
	unit_format(b, words[u->what].unit, u->value, false);
	strbuf_addf(b, " %s%sagainst ", words[u->what].text, *words[u->what].text ? " " : "");
	unit_format(b, words[u->what].unit, u->median, false);
}

/* A sentence on the first `most` functions of the list `u`, whose figures on one rank are unlike
 * those of its peers. Each function is named once. */
static const char *sentence(const struct unlike *u, size_t nr, size_t most, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	struct idmap seen;
	idmap_init(&seen);
	for (size_t i = 0; i < nr; i++) {
		size_t before = seen.keys.nr;
		if (idmap_add(&seen, (int64_t)(uintptr_t)u[i].f) < before || before >= most)
			continue;
		strbuf_adds(&b, before ? ", " : "");
		add_words(&b, &u[i]);
	}
	size_t more = seen.keys.nr > most ? seen.keys.nr - most : 0;
	if (more)
		strbuf_addf(&b, ", and %zu function%s more", more, text_s(more));
	idmap_release(&seen);
	return arena_take(a, &b);
}

void functions_unlike(const struct run_view *v, const size_t *most, struct arena *a,
                      const char **text)
{
	struct comparison c = { .run = v->run };
	gather_functions(&c, v);
	c.values = mem_calloc(c.eligible, sizeof *c.values);
	if (c.eligible >= FEWEST_RANKS)
		compare(&c);
	vec_sort(&c.found, by_weight);
	for (size_t i = 0, end; i < c.found.nr; i = end) {
		for (end = i; end < c.found.nr && c.found.v[end].rank == c.found.v[i].rank;)
			end++;
		uint32_t r = c.found.v[i].rank;
		text[r] = sentence(&c.found.v[i], end - i, most[r], a);
	}
	free(c.values);
	vec_release(&c.rows);
	vec_release(&c.found);
}
