#include "code/thread_ids.h"

void thread_ids_init(struct thread_ids *t)
{
	for (size_t i = 0; i < sizeof t->found / sizeof *t->found; i++)
		t->found[i].thread = NO_ID;
	idmap_init(&t->pids);
	idmap_init(&t->tids);
	idmap_init(&t->ids);
}

void thread_ids_release(struct thread_ids *t)
{
	idmap_release(&t->pids);
	idmap_release(&t->tids);
	idmap_release(&t->ids);
}

int64_t thread_key(struct thread_ids *t, const struct event *ev)
{
	return idmap_pair(idmap_add(&t->pids, ev->pid), idmap_add(&t->tids, ev->tid));
}
