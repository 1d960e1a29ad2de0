/// The part of a run that a baseline keeps.
#ifndef GG_STORE_PIN_H
#define GG_STORE_PIN_H

#include "model/rule.h"

/// What a pin takes of a file at most, in bytes: of more ranks proportionally more. Only
/// what the rules ask for by name may make it larger.
enum { PIN_BYTES = 190000, PIN_RANKS = 64 };

/// The same of a folded run.
enum { PIN_FOLDED_BYTES = 1900000 };

/// `run` as a baseline stores it: what any check of `rules` compares, exactly, and of the
/// rest as much as has room. Without what explains only one run; the smallest kernels
/// and operators as sums; many steps as their statistics. Names are looked at as
/// `naming` says. Texts are borrowed from `run`. Caller releases with run_release().
void pin_make(const struct run *run, const struct rules *rules, const struct naming *naming,
              struct run *out);

#endif
