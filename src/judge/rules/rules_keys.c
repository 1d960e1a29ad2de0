#include "rules/formats_file.h"
#include "rules/rules_internal.h"

/* Words for the values of enums, in the order of each enum. */
static const char *const word_better[] = { "lower", "higher", NULL };
static const char *const word_severity[] = { "note", "warn", "fail", NULL };
static const char *const word_on_missing[] = { "fail", "warn", "skip", NULL };
static const char *const word_class[] = { "compute", "communication", NULL };
static const char *const word_substitutes[] = { "operator", "category", "none", NULL };
static const char *const word_unsure[] = { "undecided", "warn", NULL };
static const char *const word_confirm[] = { "pairs", "never", NULL };
static const char *const word_kernel_match[] = { "normalized", "exact", NULL };
static const char *const word_throttled[] = { "unless-alike", "inconclusive", "warn", NULL };
static const char *const word_outside[] = { "inconclusive", "allow", NULL };
static const char *const word_unmarked[] = { "window", UNMARKED_PERIOD, NULL };
static const char *const word_cycles[] = { "refuse", "join", NULL };

static const struct key inputs_keys[] = {
	KEY("expect_ranks", INTEGER, OPTIONAL,
	    "ranks that a run must have; fewer or more cannot be judged", INTO(rules, expect_ranks),
	    .min = 1, .max = 1000000),
	KEY("results", MAPS, OPTIONAL,
	    "formats of result files of one's own; the first that fits is used", .map = &result_map),
};
static const struct key_map inputs_map = KEY_TABLE("'inputs'", inputs_keys);

#define STEP_NUMBERS                                                                 \
	KEY("warmup", INTEGER, OPTIONAL, "first steps of every rank that are left out",  \
	    INTO(rules, warmup), .absent = -1, .min = 0, .max = 1000000),                \
	    KEY("min", INTEGER, OPTIONAL,                                                \
	        "steps that must remain after warm-up; without it 3, or as many as the " \
	        "baseline has",                                                          \
	        INTO(rules, min_steps), .absent = 0, .min = 1, .max = 1000000)
static const struct key steps_keys[] = {
	KEY("marker", TEXT, OPTIONAL,
	    "annotation that is a step, with * and ?; " DEFAULT_MARKER " if not said",
	    INTO(rules, marker)),
	KEY("unmarked", WORD, OPTIONAL,
	    "what a trace without such annotations is: one window, or steps by the period of its "
	    "launches",
	    INTO(rules, unmarked), .words = word_unmarked),
	KEY("cycles", WORD, OPTIONAL,
	    "traces of one rank whose steps have other numbers, as a schedule that repeats writes "
	    "them: refuse if not said, or join",
	    INTO(rules, join_cycles), .words = word_cycles),
	STEP_NUMBERS,
	KEY("outside", WORD, OPTIONAL,
	    "what a run is with most of its GPU time outside of the steps, where no rule judges it: "
	    "inconclusive if not said, or allowed",
	    INTO(rules, outside_allowed), .words = word_outside),
};
static const struct key_map steps_map = KEY_TABLE("'steps'", steps_keys);

static const struct key environment_keys[] = {
	KEY("must_match", TEXTS, OPTIONAL,
	    "environment keys without which a baseline is not comparable", INTO(rules, must_match)),
	KEY("should_match", TEXTS, OPTIONAL,
	    "environment keys whose difference is a warning in every report",
	    INTO(rules, should_match)),
	KEY("throttled", WORD, OPTIONAL,
	    "what a run is whose GPUs were throttled for more than 1 % of the time; "
	    "unless-alike if not said: inconclusive, unless both sides ran at their power cap alike",
	    INTO(rules, throttled), .words = word_throttled),
};
static const struct key_map environment_map = KEY_TABLE("'environment'", environment_keys);

