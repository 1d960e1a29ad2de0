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

/* Ratio num / den of the bytes that a rank's links transfer to the size of the message, by the
 * convention of nccl-tests. False if it is unknown. */
static bool bus_factor(const struct comm_stat *c, int64_t *num, int64_t *den)
{
	*den = c->group_size;
	switch (c->kind) {
	case COLLECTIVE_ALL_REDUCE:
		*num = 2 * (c->group_size - 1);
		break;
	case COLLECTIVE_ALL_GATHER:
	case COLLECTIVE_REDUCE_SCATTER:
	case COLLECTIVE_ALL_TO_ALL:
	case COLLECTIVE_GATHER:
	case COLLECTIVE_SCATTER:
		*num = c->group_size - 1;
		break;
	case COLLECTIVE_BROADCAST:
	case COLLECTIVE_REDUCE:
	case COLLECTIVE_SEND:
	case COLLECTIVE_RECV:
		*num = *den = 1;
		return true;
	default: /* no ratio: the ranks that exchange data are unknown, or no data is moved */
		return false;
	}
	return c->group_size > 1;
}

/* Sums over all collectives with one label, whatever their element types and group sizes. */
struct comm_sum {
	__int128 ns, count, bytes;
	__int128 sized, sized_ns; /* bytes and time of collectives with a known size */
	__int128 bus, bus_ns; /* bytes on the links, and time, of collectives with a bus_factor() */
};

static void add_comm(struct comm_sum *sum, const struct comm_stat *c)
{
	int64_t num, den;
	sum->ns += c->total_ns;
	sum->count += c->count;
	sum->bytes += c->bytes;
	sum->sized += c->sized_count;
	sum->sized_ns += c->sized_ns;
	if (bus_factor(c, &num, &den)) {
		sum->bus += number_div_round((__int128)c->bytes * num, den);
		sum->bus_ns += c->sized_ns;
	}
}

static void emit_comm(struct emitter *e, struct span label, const struct comm_sum *s)
{
	__int128 steps = e->rank->digest->usable_steps;
	switch (e->figure.metric->id) {
	case METRIC_COMM_TIME:
		figure_emit(e, label, number_div_round(s->ns, steps));
		break;
	case METRIC_COMM_COUNT:
		figure_emit(e, label, number_div_round(s->count * MICRO, steps));
		break;
	case METRIC_COMM_BYTES:
		if (s->sized > 0)
			figure_emit(e, label, number_div_round(s->bytes, steps));
		break;
	case METRIC_COMM_ALG_BANDWIDTH:
		if (s->bytes > 0 && s->sized_ns > 0)
			figure_emit(e, label, number_div_round(s->bytes * NS_PER_S, s->sized_ns));
		break;
	default: /* comm.bus_bandwidth, the only metric without a case above */
		if (s->bus > 0 && s->bus_ns > 0)
			figure_emit(e, label, number_div_round(s->bus * NS_PER_S, s->bus_ns));
	}
}

struct labeled {
	struct span label;
	const void *row;
};

/* Store `text` as a label that lives as long as the view; empty if the table of labels is full. */
static struct span label_take(const struct emitter *e, struct strbuf *text)
{
	const struct name *nm = name_intern(e->view->labels, strbuf_span(text));
	strbuf_release(text);
	return nm ? name_span(nm) : SPAN("");
}

ORDERING(labeled_cmp, struct labeled, BY_SPAN(label))

void comm_label(const struct comm_stat *c, struct strbuf *out)
{
	strbuf_addf(out, "%s%s", collective_names[c->kind], c->group.n ? "@" : "");
	strbuf_add(out, c->group);
}

void figures_of_collectives(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	VEC(struct labeled) list = VEC_INIT;
	for (size_t i = 0; i < d->comms.nr; i++) {
		const struct comm_stat *c = &d->comms.v[i];
		struct strbuf b = STRBUF_INIT;
		comm_label(c, &b);
		vec_push(&list, (struct labeled){ label_take(e, &b), c });
	}
	vec_sort(&list, labeled_cmp);
	for (size_t i = 0, end; i < list.nr && d->usable_steps > 0; i = end) {
		struct comm_sum sum = { 0 };
		for (end = i; end < list.nr && span_eq(list.v[end].label, list.v[i].label); end++)
			add_comm(&sum, list.v[end].row);
		emit_comm(e, list.v[i].label, &sum);
	}
	vec_release(&list);
}

/* ---- names of functions by call path ---- */

enum { PATH_BYTES = 160 };

/* Length and hash of the name of a call path, including its callers. */
struct path {
	size_t n; /* length in bytes, which cannot overflow: digests limit names and their number */
	uint32_t hash;
};

/* Compute length and hash of the path of each function; callers must come before their callees. */
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
	return label_take(e, &b);
}

void figures_of_functions(struct emitter *e)
{
	const struct digest *d = e->rank->digest;
	VEC(struct labeled) list = VEC_INIT;
	struct path *paths = paths_of(d);
	for (size_t i = 0; i < d->functions.nr; i++) {
		const struct function_stat *f = &d->functions.v[i];
		bool python = f->cls == FUNCTION_PYTHON;
		if (f->names == 0)
			vec_push(&list, (struct labeled){ python ? path_label(e, paths, i) : f->name, f });
	}
	free(paths);
	vec_sort(&list, labeled_cmp);
	for (size_t i = 0, end; i < list.nr; i = end) {
		__int128 ns = 0;
		for (end = i; end < list.nr && span_eq(list.v[end].label, list.v[i].label); end++)
			ns += ((const struct function_stat *)list.v[end].row)->exclusive_ns;
		e->figure.function = list.v[i].row;
		figure_emit(e, list.v[i].label, number_pct(ns, d->window_ns));
	}
	vec_release(&list);
}
