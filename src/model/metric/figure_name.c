#include "metric/figure_name.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "metric/unit.h"

enum { PART_BYTES = 100 };

static bool is_plain(char c)
{
	char lower = (char)(c | 0x20);
	return is_digit(c) || (lower >= 'a' && lower <= 'z') || strchr("._-/", c);
}

void figure_name_add(struct span text, struct strbuf *out)
{
	size_t kept = text.n > PART_BYTES ? PART_BYTES - 9 : text.n;
	for (size_t i = 0; i < kept; i++)
		strbuf_addch(out, text.p[i] && is_plain(text.p[i]) ? text.p[i] : '_');
	if (kept < text.n)
		strbuf_addf(out, "~%08" PRIx32, text_hash32(text));
	if (kept < text.n)
		out->p[out->n - 9] = '-';
}

struct span figure_name_unit(struct span *name)
{
	size_t at = name->n;
	if (name->n < 3 || (name->p[name->n - 1] != ')' && name->p[name->n - 1] != ']'))
		return SPAN("");
	char open = name->p[name->n - 1] == ')' ? '(' : '[';
	while (at > 0 && name->p[at - 1] != open)
		at--;
	if (at == 0)
		return SPAN("");
	struct span unit = { name->p + at, name->n - at - 1 };
	for (at--; at > 0 && name->p[at - 1] == ' ';)
		at--;
	name->n = at;
	return unit;
}

/* ---- units of figures ---- */

const char *figure_unit_of(struct span word)
{
	static const char *const others[][2] = {
		{ "tokens/sec", "tok/s" },
		{ "tokens/s", "tok/s" },
		{ "tok_s", "tok/s" },
		{ "tokens/sec/user", "tok/s" },
		{ "tokens/sec/gpu", "tok/s/GPU" },
		{ "requests/sec", "req/s" },
		{ "requests/s", "req/s" },
		{ "req_s", "req/s" },
		{ "samples/sec", "samples/s" },
		{ "iterations/sec", "1/s" },
		{ "it/s", "1/s" },
		{ "sec", "s" },
		{ "secs", "s" },
		{ "second", "s" },
		{ "seconds", "s" },
		{ "msec", "ms" },
		{ "milliseconds", "ms" },
		{ "usec", "us" },
		{ "microseconds", "us" },
		{ "\xc2\xb5s", "us" },
		{ "nanoseconds", "ns" },
		{ "bytes", "B" },
		{ "Bytes", "B" },
		{ "percent", "%" },
		{ "tokens", "tok" },
		{ "requests", "req" },
		{ "GB/sec", "GB/s" },
		{ "GBps", "GB/s" },
		{ "TFLOPS", "TFLOP/s" },
		{ "TFLOPs", "TFLOP/s" },
		{ "TFLOP/s/GPU", "TFLOP/s" },
		{ "GFLOPS", "GFLOP/s" },
		{ "FLOPS", "FLOP/s" },
		{ "MiB", "MiB" },
	};
	int own = figure_unit_find(word);
	if (own >= 0)
		return figure_units[own].name;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (span_eq(word, span_of(others[i][0])))
			return others[i][1];
	return NULL;
}

static bool ends_in(struct span name, const char *ending)
{
	size_t n = strlen(ending);
	return name.n >= n && memcmp(name.p + name.n - n, ending, n) == 0;
}

const char *figure_unit_by_name(struct span name)
{
	static const char *const endings[][2] = {
		{ "tokens_per_second", "tok/s" },
		{ "tokens_per_s", "tok/s" },
		{ "tokens_per_sec", "tok/s" },
		{ "tok_s", "tok/s" },
		{ "requests_per_second", "req/s" },
		{ "req_s", "req/s" },
		{ "samples_per_second", "samples/s" },
		{ "samples_per_s", "samples/s" },
		{ "steps_per_second", "steps/s" },
		{ "bytes_per_second", "B/s" },
		{ "_per_second", "1/s" },
		{ "_per_sec", "1/s" },
		{ "_per_s", "1/s" },
		{ "_ms", "ms" },
		{ "_us", "us" },
		{ "_ns", "ns" },
		{ "_sec", "s" },
		{ "_secs", "s" },
		{ "_seconds", "s" },
		{ "_s", "s" },
		{ "_bytes", "B" },
		{ "-bytes", "B" },
		{ "_mib", "MiB" },
		{ "_gib", "GiB" },
		{ "_mb", "MB" },
		{ "_gb", "GB" },
		{ "_pct", "%" },
		{ "_percent", "%" },
	};
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (ends_in(name, endings[i][0]))
			return endings[i][1];
	return NULL;
}

/* ---- better direction of figures ---- */

static bool holds_any(struct span name, const char *const *words)
{
	for (; *words; words++)
		if (span_contains_nocase(name, span_of(*words)))
			return true;
	return false;
}

/* Words of rates are tried before words of times: "requests per second of latency tests" is a
   rate. */
const char *figure_better(struct span name, const char *unit)
{
	static const char *const higher[] = { "throughput",    "per_s",    "tok_s",     "tok/s",
		                                  "accept_length", "goodput",  "bandwidth", "flops",
		                                  "mfu",           "accuracy", "speedup",   NULL };
	static const char *const lower[] = { "latency", "latencies", "ttft",     "tpot",    "itl",
		                                 "e2el",    "time",      "duration", "elapsed", "runtime",
		                                 "memory",  "mem-",      NULL };
	if (holds_any(name, higher))
		return "higher";
	if (holds_any(name, lower))
		return "lower";
	int at = unit ? figure_unit_find(span_of(unit)) : -1;
	return at < 0 ? NULL : figure_units[at].better;
}

/* ---- figures that are times or rates ---- */

bool figure_is_timed(struct span name, const char *unit)
{
	static const char *const words[] = { "throughput", "goodput",  "bandwidth", "flops",
		                                 "mfu",        "speedup",  "latency",   "latencies",
		                                 "ttft",       "tpot",     "itl",       "e2el",
		                                 "time",       "duration", "elapsed",   "runtime",
		                                 NULL };
	static const char *const times[] = { "s", "ms", "us", "ns" };
	unit = unit ? unit : figure_unit_by_name(name);
	for (size_t i = 0; unit && i < sizeof times / sizeof *times; i++)
		if (strcmp(unit, times[i]) == 0)
			return true;
	return (unit && strstr(unit, "/s")) || holds_any(name, words);
}
