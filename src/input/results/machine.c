#include "results/result_file.h"

#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "results/readings.h"
#include "results/value.h"

/// Number of reasons for throttling (clocks below the requested ones) that are read.
enum { NR_THROTTLE_REASONS = 5 };

/// Values of a sample. OTHERS is the number of other processes on the GPU. ENERGY_MJ is the energy
/// that the GPU has used since its driver was loaded.
enum sample_value {
	TIME_NS,
	SM_HZ,
	MEMORY_HZ,
	POWER_MW,
	HEAT_C,
	BUSY_PCT,
	OTHERS,
	ENERGY_MJ,
	NR_VALUES
};

/// The state of one GPU at one moment; a value is -1 if unknown.
struct machine_sample {
	struct span id;
	size_t order;
	int64_t value[NR_VALUES];
	bool reasons_known;
	unsigned reasons; ///< reasons that kept the clocks down at that moment, as bits 1 << index of
	                  ///< the reason
	int64_t counter_us[NR_THROTTLE_REASONS]; ///< for each reason, the time that it has kept the
	                                         ///< clocks down since the driver was loaded
};

/// A fact about the GPUs, such as the version of their driver, as text for the digest's
/// environment. If the GPUs differ in a fact, the text of each is kept.
struct machine_fact_text {
	const char *key;
	struct span text;
};

/// The samples of a file, from which figures of each GPU are made.
struct machine_samples {
	VEC(struct machine_sample) list;
	VEC(struct machine_fact_text) facts; ///< facts for the digest's environment, each once
};

/* nvidia-smi's names of the reasons that keep clocks below the requested ones, without the prefix,
 * which changed with driver 535 (reason_in()). */
static const char *const reasons[NR_THROTTLE_REASONS] = { "sw_power_cap", "hw_slowdown",
	                                                      "hw_thermal_slowdown",
	                                                      "hw_power_brake_slowdown",
	                                                      "sw_thermal_slowdown" };

/* The names that tools use for a value, separated by '|'. A number in the tool's unit, times
   10^digits, is in the unit of the value. */
static const struct {
	enum sample_value of;
	int digits;
	const char *names;
} value_names[] = {
	{ SM_HZ, 6, "clocks.current.sm|clocks.sm|sclk clock speed|sm_clock_mhz" },
	{ MEMORY_HZ, 6, "clocks.current.memory|clocks.mem|mclk clock speed|memory_clock_mhz" },
	{ POWER_MW, 3,
	  "power.draw|power.draw.average|Average Graphics Package Power|Current Socket Graphics "
	  "Package Power" },
	{ POWER_MW, 0, "power_mw" },
	{ HEAT_C, 0,
	  "temperature.gpu|Temperature (Sensor junction)|Temperature (Sensor edge)|temperature_c" },
	{ BUSY_PCT, 0, "utilization.gpu|GPU use|utilization_pct" },
	{ OTHERS, 0, "other_processes" },
	{ ENERGY_MJ, 0, "energy_mj" },
};

/* Keys of facts in the environment, each with the names that tools use for the fact, separated by
   '|'; the first NR_LIMITS facts are numbers. */
enum { NR_LIMITS = 2, NR_FACTS = 4 };
static const char *const fact_names[NR_FACTS][2] = {
	{ "machine.power_limit",
	  "enforced.power.limit|power.limit|Max Graphics Package Power|power_limit" },
	{ "machine.sm_clock_max", "clocks.max.sm|sm_clock_max" },
	{ "machine.driver", "driver_version|Driver version|driver" },
	{ "machine.gpu", "name|Card series" },
};

/* ---- samples and facts of a file ---- */

enum { ID_BYTES = 64, FACT_BYTES = 200, FACTS_MAX = 64 };

/* ---- numbers, times and facts, as the tools write them ---- */

/* The number in a text such as "69.85 W", "(300Mhz)" or "53.0", times 10^digits; -1 if the text
   has none ("[N/A]", "-"). */
static int64_t number_in(const struct value *v, int digits)
{
	struct decimal d;
	if (!v)
		return -1;
	struct value plain = *v;
	if (plain.text.n > 1 && plain.text.p[0] == '(')
		plain.text = (struct span){ plain.text.p + 1, plain.text.n - 2 };
	int64_t out = reading_number(&plain, &d, NULL) == DECIMAL_OK ? decimal_scaled(d, digits) : -1;
	return out < INT64_MAX / 2 ? out : -1;
}

