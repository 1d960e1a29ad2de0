#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "cli/setup.h"
#include "report/writer.h"
#include "store/digest_json.h"

static bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n >= m && strcmp(s + n - m, suffix) == 0;
}

static enum status write_digest(const char *path, const struct run *run, struct diag_log *log)
{
	struct sink *out;
	if (run->ranks.nr != 1)
		return diag_fail(log, ST_INPUT,
		                 "a digest holds one rank, and %zu were given; make one digest per rank",
		                 run->ranks.nr);
	TRY(sink_open(path, ends_with(path, ".gz"), &out, log));
	digest_write(run->ranks.v[0], out);
	return sink_commit(out, log);
}

enum status cmd_digest(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct run run = { 0 };
	if (!o->value[OPT_OUTPUT])
		return diag_fail(log, ST_USAGE, "'digest' needs --output FILE (or -o FILE)");
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK)
		st = run_load(o->args.v, o->args.nr, &s.load, &run, log);
	if (st == ST_OK)
		st = write_digest(o->value[OPT_OUTPUT], &run, log);
	run_release(&run);
	setup_release(&s);
	return st;
}

/* Now, or what SOURCE_DATE_EPOCH says (reproducible-builds.org), as RFC 3339. */
static enum status time_text(struct arena *a, const char **out, struct diag_log *log)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds = (uint64_t)time(NULL);
	struct tm tm;
	char buf[64];
	if (epoch && (!number_parse_u64(span_of(epoch), &seconds) || seconds > 253402300799u))
		return diag_fail(log, ST_USAGE, "SOURCE_DATE_EPOCH is no count of seconds: %s",
		                 text_quote(&log->arena, span_of(epoch)));
	time_t t = (time_t)seconds;
	gmtime_r(&t, &tm);
	strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%SZ", &tm);
	*out = arena_dup(a, span_of(buf));
	return ST_OK;
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* The directories above `path`, as `mkdir -p` makes them. */
static enum status make_parents(const char *path, struct arena *a, struct diag_log *log)
{
	char *copy = arena_dup(a, span_of(path));
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			return diag_fail(log, ST_OUTPUT, "%s: cannot be made: %s",
			                 text_quote(&log->arena, span_of(copy)), strerror(errno));
		*slash = '/';
	}
	return ST_OK;
}

/* A baseline that nothing could ever be held against is refused when it is made. */
static enum status check_comparable(const struct run *run, struct diag_log *log)
{
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		if (d->trust.gpu_events == 0 && d->memories.nr == 0)
			return diag_fail(
			    log, ST_INPUT,
			    "%s: no GPU activity and no memory in it, nothing could be held against "
			    "it; record with ProfilerActivity.CUDA",
			    text_quote(&log->arena, span_of(d->trace ? d->trace : "a digest")));
	}
	return ST_OK;
}

static enum status create(const struct options *o, const struct setup *s, struct baseline *b,
                          struct diag_log *log)
{
	const char *path;
	struct sink *out;
	TRY(check_comparable(&b->pin, log));
	b->workload = s->workload;
	const char *commit =
	    o->value[OPT_COMMIT] ? o->value[OPT_COMMIT] : digest_env(b->pin.ranks.v[0], "commit");
	b->provenance = (struct provenance){ .commit = or_empty(commit),
		                                 .tool = "gpugate " GPUGATE_VERSION,
		                                 .who = or_empty(o->value[OPT_WHO]),
		                                 .reason = or_empty(o->value[OPT_REASON]) };
	TRY(time_text(&b->arena, &b->provenance.time, log));
	TRY(setup_baseline_path(s, o, &b->pin, &b->arena, &path, log));
	const char *quoted = text_quote(&log->arena, span_of(path));
	if (strcmp(path, "-") != 0) {
		if (access(path, F_OK) == 0 && !o->value[OPT_FORCE])
			return diag_fail(log, ST_OUTPUT,
			                 "%s: there is a baseline already; replace it with --force", quoted);
		TRY(make_parents(path, &b->arena, log));
	}
	TRY(sink_open(path, false, &out, log));
	baseline_write(b, out);
	TRY(sink_commit(out, log));
	if (strcmp(path, "-") == 0)
		return ST_OK;
	TRY(sink_open("-", false, &out, log));
	sink_printf(out, "baseline written: %s (workload %s, %zu rank%s, %zu step%s); commit it\n",
	            quoted, b->workload, b->pin.ranks.nr, b->pin.ranks.nr == 1 ? "" : "s",
	            b->pin.ranks.v[0]->nr_steps, b->pin.ranks.v[0]->nr_steps == 1 ? "" : "s");
	return sink_commit(out, log);
}

enum status cmd_baseline_create(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct baseline b = { 0 };
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK)
		st = run_load(o->args.v, o->args.nr, &s.load, &b.pin, log);
	if (st == ST_OK)
		st = create(o, &s, &b, log);
	baseline_release(&b);
	setup_release(&s);
	return st;
}

static void show_line(struct sink *out, const char *key, const char *value)
{
	struct strbuf b = STRBUF_INIT;
	text_add_line(&b, span_of(*value ? value : "not recorded"));
	sink_printf(out, "%-14s %s\n", key, strbuf_str(&b));
	strbuf_release(&b);
}

static void show(const struct baseline *b, const struct setup *s, struct sink *out)
{
	struct run_view v;
	const struct provenance *p = &b->provenance;
	show_line(out, "workload", b->workload);
	show_line(out, "commit", p->commit);
	show_line(out, "time", p->time);
	show_line(out, "written by", p->tool);
	show_line(out, "approved by", p->who);
	show_line(out, "reason", p->reason);
	for (size_t i = 0; i < b->pin.ranks.v[0]->env.nr; i++)
		show_line(out, b->pin.ranks.v[0]->env.v[i].key, b->pin.ranks.v[0]->env.v[i].value);
	sink_puts(out, "\n");
	run_view_init(&v, &b->pin, &s->naming);
	metrics_write_text(&v, out);
	run_view_release(&v);
}

enum status cmd_baseline_show(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct baseline b = { 0 };
	const char *path;
	struct sink *out;
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK)
		st = setup_baseline_path(&s, o, NULL, &s.rules.arena, &path, log);
	if (st == ST_OK)
		st = setup_baseline_read(path, &b, log);
	if (st == ST_OK)
		st = sink_open("-", false, &out, log);
	if (st == ST_OK) {
		show(&b, &s, out);
		st = sink_commit(out, log);
	}
	baseline_release(&b);
	setup_release(&s);
	return st;
}
