/// A report as a document: paragraphs, lists, tables and pictures in sections. The functions that
/// build a document choose its contents and their order; renderers only arrange and escape them.
#ifndef GG_DOCUMENT_DOCUMENT_H
#define GG_DOCUMENT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/span.h"

/// The origin of a piece of text, which determines how it is escaped.
enum doc_kind {
	DOC_WORDS, ///< text written by this program itself; it needs no escapes
	DOC_FIGURE, ///< a number with its unit, such as "2.50 ms"
	DOC_NAME, ///< a name from the input, which may contain anything
	DOC_SAID, ///< a sentence of the program that may quote names from the input
	DOC_COMMAND, ///< a command that readers copy
	DOC_VERDICT, ///< the word of a verdict; a symbol precedes it in the heading of a comment
};

/// The meaning of a piece of text, which terminals and pages show by color.
enum doc_tone {
	TONE_PLAIN,
	TONE_STRONG,
	TONE_BAD, ///< tone of something that failed
	TONE_WARN,
	TONE_OPEN, ///< tone of something undecided
	TONE_GOOD, ///< tone of something that passed or improved
	TONE_WORSE, ///< tone of a change for the worse
	TONE_CAUTION, ///< tone of a change for the worse that only warns
	TONE_BETTER,
	NR_TONES
};

/// A picture of the HTML page: its kind, and the index of the finding, check or column it shows.
struct picture {
	const char *kind; ///< NULL: there is no picture
	size_t nr;
};

/// A piece of text of one kind and tone.
struct doc_run {
	enum doc_kind kind;
	enum doc_tone tone;
	const char *text; ///< the text, not escaped; owned by the document or its builder
	const char *whole; ///< the complete name, if `text` is another form of it, such as a shortened
	                   ///< one; else NULL

	/// address to which the text links, without characters that need escapes; NULL: no link. An
	/// address such as "#ID", with the id of a cell, is a link only on the HTML page.
	const char *link;
	bool tile; ///< true: on the HTML page, a tile (box) begins here, in which `picture` is drawn
	struct picture picture;
	struct doc_run *next;
};

/// The text of a paragraph, an item of a list or a cell of a table, as a list of pieces.
struct doc_line {
	struct doc_run *first, *last;
	bool has_value;
	int64_t value; ///< for a cell: number by which rows are sorted, also the length of a bar
	int depth; ///< for an item: its depth in the list, 0 for the outermost
	int step; ///< for an item: its number in a list of steps; 0: the item has no number
	struct picture picture; ///< for an item or a cell: picture below it, only on the HTML page
	const char *id; ///< for a cell: id by which links of the page find it; NULL if there is none
	int key; ///< for a cell: number (from 1) of the color with which the picture draws what the
	         ///< cell describes; 0: no color
	struct doc_line *next;
};

/// How the cells of a column are shown.
enum doc_align {
	DOC_LEFT,
	DOC_RIGHT, ///< right-aligned, for figures
	DOC_BAR, ///< a bar whose length is the cell's value; only on the HTML page
	DOC_EXTRA, ///< left-aligned; only on the HTML page
};

/// A column of a table. A comment shows the title without escapes.
struct doc_column {
	const char *title;
	enum doc_align align;
};

/// A row; its cells belong to the document.
struct doc_row {
	struct doc_line *cells; ///< array with one cell per column
	int depth; ///< depth of the row in a tree
	struct doc_row *next;
};

/// A table. The document owns its rows; the columns are borrowed.
struct doc_table {
	const char *title; ///< name of the table; "" if the table has no name
	const struct doc_column *columns;
	size_t nr_columns, nr_rows;
	struct doc_row *rows, *last;
	struct doc_row *rest; ///< sums over the rows that the builder left out; NULL if there are none
	struct doc_row *rest_brief; ///< row of sums that also include the rows beyond `brief`, which a
	                            ///< terminal and a comment leave out
	size_t more; ///< number of rows that the builder left out
	size_t brief; ///< number of rows that a terminal (without --verbose) and a comment show, and
	              ///< that a page shows without a click; 0: all of them
	bool tree; ///< true: each row belongs to the nearest row above it with a smaller depth

