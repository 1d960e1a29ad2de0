/* The first lines of a report: the verdict with its main figure, and the key figures. */
#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"
#include "metric/figure_name.h"
#include "metric/statistic.h"
#include "report/document.h"
#include "report/findings.h"
#include "report/key_figures.h"
#include "report/table.h"

static const enum doc_tone tones[] = {
#define TONE(id, name, tone, ...) [VERDICT_##id] = (tone),
	VERDICTS(TONE)
#undef TONE
};

const char *verdict_word(enum verdict v)
{
	return v == VERDICT_INCONCLUSIVE || v == VERDICT_MISSING ? "not judged" : verdict_names[v];
}

void doc_put_verdict(struct document *d, enum verdict v)
{
	doc_add(d, DOC_VERDICT, tones[v], verdict_word(v));
}

void doc_put_result(struct document *d, enum verdict v, bool fails)
{
	enum doc_tone tone = fails ? TONE_BAD : v == VERDICT_FAIL ? TONE_WARN : tones[v];
	doc_add(d, DOC_VERDICT, tone, verdict_word(v));
}

#define MAY_BE_NOISE ", which may be noise"

/* Add the size of a change with a word in place of its sign, such as "5.27 % longer". */
static void put_difference(struct document *d, const struct check *c)
{
	const char *text = c->pct_text[0] ? c->pct_text : c->change_text;
	doc_add(d, DOC_FIGURE, tone_of_check(c), text + strspn(text, "+-"));
	doc_printf(d, " %s", unit_change_word(c->metric->unit, c->change > 0));
}

static const char *share_text(struct document *d, int64_t part, int64_t whole, bool sign)
{
	int64_t share = number_pct(part, whole);
	return sign ? unit_relative(&d->arena, share) : unit_text(&d->arena, UNIT_PCT, share);
}

/* Add the noise, such as "±1.4 %". */
static void put_noise(struct document *d, const struct metric *m, int64_t noise, int64_t baseline)
{
	bool share = baseline > 0 && m->unit != UNIT_PCT;
	doc_say(d, "±%f",
	        share ? share_text(d, noise, baseline, false) : unit_text(&d->arena, m->unit, noise));
}

/* Add a figure's name and its change, such as "compute per step 5.27 % longer". If a limit `max` or
 * `min` is broken, add its value instead: "peak memory 6.21 GiB". */
static void put_change(struct document *d, const struct report *r, const struct check *c)
{
	const char *kind = check_kind(c);
	doc_words(d, figure_label(&d->arena, r, c->metric, kind, c->stat));
	/* for a figure of a result file, the label above already contains the name */
	if (c->item[0] && !kind && c->metric->label != LABEL_INPUT)
		doc_say(d, " of %n", c->item);
	doc_words(d, " ");
	if (c->verdict == VERDICT_INCONCLUSIVE && c->spoiler)
		doc_words(d, c->change_text);
	else if (c->absolute || !c->has_change)
		doc_add(d, DOC_FIGURE, tone_of_check(c), c->candidate_text);
	else
		put_difference(d, c);
}

/* Like put_change(), followed by " (limit 3 %)", and by the noise if the check is undecided. */
static void put_worst(struct document *d, const struct report *r, const struct check *c)
{
	bool noise = c->verdict == VERDICT_UNDECIDED && noise_is_known(c);
	put_change(d, r, c);
	doc_words(d, c->verdict == VERDICT_UNDECIDED ? MAY_BE_NOISE : "");
	if (!noise && !c->limit[0])
		return;
	doc_words(d, " (");
	if (noise)
		put_noise(d, c->metric, c->evidence.noise, c->baseline);
	if (c->limit[0])
		doc_say(d, "%w%s", noise ? "; limit " : "limit ", limit_text(&d->arena, c->limit));
	doc_words(d, ")");
}

bool report_is_first(const struct report *r)
{
	return r->status == ST_BASELINE ||
	       (!r->baseline.ranks && r->counts[VERDICT_SKIPPED] == (int64_t)r->checks.nr);
}

bool report_is_alone(const struct report *r)
{
	return r->kind == REPORT_CHECK && !r->error && !r->baseline.ranks && !report_is_first(r);
}

/* The limit that the metric of a finding breaks, or NULL. NULL also for a metric in percent, since
 * the heading shows a cost in time or memory. */
static const char *broken_limit(const struct report *r, const struct finding *f)
{
	for (size_t i = 0; i < f->checks.nr; i++) {
		const struct check *c = &r->checks.v[f->checks.v[i]];
		if (c->metric == f->metric && (int)c->verdict == f->verdict && c->limit[0] &&
		    c->metric->unit != UNIT_PCT && strncmp(c->limit, "on_", 3) != 0)
			return c->limit;
	}
	return NULL;
}

