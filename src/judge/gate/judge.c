#include "gate/judge.h"

#include <inttypes.h>
#include <math.h>

#include "base/date.h"
#include "base/text.h"
#include "diff/bench.h"
#include "diff/breakdown_of.h"
#include "diff/drift.h"
#include "diff/past.h"
#include "fold/present.h"
#include "gate/checks.h"
#include "gate/environment.h"
#include "gate/noise.h"
#include "gate/sides.h"
#include "gate/waivers.h"
#include "trust/trust.h"

/* Turn `out` into the report of the first error in `log`, without checks. Returns `st`. */
static enum status stop(struct report *out, enum status st, const struct diag_log *log)
{
	const char *error = diag_first_error(log);
	struct arena *a = &out->arena;
	out->status = st;
	out->verdict = VERDICT_INCONCLUSIVE;
	out->error = error ? arena_dup(a, span_of(error)) : status_text(st);
	out->headline = arena_printf(a, "error: %s", status_text(st));
	report_drop_checks(out);
	return st;
}

/* Append an option --accept for each rule with a check beyond its limits, since `approve` refuses
   the run without it. */
static void add_accepted(struct strbuf *b, struct report *out)
{
	for (size_t i = 0; i < out->checks.nr; i++) {
		const struct check *c = &out->checks.v[i];
		if (!verdict_is_beyond(c->verdict) || ANY(k, i,
		                                          verdict_is_beyond(out->checks.v[k].verdict) &&
		                                              strcmp(out->checks.v[k].rule, c->rule) == 0))
			continue;
		strbuf_adds(b, " --accept");
		text_add_word(b, &out->arena, c->rule);
	}
}

/* Warn if the runs of main have moved away from the approved run, since changes are then compared
   with code that nobody has approved. */
static void warn_of_moved(struct report *out)
{
	const char *first = NULL;
	struct strbuf more = STRBUF_INIT;
	size_t nr = 0;
	for (size_t i = 0; i < out->checks.nr; i++) {
		const char *moved = out->checks.v[i].moved;
		first = first ? first : moved;
		nr += moved != NULL;
	}
	if (nr > 1)
		strbuf_addf(&more, " and %zu more", nr - 1);
	if (nr)
		vec_push(&out->warnings,
		         arena_printf(&out->arena,
		                      "the runs of main have left the approved run by more than the limit "
		                      "of %s%s: approve a run of main, or look at who added those runs to "
		                      "the history",
		                      first, strbuf_str(&more)));
	strbuf_release(&more);
}

/* True if a check neither passed nor was skipped. Checks that a `max` or `min` decides do not
   count, since a new baseline does not change these limits; waived ones do not either, since what
   is waived must not become normal. */
static bool has_changes(const struct report *out)
{
	return ANY(i, out->checks.nr,
	           out->checks.v[i].verdict != VERDICT_PASS &&
	               out->checks.v[i].verdict != VERDICT_SKIPPED &&
	               out->checks.v[i].verdict != VERDICT_WAIVED && !out->checks.v[i].absolute);
}

/* True if the run is beyond a `max` or `min`, and thus fails with any baseline. */
static bool fails_any(const struct report *out)
{
	return ANY(i, out->checks.nr,
	           out->checks.v[i].absolute && out->checks.v[i].verdict == VERDICT_FAIL);
}

/* True if `approve` would refuse the runs because of their environment. */
static bool is_elsewhere(const struct report *out)
{
	return ANY(i, out->environment.nr, out->environment.v[i].must && !out->environment.v[i].match);
}

/* The command that accepts the candidate. "" if accepting would not help, because the broken limit
   does not depend on the baseline. Unless the candidate becomes the first baseline, also "" if some
   check could not be judged, if there is nothing to accept, or if `approve` would refuse the runs
   because of their environment. */
static const char *accept_command(const struct judge_input *in, struct report *out)
{
	bool first = (in->needs_baseline || out->left_out) && !in->runs.baseline;
	if (fails_any(out))
		return "";
	if (!first && (out->counts[VERDICT_INCONCLUSIVE] + out->counts[VERDICT_MISSING] > 0 ||
	               !has_changes(out) || !in->runs.baseline || is_elsewhere(out)))
		return "";
	if (!in->nr_promote)
		return "";
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, in->baseline_workload ? "gpugate approve" : "gpugate approve --new");
	for (size_t i = 0; i < in->nr_promote; i++)
		text_add_word(&b, &out->arena, in->promote[i]);
	if (!first) {
		strbuf_adds(&b, " --reason 'why it is right'");
		add_accepted(&b, out);
	}
	return arena_take(&out->arena, &b);
}

