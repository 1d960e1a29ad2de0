/* Finds kernels that are a cause: slower, launched more often, new, or replaced. */
#include <math.h>

#include "base/text.h"
#include "cause/suspect.h"
#include "diff/drift.h"

/* A changed kernel, and the kernel that it replaced, if it replaced one. */
struct culprit {
	enum cause cause;
	/* further kernels that replace `was` together with `now` */
	const struct activity_pair **pieces;
	size_t nr_pieces;
	/* the changed kernel, and the kernel that it replaced; `was` is NULL if there is none */
	const struct activity_pair *now, *was;
	int64_t rise; /* rise in ns per step, less the slowdown that all kernels have in common */
	/* mean duration (or number of launches) in the candidate, divided by that in the baseline */
	double times;
	/* true if a check that failed, warned, is undecided or cannot be judged names the kernel */
	bool asked;
};

struct culprits {
	struct inquiry *q;
	VEC(struct culprit) list;
	VEC(const struct activity_pair *) taken; /* replaced kernels, and pieces that replace one */
};

/* The kernel's name in the form that checks use. */
static const char *item_of(struct inquiry *q, const struct activity_pair *a)
{
	return text_short(q->a, a->name, (size_t)-1);
}

static bool is_asked(struct inquiry *q, const struct activity_pair *a)
{
	const char *item = NULL;
	for (size_t i = 0; i < q->out->checks.nr; i++) {
		const struct check *c = &q->out->checks.v[i];
		if (c->metric->label != LABEL_KERNEL ||
		    (!verdict_is_beyond(c->verdict) && c->verdict != VERDICT_WARN &&
		     c->verdict != VERDICT_INCONCLUSIVE))
			continue;
		item = item ? item : item_of(q, a);
		if (strcmp(item, c->item) == 0)
			return true;
	}
	return false;
}

static double per_step(const struct inquiry *q, const struct activity_pair *a, enum side_index side)
{
	return q->pairs.steps[side] > 0 ? (double)a->count[side] / (double)q->pairs.steps[side] : 0;
}

static const char *number_per_step(struct inquiry *q, const struct activity_pair *a,
                                   enum side_index side)
{
	return arena_printf(q->a, "%.4g", per_step(q, a, side));
}

/* ---- kernels that other kernels replace ---- */

static bool is_taken(const struct culprits *c, const struct activity_pair *a)
{
	return ANY(i, c->taken.nr, c->taken.v[i] == a);
}

static double more_launches(const struct inquiry *q, const struct activity_pair *a)
{
	return per_step(q, a, SIDE_CANDIDATE) - per_step(q, a, SIDE_BASELINE);
}

/* How much the kernels `now` and `was` differ; the likeliest replacement of `was` differs least.
   `more`: launches per step that `now` gained; `fewer`: launches that `was` lost. The ratio of
   these two has more weight than the ratio of the times. */
static double distance(const struct activity_pair *now, const struct activity_pair *was,
                       double more, double fewer)
{
	double launches = more > fewer ? more / fewer : fewer / more;
	double ns = (double)now->time_ns[SIDE_CANDIDATE], bs = (double)was->time_ns[SIDE_BASELINE];
	double time = ns > bs ? ns / (bs + 1) : bs / (ns + 1);
	return (launches - 1) * 4 + time;
}

/* The kernel that `now` probably replaces, since it lost about as many launches as `now` gained;
   NULL if no kernel did. The replaced kernel may be gone, or still be launched elsewhere. Kernels
   of the category of `now` are preferred. */
