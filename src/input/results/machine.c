#include "results/result_file.h"

#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "results/readings.h"
#include "results/value.h"

/// Number of the reasons for which drivers keep clocks down, as far as they are read.
enum { NR_THROTTLE_REASONS = 5 };

/// The state of one GPU at one moment; a value is -1 if unknown.
struct machine_sample {
	struct span id;
	size_t order;
	int64_t time_ns;
	int64_t sm_clock_hz, memory_clock_hz, power_mw, temperature_c, busy_pct, other_processes;
	int64_t energy_mj; ///< energy that the GPU has taken since the driver was loaded
	bool reasons_known;
	unsigned reasons; ///< reasons that kept the clocks down at that moment, as bits 1 << index of
	                  ///< the reason
	int64_t counter_us[NR_THROTTLE_REASONS]; ///< for each reason, the time that it has kept the
	                                         ///< clocks down since the driver was loaded
};

/// A fact about the GPUs for the environment, such as the driver; its texts may differ between
/// GPUs.
struct machine_fact_text {
	const char *key;
	struct span text;
};

/// The samples of a file, from which figures of each GPU are made.
struct machine_samples {
	VEC(struct machine_sample) list;
	VEC(struct machine_fact_text) facts; ///< facts for the digest's environment, each once
	size_t nr_ids; ///< number of GPU ids in the first round of samples: a lower bound of the number
	               ///< of GPUs
};

/* Reasons of nvidia-smi that keep clocks below the requested ones. The names changed with driver
 * 535. */
static const char *const reasons[NR_THROTTLE_REASONS] = { "sw_power_cap", "hw_slowdown",
	                                                      "hw_thermal_slowdown",
	                                                      "hw_power_brake_slowdown",
	                                                      "sw_thermal_slowdown" };

/* ---- samples and facts of a file ---- */

enum { ID_BYTES = 64, FACT_BYTES = 200, FACTS_MAX = 64 };

static bool is_known_id(const struct machine_samples *m, struct span id)
{
	size_t first = m->list.nr > 4 * MACHINE_GPUS_MAX ? m->list.nr - 4 * MACHINE_GPUS_MAX : 0;
	for (size_t i = m->list.nr; i-- > first;)
		if (span_eq(m->list.v[i].id, id))
			return true;
	return false;
}

/* Adds a sample of the GPU `id`; false if there are too many GPUs. */
static bool add_sample(struct machine_samples *m, struct span id, const struct machine_sample *s)
{
	struct machine_sample own = *s;
	own.id = (struct span){ id.p, id.n < ID_BYTES ? id.n : ID_BYTES };
	own.order = m->list.nr;
	m->nr_ids += !is_known_id(m, own.id);
	vec_push(&m->list, own);
	return m->nr_ids <= MACHINE_GPUS_MAX;
}

/* Stores a fact for the environment; `v` may be NULL, which adds nothing. */
static void add_fact(struct machine_samples *m, const char *key, const struct value *v)
{
	if (!v || !v->text.n || v->text.p[0] == '[' || m->facts.nr == FACTS_MAX)
		return;
	struct span text = { v->text.p, v->text.n < FACT_BYTES ? v->text.n : FACT_BYTES };
	for (size_t i = 0; i < m->facts.nr; i++)
		if (strcmp(m->facts.v[i].key, key) == 0 && span_eq(m->facts.v[i].text, text))
			return;
	vec_push(&m->facts, (struct machine_fact_text){ key, text });
}

/* ---- texts that all of these tools write ---- */

/* Reads "69.85 W", "(300Mhz)" or "53.0" × 10^digits; -1 if it is not a number ("[N/A]", "-"). */
static int64_t number_in(const struct value *v, int digits)
{
	struct decimal d;
	struct span unit;
	if (!v)
		return -1;
	struct value plain = *v;
	if (plain.text.n > 1 && plain.text.p[0] == '(')
		plain.text = (struct span){ plain.text.p + 1, plain.text.n - 2 };
	int64_t out = reading_number(&plain, &d, &unit) == DECIMAL_OK ? decimal_scaled(d, digits) : -1;
	return out < INT64_MAX / 2 ? out : -1;
}

/* Reads "2026/07/14 08:12:38.696" as ns since 1970; -1 if it is not a time, or beyond the year
   2262. */