/* Like number_parse(), for the `n` bytes at `p`, a number that may begin with a 0. */
static bool digits_at(const char *p, size_t n, int digits, int64_t *out)
{
	size_t zero = *p == '0';
	return number_parse((struct span){ p + zero, n - zero }, digits, out);
}

/* Reads "2026/07/14 08:12:38.696" as ns since 1970; -1 if it is not a time, or before 1970 or
   beyond the year 2262. */
static int64_t time_in(const struct value *v)
{
	int64_t days, h, m, s;
	char date[11];
	if (!v || v->text.n < 19)
		return -1;
	const char *p = v->text.p;
	for (int i = 0; i < 10; i++)
		date[i] = p[i] == '/' ? '-' : p[i];
	if (!date_parse((struct span){ date, 10 }, &days) || !digits_at(p + 11, 2, 0, &h) ||
	    !digits_at(p + 14, 2, 0, &m) || !digits_at(p + 17, v->text.n - 17, 9, &s))
		return -1;
	/* in 128 bits no year overflows; the result is then checked to fit 64 bits */
	__int128 ns = (((__int128)days * 24 + h) * 60 + m) * 60 * NS_PER_S + s;
	return ns >= 0 && ns <= INT64_MAX ? (int64_t)ns : -1;
}

/* The first member of a record that has one of the names, which '|' separates; if `number` is set,
   its value must be a number. Units in brackets after a member's name are ignored. */
static const struct value *named(const struct value *record, const char *names, bool number)
{
	for (size_t n; *names; names += n + (names[n] == '|')) {
		n = strcspn(names, "|");
		for (const struct value *m = record->first; m; m = m->next) {
			bool whole = m->key.n == n || (m->key.n > n && strchr(" :[", m->key.p[n]));
			if (whole && memcmp(m->key.p, names, n) == 0 && (!number || number_in(m, 0) >= 0))
				return m;
		}
	}
	return NULL;
}

/* Keeps the facts of a record for the environment, each once. */
static void add_facts(struct machine_samples *m, const struct value *record)
{
	for (size_t i = 0; i < NR_FACTS; i++) {
		const struct value *v = named(record, fact_names[i][1], i < NR_LIMITS);
		struct machine_fact_text own = { fact_names[i][0], v ? v->text : SPAN("") };
		bool fits = own.text.n && own.text.p[0] != '[' && m->facts.nr < FACTS_MAX;
		own.text.n = own.text.n < FACT_BYTES ? own.text.n : FACT_BYTES;
		for (size_t k = 0; k < m->facts.nr && fits; k++)
			fits = m->facts.v[k].key != own.key || !span_eq(m->facts.v[k].text, own.text);
		if (fits)
			vec_push(&m->facts, own);
	}
}

/* The member for reason `i` in a record of nvidia-smi, or NULL: the state of the reason if `kind`
   is "", the time for which it has been active if `kind` is "_counters". */
static const struct value *reason_in(const struct value *record, const char *kind, size_t i,
                                     struct arena *a)
{
	return named(record,
	             arena_printf(a, "clocks_event_reasons%s.%s|clocks_throttle_reasons%s.%s", kind,
	                          reasons[i], kind, reasons[i]),
	             false);
}

/* Fills a sample from a record; false if the record has nothing about a GPU. */
static bool sample_of(const struct value *record, struct machine_sample *s, struct arena *a)
{
	const struct value *list = value_get(record, SPAN("reasons")),
	                   *counters = value_get(record, SPAN("counters_us"));
	bool any = named(record, fact_names[0][1], true) || named(record, fact_names[1][1], true);
	const struct value *id = named(record, "index|uuid|gpu_uuid|pci.bus_id", false);
	*s = (struct machine_sample){ .id = id && id->text.n ? id->text : SPAN("0"),
		                          .reasons_known = list && list->type == JSCAN_ARRAY };
	memset(s->value, -1, sizeof s->value);
	s->value[TIME_NS] = time_in(value_get(record, SPAN("timestamp")));
	for (size_t i = 0; i < NR_OF(value_names); i++) {
		const struct value *v = named(record, value_names[i].names, true);
		if (v)
			s->value[value_names[i].of] = number_in(v, value_names[i].digits);
		any = any || v;
	}
	for (size_t i = 0; i < NR_THROTTLE_REASONS; i++) {
		const struct value *active = reason_in(record, "", i, a);
		s->reasons_known = s->reasons_known || (active && active->text.n);
		if (active && span_eq(active->text, SPAN("Active")))
			s->reasons |= 1u << i;
		for (const struct value *m = list ? list->first : NULL; m; m = m->next)
			if (span_eq(m->text, span_of(reasons[i])))
				s->reasons |= 1u << i;
		s->counter_us[i] = number_in(counters ? value_get(counters, span_of(reasons[i]))
		                                      : reason_in(record, "_counters", i, a),
		                             0);
	}
	return any;
}

