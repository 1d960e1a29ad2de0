/* How often unchanged code fails the gate, and how often a change is caught: synthetic
   runs through the gate itself, the whole default rule set.

   simulation [--extended | --weathers] [--gates N] [--seed N] [--row TEXT] [--number N]

   Prints a line for each row of the table, tab-separated; table.py converts it to Markdown:
   name, baseline runs, candidate runs, pairs, gates; numbers of failed
   and undecided gates without a change; then the gates, failures and undecided gates for each
   effect; then what the best possible rule would catch of the first two effects, in percent. The
   last rows have another limit of the compute time, and their first effect is +3 %, not +5 %.
   --row: only rows whose name contains TEXT; --number: one row. --extended: 6,000 gates for a row
   with a goal, 1,000 if append makes the history, 2,000 for other rows. Every gate has a baseline
   of its own.

   --weathers: other kinds of noise, and what pipelines do: name, baseline runs; then for each
   effect the gates, the failures and undecided gates of one run, those after the plan was carried
   out, and the number of further runs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/past.h"
#include "rules/rules_file.h"
#include "synthetic.h"

enum { MAX_BASELINE = 40, MAX_CANDIDATES = 11, NR_EFFECTS = 4 };

/* Numbers of gates with each outcome, for one effect. */
struct tally {
	int64_t gates, fails, undecided;
	/// what pipelines say of one run first, and how many more runs they make
	int64_t first_fails, first_undecided, more;
};

enum past {
	PAST_GIVEN,
	/// runs are appended as by 'append', so that failed runs stay out of the reference
	PAST_APPENDED,
	PAST_SLOW, ///< main is 10 % slower in SLOW_RUNS further runs, which nobody approved
};
enum { SLOW_RUNS = 20 };

/* One row of the table: a situation that is simulated. */
struct row {
	const char *name;
	struct weather weather;
	size_t baseline, candidates;
	bool controls;
	enum past past;
	bool has_goal; ///< true: the rate of false alarms of the row has an agreed limit
};

struct bed {
	struct rules rules;
	struct category_table categories;
	struct arena arena, past_texts;
	struct diag_log log;
	struct effect effects[NR_EFFECTS];
	struct digest *pin, *past, *candidate[MAX_CANDIDATES], *control[MAX_CANDIDATES];
	struct run pin_run, past_run, candidate_run[MAX_CANDIDATES], control_run[MAX_CANDIDATES];
	struct naming naming;
	struct history recent, sample;
	struct dice dice;
};

/* ---- simulated gates ---- */

/* What the gate says of the runs, and how many further runs or pairs it asks for. */
struct said {
	enum verdict verdict;
	bool warns;
	int64_t runs, pairs;
};

static struct said judge_runs(struct bed *b, const struct run *candidates, size_t nr,
                              const struct run *controls, size_t nr_controls)
{
	struct judge_input in = { .rules = &b->rules,
		                      .categories = &b->categories,
		                      .runs.candidates = candidates,
		                      .runs.nr_candidates = nr,
		                      .runs.controls = controls,
		                      .runs.nr_controls = nr_controls,
		                      .runs.baseline = &b->pin_run,
		                      .runs.recent = &b->recent,
		                      .runs.history = &b->sample };
	struct report out;
	enum status st = judge(&in, &out, &b->log);
	if (st != ST_OK || (out.status == ST_INPUT && !out.counts[VERDICT_UNDECIDED])) {
		fprintf(stderr, "simulation: %s\n", out.error ? out.error : out.headline);
		exit(1);
	}
	struct said said = { .verdict = out.counts[VERDICT_FAIL]        ? VERDICT_FAIL
		                            : out.counts[VERDICT_UNDECIDED] ? VERDICT_UNDECIDED
		                                                            : VERDICT_PASS,
		                 .warns = !out.counts[VERDICT_FAIL] && out.counts[VERDICT_WARN] };
	if (said.verdict == VERDICT_UNDECIDED || out.unconfirmed) {
		said.runs = out.plan_runs;
		said.pairs = out.plan_pairs;
	}
	report_release(&out);
	return said;
}

