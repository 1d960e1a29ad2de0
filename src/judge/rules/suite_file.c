#include "rules/suite_file.h"

#include <string.h>

#include "rules/keys.h"

static const struct key case_keys[] = {
	KEY("workload", WORKLOAD, REQUIRED,
	    "name of the case and of its baseline; {name}, {gpu} and {world_size} are filled in",
	    INTO(suite_entry, workload)),
	KEY("runs", PATTERNS, ONE_OF,
	    "patterns of the paths of its run; of a case per folder they may hold {name}",
	    INTO(suite_entry, runs)),
	KEY("each", TEXT, ONE_OF, "pattern of folders: a case for each, whose name is {name}",
	    INTO(suite_entry, each)),
	KEY("repeat", INTEGER, OPTIONAL,
	    "number of runs of the same code: each path is one; 1: all paths are one run",
	    INTO(suite_entry, repeat), .min = 1, .max = 1000, .absent = 1),
	KEY("rules", TEXT, OPTIONAL, "its rules file", INTO(suite_entry, rules)),
	KEY("baseline", TEXT, OPTIONAL, "path of its baseline, in place of that of the rules",
	    INTO(suite_entry, baseline)),
};
static const struct key_map case_map = KEY_TABLE("a case", case_keys);

static const struct key file_keys[] = {
	KEY("version", INTEGER, REQUIRED, "of this format: 1", .min = 1, .max = 1),
	KEY("name", ID, OPTIONAL, "name of the suite in its reports", INTO(suite_file, name),
	    .absent_text = "suite"),
	KEY("cases", MAPS, REQUIRED, "what is judged", .map = &case_map),
};
const struct key_map suite_keys = KEY_TABLE("the suite file", file_keys);

static enum status read_root(struct document *d, void *ctx)
{
	struct suite_file *out = ctx;
	out->shown = arena_dup(&out->arena, span_of(d->shown));
	TRY(keys_check(d, d->root, &suite_keys));
	keys_fill(&suite_keys, d->root, &out->arena, out);
	for (const struct node *n = node_get(d->root, "cases")->first; n; n = n->next) {
		struct suite_entry *e = vec_push_zero(&out->entries);
		keys_default(&case_map, e);
		keys_fill(&case_map, n, &out->arena, e);
		bool named = strstr(e->workload, "{name}"), each = e->each;
		const struct node *at = node_get(n, "workload");
		if (each && !named) /* without {name}, the cases of all folders would have one name */
			return document_fail(
			    d, at, "'workload' must hold {name}, as 'each' makes a case for each folder");
		if (!each && named)
			return document_fail(d, at, "'workload' has {name} without 'each'");
	}
	if (!out->entries.nr)
		return document_fail(d, node_get(d->root, "cases"), "'cases' has no case");
	return ST_OK;
}

enum status suite_file_read(const char *path, const struct span *text, struct suite_file *out,
                            struct diag_log *log)
{
	*out = (struct suite_file){ .arena = ARENA_INIT };
	keys_default(&suite_keys, out);
	return document_open(path, text, NULL, read_root, out, log);
}

void suite_file_release(struct suite_file *f)
{
	for (size_t i = 0; i < f->entries.nr; i++)
		vec_release(&f->entries.v[i].runs);
	vec_release(&f->entries);
	arena_release(&f->arena);
}
