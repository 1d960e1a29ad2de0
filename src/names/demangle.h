/// Demangles names of kernels after the Itanium C++ ABI (section 5.1), as far as they need it.
#ifndef GG_NAMES_DEMANGLE_H
#define GG_NAMES_DEMANGLE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

/// The name of the function `mangled` ("_Z…") with its template arguments, without return type and
/// parameters; owned by `a`. NULL if it is not such a name, or if a part of it is unknown here.
const char *demangle(struct span mangled, struct arena *a);

#endif