static void keep(struct bed *b, struct history *h, uint64_t hash)
{
	struct past_run *run = vec_push_zero(&h->runs);
	past_run_of(&b->rules, b->naming, &b->past_run, &b->past_texts, run);
	run->source_hash = hash;
	run->pin = past_source_hash(&b->pin_run);
}

/* What main's run `i` had of the first effect. */
static const struct effect *effect_then(const struct bed *b, const struct row *row, size_t i)
{
	return &b->effects[row->weather.better && i + row->weather.better < row->baseline];
}

/* Append runs to the pin like `store`, until the reference has as many as `row` says. */
static void make_baseline(struct bed *b, const struct row *row, const struct luck *luck)
{
	size_t accepted = 1;
	synthetic_fill(b->pin, &luck[0], effect_then(b, row, 0), &row->weather);
	for (size_t i = 1; accepted < row->baseline && i < MAX_BASELINE; i++) {
		synthetic_fill(b->past, &luck[i], effect_then(b, row, i), &row->weather);
		b->past->source_hash = 1000 + i;
		bool fails = row->past == PAST_APPENDED &&
		             judge_runs(b, &b->past_run, 1, NULL, 0).verdict == VERDICT_FAIL;
		keep(b, &b->sample, 1000 + i);
		if (!fails)
			keep(b, &b->recent, 1000 + i);
		accepted += !fails;
	}
	for (size_t i = row->baseline; i < row->baseline + SLOW_RUNS && row->past == PAST_SLOW; i++) {
		synthetic_fill(b->past, &luck[i], &b->effects[2], &row->weather);
		keep(b, &b->sample, 1000 + i);
	}
}

static void drop_baseline(struct bed *b)
{
	history_release(&b->recent);
	history_release(&b->sample);
	b->recent = b->sample = (struct history){ 0 };
	arena_release(&b->past_texts);
}

static void simulate_gate(struct bed *b, const struct row *row, size_t nr_effects,
                          struct tally tally[NR_EFFECTS])
{
	struct luck luck[MAX_RUNS] = { 0 };
	size_t nb = row->past == PAST_GIVEN ? row->baseline : MAX_BASELINE, nc = row->candidates;
	luck_of(&row->weather, &b->dice, nb, nc, row->controls, luck);
	make_baseline(b, row, luck);
	for (size_t i = 0; i < nc && row->controls; i++)
		synthetic_fill(b->control[i], &luck[nb + nc + i], &b->effects[0], &row->weather);
	for (size_t e = 0; e < nr_effects; e++) {
		for (size_t i = 0; i < nc; i++)
			synthetic_fill(b->candidate[i], &luck[nb + i], &b->effects[e], &row->weather);
		enum verdict v = judge_runs(b, b->candidate_run, nc, row->controls ? b->control_run : NULL,
		                            row->controls ? nc : 0)
		                     .verdict;
		tally[e].gates++;
		tally[e].fails += v == VERDICT_FAIL;
		tally[e].undecided += v == VERDICT_UNDECIDED;
	}
	drop_baseline(b);
}

/* Judge one run, and carry out what the plan asks for as ci/forge/gate does: the candidate's runs
   are the first one, then `singles` without control runs, then those of the pairs. */
