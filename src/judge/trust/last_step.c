/* Finds ranks that end differently from the other ranks: stuck before a collective in which the
   others wait, or cut off within a step that the other ranks recorded completely. */
#include <inttypes.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/fold.h"
#include "trust/finding.h"

enum { NAME_CHARS = 80 };

/* ---- texts of the finding ---- */

static const char *last_deed(struct arena *a, const struct progress *p)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "; in its last step it launched %" PRId64 " kernel%s", p->launches,
	            text_s(p->launches));
	if (p->collectives)
		strbuf_addf(&b, " and entered %" PRId64 " collective%s", p->collectives,
		            text_s(p->collectives));
	if (p->op.n)
		strbuf_addf(&b, ", last on the host '%s'", text_short(a, p->op, NAME_CHARS));
	if (p->activity.n)
		strbuf_addf(&b, ", last on the GPU '%s'", text_short(a, p->activity, NAME_CHARS));
	return arena_take(a, &b);
}

void peers_name_end(struct peers *p, size_t r, const char *id, const char *message)
{
	struct arena *a = &p->scope->out->arena;
	const struct digest *d = p->run->ranks.v[r];
	/* The number of missing steps stays reliable. So do the figures of a memory snapshot, which was
	 * made at another time. */
	unsigned spoils = d->snapshot && !p->scope->by_trace ? ON_TRACE : ON_ALL & ~ON_STEP_NUMBERS;
	peers_name(p, r, id, spoils, arena_printf(a, "%s%s", message, last_deed(a, &d->progress)));
}

/* ---- the last step of the other ranks ---- */

/* The figures of the ranks that end in the run's last step; each list is sorted. */
enum { LAUNCHED, PENDING, ENDED, ENTERED, SHARE, NR_FIGURES };
struct columns {
	VEC(int64_t) of[NR_FIGURES];
};

static int64_t figure_of(const struct digest *d, int figure)
{
	const struct progress *p = &d->progress;
	return figure == LAUNCHED  ? p->launches
	       : figure == PENDING ? p->pending
	       : figure == ENDED   ? p->launches - p->pending
	       : figure == ENTERED ? p->collectives
	                           : digest_last_share(d);
}

static bool ends_last(const struct peers *p, size_t r)
{
	return !p->named[r] && digest_has_trace(p->run->ranks.v[r]) &&
	       p->run->ranks.v[r]->progress.step == p->last;
}

/* Median of a figure over all ranks except `d`. The column has the values of all ranks, which must
   be at least two; one value that equals the figure of `d` is left out. */
static int64_t others(const struct columns *c, int figure, const struct digest *d)
{
	const int64_t *v = c->of[figure].v, own = figure_of(d, figure);
	size_t nr = c->of[figure].nr - 1, k = lower_bound(v, nr, sizeof own, &own, number_cmp_i64);
	size_t hi = nr / 2, lo = nr % 2 ? hi : hi - 1;
	return number_div_round((__int128)v[lo < k ? lo : lo + 1] + v[hi < k ? hi : hi + 1], 2);
}

/* ---- ranks that are stuck or cut off ---- */

/* True if the other ranks wait for this one. It launched fewer kernels than the others, no more
   than have ended there, and entered no more collectives: it has not reached the collective in
   which they wait. */
static bool is_passed(const struct columns *c, const struct digest *d)
{
	return others(c, PENDING, d) > 0 && d->progress.launches <= others(c, ENDED, d) &&
	       d->progress.launches < others(c, LAUNCHED, d) &&
	       d->progress.collectives <= others(c, ENTERED, d);
}

/* True if the other ranks went on while this rank stopped: their GPUs still have work, and their
   hosts launched more kernels and entered more collectives. This finds stuck ranks that is_passed()
   misses, since hosts may run ahead of their GPUs. */
