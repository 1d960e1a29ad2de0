/// How the files that compute figures pass values to rank_figures().
#ifndef GG_MODEL_FIGURES_INTERNAL_H
#define GG_MODEL_FIGURES_INTERNAL_H

#include "model/view.h"

/// The receiver of figures, `fn` with `ctx`, and the figure that is being computed.
struct emitter {
	const struct run_view *view;
	const struct rank_view *rank;
	struct figure figure;
	figure_fn *fn;
	void *ctx;
};

/// Hand a value of the metric in e->figure to the receiver of figures. `label` is the name of the
/// item (such as a kernel) that the value is about.
void figure_emit(struct emitter *e, struct span label, int64_t value);

/// Compute a metric that compares the rank with other ranks; false if the rank lacks the figure.
bool figure_of_ranks(const struct rank_view *r, enum metric_id id, int64_t *out);

/// Pass the figures comm.* to `e`, for each kind of collective and process group.
void figures_of_collectives(struct emitter *e);

/// Pass on figures that are sums of struct code_stat, such as op.gpu_time. If `phase` is not NULL,
/// only phases that match this glob count; if `cls` is not NULL, only kernels of this class.
void figures_of_code(struct emitter *e, const char *phase, const char *cls);

/// Pass on the figure function.exclusive_pct of each function.
void figures_of_functions(struct emitter *e);

#endif
