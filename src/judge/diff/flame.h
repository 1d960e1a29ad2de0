/// The tree of GPU time by module, place, operator and kernel, as shown in a flame graph.
#ifndef GG_DIFF_FLAME_H
#define GG_DIFF_FLAME_H

#include "diff/bench.h"
#include "model/flame.h"

/// Largest number of nodes in a tree: the smallest nodes are left out with all nodes below them.
enum { FLAME_NODES = 150 };

/// Build the tree of the approved run and the candidates. If there is no baseline, or its code is
/// unknown, the tree is of the candidates. The tree has modules and places (functions in the code)
/// only if all sides know some. `a` owns the names, the caller the list.
void flame_of(const struct bench *b, struct arena *a, struct flame *out);

#endif
