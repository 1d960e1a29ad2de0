/// The command line: one row for each command and for each option.
#ifndef GG_CLI_OPTIONS_H
#define GG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/vec.h"
#include "io/sink.h"

/// X(id, name, arguments, least and greatest number of arguments (-1: any), meaning)
#define COMMAND_ROWS(X)                                                                       \
	X(CHECK, "check", "RUN...", 1, -1,                                                        \
	  "the gate: analyze, compare with the baseline, judge, write reports, exit")             \
	X(SUITE, "suite", "[SUITE...]", 0, -1, "judge all cases of a suite file as one gate")     \
	X(DIFF, "diff", "A B", 2, 2, "two runs side by side, without rules")                      \
	X(REPORT, "report", "[RUN...]", 0, -1,                                                    \
	  "one run or stored baseline by itself: summary, findings; with --verbose every figure") \
	X(DIGEST, "digest", "RUN...|SUITE", 1, -1,                                                \
	  "reduce traces and snapshots to a digest, where they lie; join digests into one file")  \
	X(APPROVE, "approve", "RUN...|SUITE", 1, -1,                                              \
	  "make a run the baseline that later runs are held against")                             \
	X(STORE, "store", "[RUN...|SUITE]", 0, -1,                                                \
	  "add a run of main to the history of the baseline, which the first begins in "          \
	  "--history DIR; --keep drops old ones")                                                 \
	X(HISTORY, "history", "[WORKLOAD|SUITE]", 0, 1,                                           \
	  "figures over the runs of the main branch, and where they changed for good")            \
	X(LINT, "lint", "[RULES...]", 0, -1,                                                      \
	  "check rules files, say what each rule asks for; check stored baselines")               \
	X(EXPLAIN, "explain", "[NAME|FILE]", 0, 1,                                                \
	  "what a metric, rule, check or word of reports means; what reads a result file")        \
	X(INIT, "init", "[RUN...]", 0, -1,                                                        \
	  "write a first rules file, fitted to RUN, and a workflow for GitHub or GitLab; with "   \
	  "another --workload, one more of each")                                                 \
	X(HELP, "help", "[COMMAND]", 0, 1, "what a command is for, and its options")

/// X(id, old name, command, new name that messages show, option that the old name implies
/// (NR_OPTIONS: none)). Old names are still accepted, but help does not show them.
#define OLD_COMMAND_ROWS(X)                                                              \
	X(CREATE, "baseline create", CMD_APPROVE, "approve --new", OPT_NEW)                  \
	X(PROMOTE, "baseline promote", CMD_APPROVE, "approve", NR_OPTIONS)                   \
	X(APPEND, "baseline append", CMD_STORE, "store", NR_OPTIONS)                         \
	X(PRUNE, "baseline prune", CMD_STORE, "store --keep N", NR_OPTIONS)                  \
	X(VERIFY, "baseline verify", CMD_LINT, "lint BASELINE", NR_OPTIONS)                  \
	X(SHOW, "baseline show", CMD_REPORT, "report BASELINE --verbose", OPT_VERBOSE)       \
	X(LOG, "baseline log", CMD_HISTORY, "history --verbose", OPT_VERBOSE)                \
	X(BISECT, "bisect", CMD_HISTORY, "history --bisect", OPT_BISECT)                     \
	X(MERGE, "merge", CMD_DIGEST, "digest", NR_OPTIONS)                                  \
	X(FORMATS, "formats", CMD_EXPLAIN, "explain FILE' and 'explain formats", NR_OPTIONS) \
	X(METRICS, "metrics", CMD_REPORT, "report RUN --verbose' and 'explain", OPT_VERBOSE)