#define NOISE_NUMBERS                                                                             \
	KEY("k", NUMBER, OPTIONAL,                                                                    \
	    "standard errors that a change has at least to be sure; 1 if not said, 0: noise is not "  \
	    "looked at",                                                                              \
	    INTO(noise_rule, k), .absent = MICRO, .min = 0, .max = 100),                              \
	    KEY("min_runs", INTEGER, OPTIONAL,                                                        \
	        "accepted runs after the approved one from which on they alone are the reference; 5 " \
	        "if not said",                                                                        \
	        INTO(noise_rule, min_runs), .absent = 5, .min = 2, .max = 20)
static const struct key noise_keys[] = { NOISE_NUMBERS };
static const struct key_map noise_map = KEY_TABLE("'noise'", noise_keys);
#define NOISE_ROW(...)                                                                            \
	KEY("noise", MAP, OPTIONAL, "how far an increase or decrease must stand out to be a failure", \
	    .map = &__VA_ARGS__)

/* Keys of `noise` in `defaults`. The budget for false alarms can be set only here, since the whole
   gate has one budget. */
static const struct key budget_keys[] = {
	NOISE_NUMBERS,
	KEY("budget", SHARE, OPTIONAL,
	    "chance that unchanged code fails by what is noisy, at most; 1% if not said",
	    INTO(noise_rule, budget), .absent = MICRO),
};
static const struct key_map budget_map = KEY_TABLE("'noise' of 'defaults'", budget_keys);

static const struct key defaults_keys[] = {
	KEY("on_missing", WORD, OPTIONAL,
	    "verdict where one side lacks a figure, for rules that do not say", INTO(rules, on_missing),
	    .absent = ON_MISSING_FAIL, .words = word_on_missing),
	NOISE_ROW(budget_map, INTO(rules, noise)),
};
static const struct key_map defaults_map = KEY_TABLE("'defaults'", defaults_keys);

static const struct key alias_keys[] = {
	KEY("match", TEXT, REQUIRED, "kernel names that are one kernel, with * and ?",
	    INTO(alias, match)),
	KEY("as", TEXT, REQUIRED, "name that they get", INTO(alias, as)),
};
const struct key_map alias_map = KEY_TABLE("an alias", alias_keys);

static const struct key addition_keys[] = {
	KEY("category", TEXT, REQUIRED, "name of a category that there is",
	    INTO(category_addition, category)),
	KEY("match", TEXTS, REQUIRED,
	    "texts that a name holds, without case, with * and ?; they come before those of all "
	    "categories",
	    INTO(category_addition, match)),
};
const struct key_map addition_map = KEY_TABLE("an addition to a category", addition_keys);

static const struct key kernels_keys[] = {
	KEY("match", WORD, OPTIONAL,
	    "compare kernel names without the numbering that a rebuild changes, or exactly",
	    INTO(rules, match_exact), .words = word_kernel_match),
	KEY("alias", MAPS, OPTIONAL, "kernels that are to count as one", .map = &alias_map),
	KEY("categories", MAPS, OPTIONAL, "kernels that are to be of a category", .map = &addition_map),
};
static const struct key_map kernels_map = KEY_TABLE("'kernels'", kernels_keys);

static const struct key select_keys[] = {
#define X(member, name, kind, labels, meaning) \
	KEY(name, kind, OPTIONAL, meaning, INTO(query, member), .words = word_class),
#include "model/select.def"
};
const struct key_map select_map = KEY_TABLE("'select'", select_keys);

static const struct key for_each_keys[] = {
	KEY("top", INTEGER, OPTIONAL, "items with the most time of either side; 20 if not said",
	    INTO(rule, top), .absent = 20, .min = 1, .max = 10000),
	KEY("min_share", SHARE, OPTIONAL, "least share of kernel time, on either side",
	    INTO(rule, min_share)),
};
static const struct key_map for_each_map = KEY_TABLE("'for_each'", for_each_keys);

/* The keys of `fail` and `warn`. `need` is ONE_OF in a rule, which must have at least one limit
   there, and OPTIONAL in a profile, which changes limits that the rule has. */
