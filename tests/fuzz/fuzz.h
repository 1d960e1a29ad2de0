/// The entry point that every fuzz target defines, and nothing else.
#ifndef GG_TESTS_FUZZ_H
#define GG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/// Read `size` bytes at `data` as the target does; returns 0, and crashes on a broken law.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
