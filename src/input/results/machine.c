#include "results/result_file.h"

#include <string.h>

#include "base/date.h"
#include "results/machine_stat.h"
#include "results/readings.h"
#include "results/value.h"

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

/* Reasons of nvidia-smi that keep clocks below the requested ones. The names changed with driver
 * 535. */
static const char *const reasons[NR_THROTTLE_REASONS] = { "sw_power_cap", "hw_slowdown",
	                                                      "hw_thermal_slowdown",
	                                                      "hw_power_brake_slowdown",
	                                                      "sw_thermal_slowdown" };
static const char *const reason_groups[] = { "clocks_event_reasons.", "clocks_throttle_reasons." };
static const char *const counter_groups[] = { "clocks_event_reasons_counters.",
	                                          "clocks_throttle_reasons_counters." };

const char *machine_reason(size_t i)
{
	return reasons[i];
}

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
		fits = machine_add(m, (struct span){ card->key.p + 4, card->key.n - 4 }, &s);
		machine_fact(m, "machine.gpu", value_get(card, SPAN("Card series")));
		machine_fact(m, "machine.power_limit", named(card, NAMES("Max Graphics Package Power")));
	}
	const struct value *system = value_get(document, SPAN("system"));
	if (system)
		machine_fact(m, "machine.driver", value_get(system, SPAN("Driver version")));
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
		fits = machine_add(m, id && id->text.n ? id->text : SPAN("0"), &s);
		machine_fact(m, "machine.gpu", value_get(g, SPAN("name")));
		machine_fact(m, "machine.power_limit", value_get(g, SPAN("power_limit")));
		machine_fact(m, "machine.sm_clock_max", value_get(g, SPAN("sm_clock_max")));
	}
	machine_fact(m, "machine.driver", value_get(document, SPAN("driver")));
	return fits;
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
		if (!machine_add(m, nvidia_id(row), &s))
			return diag_fail(log, ST_INPUT, "%s: more than %d GPUs", name, MACHINE_GPUS_MAX);
		machine_fact(m, "machine.driver", value_get(row, SPAN("driver_version")));
		machine_fact(m, "machine.gpu", value_get(row, SPAN("name")));
		machine_fact(m, "machine.power_limit",
		             named(row, NAMES("enforced.power.limit", "power.limit")));
		machine_fact(m, "machine.sm_clock_max", named(row, NAMES("clocks.max.sm")));
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
	struct span text = tree.bytes;
	while (text.n && strchr(" \t\r\n", text.p[0]) && text.p[0])
		text.p++, text.n--;
	if (st == ST_OK && text.n && (text.p[0] == '{' || text.p[0] == '['))
		st = read_json(&tree, source_name(src), &m, found, log);
	else if (st == ST_OK)
		st = read_csv(&tree, source_name(src), &m, found, log);
	if (st == ST_OK && *found)
		machine_finish(&m, d);
	d->trust.json_faults = (int64_t)tree.nr_faults;
	d->trust.fault_byte = (int64_t)tree.fault_byte;
	vec_release(&m.list);
	vec_release(&m.facts);
	value_tree_release(&tree);
	/* `*found` is set for damaged text too, because no other reader would accept it */
	*found = *found || st != ST_OK;
	return st;
}
