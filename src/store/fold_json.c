/* What is folded of a run. Figures and series are rows; numbers of ranks and parts of scales are
   columns: lists of numbers, each the difference to the one before it, in an order that the rows
   give. Of a column of numbers of ranks that are all the same there is one. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "fold/fold.h"
#include "fold/fold_rows.h"
#include "store/digest_schema.h"
#include "store/row_schema.h"

/// Ranks that a folded run may have.
enum { RANKS_MAX = 1 << 18 };

struct column {
	int64_t *v;
	size_t nr, cap;
};

/* A fold whose columns are not in their places yet. */
struct stored {
	struct fold fold;
	VEC(struct column) columns;
	bool has_columns;
};

/* ---- writing ---- */

struct writer {
	struct sink *out;
	const char *before;
	char text[4096];
	size_t n;
};

static void flush(struct writer *w)
{
	sink_write(w->out, (struct span){ w->text, w->n });
	w->n = 0;
}

static void put_number(struct writer *w, uint64_t bits)
{
	char digits[24];
	size_t n = 0;
	bool negative = bits >> 63;
	uint64_t rest = negative ? 0 - bits : bits;
	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (negative)
		digits[n++] = '-';
	if (w->n + n + 1 > sizeof w->text)
		flush(w);
	while (n)
		w->text[w->n++] = digits[--n];
}

static void put_text(struct writer *w, const char *text)
{
	if (w->n + strlen(text) > sizeof w->text)
		flush(w);
	memcpy(w->text + w->n, text, strlen(text));
	w->n += strlen(text);
}

static void begin(struct writer *w)
{
	put_text(w, w->before);
	put_text(w, "\n[");
	w->before = ",";
}

/* A column whose values lie `stride` bytes apart. */
static void write_column(struct writer *w, const void *v, size_t nr, size_t stride)
{
	int64_t last = 0;
	begin(w);
	for (size_t i = 0; i < nr; i++) {
		int64_t value = *(const int64_t *)(const void *)((const char *)v + i * stride);
		if (i)
			put_text(w, ",");
		if (value == FOLD_ABSENT) {
			put_text(w, "null");
			continue;
		}
		put_number(w, (uint64_t)value - (uint64_t)last);
		last = value;
	}
	put_text(w, "]");
}

static void write_numbers(struct writer *w, const int64_t *v, size_t nr)
{
	size_t same = 1;
	while (same < nr && v[same] == v[0])
		same++;
	write_column(w, v, same >= nr && nr ? 1 : nr, sizeof *v);
}

static void add_bins(struct column *out, const struct tally *t, bool counted)
{
	if (counted)
		vec_push(out, (int64_t)t->bins.nr);
	for (size_t i = 0; i < t->bins.nr; i++) {
		int64_t before = i ? t->bins.v[i - 1].key : 0;
		vec_push(out, t->bins.v[i].key - before);
		vec_push(out, t->bins.v[i].count);
	}
}

/* Already differences, and not of neighbors. */
static void write_plain(struct writer *w, struct column *c)
{
	begin(w);
	for (size_t i = 0; i < c->nr; i++) {
		if (i)
			put_text(w, ",");
		put_number(w, (uint64_t)c->v[i]);
	}
	put_text(w, "]");
	vec_release(c);
}

/* Members of matches and of their tallies, each a column. */
static const size_t match_columns[] = {
	offsetof(struct fold_match, step),         offsetof(struct fold_match, place),
	offsetof(struct fold_match, dur.count),    offsetof(struct fold_match, dur.high),
	offsetof(struct fold_match, dur.low),      offsetof(struct fold_match, dur.min),
	offsetof(struct fold_match, dur.second),   offsetof(struct fold_match, dur.max),
	offsetof(struct fold_match, dur.min_rank), offsetof(struct fold_match, dur.max_rank),
};
static const size_t member_columns[] = {
	offsetof(struct fold_member, rank),
	offsetof(struct fold_member, count),
	offsetof(struct fold_member, dur_ns),
};
enum {
	NR_MATCH_COLUMNS = sizeof match_columns / sizeof *match_columns,
	NR_MEMBER_COLUMNS = sizeof member_columns / sizeof *member_columns,
};