/* The beginning of a finding's title that the heading shows. */
static struct span first_clause(const struct finding *f)
{
	const char *end = strstr(f->title, "; ");
	if (f->head && f->cost_amount[0])
		end = f->title + f->head;
	return (struct span){ f->title, end ? (size_t)(end - f->title) : strlen(f->title) };
}

/* Add the beginning of a finding's title and its cost: "rank 5 is slow, +759.77 µs per step". */
static void put_first(struct document *d, const struct report *r, const struct finding *f)
{
	const char *limit = broken_limit(r, f);
	bool costs = f->head && f->cost_amount[0];
	doc_sentence(d, arena_dup(&d->arena, first_clause(f)));
	if (!costs)
		return;
	doc_say(d, ", %f", f->cost_amount);
	if (limit)
		doc_say(d, " (limit %s)", limit_text(&d->arena, limit));
	doc_words(d, f->verdict == VERDICT_UNDECIDED ? MAY_BE_NOISE : "");
}

/* The improvement that the heading shows, or NULL: an improvement of a key figure comes first, then
 * the order of figures in their file format decides, then the larger improvement in percent. If
 * `unsure`, choose among figures of files that passed and became better by 10 % or more, which may
 * be noise. */
static const struct check *best_check(const struct report *r, bool unsure)
{
	enum { LEAST = 10 };
	const struct check *best = NULL;
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		bool seems = c->verdict == VERDICT_PASS && c->metric->label == LABEL_INPUT &&
		             tone_of_change(c->worse, c->change) == TONE_BETTER &&
		             llabs(c->change_pct) >= LEAST * (int64_t)MICRO;
		if (!c->has_change || !(unsure ? seems : c->verdict == VERDICT_IMPROVED))
			continue;
		if (!best || (check_is_key(c) && !check_is_key(best)) ||
		    (check_is_key(c) == check_is_key(best) &&
		     (c->metric->place < best->metric->place ||
		      (c->metric->place == best->metric->place &&
		       llabs(c->change_pct) > llabs(best->change_pct)))))
			best = c;
	}
	return best;
}

/* Name the first figure within its limit, in a report whose limits need no baseline. */
static void put_kept(struct document *d, const struct report *r)
{
	const struct check *first = NULL;
	for (size_t i = r->checks.nr; i-- > 0;)
		if (r->checks.v[i].verdict == VERDICT_PASS && r->checks.v[i].limit[0])
			first = &r->checks.v[i];
	if (!first) {
		doc_words(d, r->summary);
		return;
	}
	put_worst(d, r, first);
	if (r->counts[VERDICT_PASS] > 1)
		doc_printf(d, ", and %" PRId64 " more within their limits", r->counts[VERDICT_PASS] - 1);
}

static void put_pass(struct document *d, const struct report *r)
{
	const int64_t *nr = r->counts;
	const struct check *best = best_check(r, false), *unsure = best ? NULL : best_check(r, true);
	if (report_is_alone(r)) {
		put_kept(d, r);
		return;
	}
	if (best)
		put_change(d, r, best);
	else
		doc_words(d, "no figure is beyond its limit");
	if (nr[VERDICT_IMPROVED] > 1)
		doc_printf(d, ", %" PRId64 " more improved", nr[VERDICT_IMPROVED] - 1);
	if (nr[VERDICT_WAIVED])
		doc_printf(d, "%s %" PRId64 " waived", best ? "," : " except", nr[VERDICT_WAIVED]);
	if (unsure) {
		doc_words(d, "; ");
		put_change(d, r, unsure);
		doc_words(d, llabs(unsure->change) <= unsure->evidence.noise ? MAY_BE_NOISE : "");
	}
	if (!text_or_empty(r->accept)[0]) /* a command to approve the run is something to do */
		doc_words(d, "; nothing to do");
}

/* Number of pairs that confirm a failure; 0 for another verdict. */
static int64_t confirmed_by(const struct report *r)
{
	bool confirmed = r->verdict == VERDICT_FAIL && !r->unconfirmed && r->pairs >= PAIRS_CONFIRM;
	return confirmed ? r->pairs : 0;
}

/* True if the report only warns, its main finding is that kernels took the place of others or have
   new names, and all warnings are about kernels. The cause is then that a library chose other
   kernels. */