/* The ending of the path of the candidate's first artifact, such as ".json.gz". Names of further
   artifacts get this ending. "" if it has none, or if a shell would need quotes around it. */
static const char *ending_of(const char *path)
{
	const char *dot = strchr(path_last(path), '.');
	bool plain = dot && dot > path && dot[-1] != '/' && strspn(dot, TEXT_WORD) == strlen(dot);
	return plain ? dot : "";
}

/* Append an option with the names of `nr` recordings that are still to be made, such as
   "--repeat=new{4..6}.json", which a shell expands. The first number is `exist` + 1. */
static void add_further(struct strbuf *b, const char *name, size_t exist, int64_t nr,
                        const char *ending)
{
	int64_t first = (int64_t)exist + 1, last = (int64_t)exist + nr;
	if (nr == 1)
		strbuf_addf(b, " --%s%" PRId64 "%s", name, first, ending);
	else
		strbuf_addf(b, " --%s{%" PRId64 "..%" PRId64 "}%s", name, first, last, ending);
}

/* The command that judges the candidate again, together with as many further runs or pairs of runs
   as would decide the undecided checks and make failures final; "" if no such number is known. */
static const char *decide_command(const struct judge_input *in, struct report *out)
{
	int64_t nr = out->plan_runs ? out->plan_runs : out->plan_pairs;
	if (!nr || !in->nr_check)
		return "";
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, "gpugate check");
	for (size_t i = 0; i < in->nr_check; i++)
		text_add_word(&b, &out->arena, in->promote[i]);
	for (size_t i = 0; i < in->nr_limits; i++) {
		strbuf_adds(&b, " --limit");
		text_add_word(&b, &out->arena, in->limits[i]);
	}
	const char *ending = ending_of(in->promote[0]);
	add_further(&b, "repeat=new", in->runs.nr_candidates - 1, nr, ending);
	if (!out->plan_runs)
		add_further(&b, "control=old", in->runs.nr_controls, nr, ending);
	return arena_take(&out->arena, &b);
}

static void add_count(struct strbuf *b, const struct report *out, enum verdict v, const char *what)
{
	if (out->counts[v] && v != out->verdict)
		strbuf_addf(b, ", %" PRId64 " %s", out->counts[v], what);
}

/* A list of texts, each with the number of checks that it applies to. */
struct tally {
	VEC(struct tally_row {
		const char *text;
		int64_t nr;
	})
	rows;
};

static void tally(const struct report *out, enum verdict v,
                  const char *(*text)(const struct check *c), struct tally *to)
{
	for (size_t i = 0; i < out->checks.nr; i++) {
		const struct check *c = &out->checks.v[i];
		size_t k = 0;
		if (c->verdict != v || report_leaves_out(out, c))
			continue;
		while (k < to->rows.nr && strcmp(to->rows.v[k].text, text(c)) != 0)
			k++;
		if (k == to->rows.nr)
			vec_push(&to->rows, (struct tally_row){ .text = text(c) });
		to->rows.v[k].nr++;
	}
}

static const char *why_skipped(const struct check *c)
{
	if (c->folded)
		return "not kept of folded ranks";
	if (c->has_baseline && c->has_candidate)
		return "judged by another check";
	if (!c->has_baseline && !c->has_candidate)
		return "not recorded";
	return c->item[0] ? "too small to tell" : "recorded on one side only";
}

static const char *rule_of(const struct check *c)
{
	return c->rule;
}

/* Append how many checks are skipped, and why. Without a baseline, the end of the summary says
   why. */
static void add_skipped(const struct judge_input *in, struct strbuf *b, struct report *out,
                        int64_t left_out)
{
	struct tally why = { 0 };
	int64_t nr = out->counts[VERDICT_SKIPPED] - left_out;
	if (in->runs.baseline)
		tally(out, VERDICT_SKIPPED, why_skipped, &why);
	if (nr)
		strbuf_addf(b, ", %" PRId64 " skipped", nr);
	for (size_t i = 0; i < why.rows.nr; i++) {
		strbuf_adds(b, i ? ", " : " (");
		if (why.rows.nr > 1)
			strbuf_addf(b, "%" PRId64 " ", why.rows.v[i].nr);
		strbuf_addf(b, "%s%s", why.rows.v[i].text, i + 1 == why.rows.nr ? ")" : "");
	}
	vec_release(&why.rows);
}

