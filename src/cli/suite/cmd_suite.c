/* The command suite, and the commands digest, approve and store with --suite. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "io/cores.h"
#include "io/opened.h"
#include "store/history_file.h"
#include "suite/expand.h"
#include "suite/suite.h"

#define SUITE_PATH "gpugate-suite.yaml"

struct work {
	/// options of the suite, in which --jobs is the number of threads per case
	struct options options;
	struct suite_file file;
	struct suite_jobs jobs;
	struct arena arena;
	struct suite *out;
	size_t nr; ///< number of cases to work on: the first ones of `jobs`
	size_t at_once; ///< number of processes at the same time, which share the memory limit
	struct diag_log *log;
};

static void note_input(const char *path)
{
	struct stat sb;
	if (path && stat(path, &sb) == 0)
		opened_note(&sb);
}

/* Note the files that the suite file names before the processes of the cases read them, since no
   process may write over a file of any case. Other files, such as those in the folder of a run, are
   noted when the process that has read them has ended. */
static void note_inputs(const struct suite_jobs *jobs, const struct options *o)
{
	struct arena scratch = ARENA_INIT;
	for (size_t i = 0; i < jobs->list.nr; i++) {
		const struct suite_job *job = &jobs->list.v[i];
		for (size_t k = 0; k < job->runs.nr; k++)
			note_input(job->runs.v[k]);
		for (size_t k = 0; k < job->controls.nr; k++)
			note_input(job->controls.v[k]);
		note_input(job->rules);
		if (!job->baseline || o->command != CMD_SUITE)
			continue; /* commands other than `suite` may write over the baseline */
		note_input(job->baseline);
		const char *history = setup_history_path(o, job->baseline, &scratch);
		note_input(history);
		note_input(history_reference_path(history, &scratch));
	}
	arena_release(&scratch);
}

static enum status work_begin(struct work *w, const struct options *o, const char *path,
                              struct diag_log *log)
{
	*w = (struct work){ .options = *o, .arena = ARENA_INIT, .log = log };
	TRY(suite_file_read(path, NULL, &w->file, log));
	TRY(suite_expand(&w->file, o->value[OPT_RUNS], &w->jobs, log));
	note_inputs(&w->jobs, o);
	return output_check(o, log);
}

static void work_release(struct work *w)
{
	suite_jobs_release(&w->jobs);
	suite_file_release(&w->file);
	arena_release(&w->arena);
}

/* ---- the command suite ---- */

/* Parse the value of --shard, such as "2/8". */
static enum status shard_of(const struct options *o, struct suite *s, struct diag_log *log)
{
	const char *text = o->value[OPT_SHARD], *slash = text ? strchr(text, '/') : NULL;
	if (!text)
		return ST_OK;
	if (!slash || !number_parse((struct span){ text, (size_t)(slash - text) }, 0, &s->shard) ||
	    !number_parse(span_of(slash + 1), 0, &s->shards) || s->shard < 1 || s->shard > s->shards ||
	    s->shards > SUITE_CASES) {
		s->shard = s->shards = 1;
		return diag_fail(log, ST_USAGE,
		                 "option '--shard' takes a shard and their number such as "
		                 "2/8, not %s",
		                 diag_quote(log, text));
	}
	return ST_OK;
}

/* FNV-1a hash of the names of all cases. Shards of one suite have equal hashes. */
static uint64_t hash_of(const struct suite_jobs *jobs)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < jobs->list.nr; i++)
		for (const char *p = jobs->list.v[i].workload;; p++) {
			hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
			if (!*p)
				break;
		}
	return hash;
}

/* The index in the whole suite of case `i` of this shard. */
static size_t place_of(const struct work *w, size_t i)
{
	return i * (size_t)w->out->shards + (size_t)w->out->shard - 1;
}

static void judge_case(size_t i, void *ctx, struct sink *out)
{
	struct work *w = ctx;
	struct suite one;
	size_t place = place_of(w, i);
	mem_limit(cli_memory_limit(&w->options) / w->at_once);
	suite_init(&one);
	one.total = w->out->total;
	case_judge(&w->jobs.list.v[place], &w->options, place, (size_t)one.total, &one);
	suite_write(&one, out);
	suite_release(&one);
}

static void take_case(size_t i, struct span text, const char *died, void *ctx)
{
	struct work *w = ctx;
	struct suite one;
	struct diag_log log;
	size_t place = place_of(w, i);
	diag_init(&log);
	enum status st = died ? ST_INPUT : suite_parse("a case", text, &one, &log);
	if (st == ST_OK)
		suite_take(w->out, &one);
	else
		case_add_open(w->out, place, w->jobs.list.v[place].workload, VERDICT_ERROR, ST_INPUT,
		              died ? died : diag_first_error(&log));
	if (!died)
		suite_release(&one);
	diag_release(&log);
}

/* Divide the threads among the cases. As many cases run in parallel as there are threads. If there
   are fewer cases than threads, each case gets the same number of threads, and the rest are not
   used. */
