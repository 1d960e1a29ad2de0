#include "metric/figure_name.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "metric/metric.h"

enum { COMPONENT_BYTES = 100 };

static bool is_plain(char c)
{
	return is_digit(c) || is_letter(c) || strchr("._-/", c);
}

bool figure_title_has(char c)
{
	return c && (is_plain(c) || strchr(" %()+,", c));
}

void figure_name_add(struct span text, struct strbuf *out)
{
	size_t kept = text.n > COMPONENT_BYTES ? COMPONENT_BYTES - 9 : text.n;
	for (size_t i = 0; i < kept; i++)
		strbuf_addch(out, text.p[i] && is_plain(text.p[i]) ? text.p[i] : '_');
	if (kept < text.n)
		strbuf_addf(out, "~%08" PRIx32, text_hash32(text));
	if (kept < text.n)
		out->p[out->n - 9] = '-';
}

struct span figure_case_plain(struct span text)
{
	size_t n = text.n;
	while (n && text.p[n - 1] == '/') /* the path of a folder may end in a slash */
		n--;
	size_t at = n;
	while (at && text.p[at - 1] != '/')
		at--;
	return n && text.p[0] == '/' && !memchr(text.p, ' ', text.n)
	           ? (struct span){ text.p + at, n - at }
	           : text;
}

struct span figure_case_settle(struct span name, struct arena *a)
{
	static const char *const spellings[][2] = { { ".rInfinity", ".rinf" },
		                                        { ".cnone", "" },
		                                        { ".dnone", ".d0" } };
	struct span plain = figure_case_plain(name);
	if (!span_glob(SPAN("*.r*.c*"), plain) && !span_glob(SPAN("*.tp*.pp*.in*"), plain))
		plain = name;
	for (size_t i = 0; i < NR_OF(spellings); i++) {
		struct span old = span_of(spellings[i][0]);
		const char *at = memmem(plain.p, plain.n, old.p, old.n);
		size_t rest = at ? (size_t)(plain.p + plain.n - at) - old.n : 0;
		if (!at || (rest && !strchr("./", at[old.n])))
			continue;
		plain = span_of(arena_printf(a, "%.*s%s%.*s", (int)(at - plain.p), plain.p, spellings[i][1],
		                             (int)rest, at + old.n));
	}
	return plain;
}

struct span figure_work_name(struct span key, struct span of)
{
	static const char *const vague[] = { "*.value", "*.Value", "*.name", "*.avg" };
	struct span name = key;
	for (size_t i = 0; i < NR_OF(vague); i++)
		name.n -= span_glob(span_of(vague[i]), name) ? strlen(vague[i]) - 1 : 0;
	const char *dot = memrchr(name.p, '.', name.n);
	if (of.n && memmem(key.p, key.n, of.p, of.n))
		return key;
	size_t at = dot ? (size_t)(dot + 1 - name.p) : 0, n = name.n;
	while (name.n > at + 1 && name.p[name.n - 1] == '_')
		name.n--;
	if (name.n < n && name.p[at] == '_') /* "_key_x_" was "[key=x]" in the file: the name is "x" */
		for (at++; at + 1 < name.n && name.p[at++] != '_';)
			;
	return (struct span){ name.p + at, name.n - at };
}

/* Cuts the text in brackets off the end of a name, and returns it; "" if there is none. */
static struct span cut_brackets(struct span *name)
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

struct span figure_name_unit(struct span *name)
{
	struct span head = *name, text = cut_brackets(&head);
	bool unit = text.n && (figure_unit_of(text) || memchr(text.p, '/', text.n));
	if (span_eq(text, SPAN("B"))) { /* behind what should rise, such as "recall": boxes */
		const char *plain = figure_better(head, NULL), *better = figure_better(head, "B");
		unit = !plain || (better && strcmp(plain, better) == 0);
	}
	if (!unit)
		return SPAN("");
	*name = head;
	return text;
}

/* ---- units of figures ---- */

const char *figure_unit_of(struct span word)
{
	for (const struct figure_unit *u = figure_units; u->name; u++)
		if (span_eq(word, span_of(u->name)) || span_is_listed(word, u->others))
			return u->name;
	return NULL;
}

/* The words of a name in lower case, each between two '_': "_mean_ttft_ms_" for "meanTTFT-ms". */
struct words {
	char text[2 * INPUT_NAME_MAX + 4];
	size_t n;
};

