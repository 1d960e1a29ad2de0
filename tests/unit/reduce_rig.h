/// Feeds a reducer from a script and shows figures of its digest as text.
///
/// One event per line, times in ns, -1 for no correlation; an id below -1 is a text in the trace:
///     K|C|S NAME DEVICE STREAM CORRELATION START DUR [BYTES]   kernel, memcpy, memset
///     R NAME THREAD CORRELATION START DUR                      runtime call
///     O|A NAME THREAD START DUR [NUMBER]                       operator, annotation (XProf's step)
///     G NAME DEVICE STREAM GROUP START DUR                     annotation on a GPU
///     T NAME DEVICE GROUP START DUR                            step of a GPU
///     M ID TYPE ALLOCATED RESERVED TIME [BYTES]                [memory]
/// A line may end with the operator that an activity names, or the kernel that a call does,
/// "=NAME"; with the number of an activity's node in a graph, or an operator's sequence number,
/// "~NUMBER"
/// ("~NUMBER/THREAD" in backward); or with the data of a collective: arguments
/// "@NAME,DTYPE,IN,OUT,SIZE,GROUP", or shapes and types "#[8, 4] float".
#ifndef GG_TEST_REDUCE_RIG_H
#define GG_TEST_REDUCE_RIG_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "metric/metric.h"
#include "reduce/reduce.h"

struct rig {
	struct name_table names;
	struct reducer *r;
	struct digest *d;
	struct trace_meta meta;
	struct diag_log log;
	/// if set, this sink takes the events of the script instead of the reducer
	struct event_sink through;
};

static inline void rig_open(struct rig *g, const struct reduce_options *options)
{
	struct reduce_options o = options ? *options : (struct reduce_options){ 0 };
	if (!o.marker)
		o.marker = "ProfilerStep#*";
	if (!o.communication)
		o.communication = "nccl rccl";
	*g = (struct rig){ .meta = { .rank = -1, .world_size = -1 } };
	diag_init(&g->log);
	name_table_init(&g->names);
	g->r = reducer_new(&o, &g->names);
	g->d = digest_new();
}

static inline void rig_close(struct rig *g)
{
	reducer_free(g->r);
	digest_free(g->d);
	name_table_release(&g->names);
	vec_release(&g->meta.devices);
	arena_release(&g->meta.arena);
	diag_release(&g->log);
}

static inline void rig_event(struct rig *g, const struct event *ev)
{
	struct event_sink sink = g->through.event ? g->through : reducer_sink(g->r);
	assert_int_equal(sink.event(sink.ctx, ev), ST_OK);
	g->meta.events++;
}

/* Sets the collective of an event; its texts stay in `line`. */
static inline void rig_collective(struct event *e, char *line)
{
	char *at = strchr(line, '@'), *shapes = strchr(line, '#');
	struct collective_args *c = &e->collective;
	c->in_nelems = c->out_nelems = c->group_size = -1;
	e->python_id = e->python_parent = -1;
	if (at) {
		char *part[6];
		*at++ = '\0';
		for (int i = 0; i < 6; i++)
			assert_non_null(part[i] = strsep(&at, ","));
		c->name = span_of(part[0]);
		c->dtype = span_of(part[1]);
		c->in_nelems = strtoll(part[2], NULL, 10);
		c->out_nelems = strtoll(part[3], NULL, 10);
		c->group_size = strtoll(part[4], NULL, 10);
		c->group_description = span_of(part[5]);
	} else if (shapes && shapes[1] == '[') {
		char *types = strrchr(shapes, ']') + 1;
		e->input_dims = (struct span){ shapes + 1, (size_t)(types - shapes - 1) };
		e->input_types = span_of(*types ? types + 1 : types);
		*shapes = '\0';
	}
}

static inline int64_t rig_ident(struct rig *g, int64_t v)
{
	char text[32];
	snprintf(text, sizeof text, "id %" PRId64, v);
	return v >= IDENT_NONE ? v : -2 - (int64_t)name_intern(&g->names, span_of(text))->id;
}