static bool is_choice(const struct report *r)
{
	const struct finding *f = report_main_finding(r);
	return r->verdict == VERDICT_WARN && f &&
	       (f->cause == CAUSE_SUBSTITUTION || f->cause == CAUSE_RENAMED) &&
	       ALL(i, r->checks.nr,
	           r->checks.v[i].verdict > VERDICT_WARN ||
	               r->checks.v[i].metric->label == LABEL_KERNEL);
}

/* The check that the heading shows, or NULL if it shows the title of the main finding. If there are
 * findings, only a check of a key figure is shown, and a check of the wall time only if the main
 * finding is about the wall time: else the change of the wall time is a consequence. */
static const struct check *headed_check(const struct report *r)
{
	const struct check *worst = r->verdict == VERDICT_PASS ? NULL : report_worst_check(r);
	const struct finding *top = report_main_finding(r);
	bool beside = worst && ((r->findings.nr && !check_is_key(worst)) ||
	                        (top && worst->metric->id == METRIC_STEP_PERIOD && top->metric &&
	                         top->metric != worst->metric));
	return beside ? NULL : worst;
}

bool doc_heading_tells(const struct report *r, const struct finding *f)
{
	return (f->verdict == VERDICT_INCONCLUSIVE || f->verdict == VERDICT_MISSING) &&
	       f == report_main_finding(r) && !report_is_first(r) && !headed_check(r) &&
	       !f->cost_amount[0] && first_clause(f).n == strlen(f->title);
}

void doc_verdict(struct document *d, const struct report *r)
{
	doc_paragraph(d);
	if (r->error) {
		doc_add(d, DOC_VERDICT, TONE_BAD, "error");
		doc_say(d, " · %s: not judged", r->workload);
		doc_paragraph(d);
		doc_said(d, r->error);
		doc_printf(d, ". Nothing was compared; the job fails (exit code %d).",
		           status_exit_code(r->status));
		return;
	}
	if (r->kind == REPORT_DIFF) {
		doc_words(d, "no verdict, diff only compares · ");
		doc_add(d, DOC_SAID, TONE_STRONG, text_or_empty(r->headline));
		return;
	}
	const struct check *worst = headed_check(r);
	const struct finding *top = report_main_finding(r);
	bool first = report_is_first(r), red = r->status != ST_OK;
	/* a leak's cost per step is shown, since the leak's share of the peak depends on the steps */
	bool leak = top && top->cause == CAUSE_LEAK && top->cost_amount[0];
	doc_put_result(d, first ? VERDICT_MISSING : r->verdict, red);
	doc_say(d, " · %s: ", r->workload);
	if (first && r->made) {
		doc_say(d, "first run, which is the baseline now (%n)", r->made);
	} else if (first) {
		doc_words(d, "no baseline yet");
	} else if (worst && (worst->absolute || !leak)) {
		put_worst(d, r, worst);
		if (worst->metric->need == NEED_INPUT && top && top->checks.nr > 1)
			doc_printf(d, ", and %zu more figure%s", top->checks.nr - 1,
			           top->checks.nr > 2 ? "s" : "");
	} else if (is_choice(r)) {
		doc_words(d, "no figure is beyond its limit; other kernels do the same work");
	} else if (top && r->verdict != VERDICT_PASS) {
		put_first(d, r, top);
	} else if (r->verdict == VERDICT_PASS) {
		put_pass(d, r);
	} else {
		doc_words(d, r->summary);
	}
	size_t failed = 0;
	for (size_t i = 0; i < r->findings.nr; i++)
		failed += r->findings.v[i].verdict == VERDICT_FAIL;
	if (!first && r->verdict == VERDICT_FAIL && failed > 1)
		doc_printf(d, ", and %zu more finding%s", failed - 1, failed == 2 ? "" : "s");
	/* say whether the CI job fails or passes, unless the verdict makes it clear */
	if (first || (r->verdict == VERDICT_FAIL ? !red : r->verdict != VERDICT_PASS || red))
		doc_printf(d, "; the job %s (exit code %d)", red ? "fails" : "passes",
		           status_exit_code(r->status));
	if (r->unconfirmed || confirmed_by(r)) {
		int64_t nr = r->unconfirmed ? r->plan_pairs : r->pairs;
		doc_paragraph(d);
		doc_printf(d, "%s by %" PRId64 " pair%s with the base",
		           r->unconfirmed ? "to be confirmed" : "confirmed", nr, text_s(nr));
	}
}

/* ---- key figures ---- */

/* Write "12.48 → " for the text "12.48 ms" if the other figure has the same unit, else the whole
   text and the arrow. */
