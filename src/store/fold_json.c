/* Reads and writes folds: the figures of all ranks of a folded run. Figures and series are rows.
 * Figures of single ranks, and the bins of histograms (struct tally), are columns in the order of
 * the rows that they belong to. Each number is stored as its difference from the number before it.
 * In columns of bins, only keys are stored as differences (from the key before); counts are stored
 * as they are. A column of the member `number` (struct fold) has only one number if it is the same
 * for all ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/fold.h"
#include "model/rows.h"
#include "store/columns.h"
#include "store/digest_json.h"
#include "store/digest_schema.h"
#include "store/row.h"

/* ---- writing of folds ---- */

struct writer {
	struct sink *out;
	const char *before;
	struct strbuf text; ///< text of the present column
};

/* Appends a number, after a comma if `more`. Written for speed, since writing a fold spends most of
 * its time here. */
static void put_number(struct strbuf *out, uint64_t bits, bool more)
{
	char digits[24];
	size_t n = sizeof digits;
	bool negative = bits >> 63;
	uint64_t rest = negative ? 0 - bits : bits;
	do
		digits[--n] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (negative)
		digits[--n] = '-';
	if (more)
		digits[--n] = ',';
	strbuf_add(out, (struct span){ digits + n, sizeof digits - n });
}

/* Writes a column of `nr` values that are `stride` bytes apart in memory. If `plain`, the numbers
   are written unchanged, since they are differences already. */
static void write_values(struct writer *w, const void *v, size_t nr, size_t stride, bool plain)
{
	int64_t last = 0;
	strbuf_setlen(&w->text, 0);
	strbuf_addf(&w->text, "%s\n[", w->before);
	w->before = ",";
	for (size_t i = 0; i < nr; i++) {
		int64_t value = *(const int64_t *)(const void *)((const char *)v + i * stride);
		if (value == FOLD_ABSENT) {
			strbuf_adds(&w->text, i ? ",null" : "null");
			continue;
		}
		put_number(&w->text, (uint64_t)value - (uint64_t)last, i > 0);
		last = plain ? 0 : value;
	}
	strbuf_addch(&w->text, ']');
	sink_write(w->out, strbuf_span(&w->text));
}

static void write_column(struct writer *w, const void *v, size_t nr, size_t stride)
{
	write_values(w, v, nr, stride, false);
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

/* Writes and releases the column that add_bins() has filled. */
static void write_bins(struct writer *w, struct column *c)
{
	write_values(w, c->v, c->nr, sizeof *c->v, true);
	vec_release(c);
}

static void write_series(struct writer *w, const struct fold_series *s)
{
	struct column bins = { 0 };
	for (size_t i = 0; i < NR_MEMBER_COLUMNS; i++)
		write_column(w, (const char *)s->members.v + fold_member_columns[i], s->members.nr,
		             sizeof *s->members.v);
	for (size_t i = 0; i < NR_MATCH_COLUMNS; i++)
		write_column(w, (const char *)s->matches.v + fold_match_columns[i], s->matches.nr,
		             sizeof *s->matches.v);
	for (size_t i = 0; i < s->matches.nr; i++)
		add_bins(&bins, &s->matches.v[i].dur, true);
	write_bins(w, &bins);
}

static void write_columns(const void *fold, struct sink *out)
{
	const struct fold *f = fold;
	struct writer w = { .out = out, .before = "[", .text = STRBUF_INIT };
	int64_t patterns = (int64_t)f->patterns.nr, numbers = NR_FOLD_NUMBERS;
	write_column(&w, f->rank, f->nr, sizeof *f->rank);
	if (f->by_rank)
		write_column(&w, &numbers, 1, sizeof numbers);
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
		write_bins(&w, &bins);
	}
	for (size_t i = 0; i < f->series.nr; i++)
		write_series(&w, &f->series.v[i]);
	sink_puts(out, "\n]");
	strbuf_release(&w.text);
}

/* ---- reading of folds ---- */

static int64_t read_number(struct row_reader *r)
{
	int64_t value;
	if (jscan_decimal(r->js, 0, &value))
		return value;
	return jscan_null(r->js) ? FOLD_ABSENT : row_read_number(r, NULL);
}

static void read_columns(struct row_reader *r, void *fold)
{
	struct stored_fold *s = fold;
	s->has_columns = true;
	while (row_item(r, NULL, s->columns.nr)) {
		struct column *c = vec_push_zero(&s->columns);
		if (s->columns.nr > store_limits.rows)
			row_fail(r, row_byte(r), NULL, "has too many columns");
		while (row_item(r, NULL, c->nr))
			vec_push(c, read_number(r));
	}
}

/* Reads the digests that the fold keeps whole. Stores only the rank, source hash and JSON text of
 * each, which is enough for merging. */
