/* Computes figures of communication, of functions, and figures that compare ranks. */
#include "base/number.h"
#include "base/text.h"
#include "model/figures_internal.h"

/* ---- figures that compare ranks ---- */

bool figure_of_ranks(const struct rank_view *r, enum metric_id id, int64_t *out)
{
	const struct cross_rank *c = r->cross;
	bool matched = c->known && c->matched > 0 && c->steps > 0;
	switch (id) {
	case METRIC_COMM_WAIT_TIME:
		*out = matched ? number_div_round(c->wait_ns, c->steps) : 0;
		return matched;
	case METRIC_COMM_TRANSFER_TIME:
		*out = matched ? number_div_round(c->transfer_ns, c->steps) : 0;
		return matched;
	case METRIC_RANK_STRAGGLER_PCT:
		*out = number_pct(c->late_ns, c->step_ns);
		return matched && c->step_ns > 0;
	case METRIC_RANK_COMPUTE_SKEW_PCT:
		*out = c->compute_skew;
		return c->known && c->compute_skew != MEMORY_UNKNOWN;
	default: /* rank.missing_steps, the only metric without a case above */
		*out = c->missing_steps;
		return c->known;
	}
}

/* ---- figures of communication ---- */

/* Bytes that a rank's links transfer for the messages of a row, by the convention of nccl-tests. -1
 * if unknown: if the size of the group is unknown or 1, if the kind does not say which ranks
 * exchange data, or if the kind moves no data. */
static int64_t bus_bytes(const struct comm_stat *c)
{
	/* how often the other n - 1 ranks' parts of the message cross the link; ONCE: the whole message
	 * crosses it once */
	enum { ONCE = -1 };
	static const signed char passes[NR_COLLECTIVE_KINDS] = {
		[COLLECTIVE_ALL_REDUCE] = 2,   [COLLECTIVE_ALL_GATHER] = 1, [COLLECTIVE_REDUCE_SCATTER] = 1,
		[COLLECTIVE_ALL_TO_ALL] = 1,   [COLLECTIVE_GATHER] = 1,     [COLLECTIVE_SCATTER] = 1,
		[COLLECTIVE_BROADCAST] = ONCE, [COLLECTIVE_REDUCE] = ONCE,  [COLLECTIVE_SEND] = ONCE,
		[COLLECTIVE_RECV] = ONCE,
	};
	int by = passes[c->kind];
	if (by == ONCE)
		return c->bytes;
	return by && c->group_size > 1
	           ? number_div_round((__int128)c->bytes * by * (c->group_size - 1), c->group_size)
	           : -1;
}

/* Sets `out` to the contribution of the row `c` to the metric `id`; false if the row lacks the
 * figure. */
static bool comm_part(const struct comm_stat *c, enum metric_id id, struct figure_part *out)
{
	int64_t bytes = id == METRIC_COMM_BUS_BANDWIDTH ? bus_bytes(c) : c->bytes;
	switch (id) {
	case METRIC_COMM_TIME:
		out->num = c->total_ns;
		return true;
	case METRIC_COMM_COUNT:
		out->num = (__int128)c->count * MICRO;
		return true;
	case METRIC_COMM_BYTES:
		out->num = bytes;
		return c->sized_count > 0;
	default: /* comm.alg_bandwidth and comm.bus_bandwidth, the only metrics without a case above */
		out->num = (__int128)bytes * NS_PER_S;
		out->den = c->sized_ns;
		return bytes >= 0;
	}
}

struct span label_take(const struct run_view *v, struct strbuf *text)
{
	const struct name *nm = name_intern(v->labels, strbuf_span(text));
	strbuf_release(text);
	return nm ? name_span(nm) : SPAN("");
}

void comm_label(const struct comm_stat *c, struct strbuf *out)
{
	strbuf_addf(out, "%s%s", collective_names[c->kind], c->group.n ? "@" : "");
	strbuf_add(out, c->group);
}

void figures_of_collectives(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	struct figure_parts parts = { 0 };
	for (size_t i = 0; i < d->comms.nr && d->usable_steps > 0; i++) {
		struct figure_part part = { .den = 0 };
		struct strbuf b = STRBUF_INIT;
		if (!comm_part(&d->comms.v[i], e->figure.metric->id, &part))
			continue;
		comm_label(&d->comms.v[i], &b);
		part.label = label_take(e->view, &b);
		vec_push(&parts.list, part);
	}
	figure_emit_parts(e, &parts);
}

/* ---- names of functions by call path ---- */

enum { PATH_BYTES = 160 };

/* Length and hash of the name of a call path, including its callers. */
struct path {
	size_t n; /* length in bytes, which cannot overflow: digests limit names and their number */
	uint32_t hash;
};

/* Computes length and hash of the path of each function; callers must come before their callees. */
static struct path *paths_of(const struct digest *d)
{
	struct path *paths = mem_calloc(d->functions.nr, sizeof *paths);
	for (size_t i = 0; i < d->functions.nr; i++) {
		const struct function_stat *f = &d->functions.v[i];
		struct path p = { 0, TEXT_HASH };
		if (f->parent >= 0 &&
		    f->parent <
		        (int64_t)
		            i) { /* callers come first in the list, so the caller's path is known here */
			p = paths[f->parent];
			p = (struct path){ p.n + 3, text_hash_more(p.hash, SPAN(" > ")) };
		}
		paths[i] = (struct path){ p.n + f->name.n, text_hash_more(p.hash, f->name) };
	}
	return paths;
}

/* A label such as "main.py(3): <module> > train > step". If the path is too long for a line, only
   its last frames are shown, after a hash of the whole path. */
static struct span path_label(const struct emitter *e, const struct path *paths, size_t i)
{
	const struct function_stat *v = e->rank->digest->functions.v;
	bool whole = paths[i].n <= PATH_BYTES;
	VEC(struct span) frames = VEC_INIT;
	struct strbuf b = STRBUF_INIT;
	size_t n = 0;
	for (int64_t at = (int64_t)i; at >= 0; at = v[at].parent < at ? v[at].parent : -1) {
		if (!whole && n && n + v[at].name.n > PATH_BYTES)
			break;
		vec_push(&frames, v[at].name);
		n += v[at].name.n + 3;
	}
	if (!whole)
		strbuf_addf(&b, "~%08x > ", (unsigned)paths[i].hash);
	for (size_t k = frames.nr; k-- > 0;) {
		strbuf_add(&b, frames.v[k]);
		strbuf_adds(&b, k ? " > " : "");
	}
	vec_release(&frames);
	return label_take(e->view, &b);
}

void figures_of_functions(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	struct figure_parts parts = { 0 };
	struct path *paths = paths_of(d);
	for (size_t i = 0; i < d->functions.nr; i++) {
		const struct function_stat *f = &d->functions.v[i];
		if (f->names == 0)
			vec_push(&parts.list, (struct figure_part){ .label = f->cls == FUNCTION_PYTHON
			                                                         ? path_label(e, paths, i)
			                                                         : f->name,
			                                            .num = f->exclusive_ns,
			                                            .function = f });
	}
	free(paths);
	figure_emit_parts(e, &parts);
}