static const struct activity_pair *replaced(struct culprits *c, const struct activity_pair *now)
{
	const struct inquiry *q = c->q;
	const struct activity_pair *best = NULL;
	double more = more_launches(q, now), nearest = 0;
	for (size_t i = 0; i < q->pairs.list.nr; i++) {
		const struct activity_pair *was = &q->pairs.list.v[i];
		double fewer = -more_launches(q, was);
		if (!pair_is_compute(was) || is_taken(c, was) || was->partner ||
		    activity_is_partial(&q->pairs, was) || drift_may_be_small(&q->pairs, was) ||
		    fewer <= 0 || more > fewer * 1.1 || fewer > more * 1.1)
			continue;
		double far = distance(now, was, more, fewer);
		/* A replacement may have another category, since its name is another. The two kernels must
		   then be similar, the old one gone from the candidate, and the new one absent from the
		   baseline. */
		if (was->category != now->category &&
		    (far > 3 || !activity_is_only(&q->pairs, was, SIDE_BASELINE) ||
		     !activity_is_only(&q->pairs, now, SIDE_CANDIDATE)))
			continue;
		far += was->category != now->category ? 10 : 0;
		if (!best || far < nearest) {
			best = was;
			nearest = far;
		}
	}
	return best;
}

/* ---- the change of each kernel ---- */

static void add_culprit(struct culprits *c, struct culprit one)
{
	one.asked = one.asked || is_asked(c->q, one.now) || (one.was && is_asked(c->q, one.was));
	if (one.rise > 0 || one.asked)
		vec_push(&c->list, one);
	if (one.was)
		vec_push(&c->taken, one.was);
}

static void add_new(struct culprits *c, const struct activity_pair *a)
{
	bool renamed = a->partner != NULL;
	const struct activity_pair *was = renamed ? a->partner : replaced(c, a);
	struct culprit one = { .now = a, .was = was, .rise = a->time_ns[SIDE_CANDIDATE], .times = 1 };
	one.cause = renamed ? CAUSE_RENAMED : was ? CAUSE_SUBSTITUTION : CAUSE_NEW_KERNEL;
	if (was)
		one.rise = number_add(one.rise, pair_rise(was));
	if (was && pair_mean(was, SIDE_BASELINE) > 0)
		one.times = pair_mean(a, SIDE_CANDIDATE) / pair_mean(was, SIDE_BASELINE);
	add_culprit(c, one);
}

static void add_common(struct culprits *c, const struct activity_pair *a)
{
	struct inquiry *q = c->q;
	double before = (double)a->time_ns[SIDE_BASELINE], now = (double)a->time_ns[SIDE_CANDIDATE];
	struct culprit one = { .cause = CAUSE_KERNEL, .now = a, .rise = (int64_t)(now - before) };
	int64_t launches = activity_launches_ns(&q->pairs, a);
	/* if a kernel is launched far more often, the rise of its mean comes from the additional
	   launches rather than from slower ones */
	if ((launches > one.rise / 2 && activity_count_order(&q->pairs, a) > 0) ||
	    (one.rise > 0 && per_step(q, a, SIDE_CANDIDATE) >= 1.5 * per_step(q, a, SIDE_BASELINE)))
		one.cause = CAUSE_LAUNCHES;
	one.was = one.cause == CAUSE_LAUNCHES ? replaced(c, a) : NULL;
	if (one.was) {
		one.cause = CAUSE_SUBSTITUTION;
		one.rise = number_add(one.rise, pair_rise(one.was));
		add_culprit(c, one);
		return;
	}
	one.times = one.cause == CAUSE_LAUNCHES
	                ? per_step(q, a, SIDE_CANDIDATE) / per_step(q, a, SIDE_BASELINE)
	                : pair_mean(a, SIDE_CANDIDATE) / pair_mean(a, SIDE_BASELINE);
	if (q->common > 1) {
		/* subtract the slowdown of all kernels, which has its own finding; a small remaining rise
		   is noise */
		one.rise = (int64_t)(now - q->common * before);
		if ((double)one.rise < before / 20 + (q->common - 1) * before / 2)
			return;
	}
	add_culprit(c, one);
}

/* Find out whether several kernels replace `was`, which is gone: new kernels of other categories
   that are launched as often as `was` was. A fusion is then lost, or attention is computed in
   pieces. Nothing is assumed if another kernel with as many launches is gone, too: the new kernels
   may replace that one. */
