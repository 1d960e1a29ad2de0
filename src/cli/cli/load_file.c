#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/artifact_format.h"
#include "merge/digest_small.h"
#include "model/memory_view.h"
#include "results/result_file.h"

const char *artifact_file_name(const struct artifact_file *file)
{
	return strcmp(file->path, "-") == 0 ? "standard input" : path_last(file->path);
}

/* ---- adding artifacts to the run ---- */

static enum status add_artifact(const struct loader *l, struct artifact_file *file, enum status st,
                                struct artifact made)
{
	struct digest *d = made.digest;
	if (st == ST_OK && d->rank > RANK_MAX)
		st = diag_fail(file->log, ST_INPUT, "%s: its rank is beyond %d",
		               diag_quote(file->log, file->path), RANK_MAX);
	NEXT(st, context_apply(l->setup->options, file->path, d, file->log));
	if (st != ST_OK) {
		digest_free(d);
		return st;
	}
	if (!d->fold)
		/* small items are summed up here already: a trace then gives the same figures as its stored
		   digest */
		digest_small(d, &l->setup->categories);
	if (l->capacity != MEMORY_UNKNOWN) {
		d->device_memory = l->capacity;
		for (size_t i = 0; i < d->memories.nr; i++)
			if (!memory_is_host(span_of(d->memories.v[i].id)))
				d->memories.v[i].capacity = l->capacity;
	}
	made.path = file->path;
	vec_push(&file->artifacts, made);
	return ST_OK;
}

enum status artifact_add(const struct loader *l, struct artifact_file *file, enum status st,
                         struct digest *d, enum rank_known known)
{
	return add_artifact(l, file, st, (struct artifact){ .digest = d, .known = known });
}

enum status artifact_add_stored(const struct loader *l, struct artifact_file *file,
                                struct digest *d)
{
	struct artifact made = {
		.digest = d, .path = file->path, .known = RANK_STATED, .stored = true
	};
	if (!d->text.n)
		return add_artifact(l, file, ST_OK, made);
	vec_push(&file->artifacts, made);
	return ST_OK;
}

void artifact_name_errors(struct diag_log *log, enum status st, const char *name,
                          struct diag_log *own)
{
	if (st != ST_OK)
		diag_error(log, "%s: %s", name, diag_first_error(own));
	diag_release(own);
}

/* ---- reading a file ---- */

bool load_keeps_text(const struct loader *l, const struct artifact_file *file)
{
	return l->keeps_text && (strcmp(file->path, "-") == 0 || !context_may_be_beside(file->path));
}

static enum status open_file(const struct loader *l, struct artifact_file *file,
                             struct source **out)
{
	struct source_options options = l->source;
	options.progress = &file->progress;
	return source_open(file->path, &options, out, file->log);
}

static enum status load_format(const struct loader *l, const struct artifact_format *format,
                               struct source *src, struct artifact_file *file)
{
	if (!format->load) {
		file->outcome = OUTCOME_NO_ARTIFACT;
		return diag_fail(file->log, ST_INPUT, "%s: %s", source_name(src), format->refusal);
	}
	if (format->ahead && l->spare_threads)
		source_ahead(src);
	return format->load(l, src, file);
}

/* Read a file again that looked like a trace. It may be a memory snapshot or profile with its keys
   in an unusual order. */
static enum status load_late_memory(const struct loader *l, struct artifact_file *file, bool *found)
{
	struct source *src;
	*found = false;
	TRY(open_file(l, file, &src));
	enum json_form form = json_form_of(src);
	source_close(src);
	*found = form != JSON_OTHER;
	if (!*found)
		return ST_OK;
	TRY(open_file(l, file, &src));
	enum status st = load_format(l, artifact_format_of(form), src, file);
	source_close(src);
	return st;
}

static bool is_regular(const char *path)
{
	struct stat sb;
	return strcmp(path, "-") != 0 && stat(path, &sb) == 0 && S_ISREG(sb.st_mode);
}

static enum status load_guess(const struct loader *l, const struct artifact_format *format,
                              struct source *src, struct artifact_file *file)
{
	struct diag_log own, *log = file->log;
	bool found = false;
	diag_init(&own);
	file->log = &own;
	enum status st = load_format(l, format, src, file);
	file->log = log;
	if (file->outcome == OUTCOME_NO_ARTIFACT && is_regular(file->path)) {
		enum status late = load_late_memory(l, file, &found);
		if (found || late != ST_OK) {
			diag_release(&own);
			file->outcome = OUTCOME_DIGEST;
			return late;
		}
	} else if (file->outcome == OUTCOME_NO_ARTIFACT) {
		diag_note(&own, "a memory snapshot or profile is recognized here only by its first "
		                "4 KiB; if it is one, give it as a file");
	}
	diag_move(log, &own);
	return st;
}

