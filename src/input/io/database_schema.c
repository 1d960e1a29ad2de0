/* Finds the columns of a table in its CREATE TABLE statement. */
#include "io/database_internal.h"

#include "base/vec.h"

/* Kinds of words: the end of the text, an identifier or number, an identifier in quotes of any
   kind, and any other single byte. */
enum word_kind { WORD_END, WORD_PLAIN, WORD_QUOTED, WORD_MARK };
struct word {
	enum word_kind kind;
	struct span text; ///< text of the word without quotes
};

static bool is_word_byte(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || (unsigned char)c >= 128;
}

static bool at(struct span s, const char *two)
{
	return s.n >= 2 && s.p[0] == two[0] && s.p[1] == two[1];
}

/* Skips white space and comments of SQL. */
static void skip(struct span *s)
{
	static const char spaces[] = { ' ', '\t', '\r', '\n', '\f' };
	while (s->n) {
		const char *end = NULL;
		if (at(*s, "--")) {
			end = memchr(s->p, '\n', s->n);
			*s = span_from(*s, end ? (size_t)(end - s->p) : s->n);
		} else if (at(*s, "/*")) {
			end = memmem(s->p + 2, s->n - 2, "*/", 2);
			*s = span_from(*s, end ? (size_t)(end + 2 - s->p) : s->n);
		} else if (memchr(spaces, s->p[0], sizeof spaces)) {
			*s = span_from(*s, 1);
		} else {
			return;
		}
	}
}

static struct word next(struct span *s)
{
	static const char quotes[] = { '"', '\'', '`', '[' };
	skip(s);
	if (s->n == 0)
		return (struct word){ 0 };
	const char *from = s->p;
	bool quoted = memchr(quotes, *from, sizeof quotes) != NULL;
	char quote = *from == '[' ? ']' : *from;
	size_t n = 1;
	while (n < s->n && (quoted ? from[n] != quote : is_word_byte(*from) && is_word_byte(from[n])))
		n++;
	*s = span_from(*s, quoted && n < s->n ? n + 1 : n);
	if (quoted)
		return (struct word){ WORD_QUOTED, { from + 1, n - 1 } };
	return (struct word){ is_word_byte(*from) ? WORD_PLAIN : WORD_MARK, { from, n } };
}

/* True for one of the words in `list`, which are separated by blanks. */
static bool is_plain(struct word w, const char *list)
{
	return w.kind == WORD_PLAIN && span_is_listed_nocase(w.text, list);
}

static bool is_mark(struct word w, char mark)
{
	return w.kind == WORD_MARK && w.text.p[0] == mark;
}

/* True for the first word of a table constraint. In CREATE TABLE such a constraint may come in
   place of a column's definition. */
static bool begins_constraint(struct word w)
{
	return is_plain(w, "CONSTRAINT PRIMARY UNIQUE CHECK FOREIGN");
}

/* True for a punctuation mark that may be in the definition of a column, at this depth of
   parentheses. At depth 0, only '(' is allowed and, after DEFAULT, a sign or a decimal point. */
static bool is_mark_of_column(struct word w, size_t depth, bool has_default)
{
	static const char of_default[] = { '(', '+', '-', '.' };
	static const char of_expression[] = { '(', '+', '-', '.', ')', ',', '*', '/',
		                                  '%', '<', '>', '=', '!', '~', '|', '&' };
	return depth ? memchr(of_expression, w.text.p[0], sizeof of_expression) != NULL
	             : memchr(of_default, w.text.p[0], has_default ? sizeof of_default : 1) != NULL;
}

/* True for a word that may be the name of a column. Numbers and reserved words must be in quotes.
   Source: sqlite.org/lang_keywords.html, without the words that SQLite also takes as names. */
static bool is_name(struct word w)
{
	static const char reserved[] =
	    "ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CREATE "
	    "DEFAULT DEFERRABLE DELETE DROP ELSE DISTINCT ESCAPE EXISTS FROM GROUP HAVING IN "
	    "INDEX INSERT INTO IS ISNULL JOIN LIMIT NOT NOTNULL NULL ON OR ORDER SELECT "
	    "REFERENCES SET TABLE THEN TO UNION UPDATE USING VALUES WHEN WHERE INTERSECT "
	    "TRANSACTION";
	return (w.kind == WORD_QUOTED || (w.kind == WORD_PLAIN && !is_digit(w.text.p[0]))) &&
	       !is_plain(w, reserved);
}

