#include "rules/keys.h"

#include <inttypes.h>

#include "base/date.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "metric/metric.h"
#include "rules/rules_file.h"
#include "rules/rules_internal.h"

static bool is_null(const struct node *n)
{
	static const char *const forms[] = { "", "~", "null", "Null", "NULL" };
	if (n->kind != NODE_SCALAR)
		return false;
	return ANY(i, NR_OF(forms), (n->plain || i == 0) && span_eq(n->text, span_of(forms[i])));
}

static enum status check_text(struct document *d, const struct key *key, const struct node *n)
{
	if (n->text.n > MAX_TEXT)
		return document_fail(d, n, "'%s' is longer than %d bytes", key->name, MAX_TEXT);
	for (size_t i = 0; i < n->text.n; i++)
		if ((unsigned char)n->text.p[i] < 0x20 || n->text.p[i] == 0x7F)
			return document_fail(d, n, "'%s' holds a control character", key->name);
	return ST_OK;
}

static bool id_is_valid(struct span id)
{
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];
		if (!is_letter(c) && !is_digit(c) && c != '.' && c != '_' && c != '-')
			return false;
	}
	return id.n && id.n <= MAX_ID;
}

static const char *word_list(struct strbuf *b, const char *word)
{
	strbuf_addf(b, "%s%s", b->n ? ", " : "", word);
	return word;
}

static enum status check_word(struct document *d, const struct key *key, struct node *n)
{
	/* the message does not list metrics: there are too many of them */
	bool metric = key->words == metric_names;
	struct nearest near = { .word = n->text };
	struct strbuf list = STRBUF_INIT;
	n->value = span_find(n->text, key->words);
	if (n->value >= 0)
		return ST_OK;
	for (size_t i = 0; !metric && key->words[i]; i++)
		nearest_try(&near, word_list(&list, key->words[i]));
	if (metric) {
		near.best = metric_suggest(n->text, NULL);
		strbuf_adds(&list, "see 'gpugate explain'; figures of files are called input.NAME");
	}
	const char *otherwise = arena_printf(&d->arena, ": %s", strbuf_str(&list));
	strbuf_release(&list);
	/* a word without a dot may also be the name of a figure of a result file */
	if (metric && near.best && !memchr(n->text.p, '.', n->text.n))
		return document_fail(
		    d, n, "%s is not a known %s: did you mean '%s', or input.%s of a file?",
		    document_quote(d, n->text), key->name, near.best, text_line(&d->arena, n->text));
	return document_fail(d, n, "%s is not a known %s%s", document_quote(d, n->text), key->name,
	                     nearest_hint(&near, &d->arena, ':', otherwise));
}

/* The name without zero-width spaces. The comments that gpugate writes have them in names, as
 * places where a line may break; a name that users copy from there has them, too. */
static struct span without_breaks(struct span name, struct arena *a)
{
	static const char mark[] = "\xe2\x80\x8b"; /* U+200B */
	struct strbuf b = STRBUF_INIT;
	for (const char *at; (at = memmem(name.p, name.n, mark, strlen(mark)));) {
		size_t n = (size_t)(at - name.p);
		strbuf_add(&b, (struct span){ name.p, n });
		name = (struct span){ at + strlen(mark), name.n - n - strlen(mark) };
	}
	strbuf_add(&b, name);
	size_t n = b.n;
	return (struct span){ arena_take(a, &b), n };
}

/* Check the name of a metric: "input.NAME", or one of the words that `key` lists. */
static enum status check_metric(struct document *d, const struct key *key, struct node *n)
{
	struct span name = n->text = without_breaks(n->text, &d->arena);
	if (!span_starts(name, SPAN("input.")))
		return check_word(d, key, n);
	name.p += strlen("input.");
	name.n -= strlen("input.");
	if (input_name_is_valid(name, true))
		return ST_OK;
	return document_fail(d, n,
	                     "%s: the name of a figure is 1 to %d letters, digits, '_', '-', '.' and "
	                     "'/', or the name that reports show; '*' and '?' match any",
	                     document_quote(d, n->text), INPUT_NAME_MAX);
}

static enum status check_integer(struct document *d, const struct key *key, struct node *n)
{
	if (!n->plain || memchr(n->text.p, '.', n->text.n) || !number_parse(n->text, 0, &n->value))
		return document_fail(d, n, "'%s' is a whole number, not %s", key->name,
		                     document_quote(d, n->text));
	if (n->value >= key->min && n->value <= key->max)
		return ST_OK;
	if (key->min == key->max)
		return document_fail(d, n, "'%s' must be %" PRId64, key->name, key->min);
	return document_fail(d, n, "'%s' must be from %" PRId64 " to %" PRId64, key->name, key->min,
	                     key->max);
}

