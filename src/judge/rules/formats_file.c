#include "rules/formats_file.h"

#include <pthread.h>

#include "base/decimal.h"
#include "metric/unit.h"
#include "results/path.h"
#include "results/readings.h"
#include "results/value.h"

static const char *const word_read[] = { "json", "csv", "lines", "text", NULL };
static const char *const word_repeats[] = { "error", "samples", "last", NULL };
static const char *const word_flag[] = { "false", "true", NULL };
static const char *const word_direction[] = { "by-name", "lower", "higher", "neither", NULL };

static const char *place_fault(const char *path)
{
	const char *fault = path_fault(path);
	return fault ? fault : template_fault(path);
}

static const struct key valid_keys[] = {
	KEY("at", TEXT, REQUIRED, "path of the member that is looked at", INTO(result_valid, at),
	    .fault = path_fault),
	KEY("equals", TEXT, ONE_OF,
	    "what it must be: a number, true, false, \"text\" in double quotes, or another member",
	    INTO(result_valid, equals)),
	KEY("within", SHARE, OPTIONAL, "how far a number may be from 'equals': 1%",
	    INTO(result_valid, within)),
	KEY("min", TEXT, ONE_OF, "least number that it may be", INTO(result_valid, min)),
	KEY("max", TEXT, ONE_OF, "largest number that it may be", INTO(result_valid, max)),
	KEY("optional", WORD, OPTIONAL, "whether it may be absent or null",
	    INTO(result_valid, optional), .words = word_flag),
	KEY("say", TEXT, OPTIONAL, "what is wrong if it is not so, with {members}",
	    INTO(result_valid, say), .fault = template_fault),
};
static const struct key_map valid_map = KEY_TABLE("a condition of 'valid'", valid_keys);

static const struct key take_keys[] = {
	KEY("at", TEXT, REQUIRED, "path of the figure, or of several with '*'", INTO(result_take, at),
	    .fault = path_fault),
	KEY("minus", TEXT, OPTIONAL, "path of a number that is subtracted", INTO(result_take, minus),
	    .fault = path_fault),
	KEY("as", TEXT, OPTIONAL,
	    "name of the figure, with {members}, {key}; if not said, that of 'at'",
	    INTO(result_take, as), .fault = template_fault),
	KEY("title", TEXT, OPTIONAL,
	    "what reports call the figure, as 'as'; {KEY}: {key} with its short words in capitals",
	    INTO(result_take, title), .fault = template_fault),
	KEY("headline", WORD, OPTIONAL, "whether it heads a report in which nothing is wrong",
	    INTO(result_take, headline), .words = word_flag),
	KEY("scale", TEXT, OPTIONAL, "number that the figure is multiplied by",
	    INTO(result_take, scale)),
	KEY("unit", WORD, OPTIONAL, "unit of the figure, scaled", INTO(result_take, unit),
	    .words = figure_unit_names),
	KEY("unit_at", TEXT, OPTIONAL,
	    "path of the text that is the unit; ^name: a member beside the figure",
	    INTO(result_take, unit_at), .fault = path_fault),
	KEY("better", WORD, OPTIONAL,
	    "which direction is better, by name and unit; by-name if not said",
	    INTO(result_take, better), .words = word_direction),
	KEY("optional", WORD, OPTIONAL, "whether it may be absent or a text",
	    INTO(result_take, optional), .words = word_flag),
	KEY("thousands", WORD, OPTIONAL, "whether commas in the value separate thousands",
	    INTO(result_take, thousands), .words = word_flag),
	KEY("negative", WORD, OPTIONAL,
	    "whether a time, a size, a rate or a count may be below 0, as a difference is",
	    INTO(result_take, negative), .words = word_flag),
	KEY("drop", INTEGER, OPTIONAL, "first samples that are left out", INTO(result_take, drop),
	    .min = 0, .max = 1000000),
	KEY("stdev", TEXT, OPTIONAL,
	    "path, with {key}, of the standard deviation of the values that the figure is a mean of",
	    INTO(result_take, stdev), .fault = template_fault),
	KEY("stdev_share", TEXT, OPTIONAL, "the same, where the file has it as a share of the figure",
	    INTO(result_take, stdev_share), .fault = template_fault),
	KEY("stderr", TEXT, OPTIONAL, "path, with {key}, of the standard error of the figure",
	    INTO(result_take, error), .fault = template_fault),
	KEY("margin", TEXT, OPTIONAL,
	    "path, with {key}, of half of the 99.9 % confidence interval of the figure",
	    INTO(result_take, margin), .fault = template_fault),
	KEY("upper", TEXT, OPTIONAL,
	    "path, with {key}, of the upper bound of the 99 % confidence interval of the figure",
	    INTO(result_take, upper), .fault = template_fault),
	KEY("share_below", TEXT, OPTIONAL,
	    "of samples: a limit, 200ms, below which the share of the samples is a figure, too",
	    INTO(result_take, share_below), .fault = reading_share_fault),
	KEY("count", TEXT, OPTIONAL, "path, with {key}, of how many values it is a mean of",
	    INTO(result_take, count), .fault = template_fault),
	KEY("sum_of", TEXT, OPTIONAL,
	    "path of how many things it is a sum of; if it moved as they did, it is not judged",
	    INTO(result_take, sum_of), .fault = place_fault),
};
static const struct key_map take_map = KEY_TABLE("a figure", take_keys);

