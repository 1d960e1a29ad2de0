#include "base/number.h"
#include "gate/rules_file.h"
#include "gate/rules_parts.h"

#define DECIMALS 6

/* What a unit measures. Bare numbers are for counts and rates. */
enum family { FAMILY_BARE, FAMILY_TIME, FAMILY_BYTES, FAMILY_PERCENT, FAMILY_POINTS, FAMILY_STEP };

static const struct unit_row {
	const char *name;
	enum family family;
	int64_t factor; ///< in ns or bytes
} unit_rows[] = {
	{ "", FAMILY_BARE, 1 },           { "ns", FAMILY_TIME, 1 },
	{ "us", FAMILY_TIME, 1000 },      { "ms", FAMILY_TIME, 1000000 },
	{ "s", FAMILY_TIME, 1000000000 }, { "B", FAMILY_BYTES, 1 },
	{ "KiB", FAMILY_BYTES, 1 << 10 }, { "MiB", FAMILY_BYTES, 1 << 20 },
	{ "GiB", FAMILY_BYTES, 1 << 30 }, { "kB", FAMILY_BYTES, 1000 },
	{ "MB", FAMILY_BYTES, 1000000 },  { "GB", FAMILY_BYTES, 1000000000 },
	{ "%", FAMILY_PERCENT, 1 },       { "pp", FAMILY_POINTS, 1 },
	{ "% of step", FAMILY_STEP, 1 },
};
#define NR_UNITS (sizeof unit_rows / sizeof *unit_rows)

/* A number with a unit, as written. */
struct quantity {
	int64_t scaled; ///< × 10^6
	const struct unit_row *unit;
};

static enum family family_of(enum unit unit)
{
	switch (unit) {
	case UNIT_NS:
	case UNIT_NS_PER_STEP:
		return FAMILY_TIME;
	case UNIT_BYTES:
	case UNIT_BYTES_PER_S:
	case UNIT_BYTES_PER_STEP:
		return FAMILY_BYTES;
	case UNIT_PCT:
		return FAMILY_PERCENT;
	default:
		return FAMILY_BARE;
	}
}

static const struct unit_row *unit_find(struct span name)
{
	for (size_t i = 0; i < NR_UNITS; i++)
		if (span_eq(name, span_of(unit_rows[i].name)))
			return &unit_rows[i];
	return NULL;
}

static enum status unit_read(struct document *d, const struct node *n, struct span text,
                             struct quantity *out)
{
	struct nearest near = { .word = text };
	out->unit = unit_find(text);
	if (out->unit)
		return ST_OK;
	for (size_t i = 0; i < NR_UNITS; i++)
		if (*unit_rows[i].name)
			nearest_try(&near, unit_rows[i].name);
	if (near.best)
		return document_fail(d, n, "unknown unit %s: did you mean '%s'?", document_quote(d, text),
		                     near.best);
	return document_fail(
	    d, n, "unknown unit %s: there are ns, us, ms, s, B, KiB, MiB, GiB, kB, MB, GB, %% and pp",
	    document_quote(d, text));
}

/* NUMBER, blanks, UNIT: the number, and in `s` what stands behind it and the blanks. */
static struct span number_take(struct span *s)
{
	struct span number = { s->p, 0 };
	while (number.n < s->n && (is_digit(s->p[number.n]) || s->p[number.n] == '.'))
		number.n++;
	s->p += number.n;
	s->n -= number.n;
	while (s->n && *s->p == ' ')
		s->p++, s->n--;
	return number;
}

static bool is_too_fine(struct span number)
{
	const char *point = memchr(number.p, '.', number.n);
	return point && number.p + number.n - point - 1 > DECIMALS;
}

