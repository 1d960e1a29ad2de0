#include "cli/setup.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/artifact_format.h"
#include "diff/past.h"
#include "io/opened.h"
#include "io/place.h"
#include "rules/formats_file.h"
#include "rules/rules_file.h"
#include "store/history_file.h"

bool is_absent(const char *path)
{
	struct stat sb;
	return lstat(path, &sb) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

const char *setup_rules_path(const struct options *o)
{
	if (o->command == CMD_INIT)
		return NULL; /* `init` does not read a rules file: it is about to write one */
	if (o->value[OPT_RULES])
		return o->value[OPT_RULES];
	return is_absent(RULES_PATH) ? NULL : RULES_PATH;
}

/* Path of a table: the value of `old`, an option of older versions, if it is given; else `path`,
   which comes from the rules. NULL: the built-in table. */
static const char *table_path(const struct options *o, enum option old, const char *path)
{
	return o->value[old] ? o->value[old] : path;
}

enum status setup_categories(const struct options *o, const struct rules *rules, const char *path,
                             struct category_table *out, struct diag_log *log)
{
	TRY(categories_read(table_path(o, OPT_CATEGORIES, rules->tables.categories), NULL, out, log));
	for (size_t i = 0; i < rules->categories.nr; i++) {
		const struct category_addition *a = &rules->categories.v[i];
		struct nearest near = { .word = span_of(a->category) };
		if (category_add(out, a))
			continue;
		for (size_t k = 0; k < out->rows.nr; k++)
			nearest_try(&near, out->rows.v[k].name);
		return diag_fail(log, ST_USAGE, "%s: 'kernels.categories': there is no category %s%s",
		                 diag_quote(log, path), text_quote(&log->arena, near.word),
		                 nearest_hint(&near, &log->arena, ':', ""));
	}
	return ST_OK;
}

enum status setup_init(struct setup *s, const struct options *o, struct diag_log *log)
{
	*s = (struct setup){ .options = o };
	TRY(context_check(o, log));
	TRY(rules_read(setup_rules_path(o), NULL, o->value[OPT_PROFILE], &s->rules, log));
	for (size_t i = 0; i < o->all[OPT_LIMIT].nr; i++)
		TRY(rules_add_limit(o->all[OPT_LIMIT].v[i], &s->rules, log));
	TRY(setup_categories(o, &s->rules, setup_rules_path(o), &s->categories, log));
	TRY(sites_read(table_path(o, OPT_SITES, s->rules.tables.sites), NULL, &s->sites, log));
	const char *formats = table_path(o, OPT_FORMATS, s->rules.tables.formats);
	if (formats)
		TRY(formats_read(formats, NULL, &s->formats, log));
	TRY(diagnosis_read(table_path(o, OPT_DIAGNOSIS, s->rules.tables.diagnosis), NULL, &s->diagnosis,
	                   log));
	s->workload = s->rules.workload;
	s->rules_name_baseline = strcmp(s->rules.workload, DEFAULT_WORKLOAD) != 0 ||
	                         strcmp(s->rules.baseline, rules_default().baseline) != 0;
	if (o->value[OPT_WORKLOAD]) {
		const char *fault = workload_fault(span_of(o->value[OPT_WORKLOAD]));
		if (fault)
			return diag_fail(log, ST_USAGE, "--workload %s %s",
			                 diag_quote(log, o->value[OPT_WORKLOAD]), fault);
		s->workload = s->rules.workload = o->value[OPT_WORKLOAD];
	}
	uint64_t ranks = options_u64(o, OPT_EXPECT_RANKS, 0);
	if (ranks > INT32_MAX)
		return diag_fail(log, ST_USAGE, "option '--expect-ranks' takes 1 to %d", INT32_MAX);
	if (ranks)
		s->rules.expect_ranks = (int64_t)ranks;
	if (o->value[OPT_MARKER])
		s->rules.marker = o->value[OPT_MARKER];
	if (o->value[OPT_UNMARKED])
		s->rules.unmarked = o->value[OPT_UNMARKED];
	s->naming = (struct naming){ .exact = s->rules.match_exact,
		                         .aliases = s->rules.aliases.v,
		                         .nr_aliases = s->rules.aliases.nr,
		                         .categories = &s->categories };
	s->join_cycles = s->rules.join_cycles || o->value[OPT_JOIN_CYCLES];
	s->own_formats = formats != NULL;
	s->reduce = (struct reduce_options){
		.keep_step = o->value[OPT_EVIDENCE] != NULL,
		.marker = s->rules.marker ? s->rules.marker : DEFAULT_MARKER,
		.by_period = s->rules.unmarked && strcmp(s->rules.unmarked, UNMARKED_PERIOD) == 0,
		.marker_alone = s->rules.marker && strcmp(s->rules.marker, DEFAULT_MARKER) != 0,
		.warmup = s->rules.warmup > 0 ? s->rules.warmup : 0,
		.communication = category_communication(&s->categories, &s->rules.arena),
		.sites = &s->sites,
	};
	return ST_OK;
}

void setup_release(struct setup *s)
{
	rules_release(&s->rules);
	category_table_release(&s->categories);
	site_rules_release(&s->sites);
	result_formats_release(&s->formats);
	diagnosis_rules_release(&s->diagnosis);
}

/* Append the value that the run's environment has for `key`. Each character that is unsafe in a
   file name becomes '-'. */
static enum status add_known(struct strbuf *out, const struct run *run, const char *key,
                             const char *pattern, struct diag_log *log)
{
	const char *value = run && run->ranks.nr ? digest_env(run->ranks.v[0], key) : NULL;
	if (!value)
		return diag_fail(
		    log, ST_BASELINE,
		    "baseline pattern %s: the run does not say its %s; name the file with --baseline",
		    diag_quote(log, pattern), key);
	for (const char *p = value; *p; p++) {
		bool plain =
		    is_letter(*p) || is_digit(*p) || *p == '_' || (*p == '.' && p != value && p[-1] != '.');
		strbuf_addch(out, plain ? *p : '-');
	}
	return ST_OK;
}

static enum status fill_in(const char *pattern, const char *workload, const struct run *run,
                           struct arena *a, const char **out, struct diag_log *log)
{
	static const struct {
		const char *name, *key;
	} places[] = { { "{workload}", NULL },
		           { "{gpu}", "gpu.name" },
		           { "{world_size}", "world_size" } };
	struct strbuf b = STRBUF_INIT;
	enum status st = ST_OK;
	for (const char *p = pattern; *p && st == ST_OK;) {
		size_t i = 0;
		while (i < 3 && strncmp(p, places[i].name, strlen(places[i].name)) != 0)
			i++;
		if (i < 3 && places[i].key)
			st = add_known(&b, run, places[i].key, pattern, log);
		else if (i < 3)
			strbuf_adds(&b, workload);
		else
			strbuf_addch(&b, *p);
		p += i < 3 ? strlen(places[i].name) : 1;
	}
	*out = arena_take(a, &b);
	return st;
}

enum status setup_name_workload(struct setup *s, const struct run *run, struct diag_log *log)
{
	if (!strstr(s->workload, "{gpu}") && !strstr(s->workload, "{world_size}"))
		return ST_OK;
	TRY(fill_in(s->workload, "{workload}", run, &s->rules.arena, &s->workload, log));
	s->rules.workload = s->workload;
	return ST_OK;
}

const char *setup_kept_name(const struct options *o, const char *path)
{
	const char *folder = o->value[OPT_HISTORY];
	size_t n = folder ? strlen(folder) : 0;
	while (n > 1 && folder[n - 1] == '/')
		n--;
	bool kept = n && strncmp(path, folder, n) == 0 && path[n] == '/';
	return kept ? path + n + strspn(path + n, "/") : NULL;
}

/* The place of a baseline in the folder of --history. The whole path of the baseline is repeated
   there, since baselines in several folders may have the same file name. If the path is absolute or
   has "..", it may lead out of the folder: only its file name is then used. */
static const char *kept_path(const struct options *o, const char *path, struct arena *a)
{
	const char *last = strrchr(path, '/');
	bool inside = *path != '/' && !strstr(path, "..");
	return arena_printf(a, "%s/%s", o->value[OPT_HISTORY], inside || !last ? path : last + 1);
}

const char *setup_history_path(const struct options *o, const char *path, struct arena *a)
{
	bool beside = !o->value[OPT_HISTORY] || setup_kept_name(o, path);
	return history_path(beside ? path : kept_path(o, path, a), a);
}

/* True if the runs have different values of the environment key `key`, and the rules refuse to
   compare such runs. */
static bool is_kept_apart(const struct rules *rules, const char *key, const struct run *x,
                          const struct run *y)
{
	const char *of_x = digest_env(x->ranks.v[0], key), *of_y = digest_env(y->ranks.v[0], key);
	return of_x && of_y && strcmp(of_x, of_y) != 0 &&
	       ANY(i, rules->must_match.nr, strcmp(rules->must_match.v[i].p, key) == 0);
}

/* In the folder of --history, each GPU and world size has a baseline of its own. The file of the
   first baseline is named by the workload only. If the first baseline is of another GPU or world
   size than the run, `*path` becomes a path that names both. If it cannot be read, `*path` stays:
   the caller reports the error, or replaces the file (`approve --force`). */
static enum status find_own_baseline(const struct setup *s, const struct run *run, struct arena *a,
                                     const char **path, struct diag_log *log)
{
	const char *first = kept_path(s->options, *path, a);
	if (s->options->value[OPT_BASELINE] || strcmp(s->rules.baseline, DEFAULT_BASELINE) != 0 ||
	    !run || !run->ranks.nr || is_absent(first))
		return ST_OK;
	struct baseline b = { 0 };
	struct diag_log unsaid;
	struct stat sb;
	diag_init(&unsaid);
	bool other = baseline_read(first, &b, &unsaid) == ST_OK &&
	             (is_kept_apart(&s->rules, "gpu.name", &b.pin, run) ||
	              is_kept_apart(&s->rules, "world_size", &b.pin, run));
	if (stat(first, &sb) == 0)
		opened_forget(&sb);
	baseline_release(&b);
	arena_release(&unsaid.arena);
	return other ? fill_in(BASELINE_OF_MACHINE, s->workload, run, a, path, log) : ST_OK;
}

enum status setup_baseline_path(const struct setup *s, const struct run *run, struct arena *a,
                                const char **out, struct diag_log *log)
{
	const struct options *o = s->options;
	*out = o->value[OPT_BASELINE];
	if (!*out)
		TRY(fill_in(s->rules.baseline, s->workload, run, a, out, log));
	if (o->value[OPT_HISTORY] && is_absent(*out))
		TRY(find_own_baseline(s, run, a, out, log));
	if (!o->value[OPT_HISTORY] || strcmp(*out, "-") == 0 || !is_absent(*out))
		return ST_OK;
	const char *kept = kept_path(o, *out, a);
	bool begins = is_absent(kept);
	if (begins && o->command != CMD_STORE)
		return ST_OK;
	if (begins && (!o->value[OPT_BASELINE] || o->value[OPT_SUITE]))
		TRY(place_check(*out, NULL, log)); /* it refuses paths that lead out of the repository */
	*out = kept;
	return ST_OK;
}

enum status setup_baseline_there(const struct options *o, const char *path, struct diag_log *log)
{
	const char *quoted = diag_quote(log, path);
	if (strcmp(path, "-") != 0 && access(path, F_OK) < 0)
		return diag_fail(
		    log, ST_BASELINE,
		    "%s: no baseline there%s%s; if the name is right, make one of a good run "
		    "with 'gpugate approve %s --new%s'",
		    quoted, errno == ENOENT ? "" : ": ", errno == ENOENT ? "" : strerror(errno),
		    o->value[OPT_SUITE] ? "SUITE" : "RUN", o->value[OPT_SUITE] ? "" : " --baseline FILE");
	return ST_OK;
}

/* Fill b->reference with the newest runs of the history that were accepted since the run of the pin
   was approved, at most BASELINE_RECENT. */
static void fill_reference(struct baseline *b)
{
	uint64_t pin = past_source_hash(&b->pin);
	struct history *all = &b->reference;
	for (size_t i = 0; i < b->recent.runs.nr; i++) {
		b->recent.runs.v[i].pin = pin;
		b->recent.runs.v[i].verdict = "";
		b->recent.runs.v[i].accepted = true;
		vec_push(&all->runs, b->recent.runs.v[i]);
	}
	for (size_t i = 0; i < b->history.runs.nr; i++)
		if (b->history.runs.v[i].accepted && b->history.runs.v[i].pin == pin)
			vec_push(&all->runs, b->history.runs.v[i]);
	if (all->runs.nr <= BASELINE_RECENT)
		return;
	memmove(all->runs.v, all->runs.v + all->runs.nr - BASELINE_RECENT,
	        BASELINE_RECENT * sizeof *all->runs.v);
	all->runs.nr = BASELINE_RECENT;
}

/* Check that the folder of --history exists: without it, no runs would be known, and all noise
   would be assumed. Commands that add runs create the folder. */
static enum status history_folder_there(const struct options *o, struct diag_log *log)
{
	const char *folder = o->value[OPT_HISTORY];
	struct stat sb;
	if (!folder || ((ON_TAKING & (1u << o->command)) && o->args.nr) ||
	    (stat(folder, &sb) == 0 && S_ISDIR(sb.st_mode)))
		return ST_OK;
	return diag_fail(log, ST_USAGE,
	                 "--history %s: no folder is there; name the folder of histories, or leave the "
	                 "option out if they are beside the baselines",
	                 diag_quote(log, folder));
}

/* Read the reference run, if there is one: a whole run of main that `store` keeps beside the
   history. It counts only if b->reference has it. If it was stored before the approval, it is not
   there. It is not there either if the history lacks its line, for example because its commit is
   not in main. */
static enum status read_reference_run(const char *history, struct baseline *out,
                                      struct diag_log *log)
{
	const char *path = history_reference_path(history, &out->arena);
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return ST_OK;
	out->reference_run = arena_alloc(&out->arena, 1, sizeof *out->reference_run);
	enum status st = baseline_read(path, out->reference_run, log);
	if (st == ST_BASELINE)
		diag_note(log, "remove %s: 'gpugate store' writes it again", diag_quote(log, path));
	const struct run *run = &out->reference_run->pin;
	if (st == ST_OK && (past_source_hash(run) == past_source_hash(&out->pin) ||
	                    !past_find(&out->reference, run))) {
		baseline_release(out->reference_run);
		out->reference_run = NULL;
	}
	return st;
}

enum status setup_baseline_read(const struct options *o, const char *path, struct baseline *out,
                                struct diag_log *log)
{
	TRY(history_folder_there(o, log));
	TRY(setup_baseline_there(o, path, log));
	enum status st = baseline_read(path, out, log);
	const char *history = setup_history_path(o, path, &out->arena);
	bool is_file = strcmp(path, "-") != 0;
	if (st == ST_OK && is_file)
		st = history_read(history, &out->arena, &out->history, log);
	if (st == ST_BASELINE && access(path, R_OK) == 0)
		diag_note(log,
		          "take it from version control again, or make it anew of an approved run with "
		          "'gpugate approve RUN --baseline FILE --force'");
	if (st != ST_OK)
		return st;
	const char *name = setup_kept_name(o, path);
	if (name) /* reports must not depend on the path of the --history folder */
		out->pin.label = name;
	fill_reference(out);
	return is_file ? read_reference_run(history, out, log) : ST_OK;
}

enum status setup_stored(struct setup *s, const char **path, struct baseline *out,
                         struct diag_log *log)
{
	if (!*path)
		TRY(setup_baseline_path(s, NULL, &s->rules.arena, path, log));
	return setup_baseline_read(s->options, *path, out, log);
}