#define LIMIT_ROWS(need)                                                                           \
	KEY("increase", LIMIT, need, "more than this above the baseline: 5%, 2ms, 1GiB, 2pp, 3"),      \
	    KEY("decrease", LIMIT, need, "more than this below the baseline: 5%, 2ms, 1GiB, 2pp, 3"),  \
	    KEY("change", LIMIT, need,                                                                 \
	        "more than this away from the baseline, up or down; 0 is exact"),                      \
	    KEY("increase_since_pin", LIMIT, need,                                                     \
	        "more than this above the approved run, where the baseline has moved on: 10%, 5ms"),   \
	    KEY("worse", LIMIT, need,                                                                  \
	        "more than this worse than the baseline, whichever direction that is: 10%"),           \
	    KEY("max", LIMIT, need, "above this, whatever the baseline: 30%, 80ms, 76GiB, 10"),        \
	    KEY("min", LIMIT, need, "below this, whatever the baseline: 90%, 1ms, 1GiB, 10"),          \
	    KEY("and", AND, OPTIONAL,                                                                  \
	        "what increases and decreases in percent must exceed as well: 2ms, 1pp, 0.5% of step " \
	        "(of the baseline's step.cuda_time), 2 spreads (of single runs)")
static const struct key limits_keys[] = { LIMIT_ROWS(ONE_OF) };
static const struct key_map limits_map = KEY_TABLE("a limit", limits_keys);
static const struct key limit_numbers_keys[] = { LIMIT_ROWS(OPTIONAL) };
static const struct key_map limit_numbers_map = KEY_TABLE("a limit", limit_numbers_keys);

static const struct key override_keys[] = {
	KEY("match", PATTERNS, REQUIRED, "names of items, with * and ?; the first override that fits",
	    INTO(rule_override, match)),
	KEY("fail", MAP, ONE_OF, "limits in place of those of the rule's 'fail'", .map = &limits_map),
	KEY("warn", MAP, ONE_OF, "limits in place of those of the rule's 'warn'", .map = &limits_map),
};
const struct key_map override_map = KEY_TABLE("an override", override_keys);

static const struct key unless_keys[] = {
	KEY("metric", METRIC, REQUIRED, "another figure of the same unit", .words = metric_names),
	KEY("within", SHARE, OPTIONAL,
	    "how near to it the rule's own figure must be; without it however far",
	    INTO(rule, unless_within), .absent = -1),
};
static const struct key_map unless_map = KEY_TABLE("'unless'", unless_keys);

static const struct key rule_keys[] = {
	KEY("id", ID, REQUIRED, "stable name of the rule; it becomes the name of the test case",
	    INTO(rule, id)),
	KEY("metric", METRIC, REQUIRED,
	    "figure that is judged; 'gpugate explain' lists them; input.NAME: of a result file",
	    .words = metric_names),
	KEY("stat", WORD, OPTIONAL, "statistic over the steps of a step.* metric; median if not said",
	    INTO(rule, stat), .absent = STAT_MEDIAN, .words = stat_names),
	KEY("ranks", WORD, OPTIONAL,
	    "how devices, then ranks become one figure; as the metric says if not said",
	    INTO(rule, reduce), .words = reduce_names),
	KEY("better", WORD, OPTIONAL, "which direction is better, where not as the metric says",
	    INTO(rule, worse), .words = word_better),
	KEY("select", MAP, OPTIONAL, "narrow the rule to some items", INTO(rule, query),
	    .map = &select_map),
	KEY("for_each", MAP, OPTIONAL,
	    "one check for each kernel, category, operator, collective or function",
	    INTO(rule, for_each), .map = &for_each_map),
	KEY("same_work", TEXTS, OPTIONAL,
	    "figures of files: members of the work that may differ between the two sides",
	    INTO(rule, same_work)),
	KEY("except", PATTERNS, OPTIONAL,
	    "for_each: names of items that are not checked, with * and ?; kernels by match name",
	    INTO(rule, except)),
	KEY("overrides", MAPS, OPTIONAL, "for_each: other limits for some items; the first that fits",
	    .map = &override_map),
	KEY("top", INTEGER, OPTIONAL, "kernels that drift and overlap look at; 20 if not said",
	    INTO(rule, top), .absent = 20, .min = 1, .max = 10000),
	KEY("unless", MAP, OPTIONAL,
	    "do not judge where this figure is known on both sides and says the same",
	    .map = &unless_map),
	KEY("fail", MAP, ONE_OF, "limits; beyond any of them the check fails", .map = &limits_map),
	KEY("warn", MAP, ONE_OF, "limits; beyond any of them the check warns", .map = &limits_map),
	KEY("on_new", WORD, ONE_OF,
	    "an item of the candidate's top that the baseline lacks; note if not said",
	    INTO(rule, on_new), .absent = SEVERITY_NOTE, .words = word_severity),
	KEY("on_gone", WORD, ONE_OF,
	    "an item of the baseline's top that the candidate lacks; note if not said",
	    INTO(rule, on_gone), .absent = SEVERITY_NOTE, .words = word_severity),
	KEY("on_missing", WORD, OPTIONAL,
	    "verdict where one side lacks the figure; skip: not applicable where both do",
	    INTO(rule, on_missing), .absent = ON_MISSING_FAIL, .words = word_on_missing),
	KEY("substitutes", WORD, OPTIONAL,
	    "kernel.* metrics: what one kernel may take the place of another in, so that only its sum "
	    "fails; operator if not said",
	    INTO(rule, substitutes), .words = word_substitutes),
	KEY("unsure", WORD, OPTIONAL,
	    "a change beyond 'fail' that cannot be told from noise: undecided if not said",
	    INTO(rule, unsure), .words = word_unsure),
	KEY("confirm", WORD, OPTIONAL,
	    "what confirms a failure by one run: runs and those of the base in pairs if not said; "
	    "never: final at once",
	    INTO(rule, confirm), .words = word_confirm),
	NOISE_ROW(noise_map, INTO(rule, noise)),
};
const struct key_map rule_map = KEY_TABLE("a rule", rule_keys);

