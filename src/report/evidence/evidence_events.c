/* Writes the events of one side in the format of PyTorch's profiler. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "evidence/evidence_internal.h"

/* Write the beginning of an event, with an object `args` that the caller closes. */
static void open_event(struct side_writer *w, const char *cat, struct span name, int64_t tid,
                       int64_t start_ns, int64_t dur_ns)
{
	emit_open_line(w->e, 1, NULL, '{');
	emit_str(w->e, "ph", "X");
	emit_str(w->e, "cat", cat);
	emit_text(w->e, "name", name);
	emit_number(w->e, "pid", w->side, 0);
	emit_number(w->e, "tid", tid, 0);
	emit_number(w->e, "ts", start_ns, 3); /* the format counts microseconds, with decimals */
	emit_number(w->e, "dur", dur_ns, 3);
	emit_open(w->e, "args", '{');
	w->nr_events++;
	w->bytes += 6 * name.n + 240; /* upper bound: an escaped character takes up to 6 bytes */
}

static void close_event(struct side_writer *w)
{
	emit_close(w->e, '}');
	emit_close(w->e, '}');
}

void put_span(struct side_writer *w, const char *cat, struct span name, int64_t tid,
              int64_t start_ns, int64_t dur_ns)
{
	bool frame = strcmp(cat, "python_function") == 0;
	open_event(w, cat, name, tid, start_ns, dur_ns);
	if (frame)
		emit_number(w->e, "Python id", ++w->next_frame, 0);
	close_event(w);
}

void put_name(struct side_writer *w, const char *what, const char *key, int64_t tid,
              const char *name)
{
	emit_open_line(w->e, 1, NULL, '{');
	emit_str(w->e, "ph", "M");
	emit_str(w->e, "name", what);
	emit_number(w->e, "pid", w->side, 0);
	emit_number(w->e, "tid", tid, 0);
	emit_open(w->e, "args", '{');
	emit_str(w->e, key, name);
	close_event(w);
	w->bytes += 400;
}

void put_call(struct side_writer *w, enum code_kind kind, int64_t tid, int64_t start_ns,
              int64_t dur_ns)
{
	static const char *const calls[] = { "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync",
		                                 "cudaDeviceSynchronize" };
	open_event(w, "cuda_runtime", span_of(calls[kind]), tid, start_ns, dur_ns);
	emit_number(w->e, "correlation", ++w->next_id, 0);
	close_event(w);
}

void put_activity(struct side_writer *w, enum code_kind kind, struct span name, int64_t tid,
                  int64_t start_ns, int64_t dur_ns, int64_t bytes)
{
	static const char *const cats[] = { "kernel", "gpu_memcpy", "gpu_memset" };
	open_event(w, cats[kind], name, tid, start_ns, dur_ns);
	emit_number(w->e, "correlation", w->next_id, 0);
	if (bytes > 0)
		emit_number(w->e, "bytes", bytes, 0);
	close_event(w);
}

void put_frames(struct side_writer *w, const struct code_stat *c, int64_t tid, int64_t start_ns,
                int64_t dur_ns)
{
	struct span rest = c->module, name;
	struct source_line at = source_line_of(w->a, c->place, c->line);
	int depth = 0;
	while (depth++ < MOST_DEPTH && code_path_next(&rest, &name)) {
		const char *text =
		    arena_printf(w->a, "nn.Module: %s_0", text_short(w->a, name, NAME_CHARS));
		put_span(w, "python_function", span_of(text), tid, start_ns, dur_ns);
	}
	if (!at.file)
		return;
	size_t n = strlen(at.file);
	struct span function = { c->place.p + n + 1, c->place.n - n - 1 };
	const char *text =
	    arena_printf(w->a, "%s(%" PRId64 "): %s", text_short(w->a, span_of(at.file), NAME_CHARS),
	                 at.line > 0 ? at.line : 0, text_short(w->a, function, NAME_CHARS));
	put_span(w, "python_function", span_of(text), tid, start_ns, dur_ns);
}

void put_operators(struct side_writer *w, const struct code_stat *c, int64_t tid, int64_t start_ns,
                   int64_t dur_ns)
{
	struct span rest = c->op, name;
	for (int depth = 0; depth < MOST_DEPTH && code_path_next(&rest, &name); depth++)
		put_span(w, "cpu_op", span_of(text_short(w->a, name, NAME_CHARS)), tid, start_ns, dur_ns);
}

bool has_room(const struct side_writer *w, int64_t nr, struct span name)
{
	return w->nr_events + 2 * nr <= MOST_EVENTS &&
	       w->bytes + AROUND_BYTES + (size_t)nr * 2 * (6 * name.n + 240) <= SIDE_BYTES;
}