static void put_before(struct document *d, const char *before, const char *after)
{
	const char *unit = strrchr(before, ' '), *other = strrchr(after, ' ');
	bool same = unit && other && strcmp(unit, other) == 0;
	size_t n = same ? (size_t)(unit - before) : strlen(before);
	doc_say(d, "%f → ", arena_dup(&d->arena, (struct span){ before, n }));
}

/* Find the rank that the main finding names as slow, and the index of the column of metric `m` in
 * the table of ranks. False if one of them is missing. */
static bool slow_figure(const struct report *r, const struct metric *m, const struct rank_row **row,
                        size_t *column)
{
	const struct finding *f = report_main_finding(r);
	*row = NULL;
	for (size_t i = 0; f && f->cause == CAUSE_SLOW_RANK && i < r->ranks.nr; i++)
		if (!*row && r->ranks.v[i].candidate && r->ranks.v[i].rank == f->where.v[0].rank)
			*row = &r->ranks.v[i];
	for (*column = 0; *row && *column < r->rank_columns.nr; ++*column)
		if (m->head && strcmp(r->rank_columns.v[*column].title, m->head) == 0)
			return true;
	return false;
}

/* True if `figure`, which is the candidate's, is the median of this column over all its ranks. */
static bool is_of_median(struct document *d, const struct report *r, size_t column, int64_t figure)
{
	size_t nr = 0;
	int64_t *values = arena_alloc(&d->arena, r->ranks.nr + 1, sizeof *values);
	for (size_t i = 0; i < r->ranks.nr; i++)
		if (r->ranks.v[i].candidate && r->ranks.v[i].cells.v[column].kind == CELL_FIGURE)
			values[nr++] = r->ranks.v[i].cells.v[column].value;
	return nr && (int64_t)nr == r->candidate.ranks &&
	       reduce_of(REDUCE_MEDIAN, values, nr) == figure;
}

/* Add text such as "rank 5: 47.31 → 61.41 ms". */
static void put_rank_figure(struct document *d, const struct report *r, const struct rank_row *row,
                            size_t column)
{
	const char *after = row->cells.v[column].text;
	doc_printf(d, "rank %" PRId64 ": ", row->rank);
	for (size_t i = 0; i < r->ranks.nr; i++) {
		const struct rank_row *b = &r->ranks.v[i];
		if (!b->candidate && b->rank == row->rank && b->cells.v[column].kind == CELL_FIGURE)
			put_before(d, b->cells.v[column].text, after);
	}
	doc_add(d, DOC_FIGURE, TONE_STRONG, after);
}

/* Change of a key figure, in 1e-6 %, beyond which the report says that no rule judges it. Its noise
 * is not known without a check, and smaller changes are within the noise of most machines. */
enum { UNJUDGED_PCT = 5000000 };

/* A value without its unit if the name of its figure ends in the unit: "663 output tokens/s". */
static const char *without_unit(struct arena *a, const struct metric *m, const char *value)
{
	const char *unit = strrchr(value, ' '), *word = m->head ? strrchr(m->head, ' ') : NULL;
	const char *said = m->head ? figure_unit_of(span_of(word ? word + 1 : m->head)) : NULL;
	bool twice = unit && said && strcmp(said, unit + 1) == 0;
	return twice ? arena_dup(a, (struct span){ value, (size_t)(unit - value) }) : value;
}

/* Add text such as "12.48 → 13.14 ms compute per step (+5.27 %, noise ±1.4 %)". If the main finding
   is a slow rank, also write this rank's own figure: before the figure if that is the median over
   the ranks, else behind it. */