static enum status check_number(struct document *d, const struct key *key, struct node *n)
{
	const char *point = memchr(n->text.p, '.', n->text.n);
	if (!n->plain || (point && n->text.p + n->text.n - point > 7) ||
	    memchr(n->text.p, 'e', n->text.n) || memchr(n->text.p, 'E', n->text.n) ||
	    !number_parse(n->text, 6, &n->value))
		return document_fail(d, n, "'%s' is a number like 3 or 2.5, not %s", key->name,
		                     document_quote(d, n->text));
	if (n->value < key->min * MICRO || n->value > key->max * MICRO)
		return document_fail(d, n, "'%s' must be from %" PRId64 " to %" PRId64, key->name, key->min,
		                     key->max);
	return ST_OK;
}

static enum status check_scalar(struct document *d, const struct key *key, struct node *n)
{
	/* commands need not check the built-in tables each time: tests do */
	const char *fault = key->fault && !d->built_in ? key->fault(n->text.p) : NULL;
	TRY(check_text(d, key, n));
	if (fault)
		return document_fail(d, n, "%s %s", document_quote(d, n->text), fault);
	switch (key->kind) {
	case KEY_ID:
		if (!id_is_valid(n->text))
			return document_fail(d, n, "'%s' is 1 to %d letters, digits, '.', '_' and '-', not %s",
			                     key->name, MAX_ID, document_quote(d, n->text));
		return ST_OK;
	case KEY_WORKLOAD:
		fault = workload_fault(n->text);
		return fault ? document_fail(d, n, "'%s' %s", key->name, fault) : ST_OK;
	case KEY_WORD:
		return check_word(d, key, n);
	case KEY_METRIC:
		return check_metric(d, key, n);
	case KEY_INTEGER:
		return check_integer(d, key, n);
	case KEY_NUMBER:
		return check_number(d, key, n);
	case KEY_DATE:
		if (n->text.n != 10 || !date_parse(n->text, &n->value))
			return document_fail(d, n, "'%s' is a day like 2027-01-31, not %s", key->name,
			                     document_quote(d, n->text));
		return ST_OK;
	case KEY_SHARE:
		return share_read(d, n, key->max ? key->max : 100, &n->value);
	default:
		return ST_OK;
	}
}

static enum status check_list(struct document *d, const struct key *key, const struct node *list)
{
	struct key item = *key;
	item.kind = key->kind == KEY_MAPS ? KEY_MAP : KEY_TEXT;
	size_t nr = 0;
	for (struct node *n = list->first; n; n = n->next) {
		if (++nr > MAX_ITEMS)
			return document_fail(d, n, "'%s' has more than %d items", key->name, MAX_ITEMS);
		TRY(keys_check_value(d, &item, n));
	}
	if (nr == 0 && (key->need == REQUIRED || key->kind == KEY_PATTERNS))
		return document_fail(d, list, "'%s' is empty", key->name);
	return ST_OK;
}

enum status keys_check_once(struct document *d, const struct node *map, const struct node *n)
{
	for (const struct node *other = map->first; other != n; other = other->next)
		if (span_eq(other->key->text, n->key->text))
			return document_fail(d, n->key, "%s is written twice, first in line %u",
			                     document_quote(d, n->key->text), other->key->line);
	return ST_OK;
}

static enum status check_named(struct document *d, const struct key *key, const struct node *map)
{
	struct key item = { .kind = KEY_MAP, .map = key->map };
	const struct key name = { .name = key->name, .kind = KEY_ID };
	int64_t nr = 0;
	for (struct node *n = map->first; n; n = n->next) {
		TRY(check_scalar(d, &name, n->key));
		TRY(keys_check_once(d, map, n));
		if (++nr > key->max)
			return document_fail(d, n->key, "'%s' has more than %" PRId64 " items", key->name,
			                     key->max);
		item.name = n->key->text.p;
		TRY(keys_check_value(d, &item, n));
	}
	return ST_OK;
}

