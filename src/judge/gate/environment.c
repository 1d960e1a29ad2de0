#include "gate/environment.h"

#include <inttypes.h>

#include "base/text.h"
#include "trust/trust.h"

/* True if both texts are known and differ. */
static bool texts_differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* Set `*b` and `*c` to the values of a key in baseline and candidate: those of the first rank whose
   values differ or, if none differ, each run's first value. NULL for a run that has no value. */
static void values_of(const struct run *baseline, const struct run *candidate, const char *key,
                      const char **b, const char **c)
{
	*b = run_env(baseline, key);
	*c = run_env(candidate, key);
	for (size_t i = 0; i < candidate->ranks.nr; i++) {
		size_t at = run_find(baseline, candidate->ranks.v[i]->rank);
		const char *now = digest_env(candidate->ranks.v[i], key);
		const char *then = at < baseline->ranks.nr ? digest_env(baseline->ranks.v[at], key) : NULL;
		if (!texts_differ(now, then))
			continue;
		*b = then;
		*c = now;
		return;
	}
}

static const char *shown(struct arena *a, const char *text)
{
	return text ? text_line(a, span_of(text)) : NULL;
}

/* Append the row of `key`, unless neither side knows its value. */
static void add_row(const struct run *baseline, const struct run *candidate, const char *key,
                    bool must, struct report *out)
{
	const char *b, *c;
	values_of(baseline, candidate, key, &b, &c);
	if (!b && !c) {
		/* recordings have these keys by themselves, and the user need not supply them: do not
		   warn */
		if (must && strcmp(key, "world_size") != 0 && strncmp(key, "gpu.", 4) != 0 &&
		    strncmp(key, "cuda.", 5) != 0)
			vec_push(&out->warnings, arena_printf(&out->arena,
			                                      "environment key '%s' of must_match is known on "
			                                      "neither side: it protects nothing",
			                                      text_line(&out->arena, span_of(key))));
		return;
	}
	/* GPUs are named with their work: a trace that lost all of it is not of another environment */
	if (!c && strncmp(key, "gpu.", 4) == 0 && trust_any_trace(candidate) &&
	    ALL(i, candidate->ranks.nr, candidate->ranks.v[i]->trust.gpu_events == 0))
		return;
	struct arena *a = &out->arena;
	vec_push(&out->environment, (struct env_row){ text_line(a, span_of(key)), shown(a, b),
	                                              shown(a, c), b && c && strcmp(b, c) == 0, must });
}

static bool has_row(const struct report *out, const char *key)
{
	return ANY(i, out->environment.nr, strcmp(out->environment.v[i].key, key) == 0);
}

static void add_difference(struct strbuf *b, struct arena *a, const struct env_row *row)
{
	const char *and = b->n ? "; " : "";
	const char *x = row->baseline ? text_quote(a, span_of(row->baseline)) : "not known";
	const char *y = row->candidate ? text_quote(a, span_of(row->candidate)) : "not known";
	strbuf_addf(b, "%s%s is %s in the baseline and %s in the candidate", and, row->key, x, y);
}

static const char *differences(struct report *out, bool must)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < out->environment.nr; i++) {
		const struct env_row *row = &out->environment.v[i];
		if (!row->match && row->must == must)
			add_difference(&b, &out->arena, row);
	}
	return arena_take(&out->arena, &b);
}

/* Warn if the GPU, the number of GPUs or the world size differs, and the rules do not say which
   keys of the environment must match. */
static void warn_of_machine(const struct run *baseline, const struct run *candidate,
                            struct report *out)
{
	static const char *const keys[] = { "gpu.name", "gpu.count", "world_size" };
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < NR_OF(keys); i++) {
		struct env_row row = { .key = keys[i] };
		values_of(baseline, candidate, keys[i], &row.baseline, &row.candidate);
		if (texts_differ(row.baseline, row.candidate))
			add_difference(&b, &out->arena, &row);
	}
	if (b.n)
		vec_push(&out->warnings,
		         arena_printf(&out->arena,
		                      "judged although the machine differs: %s; the rules name no "
		                      "environment: add 'environment: {must_match: [gpu.name, gpu.count, "
		                      "world_size]}' to refuse this",
		                      strbuf_str(&b)));
	strbuf_release(&b);
}

