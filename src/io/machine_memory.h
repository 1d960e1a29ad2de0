/// How much memory the process may have at most.
#ifndef GG_IO_MACHINE_MEMORY_H
#define GG_IO_MACHINE_MEMORY_H

#include <stdint.h>

/// Bytes that the machine has, or that the cgroup of this process or one above it allows, whichever
/// is less; 0 where none of it is told.
/// Source: Linux, Documentation/admin-guide/cgroup-v2.rst (memory.max) and
/// cgroup-v1/memory.rst (memory.limit_in_bytes).
uint64_t machine_memory(void);

#endif
