/* The history file beside a baseline: limits, truncation, damage. */
#include "text_rig.h"

#include "base/text.h"
#include "store/history_file.h"

static void add_run(struct history *h, uint64_t hash)
{
	struct past_run *run = vec_push_zero(&h->runs);
	*run = (struct past_run){ .provenance = { "abc", "2026-01-02T03:04:05Z", "t", "\xff\n", "" },
		                      .source_hash = hash,
		                      .pin = 7,
		                      .verdict = hash % 2 ? "fail" : "pass",
		                      .accepted = hash % 2 == 0,
		                      .ranks = 1,
		                      .steps = 3 };
	vec_push(&run->values, (struct past_value){ "a", SPAN(""), -1, -5, MICRO_DIGITS });
	vec_push(&run->values, (struct past_value){ "a", SPAN("k\n\xff"), 3, INT64_MAX, MICRO_DIGITS });
}

static char *text_of(const struct history *h)
{
	struct sink *s = sink_open_memory();
	history_print(h, s);
	return taken(s, NULL);
}

static char *sample(size_t nr)
{
	struct history h = { 0 };
	for (size_t i = 0; i < nr; i++)
		add_run(&h, i);
	char *text = text_of(&h);
	history_release(&h);
	return text;
}

/* Number of runs in the first `n` bytes; -1 if they are refused with `message` (NULL: any message
   that names a line). */
static int64_t parse(const char *text, size_t n, const char *message)
{
	struct history h;
	struct diag_log log;
	struct arena a = ARENA_INIT;
	struct source *src = source_memory("h.jsonl", text, n, NULL);
	diag_init(&log);
	enum status st = history_parse(src, &a, &h, &log);
	int64_t nr = st == ST_OK ? (int64_t)h.runs.nr : -1;
	const char *error = diag_first_error(&log);
	if (st != ST_OK && (st != ST_BASELINE || !error || strchr(error, '\n') ||
	                    !strstr(error, message ? message : "h.jsonl: line ")))
		fail_msg("status %d, '%s' instead of '%s'", (int)st, error, message);
	history_release(&h);
	source_close(src);
	diag_release(&log);
	arena_release(&a);
	return nr;
}

static void test_round_trip(void **state)
{
	(void)state;
	static const size_t numbers[] = { 0, 1, HISTORY_MOST };
	for (size_t i = 0; i < NR_OF(numbers); i++) {
		char *text = sample(numbers[i]);
		assert_int_equal(count(text, "\n"), numbers[i]);
		assert_int_equal(parse(text, strlen(text), NULL), numbers[i]);
		free(text);
	}
}

/* The oldest runs are dropped. */
static void test_most(void **state)
{
	(void)state;
	char *text = sample(HISTORY_MOST + 1);
	assert_int_equal(count(text, "\n"), HISTORY_MOST);
	assert_lacks(text, "\"source_hash\": \"0000000000000000\"");
	assert_has(text, "\"source_hash\": \"00000000000000c8\"");
	free(text);
}

static void test_lines(void **state)
{
	(void)state;
	char *one = sample(1);
	struct strbuf b = STRBUF_INIT;
	for (int i = 1; i < HISTORY_LINES; i++)
		strbuf_addch(&b, '\n');
	strbuf_adds(&b, one);
	assert_int_equal(parse(b.p, b.n, NULL), 1);
	strbuf_addch(&b, '\n');
	assert_int_equal(parse(b.p, b.n, "h.jsonl: more than 10000 lines"), -1);
	strbuf_release(&b);
	free(one);
}

/* A file that was cut short is refused, unless it is cut at the end of a line. */
static void test_truncated(void **state)
{
	(void)state;
	char *text = sample(2);
	size_t first = (size_t)(strchr(text, '\n') - text), n = strlen(text);
	for (size_t i = 0; i <= n; i++) {
		int64_t whole = i == 0 ? 0 : i == first || i == first + 1 ? 1 : i + 1 >= n ? 2 : -1;
		assert_int_equal(parse(text, i, NULL), whole);
	}
	free(text);
}

/* If any byte is changed, the file is refused with the number of its line, or read as another
   history. */
static void test_damaged(void **state)
{
	(void)state;
	static const char bytes[] = { 0, '\n', '"', '{', '9', '\x80' };
	char *text = sample(2);
	size_t n = strlen(text);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof bytes; k++) {
			char was = text[i];
			text[i] = bytes[k];
			assert_true(parse(text, n, NULL) <= 2);
			text[i] = was;
		}
	free(text);
}

static void test_errors(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *message;
	} rows[] = {
		{ "\"verdict\": \"pass\",", "", "h.jsonl: line 1" },
		{ "\"accepted\": true", "\"accepted\": 1", "h.jsonl: line 1" },
		{ "\"pin\": \"0000000000000007\"", "\"pin\": 7", "h.jsonl: line 1" },
		{ "\"steps\": 3", "\"steps\": -3", "h.jsonl: line 1" },
		{ "gpugate-history-1", "gpugate-baseline-1", "h.jsonl: line 1" },
		{ "\n", "}\n", "h.jsonl: line 1" },
		{ "\n", "\n<<<<<<< HEAD\n", "h.jsonl: line 2" },
		{ "\n", "\n[]\n", "h.jsonl: line 2" },
	};
	char *text = sample(2);
	for (size_t i = 0; i < NR_OF(rows); i++) {
		char *bad = edited(text, rows[i].old, rows[i].new);
		assert_int_equal(parse(bad, strlen(bad), rows[i].message), -1);
		free(bad);
	}
	free(text);
}

/* A merge of two branches may leave all lines of both files, so that each run is there twice. Each
   run is then read once. */
static void test_twice(void **state)
{
	(void)state;
	char *text = sample(2);
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s\n%s", text, text);
	assert_int_equal(parse(b.p, b.n, NULL), 2);
	strbuf_release(&b);
	free(text);
}

static void test_path(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	assert_string_equal(history_path("b/x.json", &a), "b/x.history.jsonl");
	assert_string_equal(history_path("x", &a), "x.history.jsonl");
	assert_string_equal(history_path(".json", &a), ".json.history.jsonl");
	arena_release(&a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_most),
		cmocka_unit_test(test_lines),      cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged),    cmocka_unit_test(test_errors),
		cmocka_unit_test(test_twice),      cmocka_unit_test(test_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