static void simulate_pipeline(struct bed *b, const struct row *row, size_t nr_effects,
                              struct tally tally[NR_EFFECTS])
{
	enum { MORE = 10, NC = 6, CONFIRM = 3 };
	struct luck luck[MAX_RUNS] = { 0 };
	size_t nb = row->baseline;
	luck_of(&row->weather, &b->dice, nb, NC, true, luck);
	make_baseline(b, row, luck);
	for (size_t i = 0; i + 1 < NC; i++)
		synthetic_fill(b->control[i], &luck[nb + NC + 1 + i], &b->effects[0], &row->weather);
	for (size_t e = 0; e < nr_effects; e++) {
		int64_t made = 0;
		for (size_t i = 0; i < NC; i++)
			synthetic_fill(b->candidate[i], &luck[nb + i], &b->effects[e], &row->weather);
		struct said said = judge_runs(b, b->candidate_run, 1, NULL, 0);
		tally[e].gates++;
		tally[e].first_fails += said.verdict == VERDICT_FAIL;
		tally[e].first_undecided += said.verdict == VERDICT_UNDECIDED;
		size_t nr = 1, pairs = 0;
		while (said.runs + said.pairs > 0) {
			/* the pairs that are allowed decide some checks, although others ask for more */
			if (made + 2 * said.pairs > MORE && made + 2 * CONFIRM <= MORE + 2 * (pairs == 1))
				said.pairs = (MORE - made) / 2;
			/* one pair without a warning is enough to pass */
			int64_t rest = pairs == 0 && said.pairs > 1 ? said.pairs - 1 : 0;
			said.pairs -= rest;
			int64_t more = said.pairs ? 2 * said.pairs : said.runs;
			size_t runs = (size_t)(said.pairs ? said.pairs : said.runs);
			if (made + more > MORE || nr + runs > NC)
				break;
			made += more;
			nr += runs;
			pairs += (size_t)said.pairs;
			said = judge_runs(b, b->candidate_run, nr,
			                  pairs ? b->control_run + nr - 1 - pairs : NULL, pairs);
			if (rest > said.pairs && said.warns)
				said.pairs = rest;
		}
		tally[e].fails += said.verdict == VERDICT_FAIL;
		tally[e].undecided += said.verdict == VERDICT_UNDECIDED;
		tally[e].more += made;
	}
	drop_baseline(b);
}

/* ---- the best possible rule ---- */

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

/* Share of changes that the best possible rule detects: it knows the noise exactly, checks only the
   changed figure, and gives as many false alarms as the gate. */
static double best_possible(const struct row *row, double share, double change)
{
	double machine, own, nb = (double)row->baseline, nc = (double)row->candidates;
	variances_of(&row->weather, &machine, &own);
	double variance = row->controls ? (2 * 0.1 * machine + 2 * own / NR_KERNELS) / nc
	                                : (machine + own / NR_KERNELS) * (1 / nb + 1 / nc);
	return 100 * normal_tail(normal_quantile(share) - log1p(change) / sqrt(variance));
}

/* ---- the table of simulated gates ---- */

