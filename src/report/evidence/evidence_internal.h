/// Internal to evidence/: types and functions that its files share.
///
/// evidence.c         writes a file per finding; finds the rows that a finding is about
/// evidence_events.c  writes single events of a side
/// evidence_mean.c    writes the mean step of a digest
/// evidence_step.c    writes a step as it was recorded
#ifndef GG_EVIDENCE_EVIDENCE_INTERNAL_H
#define GG_EVIDENCE_EVIDENCE_INTERNAL_H

#include "evidence/evidence.h"
#include "model/code.h"
#include "report/emit.h"

/// Limits of one side of a trace, and ids of its threads and streams.
enum {
	MOST_EVENTS = 6000, ///< largest number of events on one side
	SIDE_BYTES = EVIDENCE_BYTES / 2 - 8192,
	NAME_CHARS = 200, ///< longest name of an event, in characters
	MOST_DEPTH = 40, ///< largest number of nested modules, and of nested operators

	/// largest number of bytes that the events of the modules and operators around one launch take
	AROUND_BYTES = 2 * MOST_DEPTH * (6 * NAME_CHARS + 240),
	HOST_THREAD = 1, ///< id of the first host thread
	GPU_STREAM = 100000, ///< id of the first GPU stream
};

/// What a finding is about: the rows of the code table that have certain names.
struct subject {
	/// names that a row must have to belong to the finding; NULL: any name
	const char *op, *kernel, *place, *module;
	int64_t rank; ///< rank whose rows are written; -1: the first rank that has rows in the code
	              ///< table
};

/// State while one side (baseline or candidate) is written. Times are in ns from the start of the
/// side. All pointers are borrowed.
struct side_writer {
	struct emit *e;
	struct arena *a;
	const struct evidence_input *in;
	const struct digest *d; ///< digest of the rank whose rows are written; NULL if that rank, or
	                        ///< every rank if `subject.rank` is -1, lacks usable steps or rows in
	                        ///< the code table
	int side;
	int64_t now_ns, nr_events, next_id, next_frame;
	size_t bytes; ///< upper bound of the bytes written so far
};

/// True if the finding is about the row `c` of the code table, whose GPU activity has the name
/// `kernel`.
bool is_about(const struct side_writer *w, const struct subject *s, const struct code_stat *c,
              struct span kernel);

/// Write an event with a duration in the Chrome trace format. put_name() writes the name of a
/// process or thread.
void put_span(struct side_writer *w, const char *cat, struct span name, int64_t tid,
              int64_t start_ns, int64_t dur_ns);
void put_name(struct side_writer *w, const char *what, const char *key, int64_t tid,
              const char *name);

/// Write a call on the host with a new correlation id. put_activity() writes the activity that the
/// call has launched.
void put_call(struct side_writer *w, enum code_kind kind, int64_t tid, int64_t start_ns,
              int64_t dur_ns);
void put_activity(struct side_writer *w, enum code_kind kind, struct span name, int64_t tid,
                  int64_t start_ns, int64_t dur_ns, int64_t bytes);

/// Write events for the nested modules and the place (function) of a row. put_operators() writes
/// events for the nested operators of the row.
void put_frames(struct side_writer *w, const struct code_stat *c, int64_t tid, int64_t start_ns,
                int64_t dur_ns);
void put_operators(struct side_writer *w, const struct code_stat *c, int64_t tid, int64_t start_ns,
                   int64_t dur_ns);

/// True if there is room for `nr` more launches of an activity with the name `name`, and for the
/// modules and operators around them.
bool has_room(const struct side_writer *w, int64_t nr, struct span name);

/// Write those events of a side that the finding is about, as the mean step of a digest. Returns
/// the number of launches that were left out.
int64_t put_mean(struct side_writer *w, const struct subject *s);

/// Like put_mean(), but writes one step as it was recorded.
int64_t put_step(struct side_writer *w, const struct subject *s);

#endif
