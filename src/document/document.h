/// A report as a document: paragraphs, lists, tables and pictures in sections. Builders choose
/// what is said and in which order; the renderers arrange and escape, and choose nothing.
#ifndef GG_DOCUMENT_DOCUMENT_H
#define GG_DOCUMENT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

/// What a piece of text is; how it is escaped follows from it.
enum doc_kind {
	DOC_WORDS, ///< words of the program
	DOC_FIGURE, ///< a number with its unit
	DOC_NAME, ///< a name from the input: may hold anything
	DOC_SAID, ///< a sentence of the program that may quote names from the input
	DOC_COMMAND, ///< a command to copy
	DOC_VERDICT, ///< the word of a verdict; a sign in the heading of a comment
};

/// What a piece of text means; terminals and pages show it by color.
enum doc_tone {
	TONE_PLAIN,
	TONE_STRONG,
	TONE_BAD, ///< failed
	TONE_WARN,
	TONE_OPEN, ///< undecided
	TONE_GOOD, ///< passed, improved
	TONE_WORSE, ///< a change for the worse
	TONE_BETTER,
	NR_TONES
};

struct doc_run {
	enum doc_kind kind;
	enum doc_tone tone;
	const char *text; ///< not escaped; owned by the document or its builder
	const char *whole; ///< the name that `text` shortens; NULL: it is `text`
	const char *link; ///< address, in which nothing has to be escaped; NULL none
	const char *tile; ///< a page divides the line into tiles, one of which begins here and holds
	                  ///< the picture of this id, "" for none; NULL: no tile
	struct doc_run *next;
};

/// Pieces of text in a line: a paragraph, an item of a list, a cell of a table.
struct doc_line {
	struct doc_run *first, *last;
	bool has_value;
	int64_t value; ///< of a cell: to sort by, and the length of a bar
	int level; ///< of an item: 0 outermost
	const char *picture; ///< of an item: id of what a page draws below it; NULL nothing
	int key; ///< of a cell: color of the picture that it explains, from 1; 0 none
	struct doc_line *next;
};

enum doc_align {
	DOC_LEFT,
	DOC_RIGHT, ///< figures
	DOC_BAR, ///< a bar as long as the value; only on a page
	DOC_EXTRA, ///< as DOC_LEFT; only on a page
};

struct doc_column {
	const char *title;
	enum doc_align align;
};

struct doc_row {
	struct doc_line *cells; ///< one for each column
	int level; ///< depth in a tree
	struct doc_row *next;
};

struct doc_table {
	const char *title; ///< what the table is called; not escaped
	const struct doc_column *columns;
	size_t nr_columns, nr_rows;
	struct doc_row *rows, *last;
	struct doc_row *rest; ///< sums of what the builder left out; NULL none
	struct doc_row *rest_brief; ///< the same with the rows that short forms leave out
	size_t more; ///< rows that the builder left out
	size_t brief; ///< rows in a terminal and a comment; 0: all
	bool tree; ///< rows stand below the row that they are part of
	bool items; ///< a terminal shows each row as an item: the first cell, the second after a point,
	            ///< the third after its title; a comment needs no heading above the table
	const char *more_text; ///< what is counted in "12 more …"; "" rows
};

/// Where a section is shown.
enum doc_place {
	DOC_OPEN, ///< everywhere
	DOC_ASIDE, ///< in a terminal as it is; else folded
	DOC_FOLDED, ///< in a terminal only with --verbose; folded in a comment
	DOC_PAGE, ///< only on a page
	DOC_PAGE_FOLDED, ///< the same, folded
	DOC_TERMINAL, ///< only in a terminal with --verbose
};

enum doc_node_kind { NODE_SECTION, NODE_PARAGRAPH, NODE_LIST, NODE_TABLE, NODE_PICTURE };

struct doc_node {
	enum doc_node_kind kind;
	enum doc_place place; ///< of a section
	const char *id; ///< of a section or a picture
	const char *title; ///< of a section; "" none
	bool fixed; ///< kept in a comment when others are dropped for its size
	struct doc_line *lines, *last_line; ///< of a paragraph (one) or a list
	struct doc_table table;
	struct doc_node *children, *last_child; ///< of a section
	struct doc_node *next;
};

enum { DOC_DEPTH = 4 };

/// A document that is being built. Begin with doc_init().
struct document {
	struct arena arena; ///< owns the nodes and what builders print into it
	const char *marker; ///< by which a comment is found again; not escaped
	const char *fold; ///< under which a comment folds all folded sections; NULL: each by itself
	/// The form in which a name is shown, NULL for the whole of it; owned by whoever set it, who
	/// keeps it for as long as the document.
	const char *(*display)(const void *names, const char *whole);
	const void *names;
	struct doc_node *sections[DOC_DEPTH]; ///< open ones; [0] is the document itself
	int depth;
	struct doc_node *node; ///< the newest
	struct doc_line *line; ///< the one under way
	struct doc_row *row; ///< the one under way
	size_t cell; ///< of it
};

/// An empty document.
void doc_init(struct document *d);

/// Give the memory back.
void doc_release(struct document *d);

/// Opens a section. `id` is a word of the program, unique in the document.
void doc_section(struct document *d, const char *id, const char *title, enum doc_place place);
/// Closes the section that was opened last; one in which nothing was put is dropped.
void doc_end(struct document *d);

/// Begin a paragraph; an item of the list at hand, or of a new one; a picture that the page draws.
void doc_paragraph(struct document *d);
void doc_item(struct document *d, int level);
void doc_picture(struct document *d, const char *id);

/// Begin a table; valid until the section ends. Columns are borrowed.
struct doc_table *doc_table(struct document *d, const char *title, const struct doc_column *columns,
                            size_t nr);

/// Begin a row of the newest table, at a depth of its tree; the row of the rest, of short forms
/// or of the others.
void doc_row(struct document *d, int level);
void doc_rest(struct document *d, bool brief);

/// Begin the next cell of the row; with a value to sort by.
void doc_cell(struct document *d);
void doc_value(struct document *d, bool has, int64_t value);

/// Text in the paragraph, item or cell under way. NULL is "". `text` is borrowed.
void doc_add(struct document *d, enum doc_kind kind, enum doc_tone tone, const char *text);
void doc_words(struct document *d, const char *text);
void doc_figure(struct document *d, const char *text);
void doc_said(struct document *d, const char *text);

/// A name, in the form that the document has for it.
void doc_name(struct document *d, const char *whole);

/// A word of ours, or a commit in its short form, linked to `address`; NULL: not linked. It goes
/// by itself nowhere but in the reader's hands: a terminal shows the text.
void doc_link(struct document *d, const char *text, const char *address);
void doc_commit(struct document *d, const char *commit, const char *address);

/// Begin a tile in the paragraph under way: what follows belongs to it. Elsewhere than on a page a
/// dot stands between them.
void doc_tile(struct document *d, const char *picture);

/// Words made by printf.
void doc_printf(struct document *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// A whole cell: words, a name, a figure with its value.
void doc_words_cell(struct document *d, const char *text);
void doc_name_cell(struct document *d, const char *text);
void doc_said_cell(struct document *d, const char *text);
void doc_figure_cell(struct document *d, const char *text, bool has, int64_t value);

/// The tone of a change of `change` in a figure of which more is worse, less is worse, or neither.
enum doc_tone doc_tone_of(bool more_is_worse, bool less_is_worse, int64_t change);

/// The rows that a terminal or a comment shows.
size_t doc_rows_shown(const struct doc_table *t, bool brief);

#endif
