/* Findings on GPU activities and launches of a rank, and on how much of its GPU time is in judged
   steps. */
#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"
#include "metric/unit.h"
#include "model/account.h"
#include "model/step_figures.h"
#include "trust/finding.h"

/* one percentage point, in 1e-6 %: if shares of baseline and candidate differ by more, the two do
   not compare */
enum { POINT = MICRO };

static const char *share(const struct trust_scope *s, int64_t part, int64_t whole)
{
	return unit_text(&s->out->arena, UNIT_PCT, number_pct(part, whole));
}

/* ---- activities and launches ---- */

/* A kernel that has fewer launches on a rank than expected. `nr`: number of missing launches;
   `mean_ns`: mean duration of the kernel's launches on the other side (the baseline for a
   candidate, else the candidate). */
struct gone {
	int64_t mean_ns, nr;
};

ORDERING(gone_cmp, struct gone, FALLING(mean_ns))

/* GPU time in ns that `d` may have lost, estimated from `other`, the same rank of the other side.
 * Without `untimed`, launches of a kernel are lost if `d` has fewer of them per step than `other`;
 * with `untimed`, if the kernel has no time in `d`. Which launches are lost is not known: those of
 * the longest kernels are assumed. Their number is at most `most`, and at most the number of
 * launches that `d` lacks in all. Durations are those of `other`. Both digests list kernels in the
 * same order. */
static int64_t gone_ns(const struct digest *d, const struct digest *other, bool untimed,
                       int64_t most)
{
	VEC(struct gone) list = VEC_INIT;
	int64_t fewer = 0, ns = 0;
	if (!other || !d->kernels.nr || d->usable_steps <= 0 || other->usable_steps <= 0)
		return 0;
	for (size_t i = 0, k = 0; i < d->kernels.nr || k < other->kernels.nr;) {
		const struct kernel_stat *y = i < d->kernels.nr ? &d->kernels.v[i] : NULL;
		const struct kernel_stat *x = k < other->kernels.nr ? &other->kernels.v[k] : NULL;
		int order = !y ? 1 : !x ? -1 : kernel_stat_cmp(y, x);
		i += order <= 0;
		k += order >= 0;
		if ((order <= 0 ? y : x)->kind != EVENT_KERNEL)
			continue;
		int64_t nr = order < 0 ? 0
		                       : number_div_round((__int128)x->step_count * d->usable_steps,
		                                          other->usable_steps);
		if (untimed)
			nr = order <= 0 && y->step_total_ns ? 0 : nr;
		else
			nr -= order > 0 ? 0 : y->step_count;
		fewer = number_add(fewer, nr);
		if (nr > 0 && x->names == 0)
			vec_push(&list, (struct gone){ x->step_total_ns / x->step_count, nr });
	}
	if (fewer > most)
		fewer = most;
	vec_sort(&list, gone_cmp);
	for (size_t i = 0; i < list.nr && fewer > 0; i++) {
		int64_t nr = list.v[i].nr < fewer ? list.v[i].nr : fewer;
		ns = number_add(ns, number_div_round((__int128)list.v[i].mean_ns * nr, 1));
		fewer -= nr;
	}
	vec_release(&list);
	return ns;
}

/* True if a kernel runs more often per step than on the other side. */
static bool runs_more(const struct digest *d, const struct digest *other)
{
	for (size_t i = 0, k = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *y = &d->kernels.v[i], *x = other->kernels.v;
		while (k < other->kernels.nr && kernel_stat_cmp(&x[k], y) < 0)
			k++;
		bool known = k < other->kernels.nr && kernel_stat_cmp(&x[k], y) == 0;
		if (y->kind == EVENT_KERNEL && y->names == 0 &&
		    (__int128)y->step_count * other->usable_steps >
		        (__int128)(known ? x[k].step_count : 0) * d->usable_steps)
			return true;
	}
	return false;
}

/* Number of kernels that launches of CUDA graphs lack. A graph runs the same kernels each time, but
   without the ids of its nodes only a comparison shows that some are missing. They are missing if
   `d` has as many launches per step as `other`, and either all steps of `other` run one number of
   kernels, and some steps of `d` run this number, but others fewer, while both sides leave out as
   many steps; or launches of graphs of `d`
   run at least twice as many different sets of kernels, and no kernel runs more often. */
