/// Times of host threads in calls and operators.
#ifndef GG_REDUCE_THREADS_H
#define GG_REDUCE_THREADS_H

#include "code/thread_ids.h"
#include "model/digest.h"

struct reducer;

/// Time that a thread spends in calls and operators together, and in operators only.
struct thread_times {
	int64_t busy_ns, op_ns;
};

/// Walks the spans of each thread in order of start. Computes the sums by operator and the times of
/// threads, and looks up the code around launches and waits.
void threads_walk(struct reducer *r);

/// Makes rows of operators and threads.
void thread_figures(const struct reducer *r, struct digest *d);

#endif
