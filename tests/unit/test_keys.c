/* Every table of keys: a document with all keys fills every member, an absent key leaves its
   default, and the descriptions of defaults are correct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "rules/rules_file.h"
#include "rules/rules_internal.h"

/* Room for any struct that a table fills. */
enum { ROOM = 4096 };
typedef union {
	char bytes[ROOM];
	int64_t aligned;
} filled;

/* A value other than the default of `key`: the index of a word, or a number in millionths. */
static int64_t other_value(const struct key *key)
{
	int64_t last = 0;
	switch (key->kind) {
	case KEY_WORD:
		while (key->words[last + 1])
			last++;
		return last == key->absent ? 0 : last;
	case KEY_INTEGER:
		return key->absent == key->max ? key->min : key->max;
	case KEY_NUMBER:
		return MICRO * (key->absent == key->max * MICRO ? key->min : key->max);
	case KEY_DATE:
		return 20849;
	case KEY_SHARE:
		return 40 * MICRO;
	default:
		return 0;
	}
}

static void add_map(struct strbuf *b, const struct key_map *keys);

static void add_value(struct strbuf *b, const struct key *key)
{
	char number[NUMBER_TEXT];
	switch (key->kind) {
	case KEY_WORD:
		strbuf_adds(b, key->words[other_value(key)]);
		return;
	case KEY_METRIC:
		strbuf_adds(b, key->words[0]);
		return;
	case KEY_INTEGER:
		strbuf_adds(b, number_format(other_value(key), 0, number));
		return;
	case KEY_NUMBER:
		strbuf_adds(b, number_format(other_value(key), 6, number));
		return;
	case KEY_DATE:
		strbuf_adds(b, "2027-01-31");
		return;
	case KEY_SHARE:
		strbuf_adds(b, "40%");
		return;
	case KEY_LIMIT:
	case KEY_AND:
		strbuf_adds(b, "5");
		return;
	case KEY_MAP:
	case KEY_NAMED:
	case KEY_MAPS:
		strbuf_adds(b, key->kind == KEY_MAPS ? "[" : key->kind == KEY_NAMED ? "{own: " : "");
		add_map(b, key->map);
		strbuf_adds(b, key->kind == KEY_MAPS ? "]" : key->kind == KEY_NAMED ? "}" : "");
		return;
	case KEY_PAIRS:
		strbuf_addf(b, "{x: x-%s}", key->name);
		return;
	/* the text contains the key's name, so that a value stored under another key is noticed */
	default:
		strbuf_addf(b, key->kind == KEY_TEXTS ? "[x-%s, b]" : "x-%s", key->name);
	}
}

static void add_map(struct strbuf *b, const struct key_map *keys)
{
	strbuf_adds(b, "{");
	for (size_t i = 0; i < keys->nr; i++) {
		strbuf_addf(b, "%s%s: ", i ? ", " : "", keys->keys[i].name);
		/* formats of results are tested in test_results.c */
		if (strcmp(keys->keys[i].name, "results") == 0)
			strbuf_adds(b, "[]");
		else
			add_value(b, &keys->keys[i]);
	}
	strbuf_adds(b, "}");
}

struct reading {
	const struct key_map *keys;
	struct arena arena;
	filled none, full; ///< structs as filled from an empty map, and from the map of add_map()
	size_t within; ///< size of the struct; 0 until a row is seen
	const char *by[ROOM]; ///< for each offset, name of the key that fills the member there
};

static enum status read_map(struct document *d, void *ctx)
{
	struct reading *r = ctx;
	d->built_in = true; /* the texts are made up, and fit no `fault` */
	TRY(keys_check(d, d->root, r->keys));
	keys_default(r->keys, &r->full);
	keys_fill(r->keys, d->root, &r->arena, &r->full);
	return ST_OK;
}

static bool is_text(const char *at, bool span, const char *text)
{
	const char *v =
	    span ? ((const struct span *)(const void *)at)->p : *(const char *const *)(const void *)at;
	return v && text ? strcmp(v, text) == 0 : !v && !text;
}

/* True if the member of `key` has the value `value` or `text`. */
static bool is_value(const struct key *key, const filled *out, int64_t value, const char *text)
{
	const char *at = out->bytes + key->at;
	switch (key->holds) {
	case HOLDS_TEXT:
	case HOLDS_SPAN:
		return is_text(at, key->holds == HOLDS_SPAN, text);
	case HOLDS_FLAG:
		return *(const bool *)(const void *)at == (value != 0);
	case HOLDS_ENUM:
		return *(const unsigned *)(const void *)at == (unsigned)value;
	default:
		return *(const int64_t *)(const void *)at == value;
	}
}