static void write_series(struct writer *w, const struct fold_series *s)
{
	struct column bins = { 0 };
	for (size_t i = 0; i < NR_MEMBER_COLUMNS; i++)
		write_column(w, (const char *)s->members.v + member_columns[i], s->members.nr,
		             sizeof *s->members.v);
	for (size_t i = 0; i < NR_MATCH_COLUMNS; i++)
		write_column(w, (const char *)s->matches.v + match_columns[i], s->matches.nr,
		             sizeof *s->matches.v);
	for (size_t i = 0; i < s->matches.nr; i++)
		add_bins(&bins, &s->matches.v[i].dur, true);
	write_plain(w, &bins);
}

static void write_columns(const void *const *folds, size_t nr, struct sink *out)
{
	const struct fold *f = folds[0];
	struct writer w = { .out = out, .before = "[" };
	int64_t patterns = (int64_t)f->patterns.nr;
	(void)nr; /* one document has one */
	write_column(&w, f->rank, f->nr, sizeof *f->rank);
	for (size_t i = 0; i < NR_FOLD_NUMBERS && f->by_rank; i++)
		write_numbers(&w, f->number[i], f->nr);
	if (f->by_rank)
		write_column(&w, &patterns, 1, sizeof patterns);
	for (size_t i = 0; i < f->patterns.nr; i++)
		write_column(&w, f->patterns.v[i].v, f->patterns.v[i].nr, sizeof(int64_t));
	for (size_t i = 0; i < f->figures.nr; i++) {
		const struct fold_figure *g = &f->figures.v[i];
		struct column bins = { 0 };
		if (g->value) {
			write_column(&w, g->value, f->nr, sizeof *g->value);
			continue;
		}
		add_bins(&bins, &g->tally, false);
		write_plain(&w, &bins);
	}
	for (size_t i = 0; i < f->series.nr; i++)
		write_series(&w, &f->series.v[i]);
	put_text(&w, "\n]");
	flush(&w);
}

/* ---- reading ---- */

static int64_t read_number(struct row_reader *r)
{
	int64_t value;
	struct span text;
	uint64_t byte;
	enum jscan_type type;
	if (jscan_decimal(r->js, 0, &value))
		return value;
	byte = row_byte(r);
	if (jscan_peek(r->js) == JSCAN_NULL) {
		jscan_literal(r->js, &type);
		return FOLD_ABSENT;
	}
	if (jscan_number(r->js, &text) && !memchr(text.p, '.', text.n) &&
	    !memchr(text.p, 'e', text.n) && !memchr(text.p, 'E', text.n) &&
	    number_parse(text, 0, &value))
		return value;
	row_fail(r, byte, NULL, "holds what is not a whole number");
	return 0;
}

static void read_columns(struct row_reader *r, void *const *folds, size_t nr)
{
	struct stored *s = folds[0];
	size_t before = row_enter(r, "columns", 0);
	(void)nr;
	s->has_columns = true;
	enum jscan_type first = row_enter_array(r, NULL);
	for (bool more = first != JSCAN_END; more && jscan_status(r->js) == ST_OK;
	     more = jscan_element(r->js)) {
		struct column *c = vec_push_zero(&s->columns);
		if (s->columns.nr > store_limits.rows)
			row_fail(r, row_byte(r), NULL, "has too many columns");
		enum jscan_type one = row_enter_array(r, NULL);
		for (bool next = one != JSCAN_END; next && jscan_status(r->js) == ST_OK;
		     next = jscan_element(r->js))
			vec_push(c, read_number(r));
	}
	strbuf_setlen(&r->path, before);
}

