/// Host threads: their ids, and how long each was in calls and operators.
#ifndef GG_REDUCE_THREADS_H
#define GG_REDUCE_THREADS_H

#include "model/digest.h"
#include "reduce/ids.h"

/// Time that a thread was in calls and operators, and in operators.
struct thread_times {
	int64_t busy_ns, op_ns;
};

/// An entry of a cache of thread ids.
struct thread_found {
	int64_t pid, tid; ///< idents
	uint32_t thread; ///< id; NO_ID: the entry is empty
};

struct threads {
	struct idmap pids, tids; ///< idents
	struct idmap ids; ///< (pid id, tid id)
	struct thread_found found[16]; ///< cache
	VEC(struct thread_times) times; ///< by thread id, from threads_walk() on
};

/// Ready for use, and back.
void threads_init(struct threads *t);
void threads_release(struct threads *t);

/// The ids of the part's processes and threads.
void threads_join_ids(struct reducer *to, struct reducer *from);

/// Pid id and tid id of an event, as one key.
int64_t thread_key(struct threads *t, const struct event *ev);

/// Thread id of a host event.
static inline uint32_t thread_of(struct threads *t, const struct event *ev)
{
	struct thread_found *f = &t->found[(ev->pid ^ ev->tid) & 15];
	if (f->thread == NO_ID || f->pid != ev->pid || f->tid != ev->tid)
		*f = (struct thread_found){ ev->pid, ev->tid, idmap_add(&t->ids, thread_key(t, ev)) };
	return f->thread;
}

/// Walk all spans by thread and start: sums of operators, times of threads.
void threads_walk(struct reducer *r);

/// Rows of operators and threads.
void thread_figures(const struct reducer *r, struct digest *d);

#endif