enum status environment_judge(const struct rules *rules, const struct run *baseline,
                              const struct run *candidate, bool ignore, struct report *out,
                              struct diag_log *log)
{
	if (!baseline)
		return ST_OK;
	for (size_t i = 0; i < rules->must_match.nr; i++)
		if (!has_row(out, rules->must_match.v[i].p))
			add_row(baseline, candidate, rules->must_match.v[i].p, true, out);
	for (size_t i = 0; i < rules->should_match.nr; i++)
		if (!has_row(out, rules->should_match.v[i].p))
			add_row(baseline, candidate, rules->should_match.v[i].p, false, out);
	if (rules->no_environment)
		warn_of_machine(baseline, candidate, out);
	const char *must = differences(out, true), *should = differences(out, false);
	if (must[0] && !ignore)
		return diag_fail(
		    log, ST_BASELINE,
		    "%s: the baseline is of another environment: %s; make a baseline for it (in the "
		    "rules, 'baseline: " BASELINE_OF_MACHINE "' keeps one for each), or compare "
		    "nevertheless with 'environment: {must_match: []}'",
		    out->baseline_path, must);
	if (must[0])
		vec_push(&out->warnings,
		         arena_printf(&out->arena, "another environment, ignored: %s", must));
	if (should[0])
		vec_push(&out->warnings, arena_printf(&out->arena, "the environment differs: %s", should));
	return ST_OK;
}

/* Text such as "gpu.name is 'A' in the candidate's first run and 'B' in b.json"; NULL if the values
   are equal. */
static const char *repeat_difference(const struct run *first, const struct run *run,
                                     const char *key, struct arena *a)
{
	const char *x, *y;
	values_of(first, run, key, &x, &y);
	if ((!x && !y) || (x && y && strcmp(x, y) == 0))
		return NULL;
	return arena_printf(a, "%s is %s in the candidate's first run and %s in %s", key,
	                    x ? text_quote(a, span_of(x)) : "not known",
	                    y ? text_quote(a, span_of(y)) : "not known",
	                    text_quote(a, span_of(run->label)));
}

enum status environment_repeat(const struct rules *rules, const struct run *first,
                               const struct run *run, bool ignore, struct report *out,
                               struct diag_log *log)
{
	struct arena *a = &out->arena;
	for (size_t k = 0; k < rules->must_match.nr; k++) {
		const char *what = repeat_difference(first, run, rules->must_match.v[k].p, a);
		if (what && !ignore)
			return diag_fail(log, ST_INPUT,
			                 "%s: runs that are compared must be of one environment, or compare "
			                 "nevertheless with 'environment: {must_match: []}' in the rules",
			                 what);
		if (what)
			vec_push(&out->warnings, arena_printf(a, "another environment, ignored: %s", what));
	}
	for (size_t k = 0; k < rules->should_match.nr; k++) {
		const char *what = repeat_difference(first, run, rules->should_match.v[k].p, a);
		if (what)
			vec_push(&out->warnings, arena_printf(a, "the environment differs: %s", what));
	}
	return ST_OK;
}

void environment_rows(const struct run *baseline, const struct run *candidate, struct report *out)
{
	const struct run *runs[] = { baseline, candidate };
	VEC(const char *) keys = VEC_INIT;
	for (size_t s = 0; s < 2; s++)
		for (size_t r = 0; r < runs[s]->ranks.nr; r++)
			for (size_t i = 0; i < runs[s]->ranks.v[r]->env.nr; i++)
				vec_push(&keys, runs[s]->ranks.v[r]->env.v[i].key);
	vec_unite(&keys, text_cmp, NULL);
	for (size_t i = 0; i < keys.nr; i++)
		add_row(baseline, candidate, keys.v[i], false, out);
	vec_release(&keys);
}

/* ---- settings by which the digests were made ---- */

struct settings {
	/// wanted step marker, and wanted patterns of communication kernels; NULL: any value fits
	const char *marker, *communication;
	const char *unmarked; ///< wanted way of finding steps if there are no markers, such as
	                      ///< "window"; NULL: any way fits
	int64_t warmup; ///< wanted number of warm-up steps; < 0: any number fits
	const char *who;
};