static void describe_columns(bool several, int depth, struct sink *out)
{
	(void)several;
	(void)depth;
	sink_puts(out, "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"type\": "
	               "[\"integer\", \"null\"]}}}");
}

#define MEMBER(member, kind, ...)                                                             \
	{                                                                                         \
		.key = #member, .type = FIELD_##kind, .offset = offsetof(struct stored, fold.member), \
		__VA_ARGS__                                                                           \
	}

static const struct field fold_fields[] = {
	MEMBER(by_rank, BOOL, .since = 0),
	MEMBER(is_mean, BOOL, .since = 0),
	MEMBER(deeds, OPTIONAL_ROWS, .sub = &fold_deed_row),
	MEMBER(figures, ROWS, .sub = &fold_figure_row),
	MEMBER(series, OPTIONAL_ROWS, .sub = &fold_series_row),
	{ .key = "columns",
	  .type = FIELD_OWN,
	  .read = read_columns,
	  .write = write_columns,
	  .describe = describe_columns },
};

static const struct schema fold_schema = {
	.fields = fold_fields,
	.nr = sizeof fold_fields / sizeof *fold_fields,
	.size = sizeof(struct stored),
};

bool fold_is_there(const void *const *digests, size_t nr)
{
	return nr == 1 && ((const struct digest *)digests[0])->fold;
}

void fold_write(const void *const *digests, size_t nr, struct sink *out)
{
	(void)nr;
	row_write(&fold_schema, ((const struct digest *)digests[0])->fold, out);
}

void fold_describe(bool several, int depth, struct sink *out)
{
	(void)several;
	row_schema_object(&fold_schema, false, depth, out);
}

/* ---- columns into their places ---- */

struct placer {
	struct stored *s;
	size_t next; ///< column
	bool fine;
};

/* The next column, with differences added up. */
static struct column *next_column(struct placer *p, bool differences)
{
	static struct column none;
	if (!p->fine || p->next == p->s->columns.nr) {
		p->fine = false;
		return &none;
	}
	struct column *c = &p->s->columns.v[p->next++];
	uint64_t last = 0;
	for (size_t i = 0; differences && i < c->nr; i++)
		if (c->v[i] != FOLD_ABSENT)
			c->v[i] = (int64_t)(last += (uint64_t)c->v[i]);
	return c;
}

/* A column of `nr` numbers, taken over; NULL where it is none. */
static int64_t *take_numbers(struct placer *p, size_t nr, bool may_lack)
{
	struct column *c = next_column(p, true);
	p->fine = p->fine && c->nr == nr;
	for (size_t i = 0; i < c->nr && !may_lack; i++)
		p->fine = p->fine && c->v[i] != FOLD_ABSENT;
	if (!p->fine)
		return NULL;
	int64_t *v = c->v ? c->v : mem_calloc(1, sizeof *v);
	*c = (struct column){ 0 };
	return v;
}

/* The same, or one for all. */
static int64_t *take_same(struct placer *p, size_t nr)
{
	size_t has = p->next < p->s->columns.nr ? p->s->columns.v[p->next].nr : 0;
	int64_t *v = take_numbers(p, has == 1 ? 1 : nr, false);
	if (v && has == 1 && nr > 1) {
		v = mem_realloc(v, nr, sizeof *v);
		for (size_t i = 1; i < nr; i++)
			v[i] = v[0];
	}
	return v;
}

/* Pairs of a difference of keys and a count, from `*at` on. */
static void take_bins(struct placer *p, const struct column *c, size_t *at, size_t nr,
                      struct tally *t)
{
	uint64_t key = 0;
	if (nr > (c->nr - *at) / 2)
		p->fine = false;
	for (size_t i = 0; i < nr && p->fine; i++) {
		key += (uint64_t)c->v[*at];
		vec_push(&t->bins, (struct tally_bin){ (int64_t)key, c->v[*at + 1] });
		*at += 2;
	}
	p->fine = p->fine && tally_is_sound(t);
}

