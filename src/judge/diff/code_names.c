#include "diff/code_names.h"

#include <stdlib.h>

ORDERING(name_cmp, struct code_name, RISING(key))

void code_names_read(struct code_names *n, const struct digest *d, const struct run_view *v)
{
	n->list.nr = 0;
	for (size_t i = 0; i < d->kernels.nr; i++)
		if (d->kernels.v[i].names == 0)
			vec_push(&n->list, (struct code_name){ code_kernel_key(d->kernels.v[i].name),
			                                       view_match(v, d->kernels.v[i].name) });
	vec_sort(&n->list, name_cmp);
}

struct span code_names_find(const struct code_names *n, uint64_t key)
{
	const struct code_name *found = key && n->list.nr
	                                    ? bsearch(&(struct code_name){ .key = key }, n->list.v,
	                                              n->list.nr, sizeof *n->list.v, name_cmp)
	                                    : NULL;
	return found ? found->match : SPAN("");
}