static void add_split(struct culprits *c, const struct activity_pair *was)
{
	/* If the new kernels take more than MOST_TIMES the time of `was`, or if there are more than
	 * MOST_PIECES + 1 of them, they do more than the work of `was`. */
	enum { MOST_TIMES = 10, MOST_PIECES = 16 };
	struct inquiry *q = c->q;
	const struct activity_pair *pieces[MOST_PIECES];
	struct culprit one = { .cause = CAUSE_SUBSTITUTION, .was = was };
	double launches = per_step(q, was, SIDE_BASELINE);
	for (size_t i = 0; i < q->pairs.list.nr; i++) {
		const struct activity_pair *a = &q->pairs.list.v[i];
		bool new = activity_is_only(&q->pairs, a, SIDE_CANDIDATE);
		double nr = per_step(q, a, new ? SIDE_CANDIDATE : SIDE_BASELINE);
		if (a == was || a->partner || !pair_is_compute(a) || activity_is_partial(&q->pairs, a) ||
		    (!new && !activity_is_only(&q->pairs, a, SIDE_BASELINE)) || is_taken(c, a) ||
		    nr > launches * 1.1 || launches > nr * 1.1)
			continue;
		if (!new || a->category == was->category || one.nr_pieces == MOST_PIECES)
			return;
		one.rise = number_add(one.rise, a->time_ns[SIDE_CANDIDATE]);
		const struct activity_pair *less = a;
		if (!one.now || a->time_ns[SIDE_CANDIDATE] > one.now->time_ns[SIDE_CANDIDATE]) {
			less = one.now;
			one.now = a;
		}
		if (less)
			pieces[one.nr_pieces++] = less;
	}
	if (!one.nr_pieces || one.rise / MOST_TIMES > was->time_ns[SIDE_BASELINE])
		return;
	one.rise = number_add(one.rise, pair_rise(was));
	one.pieces = arena_alloc(&q->bench->arena, one.nr_pieces, sizeof *pieces);
	memcpy(one.pieces, pieces, one.nr_pieces * sizeof *pieces);
	vec_push(&c->taken, one.now);
	for (size_t i = 0; i < one.nr_pieces; i++) {
		one.asked = one.asked || is_asked(q, pieces[i]);
		vec_push(&c->taken, pieces[i]);
	}
	add_culprit(c, one);
}

static void collect(struct culprits *c)
{
	struct inquiry *q = c->q;
	for (size_t i = 0; i < q->pairs.list.nr; i++) {
		const struct activity_pair *a = &q->pairs.list.v[i];
		if (pair_is_compute(a) && !a->partner && -pair_rise(a) > q->wall / 1000 &&
		    activity_is_only(&q->pairs, a, SIDE_BASELINE) && !activity_is_partial(&q->pairs, a))
			add_split(c, a);
	}
	for (size_t i = 0; i < q->pairs.list.nr; i++) {
		const struct activity_pair *a = &q->pairs.list.v[i];
		/* a memset whose time rose by more than 1 % of the step is treated as a kernel */
		bool set = a->kind == EVENT_MEMSET && pair_rise(a) > q->wall / 100;
		if ((!pair_is_compute(a) && !set) || activity_is_partial(&q->pairs, a) || is_taken(c, a))
			continue;
		if (a->count[SIDE_BASELINE] > 0 && a->count[SIDE_CANDIDATE] > 0)
			add_common(c, a);
		else if (activity_is_only(&q->pairs, a, SIDE_CANDIDATE) ||
		         (set && a->count[SIDE_CANDIDATE] > 0))
			add_new(c, a);
	}
	for (size_t i = 0; i < q->pairs.list.nr; i++) {
		const struct activity_pair *a = &q->pairs.list.v[i];
		if (activity_is_only(&q->pairs, a, SIDE_BASELINE) && !a->partner && !is_taken(c, a) &&
		    is_asked(q, a))
			vec_push(&c->list, (struct culprit){ .cause = CAUSE_GONE_KERNEL,
			                                     .now = a,
			                                     .rise = -a->time_ns[SIDE_BASELINE],
			                                     .asked = true });
	}
}

