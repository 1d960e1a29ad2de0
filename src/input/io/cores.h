/// Cores and memory that this process may use.
#ifndef GG_IO_CORES_H
#define GG_IO_CORES_H

#include <stddef.h>
#include <stdint.h>

/// Number of cores that the scheduler and the control group of the process allow; at least 1.
size_t cores_usable(void);

/// The quota of CPU time of a control group, in whole cores, rounded up; SIZE_MAX if there is none.
/// `groups` is the text of a file /proc/PID/cgroup, `root` the mount point of the control groups.
/// The limits of parent groups count too, and also the limit of the root itself, because a
/// container sees its own group as the root. Source: Documentation/admin-guide/cgroup-v2.rst,
/// Documentation/scheduler/sched-bwc.rst of Linux (cpu.max; cpu.cfs_quota_us and cpu.cfs_period_us
/// of version 1).
size_t cores_quota(const char *groups, const char *root);

/// Bytes of memory that this process may use: the memory of the machine, or the lowest limit of the
/// process's control group and its parents, whichever is less. 0 if unknown. Source: Linux,
/// Documentation/admin-guide/cgroup-v2.rst (memory.max), cgroup-v1/memory.rst
/// (memory.limit_in_bytes).
uint64_t machine_memory(void);

#endif