static void read_kept(struct row_reader *r, void *fold)
{
	struct fold *f = fold;
	bool outer = r->keeps_text;
	struct arena *arena = r->arena;
	r->keeps_text = !outer; /* if the text of the folded digest is kept, the texts of these
	                           digests are a part of it */
	while (row_item(r, NULL, f->kept.ranks.nr)) {
		uint64_t byte = row_byte(r);
		struct digest *whole = digest_new(), *d = digest_new();
		vec_push(&f->kept.ranks, d);
		digest_read_into(r, whole);
		if (jscan_status(r->js) == ST_OK && (whole->fold || f->kept.ranks.nr > FOLD_KEPT))
			row_fail(r, byte, NULL, whole->fold ? "has a folded digest" : "has too many digests");
		d->rank = whole->rank;
		d->source_hash = whole->source_hash;
		d->text = arena_span(&d->arena, whole->text);
		digest_free(whole);
	}
	r->arena = arena;
	r->keeps_text = outer;
}

static void write_kept(const void *fold, struct sink *out)
{
	digests_write(&((const struct fold *)fold)->kept, out);
}

static bool has_kept(const void *fold)
{
	return ((const struct fold *)fold)->kept.ranks.nr > 0;
}

/* True if each kept digest belongs to a rank of the fold, and these digests are in the order of
   ranks. */
static bool kept_fit(const struct fold *f)
{
	const struct run *kept = &f->kept;
	bool fine = kept->ranks.nr == 0 || f->by_rank;
	for (size_t i = 0; i < kept->ranks.nr && fine; i++) {
		const struct digest *d = kept->ranks.v[i];
		const int64_t *at = bsearch(&d->rank, f->rank, f->nr, sizeof *f->rank, number_cmp_i64);
		fine = at && (uint64_t)f->number[FOLD_SOURCE][at - f->rank] == d->source_hash &&
		       (!i || d->rank > kept->ranks.v[i - 1]->rank);
	}
	return fine;
}

enum status fold_complete(struct digest *d, const char *path, struct diag_log *log)
{
	struct run *kept = &d->fold->kept;
	for (size_t i = 0; i < kept->ranks.nr; i++) {
		struct digest *whole;
		if (!kept->ranks.v[i]->text.n)
			continue;
		TRY(digest_read_again(kept->ranks.v[i], path, &whole, log));
		digest_own(d, whole);
		kept->ranks.v[i] = whole;
	}
	return ST_OK;
}

static const struct field fold_fields[] = {
	MEMBER_AT("by_rank", stored_fold, fold.by_rank, BOOL),
	MEMBER_AT("is_mean", stored_fold, fold.is_mean, BOOL),
	MEMBER_AT("deeds", stored_fold, fold.deeds, OPTIONAL_ROWS, .sub = &fold_deed_row),
	MEMBER_AT("figures", stored_fold, fold.figures, ROWS, .sub = &fold_figure_row),
	MEMBER_AT("series", stored_fold, fold.series, OPTIONAL_ROWS, .sub = &fold_series_row),
	{ .key = "columns",
	  .type = FIELD_OWN,
	  .read = read_columns,
	  .write = write_columns,
	  .described = "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"type\": "
	               "[\"integer\", \"null\"]}}}" },
	{ .key = "kept",
	  .type = FIELD_OWN,
	  .since = 1,
	  .read = read_kept,
	  .write = write_kept,
	  .has = has_kept,
	  .described = "{\"type\": \"array\", \"items\": {\"$ref\": \"" DIGEST_SCHEMA ".json\"}}" },
	MEMBER_AT("asked", stored_fold, fold.asked.values, OPTIONAL_ROWS, .sub = &past_value_schema,
	          .since = 1),
};

const struct schema fold_schema = SCHEMA_OF(stored_fold, fold_fields, .listed = false);

bool fold_is_there(const void *digest)
{
	return ((const struct digest *)digest)->fold;
}

void fold_write(const void *digest, struct sink *out)
{
	row_write(&fold_schema, ((const struct digest *)digest)->fold, out);
}

void fold_read(struct row_reader *r, void *digest)
{
	struct digest *d = digest;
	struct stored_fold *s = mem_calloc(1, sizeof *s);
	struct arena *outer = r->arena;
	uint64_t byte = row_byte(r);
	d->fold = &s->fold; /* the fold is the first member of `s`: freeing the fold frees `s` */
	r->arena = &s->fold.arena;
	row_read(r, &fold_schema, s);
	bool fine = fold_place_columns(s);
	r->arena = outer;
	for (size_t i = 0; i < s->fold.kept.ranks.nr; i++)
		digest_own(d, s->fold.kept.ranks.v[i]);
	if (jscan_status(r->js) == ST_OK && !fine)
		row_fail(r, byte, NULL, "has columns that do not fit its rows");
	if (jscan_status(r->js) == ST_OK && !kept_fit(&s->fold))
		row_fail(r, byte, "kept", "has digests that are not of its ranks");
	if (jscan_status(r->js) == ST_OK && s->fold.by_rank != r->whole)
		row_fail(r, byte, NULL,
		         r->whole ? "lacks the ranks, as only a baseline may"
		                  : "has the ranks, which no baseline does");
	if (jscan_status(r->js) == ST_OK && r->whole && s->fold.asked.values.nr)
		row_fail(r, byte, "asked", "has answers to rules, as only a baseline may");
	for (size_t i = 0; i < s->columns.nr; i++)
		free(s->columns.v[i].v);
	vec_release(&s->columns);
}
