/* The command `gpugate init`: writes a first rules file, and a workflow for the repository's CI
   system. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/acceptance.h"
#include "cli/artifact_format.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "init/init_repo.h"
#include "io/sink.h"
#include "model/embedded.h"
#include "rules/rules_file.h"

/* Names in the workflow files of ci/, which init replaces by those of the user. */
#define EXAMPLE_WORKLOAD "resnet50"
#define EXAMPLE_RUN "trace.json.gz"

#define IGNORED "# Recordings, which each job makes anew.\n"

struct init {
	const struct options *o;
	struct diag_log *log;
	struct repository repo;
	struct setup setup;
	struct run run; ///< the run that the user named; without ranks if the user named no run
	struct arena arena;
	const char *workload;
	bool added; ///< true if the workload is added, since the rules file that exists is for another
	            ///< one
	const char *rules_file; ///< path of the rules file
	bool replaces_rules; ///< true if there was such a file before
	bool lacks_home; ///< true if a workflow lacks the address of gpugate
	const char *home; ///< address of gpugate for workflows, OWNER/REPO@REF; "": unknown

	/// paths of the workflow that measures and judges, and of the workflow that acts on the verdict
	const char *gate_file, *act_file;

	/// number of steps that the chosen marker finds in the run; 0 if no marker was chosen.
	int64_t steps;
	const char *accepts, *why; ///< `accepts`: options that are needed to approve the run, or "";
	                           ///< `why`: the reason for them
	const char *to_ignore; ///< line to add to .gitignore for the run; NULL if none is needed
	const char *run_name; ///< name of the run in the workflow, and in the command that init advises
	                      ///< to run next
	struct init_rules rules;
	struct baseline baseline; ///< baseline whose history shows how large the noise is
	enum forge forge;
	bool chosen; ///< true if the user has said for which code hosting service workflows are written
	struct new_files files;
};

/* ---- choices that init makes for the user ---- */

/* Read the value of --home, or of the older --ci: a code hosting service, the address of gpugate,
   or both with a colon between them. */
static enum status take_home(struct init *in, const char *said)
{
	/* names in the order of enum forge */
	static const char *const forges[] = { "none", "github", "gitlab", NULL };
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
	const char *word = said, *slash, *at;
	int forge = span_find((struct span){ word, strcspn(word, ":") }, forges);
	if (forge >= 0) {
		in->forge = (enum forge)forge;
		in->chosen = true;
		word += strcspn(word, ":");
		if (!*word++)
			return ST_OK;
	}
	slash = strchr(word, '/');
	at = word + strspn(word, plain);
	if (!slash || slash == word || slash + 1 >= at || *at != '@' || !at[1] ||
	    at[1 + strspn(at + 1, plain)] || strstr(word, ".."))
		return diag_fail(
		    in->log, ST_USAGE,
		    "--home %s: is not OWNER/REPO@REF, with github: or gitlab: before it, or one "
		    "of github, gitlab and none",
		    diag_quote(in->log, said));
	in->home = word;
	return ST_OK;
}

static enum status choose_forge(struct init *in)
{
	const struct repository *r = &in->repo;
	in->home = GPUGATE_HOME;
	if (in->o->value[OPT_CI])
		TRY(take_home(in, in->o->value[OPT_CI]));
	if (in->o->value[OPT_HOME])
		TRY(take_home(in, in->o->value[OPT_HOME]));
	if (!in->chosen)
		in->forge = r->github == r->gitlab ? r->remote : r->github ? FORGE_GITHUB : FORGE_GITLAB;
	if (!in->chosen && r->github && r->gitlab && in->forge == FORGE_NONE)
		return diag_fail(in->log, ST_USAGE,
		                 "there are both .github and .gitlab-ci.yml: say which with --home github, "
		                 "gitlab or none");
	if (in->forge != FORGE_NONE && r->above)
		return diag_fail(in->log, ST_USAGE,
		                 "this is a part of the repository at '%s', where workflows belong: run "
		                 "'gpugate init' there, or here with --home none",
		                 r->above);
	return ST_OK;
}

