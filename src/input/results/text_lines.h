/// Reads lines of a log that fit a pattern as records of text.
#ifndef GG_RESULTS_TEXT_LINES_H
#define GG_RESULTS_TEXT_LINES_H

#include "results/value.h"

/// Returns why a pattern is invalid, or NULL; static. A pattern is an extended regular expression
/// of POSIX with named parts, `(?<name>…)`, and with `\d`, `\s` and `\w`; it has no counts in
/// braces and no back references, so that the time is linear in the length of a line.
const char *text_pattern_fault(const char *pattern);

/// Appends each line of out->bytes in which the pattern, which is valid, is found to the root as an
/// object: its members are the named parts that have a text. Colors are removed first. Lines longer
/// than 2,000 bytes do not count, which a warning says, nor does a last line without an end, which
/// may be cut off.
GG_MUST_CHECK enum status text_lines_add(struct value_tree *out, const char *name,
                                         const char *pattern, struct diag_log *log);

#endif