static const struct row rows[] = {
#define NORMAL(noise_)    \
	{                     \
		.noise = (noise_) \
	}
	{ "1 %", NORMAL(0.01), 10, 1, false, PAST_GIVEN, true },
	{ "2 %", NORMAL(0.02), 10, 1, false, PAST_GIVEN, true },
	{ "2 %", NORMAL(0.02), 10, 5, false, PAST_GIVEN, true },
	{ "2 %", NORMAL(0.02), 3, 1, false, PAST_GIVEN, false },
	{ "2 %", NORMAL(0.02), 1, 1, false, PAST_GIVEN, true },
	{ "2 %", NORMAL(0.02), 1, 5, false, PAST_GIVEN, false },
	{ "5 %", NORMAL(0.05), 10, 1, false, PAST_GIVEN, false },
	{ "5 %", NORMAL(0.05), 10, 5, false, PAST_GIVEN, true },
	{ "5 %", NORMAL(0.05), 10, 5, true, PAST_GIVEN, true },
	{ "2 %", NORMAL(0.02), 10, 3, true, PAST_GIVEN, false },
	{ "2 %, one stored run", NORMAL(0.02), 1, 3, true, PAST_GIVEN, false },
	{ "3 %, repeats on one node",
	  { .noise = 0.03, .shared = 0.5, .says_host = true },
	  10,
	  5,
	  false,
	  PAST_GIVEN,
	  true },
	{ "3 %, repeats on one node, not said",
	  { .noise = 0.03, .shared = 0.5 },
	  10,
	  5,
	  false,
	  PAST_GIVEN,
	  false },
	{ "0.5 %, algorithm re-chosen",
	  { .kind = WEATHER_ALGORITHM, .noise = 0.005 },
	  10,
	  1,
	  false,
	  PAST_GIVEN,
	  true },
	{ "1 %, algorithm re-chosen",
	  { .kind = WEATHER_ALGORITHM, .noise = 0.01 },
	  10,
	  1,
	  false,
	  PAST_GIVEN,
	  true },
	{ "2 %, algorithm re-chosen",
	  { .kind = WEATHER_ALGORITHM, .noise = 0.02 },
	  10,
	  1,
	  false,
	  PAST_GIVEN,
	  true },
	{ "5 %, history by append", NORMAL(0.05), 10, 1, false, PAST_APPENDED, true },
	{ "5 %, history by append", NORMAL(0.05), 10, 5, false, PAST_APPENDED, true },
	{ "2 %, heavy tails",
	  { .kind = WEATHER_HEAVY, .noise = 0.02 },
	  10,
	  1,
	  false,
	  PAST_GIVEN,
	  false },
	{ "2 %, heavy tails",
	  { .kind = WEATHER_HEAVY, .noise = 0.02 },
	  10,
	  5,
	  true,
	  PAST_GIVEN,
	  false },
	{ "2 %, 1 run in 20 is 20 % slower",
	  { .kind = WEATHER_OUTLIERS, .noise = 0.02 },
	  10,
	  5,
	  false,
	  PAST_GIVEN,
	  false },
	{ "2 %, 1 run in 20 is 20 % slower",
	  { .kind = WEATHER_OUTLIERS, .noise = 0.02 },
	  10,
	  5,
	  true,
	  PAST_GIVEN,
	  false },
	{ "2 %, two clocks",
	  { .kind = WEATHER_BIMODAL, .noise = 0.02 },
	  10,
	  1,
	  false,
	  PAST_GIVEN,
	  false },
	{ "2 %, two clocks",
	  { .kind = WEATHER_BIMODAL, .noise = 0.02 },
	  10,
	  5,
	  true,
	  PAST_GIVEN,
	  false },
	{ "2 %, drift", { .kind = WEATHER_DRIFT, .noise = 0.02 }, 10, 1, false, PAST_GIVEN, false },
	{ "2 %, drift", { .kind = WEATHER_DRIFT, .noise = 0.02 }, 10, 5, true, PAST_GIVEN, false },
	{ "2 %, drift", { .kind = WEATHER_DRIFT, .noise = 0.02 }, 40, 1, false, PAST_GIVEN, false },
	{ "2 %, then 20 runs of main 10 % slower", NORMAL(0.02), 20, 1, false, PAST_SLOW, false },
	{ "2 %, then 20 runs of main 10 % slower", NORMAL(0.02), 20, 5, false, PAST_SLOW, false },
};
enum { NR_ROWS = sizeof rows / sizeof *rows };

/* Rows with another limit of the rule 'step-compute-time', in 1e-6 %. The first change that they
   simulate is +3 %; in `rows` it is +5 %. */
static const struct {
	struct row row;
	int64_t limit;
} small_rows[] = {
	{ { "0.5 %", NORMAL(0.005), 10, 1, false, PAST_GIVEN, false }, 3000000 },
	{ { "0.5 %", NORMAL(0.005), 10, 1, false, PAST_GIVEN, false }, 1500000 },
	{ { "1 %", NORMAL(0.01), 10, 1, false, PAST_GIVEN, false }, 1500000 },
	{ { "1 %", NORMAL(0.01), 10, 3, false, PAST_GIVEN, false }, 1500000 },
	{ { "1 %", NORMAL(0.01), 10, 3, true, PAST_GIVEN, false }, 1500000 },
	{ { "2 %", NORMAL(0.02), 10, 3, true, PAST_GIVEN, false }, 1500000 },
	{ { "2 %", NORMAL(0.02), 10, 5, true, PAST_GIVEN, false }, 1500000 },
};
enum { NR_SMALL_ROWS = sizeof small_rows / sizeof *small_rows };

/* Weathers that nobody has tuned the gate to: one run of the pull request, before and after what
   the pipelines carry out. */