static const struct key waiver_keys[] = {
	KEY("rule", TEXT, REQUIRED, "id of the rule whose failure is accepted, with * and ?",
	    INTO(waiver, rule)),
	KEY("select", MAP, OPTIONAL, "the checks of the rule that are meant; all if not said",
	    INTO(waiver, select), .map = &select_map),
	KEY("until", DATE, REQUIRED, "last day it holds; from the next on it is an error",
	    INTO(waiver, until)),
	KEY("up_to", SHARE, OPTIONAL,
	    "it holds while the change is at most this share of the baseline; however far if not said",
	    INTO(waiver, up_to), .max = 1000000),
	KEY("reason", TEXT, REQUIRED, "why, and where it is followed up", INTO(waiver, reason)),
};
const struct key_map waiver_map = KEY_TABLE("a waiver", waiver_keys);

static const struct key allow_keys[] = {
	KEY("kernel", TEXT, OPTIONAL, "kernels, by any name that reports show, with * and ?",
	    INTO(waiver, select.kernel)),
	KEY("op", TEXT, OPTIONAL, "operators, by their own GPU time", INTO(waiver, select.op)),
	KEY("module", TEXT, OPTIONAL, "modules, with those in them", INTO(waiver, select.module)),
	KEY("memory", WORD, OPTIONAL, "a figure of memory in bytes", .words = metric_names),
	KEY("up_to", SHARE, REQUIRED, "how much it may grow, as a share of what it was",
	    INTO(waiver, up_to), .max = 1000000),
	KEY("until", DATE, REQUIRED, "last day it holds; from the next on it is an error",
	    INTO(waiver, until)),
	KEY("reason", TEXT, REQUIRED, "why, and where it is followed up", INTO(waiver, reason)),
};
const struct key_map allow_map = KEY_TABLE("an entry of 'allow'", allow_keys);

/* ---- profiles: named sets of numbers that replace numbers elsewhere in the rules file ---- */

static const struct key profile_rule_keys[] = {
	KEY("for_each", MAP, OPTIONAL, "other numbers for the rule's for_each", .map = &for_each_map),
	KEY("top", INTEGER, OPTIONAL, "kernels that drift and overlap look at", .min = 1, .max = 10000),
	KEY("fail", MAP, OPTIONAL, "other numbers for limits of the rule", .map = &limit_numbers_map),
	KEY("warn", MAP, OPTIONAL, "other numbers for limits of the rule", .map = &limit_numbers_map),
	NOISE_ROW(noise_map),
};
static const struct key_map profile_rule_map = KEY_TABLE("a rule of a profile", profile_rule_keys);

