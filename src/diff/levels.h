/// Levels of a series: what lies between two of them is not noise.
#ifndef GG_DIFF_LEVELS_H
#define GG_DIFF_LEVELS_H

#include <stddef.h>
#include <stdint.h>

/// Split the groups of `nr` values, each oldest first, where the level of one has changed for
/// good (changes.h): a group keeps its number up to its first change. What drifts has no levels:
/// it shows how far it may go. Groups are looked at in pieces of 64 values, of which the oldest
/// may be shorter, so that the time does not grow with the square of the past.
void levels_split(const double *v, uint64_t *group, size_t nr);

#endif
