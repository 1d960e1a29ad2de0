/// How long each host thread was in calls and operators.
#ifndef GG_REDUCE_THREADS_H
#define GG_REDUCE_THREADS_H

#include "code/thread_ids.h"
#include "model/digest.h"

struct reducer;

/// Time that a thread was in calls and operators, and in operators.
struct thread_times {
	int64_t busy_ns, op_ns;
};

/// Walk all spans by thread and start: sums of operators, times of threads.
void threads_walk(struct reducer *r);

/// Rows of operators and threads.
void thread_figures(const struct reducer *r, struct digest *d);

#endif
