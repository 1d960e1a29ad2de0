#include "suite/suite.h"

#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/text.h"
#include "metric/unit.h"
#include "model/report.h"

enum { SHARED_MAX = 20, NAME_CHARS = 60 };

#define MACHINE "machine"

/* What findings with one cause say about a name that they share: `kernel` if it is the name of a
 * kernel, else `other`. If a cause is not in this table, a name that its findings share means
 * nothing. */
static const struct {
	enum cause cause;
	const char *kernel, *other;
} phrases[] = {
	{ CAUSE_SLOW_RANK, NULL, "is slow" },
	{ CAUSE_SLOW_LINK, NULL, "has a slow link" },
	{ CAUSE_LATE_RANK, NULL, "is late" },
	{ CAUSE_UNIFORM, NULL, "is slower" },
	{ CAUSE_KERNEL, "is slower", "is slower" },
	{ CAUSE_LAUNCHES, "is launched more often", "launches more kernels" },
	{ CAUSE_NEW_KERNEL, "is new", "launches a new kernel" },
	{ CAUSE_SUBSTITUTION, "replaces another kernel", "runs another kernel" },
	{ CAUSE_RENAMED, "is a kernel's new name", "runs a kernel of another name" },
	{ CAUSE_GONE_KERNEL, "is gone", "lacks a kernel" },
	{ CAUSE_TRAFFIC, "moves more bytes", "moves more bytes" },
	{ CAUSE_TRANSFER, "takes longer", "takes longer" },
	{ CAUSE_COPIES, "copies more", "copies more" },
	{ CAUSE_DATA_LOADER, NULL, "is waited for" },
	{ CAUSE_SYNCS, NULL, "synchronizes more" },
	{ CAUSE_HOST, NULL, "takes longer on the host" },
	{ CAUSE_OUT_OF_MEMORY, NULL, "runs out of memory" },
	{ CAUSE_LEAK, NULL, "leaks memory" },
	{ CAUSE_MEMORY, NULL, "holds more memory" },
};

static const char *phrase_of(const char *id, const char *kind)
{
	for (size_t i = 0; i < NR_OF(phrases); i++)
		if (strcmp(cause_names[phrases[i].cause], id) == 0) {
			bool kernel = kind && strcmp(kind, place_kind_names[PLACE_KERNEL]) == 0;
			return kernel ? phrases[i].kernel : phrases[i].other;
		}
	return NULL;
}

struct mention {
	const struct suite_subject *subject;
	struct suite_item *finding;
	int rank; /* if two names are in equally many cases, the one with the smaller rank is taken
	             for the cause */
};

struct mentions {
	VEC(struct mention) list;
};

static int rank_of(const char *kind)
{
	static const enum place_kind order[] = { PLACE_OPERATOR, PLACE_COLLECTIVE, PLACE_KERNEL,
		                                     PLACE_CODE,     PLACE_CALL,       PLACE_RANK };
	int i = 0, nr = NR_OF(order);
	while (kind && i < nr && strcmp(kind, place_kind_names[order[i]]) != 0)
		i++;
	return kind ? i + 1 : 0;
}

static int key_cmp(const struct mention *x, const struct mention *y)
{
	ORDER_BY(x->rank, y->rank);
	int c = strcmp(x->finding->id, y->finding->id);
	return c ? c : strcmp(x->subject->name, y->subject->name);
}

ORDERING(mention_cmp, struct mention,
         THEN(key_cmp(x, y)) RISING(subject->of) RISING(subject->place))

/* The finding that contains the name `x`; NULL if there is none. */
static struct suite_item *finding_of(struct suite *s, const struct suite_subject *x)
{
	struct suite_item *v = s->findings.v;
	size_t lo = 0, hi = s->findings.nr;
	SEARCH(lo, hi, i, v[i].of < x->of || (v[i].of == x->of && v[i].place < x->finding));
	return lo < s->findings.nr && v[lo].of == x->of && v[lo].place == x->finding ? &v[lo] : NULL;
}

static void collect(struct suite *s, struct mentions *out)
{
	for (size_t i = 0; i < s->subjects.nr; i++) {
		const struct suite_subject *x = &s->subjects.v[i];
		struct suite_item *f = finding_of(s, x);
		if (f)
			vec_push(&out->list, (struct mention){ x, f, rank_of(x->kind) });
	}
	vec_sort(&out->list, mention_cmp);
}

size_t suite_case_at(const struct suite *s, int64_t place)
{
	size_t lo = 0, hi = s->cases.nr;
	SEARCH(lo, hi, i, s->cases.v[i].place < place);
	return lo;
}

/* ---- a shared cause ---- */

