/* What a folded run answers: every query like its ranks themselves, or nothing where the fold has
 * lost what the query asks for. */
#include "gate_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "fold/fold_run.h"
#include "model/rows.h"
#include "model/select.h"
#include "model/step_figures.h"
#include "sample_digest.h"

enum { RANKS = 5 };

/* ---- ranks that differ ---- */

/* A number from 0 to `most` that only its arguments decide. */
static int64_t any(uint64_t seed, uint64_t at, uint64_t most)
{
	uint64_t h = number_hash(number_hash(seed + 1, (int64_t)at), (int64_t)most);
	return (int64_t)((h ^ h >> 29) * 0x9E3779B97F4A7C15U >> 33) % (int64_t)(most + 1);
}

/* Makes the numbers of a row smaller, each in another way. */
static void vary_row(const struct schema *s, void *row, uint64_t seed)
{
	for (size_t i = 0; i < s->nr; i++) {
		int64_t *v = (int64_t *)(void *)((char *)row + s->fields[i].offset);
		enum field_type type = s->fields[i].type;
		if (!s->fields[i].order &&
		    (type == FIELD_COUNT || type == FIELD_OPTIONAL_COUNT || type == FIELD_NUMBER) &&
		    strcmp(s->fields[i].key, "parent") != 0)
			*v -= *v > 0 ? *v * any(seed, i, 9) / 10 : 0;
	}
}

/* Drops some rows of each list and varies the others; collectives refer to rows by their place, and
 * stay. */
static void vary(struct digest *d, uint64_t seed)
{
	for (const struct digest_list *l = digest_lists; l < digest_lists + nr_digest_lists; l++) {
		VEC(char) v;
		char *list = (char *)d + l->offset;
		size_t size = l->row->size, nr = 0;
		if (l->row == &collective_row || l->row == &env_entry_row || l->row == &machine_stat_row)
			continue;
		memcpy(&v, list, sizeof v);
		for (size_t i = 0; i < v.nr; i++) {
			uint64_t at = seed * 1000 + (uint64_t)(l - digest_lists) * 50 + i;
			if (l->row != &comm_stat_row && any(at, 0, 3) == 0)
				continue;
			memmove(v.v + nr * size, v.v + i * size, size);
			vary_row(l->row, v.v + nr++ * size, at);
		}
		v.nr = nr;
		memcpy(list, &v, sizeof v);
	}
}

/* GPUs of each rank as the run's file of machines has them, and what ranks read from a fold have:
 * the one throttled most, and the one shared with most processes; in a baseline, only ranks with
 * the largest value among ranks with one GPU, or with two. "ID THROTTLED OTHERS REASONS" */
static const struct {
	struct {
		const char *id;
		int64_t throttled, others;
		const char *reasons;
	} gpus[2];
	const char *folded, *pinned;
} machines[RANKS] = {
	{ { { "0", 5, 0, "cap" }, { "1", 7, 1, "heat" } }, "1 7 1 heat;", "" },
	{ { { "0", 9, 0, NULL }, { "1", 0, 2, "idle" } }, "0 9 -1 ;1 -1 2 ;", " 9 -1 ; -1 2 ;" },
	{ { { "0", 0, 1, NULL } }, "0 -1 1 ;", " -1 1 ;" },
	{ { { "0", 0, 0, NULL } }, "", "" },
	{ { { "0", 4, 0, "cap" } }, "0 4 -1 cap;", " 4 -1 ;" },
};

static void add_machines(struct digest *d)
{
	struct machine_stat m = d->machines.v[0];
	d->machines.nr = 0;
	for (size_t i = 0; i < 2 && machines[d->rank].gpus[i].id; i++) {
		m.id = machines[d->rank].gpus[i].id;
		m.throttled_pct = machines[d->rank].gpus[i].throttled;
		m.other_processes = machines[d->rank].gpus[i].others;
		m.reasons = machines[d->rank].gpus[i].reasons;
		m.power_mw += d->rank * 10 + (int64_t)i;
		vec_push(&d->machines, m);
	}
}