static inline void rig_line(struct rig *g, const char *text)
{
	static const char letters[] = "KCSROAMPGT";
	char kind, name[256], line[256];
	int at = 0, n, nr = 0;
	int64_t v[6] = { 0 };
	snprintf(line, sizeof line, "%s", text);
	assert_int_equal(sscanf(line, " %c%n", &kind, &at), 1);
	struct event e = { .kind = (enum event_kind)(strchr(letters, kind) - letters),
		               .device = IDENT_NONE,
		               .stream = IDENT_NONE,
		               .correlation = IDENT_NONE,
		               .grid = { -1, -1, -1 },
		               .block = { -1, -1, -1 },
		               .occupancy = -1,
		               .sequence = -1 };
	char *number = strstr(line, " ~");
	if (number) {
		*number = '\0';
		e.sequence = e.node = strtoll(number + 2, &number, 10);
		e.forward_thread = *number ? strtoll(number + 1, NULL, 10) : 0;
	}
	rig_collective(&e, line);
	char *op = strchr(line, '=');
	if (op) {
		*op++ = '\0';
		*(e.kind == EVENT_RUNTIME ? &e.launched : &e.op) = name_intern(&g->names, span_of(op));
	}
	strcpy(name, "[memory]");
	if (e.kind != EVENT_MEMORY) {
		assert_int_equal(sscanf(line + at, " %255s%n", name, &n), 1);
		at += n;
	}
	for (char id[16]; nr < 6; nr++, at += n) {
		if (sscanf(line + at, " $%15s%n", id, &n) == 1)
			v[nr] = -2 - (int64_t)name_intern(&g->names, span_of(id))->id;
		else if (sscanf(line + at, " %" SCNd64 "%n", &v[nr], &n) != 1)
			break;
	}
	e.name = name_intern(&g->names, span_of(name));
	if (event_is_gpu(e.kind)) {
		e.device = rig_ident(g, v[0]), e.stream = rig_ident(g, v[1]);
		e.correlation = rig_ident(g, v[2]);
		e.start_ns = v[3], e.dur_ns = v[4], e.bytes = v[5];
	} else if (e.kind == EVENT_RUNTIME) {
		e.pid = 1, e.tid = rig_ident(g, v[0]), e.correlation = rig_ident(g, v[1]);
		e.start_ns = v[2], e.dur_ns = v[3];
	} else if (e.kind == EVENT_MEMORY) {
		e.memory_id = rig_ident(g, v[0]), e.device_type = v[1];
		e.total_allocated = v[2], e.total_reserved = v[3], e.start_ns = v[4];
		e.bytes = v[5];
	} else if (e.kind == EVENT_GPU_ANNOTATION) {
		e.device = rig_ident(g, v[0]), e.stream = rig_ident(g, v[1]), e.step = rig_ident(g, v[2]);
		e.start_ns = v[3], e.dur_ns = v[4];
	} else if (e.kind == EVENT_STEP) {
		e.device = v[0], e.step = v[1], e.start_ns = v[2], e.dur_ns = v[3];
	} else {
		e.pid = 1, e.tid = rig_ident(g, v[0]), e.start_ns = v[1], e.dur_ns = v[2];
		e.numbered = nr == 4, e.step = v[3];
	}
	rig_event(g, &e);
}

/* Feeds the first line of a script; returns the rest of the script. */
static inline const char *rig_first_line(struct rig *g, const char *script)
{
	char line[256];
	const char *end = strchrnul(script, '\n');
	snprintf(line, sizeof line, "%.*s", (int)(end - script), script);
	rig_line(g, line);
	return *end ? end + 1 : end;
}

static inline void rig_feed(struct rig *g, const char *script)
{
	while (*script)
		script = rig_first_line(g, script);
}

static inline void rig_numbers(struct strbuf *out, const int64_t *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(out, "%s%" PRId64, out->n ? " " : "", v[i]);
}

/// Appends the samples of a step metric, "-" for a missing sample; nothing if it has no samples.
static inline void rig_show_samples(const struct digest *d, enum metric_id id, struct strbuf *out)
{
	const int64_t *v = d->samples[id];
	for (size_t i = 0; v && i < d->nr_steps; i++)
		if (v[i] == NO_SAMPLE)
			strbuf_adds(out, out->n ? " -" : "-");
		else
			rig_numbers(out, &v[i], 1);
}

/* Parts of the period, which add up to it: compute, exposed communication, exposed memory, idle. */
static const enum metric_id rig_parts[] = { METRIC_STEP_PERIOD_COMPUTE,
	                                        METRIC_STEP_PERIOD_EXPOSED_COMM,
	                                        METRIC_STEP_PERIOD_EXPOSED_MEMORY,
	                                        METRIC_STEP_IDLE_TIME };

