/// Properties of every dump of the Flight Recorder: it is read, or refused with one line; and the
/// search for hangs ends with at most one line of error, in a job of this rank and in a job of two
/// ranks that left the same dump.
#ifndef GG_TESTS_FLIGHT_LAWS_H
#define GG_TESTS_FLIGHT_LAWS_H

#include "base/text.h"
#include "flight/dump.h"
#include "snapshot_laws.h"

typedef enum status flight_reader(struct source *src, size_t entries, struct flight_dump **out,
                                  struct diag_log *log);

static inline struct flight_dump *flight_dump_of(struct span bytes, flight_reader *reader,
                                                 size_t window, size_t block)
{
	struct source_options so = { .block = block, .window = window };
	struct source *src = source_memory("fuzz", bytes.p, bytes.n, &so);
	struct flight_dump *d = NULL;
	struct diag_log log;
	diag_init(&log);
	enum status st = reader(src, 1 << 10, &d, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK
	          ? !error && d
	          : st == ST_INPUT && error && text_is_valid(span_of(error)) && !strchr(error, '\n'));
	diag_release(&log);
	source_close(src);
	return d;
}

/* Checks a dump; returns true if it can be read. */
static inline bool check_flight(struct span bytes, flight_reader *reader)
{
	struct flight_dump *v[] = { flight_dump_of(bytes, reader, 0, 0),
		                        flight_dump_of(bytes, reader, 64, 3) };
	check(!v[0] == !v[1]);
	bool is_read = v[0];
	if (is_read) {
		struct diag_log log;
		check(v[0]->entries.nr == v[1]->entries.nr && v[0]->groups.nr == v[1]->groups.nr);
		v[0]->rank = 0;
		v[1]->rank = 1;
		diag_init(&log);
		for (size_t nr = 1; nr <= 2; nr++)
			flight_find_hangs(v, nr, "fuzz", &log);
		const char *error = diag_first_error(&log);
		check(!error || (text_is_valid(span_of(error)) && !strchr(error, '\n')));
		diag_release(&log);
	}
	flight_dump_free(v[0]);
	flight_dump_free(v[1]);
	return is_read;
}

#endif
