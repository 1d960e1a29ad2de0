/// Names ("keys") of facts about a run's environment, such as "gpu.name" and "batch_size": the
/// known ones, and those that users add.
#ifndef GG_RULES_ENV_KEY_H
#define GG_RULES_ENV_KEY_H

#include <stdbool.h>

#include "base/span.h"

/// The form of a key, for messages.
#define ENV_KEY_FORM "a key is lower-case letters, digits, '_' and '.', a letter first"

/// True if `key` has the form ENV_KEY_FORM and 1 to 64 characters.
bool env_key_is_valid(struct span key);

/// The known key that `key` probably misspells. NULL if `key` is a known key, or similar to no
/// known key. Static.
const char *env_key_near(struct span key);

#endif
