/// The amount of memory that the process may use.
#ifndef GG_IO_MACHINE_MEMORY_H
#define GG_IO_MACHINE_MEMORY_H

#include <stdint.h>

/// Memory of the machine in bytes, or the limit of the process's cgroup or of one above it if that
/// is lower; 0 if unknown. Source: Linux, Documentation/admin-guide/cgroup-v2.rst (memory.max) and
/// cgroup-v1/memory.rst (memory.limit_in_bytes).
uint64_t machine_memory(void);

#endif
