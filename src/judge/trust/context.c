/* Finds out whether both sides ran the same work: a smaller batch runs faster although the code is
   not faster. */
#include <inttypes.h>

#include "base/number.h"
#include "metric/unit.h"
#include "model/category.h"
#include "model/step_kinds.h"
#include "trust/finding.h"

/* An item (a kernel, a kind of copy, an operator) that both sides have, and the factor by which its
   threads, bytes, work or launches grew in the candidate. The weight is the kernel's time or the
   copy's bytes in the baseline. For an operator it is the time in the candidate, since baselines do
   not store times of operators. */
struct scaling {
	double ratio;
	int64_t weight;
};
struct scalings {
	VEC(struct scaling) list;
	int64_t all; ///< sum of all weights, including those of items that cannot be compared
	double gone; ///< part of `all` that belongs to launches which the candidate does not have; set
	             ///< by counts_add()
	int64_t less, now; ///< `less`: the candidate's time in kernels that do not run more often than
	                   ///< in the baseline; `now`: the candidate's time in all kernels. Both are
	                   ///< set by counts_add()
};

ORDERING(scaling_cmp, struct scaling, RISING(ratio))

static double threads_of(const struct kernel_stat *k)
{
	double threads = 1;
	for (int i = 0; i < 3; i++)
		threads *= (double)k->grid[i] * (double)(k->block[i] > 0 ? k->block[i] : 1);
	return threads;
}

static bool is_compute(const struct digest *d, struct kernel_stat *k)
{
	return k->kind == EVENT_KERNEL && k->names == 0 && !kernel_communicates(d, k);
}

/* For each kernel that both digests have, add the factor of its threads (candidate divided by
 * baseline) to `kernels`; for each copy, add the factor of its bytes to `copies`. Both digests must
 * list kernels and copies in the same order. */
static void scalings_add(const struct digest *b, const struct digest *c, struct scalings *kernels,
                         struct scalings *copies)
{
	for (size_t i = 0, k = 0; i < b->kernels.nr; i++) {
		struct kernel_stat *x = &b->kernels.v[i], *y = NULL;
		while (k < c->kernels.nr && kernel_stat_cmp(&c->kernels.v[k], x) < 0)
			k++;
		if (k < c->kernels.nr && kernel_stat_cmp(&c->kernels.v[k], x) == 0)
			y = &c->kernels.v[k];
		if (is_compute(b, x)) {
			kernels->all = number_add(kernels->all, x->step_total_ns);
			if (y && threads_of(x) > 0 && threads_of(y) > 0 && x->step_total_ns > 0)
				vec_push(&kernels->list,
				         (struct scaling){ threads_of(y) / threads_of(x), x->step_total_ns });
		} else if (x->kind == EVENT_MEMCPY && x->step_bytes > 0) {
			copies->all = number_add(copies->all, x->step_bytes);
			/* copies are compared only if both sides make equally many per step */
			if (y && y->step_bytes > 0 &&
			    (__int128)x->step_count * c->usable_steps ==
			        (__int128)y->step_count * b->usable_steps)
				vec_push(&copies->list,
				         (struct scaling){ (double)y->step_bytes / (double)c->usable_steps /
				                               ((double)x->step_bytes / (double)b->usable_steps),
				                           x->step_bytes });
		}
	}
}

/* Number of calls of an operator. −1 if the operator cannot be compared: neither its floating-point
   operations nor the bytes of all its calls are known. */
static int64_t calls_of(const struct digest *d, const struct flop_stat *f)
{
	if (f->flops > 0)
		return f->count;
	for (size_t i = 0; i < d->ops.nr && f->bytes > 0 && !f->uncounted && !f->unsized; i++)
		if (span_eq(d->ops.v[i].name, f->op))
			return d->ops.v[i].count;
	return -1;
}

