#include "events/memory_record.h"

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