static bool has_rank(const struct fold *f, int64_t rank)
{
	return bsearch(&rank, f->rank, f->nr, sizeof rank, number_cmp_i64);
}

static void place_ranks(struct placer *p, struct fold *f)
{
	f->nr = p->s->columns.nr ? p->s->columns.v[0].nr : 0;
	p->fine = p->fine && f->nr > 0 && f->nr <= RANKS_MAX;
	f->rank = take_numbers(p, f->nr, false);
	for (size_t i = 0; i < f->nr && p->fine; i++)
		p->fine = f->rank[i] >= 0 && f->rank[i] <= RANK_MAX && (!i || f->rank[i] > f->rank[i - 1]);
}

static void place_patterns(struct placer *p, struct fold *f)
{
	struct column *c = next_column(p, true);
	size_t nr = p->fine && c->nr == 1 && c->v[0] >= 0 ? (size_t)c->v[0] : 0;
	p->fine = p->fine && nr > 0;
	for (size_t i = 0; i < nr && p->fine; i++) {
		c = next_column(p, true);
		struct fold_pattern *one = vec_push_zero(&f->patterns);
		one->nr = c->nr;
		one->v = arena_alloc(&f->arena, c->nr, sizeof *one->v);
		for (size_t k = 0; k < c->nr; k++) {
			one->v[k] = c->v[k];
			p->fine = p->fine && c->v[k] >= 0;
		}
		p->fine = p->fine && (!i || fold_pattern_cmp(one - 1, one) < 0);
	}
}

/* Counts and indices; a hash is any number, and a rank may have begun no step. */
static void check_numbers(struct placer *p, const struct fold *f)
{
	for (size_t i = 0; i < NR_FOLD_NUMBERS && p->fine; i++)
		for (size_t k = 0; k < f->nr && i != FOLD_SOURCE && i != FOLD_STEP; k++)
			p->fine = p->fine && f->number[i][k] >= 0;
	for (size_t k = 0; k < f->nr && p->fine; k++) {
		int64_t pattern = f->number[FOLD_PATTERN][k], usable = f->number[FOLD_USABLE][k];
		p->fine = (uint64_t)pattern < f->patterns.nr &&
		          (uint64_t)f->number[FOLD_DEED][k] < f->deeds.nr &&
		          (uint64_t)f->number[FOLD_STEPS][k] == f->patterns.v[pattern].nr &&
		          usable <= f->number[FOLD_STEPS][k] && f->number[FOLD_STEP][k] >= -1;
	}
}

static void place_figures(struct placer *p, struct fold *f)
{
	for (size_t i = 0; i < f->figures.nr && p->fine; i++) {
		struct fold_figure *g = &f->figures.v[i];
		size_t at = 0;
		p->fine = metric_table[g->metric].per_step || g->stat == STAT_MEDIAN;
		if (f->by_rank && fold_is_by_rank(g)) {
			p->fine = p->fine && g->tally.count == 0;
			g->value = take_numbers(p, f->nr, true);
			continue;
		}
		const struct column *c = next_column(p, false);
		if (p->fine)
			take_bins(p, c, &at, c->nr / 2, &g->tally);
		p->fine = p->fine && at == c->nr && (uint64_t)g->tally.count <= f->nr;
	}
}

/* Columns of one list of structs of `size`, zeroed. */
static void place_members(struct placer *p, void *v, size_t nr, size_t size, const size_t *offsets,
                          size_t nr_offsets)
{
	for (size_t i = 0; i < nr_offsets; i++) {
		int64_t *column = take_numbers(p, nr, false);
		for (size_t k = 0; k < nr && p->fine; k++)
			*(int64_t *)(void *)((char *)v + k * size + offsets[i]) = column[k];
		free(column);
	}
}

static size_t next_size(const struct placer *p)
{
	return p->next < p->s->columns.nr ? p->s->columns.v[p->next].nr : 0;
}

