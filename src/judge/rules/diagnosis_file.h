/// Reading and checking the rules of diagnosis (rules/diagnosis.yaml).
#ifndef GG_RULES_DIAGNOSIS_FILE_H
#define GG_RULES_DIAGNOSIS_FILE_H

#include "base/diag.h"
#include "model/diagnosis.h"
#include "rules/keys.h"

/// The keys of a diagnosis file.
extern const struct key_map diagnosis_keys;

/// Read the file at `path`; NULL: the compiled-in rules. Any error is ST_USAGE with its position
/// and reason. The caller ends with diagnosis_rules_release() in any case.
GG_MUST_CHECK enum status diagnosis_read(const char *path, struct diagnosis_rules *out,
                                         struct diag_log *log);

/// Like diagnosis_read(), but reads `text`, which messages call `name`.
GG_MUST_CHECK enum status diagnosis_parse(const char *name, struct span text,
                                          struct diagnosis_rules *out, struct diag_log *log);

#endif