bool bytes_parse(struct span text, int64_t *out)
{
	int64_t scaled;
	struct span number = number_take(&text);
	const struct unit_row *unit = unit_find(text);
	if (!unit || (unit->family != FAMILY_BYTES && unit->family != FAMILY_BARE) ||
	    is_too_fine(number) || !number_parse(number, DECIMALS, &scaled))
		return false;
	__int128 v = (__int128)scaled * unit->factor / MICRO;
	if (v <= 0 || v > INT64_MAX)
		return false;
	*out = (int64_t)v;
	return true;
}

static enum status quantity_read(struct document *d, const struct node *n, enum unit unit,
                                 struct quantity *out)
{
	struct span s = n->text;
	const char *quoted = document_quote(d, s);
	if (s.n && s.p[0] == '-')
		return document_fail(
		    d, n, "%s is negative: a limit says how far, its key says in which direction", quoted);
	struct span number = number_take(&s);
	/* With so few places that nothing is left, only the form decides. */
	int64_t nothing;
	if (!number_parse(number, -(int)number.n, &nothing))
		return document_fail(d, n, "%s must begin with a number like 5 or 0.5", quoted);
	if (is_too_fine(number))
		return document_fail(d, n, "%s has more than %d decimals", quoted, DECIMALS);
	if (!number_parse(number, DECIMALS, &out->scaled))
		return document_fail(d, n, "%s is too large", quoted);
	if (unit == UNIT_BYTES_PER_S && s.n > 2 && memcmp(s.p + s.n - 2, "/s", 2) == 0)
		s.n -= 2;
	TRY(unit_read(d, n, s, out));
	if (out->unit->family == FAMILY_BARE && !n->plain)
		return document_fail(d, n, "%s in quotes is a text: write the number without them", quoted);
	return ST_OK;
}

enum status share_read(struct document *d, const struct node *n, int64_t *out)
{
	struct quantity q;
	TRY(quantity_read(d, n, UNIT_PCT, &q));
	if (q.unit->family != FAMILY_PERCENT || q.scaled > 100 * MICRO)
		return document_fail(d, n, "%s must be a share from 0%% to 100%%",
		                     document_quote(d, n->text));
	*out = q.scaled;
	return ST_OK;
}

/* Where a quantity stands, for what fits there. */
enum use { USE_DIFFERENCE, USE_BOUND, USE_AND };

static const char *fitting_units(enum family family, enum use use)
{
	static const char *const fits[][3] = {
		[FAMILY_BARE] = { "write a bare number or %", "write a bare number",
		                  "write a bare number" },
		[FAMILY_TIME] = { "write ns, us, ms, s or %", "write ns, us, ms or s",
		                  "write ns, us, ms, s or '% of step'" },
		[FAMILY_BYTES] = { "write B, KiB, MiB, GiB, kB, MB, GB or %",
		                   "write B, KiB, MiB, GiB, kB, MB or GB",
		                   "write B, KiB, MiB, GiB, kB, MB or GB" },
		[FAMILY_PERCENT] = { "write % (relative) or pp (percentage points)", "write %",
		                     "write pp" },
	};
	return fits[family][use];
}

/* An absolute value in the metric's unit. "Beyond" is strict, and figures are
   whole: above 1.5 is above 1, below 1.5 is below 2, so nothing is rounded. */
static enum status absolute_read(struct document *d, const struct node *n, const struct metric *m,
                                 bool below, const struct quantity *q, int64_t *out)
{
	if (m->unit == UNIT_COUNT && q->scaled % MICRO)
		return document_fail(d, n, "%s: '%s' is a whole number", document_quote(d, n->text),
		                     m->name);
	if (unit_digits(m->unit) == DECIMALS) {
		*out = q->scaled;
		return ST_OK;
	}
	__int128 v = (__int128)q->scaled * q->unit->factor;
	v = (v + (below ? MICRO - 1 : 0)) / MICRO;
	if (v > INT64_MAX)
		return document_fail(d, n, "%s is too large", document_quote(d, n->text));
	*out = (int64_t)v;
	return ST_OK;
}

