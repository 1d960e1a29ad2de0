/// Inside of the writer of evidence: what its files share. No other room includes this.
///
///     evidence.c         findings → files; what a finding is about
///     evidence_events.c  events of a side
///     evidence_mean.c    the mean step that a digest tells
///     evidence_step.c    a step as it was recorded
#ifndef GG_EVIDENCE_EVIDENCE_INTERNAL_H
#define GG_EVIDENCE_EVIDENCE_INTERNAL_H

#include "evidence/evidence.h"
#include "model/code.h"
#include "report/emit.h"

enum {
	MOST_EVENTS = 6000, ///< of a side
	SIDE_BYTES = EVIDENCE_BYTES / 2 - 8192,
	NAME_CHARS = 200, ///< of a name in an event
	MOST_LEVELS = 40, ///< of modules, of operators
	AROUND_BYTES = 2 * MOST_LEVELS * (6 * NAME_CHARS + 240), ///< they take at most
	HOST_THREAD = 1, ///< the first
	GPU_STREAM = 100000, ///< the first
};

/// What rows of the code table a finding is about.
struct subject {
	const char *op, *kernel, *place, *module; ///< as findings name them; NULL any
	int64_t rank; ///< -1: the first that has rows
};

struct side_writer {
	struct emit *e;
	struct arena *a;
	const struct evidence_input *in;
	const struct digest *d; ///< NULL: the side has nothing to show
	int side;
	int64_t now_ns, nr_events, next_id, next_frame;
	size_t bytes; ///< at most, of the names so far and the rest of their events
};

/// True if a row, of a GPU activity of this name, is what the finding is about.
bool is_about(const struct side_writer *w, const struct subject *s, const struct code_stat *c,
              struct span kernel);

/// One event of a kind of the Chrome trace format; what a process or thread is called.
void put_span(struct side_writer *w, const char *cat, struct span name, int64_t tid,
              int64_t start_ns, int64_t dur_ns);
void put_name(struct side_writer *w, const char *what, const char *key, int64_t tid,
              const char *name);

/// A call with its correlation id, and the activity that it launched.
void put_call(struct side_writer *w, enum code_kind kind, int64_t tid, int64_t start_ns,
              int64_t dur_ns);
void put_activity(struct side_writer *w, enum code_kind kind, struct span name, int64_t tid,
                  int64_t start_ns, int64_t dur_ns, int64_t bytes);

/// Frames of the modules and the place of a row; operators of its path.
void put_frames(struct side_writer *w, const struct code_stat *c, int64_t tid, int64_t start_ns,
                int64_t dur_ns);
void put_operators(struct side_writer *w, const struct code_stat *c, int64_t tid, int64_t start_ns,
                   int64_t dur_ns);

/// True if `nr` further launches of names as long as this, and what is around them, have room.
bool has_room(const struct side_writer *w, int64_t nr, struct span name);

/// All events of a side; how many launches were left out.
int64_t put_mean(struct side_writer *w, const struct subject *s);
int64_t put_step(struct side_writer *w, const struct subject *s);

#endif
