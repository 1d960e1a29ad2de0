#include "cli/load_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "fold/fold_run.h"
#include "merge/cycles.h"
#include "merge/where.h"
#include "metric/figure_name.h"
#include "results/readings.h"
#include "store/digest_json.h"
#include "trust/finding.h"

/* ---- ranks by names of files ---- */

/* The number that follows `word` in a file name, either directly or after one of the characters
   `between`; -1 if there is none. Case is ignored. With `whole`, there must be no letter or digit
   before `word`. */
static int64_t number_behind(const char *name, const char *word, const char *between, bool whole)
{
	for (const char *p = strcasestr(name, word); p; p = strcasestr(p + 1, word)) {
		const char *d = p + strlen(word);
		d += *d && strchr(between, *d);
		size_t n = strspn(d, "0123456789");
		uint64_t v;
		if (n && !(whole && p > name && isalnum((unsigned char)p[-1])) &&
		    number_parse_u64((struct span){ d, n }, &v) && v <= RANK_MAX)
			return (int64_t)v;
	}
	return -1;
}

int64_t rank_of(const struct loader *l, int64_t own, const char *name, enum rank_known *known)
{
	*known = own >= 0 ? RANK_STATED : RANK_NAMED;
	if (own < 0)
		own = number_behind(name, "rank", "-_.=", false);
	if (own < 0)
		own = number_behind(name, "worker", "", false);
	if (own < 0 && l->rank != UINT64_MAX)
		own = (int64_t)l->rank;
	if (own >= 0)
		return own;
	*known = RANK_ASSUMED;
	return 0;
}

/* The place of a rank in the layout of a job (data, pipeline and tensor parallelism), as the name
   of its file says, such as dp0_pp0_tp1 or TP-1. */
enum { PLACE_DATA, PLACE_PIPELINE, PLACE_TENSOR, NR_PLACES };
struct position {
	int64_t of[NR_PLACES]; ///< the rank's number in each group; -1 if the file name has none
	struct artifact *artifact;
};

static int position_cmp(const void *a, const void *b)
{
	const struct position *x = a, *y = b;
	for (int i = 0; i < NR_PLACES; i++)
		ORDER_BY(x->of[i], y->of[i]);
	return 0;
}

ORDERING(tensor_cmp, struct position, RISING(of[PLACE_TENSOR]))

/* Number the ranks whose place in the layout of the job is all that is known. If each place has a
   number of its own in the tensor group, this number is the rank; else ranks are numbered in the
   order of their places. */
static void number_places(struct artifacts *artifacts)
{
	static const char *const words[NR_PLACES] = { "dp", "pp", "tp" };
	VEC(struct position) places = VEC_INIT;
	for (size_t i = 0; i < artifacts->nr; i++) {
		struct position p = { .artifact = &artifacts->v[i] };
		bool found = false;
		for (int k = 0; k < NR_PLACES; k++) {
			p.of[k] = number_behind(path_last(p.artifact->path), words[k], "-_", true);
			found = found || p.of[k] >= 0;
		}
		if (found && p.artifact->known == RANK_ASSUMED && p.artifact->digest->rank >= 0)
			vec_push(&places, p);
	}
	vec_sort(&places, tensor_cmp);
	bool apart = ALL(i, places.nr,
	                 places.v[i].of[PLACE_TENSOR] >= 0 &&
	                     (i == 0 || tensor_cmp(&places.v[i - 1], &places.v[i]) != 0 ||
	                      position_cmp(&places.v[i - 1], &places.v[i]) == 0));
	vec_sort(&places, position_cmp);
	int64_t rank = -1;
	for (size_t i = 0; i < places.nr; i++) {
		rank += i == 0 || position_cmp(&places.v[i - 1], &places.v[i]) != 0;
		places.v[i].artifact->digest->rank = apart ? places.v[i].of[PLACE_TENSOR] : rank;
		places.v[i].artifact->known = RANK_NAMED;
	}
	vec_release(&places);
}