/// Appends the digest's figures of communication, parts of steps and progress.
static inline void rig_show_comm(const struct digest *d, const char *what, struct strbuf *out)
{
	const struct progress *p = &d->progress;
	for (size_t i = 0; i < d->comms.nr && !strcmp(what, "comms"); i++) {
		const struct comm_stat *c = &d->comms.v[i];
		strbuf_addf(out, "[%s %s %s/%" PRId64 ":", collective_names[c->kind], c->group.p,
		            c->dtype.p, c->group_size);
		rig_numbers(out, &c->count, 6);
		strbuf_adds(out, "]");
	}
	for (size_t i = 0; i < d->collectives.nr && !strcmp(what, "collectives"); i++) {
		rig_numbers(out, &d->collectives.v[i].step, 5);
		strbuf_adds(out, i + 1 < d->collectives.nr ? "," : "");
	}
	for (size_t i = 0; i < d->nr_steps && !strcmp(what, "parts"); i++) {
		strbuf_adds(out, i ? "," : "");
		for (size_t k = 0; k < sizeof rig_parts / sizeof *rig_parts; k++)
			rig_numbers(out, &d->samples[rig_parts[k]][i], 1);
	}
	if (!strcmp(what, "window"))
		rig_numbers(out, (int64_t[]){ d->start_ns, d->window_ns }, 2);
	if (!strcmp(what, "usable"))
		rig_numbers(out, &d->usable_steps, 1);
	if (!strcmp(what, "progress")) {
		rig_numbers(out, &p->step, 4);
		strbuf_addf(out, " %s|%s|%s", p->op.p, p->activity.p, p->waits_in.p);
	}
}

