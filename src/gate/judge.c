#include "gate/judge.h"

#include <inttypes.h>

#include "base/text.h"
#include "gate/bench.h"
#include "gate/checks.h"
#include "gate/drift.h"
#include "gate/environment.h"
#include "gate/sides.h"
#include "gate/trust.h"
#include "gate/words.h"

/* A report of an error: no checks, the first error and the status. */
static enum status stop(struct report *out, enum status st, const struct diag_log *log)
{
	const char *error = diag_first_error(log);
	struct arena *a = &out->arena;
	out->status = st;
	out->verdict = VERDICT_INCONCLUSIVE;
	out->error = error ? arena_dup(a, span_of(error)) : status_text(st);
	out->headline = arena_printf(a, "error: %s", status_text(st));
	out->checks.nr = 0;
	return st;
}

/* `text` as one word of a shell, fit for one line. */
static void add_word(struct strbuf *b, struct arena *a, const char *text)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+,@%-";
	const char *line = word_line(a, span_of(text));
	strbuf_addch(b, ' ');
	if (line[0] && strspn(line, plain) == strlen(line)) {
		strbuf_adds(b, line);
		return;
	}
	strbuf_addch(b, '\'');
	for (const char *p = line; *p; p++)
		*p == '\'' ? strbuf_adds(b, "'\\''") : strbuf_addch(b, *p);
	strbuf_addch(b, '\'');
}

/* Only complete evidence, and only where there is a difference, is worth accepting. */
static const char *accept_command(const struct judge_input *in, struct report *out)
{
	const int64_t *n = out->counts;
	if (n[VERDICT_INCONCLUSIVE] + n[VERDICT_MISSING] > 0 ||
	    n[VERDICT_FAIL] + n[VERDICT_WARN] + n[VERDICT_IMPROVED] == 0 || !in->candidate->label ||
	    !in->baseline_path)
		return "";
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, "gpugate baseline create");
	add_word(&b, &out->arena, in->candidate->label);
	strbuf_adds(&b, " --baseline");
	add_word(&b, &out->arena, in->baseline_path);
	strbuf_adds(&b, " --workload");
	add_word(&b, &out->arena, in->rules->workload);
	strbuf_adds(&b, " --force");
	return word_take(&out->arena, &b);
}

static void add_count(struct strbuf *b, const struct report *out, enum verdict v, const char *what)
{
	if (out->counts[v] && v != out->verdict)
		strbuf_addf(b, ", %" PRId64 " %s", out->counts[v], what);
}

static const char *headline(struct report *out)
{
	static const char *const words[NR_VERDICTS][2] = {
		[VERDICT_FAIL] = { "beyond its limits", "beyond their limits" },
		[VERDICT_INCONCLUSIVE] = { "cannot be judged", "cannot be judged" },
		[VERDICT_MISSING] = { "lacks a figure", "lack a figure" },
		[VERDICT_WARN] = { "passed with a warning", "passed with a warning" },
		[VERDICT_PASS] = { "within its limits", "within their limits" },
	};
	struct strbuf b = STRBUF_INIT;
	int64_t of = (int64_t)out->checks.nr, nr = out->counts[out->verdict];
	if (out->verdict == VERDICT_PASS)
		nr += out->counts[VERDICT_IMPROVED];
	if (out->counts[VERDICT_SKIPPED] == of)
		return "inconclusive: every check was skipped, nothing was compared";
	strbuf_addf(&b, "%s: %" PRId64 " of %" PRId64 " check%s %s", verdict_name(out->verdict), nr, of,
	            of == 1 ? "" : "s", words[out->verdict][nr != 1]);
	if (out->verdict != VERDICT_INCONCLUSIVE)
		add_count(&b, out, VERDICT_INCONCLUSIVE, "inconclusive");
	add_count(&b, out, VERDICT_MISSING, "missing");
	add_count(&b, out, VERDICT_WARN, out->counts[VERDICT_WARN] == 1 ? "warning" : "warnings");
	add_count(&b, out, VERDICT_IMPROVED, "improved");
	add_count(&b, out, VERDICT_SKIPPED, "skipped");
	return word_take(&out->arena, &b);
}