/* For each operator that both sides call equally often, add the factor (candidate divided by
   baseline) of its work: its floating-point operations or, if these are unknown, its bytes. Both
   are computed from the shapes of the operator's inputs. */
static void operators_add(const struct digest *b, const struct digest *c, struct scalings *out)
{
	for (size_t i = 0, k = 0; k < c->flops.nr; k++) {
		const struct flop_stat *y = &c->flops.v[k];
		while (i < b->flops.nr && flop_stat_cmp(&b->flops.v[i], y) < 0)
			i++;
		int64_t ns = y->gpu_ns > y->sized_ns ? y->gpu_ns : y->sized_ns;
		out->all = number_add(out->all, ns);
		if (i == b->flops.nr)
			continue;
		const struct flop_stat *x = &b->flops.v[i];
		int64_t was = calls_of(b, x), now = calls_of(c, y);
		if (flop_stat_cmp(x, y) == 0 && was > 0 && now > 0 && !x->flops == !y->flops &&
		    (__int128)was * c->usable_steps == (__int128)now * b->usable_steps)
			vec_push(&out->list,
			         (struct scaling){ (double)(y->flops ? y->flops : y->bytes) /
			                               (double)c->usable_steps * (double)b->usable_steps /
			                               (double)(x->flops ? x->flops : x->bytes),
			                           ns });
	}
}

/* For each kernel, add the factor (candidate divided by baseline) of the number of its launches. */
static void counts_add(const struct digest *b, const struct digest *c, struct scalings *out)
{
	for (size_t i = 0, k = 0; i < b->kernels.nr; i++) {
		struct kernel_stat *x = &b->kernels.v[i];
		if (!is_compute(b, x) || x->count <= 0)
			continue;
		double ratio = 0;
		out->all = number_add(out->all, x->total_ns);
		while (k < c->kernels.nr && kernel_stat_cmp(&c->kernels.v[k], x) < 0)
			k++;
		if (k < c->kernels.nr && kernel_stat_cmp(&c->kernels.v[k], x) == 0) {
			const struct kernel_stat *y = &c->kernels.v[k];
			ratio = (double)y->count / (double)x->count;
			vec_push(&out->list, (struct scaling){ ratio, x->total_ns });
			out->less = number_add(out->less, ratio <= 1 ? y->total_ns : 0);
		}
		out->gone += ratio < 1 ? (1 - ratio) * (double)x->total_ns : 0;
	}
	for (size_t k = 0; k < c->kernels.nr; k++)
		if (is_compute(c, &c->kernels.v[k]))
			out->now = number_add(out->now, c->kernels.v[k].total_ns);
}

static int64_t weight_of(const struct scalings *s)
{
	int64_t sum = 0;
	for (size_t i = 0; i < s->list.nr; i++)
		sum = number_add(sum, s->list.v[i].weight);
	return sum;
}

/* Median of the factors, each weighted by time or bytes; 1 if the list is empty. */
static double median_ratio(struct scalings *s)
{
	int64_t half = weight_of(s) / 2, sum = 0;
	vec_sort(&s->list, scaling_cmp);
	for (size_t i = 0; i < s->list.nr; i++) {
		sum = number_add(sum, s->list.v[i].weight);
		if (sum > half)
			return s->list.v[i].ratio;
	}
	return 1;
}

struct alike {
	double ratio;
	size_t nr;
	int64_t weight;
};

/* Number and weight of the factors near `ratio`. If one scaling changed several grids, their
   factors differ a little, because grids consist of whole blocks. */
static struct alike scaled_alike(const struct scalings *s, double ratio)
{
	struct alike out = { .ratio = ratio };
	double most = ratio < 1 ? 1 - ratio : ratio - 1;
	double within = most / 2 < 0.1 ? most / 2 : 0.1;
	for (size_t i = 0; i < s->list.nr; i++) {
		double by = s->list.v[i].ratio / ratio - 1;
		if (by > within || by < -within)
			continue;
		out.nr++;
		out.weight = number_add(out.weight, s->list.v[i].weight);
	}
	return out;
}

