/// Splits series where their level changes lastingly, since differences between levels are not
/// noise.
#ifndef GG_DIFF_LEVELS_H
#define GG_DIFF_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Split groups of values at their change points (changes.h). `group` holds the group of each of
/// the `nr` values, oldest first; values after a group's first change point get new group numbers.
/// A group that drifts is not split, since the drift shows how far its values may move. Each group
/// is searched in pieces of 64 successive values, so that the time does not grow with the square of
/// `nr`; the oldest piece may be shorter. `early`: three values are a level (changes.h).
void levels_split(const double *v, uint64_t *group, size_t nr, bool early);

#endif
