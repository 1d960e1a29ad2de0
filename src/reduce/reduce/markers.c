/* Proposes markers for a trace without steps: annotations of inference servers, and other
 * annotations that repeat regularly and contain most of the launches. */
#include <string.h>

#include "base/number.h"
#include "base/search.h"
#include "base/text.h"
#include "reduce/reducer.h"
#include "reduce/step_name.h"

/* The steps of a marker must contain HOLDS_PCT of all launches, and ALIKE_PCT of the steps must
 * have about as many launches as the median step. For steps of an inference server,
 * SERVER_HOLDS_PCT of the launches is enough, since a server also launches work between steps, for
 * scheduling and sampling. */
enum { HOLDS_PCT = 90, SERVER_HOLDS_PCT = 50, ALIKE_PCT = 75, STEPS_NEEDED = 3 };

/* Longest proposed pattern; a longer one is too long to type. */
enum { PATTERN_CHARS = 200 };

/* If the numbers of launches within the steps of two markers differ by no more than this, the outer
 * marker, which has fewer steps, is chosen. */
enum { AS_MUCH_PCT = 2 };

/* Annotations whose names match one pattern, as possible step markers. */
struct marker {
	struct span pattern;
	bool server;
	size_t first, nr; ///< index of the first matching annotation in the sorted list; number of
	                  ///< matching annotations
	int64_t steps, held; ///< number of steps, and number of launches within steps
	bool alike;
};

struct marker_search {
	const struct reducer *r;
	struct arena arena;
	struct name_table patterns;
	VEC(struct marker) list; ///< markers, indexed by id in `patterns`
	bool on_gpu; ///< true if there are no annotations on the host
	int64_t *launched_ns; ///< sorted launch times of activities; start times if `on_gpu`
	size_t nr_launched;
};

void annotation_take(struct reducer *r, const struct event *ev, uint32_t name)
{
	struct steps *s = &r->steps;
	if (s->annotations.nr < ANNOTATIONS_KEPT)
		vec_push(&s->annotations,
		         (struct annotation){ ev->start_ns, ev->start_ns + ev->dur_ns, name,
		                              ev->kind == EVENT_GPU_ANNOTATION ? ev->step : IDENT_NONE });
	else
		s->annotations_cut = true;
}

/* ---- patterns of names ---- */

static uint32_t marker_of(struct marker_search *m, const struct host_name *h)
{
	bool server;
	struct span pattern = marker_pattern_of(h->name, &m->arena, &server);
	const struct name *n = name_intern(&m->patterns, pattern);
	if (!n)
		return NO_ID;
	while (m->list.nr <= n->id)
		vec_push_zero(&m->list);
	m->list.v[n->id].pattern = name_span(n);
	m->list.v[n->id].server |= server;
	return n->id;
}

ORDERING(annotation_cmp, struct annotation, RISING(name) RISING(start_ns) RISING(end_ns))

/* Joins annotations on GPUs that have the same id into one: each stream has an annotation of its
 * own for a step, which lasts from the first to the last activity of the step on that stream. */
static void join_streams(struct steps *s)
{
	struct idmap groups;
	size_t nr = 0;
	idmap_init(&groups);
	for (size_t i = 0; i < s->annotations.nr; i++) {
		struct annotation a = s->annotations.v[i];
		uint32_t at = idmap_add(&groups, a.group);
		if (at == nr) {
			s->annotations.v[nr++] = a;
		} else {
			number_lower(&s->annotations.v[at].start_ns, a.start_ns);
			number_raise(&s->annotations.v[at].end_ns, a.end_ns);
		}
	}
	s->annotations.nr = nr;
	idmap_release(&groups);
}

/* Sorts the annotations by marker, and sets their `name` to the id of their marker. */
static void group_annotations(struct marker_search *m, struct steps *s)
{
	const struct host_events *h = &m->r->host;
	uint32_t *of = mem_calloc(h->names.nr, sizeof *of);
	m->on_gpu = ALL(i, h->names.nr, !h->names.v[i].annotated || h->names.v[i].on_gpu);
	for (size_t i = 0; i < h->names.nr; i++)
		of[i] = !h->names.v[i].annotated || h->names.v[i].on_gpu != m->on_gpu
		            ? NO_ID
		            : marker_of(m, &h->names.v[i]);
	for (size_t i = 0; i < s->annotations.nr; i++)
		s->annotations.v[i].name = of[s->annotations.v[i].name];
	free(of);
	if (m->on_gpu)
		join_streams(s);
	vec_sort(&s->annotations, annotation_cmp);
	for (size_t i = 0; i < s->annotations.nr && s->annotations.v[i].name != NO_ID; i++) {
		struct marker *k = &m->list.v[s->annotations.v[i].name];
		k->first = k->nr++ ? k->first : i;
	}
}

