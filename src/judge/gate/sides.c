#include "gate/sides.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "metric/unit.h"
#include "model/account.h"
#include "model/fold.h"
#include "trust/trust.h"

static const char *shown(struct arena *a, const char *text)
{
	return text ? text_line(a, span_of(text)) : "";
}

static void note(struct side *s, const char *text)
{
	vec_push(&s->notes, span_of(text));
}

/* Text that says for which share of the CUDA graphs' time the place in the code is known, and why
   it is not known for the rest. It is known from the capture of a graph. */
static const char *replayed_text(const struct trust_counts *t, struct arena *a)
{
	const struct {
		int64_t ns;
		const char *why;
	} rest[] = {
		{ t->replayed_ns - t->joined_ns - t->unordered_ns - t->ambiguous_ns,
		  "fit no capture by count and names" },
		{ t->unordered_ns, "ran side by side, in an order that is not recorded" },
		{ t->ambiguous_ns, "fit captures that do not decide it" },
	};
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s of the time of graphs has its place from their captures",
	            unit_text(a, UNIT_PCT, number_pct(t->joined_ns, t->replayed_ns)));
	for (size_t i = 0; i < NR_OF(rest); i++)
		if (rest[i].ns)
			strbuf_addf(&b, "; kernels of %s %s",
			            unit_text(a, UNIT_PCT, number_pct(rest[i].ns, t->replayed_ns)),
			            rest[i].why);
	return arena_take(a, &b);
}

static void note_counts(struct side *s, const struct digest *d, struct arena *a)
{
	static const char *const by[] = {
		[ATTRIBUTION_LAUNCH] = "GPU work belongs to the step that launched it",
		[ATTRIBUTION_TIMESTAMP] = "GPU work belongs to the step during which it ran, by timestamps",
	};
	const struct trust_counts *t = &d->trust;
	const char *unmarked = digest_unmarked_text(d, a);
	if (unmarked)
		note(s, unmarked);
	if (!d->window && d->attribution != ATTRIBUTION_NONE && t->gpu_events > 0)
		note(s, by[d->attribution]);
	if (t->carried_over > 0)
		note(s, arena_printf(a, "%" PRId64 " activit%s carried over from before the trace",
		                     t->carried_over, text_ies(t->carried_over)));
	if (t->dropped > 0)
		note(s, arena_printf(a, "%" PRId64 " activit%s without a launch", t->dropped,
		                     text_ies(t->dropped)));
	if (t->unattributed > 0)
		note(s, arena_printf(a, "%" PRId64 " activit%s (%s) outside all steps", t->unattributed,
		                     text_ies(t->unattributed), unit_text(a, UNIT_NS, t->unattributed_ns)));
	if (t->replayed_ns > 0)
		note(s, replayed_text(t, a));
}

static bool any_partial(const struct run *run)
{
	return ANY(i, run->ranks.nr, run->ranks.v[i]->trust.partial);
}

/* Names of the first two files in a run's folder that were not read, and the number of the others:
   "a.log, b.log and 2 more"; "" if all were read. */
static const char *ignored_text(const struct run *run, struct arena *a)
{
	enum { NAMED = 2 };
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < run->ignored.nr && i < NAMED; i++)
		strbuf_addf(&b, "%s%s", i ? ", " : "", shown(a, path_last(run->ignored.v[i])));
	if (run->ignored.nr > NAMED)
		strbuf_addf(&b, " and %zu more", run->ignored.nr - NAMED);
	return arena_take(a, &b);
}

static void fill(struct side *s, const struct run *run, struct report *out)
{
	struct arena *a = &out->arena;
	s->label = shown(a, run->label);
	s->gpu = shown(a, run_env(run, "gpu.name"));
	s->commit = shown(a, run_env(run, "commit"));
	s->ranks = (int64_t)run_nr_ranks(run);
	s->judged = account_text(run, s->ranks, a);
	s->ignored = ignored_text(run, a);
	s->snapshot_only = s->metrics_only = run->ranks.nr > 0 && !trust_any_trace(run);
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		if (!d->window && (int64_t)d->nr_steps > s->steps)
			s->steps = (int64_t)d->nr_steps;
		s->window = s->window || d->window;
		s->metrics_only = s->metrics_only && !d->snapshot;
	}
	/* only the notes of the first rank are shown: those of all ranks may be too many to read */
	if (run->ranks.nr) {
		const struct digest *first = run->ranks.v[0];
		s->period = first->period_count;
		s->marker = first->proposed_marker ? shown(a, first->proposed_marker) : NULL;
		s->marker_steps = first->proposed_steps;
		note_counts(s, run->ranks.v[0], a);
	}
}