ORDERING(culprit_cmp, struct culprit, FALLING(rise) BY_SPAN(now->name))

/* Mark the kernel with the most additional launches as `asked`, as if a check named it. A check on
   the number of launches then gets an explanation, however short this kernel is. */
static void ask_for_launches(struct culprits *c)
{
	struct culprit *most = NULL;
	for (size_t i = 0; i < c->list.nr; i++) {
		struct culprit *x = &c->list.v[i];
		if ((x->cause == CAUSE_LAUNCHES || x->cause == CAUSE_NEW_KERNEL) &&
		    (!most || more_launches(c->q, x->now) > more_launches(c->q, most->now)))
			most = x;
	}
	if (most)
		most->asked = true;
}

/* ---- texts of the findings ---- */

static const char *durations(struct inquiry *q, double was, double is)
{
	return unit_movement(q->a, UNIT_NS, (int64_t)(was + 0.5), (int64_t)(is + 0.5));
}

static void add_title(struct inquiry *q, struct suspect *s, const struct culprit *c)
{
	const char *name = word_kernel(q, c->now->name), *launches;
	switch (c->cause) {
	case CAUSE_LAUNCHES:
		suspect_title(q, s, "%s is launched more often: %s → %s launches per %s", name,
		              number_per_step(q, c->now, SIDE_BASELINE),
		              number_per_step(q, c->now, SIDE_CANDIDATE), q->step);
		suspect_action(q, s,
		               "find the code that launches it again: a loop, a graph break, an "
		               "operation that is no longer fused");
		break;
	case CAUSE_NEW_KERNEL:
		launches = number_per_step(q, c->now, SIDE_CANDIDATE);
		suspect_title(q, s, "%s is new: %s %s per %s", name, launches,
		              strcmp(launches, "1") == 0 ? "launch" : "launches", q->step);
		suspect_action(q, s, "see what launches it now, and what it does that was not done before");
		break;
	case CAUSE_GONE_KERNEL:
		suspect_title(q, s, "%s is gone", name);
		break;
	case CAUSE_RENAMED:
	case CAUSE_SUBSTITUTION:
		if (c->nr_pieces) {
			double ns = pair_mean(c->now, SIDE_CANDIDATE);
			for (size_t i = 0; i < c->nr_pieces; i++)
				ns += pair_mean(c->pieces[i], SIDE_CANDIDATE);
			suspect_title(q, s, "%zu kernels run in place of %s: %s together, most of it %s",
			              c->nr_pieces + 1, word_kernel(q, c->was->name),
			              durations(q, pair_mean(c->was, SIDE_BASELINE), ns), name);
			suspect_action(q, s,
			               "see why one kernel became several: a fusion or graph that breaks, "
			               "another backend of attention, an option, a library");
			break;
		}
		suspect_title(
		    q, s, "%s %s %s: %s per launch", name,
		    c->cause == CAUSE_RENAMED ? "is the new name of" : "runs in place of",
		    word_kernel(q, c->was->name),
		    durations(q, pair_mean(c->was, SIDE_BASELINE), pair_mean(c->now, SIDE_CANDIDATE)));
		suspect_action(q, s,
		               "see what made the library choose another kernel: its version, shapes, "
		               "types, memory layout, an autotuner");
		break;
	default:
		suspect_title(
		    q, s, "%s is slower: %s per launch", name,
		    durations(q, pair_mean(c->now, SIDE_BASELINE), pair_mean(c->now, SIDE_CANDIDATE)));
	}
}

