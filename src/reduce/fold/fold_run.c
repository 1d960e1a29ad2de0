#include "fold/fold_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "fold/links.h"
#include "fold/make.h"
#include "merge/cycles.h"
#include "model/ranks.h"

struct digests {
	VEC(struct digest *) list;
};

/* ---- joining folded digests ---- */

ORDERING_POINTERS(first_rank_cmp, struct digest, RISING(fold->rank[0]))

static bool are_same(const struct fold *a, const struct fold *b)
{
	size_t bytes = a->nr * sizeof *a->rank;
	return a->nr == b->nr && memcmp(a->rank, b->rank, bytes) == 0 &&
	       memcmp(a->number[FOLD_SOURCE], b->number[FOLD_SOURCE], bytes) == 0;
}

static enum status refuse_pair(const struct digest *a, const struct digest *b, const char *fault,
                               struct diag_log *log)
{
	return diag_fail(log, ST_INPUT,
	                 "rank %" PRId64 " cannot be folded with rank %" PRId64 ": %s; give ranks of "
	                 "one job, reduced alike",
	                 b->fold ? b->fold->rank[0] : b->rank, a->fold ? a->fold->rank[0] : a->rank,
	                 fault);
}

static enum status refuse_twice(int64_t rank, struct diag_log *log)
{
	return diag_fail(log, ST_INPUT,
	                 "rank %" PRId64 " is in two folded files, or in one and as a digest of other "
	                 "figures; give each rank once",
	                 rank);
}

/* The first rank that both folds have, or -1. */
static int64_t common_rank(const struct fold *a, const struct fold *b)
{
	for (size_t i = 0, k = 0; i < a->nr && k < b->nr;) {
		if (a->rank[i] == b->rank[k])
			return a->rank[i];
		if (a->rank[i] < b->rank[k])
			i++;
		else
			k++;
	}
	return -1;
}

static enum status join_two(struct digest *into, struct digest **more, struct diag_log *log)
{
	const char *fault = fold_fault(into, *more);
	if (fault)
		return refuse_pair(into, *more, fault, log);
	int64_t twice = common_rank(into->fold, (*more)->fold);
	if (twice >= 0)
		return refuse_twice(twice, log);
	fold_join(into, *more);
	*more = NULL;
	return ST_OK;
}

/* Removes duplicates: folded digests with the same ranks and the same hashes. */
static void drop_copies(struct digest **folded, size_t *nr)
{
	size_t kept = 0;
	sort_plain(folded, *nr, sizeof(*folded), first_rank_cmp);
	for (size_t i = 0; i < *nr; i++)
		if (kept && are_same(folded[kept - 1]->fold, folded[i]->fold))
			digest_free(folded[i]);
		else
			folded[kept++] = folded[i];
	*nr = kept;
}

/* Joins the digests in pairs, then the results in pairs, and so on. The data of each rank are thus
 * moved only O(log nr) times. */
enum status fold_join_all(struct digest **folded, size_t nr, struct digest **out,
                          struct diag_log *log)
{
	enum status st = ST_OK;
	drop_copies(folded, &nr);
	for (size_t stride = 1; stride < nr && st == ST_OK; stride *= 2)
		for (size_t i = 0; i + stride < nr && st == ST_OK; i += 2 * stride)
			st = join_two(folded[i], &folded[i + stride], log);
	for (size_t i = st == ST_OK ? 1 : 0; i < nr; i++)
		digest_free(folded[i]);
	*out = st == ST_OK && nr ? folded[0] : NULL;
	return st;
}

/* ---- folding the digests of ranks ---- */

/* Why the rank cannot be folded without loss of data, as a part of a sentence; NULL if it can. */
static const char *unfoldable(const struct digest *d)
{
	return !digest_has_trace(d)                   ? "it has no trace"
	       : d->inputs.nr                         ? "it has figures of files"
	       : d->snapshot || d->memory_evidence.nr ? "it has a memory snapshot"
	                                              : NULL;
}

static enum status check_ranks(struct digest *const *ranks, size_t nr, struct diag_log *log)
{
	for (size_t i = 0; i < nr; i++) {
		const struct digest *d = ranks[i];
		const char *why = unfoldable(d), *fault = fold_fault(ranks[0], d);
		if (why)
			return diag_fail(log, ST_INPUT,
			                 "rank %" PRId64 " cannot be folded: %s; fold ranks with a trace each, "
			                 "and neither snapshots nor files of figures",
			                 d->rank, why);
		if (fault)
			return refuse_pair(ranks[0], d, fault, log);
	}
	return ST_OK;
}

/* The results of comparing the ranks of `run` with each other: waiting, lateness and, if `links`,
   slow links. */
