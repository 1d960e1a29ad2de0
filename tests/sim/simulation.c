/* How often unchanged code fails the gate, and how often a change is caught: synthetic
   runs through the gate itself, the whole default rule set.

   simulation [--runs N] [--seed N] [--table TABLE]

   Prints Markdown. Tables: runs (by number of baseline and candidate runs), noise (by
   noise and weather), test (a few gate runs, held to wide bounds: exit 1 beyond them).
   Every gate run has a baseline of its own. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/past.h"
#include "rules/rules_file.h"
#include "synthetic.h"

enum { MAX_BASELINE = 20, MAX_CANDIDATES = 5, NR_EFFECTS = 5 };

static const size_t candidates[] = { 1, 2, 3, 5 };
enum { NR_COUNTS = sizeof candidates / sizeof *candidates };

/* What happened in the gate runs of one number of candidate runs. */
struct tally {
	int64_t alarms, predicted; /* of unchanged runs; predicted in 1e-6 */
	int64_t runs[NR_EFFECTS]; /* gate runs */
	int64_t failed[NR_EFFECTS]; /* effect 0 changes nothing */
	int64_t by_compute[NR_EFFECTS]; /* of those, where the check of the compute time failed */
	int64_t plain[NR_EFFECTS]; /* gate runs that would fail if noise were not looked at */
};

struct bed {
	struct rules rules;
	struct category_table categories;
	struct arena arena, past_texts;
	struct diag_log log;
	struct effect effects[NR_EFFECTS];
	struct digest *pin, *past[MAX_BASELINE], *candidate[MAX_CANDIDATES];
	struct run pin_run, past_run[MAX_BASELINE], candidate_run[MAX_CANDIDATES];
	struct naming naming;
	struct history history;
	struct dice dice;
};

/* ---- a baseline ---- */

static void make_baseline(struct bed *b, const struct weather *w, size_t nr, double *walk)
{
	for (size_t i = 0; i < nr; i++) {
		struct luck l = luck_of(w, &b->dice, walk);
		if (i == 0)
			synthetic_fill(b->pin, &l, &b->effects[0]);
		synthetic_fill(b->past[i], &l, &b->effects[0]);
		if (nr > 1)
			past_run_of(&b->rules, b->naming, &b->past_run[i], &b->past_texts,
			            vec_push_zero(&b->history.runs));
	}
}

static void drop_baseline(struct bed *b)
{
	history_release(&b->history);
	arena_release(&b->past_texts);
}

/* ---- gate runs ---- */

static bool is_beyond_limit(const struct check *k)
{
	return k->verdict == VERDICT_FAIL ||
	       (k->verdict == VERDICT_WARN && strstr(k->message, "within the noise"));
}

static void count(struct tally *t, size_t effect, const struct report *out)
{
	bool failed = false, plain = false;
	for (size_t i = 0; i < out->checks.nr; i++) {
		const struct check *k = &out->checks.v[i];
		bool fails = k->verdict == VERDICT_FAIL;
		failed = failed || fails;
		plain = plain || is_beyond_limit(k);
		if (fails && strcmp(k->id, "step-compute-time") == 0)
			t->by_compute[effect]++;
		if (effect == 0)
			t->alarms += fails;
	}
	t->failed[effect] += failed;
	t->plain[effect] += plain;
	t->runs[effect]++;
	if (effect == 0)
		t->predicted += out->false_alarms;
}

static void judge_all(struct bed *b, size_t effect, struct tally tally[NR_COUNTS])
{
	for (size_t c = 0; c < NR_COUNTS; c++) {
		struct judge_input in = { .rules = &b->rules,
			                      .categories = &b->categories,
			                      .candidates = b->candidate_run,
			                      .nr_candidates = candidates[c],
			                      .baseline = &b->pin_run,
			                      .recent = &b->history };
		struct report out;
		enum status st = judge(&in, &out, &b->log);
		if (st != ST_OK || out.status == ST_INPUT) {
			fprintf(stderr, "simulation: %s\n", out.error ? out.error : out.headline);
			exit(1);
		}
		count(&tally[c], effect, &out);
		report_release(&out);
	}
}

static void simulate(struct bed *b, const struct weather *w, size_t nr_baseline, int64_t nr,
                     size_t nr_effects, struct tally tally[NR_COUNTS])
{
	memset(tally, 0, NR_COUNTS * sizeof *tally);
	for (int64_t i = 0; i < nr; i++) {
		struct luck luck[MAX_CANDIDATES];
		double walk = 0;
		make_baseline(b, w, nr_baseline, &walk);
		for (size_t c = 0; c < MAX_CANDIDATES; c++)
			luck[c] = luck_of(w, &b->dice, &walk);
		/* alarms are rare: they need more gate runs than detection does */
		for (size_t e = 0; e < (i % 4 ? 1 : nr_effects); e++) {
			for (size_t c = 0; c < MAX_CANDIDATES; c++)
				synthetic_fill(b->candidate[c], &luck[c], &b->effects[e]);
			judge_all(b, e, tally);
		}
		drop_baseline(b);
	}
}

