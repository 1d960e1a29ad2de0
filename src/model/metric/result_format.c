#include "metric/result_format.h"

void result_formats_release(struct result_formats *f)
{
	for (size_t i = 0; i < f->list.nr; i++) {
		struct result_format *r = &f->list.v[i];
		vec_release(&r->has);
		vec_release(&r->skip);
		vec_release(&r->only);
		vec_release(&r->work);
		vec_release(&r->work_done);
		vec_release(&r->ignore);
		vec_release(&r->valid);
		vec_release(&r->take);
		vec_release(&r->samples);
	}
	vec_release(&f->list);
	arena_release(&f->arena);
}