/* Asserts what the thin digest of a rank has of GPUs; all else is unknown. */
static void assert_machines(const struct digest *d, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < d->machines.nr; i++) {
		const struct machine_stat *m = &d->machines.v[i];
		strbuf_addf(&b, "%s %d %d %s;", m->id, (int)m->throttled_pct, (int)m->other_processes,
		            m->reasons ? m->reasons : "");
		assert_true(m->span_ns == -1 && m->sm_clock_hz == -1 && m->memory_clock_hz == -1 &&
		            m->power_mw == -1 && m->temperature_c == -1 && m->energy_uj == -1 &&
		            m->energy_ns == -1);
	}
	assert_string_equal(strbuf_str(&b), want);
	strbuf_release(&b);
}

static void add_collectives(struct digest *d, uint64_t seed)
{
	static const struct comm_stat rows[] = {
		{ .kind = COLLECTIVE_ALL_REDUCE, .group = SPAN("world"), .group_size = RANKS },
		{ .kind = COLLECTIVE_ALL_GATHER, .group = SPAN("world"), .group_size = RANKS },
	};
	size_t nr = 1 + (size_t)any(seed, 0, 1);
	for (size_t i = 0; i < nr; i++) {
		struct comm_stat c = rows[i];
		c.count = 2;
		c.total_ns = 1000 + any(seed, i, 500);
		c.bytes = 4000;
		c.sized_count = any(seed, i, 2);
		c.sized_ns = c.sized_count * 300;
		vec_push(&d->comms, c);
	}
	for (int64_t step = 0; step < (int64_t)d->nr_steps; step++)
		for (size_t i = 0; i < nr; i++)
			vec_push(&d->collectives,
			         (struct collective){ step, (int64_t)i, -1, step * 1000 + (int64_t)i * 100,
			                              10 + any(seed, (uint64_t)step, 40) });
}

static void add_phases(struct digest *d, uint64_t seed)
{
	d->step_phases = arena_alloc(&d->arena, d->nr_steps, sizeof *d->step_phases);
	for (size_t i = 0; i < d->nr_steps; i++)
		d->step_phases[i] = any(seed, i, 2);
	for (int p = PHASE_FORWARD; p < NR_INNER_PHASES; p++)
		for (int c = 0; c < NR_PHASE_COLUMNS && any(seed, (uint64_t)p, 2); c++) {
			d->phases[p][c] = arena_alloc(&d->arena, d->nr_steps, sizeof(int64_t));
			for (size_t i = 0; i < d->nr_steps; i++)
				d->phases[p][c][i] = any(seed, (uint64_t)(p * 10 + c), 900);
		}
}

/* What ranks of a job may lack: what no rank recorded is missing in the fold, too. */
enum {
	NO_KERNELS = 1,
	NO_COMM = 2,
	NO_COMM_TIME = 4,
	NO_CONTEXT = 8,
	NO_STEPS = 16,
	ONE_STEP = 32
};

