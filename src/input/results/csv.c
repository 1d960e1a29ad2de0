#include "results/value.h"

#include <string.h>

#include "results/readings.h"

struct csv_line {
	struct span cells[CSV_COLUMNS];
	size_t nr;
	char separator;
	bool is_whole; ///< true if all quotes are closed, and there are not too many columns; in a
	               ///< table with a line of dashes also if no column is missing, and no text is
	               ///< between the columns
};

static struct span trimmed(struct span s)
{
	return span_trim(s, " \t\r");
}

/* Reads a cell in quotes, in which two quotes mean one; `*at` moves to the byte after the cell. */
static struct span quoted_cell(struct span s, char separator, size_t *at, struct arena *a,
                               bool *closed)
{
	char *text = arena_alloc(a, s.n + 1, 1);
	size_t n = 0, i = *at + 1;
	for (*closed = false; i < s.n; i++) {
		if (s.p[i] == '"' && !(i + 1 < s.n && s.p[i + 1] == '"')) {
			*closed = true;
			i++;
			break;
		}
		i += s.p[i] == '"';
		text[n++] = s.p[i];
	}
	while (i < s.n && s.p[i] != separator)
		i++;
	*at = i;
	return (struct span){ text, n };
}

/* The separator of a header's columns: '|' of a table in Markdown, which begins with it; else the
   most frequent of comma, semicolon and tab, outside of quotes. */
static char separator_of(struct span s)
{
	if (s.p[strspn(s.p, " ")] == '|')
		return '|';
	static const char some[] = ",;\t";
	size_t nr[3] = { 0 };
	bool quoted = false;
	for (size_t i = 0; i < s.n; i++) {
		const char *found = s.p[i] ? strchr(some, s.p[i]) : NULL;
		quoted = quoted != (s.p[i] == '"');
		if (found && !quoted)
			nr[found - some]++;
	}
	size_t most = nr[1] > nr[0];
	return some[nr[2] > nr[most] ? 2 : most];
}

static void split(struct span s, char separator, struct arena *a, struct csv_line *out)
{
	out->nr = 0;
	out->separator = separator;
	out->is_whole = true;
	bool bars = separator == '|';
	if (bars) {
		s = trimmed(s);
		span_skip(&s, SPAN("|"));
		s.n -= s.n && s.p[s.n - 1] == '|';
	}
	for (size_t i = 0; i <= s.n; i++) {
		size_t from = i;
		struct span cell;
		bool closed = true;
		while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t') && s.p[i] != separator)
			i++;
		if (i < s.n && s.p[i] == '"') {
			cell = quoted_cell(s, separator, &i, a, &closed);
		} else {
			while (i < s.n && s.p[i] != separator)
				i++;
			cell = span_trim((struct span){ s.p + from, i - from }, bars ? " \t*`" : " \t\r");
		}
		out->is_whole = closed && out->nr < CSV_COLUMNS;
		if (!out->is_whole)
			return;
		out->cells[out->nr++] = cell;
	}
}

/* True for a line between the rows of a table with bars, such as |---|:---:| or +---+---+. */
static bool is_border(struct span s)
{
	s = trimmed(s);
	return s.n > 1 && strchr("|+", s.p[0]) && ALL(i, s.n, memchr("|+-:= ", s.p[i], 6));
}

/* True if a line has dashes and blanks only: at least two columns of dashes. */
static bool is_ruler(struct span s)
{
	size_t columns = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '-' && s.p[i] != ' ' && s.p[i] != '\r')
			return false;
		columns += s.p[i] == '-' && (i == 0 || s.p[i - 1] == ' ');
	}
	return columns > 1;
}

static void drop_character(struct span *s)
{
	size_t n = s->n > 0;
	while (n < s->n && ((unsigned char)s->p[n] & 0xc0) == 0x80) /* further bytes of a character
	                                                               in UTF-8 */
		n++;
	s->p += n;
	s->n -= n;
}

/* Splits a line into the columns that `ruler` marks with dashes; the last column reaches to the end
   of the line. */
