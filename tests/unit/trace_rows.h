/// Tables of small documents, and what the trace reader makes of them. In the documents ' means ",
/// and ^ is removed: it marks the byte that the error names. Every row is read in blocks of 1, 2,
/// 3, 7 bytes and whole, and by several threads; those that are traces are also cut at every byte.
/// Include it after cmocka.h.
#ifndef GG_TESTS_TRACE_ROWS_H
#define GG_TESTS_TRACE_ROWS_H

#include <stdio.h>

#include "trace_record.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

static const size_t trace_blocks[] = { 0, 1, 2, 3, 7 };

struct row {
	const char *json;
	const char *events; ///< expected events; NULL if an error is expected
	const char *meta; ///< expected metadata, also if an error is expected
	const char *error; ///< line of the error after "error: doc: byte N: "
	struct trace_options options;
};

static inline struct strbuf json_of(const char *text)
{
	struct strbuf b = STRBUF_INIT;
	for (; *text; text++)
		if (*text != '^')
			strbuf_addch(&b, *text == '\'' ? '"' : *text);
	return b;
}

static inline void check_row(const struct row *row, const struct record *r, size_t block)
{
	struct strbuf log = STRBUF_INIT;
	const char *mark = strchr(row->json, '^');
	if (!row->events && mark)
		strbuf_addf(&log, "error: doc: byte %td: %s\n", mark - row->json, row->error);
	else if (!row->events)
		strbuf_addf(&log, "error: doc: %s\n", row->error);
	bool ok = r->status == (row->events ? ST_OK : ST_INPUT) && !r->broken &&
	          (!row->events || span_eq(strbuf_span(&r->events), span_of(row->events))) &&
	          (!row->meta || span_eq(strbuf_span(&r->meta), span_of(row->meta))) &&
	          span_eq(strbuf_span(&r->log), strbuf_span(&log));
	if (!ok)
		fail_msg("%s\nblock %zu, status %d, broken %d\nevents: %s\nmeta:   %s\nlog:    %s",
		         row->json, block, r->status, r->broken, strbuf_str(&r->events),
		         strbuf_str(&r->meta), strbuf_str(&r->log));
	strbuf_release(&log);
}

/* Offset at which the array of events begins. With the option `allow_truncated`, a trace may be cut
   short after this offset, but not before. */
static inline size_t begin_of_events(struct span json)
{
	const char *key = strstr(json.p, "\"traceEvents\"");
	const char *p = strchr(key ? key : json.p, '[');
	return (size_t)(p - json.p) + 1;
}

/* Checks a text that is cut after `n` bytes: reading it gives an error that names this place. If
   cuts are allowed, reading it gives the complete events before the cut. */
static inline void check_cut(struct span json, size_t n, const struct record *whole, size_t block)
{
	struct span part = { json.p, n };
	struct record strict = record_trace(part, (struct trace_options){ 0 }, block, 0);
	struct record lenient =
	    record_trace(part, (struct trace_options){ .allow_truncated = true }, block, 0);
	bool begun = n >= begin_of_events(json), ok = strict.status == ST_INPUT && !strict.truncated;
	char place[64];
	snprintf(place, sizeof place, "error: doc: byte %zu: the input ends", n);
	ok = ok && span_starts(strbuf_span(&strict.log), span_of(place));
	ok = ok && (strstr(strbuf_str(&strict.log), "--allow-truncated") != NULL) == begun;
	ok = ok && lenient.status == (begun ? ST_OK : ST_INPUT) && lenient.truncated == begun;
	ok = ok && !lenient.broken &&
	     span_starts(strbuf_span(&whole->events), strbuf_span(&lenient.events)) &&
	     span_eq(strbuf_span(&strict.events), strbuf_span(&lenient.events));
	if (begun) {
		snprintf(place, sizeof place, "note: doc: byte %zu: ", n);
		ok = ok && span_starts(strbuf_span(&lenient.log), span_of(place));
	}
	if (!ok)
		fail_msg("%.*s\nblock %zu\nstrict: %d %s%s\nlenient: %d %s%s%s", (int)n, json.p, block,
		         strict.status, strbuf_str(&strict.log), strbuf_str(&strict.events), lenient.status,
		         strbuf_str(&lenient.log), strbuf_str(&lenient.meta), strbuf_str(&lenient.events));
	record_release(&strict);
	record_release(&lenient);
}

static inline void check_cuts(const struct row *row, struct span json)
{
	struct record whole = record_trace(json, row->options, 0, 0);
	/* without the white space at its end the text is still whole */
	size_t end = json.n;
	while (end && json.p[end - 1] == ' ')
		end--;
	for (size_t n = 0; n < end; n++)
		for (size_t i = 0; i < 2; i++)
			check_cut(json, n, &whole, trace_blocks[i]);
	record_release(&whole);
}

static inline void check_rows(const struct row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct strbuf json = json_of(rows[i].json);
		for (size_t k = 0; k < sizeof trace_blocks / sizeof *trace_blocks; k++) {
			struct trace_options options = rows[i].options;
			options.portable = k % 2;
			struct record r = record_trace(strbuf_span(&json), options, trace_blocks[k], 0);
			check_row(&rows[i], &r, trace_blocks[k]);
			record_release(&r);
		}
		if (rows[i].events && !rows[i].options.quick)
			check_cuts(&rows[i], strbuf_span(&json));
		strbuf_release(&json);
	}
}

/* One event, a kernel unless `rest` says otherwise. */
#define EV(rest) "{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7," rest "}"
#define DOC(events) "{'traceEvents':[" events "]}"
#define K1 "kernel k @1000+2000 p0 t7 d0 s7\n"
#define GOOD EV("'ts':1,'dur':2")

#endif
