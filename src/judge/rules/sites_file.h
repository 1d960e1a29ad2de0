/// The sites file (rules/sites.yaml): rules that choose the site (one function) for the call stack
/// of an allocation.
#ifndef GG_RULES_SITES_FILE_H
#define GG_RULES_SITES_FILE_H

#include "base/diag.h"
#include "model/memory.h"
#include "rules/keys.h"

/// The keys of a sites file.
extern const struct key_map sites_keys;

/// Read a sites file, or the compiled-in one if `path` is NULL. Any error is ST_USAGE. The caller
/// ends with site_rules_release() in any case.
GG_MUST_CHECK enum status sites_read(const char *path, struct site_rules *out,
                                     struct diag_log *log);

/// Like sites_read(), but reads `text`, which is borrowed during the call; messages begin with
/// `name`.
GG_MUST_CHECK enum status sites_parse(const char *name, struct span text, struct site_rules *out,
                                      struct diag_log *log);

#endif
