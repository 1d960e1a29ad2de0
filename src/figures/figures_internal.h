/// Internal to figures/: how a figure is handed on, and those of communication, functions and
/// several ranks. For rank_figures() only.
#ifndef GG_FIGURES_FIGURES_INTERNAL_H
#define GG_FIGURES_FIGURES_INTERNAL_H

#include "model/view.h"

struct emitter {
	const struct run_view *view;
	const struct rank_view *rank;
	struct figure figure;
	figure_fn *fn;
	void *ctx;
};

/// Hand on one value of the metric at hand.
void figure_emit(struct emitter *e, struct span label, int64_t value);

/// The value of a metric that needs several ranks; false where the rank has none.
bool figure_of_ranks(const struct rank_view *r, enum metric_id id, int64_t *out);

/// comm.* by kind of collective and process group.
void figures_of_collectives(struct emitter *e);

/// op.gpu_time and all that else comes from the table of where work comes from; of the phases that
/// the glob `phase` names, unless that is NULL; with `cls` only of kernels of that class.
void figures_of_code(struct emitter *e, const char *phase, const char *cls);

/// function.exclusive_pct by function.
void figures_of_functions(struct emitter *e);

#endif
