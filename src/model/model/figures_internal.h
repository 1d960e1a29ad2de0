/// How the files that compute figures pass values to rank_figures().
#ifndef GG_MODEL_FIGURES_INTERNAL_H
#define GG_MODEL_FIGURES_INTERNAL_H

#include "base/strbuf.h"
#include "model/step_figures.h"
#include "model/view.h"

/// The receiver of figures (`fn`, called with `ctx`), and the figure that is being computed.
struct emitter {
	const struct run_view *view;
	const struct rank_view *rank;
	struct figure figure;
	figure_fn *fn;
	void *ctx;
};

/// Hands a value of the metric in e->figure to the receiver of figures. `label` is the name of the
/// item (such as a kernel) that the value is about.
void figure_emit(struct emitter *e, struct span label, int64_t value);

/// The contribution of one row to the figure of the item `label`: an amount, or numerator and
/// denominator of a ratio.
struct figure_part {
	struct span label;
	__int128 num; ///< amount; of a bandwidth, bytes · NS_PER_S
	__int128 den; ///< only of a bandwidth: time in ns
	const struct function_stat *function; ///< only of function metrics
};

/// A growable list of parts.
struct figure_parts {
	VEC(struct figure_part) list;
};

/// Adds up the parts of each label, hands the figures to the receiver, and releases the list. The
/// figure is the sum of `num`, divided by the number of complete measured steps; for a percentage
/// by the time of the window, and for a bandwidth by the sum of `den`.
void figure_emit_parts(struct emitter *e, struct figure_parts *parts);

/// Makes a label of the bytes in `text`, and releases `text`. The label lives as long as the view.
/// It is empty if the table of labels is full.
struct span label_take(const struct run_view *v, struct strbuf *text);

/// Sets the samples of a figure of steps.
static inline void figure_take_samples(struct figure *f, const struct step_samples *s)
{
	f->samples = s->value;
	f->nr = s->usable;
	f->steps = s->step;
	f->nr_all = s->nr;
}

/// Computes a metric that compares the rank with other ranks; false if the rank lacks the figure.
bool figure_of_ranks(const struct rank_view *r, enum metric_id id, int64_t *out);

/// Passes the figures comm.* to `e`, for each kind of collective and process group.
void figures_of_collectives(struct emitter *e);

/// Passes on figures that are sums of struct code_stat, such as op.gpu_time. If `phase` is not
/// NULL, only work in phases that match this glob counts; if `cls` is not NULL, only kernels of
/// this class. Annotations are not divided by phase or class: they have no figures if `phase` is
/// set, and ignore `cls`.
void figures_of_code(struct emitter *e, const char *phase, const char *cls);

/// Passes on the figure function.exclusive_pct of each function.
void figures_of_functions(struct emitter *e);

#endif