static void check_texts(const struct key *key, struct reading *r)
{
	char *at[] = { r->none.bytes + key->at, r->full.bytes + key->at };
	VEC(struct span) list[2];
	memcpy(&list[0], at[0], sizeof *list);
	memcpy(&list[1], at[1], sizeof *list);
	assert_int_equal(list[0].nr, 0);
	assert_int_equal(list[1].nr, key->kind == KEY_TEXTS ? 2 : 1);
	assert_true(span_starts(list[1].v[0], SPAN("x-")));
	assert_true(span_eq(list[1].v[0], span_of(list[1].v[0].p)));
	assert_string_equal(list[1].v[0].p + 2, key->name);
	vec_release(&list[1]);
}

/* Check that a description such as "20 if not said" agrees with the default. */
static void check_meaning(const struct key *key)
{
	char number[NUMBER_TEXT];
	const char *says = strstr(key->meaning, " if not said"), *is = key->absent_text;
	if (!says || strstr(key->meaning, "as the metric says if not said"))
		return;
	if (key->kind == KEY_WORD)
		is = key->words[key->absent];
	if (key->kind == KEY_INTEGER || key->kind == KEY_NUMBER)
		is = number_format(key->absent, key->kind == KEY_NUMBER ? 6 : 0, number);
	if (is && *is &&
	    (strlen(is) > (size_t)(says - key->meaning) ||
	     strncmp(says - strlen(is), is, strlen(is)) != 0))
		fail_msg("'%s' is %s if not said, its meaning: %s", key->name, is, key->meaning);
}

static void check_table(const struct key_map *keys);

static void check_rows(const struct key_map *keys, struct reading *r)
{
	for (const struct key *key = keys->keys; key < keys->keys + keys->nr; key++) {
		struct strbuf text = STRBUF_INIT;
		check_meaning(key);
		r->within = r->within ? r->within : key->within;
		assert_true(!key->within || key->within == r->within);
		assert_true(key->within <= ROOM && key->at <= key->within);
		if (key->kind == KEY_NAMED)
			/* keys of profiles are skipped: a profile replaces values of the document before rules
			   are read */
			continue;
		if (key->kind == KEY_MAPS || key->holds == HOLDS_STRUCT) {
			if (key->map)
				check_table(key->map);
			else
				check_texts(key, r);
			continue;
		}
		if (key->kind == KEY_MAP)
			check_rows(key->map, r);
		if (!key->holds)
			continue;
		const char **by = &r->by[key->at];
		if (*by && strcmp(*by, key->name) != 0)
			fail_msg("'%s' and '%s' of %s fill the same member", *by, key->name, keys->name);
		*by = key->name;
		add_value(&text, key);
		int64_t value = key->kind == KEY_MAP ? true : other_value(key);
		if (!is_value(key, &r->none, key->absent, key->absent_text))
			fail_msg("'%s' of %s is not its default", key->name, keys->name);
		if (!is_value(key, &r->full, value, strbuf_str(&text)) ||
		    is_value(key, &r->full, key->absent, key->absent_text))
			fail_msg("'%s' of %s is not what the document says", key->name, keys->name);
		strbuf_release(&text);
	}
}

static void check_table(const struct key_map *keys)
{
	struct reading r = { .keys = keys };
	struct strbuf text = STRBUF_INIT;
	struct diag_log log;
	diag_init(&log);
	add_map(&text, keys);
	struct span document = strbuf_span(&text);
	if (document_open("f", &document, NULL, read_map, &r, &log) != ST_OK)
		fail_msg("%s in %s", diag_first_error(&log), strbuf_str(&text));
	keys_default(keys, &r.none);
	keys_fill(keys, NULL, &r.arena, &r.none);
	check_rows(keys, &r);
	arena_release(&r.arena);
	strbuf_release(&text);
	diag_release(&log);
}

static void test_tables(void **state)
{
	(void)state;
	check_table(&rules_keys);
	check_table(&sites_keys);
	check_table(&diagnosis_keys);
}

/* Defaults of keys that depend on other places: on the metric, or on `defaults`. */
static void test_defaults(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_METRICS; i++) {
		const struct metric *m = &metric_table[i];
		struct rule r = rule_default(m);
		assert_ptr_equal(r.metric, m);
		assert_ptr_equal(r.query.metric, m);
		assert_int_equal(r.worse, m->worse);
		assert_int_equal(r.reduce, m->reduce);
		assert_int_equal(r.query.reduce, m->reduce);
		assert_int_equal(r.noise.k, rules_default().noise.k);
		assert_int_equal(r.on_missing, rules_default().on_missing);
		assert_int_equal(r.top, 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tables),
		                                cmocka_unit_test(test_defaults) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