/* Add a sentence if the grid of the launch changed, which often makes a kernel slower. */
static void say_shape(struct inquiry *q, struct suspect *s, const struct culprit *c)
{
	const struct kernel_row *b = (c->was ? c->was : c->now)->row[SIDE_BASELINE];
	const struct kernel_row *n = c->now->row[SIDE_CANDIDATE];
	if (!b || !n || c->nr_pieces || b->stat.grid[0] < 0 || n->stat.grid[0] < 0 ||
	    memcmp(b->stat.grid, n->stat.grid, sizeof b->stat.grid) == 0)
		return;
	const int64_t *x = b->stat.grid, *y = n->stat.grid;
	suspect_say(q, s, "its grid changed: %lld×%lld×%lld → %lld×%lld×%lld", (long long)x[0],
	            (long long)x[1], (long long)x[2], (long long)y[0], (long long)y[1],
	            (long long)y[2]);
}

/* Say that a slower kernel uses other resources (registers, shared or local memory) than before:
   for the first kernel of a finding in the title, for a further kernel in a sentence of evidence.
   Checks on resources then belong to the suspect. */
static void say_resources(struct inquiry *q, struct suspect *s, const struct culprit *c, bool first)
{
	enum { NOTABLE = 2 }; /* in percent; times of unchanged kernels differ by up to this much */
	const char *text = pair_resources(q->a, c->was ? c->was : c->now, c->now);
	if (!text || (c->cause != CAUSE_KERNEL && c->cause != CAUSE_RENAMED) ||
	    c->times < 1 + NOTABLE / 100.0)
		return;
	if (first)
		suspect_title(q, s, "%s, likely because it uses %s", s->finding.title, text);
	else if (!s->stake[STAKE_RESOURCES])
		suspect_say(q, s, "%s is slower, likely because it uses %s", word_kernel(q, c->now->name),
		            text);
	s->stake[STAKE_RESOURCES] = number_add(s->stake[STAKE_RESOURCES], c->rise);
}

/* Add a sentence such as "launched by Block.forward, model/block.py:41, aten::mm". */
static void say_place(struct inquiry *q, struct suspect *s)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < s->finding.where.nr; i++) {
		const struct place *p = &s->finding.where.v[i];
		if (p->kind == PLACE_MODULE || p->kind == PLACE_CODE || p->kind == PLACE_OPERATOR)
			strbuf_addf(&b, "%s%s", b.n ? ", " : "", p->name);
	}
	if (b.n)
		suspect_say(q, s, "launched by %s", b.p);
	strbuf_release(&b);
}

/* Advise what to do about slower kernels. The advice depends only on whether they take other
 * resources, and on their line of code and operator if they have one of each: findings that agree
 * in these then have equal advice, which the report gives once. */
static void advise_slower(struct inquiry *q, struct suspect *s)
{
	const char *of = "", *at = "", *name[NR_PLACE_KINDS] = { NULL };
	size_t nr[NR_PLACE_KINDS] = { 0 };
	if (s->stake[STAKE_RESOURCES]) {
		suspect_action(q, s,
		               "look at what the slower kernels are built from: their code, tile sizes and "
		               "launch bounds, the version of their compiler or library");
		return;
	}
	for (size_t i = 0; i < s->finding.where.nr; i++) {
		name[s->finding.where.v[i].kind] = s->finding.where.v[i].name;
		nr[s->finding.where.v[i].kind]++;
	}
	if (nr[PLACE_OPERATOR] == 1)
		of = arena_printf(q->a, " of %s", name[PLACE_OPERATOR]);
	if (nr[PLACE_CODE] == 1)
		at = arena_printf(q->a, " at %s", name[PLACE_CODE]);
	suspect_action(
	    q, s,
	    "%slook%s for a change of the inputs%s (shapes, types, memory layout), or of the "
	    "code or library of the slower kernels",
	    at[0] || of[0] ? "" : "record a PyTorch trace with_stack=True, which names lines, and ", at,
	    of);
}

