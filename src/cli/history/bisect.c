/* Writes a script for `git bisect run`. The script decides whether a run is at the level before a
   change or at the level after it. */
#include "history/trends.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* True if `word`, a part of a query's text, is KEY=… with the key `key`. Rules have the keys that
 * queries have. */
static bool is_key(struct span word, const char *key)
{
	return span_starts(word, span_of(key)) && word.p[strlen(key)] == '=';
}

/* Append the query as keys of a rule. False if this is not possible, since the query selects a name
   with a blank, a quotation mark, a brace, a backslash or a line break. */
static bool add_rule(struct strbuf *b, const char *query)
{
	const char *p = strchr(query, ' ');
	strbuf_addf(b, "metric: %.*s", (int)(p ? p - query : (ptrdiff_t)strlen(query)), query);
	struct strbuf select = STRBUF_INIT;
	bool plain = !strpbrk(query, "'\"{}\\\n");
	while (p) {
		const char *end = strchr(++p, ' ');
		struct span word = { p, end ? (size_t)(end - p) : strlen(p) };
		const char *equals = memchr(word.p, '=', word.n);
		plain = plain && equals;
		if (is_key(word, "stat") || is_key(word, "ranks"))
			strbuf_addf(b, ", %.*s: %.*s", (int)(equals - p), p,
			            (int)(word.p + word.n - equals - 1), equals + 1);
		else if (equals)
			strbuf_addf(&select, "%s%.*s: '%.*s'", select.n ? ", " : "", (int)(equals - p), p,
			            (int)(word.p + word.n - equals - 1), equals + 1);
		p = end;
	}
	if (select.n)
		strbuf_addf(b, ", select: {%s}", strbuf_str(&select));
	strbuf_release(&select);
	return plain;
}

/* Append a value in a unit that rules accept, without rounding. */
static void add_limit(struct strbuf *b, const struct trend_figure *f, int64_t value)
{
	char buf[NUMBER_TEXT];
	strbuf_adds(b, number_format(value, (int)f->digits, buf));
	if (unit_figure(f->unit) >= 0)
		strbuf_addf(b, " %s", f->unit_word);
	else if (unit_is_time(f->unit))
		strbuf_adds(b, "ns");
	else if (f->unit_word[0] == 'B' || f->unit_word[0] == '%')
		strbuf_adds(b, f->unit_word);
}

const char *bisect_commit(struct arena *a, const struct trend_run *r)
{
	enum { CHARS = 40 };
	struct span s = span_of(r->commit);
	if (strspn(s.p, "0123456789abcdefABCDEF") < s.n)
		return NULL;
	s.n = s.n < CHARS ? s.n : CHARS;
	return s.n >= 4 ? arena_dup(a, s) : NULL;
}

/* The newest change point at which a figure of whole runs became worse and has stayed worse; NULL
   if there is none. */
static const struct trend_change *newest(const struct trends *t)
{
	const struct trend_change *best = NULL;
	for (size_t i = 0; i < t->points.nr; i++) {
		const struct trend_change *p = &t->points.v[i];
		if (p->stands && !trend_is_item(trend_figure_of(t, p->figure)) &&
		    (!best || p->first > best->first))
			best = p;
	}
	return best;
}

enum status bisect_write(struct trends *t, struct sink *out, struct diag_log *log)
{
	const struct trend_change *p = newest(t);
	if (!p)
		return diag_fail(log, ST_INPUT, "no figure of whole runs became worse and still is: %s",
		                 t->headline);
	const struct trend_figure *f = trend_figure_of(t, p->figure);
	const char *good = bisect_commit(&t->arena, &t->runs.v[p->last]);
	const char *bad = bisect_commit(&t->arena, &t->runs.v[p->first]);
	struct strbuf rule = STRBUF_INIT, limit = STRBUF_INIT;
	bool plain = add_rule(&rule, f->query) && p->middle >= 0; /* a limit cannot be below 0 */
	add_limit(&limit, f, p->middle);
	const char *keys = arena_take(&t->arena, &rule), *middle = arena_take(&t->arena, &limit);
	if (!plain || !good || !bad)
		return diag_fail(
		    log, ST_INPUT, "the change of %s cannot be bisected: %s", diag_quote(log, f->query),
		    plain ? "its runs do not say their commits; store them with --context commit=ID"
		          : "what it selects cannot be said in a rule");
	sink_printf(out,
	            "#!/bin/sh\n"
	            "# %s: %s -> %s, between %s (good) and %s (bad)\n"
	            "# git bisect start %s %s\n"
	            "# git bisect run sh THIS_FILE 'COMMAND THAT RECORDS A RUN' RUN\n"
	            "# Exit code: 0 good, 1 bad, 125 cannot tell.\n",
	            f->query, unit_text(&t->arena, f->unit, p->before),
	            unit_text(&t->arena, f->unit, p->after), good, bad, bad, good);
	sink_printf(out,
	            "[ $# = 2 ] || { echo 'usage: sh THIS_FILE COMMAND RUN' >&2; exit 125; }\n"
	            "dir=$(mktemp -d) || exit 125\n"
	            "trap 'rm -rf \"$dir\"' EXIT\n"
	            "cat >\"$dir/rules.yaml\" <<'RULES'\n"
	            "version: 1\n"
	            "rules:\n"
	            "  - {id: bisect, %s, fail: {%s: %s}}\n"
	            "RULES\n"
	            "sh -c \"$1\" || exit 125\n"
	            "gpugate check \"$2\" --rules \"$dir/rules.yaml\" --baseline \"$dir/none.json\" "
	            ">&2\n"
	            "case $? in 0) exit 0 ;; 1) exit 1 ;; *) exit 125 ;; esac\n",
	            keys, f->worse == WORSE_DOWN ? "min" : "max", middle);
	return ST_OK;
}