	/// True: a terminal shows each row as an item of a list: the first cell, a dot, the second
	/// cell, then the title of the third column and the third cell. A comment shows no heading
	/// above the table.
	bool items;
	const char *more_text; ///< words after "12 more" below the table, such as "kernels"; or ""
};

/// Number of characters of the plural `noun` to write after the number `nr`: if `nr` is 1, the last
/// 's' of the noun is not counted.
static inline int doc_noun_chars(const char *noun, size_t nr)
{
	size_t n = strlen(noun);
	return (int)(nr == 1 && n && noun[n - 1] == 's' ? n - 1 : n);
}

/// Where a section is shown.
enum doc_place {
	DOC_OPEN, ///< shown everywhere
	DOC_ASIDE, ///< shown in a terminal, elsewhere in a collapsed block of its own
	DOC_TERMINAL, ///< shown in a terminal, elsewhere like DOC_COLLAPSED
	DOC_COLLAPSED, ///< shown in a terminal only with --verbose, elsewhere collapsed
	DOC_PAGE, ///< shown only on the HTML page
	DOC_PAGE_COLLAPSED, ///< collapsed on the HTML page, shown in a terminal only with --verbose,
	                    ///< absent from a comment
};

enum doc_node_kind { NODE_SECTION, NODE_PARAGRAPH, NODE_LIST, NODE_TABLE, NODE_PICTURE };

/// A node of a section, or a section with its nodes.
struct doc_node {
	enum doc_node_kind kind;
	enum doc_place place; ///< set only for sections
	const char *id; ///< id of a section
	struct picture picture; ///< set only for pictures
	const char *title; ///< title of a section; "" if it has none
	bool fixed; ///< true: kept in a comment that is too long, when other sections are removed
	struct doc_line *lines, *last_line; ///< lines of a list, or the line of a paragraph
	struct doc_table table;
	struct doc_node *children, *last_child; ///< set only for sections
	struct doc_node *next;
};

/// Largest number of sections that are open at once, the document included.
enum { DOC_DEPTH = 4 };

/// A document under construction; begin with doc_init().
struct document {
	struct arena arena; ///< owner of the nodes and of texts that builders print
	const char *marker; ///< text by which a later run finds this comment; not escaped yet
	const char *collapse; ///< title of the one collapsed block that holds all collapsed sections of
	                      ///< a comment; NULL: each is collapsed by itself
	const char *more; ///< last line in a terminal without --verbose, which says what --verbose
	                  ///< adds; or NULL

	/// Function that returns the form in which to show the name `whole`, or NULL to show it as it
	/// is. The pointer is NULL if all names are shown as they are. The function's first argument is
	/// the member `names`, which must live as long as the document.
	const char *(*display)(const void *names, const char *whole);

	/// Function that returns true if the name `text` can be shortened to its first `head` and last
	/// `tail` bytes: a rule with the shortened name must select no other name. If the pointer is
	/// NULL, a shortened name is only compared with the other names in its column.
	bool (*is_alone)(const void *names, struct span text, size_t head, size_t tail);
	const void *names;
	const struct doc_node *answer; ///< node that was last when doc_answer_end() was called, or NULL
	struct doc_node *sections[DOC_DEPTH]; ///< open sections; [0] is the document itself
	int depth;
	struct doc_node *node; ///< the node that was added last; NULL right after a section begins or
	                       ///< ends
	struct doc_line *line; ///< line to which text is added
	struct doc_row *row; ///< row to which cells are added
	size_t cell; ///< index of the current cell in the row
};

/// Initialize an empty document.
void doc_init(struct document *d);

/// Release the document.
void doc_release(struct document *d);

/// Open a section. `id` is unique in the document, or "" for a section that needs no id.
void doc_section(struct document *d, const char *id, const char *title, enum doc_place place);
/// Close the section that was opened last. Renderers leave it out if it is empty.
void doc_end(struct document *d);

/// The node that was added last to the document itself, or NULL.
struct doc_node *doc_last(const struct document *d);

/// Gather the sections after the node `before` (NULL: all sections) into one. The first of these
/// that is not empty stays where it is; all sections behind it become its children.
void doc_gather(struct document *d, struct doc_node *before);