static bool is_scaled(double ratio)
{
	return ratio < 0.97 || ratio > 1.03;
}

static void add_finding(const struct trust_scope *s, const struct alike *alike, int64_t all,
                        const char *what, const char *of)
{
	struct arena *a = &s->out->arena;
	trust_add(s, "context-differs", ON_ALL,
	          "seems to run another batch than the baseline: %zu %s, %s of %s, %s %s times as "
	          "large",
	          alike->nr, what, unit_text(a, UNIT_PCT, number_pct(alike->weight, all)), of,
	          alike->nr == 1 ? "is" : "are",
	          unit_text(a, UNIT_NUMBER, (int64_t)(alike->ratio * 1e6 + 0.5)));
}

/* Append a finding if most operators do more (or less) work by a common factor, or else if most
   kernels launch more (or fewer) threads. Operators come first, because persistent kernels launch
   the same number of threads for any work. If only one of several operators, or fewer than
   KERNELS_LEAST kernels have the factor, some copies must have it, too: a single kernel may just
   have been rewritten. If few grids are known, a common factor of all copies is enough. */
static void find_scaled(struct scalings *operators, struct scalings *kernels,
                        struct scalings *copies, const struct trust_scope *s)
{
	enum { OPERATORS_LEAST = 2, KERNELS_LEAST = 3 };
	int64_t known = weight_of(kernels);
	struct alike o = scaled_alike(operators, median_ratio(operators));
	if (is_scaled(o.ratio) && o.weight > operators->all / 2 &&
	    (o.nr >= OPERATORS_LEAST || o.nr == operators->list.nr ||
	     scaled_alike(copies, o.ratio).nr)) {
		add_finding(s, &o, operators->all,
		            o.nr == 1 ? "operator's work (by shapes)" : "operators' work (by shapes)",
		            "the time of such operators");
	} else if (known > kernels->all / 4) {
		struct alike k = scaled_alike(kernels, median_ratio(kernels));
		struct alike c = scaled_alike(copies, k.ratio);
		if (is_scaled(k.ratio) && k.weight > known / 2 && (k.nr >= KERNELS_LEAST || c.nr))
			add_finding(s, &k, known, k.nr == 1 ? "grid of a kernel" : "grids of kernels",
			            "the kernel time");
	} else if (copies->list.nr) {
		struct alike c = scaled_alike(copies, median_ratio(copies));
		if (is_scaled(c.ratio) && c.weight == copies->all)
			add_finding(s, &c, copies->all, c.nr == 1 ? "kind of copy" : "kinds of copies",
			            "the bytes copied");
	}
}

/* Append a finding if a recording without steps seems to hold fewer iterations than the baseline.
   In one case, most kernels ran less often by one factor, and those that ran as often as before
   have at most a tenth of the time. In the other, launches with more than half of the kernel time
   are gone, and few are new. More launches give no finding: each iteration may do more work, which
   the checks judge. */
static void find_fewer(struct scalings *counts, const struct trust_scope *s)
{
	enum { KERNELS_LEAST = 3 };
	struct alike k = scaled_alike(counts, median_ratio(counts));
	int64_t kept = 0;
	for (size_t i = 0; i < counts->list.nr; i++)
		kept = number_add(kept, counts->list.v[i].ratio < 0.97 ? 0 : counts->list.v[i].weight);
	bool alike = k.ratio <= 0.97 && (k.nr >= KERNELS_LEAST || k.weight == counts->all) &&
	             k.weight > counts->all / 2 && kept <= counts->all / 10;
	bool less = counts->gone * 2 > (double)counts->all && counts->less >= counts->now / 10 * 9;
	int64_t gone = counts->gone < (double)counts->all ? (int64_t)counts->gone : counts->all;
	if (alike || less)
		trust_add(s, "context-differs", ON_ALL,
		          "seems to hold fewer iterations than the baseline: launches of %s of the kernel "
		          "time are gone; mark the steps",
		          unit_text(&s->out->arena, UNIT_PCT, number_pct(gone, counts->all)));
}

