#include "events/snapshot.h"

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
