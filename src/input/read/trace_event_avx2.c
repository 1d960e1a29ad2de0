/* Compiles trace_event.c a second time, for processors with AVX2; read_elements() chooses between
 * the two. */
#include "read/trace_internal.h"

#if GG_AVX2
#define read_elements_any read_elements_avx2
// NOLINTNEXTLINE(bugprone-suspicious-include): the same code with other instructions
#include "read/trace_event.c"
#endif
