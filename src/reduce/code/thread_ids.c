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

int64_t thread_key_join(int64_t key, const struct part_ids *ids)
{
	return idmap_pair(ids->of[IDS_PID].v[idmap_pair_first(key)], ids->of[IDS_TID].v[(uint32_t)key]);
}

void thread_ids_join(struct thread_ids *to, const struct thread_ids *from, struct part_ids *ids)
{
	idmap_join_idents(&to->pids, &from->pids, ids, IDS_PID);
	idmap_join_idents(&to->tids, &from->tids, ids, IDS_TID);
	idmap_join_pairs(&to->ids, &from->ids, ids, IDS_PID, IDS_TID, IDS_THREAD);
}