/* Append the rules whose checks have the verdict of the report: "operators, top-kernels ×2". If
   there are too many, none is appended. */
static void add_rules(struct strbuf *b, const struct report *out)
{
	enum { MOST = 4, CHARS = 50 }; /* with more rules or characters, none is appended */
	struct tally rules = { 0 };
	size_t chars = 0;
	tally(out, out->verdict, rule_of, &rules);
	for (size_t i = 0; i < rules.rows.nr; i++)
		chars += strlen(rules.rows.v[i].text);
	for (size_t i = 0; i < rules.rows.nr && rules.rows.nr <= MOST && chars <= CHARS; i++) {
		strbuf_addf(b, "%s%s", i ? ", " : " (", rules.rows.v[i].text);
		if (rules.rows.v[i].nr > 1)
			strbuf_addf(b, " ×%" PRId64, rules.rows.v[i].nr);
		strbuf_adds(b, i + 1 == rules.rows.nr ? ")" : "");
	}
	vec_release(&rules.rows);
}

/* Append how many more runs would decide the undecided checks, unless the report says this below
   the headline. */
static void add_plan(struct strbuf *b, const struct report *out)
{
	int64_t nr = out->plan_runs ? out->plan_runs : out->plan_pairs;
	if (nr && !out->unconfirmed && out->verdict != VERDICT_UNDECIDED)
		strbuf_addf(b, " (%" PRId64 " more %s%s would decide)", nr, out->plan_runs ? "run" : "pair",
		            nr == 1 ? "" : "s");
}

/* The sentence that sums up the checks. `worst` is the worst verdict of all checks. Without a
   baseline, the verdict of the report may be another one. */
static const char *summary(const struct judge_input *in, enum verdict worst, struct report *out)
{
	static const char *const words[NR_VERDICTS][2] = {
		[VERDICT_FAIL] = { "beyond its limits", "beyond their limits" },
		[VERDICT_UNDECIDED] = { "may be beyond its limits", "may be beyond their limits" },
		[VERDICT_INCONCLUSIVE] = { "cannot be judged", "cannot be judged" },
		[VERDICT_MISSING] = { "lacks a figure", "lack a figure" },
		[VERDICT_WARN] = { "passed with a warning", "passed with a warning" },
		[VERDICT_PASS] = { "within its limits", "within their limits" },
	};
	struct strbuf b = STRBUF_INIT;
	int64_t left_out = 0, nr = out->counts[worst];
	if (worst == VERDICT_PASS)
		nr += out->counts[VERDICT_IMPROVED];
	if (out->counts[VERDICT_SKIPPED] == (int64_t)out->checks.nr)
		return in->runs.baseline ? "every check was skipped, nothing was compared"
		       : in->needs_baseline
		           ? "there is no baseline yet to compare with"
		           : "every check was skipped, there is no baseline yet to compare with";
	for (size_t i = 0; i < out->checks.nr; i++)
		left_out += report_leaves_out(out, &out->checks.v[i]);
	int64_t of = (int64_t)out->checks.nr - left_out;
	strbuf_addf(&b, "%" PRId64 " of %" PRId64 " check%s %s", nr, of, of == 1 ? "" : "s",
	            words[worst][nr != 1]);
	if (verdict_is_beyond(out->verdict))
		add_rules(&b, out);
	add_count(&b, out, VERDICT_UNDECIDED, "undecided");
	add_plan(&b, out);
	if (worst != VERDICT_INCONCLUSIVE)
		add_count(&b, out, VERDICT_INCONCLUSIVE, "not judged");
	add_count(&b, out, VERDICT_MISSING, "missing");
	add_count(&b, out, VERDICT_WARN, out->counts[VERDICT_WARN] == 1 ? "warning" : "warnings");
	add_count(&b, out, VERDICT_IMPROVED,
	          out->verdict == VERDICT_PASS ? "of them improved" : "improved");
	add_count(&b, out, VERDICT_WAIVED, "waived");
	add_skipped(in, &b, out, left_out);
	if (!in->runs.baseline && !rules_are_absolute(in->rules))
		strbuf_adds(&b, ": there is no baseline yet");
	if (in->fail_on == FAIL_ON_NEVER && out->counts[VERDICT_FAIL])
		strbuf_adds(&b, "; --fail-on never: the verdict does not decide");
	if (in->fail_on == FAIL_ON_WARN && out->counts[VERDICT_WARN])
		strbuf_adds(&b, "; --fail-on warn: warnings fail");
	return arena_take(&out->arena, &b);
}