static struct digest *rank_of_job(int64_t rank, uint64_t job, unsigned lacks)
{
	struct digest *d = sample_digest(rank);
	uint64_t seed = job * 100 + (uint64_t)rank;
	d->metrics_file = NULL;
	d->inputs.nr = 0;
	d->world_size = RANKS;
	d->source_hash = seed;
	d->window_ns = 5000;
	d->rank = rank;
	if (lacks & ONE_STEP && rank == 1)
		d->nr_steps = 1;
	d->usable_steps = lacks & NO_STEPS && rank == 0 ? 0 : 1 + any(seed, 1, d->nr_steps - 1);
	for (size_t i = 0; i < d->nr_steps; i++)
		d->step_activities[i] = any(seed, i, 30);
	for (size_t m = 0; m < NR_STEP_METRICS; m++)
		for (size_t i = 0; i < d->nr_steps; i++)
			d->samples[m][i] -= d->samples[m][i] * any(seed, m * 10 + i, 9) / 10;
	if (any(seed, 2, 2) == 0)
		d->samples[METRIC_STEP_PERIOD][0] = NO_SAMPLE;
	for (int i = 1; i < 3; i++) {
		struct device_stat device = d->devices.v[0];
		struct memory_stat memory = d->memories.v[0];
		device.id = memory.id = i == 1 ? "1" : "2";
		vec_push(&d->devices, device);
		vec_push(&d->memories, memory);
	}
	add_machines(d);
	vec_push(&d->threads, (struct thread_stat){ "12/35", 500, 0, 200 });
	vec_push(&d->counters, (struct counter_stat){ SPAN("DRAM"), 5, 40000000, 1000000 });
	vec_push(&d->counters, (struct counter_stat){ SPAN("NVLink"), 5, 10000000, 2000000 });
	for (size_t i = 0; i < 3; i++)
		vec_push(&d->functions, (struct function_stat){ .cls = FUNCTION_COMPUTE,
		                                                .name = d->kernels.v[i].name,
		                                                .parent = -1,
		                                                .exclusive_ns = 800 });
	for (size_t i = 0; i < d->kernels.nr; i++)
		for (size_t k = 0; k < NR_RESOURCES; k++)
			d->kernels.v[i].resources[k] = 64;
	d->flops.v[0].sized_ns = d->flops.v[0].moved_ns = d->flops.v[0].roof_ns = 60;
	d->flops.v[2].flops = 5000;
	vary(d, seed);
	vary_row(&trust_counts_row, &d->trust, seed);
	digest_set_env(d, SPAN("tokens_per_step"), SPAN("1000"));
	digest_set_env(d, SPAN("flops_per_step"), SPAN("1000000"));
	digest_set_env(d, SPAN("peak_tflops"), SPAN("10"));
	add_collectives(d, seed);
	add_phases(d, seed);
	if (lacks & NO_KERNELS || (rank == 3 && job % 2))
		d->kernels.nr = d->code.nr = d->ranges.nr = d->comms.nr = d->collectives.nr = 0;
	for (size_t i = 0; i < d->kernels.nr && lacks & NO_COMM; i++)
		if (category_matches_any("nccl", d->kernels.v[i].name))
			d->kernels.v[i].name = SPAN("nameless");
	vec_sort(&d->kernels, kernel_stat_cmp);
	if (lacks & NO_COMM)
		d->comms.nr = d->collectives.nr = 0;
	for (size_t i = 0; i < d->nr_steps && lacks & NO_COMM_TIME; i++)
		d->samples[METRIC_STEP_COMM_TIME][i] = 0;
	if (lacks & NO_CONTEXT)
		d->env.nr = 0;
	return d;
}

/* ---- one job, unfolded and folded ---- */

/* The ranks of a job, the same job folded, and what a baseline keeps of the fold. */
struct job {
	struct category_table categories;
	struct naming naming;
	struct run ranks, folded, pinned;
	struct run_view of_ranks, of_folded, of_pinned;
};

/* The fold keeps all ranks whole, or only ranks 1 and 3. */
static void job_open(struct job *j, uint64_t nr, unsigned lacks, bool exact, size_t kept)
{
	struct diag_log log;
	*j = (struct job){ 0 };
	diag_init(&log);
	fixture_categories(&j->categories);
	j->naming = (struct naming){ .exact = exact, .categories = &j->categories };
	for (int64_t rank = 0; rank < RANKS; rank++) {
		vec_push(&j->ranks.ranks, rank_of_job(rank, nr, lacks));
		vec_push(&j->folded.ranks, rank_of_job(rank, nr, lacks));
	}
	if (fold_whole(&j->folded, true, &(struct naming){ .categories = &j->categories }, &log) !=
	    ST_OK)
		fail_msg("%s", diag_first_error(&log));
	struct run *whole = &j->folded.ranks.v[0]->fold->kept;
	if (kept < RANKS) {
		whole->ranks.v[0] = whole->ranks.v[1];
		whole->ranks.v[1] = whole->ranks.v[3];
		whole->ranks.v[2] = whole->ranks.v[4];
	}
	whole->ranks.nr = kept;
	run_view_init(&j->of_ranks, &j->ranks, &j->naming);
	run_view_init(&j->of_folded, &j->folded, &j->naming);
	diag_release(&log);
}

