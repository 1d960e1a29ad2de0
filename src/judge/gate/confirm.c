#include "gate/confirm.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "diff/changes.h"
#include "gate/noise.h"

/* ENOUGH: number of pairs, or of runs of different jobs, that decide whether a failure is final.
   NEWEST: largest number of main's newest runs that the failure is compared with.
   NEW_LEVEL: number of runs of main that make a new level if they fail in a row. */
enum { ENOUGH = PAIRS_CONFIRM, NEWEST = 20, NEW_LEVEL = 3 };

/* True for figures of memory that vary from run to run: all except counts. Their noise cannot be
   estimated: a library may choose a larger workspace in one run of ten. */
static bool is_of_memory(const struct metric *m)
{
	return m->exact && m->need == NEED_MEMORY && m->unit != UNIT_COUNT;
}

static size_t nr_pairs(const struct noise_model *m)
{
	const struct bench_runs *r = &m->bench->runs;
	return r->nr_controls < r->nr_candidates ? r->nr_controls : r->nr_candidates;
}

/* True if there are enough pairs, or enough runs of different jobs (m->shared is then 0), to
   decide. */
static bool are_enough(const struct noise_model *m)
{
	return nr_pairs(m) >= ENOUGH || (m->bench->runs.nr_candidates >= ENOUGH && m->shared == 0);
}

/* True if a failure by the limit of `d` would not be final without more pairs or runs. */
static bool would_be_open(const struct noise_model *m, const struct comparison *c,
                          const struct decision *d)
{
	const struct rule *rule = c->rule;
	return d->limit && condition_has_noise(d->limit->condition) &&
	       (!rule->metric->exact || is_of_memory(rule->metric)) && rule->noise.k != 0 &&
	       !are_enough(m);
}

static bool fails_and_open(const struct noise_model *m, const struct comparison *c,
                           const struct decision *d)
{
	return d->verdict == VERDICT_FAIL && would_be_open(m, c, d);
}

/* Stores in `out` the values that `e` has in the approved run and the newest runs of main since
   then, oldest first, and returns their number. The newest runs do not count if they failed and may
   be a new level: three in a row, or any if main itself is judged. Only the first of a job's runs
   counts. */
static size_t newest_of_main(const struct bench *b, const struct entry *e, bool is_main,
                             int64_t out[NEWEST])
{
	size_t nr = 0, in_a_row = 0, most = is_main ? 0 : NEW_LEVEL - 1;
	const char *job = NULL;
	for (size_t k = 0; k < b->nr_columns; k++) {
		const struct bench_column *column = &b->columns[b->by_time[k]];
		const struct cell *cell = &e->cells[b->by_time[k]];
		const char *own = column->past ? column->past->together : NULL;
		bool failed = column->source == SOURCE_HISTORY && column->epoch == b->pin;
		if ((column->source > SOURCE_RECENT && !failed) || !cell->has ||
		    (job && own && strcmp(job, own) == 0))
			continue;
		job = own;
		if (nr == NEWEST)
			memmove(out, out + 1, --nr * sizeof *out);
		out[nr++] = cell->value;
		in_a_row = failed ? in_a_row + 1 : 0;
	}
	return in_a_row <= most ? nr : in_a_row < nr ? nr - in_a_row : 0;
}

/* Number of runs of main whose value in `v` is at `value` or beyond. Runs before the last change of
   main's level count only if main went that far at several separate times: a level that main left
   for good is not a state of the machine. Between two such times, main was nearer to the median of
   its newest level than to `value`. */
static size_t count_shown(const int64_t *v, size_t nr, int64_t value, bool falls)
{
	struct change_list points = { 0 };
	size_t all = 0, newest = 0, visits = 0;
	bool back = true;
	changes_find(v, nr, CHANGE_CHANCE, true, &points);
	size_t from = points.list.nr ? points.list.v[points.list.nr - 1].at : 0;
	int64_t sorted[NEWEST];
	memcpy(sorted, v + from, (nr - from) * sizeof *v);
	double level = nr ? (double)number_median(sorted, nr - from) : 0;
	for (size_t i = 0; i < nr; i++) {
		bool beyond = falls ? v[i] <= value : v[i] >= value;
		visits += beyond && back;
		back = !beyond && (back || fabs((double)v[i] - level) < fabs((double)v[i] - (double)value));
		all += beyond;
		newest += beyond && i >= from;
	}
	vec_release(&points.list);
	return visits > 1 ? all : newest;
}

bool confirm_is_shown(const struct noise_model *m, const struct entry *e, bool is_main,
                      const struct comparison *c, const struct decision *d, struct arena *a,
                      struct evidence *evidence)
{
	int64_t v[NEWEST] = { 0 };
	if (!fails_and_open(m, c, d) || d->limit->condition == COND_INCREASE_SINCE_PIN || !e->cells)
		return false;
	size_t nr = newest_of_main(m->bench, e, is_main, v);
	size_t shown = count_shown(v, nr, c->candidate, d->limit->condition == COND_DECREASE);
	if (shown < 2)
		return false;
	evidence->more_runs = 0;
	evidence->more_pairs = (int64_t)(ENOUGH - nr_pairs(m));
	evidence->plan_text =
	    arena_printf(a,
	                 "%zu of the newest %zu runs of main were as far: %" PRId64
	                 " pair%s with --control would decide",
	                 shown, nr, evidence->more_pairs, evidence->more_pairs == 1 ? "" : "s");
	return true;
}

bool confirm_is_open(const struct noise_model *m, const struct comparison *c,
                     const struct decision *d, struct evidence *evidence)
{
	if (c->rule->confirm == CONFIRM_NEVER || !fails_and_open(m, c, d))
		return false;
	evidence->more_runs = 0;
	evidence->more_pairs = (int64_t)(ENOUGH - nr_pairs(m));
	return true;
}

void confirm_raise_plan(const struct noise_model *m, const struct comparison *c,
                        const struct decision *d, struct arena *a, struct evidence *evidence)
{
	if (d->reason != REASON_NOISE || c->rule->confirm == CONFIRM_NEVER || !would_be_open(m, c, d))
		return;
	if (evidence->more_pairs)
		number_raise(&evidence->more_pairs, (int64_t)(ENOUGH - nr_pairs(m)));
	else if (evidence->more_runs && m->shared == 0)
		number_raise(&evidence->more_runs, (int64_t)(ENOUGH - m->bench->runs.nr_candidates));
	if (evidence->more_pairs || evidence->more_runs)
		evidence->plan_text = noise_plan_text(a, evidence);
}

bool confirm_is_refuted(const struct noise_model *m, const struct entry *e,
                        const struct comparison *c)
{
	const struct bench *b = m->bench;
	if (!is_of_memory(c->rule->metric) || c->rule->confirm == CONFIRM_NEVER || !are_enough(m))
		return false;
	for (size_t i = 0; i < b->nr_columns; i++) {
		bool of_base = b->columns[i].source == SOURCE_CONTROL;
		struct comparison one = *c;
		one.candidate = e->cells[i].value;
		if (b->columns[i].source >= SOURCE_SINGLE && e->cells[i].has &&
		    (compare(&one).verdict == VERDICT_FAIL) == of_base)
			return true;
	}
	return false;
}
