/// Reading YAML files: rules, categories, sites and diagnosis.
#ifndef GG_RULES_RULES_FILE_H
#define GG_RULES_RULES_FILE_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/span.h"
#include "io/sink.h"
#include "model/category.h"
#include "model/diagnosis.h"
#include "model/memory.h"
#include "model/rule.h"

struct key_map;

/// Read rules. If `path` is NULL, they are the compiled-in default rules. Else they are in `text`,
/// which messages call `path`, or, if `text` is NULL, in the file `path`. `profile` is the name of
/// the profile to apply; NULL: no profile. An error is ST_USAGE, or ST_OUTPUT if memory runs out.
/// The message, `FILE:LINE:COLUMN: what`, suggests the nearest valid word for a misspelled one; it
/// has no line if the file cannot be read or lacks the profile. The caller ends with
/// rules_release() for `out` in any case.
GG_MUST_CHECK enum status rules_read(const char *path, const struct span *text, const char *profile,
                                     struct rules *out, struct diag_log *log);

/// Append the rule that `--limit` asks for, such as "step.cuda_time:+3%" or
/// "memory.peak_allocated:max=6GiB". ST_USAGE if the text is not a limit.
GG_MUST_CHECK enum status rules_add_limit(const char *limit, struct rules *out,
                                          struct diag_log *log);

/// Rules in which each member has the value for an absent key; they hold no rule, not even a
/// built-in one.
struct rules rules_default(void);

/// A rule on the metric `m`; each other member has the value for an absent key.
struct rule rule_default(const struct metric *m);

/// What is wrong with a workload name, as a static text such as "must not …" that a message appends
/// to the name of the key; NULL if the name is valid. Workload names become part of file names.
const char *workload_fault(struct span name);

/// Read categories from `text` (NULL: from the file `path`), or the compiled-in ones if `path` is
/// NULL. An error is ST_USAGE, or ST_OUTPUT if memory runs out. The caller ends with
/// category_table_release() in any case.
GG_MUST_CHECK enum status categories_read(const char *path, const struct span *text,
                                          struct category_table *out, struct diag_log *log);

/// Write the JSON Schema of rules files of version 1 (schemas/gpugate-rules-1.json), from the table
/// of keys by which rules files are read.
void rules_schema_write(struct sink *out);

/// Write the JSON Schema of rules files of version 2 (schemas/gpugate-rules-2.json).
void rules_differences_schema_write(struct sink *out);

/// Write the rules of the file `path` (NULL: the built-in ones), which rules_read() has read with
/// `profile`, as YAML. Without `upgrade`: all rules in force; if the file is of version 2, with the
/// line of each entry that is not built in. With `upgrade`: the file of version 1, with its
/// profiles, as a file of version 2; ST_USAGE if it already is of version 2.
GG_MUST_CHECK enum status rules_print(const char *path, const char *profile, bool upgrade,
                                      struct sink *out, struct diag_log *log);

/// A text with a short hash ("mark") of each built-in rule, to be stored with a run. Owned by `a`.
const char *rules_marks(struct arena *a);

/// Text such as "changed: creep; new: leak": which built-in rules that `rules` has in force differ
/// from those of the gpugate version whose rules_marks() returned `marks`, and how many of that
/// version are no longer there. NULL if there is no difference, or if `marks` is NULL (unknown).
/// Owned by `a`.
const char *rules_changed(const struct rules *rules, const char *marks, struct arena *a);

/// Explain a rule in a paragraph: its figure and the meaning of its limits, with units and the
/// direction that is worse. Owned by `a`.
const char *rule_explain(struct arena *a, const struct rule *r);

/// Explain all rules, then waivers and profiles, each beginning a new line; if `only` is not NULL,
/// only that rule with its waivers and profiles. Owned by `a`.
const char *rules_explain(struct arena *a, const struct rules *r, const struct rule *only);

/// What the keys called `name` mean in the maps of a rules file: one text for each different
/// meaning, each beginning a new line. NULL if no key has this name. Owned by `a`.
const char *rules_key_explain(struct arena *a, struct span name);

/// The keys of a sites file.
extern const struct key_map sites_keys;

/// Read sites from `text` (NULL: from the file `path`), or the compiled-in ones if `path` is NULL.
/// An error is ST_USAGE, or ST_OUTPUT if memory runs out. The caller ends with site_rules_release()
/// in any case.
GG_MUST_CHECK enum status sites_read(const char *path, const struct span *text,
                                     struct site_rules *out, struct diag_log *log);

/// The keys of a diagnosis file.
extern const struct key_map diagnosis_keys;

/// Read diagnosis rules from `text` (NULL: from the file `path`), or the compiled-in ones if `path`
/// is NULL. An error is ST_USAGE, or ST_OUTPUT if memory runs out. The caller ends with
/// diagnosis_rules_release() in any case.
GG_MUST_CHECK enum status diagnosis_read(const char *path, const struct span *text,
                                         struct diagnosis_rules *out, struct diag_log *log);

/// The form of a key of the environment, such as gpu.name, as a text for messages.
#define ENV_KEY_FORM "a key is lower-case letters, digits, '_' and '.', a letter first"

/// True if `key` has the form ENV_KEY_FORM and 1 to 64 characters.
bool env_key_is_valid(struct span key);

/// The known key of the environment that `key` probably misspells. NULL if `key` is a known key, or
/// similar to no known key. Static.
const char *env_key_near(struct span key);

#endif