static struct fold_peer *peers_of(const struct run *run, bool links)
{
	size_t nr = run->ranks.nr;
	struct fold_peer *out = mem_calloc(nr, sizeof *out);
	struct cross_rank *cross = mem_calloc(nr, sizeof *cross);
	int64_t *matched = mem_calloc(nr, sizeof *matched), *slope = mem_calloc(nr, sizeof *slope);
	int64_t *alone = mem_calloc(nr, sizeof *alone);
	struct fewer *fewer = mem_calloc(nr, sizeof *fewer);
	ranks_fewer(run, fewer);
	ranks_cross(run, cross);
	for (size_t i = 0; i < nr; i++)
		matched[i] = cross[i].matched;
	ranks_links(run, matched, slope, alone);
	for (size_t i = 0; i < nr; i++)
		out[i] = (struct fold_peer){ cross[i], alone[i], links ? slope[i] : 0, fewer[i] };
	free(cross);
	free(matched);
	free(slope);
	free(alone);
	free(fewer);
	return out;
}

/* Folds the ranks of one block (FOLD_BLOCK ranks) into the result, which becomes the owner of their
 * digests. Slow links are found by comparison within the block; collectives of process groups with
 * ranks in other blocks are not matched yet, but stored as series (fold_take_series()). */
static struct digest *fold_block(struct digest *const *ranks, size_t nr,
                                 const struct naming *naming)
{
	struct run run = { 0 };
	struct fold *f = mem_calloc(1, sizeof *f);
	for (size_t i = 0; i < nr; i++)
		vec_push(&run.ranks, ranks[i]);
	struct fold_peer *all = peers_of(&run, true);
	fold_take_series(&run, f);
	struct fold_peer *whole = peers_of(&run, false);
	for (size_t i = 0; i < nr; i++)
		whole[i].link = all[i].link;
	struct digest *d = fold_make(f, ranks, nr, whole, false, naming);
	vec_release(&run.ranks);
	free(all);
	free(whole);
	return d;
}

static int64_t block_of(const struct digest *d)
{
	return d->rank / FOLD_BLOCK;
}

/* True if a block of ranks is complete: it has FOLD_BLOCK ranks, or fewer if the job ends in it. */
static bool is_whole(struct digest *const *v, size_t nr)
{
	int64_t first = block_of(v[0]) * FOLD_BLOCK, expected = FOLD_BLOCK, ranks = 0;
	if (v[0]->world_size > first && v[0]->world_size - first < FOLD_BLOCK)
		expected = v[0]->world_size - first;
	for (size_t i = 0; i < nr; i++)
		ranks += i == 0 || v[i]->rank != v[i - 1]->rank;
	return ranks == expected;
}

/* Joins the artifacts of each rank of a block (FOLD_BLOCK ranks), then folds the ranks. */
static enum status fold_artifacts(struct digest **v, size_t nr, const struct naming *naming,
                                  struct digest **out, struct diag_log *log)
{
	struct run run = { 0 };
	for (size_t i = 0; i < nr; i++)
		vec_push(&run.ranks, v[i]);
	run_join(&run);
	enum status st = check_ranks(run.ranks.v, run.ranks.nr, log);
	if (st == ST_OK) {
		*out = fold_block(run.ranks.v, run.ranks.nr, naming);
		run.ranks.nr = 0;
	}
	run_release(&run);
	return st;
}

/* Removes the digests of ranks that are folded already. ST_INPUT if such a digest differs from the
 * one that was folded. */
static enum status drop_folded(struct run *run, struct diag_log *log)
{
	const struct fold *f = run->folded ? run->folded->fold : NULL;
	struct digest **v = run->ranks.v;
	size_t nr = 0;
	enum status st = ST_OK;
	for (size_t i = 0, end; f && i < run->ranks.nr; i = end) {
		uint64_t hash = v[i]->source_hash;
		for (end = i + 1; end < run->ranks.nr && v[end]->rank == v[i]->rank; end++)
			hash = number_hash(hash, v[end]->source_hash);
		const int64_t *at = bsearch(&v[i]->rank, f->rank, f->nr, sizeof *f->rank, number_cmp_i64);
		bool same = at && (uint64_t)f->number[FOLD_SOURCE][at - f->rank] == hash;
		if (at && !same && st == ST_OK)
			st = refuse_twice(v[i]->rank, log);
		for (size_t k = i; k < end; k++)
			if (same)
				digest_free(v[k]);
			else
				v[nr++] = v[k];
	}
	if (f)
		run->ranks.nr = nr;
	return st;
}

/* Folds the complete blocks of FOLD_BLOCK ranks (see is_whole()) or, if `all`, every block, and
 * joins the result with run->folded. */
