#include "gate/words.h"

#include "base/text.h"

const char *word_take(struct arena *a, struct strbuf *b)
{
	const char *text = arena_dup(a, strbuf_span(b));
	strbuf_release(b);
	return text;
}

const char *word_figure(struct arena *a, enum unit unit, int64_t value)
{
	struct strbuf b = STRBUF_INIT;
	unit_format(&b, unit, value, false);
	return word_take(a, &b);
}

static const char *in_points(struct arena *a, enum unit unit, int64_t change, bool sign)
{
	struct strbuf b = STRBUF_INIT;
	unit_format(&b, unit, change, sign);
	if (unit == UNIT_PCT && b.n && b.p[b.n - 1] == '%') {
		strbuf_setlen(&b, b.n - 1);
		strbuf_adds(&b, "pp");
	}
	return word_take(a, &b);
}

const char *word_change(struct arena *a, enum unit unit, int64_t change)
{
	return in_points(a, unit, change, true);
}

const char *word_movement(struct arena *a, enum unit unit, int64_t from, int64_t to)
{
	return arena_printf(a, "%s → %s", word_figure(a, unit, from), word_figure(a, unit, to));
}

const char *word_amount(struct arena *a, enum unit unit, int64_t amount)
{
	return in_points(a, unit, amount, false);
}

const char *word_pct(struct arena *a, int64_t pct)
{
	struct strbuf b = STRBUF_INIT;
	unit_format(&b, UNIT_PCT, pct, true);
	return word_take(a, &b);
}

const char *word_line(struct arena *a, struct span s)
{
	return word_short(a, s, (size_t)-1);
}

const char *word_short(struct arena *a, struct span s, size_t max_chars)
{
	struct strbuf b = STRBUF_INIT;
	text_add_short(&b, s, max_chars);
	return word_take(a, &b);
}