/* A path such as "rules/gpugate.yaml" or, if the workload is added, "rules/gpugate-NAME.yaml". */
static const char *path_of(struct init *in, const char *stem, const char *ending)
{
	return in->added ? arena_printf(&in->arena, "%s-%s%s", stem, in->workload, ending)
	                 : arena_printf(&in->arena, "%s%s", stem, ending);
}

/* Choose the workload: that of --workload, else that of the rules file, else that of the
   repository. If the rules file is for another workload, the chosen one is added. */
static enum status choose_workload(struct init *in)
{
	const char *name = in->o->value[OPT_WORKLOAD];
	bool force = in->o->value[OPT_FORCE] != NULL;
	struct diag_log own; /* errors of a rules file that --force replaces; they are dropped */
	struct rules there;
	if (name && !is_plain_name(name))
		return diag_fail(in->log, ST_USAGE,
		                 "--workload %s: init takes letters, digits, '.', '_' and '-', beginning "
		                 "with a letter or digit",
		                 diag_quote(in->log, name));
	in->workload = name ? name : in->repo.workload;
	if (access(RULES_PATH, F_OK) == 0) {
		diag_init(&own);
		enum status st = rules_read(RULES_PATH, NULL, NULL, &there, force ? &own : in->log);
		if (st == ST_OK)
			in->workload = name ? name : arena_dup(&in->arena, span_of(there.workload));
		in->added = st == ST_OK && strcmp(in->workload, there.workload) != 0;
		rules_release(&there);
		diag_release(&own);
		if (!force)
			TRY(st);
	}
	in->rules_file = path_of(in, "rules/gpugate", ".yaml");
	return ST_OK;
}

static enum status check_marker(struct init *in)
{
	const char *marker = in->o->value[OPT_MARKER];
	for (const char *p = marker; p && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7F)
			return diag_fail(in->log, ST_USAGE, "--marker %s: has control characters",
			                 diag_quote(in->log, marker));
	return ST_OK;
}

/* True if the path can be written into the workflow file, where blanks separate paths, and paths
   are relative to the checkout of the repository. */
static bool is_plain_path(const char *path)
{
	bool plain = *path != '/' && *path != '-' && !strstr(path, "..");
	for (const char *p = path; *p; p++)
		plain = plain && (is_letter(*p) || is_digit(*p) || strchr("/._-", *p));
	return plain;
}

/* Load the run. If it is a result file of no known format, a format is proposed for it. */
static enum status load(struct init *in)
{
	const struct texts *args = &in->o->args;
	struct diag_log said;
	if (!args->nr)
		return ST_OK;
	diag_init(&said);
	enum status st = run_load(args->v, args->nr, &in->setup, &in->run, &said);
	if (st == ST_INPUT && args->nr == 1 && !artifact_recording(args->v[0]))
		in->rules.formats = artifact_propose(args->v[0], &in->setup.rules.results, &in->arena);
	if (in->rules.formats) {
		run_release(&in->run);
		st = run_load(args->v, args->nr, &in->setup, &in->run, in->log);
	} else {
		diag_move(in->log, &said);
	}
	diag_release(&said);
	return st;
}

/* Choose a step marker if the run has no steps, but has annotations that could be steps. */
static enum status choose_marker(struct init *in)
{
	const struct digest *d = in->run.ranks.nr ? in->run.ranks.v[0] : NULL;
	in->rules.marker = in->o->value[OPT_MARKER];
	if (in->rules.marker || !d || !d->window || !d->proposed_marker ||
	    strcmp(text_line(&in->arena, span_of(d->proposed_marker)), d->proposed_marker) != 0)
		return ST_OK;
	in->rules.marker = arena_dup(&in->arena, span_of(d->proposed_marker));
	in->steps = d->proposed_steps;
	in->setup.reduce.marker = in->rules.marker;
	in->setup.reduce.marker_alone = true;
	run_release(&in->run);
	return run_load(in->o->args.v, in->o->args.nr, &in->setup, &in->run, in->log);
}

/* The line of .gitignore for the run at `path`. NULL if .gitignore has the path already, or if the
   run is the whole folder. */
static const char *line_to_ignore(struct init *in, const char *path)
{
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	size_t n = strlen(path);
	while (n && path[n - 1] == '/')
		n--;
	const char *line = arena_printf(&in->arena, "/%.*s", (int)n, path);
	bool is_there = in->repo.ignored && strstr(in->repo.ignored, line + 1);
	return n && strcmp(line, "/.") != 0 && !is_there ? line : NULL;
}