static struct words words_of(struct span name)
{
	struct words w = { "_", 1 };
	char last = '_';
	for (size_t i = 0; i < name.n && i < INPUT_NAME_MAX; i++) {
		char c = name.p[i];
		bool capital = c >= 'A' && c <= 'Z';
		/* the last letter of a unit like "GiB" */
		bool bytes = c == 'B' && (i + 1 == name.n || !is_letter(name.p[i + 1]));
		if (capital && !bytes && last >= 'a' && last <= 'z')
			w.text[w.n++] = '_';
		bool plain = c && is_plain(c) && !strchr("._-/", c);
		w.text[w.n++] = (char)(!plain ? '_' : capital ? c | 0x20 : c);
		last = c;
	}
	w.text[w.n++] = '_';
	w.text[w.n] = '\0';
	return w;
}

/* The unit that `text`, the end of a figure's name, means; NULL if it is not a unit, or is
 * ambiguous: "min" may be the minimum; "h", "tok" and "req" may be anything. */
static const char *unit_at_end(const char *text, size_t n)
{
	const char *unit = figure_unit_of((struct span){ text, n });
	bool vague = unit && (strcmp(unit, "min") == 0 || strcmp(unit, "h") == 0 ||
	                      strcmp(unit, "tok") == 0 || strcmp(unit, "req") == 0);
	return vague ? NULL : unit;
}

static bool is_second(struct span word)
{
	const char *unit = figure_unit_of(word);
	return unit && strcmp(unit, "s") == 0;
}

/* The unit of `what` per `time`, "tok/s" for "tokens" and "second", however they are spelled; NULL
   if it is unknown. */
static const char *rate_of(struct span what, struct span time)
{
	struct strbuf b = STRBUF_INIT;
	const char *found = NULL;
	strbuf_add(&b, what);
	strbuf_addch(&b, '/');
	strbuf_add(&b, is_second(time) ? SPAN("s") : time);
	for (const struct figure_unit *u = figure_units; u->name && !found; u++)
		if (span_eq_nocase(strbuf_span(&b), span_of(u->name)) ||
		    span_is_listed(strbuf_span(&b), u->others))
			found = u->name;
	strbuf_release(&b);
	return found;
}

/* The unit at the end of a name that is spelled as in figure_units: "GB/s", "tok/s/GPU", "GBps";
   NULL if there is none. A single letter at the end is not a unit, since it may mean anything. */
static const char *unit_spelled(struct span name)
{
	for (size_t i = 0; i + 1 < name.n; i++) {
		bool begins = i == 0 || strchr("_.- ", name.p[i - 1]);
		const char *unit = begins ? unit_at_end(name.p + i, name.n - i) : NULL;
		if (unit && strcmp(unit, "s") != 0) /* "sec" may be the end of a rate, "tokens_sec" */
			return unit;
	}
	return NULL;
}

#define AMOUNT(name, kind, size, others) { name, kind, others },
static const char *const amount_words[][3] = {
#include "metric/figures.inc"
};

/* The kind that the section `amounts` of rules/figures.yaml gives to a word or to its singular; ""
 * for words that the section lacks. */
static const char *amount_kind(struct span word)
{
	for (int cut = 0; cut < 2; cut++, word.n--) {
		for (size_t i = 0; i < NR_OF(amount_words); i++)
			if (span_eq(word, span_of(amount_words[i][0])) ||
			    span_is_listed(word, amount_words[i][2]))
				return amount_words[i][1];
		if (!word.n || word.p[word.n - 1] != 's')
			break;
	}
	return "";
}

/* True for the plural of a thing that is counted, such as "frames", or of thousands of it, such as
   "kframes"; and for short words of such things. */
static bool is_counted_thing(struct span word)
{
	for (int cut = 0; cut < 2 && word.n > 1 && (!cut || strchr("kmgt", *word.p)); cut++) {
		struct span thing = span_from(word, (size_t)cut);
		const char *kind = amount_kind(thing);
		if (span_is_listed(thing, "it its iters iterations tok req img h") ||
		    (span_ends(thing, SPAN("s")) && *kind && strstr("counted token", kind)))
			return true;
	}
	return false;
}

/* Like rate_of(); "1/s" or "1/min" for a rate whose unit figure_units lacks. */
static const char *any_rate_of(struct span what, struct span time)
{
	/* "latency/min" is a minimum */
	bool minute = span_is_listed(time, "min minute") && is_counted_thing(what);
	const char *unit = rate_of(what, time);
	return unit ? unit : is_second(time) ? "1/s" : minute ? "1/min" : NULL;
}

/* The unit of a rate: "tok/s" for "tokens_per_second_". `from` points to the first word, `per` to
 * "_per_". See any_rate_of(). */