static const struct key format_keys[] = {
	KEY("name", TEXT, OPTIONAL, "what messages call the format", INTO(result_format, name)),
	KEY("match", TEXT, OPTIONAL, "names of files that are of it, with * and ?",
	    INTO(result_format, match)),
	KEY("has", TEXTS, OPTIONAL, "paths that a record must have: it is recognized by them",
	    INTO(result_format, has)),
	KEY("read", WORD, OPTIONAL, "how the file is read; json if not said", INTO(result_format, read),
	    .words = word_read),
	KEY("prefix", TEXT, OPTIONAL, "what stands before the JSON of a line",
	    INTO(result_format, prefix)),
	KEY("pattern", TEXT, OPTIONAL,
	    "what a line is a record of: an extended regular expression with (?<name>parts)",
	    INTO(result_format, pattern), .fault = text_pattern_fault),
	KEY("records", TEXT, OPTIONAL, "path of the records; if not said, the whole value",
	    INTO(result_format, records), .fault = path_fault),
	KEY("skip", PAIRS, OPTIONAL, "members with the text of records that are left out"),
	KEY("only", PAIRS, OPTIONAL, "members with the text of the only records that are read"),
	KEY("ignore", TEXTS, OPTIONAL, "members that no '*' takes", INTO(result_format, ignore)),
	KEY("case", TEXT, OPTIONAL, "name of the case that a record is of, with {members}",
	    INTO(result_format, case_name), .fault = template_fault),
	KEY("work", TEXTS, OPTIONAL,
	    "members that tell which work was asked for; figures of other work are not judged",
	    INTO(result_format, work), .fault = place_fault),
	KEY("work_done", TEXTS, OPTIONAL, "the same for what was counted, which may differ by 5 %",
	    INTO(result_format, work_done), .fault = place_fault),
	KEY("repeats", WORD, OPTIONAL, "what a case that is there twice is; error if not said",
	    INTO(result_format, repeats), .words = word_repeats),
	KEY("series", WORD, OPTIONAL, "whether the records are steps of their cases",
	    INTO(result_format, series), .words = word_flag),
	KEY("whole", WORD, OPTIONAL, "whether a file with any other number is not of it",
	    INTO(result_format, whole), .words = word_flag),
	KEY("rest", WORD, OPTIONAL,
	    "whether it is read after another format, for figures that this one has not",
	    INTO(result_format, rest), .words = word_flag),
	KEY("valid", MAPS, OPTIONAL, "conditions without which the run cannot be judged",
	    .map = &valid_map),
	KEY("take", MAPS, ONE_OF, "figures", .map = &take_map),
	KEY("samples", MAPS, ONE_OF, "lists of measurements of one figure: median, p90, p99 and n",
	    .map = &take_map),
};
const struct key_map result_map = KEY_TABLE("a format", format_keys);
static const struct key file_key =
    KEY("formats", MAPS, REQUIRED, "the whole file", .map = &result_map);

/* ---- conditions that the table of keys cannot express ---- */

