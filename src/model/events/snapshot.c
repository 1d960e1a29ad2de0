#include "events/snapshot.h"

#include "events/memory_record.h"

void snapshot_init(struct snapshot *s)
{
	*s = (struct snapshot){ 0 };
	name_table_init(&s->names);
}

void snapshot_release(struct snapshot *s)
{
	for (size_t i = 0; i < s->traces.nr; i++)
		vec_release(&s->traces.v[i].entries);
	name_table_release(&s->names);
	vec_release(&s->frames);
	vec_release(&s->frame_ids);
	vec_release(&s->stacks);
	vec_release(&s->segments);
	vec_release(&s->blocks);
	vec_release(&s->traces);
	vec_release(&s->annotations);
	*s = (struct snapshot){ 0 };
}

void memory_timeline_release(struct memory_timeline *t)
{
	vec_release(&t->rows);
}

void xprof_profile_release(struct xprof_profile *p)
{
	for (size_t i = 0; i < p->memories.nr; i++) {
		vec_release(&p->memories.v[i].states);
		vec_release(&p->memories.v[i].samples);
		vec_release(&p->memories.v[i].specials);
		vec_release(&p->memories.v[i].actives);
	}
	vec_release(&p->memories);
	name_table_release(&p->names);
}