static void job_pin(struct job *j, const struct rules *rules)
{
	struct digest *d = digest_new();
	d->trace = d->marker = d->communication = "";
	d->fold = fold_pin(&j->of_folded, rules);
	vec_push(&j->pinned.ranks, d);
	run_view_init(&j->of_pinned, &j->pinned, &j->naming);
}

static void job_close(struct job *j)
{
	if (j->pinned.ranks.nr)
		run_view_release(&j->of_pinned);
	run_view_release(&j->of_folded);
	run_view_release(&j->of_ranks);
	run_release(&j->pinned);
	run_release(&j->folded);
	run_release(&j->ranks);
	category_table_release(&j->categories);
}

/* ---- queries ---- */

typedef void query_fn(struct job *j, const struct query *q);

static void each_reduction(struct job *j, struct query q, bool all, query_fn *fn)
{
	for (int reduce = REDUCE_MAX; reduce <= REDUCE_EACH; reduce++)
		for (int stat = 0; stat < (all ? NR_STATISTICS : 1 + q.metric->per_step); stat++) {
			q.reduce = (enum reduce)reduce;
			q.stat = (enum statistic)stat;
			fn(j, &q);
		}
}

/* Globs of a key that some of the metric's items fit: `one` is the name of an item. */
static const char *glob_of(const struct select_key *key, const char *one, bool first)
{
	static const struct {
		const char *key, *globs[2];
	} rows[] = { { "class", { "compute", "communication" } },
		         { "category", { "GEMM", "*" } },
		         { "phase", { "forward", "*" } },
		         { "device", { "1", "*" } },
		         { "memory", { "1", "*" } } };
	for (size_t i = 0; i < NR_OF(rows); i++)
		if (strcmp(rows[i].key, key->name) == 0)
			return rows[i].globs[!first];
	return first ? one : "*";
}

/* Calls `fn` with each kind of query for the metric: each statistic and reduction, some and all
 * ranks, and each key of `select` that the metric has. */
static void each_query_of(struct job *j, const struct metric *m, query_fn *fn)
{
	static const char *const ranks[] = { NULL, "1", "?" };
	struct arena a = ARENA_INIT;
	struct answers all;
	run_query(&j->of_ranks, &(struct query){ .metric = m }, &a, &all);
	const char *one = all.list.nr ? arena_dup(&a, all.list.v[all.list.nr / 2].label) : "none";
	for (size_t i = 0; i < NR_OF(ranks); i++) {
		struct query plain = { .metric = m, .rank = ranks[i] };
		each_reduction(j, plain, m->per_step && !i, fn);
		for (const struct select_key *key = select_table; key->name; key++)
			for (int g = 0;
			     g < 2 && key->labels & select_labels(m) && strcmp(key->name, "rank") != 0; g++) {
				struct query q = plain;
				*select_glob(&q, key) = glob_of(key, one, g);
				each_reduction(j, q, false, fn);
			}
	}
	vec_release(&all.list);
	arena_release(&a);
}

static void each_query(struct job *j, query_fn *fn)
{
	for (size_t m = 0; m < NR_METRICS; m++)
		if (metric_table[m].label != LABEL_PAIR && metric_table[m].need != NEED_INPUT)
			each_query_of(j, &metric_table[m], fn);
}

/* Asserts that view `y` answers as `x`, whose ranks it has; if `y` knows only the worst rank, `x`
 * is asked for that one. */
