/* Dumps of the Flight Recorder. They come from a job that hangs, and there is nothing to judge:
   their content becomes the error message of the run. */
#include <inttypes.h>

#include "base/sort.h"
#include "base/text.h"
#include "cli/load_internal.h"
#include "flight/dump.h"

typedef enum status dump_reader(struct source *src, size_t entries, struct flight_dump **out,
                                struct diag_log *log);

static enum status take_dump(const struct loader *l, struct source *src, struct artifact_file *file,
                             dump_reader *read)
{
	enum rank_known known;
	struct flight_dump *d = NULL;
	TRY(read(src, 0, &d, file->log));
	d->rank = rank_of(l, d->rank, artifact_file_name(file), &known);
	file->flight = d;
	return ST_OK;
}

enum status load_flight(const struct loader *l, struct source *src, struct artifact_file *file)
{
	return take_dump(l, src, file, flight_read);
}

enum status load_flight_pickle(const struct loader *l, struct source *src,
                               struct artifact_file *file)
{
	return take_dump(l, src, file, flight_read_pickle);
}

ORDERING_POINTERS(rank_cmp, struct flight_dump, RISING(rank))

static enum status judge_dumps(struct flight_dump **v, size_t nr, const char *name, bool others,
                               struct diag_log *log)
{
	for (size_t i = 1; i < nr; i++)
		if (v[i]->rank == v[i - 1]->rank)
			return diag_fail(log, ST_INPUT,
			                 "%s: two dumps of the Flight Recorder are of rank %" PRId64
			                 "; give one per rank, or say which rank it is in the file's name "
			                 "(nccl_trace_rank_3)",
			                 name, v[i]->rank);
	if (flight_find_hangs(v, nr, name, log))
		return ST_INPUT;
	if (others)
		return ST_OK;
	return diag_fail(
	    log, ST_INPUT,
	    "%s: no rank hangs, as %zu dump%s of the Flight Recorder show%s, which have no "
	    "times: give traces or snapshots to be judged",
	    name, nr, text_s(nr), nr == 1 ? "s" : "");
}

enum status flight_settle(const struct artifact_file *files, size_t nr, const struct run *run,
                          bool others, struct diag_log *log)
{
	VEC(struct flight_dump *) dumps = VEC_INIT;
	for (size_t i = 0; i < nr; i++)
		if (files[i].flight)
			vec_push(&dumps, files[i].flight);
	vec_sort(&dumps, rank_cmp);
	const char *name = diag_quote(log, run->label);
	enum status st = dumps.nr ? judge_dumps(dumps.v, dumps.nr, name, others, log) : ST_OK;
	vec_release(&dumps);
	return st;
}