/* The status that decides the exit code. A regression that was found takes precedence over figures
   that could not be judged. */
static enum status status_of(const struct judge_input *in, const struct report *out)
{
	const int64_t *n = out->counts;
	if ((n[VERDICT_FAIL] && in->fail_on != FAIL_ON_NEVER) ||
	    (n[VERDICT_WARN] && in->fail_on == FAIL_ON_WARN))
		return ST_FAILED;
	bool open = n[VERDICT_INCONCLUSIVE] + n[VERDICT_MISSING] > 0 ||
	            (n[VERDICT_UNDECIDED] && in->fail_on != FAIL_ON_NEVER);
	return open || out->verdict == VERDICT_INCONCLUSIVE ? ST_INPUT : ST_OK;
}

static void conclude(const struct judge_input *in, struct report *out)
{
	out->verdict = VERDICT_PASS;
	for (size_t i = 0; i < out->checks.nr; i++) {
		enum verdict v = out->checks.v[i].verdict;
		out->counts[v]++;
		if (v <= VERDICT_WARN && v < out->verdict)
			out->verdict = v;
	}
	if (in->runs.baseline && out->counts[VERDICT_SKIPPED] == (int64_t)out->checks.nr)
		out->verdict = VERDICT_INCONCLUSIVE;
	out->status = status_of(in, out);
	enum verdict worst = out->verdict;
	if (in->needs_baseline) {
		out->verdict = out->verdict == VERDICT_FAIL ? VERDICT_FAIL : VERDICT_MISSING;
		out->status = ST_BASELINE;
	}
	out->summary = summary(in, worst, out);
	out->headline = arena_printf(&out->arena, "%s: %s", verdict_names[out->verdict], out->summary);
}

/* The run with index `i`, where the candidate's runs come first and the control runs after them. */
static const struct run *nth_run(const struct judge_input *in, size_t i)
{
	return i < in->runs.nr_candidates ? &in->runs.candidates[i]
	                                  : &in->runs.controls[i - in->runs.nr_candidates];
}

static enum status check_ranks(const struct judge_input *in, struct diag_log *log)
{
	for (size_t i = 0; i < in->runs.nr_candidates + in->runs.nr_controls; i++) {
		bool repeat = i < in->runs.nr_candidates;
		const struct run *run = nth_run(in, i);
		const char *whose = repeat ? "the candidate" : "a control run";
		const char *fault = in->rules->expect_ranks > 0
		                        ? present_fault(run, in->rules->expect_ranks, &log->arena)
		                        : NULL;
		if (fault)
			return diag_fail(log, ST_INPUT, "%s: %s", whose, fault);
		if (run->ranks.nr == 0)
			return diag_fail(log, ST_INPUT, "%s has no ranks", whose);
		/* control runs without traces are not compared with other runs: their figures are rounded,
		 * or are counts, and may be equal by chance */
		for (size_t k = 0; k < i && (repeat || trust_any_trace(run)); k++)
			if (sides_same_artifact(nth_run(in, k), run))
				return diag_fail(log, ST_INPUT, "%s is the same as another run%s: a %s",
				                 text_quote(&log->arena, span_of(run->label)),
				                 k < in->runs.nr_candidates ? " of the candidate"
				                                            : " without the change",
				                 repeat ? "repeat is another run of the same code"
				                        : "control is a run of its own without the change");
	}
	if (in->runs.baseline && in->runs.baseline->ranks.nr == 0)
		return diag_fail(log, ST_BASELINE, "the baseline has no ranks");
	return ST_OK;
}

/* Check whether the runs can be compared: settings, environment, ranks, and waivers that have
   ended. */
static enum status prepare(const struct judge_input *in, struct report *out, struct diag_log *log)
{
	const struct rules *rules = in->rules;
	if (rules->rules.nr == 0)
		return diag_fail(log, ST_USAGE, "%s: no rules: nothing would be checked", rules->source);
	TRY(waivers_check(rules, in->today, log));
	TRY(environment_settings(rules, in->runs.baseline, in->runs.candidates, in->runs.nr_candidates,
	                         category_communication(in->categories, &out->arena), log));
	TRY(environment_judge(rules, in->runs.baseline, &in->runs.candidates[0], in->ignore_environment,
	                      out, log));
	TRY(check_ranks(in, log));
	for (size_t i = 1; i < in->runs.nr_candidates + in->runs.nr_controls; i++)
		TRY(environment_repeat(rules, &in->runs.candidates[0], nth_run(in, i),
		                       in->ignore_environment, out, log));
	return ST_OK;
}