static void choose_run(struct init *in)
{
	const char *name = in->o->args.nr == 1   ? in->o->args.v[0]
	                   : in->o->args.nr == 0 ? in->repo.run
	                                         : NULL;
	bool plain = name && is_plain_path(name);
	in->run_name = plain ? name : EXAMPLE_RUN;
	if (plain)
		in->to_ignore = line_to_ignore(in, name);
}

/* ---- texts of the files to write ---- */

static const char *replace_text(struct arena *a, const char *text, const char *from, const char *to)
{
	struct strbuf b = STRBUF_INIT;
	for (const char *hit; (hit = strstr(text, from)); text = hit + strlen(from)) {
		strbuf_add(&b, (struct span){ text, (size_t)(hit - text) });
		strbuf_adds(&b, to);
	}
	strbuf_adds(&b, text);
	return arena_take(a, &b);
}

/* Append the inputs that an added workload needs below the line `uses` of its workflow, which names
   the shared workflow or component with these inputs. */
static void add_inputs(struct init *in, struct span uses, int indent, struct strbuf *b)
{
	static const char *const actions[][2] = {
		{ "/measure.yml@", "rules" }, { "/act.yml@", "rules" }, { "/act.yml@", "workflow" },
		{ "component:", "rules" },    { "component:", "job" },
	};
	for (size_t i = 0; i < NR_OF(actions); i++) {
		const char *action = actions[i][0], *key = actions[i][1];
		if (!memmem(uses.p, uses.n, action, strlen(action)))
			continue;
		strbuf_addf(b, "%*s%s: \"", indent, "", key);
		strbuf_addf(b, "%s\"\n",
		            *key == 'r'   ? in->rules_file
		            : *key == 'w' ? in->gate_file
		                          : arena_printf(&in->arena, "gpugate-%s", in->workload));
	}
}

/* The workflow for an added workload, with its own names and its own rules file. */
static const char *fit_workflow(struct init *in, const char *text)
{
	static const char *const names[] = { "\nname: gpugate", "workflows: [gpugate", "\ngpugate" };
	struct strbuf b = STRBUF_INIT;
	struct span uses = SPAN("");
	for (size_t i = 0; i < NR_OF(names); i++)
		text = replace_text(&in->arena, text, names[i],
		                    arena_printf(&in->arena, "%s-%s", names[i], in->workload));
	text = replace_text(&in->arena, text, "gpugate.yml", path_last(in->gate_file));
	if (in->act_file)
		text = replace_text(&in->arena, text, "gpugate-act.yml", path_last(in->act_file));
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		struct span line = { text, (size_t)(end - text) };
		const char *input = memmem(line.p, line.n, "workload: ", 10);
		if (memmem(line.p, line.n, "uses:", 5) || memmem(line.p, line.n, "component:", 10))
			uses = line;
		strbuf_add(&b, (struct span){ line.p, line.n + 1 });
		if (input)
			add_inputs(in, uses, (int)(input - line.p), &b);
	}
	return arena_take(&in->arena, &b);
}

/* The line at `at`, with the lines below that are indented deeper and belong to its key. */
static struct span block_at(const char *at)
{
	size_t depth = strspn(at, " "), n = strcspn(at, "\n");
	for (const char *next; at[n] == '\n'; n = (size_t)(next - at) + strcspn(next, "\n")) {
		next = at + n + 1;
		if (!*next || (*next != '\n' && strspn(next, " ") <= depth))
			break;
	}
	return (struct span){ at, n };
}

/* The lines of a workflow file that have the same key as `line` and, if this is an address, lead to
   the same workflow or component; NULL text if there are none. */
static struct span same_line(const char *file, struct span line)
{
	const char *colon = memchr(line.p, ':', line.n), *at = memrchr(line.p, '@', line.n);
	const char *slash = at ? memrchr(line.p, '/', (size_t)(at - line.p)) : NULL;
	struct span key =
	    span_trim((struct span){ line.p, colon ? (size_t)(colon + 1 - line.p) : 0 }, " ");
	struct span goal = slash ? (struct span){ slash, (size_t)(at + 1 - slash) } : SPAN("");
	for (const char *end; (end = strchr(file, '\n')); file = end + 1) {
		struct span own = { file, (size_t)(end - file) };
		if (span_starts(span_trim(own, " "), key) && memmem(own.p, own.n, goal.p, goal.n))
			return block_at(file);
	}
	return (struct span){ 0 };
}