static void split_ruled(struct span s, struct span ruler, struct csv_line *out)
{
	out->nr = 0;
	out->is_whole = true;
	while (ruler.p[ruler.n - 1] != '-')
		ruler.n--;
	for (size_t i = 0; i < ruler.n && out->is_whole;) {
		for (; ruler.p[i] != '-'; i++, drop_character(&s))
			out->is_whole = out->is_whole && (!s.n || s.p[0] == ' ');
		struct span cell = s;
		for (; i < ruler.n && ruler.p[i] == '-'; i++)
			drop_character(&s);
		cell.n -= i < ruler.n ? s.n : 0;
		out->is_whole = out->is_whole && cell.n && out->nr < CSV_COLUMNS;
		if (out->is_whole)
			out->cells[out->nr++] = trimmed(cell);
	}
}

static bool is_header(const struct csv_line *l, const struct span *has, size_t nr)
{
	bool fits = l->is_whole && l->nr > 1;
	for (size_t k = 0; k < nr && fits; k++) {
		fits = false;
		for (size_t i = 0; i < l->nr && !fits; i++)
			fits = span_glob(has[k], l->cells[i]);
	}
	return fits;
}

static enum jscan_type type_of(struct span cell)
{
	return cell.n ? JSCAN_STRING : JSCAN_NULL;
}

static bool is_figure(struct span cell)
{
	struct value v = { .type = type_of(cell), .text = cell };
	struct decimal number;
	return reading_number(&v, &number, NULL) != DECIMAL_NO_NUMBER || reading_is_unmeasured(&v);
}

/* True if a row has figures in the columns whose headings fit the patterns. */
static bool is_below(const struct csv_line *header, const struct csv_line *row,
                     const struct span *has, size_t nr)
{
	bool fits = row->is_whole;
	for (size_t k = 0; k < nr; k++)
		for (size_t i = 0; i < header->nr && fits; i++)
			fits =
			    !span_glob(has[k], header->cells[i]) || (i < row->nr && is_figure(row->cells[i]));
	return fits;
}

static bool is_same(const struct csv_line *a, const struct csv_line *b)
{
	return a->nr == b->nr && ALL(i, a->nr, span_eq(a->cells[i], b->cells[i]));
}

static enum status add_row(struct value_tree *out, const char *name, size_t at,
                           const struct csv_line *header, const struct csv_line *l,
                           struct diag_log *log)
{
	struct value *row = value_add(out, &out->root, JSCAN_OBJECT, SPAN(""), SPAN(""));
	bool fits = row;
	for (size_t i = 0; i < l->nr && fits; i++)
		fits = value_add(out, row, type_of(l->cells[i]), header->cells[i], l->cells[i]);
	return fits ? ST_OK
	            : diag_fail(log, ST_INPUT, "%s:%zu: more than %d values in a result file", name, at,
	                        VALUE_NUMBER);
}

/* Number of decimal places of a cell; -1 if it is empty. */
static int decimals(struct span cell)
{
	size_t point = 0, n = 1;
	while (point < cell.n && cell.p[point] != '.')
		point++;
	while (point + n < cell.n && is_digit(cell.p[point + n]))
		n++;
	return cell.n ? (int)n - 1 : -1;
}

/* True if the last cell of the last row has fewer decimal places than all other cells of its
   column, so that the file may be cut short. */
static bool is_cut(const struct value *root)
{
	const struct value *last = root->last ? root->last->last : NULL;
	int least = -1;
	for (const struct value *row = root->first; row && row != root->last; row = row->next) {
		int nr = decimals(row->last->text);
		least = row == root->first || nr < least ? nr : least;
	}
	return last && decimals(last->text) < least;
}

/* Reads the tables of a text in which a line of dashes below the header marks the columns, as
   'nsys stats' prints them. */