static enum status add_checks(const struct judge_input *in, const struct noise_model *noise,
                              bool *waived, struct report *out, struct diag_log *log)
{
	const struct rules *rules = in->rules;
	out->left_out = 0;
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *rule = &rules->rules.v[i];
		if (in->only_own && !rule->own) {
			out->left_out++;
			continue;
		}
		struct query queries[NR_PHASES] = { rule->query };
		size_t nr =
		    rule->built_in ? step_kinds_queries(&noise->bench->kinds, &rule->query, queries) : 1;
		for (size_t k = 0; k < nr; k++) {
			struct rule of_kind = *rule;
			of_kind.query = queries[k];
			of_kind.stat = queries[k].stat;
			TRY(checks_add(noise, rules, &of_kind, waived, out, log));
		}
	}
	return ST_OK;
}

/* True if operators are excused because all operators changed alike, but no check reports this
 * change: none on the GPU time of whole steps fails or is open, perhaps since it is on another
 * statistic or has a wider limit. Only operators count that the common change by itself would take
 * beyond their limit. */
static bool is_untold(const struct noise_model *noise, const struct report *out)
{
	bool untold = false;
	for (size_t i = 0; i < out->checks.nr; i++) {
		const struct check *k = &out->checks.v[i];
		const struct evidence *e = &k->evidence;
		if (metric_family(k->metric) == FAMILY_MACHINE && k->verdict < VERDICT_WARN)
			return false;
		untold = untold || (k->of_all && e->has_limit[1] &&
		                    expm1(noise->shift) * (double)k->baseline >
		                        (double)number_sub(e->limit[1], k->baseline));
	}
	return untold;
}

/* Warn of kinds of steps, such as decode, that no check judges: each kind is judged by itself, but
   these kinds have too few steps. */
static void warn_of_kinds(const struct step_kinds *k, struct report *out)
{
	for (int p = NR_INNER_PHASES; p < NR_PHASES && k->all_apart; p++)
		if (!k->apart[p] && (k->steps[0][p] || k->steps[1][p]))
			vec_push(&out->warnings,
			         arena_printf(&out->arena,
			                      "%" PRId64 " step%s of %s %s not judged, as the baseline "
			                      "has %" PRId64 ": a kind needs three on both sides",
			                      k->steps[1][p], text_s(k->steps[1][p]), phase_names[p],
			                      k->steps[1][p] == 1 ? "is" : "are", k->steps[0][p]));
}

static enum status check_all(const struct judge_input *in, struct report *out, struct diag_log *log)
{
	const struct rules *rules = in->rules;
	struct naming naming = { rules->match_exact, rules->aliases.v, rules->aliases.nr,
		                     in->categories };
	struct bench bench;
	struct noise_model noise;
	bool *waived = arena_alloc(&out->arena, rules->waivers.nr, sizeof *waived);
	size_t warnings = out->warnings.nr;
	bench_init(&bench, &in->runs, naming);
	noise_model_init(&noise, &bench, rules);
	enum status st = add_checks(in, &noise, waived, out, log);
	if (st == ST_OK && is_untold(&noise, out)) {
		noise.has_machine = false;
		out->warnings.nr = warnings;
		report_drop_checks(out);
		st = add_checks(in, &noise, waived, out, log);
	}
	if (st == ST_OK) {
		sides_warn_of_each(&bench, rules, out);
		if (in->runs.baseline)
			warn_of_kinds(&bench.kinds, out);
		warn_of_moved(out);
		if (!in->only_own)
			unjudged_say(&bench, rules, out);
		uniform_settle(&noise, out);
		if (!step_kinds_other_mix(&bench.kinds)) {
			drift_rows(&bench.pairs, in->categories, out);
			flame_of(&bench, &out->arena, &out->flame);
		}
		waivers_warn(rules, in->today, waived, in->only_own, &bench, out);
	}
	noise_model_release(&noise);
	bench_release(&bench);
	return st;
}

enum { OLD_DAYS = 90 };

/* Warn if the candidate is also one of main's recent runs: it is compared with itself then, and
   hardly ever fails. */
static void warn_of_known(const struct judge_input *in, struct report *out)
{
	bool known =
	    ANY(i, in->runs.nr_candidates, past_find(in->runs.recent, &in->runs.candidates[i]));
	if (known && !out->same_artifact)
		vec_push(&out->warnings,
		         "the candidate is one of the baseline's recent runs: it is compared with itself "
		         "among others");
}