/* The text of a workflow with the lines of the `former` file that are the user's: the address of
   gpugate, unless it is given now, and what differs between projects. */
static const char *keep_lines(struct init *in, const char *former, const char *text)
{
	static const char keys[] = "runner benchmark image tags";
	struct strbuf b = STRBUF_INIT;
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		struct span line = { text, (size_t)(end - text) }, key = span_trim(line, " -");
		key.n = strcspn(key.p, ":\n");
		bool address = span_is_listed(key, "uses component") && !in->o->value[OPT_HOME] &&
		               !in->o->value[OPT_CI];
		bool keeps = address || span_is_listed(key, keys) ||
		             (!in->o->args.nr && span_is_listed(key, "runs"));
		struct span own = keeps ? same_line(former, line) : (struct span){ 0 };
		if (own.p && !address) { /* without the lines below the one that is replaced */
			struct span block = block_at(line.p);
			end = block.p + block.n;
		} else if (own.p) {
			own.n = strcspn(own.p, "\n"); /* what is below an address has keys of its own */
		}
		strbuf_add(&b, own.p ? own : line);
		strbuf_addch(&b, '\n');
	}
	return arena_take(&in->arena, &b);
}

static void add_workflow(struct init *in, const char *path, const char *text)
{
	struct arena *a = &in->arena;
	const char *former = repository_file(a, path);
	const char *quoted = arena_printf(a, "workload: \"%s\"", in->workload);
	if (in->repo.stage && in->forge == FORGE_GITLAB)
		quoted = arena_printf(a, "%s\n      stage: \"%s\"", quoted, in->repo.stage);
	if (in->added)
		text = fit_workflow(in, text);
	text = replace_text(a, text, "workload: " EXAMPLE_WORKLOAD, quoted);
	text = replace_text(a, text, EXAMPLE_WORKLOAD, in->workload);
	text = replace_text(a, text, EXAMPLE_RUN, in->run_name);
	if (*in->home) {
		size_t n = strcspn(in->home, "@");
		text =
		    replace_text(a, text, "gpugate/gpugate/", arena_printf(a, "%.*s/", (int)n, in->home));
		text = replace_text(a, text, "@v" GPUGATE_VERSION, in->home + n);
	}
	if (in->repo.branch)
		text = replace_text(a, text, "branches: [main]",
		                    arena_printf(a, "branches: [\"%s\"]", in->repo.branch));
	if (former)
		text = in->o->value[OPT_FORCE] ? keep_lines(in, former, text) : former;
	in->lacks_home = in->lacks_home || (!*in->home && strstr(text, "gpugate/gpugate/"));
	new_files_add(&in->files, path, text, in->o->value[OPT_FORCE] != NULL);
}

static void add_workflows(struct init *in)
{
	if (in->forge == FORGE_GITHUB) {
		in->gate_file = path_of(in, ".github/workflows/gpugate", ".yml");
		in->act_file = path_of(in, ".github/workflows/gpugate-act", ".yml");
		add_workflow(in, in->gate_file, embedded_github_gate);
		add_workflow(in, in->act_file, embedded_github_act);
	} else if (in->forge == FORGE_GITLAB) {
		in->gate_file = path_of(in, ".gitlab/gpugate", ".yml");
		add_workflow(in, in->gate_file, embedded_gitlab_pipeline);
		if (!in->repo.gitlab || (in->repo.included && !in->added))
			new_files_add(&in->files, ".gitlab-ci.yml",
			              arena_printf(&in->arena, "include: %s\n", in->gate_file), false);
	}
}