static const struct key profile_steps_keys[] = {
	STEP_NUMBERS,
};
static const struct key_map profile_steps_map =
    KEY_TABLE("'steps' of a profile", profile_steps_keys);

static const struct key profile_defaults_keys[] = { NOISE_ROW(budget_map) };
static const struct key_map profile_defaults_map =
    KEY_TABLE("'defaults' of a profile", profile_defaults_keys);

static const struct key profile_keys[] = {
	KEY("inputs", MAP, OPTIONAL, "what a run must consist of", .map = &inputs_map),
	KEY("steps", MAP, OPTIONAL, "which steps count", .map = &profile_steps_map),
	KEY("defaults", MAP, OPTIONAL, "for rules that do not say", .map = &profile_defaults_map),
	KEY("rules", NAMED, OPTIONAL, "other numbers for rules, by their ids", .map = &profile_rule_map,
	    .max = MAX_ITEMS),
};
static const struct key_map profile_map = KEY_TABLE("a profile", profile_keys);

static const struct key tables_keys[] = {
	KEY("categories", TEXT, OPTIONAL, "categories of kernels", INTO(rules, tables.categories)),
	KEY("sites", TEXT, OPTIONAL, "lines of code and purposes of allocations",
	    INTO(rules, tables.sites)),
	KEY("formats", TEXT, OPTIONAL, "formats of result files", INTO(rules, tables.formats)),
	KEY("diagnosis", TEXT, OPTIONAL, "diagnoses and what to try", INTO(rules, tables.diagnosis)),
};
static const struct key_map tables_map = KEY_TABLE("'tables'", tables_keys);

static const struct key root_keys[] = {
	KEY("version", INTEGER, REQUIRED, "1: all rules; 2: what differs from the built-in ones",
	    .min = 1, .max = 2),
	KEY("workload", WORKLOAD, OPTIONAL,
	    "name of what is run; part of the baseline's file name and of the reports",
	    INTO(rules, workload), .absent_text = DEFAULT_WORKLOAD),
	KEY("baseline", TEXT, OPTIONAL,
	    "path of the baseline; {workload}, {gpu} and {world_size} are filled in; " DEFAULT_BASELINE
	    " if not said",
	    INTO(rules, baseline), .absent_text = DEFAULT_BASELINE),
	KEY("approvers", TEXTS, OPTIONAL,
	    "logins of those who alone may approve a pull request, but not their own",
	    INTO(rules, approvers)),
	KEY("inputs", MAP, OPTIONAL, "what a run must consist of", .map = &inputs_map),
	KEY("steps", MAP, OPTIONAL, "what a step is and which of them count", .map = &steps_map),
	KEY("environment", MAP, OPTIONAL, "what both sides must have in common",
	    .map = &environment_map),
	KEY("defaults", MAP, OPTIONAL, "for rules that do not say", .map = &defaults_map),
	KEY("kernels", MAP, OPTIONAL, "when two kernel names are one kernel, and of which category",
	    .map = &kernels_map),
	KEY("tables", MAP, OPTIONAL,
	    "paths of tables in place of the built-in ones, from where the command runs",
	    .map = &tables_map),
	KEY("rules", MAPS, REQUIRED, "the checks", .map = &rule_map),
	KEY("allow", MAPS, OPTIONAL,
	    "kernels, operators, modules and figures of memory that may grow until a day",
	    .map = &allow_map),
	KEY("waivers", MAPS, OPTIONAL, "failures that are accepted until a day", .map = &waiver_map),
	KEY("profiles", NAMED, OPTIONAL, "other numbers under a name, for --profile NAME",
	    .map = &profile_map, .max = MAX_PROFILES),
};
const struct key_map rules_keys = KEY_TABLE("the rules file", root_keys);
_Static_assert(NR_OF(rule_keys) <= MAX_KEYS && NR_OF(root_keys) <= MAX_KEYS,
               "keys_check() has room for MAX_KEYS");