/* Number of runs whose median is the baseline's value: the recent runs and, while these are fewer
   than `min_runs`, the approved run, unless it is a recent run itself. */
static int64_t reference_runs(const struct judge_input *in)
{
	int64_t recent = in->runs.recent ? (int64_t)in->runs.recent->runs.nr : 0;
	bool enough = recent >= in->rules->noise.min_runs;
	return recent + (!enough && !past_find(in->runs.recent, in->runs.baseline));
}

static void fill_context(const struct judge_input *in, struct report *out)
{
	struct arena *a = &out->arena;
	const struct rules *rules = in->rules;
	int64_t approved;
	out->workload = text_line(a, span_of(rules->workload));
	out->rules = text_line(a, span_of(rules->source));
	out->profile = rules->profile ? text_line(a, span_of(rules->profile)) : NULL;
	out->baseline_path = text_line(a, span_of(in->baseline_path ? in->baseline_path : ""));
	out->accept = "";
	sides_fill(in->runs.baseline, in->runs.candidates, in->runs.nr_candidates, out);
	if (!in->runs.baseline)
		return;
	warn_of_known(in, out);
	out->baseline.runs = reference_runs(in);
	if (in->baseline_workload && strcmp(in->baseline_workload, rules->workload) != 0)
		vec_push(&out->warnings, arena_printf(a, "the baseline is of another workload: %s",
		                                      text_quote(a, span_of(in->baseline_workload))));
	if (in->baseline_commit && in->baseline_commit[0])
		out->baseline.commit = text_line(a, span_of(in->baseline_commit));
	if (in->runs.reference)
		out->baseline.reference = text_line(a, span_of(in->reference_commit));
	if (!in->baseline_time || !date_parse(span_of(in->baseline_time), &approved) ||
	    approved > in->today)
		return;
	out->baseline.has_pin_age = true;
	out->baseline.pin_age_days = in->today - approved;
	if (out->baseline.pin_age_days > OLD_DAYS)
		vec_push(&out->warnings,
		         arena_printf(a,
		                      "the baseline's run was approved %" PRId64
		                      " days ago: what has crept in since is in it only from the next "
		                      "'gpugate approve' on",
		                      out->baseline.pin_age_days));
}

/* Set how many more runs (or pairs, if a check needs pairs) would decide the undecided checks, and
   confirm failures that are not final. A run beyond a `max` or `min` fails in any case: its other
   failures need not be confirmed. */
static void plan(struct report *out)
{
	bool final = fails_any(out);
	for (size_t i = 0; i < out->checks.nr; i++) {
		struct check *k = &out->checks.v[i];
		k->unconfirmed = k->unconfirmed && k->verdict == VERDICT_FAIL && !final;
		if (k->verdict != VERDICT_UNDECIDED && !k->unconfirmed)
			continue;
		out->unconfirmed += k->unconfirmed;
		if (k->evidence.more_runs > out->plan_runs)
			out->plan_runs = k->evidence.more_runs;
		if (k->evidence.more_pairs > out->plan_pairs)
			out->plan_pairs = k->evidence.more_pairs;
	}
	if (out->plan_pairs)
		out->plan_runs = 0;
}

enum status judge(const struct judge_input *in, struct report *out, struct diag_log *log)
{
	report_init(out);
	fill_context(in, out);
	enum status st = prepare(in, out, log);
	if (st == ST_OK) {
		out->expect_ranks = in->rules->expect_ranks;
		if (in->runs.baseline != in->runs.controls)
			trust_find_controls(in->runs.baseline, in->runs.controls, in->runs.nr_controls,
			                    in->rules, out);
		trust_findings(in->runs.baseline, in->runs.candidates, in->runs.nr_candidates, in->rules,
		               out);
		trust_find_machines(in->runs.baseline, in->runs.candidates, in->runs.nr_candidates,
		                    in->rules->throttled, out);
		st = check_all(in, out, log);
	}
	if (st != ST_OK)
		return stop(out, st, log);
	checks_arrange(out);
	noise_summary(out);
	plan(out);
	out->pairs = (int64_t)(in->runs.nr_controls < in->runs.nr_candidates ? in->runs.nr_controls
	                                                                     : in->runs.nr_candidates);
	conclude(in, out);
	out->accept = accept_command(in, out);
	out->decide = decide_command(in, out);
	return ST_OK;
}