static int64_t fewer_replayed(const struct digest *d, const struct digest *other)
{
	int64_t least, most, sum, then_least, then_most, then_sum;
	const enum metric_id id = METRIC_STEP_KERNEL_COUNT;
	if (!other || d->window != other->window || d->trust.launches <= 0 ||
	    (__int128)d->trust.launches * (d->window ? 1 : other->total_steps) !=
	        (__int128)other->trust.launches * (d->window ? 1 : d->total_steps) ||
	    !digest_step_stat(d, id, STAT_MIN, &least) || !digest_step_stat(d, id, STAT_MAX, &most) ||
	    !digest_step_stat(d, id, STAT_TOTAL, &sum) ||
	    !digest_step_stat(other, id, STAT_MIN, &then_least) ||
	    !digest_step_stat(other, id, STAT_MAX, &then_most) ||
	    !digest_step_stat(other, id, STAT_TOTAL, &then_sum))
		return 0;
	bool varies = least < most && most == then_most && most == then_least &&
	              d->total_steps - d->usable_steps == other->total_steps - other->usable_steps;
	int64_t then_kinds = other->trust.graph_kinds;
	bool scattered = then_kinds && d->trust.graph_kinds / 2 >= then_kinds && !runs_more(d, other);
	__int128 lacks = (__int128)then_sum * d->usable_steps / other->usable_steps - sum -
	                 d->trust.launches_without_kernel;
	return varies || scattered ? number_div_round(lacks, 1) : 0;
}

static void find_lost(const struct trust_scope *s, const struct digest *d,
                      const struct digest *other)
{
	struct trust_counts t = d->trust;
	const char *time = "";
	/* digests of gpugate 0.2 count the launches of a last step that was cut short as lost, and
	 * often lack the GPU time of these launches */
	if (!account_is_known(&t) && d->usable_steps < (int64_t)d->nr_steps)
		t.launches_without_kernel -= d->progress.pending;
	number_raise(&t.lost_nodes, fewer_replayed(d, other));
	number_raise(&t.lost_ns,
	             gone_ns(d, other, false, number_add(t.launches_without_kernel, t.lost_nodes)));
	int64_t whole = number_add(t.gpu_ns, t.lost_ns);
	if (t.lost_ns > 0 || account_is_known(&t)
	        ? !t.lost_unknown && !trust_is_notable(t.lost_ns, whole)
	        : !trust_is_notable(t.launches_without_kernel, t.launches))
		return;
	if (t.lost_unknown)
		time = ", whose GPU time is not known";
	else if (t.lost_ns > 0)
		time =
		    arena_printf(&s->out->arena, ", about %s or %s of its GPU time",
		                 unit_text(&s->out->arena, UNIT_NS, t.lost_ns), share(s, t.lost_ns, whole));
	const char *launches = "", *nodes = "";
	if (t.launches_without_kernel || !t.lost_nodes)
		launches = arena_printf(&s->out->arena,
		                        "%" PRId64 " of %" PRId64 " kernel launches without a kernel",
		                        t.launches_without_kernel, t.launches);
	if (t.lost_nodes)
		nodes = arena_printf(&s->out->arena,
		                     "%sgraph launches that lack %" PRId64
		                     " kernel%s, which others of the same graph have",
		                     *launches ? " and " : "", t.lost_nodes, text_s(t.lost_nodes));
	trust_add(s, "lost-kernels", ON_GPU | ON_ENDS, "has %s%s%s", launches, nodes, time);
}

static int64_t nr_copies(const struct digest *d)
{
	int64_t nr = 0;
	for (size_t i = 0; i < d->kernels.nr; i++)
		nr += d->kernels.v[i].kind == EVENT_MEMCPY ? d->kernels.v[i].count : 0;
	return nr;
}

/* Append a finding if more than 1 % of the copies, or of the GPU time, are copies that were called
   but not recorded, or if no copy was recorded although some were called and the other side has
   copies. If neither side has copies, the profiler was perhaps set not to record them. */
static void find_lost_copies(const struct trust_scope *s, const struct digest *d,
                             const struct digest *other)
{
	const struct trust_counts *t = &d->trust;
	int64_t copies = nr_copies(d), whole = number_add(t->gpu_ns, t->lost_copies_ns);
	bool much = trust_is_notable(t->lost_copies_ns, whole);
	if (!copies && t->lost_copies && other && nr_copies(other))
		trust_add(s, "lost-copies", ON_COPIES | ON_GPU | ON_ENDS,
		          "calls for %" PRId64 " cop%s, and has none: was memory activity recorded?",
		          t->lost_copies, text_ies(t->lost_copies));
	else if (copies &&
	         (much || trust_is_notable(t->lost_copies, number_add(copies, t->lost_copies))))
		trust_add(s, "lost-copies", much ? ON_COPIES | ON_GPU | ON_ENDS : ON_COPIES,
		          "has %" PRId64
		          " call%s for a copy that was not recorded, about %s or %s of its GPU time",
		          t->lost_copies, text_s(t->lost_copies),
		          unit_text(&s->out->arena, UNIT_NS, t->lost_copies_ns),
		          share(s, t->lost_copies_ns, whole));
}

