/// Tables of the keys of a YAML map, and the check of a document against them.
#ifndef GG_RULES_KEYS_H
#define GG_RULES_KEYS_H

#include <stdint.h>

#include "rules/yaml_reader.h"

/// Limits of what a file may hold.
enum { MAX_KEYS = 24, MAX_TEXT = 16384, MAX_ID = 100, MAX_ITEMS = 1000, MAX_PROFILES = 32 };

enum key_kind {
	KEY_TEXT,
	KEY_ID, ///< a text of letters, digits, '.', '_' and '-'
	KEY_WORKLOAD, ///< a text that can be part of a file name
	KEY_WORD, ///< one of `words`
	KEY_METRIC, ///< the same, or the name or pattern of a figure of metrics files: input.NAME
	KEY_INTEGER, ///< from `min` to `max`
	KEY_NUMBER, ///< the same, with up to six decimals
	KEY_DATE, ///< 2027-01-31
	KEY_SHARE, ///< from 0% to 100%
	KEY_LIMIT, ///< a number with a unit
	KEY_AND, ///< the same, or `X% of step`
	KEY_MAP,
	KEY_NAMED, ///< from names of the user's own, each a KEY_ID, to maps
	KEY_TEXTS, ///< list of texts
	KEY_MAPS, ///< list of maps
};

enum key_need { OPTIONAL, REQUIRED, ONE_OF }; ///< ONE_OF: at least one of those that say so

/// Word number `i` of an enumeration, NULL past the last; its number is the value of the enum.
typedef const char *word_fn(size_t i);

struct key_map;

/// One key: what the reader checks and the schema says.
struct key {
	const char *name;
	enum key_kind kind;
	enum key_need need;
	const char *meaning; ///< one line
	word_fn *words; ///< KEY_WORD, KEY_METRIC
	const struct key_map *map; ///< KEY_MAP, KEY_NAMED, KEY_MAPS
	int64_t min, max; ///< KEY_INTEGER, KEY_NUMBER; items of KEY_NAMED
};

struct key_map {
	const char *name; ///< for "unknown key in …"
	const struct key *keys;
	size_t nr; ///< at most MAX_KEYS
};

/// A row of a table, and a table with the name that messages give its map.
#define KEY(name_, kind_, need_, meaning_, ...)                                                   \
	{                                                                                             \
		.name = (name_), .kind = KEY_##kind_, .need = (need_), .meaning = (meaning_), __VA_ARGS__ \
	}
#define KEY_TABLE(label, table)                                                 \
	{                                                                           \
		.name = (label), .keys = (table), .nr = sizeof(table) / sizeof *(table) \
	}

/// Check `map` and all below it: known keys, each once, of the right type and
/// range, the required ones there. Texts come out without control characters.
GG_MUST_CHECK enum status keys_check(struct document *d, const struct node *map,
                                     const struct key_map *keys);

/// Check one value of `key`.
GG_MUST_CHECK enum status keys_check_value(struct document *d, const struct key *key,
                                           const struct node *value);

/// Number of the word that a checked KEY_WORD holds; `absent` for NULL.
int keys_word(word_fn *words, const struct node *value, int absent);

/// The integer that a checked KEY_INTEGER holds; `absent` for NULL.
int64_t keys_integer(const struct node *value, int64_t absent);

/// The number that a checked KEY_NUMBER holds, in 1e-6; `absent` for NULL.
int64_t keys_number(const struct node *value, int64_t absent);

#endif
