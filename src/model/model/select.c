#include "model/select.h"

#include <stddef.h>

#include "base/number.h"
#include "base/text.h"
#include "model/phases.h"

#define LABELED(kind) (1u << LABEL_##kind)
#define ANY_LABEL (~LABELED(PAIR))
#define PHASES (1u << 31) /* bit of metrics whose figures rules can select by phase */
#define GLOB(key) offsetof(struct query, key)

const struct select_key select_table[] = {
#define X(member, name, kind, labels, meaning) { name, GLOB(member), labels },
#include "model/select.def"
	{ NULL, 0, 0 },
};

#define NR_KEYS (NR_OF(select_table) - 1)

const unsigned select_any_label = ANY_LABEL;

unsigned select_labels(const struct metric *m)
{
	bool by_phase = m->parts == PARTS_CODE && m->label != LABEL_RANGE;
	return 1u << m->label | (phase_sum_of(m) || by_phase ? PHASES : 0);
}

const char **select_glob(struct query *q, const struct select_key *key)
{
	return (const char **)(void *)((char *)q + key->glob);
}

const char *select_glob_in(const struct query *q, const struct select_key *key)
{
	return *(const char *const *)(const void *)((const char *)q + key->glob);
}

bool select_any(const struct query *q)
{
	for (const struct select_key *key = select_table; key->name; key++)
		if (select_glob_in(q, key))
			return true;
	return false;
}

const struct select_pair *select_pairs(const struct query *q, struct arena *a)
{
	struct select_pair *pairs = arena_alloc(a, NR_KEYS + 1, sizeof *pairs);
	size_t nr = 0;
	for (const struct select_key *key = select_table; key->name; key++) {
		const char *glob = select_glob_in(q, key);
		if (glob)
			pairs[nr++] = (struct select_pair){ key->name, text_line(a, span_of(glob)) };
	}
	return pairs;
}

const char *select_text(const struct query *q, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	for (const struct select_key *key = select_table; key->name; key++) {
		const char *glob = select_glob_in(q, key);
		if (glob)
			strbuf_addf(&b, "%s%s=%s", b.n ? ", " : "", key->name, glob);
	}
	return arena_take(a, &b);
}

/* The value of the key `class` that selects kernels of the class `cls`. */
static struct span class_asked(enum category_class cls)
{
	return cls == CLASS_COMMUNICATION ? SPAN("communication") : SPAN("compute");
}

/* The item's value for a key. If the item has no single value for the key: the rule's own glob, ""
 * if the rule has none. */
static struct span value_of(const struct select_key *key, const struct select_item *item,
                            char number[NUMBER_TEXT])
{
	const struct query *q = &item->rule->query;
	unsigned label = select_labels(item->rule->metric);
	const char *own = select_glob_in(q, key);
	if (key->glob == GLOB(rank) && item->rank >= 0)
		return span_of(number_format(item->rank, 0, number));
	bool narrows = key->glob == GLOB(phase) && item->rule->metric->label != LABEL_NONE;
	if (!(key->labels & label) || key->labels == ANY_LABEL || !item->label.n || narrows)
		return own ? span_of(own) : SPAN("");
	bool kernel = label & LABELED(KERNEL), op = label & LABELED(OP);
	if (key->glob == GLOB(cls) && op && own)
		return span_of(own); /* an operator may launch kernels of both classes: the rule decides */
	if (key->glob == GLOB(cls) && op)
		return class_asked(category_class_of(item->categories, item->label));
	struct span category = item->label;
	if (kernel)
		category =
		    span_of(category_name(item->categories, category_of(item->categories, item->label)));
	if (key->glob == GLOB(cls))
		return class_asked(category_class_named(item->categories, category));
	return kernel && key->glob == GLOB(category) ? category : item->label;
}

bool select_covers(const struct query *globs, const struct select_item *item)
{
	char number[NUMBER_TEXT];
	struct query of_item = *globs;
	of_item.metric = item->rule->metric;
	const char *own = query_name(&of_item);
	for (const struct select_key *key = select_table; key->name; key++) {
		const char *glob = select_glob_in(globs, key);
		if (!glob)
			continue;
		struct span value = value_of(key, item, number);
		enum name_fit fit = glob == own && item->label.n
		                        ? item_fit(item->rule->metric, span_of(glob), value)
		                    : span_glob(span_of(glob), value) ? FIT_PATTERN
		                                                      : FIT_NONE;
		if (!value.n || !fit || (glob == own && fit < item->least))
			return false;
	}
	return true;
}