static const struct {
	const char *name;
	struct weather weather;
	size_t baseline;
} weathers[] = {
#define W(kind_, noise_, ...)                                   \
	{                                                           \
		.kind = WEATHER_##kind_, .noise = (noise_), __VA_ARGS__ \
	}
	{ "normal, 2 %", W(NORMAL, 0.02), 10 },
	{ "three clock states", W(CLOCKS, 0.004), 10 },
	{ "sticky clock", W(STICKY, 0.004), 10 },
	{ "new host", W(HOST, 0.004), 10 },
	{ "noisy neighbor", W(NEIGHBOR, 0.01), 10 },
	{ "skewed", W(SKEWED, 0.004), 10 },
	{ "clock in steps of 1 %", W(STEPS, 0.002), 10 },
	{ "1 run in 50 takes twice as long", W(DOUBLED, 0.01), 10 },
	{ "thermal ramp", W(THERMAL, 0.004), 10 },
	{ "algorithm of an operator re-chosen", W(CHOICE, 0.003), 10 },
	{ "hiccups", W(HICCUPS, 0.005), 10 },
	{ "clocks, 2 %", W(FACTOR, 0.002, .state = 0.02), 10 },
	{ "clocks, 2 %", W(FACTOR, 0.002, .state = 0.02), 1 },
	{ "clocks, 5 %", W(FACTOR, 0.002, .state = 0.05), 10 },
	{ "two levels of memory", W(MEMORY, 0.005), 10 },
	{ "AR(1) with a daily cycle", W(DAYS, 0.004), 10 },
	{ "warm-up within steps", W(WARMUP, 0.006), 10 },
	{ "three clock states, 1 control run in 5 in another", W(CLOCKS, 0.004, .restless = 0.2), 10 },
	{ "new host, 1 control run in 5 on another", W(HOST, 0.004, .restless = 0.2), 10 },
	{ "normal, 0.5 %, main 5 % faster since 3 runs", W(NORMAL, 0.005, .better = 3), 13 },
	{ "normal, 1 %, main 5 % faster since 3 runs", W(NORMAL, 0.01, .better = 3), 13 },
	{ "wall time 0.5 %, GPU busy; +5 % of wall time", W(NORMAL, 0.002, .wall = 0.005, .idle = 0.04),
	  10 },
	{ "wall time 5 %, GPU half idle; +5 % of wall time", W(NORMAL, 0.01, .wall = 0.05, .idle = 1),
	  10 },
#undef W
};
enum { NR_WEATHERS = sizeof weathers / sizeof *weathers };

static void print_weather(struct bed *b, size_t i, int64_t gates)
{
	struct tally tally[NR_EFFECTS] = { 0 };
	struct row row = { .weather = weathers[i].weather, .baseline = weathers[i].baseline };
	for (int e = 1; e <= 2; e++) {
		double share = 0.05 * e;
		b->effects[e] = effect_of(-1, row.weather.wall > 0 ? 0 : share);
		b->effects[e].wall = row.weather.wall > 0 ? log(1 + share) : 0;
	}
	for (int64_t k = 0; k < gates; k++)
		simulate_pipeline(b, &row, k % 4 ? 1 : NR_EFFECTS, tally);
	printf("%s\t%zu", weathers[i].name, weathers[i].baseline);
	for (size_t e = 0; e < NR_EFFECTS; e++)
		printf("\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64,
		       tally[e].gates, tally[e].first_fails, tally[e].first_undecided, tally[e].fails,
		       tally[e].undecided, tally[e].more);
	printf("\n");
	fflush(stdout);
}

/* The limit on increases of the rule 'step-compute-time'. */
static int64_t *compute_limit(struct rules *rules)
{
	for (size_t i = 0; i < rules->rules.nr; i++)
		if (strcmp(rules->rules.v[i].id, "step-compute-time") == 0)
			return &rules->rules.v[i].fail.list.v[0].value;
	fprintf(stderr, "simulation: no rule 'step-compute-time'\n");
	exit(1);
}

/* Simulate the gates of one row of the table, and print the row. `small` is the first of the
   simulated changes: 0.05 makes the kernels 5 % slower. */
static void print_row(struct bed *b, const struct row *row, double small, int64_t gates)
{
	struct tally tally[NR_EFFECTS] = { 0 };
	b->effects[1] = effect_of(-1, small);
	/* All gates simulate unchanged code, as false alarms are rare; one in four has changes, too. */
	for (int64_t i = 0; i < gates; i++)
		simulate_gate(b, row, i % 4 ? 1 : NR_EFFECTS, tally);
	printf("%s\t%zu\t%zu\t%d", row->name, row->baseline, row->candidates, row->controls);
	for (size_t e = 0; e < NR_EFFECTS; e++)
		printf("\t%" PRId64 "\t%" PRId64 "\t%" PRId64, tally[e].gates, tally[e].fails,
		       tally[e].undecided);
	double share = fmax((double)tally[0].fails, 0.5) / (double)tally[0].gates;
	printf("\t%.1f\t%.1f\n", best_possible(row, share, small), best_possible(row, share, 0.1));
	fflush(stdout);
}

