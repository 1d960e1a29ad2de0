/// GPU activities without a time, GPU activities recorded twice, and GPU time outside of steps.
#ifndef GG_REDUCE_ACCOUNT_H
#define GG_REDUCE_ACCOUNT_H

#include "model/digest.h"

struct reducer;
struct activity;

/// Finds the activities that the driver did not time: those that begin and end at 0, and those that
/// begin at 0 or earlier and more than 1 s before the first host event. Sets their duration to 0,
/// and their start to NO_START. launches_match() later sets their start to that of their launch or,
/// if the launch is unknown, to the start of the first event. Extends `first_ns` and `last_ns` of
/// `r` by all other activities.
void account_untime(struct reducer *r);

/// Treats activities that begin much too early (is_early() in account.c) as untimed: gives them the
/// start of their launch, and the duration 0. Counts the other activities that begin more than
/// CLOCK_TICK_MAX ns before their launch.
void account_launched(struct reducer *r, struct trust_counts *t);

/// Counts timed activities, untimed activities and activities recorded twice. Sums the GPU time
/// outside of complete measured steps by cause. The activities must have steps and be sorted by
/// start.
void account_figures(struct reducer *r, struct trust_counts *t);

#endif