static int64_t snapshot_number(const struct digest *d)
{
	return number_behind(d->snapshot, "snapshot", "-_.", false);
}

/* Number the snapshots whose rank is not known, if the name of each has a number after the word
   "snapshot", as in snapshot_3.pickle. If there are several, that number is the rank. In the name
   of a single snapshot, it may be a step. It is then taken as the rank only if there are several
   traces, and one has this rank. */
static void number_snapshots(struct artifacts *artifacts)
{
	VEC(struct artifact *) list = VEC_INIT;
	bool all = true, of_trace = false;
	size_t traces = 0;
	for (size_t i = 0; i < artifacts->nr; i++) {
		struct artifact *p = &artifacts->v[i];
		traces += digest_has_trace(p->digest);
		if (p->digest->snapshot && p->known == RANK_ASSUMED) {
			all = all && snapshot_number(p->digest) >= 0;
			vec_push(&list, p);
		}
	}
	for (size_t i = 0; all && traces > 1 && i < artifacts->nr; i++)
		of_trace = of_trace || (digest_has_trace(artifacts->v[i].digest) && list.nr &&
		                        artifacts->v[i].digest->rank == snapshot_number(list.v[0]->digest));
	for (size_t i = 0; all && (list.nr > 1 || of_trace) && i < list.nr; i++) {
		list.v[i]->digest->rank = snapshot_number(list.v[i]->digest);
		list.v[i]->known = RANK_NAMED;
	}
	vec_release(&list);
}

/* If there is only one trace and one snapshot, and the rank of the snapshot is not known, give it
   the rank of the trace. */
static void adopt_rank(struct artifacts *artifacts)
{
	size_t traces = 0, snapshots = 0;
	const struct digest *trace = NULL;
	struct artifact *snapshot = NULL;
	for (size_t i = 0; i < artifacts->nr; i++) {
		struct artifact *p = &artifacts->v[i];
		if (digest_has_trace(p->digest)) {
			trace = p->digest;
			traces++;
		}
		if (p->digest->snapshot) {
			snapshot = p;
			snapshots++;
		}
	}
	if (traces == 1 && snapshots == 1 && snapshot->known == RANK_ASSUMED)
		snapshot->digest->rank = trace->rank;
}

ORDERING_POINTERS(host_cmp, struct artifact, BY_TEXT(digest->trace))

/* Number the files that the hosts of one job wrote (HOST.xplane.pb), sorted by name, since they do
   not contain a rank. Does nothing unless all names differ and have no rank. */
static void number_hosts(struct artifacts *artifacts)
{
	VEC(struct artifact *) hosts = VEC_INIT;
	bool clear = true;
	for (size_t i = 0; i < artifacts->nr; i++)
		if (artifacts->v[i].of_host) {
			clear = clear && artifacts->v[i].known == RANK_ASSUMED;
			vec_push(&hosts, &artifacts->v[i]);
		}
	vec_sort(&hosts, host_cmp);
	for (size_t i = 1; i < hosts.nr; i++)
		clear = clear && strcmp(hosts.v[i - 1]->digest->trace, hosts.v[i]->digest->trace) != 0;
	for (size_t i = 0; clear && i < hosts.nr; i++)
		hosts.v[i]->digest->rank = (int64_t)i;
	vec_release(&hosts);
}

/* ---- traces that belong to no rank ---- */

static bool is_rank_with_gpu(const struct artifact *p)
{
	return digest_has_trace(p->digest) && p->digest->trust.gpu_events > 0;
}

/* Leave out the traces without GPU work whose rank is not known, such as that of a server's front
   end (vLLM: HOST_PID.async_llm.TIME), which is in the directory of the ranks' traces. If the
   content of a trace with GPU work says its rank, ranks in file names do not count for traces
   without GPU work. */
