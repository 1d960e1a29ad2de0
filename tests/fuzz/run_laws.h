/// Properties of every stored digest or run: it is read, or refused with one line; if it is read,
/// writing, reading and writing it again gives the same text, and all its figures and the
/// observations on its ranks can be computed. Digests of one rank are joined if cycles_fault()
/// allows it.
#ifndef GG_TESTS_RUN_LAWS_H
#define GG_TESTS_RUN_LAWS_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "diagnose/diagnose.h"
#include "fold/fold_run.h"
#include "merge/cycles.h"
#include "model/view.h"
#include "store/digest_json.h"
#include "store/run_json.h"
#include "trust/trust.h"

typedef enum status run_reader(struct source *src, bool keeps_text, struct run *out,
                               struct diag_log *log);

static inline void check(bool law)
{
	if (!law)
		abort();
}

static inline enum status read_one_digest(struct source *src, bool keeps_text, struct run *out,
                                          struct diag_log *log)
{
	struct digest *d;
	TRY(digest_read(src, keeps_text, &d, log));
	vec_push(&out->ranks, d);
	return ST_OK;
}

static inline bool run_is_read(struct span text, run_reader *reader, struct run *out)
{
	struct diag_log log;
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	diag_init(&log);
	*out = (struct run){ .label = "fuzz" };
	enum status st = reader(src, false, out, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK ? out->ranks.nr && !error
	                  : error && text_is_valid(span_of(error)) && !strchr(error, '\n'));
	if (st != ST_OK)
		run_release(out);
	diag_release(&log);
	source_close(src);
	return st == ST_OK;
}

static inline void query_everything(const struct run *run)
{
	struct category_table categories = { .source = "fuzz" };
	struct naming naming = { .categories = &categories };
	struct run_view view;
	struct report report;
	struct arena scratch = ARENA_INIT;
	run_view_init(&view, run, &naming);
	for (size_t i = 0; i < NR_METRICS; i++) {
		struct answers answers;
		struct query query = { .metric = &metric_table[i], .reduce = metric_table[i].reduce };
		run_query(&view, &query, &scratch, &answers);
		vec_release(&answers.list);
	}
	report_init(&report);
	trust_findings(NULL, run, 1, NULL, &report);
	diagnose_ranks(&view, true, &report);
	report_release(&report);
	run_view_release(&view);
	arena_release(&scratch);
}

/* True if the digests of each rank can be joined: successive traces, or a trace and a snapshot. */
static inline bool may_be_joined(const struct run *run)
{
	bool may = true;
	for (size_t i = 0; i < run->ranks.nr && may; i++)
		for (size_t k = i; k-- > 0 && may && run->ranks.v[k]->rank == run->ranks.v[i]->rank;)
			may =
			    digest_has_trace(run->ranks.v[k]) &&
			    (digest_has_trace(run->ranks.v[i]) ? !cycles_fault(run->ranks.v[k], run->ranks.v[i])
			                                       : !run->ranks.v[k]->snapshot);
	return may;
}

/* Completes the folded digest of a run by fold_whole(), as the commands do after reading it. */
static inline void fold_settled(struct run *run)
{
	struct category_table categories = { .source = "fuzz" };
	struct diag_log log;
	diag_init(&log);
	run->folded = run->ranks.v[0];
	run->ranks.nr = 0;
	check(fold_whole(run, false, &(struct naming){ .categories = &categories }, &log) == ST_OK);
	diag_release(&log);
}

static inline bool any_folded(const struct run *run)
{
	bool any = false;
	for (size_t i = 0; i < run->ranks.nr; i++)
		any = any || run->ranks.v[i]->fold;
	return any;
}

/* Checks a stored digest or run; returns true if it can be read. */
static inline bool check_run(struct span text, run_reader *reader)
{
	struct run run, again; /* a run of one rank is written as a digest */
	if (!run_is_read(text, reader, &run))
		return false;
	struct sink *once = sink_open_memory(), *twice = sink_open_memory();
	run_write(&run, once);
	check(run_is_read(sink_memory(once), run.ranks.nr == 1 ? read_one_digest : run_read, &again));
	run_write(&again, twice);
	run_release(&again);
	check(span_eq(sink_memory(once), sink_memory(twice)));
	sink_abort(once);
	sink_abort(twice);
	if (any_folded(&run)) {
		if (run.ranks.nr == 1) {
			fold_settled(&run);
			query_everything(&run);
		}
	} else if (may_be_joined(&run)) {
		run_join(&run);
		query_everything(&run);
	}
	run_release(&run);
	return true;
}

#endif
