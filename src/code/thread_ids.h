/// Ids of host threads, by their process and thread.
#ifndef GG_CODE_THREAD_IDS_H
#define GG_CODE_THREAD_IDS_H

#include "code/ids.h"

/// An entry of a cache of thread ids.
struct thread_found {
	int64_t pid, tid; ///< idents
	uint32_t thread; ///< id; NO_ID: the entry is empty
};

struct thread_ids {
	struct idmap pids, tids; ///< idents
	struct idmap ids; ///< (pid id, tid id)
	struct thread_found found[16]; ///< cache
};

/// Makes it ready for use.
void thread_ids_init(struct thread_ids *t);
/// Releases what it holds.
void thread_ids_release(struct thread_ids *t);

/// The ids of a part's processes and threads.
void thread_ids_join(struct thread_ids *to, const struct thread_ids *from, struct part_ids *ids);

/// Pid id and tid id of an event, as one key.
int64_t thread_key(struct thread_ids *t, const struct event *ev);

/// The same of a part in the whole.
int64_t thread_key_join(int64_t key, const struct part_ids *ids);

/// Thread id of a host event.
static inline uint32_t thread_of(struct thread_ids *t, const struct event *ev)
{
	struct thread_found *f = &t->found[(ev->pid ^ ev->tid) & 15];
	if (f->thread == NO_ID || f->pid != ev->pid || f->tid != ev->tid)
		*f = (struct thread_found){ ev->pid, ev->tid, idmap_add(&t->ids, thread_key(t, ev)) };
	return f->thread;
}

#endif
