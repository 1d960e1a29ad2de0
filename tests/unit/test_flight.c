/* Dumps of the Flight Recorder in the forms of PyTorch's own tests
 * (test/distributed/flight_recorder/test_fr_analysis.py): the reading of dumps, and the rank that
 * hangs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flight/dump.h"

/* Members of groups: "0" has all ranks, "1" a pair, and each rank has a group "2" of its own. */
#define CONFIG                                                                       \
	"\"pg_config\": {\"0\": {\"name\": \"0\", \"desc\": \"default_pg\", \"ranks\": " \
	"\"[0, 1, 2]\"}, \"1\": {\"name\": \"1\", \"desc\": \"pair\", \"ranks\": \"[1, 2]\"}}"
#define DUMP(entries) "{\"version\": \"2.8\", \"entries\": [" entries "], " CONFIG "}"
#define ENTRY(kind, group, seq, size, type, state)                                             \
	"{\"record_id\": 0, \"is_p2p\": false, \"profiling_name\": \"nccl:" kind "\", \"state\": " \
	"\"" state "\", \"process_group\": [\"" group "\", \"d\"], \"input_sizes\": [" size "], "  \
	"\"output_sizes\": [" size "], \"input_dtypes\": " type ", \"output_dtypes\": " type       \
	", \"collective_seq_id\": " seq ", \"p2p_seq_id\": \"0\", \"time_created_ns\": 0, "        \
	"\"frames\": []}"
#define WORLD(seq, state) ENTRY("all_reduce", "0", seq, "[4, 4]", "\"float32\"", state)
#define PAIR(seq, state) ENTRY("all_reduce", "1", seq, "[4, 4]", "\"float32\"", state)

static const struct {
	const char *name;
	const char *dumps[3]; ///< dump of each rank as JSON; NULL if the rank left no dump
	size_t lines;
	const char *said[2]; ///< texts that the first error must contain
} rows[] = {
	{ "all have completed",
	  { DUMP(WORLD("\"1\"", "completed")), DUMP(WORLD("1", "completed")),
	    DUMP(WORLD("1", "completed")) },
	  0,
	  { NULL } },
	{ "on its way in all",
	  { DUMP(WORLD("1", "scheduled")), DUMP(WORLD("1", "started")), DUMP(WORLD("1", "completed")) },
	  0,
	  { NULL } },
	{ "entered by all and ended by none",
	  { DUMP(WORLD("1", "scheduled")), DUMP(WORLD("1", "started")), DUMP(WORLD("1", "started")) },
	  3,
	  { "rank 0 had not ended all_reduce 1 of process group '0'", NULL } },
	{ "one never came",
	  { DUMP(WORLD("1", "completed") "," WORLD("2", "started")),
	    DUMP(WORLD("1", "completed") "," WORLD("2", "scheduled")), DUMP(WORLD("1", "completed")) },
	  1,
	  { "rank 2 is stuck: it never entered collective 2 (all_reduce of [4, 4] float32) of process "
	    "group '0' (default_pg), in which rank 0 and 1 other wait",
	    "the last that it entered is all_reduce 1 of process group '0'" } },
	{ "one that entered nothing at all",
	  { DUMP(WORLD("1", "started")), DUMP(WORLD("1", "started")), DUMP("") },
	  1,
	  { "rank 2 is stuck", "it entered none at all" } },
	{ "who waits for the cause is not named",
	  { DUMP(WORLD("1", "started")), DUMP(PAIR("1", "started")), DUMP("") },
	  1,
	  { "rank 2 is stuck: it never entered collective 1", "it entered none at all" } },
	{ "two that wait for each other",
	  { DUMP(WORLD("1", "completed") "," WORLD("2", "started")),
	    DUMP(WORLD("1", "completed") "," PAIR("1", "started")),
	    DUMP(WORLD("1", "completed") "," WORLD("2", "started")) },
	  2,
	  { "rank 1 is stuck", NULL } },
	{ "no dump of one",
	  { DUMP(WORLD("1", "started")), NULL, DUMP(WORLD("1", "started")) },
	  1,
	  { "rank 1 left no dump, and rank 0 waits in collective 1", NULL } },
	{ "another kind",
	  { DUMP(WORLD("1", "started")), DUMP(WORLD("1", "started")),
	    DUMP(ENTRY("all_gather", "0", "1", "[4, 4]", "\"float32\"", "started")) },
	  1,
	  { "rank 2 entered all_gather of [4, 4] float32 where rank 0 entered collective 1 (all_reduce",
	    "collectives do not match" } },
	{ "another size",
	  { DUMP(ENTRY("all_reduce", "0", "1", "[5, 4]", "[\"Float\"]", "started")),
	    DUMP(ENTRY("all_reduce", "0", "1", "[4, 4]", "[\"Float\"]", "started")),
	    DUMP(ENTRY("all_reduce", "0", "1", "[4, 4]", "[\"Float\"]", "started")) },
	  1,
	  { "rank 0 entered all_reduce of [5, 4] Float where rank 1 entered", NULL } },
	{ "another type",
	  { DUMP(ENTRY("all_reduce", "0", "1", "[4, 4]", "\"float16\"", "started")),
	    DUMP(WORLD("1", "started")), DUMP(WORLD("1", "started")) },
	  1,
	  { "rank 0 entered all_reduce of [4, 4] float16", NULL } },
	{ "another shape of as many elements",
	  { DUMP(ENTRY("all_reduce", "0", "1", "[16]", "\"float32\"", "completed")),
	    DUMP(WORLD("1", "completed")), DUMP(WORLD("1", "completed")) },
	  0,
	  { NULL } },
	{ "an all-to-all may be of other sizes",
	  { DUMP(ENTRY("all_to_all", "0", "1", "[5, 4]", "\"float32\"", "completed")),
	    DUMP(ENTRY("all_to_all", "0", "1", "[4, 4]", "\"float32\"", "completed")),
	    DUMP(ENTRY("all_to_all", "0", "1", "[4, 4]", "\"float32\"", "completed")) },
	  0,
	  { NULL } },
	{ "what is coalesced has one number",
	  { DUMP(ENTRY("_broadcast_oop", "0", "1", "[4, 4]", "\"float32\"", "completed") "," ENTRY(
	        "ALLGATHER_coalesced", "0", "1", "[]", "\"float32\"", "completed")),
	    DUMP(ENTRY("_broadcast_oop", "0", "1", "[5, 5]", "\"float32\"", "completed") "," ENTRY(
	        "ALLGATHER_coalesced", "0", "1", "[]", "\"float32\"", "completed")),
	    DUMP(ENTRY("_broadcast_oop", "0", "1", "[4, 4]", "\"float32\"", "completed") "," ENTRY(
	        "ALLGATHER_coalesced", "0", "1", "[]", "\"float32\"", "completed")) },
	  0,
	  { NULL } },
	{ "sends are of two",
	  { DUMP(ENTRY("send 0->1", "0", "0", "[4, 4]", "\"float32\"", "started")), DUMP(""),
	    DUMP("") },
	  1,
	  { "rank 0 had not ended send 0->1 of process group '0'", NULL } },
};

