#include "results/machine_stat.h"

#include <string.h>

#include "base/text.h"
#include "results/result_file.h"

enum { ID_BYTES = 64, FACT_BYTES = 200, FACTS_MAX = 64 };

static bool is_known_id(const struct machine_samples *m, struct span id)
{
	size_t first = m->list.nr > 4 * MACHINE_GPUS_MAX ? m->list.nr - 4 * MACHINE_GPUS_MAX : 0;
	for (size_t i = m->list.nr; i-- > first;)
		if (span_eq(m->list.v[i].id, id))
			return true;
	return false;
}

bool machine_add(struct machine_samples *m, struct span id, const struct machine_sample *s)
{
	struct machine_sample own = *s;
	own.id = (struct span){ id.p, id.n < ID_BYTES ? id.n : ID_BYTES };
	own.order = m->list.nr;
	m->nr_ids += !is_known_id(m, own.id);
	vec_push(&m->list, own);
	return m->nr_ids <= MACHINE_GPUS_MAX;
}

void machine_fact(struct machine_samples *m, const char *key, const struct value *v)
{
	if (!v || !v->text.n || v->text.p[0] == '[' || m->facts.nr == FACTS_MAX)
		return;
	struct span text = { v->text.p, v->text.n < FACT_BYTES ? v->text.n : FACT_BYTES };
	for (size_t i = 0; i < m->facts.nr; i++)
		if (strcmp(m->facts.v[i].key, key) == 0 && span_eq(m->facts.v[i].text, text))
			return;
	vec_push(&m->facts, (struct machine_fact_text){ key, text });
}

ORDERING(sample_cmp, struct machine_sample, BY_SPAN(id) RISING(time_ns) RISING(order))

/* ---- figures of one GPU from its samples ---- */

struct column {
	VEC(int64_t) list;
};

/* Median of the known values in those samples in which the GPU was busy, or in all samples if it
 * never was. */
static int64_t busy_median(const struct machine_sample *v, size_t nr, size_t offset)
{
	struct column busy = { 0 }, all = { 0 };
	for (size_t i = 0; i < nr; i++) {
		int64_t value;
		memcpy(&value, (const char *)&v[i] + offset, sizeof value);
		if (value < 0)
			continue;
		vec_push(&all.list, value);
		if (v[i].busy_pct > 0)
			vec_push(&busy.list, value);
	}
	struct column *use = busy.list.nr ? &busy : &all;
	int64_t median = use->list.nr ? number_median(use->list.v, use->list.nr) : -1;
	vec_release(&busy.list);
	vec_release(&all.list);
	return median;
}

static int64_t highest(const struct machine_sample *v, size_t nr, size_t offset)
{
	int64_t most = -1, value;
	for (size_t i = 0; i < nr; i++) {
		memcpy(&value, (const char *)&v[i] + offset, sizeof value);
		number_raise(&most, value);
	}
	return most;
}

static const char *reason_texts(unsigned mask, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < NR_THROTTLE_REASONS; i++)
		if (mask & 1u << i)
			strbuf_addf(&b, "%s%s", b.n ? ", " : "", machine_reason(i));
	bool any = b.n > 0;
	const char *text = arena_take(a, &b);
	return any ? text : NULL;
}

/* Computes the throttled share from the counters of the reasons; the counter with the longest time
 * decides, because several may count the same time. Without counters the share is computed from
 * samples; a single sample does not tell the time between samples. */
static void find_throttled(const struct machine_sample *v, size_t nr, struct machine_stat *out,
                           struct arena *a)
{
	int64_t longest = -1;
	unsigned seen = 0;
	size_t active = 0, known = 0;
	for (size_t i = 0; i < nr; i++) {
		known += v[i].reasons_known;
		active += v[i].reasons != 0;
		seen |= v[i].reasons;
	}
	for (size_t k = 0; k < NR_THROTTLE_REASONS && nr > 1; k++) {
		int64_t from = v[0].counter_us[k], to = v[nr - 1].counter_us[k];
		if (from < 0 || to < from)
			continue;
		seen |= to > from ? 1u << k : 0;
		number_raise(&longest, to - from);
	}
	if (longest >= 0 && out->span_ns > 0) {
		/* The driver brings its counters up to date at times of its own. */
		int64_t share = number_pct((__int128)longest * 1000, out->span_ns);
		out->throttled_pct = share < 100 * MICRO ? share : 100 * MICRO;
	} else if (known > 1)
		out->throttled_pct = number_pct((__int128)active, (__int128)known);
	out->reasons = nr > 1 ? reason_texts(seen, a) : NULL;
}