/// Texts that explain arguments to users. A row is for the commands whose arguments in COMMAND_ROWS
/// contain `word`.
static const struct argument_row {
	const char *word, *meaning;
} argument_rows[] = {
	{ "A B",
	  "B is held against A. Each is a trace or a memory snapshot (.json, .json.gz), a digest, "
	  "or a\ndirectory of those of one run." },
	{ "RUN",
	  "RUN is a profiler trace, an export of nsys, a memory snapshot, a result file or a digest, "
	  "or a\ndirectory of them; - is standard input. All RUN together form one run, of one or "
	  "more ranks." },
	{ "|SUITE", "SUITE is a suite file (.yaml): all its cases, or with --workload only this one. "
	            "'approve --new'\nleaves baselines that are there." },
	{ "[SUITE", "SUITE is a suite file (default: gpugate-suite.yaml); or what --json of each shard "
	            "wrote (.json): they\nare joined to one report." },
	{ "RULES",
	  "RULES is a rules file (default: rules/gpugate.yaml), or a stored baseline (.json)." },
	{ "WORKLOAD", "WORKLOAD is that of the baseline (default: what the rules say)." },
	{ "NAME",
	  "NAME is a metric (without any, all are listed), a rule, a check, a finding, a key of "
	  "rules or a word\nof reports; 'formats' is the table of formats of result files. FILE is a "
	  "result file: lines of rules\nthat read it." },
};

/// The commands, one for each of COMMAND_ROWS.
enum command {
#define X(id, ...) CMD_##id,
	COMMAND_ROWS(X)
#undef X
	    NR_COMMANDS
};

/// The old names of commands, one for each of OLD_COMMAND_ROWS.
enum old_command {
	OLD_NONE,
#define X(id, ...) OLD_##id,
	OLD_COMMAND_ROWS(X)
#undef X
};

#define ON(cmd) (1u << CMD_##cmd)
/* ON_TAKING: commands that make a run a baseline, or add it to one. ON_STORED: commands that only
 * read one. */
#define ON_TAKING (ON(APPROVE) | ON(STORE))
#define ON_STORED (ON(REPORT) | ON(HISTORY) | ON(LINT))
#define ON_RUNS (ON(CHECK) | ON(DIFF) | ON(REPORT) | ON(DIGEST) | ON_TAKING)
#define ON_REPORTS (ON(CHECK) | ON(DIFF) | ON(REPORT))
/* commands with the options for reading runs; `suite` passes these options on to all cases */
#define ON_READING (ON_RUNS | ON(SUITE))
#define ON_PAGES (ON_REPORTS | ON(SUITE) | ON(HISTORY))