/* ---- what is known beforehand ---- */

static double normal_tail(double z)
{
	return 0.5 * erfc(z / sqrt(2));
}

static double normal_quantile(double tail)
{
	double low = -9, high = 9;
	for (int i = 0; i < 80; i++) {
		double mid = (low + high) / 2;
		normal_tail(mid) > tail ? (low = mid) : (high = mid);
	}
	return low;
}

/* The best of all rules on the compute time: the noise is known, the threshold fixed, and
   means take the place of medians; as many false alarms as `share`. */
static double best_detection(const struct weather *w, double nc, double nb, double share,
                             double factor)
{
	const double median_of_steps = 1.38 / NR_STEPS;
	double sd = sqrt((w->between * w->between + w->within * w->within * median_of_steps) *
	                 (1 / nc + 1 / nb));
	return 1 - normal_tail(log(factor) / sd - normal_quantile(share));
}

/* ---- tables ---- */

static double share_failed(const struct tally *t, size_t effect)
{
	return (double)t->failed[effect] / (double)t->runs[effect];
}

static void print_alarms(const struct tally *t)
{
	double runs = (double)t->runs[0] / 1000;
	double alarms = (double)t->alarms / runs, predicted = (double)t->predicted / 1e6 / runs;
	printf(" %.2f | %.2f | %.2f |", 1000 * share_failed(t, 0), alarms, predicted);
	if (t->alarms >= 20 && t->predicted)
		printf(" %.2f |", predicted / alarms);
	else
		printf(" – |");
	printf(" %.2f |", (double)t->plain[0] / runs);
}

static void print_detection(const struct tally *t, const struct weather *w, double nc, double nb)
{
	double alarms = fmax(share_failed(t, 0), 0.5 / (double)t->runs[0]);
	printf(" %.1f | %.1f | %.1f |", 100 * share_failed(t, 1),
	       100 * (double)t->by_compute[1] / (double)t->runs[1],
	       100 * best_detection(w, nc, nb, alarms, 1.1));
}

#define ALARM_HEAD                                                                                 \
	" fails of 1,000 unchanged | checks that fail | predicted | ratio | fails without noise rule " \
	"|"
#define DETECTION_HEAD " +10 %% caught, %% | by its check alone | best possible |"

static void table_of_runs(struct bed *b, int64_t nr)
{
	static const size_t baselines[] = { 1, 5, 10, 20 };
	static const struct weather w = { "2 %", 0.02, 0.005, 0.5, 0, 0 };
	printf("Between-run noise 2 %%; %" PRId64 " gate runs for each row of ten baseline runs.\n\n",
	       nr);
	printf("| baseline runs | candidate runs |" ALARM_HEAD DETECTION_HEAD);
	for (size_t e = 2; e < NR_EFFECTS; e++)
		printf(" %s |", b->effects[e].name);
	printf("\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++) {
		struct tally t[NR_COUNTS];
		simulate(b, &w, baselines[i], baselines[i] == 10 ? nr : nr / 4 + 1, NR_EFFECTS, t);
		for (size_t c = 0; c < NR_COUNTS; c++) {
			printf("| %zu | %zu |", baselines[i], candidates[c]);
			print_alarms(&t[c]);
			print_detection(&t[c], &w, (double)candidates[c], (double)baselines[i]);
			for (size_t e = 2; e < NR_EFFECTS; e++)
				printf(" %.1f |", 100 * share_failed(&t[c], e));
			printf("\n");
			fflush(stdout);
		}
	}
	printf("\n");
}

static void table_of_noise(struct bed *b, int64_t nr)
{
	static const struct weather all[] = {
		{ "1 %", 0.01, 0.005, 0.5, 0, 0 },
		{ "2 %", 0.02, 0.005, 0.5, 0, 0 },
		{ "3 %", 0.03, 0.005, 0.5, 0, 0 },
		{ "5 %", 0.05, 0.01, 0.5, 0, 0 },
		{ "10 %", 0.10, 0.02, 0.5, 0, 0 },
		{ "2 %, steps 5 %", 0.02, 0.05, 0.5, 0, 0 },
		{ "2 %, kernels alike", 0.02, 0.005, 1, 0, 0 },
		{ "2 %, kernels each for itself", 0.02, 0.005, 0, 0, 0 },
		{ "2 %, drift 0.5 % a run", 0.02, 0.005, 0.5, 0.005, 0 },
		{ "2 %, 1 run in 20 is 20 % slower", 0.02, 0.005, 0.5, 0, 0.05 },
	};
	static const size_t ten = 10;
	printf("%zu baseline runs; %" PRId64 " gate runs for each row.\n\n", ten, nr / 4 + 1);
	printf("| noise | candidate runs |" ALARM_HEAD DETECTION_HEAD
	       "\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct tally t[NR_COUNTS];
		simulate(b, &all[i], ten, nr / 4 + 1, 2, t);
		for (size_t c = 0; c < NR_COUNTS; c++) {
			printf("| %s | %zu |", all[i].name, candidates[c]);
			print_alarms(&t[c]);
			print_detection(&t[c], &all[i], (double)candidates[c], (double)ten);
			printf("\n");
			fflush(stdout);
		}
	}
	printf("\n");
}