static void put_key_figure(struct document *d, const struct report *r, const struct key_figure *k,
                           bool first)
{
	int64_t change = number_sub(k->candidate, k->baseline);
	const struct check *c = k->check >= 0 ? &r->checks.v[k->check] : NULL;
	bool open = k->before && c && c->verdict == VERDICT_INCONCLUSIVE && c->spoiler;
	enum { LEAST = 10000 }; /* a change below 1 / LEAST of the baseline is called "unchanged" */
	bool nothing = !change || (__int128)number_distance(change, 0) * LEAST < k->baseline;
	bool same = !k->before || open || nothing;
	bool share = k->baseline > 0 && k->metric->unit != UNIT_PCT;
	const char *after = without_unit(&d->arena, k->metric, k->after);
	const struct rank_row *slow = NULL;
	size_t column = 0;
	bool odd = !k->kind && slow_figure(r, k->metric, &slow, &column);
	bool median = odd && is_of_median(d, r, column, k->candidate);
	doc_tile(d, median         ? (struct picture){ "ranks", column }
	            : k->check < 0 ? (struct picture){ 0 }
	                           : (struct picture){ "trend", (size_t)k->check });
	if (median) {
		put_rank_figure(d, r, slow, column);
		doc_printf(d, " %s; median of %" PRId64 " ranks ",
		           figure_label(&d->arena, r, k->metric, k->kind, k->stat), r->candidate.ranks);
	}
	if ((!same || open) && strcmp(k->before, k->after) != 0)
		put_before(d, without_unit(&d->arena, k->metric, k->before), after);
	doc_add(d, DOC_FIGURE, median ? TONE_PLAIN : TONE_STRONG, after);
	if (!median)
		doc_printf(d, " %s", figure_label(&d->arena, r, k->metric, k->kind, k->stat));
	if (!k->before && k->limit)
		doc_say(d, " (limit %s)", limit_text(&d->arena, k->limit));
	if (!k->before)
		return;
	doc_words(d, open ? " (not judged" : same ? " (unchanged" : " (");
	if (!same)
		doc_add(d, DOC_FIGURE, k->tone,
		        share ? share_text(d, change, k->baseline, true)
		              : unit_change(&d->arena, k->metric->unit, change));
	if (k->noise >= 0 && !same) {
		doc_words(d, ", noise ");
		put_noise(d, k->metric, k->noise, k->baseline);
	}
	if (k->limit) {
		bool warns = r->checks.v[k->check].verdict == VERDICT_WARN;
		doc_say(d, "%w%s", warns ? ", warning beyond " : ", limit ",
		        limit_text(&d->arena, k->limit));
	}
	if (k->check < 0 && r->kind == REPORT_CHECK && share &&
	    llabs(number_pct(change, k->baseline)) > UNJUDGED_PCT)
		doc_words(d, ", which no rule judges");
	doc_words(d, k->assumed && !open ? "; noise only estimated" : "");
	if (first && k->dull && share && r->verdict == VERDICT_PASS) {
		doc_say(d, "; surely fails beyond %f",
		        share_text(d, k->dull->detectable, k->baseline, false));
		if (k->dull->past_runs < KNOWN_RUNS && k->dull->candidate_runs == 1)
			doc_printf(d, " with %" PRId64 " run%s", k->dull->past_runs,
			           text_s(k->dull->past_runs));
	}
	doc_words(d, ")");
	if (odd && !median) {
		doc_words(d, "; ");
		put_rank_figure(d, r, slow, column);
	}
}

/* Say why the wall time hardly changes although compute takes longer: the GPU is idle for less
   time, or other work of the step hides it. */
static void put_pace(struct document *d, const struct report *r, const struct key_figures *all)
{
	/* the wall time hardly changes if its change is below 1/HARDLY of the change of the compute
	   time */
	enum { HARDLY = 4 };
	const struct fact *now = run_fact(r->run, "step.idle_time");
	const struct fact *before = run_fact(r->baseline_run, "step.idle_time");
	int64_t compute = 0, wall = INT64_MAX;
	for (size_t i = 0; i < all->list.nr; i++) {
		const struct key_figure *k = &all->list.v[i];
		int64_t change = number_sub(k->candidate, k->baseline);
		if (k->kind)
			return;
		if (k->before && k->metric->id == METRIC_STEP_COMPUTE_TIME && k->tone == TONE_WORSE)
			compute = change;
		if (k->before && k->metric->id == METRIC_STEP_PERIOD)
			wall = change;
	}
	if (wall >= compute / HARDLY || wall <= -compute / HARDLY)
		return;
	doc_paragraph(d);
	doc_words(d, "The wall time hardly changes: ");
	if (!now || !before || number_sub(before->value, now->value) < compute / 2) {
		doc_words(d, "other work of the step hides that compute takes longer.");
		return;
	}
	doc_words(d, "the GPU is idle for less of each step instead (");
	put_before(d, before->text, now->text);
	doc_say(d, "%f), so the host sets the pace.", now->text);
}

void doc_key_figures(struct document *d, const struct report *r)
{
	struct key_figures all = { 0 };
	if (r->kind != REPORT_RUN)
		key_figures_of(r, &all);
	for (size_t i = 0; i < all.list.nr; i++) {
		if (i == 0 && !r->unconfirmed && !confirmed_by(r))
			doc_paragraph(d);
		put_key_figure(d, r, &all.list.v[i], i == 0);
	}
	if (r->kind == REPORT_CHECK)
		put_pace(d, r, &all);
	vec_release(&all.list);
}
