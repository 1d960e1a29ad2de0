/// Row types for the lists in a fold. Lists of numbers with one number per rank have no row type:
/// they are stored as columns (store/fold_json.c).
#ifndef GG_FOLD_FOLD_ROWS_H
#define GG_FOLD_FOLD_ROWS_H

#include "model/rows.h"

extern const struct schema fold_deed_row, fold_figure_row, fold_series_row;

#endif