/// X(id, name, argument, commands, meaning). Argument: NULL if the option has none. N and BYTES are
/// whole numbers, SIZE is a number of bytes with a unit, FILE and RUN are paths, and a|b|c is one
/// of these words. Commands: those that take the option; with ON(HELP), only `gpugate help` shows
/// it. Meaning: text of the help; "" for an old option, which is accepted but not shown. If it
/// contains "may be repeated", completions offer the option again.
#define OPTION_ROWS(X)                                                                             \
	X(BASELINE, "baseline", "FILE", ON(CHECK) | ON_TAKING | ON_STORED,                             \
	  "the stored baseline (default: what the rules say, else baselines/WORKLOAD.json; lint: "     \
	  "none)")                                                                                     \
	X(HISTORY, "history", "DIR", ON(CHECK) | ON(SUITE) | ON_TAKING | ON_STORED | ON(INIT),         \
	  "where the histories of baselines are kept, by the paths of those (default: beside each)")   \
	X(RULES, "rules", "FILE", ON_READING | ON_STORED | ON(EXPLAIN),                                \
	  "the rules file (default: rules/gpugate.yaml, else the rules that are built in)")            \
	X(LIMIT, "limit", "METRIC:LIMIT", ON(CHECK),                                                   \
	  "one more rule: METRIC:+3%, METRIC:-3%, METRIC:max=6GiB; may be repeated")                   \
	X(PROFILE, "profile", "NAME", ON_READING | ON_STORED | ON(EXPLAIN),                            \
	  "variant of the rules: the numbers that they have under this name in 'profiles'")            \
	X(PRINT, "print", NULL, ON(LINT), "")                                                          \
	X(UPGRADE, "upgrade", NULL, ON(LINT),                                                          \
	  "print a file of version 1 as version 2: what differs from the built-in rules")              \
	X(CATEGORIES, "categories", "FILE", ON_READING | ON_STORED, "")                                \
	X(SITES, "sites", "FILE", ON_READING, "")                                                      \
	X(FORMATS, "formats", "FILE", ON_READING | ON(INIT) | ON(EXPLAIN), "")                         \
	X(DIAGNOSIS, "diagnosis", "FILE", ON(CHECK) | ON(SUITE) | ON(REPORT), "")                      \
	X(WORKLOAD, "workload", "NAME", ON_RUNS | ON_STORED | ON(INIT),                                \
	  "name of what was run, and of its baseline (default: what the rules say; init: the "         \
	  "directory)")                                                                                \
	X(MARKER, "marker", "GLOB", ON_READING | ON(INIT),                                             \
	  "name of the step annotations (default: ProfilerStep#*)")                                    \
	X(UNMARKED, "unmarked", "period|window", ON_READING, "")                                       \
	X(RANK, "rank", "N", ON_RUNS | ON(HELP), "rank of a file that does not say which it is")       \
	X(PROCESS, "process", "N", ON_RUNS | ON(HELP),                                                 \
	  "of an export of Nsight Systems with several processes the one to read, by its id")          \
	X(JOIN_CYCLES, "join-cycles", NULL, ON_RUNS, "")                                               \
	X(EXPECT_RANKS, "expect-ranks", "N", ON(CHECK) | ON(DIGEST),                                   \
	  "number of ranks that the run must have: fewer or more end with exit code 3")                \
	X(JOBS, "jobs", "N", ON_READING | ON(INIT) | ON(HELP),                                         \
	  "read with so many threads: one per file, and spare ones decompress (default: the cores "    \
	  "that it may use)")                                                                          \
	X(CONTEXT, "context", "KEY=VALUE", ON_READING,                                                 \
	  "a fact about the run, such as batch_size=256 or commit=ID; may be repeated")                \
	X(ALLOW_TRUNCATED, "allow-truncated", NULL, ON_READING | ON(HELP),                             \
	  "use the complete events of a trace that is cut short")                                      \
	X(ALLOW_PICKLE, "allow-pickle", NULL, ON_READING | ON(INIT), "")                               \
	X(DEVICE_MEMORY, "device-memory", "SIZE", ON_READING,                                          \
	  "memory of each GPU, such as 80GiB (default: what the trace says)")                          \
	X(MAX_INPUT, "max-input", "BYTES", ON_READING, "")                                             \
	X(MAX_MEMORY, "max-memory", "SIZE", ON_READING,                                                \
	  "memory that reading may take, such as 2GiB: more ends with exit code 3 (default: three "    \
	  "quarters of what the machine or the cgroup has)")                                           \
	X(QUICK, "quick", "N", ON(DIFF) | ON(REPORT), "")                                              \
	X(REPEAT, "repeat", "RUN", ON(CHECK) | ON_TAKING,                                              \
	  "another run of the same code: the median of all is judged; approve keeps it in the "        \
	  "history; may be repeated")                                                                  \
	X(CONTROL, "control", "RUN", ON(CHECK),                                                        \
	  "a run of the code without the change, made in turn with those of the candidate on its "     \
	  "machine; may be repeated")                                                                  \
	X(SUITE, "suite", "FILE", ON(DIGEST) | ON_TAKING | ON(HISTORY), "")                            \
	X(RUNS, "runs", "DIR", ON(SUITE) | ON_TAKING,                                                  \
	  "of cases of a suite: what 'digest SUITE' wrote to DIR, in place of their runs")             \
	X(CASE, "case", "NAME", ON_TAKING, "")                                                         \
	X(SHARD, "shard", "N/ALL", ON(SUITE),                                                          \
	  "judge only every ALL-th case, from the N-th on; 'suite' joins what --json writes")          \
	X(MERGE, "merge", NULL, ON(SUITE), "")                                                         \
	X(METRIC, "metric", "GLOB", ON(HISTORY),                                                       \
	  "figures of these metrics, of kernels and ranks too (default: those of whole runs)")         \
	X(SINCE, "since", "DATE", ON(HISTORY), "")                                                     \
	X(P, "p", "NUMBER", ON(HISTORY), "")                                                           \
	X(BISECT, "bisect", NULL, ON(HISTORY),                                                         \
	  "print a script for 'git bisect run' that finds the commit of the newest regression")        \
	X(PHASE, "phase", "forward|backward|optimizer|dataloader|communication|recompute", ON(REPORT), \
	  "only kernels and operators that were launched in this part of the steps")                   \
	X(CHANGED, "changed", "FILE", ON(CHECK) | ON(DIFF),                                            \
	  "a file that the change under review touches, or git (git:COMMIT), which asks git since "    \
	  "where the change began (COMMIT): places there are marked; may be repeated")                 \
	X(CHANGED_FROM, "changed-from", "git[:COMMIT]", ON(CHECK) | ON(DIFF), "")                      \
	X(REVIEW, "review", NULL, ON(CHECK) | ON(SUITE) | ON(HELP),                                    \
	  "a change under review is judged: what main does already is waived")                         \
	X(FAIL_ON, "fail-on", "fail|warn|never", ON(CHECK) | ON(SUITE),                                \
	  "least verdict that ends with exit code 1 (default: fail)")                                  \
	X(IGNORE_ENVIRONMENT, "ignore-environment", NULL, ON(CHECK) | ON(SUITE), "")                   \
	X(OUTPUT, "output", "FILE", ON(DIGEST),                                                        \
	  "where the digest is written, gzipped for a name in .gz; of SUITE a folder (short: -o)")     \
	X(FOLD, "fold", NULL, ON(DIGEST),                                                              \
	  "fold each block of 64 ranks into one digest: for jobs of thousands of ranks")               \
	X(CI, "ci", "github|gitlab|none", ON(INIT), "")                                                \
	X(HOME, "home", "[FORGE:]OWNER/REPO@REF", ON(INIT),                                            \
	  "where workflows find gpugate (default: where it was built from); FORGE is github, gitlab "  \
	  "or none, and says whose to write (default: what the repository has)")                       \
	X(NEW, "new", NULL, ON(APPROVE) | ON(CHECK),                                                   \
	  "begin a baseline although the rules, or a history, know the workload; check: make the run " \
	  "the baseline if there is no other")                                                         \
	X(FORCE, "force", NULL, ON_TAKING | ON(INIT),                                                  \
	  "approve: replace what is there, unjudged; init: write the files of the workload anew; "     \
	  "store: a run "                                                                              \
	  "that fails counts for the reference too")                                                   \
	X(FROM_NOISE, "from-noise", NULL, ON(INIT), "")                                                \
	X(COMMIT, "commit", "ID", ON_TAKING, "")                                                       \
	X(WHO, "who", "NAME", ON_TAKING,                                                               \
	  "who approved the run (default: what the CI system or git says)")                            \
	X(REASON, "reason", "TEXT", ON_TAKING,                                                         \
	  "why the run is taken (default: the address of the CI job); a baseline that is there is "    \
	  "replaced only with it")                                                                     \
	X(ACCEPT, "accept", "NAME", ON_TAKING,                                                         \
	  "take the run although checks of this rule, or of this item, fail, or despite this finding " \
	  "on its recording; may be repeated")                                                         \
	X(KEEP, "keep", "N", ON(STORE), "keep the newest N runs of the history")                       \
	X(BEFORE, "before", "DATE", ON(STORE), "")                                                     \
	X(PROPOSE, "propose", "FILE", ON(CHECK), "")                                                   \
	X(BOOTSTRAP, "bootstrap", NULL, ON(CHECK), "")                                                 \
	X(REPORTS, "reports", "DIR", ON_REPORTS | ON(SUITE),                                           \
	  "write all reports of the command there: report.md, result.json, junit.xml, …")              \
	X(JUNIT, "junit", "FILE", ON(CHECK) | ON(SUITE), "write JUnit XML; - is standard output")      \
	X(MARKDOWN, "markdown", "FILE", ON_PAGES,                                                      \
	  "write Markdown for a pull request; - is standard output")                                   \
	X(JSON, "json", "FILE", ON_PAGES, "write JSON; - is standard output")                          \
	X(PLAN, "plan", "FILE", ON(CHECK), "")                                                         \
	X(HTML, "html", "FILE", ON_PAGES, "write one HTML page, with charts; - is standard output")    \
	X(OPENMETRICS, "openmetrics", "FILE", ON_REPORTS, "")                                          \
	X(JUNIT_STRICT, "junit-strict", NULL, ON(CHECK), "")                                           \
	X(CODEQUALITY, "codequality", "FILE", ON(CHECK), "")                                           \
	X(EVIDENCE, "evidence", "DIR", ON(CHECK),                                                      \
	  "write a small trace of each failed finding there: what its operator launches on both "      \
	  "sides")                                                                                     \
	X(MAX_BYTES, "max-bytes", "N", ON_PAGES, "")                                                   \
	X(VERBOSE, "verbose", NULL, ON_PAGES | ON(LINT),                                               \
	  "leave nothing out: passed checks, whole lists, rules in force")                             \
	X(COLOR, "color", "always|never|auto", ON_PAGES, "")