static void assert_alike(const struct run_view *x, const struct run_view *y, const struct query *q)
{
	struct arena a = ARENA_INIT;
	struct answers answers[2];
	struct query of_ranks = *q;
	enum reduce worst;
	if (fold_gives_worst(y, q, &worst))
		of_ranks.reduce = worst;
	run_query(x, &of_ranks, &a, &answers[0]);
	run_query(y, q, &a, &answers[1]);
	size_t nr = answers[0].list.nr;
	bool alike = nr == answers[1].list.nr;
	for (size_t i = 0; i < nr && alike; i++) {
		const struct answer *v = &answers[0].list.v[i], *w = &answers[1].list.v[i];
		alike = span_eq(v->label, w->label) && v->rank == w->rank && v->value == w->value &&
		        v->lacks == w->lacks;
	}
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < answers[i].list.nr && !alike; k++) {
			const struct answer *v = &answers[i].list.v[k];
			print_error("%s: %.*s, rank %lld: %lld; %lld lack it\n", i ? "folded" : "ranks",
			            (int)v->label.n, v->label.p, (long long)v->rank, (long long)v->value,
			            (long long)v->lacks);
		}
		vec_release(&answers[i].list);
	}
	if (!alike)
		fail_msg("%s", query_text(q, &a));
	arena_release(&a);
}

static size_t answers_of(const struct run_view *v, const struct query *q)
{
	struct arena a = ARENA_INIT;
	struct answers answers;
	run_query(v, q, &a, &answers);
	size_t nr = answers.list.nr;
	vec_release(&answers.list);
	arena_release(&a);
	return nr;
}

/* True if the query asks for the value of each rank, and ranks have different ones. */
static bool ranks_differ(const struct run_view *v, const struct query *q)
{
	struct arena a = ARENA_INIT;
	struct answers least, most;
	struct query of_all = *q;
	bool differ = false;
	of_all.reduce = REDUCE_MIN;
	run_query(v, &of_all, &a, &least);
	of_all.reduce = REDUCE_MAX;
	run_query(v, &of_all, &a, &most);
	for (size_t i = 0; i < most.list.nr; i++)
		differ = differ || least.list.v[i].value != most.list.v[i].value;
	vec_release(&least.list);
	vec_release(&most.list);
	arena_release(&a);
	return differ;
}

/* ---- laws ---- */

static void check_kept(struct job *j, const struct query *q)
{
	enum reduce worst;
	assert_false(fold_lacks(&j->of_folded, q));
	assert_alike(&j->of_ranks, &j->of_folded, q);
	bool hides = fold_gives_worst(&j->of_folded, q, &worst) && ranks_differ(&j->of_ranks, q);
	assert_int_equal(fold_hides_ranks(&j->of_folded, q), hides);
}

static void check_lost(struct job *j, const struct query *q)
{
	const struct run_view *views[] = { &j->of_folded, &j->of_pinned };
	for (size_t i = 0; i < NR_OF(views); i++) {
		if (fold_lacks(views[i], q))
			assert_int_equal(answers_of(views[i], q), 0);
		else
			assert_alike(&j->of_ranks, views[i], q);
	}
}

static void test_answers(void **state)
{
	(void)state;
	struct job j;
	job_open(&j, 0, 0, true, RANKS);
	each_query(&j, check_kept);
	job_close(&j);
	job_open(&j, 1, 0, false, 2);
	job_pin(&j, &(struct rules){ 0 });
	each_query(&j, check_lost);
	job_close(&j);
}

static void ask_hidden(struct job *j, const struct query *q)
{
	fold_hides_ranks(&j->of_folded, q);
}

/* A fold that was changed by hand may have the lowest of the ranks' values without the highest. */
static void test_changed_by_hand(void **state)
{
	(void)state;
	struct job j;
	job_open(&j, 0, 0, true, RANKS);
	struct fold *f = j.folded.ranks.v[0]->fold;
	size_t nr = 0;
	for (size_t i = 0; i < f->figures.nr; i++) {
		if (f->figures.v[i].within != REDUCE_MAX) {
			f->figures.v[nr++] = f->figures.v[i];
			continue;
		}
		tally_release(&f->figures.v[i].tally);
		free(f->figures.v[i].value);
	}
	assert_in_range(nr, 1, f->figures.nr - 1);
	f->figures.nr = nr;
	each_query(&j, ask_hidden);
	job_close(&j);
}