static void add_stakes(struct inquiry *q, struct suspect *s, const struct culprit *c)
{
	int64_t ns = at_least_0(c->rise);
	s->stake[STAKE_GPU] = number_add(s->stake[STAKE_GPU], ns);
	s->stake[STAKE_WALL] = s->stake[STAKE_TAIL] = s->stake[STAKE_GPU];
	if (c->now->kind == EVENT_MEMSET)
		return;
	s->stake[STAKE_COMPUTE] = number_add(s->stake[STAKE_COMPUTE], ns);
	double more = more_launches(q, c->now);
	for (size_t i = 0; i < c->nr_pieces; i++)
		more += more_launches(q, c->pieces[i]);
	if (c->was)
		more += more_launches(q, c->was);
	if (more < 0)
		more = -more; /* the suspect explains a fall of the number of launches, too */
	s->stake[STAKE_KERNELS] += (int64_t)(more * 1000);
}

static void take(struct inquiry *q, struct suspect *s, const struct culprit *c)
{
	suspect_where(q, s, PLACE_KERNEL, c->now->name);
	vec_push(&s->kernels, item_of(q, c->now));
	for (size_t i = 0; i < c->nr_pieces; i++) {
		suspect_where(q, s, PLACE_KERNEL, c->pieces[i]->name);
		vec_push(&s->kernels, item_of(q, c->pieces[i]));
	}
	if (c->was)
		vec_push(&s->kernels, item_of(q, c->was));
	suspect_part(s, item_of(q, c->now), c->rise);
	s->finding.cost = number_add(s->finding.cost, c->rise);
	add_stakes(q, s, c);
}

/* Find the place in the code where the work of a kernel changed, and add it to the suspect. */
static void locate(struct inquiry *q, struct suspect *s, const struct culprit *c)
{
	bool set = c->now->kind == EVENT_MEMSET;
	struct locate_query code = { .kind = set ? CODE_MEMSET : CODE_KERNEL,
		                         .by_count = c->cause == CAUSE_LAUNCHES };
	for (int i = 0; i < NR_SIDES && !set; i++) {
		const struct kernel_row *row = (i == SIDE_BASELINE && c->was ? c->was : c->now)->row[i];
		/* the key 1 matches no kernel: used for a side that lacks the kernel */
		code.kernel[i] = row ? code_kernel_key(row->name) : 1;
	}
	suspect_locate(q, s, &code);
}

static void add_suspect(struct inquiry *q, const struct culprit *c)
{
	struct suspect *s = suspect_add(q, c->cause);
	add_title(q, s, c);
	if (c->now->category >= 0)
		suspect_where(q, s, PLACE_CATEGORY,
		              span_of(category_name(q->bench->naming.categories, c->now->category)));
	locate(q, s, c);
	struct both time = { &metric_table[METRIC_KERNEL_TIME],
		                 true,
		                 { c->now->time_ns[SIDE_BASELINE], c->now->time_ns[SIDE_CANDIDATE] } };
	for (int i = 0; i < NR_SIDES && c->was; i++)
		time.v[i] = number_add(time.v[i], c->was->time_ns[i]);
	for (size_t i = 0; i < c->nr_pieces; i++)
		time.v[SIDE_CANDIDATE] =
		    number_add(time.v[SIDE_CANDIDATE], c->pieces[i]->time_ns[SIDE_CANDIDATE]);
	suspect_figure(q, s, time);
	take(q, s, c);
}

/* ---- kernels that changed together ---- */

/* True if one change of the code probably changed both kernels. They must have one category, and be
   slower or launched more often by similar factors, or both be new and launched about as often. */
static bool is_akin(const struct culprit *x, const struct culprit *y)
{
	double a = x->times - 1, b = y->times - 1;
	if (x->cause == CAUSE_NEW_KERNEL) {
		a = (double)x->now->count[SIDE_CANDIDATE];
		b = (double)y->now->count[SIDE_CANDIDATE];
		return y->cause == x->cause && x->now->category == y->now->category &&
		       x->now->category >= 0 && b > a / 1.1 && b < a * 1.1;
	}
	return x->cause == y->cause && x->now->category == y->now->category && x->now->category >= 0 &&
	       (x->cause == CAUSE_KERNEL || x->cause == CAUSE_LAUNCHES) && a > 0.02 && b > a * 0.7 &&
	       b < a * 1.4;
}

