/// Makes the pin: the part of an approved run that a baseline keeps.
#ifndef GG_STORE_PIN_H
#define GG_STORE_PIN_H

#include "model/rule.h"

/// Size limit of a pin of up to PIN_RANKS ranks in bytes; with more ranks the limit grows in
/// proportion. Only data that rules ask for by name may exceed it.
enum { PIN_BYTES = 190000, PIN_RANKS = 64 };

/// Size limit of the pin of a folded run in bytes.
enum { PIN_FOLDED_BYTES = 1900000 };

/// Makes `out` from `run` as a baseline stores it: exactly what checks of `rules` compare, and of
/// the rest as much as fits. Data that explains only a single run is left out; the smallest kernels
/// and operators are summed; many steps are kept as statistics. Names are normalized by `naming`.
/// Texts are borrowed from `run`. Caller releases with run_release().
void pin_make(const struct run *run, const struct rules *rules, const struct naming *naming,
              struct run *out);

#endif