/* True if some kernel of the digest is communication by the patterns `wanted`, but not by the
 * digest's own patterns, or the other way round. */
static bool takes_others(const char *wanted, const struct digest *d)
{
	if (!texts_differ(wanted, d->communication))
		return false;
	const struct kernel_stat *k = d->kernels.v;
	return ANY(i, d->kernels.nr,
	           k[i].names == 0 && category_matches_any(wanted, k[i].name) !=
	                                  category_matches_any(d->communication, k[i].name));
}

/* How the steps of `d` were found without step markers (a value of `unmarked`); NULL if `d` has
   step markers. */
static const char *unmarked_of(const struct digest *d)
{
	return !d->window && !d->period_count ? NULL : d->unmarked ? d->unmarked : "window";
}

static enum status compare_settings(const struct settings *want, const struct digest *d,
                                    const char *who, struct diag_log *log)
{
	struct arena *a = &log->arena;
	if (texts_differ(want->marker, d->marker))
		return diag_fail(log, ST_USAGE,
		                 "%s was reduced with step marker %s, %s with %s: reduce both from their "
		                 "traces with one marker",
		                 who, text_quote(a, span_of(d->marker)), want->who,
		                 text_quote(a, span_of(want->marker)));
	const char *unmarked = unmarked_of(d);
	if (unmarked && texts_differ(want->unmarked, unmarked))
		return diag_fail(log, ST_USAGE,
		                 "%s has no step marker and was reduced with 'unmarked: %s', %s with "
		                 "'unmarked: %s': reduce both from their traces with one",
		                 who, unmarked, want->who, want->unmarked);
	if (want->warmup >= 0 && want->warmup != d->warmup)
		return diag_fail(log, ST_USAGE,
		                 "%s was reduced with %" PRId64 " steps of warm-up, %s with %" PRId64
		                 ": reduce both from their traces with one warm-up",
		                 who, d->warmup, want->who, want->warmup);
	if (takes_others(want->communication, d))
		return diag_fail(
		    log, ST_USAGE,
		    "%s took other kernels for communication (%s) than %s (%s): reduce it from its trace "
		    "with these categories",
		    who, text_quote(a, span_of(d->communication)), want->who,
		    text_quote(a, span_of(want->communication)));
	return ST_OK;
}

static enum status run_settings(const struct settings *want, const struct run *run, const char *who,
                                struct diag_log *log)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		TRY(compare_settings(want, run->ranks.v[i], who, log));
	return ST_OK;
}

enum status environment_settings(const struct rules *rules, const struct run *baseline,
                                 const struct run *candidates, size_t nr, const char *communication,
                                 struct diag_log *log)
{
	if (rules) {
		struct settings want = { rules->marker, communication, rules->unmarked, rules->warmup,
			                     "the rules" };
		for (size_t i = 0; i < nr; i++)
			TRY(run_settings(&want, &candidates[i], "the candidate", log));
		if (baseline)
			TRY(run_settings(&want, baseline, "the baseline", log));
	}
	if (candidates[0].ranks.nr == 0)
		return ST_OK;
	const struct digest *d = candidates[0].ranks.v[0];
	struct settings same = { d->marker, d->communication, unmarked_of(d), d->warmup,
		                     "the candidate" };
	TRY(run_settings(&same, &candidates[0], "one rank of the candidate", log));
	for (size_t i = 1; i < nr; i++)
		TRY(run_settings(&same, &candidates[i], "another run of the candidate", log));
	return baseline ? run_settings(&same, baseline, "the baseline", log) : ST_OK;
}

enum together environment_together(const struct run *a, const struct run *b)
{
	static const char *const keys[] = { "host", "boot", "job" };
	enum together out = TOGETHER_UNKNOWN;
	for (size_t i = 0; i < NR_OF(keys); i++) {
		const char *x = run_env(a, keys[i]), *y = run_env(b, keys[i]);
		if (texts_differ(x, y))
			return APART;
		if (x && y)
			out = TOGETHER;
	}
	return out;
}