static void check_series(struct placer *p, const struct fold *f, const struct fold_series *s)
{
	for (size_t i = 0; i < s->members.nr && p->fine; i++) {
		const struct fold_member *m = &s->members.v[i];
		p->fine = has_rank(f, m->rank) && m->count > 0 && m->dur_ns >= 0 &&
		          (!i || m->rank > s->members.v[i - 1].rank);
	}
	for (size_t i = 0; i < s->matches.nr && p->fine; i++) {
		const struct fold_match *m = &s->matches.v[i];
		p->fine = has_rank(f, m->dur.min_rank) && m->dur.min >= 0 && m->place >= 0 &&
		          (uint64_t)m->dur.count <= s->members.nr &&
		          (!i || fold_match_cmp(&s->matches.v[i - 1], m) < 0);
	}
}

static void place_series(struct placer *p, const struct fold *f, struct fold_series *s)
{
	size_t at = 0, nr = next_size(p);
	vec_reserve(&s->members, nr);
	memset(s->members.v, 0, nr * sizeof *s->members.v);
	s->members.nr = nr;
	place_members(p, s->members.v, nr, sizeof *s->members.v, member_columns, NR_MEMBER_COLUMNS);
	nr = next_size(p);
	vec_reserve(&s->matches, nr);
	memset(s->matches.v, 0, nr * sizeof *s->matches.v);
	s->matches.nr = nr;
	for (size_t i = 0; i < nr; i++)
		s->matches.v[i].dur.median = TALLY_UNKNOWN;
	place_members(p, s->matches.v, nr, sizeof *s->matches.v, match_columns, NR_MATCH_COLUMNS);
	const struct column *bins = next_column(p, false);
	for (size_t i = 0; i < nr && p->fine; i++) {
		p->fine = at < bins->nr && bins->v[at] > 0;
		if (p->fine) {
			size_t own = (size_t)bins->v[at++];
			take_bins(p, bins, &at, own, &s->matches.v[i].dur);
		}
	}
	p->fine = p->fine && at == bins->nr && s->members.nr > 0 && nr > 0;
	check_series(p, f, s);
}

static bool place_columns(struct stored *s)
{
	struct placer p = { .s = s, .fine = s->has_columns };
	struct fold *f = &s->fold;
	place_ranks(&p, f);
	for (size_t i = 0; i < NR_FOLD_NUMBERS && f->by_rank && p.fine; i++)
		f->number[i] = take_same(&p, f->nr);
	if (f->by_rank && p.fine)
		place_patterns(&p, f);
	if (f->by_rank && p.fine)
		check_numbers(&p, f);
	place_figures(&p, f);
	for (size_t i = 0; i < f->series.nr; i++)
		if (p.fine)
			place_series(&p, f, &f->series.v[i]);
	return p.fine && p.next == s->columns.nr && f->is_mean == !f->by_rank;
}

void fold_read(struct row_reader *r, void *const *digests, size_t nr)
{
	struct digest *d = digests[0];
	struct stored *s = mem_calloc(1, sizeof *s);
	struct arena *outer = r->arena;
	size_t before = row_enter(r, "fold", 0);
	uint64_t byte = row_byte(r);
	d->fold = &s->fold; /* which frees all of it */
	r->arena = &s->fold.arena;
	if (nr > 1)
		row_fail(r, byte, NULL, "stands beside other ranks");
	row_read(r, &fold_schema, s);
	bool fine = place_columns(s);
	r->arena = outer;
	if (jscan_status(r->js) == ST_OK && !fine)
		row_fail(r, byte, NULL, "has columns that do not fit its rows");
	if (jscan_status(r->js) == ST_OK && s->fold.by_rank != r->whole)
		row_fail(r, byte, NULL,
		         r->whole ? "lacks the ranks, as only a baseline may"
		                  : "has the ranks, which no baseline does");
	for (size_t i = 0; i < s->columns.nr; i++)
		free(s->columns.v[i].v);
	vec_release(&s->columns);
	strbuf_setlen(&r->path, before);
}