static bool is_behind(const struct columns *c, const struct digest *d)
{
	enum { LEAST_PCT = 90 };
	int64_t usual = others(c, LAUNCHED, d);
	return trust_is_notable(others(c, PENDING, d), usual) &&
	       (__int128)d->progress.launches * 100 < (__int128)usual * LEAST_PCT &&
	       d->progress.collectives < others(c, ENTERED, d);
}

static bool is_stuck(const struct columns *c, const struct digest *d)
{
	return is_passed(c, d) || is_behind(c, d);
}

/* True if the recording of this rank is cut off, unlike those of the other ranks: launches lack
   their kernels, or the last step has far fewer activities than usual. If there are no activities
   at all, they were not recorded ("no-gpu-activity"). */
static bool is_cut(const struct columns *c, const struct digest *d)
{
	enum { LEAST_PCT = 90 };
	if (!d->trust.gpu_events)
		return false;
	if (others(c, PENDING, d) == 0 && trust_is_notable(d->progress.pending, d->progress.launches))
		return true;
	__int128 usual = others(c, SHARE, d);
	return usual * 100 >= (__int128)MICRO * LEAST_PCT &&
	       (__int128)digest_last_share(d) * 100 < usual * LEAST_PCT;
}

/* Text such as ": 'NAME' on rank 3": a collective that has not ended on another rank; "" if there
   is none. */
static const char *where_they_wait(const struct peers *p, size_t r)
{
	struct arena *a = &p->scope->out->arena;
	for (size_t i = 0; i < p->run->ranks.nr; i++) {
		const struct progress *g = &p->run->ranks.v[i]->progress;
		if (i != r && g->step == p->last && g->pending && g->waits_in.n)
			return arena_printf(a, ": '%s' on rank %" PRId64,
			                    text_short(a, g->waits_in, NAME_CHARS), p->run->ranks.v[i]->rank);
	}
	return "";
}

static void name_stuck(struct peers *p, size_t r, bool passed)
{
	struct arena *a = &p->scope->out->arena;
	const char *step = "";
	if (p->last >= 0)
		step = arena_printf(a, " in step %" PRId64, p->last);
	peers_name_end(p, r, "stuck",
	               passed ? arena_printf(a, "stopped%s and never entered what the others wait in%s",
	                                     step, where_they_wait(p, r))
	                      : arena_printf(a,
	                                     "stopped%s where the others went on, whose GPUs wait with "
	                                     "what they launched",
	                                     step));
}

static size_t test_all(const struct peers *p, const struct columns *c, bool *found,
                       bool (*test)(const struct columns *c, const struct digest *d))
{
	size_t nr = 0;
	for (size_t r = 0; r < p->run->ranks.nr; r++)
		nr += found[r] = ends_last(p, r) && test(c, p->run->ranks.v[r]);
	return nr;
}

/* Find the ranks that are stuck or, if there are none, those that are cut off. A stuck rank makes
 * the others end within a step, too; they must not be reported as cut off. */
void peers_find_ends(struct peers *p)
{
	struct columns c = { 0 };
	for (int i = 0; i < NR_FIGURES; i++) {
		for (size_t r = 0; r < p->run->ranks.nr; r++)
			if (ends_last(p, r))
				vec_push(&c.of[i], figure_of(p->run->ranks.v[r], i));
		vec_sort(&c.of[i], number_cmp_i64);
	}
	bool *found = mem_calloc(p->run->ranks.nr, sizeof *found);
	bool stuck = c.of[0].nr > 1 && test_all(p, &c, found, is_stuck);
	if (!stuck && c.of[0].nr > 1)
		test_all(p, &c, found, is_cut);
	for (size_t r = 0; r < p->run->ranks.nr; r++) {
		if (found[r] && stuck)
			name_stuck(p, r, is_passed(&c, p->run->ranks.v[r]));
		else if (found[r])
			peers_name_end(p, r, "cut-short",
			               "ends within its last step, which other ranks have whole");
	}
	for (size_t i = 0; i < NR_FIGURES; i++)
		vec_release(&c.of[i]);
	free(found);
}
