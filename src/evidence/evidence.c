#include "evidence/evidence.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/text.h"
#include "io/sink.h"
#include "model/code.h"
#include "report/emit.h"

enum {
	MOST_EVENTS = 6000, /* of a side */
	SIDE_BYTES = EVIDENCE_BYTES / 2 - 4096,
	NAME_CHARS = 200, /* of a name in an event */
	MOST_LEVELS = 40, /* of modules, of operators */
	AROUND_BYTES = 2 * MOST_LEVELS * (6 * NAME_CHARS + 240), /* they take at most */
	HOST_THREAD = 1,
	GPU_STREAM = 7,
};

/* Half a microsecond between launches, so that a viewer shows where one ends. */
#define GAP_NS 500

/* What rows of the code table a finding is about. */
struct subject {
	const char *op, *kernel, *place; /* as findings name them; NULL any */
	int64_t rank; /* -1: the first that has rows */
};

struct side_writer {
	struct emit *e;
	struct arena *a;
	const struct evidence_input *in;
	const struct digest *d;
	int side;
	int64_t now_ns, nr_events, next_id, next_frame;
	size_t bytes; /* at most, of the names so far and the rest of their events */
};

/* ---- which rows ---- */

static struct subject subject_of(const struct finding *f)
{
	struct subject s = { .rank = -1 };
	for (size_t i = 0; i < f->where.nr; i++) {
		const struct place *p = &f->where.v[i];
		struct span text = span_of(p->name);
		if (p->level == PLACE_OPERATOR)
			s.op = p->name;
		else if (p->level == PLACE_KERNEL)
			s.kernel = p->name;
		else if (p->level == PLACE_CODE)
			s.place = p->name;
		else if (p->level == PLACE_RANK && span_skip(&text, SPAN("rank ")) &&
		         !number_parse(text, 0, &s.rank))
			s.rank = -1;
	}
	if (s.op)
		s.kernel = s.place =
		    NULL; /* all of the operator, as its kernels stand in for one another */
	return s;
}

static struct span kernel_name(const struct digest *d, const struct code_stat *c)
{
	for (size_t i = 0; i < d->kernels.nr && c->kernel; i++)
		if (code_kernel_key(d->kernels.v[i].name) == c->kernel)
			return d->kernels.v[i].name;
	return SPAN("");
}

/* "FILE:FUNCTION", behind which a finding may say the line. */
static bool is_place(const char *name, const char *place)
{
	size_t n = strlen(place);
	return strncmp(name, place, n) == 0 && (!name[n] || strncmp(name + n, ", line ", 7) == 0);
}

static bool is_about(const struct side_writer *w, const struct subject *s,
                     const struct code_stat *c)
{
	if (s->op)
		return strcmp(text_line(w->a, code_path_last(c->op)), s->op) == 0;
	if (s->kernel) {
		struct span name = kernel_name(w->d, c);
		return name.n &&
		       strcmp(text_line(w->a, naming_match(w->in->naming, w->a, name)), s->kernel) == 0;
	}
	return !s->place || (c->place.n && is_place(s->place, text_line(w->a, c->place)));
}

static const struct digest *digest_of(const struct run *run, int64_t rank)
{
	for (size_t i = 0; run && i < run->ranks.nr; i++)
		if (run->ranks.v[i]->code.nr && run->ranks.v[i]->usable_steps > 0 &&
		    (rank < 0 || run->ranks.v[i]->rank == rank))
			return run->ranks.v[i];
	return NULL;
}

/* ---- events ---- */

/* In microseconds. */
static void put_time(struct emit *e, const char *key, int64_t ns)
{
	emit_number(e, key, ns, 3);
}

/* An event whose `args` are open. */
static void open_event(struct side_writer *w, const char *cat, struct span name, int64_t tid,
                       int64_t start_ns, int64_t dur_ns)
{
	emit_open_line(w->e, 1, NULL, '{');
	emit_str(w->e, "ph", "X");
	emit_str(w->e, "cat", cat);
	emit_text(w->e, "name", name);
	emit_number(w->e, "pid", w->side, 0);
	emit_number(w->e, "tid", tid, 0);
	put_time(w->e, "ts", start_ns);
	put_time(w->e, "dur", dur_ns);
	emit_open(w->e, "args", '{');
	w->nr_events++;
	w->bytes += 6 * name.n + 240; /* an escape takes six bytes */
}

static void close_event(struct side_writer *w)
{
	emit_close(w->e, '}');
	emit_close(w->e, '}');
}

static void put_span(struct side_writer *w, const char *cat, struct span name, int64_t start_ns,
                     int64_t dur_ns)
{
	bool frame = strcmp(cat, "python_function") == 0;
	open_event(w, cat, name, HOST_THREAD, start_ns, dur_ns);
	if (frame)
		emit_number(w->e, "Python id", ++w->next_frame, 0);
	close_event(w);
}

/* Frames and operators of a row, around its launches. */
static void put_around(struct side_writer *w, const struct code_stat *c, int64_t dur_ns)
{
	struct span rest = c->module, name;
	struct source_line at = source_line_of(w->a, c->place, c->line);
	int level = 0;
	while (level++ < MOST_LEVELS && code_path_next(&rest, &name)) {
		const char *text =
		    arena_printf(w->a, "nn.Module: %s_0", text_short(w->a, name, NAME_CHARS));
		put_span(w, "python_function", span_of(text), w->now_ns, dur_ns);
	}
	if (at.file) {
		size_t n = strlen(at.file);
		struct span function = { c->place.p + n + 1, c->place.n - n - 1 };
		const char *text = arena_printf(
		    w->a, "%s(%" PRId64 "): %s", text_short(w->a, span_of(at.file), NAME_CHARS),
		    at.line > 0 ? at.line : 0, text_short(w->a, function, NAME_CHARS));
		put_span(w, "python_function", span_of(text), w->now_ns, dur_ns);
	}
	for (rest = c->op, level = 0; level < MOST_LEVELS && code_path_next(&rest, &name); level++)
		put_span(w, "cpu_op", span_of(text_short(w->a, name, NAME_CHARS)), w->now_ns, dur_ns);
}

