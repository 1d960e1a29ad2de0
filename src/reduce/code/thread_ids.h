/// Ids of host threads, which are identified by process and thread.
#ifndef GG_CODE_THREAD_IDS_H
#define GG_CODE_THREAD_IDS_H

#include "base/idmap.h"
#include "events/event.h"

/// An entry of a cache: a thread and its id.
struct thread_found {
	int64_t pid, tid; ///< ids of process and thread in the trace, as in event.pid and event.tid
	uint32_t thread; ///< id of the thread; NO_ID if the entry is empty
};

/// The threads of the events so far, with ids 0, 1, 2 … in order of first appearance.
struct thread_ids {
	struct idmap pids, tids; ///< ids in the trace of processes (event.pid) and of threads
	                         ///< (event.tid)
	struct idmap ids; ///< pairs (index in `pids`, index in `tids`); a pair's index is the thread id
	struct thread_found found[16]; ///< cache of thread ids, indexed by a hash of process and thread
};

/// Initializes an empty set of thread ids.
void thread_ids_init(struct thread_ids *t);
/// Releases all memory of the set.
void thread_ids_release(struct thread_ids *t);

/// Key of the thread of an event: one number made of the index of its process in `pids` and the
/// index of its thread in `tids`. A new process or thread is added.
int64_t thread_key(struct thread_ids *t, const struct event *ev);

/// Id of the thread of a host event.
static inline uint32_t thread_of(struct thread_ids *t, const struct event *ev)
{
	struct thread_found *f = &t->found[(ev->pid ^ ev->tid) & 15];
	if (f->thread == NO_ID || f->pid != ev->pid || f->tid != ev->tid)
		*f = (struct thread_found){ ev->pid, ev->tid, idmap_add(&t->ids, thread_key(t, ev)) };
	return f->thread;
}

#endif
