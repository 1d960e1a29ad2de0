/* Writes one step of a side as it was recorded: launches and activities at their times, the
 * operators around them, and around the operators the frames of module and place. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "base/number.h"
#include "base/text.h"
#include "evidence/evidence_internal.h"

enum { NO_ROW = UINT32_MAX - 1, MIXED };

struct step_writer {
	struct side_writer *w;
	const struct code_step *step;
	int64_t origin_ns; /* time of the earliest event */
	/* for each operator: a row of the code table whose module and place all launches of the
	 * operator have, or MIXED if their modules or places differ; NO_ROW if it has no launches */
	uint32_t *row_of;
	bool *put; /* true for each operator that has been written */
	struct idmap named; /* ids of threads and lanes that have been named */
};

/* Fill in row_of for each operator. put_around() writes the module and place of the row as frames
 * around an operator, if it is the outermost one for which row_of is not MIXED. */
static void find_places(struct step_writer *s)
{
	const struct code_step *step = s->step;
	for (size_t i = 0; i < step->around.nr; i++)
		s->row_of[i] = NO_ROW;
	for (size_t i = 0; i < step->launches.nr; i++) {
		const struct code_launch *l = &step->launches.v[i];
		for (uint32_t o = l->around; o; o = step->around.v[o - 1].outer) {
			uint32_t *row = &s->row_of[o - 1];
			if (*row == NO_ROW)
				*row = l->row;
			if (*row == MIXED)
				continue;
			const struct code_stat *x = &step->rows.v[*row], *y = &step->rows.v[l->row];
			if (!span_eq(x->module, y->module) || !span_eq(x->place, y->place) ||
			    x->line != y->line)
				*row = MIXED;
		}
	}
}

static void name_once(struct step_writer *s, int64_t tid, const char *name)
{
	size_t known = s->named.keys.nr;
	if (idmap_add(&s->named, tid) == known)
		put_name(s->w, "thread_name", "name", tid, name);
}

static int64_t host_tid(struct step_writer *s, const struct code_launch *l)
{
	int64_t tid = HOST_THREAD + (int64_t)l->thread;
	tid = tid < GPU_STREAM ? tid : GPU_STREAM - 1;
	name_once(s, tid, arena_printf(s->w->a, "host thread %" PRIu32, l->thread));
	return tid;
}

static int64_t lane_tid(struct step_writer *s, const struct code_launch *l)
{
	int64_t tid = GPU_STREAM + (int64_t)l->lane;
	name_once(s, tid,
	          l->device >= 0 && l->stream >= 0
	              ? arena_printf(s->w->a, "GPU %" PRId64 ", stream %" PRId64, l->device, l->stream)
	              : "GPU stream");
	return tid;
}

/* Write those operators around a launch that have not been written yet, the outermost first. False
 * if no operator is around the launch, if the code table has the launch under another operator than
 * the innermost one, or if the launches of the innermost one have different places in the code. */
static bool put_around(struct step_writer *s, const struct code_launch *l, int64_t tid)
{
	const struct code_step *step = s->step;
	uint32_t chain[MOST_DEPTH];
	size_t nr = 0;
	if (!l->around ||
	    !span_eq(step->around.v[l->around - 1].name, code_path_last(step->rows.v[l->row].op)))
		return false;
	for (uint32_t o = l->around; o && nr < MOST_DEPTH; o = step->around.v[o - 1].outer)
		chain[nr++] = o - 1;
	while (nr-- > 0) {
		const struct code_around *o = &step->around.v[chain[nr]];
		int64_t start_ns = o->start_ns - s->origin_ns, dur_ns = o->until_ns - o->start_ns;
		bool framed =
		    s->row_of[chain[nr]] != MIXED && (!o->outer || s->row_of[o->outer - 1] == MIXED);
		if (s->put[chain[nr]])
			continue;
		s->put[chain[nr]] = true;
		if (framed)
			put_frames(s->w, &step->rows.v[l->row], tid, start_ns, dur_ns);
		put_span(s->w, "cpu_op", span_of(text_short(s->w->a, o->name, NAME_CHARS)), tid, start_ns,
		         dur_ns);
		number_raise(&s->w->now_ns, start_ns + dur_ns);
	}
	return s->row_of[l->around - 1] != MIXED;
}

static void put_launch(struct step_writer *s, const struct code_launch *l)
{
	struct side_writer *w = s->w;
	const struct code_stat *row = &s->step->rows.v[l->row];
	int64_t tid = host_tid(s, l), call_ns = l->call_start_ns - s->origin_ns;
	int64_t dur_ns = l->call_dur_ns > 0 ? l->call_dur_ns : 1;
	if (!put_around(s, l, tid)) {
		put_frames(w, row, tid, call_ns, dur_ns);
		if (!l->around)
			put_operators(w, row, tid, call_ns, dur_ns);
	}
	put_call(w, row->kind, tid, call_ns, l->call_dur_ns);
	number_raise(&w->now_ns, call_ns + dur_ns);
	if (row->kind != CODE_SYNC)
		put_activity(w, row->kind, span_of(text_short(w->a, l->name, NAME_CHARS)), lane_tid(s, l),
		             l->start_ns - s->origin_ns, l->dur_ns, l->bytes);
}

static int64_t origin_of(const struct code_step *step)
{
	int64_t origin_ns = step->start_ns;
	for (size_t i = 0; i < step->launches.nr; i++) {
		number_lower(&origin_ns, step->launches.v[i].call_start_ns);
		number_lower(&origin_ns, step->launches.v[i].start_ns);
	}
	for (size_t i = 0; i < step->around.nr; i++)
		number_lower(&origin_ns, step->around.v[i].start_ns);
	return origin_ns;
}

int64_t put_step(struct side_writer *w, const struct subject *subject)
{
	const struct code_step *step = &w->d->step;
	struct step_writer s = { .w = w,
		                     .step = step,
		                     .origin_ns = origin_of(step),
		                     .row_of = mem_calloc(step->around.nr + 1, sizeof *s.row_of),
		                     .put = mem_calloc(step->around.nr + 1, sizeof *s.put) };
	int64_t left = 0;
	idmap_init(&s.named);
	find_places(&s);
	w->now_ns = step->end_ns - s.origin_ns;
	for (size_t i = 0; i < step->launches.nr; i++) {
		const struct code_launch *l = &step->launches.v[i];
		if (!is_about(w, subject, &step->rows.v[l->row], l->name))
			continue;
		if (left || !has_room(w, 1, l->name))
			left++;
		else
			put_launch(&s, l);
	}
	idmap_release(&s.named);
	free(s.row_of);
	free(s.put);
	return left;
}