static enum status refuse_lines(const struct loader *l, struct source *src,
                                struct artifact_file *file, bool *found)
{
	(void)l;
	enum status st = result_refuse_lines(src, found, file->log);
	if (*found)
		file->outcome = OUTCOME_NO_ARTIFACT;
	return st;
}

/* Readers of files with figures. They are tried in this order. */
static enum status (*const of_figures[])(const struct loader *l, struct source *src,
                                         struct artifact_file *file, bool *found) = {
	artifact_load_result,
	artifact_load_machine,
	refuse_lines,
};

/* Open a file again from its beginning. `first` has its first bytes. If they are the whole file,
   they are read from memory: standard input cannot be opened again. */
static enum status open_again(const struct loader *l, struct source *src, struct span first,
                              struct artifact_file *file, struct source **out)
{
	if (first.n == SOURCE_PEEK)
		return open_file(l, file, out);
	*out = source_memory(source_name(src), first.p, first.n, NULL);
	return ST_OK;
}

/* Set `*may_be` to false if the file cannot be a result file, by its keys or its first bytes, or if
   it cannot be read again. */
static enum status sniff(const struct loader *l, struct source *src, struct span first,
                         struct artifact_file *file, bool *may_be)
{
	struct source *again;
	*may_be = result_recognize(first) && (first.n < SOURCE_PEEK || is_regular(file->path));
	if (!*may_be || first.n < SOURCE_PEEK)
		return ST_OK;
	TRY(open_again(l, src, first, file, &again));
	*may_be = result_sniff(again);
	source_close(again);
	return ST_OK;
}

static enum status load_result(const struct loader *l, struct source *src, struct span first,
                               struct artifact_file *file, bool *found)
{
	struct source *again;
	enum status st = ST_OK;
	for (size_t i = 0; i < NR_OF(of_figures) && st == ST_OK && !*found; i++) {
		TRY(open_again(l, src, first, file, &again));
		st = of_figures[i](l, again, file, found);
		source_close(again);
	}
	return st;
}

/* Read a file that no known format fits, by a format made from its own keys or columns. Only files
   that the user names are read so, since other files of a folder may be anything. */
static enum status load_plain(const struct loader *l, struct source *src, struct span first,
                              struct artifact_file *file, bool *found)
{
	struct source *one, *two;
	TRY(open_again(l, src, first, file, &one));
	enum status st = open_again(l, src, first, file, &two);
	if (st == ST_OK) {
		st = artifact_load_plain(l, one, two, file, found);
		source_close(two);
	}
	source_close(one);
	return st;
}

static enum status load_known(const struct loader *l, const struct artifact_format *format,
                              struct source *src, struct span first, bool may_be,
                              struct artifact_file *file)
{
	bool found = false;
	enum status st = may_be ? load_result(l, src, first, file, &found) : ST_OK;
	if (found || st != ST_OK)
		return st;
	return format->is_guess ? load_guess(l, format, src, file) : load_format(l, format, src, file);
}

static enum status load_source(const struct loader *l, struct source *src,
                               struct artifact_file *file)
{
	struct span first;
	bool may_be = false, found = false;
	TRY(source_peek(src, &first, file->log));
	const struct artifact_format *format = artifact_format_find(first, source_name(src));
	if (format->or_result)
		TRY(sniff(l, src, first, file, &may_be));
	if (!may_be || file->of_folder)
		return load_known(l, format, src, first, may_be, file);
	struct diag_log known, plain, *log = file->log;
	diag_init(&known);
	diag_init(&plain);
	file->log = &known;
	enum status st = load_known(l, format, src, first, may_be, file);
	file->log = &plain;
	if (file->outcome == OUTCOME_NO_ARTIFACT) {
		enum status own = load_plain(l, src, first, file, &found);
		st = found ? own : st;
	}
	file->log = log;
	diag_move(log, found ? &plain : &known);
	diag_release(found ? &known : &plain);
	return st;
}

void load_file(const struct loader *l, struct artifact_file *file)
{
	struct source *src;
	mem_reads(file->path);
	file->outcome = OUTCOME_DIGEST;
	file->status = open_file(l, file, &src);
	if (file->status == ST_OK) {
		file->status = load_source(l, src, file);
		/* The search for damage reads the file to its end. Files that are not artifacts are not
		   searched, since they may be large. */
		if (file->status != ST_OK && file->outcome != OUTCOME_NO_ARTIFACT)
			source_blame_damage(src, file->log);
		source_close(src);
		if (!file->log->first)
			diag_release(file->log); /* most files have no messages, and their logs then need no
			                            memory */
	}
	mem_reads(NULL);
}
