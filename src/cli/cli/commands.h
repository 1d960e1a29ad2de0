/// The commands, one function each. They read files, call other folders of src/ for decisions,
/// write results, and return the status for the exit code.
#ifndef GG_CLI_COMMANDS_H
#define GG_CLI_COMMANDS_H

#include "base/diag.h"
#include "cli/options.h"

/// `gpugate check`.
enum status cmd_check(const struct options *o, struct diag_log *log);
/// `gpugate suite`.
enum status cmd_suite(const struct options *o, struct diag_log *log);
/// `gpugate digest`, `approve` and `store` with --suite.
enum status cmd_suite_cases(const struct options *o, struct diag_log *log);
/// `gpugate diff`.
enum status cmd_diff(const struct options *o, struct diag_log *log);
/// `gpugate report`, and its old name `metrics`.
enum status cmd_report(const struct options *o, struct diag_log *log);
/// `gpugate digest`.
enum status cmd_digest(const struct options *o, struct diag_log *log);
/// `gpugate approve`.
enum status cmd_approve(const struct options *o, struct diag_log *log);
/// `gpugate store`.
enum status cmd_store(const struct options *o, struct diag_log *log);
/// `gpugate history`.
enum status cmd_history(const struct options *o, struct diag_log *log);
/// `gpugate lint`.
enum status cmd_lint(const struct options *o, struct diag_log *log);
/// `gpugate explain`.
enum status cmd_explain(const struct options *o, struct diag_log *log);
/// `gpugate explain formats` and, of the result file `path`, `gpugate explain FILE`.
enum status explain_formats(const struct options *o, const char *path, struct diag_log *log);

/// The lines of the built-in format of result files that has the name, with a line end; "" if none
/// has. Memory is owned by `a`, or static.
struct span formats_entry(struct span name, struct arena *a);
/// `gpugate init`.
enum status cmd_init(const struct options *o, struct diag_log *log);

/// Largest memory of a command in bytes: the limit of the options, else an amount that leaves a
/// quarter of the machine's memory to other processes and to cached files.
uint64_t cli_memory_limit(const struct options *o);

/// Print the messages of the log on standard error, one per line.
void cli_print_log(const struct diag_log *log);

/// Parse the command line, run the command, print messages; returns the exit code.
int cli_main(int argc, char **argv);

#endif