/* ---- a short one ---- */

static bool is_within(const char *what, double value, double low, double high)
{
	bool within = value >= low && value <= high;
	printf("%s %s: %.3f (%.3f to %.3f)\n", within ? "ok  " : "FAIL", what, value, low, high);
	return within;
}

/* Chance with a fixed seed: the bounds leave room for other mathematical libraries. */
static bool test(struct bed *b)
{
	static const struct weather w = { "2 %", 0.02, 0.005, 0.5, 0, 0 };
	struct tally t[NR_COUNTS];
	simulate(b, &w, 10, 800, 2, t);
	const struct tally *one = &t[0], *five = &t[NR_COUNTS - 1];
	bool ok = is_within("one run: unchanged fails", share_failed(one, 0), 0, 0.02);
	ok &= is_within("one run: predicted per run", (double)one->predicted / 1e6 / 800, 0.003, 0.015);
	ok &= is_within("one run: +10 % caught", share_failed(one, 1), 0.9, 1);
	ok &= is_within("five runs: unchanged fails", share_failed(five, 0), 0, 0.003);
	ok &= is_within("five runs: +10 % caught", share_failed(five, 1), 0.99, 1);
	simulate(b, &(struct weather){ "5 %", 0.05, 0.01, 0.5, 0, 0 }, 10, 400, 1, t);
	ok &= is_within("noise 5 %: unchanged fails", share_failed(one, 0), 0, 0.1);
	ok &= is_within("noise 5 %: without the noise rule", (double)one->plain[0] / 400, 0.2, 1);
	return ok;
}

/* ---- main ---- */

static void add_run(struct run *run, struct digest **d, const char *communication)
{
	*d = synthetic_digest(communication);
	run->label = "synthetic";
	vec_push(&run->ranks, *d);
}

static bool bed_init(struct bed *b)
{
	diag_init(&b->log);
	if (rules_read(NULL, NULL, &b->rules, &b->log) != ST_OK ||
	    categories_read(NULL, &b->categories, &b->log) != ST_OK)
		return false;
	b->naming.categories = &b->categories;
	const char *communication = category_communication(&b->categories, &b->arena);
	add_run(&b->pin_run, &b->pin, communication);
	for (size_t i = 0; i < MAX_BASELINE; i++)
		add_run(&b->past_run[i], &b->past[i], communication);
	b->pin->source_hash = b->past[0]->source_hash; /* as after 'baseline promote' */
	for (size_t i = 0; i < MAX_CANDIDATES; i++)
		add_run(&b->candidate_run[i], &b->candidate[i], communication);
	b->effects[0] = effect_of("nothing", -1, 1);
	b->effects[1] = effect_of("all +10 %", -1, 1.1);
	b->effects[2] = effect_of("+5 % caught, %", -1, 1.05);
	b->effects[3] = effect_of("one kernel makes +10 %", 0, 1 + 0.1 / kernel_share(0));
	b->effects[4] = effect_of("kernel of 12 % +20 %", 2, 1.2);
	return true;
}

static void bed_release(struct bed *b)
{
	run_release(&b->pin_run);
	for (size_t i = 0; i < MAX_BASELINE; i++)
		run_release(&b->past_run[i]);
	for (size_t i = 0; i < MAX_CANDIDATES; i++)
		run_release(&b->candidate_run[i]);
	category_table_release(&b->categories);
	rules_release(&b->rules);
	arena_release(&b->arena);
	diag_release(&b->log);
}

int main(int argc, char **argv)
{
	struct bed bed = { .dice = { 1 } };
	const char *table = "";
	int64_t nr = 20000;
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--runs") == 0)
			nr = atoll(argv[i + 1]);
		else if (strcmp(argv[i], "--seed") == 0)
			bed.dice.state = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--table") == 0)
			table = argv[i + 1];
	}
	bool short_one = strcmp(table, "test") == 0, ok = true;
	bool known = short_one || !*table || strcmp(table, "runs") == 0 || strcmp(table, "noise") == 0;
	if (!bed_init(&bed) || nr < 1 || !known) {
		fprintf(stderr, "usage: simulation [--runs N] [--seed N] [--table runs|noise|test]\n");
		return 2;
	}
	if (short_one)
		ok = test(&bed);
	if (!short_one && strcmp(table, "noise") != 0)
		table_of_runs(&bed, nr);
	if (!short_one && strcmp(table, "runs") != 0)
		table_of_noise(&bed, nr);
	bed_release(&bed);
	return ok ? 0 : 1;
}
