/// The rules file and the categories file, read with libyaml's event parser.
#ifndef GG_RULES_RULES_FILE_H
#define GG_RULES_RULES_FILE_H

#include "base/diag.h"
#include "io/sink.h"
#include "model/category.h"
#include "model/rule.h"

/// Read rules from `path`, or from the compiled-in default where it is NULL.
/// `profile` is the one to apply, NULL none. Errors read `FILE:LINE:COLUMN: what`, with the
/// nearest valid word for a misspelt one. Caller releases `out` with rules_release()
/// whatever the outcome. ST_USAGE on any error.
GG_MUST_CHECK enum status rules_read(const char *path, const char *profile, struct rules *out,
                                     struct diag_log *log);

/// Read rules from `text`, borrowed during the call; messages begin with `name`.
/// As rules_read() in all else.
GG_MUST_CHECK enum status rules_parse(const char *name, struct span text, const char *profile,
                                      struct rules *out, struct diag_log *log);

/// Rules of which nothing is said, and a rule of `m` of which no more is said: what an absent
/// key of the file means.
struct rules rules_default(void);
struct rule rule_default(const struct metric *m);

/// What is wrong with a workload name, to follow the name of what held it
/// ("must not …"), or NULL: it becomes part of file names. Static.
const char *workload_fault(struct span name);

/// Read a categories file, or the compiled-in default where `path` is NULL.
/// ST_USAGE on any error; caller releases with category_table_release().
GG_MUST_CHECK enum status categories_read(const char *path, struct category_table *out,
                                          struct diag_log *log);

/// Read categories from `text`, borrowed during the call; messages begin with
/// `name`. As categories_read() in all else.
GG_MUST_CHECK enum status categories_parse(const char *name, struct span text,
                                           struct category_table *out, struct diag_log *log);

/// Write the JSON Schema of the rules file, from the table that the reader
/// checks against (schemas/gpugate-rules-1.json is this).
void rules_schema_write(struct sink *out);

/// Say a rule in words, one paragraph of lines: what it measures and what its limits
/// mean, with units and the direction that is worse. Owned by `a`.
const char *rule_explain(struct arena *a, const struct rule *r);

/// Say all rules, then waivers and profiles, each from the beginning of a line; of one rule
/// where `only` is not NULL. Owned by `a`.
const char *rules_explain(struct arena *a, const struct rules *r, const struct rule *only);

#endif