/* Queries that only whole digests answer, of which the fold keeps two, and that of a baseline none.
 */
static void test_lacks(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		struct query q;
		const char
		    *lack; ///< folds that lack the answer: f, that of the run; b, that of the baseline
		bool renamed; ///< true if rules rename kernels, so that kernels are answered by other names
	} rows[] = {
		{ METRIC_THREAD_TIME, { 0 }, "fb", false },
		{ METRIC_THREAD_TIME, { .rank = "0" }, "fb", false },
		{ METRIC_THREAD_TIME, { .rank = "1" }, "b", false },
		{ METRIC_THREAD_TIME, { .rank = "2" }, "fb", false },
		{ METRIC_THREAD_TIME, { .rank = "3" }, "b", false },
		{ METRIC_THREAD_TIME, { .rank = "4" }, "fb", false },
		{ METRIC_THREAD_TIME, { .rank = "?" }, "fb", false },
		{ METRIC_WINDOW_BUSY_TIME, { 0 }, "", false },
		{ METRIC_WINDOW_BUSY_TIME, { .device = "0" }, "fb", false },
		{ METRIC_WINDOW_BUSY_TIME, { .rank = "2" }, "b", false },
		{ METRIC_MEMORY_PEAK_ALLOCATED, { .memory = "0" }, "fb", false },
		{ METRIC_STEP_TIME, { .rank = "2" }, "b", false },
		{ METRIC_STEP_TIME, { .rank = "2", .stat = STAT_MAX }, "fb", false },
		{ METRIC_STEP_TIME, { .rank = "2", .phase = "*" }, "fb", false },
		{ METRIC_STEP_TIME, { .phase = "*", .stat = STAT_MAX }, "", false },
		{ METRIC_SLOW_STEPS_PCT, { .rank = "2", .stat = STAT_MAX }, "b", false },
		{ METRIC_PLACE_GPU_TIME, { .cls = "compute" }, "", false },
		{ METRIC_PLACE_GPU_TIME, { .phase = "*" }, "fb", false },
		{ METRIC_KERNEL_TIME, { .rank = "2" }, "fb", false },
		{ METRIC_KERNEL_TIME, { 0 }, "", false },
		{ METRIC_KERNEL_TIME, { 0 }, "fb", true },
		{ METRIC_OP_TIME, { 0 }, "", true },
	};
	static const struct alias alias = { SPAN("alpha*"), SPAN("beta") };
	struct job j;
	job_open(&j, 1, 0, false, 2);
	job_pin(&j, &(struct rules){ 0 });
	for (size_t i = 0; i < 2 * NR_OF(rows); i++) {
		struct query q = rows[i / 2].q;
		const struct run_view *v = i % 2 ? &j.of_pinned : &j.of_folded;
		bool lacks = strchr(rows[i / 2].lack, i % 2 ? 'b' : 'f');
		q.metric = &metric_table[rows[i / 2].metric];
		for (int way = 0; way < 2; way++) {
			j.naming.exact = rows[i / 2].renamed && way;
			j.naming.aliases = &alias;
			j.naming.nr_aliases = rows[i / 2].renamed && !way;
			if (fold_lacks(v, &q) != lacks)
				fail_msg("%zu: %s", i, query_text(&q, &j.of_folded.arena));
			if (rows[i / 2].renamed)
				assert_alike(&j.of_ranks, v, &q);
		}
	}
	job_close(&j);
}

