/// The command line: one row per command and per option.
#ifndef GG_CLI_OPTIONS_H
#define GG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/vec.h"
#include "io/sink.h"

/// X(id, name, arguments, fewest, most (-1 any number), meaning)
#define COMMAND_ROWS(X)                                                                  \
	X(CHECK, "check", "RUN...", 1, -1,                                                   \
	  "the gate: analyse, compare with the baseline, judge, write reports, exit")        \
	X(DIFF, "diff", "A B", 2, 2, "two runs side by side, without rules")                 \
	X(DIGEST, "digest", "RUN...", 1, -1, "reduce the artifacts of one rank to a digest") \
	X(BASELINE_CREATE, "baseline create", "RUN...", 1, -1,                               \
	  "store a run as the baseline that later runs are held against")                    \
	X(BASELINE_SHOW, "baseline show", "", 0, 0, "what a stored baseline holds")          \
	X(METRICS, "metrics", "[RUN...]", 0, -1,                                             \
	  "without RUN the table of metrics; with RUN every figure of it")                   \
	X(LINT, "lint", "RULES", 1, 1, "check a rules file and say what it asks for")        \
	X(EXPLAIN, "explain", "METRIC|RULE", 1, 1, "say in words what a metric or a rule means")

enum command {
#define X(id, ...) CMD_##id,
	COMMAND_ROWS(X)
#undef X
	    NR_COMMANDS
};

#define ON(cmd) (1u << CMD_##cmd)
#define ON_RUNS (ON(CHECK) | ON(DIFF) | ON(DIGEST) | ON(BASELINE_CREATE) | ON(METRICS))
#define ON_REPORTS (ON(CHECK) | ON(DIFF))

/// X(id, name, argument (NULL: a switch; N and BYTES: whole numbers; SIZE: bytes with
/// a unit), commands, meaning)
#define OPTION_ROWS(X)                                                                             \
	X(BASELINE, "baseline", "FILE", ON(CHECK) | ON(BASELINE_CREATE) | ON(BASELINE_SHOW),           \
	  "the stored baseline (default: what the rules say, baselines/WORKLOAD.json)")                \
	X(RULES, "rules", "FILE", ON_RUNS | ON(BASELINE_SHOW) | ON(EXPLAIN),                           \
	  "the rules file (default: rules/gpugate.yaml, else the rules that are built in)")            \
	X(CATEGORIES, "categories", "FILE", ON_RUNS,                                                   \
	  "kernel categories in place of those that are built in")                                     \
	X(SITES, "sites", "FILE", ON_RUNS, "sites of allocations in place of those that are built in") \
	X(WORKLOAD, "workload", "NAME", ON_RUNS | ON(BASELINE_SHOW),                                   \
	  "name of what was run (default: what the rules say)")                                        \
	X(MARKER, "marker", "GLOB", ON_RUNS, "name of the step annotations (default: ProfilerStep#*)") \
	X(RANK, "rank", "N", ON_RUNS, "rank of an artifact that does not say which it is")             \
	X(CONTEXT, "context", "KEY=VALUE", ON_RUNS,                                                    \
	  "a fact about the run, such as batch_size=256; may be repeated")                             \
	X(ALLOW_TRUNCATED, "allow-truncated", NULL, ON_RUNS,                                           \
	  "use the complete events of a trace that is cut short")                                      \
	X(ALLOW_PICKLE, "allow-pickle", NULL, ON_RUNS,                                                 \
	  "read pickled memory snapshots, as data: nothing in them is run")                            \
	X(DEVICE_MEMORY, "device-memory", "SIZE", ON_RUNS,                                             \
	  "memory of each GPU, such as 80GiB (default: what the trace says)")                          \
	X(MAX_INPUT, "max-input", "BYTES", ON_RUNS,                                                    \
	  "largest expanded size of one file (default: 1 TiB)")                                        \
	X(QUICK, "quick", "N", ON(DIFF) | ON(METRICS),                                                 \
	  "read the first N events of each trace only; the report says so")                            \
	X(IGNORE_ENVIRONMENT, "ignore-environment", NULL, ON(CHECK),                                   \
	  "compare although must_match keys differ")                                                   \
	X(OUTPUT, "output", "FILE", ON(DIGEST),                                                        \
	  "where the digest is written, gzipped for a name in .gz (short: -o)")                        \
	X(FORCE, "force", NULL, ON(BASELINE_CREATE), "replace a baseline that is there")               \
	X(COMMIT, "commit", "ID", ON(BASELINE_CREATE), "commit that the run was made from")            \
	X(WHO, "who", "NAME", ON(BASELINE_CREATE), "who approved the run")                             \
	X(REASON, "reason", "TEXT", ON(BASELINE_CREATE), "why the run is the baseline")                \
	X(JUNIT, "junit", "FILE", ON(CHECK),                                                           \
	  "write JUnit XML (FILE may be - in this and the following)")                                 \
	X(MARKDOWN, "markdown", "FILE", ON_REPORTS, "write Markdown for a pull request")               \
	X(JSON, "json", "FILE", ON_REPORTS | ON(METRICS), "write JSON")                                \
	X(JUNIT_STRICT, "junit-strict", NULL, ON(CHECK),                                               \
	  "leave out of the JUnit file what the Jenkins schema forbids")                               \
	X(MAX_BYTES, "max-bytes", "N", ON_REPORTS, "largest Markdown in bytes (default: 60000)")       \
	X(VERBOSE, "verbose", NULL, ON_REPORTS, "show passed checks too")                              \
	X(COLOR, "color", "WHEN", ON_REPORTS,                                                          \
	  "always, never or auto (default: on a terminal, unless NO_COLOR is set)")

enum option {
#define X(id, ...) OPT_##id,
	OPTION_ROWS(X)
#undef X
	    NR_OPTIONS
};

/// A parsed command line; strings are borrowed from argv.
struct options {
	enum command command;
	bool help, version;
	const char *value[NR_OPTIONS]; ///< NULL: not given; switches: ""
	VEC(const char *) context; ///< all --context
	VEC(const char *) args;
};

/// Parse argv. ST_USAGE with the nearest valid word; what could be parsed is in
/// `out` all the same, so that reports of the failure can be written.
GG_MUST_CHECK enum status options_parse(int argc, char **argv, struct options *out,
                                        struct diag_log *log);

/// Give the memory back.
void options_release(struct options *o);

/// Value of a numeric option (argument N or BYTES), or `absent`.
uint64_t options_u64(const struct options *o, enum option opt, uint64_t absent);

/// Value in bytes of an option whose argument is SIZE, or `absent`.
int64_t options_size(const struct options *o, enum option opt, int64_t absent);

/// Help for one command, or for all where `o` names none.
void options_help(const struct options *o, bool one_command, struct sink *out);

#endif
