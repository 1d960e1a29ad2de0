/// Demangles names of kernels: the part of the Itanium C++ ABI (section 5.1) that such names need.
#ifndef GG_NAMES_DEMANGLE_H
#define GG_NAMES_DEMANGLE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

/// The name of the function `mangled` ("_Z…") with its template arguments, without return type and
/// parameters; owned by `a`. NULL if `mangled` is not such a name, or if it has a part that this
/// function does not know.
const char *demangle(struct span mangled, struct arena *a);

#endif
