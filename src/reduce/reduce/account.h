/// GPU activities without a time, GPU activities recorded twice, and GPU time outside of steps.
#ifndef GG_REDUCE_ACCOUNT_H
#define GG_REDUCE_ACCOUNT_H

#include "model/digest.h"

struct reducer;
struct activity;

/// Finds the activities that the driver did not time. They begin and end at 0, or begin at 0 or
/// before, while the first host event begins more than 1 s later. Sets their duration to 0, and
/// their start to NO_START. launches_match() later sets it to the start of their launch or, if that
/// is unknown, to the start of the first event. Extends `first_ns` and `last_ns` of `r` by all
/// other activities.
void account_untime(struct reducer *r);

/// Treats activities that begin much too early (is_early()) as untimed: they then begin with their
/// launch and have no duration. Counts the other activities that begin more than CLOCK_TICK_MAX ns
/// before their launch.
void account_launched(struct reducer *r, struct trust_counts *t);

/// Counts timed activities, untimed ones and those recorded twice. Sums the GPU time outside of
/// complete measured steps by cause. The activities must have steps and be sorted by start.
void account_figures(struct reducer *r, struct trust_counts *t);

#endif
