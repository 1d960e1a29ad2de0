/// The commands, one function each. They read files, call other folders of src/ for decisions,
/// write results, and return the status for the exit code.
#ifndef GG_CLI_COMMANDS_H
#define GG_CLI_COMMANDS_H

#include "base/diag.h"
#include "cli/options.h"

/// The commands. cmd_report() also runs `metrics`, which is an old name of the command.
/// cmd_suite_cases() runs `digest`, `approve` and `store` on the cases of a suite.
typedef enum status command_fn(const struct options *o, struct diag_log *log);
command_fn cmd_check, cmd_suite, cmd_suite_cases, cmd_diff, cmd_report, cmd_digest, cmd_approve,
    cmd_store, cmd_history, cmd_lint, cmd_explain, cmd_init;

/// Run `gpugate explain FILE` on the result file `path`; if it is NULL, `gpugate explain formats`.
enum status explain_formats(const struct options *o, const char *path, struct diag_log *log);

/// The lines of the built-in format of result files called `name`, including the last newline; ""
/// if there is no such format. The text is static; `a` is for scratch memory.
struct span formats_entry(struct span name, struct arena *a);

/// Largest memory of a command in bytes: the limit that the options set, else three quarters of
/// machine_memory(), 0 if that is unknown. The rest is left to other processes and to cached files.
uint64_t cli_memory_limit(const struct options *o);

/// Print the messages of the log on standard error, one per line.
void cli_print_log(const struct diag_log *log);

/// Parse the command line, run the command, print messages; returns the exit code.
int cli_main(int argc, char **argv);

#endif