/* Changes of the items that the findings of a shared cause name: the least and the greatest change
   in 1e-6 percent, and how many changes are known and unknown. */
struct span_of_changes {
	int64_t least, most;
	size_t nr, unknown;
};

static void add_change(struct span_of_changes *c, int64_t pct)
{
	if (pct == INT64_MIN) {
		c->unknown++;
		return;
	}
	c->least = c->nr && c->least < pct ? c->least : pct;
	c->most = c->nr && c->most > pct ? c->most : pct;
	c->nr++;
}

/* Text such as "+8.00 % to +14.0 %"; NULL if not all changes are known. */
static const char *changes_text(struct arena *a, const struct span_of_changes *c)
{
	if (!c->nr || c->unknown)
		return NULL;
	const char *least = unit_relative(a, c->least), *most = unit_relative(a, c->most);
	return strcmp(least, most) == 0 ? least : arena_printf(a, "%s to %s", least, most);
}

/* Mark a finding as a part of the newest shared cause. */
static void tell(struct suite *s, struct suite_item *f)
{
	struct suite_shared *x = &s->shared.v[s->shared.nr - 1];
	f->told = true;
	x->verdict = f->verdict < x->verdict ? f->verdict : x->verdict;
	x->action = x->action ? x->action : f->action;
}

static void add_sharing(struct suite *s, int64_t of)
{
	int64_t shared = (int64_t)s->shared.nr - 1;
	const struct suite_sharing *last = s->sharing.nr ? &s->sharing.v[s->sharing.nr - 1] : NULL;
	if (!last || last->shared != shared || last->of != of)
		vec_push(&s->sharing, (struct suite_sharing){ shared, of });
}

static struct suite_shared *add_shared(struct suite *s, const char *id)
{
	struct suite_shared *x = vec_push_zero(&s->shared);
	*x = (struct suite_shared){ .place = (int64_t)s->shared.nr - 1,
		                        .verdict = VERDICT_WARN,
		                        .id = id };
	return x;
}

/* ---- the machine ---- */

static const struct suite_item *fact_of(const struct suite *s, int64_t of, const char *key)
{
	const struct suite_items facts = suite_items_of(&s->machine, of);
	return FIND(i, facts.v, facts.nr, strcmp(facts.v[i].id, key) == 0);
}

/* Append a fact of the machine that changed in slower cases: its name, and its values in the first
 * of these cases. If other slower cases have other values, the name of the first one follows. */
static void add_fact(struct strbuf *b, const struct suite *s, const char *key)
{
	const struct metric *m = metric_find(span_of(key));
	const struct suite_item *first = NULL;
	bool same = true;
	for (size_t i = 0; i < s->cases.nr; i++) {
		const struct suite_case *c = &s->cases.v[i];
		const struct suite_item *f = c->slower ? fact_of(s, c->place, key) : NULL;
		first = first ? first : f;
		same = same && (!f || strcmp(f->text, first->text) == 0);
	}
	strbuf_addf(b, "%s%s %s", b->n ? ", " : "", m ? m->head : key, first->text);
	if (!same)
		strbuf_addf(b, " (%s)", s->cases.v[suite_case_at(s, first->of)].name);
}

static bool is_behind(const struct suite *s, size_t i, const char *key)
{
	return s->cases.v[i].slower && fact_of(s, s->cases.v[i].place, key);
}

/* Order of facts: first those that are metrics (the state of the GPUs, such as clocks), then
   versions and hardware. */
static int fact_cmp(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	bool state_x = metric_find(span_of(*x)), state_y = metric_find(span_of(*y));
	return state_x != state_y ? state_y - state_x : strcmp(*x, *y);
}

/* Find the names of the facts that changed in several slower cases, if these cases are at least
   half of all judged cases. */
static void find_facts(const struct suite *s, struct texts *out)
{
	size_t judged = 0;
	for (size_t i = 0; i < s->cases.nr; i++)
		judged +=
		    s->cases.v[i].verdict != VERDICT_ERROR && s->cases.v[i].verdict != VERDICT_MISSING;
	for (size_t i = 0; i < s->machine.nr; i++) {
		const char *key = s->machine.v[i].id;
		size_t nr = 0;
		if (ANY(k, out->nr, strcmp(out->v[k], key) == 0))
			continue;
		for (size_t c = 0; c < s->cases.nr; c++)
			nr += is_behind(s, c, key);
		if (nr > 1 && nr * 2 >= judged)
			vec_push(out, key);
	}
	vec_sort(out, fact_cmp);
}