/// True if the help of `command` shows an option. `on` and `meaning` are the option's columns in
/// OPTION_ROWS. Old options are never shown. Options with ON(HELP) are shown only by `gpugate
/// help`.
static inline bool option_shown(unsigned on, const char *meaning, int command)
{
	return *meaning && ((on & ON(HELP) ? ON(HELP) : on) & 1u << command);
}

/// The options, one for each of OPTION_ROWS.
enum option {
#define X(id, ...) OPT_##id,
	OPTION_ROWS(X)
#undef X
	    NR_OPTIONS
};

/// Groups of options in the help: each begins with an option of OPTION_ROWS and has a title.
static const struct option_group {
	enum option first;
	const char *title;
} option_groups[] = {
	{ OPT_BASELINE, "rules, baseline and tables" },
	{ OPT_MARKER, "how runs are read" },
	{ OPT_REPEAT, "what is looked at, and judged" },
	{ OPT_OUTPUT, "what is stored" },
	{ OPT_REPORTS, "reports" },
};

/// A parsed command line; strings are borrowed from argv.
struct options {
	enum command command; ///< NR_COMMANDS: none was given
	enum old_command old; ///< old name by which the user called the command; OLD_NONE: the new one
	bool help, version;
	const char *value[NR_OPTIONS]; ///< value of each option, the last one if it is repeated; NULL:
	                               ///< not given; "" for an option that takes no value
	struct texts all[NR_OPTIONS]; ///< all values on the command line, since some options may be
	                              ///< repeated; empty for a value that an old name, --reports or a
	                              ///< suite file as argument implies
	struct texts args;
};

/// Parse argv. If a word is wrong, returns ST_USAGE, with an error that suggests a similar word. In
/// any case, `out` has what could be parsed: reports of the failure can then be written.
GG_MUST_CHECK enum status options_parse(int argc, char **argv, struct options *out,
                                        struct diag_log *log);

/// Release the lists of the options.
void options_release(struct options *o);

/// Append to `out` those options of `o` that command `cmd` takes, too, as words of a command line,
/// but not --baseline, --workload, --repeat and --jobs. The words are owned by `a` or borrowed from
/// argv. The caller releases `out`.
void options_words(const struct options *o, enum command cmd, struct arena *a, struct texts *out);

/// True if command `cmd` has the option.
bool options_is_for(enum option opt, enum command cmd);

/// Value of an option with the argument N or BYTES; `absent` if it is not given.
uint64_t options_u64(const struct options *o, enum option opt, uint64_t absent);

/// Value of an option with the argument SIZE in bytes; `absent` if it is not given.
int64_t options_size(const struct options *o, enum option opt, int64_t absent);

/// Print help for one command or, if `o` names none, for all.
void options_help(const struct options *o, struct sink *out);

#endif
