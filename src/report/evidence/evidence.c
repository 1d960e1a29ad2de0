/* Writes a small trace for each finding with the verdict FAIL. */
#include "evidence/evidence_internal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "io/sink.h"

/* The first bytes of each file that evidence_write() writes. Files of earlier runs are recognized
   by them. */
#define FIRST_BYTES "{\"displayTimeUnit\": \"ms\", \"gpugate_evidence\": "

/* ---- rows that a finding is about ---- */

static struct subject subject_of(const struct finding *f)
{
	struct subject s = { .rank = -1 };
	for (size_t i = 0; i < f->where.nr; i++) {
		const struct place *p = &f->where.v[i];
		if (p->kind == PLACE_OPERATOR)
			s.op = s.op ? s.op : p->name; /* the first operator is the one that launches the
			                                 costliest kernel */
		else if (p->kind == PLACE_KERNEL)
			s.kernel = p->name;
		else if (p->kind == PLACE_CODE)
			s.place = p->name;
		else if (p->kind == PLACE_MODULE)
			s.module = p->name;
		else if (p->kind == PLACE_RANK)
			s.rank = p->rank;
	}
	if (s.op) /* write all kernels of the operator, since one of them may have replaced another */
		s.kernel = s.place = NULL;
	if (s.op || s.kernel || s.place)
		s.module = NULL;
	return s;
}

bool is_about(const struct side_writer *w, const struct subject *s, const struct code_stat *c,
              struct span kernel)
{
	if (s->op)
		return strcmp(text_line(w->a, code_path_last(c->op)), s->op) == 0;
	if (s->kernel)
		return kernel.n &&
		       strcmp(text_line(w->a, naming_match(w->in->naming, w->a, kernel)), s->kernel) == 0;
	if (s->place) { /* a place is "FILE:FUNCTION", perhaps followed by a line number */
		const char *place = text_line(w->a, c->place);
		size_t n = strlen(place);
		return c->place.n && strncmp(s->place, place, n) == 0 &&
		       (!s->place[n] || strncmp(s->place + n, ", line ", 7) == 0);
	}
	return !s->module || strcmp(text_line(w->a, code_path_last(c->module)), s->module) == 0;
}

static const struct digest *digest_of(const struct run *run, int64_t rank)
{
	for (size_t i = 0; run && i < run->ranks.nr; i++)
		if (run->ranks.v[i]->code.nr && run->ranks.v[i]->usable_steps > 0 &&
		    (rank < 0 || run->ranks.v[i]->rank == rank))
			return run->ranks.v[i];
	return NULL;
}

/* ---- writing one file ---- */

/* True if the digest has one whole step. Only digests that this process has made from a recording
   do; stored digests do not. */
static bool has_step(const struct digest *d)
{
	return d && d->step.launches.nr > 0;
}

static const char *how(const struct digest *d)
{
	if (!d)
		return "nothing is known of where its work was launched";
	if (has_step(d))
		return "one step as it was recorded: the one whose length is the median";
	return "the mean step: launches of one line, operator and kernel take their mean, one behind "
	       "the "
	       "other, the longest first";
}

static const char *title_of(const struct side_writer *w)
{
	const char *side = w->side ? "candidate" : "baseline";
	if (!has_step(w->d))
		return arena_printf(w->a, "%s (mean step)", side);
	return w->d->step.number < 0
	           ? arena_printf(w->a, "%s (as recorded)", side)
	           : arena_printf(w->a, "%s (step %" PRId64 ")", side, w->d->step.number);
}

static void put_side(struct side_writer *w, const struct subject *s)
{
	int64_t left = 0;
	put_name(w, "process_name", "name", 0, title_of(w));
	if (w->d)
		left = has_step(w->d) ? put_step(w, s) : put_mean(w, s);
	if (left)
		put_name(w, "process_labels", "labels", 0,
		         arena_printf(w->a, "%" PRId64 " further launches have no room", left));
	if (w->now_ns > 0)
		put_span(w, "user_annotation", span_of(arena_printf(w->a, "ProfilerStep#%d", w->side)),
		         HOST_THREAD, 0, w->now_ns);
}