static void set_hosts_aside(struct artifacts *artifacts, struct run *run, struct diag_log *log)
{
	bool ranks = false, stated = false;
	size_t nr = 0;
	for (size_t i = 0; i < artifacts->nr; i++) {
		bool with_gpu = is_rank_with_gpu(&artifacts->v[i]);
		ranks = ranks || with_gpu;
		stated = stated || (with_gpu && artifacts->v[i].known == RANK_STATED);
	}
	for (size_t i = 0; i < artifacts->nr; i++) {
		struct artifact p = artifacts->v[i];
		if (!ranks || !digest_has_trace(p.digest) || is_rank_with_gpu(&p) || p.digest->where ||
		    p.known >= (stated ? RANK_STATED : RANK_NAMED)) {
			artifacts->v[nr++] = p;
			continue;
		}
		vec_push(&run->ignored, p.path);
		diag_note(log,
		          "ignored: %s: a trace of only the host that does not say its rank, as that of a "
		          "server's front end",
		          diag_quote(log, p.path));
		digest_free(p.digest);
	}
	artifacts->nr = nr;
}

/* ---- ranks that are there twice ---- */

ORDERING(artifact_cmp, struct artifact, THEN(run_digest_cmp(x->digest, y->digest)) RISING(order))

static enum status read_again(struct artifact *p, struct diag_log *log)
{
	struct digest *whole;
	TRY(digest_read_again(p->digest, p->path, &whole, log));
	digest_free(p->digest);
	p->digest = whole;
	return ST_OK;
}

/* If the stored texts of two digests differ, parse both: they are then compared in the form in
   which this gpugate version writes them. */
static enum status settle_texts(struct artifact *a, struct artifact *b, struct diag_log *log)
{
	if (span_eq(a->digest->text, b->digest->text))
		return ST_OK;
	if (a->digest->text.n)
		TRY(read_again(a, log));
	return b->digest->text.n ? read_again(b, log) : ST_OK;
}

/* True if two digests of the same kind and rank have identical bytes. */
static bool is_same_digest(const struct artifact *a, const struct artifact *b)
{
	if (a->digest->text.n)
		return true; /* settle_texts() keeps texts only if they are equal */
	struct sink *x = sink_open_memory(), *y = sink_open_memory();
	digest_write(a->digest, x);
	digest_write(b->digest, y);
	bool same = span_eq(sink_memory(x), sink_memory(y));
	sink_abort(x);
	sink_abort(y);
	return same;
}

static const char *describe(const struct digest *d, struct arena *a)
{
	if (!digest_has_trace(d))
		return d->snapshot ? "a memory snapshot" : "figures";
	return d->window
	           ? arena_printf(a, "a trace of %" PRId64 " GPU activities", d->trust.gpu_events)
	           : arena_printf(a, "a trace of %" PRId64 " step%s and %" PRId64 " GPU activities",
	                          d->total_steps, text_s(d->total_steps), d->trust.gpu_events);
}

static enum status refuse_twice(const struct loader *l, const struct artifact *p,
                                const struct artifact *other, struct diag_log *log)
{
	struct arena *a = &log->arena;
	const struct artifact *first = p->order < other->order ? p : other;
	const struct artifact *second = first == p ? other : p;
	bool traces = digest_has_trace(p->digest) && digest_has_trace(other->digest);
	int64_t later = traces ? trust_apart(first->digest, second->digest->start_ns) : 0;
	const char *fault = traces ? cycles_fault(first->digest, second->digest) : "";
	const char *advice =
	    !fault ? "their steps have other numbers: where the profiler's schedule repeats, join them "
	             "with 'steps: {cycles: join}' in the rules"
	    : l->join_cycles && traces
	        ? arena_printf(a, "they cannot be joined as cycles: %s", fault)
	        : arena_printf(a,
	                       "give one artifact of a kind per rank%s, or say which rank it is in the "
	                       "file's name (rank3.json)",
	                       options_is_for(OPT_REPEAT, l->setup->options->command)
	                           ? ", a further run of the same code with --repeat"
	                           : "");
	return diag_fail(log, ST_INPUT,
	                 "%s: rank %" PRId64 " is there twice, also from %s (%s, and %s%s); %s",
	                 text_quote(a, span_of(second->path)), second->digest->rank,
	                 text_quote(a, span_of(first->path)), describe(second->digest, a),
	                 describe(first->digest, a),
	                 later > 0   ? "; by itself the former counts, which was recorded later"
	                 : later < 0 ? "; by itself the latter counts, which was recorded later"
	                             : "",
	                 advice);
}

