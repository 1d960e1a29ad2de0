/// Internal to figures/, for rank_figures() only: how figures are passed on, and the figures of
/// communication, functions and several ranks.
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

/// Pass on one value of the current metric.
void figure_emit(struct emitter *e, struct span label, int64_t value);

/// Value of a metric that compares several ranks; false if the rank has none.
bool figure_of_ranks(const struct rank_view *r, enum metric_id id, int64_t *out);

/// Figures comm.* by kind of collective and process group.
void figures_of_collectives(struct emitter *e);

/// Figures from the code table, such as op.gpu_time. If `phase` is not NULL, only phases that match
/// this glob count; if `cls` is not NULL, only kernels of this class.
void figures_of_code(struct emitter *e, const char *phase, const char *cls);

/// Figure function.exclusive_pct of each function.
void figures_of_functions(struct emitter *e);

#endif
