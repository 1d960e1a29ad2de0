/// Row types of what is folded, without the numbers of ranks.
#ifndef GG_FOLD_FOLD_ROWS_H
#define GG_FOLD_FOLD_ROWS_H

#include "model/rows.h"

extern const struct schema fold_deed_row, fold_figure_row, fold_series_row;

#endif