/* Sums up the energy over the intervals in which the GPU was busy: drivers tell the utilization of
 * the time before a sample. The counter is preferred to two samples of power, unless it has not
 * moved since. */
static void find_energy(const struct machine_sample *v, size_t nr, struct machine_stat *out)
{
	__int128 fj = 0; /* energy in 1e-15 J */
	for (size_t i = 1; i < nr; i++) {
		const struct machine_sample *a = &v[i - 1], *b = &v[i];
		int64_t ns = b->time_ns - a->time_ns;
		bool counted = a->energy_mj >= 0 && b->energy_mj > a->energy_mj;
		if (a->time_ns < 0 || ns <= 0 || !b->busy_pct ||
		    (!counted && (a->power_mw < 0 || b->power_mw < 0)))
			continue;
		fj += counted ? (__int128)(b->energy_mj - a->energy_mj) * 1000 * NS_PER_S
		              : ((__int128)a->power_mw + b->power_mw) * ns / 2 * 1000;
		out->energy_ns = out->energy_ns < 0 ? ns : number_add(out->energy_ns, ns);
	}
	if (out->energy_ns > 0)
		out->energy_uj = number_div_round(fj, NS_PER_S);
}

static void add_machine(const struct machine_sample *v, size_t nr, struct digest *d)
{
	int64_t from = v[0].time_ns, to = v[nr - 1].time_ns;
	struct machine_stat s = {
		.id = arena_dup(&d->arena, v->id),
		.samples = (int64_t)nr,
		.span_ns = from >= 0 && to >= from ? to - from : -1,
		.sm_clock_hz = busy_median(v, nr, offsetof(struct machine_sample, sm_clock_hz)),
		.memory_clock_hz = busy_median(v, nr, offsetof(struct machine_sample, memory_clock_hz)),
		.power_mw = busy_median(v, nr, offsetof(struct machine_sample, power_mw)),
		.temperature_c = highest(v, nr, offsetof(struct machine_sample, temperature_c)),
		.other_processes = highest(v, nr, offsetof(struct machine_sample, other_processes)),
		.throttled_pct = -1,
		.energy_uj = -1,
		.energy_ns = -1,
	};
	find_energy(v, nr, &s);
	find_throttled(v, nr, &s, &d->arena);
	vec_push(&d->machines, s);
}

/* ---- storing in the digest ---- */

ORDERING(fact_cmp, struct machine_fact_text, BY_TEXT(key) BY_SPAN(text))

static void add_facts(struct machine_samples *m, struct digest *d)
{
	vec_sort(&m->facts, fact_cmp);
	for (size_t i = 0, end; i < m->facts.nr; i = end) {
		struct strbuf b = STRBUF_INIT;
		for (end = i; end < m->facts.nr && strcmp(m->facts.v[end].key, m->facts.v[i].key) == 0;
		     end++) {
			strbuf_adds(&b, end > i ? ", " : "");
			text_add_line(&b, m->facts.v[end].text);
		}
		digest_set_env(d, span_of(m->facts.v[i].key), strbuf_span(&b));
		strbuf_release(&b);
	}
}

/* Turns ids of GPUs into valid names. GPUs whose ids become the same name are one GPU; GPUs are
 * sorted by these names. */
static void clean_ids(struct machine_samples *m, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < m->list.nr; i++) {
		strbuf_setlen(&b, 0);
		text_add_line(&b, m->list.v[i].id);
		if (!span_eq(strbuf_span(&b), m->list.v[i].id))
			m->list.v[i].id = (struct span){ arena_dup(a, strbuf_span(&b)), b.n };
	}
	strbuf_release(&b);
}

void machine_finish(struct machine_samples *m, struct digest *d)
{
	uint64_t h = TEXT_HASH;
	clean_ids(m, &d->arena);
	vec_sort(&m->list, sample_cmp);
	for (size_t i = 0, end; i < m->list.nr; i = end) {
		for (end = i + 1; end < m->list.nr && span_eq(m->list.v[end].id, m->list.v[i].id);)
			end++;
		add_machine(&m->list.v[i], end - i, d);
	}
	for (size_t i = 0; i < m->list.nr; i++) {
		const struct machine_sample *s = &m->list.v[i];
		const int64_t values[] = { s->time_ns, s->sm_clock_hz, s->power_mw, s->temperature_c };
		for (size_t k = 0; k < sizeof values / sizeof *values; k++)
			h = number_hash(h, (uint64_t)values[k]);
	}
	d->source_hash = h;
	add_facts(m, d);
}