static enum status add_rules(struct init *in)
{
	struct run_view v;
	struct rules check = { 0 };
	bool has_run = in->run.ranks.nr > 0;
	in->rules.workload = in->workload;
	in->rules.builtin = &in->setup.rules;
	if (has_run) {
		run_view_init(&v, &in->run, &in->setup.naming);
		in->rules.view = &v;
	}
	const char *text = init_rules_text(&in->rules, &in->arena);
	if (has_run)
		run_view_release(&v);
	if (has_run && in->rules.judging == 0)
		return diag_fail(in->log, ST_INPUT, "%s: has nothing that the built-in rules judge",
		                 diag_quote(in->log, in->run.label));
	in->replaces_rules = !is_absent(in->rules_file);
	new_files_add(&in->files, in->rules_file, text, in->o->value[OPT_FORCE] != NULL);
	enum status st =
	    rules_read(in->rules_file, (struct span[]){ span_of(text) }, NULL, &check, in->log);
	if (st == ST_OK && has_run)
		in->accepts = acceptance_needed(&in->run, 1, true, &check, in->o, &in->why, &in->arena);
	rules_release(&check);
	return st;
}

/* ---- advice on what to do next ---- */

/* Appends the runs that the user has given, as words of a command. */
static void add_runs(struct init *in, struct strbuf *out)
{
	for (size_t i = 0; i < in->o->args.nr; i++)
		text_add_word(out, &in->arena, in->o->args.v[i]);
}

/* Print the command that makes the baseline or, if there is a baseline, the command that compares
   with it. */
static void put_first_command(struct init *in, const char *baseline, struct sink *out)
{
	struct strbuf run = STRBUF_INIT;
	add_runs(in, &run);
	if (!in->o->args.nr)
		text_add_word(&run, &in->arena, in->run_name);
	bool there = access(baseline, F_OK) == 0;
	sink_printf(out, "  gpugate %s%s%s%s%s\n", there ? "check" : "approve --new", run.p,
	            in->added ? " --rules " : "", in->added ? in->rules_file : "",
	            there ? "" : in->accepts);
	strbuf_release(&run);
}

static enum status say_what_is_next(struct init *in)
{
	struct sink *out;
	const char *baseline = arena_printf(&in->log->arena, "baselines/%s.json", in->workload);
	bool to_include =
	    in->forge == FORGE_GITLAB && in->repo.gitlab && (in->added || !in->repo.included);
	bool to_change_ignored = in->to_ignore && in->repo.ignored;
	TRY(sink_open("-", false, &out, in->log));
	for (size_t i = 0; i < in->files.kept.nr; i++)
		sink_printf(out, "%s: is there already, and stays as it is\n", in->files.kept.v[i]);
	if (!in->files.list.nr) {
		sink_printf(out, "nothing to write for the workload '%s'; --force writes all files anew\n",
		            in->workload);
		return sink_commit(out, in->log);
	}
	bool rules = in->files.list.v[0].path == in->rules_file;
	if (rules)
		sink_printf(out, "%s: the built-in rules for the workload '%s'", in->rules_file,
		            in->workload);
	sink_puts(out, rules && in->replaces_rules ? " in place of the former file" : "");
	if (rules && in->run.ranks.nr)
		sink_printf(out, ", of which %zu of %zu judge this run", in->rules.judging,
		            in->setup.rules.rules.nr);
	if (rules && in->rules.history) {
		size_t nr = in->rules.history->runs.nr;
		sink_printf(out, "; the noise of %zu run%s in the history allows closer limits of %zu%s",
		            nr, text_s(nr), in->rules.closer,
		            nr ? "" : " (--history names another folder)");
	}
	sink_puts(out, rules ? "\n" : "");
	if (in->steps)
		sink_printf(out, "steps: the annotations %s make %" PRId64 " of them\n",
		            diag_quote(in->log, in->rules.marker), in->steps);
	for (size_t i = rules; i < in->files.list.nr; i++)
		sink_printf(out, "%s%s\n", in->files.list.v[i].path,
		            in->files.list.v[i].path == in->gate_file
		                ? ": put your benchmark and runner into it"
		                : "");
	struct strbuf runs = STRBUF_INIT;
	add_runs(in, &runs);
	if (in->lacks_home)
		sink_printf(out,
		            "the workflows lack the address of gpugate, for which gpugate/gpugate stands: "
		            "'gpugate init%s%s%s --force --home OWNER/REPO@REF' writes it\n",
		            strbuf_str(&runs), in->o->value[OPT_WORKLOAD] ? " --workload " : "",
		            in->o->value[OPT_WORKLOAD] ? in->workload : "");
	strbuf_release(&runs);
	if (in->gate_file && in->o->args.nr && in->run_name != in->o->args.v[0])
		sink_printf(out,
		            "%s: names " EXAMPLE_RUN " as the run, since what was given is not one plain "
		            "path in the repository: write where the job records it\n",
		            in->gate_file);
	if (to_include)
		sink_printf(out, ".gitlab-ci.yml: to be changed by you: include: %s\n", in->gate_file);
	if (to_change_ignored)
		sink_printf(out, ".gitignore: to be changed by you: %s\n", in->to_ignore);
	if (in->forge == FORGE_NONE && !in->chosen)
		sink_printf(out, "no workflow: %s; see --home\n",
		            in->repo.above ? "this is not the top of the repository"
		                           : "no sign of GitHub or GitLab is here");
	if (in->repo.run && !in->o->args.nr)
		sink_printf(out, "%s was found: 'gpugate init %s --force' fits the rules to it\n",
		            in->repo.run, in->repo.run);
	if (*in->accepts)
		sink_printf(out, "the run cannot be the baseline: %s; record it again, or keep it with%s\n",
		            in->why, in->accepts);
	sink_puts(out, "next:\n");
	if (in->forge == FORGE_NONE)
		put_first_command(in, baseline, out);
	sink_printf(out, "  git add%s%s", in->forge == FORGE_NONE ? " " : "",
	            in->forge == FORGE_NONE ? baseline : "");
	for (size_t i = 0; i < in->files.list.nr; i++)
		sink_printf(out, " %s", in->files.list.v[i].path);
	for (size_t i = 0; i < in->files.kept.nr; i++)
		if (!to_change_ignored || strcmp(in->files.kept.v[i], ".gitignore") != 0)
			sink_printf(out, " %s", in->files.kept.v[i]);
	sink_puts(out, to_include ? " .gitlab-ci.yml" : "");
	sink_puts(out, to_change_ignored ? " .gitignore\n" : "\n");
	if (in->forge != FORGE_NONE)
		sink_puts(out, "The first run of main that the pipeline stores is the baseline.\n");
	return sink_commit(out, in->log);
}

