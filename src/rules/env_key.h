/// Keys of the environment of a run ("gpu.name", "batch_size"): those that are known, and others.
#ifndef GG_RULES_ENV_KEY_H
#define GG_RULES_ENV_KEY_H

#include <stdbool.h>

#include "base/span.h"

/// What a key is made of, for messages.
#define ENV_KEY_FORM "a key is lower-case letters, digits, '_' and '.', a letter first"

/// True if `key` has that form, and 1 to 64 characters.
bool env_key_is_valid(struct span key);

/// The known key that `key` is almost, but not quite; NULL for a known one and for one of the
/// user's own; static.
const char *env_key_near(struct span key);

#endif
