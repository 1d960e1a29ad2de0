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

/* Number of cores that one control group may use, SIZE_MAX if it has no quota. `both` is true for
 * version 2 of control groups, in which one file has both quota and period. */
static size_t quota_of_group(struct span group, bool both)
{
	char text[128], period_text[64];
	uint64_t quota, period;
	const char *at = text, *period_at = period_text;
	if (!read_text(group, both ? "cpu.max" : "cpu.cfs_quota_us", text, sizeof text) ||
	    !next_number(&at, &quota))
		return SIZE_MAX;
	if (both)
		period_at = at;
	else if (!read_text(group, "cpu.cfs_period_us", period_text, sizeof period_text))
		return SIZE_MAX;
	if (!next_number(&period_at, &period) || !period)
		return SIZE_MAX;
	uint64_t cores = quota / period + (quota % period > 0);
	return cores ? (size_t)cores : 1;
}

/* Number of cores that a control group and all groups above it allow; SIZE_MAX without a quota. */
static size_t quota_of_path(const char *root, bool both, struct span path)
{
	struct strbuf group = STRBUF_INIT;
	size_t least = SIZE_MAX;
	strbuf_addf(&group, "%s%s", root, both ? "" : "/cpu");
	size_t top = group.n;
	for (strbuf_add(&group, path);; strbuf_setlen(&group, group.n - 1)) {
		if (group.n == top || group.p[group.n - 1] != '/') {
			size_t one = quota_of_group(strbuf_span(&group), both);
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

/* True if "cpu" is among the controllers in a line of a /proc/PID/cgroup file of version 1. */
static bool has_cpu(struct span controllers)
{
	for (size_t i = 0, end; i < controllers.n; i = end + 1) {
		for (end = i; end < controllers.n && controllers.p[end] != ',';)
			end++;
		if (span_eq((struct span){ controllers.p + i, end - i }, SPAN("cpu")))
			return true;
	}
	return false;
}

/* Each line of `groups` is ID:CONTROLLERS:PATH; for control groups of version 2, CONTROLLERS is
   empty. */
size_t cores_quota(const char *groups, const char *root)
{
	size_t least = SIZE_MAX;
	for (const char *line = groups; *line;) {
		size_t n = strcspn(line, "\n");
		const char *first = memchr(line, ':', n);
		const char *second = first ? memchr(first + 1, ':', n - (size_t)(first + 1 - line)) : NULL;
		if (second) {
			struct span controllers = { first + 1, (size_t)(second - first - 1) };
			struct span path = { second + 1, n - (size_t)(second + 1 - line) };
			size_t one = controllers.n == 0     ? quota_of_path(root, true, path)
			             : has_cpu(controllers) ? quota_of_path(root, false, path)
			                                    : SIZE_MAX;
			least = one < least ? one : least;
		}
		line += n + (line[n] == '\n');
	}
	return least;
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
	char groups[4096];
	size_t nr = cores_scheduled(), quota = SIZE_MAX;
	if (read_text(SPAN("/proc/self"), "cgroup", groups, sizeof groups))
		quota = cores_quota(groups, "/sys/fs/cgroup");
	return quota < nr ? quota : nr;
}