/* True for a word that may come after the name of a column: its type, or the first word of a
   constraint, which may be a reserved word. */
static bool follows_name(struct word w)
{
	return w.kind != WORD_PLAIN || is_name(w) ||
	       is_plain(w, "NOT NULL DEFAULT CHECK COLLATE REFERENCES AS");
}

/* Skips the rest of a column's definition after its name. `*after` becomes the word that ends the
   definition: a comma or parenthesis, or a word that no definition may have there. True if the
   column is another name of the row id: INTEGER … PRIMARY KEY. */
static bool rest_of_column(struct span *s, struct word *after)
{
	bool integer = false, primary = false, has_default = false, negated = false;
	size_t depth = 0;
	for (size_t i = 0;; i++) {
		struct word w = next(s);
		if (w.kind == WORD_END || (depth == 0 && (is_mark(w, ',') || is_mark(w, ')'))) ||
		    (w.kind == WORD_MARK && !is_mark_of_column(w, depth, has_default)) ||
		    (i == 0 && !follows_name(w)) ||
		    (negated && depth == 0 && !is_plain(w, "NULL DEFERRABLE"))) {
			*after = negated ? (struct word){ 0 } : w; /* the definition is malformed if neither
			                                              NULL nor DEFERRABLE follows NOT */
			return integer && primary;
		}
		depth += is_mark(w, '(');
		depth -= depth && is_mark(w, ')');
		integer = integer || (i == 0 && is_plain(w, "INTEGER"));
		primary = primary || (depth == 0 && is_plain(w, "PRIMARY"));
		has_default = has_default || is_plain(w, "DEFAULT");
		negated = is_plain(w, "NOT");
	}
}

/* Skips CREATE [VIRTUAL] TABLE, and returns the name that follows. SQLite stores each statement in
 * this form, without words such as TEMP that the user wrote in between. */
static struct word name_of_table(struct span *s, bool *is_virtual)
{
	struct word w = next(s);
	bool creates = is_plain(w, "CREATE");
	w = next(s);
	*is_virtual = is_plain(w, "VIRTUAL");
	if (*is_virtual)
		w = next(s);
	return creates && is_plain(w, "TABLE") ? next(s) : (struct word){ 0 };
}

bool database_creates(struct span sql, struct span name, bool *is_virtual)
{
	struct word w = name_of_table(&sql, is_virtual);
	/* a quote within a quoted name is doubled, and next() ends the word at the first of the two */
	bool doubled = w.kind == WORD_QUOTED && sql.n && sql.p[0] == w.text.p[-1];
	return (w.kind == WORD_PLAIN || w.kind == WORD_QUOTED) &&
	       (doubled ? span_starts(name, w.text) : span_eq_nocase(w.text, name));
}

static int slot_of(struct span name, const struct database_column *columns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (span_eq_nocase(name, span_of(columns[i].name)))
			return (int)i;
	return -1;
}

const char *database_map_columns(struct span sql, const struct database_column *columns, size_t nr,
                                 struct database_map *map)
{
	bool found[DATABASE_COLUMNS] = { false }, is_virtual;
	struct word after = { 0 };
	map->nr = 0;
	map->rowid = -1;
	if (name_of_table(&sql, &is_virtual).kind == WORD_END || !is_mark(next(&sql), '('))
		return "";
	do {
		struct word name = next(&sql);
		bool rowid = rest_of_column(&sql, &after);
		if (begins_constraint(name))
			continue;
		if (map->nr == DATABASE_TABLE_COLUMNS || !is_name(name))
			return "";
		int slot = slot_of(name.text, columns, nr);
		if (slot >= 0 && found[slot])
			return "";
		if (slot >= 0)
			found[slot] = true;
		if (rowid)
			map->rowid = slot;
		map->slot[map->nr++] = (int16_t)slot;
	} while (is_mark(after, ','));
	struct word option = next(&sql);
	if (!is_mark(after, ')') || (option.kind != WORD_END && !is_plain(option, "WITHOUT STRICT")))
		return "";
	for (size_t i = 0; i < nr; i++)
		if (!found[i] && !columns[i].optional)
			return columns[i].name;
	return NULL;
}