/* True if two recordings have the same CUDA versions and equally many host calls; the hash of their
   figures includes neither. */
static bool same_surroundings(const struct digest *x, const struct digest *y)
{
	static const char *const keys[] = { "cuda.runtime", "cuda.driver" };
	int64_t calls = 0;
	for (size_t i = 0; i < NR_OF(keys); i++) {
		const char *then = digest_env(x, keys[i]), *now = digest_env(y, keys[i]);
		if (then && now && strcmp(then, now) != 0)
			return false;
	}
	for (size_t i = 0; i < x->calls.nr; i++)
		calls = number_add(calls, x->calls.v[i].count);
	for (size_t i = 0; i < y->calls.nr; i++)
		calls = number_sub(calls, y->calls.v[i].count);
	return calls == 0 || !x->calls.nr || !y->calls.nr; /* old gpugate versions stored no calls */
}

bool sides_same_artifact(const struct run *x, const struct run *y)
{
	if (x->ranks.nr == 0 || x->ranks.nr != y->ranks.nr)
		return false;
	return ALL(i, x->ranks.nr,
	           x->ranks.v[i]->source_hash == y->ranks.v[i]->source_hash &&
	               same_surroundings(x->ranks.v[i], y->ranks.v[i]));
}

/* Add the names of all kernels of the first rank: the other ranks run the same program. */
static void add_kernels(const struct run *run, struct report *out)
{
	for (size_t k = 0; run->ranks.nr && k < run->ranks.v[0]->functions.nr; k++) {
		const struct function_stat *f = &run->ranks.v[0]->functions.v[k];
		if (f->cls < FUNCTION_RUNTIME)
			vec_push(&out->kernels, text_line(&out->arena, f->name));
	}
}

void sides_fill(const struct run *baseline, const struct run *candidates, size_t nr,
                struct report *out)
{
	out->baseline.label = "none yet";
	out->baseline.gpu = out->baseline.commit = "";
	if (baseline) {
		fill(&out->baseline, baseline, out);
		out->partial = any_partial(baseline);
		add_kernels(baseline, out);
	}
	fill(&out->candidate, &candidates[0], out);
	out->candidate.runs = (int64_t)nr;
	for (size_t i = 0; i < nr; i++) {
		out->partial = out->partial || any_partial(&candidates[i]);
		add_kernels(&candidates[i], out);
		if (baseline && sides_same_artifact(baseline, &candidates[i]))
			out->same_artifact = true;
	}
	if (out->same_artifact) /* two different result files may have equal figures */
		vec_push(&out->warnings,
		         run_is_recorded(&candidates[0])
		             ? "the candidate is the baseline's own artifact: it is compared with itself, "
		               "and this shows nothing about a change"
		             : "all figures are exactly the baseline's: see that this run wrote its files "
		               "anew; if they differ, what differs is not read");
}

void sides_warn_of_each(const struct bench *b, const struct rules *rules, struct report *out)
{
	struct strbuf names = STRBUF_INIT;
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *r = &rules->rules.v[i];
		if (fold_hides_ranks(&b->view[SIDE_BASELINE], &r->query) ||
		    fold_hides_ranks(&b->view[SIDE_CANDIDATE], &r->query))
			strbuf_addf(&names, "%s'%s'", names.n ? ", " : "", r->id);
	}
	if (names.n)
		vec_push(&out->warnings,
		         arena_printf(&out->arena,
		                      "rules with 'ranks: each' (%s) see only the worst rank of each side, "
		                      "since the runs are folded and their ranks differ; merge without "
		                      "--fold to compare each rank with itself",
		                      names.p));
	strbuf_release(&names);
}