static const char *unit_of_rate(const char *from, const char *per)
{
	const char *end = per + strlen("_per_");
	struct span time = { end, strcspn(end, "_") };
	if (end[time.n + 1])
		return NULL;
	return any_rate_of((struct span){ from, (size_t)(per - from) }, time);
}

/* The unit of two words of which the second is a unit of time: a rate for "gb_s" and "frames_s";
   NULL for a time, such as "step_s". */
static const char *unit_of_pair(struct span what, struct span time)
{
	if (!is_second(time) || (time.n > 1 && span_ends(time, SPAN("s"))))
		return NULL;
	const char *unit = rate_of(what, time);
	if (is_counted_thing(what))
		return unit ? unit : "1/s";
	bool plural = span_ends(what, SPAN("s"));
	if (unit && (plural || figure_unit_of(what) || memmem(what.p, what.n, "flop", 4) ||
	             memmem(what.p, what.n, "bit", 3)))
		return unit;
	return NULL;
}

/* Words for statistics. cut_statistic() removes them, and percentiles ("p50"), from the end of a
 * name. */
static const char *const statistics[] = { "mean", "median", "avg", "average", "min", "max", NULL };

static void cut_statistic(struct words *w)
{
	for (bool cut = true; cut;) {
		size_t from = w->n - 1;
		while (from > 1 && w->text[from - 1] != '_')
			from--;
		struct span last = { w->text + from, w->n - 1 - from };
		cut = from > 1 && (span_find(last, statistics) >= 0 ||
		                   (last.n > 1 && last.p[0] == 'p' && is_digit(last.p[1])));
		w->n = cut ? from : w->n;
		w->text[w->n] = '\0';
	}
}

/* The unit of a name such as "Samples/sec"; "1/s" for things that figure_units lacks. NULL if the
   name does not end in a '/' and a unit of time. */
static const char *unit_behind_slash(struct span name)
{
	size_t slash = name.n, from;
	while (slash > 0 && name.p[slash - 1] != '/')
		slash--;
	if (slash < 2)
		return NULL;
	struct words last = words_of((struct span){ name.p + slash, name.n - slash });
	struct words first = words_of((struct span){ name.p, slash - 1 });
	struct span time = { last.text + 1, last.n - 2 };
	for (from = first.n - 1; first.text[from - 1] != '_';)
		from--;
	return any_rate_of((struct span){ first.text + from, first.n - 1 - from }, time);
}

/* The unit that the last words of a name mean. */
static const char *unit_by_words(struct span name)
{
	struct words w = words_of(name);
	const char *per = NULL, *last, *before;
	cut_statistic(&w);
	for (const char *at = w.text; (at = strstr(at, "_per_")); at++)
		per = at;
	const char *unit = per ? NULL : unit_spelled(name);
	unit = unit ? unit : unit_behind_slash(name);
	if (unit)
		return unit;
	if (per) {
		const char *from = per;
		while (from > w.text && from[-1] != '_')
			from--;
		return unit_of_rate(from, per);
	}
	w.text[w.n - 1] = '\0';
	last = strrchr(w.text, '_') + 1;
	for (before = last > w.text + 1 ? last - 1 : last; before > w.text && before[-1] != '_';)
		before--;
	bool alone = last == w.text + 1; /* "ms" is a unit, "s" may be anything */
	if (!alone)
		unit = unit_of_pair((struct span){ before, (size_t)(last - 1 - before) }, span_of(last));
	if (unit)
		return unit;
	return alone && !last[1] ? NULL : unit_at_end(last, strlen(last));
}

const char *figure_unit_by_name(struct span name)
{
	struct span head = name; /* without a remark: "tokens/s (mean)" */
	const char *unit = cut_brackets(&head).n && head.n ? unit_by_words(head) : NULL;
	return unit ? unit : unit_by_words(name);
}

/* ---- what the words of a name say about a figure ---- */

#define WORD(name, better, size, kind) { name, better, kind },
static const struct figure_word {
	const char *name, *better, *kind;
} figure_words[] = {
#include "metric/figures.inc"
};
enum { NR_FIGURE_WORDS = NR_OF(figure_words) };

/* True if nothing but a unit follows in the words of a name. */
static bool is_last(const char *rest)
{
	size_t n = strcspn(rest + 1, "_");
	return !rest[1] || (!rest[n + 2] && figure_unit_of((struct span){ rest + 1, n }));
}

static bool holds_word(const struct words *w, const char *word, const char *kind)
{
	bool last = span_is_listed(SPAN("last"), kind);
	size_t n = strlen(word);
	for (const char *at = w->text; (at = strstr(at, word)); at++) {
		const char *end = at + n + (at[n] == 's');
		if (at[-1] == '_' && (at[n] == '_' || *end == '_') && (!last || is_last(at + n)))
			return true;
	}
	return false;
}

