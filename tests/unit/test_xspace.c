/* XSpace files with wrong sizes: the reader takes no more memory than its limits allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "xspace/xspace.h"

/* A plane of a GPU, which has 15 bytes, and two of the host, which have 11 each. */
#define GPU "\x0a\x0f\x12\x0d/device:GPU:0"
#define HOST "\x0a\x0b\x12\x09/host:CPU"

static enum status take(void *ctx, const struct event *e)
{
	(void)ctx;
	(void)e;
	return ST_OK;
}

static enum status read_with(uint64_t plane_bytes, struct diag_log *log)
{
	static const char file[] = GPU HOST HOST;
	struct xspace_limits limits = { .plane_bytes = plane_bytes };
	struct source *src = source_memory("m", file, sizeof file - 1, NULL);
	struct name_table names;
	struct trace_meta meta;
	name_table_init(&names);
	enum status st =
	    xspace_read(src, &limits, &names, (struct event_sink){ .event = take }, &meta, log);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	name_table_release(&names);
	source_close(src);
	return st;
}

static void test_limits(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *said;
	} rows[] = {
		{ 22, NULL },
		{ 21, "the planes of the host have more than" },
		{ 15, "the planes of the host have more than" },
		{ 14, "a field is longer than" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diag_log log;
		diag_init(&log);
		assert_int_equal(read_with(rows[i].bytes, &log), rows[i].said ? ST_INPUT : ST_OK);
		const char *error = diag_first_error(&log);
		assert_true(rows[i].said ? error && strstr(error, rows[i].said) : !error);
		diag_release(&log);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