static void share_jobs(struct work *w, size_t nr)
{
	uint64_t jobs = options_u64(&w->options, OPT_JOBS, cores_usable());
	uint64_t at_once = jobs < nr ? jobs : nr;
	at_once = at_once ? at_once : 1;
	w->options.value[OPT_JOBS] = arena_printf(&w->arena, "%" PRIu64, jobs / at_once);
	w->at_once = (size_t)at_once;
}

static enum status judge_suite(const struct options *o, struct suite *out, struct diag_log *log)
{
	struct work w = { 0 };
	if (o->args.nr > 1)
		return diag_fail(
		    log, ST_USAGE,
		    "'suite' takes one suite file, or the parts (.json) that its shards wrote");
	TRY(shard_of(o, out, log));
	const char *path = o->args.nr ? o->args.v[0] : SUITE_PATH;
	if (!o->args.nr && is_absent(path))
		return diag_fail(log, ST_USAGE,
		                 "there is no " SUITE_PATH " here: name a suite file, or write it as "
		                 "docs/suites.md says");
	enum status st = work_begin(&w, o, path, log);
	w.out = out;
	if (st == ST_OK) {
		size_t total = w.jobs.list.nr, before = (size_t)out->shard - 1;
		size_t nr = total > before ? (total - before - 1) / (size_t)out->shards + 1 : 0;
		out->name = arena_dup(&out->arena, span_of(w.file.name));
		out->file = arena_dup(&out->arena, span_of(path));
		out->hash = hash_of(&w.jobs);
		out->total = (int64_t)total;
		share_jobs(&w, nr);
		st = children_run(&(struct child_work){ &w, judge_case, take_case }, nr, w.at_once, log);
	}
	work_release(&w);
	return st;
}

/* ---- joining shards ---- */

static enum status add_shard(const char *path, bool *seen, struct suite *out, bool first,
                             struct diag_log *log)
{
	struct suite shard;
	const char *quoted = diag_quote(log, path);
	enum status st = suite_read(path, &shard, log);
	if (st == ST_OK && first) {
		out->name = arena_dup(&out->arena, span_of(shard.name));
		out->file = shard.file ? arena_dup(&out->arena, span_of(shard.file)) : NULL;
		out->hash = shard.hash;
		out->total = shard.total;
		out->shards = shard.shards;
	}
	if (st != ST_OK)
		;
	else if (shard.hash != out->hash || shard.total != out->total || shard.shards != out->shards ||
	         strcmp(shard.name, out->name) != 0)
		st = diag_fail(log, ST_INPUT,
		               "%s: is of another suite, or of other cases, than the first part", quoted);
	else if (shard.shards > SUITE_CASES)
		st = diag_fail(log, ST_INPUT, "%s: is of more than %d shards", quoted, SUITE_CASES);
	else if (seen[shard.shard])
		st = diag_fail(log, ST_INPUT, "%s: shard %" PRId64 " is given twice", quoted, shard.shard);
	else
		seen[shard.shard] = true;
	if (st == ST_OK)
		suite_take(out, &shard);
	suite_release(&shard);
	return st;
}

static enum status merge_suite(const struct options *o, struct suite *out, struct diag_log *log)
{
	bool seen[SUITE_CASES + 1] = { false };
	if (!o->args.nr || o->value[OPT_SHARD] || o->value[OPT_RUNS])
		return diag_fail(
		    log, ST_USAGE,
		    "shards are joined from what 'suite --shard' wrote with --json, without other options");
	for (size_t i = 0; i < o->args.nr; i++)
		TRY(add_shard(o->args.v[i], seen, out, i == 0, log));
	for (int64_t i = 1; i <= out->shards; i++)
		if (!seen[i])
			return diag_fail(log, ST_INPUT, "shard %" PRId64 " of %" PRId64 " is missing", i,
			                 out->shards);
	if (out->cases.nr != (size_t)out->total)
		return diag_fail(log, ST_INPUT,
		                 "%s: its suite has %" PRId64 " cases, and the parts have %zu",
		                 diag_quote(log, o->args.v[0]), out->total, out->cases.nr);
	out->shards = 1;
	return ST_OK;
}

enum status cmd_suite(const struct options *o, struct diag_log *log)
{
	struct suite s;
	const char *ending = o->args.nr ? strrchr(o->args.v[0], '.') : NULL;
	bool shards = o->value[OPT_MERGE] || (ending && strcmp(ending, ".json") == 0);
	suite_init(&s);
	enum status st = shards ? merge_suite(o, &s, log) : judge_suite(o, &s, log);
	if (st == ST_OK)
		suite_conclude(&s);
	st = suite_output(&s, o, st, log);
	suite_release(&s);
	return st;
}

/* ---- digest --suite ---- */

