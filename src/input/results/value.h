/// A file as a tree of values, limited in size: JSON, a table of texts (CSV), or the groups of
/// lines that a pattern finds.
#ifndef GG_RESULTS_VALUE_H
#define GG_RESULTS_VALUE_H

#include "base/arena.h"
#include "base/diag.h"
#include "io/jscan.h"

/// Largest number of bytes, after decompression, and of values in a file that is read as a whole.
enum { VALUE_BYTES = 256 << 20, VALUE_NUMBER = 4 << 20 };

/// A value. The members of an object or array are a linked list, in order.
struct value {
	enum jscan_type type;
	bool steps; ///< true for an array of records that together count as one record: a path applies
	            ///< to each record of the array
	bool taken; ///< true once a row of a format has taken the value; later rows, also those of
	            ///< further formats of the file, skip the value
	struct span key; ///< key of a member of an object; else empty
	struct span text; ///< decoded text of a string; a number or literal as the file spells it
	struct value *parent, *first, *last, *next; ///< enclosing value; first and last member of this
	                                            ///< value; next member of the parent
};

/// A file in memory, and the tree of its values.
struct value_tree {
	struct arena arena;
	struct span bytes;
	struct value root; ///< root of the tree: a JSCAN_ARRAY of the values in the file, in sequence
	size_t nr_values, nr_documents; ///< number of all values; number of JSON values directly below
	                                ///< the root that were read to their end
	uint64_t nr_faults, fault_byte; ///< number of tolerated faults of JSON, in which NaN and
	                                ///< Infinity do not count; offset in `bytes` of the first fault
};

/// Reads all of `src` into `out->bytes`, which is empty if `src` has more than VALUE_BYTES bytes.
/// Caller releases with value_tree_release() whatever the outcome.
GG_MUST_CHECK enum status value_bytes_read(struct source *src, struct value_tree *out,
                                           struct diag_log *log);

/// Moves the next line from the front of `*rest` to `*line`, without its newline. False if the line
/// has no newline, which is possible for the last line of a file, or if nothing is left.
bool value_line(struct span *rest, struct span *line);

/// True if a text begins as a JSON object or list.
bool value_is_json(struct span text);

/// Appends the JSON values in `text`, a part of out->bytes, to the root. ST_INPUT if the text is
/// not JSON, if two values are on one line, or beyond the limit. The message has `name` and byte
/// and, from the second value on, the line.
GG_MUST_CHECK enum status value_json_add(struct value_tree *out, const char *name, struct span text,
                                         struct diag_log *log);

/// Like value_json_add() for each line that holds `prefix`: reads the text after the prefix.
GG_MUST_CHECK enum status value_lines_add(struct value_tree *out, const char *name,
                                          const char *prefix, struct diag_log *log);

/// Adds a member to `parent` and returns the member; NULL if the tree has too many values already.
struct value *value_add(struct value_tree *t, struct value *parent, enum jscan_type type,
                        struct span key, struct span text);

/// The member `key` of an object, the last one if there are several. NULL if there is none, or if
/// `of` is not an object.
const struct value *value_get(const struct value *of, struct span key);

/// Releases all memory of the tree.
void value_tree_release(struct value_tree *t);

/// Largest number of columns of a line.
enum { CSV_COLUMNS = 1024 };

/// True if a text has a line such as |---|---| or +---+---+, as tables of Markdown have.
bool csv_has_bars(struct span text);

/// Appends the rows of the table in out->bytes to the root as objects, whose members are named by
/// the header. The separator is that of the header: a comma, semicolon, tab, or '|' if the line
/// begins with it, as in Markdown, where '*' and '`' around a cell are removed. Empty cells are
/// null. Blank lines, lines between rows such as |---|---|, and repeated headers are skipped. A row
/// with an open quote, or with more than CSV_COLUMNS columns, is ST_INPUT.
///
/// The header is the first line of two or more columns in which each of the `nr` globs `has`
/// matches a column. `*found` tells whether there is a header.
///
/// If `loose` is set, all lines before the header are skipped, and so are rows with another number
/// of columns than the header. If there are globs, each further line that they match is the header
/// of the rows below it.
///
/// If `loose` is not set, only lines of one column may come before the header; else there is no
/// header. If all globs have a '*', a line may match them by chance: the line below must then have
/// figures in the columns that they match. A row with another number of columns than the header is
/// ST_INPUT, except after a blank line, where it is the header of another table. Rows of this table
/// are appended if there are globs and the first columns of both tables have the same name; else
/// they are skipped. A last line without a newline is ST_INPUT if its last number has fewer decimal
/// places than all others of the column, since the file may be cut off.
///
/// If `loose` is not set and there are globs, a file is first searched for tables in which a line
/// of dashes below the header marks the columns, as 'nsys stats' prints them.
GG_MUST_CHECK enum status csv_add(struct value_tree *out, const char *name, const struct span *has,
                                  size_t nr, bool loose, bool *found, struct diag_log *log);

/// Returns why a pattern is invalid, as a static text, or NULL. A pattern is an extended regular
/// expression of POSIX with named groups, `(?<name>…)`, and with `\d`, `\s`, `\S` and `\w`. Counts
/// in braces and back references are not allowed, so that the time is linear in the length of a
/// line.
const char *text_pattern_fault(const char *pattern);

/// A line as patterns see it: without the colors of a terminal and carriage returns, owned by `a`;
/// "" for a line longer than 2,000 bytes.
const char *text_line_plain(struct arena *a, struct span line);

/// A pattern that is ready to be matched; NULL if it is invalid. The caller releases it with
/// text_matcher_free().
struct text_matcher *text_matcher_new(const char *pattern);

/// Releases a pattern; NULL is allowed.
void text_matcher_free(struct text_matcher *m);

/// Number of the named groups that are found in a line; 0 if the line does not fit.
size_t text_matcher_groups(const struct text_matcher *m, struct span line);

/// Appends an object to the root for each line of out->bytes in which the valid pattern is found.
/// Its members are the named groups that the line has. Colors of a terminal are removed first.
/// Lines longer than 2,000 bytes are skipped, with a warning if the root has any record. A last
/// line without a newline is skipped, since it may be cut off.
GG_MUST_CHECK enum status text_lines_add(struct value_tree *out, const char *name,
                                         const char *pattern, struct diag_log *log);

#endif