static int64_t time_in(const struct value *v)
{
	int64_t days, h, m, s;
	char date[11];
	if (!v || v->text.n < 19)
		return -1;
	const char *p = v->text.p;
	for (int i = 0; i < 10; i++)
		date[i] = p[i] == '/' ? '-' : p[i];
	if (!date_parse((struct span){ date, 10 }, &days) ||
	    !number_parse((struct span){ p[11] == '0' ? p + 12 : p + 11, p[11] == '0' ? 1 : 2 }, 0,
	                  &h) ||
	    !number_parse((struct span){ p[14] == '0' ? p + 15 : p + 14, p[14] == '0' ? 1 : 2 }, 0, &m))
		return -1;
	size_t from = p[17] == '0' ? 18 : 17;
	if (!number_parse((struct span){ p + from, v->text.n - from }, 9, &s))
		return -1;
	/* in 128 bits no year overflows; the result is then checked to fit 64 bits */
	__int128 ns = (((__int128)days * 24 + h) * 60 + m) * 60 * NS_PER_S + s;
	return ns >= 0 && ns <= INT64_MAX ? (int64_t)ns : -1;
}

/* The first member of a record that has one of the `names` and whose value is a number. Units in
   brackets after a member's name are ignored. */
static const struct value *named(const struct value *record, const char *const *names)
{
	for (; *names; names++)
		for (const struct value *m = record->first; m; m = m->next) {
			size_t n = strlen(*names);
			bool whole = m->key.n == n || (m->key.n > n && strchr(" :[", m->key.p[n]));
			if (m->key.n >= n && memcmp(m->key.p, *names, n) == 0 && whole && number_in(m, 0) >= 0)
				return m;
		}
	return NULL;
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* ---- CSV of nvidia-smi ---- */

static const char *const reason_groups[] = { "clocks_event_reasons.", "clocks_throttle_reasons." };
static const char *const counter_groups[] = { "clocks_event_reasons_counters.",
	                                          "clocks_throttle_reasons_counters." };

/* The member of a record whose name begins with one of `groups`, directly followed by the name of
 * reason `i`. */
static const struct value *reason_in(const struct value *record, const char *const groups[2],
                                     size_t i)
{
	for (int g = 0; g < 2; g++)
		for (const struct value *m = record->first; m; m = m->next) {
			size_t n = strlen(groups[g]), k = strlen(reasons[i]);
			if (m->key.n >= n + k && memcmp(m->key.p, groups[g], n) == 0 &&
			    memcmp(m->key.p + n, reasons[i], k) == 0 &&
			    (m->key.n == n + k || m->key.p[n + k] == ' '))
				return m;
		}
	return NULL;
}

static struct machine_sample nvidia_sample(const struct value *row)
{
	struct machine_sample s = {
		.time_ns = time_in(value_get(row, SPAN("timestamp"))),
		.sm_clock_hz = number_in(named(row, NAMES("clocks.current.sm", "clocks.sm")), 6),
		.memory_clock_hz = number_in(named(row, NAMES("clocks.current.memory", "clocks.mem")), 6),
		.power_mw = number_in(named(row, NAMES("power.draw", "power.draw.average")), 3),
		.temperature_c = number_in(named(row, NAMES("temperature.gpu")), 0),
		.busy_pct = number_in(named(row, NAMES("utilization.gpu")), 0),
		.other_processes = -1,
		.energy_mj = -1,
	};
	for (size_t i = 0; i < NR_THROTTLE_REASONS; i++) {
		const struct value *active = reason_in(row, reason_groups, i);
		s.reasons_known = s.reasons_known || (active && active->text.n);
		if (active && span_eq(active->text, SPAN("Active")))
			s.reasons |= 1u << i;
		s.counter_us[i] = number_in(reason_in(row, counter_groups, i), 0);
	}
	return s;
}

static struct span nvidia_id(const struct value *row)
{
	static const char *const keys[] = { "index", "uuid", "gpu_uuid", "pci.bus_id" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct value *v = value_get(row, span_of(keys[i]));
		if (v && v->text.n)
			return v->text;
	}
	return SPAN("0");
}

static bool is_nvidia(const struct value *row)
{
	return named(row, NAMES("clocks.current.sm", "clocks.sm", "power.draw", "temperature.gpu",
	                        "utilization.gpu", "clocks.max.sm")) != NULL;
}

/* ---- JSON of rocm-smi ---- */

static bool is_card(struct span key)
{
	return key.n > 4 && memcmp(key.p, "card", 4) == 0 && is_digit(key.p[4]);
}

static bool is_rocm(const struct value *document)
{
	const struct value *card = document->type == JSCAN_OBJECT ? document->first : NULL;
	while (card && !is_card(card->key))
		card = card->next;
	return card && card->type == JSCAN_OBJECT &&
	       named(card, NAMES("sclk clock speed", "Average Graphics Package Power",
	                         "Current Socket Graphics Package Power", "GPU use",
	                         "Temperature (Sensor edge)", "Temperature (Sensor junction)",
	                         "Max Graphics Package Power", "mclk clock speed"));
}

static struct machine_sample rocm_sample(const struct value *card)
{
	struct machine_sample s = {
		.time_ns = -1,
		.sm_clock_hz = number_in(named(card, NAMES("sclk clock speed")), 6),
		.memory_clock_hz = number_in(named(card, NAMES("mclk clock speed")), 6),
		.power_mw = number_in(named(card, NAMES("Average Graphics Package Power",
		                                        "Current Socket Graphics Package Power")),
		                      3),
		.temperature_c = number_in(
		    named(card, NAMES("Temperature (Sensor junction)", "Temperature (Sensor edge)")), 0),
		.busy_pct = number_in(named(card, NAMES("GPU use")), 0),
		.other_processes = -1,
		.energy_mj = -1,
	};
	for (size_t i = 0; i < NR_THROTTLE_REASONS; i++)
		s.counter_us[i] = -1;
	return s;
}

static bool add_rocm(struct machine_samples *m, const struct value *document)
{
	bool fits = true;
	for (const struct value *card = document->first; card && fits; card = card->next) {
		if (!is_card(card->key) || card->type != JSCAN_OBJECT)
			continue;
		struct machine_sample s = rocm_sample(card);
		fits = add_sample(m, (struct span){ card->key.p + 4, card->key.n - 4 }, &s);
		add_fact(m, "machine.gpu", value_get(card, SPAN("Card series")));
		add_fact(m, "machine.power_limit", named(card, NAMES("Max Graphics Package Power")));
	}
	const struct value *system = value_get(document, SPAN("system"));
	if (system)
		add_fact(m, "machine.driver", value_get(system, SPAN("Driver version")));
	return fits;
}

/* ---- files of gpugate's recorder: a line for each moment ---- */

static bool is_recorder(const struct value *document)
{
	const struct value *v = value_get(document, SPAN("schema"));
	return v && span_eq(v->text, SPAN("gpugate-machine-1"));
}

static struct machine_sample recorder_sample(const struct value *gpu, int64_t time_ns)
{
	struct machine_sample s = {
		.time_ns = time_ns,
		.sm_clock_hz = number_in(value_get(gpu, SPAN("sm_clock_mhz")), 6),
		.memory_clock_hz = number_in(value_get(gpu, SPAN("memory_clock_mhz")), 6),
		.power_mw = number_in(value_get(gpu, SPAN("power_mw")), 0),
		.temperature_c = number_in(value_get(gpu, SPAN("temperature_c")), 0),
		.busy_pct = number_in(value_get(gpu, SPAN("utilization_pct")), 0),
		.other_processes = number_in(value_get(gpu, SPAN("other_processes")), 0),
		.energy_mj = number_in(value_get(gpu, SPAN("energy_mj")), 0),
	};
	const struct value *active = value_get(gpu, SPAN("reasons")),
	                   *counters = value_get(gpu, SPAN("counters_us"));
	s.reasons_known = active && active->type == JSCAN_ARRAY;
	for (size_t i = 0; i < NR_THROTTLE_REASONS; i++) {
		for (const struct value *m = s.reasons_known ? active->first : NULL; m; m = m->next)
			if (span_eq(m->text, span_of(reasons[i])))
				s.reasons |= 1u << i;
		s.counter_us[i] = counters ? number_in(value_get(counters, span_of(reasons[i])), 0) : -1;
	}
	return s;
}

static bool add_recorder(struct machine_samples *m, const struct value *document)
{
	bool fits = true;
	int64_t time = number_in(value_get(document, SPAN("time_ns")), 0);
	const struct value *gpus = value_get(document, SPAN("gpus"));
	for (const struct value *g = gpus ? gpus->first : NULL; g && fits; g = g->next) {
		const struct value *id = value_get(g, SPAN("index"));
		struct machine_sample s = recorder_sample(g, time);
		fits = add_sample(m, id && id->text.n ? id->text : SPAN("0"), &s);
		add_fact(m, "machine.gpu", value_get(g, SPAN("name")));
		add_fact(m, "machine.power_limit", value_get(g, SPAN("power_limit")));
		add_fact(m, "machine.sm_clock_max", value_get(g, SPAN("sm_clock_max")));
	}
	add_fact(m, "machine.driver", value_get(document, SPAN("driver")));
	return fits;
}

ORDERING(sample_cmp, struct machine_sample, BY_SPAN(id) RISING(time_ns) RISING(order))

/* ---- figures of one GPU from its samples ---- */

/* Median of the known values in those samples in which the GPU was busy, or in all samples if it
 * never was. */
static int64_t busy_median(const struct machine_sample *v, size_t nr, size_t offset)
{
	VEC(int64_t) known = VEC_INIT;
	int64_t value;
	for (int all = 0; all < 2 && !known.nr; all++)
		for (size_t i = 0; i < nr; i++) {
			memcpy(&value, (const char *)&v[i] + offset, sizeof value);
			if (value >= 0 && (all || v[i].busy_pct > 0))
				vec_push(&known, value);
		}
	value = known.nr ? number_median(known.v, known.nr) : -1;
	vec_release(&known);
	return value;
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
			strbuf_addf(&b, "%s%s", b.n ? ", " : "", reasons[i]);
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

/* Stores all samples and facts as machines, environment and source hash of the digest. */
static void finish(struct machine_samples *m, struct digest *d)
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

/* ---- choice among the kinds of files ---- */

static enum status read_csv(struct value_tree *t, const char *name, struct machine_samples *m,
                            bool *found, struct diag_log *log)
{
	static const struct span headers[] = { { "*clocks.*sm*", 12 },
		                                   { "power.draw*", 11 },
		                                   { "temperature.gpu*", 16 },
		                                   { "utilization.gpu*", 16 } };
	for (size_t i = 0; i < sizeof headers / sizeof *headers && !*found; i++)
		TRY(csv_add(t, name, &headers[i], 1, true, found, log));
	for (const struct value *row = t->root.first; row; row = row->next) {
		if (!is_nvidia(row))
			continue;
		struct machine_sample s = nvidia_sample(row);
		if (!add_sample(m, nvidia_id(row), &s))
			return diag_fail(log, ST_INPUT, "%s: more than %d GPUs", name, MACHINE_GPUS_MAX);
		add_fact(m, "machine.driver", value_get(row, SPAN("driver_version")));
		add_fact(m, "machine.gpu", value_get(row, SPAN("name")));
		add_fact(m, "machine.power_limit",
		         named(row, NAMES("enforced.power.limit", "power.limit")));
		add_fact(m, "machine.sm_clock_max", named(row, NAMES("clocks.max.sm")));
	}
	*found = m->list.nr > 0;
	return ST_OK;
}

/* Parses the file without its last line, which is cut short if the process of the recorder was
 * killed. False if other lines are damaged, too. */
static bool read_whole_lines(struct value_tree *t, const char *name)
{
	struct diag_log ignored;
	const char *end = memrchr(t->bytes.p, '\n', t->bytes.n);
	if (!end || end + 1 == t->bytes.p + t->bytes.n)
		return false;
	t->root = (struct value){ .type = JSCAN_ARRAY };
	t->nr_values = 0;
	t->nr_faults = 0;
	diag_init(&ignored);
	enum status st =
	    value_json_add(t, name, (struct span){ t->bytes.p, (size_t)(end - t->bytes.p) }, &ignored);
	diag_release(&ignored);
	return st == ST_OK && t->root.first;
}

static enum status read_json(struct value_tree *t, const char *name, struct machine_samples *m,
                             bool *found, struct diag_log *log)
{
	struct diag_log own;
	diag_init(&own);
	enum status st = value_json_add(t, name, t->bytes, &own);
	const struct value *first = t->root.first;
	bool rocm = first && is_rocm(first), recorder = first && is_recorder(first);
	*found = rocm || recorder;
	if (!*found || (recorder && st != ST_OK && read_whole_lines(t, name)))
		st = ST_OK;
	if (st != ST_OK)
		diag_move(log, &own);
	for (const struct value *v = t->root.first; *found && st == ST_OK && v; v = v->next)
		if ((rocm && is_rocm(v) && !add_rocm(m, v)) || (recorder && !add_recorder(m, v)))
			st = diag_fail(log, ST_INPUT, "%s: more than %d GPUs", name, MACHINE_GPUS_MAX);
	diag_release(&own);
	return st;
}

enum status machine_read(struct source *src, struct digest *d, bool *found, struct diag_log *log)
{
	struct value_tree tree;
	struct machine_samples m = { 0 };
	*found = false;
	enum status st = value_bytes_read(src, &tree, log);
	struct span text = span_trim(tree.bytes, " \t\r\n");
	if (st == ST_OK && text.n && (text.p[0] == '{' || text.p[0] == '['))
		st = read_json(&tree, source_name(src), &m, found, log);
	else if (st == ST_OK)
		st = read_csv(&tree, source_name(src), &m, found, log);
	if (st == ST_OK && *found)
		finish(&m, d);
	d->trust.json_faults = (int64_t)tree.nr_faults;
	d->trust.fault_byte = (int64_t)tree.fault_byte;
	vec_release(&m.list);
	vec_release(&m.facts);
	value_tree_release(&tree);
	/* `*found` is set for damaged text too, because no other reader would accept it */
	*found = *found || st != ST_OK;
	return st;
}
