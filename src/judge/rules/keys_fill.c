#include "base/vec.h"
#include "rules/keys.h"

static void put_scalar(const struct key *key, int64_t value, const char *text, void *out)
{
	void *at = (char *)out + key->at;
	switch (key->holds) {
	case HOLDS_TEXT:
		*(const char **)at = text;
		return;
	case HOLDS_SPAN:
		*(struct span *)at = text ? span_of(text) : (struct span){ NULL, 0 };
		return;
	case HOLDS_FLAG:
		*(bool *)at = value != 0;
		return;
	case HOLDS_ENUM:
		*(unsigned *)at = (unsigned)value;
		return;
	case HOLDS_NUMBER:
		*(int64_t *)at = value;
		return;
	default:
		return;
	}
}

/* The struct that the keys of a nested map fill: a member of `out`, or `out` itself. */
static void *filled_by(const struct key *key, void *out)
{
	return key->holds == HOLDS_STRUCT ? (char *)out + key->at : out;
}

void keys_default(const struct key_map *keys, void *out)
{
	for (const struct key *key = keys->keys; key < keys->keys + keys->nr; key++)
		if (key->kind == KEY_MAP)
			keys_default(key->map, filled_by(key, out));
		else
			put_scalar(key, key->absent, key->absent_text, out);
}

/* Append texts to the VEC(struct span) at `at`. All VECs of spans have the same layout, but are
   different types in C: the VEC is therefore copied in and out. */
static void fill_texts(const struct node *list, struct arena *a, void *at)
{
	VEC(struct span) texts;
	memcpy(&texts, at, sizeof texts);
	bool one = list->kind == NODE_SCALAR;
	for (const struct node *n = one ? list : list->first; n; n = one ? NULL : n->next)
		vec_push(&texts, (struct span){ arena_dup(a, n->text), n->text.n });
	memcpy(at, &texts, sizeof texts);
}

void keys_fill(const struct key_map *keys, const struct node *map, struct arena *a, void *out)
{
	for (const struct key *key = keys->keys; key < keys->keys + keys->nr; key++) {
		const struct node *n = node_get(map, key->name);
		if (!n)
			continue;
		if (key->kind == KEY_MAP) {
			put_scalar(key, true, NULL, out);
			keys_fill(key->map, n, a, filled_by(key, out));
		} else if ((key->kind == KEY_TEXTS || key->kind == KEY_PATTERNS) && key->holds) {
			fill_texts(n, a, (char *)out + key->at);
		} else {
			put_scalar(key, n->value,
			           key->holds == HOLDS_TEXT || key->holds == HOLDS_SPAN ? arena_dup(a, n->text)
			                                                                : NULL,
			           out);
		}
	}
}