/* True if the pattern also matches names of operators. As a marker, such a pattern would make each
 * of these operators a step. */
static bool matches_op(const struct marker_search *m, struct span pattern)
{
	const struct host_events *h = &m->r->host;
	return ANY(i, h->names.nr, h->names.v[i].op && span_glob(pattern, h->names.v[i].name));
}

/* ---- launches within the steps of a marker ---- */

static void launches_sort(struct marker_search *m)
{
	const struct reducer *r = m->r;
	m->launched_ns = mem_calloc(r->gpu.activities.nr, sizeof *m->launched_ns);
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		const struct host_span *launch = activity_launch(r, a);
		if (m->on_gpu)
			m->launched_ns[m->nr_launched++] = a->start_ns;
		else if (launch)
			m->launched_ns[m->nr_launched++] = span_start(&r->host, launch);
	}
	sort_plain(m->launched_ns, m->nr_launched, sizeof *m->launched_ns, number_cmp_i64);
}

static int64_t launched_before(const struct marker_search *m, int64_t at_ns)
{
	size_t lo = 0, hi = m->nr_launched; /* lo becomes the number of launches before `at_ns` */
	SEARCH(lo, hi, i, m->launched_ns[i] < at_ns);
	return (int64_t)lo;
}

/* Counts the launches within the steps that marker `k` would make. If steps overlap, a launch
 * belongs to the first of them. */
static void hold(const struct marker_search *m, const struct annotation *v, struct marker *k)
{
	int64_t *held = mem_calloc(k->nr, sizeof *held), ended = INT64_MIN;
	size_t alike = 0;
	for (size_t i = 0; i < k->nr; i++) {
		int64_t from = v[i].start_ns > ended ? v[i].start_ns : ended;
		if (v[i].end_ns > from)
			held[i] = launched_before(m, v[i].end_ns) - launched_before(m, from);
		ended = v[i].end_ns > ended ? v[i].end_ns : ended;
		k->held += held[i];
	}
	int64_t *sorted = mem_calloc(k->nr, sizeof *sorted);
	memcpy(sorted, held, k->nr * sizeof *held);
	int64_t middle = number_median(sorted, k->nr);
	for (size_t i = 0; i < k->nr; i++)
		alike += held[i] * 10 >= middle * 9 && held[i] * 10 <= middle * 11;
	k->alike = alike * 100 >= k->nr * ALIKE_PCT;
	k->steps = (int64_t)k->nr;
	free(sorted);
	free(held);
}

static bool is_fit(const struct marker_search *m, const struct marker *k)
{
	int64_t all = (int64_t)m->nr_launched;
	if (k->held == 0 || k->pattern.n > PATTERN_CHARS)
		return false;
	return k->server ? k->held * 100 >= all * SERVER_HOLDS_PCT
	                 : k->steps >= STEPS_NEEDED && k->alike && k->held * 100 >= all * HOLDS_PCT;
}

/* True if marker `k` is better than marker `best`; markers of inference servers are preferred. */
static bool is_better(const struct marker *k, const struct marker *best)
{
	if (!best || k->server != best->server)
		return !best || k->server;
	if (k->held * 100 < best->held * (100 - AS_MUCH_PCT) ||
	    best->held * 100 < k->held * (100 - AS_MUCH_PCT))
		return k->held > best->held;
	return k->steps < best->steps;
}

void markers_propose(struct reducer *r, struct digest *d)
{
	struct steps *s = &r->steps;
	struct marker_search m = { .r = r, .arena = ARENA_INIT };
	const struct marker *best = NULL;
	if (s->annotations.nr == 0 || s->annotations_cut || r->gpu.activities.nr == 0)
		return;
	name_table_init(&m.patterns);
	group_annotations(&m, s);
	launches_sort(&m);
	for (size_t i = 0; i < m.list.nr; i++) {
		struct marker *k = &m.list.v[i];
		if (k->nr)
			hold(&m, &s->annotations.v[k->first], k);
		if (k->nr && is_fit(&m, k) && is_better(k, best) && !matches_op(&m, k->pattern))
			best = k;
	}
	if (best) {
		d->proposed_marker = arena_dup(&d->arena, best->pattern);
		d->proposed_steps = best->steps;
	}
	free(m.launched_ns);
	vec_release(&m.list);
	name_table_release(&m.patterns);
	arena_release(&m.arena);
}
