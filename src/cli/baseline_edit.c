#include "cli/baseline_edit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/provenance.h"
#include "diff/past.h"
#include "store/pin.h"
#include "store/stored_file.h"

/* A baseline that nothing could ever be held against is refused when it is made. */
static enum status check_comparable(const struct run *run, struct diag_log *log)
{
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		if (d->trust.gpu_events == 0 && d->memories.nr == 0 && d->inputs.nr == 0)
			return diag_fail(
			    log, ST_INPUT,
			    "%s: no GPU activity and no memory in it, nothing could be held against "
			    "it; record with ProfilerActivity.CUDA",
			    text_quote(&log->arena, span_of(d->trace ? d->trace : "a digest")));
	}
	return ST_OK;
}

enum status baseline_make(const struct candidates *c, const struct setup *s,
                          const struct options *o, struct baseline *out, struct diag_log *log)
{
	*out = (struct baseline){ .arena = ARENA_INIT, .workload = s->rules.workload };
	TRY(check_comparable(&c->v[0], log));
	pin_make(&c->v[0], &s->rules, &s->naming, &out->pin);
	return provenance_of(o, &c->v[0], &out->arena, &out->provenance, log);
}

static void drop_oldest(struct history *h)
{
	if (h->runs.nr <= BASELINE_RECENT)
		return;
	size_t extra = h->runs.nr - BASELINE_RECENT;
	for (size_t i = 0; i < extra; i++)
		vec_release(&h->runs.v[i].values);
	memmove(h->runs.v, h->runs.v + extra, BASELINE_RECENT * sizeof *h->runs.v);
	h->runs.nr = BASELINE_RECENT;
}

enum status baseline_add(const struct candidates *c, const struct setup *s, const struct options *o,
                         struct baseline *b, struct diag_log *log)
{
	for (size_t i = 0; i < c->nr; i++) {
		struct past_run *past = vec_push_zero(&b->recent.runs);
		past_run_of(&s->rules, s->naming, &c->v[i], &b->arena, past);
		TRY(provenance_of(o, &c->v[i], &b->arena, &past->provenance, log));
		past_run_fit(past);
		if (past->cut)
			diag_warn(log,
			          "a recent run has room for %zu figures: the %" PRId64
			          " of the smallest items were left out",
			          past->values.nr, past->cut);
	}
	drop_oldest(&b->recent);
	return ST_OK;
}

enum status baseline_promoted(const struct candidates *c, const struct setup *s,
                              const struct options *o, struct baseline *out, struct diag_log *log)
{
	TRY(baseline_make(c, s, o, out, log));
	return baseline_add(c, s, o, out, log);
}

/* The directories above `path`, as `mkdir -p` makes them. */
static enum status make_parents(const char *path, struct diag_log *log)
{
	char *copy = arena_dup(&log->arena, span_of(path));
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			return diag_fail(log, ST_OUTPUT, "%s: cannot be made: %s",
			                 text_quote(&log->arena, span_of(copy)), strerror(errno));
		*slash = '/';
	}
	return ST_OK;
}

enum status baseline_save(const struct baseline *b, const char *path, struct diag_log *log)
{
	if (strcmp(path, "-") != 0)
		TRY(make_parents(path, log));
	return stored_baseline_save(b, path, false, log);
}

enum status baseline_put(const struct baseline *b, const char *path, bool replace,
                         struct diag_log *log)
{
	struct file_lock lock;
	TRY(make_parents(path, log));
	TRY(file_lock_take(path, &lock, log));
	enum status st;
	if (!replace && (access(lock.target, F_OK) == 0 || errno != ENOENT))
		st = diag_fail(log, ST_OUTPUT, "%s: there is a baseline already; replace it with --force",
		               text_quote(&log->arena, span_of(path)));
	else
		st = baseline_save(b, lock.target, log);
	file_lock_release(&lock);
	return st;
}

enum status baseline_say(const struct baseline *b, const char *path, const char *what,
                         struct diag_log *log)
{
	struct sink *out;
	struct strbuf workload = STRBUF_INIT;
	size_t nr = b->recent.runs.nr, ranks = b->pin.ranks.nr, steps = b->pin.ranks.v[0]->nr_steps;
	TRY(sink_open("-", false, &out, log));
	text_add_line(&workload, span_of(b->workload));
	sink_printf(out, "%s: %s (workload %s, %zu rank%s, %zu step%s", what,
	            text_quote(&log->arena, span_of(path)), strbuf_str(&workload), ranks,
	            ranks == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
	if (nr)
		sink_printf(out, ", %zu recent run%s", nr, nr == 1 ? "" : "s");
	sink_puts(out, "); commit it\n");
	strbuf_release(&workload);
	return sink_commit(out, log);
}

enum status baseline_edit_begin(struct baseline_edit *e, struct setup *s, const struct options *o,
                                const struct run *run, struct diag_log *log)
{
	TRY(setup_baseline_path(s, o, run, &s->rules.arena, &e->path, log));
	if (strcmp(e->path, "-") == 0)
		return diag_fail(log, ST_USAGE, "a baseline is changed in its place: '-' has none");
	TRY(setup_baseline_there(e->path, log));
	TRY(file_lock_take(e->path, &e->lock, log));
	return setup_baseline_read(e->lock.target, &e->b, log);
}

void baseline_edit_release(struct baseline_edit *e)
{
	file_lock_release(&e->lock);
	baseline_release(&e->b);
}