/* Append a finding if activities with more than 1 % of the GPU time have a wrong end
   (contained_ns). Otherwise append one if activities of a stream overlap for more than 1 % of the
   GPU time, since sums then count this time twice; but some overlap is legal, and harmless if the
   other side has about as much. */
static void find_overlap(const struct trust_scope *s, const struct trust_counts *t,
                         const struct trust_counts *other)
{
	if (trust_is_notable(t->contained_ns, t->gpu_ns))
		trust_add(s, "overlapping-activities", ON_DURATIONS | ON_ENDS,
		          "has durations that cannot be right, for %s of its GPU time: beyond the end of "
		          "the next "
		          "activity on the stream, or 1000 times those of others of the name",
		          share(s, t->contained_ns, t->gpu_ns));
	else if (trust_is_notable(t->overlap_ns, t->gpu_ns) &&
	         (!other ||
	          number_pct(t->overlap_ns, t->gpu_ns) - number_pct(other->overlap_ns, other->gpu_ns) >=
	              POINT))
		trust_add(
		    s, "overlapping-activities", ON_DURATIONS | ON_ENDS,
		    "has activities that overlap on one stream for %s of its GPU time: sums count it twice",
		    share(s, t->overlap_ns, t->gpu_ns));
}

void trust_find_activities(const struct trust_scope *s, const struct digest *d,
                           const struct digest *other)
{
	const struct trust_counts *t = &d->trust;
	if (t->gpu_events == 0) {
		trust_add(s, "no-gpu-activity", ON_GPU | ON_ENDS,
		          "has no GPU activity: was CUDA or HIP activity recorded?");
		return;
	}
	/* if no launches were recorded, activities belong to steps by their own start, and need no
	 * launch */
	bool has_launches = t->with_launch > 0 || t->launches > 0;
	if (has_launches && trust_is_notable(t->dropped_ns, t->gpu_ns))
		trust_add(s, "dropped-kernels", ON_LAUNCHES,
		          "has %" PRId64 " GPU activit%s of no known launch, %s of its GPU time",
		          t->dropped, text_ies(t->dropped), share(s, t->dropped_ns, t->gpu_ns));
	find_lost(s, d, other);
	find_lost_copies(s, d, other);
	if (trust_is_notable(t->left_over, t->launches))
		trust_add(s, "unsure-launches", ON_OPERATORS | ON_MODULES | ON_PLACES,
		          "has %" PRId64 " of %" PRId64
		          " kernel launches whose kernel names another launch: "
		          "which code launched it is not known",
		          t->left_over, t->launches);
	int64_t untimed_ns = t->untimed_ns;
	number_raise(&untimed_ns, gone_ns(d, other, true, t->untimed));
	/* where activities belong to steps by their start, one without a valid start is in the wrong
	   step */
	if (trust_is_notable(t->untimed, t->gpu_events) ||
	    trust_is_notable(untimed_ns, number_add(t->gpu_ns, untimed_ns)))
		trust_add(s, "unknown-durations",
		          ON_DURATIONS | ON_ENDS | (d->attribution == ATTRIBUTION_TIMESTAMP ? ON_GPU : 0),
		          "has %" PRId64 " of %" PRId64
		          " GPU activities without a valid start or duration: their time is not known",
		          t->untimed, t->gpu_events);
	if (trust_is_notable(t->twice_ns, t->gpu_ns) || trust_is_notable(t->twice, t->gpu_events))
		trust_add(s, "recorded-twice", ON_GPU | ON_LAUNCHES | ON_OPERATORS,
		          "has %" PRId64 " of %" PRId64
		          " GPU activities twice, %s of its GPU time: sums and counts are too high",
		          t->twice, t->gpu_events, share(s, t->twice_ns, t->gpu_ns));
	if (trust_is_notable(t->early, t->gpu_events) &&
	    trust_is_notable(t->early_ns, d->window_ns / (d->total_steps > 0 ? d->total_steps : 1)))
		trust_add(s, "early-activities", ON_WALL | ON_ENDS,
		          "has %" PRId64 " of %" PRId64
		          " GPU activities that begin before their launch, by up to %s: the clocks of GPU "
		          "and host disagree",
		          t->early, t->gpu_events, unit_text(&s->out->arena, UNIT_NS, t->early_ns));
	find_overlap(s, t, other ? &other->trust : NULL);
	if ((__int128)(t->marker_ns - t->completion_ns) * 20 > t->marker_ns)
		trust_add(
		    s, "unknown-wall-time", ON_WALL,
		    "has steps that are over every %s, though their markers are %s apart: the wall time "
		    "of a step is not known",
		    unit_text(&s->out->arena, UNIT_NS, t->completion_ns),
		    unit_text(&s->out->arena, UNIT_NS, t->marker_ns));
}

