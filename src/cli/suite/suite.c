#include "suite/suite.h"

#include <inttypes.h>

#include "base/sort.h"

/* All lists of a suite whose elements are of the type suite_item. */
#define LISTS_OF(s) &(s)->findings, &(s)->checks, &(s)->warnings, &(s)->machine
enum { NR_LISTS = 4 };

void suite_init(struct suite *s)
{
	*s = (struct suite){ .arena = ARENA_INIT, .name = "suite", .shard = 1, .shards = 1 };
}

void suite_release(struct suite *s)
{
	vec_release(&s->cases);
	struct suite_items *const lists[] = { LISTS_OF(s) };
	for (size_t i = 0; i < NR_LISTS; i++)
		vec_release(lists[i]);
	vec_release(&s->subjects);
	vec_release(&s->shared);
	vec_release(&s->sharing);
	arena_release(&s->arena);
}

void suite_take(struct suite *s, struct suite *from)
{
	struct suite_items *const to[] = { LISTS_OF(s) }, *const lists[] = { LISTS_OF(from) };
	for (size_t i = 0; i < NR_LISTS; i++)
		vec_move(to[i], lists[i]);
	vec_move(&s->cases, &from->cases);
	vec_move(&s->subjects, &from->subjects);
	arena_move(&s->arena, &from->arena);
}

ORDERING_SHARED(suite_case_cmp, struct suite_case, RISING(place))

ORDERING_SHARED(suite_item_cmp, struct suite_item, RISING(of) RISING(place))

ORDERING_SHARED(suite_subject_cmp, struct suite_subject, RISING(of) RISING(place))

struct suite_items suite_items_of(const struct suite_items *all, int64_t place)
{
	const struct suite_item key = { .of = place, .place = INT64_MIN };
	size_t first = lower_bound(all->v, all->nr, sizeof *all->v, &key, suite_item_cmp), end = first;
	while (end < all->nr && all->v[end].of == place)
		end++;
	return (struct suite_items){ .v = all->v ? all->v + first : NULL, .nr = end - first };
}

/* The more important of two statuses. A regression is more important than a case that could not be
   judged. */
static enum status worse(enum status a, enum status b)
{
	static const int rank[] = { [ST_OK] = 0,     [ST_INPUT] = 1,  [ST_BASELINE] = 2,
		                        [ST_FAILED] = 3, [ST_OUTPUT] = 4, [ST_USAGE] = 5 };
	return rank[a] >= rank[b] ? a : b;
}

static enum status status_of_code(int64_t code)
{
	static const enum status all[] = { ST_OK, ST_FAILED, ST_USAGE, ST_INPUT, ST_BASELINE };
	for (size_t i = 0; i < NR_OF(all); i++)
		if (status_exit_code(all[i]) == code)
			return all[i];
	return ST_OUTPUT;
}

/* Text in parentheses: the name of the case with this verdict if there is only one, else the cause
   that all cases with this verdict share. "" if they share none. */
static const char *named(struct suite *s, unsigned verdict)
{
	const struct suite_shared *shared = suite_shared_by(s, verdict);
	size_t i = 0;
	if (s->counts[verdict] > 1)
		return shared ? arena_printf(&s->arena, " (%s)", shared->title) : "";
	while (s->cases.v[i].verdict != verdict)
		i++;
	return arena_printf(&s->arena, " (%s)", s->cases.v[i].name);
}

static const char *headline(struct suite *s)
{
	static const char *const words[] = {
		[VERDICT_FAIL] = "failed",         [VERDICT_ERROR] = "could not be judged",
		[VERDICT_UNDECIDED] = "undecided", [VERDICT_INCONCLUSIVE] = "not judged",
		[VERDICT_MISSING] = "missing",     [VERDICT_WARN] = "passed with a warning",
	};
	struct strbuf b = STRBUF_INIT;
	int64_t all = (int64_t)s->cases.nr;
	const char *cases = all == 1 ? "case" : "cases";
	for (unsigned v = 0; v <= VERDICT_WARN; v++) {
		int64_t nr = s->counts[v];
		if (nr && !b.n)
			strbuf_addf(&b, "%" PRId64 " of %" PRId64 " %s %s%s", nr, all, cases, words[v],
			            named(s, v));
		else if (nr)
			strbuf_addf(&b, ", %" PRId64 " %s", nr, words[v]);
	}
	if (!b.n)
		strbuf_addf(&b, "%" PRId64 " %s passed", all, cases);
	return arena_take(&s->arena, &b);
}

void suite_conclude(struct suite *s)
{
	vec_sort(&s->cases, suite_case_cmp);
	struct suite_items *const lists[] = { LISTS_OF(s) };
	for (size_t i = 0; i < NR_LISTS; i++)
		vec_sort(lists[i], suite_item_cmp);
	vec_sort(&s->subjects, suite_subject_cmp);
	s->status = ST_OK;
	for (size_t i = 0; i < s->cases.nr; i++) {
		const struct suite_case *c = &s->cases.v[i];
		s->counts[c->verdict]++;
		s->status = worse(s->status, status_of_code(c->exit_code));
		if (c->verdict == VERDICT_UNDECIDED || c->unconfirmed) {
			number_raise(&s->plan_runs, c->plan_runs);
			number_raise(&s->plan_pairs, c->plan_pairs);
		}
	}
	s->exit_code = status_exit_code(s->status);
	s->verdict = 0;
	while (s->verdict < VERDICT_PASS && (s->verdict > VERDICT_WARN || !s->counts[s->verdict]))
		s->verdict++;
	suite_share(s);
	s->headline = headline(s);
}