static struct flight_dump *read_json(const char *text, struct diag_log *log)
{
	struct source *src = source_memory("dump", text, strlen(text), NULL);
	struct flight_dump *d = NULL;
	(void)!flight_read(src, 0, &d, log);
	source_close(src);
	return d;
}

static void test_hangs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct flight_dump *v[3];
		struct diag_log log;
		size_t nr = 0;
		diag_init(&log);
		for (int r = 0; r < 3; r++) {
			if (!rows[i].dumps[r])
				continue;
			v[nr] = read_json(rows[i].dumps[r], &log);
			if (!v[nr])
				fail_msg("%s: %s", rows[i].name, diag_first_error(&log));
			v[nr++]->rank = r;
		}
		size_t lines = flight_find_hangs(v, nr, "run", &log);
		const char *error = diag_first_error(&log);
		if (lines != rows[i].lines)
			fail_msg("%s: %zu lines: %s", rows[i].name, lines, error ? error : "");
		for (int k = 0; k < 2 && rows[i].said[k]; k++)
			if (!strstr(error, rows[i].said[k]))
				fail_msg("%s: '%s' lacks '%s'", rows[i].name, error, rows[i].said[k]);
		for (size_t k = 0; k < nr; k++)
			flight_dump_free(v[k]);
		diag_release(&log);
	}
}

static const struct {
	const char *text, *said;
} refused[] = {
	{ "[]", "not an object" },
	{ "{\"pg_config\": {}}", "'entries' is missing" },
	{ "{\"entries\": 1}", "'entries' is not one list" },
	{ "{\"entries\": [], \"entries\": []}", "'entries' is not one list" },
	{ "{\"entries\": [7]}", "an entry is not an object" },
	{ "{\"entries\": [{\"state\": \"completed\"}]}", "an entry lacks its name" },
	{ DUMP(WORLD("-1", "completed")), "an entry lacks its name" },
	{ DUMP(WORLD("1", "lost")), "an entry lacks its name" },
	{ "{\"entries\": [], \"pg_config\": {\"0\": {\"ranks\": \"[99999999999]\"}}}",
	  "a rank beyond" },
	{ "{\"entries\": [", "byte 13" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct diag_log log;
		diag_init(&log);
		assert_null(read_json(refused[i].text, &log));
		if (!strstr(diag_first_error(&log), refused[i].said))
			fail_msg("'%s' lacks '%s'", diag_first_error(&log), refused[i].said);
		diag_release(&log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