/* The unit fits the metric where the quantity stands. */
static bool unit_fits(enum family family, enum family unit, enum use use)
{
	if (unit == FAMILY_STEP)
		return family == FAMILY_TIME && use == USE_AND;
	if (unit == FAMILY_PERCENT)
		return use == USE_DIFFERENCE || (use == USE_BOUND && family == FAMILY_PERCENT);
	if (unit == FAMILY_POINTS)
		return family == FAMILY_PERCENT && use != USE_BOUND;
	return family == unit;
}

static enum status misfit(struct document *d, const struct node *n, const struct metric *m,
                          enum use use)
{
	return document_fail(d, n, "%s does not fit '%s', which is in %s: %s",
	                     document_quote(d, n->text), m->name,
	                     m->unit == UNIT_COUNT ? "counts" : unit_name(m->unit),
	                     fitting_units(family_of(m->unit), use));
}

enum status bound_read(struct document *d, const struct metric *m, const struct node *n, bool below,
                       int64_t *out)
{
	struct quantity q;
	TRY(quantity_read(d, n, m->unit, &q));
	if (!unit_fits(family_of(m->unit), q.unit->family, USE_BOUND))
		return misfit(d, n, m, USE_BOUND);
	return absolute_read(d, n, m, below, &q, out);
}

static enum status limit_read(struct document *d, struct arena *a, const struct metric *m,
                              const struct node *n, struct limit *out)
{
	enum use use =
	    out->condition == COND_MAX || out->condition == COND_MIN ? USE_BOUND : USE_DIFFERENCE;
	struct quantity q;
	if (m->label == LABEL_PAIR && use != USE_BOUND)
		return document_fail(
		    d, n->key, "'%s' is a comparison of both sides already: use 'max' or 'min'", m->name);
	TRY(quantity_read(d, n, m->unit, &q));
	if (!unit_fits(family_of(m->unit), q.unit->family, use))
		return misfit(d, n, m, use);
	out->text = arena_dup(a, n->text);
	out->relative = q.unit->family == FAMILY_PERCENT && use == USE_DIFFERENCE;
	if (!out->relative)
		return absolute_read(d, n, m, out->condition == COND_MIN, &q, &out->value);
	if (out->condition == COND_DECREASE && q.scaled >= 100 * MICRO)
		return document_fail(d, n, "nothing can decrease by more than %s",
		                     document_quote(d, n->text));
	out->value = q.scaled;
	return ST_OK;
}

static enum status and_read(struct document *d, struct arena *a, const struct metric *m,
                            const struct node *n, struct limits *out)
{
	struct quantity q;
	bool binds = false;
	for (size_t i = 0; i < out->list.nr; i++)
		binds = binds || (out->list.v[i].relative && out->list.v[i].condition != COND_CHANGE);
	if (!binds)
		return document_fail(d, n->key,
		                     "'and' belongs to increases and decreases in %%, and there is none");
	TRY(quantity_read(d, n, m->unit, &q));
	if (!unit_fits(family_of(m->unit), q.unit->family, USE_AND))
		return misfit(d, n, m, USE_AND);
	out->has_and = true;
	out->and_of_step = q.unit->family == FAMILY_STEP;
	out->and_text = arena_dup(a, n->text);
	if (!out->and_of_step)
		return absolute_read(d, n, m, false, &q, &out->and_value);
	out->and_value = q.scaled;
	return ST_OK;
}

enum status limits_read(struct document *d, struct arena *a, const struct metric *m,
                        const struct node *map, struct limits *out)
{
	for (const struct node *n = map->first; n; n = n->next) {
		int condition = keys_word(word_condition, n->key, -1);
		if (condition < 0)
			continue; /* 'and', below: it needs to know the rest */
		struct limit limit = { .condition = (enum condition)condition };
		TRY(limit_read(d, a, m, n, &limit));
		vec_push(&out->list, limit);
	}
	const struct node *and = node_get(map, "and");
	return and? and_read(d, a, m, and, out) : ST_OK;
}
