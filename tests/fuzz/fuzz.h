/// Functions and variables that every fuzz target defines.
#ifndef GG_TESTS_FUZZ_H
#define GG_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Set by targets that can refuse an input: true if the last input was accepted. fuzz/replay.c
/// compares it with the list for the corpus.
__attribute__((weak)) bool fuzz_accepted;

/// Runs the target on the `size` bytes at `data`; returns 0, and crashes if a property does not
/// hold.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