static enum status fold_some(struct run *run, bool all, const struct naming *naming,
                             struct diag_log *log)
{
	struct digests folded = { 0 };
	struct digest **v = run->ranks.v;
	size_t kept = 0;
	TRY(drop_folded(run, log));
	enum status st = ST_OK;
	for (size_t i = 0, end; i < run->ranks.nr; i = end) {
		for (end = i; end < run->ranks.nr && block_of(v[end]) == block_of(v[i]);)
			end++;
		struct digest *one = NULL;
		if (st == ST_OK && v[i]->rank >= 0 && (all || is_whole(v + i, end - i))) {
			st = fold_artifacts(v + i, end - i, naming, &one, log);
			if (one)
				vec_push(&folded.list, one);
			continue;
		}
		for (size_t k = i; k < end; k++)
			v[kept++] = v[k];
	}
	run->ranks.nr = kept;
	if (run->folded)
		vec_push(&folded.list, run->folded);
	run->folded = NULL;
	if (st == ST_OK && folded.list.nr) {
		st = fold_join_all(folded.list.v, folded.list.nr, &run->folded, log);
	} else {
		for (size_t i = 0; i < folded.list.nr; i++)
			digest_free(folded.list.v[i]);
	}
	vec_release(&folded.list);
	return st;
}

enum status fold_blocks(struct run *run, bool wanted, const struct naming *naming,
                        struct diag_log *log)
{
	if (wanted)
		return fold_some(run, false, naming, log);
	if (!run->folded)
		return ST_OK;
	return diag_fail(log, ST_USAGE, "a file of folded ranks is among those to merge: add --fold");
}

/* Folds a run that has no folded ranks yet. Collectives are matched across all ranks, as in a run
 * that stays unfolded. */
static enum status fold_unfolded(struct run *run, const struct naming *naming, struct diag_log *log)
{
	struct digests folded = { 0 };
	TRY(check_ranks(run->ranks.v, run->ranks.nr, log));
	struct fold_peer *peers = peers_of(run, true);
	for (size_t i = 0; i < run->ranks.nr; i += FOLD_BLOCK) {
		size_t nr = run->ranks.nr - i < FOLD_BLOCK ? run->ranks.nr - i : FOLD_BLOCK;
		vec_push(&folded.list, fold_make(mem_calloc(1, sizeof(struct fold)), run->ranks.v + i, nr,
		                                 peers + i, true, naming));
	}
	run->ranks.nr = 0;
	free(peers);
	enum status st = fold_join_all(folded.list.v, folded.list.nr, &run->folded, log);
	vec_release(&folded.list);
	return st;
}

enum status fold_whole(struct run *run, bool force, const struct naming *naming,
                       struct diag_log *log)
{
	if (run_fold(run) || (!run->folded && (!force || run->ranks.nr == 0)))
		return ST_OK;
	if (run->folded)
		TRY(fold_some(run, true, naming, log));
	else
		TRY(fold_unfolded(run, naming, log));
	struct digest *d = run->folded;
	run->folded = NULL;
	fold_settle(d);
	vec_push(&run->ranks, d);
	return ST_OK;
}

enum status fold_alike(struct run *const *runs, size_t nr, const struct naming *naming,
                       struct diag_log *log)
{
	struct naming usual = { .categories = naming->categories };
	bool any = ANY(i, nr, runs[i] && run_fold(runs[i]));
	for (size_t i = 0; i < nr && any; i++)
		if (runs[i])
			TRY(fold_whole(runs[i], true, &usual, log));
	return ST_OK;
}

/* ---- the fold in a baseline ---- */

/* True for figures that a baseline keeps. If there are many, the baseline keeps only figures
 * without a label, those that rules check, and times of operators and categories, which show how
 * noisy a run is. */
static bool is_kept(const struct fold *f, const struct fold_figure *g, const struct rules *rules)
{
	enum { ALL = 2000 };
	return f->figures.nr <= ALL || g->label.n == 0 || g->metric == METRIC_OP_SELF_GPU_TIME ||
	       g->metric == METRIC_CATEGORY_TIME ||
	       ANY(i, rules->rules.nr, rules->rules.v[i].metric->id == g->metric);
}

struct fold *fold_pin(const struct run_view *v, const struct rules *rules)
{
	const struct fold *f = run_fold(v->run);
	struct fold *out = mem_calloc(1, sizeof *out);
	out->nr = f->nr;
	out->is_mean = true;
	out->rank = mem_calloc(f->nr, sizeof *out->rank);
	memcpy(out->rank, f->rank, f->nr * sizeof *out->rank);
	for (size_t i = 0; i < f->figures.nr; i++) {
		const struct fold_figure *g = &f->figures.v[i];
		if (!is_kept(f, g, rules))
			continue;
		struct fold_figure *k = vec_push_zero(&out->figures);
		*k = *g;
		k->label = arena_span(&out->arena, g->label);
		k->category = arena_span(&out->arena, g->category);
		k->value = NULL;
		k->tally = tally_copy(&g->tally);
		for (size_t r = 0; g->value && r < f->nr; r++)
			if (g->value[r] != FOLD_ABSENT)
				tally_add(&k->tally, g->value[r], f->rank[r]);
		if (g->value)
			k->tally.median = fold_figure_median(g, f->nr);
	}
	fold_answer_rules(v, rules, out);
	return out;
}