/* What the fold of a baseline keeps for rules. */
static void test_asked(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		struct query q;
		bool for_each, exact;
		const char *want; /* texts of queries, in order */
	} rows[] = {
		{ METRIC_STEP_TIME,
		  { .rank = "1" },
		  false,
		  false,
		  "step.time stat=median ranks=max rank=1" },
		{ METRIC_STEP_TIME, { .phase = "*" }, false, false, "" },
		{ METRIC_KERNEL_MEAN, { .reduce = REDUCE_EACH }, true, false, "" },
		{ METRIC_KERNEL_MEAN, { .reduce = REDUCE_EACH }, false, true, "kernel.mean ranks=each" },
		{ METRIC_KERNEL_MEAN,
		  { .reduce = REDUCE_EACH, .cls = "compute", .category = "*" },
		  true,
		  true,
		  "kernel.mean ranks=each category=* class=compute|kernel.time ranks=max|"
		  "kernel.time ranks=max category=* class=compute" },
		{ METRIC_KERNEL_COUNT,
		  { .reduce = REDUCE_MIN, .kernel = "alpha_gemm" },
		  true,
		  true,
		  "kernel.count ranks=min kernel=alpha_gemm|kernel.time ranks=min|kernel.time ranks=min "
		  "kernel=alpha_gemm" },
		{ METRIC_COMM_COUNT,
		  { .rank = "?" },
		  true,
		  false,
		  "comm.count ranks=max rank=?|comm.time ranks=max rank=?" },
		{ METRIC_OP_TIME, { .rank = "2" }, true, false, "op.time ranks=max rank=2" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct job j;
		struct rules rules = { 0 };
		struct strbuf b = STRBUF_INIT;
		struct names items[2] = { 0 };
		struct arena a = ARENA_INIT;
		struct rule *rule = vec_push_zero(&rules.rules);
		rule->metric = &metric_table[rows[i].metric];
		rule->query = rows[i].q;
		rule->query.metric = rule->metric;
		rule->for_each = rows[i].for_each;
		vec_push(&rules.rules, rules.rules.v[0]); /* a second rule asks for the same */
		job_open(&j, 1, 0, rows[i].exact, RANKS);
		job_pin(&j, &rules);
		const struct past_run *asked = &run_fold(&j.pinned)->asked;
		for (size_t k = 0; k < asked->values.nr; k++) {
			if (k == 0 || strcmp(asked->values.v[k].query, asked->values.v[k - 1].query) != 0)
				strbuf_addf(&b, "%s%s", k ? "|" : "", asked->values.v[k].query);
			assert_true(k == 0 || past_value_cmp(&asked->values.v[k - 1], &asked->values.v[k]) < 0);
		}
		assert_string_equal(strbuf_str(&b), rows[i].want);
		rule_items_add(&j.of_folded, &rules.rules.v[0], 3, &a, &items[0]);
		rule_items_add(&j.of_pinned, &rules.rules.v[0], 3, &a, &items[1]);
		assert_true(items[0].list.nr > 0 && items[0].list.nr == items[1].list.nr);
		for (size_t k = 0; k < items[0].list.nr; k++)
			assert_true(span_eq(items[0].list.v[k], items[1].list.v[k]));
		assert_false(fold_lacks(&j.of_pinned, &rules.rules.v[0].query));
		assert_int_equal(answers_of(&j.of_pinned, &rules.rules.v[0].query),
		                 answers_of(&j.of_folded, &rules.rules.v[0].query));
		for (size_t k = 0; k < 2; k++)
			vec_release(&items[k].list);
		vec_release(&rules.rules);
		strbuf_release(&b);
		arena_release(&a);
		job_close(&j);
	}
}