static enum status write_trace(const struct evidence_input *in, const char *path,
                               const struct finding *f, struct diag_log *log)
{
	static const char *const sides[] = { "baseline", "candidate" };
	struct subject s = subject_of(f);
	struct arena a = { 0 };
	struct sink *out;
	TRY(sink_open(path, false, &out, log));
	struct emit e = { .out = out };
	struct side_writer w = { .e = &e, .a = &a, .in = in };
	sink_puts(out, FIRST_BYTES);
	emit_open(&e, NULL, '{');
	emit_str(&e, "finding", f->title);
	for (int side = 0; side < 2; side++)
		emit_str(&e, sides[side], how(digest_of(in->side[side], s.rank)));
	emit_close(&e, '}');
	emit_open(&e, "traceEvents", '[');
	for (int side = 0; side < 2; side++) {
		w = (struct side_writer){ .e = &e,
			                      .a = &a,
			                      .in = in,
			                      .side = side,
			                      .d = digest_of(in->side[side], s.rank),
			                      .next_id = w.next_id,
			                      .next_frame = w.next_frame };
		put_side(&w, &s);
	}
	emit_close(&e, ']');
	emit_close(&e, '}');
	sink_puts(out, "\n");
	arena_release(&a);
	return sink_commit(out, log);
}

/* ---- the folder of the files ---- */

/* True for file names of the form that evidence_write() uses, such as
   "finding-3-slower-kernel.json". */
static bool is_named_so(const char *name)
{
	struct span rest = span_of(name);
	size_t digits = 0;
	if (!span_skip(&rest, SPAN("finding-")))
		return false;
	while (digits < rest.n && is_digit(rest.p[digits]))
		digits++;
	rest = (struct span){ rest.p + digits, rest.n - digits };
	if (!digits || !span_skip(&rest, SPAN("-")))
		return false;
	for (int i = 0; i < NR_CAUSES; i++) {
		struct span end = rest;
		if (span_skip(&end, span_of(cause_names[i])) && span_eq(end, SPAN(".json")))
			return true;
	}
	return false;
}

static bool begins_so(const char *path)
{
	char first[sizeof FIRST_BYTES] = "";
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(first, 1, sizeof first - 1, f) : 0;
	if (f)
		(void)fclose(f);
	return n == sizeof first - 1 && memcmp(first, FIRST_BYTES, n) == 0;
}

enum status evidence_clear(const char *folder, struct diag_log *log)
{
	DIR *dir = opendir(folder);
	enum status st = ST_OK;
	struct arena a = { 0 };
	if (!dir)
		return ST_OK; /* there is no folder, and thus there are no old files */
	for (const struct dirent *e; st == ST_OK && (e = readdir(dir));) {
		const char *path = arena_printf(&a, "%s/%s", folder, e->d_name);
		if (is_named_so(e->d_name) && begins_so(path) && unlink(path) < 0)
			st = diag_fail(log, ST_OUTPUT,
			               "%s: of an earlier run, and cannot be removed: %s; remove it",
			               text_quote(&log->arena, span_of(path)), strerror(errno));
	}
	closedir(dir);
	arena_release(&a);
	return st;
}

enum status evidence_write(const struct evidence_input *in, struct report *r, struct diag_log *log)
{
	int nr = 0;
	if (mkdir(in->folder, 0777) < 0 && errno != EEXIST)
		return diag_fail(log, ST_OUTPUT, "%s: cannot be made: %s; give --evidence a folder",
		                 text_quote(&log->arena, span_of(in->folder)), strerror(errno));
	for (size_t i = 0; i < r->findings.nr; i++) {
		struct finding *f = &r->findings.v[i];
		if (f->verdict != VERDICT_FAIL)
			continue;
		const char *path = arena_printf(&r->arena, "%s/finding-%d-%s.json", in->folder, ++nr,
		                                cause_names[f->cause]);
		TRY(write_trace(in, path, f, log));
		f->trace = path;
	}
	return ST_OK;
}