static enum status add_ruled(struct value_tree *out, const char *name, const struct span *has,
                             size_t nr, bool *found, struct diag_log *log)
{
	struct csv_line *header = arena_alloc(&out->arena, 1, sizeof *header);
	struct csv_line *l = arena_alloc(&out->arena, 1, sizeof *l);
	struct span rest = out->bytes, above = SPAN(""), ruler = SPAN(""), s;
	for (size_t line = 1; rest.n; line++) {
		value_line(&rest, &s);
		if (!trimmed(s).n) {
			ruler = SPAN("");
		} else if (is_ruler(s)) {
			split_ruled(above, s, header);
			ruler = is_header(header, has, nr) ? s : SPAN("");
			*found = *found || ruler.n;
		} else if (ruler.n) {
			split_ruled(s, ruler, l);
			if (!l->is_whole)
				return diag_fail(log, ST_INPUT,
				                 "%s:%zu: the row is not below the columns of its table", name,
				                 line);
			TRY(add_row(out, name, line, header, l, log));
		}
		above = s;
	}
	return ST_OK;
}

bool csv_has_bars(struct span text)
{
	bool any = false;
	for (struct span s; !any && text.n;) {
		value_line(&text, &s);
		any = is_border(s);
	}
	return any;
}

enum status csv_add(struct value_tree *out, const char *name, const struct span *has, size_t nr,
                    bool loose, bool *found, struct diag_log *log)
{
	struct csv_line *header = arena_alloc(&out->arena, 1, sizeof *header);
	struct csv_line *l = arena_alloc(&out->arena, 1, sizeof *l);
	struct span rest = out->bytes, s;
	/* true if the header is known only by patterns with a '*', which a line of a log may fit by
	   chance */
	bool doubtful = !loose && nr, blank = false, ended = false, other = false, whole;
	for (size_t k = 0; k < nr; k++)
		doubtful = doubtful && memchr(has[k].p, '*', has[k].n);
	*found = false;
	if (nr && !loose)
		TRY(add_ruled(out, name, has, nr, found, log));
	if (*found)
		return ST_OK;
	for (size_t line = 1; rest.n; line++) {
		whole = value_line(&rest, &s);
		if ((other || ended) && header->separator == '|' && is_border(s))
			return diag_fail(
			    log, ST_INPUT,
			    "%s:%zu: a second table, with other columns: write each table to a file "
			    "of its own",
			    name, line);
		if (!trimmed(s).n || is_border(s)) {
			blank = blank || !trimmed(s).n;
			continue;
		}
		s.n -= s.p[s.n - 1] == '\r';
		split(s, *found ? header->separator : separator_of(s), &out->arena, l);
		other = *found && l->is_whole && l->nr != header->nr;
		bool further = blank && *found && !loose && l->is_whole && l->nr != header->nr;
		blank = false;
		ended = ended || further;
		if (is_header(l, has, nr) && (!*found || (loose && nr))) {
			*header = *l;
			*found = true;
		} else if (further && nr && l->nr > 1 && span_eq(l->cells[0], header->cells[0])) {
			*header = *l;
			ended = false;
		} else if (ended && header->separator == '|' && is_same(l, header)) {
			ended = false; /* the table goes on under another heading of the text */
		} else if (ended) {
			/* the row is skipped: its table is not of the format */
		} else if (!*found || is_same(l, header) || (loose && l->is_whole && l->nr != header->nr)) {
			if (!*found && !loose && l->nr > 1)
				return ST_OK;
		} else if (doubtful && !is_below(header, l, has, nr)) {
			break;
		} else if (!l->is_whole || l->nr != header->nr) {
			return diag_fail(
			    log, ST_INPUT,
			    "%s:%zu: %zu columns where the header has %zu; quotes hold no line break", name,
			    line, l->nr, header->nr);
		} else {
			TRY(add_row(out, name, line, header, l, log));
			doubtful = false;
		}
		if (!rest.n && !whole && !loose && is_cut(&out->root))
			return diag_fail(
			    log, ST_INPUT,
			    "%s:%zu: the last line has no end, and its last number fewer digits than "
			    "the others of its column: the file is cut off; write it anew",
			    name, line);
	}
	*found = *found && !doubtful;
	return ST_OK;
}