static void put_launch(struct side_writer *w, const struct code_stat *c, struct span name,
                       int64_t start_ns, int64_t dur_ns, int64_t bytes)
{
	static const char *const cats[] = { "kernel", "gpu_memcpy", "gpu_memset" };
	static const char *const calls[] = { "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync",
		                                 "cudaDeviceSynchronize" };
	bool waits = c->kind == CODE_SYNC;
	int64_t id = ++w->next_id;
	open_event(w, "cuda_runtime", span_of(calls[c->kind]), HOST_THREAD, start_ns,
	           waits ? dur_ns : GAP_NS);
	emit_number(w->e, "correlation", id, 0);
	close_event(w);
	if (waits)
		return;
	open_event(w, cats[c->kind], name, GPU_STREAM, start_ns, dur_ns);
	emit_number(w->e, "device", w->side, 0);
	emit_number(w->e, "stream", GPU_STREAM, 0);
	emit_number(w->e, "correlation", id, 0);
	if (bytes > 0)
		emit_number(w->e, "bytes", bytes, 0);
	close_event(w);
}

/* ---- a side ---- */

/* Part `i` of `nr` of an amount, which they add up to. */
static int64_t part_of(int64_t all, int64_t i, int64_t nr)
{
	return all / nr + (i < all % nr);
}

static void put_row(struct side_writer *w, const struct code_stat *c)
{
	int64_t steps = w->d->usable_steps;
	int64_t nr = number_div_round(c->count, steps), total = number_div_round(c->total_ns, steps);
	int64_t bytes = number_div_round(c->bytes, steps);
	struct span name = kernel_name(w->d, c);
	nr = nr > 0 ? nr : 1;
	nr = nr < MOST_EVENTS / 4 ? nr : MOST_EVENTS / 4; /* fewer and longer */
	name = span_of(name.n ? text_short(w->a, name, NAME_CHARS) : "(smaller kernels)");
	if (w->nr_events + 2 * nr > MOST_EVENTS ||
	    w->bytes + AROUND_BYTES + (size_t)nr * 2 * (6 * name.n + 240) > SIDE_BYTES)
		return;
	put_around(w, c, total + nr * GAP_NS);
	for (int64_t i = 0; i < nr; i++) {
		int64_t dur = part_of(total, i, nr);
		put_launch(w, c, name, w->now_ns, dur, part_of(bytes, i, nr));
		w->now_ns += dur + GAP_NS;
	}
	w->now_ns += GAP_NS;
}

static int by_time(const void *a, const void *b)
{
	const struct code_stat *const *x = a, *const *y = b;
	int64_t s = (*x)->total_ns, t = (*y)->total_ns;
	return (s < t) - (s > t);
}

struct row_list {
	VEC(const struct code_stat *) list;
};

static void put_process(struct side_writer *w, const char *name)
{
	emit_open_line(w->e, 1, NULL, '{');
	emit_str(w->e, "ph", "M");
	emit_str(w->e, "name", "process_name");
	emit_number(w->e, "pid", w->side, 0);
	emit_open(w->e, "args", '{');
	emit_str(w->e, "name", name);
	close_event(w);
}

static void put_side(struct side_writer *w, const struct subject *s)
{
	struct row_list rows = { 0 };
	put_process(w, w->side ? "candidate (mean step)" : "baseline (mean step)");
	for (size_t i = 0; w->d && i < w->d->code.nr; i++)
		if (is_about(w, s, &w->d->code.v[i]))
			vec_push(&rows.list, &w->d->code.v[i]);
	if (rows.list.nr)
		sort_plain(rows.list.v, rows.list.nr, sizeof *rows.list.v, by_time);
	for (size_t i = 0; i < rows.list.nr; i++)
		put_row(w, rows.list.v[i]);
	if (w->now_ns > 0)
		put_span(w, "user_annotation", span_of(arena_printf(w->a, "ProfilerStep#%d", w->side)), 0,
		         w->now_ns);
	vec_release(&rows.list);
}

static enum status write_trace(const struct evidence_input *in, const char *path,
                               const struct finding *f, struct diag_log *log)
{
	struct subject s = subject_of(f);
	struct arena a = { 0 };
	struct sink *out;
	TRY(sink_open(path, false, &out, log));
	struct emit e = { .out = out };
	int64_t ids = 0, frames = 0;
	emit_open(&e, NULL, '{');
	emit_str(&e, "displayTimeUnit", "ms");
	emit_open(&e, "gpugate_evidence", '{');
	emit_str(&e, "finding", f->title);
	emit_str(
	    &e, "note",
	    "the mean step of each side: launches of one line, operator and kernel take their mean, "
	    "one behind the other, the longest first");
	emit_close(&e, '}');
	emit_open(&e, "traceEvents", '[');
	for (int side = 0; side < 2; side++) {
		struct side_writer w = { .e = &e,
			                     .a = &a,
			                     .in = in,
			                     .side = side,
			                     .d = digest_of(in->side[side], s.rank),
			                     .next_id = ids,
			                     .next_frame = frames };
		put_side(&w, &s);
		ids = w.next_id;
		frames = w.next_frame;
	}
	emit_close(&e, ']');
	emit_close(&e, '}');
	sink_puts(out, "\n");
	arena_release(&a);
	return sink_commit(out, log);
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