static bool holds_kind(struct span name, const char *kind)
{
	struct words w = words_of(name);
	return ANY(i, NR_FIGURE_WORDS,
	           span_is_listed(span_of(kind), figure_words[i].kind) &&
	               holds_word(&w, figure_words[i].name, figure_words[i].kind));
}

/* True if the word is a unit of this dimension. */
static bool is_unit_of(struct span word, const char *dimension)
{
	const char *unit = figure_unit_of(word);
	int at = unit ? figure_unit_find(span_of(unit)) : -1;
	return at >= 0 && strcmp(figure_units[at].dimension, dimension) == 0;
}

/* The better direction by a unit that figure_units lacks. "seq/ms" and "samples/sec/gpu" are rates,
   "ms/batch" and "KB/op" are costs of one thing. A unit without a '/', such as "fps", is judged by
   its words, as the name of a figure is. */
static const char *better_of_unit(struct span unit)
{
	const char *slash = memchr(unit.p, '/', unit.n);
	if (!slash)
		return figure_better(unit, NULL);
	struct span what = { unit.p, (size_t)(slash - unit.p) };
	struct span per = { slash + 1, unit.n - what.n - 1 };
	const char *each = memchr(per.p, '/', per.n);
	per.n = each ? (size_t)(each - per.p) : per.n;
	bool cost = is_unit_of(what, "time") || is_unit_of(what, "bytes") || is_unit_of(what, "energy");
	bool rate = is_unit_of(per, "time") || is_unit_of(per, "energy") || is_unit_of(per, "power") ||
	            span_eq(per, SPAN("day"));
	return rate ? "higher" : cost ? "lower" : NULL;
}

const char *figure_better(struct span name, const char *unit)
{
	struct words w = words_of(name);
	int at = unit ? figure_unit_find(span_of(unit)) : -1;
	bool share = unit && strcmp(unit, "%") == 0;
	bool count = span_glob(SPAN("*_count_"), (struct span){ w.text, w.n });
	const char *by_unit = unit && at < 0 ? better_of_unit(span_of(unit)) : figure_unit_better(at);
	/* [0]: direction by the unit and all words; [1]: only by words of the kind "decides" */
	const char *better[2] = { by_unit, NULL };
	bool twofold[2] = { false, false };
	for (size_t i = 0; i < NR_FIGURE_WORDS; i++) {
		const struct figure_word *word = &figure_words[i];
		/* skips "time" in shares of time, since one share falls as another rises; and "latency" in
		   "latency.count", which counts latencies */
		if (strcmp(word->better, "any") == 0 || (share && strcmp(word->name, "time") == 0) ||
		    (count && span_is_listed(SPAN("timed"), word->kind)))
			continue;
		for (int k = 0; k <= span_is_listed(SPAN("decides"), word->kind) &&
		                holds_word(&w, word->name, word->kind);
		     k++) {
			if (better[0] && strcmp(word->kind, "weak") == 0)
				break;
			twofold[k] =
			    twofold[k] || strcmp(better[k] ? better[k] : word->better, word->better) != 0;
			better[k] = word->better;
		}
	}
	int by = better[1] != NULL;
	return twofold[by] || !better[by] || strcmp(better[by], "neither") == 0 ? NULL : better[by];
}

/* The kinds (see figure_is_setting()) of a name whose last component has only words that are in
   `amounts` of rules/figures.yaml; "" for other names. */
static const char *amount_kinds(struct span name)
{
	size_t from = name.n;
	while (from && !strchr("./", name.p[from - 1])) /* the last component of the name */
		from--;
	struct words w = words_of((struct span){ name.p + from, name.n - from });
	const char *kind = "", *before = "";
	bool number = false, most = false;
	size_t nr = 0;
	if (span_glob(SPAN("*_batch_size_"), (struct span){ w.text, w.n }))
		return "record flat";
	for (size_t at = 1, n; at < w.n; at += n + 1, nr++) {
		n = strcspn(w.text + at, "_");
		const char *own = amount_kind((struct span){ w.text + at, n });
		bool sized = strstr("dimension asked counted", before) && *before;
		if (!*own || (strcmp(own, "size") == 0 && !sized) || (!strcmp(own, "length") && !nr))
			return "";
		number = number || strcmp(own, "number") == 0;
		most = most || strcmp(own, "most") == 0;
		kind = strcmp(own, "beside") == 0 ? kind : own;
		before = own;
	}
	static const char *const kinds[][2] = {
		{ "asked", "record flat" },    { "size", "record flat" },   { "length", "record flat" },
		{ "counted", "count amount" }, { "token", "count amount" }, { "repeated", "count repeated" }
	};
	if (nr == 1 && w.text[w.n - 2] != 's')
		return "";
	for (size_t i = 0; i < NR_OF(kinds); i++)
		if (strcmp(kind, kinds[i][0]) == 0)
			return kinds[most || (number && i == 3) ? 0 : i][1];
	return "";
}

