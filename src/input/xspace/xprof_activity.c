/* Source: openxla/xla, 2026: xla/tsl/profiler/utils/xplane_schema.cc (names of lines and of
   arguments), xla/backends/profiler/gpu/cupti_collector.cc, cupti_buffer_events.cc and .h,
   rocm_collector.cc (streams, details). */
#include "xspace/xprof_activity.h"

#include "base/number.h"

/* Recognizes a name such as "/device:GPU:0". In files of XProf's viewer, the name of the host
   comes before it. */
enum xprof_role xprof_role_of(struct span name, int64_t *device)
{
	static const struct span prefix = { "/device:", 8 }, host = { "/host:CPU", 9 };
	const char *at = memmem(name.p, name.n, prefix.p, prefix.n);
	uint64_t number;
	if (!at || (at > name.p && at[-1] != ' ')) {
		bool is_host =
		    name.n >= host.n && span_eq((struct span){ name.p + name.n - host.n, host.n }, host);
		return is_host ? PROCESS_HOST : PROCESS_POOL;
	}
	struct span what = { at + prefix.n, name.n - (size_t)(at - name.p) - prefix.n };
	if (span_starts(what, SPAN("TPU:")))
		return PROCESS_TPU;
	if (!span_skip(&what, SPAN("GPU:")) || !number_parse_u64(what, &number) || number > INT64_MAX)
		return PROCESS_OTHER;
	*device = (int64_t)number;
	return PROCESS_GPU;
}

/* Recognizes names such as "Stream #13(Compute,MemcpyD2D)" and "Steps". */
enum xprof_line xprof_line_of(struct span name, int64_t *stream)
{
	uint64_t number;
	if (span_eq(name, SPAN("Steps")))
		return LINE_STEPS;
	if (!span_skip(&name, SPAN("Stream #")))
		return LINE_DERIVED;
	struct span digits = { name.p, 0 };
	while (digits.n < name.n && is_digit(name.p[digits.n]))
		digits.n++;
	if (number_parse_u64(digits, &number) && number <= INT64_MAX)
		*stream = (int64_t)number;
	return LINE_STREAM;
}

/* ---- details of an activity, as text ---- */

/* The value of `key` in words of the form "key:value"; empty if `key` is absent. */
static struct span detail(struct span words, struct span key)
{
	while (words.n) {
		struct span word = span_cut(&words, ' ');
		if (span_skip(&word, key))
			return word;
	}
	return SPAN("");
}

/* Reads three numbers, "4,1,1"; if one of them is missing, `out` is unchanged. */
static void fill_dim3(struct span text, int64_t out[3])
{
	int64_t v[3];
	for (int i = 0; i < 3; i++)
		if (!number_parse(i < 2 ? span_cut(&text, ',') : text, 0, &v[i]) || v[i] < 0)
			return;
	memcpy(out, v, sizeof v);
}

/* An occupancy of 0 means that it was not computed. */
static void fill_kernel(const struct xprof_details *d, struct event *e)
{
	int64_t occupancy = d->occupancy;
	fill_dim3(detail(d->kernel, SPAN("grid:")), e->grid);
	fill_dim3(detail(d->kernel, SPAN("block:")), e->block);
	if (e->grid[0] < 0 || e->block[0] < 0)
		e->grid[0] = e->block[0] = -1;
	(void)number_parse(detail(d->kernel, SPAN("occ_pct:")), 6, &occupancy);
	e->occupancy = occupancy > 0 ? occupancy : -1;
}

bool xprof_fill(const struct xprof_details *d, struct event *e)
{
	bool copy = e->kind == EVENT_MEMCPY;
	if (e->kind == EVENT_KERNEL) {
		fill_kernel(d, e);
		return true;
	}
	struct span size = copy ? detail(d->copy, SPAN("size:")) : detail(d->set, SPAN("num_bytes:"));
	return !size.n || (number_parse(size, 0, &e->bytes) && e->bytes >= 0);
}

/* False for activities that are not work: memory shown from its allocation to its release, and
 * migrations of managed memory, which are shown on streams that do not exist. */
bool xprof_is_work(const struct xprof_details *d, struct span name)
{
	return !d->residency && !span_starts(name, SPAN("UM_"));
}

enum event_kind xprof_kind_of(const struct xprof_details *d, struct span name)
{
	if (d->kernel.n)
		return EVENT_KERNEL;
	if (d->copy.n || span_starts(name, SPAN("Memcpy")))
		return EVENT_MEMCPY;
	if (d->set.n || span_starts(name, SPAN("Memset")))
		return EVENT_MEMSET;
	return EVENT_KERNEL;
}

/* ---- names of activities ---- */

static void drop_end(struct span *s, struct span end)
{
	if (s->n > end.n && memcmp(s->p + s->n - end.n, end.p, end.n) == 0)
		s->n -= end.n;
}

/* True if a kernel is called after an operation: XLA gives the kernels that it generates the
 * operation's name, with '_' for characters that C does not allow. */
static bool is_named_after(struct span kernel, struct span op)
{
	return kernel.n == op.n && op.n &&
	       ALL(i, op.n,
	           kernel.p[i] == op.p[i] ||
	               (kernel.p[i] == '_' && !is_digit(op.p[i]) && !is_letter(op.p[i])));
}

struct span xprof_kernel_name(const struct xprof_details *d, struct span name, struct strbuf *b)
{
	drop_end(&name, SPAN(" [clone .kd]"));
	drop_end(&name, SPAN(".kd"));
	if (!d->hlo_module.n || !is_named_after(name, d->hlo_op))
		return name;
	strbuf_setlen(b, 0);
	strbuf_add(b, d->hlo_module);
	strbuf_addch(b, '/');
	strbuf_add(b, d->hlo_op);
	return strbuf_span(b);
}

/* ---- operators that launched activities ---- */

void xprof_ops_init(struct xprof_ops *o)
{
	idmap_init(&o->correlations);
}

void xprof_ops_release(struct xprof_ops *o)
{
	idmap_release(&o->correlations);
	vec_release(&o->names);
}

bool xprof_ops_add(struct xprof_ops *o, struct name_table *names, const struct xprof_details *d,
                   struct event *e)
{
	struct span op = d->op.n ? d->op : d->hlo_op;
	e->op = op.n ? name_intern(names, op) : NULL;
	e->module = d->hlo_module.n ? name_intern(names, d->hlo_module) : NULL;
	if ((op.n && !e->op) || (d->hlo_module.n && !e->module))
		return false;
	if (!e->op || e->correlation == IDENT_NONE)
		return true;
	uint32_t id = idmap_add(&o->correlations, e->correlation);
	if (id == o->names.nr)
		vec_push(&o->names, e->op);
	else if (o->names.v[id] != e->op)
		o->names.v[id] = NULL;
	return true;
}

bool xprof_op_around(const struct xprof_ops *o, const struct event *launch, struct event *out)
{
	uint32_t id = idmap_find(&o->correlations, launch->correlation);
	if (id == NO_ID || !o->names.v[id])
		return false;
	*out = event_blank(EVENT_OP);
	out->name = o->names.v[id];
	out->start_ns = launch->start_ns;
	out->dur_ns = launch->dur_ns;
	out->pid = launch->pid;
	out->tid = launch->tid;
	return true;
}