/* Read the workload's baseline if it has a history, or if the user demands it (--from-noise). */
static enum status read_noise(struct init *in)
{
	const char *path;
	struct setup *s = &in->setup;
	const struct run *run = in->run.ranks.nr ? &in->run : NULL;
	s->workload = in->workload;
	TRY(setup_baseline_path(s, run, &in->arena, &path, in->log));
	if (is_absent(setup_history_path(in->o, path, &in->arena)) && !in->o->value[OPT_FROM_NOISE])
		return ST_OK;
	TRY(setup_baseline_read(in->o, path, &in->baseline, in->log));
	in->rules.history = &in->baseline.history;
	return ST_OK;
}

static enum status init(struct init *in)
{
	TRY(choose_forge(in));
	TRY(choose_workload(in));
	TRY(check_marker(in));
	TRY(setup_init(&in->setup, in->o, in->log));
	TRY(load(in));
	TRY(choose_marker(in));
	choose_run(in);
	TRY(read_noise(in));
	TRY(add_rules(in));
	add_workflows(in);
	new_files_add_attributes(&in->files);
	if (in->repo.ignored ? strstr(in->repo.ignored, IGNORED) != NULL : in->to_ignore != NULL)
		new_files_add(&in->files, ".gitignore",
		              arena_printf(&in->arena, IGNORED "%s\n", text_or_empty(in->to_ignore)),
		              false);
	TRY(new_files_write(&in->files, in->log));
	return say_what_is_next(in);
}

enum status cmd_init(const struct options *o, struct diag_log *log)
{
	struct init in = { .o = o, .log = log, .accepts = "" };
	repository_look(&in.repo);
	enum status st = init(&in);
	vec_release(&in.files.list);
	vec_release(&in.files.kept);
	run_release(&in.run);
	baseline_release(&in.baseline);
	setup_release(&in.setup);
	arena_release(&in.repo.arena);
	arena_release(&in.arena);
	return st;
}
