/// Reads a YAML document into a tree, by the events of libyaml and under limits.
#ifndef GG_RULES_YAML_READER_H
#define GG_RULES_YAML_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/span.h"
#include "base/strbuf.h"

/// Limits of every YAML file.
enum { DOCUMENT_MAX_BYTES = 1 << 20, DOCUMENT_MAX_DEPTH = 32 };

enum node_kind { NODE_SCALAR, NODE_MAP, NODE_LIST };

/// A node of the document: a scalar, a map or a list. The entries of a map are nodes, too: such a
/// node is the value, and has the key in `key`. The document's arena owns all nodes.
struct node {
	enum node_kind kind;
	bool plain; ///< true for a scalar without quotes; false for one in quotes or in a block (`|` or
	            ///< `>`)
	bool built_in; ///< true if differences_apply() added the node from the built-in rules to a file
	               ///< of version 2; false also for all nodes of a document that is itself built in
	unsigned line, column; ///< position in the file, counted from 1
	struct span text; ///< text of a scalar in UTF-8; may contain NUL, from an escape in the file
	int64_t value; ///< value that keys_check() sets: integer, number in millionths, share in 1e-6
	               ///< percent, days since 1970-01-01, or index of a word
	struct node *key; ///< for an entry of a map: its key; NULL otherwise

	/// first entry of this map or list; next entry of the map or list that contains this one
	struct node *first, *next;
};

/// A document while it is read; the arena owns its nodes.
struct document {
	const char *name; ///< the argument `path` of document_open(), or "built in"; borrowed
	bool built_in; ///< true for a text of the program itself
	bool placeless; ///< true for a text of the command line: errors name no line
	const char *shown; ///< `name` as messages show it; owned by the arena
	struct arena arena;
	struct node *root;
	struct diag_log *log; ///< log for errors; borrowed
};

/// Type of the functions that read a parsed document into `out`, starting at its root.
typedef enum status document_fn(struct document *d, void *out);

/// A built-in file of the folder rules/, which the program in tables/ parses at build time: its
/// nodes in the order of the file, ended by a node with line 0, and the texts of the scalars, each
/// NUL-terminated.
struct table {
	const struct table_node {
		uint16_t line, column, length;
		uint8_t kind, plain, ends; ///< `ends`: number of maps and lists that end with this node
	} * nodes;
	const char *texts;
};
extern const struct table table_default, table_categories, table_formats, table_sites,
    table_diagnosis;

/// If `path` is NULL, read the table `built_in`; else parse `text` or, if it is NULL, the regular
/// file `path`. Pass the document to `read`, and then release it. A text must hold one document,
/// without aliases, anchors, tags and directives. Duplicate keys are for `read` to check. A fault
/// of the text or the file is ST_USAGE, a lack of memory ST_OUTPUT; the log gets the reason and,
/// for a fault of the text, its position. Otherwise the result is that of `read`.
GG_MUST_CHECK enum status document_open(const char *path, const struct span *text,
                                        const struct table *built_in, document_fn *read, void *out,
                                        struct diag_log *log);

/// Log an error as `NAME:LINE:COLUMN: what`, or as `NAME: what` if the document is `placeless`.
void document_error(struct document *d, const struct node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// Like document_error(), as an expression with the value ST_USAGE, which callers return.
#define document_fail(...) (document_error(__VA_ARGS__), ST_USAGE)

/// Text of a scalar in quotation marks, for a message; owned by the document.
const char *document_quote(struct document *d, struct span text);

/// A copy of a node without its `next`, owned by the document, to be put into another list. It
/// shares its key, text and entries with `n`.
struct node *node_copy(struct document *d, const struct node *n);

/// Value of `key` in a map; NULL if the map lacks the key, or if `map` is NULL or not a map.
const struct node *node_get(const struct node *map, const char *key);

/// True if the entry `n` of a map has the key `key`; false also for an element of a list.
static inline bool node_is(const struct node *n, const char *key)
{
	return n->key && span_eq(n->key->text, span_of(key));
}

/// Append a text as YAML in double quotes.
void yaml_add_quoted(struct strbuf *b, struct span text);

/// The first entry of a map or list; NULL if it is empty, or if `of` is NULL.
static inline const struct node *node_first(const struct node *of)
{
	return of ? of->first : NULL;
}

#endif