/* Adds a sample. Its id is cut to ID_BYTES bytes and made a valid text. If two GPUs have the same
 * id after that, they are counted as one. */
static void add_sample(struct machine_samples *m, const struct value *record,
                       struct machine_sample *s, struct arena *a)
{
	struct strbuf id = STRBUF_INIT;
	text_add_line(&id, (struct span){ s->id.p, s->id.n < ID_BYTES ? s->id.n : ID_BYTES });
	s->id = span_of(arena_take(a, &id));
	s->order = m->list.nr;
	vec_push(&m->list, *s);
	add_facts(m, record);
}

/* ---- JSON of rocm-smi ---- */

/* Adds the cards of a document; false if the document has nothing about them. */
static bool add_rocm(struct machine_samples *m, const struct value *document, struct arena *a)
{
	struct machine_sample s;
	bool any = false;
	for (const struct value *card = document->first; card; card = card->next) {
		if (card->type != JSCAN_OBJECT || !span_glob(SPAN("card?*"), card->key) ||
		    !is_digit(card->key.p[4]))
			continue;
		any = sample_of(card, &s, a) || any;
		s.id = span_from(card->key, 4);
		add_sample(m, card, &s, a);
	}
	const struct value *system = value_get(document, SPAN("system"));
	if (system)
		add_facts(m, system);
	return any;
}

/* ---- files of gpugate's recorder: a line for each moment ---- */

static void add_recorder(struct machine_samples *m, const struct value *document, struct arena *a)
{
	struct machine_sample s;
	const struct value *gpus = value_get(document, SPAN("gpus"));
	for (const struct value *g = gpus ? gpus->first : NULL; g; g = g->next) {
		sample_of(g, &s, a);
		s.value[TIME_NS] = number_in(value_get(document, SPAN("time_ns")), 0);
		add_sample(m, g, &s, a);
	}
	add_facts(m, document);
}

ORDERING(sample_cmp, struct machine_sample, BY_SPAN(id) RISING(value[TIME_NS]) RISING(order))

/* ---- figures of one GPU from its samples ---- */

/* Median of the known values in those samples in which the GPU was busy, or in all samples if there
 * are no such values. */
static int64_t busy_median(const struct machine_sample *v, size_t nr, enum sample_value of)
{
	VEC(int64_t) known = VEC_INIT;
	for (int all = 0; all < 2 && !known.nr; all++)
		for (size_t i = 0; i < nr; i++)
			if (v[i].value[of] >= 0 && (all || v[i].value[BUSY_PCT] > 0))
				vec_push(&known, v[i].value[of]);
	int64_t value = known.nr ? number_median(known.v, known.nr) : -1;
	vec_release(&known);
	return value;
}

static int64_t highest(const struct machine_sample *v, size_t nr, enum sample_value of)
{
	int64_t most = -1;
	for (size_t i = 0; i < nr; i++)
		number_raise(&most, v[i].value[of]);
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

/* Computes the percentage of time in which the clocks were throttled, from the counters of the
 * reasons. The counter with the longest time decides, because several may count the same time.
 * Without counters, the result is the percentage of the samples that have a reason, if there are
 * several samples. */
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
		/* the driver updates its counters at times of its own, so the share may exceed 100 % */
		int64_t share = number_pct((__int128)longest * 1000, out->span_ns);
		out->throttled_pct = share < 100 * MICRO ? share : 100 * MICRO;
	} else if (known > 1)
		out->throttled_pct = number_pct((__int128)active, (__int128)known);
	out->reasons = nr > 1 ? reason_texts(seen, a) : NULL;
}

/* Adds up the energy over the intervals in which the GPU was busy, or may have been: a sample has
   the utilization of the time before it, or -1. The energy of an interval is the difference of the
   energy counter. If there is no counter, or it has not changed, the mean of the two samples of
   power is used. */