/* Write the runs of a case as digests to a folder that has the name of the case. */
static enum status digest_case(struct options *o, struct diag_log *log)
{
	struct arena *a = &log->arena;
	const char *folder = arena_printf(a, "%s/%s", o->value[OPT_OUTPUT], o->value[OPT_WORKLOAD]);
	size_t nr = o->all[OPT_REPEAT].nr;
	o->value[OPT_OUTPUT] = arena_printf(a, "%s/" SUITE_RUN, folder);
	TRY(sink_make_folders(o->value[OPT_OUTPUT], log));
	TRY(cmd_digest(o, log));
	for (size_t i = 0; i < nr; i++) {
		o->args.nr = 1;
		o->args.v[0] = o->all[OPT_REPEAT].v[i];
		o->value[OPT_OUTPUT] = arena_printf(a, "%s/" SUITE_REPEAT, folder, i + 1);
		TRY(cmd_digest(o, log));
	}
	/* Refuse a folder that has more runs, which an earlier command left there: they would count as
	 * runs of this case. */
	if (access(arena_printf(a, "%s/" SUITE_REPEAT, folder, nr + 1), F_OK) == 0 ||
	    access(arena_printf(a, "%s/" SUITE_CONTROL, folder, (size_t)1), F_OK) == 0)
		return diag_fail(log, ST_OUTPUT, "%s: holds more runs, of an earlier command: remove it",
		                 text_quote(a, span_of(folder)));
	return ST_OK;
}

/* ---- approve and store with --suite ---- */

/* Restrict the work to the case that --workload names: move this case to the front of the list. */
static enum status pick_case(struct work *w, const char *name)
{
	struct nearest near = { .word = span_of(name) };
	for (size_t i = 0; i < w->jobs.list.nr; i++) {
		struct suite_job *v = w->jobs.list.v, picked = v[i];
		nearest_try(&near, picked.workload);
		if (strcmp(picked.workload, name) != 0)
			continue;
		v[i] = v[0]; /* the case that was first takes its place, since it must be released, too */
		v[0] = picked;
		w->nr = 1;
		return ST_OK;
	}
	return diag_fail(w->log, ST_USAGE, "--workload: the suite has no case %s%s%s%s",
	                 text_quote(&w->log->arena, near.word), near.best ? "; did you mean '" : "",
	                 text_or_empty(near.best), near.best ? "'?" : "");
}

static enum status change_baseline(const struct work *w, const struct suite_job *job,
                                   struct diag_log *log)
{
	struct options o;
	if (job->missing)
		return diag_fail(log, ST_INPUT, "%s", job->missing);
	case_options(job, &w->options, w->options.command, &o);
	o.old = w->options.old;
	enum status st = o.command == CMD_DIGEST    ? digest_case(&o, log)
	                 : o.command == CMD_APPROVE ? cmd_approve(&o, log)
	                                            : cmd_store(&o, log);
	options_release(&o);
	return st;
}

/* Change the baseline of one case. This runs in a child process, which prints its own messages. */
static void change_case(size_t i, void *ctx, struct sink *out)
{
	const struct work *w = ctx;
	struct diag_log log;
	mem_limit(cli_memory_limit(&w->options) / w->at_once);
	diag_init(&log);
	const char *name = w->jobs.list.v[i].workload;
	enum status st = change_baseline(w, &w->jobs.list.v[i], &log);
	for (struct diag_entry *e = log.first; e; e = e->next)
		if (e->severity != DIAG_NOTE)
			e->text = arena_printf(&log.arena, "%s: %s", diag_quote(&log, name), e->text);
	cli_print_log(&log);
	diag_release(&log);
	sink_printf(out, "%d", (int)st);
}

static void take_change(size_t i, struct span text, const char *died, void *ctx)
{
	struct work *w = ctx;
	const char *name = w->jobs.list.v[i].workload;
	int64_t st = ST_OUTPUT;
	if (died || !number_parse(text, 0, &st))
		diag_error(w->log, "%s: %s", diag_quote(w->log, name),
		           died ? died : "its process ended without a result");
	case_add_open(w->out, i, name, st == ST_OK ? VERDICT_PASS : VERDICT_ERROR, (enum status)st, "");
}

enum status cmd_suite_cases(const struct options *o, struct diag_log *log)
{
	struct work w;
	struct suite s;
	if (o->command == CMD_DIGEST && !o->value[OPT_OUTPUT])
		return diag_fail(log, ST_USAGE, "'digest' of a suite needs --output DIR (or -o DIR)");
	if (o->value[OPT_BASELINE])
		return diag_fail(log, ST_USAGE, "the cases of a suite have their own --baseline");
	const char *only = o->value[OPT_CASE] ? o->value[OPT_CASE] : o->value[OPT_WORKLOAD];
	suite_init(&s);
	enum status st = work_begin(&w, o, o->value[OPT_SUITE], log);
	w.out = &s;
	w.nr = w.jobs.list.nr;
	/* one process at a time: messages are then printed in the order of the suite */
	w.at_once = 1;
	if (st == ST_OK && only)
		st = pick_case(&w, only);
	if (st == ST_OK && o->command == CMD_DIGEST) {
		share_jobs(&w, w.nr);
		/* 'suite --runs' refuses a folder that is not there, and this one may get no case */
		st = sink_make_folders(arena_printf(&log->arena, "%s/.", o->value[OPT_OUTPUT]), log);
	}
	NEXT(st,
	     children_run(&(struct child_work){ &w, change_case, take_change }, w.nr, w.at_once, log));
	if (st == ST_OK) {
		suite_conclude(&s);
		st = s.status;
	}
	work_release(&w);
	suite_release(&s);
	return st;
}
