/// Both runs on the bench: their views, and one way to ask both for a figure.
#ifndef GG_GATE_BENCH_H
#define GG_GATE_BENCH_H

#include "gate/pairs.h"

struct bench {
	struct naming naming;
	const struct run *run[NR_SIDES];
	struct run usable_run[NR_SIDES]; ///< its digests end before a last step that is cut short
	struct run_view view[NR_SIDES], usable[NR_SIDES];
	struct activity_pairs pairs;
	struct arena arena;
};

/// Views of both runs, which are borrowed like `naming`'s tables. Caller
/// releases with bench_release().
void bench_init(struct bench *b, const struct run *baseline, const struct run *candidate,
                struct naming naming);

/// Give the memory back.
void bench_release(struct bench *b);

/// What both sides have of one item.
struct entry {
	struct span label; ///< as in struct answer
	int64_t rank;
	bool has[NR_SIDES];
	int64_t value[NR_SIDES];
};
struct entries {
	VEC(struct entry) list; ///< ordered by label, then rank
};

/// Ask both sides; a side that did not record what the metric needs has nothing.
/// Labels are borrowed from the bench. Caller releases with vec_release(&out->list).
void bench_query(struct bench *b, const struct query *q, struct entries *out);

/// True where side `side` recorded what `m` needs.
bool bench_has(const struct bench *b, enum side_index side, const struct metric *m);

#endif
