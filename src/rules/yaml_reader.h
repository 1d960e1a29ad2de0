/// A YAML document as a tree, read from libyaml's events under limits.
#ifndef GG_RULES_YAML_READER_H
#define GG_RULES_YAML_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/span.h"

/// Limits of every YAML file.
enum { DOCUMENT_MAX_BYTES = 1 << 20, DOCUMENT_MAX_DEPTH = 32 };

enum node_kind { NODE_SCALAR, NODE_MAP, NODE_LIST };

/// One value of the document, owned by its arena.
struct node {
	enum node_kind kind;
	bool plain; ///< a scalar without quotes
	unsigned line, column; ///< from 1
	struct span text; ///< of a scalar: valid UTF-8, may hold NUL by an escape
	int64_t value; ///< what the check by its key makes of it: number of a word, number, day
	struct node *key; ///< of a map's entry
	struct node *first, *next; ///< entries of a map or list, in order
};

struct document {
	const char *name; ///< as given
	const char *shown; ///< as messages name it; owned by the arena
	struct arena arena;
	struct node *root;
	struct diag_log *log; ///< borrowed
};

/// Reads what the root of a document holds into `out`.
typedef enum status document_fn(struct document *d, void *out);

/// Read `text`, or the regular file `name` where it is NULL (the name of a text may be NULL: it
/// is built in), and hand the document to `read`,
/// during which it lives. One document without aliases, anchors, tags and directives; duplicate
/// keys are left to `read`. ST_USAGE with place and reason on any fault.
GG_MUST_CHECK enum status document_load(const char *name, const struct span *text,
                                        document_fn *read, void *out, struct diag_log *log);

/// Record `NAME:LINE:COLUMN: what`.
void document_error(struct document *d, const struct node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// The same, as the status of a function that gives up.
#define document_fail(...) (document_error(__VA_ARGS__), ST_USAGE)

/// 'text' of a scalar for a message; owned by the document.
const char *document_quote(struct document *d, struct span text);

/// Value of `key` in a map, or NULL; NULL for a NULL map.
const struct node *node_get(const struct node *map, const char *key);

/// The first entry of a map or list, or NULL; NULL for NULL.
static inline const struct node *node_first(const struct node *of)
{
	return of ? of->first : NULL;
}

#endif
