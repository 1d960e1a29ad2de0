/// The account of the GPU activities: those without a time, those recorded twice, and where the
/// time of all lies.
#ifndef GG_REDUCE_ACCOUNT_H
#define GG_REDUCE_ACCOUNT_H

#include "model/digest.h"

struct reducer;
struct activity;

/// Finds the activities that the driver did not time: they begin and end at 0, or begin there while
/// all other events begin more than 1 s later. They lose their duration, and have NO_START until
/// launches_match() lets them begin with their launch, or else with the first event. The range of
/// times then holds all other activities.
void account_untime(struct reducer *r);

/// Takes the times of the activities that are too early, which then begin with their launch; of the
/// others counts those that begin before it.
void account_launched(struct reducer *r, struct trust_counts *t);

/// Counts timed, untimed and twice recorded activities, and divides the time of all, from the
/// activities sorted by start, which have steps.
void account_figures(struct reducer *r, struct trust_counts *t);

#endif
