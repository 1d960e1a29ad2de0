/* Any bytes are read as rules and as categories: they are refused with one line; if they are
 * accepted, every rule can be explained as text. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rules/rules_file.h"

static void check(int law)
{
	if (!law)
		abort();
}

static void check_message(enum status st, const struct diag_log *log)
{
	const char *error = diag_first_error(log);
	check((st == ST_OK) == (error == NULL));
	check(!error || (!strchr(error, '\n') && text_is_valid(span_of(error))));
}

static bool read_rules(struct span text)
{
	struct rules r;
	struct diag_log log;
	struct arena a = ARENA_INIT;
	diag_init(&log);
	enum status st = rules_read("f", &text, NULL, &r, &log);
	check_message(st, &log);
	check(st != ST_OK || r.rules.nr > 0);
	if (st == ST_OK) {
		const char *said = rules_explain(&a, &r, NULL);
		check(strlen(said) > 0 && text_is_valid(span_of(said)));
	}
	arena_release(&a);
	rules_release(&r);
	diag_release(&log);
	return st == ST_OK;
}

static bool read_categories(struct span text)
{
	struct category_table t;
	struct diag_log log;
	diag_init(&log);
	enum status st = categories_read("f", &text, &t, &log);
	check_message(st, &log);
	check(st != ST_OK || t.rows.nr > 0);
	category_table_release(&t);
	diag_release(&log);
	return st == ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };
	bool rules = read_rules(text), categories = read_categories(text);
	fuzz_accepted = rules || categories;
	return 0;
}