static enum status check_number(struct document *d, const struct node *map, const char *key)
{
	struct decimal number;
	const struct node *n = node_get(map, key);
	if (n && decimal_parse(n->text, &number) != DECIMAL_OK)
		return document_fail(d, n, "'%s' is a number, not %s", key, document_quote(d, n->text));
	return ST_OK;
}

static enum status read_take(struct document *d, const struct node *n, struct result_formats *out,
                             struct result_take *into)
{
	TRY(check_number(d, n, "scale"));
	keys_fill(&take_map, n, &out->arena, into);
	if ((into->stdev || into->stdev_share) != (into->count != NULL))
		return document_fail(d, n, "'stdev' and 'count' belong together");
	return ST_OK;
}

static enum status check_format(struct document *d, const struct node *n, bool own,
                                const struct result_format *f)
{
	if (!own && !f->name)
		return document_fail(d, n, "a format of the table needs a 'name'");
	if (!f->match && !f->has.nr && !f->pattern)
		return document_fail(d, n, "a format needs 'has' or 'match', to be recognized by");
	if (f->read == READ_LINES && !f->prefix)
		return document_fail(d, n, "'read: lines' needs a 'prefix'");
	if (f->read == READ_TEXT && !f->pattern)
		return document_fail(d, n, "'read: text' needs a 'pattern'");
	if (f->prefix && f->read != READ_LINES)
		return document_fail(d, node_get(n, "prefix"), "'prefix' belongs to 'read: lines'");
	if (f->pattern && f->read != READ_TEXT)
		return document_fail(d, node_get(n, "pattern"), "'pattern' belongs to 'read: text'");
	for (const struct node *p = node_first(node_get(n, "has")); p; p = p->next)
		if (f->read != READ_CSV && path_fault(p->text.p))
			return document_fail(d, p, "%s %s", document_quote(d, p->text), path_fault(p->text.p));
	return ST_OK;
}

static enum status read_format(struct document *d, const struct node *n, bool own,
                               struct result_formats *out)
{
	struct result_format *f = vec_push_zero(&out->list);
	struct arena *a = &out->arena;
	keys_fill(&result_map, n, a, f);
	TRY(check_format(d, n, own, f));
	for (const struct node *p = node_first(node_get(n, "skip")); p; p = p->next)
		vec_push(&f->skip,
		         (struct result_pair){ arena_dup(a, p->key->text), arena_dup(a, p->text) });
	for (const struct node *p = node_first(node_get(n, "only")); p; p = p->next)
		vec_push(&f->only,
		         (struct result_pair){ arena_dup(a, p->key->text), arena_dup(a, p->text) });
	for (const struct node *p = node_first(node_get(n, "valid")); p; p = p->next) {
		TRY(check_number(d, p, "min"));
		TRY(check_number(d, p, "max"));
		keys_fill(&valid_map, p, a, vec_push_zero(&f->valid));
	}
	for (const struct node *p = node_first(node_get(n, "take")); p; p = p->next)
		TRY(read_take(d, p, out, vec_push_zero(&f->take)));
	for (const struct node *p = node_first(node_get(n, "samples")); p; p = p->next)
		TRY(read_take(d, p, out, vec_push_zero(&f->samples)));
	if (!f->name)
		f->name = arena_printf(a, "of line %u of the rules", n->line);
	return ST_OK;
}

enum status result_rows_read(struct document *d, const struct node *list, bool own,
                             struct result_formats *out)
{
	for (const struct node *n = node_first(list); n; n = n->next)
		TRY(read_format(d, n, own, out));
	return ST_OK;
}

static enum status read_root(struct document *d, void *ctx)
{
	TRY(keys_check_value(d, &file_key, d->root));
	return result_rows_read(d, d->root, false, ctx);
}

enum status formats_read(const char *path, const struct span *text, struct result_formats *out,
                         struct diag_log *log)
{
	*out = (struct result_formats){ 0 };
	return document_open(path, text, &table_formats, read_root, out, log);
}

enum status formats_built_in(const struct result_formats **out, struct diag_log *log)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct result_formats table;
	pthread_mutex_lock(&lock);
	enum status st = table.list.nr ? ST_OK : formats_read(NULL, NULL, &table, log);
	if (st != ST_OK)
		result_formats_release(&table);
	pthread_mutex_unlock(&lock);
	*out = &table;
	return st;
}
