/// What every fuzz target defines.
#ifndef GG_TESTS_FUZZ_H
#define GG_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Set by a target that can refuse: whether it took its last input (fuzz/replay.c holds the corpus
/// to it).
__attribute__((weak)) bool fuzz_accepted;

/// Read `size` bytes at `data` as the target does; returns 0, and crashes on a broken law.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