#define SETTING(name, type, size, kinds) { name, kinds },
bool figure_is_setting(struct span name, const char *kind)
{
	static const char *const settings[][2] = {
#include "metric/figures.inc"
	};
	for (size_t i = 0; i < NR_OF(settings); i++)
		if (span_eq_nocase(name, span_of(settings[i][0])))
			return span_is_listed(span_of(kind), settings[i][1]);
	return span_is_listed(span_of(kind), amount_kinds(name));
}

bool figure_is_neither(struct span name)
{
	struct words w = words_of(name);
	if (figure_is_setting(name, "flat") ||
	    (figure_is_setting(name, "count") && !figure_better(name, NULL)))
		return true;
	/* names that end in ".n" or ".count" mean a number of samples */
	if (span_glob(SPAN("*.n"), name) || span_glob(SPAN("*.count"), name))
		return true;
	return ANY(i, NR_FIGURE_WORDS,
	           strcmp(figure_words[i].better, "neither") == 0 &&
	               holds_word(&w, figure_words[i].name, figure_words[i].kind));
}

bool figure_is_timed(const struct metric *m)
{
	struct span name = span_of(m->name);
	int at = unit_figure(m->unit);
	const char *unit = at < 0 ? figure_unit_by_name(name) : NULL;
	at = unit ? figure_unit_find(span_of(unit)) : at;
	bool timed = at >= 0 && (strncmp(figure_units[at].dimension, "time", 4) == 0 ||
	                         strncmp(figure_units[at].dimension, "rate", 4) == 0);
	return timed || holds_kind(name, "timed");
}

/* True if the name of a figure says that the figure is not a total, but is about one request, step
 * or the like: "p99_duration". */
static bool is_of_one(struct span name)
{
	struct words w = words_of(name);
	bool one = holds_word(&w, "per", "") || strstr(w.text, "_req_duration_") ||
	           strstr(w.text, "_request_duration_");
	for (size_t i = 0; statistics[i]; i++)
		one = one || holds_word(&w, statistics[i], "");
	for (const char *at = w.text; (at = strstr(at, "_p")); at++)
		one = one || is_digit(at[2]);
	return one;
}

int figure_statistic(struct span name, struct strbuf *what)
{
	static const int places[] = { FIGURE_MEAN, FIGURE_MEDIAN, FIGURE_MEAN,
		                          FIGURE_MEAN, FIGURE_MIN,    FIGURE_MAX };
	struct words w = words_of(name);
	int place = 0;
	for (size_t at = 1, n; at < w.n; at += n + 1) {
		n = strcspn(w.text + at, "_");
		struct span word = { w.text + at, n };
		bool percentile = n == 3 && is_digit(word.p[1]) && is_digit(word.p[2]);
		int i = place ? -1 : span_find(word, statistics), own = i < 0 ? 0 : places[i];
		if (percentile && word.p[0] == 'p')
			own = 10 * (word.p[1] - '0') + word.p[2] - '0';
		strbuf_add(what, (struct span){ word.p, own && !place ? 0 : n + 1 });
		place = place ? place : own;
	}
	return place;
}

bool figure_is_sum(struct span name, const char *unit)
{
	const char *better = figure_better(name, unit);
	int at = unit ? figure_unit_find(span_of(unit)) : -1;
	bool of_amount = at < 0 ? holds_kind(name, "timed")
	                        : strcmp(figure_units[at].dimension, "time") == 0 ||
	                              strcmp(figure_units[at].dimension, "energy") == 0;
	return of_amount && better && strcmp(better, "lower") == 0 && holds_kind(name, "sum") &&
	       !is_of_one(name);
}

bool figure_is_counted(struct span name)
{
	return holds_kind(name, "counted");
}

bool figure_is_above_0(struct span name)
{
	return holds_kind(name, "above-0");
}

bool figure_is_amount(struct span name, const char *unit)
{
	bool amount =
	    unit ? figure_unit_is_amount(figure_unit_find(span_of(unit))) : holds_kind(name, "timed");
	return amount && !holds_kind(name, "signed");
}
