/// The data files of rules/ as they were at build time.
#ifndef GG_MODEL_EMBEDDED_H
#define GG_MODEL_EMBEDDED_H

#include <stddef.h>

/// Text of rules/default.yaml, NUL-terminated; static.
extern const char embedded_default_rules[];
/// Bytes of `embedded_default_rules` without the NUL.
extern const size_t embedded_default_rules_size;

/// Text of rules/categories.yaml, the categories of kernels, NUL-terminated; static.
extern const char embedded_categories[];
/// Bytes of `embedded_categories` without the NUL.
extern const size_t embedded_categories_size;

/// Text of rules/sites.yaml, the sites of allocations, NUL-terminated; static.
extern const char embedded_sites[];
/// Bytes of `embedded_sites` without the NUL.
extern const size_t embedded_sites_size;

#endif
