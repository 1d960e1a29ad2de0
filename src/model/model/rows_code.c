/* Row types for places in the code where work comes from, and the paths in these rows. */
#include "model/code.h"
#include "model/rows_internal.h"

const char *const code_kind_names[] = { "kernel", "memcpy", "memset", "sync", NULL };

#define ROW code_stat
static const struct field code_stat_fields[] = {
	KEY(ORDER, kind, ENUM(code_kind_names), 1, NAMES_ROW),
	KEY(ORDER, phase, ENUM(phase_names), 1, NAMES_ROW),
	KEY(ORDER, module, OPTIONAL_NAME, 1),
	KEY(ORDER, place, OPTIONAL_NAME, 1),
	KEY(ORDER, line, OPTIONAL_COUNT(-1), 1),
	KEY(ORDER, op, OPTIONAL_NAME, 1),
	KEY(ORDER, kernel, HASH, 1),
	FIELD(count, COUNT, SUM, SUM, 1),
	FIELD(total_ns, COUNT, SUM, SUM, 1),
	FIELD(bytes, OPTIONAL_NUMBER(0), SUM, SUM, 1),
	FIELD(names, OPTIONAL_NUMBER(0), MAX, NAMES, 1),
};
ROW_TYPE(code_stat, LISTED, SUMS(code_stat));
#undef ROW

#define ROW range_stat
static const struct field range_stat_fields[] = {
	KEY(ORDER, name, NAME, 1, SUMS_LAST),
	FIELD(count, COUNT, SUM, SUM, 1),
	FIELD(total_ns, COUNT, SUM, SUM, 1),
	FIELD(names, OPTIONAL_NUMBER(0), MAX, NAMES, 1),
};
ROW_TYPE(range_stat, LISTED, SUMS(range_stat));
#undef ROW

int code_stat_cmp(const void *a, const void *b)
{
	return row_cmp(&code_stat_row, a, b);
}

int range_stat_cmp(const void *a, const void *b)
{
	return row_cmp(&range_stat_row, a, b);
}

/* The hash is FNV-1a with 64 bits; 1 replaces 0. */
uint64_t code_kernel_key(struct span name)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < name.n; i++)
		h = (h ^ (unsigned char)name.p[i]) * 1099511628211u;
	return h ? h : 1;
}

/* ---- paths of modules and operators ---- */

bool code_path_next(struct span *path, struct span *name)
{
	if (!path->n)
		return false;
	const char *end = memchr(path->p, CODE_BETWEEN, path->n);
	size_t n = end ? (size_t)(end - path->p) : path->n, skip = n + (end != NULL);
	*name = (struct span){ path->p, n };
	*path = (struct span){ path->p + skip, path->n - skip };
	return true;
}

struct span code_path_last(struct span path)
{
	const char *before = path.n ? memrchr(path.p, CODE_BETWEEN, path.n) : NULL;
	return before ? (struct span){ before + 1, (size_t)(path.p + path.n - before - 1) } : path;
}

bool code_path_has(struct span path, struct span name)
{
	struct span at;
	while (code_path_next(&path, &at))
		if (span_eq(at, name))
			return true;
	return false;
}