/* Append a finding if a step is another unit of work than in the baseline, such as half of a batch:
   a step has far more or far fewer launches, but the whole recording has about as many. True if
   there is a finding. */
static bool find_unit(const struct trust_scope *s, const struct digest *b, const struct digest *c)
{
	double x = (double)b->trust.launches, y = (double)c->trust.launches;
	double ratio = x > 0 && y > 0 && b->total_steps > 0 && c->total_steps > 0
	                   ? y * (double)b->total_steps / (x * (double)c->total_steps)
	                   : 1;
	if ((ratio < 1.5 && ratio > 1 / 1.5) || y < x * 0.8 || x < y * 0.8)
		return false;
	trust_add(s, "context-differs", ON_STEPS,
	          "has %" PRId64 " step%s and the baseline %" PRId64
	          " of about as many launches in all: a step is another unit of work",
	          c->total_steps, c->total_steps == 1 ? "" : "s", b->total_steps);
	return true;
}

/* Mean time per step of the recording, and per GPU activity. */
struct mean_times {
	double step, activity;
};

static struct mean_times mean_times(const struct digest *d)
{
	double steps = d->total_steps > 0 ? (double)d->total_steps : 1;
	return (struct mean_times){ (double)d->window_ns / steps,
		                        (double)d->trust.gpu_ns / (double)d->trust.gpu_events };
}

/* Appends a finding if all times, of GPU and host alike, are about 1000 times those of the baseline
   or the reverse: the times of one recording are in ns where the format has µs.
   True if there is a finding. */
static bool find_scale(const struct trust_scope *s, const struct digest *b, const struct digest *c)
{
	struct mean_times x = mean_times(b), y = mean_times(c);
	bool less = y.step < x.step;
	double step = less ? x.step / y.step : y.step / x.step;
	double activity = less ? x.activity / y.activity : y.activity / x.activity;
	bool found = step > 500 && step < 2000 && activity > 500 && activity < 2000;
	if (found)
		trust_add(
		    s, "context-differs", ON_TRACE,
		    "has times that are all about 1000 times %s than those of the baseline: they seem "
		    "to be in another unit",
		    less ? "shorter" : "longer");
	return found;
}

/* Fewest and most requests or tokens in a step of a server; 0 if unknown. */
struct range {
	int64_t low, high;
};

static const char *range_text(struct arena *a, struct range r)
{
	return r.low == r.high ? arena_printf(a, "%" PRId64, r.low)
	                       : arena_printf(a, "%" PRId64 " to %" PRId64, r.low, r.high);
}

/* Append a finding if no step of a server had about as many requests or tokens as a step of the
   baseline; true if there is a finding. These numbers are compared because kernels of decode often
   have the same grid for batches of any size. */
static bool find_range(const struct trust_scope *s, struct range b, struct range c, int slack,
                       const char *what)
{
	/* if clients send requests at will, the numbers of a step differ by chance: it is enough if the
	   ranges of both sides overlap within `slack` percent */
	if (!b.low || !c.low ||
	    ((__int128)c.low * 100 <= (__int128)b.high * (100 + slack) &&
	     (__int128)b.low * 100 <= (__int128)c.high * (100 + slack)))
		return false;
	trust_add(s, "context-differs", ON_ALL,
	          "has steps of %s %s and the baseline of %s: another batch",
	          range_text(&s->out->arena, c), what, range_text(&s->out->arena, b));
	return true;
}