static enum status check_pairs(struct document *d, const struct key *key, const struct node *map)
{
	for (struct node *n = map->first; n; n = n->next) {
		const struct key item = { .name = n->key->text.p, .kind = KEY_TEXT };
		TRY(check_text(d, key, n->key));
		TRY(keys_check_value(d, &item, n));
		TRY(keys_check_once(d, map, n));
	}
	return ST_OK;
}

enum status keys_check_value(struct document *d, const struct key *key, struct node *n)
{
	static const char *const wanted[] = { "one value", "a map of keys", "a list" };
	enum node_kind kind = NODE_SCALAR;
	if (key->kind == KEY_MAP || key->kind == KEY_NAMED || key->kind == KEY_PAIRS)
		kind = NODE_MAP;
	else if (key->kind == KEY_TEXTS || key->kind == KEY_MAPS ||
	         (key->kind == KEY_PATTERNS && n->kind == NODE_LIST))
		kind = NODE_LIST;
	if (is_null(n))
		return document_fail(d, n, "'%s' has no value", key->name);
	if (n->kind != kind)
		return document_fail(d, n, "'%s' must be %s, not %s", key->name, wanted[kind],
		                     wanted[n->kind]);
	if (kind == NODE_SCALAR)
		return check_scalar(d, key, n);
	if (kind == NODE_MAP && n->key && !n->first)
		return document_fail(d, n, "'%s' is empty", key->name);
	if (key->kind == KEY_NAMED)
		return check_named(d, key, n);
	if (key->kind == KEY_PAIRS)
		return check_pairs(d, key, n);
	return kind == NODE_MAP ? keys_check(d, n, key->map) : check_list(d, key, n);
}

/* The name of the first key in `keys` whose own map can have the key `word`; NULL if there is
   none. */
static const char *map_with(const struct key_map *keys, struct span word)
{
	for (size_t i = 0; i < keys->nr; i++)
		for (size_t k = 0; keys->keys[i].kind == KEY_MAP && k < keys->keys[i].map->nr; k++)
			if (span_eq(span_of(keys->keys[i].map->keys[k].name), word))
				return keys->keys[i].name;
	return NULL;
}

static enum status unknown_key(struct document *d, const struct node *key,
                               const struct key_map *keys)
{
	struct nearest near = { .word = key->text };
	const char *within = map_with(keys, key->text);
	if (within)
		return document_fail(d, key, "unknown key %s in %s: it belongs in '%s'",
		                     document_quote(d, key->text), keys->name, within);
	struct strbuf list = STRBUF_INIT;
	for (size_t i = 0; i < keys->nr; i++)
		nearest_try(&near, word_list(&list, keys->keys[i].name));
	const char *otherwise = arena_printf(&d->arena, ": it has %s", strbuf_str(&list));
	strbuf_release(&list);
	return document_fail(d, key, "unknown key %s in %s%s", document_quote(d, key->text), keys->name,
	                     nearest_hint(&near, &d->arena, ':', otherwise));
}

static enum status check_needs(struct document *d, const struct node *map,
                               const struct key_map *keys, const struct node *const *seen)
{
	struct strbuf missing = STRBUF_INIT;
	bool found = false;
	for (size_t i = 0; i < keys->nr; i++) {
		const struct key *k = &keys->keys[i];
		if (k->need == REQUIRED && !seen[i]) {
			strbuf_release(&missing);
			return document_fail(d, map, "%s lacks '%s'", keys->name, k->name);
		}
		if (k->need != ONE_OF)
			continue;
		found = found || seen[i];
		strbuf_addf(&missing, "%s'%s'", missing.n ? ", " : "", k->name);
	}
	enum status st = ST_OK;
	if (missing.n && !found)
		st = document_fail(d, map, "%s needs at least one of %s", keys->name, strbuf_str(&missing));
	strbuf_release(&missing);
	return st;
}

enum status keys_check(struct document *d, struct node *map, const struct key_map *keys)
{
	const struct node *seen[MAX_KEYS] = { NULL };
	if (map->kind != NODE_MAP)
		return document_fail(d, map, "%s is a map of keys", keys->name);
	for (struct node *n = map->first; n; n = n->next) {
		size_t i = 0;
		while (i < keys->nr && !span_eq(n->key->text, span_of(keys->keys[i].name)))
			i++;
		if (i == keys->nr)
			return unknown_key(d, n->key, keys);
		TRY(keys_check_once(d, map, n));
		seen[i] = n;
		TRY(keys_check_value(d, &keys->keys[i], n));
	}
	return check_needs(d, map, keys, seen);
}