/// End the answer, which is the beginning of the document that every reader needs. What follows is
/// for looking things up. On an HTML page, the table of contents comes between the two.
void doc_answer_end(struct document *d);

/// Begin a paragraph.
void doc_paragraph(struct document *d);
/// Begin an item of the current list, or of a new list, at depth `depth` (0: outermost).
void doc_item(struct document *d, int depth);
/// Begin an item of a numbered list, with the next number.
void doc_numbered(struct document *d);
/// Add a picture: the `nr`-th of its kind (struct picture).
void doc_picture(struct document *d, const char *kind, size_t nr);

/// Begin a table, which borrows `columns`. The returned pointer is valid until the section ends.
struct doc_table *doc_table(struct document *d, const char *title, const struct doc_column *columns,
                            size_t nr);

/// Begin a row of the table that was added last; `depth` is its depth in a tree, else 0.
void doc_row(struct document *d, int depth);
/// Begin the table's row of sums: `rest_brief` if `brief`, else `rest` (see struct doc_table).
void doc_rest(struct document *d, bool brief);

/// Begin the next cell of the row.
void doc_cell(struct document *d);
/// Give the current cell the number by which its column is sorted; no number if `has` is false.
void doc_value(struct document *d, bool has, int64_t value);

/// Add text to the current paragraph, item or cell. Nothing is added if `text` is NULL or "". The
/// text is borrowed.
void doc_add(struct document *d, enum doc_kind kind, enum doc_tone tone, const char *text);
/// Like doc_add(), for DOC_WORDS in a plain tone.
void doc_words(struct document *d, const char *text);
/// Like doc_add(), for a DOC_FIGURE in a plain tone.
void doc_figure(struct document *d, const char *text);
/// Like doc_add(), for a DOC_SAID in a plain tone.
void doc_said(struct document *d, const char *text);

/// Add a name of the input, in the form that the document's function `display` returns.
void doc_name(struct document *d, const char *whole);

/// Add a section that shows a command. If `command` is NULL or "", nothing is added.
void doc_command(struct document *d, const char *title, enum doc_place place, const char *command);

/// Add words of the program as a link to `address`; there is no link if `address` is NULL. A
/// terminal shows only the text.
void doc_link(struct document *d, const char *text, const char *address);

/// Add the short form of a commit. It links to `address` with the commit appended. There is no link
/// if `address` is NULL, or if the commit is not a plain id of git ("-dirty" may follow an id).
void doc_commit(struct document *d, const char *commit, const char *address);

/// Begin a tile (a box on the HTML page) in the current paragraph; the following text belongs to
/// the tile. All formats except the page separate tiles by a dot.
void doc_tile(struct document *d, struct picture picture);

/// Add the text `form`, whose placeholders %w (words of the program), %n (a name), %f (a figure)
/// and %s (a sentence) become the arguments, in order: doc_say(d, "%f → %f", before, after).
#define doc_say(d, form, ...) doc_pieces(d, form, (const char *const[]){ __VA_ARGS__ })

/// The function that doc_say() calls: `pieces` holds one text for each % of `form`.
void doc_pieces(struct document *d, const char *form, const char *const *pieces);

/// Add words of the program itself (DOC_WORDS), formatted as by printf.
void doc_printf(struct document *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Add a complete cell with words of the program.
void doc_words_cell(struct document *d, const char *text);

/// Add a complete cell with a name.
void doc_name_cell(struct document *d, const char *text);

/// Add a complete cell with a sentence.
void doc_said_cell(struct document *d, const char *text);

/// Add a complete cell with a figure, which is sorted by `value` unless `has` is false.
void doc_figure_cell(struct document *d, const char *text, bool has, int64_t value);

/// The tone of a figure's change `change`; the flags say whether a rise or a fall of the figure is
/// a change for the worse.
enum doc_tone doc_tone_of(bool more_is_worse, bool less_is_worse, int64_t change);

/// Number of rows of a table to show: all rows or, if `brief` is true (for a terminal or a
/// comment), at most `t->brief` rows. If `t->brief` is 0, all rows are shown.
size_t doc_rows_shown(const struct doc_table *t, bool brief);

#endif