/* Number of steps of a server that process prompts. */
static int64_t prompt_steps(const struct digest *d)
{
	static const enum phase with_prompts[] = { PHASE_PREFILL, PHASE_MIXED };
	int64_t nr = 0;
	struct phase_summary p;
	for (size_t i = 0; i < NR_OF(with_prompts); i++)
		if (phase_summary_of(d, with_prompts[i], &metric_table[METRIC_STEP_CUDA_TIME], &p))
			nr = number_add(nr, p.steps);
	return nr;
}

static bool find_requests(const struct trust_scope *s, const struct digest *base,
                          const struct digest *candidate)
{
	enum { FEW = 3, SLACK = 5, SLACK_OF_FEW = 50 };
	const struct trust_counts *b = &base->trust, *c = &candidate->trust;
	/* the prompts of one or two steps are drawn by chance */
	const int64_t then = prompt_steps(base), now = prompt_steps(candidate);
	bool few = (then > 0 && then < FEW) || (now > 0 && now < FEW);
	return find_range(s, (struct range){ b->requests_low, b->requests_high },
	                  (struct range){ c->requests_low, c->requests_high }, SLACK, "requests") ||
	       find_range(s, (struct range){ b->tokens_low, b->tokens_high },
	                  (struct range){ c->tokens_low, c->tokens_high }, few ? SLACK_OF_FEW : SLACK,
	                  "tokens");
}

static const char *kinds_text(struct arena *a, const int64_t *steps)
{
	struct strbuf b = STRBUF_INIT;
	for (int p = NR_INNER_PHASES; p < NR_PHASES; p++)
		if (steps[p])
			strbuf_addf(&b, "%s%" PRId64 " of %s", b.n ? ", " : "", steps[p], phase_names[p]);
	return arena_take(a, &b);
}

/* Append a finding if the kinds of steps of a server (such as prefill and decode) have other shares
   than in the baseline, and a kind has too few steps to be judged by itself. */
static void find_kinds(const struct trust_scope *s, const struct run *baseline,
                       const struct run *candidate)
{
	struct step_kinds k = step_kinds_of(baseline, candidate);
	if (k.all_apart || k.mix <= MICRO)
		return;
	struct trust_finding *f =
	    trust_add(s, "context-differs", ON_TRACE,
	              "has steps of other kinds than the baseline: %s, and there %s",
	              kinds_text(&s->out->arena, k.steps[1]), kinds_text(&s->out->arena, k.steps[0]));
	f->fallen = k.mix;
	f->of_kinds = true;
}

void trust_find_context(const struct run *baseline, const struct run *candidate,
                        const struct trust_scope *s)
{
	struct scalings kernels = { 0 }, copies = { 0 }, counts = { 0 };
	struct scalings operators = { 0 };
	bool other_unit = false, other_batch = false, other_scale = false;
	for (size_t i = 0; i < candidate->ranks.nr; i++) {
		const struct digest *c = candidate->ranks.v[i], *b = trust_rank(baseline, c->rank);
		/* if the candidate has as many launches, but some have no kernels, then kernels were lost,
		   and not iterations */
		if (b && b->window && c->window &&
		    (c->trust.launches < b->trust.launches || !c->trust.launches_without_kernel))
			counts_add(b, c, &counts);
		if (b && b->usable_steps > 0 && c->usable_steps > 0) {
			scalings_add(b, c, &kernels, &copies);
			/* do not compare operators of a server whose steps say their number of requests:
			 * clients may send requests at will, and the work of a step then differs by chance */
			if (!b->trust.requests_low || !c->trust.requests_low)
				operators_add(b, c, &operators);
			other_unit = other_unit || find_unit(s, b, c);
			other_scale = other_scale || find_scale(s, b, c);
			other_batch = other_batch || find_requests(s, b, c);
		}
	}
	find_fewer(&counts, s);
	find_kinds(s, baseline, candidate);
	if (!other_batch && !other_scale)
		find_scaled(&operators, &kernels, &copies, s);
	vec_release(&operators.list);
	vec_release(&kernels.list);
	vec_release(&copies.list);
	vec_release(&counts.list);
}