/* The fold has the figures that some rank has, and for which it recorded what they need. */
static void test_has(void **state)
{
	(void)state;
	static const unsigned lacks[] = { 0,
		                              NO_KERNELS,
		                              NO_COMM,
		                              NO_COMM_TIME,
		                              NO_CONTEXT,
		                              NO_STEPS,
		                              NO_COMM | NO_COMM_TIME,
		                              NO_KERNELS | NO_COMM_TIME };
	for (size_t k = 0; k < NR_OF(lacks); k++) {
		struct job j;
		job_open(&j, k, lacks[k], false, RANKS);
		for (size_t i = 0; i < NR_METRICS; i++) {
			const struct metric *m = &metric_table[i];
			bool has =
			    run_has(&j.of_ranks, m) && answers_of(&j.of_ranks, &(struct query){ .metric = m });
			if (m->label != LABEL_PAIR && m->label != LABEL_THREAD &&
			    run_has(&j.of_folded, m) != has)
				fail_msg("job %zu: %s", k, m->name);
		}
		job_close(&j);
	}
}

/* The ranks that are read from a fold have the numbers of the ranks themselves. */
static void test_thin(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		struct job j;
		job_open(&j, i, i == 2 ? NO_STEPS | ONE_STEP : 0, false, RANKS);
		const struct run *thin = run_ranks(&j.folded);
		struct run_view view;
		run_view_init(&view, thin, &j.naming);
		job_pin(&j, &(struct rules){ 0 });
		assert_int_equal(run_nr_ranks(&j.folded), RANKS);
		assert_int_equal(thin->ranks.nr, RANKS);
		for (size_t m = 0; m < NR_METRICS; m++) {
			const struct metric *of = &metric_table[m];
			struct query q = { .metric = of,
				               .reduce = fold_is_item(of) ? of->reduce : REDUCE_EACH };
			if (of->label == LABEL_NONE || fold_is_item(of))
				assert_alike(&j.of_ranks, &view, &q);
		}
		for (size_t r = 0; r < RANKS; r++) {
			const struct digest *x = j.ranks.ranks.v[r], *y = thin->ranks.v[r];
			assert_int_equal(x->rank, y->rank);
			assert_int_equal(x->world_size, y->world_size);
			assert_string_equal(x->marker, y->marker);
			assert_string_equal(x->communication, y->communication);
			assert_string_equal(x->trace, y->trace);
			assert_int_equal(x->attribution, y->attribution);
			assert_int_equal(x->total_steps, y->total_steps);
			assert_machines(y, machines[r].folded);
			assert_machines(run_ranks(&j.pinned)->ranks.v[r], machines[r].pinned);
			assert_int_equal(x->source_hash, y->source_hash);
			assert_int_equal(x->nr_steps, y->nr_steps);
			assert_memory_equal(x->step_numbers, y->step_numbers, x->nr_steps * sizeof(int64_t));
			assert_int_equal(x->usable_steps, y->usable_steps);
			assert_int_equal(digest_last_share(x), digest_last_share(y));
			assert_memory_equal(&x->progress, &y->progress, offsetof(struct progress, op));
			assert_memory_equal(&x->trust, &y->trust, sizeof x->trust);
			assert_memory_equal(j.of_ranks.ranks[r].cross, view.ranks[r].cross,
			                    sizeof(struct cross_rank));
		}
		run_view_release(&view);
		job_close(&j);
	}
}

/* The activities of the last step, in millionths of the median of the steps before. */
static void test_last_share(void **state)
{
	(void)state;
	static const struct {
		int64_t activities[3];
		size_t steps;
		int64_t want;
	} rows[] = { { { 0 }, 0, MICRO },        { { 3 }, 1, MICRO },    { { 4, 1 }, 2, 250000 },
		         { { 1, 3 }, 2, 3 * MICRO }, { { 0, 3 }, 2, MICRO }, { { 4, 6, 10 }, 3, 2 * MICRO },
		         { { 3, 3, 1 }, 3, 333333 } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = digest_new();
		digest_set_steps(d, rows[i].steps);
		for (size_t k = 0; k < rows[i].steps; k++)
			d->step_activities[k] = rows[i].activities[k];
		assert_int_equal(digest_last_share(d), rows[i].want);
		digest_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_share),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_has),
		cmocka_unit_test(test_thin),
		cmocka_unit_test(test_lacks),
		cmocka_unit_test(test_changed_by_hand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
