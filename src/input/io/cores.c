#include "io/cores.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/strbuf.h"

/* Reads the file PATH/NAME as text; false if it cannot be read. */
static bool read_text(struct span path, const char *name, char *out, size_t size)
{
	struct strbuf file = STRBUF_INIT;
	strbuf_add(&file, path);
	strbuf_addf(&file, "/%s", name);
	FILE *f = fopen(strbuf_str(&file), "re");
	strbuf_release(&file);
	if (!f)
		return false;
	out[fread(out, 1, size - 1, f)] = '\0';
	fclose(f);
	return true;
}

static bool next_number(const char **text, uint64_t *out)
{
	*text += strspn(*text, " \n");
	size_t n = strcspn(*text, " \n");
	bool ok = number_parse_u64((struct span){ *text, n }, out);
	*text += n;
	return ok;
}

/* Number of cores that one control group may use; UINT64_MAX if it has no quota. `both` is true for
 * version 2, which has quota and period in one file, and "max" if there is no quota. */
static uint64_t cores_of_group(struct span group, bool both)
{
	char text[128], period_text[64];
	uint64_t quota, period;
	const char *at = text, *period_at = period_text;
	if (!read_text(group, both ? "cpu.max" : "cpu.cfs_quota_us", text, sizeof text) ||
	    !next_number(&at, &quota))
		return UINT64_MAX;
	if (both)
		period_at = at;
	else if (!read_text(group, "cpu.cfs_period_us", period_text, sizeof period_text))
		return UINT64_MAX;
	if (!next_number(&period_at, &period) || !period)
		return UINT64_MAX;
	uint64_t cores = quota / period + (quota % period > 0);
	return cores ? cores : 1;
}

/* Limit of the memory of one control group in bytes; UINT64_MAX if it has none ("max"). */
static uint64_t memory_of_group(struct span group, bool v2)
{
	char text[64];
	uint64_t bytes;
	const char *at = text;
	bool known = read_text(group, v2 ? "memory.max" : "memory.limit_in_bytes", text, sizeof text) &&
	             next_number(&at, &bytes);
	return known ? bytes : UINT64_MAX;
}

/* A resource with a limit: the name of its controller in version 1, and a function that returns the
   limit of one group. */
struct limited {
	const char *controller;
	uint64_t (*of_group)(struct span group, bool v2);
};

/* The lowest limit of a control group and all groups above it. */
static uint64_t limit_of_path(const struct limited *l, const char *root, bool v2, struct span path)
{
	struct strbuf group = STRBUF_INIT;
	uint64_t least = UINT64_MAX;
	strbuf_addf(&group, v2 ? "%s" : "%s/%s", root, l->controller);
	size_t top = group.n;
	for (strbuf_add(&group, path);; strbuf_setlen(&group, group.n - 1)) {
		if (group.n == top || group.p[group.n - 1] != '/') {
			uint64_t one = l->of_group(strbuf_span(&group), v2);
			least = one < least ? one : least;
		}
		while (group.n > top && group.p[group.n - 1] != '/')
			strbuf_setlen(&group, group.n - 1);
		if (group.n == top)
			break;
	}
	strbuf_release(&group);
	return least;
}

/* True if `controller` is in the list of a line of a /proc/PID/cgroup file of version 1. */
static bool has_controller(struct span list, const char *controller)
{
	while (list.n)
		if (span_eq(span_cut(&list, ','), span_of(controller)))
			return true;
	return false;
}

/* The lowest limit of the groups in `groups`. Each line is ID:CONTROLLERS:PATH; for control groups
   of version 2, CONTROLLERS is empty. */
static uint64_t limit_of(const struct limited *l, const char *groups, const char *root)
{
	uint64_t least = UINT64_MAX;
	for (struct span rest = span_of(groups); rest.n;) {
		struct span path = span_cut(&rest, '\n');
		span_cut(&path, ':');
		struct span controllers = span_cut(&path, ':');
		bool v2 = controllers.n == 0, whole = path.p > controllers.p + controllers.n;
		uint64_t one = whole && (v2 || has_controller(controllers, l->controller))
		                   ? limit_of_path(l, root, v2, path)
		                   : UINT64_MAX;
		least = one < least ? one : least;
	}
	return least;
}

/* The lowest limit of the groups of this process. */
static uint64_t limit_of_process(const struct limited *l)
{
	char groups[4096];
	bool known = read_text(SPAN("/proc/self"), "cgroup", groups, sizeof groups);
	return known ? limit_of(l, groups, "/sys/fs/cgroup") : UINT64_MAX;
}

static const struct limited cores = { "cpu", cores_of_group };
static const struct limited memory = { "memory", memory_of_group };

size_t cores_quota(const char *groups, const char *root)
{
	return (size_t)limit_of(&cores, groups, root);
}

static size_t cores_scheduled(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
		return (size_t)CPU_COUNT(&set);
	long nr = sysconf(_SC_NPROCESSORS_ONLN); /* sched_getaffinity() fails on a machine with more
	                                            cores than the set can hold */
	return nr > 0 ? (size_t)nr : 1;
}

size_t cores_usable(void)
{
	size_t nr = cores_scheduled();
	uint64_t quota = limit_of_process(&cores);
	return quota < nr ? (size_t)quota : nr;
}

uint64_t machine_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
	uint64_t limit = limit_of_process(&memory), least = limit < all ? limit : all;
	return least == UINT64_MAX ? 0 : least;
}