/* Name of a figure of result files that both digests have; NULL if there is none. */
static const char *common_input(const struct digest *a, const struct digest *b)
{
	for (size_t i = 0, k = 0; i < a->inputs.nr && k < b->inputs.nr;) {
		int c = strcmp(a->inputs.v[i].name, b->inputs.v[k].name);
		if (c == 0)
			return a->inputs.v[i].name;
		i += c < 0;
		k += c > 0;
	}
	return NULL;
}

enum { MOST = 256 }; /* artifacts of a rank */

/* True if two result files of one rank lie in different folders of a sweep and have a figure of the
   same name. */
static bool is_swept(const struct artifact *a, const struct artifact *b)
{
	struct span x = reading_sweep_of(a->path), y = reading_sweep_of(b->path);
	return a->digest->rank == b->digest->rank && x.n && y.n && !span_eq(x, y) && !a->stored &&
	       !b->stored && common_input(a->digest, b->digest);
}

/* If figures of a sweep have the same names in several of its folders, as those of flat files do,
   the folder becomes a part of the case's name. */
static void name_by_folders(struct artifacts *artifacts)
{
	bool twice = false;
	for (size_t i = 0; i < artifacts->nr && !twice; i++)
		for (size_t k = 0; k < i && k < MOST && !twice; k++)
			twice = is_swept(&artifacts->v[i], &artifacts->v[i - 1 - k]);
	for (size_t i = 0; i < artifacts->nr && twice; i++) {
		struct digest *d = artifacts->v[i].digest;
		struct span folder = reading_sweep_of(artifacts->v[i].path);
		if (!folder.n || !d->inputs.nr || artifacts->v[i].stored)
			continue;
		for (size_t k = 0; k < d->inputs.nr; k++) {
			struct input_stat *s = &d->inputs.v[k];
			struct span of = input_case(s);
			struct strbuf b = STRBUF_INIT;
			figure_name_add(span_of(arena_printf(&d->arena, "%.*s%s%.*s", (int)folder.n, folder.p,
			                                     of.n ? "." : "", (int)of.n, of.p)),
			                &b);
			strbuf_addf(&b, "/%s", s->name + of.n + (of.n > 0));
			s->name = arena_take(&d->arena, &b);
		}
		vec_sort(&d->inputs, text_cmp);
		d->source_hash = digest_hash_inputs(d);
	}
}

static enum status refuse_input(const struct artifact *p, const struct artifact *other,
                                const char *name, struct diag_log *log)
{
	struct arena *a = &log->arena;
	const struct artifact *first = p->order < other->order ? p : other;
	const struct artifact *second = first == p ? other : p;
	return diag_fail(log, ST_INPUT,
	                 "%s: 'input.%s' is in %s too, of the same rank; keep one of them, or say in "
	                 "the names of the files which rank they are of (bench-rank3.json)",
	                 text_quote(a, span_of(second->path)), name,
	                 text_quote(a, span_of(first->path)));
}

static bool is_metrics_alone(const struct digest *d)
{
	return !digest_has_trace(d) && !d->snapshot;
}

/* Check that the artifact `p` may be kept together with the `nr` artifacts `kept` of its rank. Sets
 * `*same` if one of them equals `p`. */
