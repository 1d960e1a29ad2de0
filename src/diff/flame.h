/// The tree of GPU time by module, place, operator and kernel.
#ifndef GG_DIFF_FLAME_H
#define GG_DIFF_FLAME_H

#include "diff/bench.h"
#include "model/flame.h"

/// Nodes of a tree at most: the smallest are left out, with all below them.
enum { FLAME_NODES = 150 };

/// The tree of the pin and the candidates; of the candidates only if there is no baseline or
/// nothing is known of its code. Modules and places are told where all sides know some. Names are
/// owned by `a`, the list by the caller.
void flame_of(const struct bench *b, struct arena *a, struct flame *out);

#endif