static void share_machine(struct suite *s, const struct mentions *all)
{
	struct texts facts = { 0 };
	struct span_of_changes changes = { 0 };
	struct strbuf b = STRBUF_INIT;
	size_t nr = 0;
	find_facts(s, &facts);
	if (!facts.nr) {
		vec_release(&facts);
		return;
	}
	add_shared(s, MACHINE);
	for (size_t i = 0; i < s->cases.nr; i++) {
		if (!ANY(k, facts.nr, is_behind(s, i, facts.v[k])))
			continue;
		nr++;
		add_sharing(s, s->cases.v[i].place);
		/* a finding that names no place in the code belongs to the machine as its cause */
		for (size_t m = 0; m < all->list.nr && !all->list.v[m].subject->kind; m++)
			if (all->list.v[m].subject->of == s->cases.v[i].place) {
				tell(s, all->list.v[m].finding);
				add_change(&changes, all->list.v[m].subject->change_pct);
			}
	}
	struct arena *a = &s->arena;
	struct suite_shared *x = &s->shared.v[s->shared.nr - 1];
	for (size_t k = 0; k < facts.nr; k++) {
		add_fact(&b, s, facts.v[k]);
		x->title = x->title ? x->title : arena_printf(a, "the machine: %s", strbuf_str(&b));
	}
	const char *what = arena_take(a, &b), *range = changes_text(a, &changes);
	x->text = arena_printf(a, "%s and %zu of %zu cases are slower%s: the machine", what, nr,
	                       s->cases.nr, range ? arena_printf(a, " (%s)", range) : "");
	vec_release(&facts);
}

/* ---- findings of several cases with the same name and cause ---- */

/* Number of cases with the name and cause of mention `at`. Findings that already belong to a shared
 * cause do not count. `*end` becomes the index of the first later mention with another name or
 * cause. */
static size_t count_cases(const struct mentions *all, size_t at, size_t *end)
{
	size_t nr = 0, i = at;
	int64_t last = -1;
	for (; i < all->list.nr && key_cmp(&all->list.v[i], &all->list.v[at]) == 0; i++) {
		const struct mention *m = &all->list.v[i];
		if (m->finding->told || m->subject->of == last)
			continue;
		last = m->subject->of;
		nr++;
	}
	*end = i;
	return nr;
}

static void share_name(struct suite *s, const struct mentions *all, size_t at, size_t nr)
{
	struct span_of_changes changes = { 0 };
	const struct mention first = all->list.v[at];
	struct arena *a = &s->arena;
	struct suite_shared *x = add_shared(s, first.finding->id);
	const struct suite_item *last = NULL;
	for (size_t i = at; i < all->list.nr && key_cmp(&all->list.v[i], &first) == 0; i++) {
		const struct mention *m = &all->list.v[i];
		if (m->finding->told && m->finding != last)
			continue; /* the finding belongs to another cause; but if it is `last`, it belongs to
			             this cause and has the name twice */
		last = m->finding;
		tell(s, m->finding);
		add_sharing(s, m->subject->of);
		add_change(&changes, m->subject->change_pct);
	}
	const char *name = text_short(a, span_of(first.subject->name), NAME_CHARS);
	const char *range = changes_text(a, &changes);
	x->kind = first.subject->kind;
	x->name = first.subject->name;
	x->title = arena_printf(a, "%s %s", name, phrase_of(x->id, x->kind));
	x->text = arena_printf(a, "%s in %zu of %zu cases%s%s", x->title, nr, s->cases.nr,
	                       range ? ": " : "", text_or_empty(range));
}

void suite_share(struct suite *s)
{
	struct mentions all = { 0 };
	collect(s, &all);
	share_machine(s, &all);
	while (s->shared.nr < SHARED_MAX) {
		size_t most = 1, best = 0;
		for (size_t at = 0, end; at < all.list.nr; at = end) {
			size_t nr = count_cases(&all, at, &end);
			if (nr > most && phrase_of(all.list.v[at].finding->id, all.list.v[at].subject->kind)) {
				most = nr;
				best = at;
			}
		}
		if (most == 1)
			break;
		share_name(s, &all, best, most);
	}
	vec_release(&all.list);
}

const struct suite_shared *suite_shared_by(const struct suite *s, unsigned verdict)
{
	for (size_t k = 0; k < s->shared.nr; k++) {
		int64_t nr = 0;
		for (size_t i = 0; i < s->sharing.nr; i++)
			nr += s->sharing.v[i].shared == (int64_t)k &&
			      s->cases.v[suite_case_at(s, s->sharing.v[i].of)].verdict == verdict;
		if (nr > 1 && nr == s->counts[verdict])
			return &s->shared.v[k];
	}
	return NULL;
}
