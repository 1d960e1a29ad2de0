#include <inttypes.h>

#include "base/nearest.h"
#include "base/number.h"
#include "rules/rules_internal.h"

/* A number with a unit, as written in the file. */
struct quantity {
	int64_t scaled; ///< the number × 10^6
	const struct unit_word *unit;
	struct decimal exact;
	struct span unit_text;
};

static enum unit_family family_of(enum unit unit)
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

static enum status unit_read(struct document *d, const struct node *n, struct span text,
                             bool of_file, struct quantity *out)
{
	struct nearest near = { .word = text };
	out->unit = unit_word_find(text);
	out->unit_text = text;
	if (!out->unit && of_file && figure_unit_find(text) >= 0)
		out->unit = unit_word_find(SPAN(""));
	if (out->unit)
		return ST_OK;
	for (const struct unit_word *w = unit_words; w->name; w++)
		if (*w->name)
			nearest_try(&near, w->name);
	return document_fail(
	    d, n, "unknown unit %s%s", document_quote(d, text),
	    nearest_hint(&near, &d->arena, ':',
	                 ": there are ns, us, ms, s, B, KiB, MiB, GiB, kB, MB, GB, % and pp"));
}

static enum status quantity_read(struct document *d, const struct node *n, enum unit unit,
                                 struct quantity *out)
{
	bool of_file = unit == UNIT_NUMBER;
	struct span s = n->text;
	const char *quoted = document_quote(d, s);
	if (s.n && s.p[0] == '-')
		return document_fail(
		    d, n, "%s is negative: a limit says how far, its key says in which direction", quoted);
	struct span number = unit_number_take(&s);
	/* this checks only the form: no number can be too large, since it is divided by 10^number.n */
	int64_t nothing;
	if (!number_parse(number, -(int)number.n, &nothing))
		return document_fail(d, n, "%s must begin with a number like 5 or 0.5", quoted);
	if (of_file && decimal_parse(number, &out->exact) != DECIMAL_OK)
		return document_fail(d, n, "%s has more than %d significant digits", quoted,
		                     DECIMAL_SIGNIFICANT);
	if (!of_file && unit_number_is_too_fine(number))
		return document_fail(d, n, "%s has more than %d decimals", quoted, UNIT_DECIMALS);
	if (of_file)
		out->scaled = decimal_scaled(out->exact, UNIT_DECIMALS);
	else if (!number_parse(number, UNIT_DECIMALS, &out->scaled))
		return document_fail(d, n, "%s is too large", quoted);
	if (unit == UNIT_BYTES_PER_S && s.n > 2 && memcmp(s.p + s.n - 2, "/s", 2) == 0)
		s.n -= 2;
	TRY(unit_read(d, n, s, of_file, out));
	if (out->unit->family == FAMILY_BARE && !s.n && !n->plain)
		return document_fail(d, n, "%s in quotes is a text: write the number without them", quoted);
	return ST_OK;
}

enum status share_read(struct document *d, const struct node *n, int64_t most, int64_t *out)
{
	struct quantity q;
	TRY(quantity_read(d, n, UNIT_PCT, &q));
	if (q.unit->family != FAMILY_PERCENT || q.scaled > most * MICRO)
		return document_fail(d, n, "%s must be a share from 0%% to %" PRId64 "%%",
		                     document_quote(d, n->text), most);
	*out = q.scaled;
	return ST_OK;
}

/* How a quantity is used: as a difference, as `max` or `min`, or as `and`. Each use allows other
   units. */
enum use { USE_DIFFERENCE, USE_BOUND, USE_AND };

static const char *fitting_units(enum unit_family family, enum use use)
{
	static const char *const fits[][3] = {
		[FAMILY_BARE] = { "write a bare number or %", "write a bare number",
		                  "write a bare number or spreads" },
		[FAMILY_TIME] = { "write ns, us, ms, s or %", "write ns, us, ms or s",
		                  "write ns, us, ms, s, '% of step' or spreads" },
		[FAMILY_BYTES] = { "write B, KiB, MiB, GiB, kB, MB, GB or %",
		                   "write B, KiB, MiB, GiB, kB, MB or GB",
		                   "write B, KiB, MiB, GiB, kB, MB or GB" },
		[FAMILY_PERCENT] = { "write % (relative) or pp (percentage points)", "write %",
		                     "write pp" },
	};
	return fits[family][use];
}

/* Convert an absolute value to the metric's unit. Rounding it changes no verdict, since figures are
   whole numbers, and must be strictly above or below a limit: "above 1.5" means "above 1", and
   "below 1.5" means "below 2". */