/* A regression that was found is never hidden by a figure that was not. */
static void conclude(struct report *out)
{
	static const enum verdict order[] = { VERDICT_FAIL, VERDICT_INCONCLUSIVE, VERDICT_MISSING,
		                                  VERDICT_WARN };
	for (size_t i = 0; i < out->checks.nr; i++)
		out->counts[out->checks.v[i].verdict]++;
	out->verdict = VERDICT_PASS;
	for (size_t i = 0; i < sizeof order / sizeof *order && out->verdict == VERDICT_PASS; i++)
		if (out->counts[order[i]])
			out->verdict = order[i];
	if (out->counts[VERDICT_SKIPPED] == (int64_t)out->checks.nr)
		out->verdict = VERDICT_INCONCLUSIVE;
	out->status = out->verdict == VERDICT_FAIL ? ST_FAILED
	              : out->verdict == VERDICT_INCONCLUSIVE || out->verdict == VERDICT_MISSING
	                  ? ST_INPUT
	                  : ST_OK;
	out->headline = headline(out);
}

/* What has to hold before anything is compared. */
static enum status prepare(const struct judge_input *in, struct report *out, struct diag_log *log)
{
	const struct rules *rules = in->rules;
	if (rules->rules.nr == 0)
		return diag_fail(log, ST_USAGE, "%s: no rules: nothing would be checked", rules->source);
	TRY(environment_settings(rules, in->baseline, in->candidate,
	                         category_communication(in->categories, &out->arena), log));
	TRY(environment_judge(rules, in->baseline, in->candidate, in->ignore_environment, out, log));
	if (rules->expect_ranks > 0 && in->candidate->ranks.nr != (uint64_t)rules->expect_ranks)
		return diag_fail(log, ST_INPUT,
		                 "the candidate has %zu ranks, and the rules expect %" PRId64,
		                 in->candidate->ranks.nr, rules->expect_ranks);
	if (in->candidate->ranks.nr == 0 || in->baseline->ranks.nr == 0)
		return diag_fail(log, in->baseline->ranks.nr ? ST_INPUT : ST_BASELINE,
		                 "the %s has no ranks", in->baseline->ranks.nr ? "candidate" : "baseline");
	return ST_OK;
}

static enum status check_all(const struct judge_input *in, struct report *out, struct diag_log *log)
{
	const struct rules *rules = in->rules;
	struct naming naming = { rules->match_exact, rules->aliases.v, rules->aliases.nr,
		                     in->categories };
	struct bench bench;
	enum status st = ST_OK;
	bench_init(&bench, in->baseline, in->candidate, naming);
	for (size_t i = 0; i < rules->rules.nr && st == ST_OK; i++)
		st = checks_add(&bench, rules, &rules->rules.v[i], out, log);
	if (st == ST_OK)
		drift_rows(&bench.pairs, in->categories, out);
	bench_release(&bench);
	return st;
}

enum status judge(const struct judge_input *in, struct report *out, struct diag_log *log)
{
	const struct rules *rules = in->rules;
	report_init(out);
	struct arena *a = &out->arena;
	out->workload = word_line(a, span_of(rules->workload));
	out->rules = word_line(a, span_of(rules->source));
	out->baseline_path = word_line(a, span_of(in->baseline_path ? in->baseline_path : ""));
	out->accept = "";
	sides_fill(in->baseline, in->candidate, out);
	if (in->baseline_workload && strcmp(in->baseline_workload, rules->workload) != 0)
		vec_push(&out->warnings, arena_printf(a, "the baseline is of another workload: %s",
		                                      text_quote(a, span_of(in->baseline_workload))));
	if (in->baseline_commit && in->baseline_commit[0])
		out->baseline.commit = word_line(a, span_of(in->baseline_commit));
	enum status st = prepare(in, out, log);
	if (st == ST_OK) {
		trust_findings(in->baseline, in->candidate, rules->min_steps, out);
		st = check_all(in, out, log);
	}
	if (st != ST_OK)
		return stop(out, st, log);
	checks_arrange(out);
	conclude(out);
	out->accept = accept_command(in, out);
	return ST_OK;
}