/* The change of a group of kernels, such as "2.5 %" or, if the kernels changed by clearly different
   amounts, "2.5 % to 3.4 %". */
static const char *share_range(struct inquiry *q, double first, double least, double most)
{
	enum { CLEAR = 10 };
	const char *to = unit_text(q->a, UNIT_PCT, (int64_t)(most * 1e8));
	if (most - least < most / CLEAR)
		return unit_text(q->a, UNIT_PCT, (int64_t)(first * 1e8));
	return arena_printf(q->a, "%s to %s", unit_text(q->a, UNIT_PCT, (int64_t)(least * 1e8)), to);
}

static void add_group(struct inquiry *q, struct culprit *list, size_t nr)
{
	size_t members = 1;
	double least = list[0].times, most = list[0].times;
	add_suspect(q, &list[0]);
	size_t at = q->suspects.nr - 1;
	say_resources(q, &q->suspects.v[at], &list[0], true);
	for (size_t i = 1; i < nr; i++) {
		if (!list[i].now || !is_akin(&list[0], &list[i]))
			continue;
		struct suspect other = { 0 };
		locate(q, &other, &list[i]);
		suspect_share_place(&q->suspects.v[at], &other);
		vec_release(&other.finding.where);
		take(q, &q->suspects.v[at], &list[i]);
		say_resources(q, &q->suspects.v[at], &list[i], false);
		least = fmin(least, list[i].times);
		most = fmax(most, list[i].times);
		list[i].now = NULL;
		members++;
	}
	struct suspect *s = &q->suspects.v[at];
	say_place(q, s);
	if (s->finding.cause == CAUSE_KERNEL || s->stake[STAKE_RESOURCES])
		advise_slower(q, s);
	if (members == 1) {
		say_shape(q, s, &list[0]);
		double was = pair_mean(list[0].now, SIDE_BASELINE);
		double is = pair_mean(list[0].now, SIDE_CANDIDATE);
		if (s->finding.cause == CAUSE_LAUNCHES && is > 1.1 * was)
			suspect_say(q, s, "a launch takes %s", durations(q, was, is));
	} else {
		bool new = s->finding.cause == CAUSE_NEW_KERNEL;
		suspect_say(q, s, "%s", s->finding.title);
		suspect_title(
		    q, s, "%zu kernels (%s) are %s%s%s: %s and %zu more", members,
		    category_title(category_name(q->bench->naming.categories, list[0].now->category)),
		    new                             ? "new"
		    : list[0].cause == CAUSE_KERNEL ? "slower"
		                                    : "launched more often",
		    new ? "" : " by ", new ? "" : share_range(q, list[0].times - 1, least - 1, most - 1),
		    word_kernel(q, list[0].now->name), members - 1);
		s->finding.has_figure = false;
		s->finding.metric = NULL;
		s->finding.baseline_text = s->finding.candidate_text = s->finding.change_text = "";
	}
}

void suspect_kernels(struct inquiry *q)
{
	enum {
		UNASKED = 3
	}; /* largest number of findings on kernels that no failed or doubtful check names. These
	      findings explain the change of a sum of kernels, such as compute time */
	struct culprits c = { .q = q };
	size_t unasked = 0;
	collect(&c);
	ask_for_launches(&c);
	vec_sort(&c.list, culprit_cmp);
	for (size_t i = 0; i < c.list.nr; i++)
		if (c.list.v[i].now && (c.list.v[i].asked || unasked++ < UNASKED))
			add_group(q, &c.list.v[i], c.list.nr - i);
	vec_release(&c.list);
	vec_release(&c.taken);
}