static void find_energy(const struct machine_sample *v, size_t nr, struct machine_stat *out)
{
	__int128 fj = 0; /* energy in 1e-15 J */
	for (size_t i = 1; i < nr; i++) {
		const int64_t *a = v[i - 1].value, *b = v[i].value;
		int64_t ns = b[TIME_NS] - a[TIME_NS];
		bool counted = a[ENERGY_MJ] >= 0 && b[ENERGY_MJ] > a[ENERGY_MJ];
		if (a[TIME_NS] < 0 || ns <= 0 || !b[BUSY_PCT] ||
		    (!counted && (a[POWER_MW] < 0 || b[POWER_MW] < 0)))
			continue;
		fj += counted ? (__int128)(b[ENERGY_MJ] - a[ENERGY_MJ]) * 1000 * NS_PER_S
		              : ((__int128)a[POWER_MW] + b[POWER_MW]) * ns / 2 * 1000;
		out->energy_ns = out->energy_ns < 0 ? ns : number_add(out->energy_ns, ns);
	}
	if (out->energy_ns > 0)
		out->energy_uj = number_div_round(fj, NS_PER_S);
}

static void add_machine(const struct machine_sample *v, size_t nr, struct digest *d)
{
	int64_t from = v[0].value[TIME_NS], to = v[nr - 1].value[TIME_NS];
	struct machine_stat s = {
		.id = arena_dup(&d->arena, v->id),
		.samples = (int64_t)nr,
		.span_ns = from >= 0 ? to - from : -1,
		.sm_clock_hz = busy_median(v, nr, SM_HZ),
		.memory_clock_hz = busy_median(v, nr, MEMORY_HZ),
		.power_mw = busy_median(v, nr, POWER_MW),
		.temperature_c = highest(v, nr, HEAT_C),
		.other_processes = highest(v, nr, OTHERS),
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

static void put_facts(struct machine_samples *m, struct digest *d)
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

/* Stores all samples and facts as machines, environment and source hash of the digest. */
static enum status finish(struct machine_samples *m, const char *name, struct digest *d,
                          struct diag_log *log)
{
	static const enum sample_value hashed[] = { TIME_NS, SM_HZ, POWER_MW, HEAT_C };
	uint64_t h = TEXT_HASH;
	vec_sort(&m->list, sample_cmp);
	for (size_t i = 0, end; i < m->list.nr; i = end) {
		for (end = i; end < m->list.nr && span_eq(m->list.v[end].id, m->list.v[i].id); end++)
			for (size_t k = 0; k < NR_OF(hashed); k++)
				h = number_hash(h, (uint64_t)m->list.v[end].value[hashed[k]]);
		add_machine(&m->list.v[i], end - i, d);
	}
	d->source_hash = h;
	put_facts(m, d);
	if (d->machines.nr <= MACHINE_GPUS_MAX)
		return ST_OK;
	d->machines.nr = 0;
	return diag_fail(log, ST_INPUT, "%s: more than %d GPUs", name, MACHINE_GPUS_MAX);
}

/* ---- choice among the kinds of files ---- */

static enum status read_csv(struct value_tree *t, const char *name, struct machine_samples *m,
                            bool *found, struct diag_log *log)
{
	static const char *const headers[] = { "*clocks.*sm*", "power.draw*", "temperature.gpu*",
		                                   "utilization.gpu*" };
	for (size_t i = 0; i < NR_OF(headers) && !*found; i++)
		TRY(csv_add(t, name, (struct span[]){ span_of(headers[i]) }, 1, true, found, log));
	for (const struct value *row = t->root.first; row; row = row->next) {
		struct machine_sample s;
		if (sample_of(row, &s, &t->arena))
			add_sample(m, row, &s, &t->arena);
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
	const struct value *schema = first ? value_get(first, SPAN("schema")) : NULL;
	bool recorder = schema && span_eq(schema->text, SPAN("gpugate-machine-1"));
	*found = recorder;
	if (recorder && st != ST_OK && read_whole_lines(t, name))
		st = ST_OK;
	for (const struct value *v = t->root.first; v; v = v->next)
		if (recorder)
			add_recorder(m, v, &t->arena);
		else
			*found = add_rocm(m, v, &t->arena) || *found;
	if (*found && st != ST_OK)
		diag_move(log, &own);
	st = *found ? st : ST_OK;
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
		st = finish(&m, source_name(src), d, log);
	d->trust.json_faults = (int64_t)tree.nr_faults;
	d->trust.fault_byte = (int64_t)tree.fault_byte;
	vec_release(&m.list);
	vec_release(&m.facts);
	value_tree_release(&tree);
	/* `*found` is set for damaged text too, because no other reader would accept it */
	*found = *found || st != ST_OK;
	return st;
}