/* ---- shares ---- */

/* A part of a rank's GPU time: `ns` of `of_ns`. `of_ns` is 0 if it is not known. */
struct time_share {
	int64_t ns, of_ns;
	int64_t others, steps; /* `others`: number of GPU activities outside of the part; `steps`:
	                          number of steps; both 0 if unknown */
};

static struct time_share in_steps(const struct digest *d)
{
	const struct trust_counts *t = &d->trust;
	if (d->window || !account_is_known(t))
		return (struct time_share){ 0 };
	/* where activities belong to the step of their launch, those of unknown launches do not count
	 * here: the finding "dropped-kernels" reports them */
	return (struct time_share){
		.ns = account_judged_ns(t),
		.of_ns = account_whole_ns(t) - (d->attribution == ATTRIBUTION_LAUNCH ? t->unknown_ns : 0)
	};
}

static struct time_share known_of(const struct digest *d, enum account_origin origin)
{
	struct account_known k = account_known(d, origin);
	return (struct time_share){ k.ns, k.of_ns, k.others, d->nr_steps ? (int64_t)d->nr_steps : 1 };
}

/* Append a finding if the share (of GPU time with a known operator, for example) is more than a
   percentage point lower than on the other side. There is no finding if a step has no more
   activities outside of the part than on the other side: only durations have changed then. */
static void find_fallen(const struct trust_scope *s, struct time_share own, struct time_share other,
                        const char *id, unsigned spoils, const char *what)
{
	struct arena *a = &s->out->arena;
	if (own.of_ns <= 0 || other.of_ns <= 0 ||
	    (own.steps && (__int128)own.others * other.steps <= (__int128)other.others * own.steps))
		return;
	int64_t fallen = number_pct(other.ns, other.of_ns) - number_pct(own.ns, own.of_ns);
	if (fallen > POINT)
		trust_add(s, id, spoils, "has %s of its GPU time %s, and the %s %s: they do not compare",
		          share(s, own.ns, own.of_ns), what,
		          s->candidate || s->who ? "baseline" : "candidate",
		          unit_text(a, UNIT_PCT, number_pct(other.ns, other.of_ns)))
		    ->fallen = fallen;
}

void trust_find_known(const struct trust_scope *s, const struct digest *d,
                      const struct digest *other)
{
	static const struct {
		enum account_origin origin;
		unsigned spoils;
		const char *id, *what;
	} known[] = {
		/* work without a known operator has no known module either */
		{ KNOWN_OPERATOR, ON_OPERATORS | ON_MODULES, "fewer-operators", "in known operators" },
		{ KNOWN_MODULE, ON_MODULES, "fewer-modules", "in known modules" },
		{ KNOWN_PLACE, ON_PLACES, "fewer-places", "with a known place in the code" },
	};
	for (size_t i = 0; i < NR_OF(known) && other; i++)
		find_fallen(s, known_of(d, known[i].origin), known_of(other, known[i].origin), known[i].id,
		            known[i].spoils, known[i].what);
}

void trust_find_coverage(const struct trust_scope *s, const struct digest *d,
                         const struct digest *other, bool outside)
{
	struct time_share own = in_steps(d);
	if (!outside && own.of_ns > 0 && own.ns < own.of_ns - own.ns)
		trust_add(
		    s, "outside-steps", ON_STEPS,
		    "has %s of its GPU time outside of the judged steps, where no rule judges it; add a "
		    "rule on window.busy_time, or 'outside: allow' to 'steps' if it is meant",
		    share(s, own.of_ns - own.ns, own.of_ns));
	else if (other && other->attribution == d->attribution)
		find_fallen(s, own, in_steps(other), "less-in-steps", ON_STEPS, "in judged steps");
}