static enum status check_beside(const struct loader *l, struct artifact *p, struct artifact *kept,
                                size_t nr, bool *same, struct diag_log *log)
{
	bool trace = digest_has_trace(p->digest);
	*same = false;
	if (nr == MOST)
		return diag_fail(log, ST_INPUT, "%s: more than %d artifacts of rank %" PRId64,
		                 diag_quote(log, p->path), MOST, p->digest->rank);
	for (size_t i = 0; i < nr && !*same; i++) {
		const char *input = common_input(p->digest, kept[i].digest);
		bool apart = is_metrics_alone(p->digest) || is_metrics_alone(kept[i].digest) ||
		             (trace != digest_has_trace(kept[i].digest) && !kept[i].digest->snapshot);
		bool alike = p->stored && kept[i].stored && run_digest_cmp(p->digest, kept[i].digest) == 0;
		if (apart && !input && !alike)
			continue;
		if (alike)
			TRY(settle_texts(p, &kept[i], log));
		*same = alike && is_same_digest(p, &kept[i]);
		if (!*same && input)
			return refuse_input(p, &kept[i], input, log);
		bool cycles = trace && l->join_cycles && !cycles_fault(kept[i].digest, p->digest);
		if (!*same && !cycles)
			return refuse_twice(l, p, &kept[i], log);
	}
	return ST_OK;
}

/* Some recordings were made only to find places in the code: join them to the traces of their
   rank. */
static enum status join_where(struct artifacts *artifacts, struct diag_log *log)
{
	VEC(struct digest *) digests = VEC_INIT;
	size_t nr = 0;
	for (size_t i = 0; i < artifacts->nr; i++)
		vec_push(&digests, artifacts->v[i].digest);
	size_t failed = digests_join_where(digests.v, digests.nr);
	vec_release(&digests);
	if (failed < artifacts->nr)
		return diag_fail(log, ST_INPUT,
		                 "%s: it says only where in the code the kernels of rank %" PRId64
		                 " come from; give the trace of its measured steps and one such recording",
		                 diag_quote(log, artifacts->v[failed].path),
		                 artifacts->v[failed].digest->rank);
	for (size_t i = 0; i < artifacts->nr; i++)
		if (artifacts->v[i].digest->where)
			digest_free(artifacts->v[i].digest);
		else
			artifacts->v[nr++] = artifacts->v[i];
	artifacts->nr = nr;
	return ST_OK;
}

/* Move folded digests to run->folded: each of them has many ranks, and cannot be sorted with the
   artifacts of single ranks. */
static enum status take_folded(struct artifacts *artifacts, struct run *run, struct diag_log *log)
{
	VEC(struct digest *) folded = VEC_INIT;
	size_t nr = 0;
	for (size_t i = 0; i < artifacts->nr; i++)
		if (artifacts->v[i].digest->fold)
			vec_push(&folded, artifacts->v[i].digest);
		else
			artifacts->v[nr++] = artifacts->v[i];
	artifacts->nr = nr;
	enum status st = fold_join_all(folded.v, folded.nr, &run->folded, log);
	vec_release(&folded);
	return st;
}

enum status ranks_assemble(const struct loader *l, struct artifacts *artifacts, struct run *run,
                           struct diag_log *log)
{
	/* `nr`: number of kept artifacts; `first`: index of the first one that belongs to the present
	   rank */
	size_t nr = 0, first = 0;
	int64_t rank = -1; /* rank of the previous artifact; -1 if that artifact is about the whole
	                      run */
	TRY(take_folded(artifacts, run, log));
	TRY(join_where(artifacts, log));
	set_hosts_aside(artifacts, run, log);
	number_hosts(artifacts);
	number_places(artifacts);
	number_snapshots(artifacts);
	adopt_rank(artifacts);
	vec_sort(artifacts, artifact_cmp);
	name_by_folders(artifacts);
	for (size_t i = 0; i < artifacts->nr; i++) {
		bool same;
		if (rank >= 0 && artifacts->v[i].digest->rank != rank)
			first = nr;
		rank = artifacts->v[i].digest->rank;
		TRY(check_beside(l, &artifacts->v[i], artifacts->v + first, nr - first, &same, log));
		struct artifact p = artifacts->v[i];
		artifacts->v[i].digest = NULL;
		if (same)
			digest_free(p.digest);
		else
			artifacts->v[nr++] = p;
	}
	for (size_t i = 0; i < nr; i++)
		vec_push(&run->ranks, artifacts->v[i].digest);
	artifacts->nr = 0;
	return ST_OK;
}