static enum status absolute_read(struct document *d, const struct node *n, const struct metric *m,
                                 bool below, const struct quantity *q, int64_t *out)
{
	if (m->unit == UNIT_COUNT && q->scaled % MICRO)
		return document_fail(d, n, "%s: '%s' is a whole number", document_quote(d, n->text),
		                     m->name);
	if (unit_digits(m->unit) == UNIT_DECIMALS) {
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

/* True if a quantity in this unit may be used for the metric in the way `use`. For figures of
   result files, gate/figure_rule.c checks the units once a file is read. */
static bool unit_fits(const struct metric *m, enum unit_family unit, enum use use)
{
	enum unit_family family = family_of(m->unit);
	if (unit == FAMILY_SPREAD)
		return use == USE_AND && !m->exact;
	if (m->unit == UNIT_NUMBER)
		return unit != FAMILY_STEP && unit != FAMILY_POINTS &&
		       (unit != FAMILY_PERCENT || use != USE_AND);
	if (unit == FAMILY_STEP)
		return family == FAMILY_TIME && use == USE_AND;
	if (unit == FAMILY_PERCENT)
		return use == USE_DIFFERENCE || (use == USE_BOUND && family == FAMILY_PERCENT);
	if (unit == FAMILY_POINTS)
		return family == FAMILY_PERCENT && use != USE_BOUND;
	return family == unit;
}

static enum status fitting_read(struct document *d, const struct node *n, const struct metric *m,
                                enum use use, struct quantity *out)
{
	TRY(quantity_read(d, n, m->unit, out));
	if (unit_fits(m, out->unit->family, use))
		return ST_OK;
	return document_fail(d, n, "%s does not fit '%s', which is in %s: %s",
	                     document_quote(d, n->text), m->name,
	                     m->unit == UNIT_COUNT ? "counts" : unit_name(m->unit),
	                     fitting_units(family_of(m->unit), use));
}

enum status bound_read(struct document *d, const struct metric *m, const struct node *n, bool below,
                       int64_t *out)
{
	struct quantity q;
	TRY(fitting_read(d, n, m, USE_BOUND, &q));
	return absolute_read(d, n, m, below, &q, out);
}

static enum status limit_read(struct document *d, struct arena *a, const struct metric *m,
                              const struct node *n, struct limit *out)
{
	enum use use = limit_is_absolute(out) ? USE_BOUND : USE_DIFFERENCE;
	struct quantity q;
	if (m->label == LABEL_PAIR && use != USE_BOUND)
		return document_fail(
		    d, n->key, "'%s' is a comparison of both sides already: use 'max' or 'min'", m->name);
	TRY(fitting_read(d, n, m, use, &q));
	out->text = arena_dup(a, n->text);
	out->relative = q.unit->family == FAMILY_PERCENT && use == USE_DIFFERENCE;
	out->exact = (struct file_limit){ q.exact, arena_dup(a, q.unit_text) };
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
	bool binds =
	    ANY(i, out->list.nr, out->list.v[i].relative && out->list.v[i].condition != COND_CHANGE);
	if (!binds)
		return document_fail(d, n->key,
		                     "'and' belongs to increases and decreases in %%, and there is none");
	TRY(fitting_read(d, n, m, USE_AND, &q));
	out->has_and = true;
	out->and_of = q.unit->family == FAMILY_STEP     ? AND_OF_STEP
	              : q.unit->family == FAMILY_SPREAD ? AND_OF_SPREAD
	                                                : AND_OF_VALUE;
	out->and_text = arena_dup(a, n->text);
	out->and_exact = (struct file_limit){ q.exact, arena_dup(a, q.unit_text) };
	if (out->and_of == AND_OF_VALUE)
		return absolute_read(d, n, m, false, &q, &out->and_value);
	out->and_value = q.scaled;
	return ST_OK;
}

/* Replace the condition 'worse' by an increase or a decrease. For figures of result files,
   gate/figure_rule.c does so once a file is read, unless the rule itself says which direction is
   better. */
static enum status direction_find(struct document *d, const struct rule *r, const struct node *n,
                                  enum condition *condition)
{
	if (*condition != COND_WORSE || (r->metric->need == NEED_INPUT && r->worse == WORSE_EITHER))
		return ST_OK;
	if (r->worse == WORSE_EITHER)
		return document_fail(d, n->key,
		                     "'%s' has no better direction: write 'increase', 'decrease' or "
		                     "'change'",
		                     r->metric->name);
	*condition = r->worse == WORSE_UP ? COND_INCREASE : COND_DECREASE;
	return ST_OK;
}

enum status limits_read(struct document *d, struct arena *a, const struct rule *r,
                        const struct node *map, struct limits *out)
{
	const struct metric *m = r->metric;
	for (const struct node *n = node_first(map); n; n = n->next) {
		int condition = span_find(n->key->text, condition_names);
		if (condition < 0)
			continue; /* 'and' is read below, since what it means depends on the other keys */
		struct limit limit = { .condition = (enum condition)condition };
		TRY(direction_find(d, r, n, &limit.condition));
		TRY(limit_read(d, a, m, n, &limit));
		vec_push(&out->list, limit);
	}
	out->own = out->list.nr && !d->built_in && !map->built_in;
	const struct node *and = node_get(map, "and");
	return and? and_read(d, a, m, and, out) : ST_OK;
}