/// Append figure `what`: a step.* metric, "steps", "proposed" (marker and its steps), "activities",
/// a member of trust ("missing": lost launches, those of unknown time, time; left over; copies,
/// time; "nodes": lost ones; "early": untimed, early), "devices", "kernels", "code",
/// "ops", "flops" (calls, operations, not counted, GPU time), "bytes" (of these; calls without),
/// "graphs" (time replayed; joined, unordered, ambiguous), "threads", "memories", "allocations",
/// "growth" (x: unknown); "comms", "collectives", "parts" (of the period: compute, communication,
/// memory, idle), "window", "usable", "progress" (step, launches, collectives, pending; the names).
static inline void rig_show(const struct digest *d, const char *what, struct strbuf *out)
{
	const struct trust_counts *t = &d->trust;
	const struct metric *m = metric_find(span_of(what));
	rig_show_comm(d, what, out);
	if (m)
		rig_show_samples(d, m->id, out);
	else if (!strcmp(what, "steps"))
		rig_numbers(out, d->step_numbers, d->nr_steps);
	else if (!strcmp(what, "proposed") && d->proposed_marker)
		strbuf_addf(out, "%s %" PRId64, d->proposed_marker, d->proposed_steps);
	else if (!strcmp(what, "activities"))
		rig_numbers(out, d->step_activities, d->nr_steps);
	/* columns: attribution; numbers of activities carried over, dropped, outside of steps */
	else if (!strcmp(what, "attribution"))
		rig_numbers(out,
		            (int64_t[]){ d->attribution, t->carried_over, t->dropped, t->unattributed }, 4);
	/* columns: GPU time of all activities; of the dropped, unattributed, overlapping activities */
	else if (!strcmp(what, "times"))
		rig_numbers(out, (int64_t[]){ t->gpu_ns, t->dropped_ns, t->unattributed_ns, t->overlap_ns },
		            4);
	else if (!strcmp(what, "lost"))
		rig_numbers(out, (int64_t[]){ t->launches_without_kernel, t->lost_ns }, 2);
	else if (!strcmp(what, "missing"))
		rig_numbers(out,
		            (int64_t[]){ t->launches_without_kernel, t->lost_unknown, t->lost_ns,
		                         t->left_over, t->lost_copies, t->lost_copies_ns },
		            6);
	else if (!strcmp(what, "nodes"))
		rig_numbers(out, (int64_t[]){ t->lost_nodes, t->lost_ns }, 2);
	else if (!strcmp(what, "contained"))
		rig_numbers(out, &t->contained_ns, 1);
	else if (!strcmp(what, "early"))
		rig_numbers(out, (int64_t[]){ t->untimed, t->early, t->early_ns }, 3);
	else if (!strcmp(what, "graph_kinds"))
		rig_numbers(out, &t->graph_kinds, 1);
	else if (!strcmp(what, "account"))
		rig_numbers(out,
		            (int64_t[]){ t->timed, t->untimed, t->twice, t->untimed_ns, t->twice_ns,
		                         t->cut_ns, t->before_ns, t->unknown_ns },
		            8);
	else if (!strcmp(what, "requests"))
		rig_numbers(out, (int64_t[]){ t->requests_low, t->requests_high }, 2);
	else if (!strcmp(what, "tokens"))
		rig_numbers(out, (int64_t[]){ t->tokens_low, t->tokens_high }, 2);
	else if (!strcmp(what, "tick"))
		rig_numbers(out, &t->tick_ns, 1);
	else if (!strcmp(what, "launches"))
		rig_numbers(out, (int64_t[]){ t->launches, t->launches_without_kernel }, 2);
	for (size_t i = 0; i < d->devices.nr && !strcmp(what, "devices"); i++) {
		const struct device_stat *v = &d->devices.v[i];
		strbuf_addf(out, "[%s:", v->id);
		rig_numbers(out, &v->streams, 7);
		strbuf_addf(out, " | %" PRId64 "/%" PRId64 "]", v->measured_busy_ns, v->measured_ns);
	}
	for (size_t i = 0; i < d->kernels.nr && !strcmp(what, "kernels"); i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		strbuf_addf(out, "[%d %s:", k->kind, k->name.p);
		rig_numbers(out, &k->count, 8);
		strbuf_adds(out, "]");
	}
	for (size_t i = 0; i < d->code.nr && !strcmp(what, "code"); i++)
		strbuf_addf(out, "[%.*s: %" PRId64 " %" PRId64 "]", (int)d->code.v[i].op.n,
		            d->code.v[i].op.p, d->code.v[i].count, d->code.v[i].total_ns);
	for (size_t i = 0; i < d->ops.nr && !strcmp(what, "ops"); i++) {
		strbuf_addf(out, "[%s:", d->ops.v[i].name.p);
		rig_numbers(out, &d->ops.v[i].count, 3);
		strbuf_adds(out, "]");
	}
	for (size_t i = 0; i < d->flops.nr && !strcmp(what, "flops"); i++) {
		const struct flop_stat *f = &d->flops.v[i];
		strbuf_addf(out, "[%s/%d: ", f->op.p, (int)f->type);
		strbuf_addf(out, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "]", f->count, f->flops,
		            f->uncounted, f->gpu_ns);
	}
	for (size_t i = 0; i < d->flops.nr && !strcmp(what, "bytes"); i++)
		strbuf_addf(out, "[%s: %" PRId64 " %" PRId64 "]", d->flops.v[i].op.p, d->flops.v[i].bytes,
		            d->flops.v[i].unsized);
	if (!strcmp(what, "graphs"))
		rig_numbers(
		    out, (int64_t[]){ t->replayed_ns, t->joined_ns, t->unordered_ns, t->ambiguous_ns }, 4);
	for (size_t i = 0; i < d->calls.nr && !strcmp(what, "calls"); i++) {
		const struct call_stat *c = &d->calls.v[i];
		strbuf_addf(out, "[%d %s: %" PRId64 " %" PRId64 "]", (int)c->kind, c->name.p, c->count,
		            c->total_ns);
	}
	for (size_t i = 0; i < d->threads.nr && !strcmp(what, "threads in operators"); i++)
		strbuf_addf(out, "[%s: %" PRId64 "]", d->threads.v[i].id, d->threads.v[i].op_ns);
	for (size_t i = 0; i < d->memories.nr && !strcmp(what, "start"); i++)
		strbuf_addf(out, "[%s: %" PRId64 "]", d->memories.v[i].id,
		            d->memories.v[i].start_allocated);
	for (size_t i = 0; i < d->threads.nr && !strcmp(what, "threads"); i++)
		strbuf_addf(out, "[%s: %" PRId64 "]", d->threads.v[i].id, d->threads.v[i].busy_ns);
	for (size_t i = 0; i < d->memories.nr && !strcmp(what, "memories"); i++) {
		const struct memory_stat *v = &d->memories.v[i];
		strbuf_addf(out, "[%s:", v->id);
		rig_numbers(out, &v->events, 6);
		strbuf_adds(out, "]");
	}
	for (size_t i = 0; i < d->memories.nr; i++) {
		const struct memory_stat *v = &d->memories.v[i];
		/* columns: number of allocations, number of frees, bytes */
		if (!strcmp(what, "allocations"))
			strbuf_addf(out, "[%s: %" PRId64 " %" PRId64 " %" PRId64 "]", v->id, v->alloc_count,
			            v->free_count, v->churn_bytes);
		if (!strcmp(what, "growth") && v->growth_per_step == MEMORY_UNKNOWN)
			strbuf_addf(out, "[%s: x]", v->id);
		else if (!strcmp(what, "growth"))
			strbuf_addf(out, "[%s: %" PRId64 "]", v->id, v->growth_per_step);
	}
}

/// A row of a test table: after `script`, figure `what` is shown as `expect`.
struct rig_row {
	const char *title, *script, *what, *expect;
	const char *marker; ///< step marker; NULL means the default
	int64_t warmup;
};

/// Checks the rows.
static inline void rig_check(const struct rig_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *script = rows[i].script;
		/* a row without a script uses the script of the last row that has one */
		for (size_t k = i; !script; k--)
			script = rows[k].script;
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, &(struct reduce_options){ .marker = rows[i].marker,
		                                       .marker_alone = rows[i].marker != NULL,
		                                       .warmup = rows[i].warmup });
		rig_feed(&g, script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		rig_show(g.d, rows[i].what, &out);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("%s, %s: expected %s, got %s", rows[i].title, rows[i].what, rows[i].expect,
			         strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

#endif
