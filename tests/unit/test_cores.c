/* The quota of control groups, in a folder that looks like /sys/fs/cgroup. */
#include "io/cores.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* these headers come first because cmocka.h needs them */
#include <cmocka.h>

static char root[] = "/tmp/gpugate-cores-XXXXXX";

static void put(const char *path, const char *text)
{
	char file[PATH_MAX];
	snprintf(file, sizeof file, "%s/%s", root, path);
	for (char *p = file + sizeof root; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(file, 0700);
		*p = '/';
	}
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void quotas(void **state)
{
	static const struct {
		const char *groups;
		size_t cores;
	} rows[] = {
		{ "0::/job/rank0\n", 3 }, /* the quota of the group itself, 2.5 cores */
		{ "0::/job/rank1\n", 4 }, /* the quota of the group above, "job" */
		{ "0::/other/not/mounted/here\n", 8 }, /* as in a container: the root's quota */
		{ "0::/\n", 8 },
		{ "0::/job/rank2", 1 }, /* a quota below one core counts as one */
		{ "0::/job/broken\n", 4 },
		{ "5:cpuset:/x\n2:cpu,cpuacct:/y\n", 2 },
		{ "2:cpuacct:/y\n", SIZE_MAX },
		{ "2:cpu:/unlimited\n0::/job/rank1\n", 4 },
		{ "2:cpu:/z\n", SIZE_MAX }, /* no file with the period of the quota */
		{ "", SIZE_MAX },
		{ "no line of this form\n:\n", SIZE_MAX },
	};
	(void)state;
	put("cpu.max", "800000 100000\n");
	put("job/cpu.max", "400000 100000\n");
	put("job/rank0/cpu.max", "250000 100000\n");
	put("job/rank1/cpu.max", "max 100000\n");
	put("job/rank2/cpu.max", "1000 100000\n");
	put("job/broken/cpu.max", "100000 0\n");
	put("cpu/y/cpu.cfs_quota_us", "200000\n");
	put("cpu/y/cpu.cfs_period_us", "100000\n");
	put("cpu/unlimited/cpu.cfs_quota_us", "-1\n");
	put("cpu/unlimited/cpu.cfs_period_us", "100000\n");
	put("cpu/z/cpu.cfs_quota_us", "100000\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(cores_quota(rows[i].groups, root), rows[i].cores);
	assert_int_equal(cores_quota("0::/job\n", "/nowhere/at/all"), SIZE_MAX);
	assert_true(cores_usable() >= 1);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[PATH_MAX];
	(void)state;
	snprintf(command, sizeof command, "rm -r '%s'", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(quotas) };
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