/* Number of gates with --extended: fewer for rows without a goal, for those that make hundreds of
   histories, and for long histories. */
static int64_t extended_gates(const struct row *row, int64_t gates)
{
	if (row->past == PAST_SLOW || row->baseline > 20)
		return gates / 15;
	return row->past == PAST_APPENDED ? gates / 6 : row->has_goal ? gates : gates / 3;
}

/* ---- main program ---- */

static void add_run(struct run *run, struct digest **d, const char *communication)
{
	*d = synthetic_digest(communication);
	run->label = "synthetic";
	vec_push(&run->ranks, *d);
}

static bool bed_init(struct bed *b)
{
	diag_init(&b->log);
	if (rules_read(NULL, NULL, NULL, &b->rules, &b->log) != ST_OK)
		return false;
	synthetic_categories(&b->categories);
	b->naming.categories = &b->categories;
	const char *communication = category_communication(&b->categories, &b->arena);
	add_run(&b->pin_run, &b->pin, communication);
	add_run(&b->past_run, &b->past, communication);
	for (size_t i = 0; i < MAX_CANDIDATES; i++) {
		add_run(&b->candidate_run[i], &b->candidate[i], communication);
		add_run(&b->control_run[i], &b->control[i], communication);
	}
	b->effects[0] = effect_of(-1, 0);
	b->effects[2] = effect_of(-1, 0.1);
	b->effects[3] = effect_of(2, 0.1);
	return true;
}

static void bed_release(struct bed *b)
{
	run_release(&b->pin_run);
	run_release(&b->past_run);
	for (size_t i = 0; i < MAX_CANDIDATES; i++) {
		run_release(&b->candidate_run[i]);
		run_release(&b->control_run[i]);
	}
	category_table_release(&b->categories);
	rules_release(&b->rules);
	arena_release(&b->arena);
	diag_release(&b->log);
}

int main(int argc, char **argv)
{
	struct bed bed = { 0 };
	const char *only = "";
	int64_t gates = 6000;
	uint64_t seed = 1;
	int64_t number = -1;
	bool extended = argc > 1 && strcmp(argv[1], "--extended") == 0;
	bool of_weathers = argc > 1 && strcmp(argv[1], "--weathers") == 0;
	for (int i = 1 + extended + of_weathers; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--gates") == 0)
			gates = atoll(argv[i + 1]);
		else if (strcmp(argv[i], "--seed") == 0)
			seed = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--row") == 0)
			only = argv[i + 1];
		else if (strcmp(argv[i], "--number") == 0)
			number = atoll(argv[i + 1]);
	}
	if (!bed_init(&bed) || gates < 1) {
		fprintf(stderr,
		        "usage: simulation [--extended | --weathers] [--gates N] [--seed N] [--row TEXT] "
		        "[--number N]\n");
		return 2;
	}
	for (size_t i = 0; i < NR_WEATHERS && of_weathers; i++) {
		bed.dice.state = seed * 1000 + 500 + i;
		if (strstr(weathers[i].name, only) && (number < 0 || (size_t)number == i))
			print_weather(&bed, i, gates);
	}
	for (size_t i = 0; i < NR_ROWS + NR_SMALL_ROWS && !of_weathers; i++) {
		const struct row *row = i < NR_ROWS ? &rows[i] : &small_rows[i - NR_ROWS].row;
		if (i >= NR_ROWS)
			*compute_limit(&bed.rules) = small_rows[i - NR_ROWS].limit;
		/* the seed depends only on the row, so that a row gives the same numbers with --row */
		bed.dice.state = seed * 1000 + i;
		if (strstr(row->name, only) && (number < 0 || (size_t)number == i))
			print_row(&bed, row, i < NR_ROWS ? 0.05 : 0.03,
			          extended ? extended_gates(row, gates) : gates);
	}
	bed_release(&bed);
	return 0;
}
