/// Tables of the keys of a YAML map. Documents are checked against them, and they say where each
/// value is stored.
#ifndef GG_RULES_KEYS_H
#define GG_RULES_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "rules/yaml_reader.h"

/// Limits on the contents of a file.
enum { MAX_KEYS = 24, MAX_TEXT = 16384, MAX_ID = 100, MAX_ITEMS = 1000, MAX_PROFILES = 32 };

enum key_kind {
	KEY_TEXT,
	KEY_ID, ///< text of letters, digits, '.', '_' and '-'
	KEY_WORKLOAD, ///< text that can be part of a file name
	KEY_WORD, ///< one of the words of `words`
	KEY_METRIC, ///< a word of `words`, or input.NAME: name or pattern of a metrics-file figure
	KEY_INTEGER, ///< whole number from `min` to `max`
	KEY_NUMBER, ///< number from `min` to `max` with up to six decimals
	KEY_DATE, ///< date such as 2027-01-31
	KEY_SHARE, ///< percentage from 0% to 100%, or to `max` %
	KEY_LIMIT, ///< limit: a number with a unit
	KEY_AND, ///< limit, or a share of the step: `X% of step`
	KEY_MAP,
	KEY_NAMED, ///< map from names that users choose, each a KEY_ID, to maps
	KEY_TEXTS, ///< list of texts, perhaps empty
	KEY_PATTERNS, ///< one text, or a list of at least one text
	KEY_PAIRS, ///< map from any texts to one value each
	KEY_MAPS, ///< list of maps, with the keys of `map`
};

enum key_need { OPTIONAL, REQUIRED, ONE_OF }; ///< ONE_OF: at least one of the keys with this need

/// Word `i` of an enumeration, where `i` is the value of the enum; NULL after the last word.
typedef const char *word_fn(size_t i);

struct key_map;

/// Type of the member that a key fills.
enum key_holds {
	HOLDS_NOTHING, ///< no member: the key's map fills the struct itself, or code reads it
	HOLDS_TEXT, ///< text as const char *; NULL if the key is absent, or absent_text
	HOLDS_SPAN,
	HOLDS_FLAG, ///< bool: whether the word is not the first one, or the map is present
	HOLDS_ENUM,
	HOLDS_NUMBER, ///< int64_t: integer; number or share in 1e-6; days since 1970-01-01
	HOLDS_STRUCT, ///< struct with a table of its own; VEC(struct span) for KEY_TEXTS and
	              ///< KEY_PATTERNS
};

/// One key: how it is checked, how the schema describes it, and where its value is stored.
struct key {
	const char *name;
	enum key_kind kind;
	enum key_need need;
	const char *meaning; ///< description of the key in one line, for users
	word_fn *words; ///< words of KEY_WORD and KEY_METRIC
	const struct key_map *map; ///< keys inside KEY_MAP, KEY_NAMED and KEY_MAPS
	int64_t min, max; ///< range of the value; for KEY_NAMED of the number of items
	enum key_holds holds;
	size_t at, within; ///< offset of the member, and size of its struct
	int64_t absent; ///< value if the key is absent; 0 for kinds without a value
	const char *absent_text;
};

struct key_map {
	const char *name; ///< name of the map in messages such as "unknown key in …"
	const struct key *keys;
	size_t nr; ///< number of keys, at most MAX_KEYS
};

/// KEY: a row of a table. KEY_TABLE: a table with the name of its map in messages. INTO: the member
/// that a key fills.
#define KEY(name_, kind_, need_, meaning_, ...)                                                   \
	{                                                                                             \
		.name = (name_), .kind = KEY_##kind_, .need = (need_), .meaning = (meaning_), __VA_ARGS__ \
	}
#define INTO(type, member) \
	.holds = _Generic(((struct type *)NULL)->member,     \
	    const char *: HOLDS_TEXT,                        \
	    struct span: HOLDS_SPAN,                         \
	    bool: HOLDS_FLAG,                                \
	    unsigned: HOLDS_ENUM,                            \
	    int64_t: HOLDS_NUMBER,                           \
	    default: HOLDS_STRUCT),                          \
	.at = offsetof(struct type, member), .within = sizeof(struct type)
#define KEY_TABLE(label, table)                                                 \
	{                                                                           \
		.name = (label), .keys = (table), .nr = sizeof(table) / sizeof *(table) \
	}

/// Check `map` and everything below it: only known keys, each once, with the right type and range,
/// and all required keys. Afterwards, texts have no control characters, and nodes of words and
/// numbers have their value.
GG_MUST_CHECK enum status keys_check(struct document *d, struct node *map,
                                     const struct key_map *keys);

/// Check one value of `key`.
GG_MUST_CHECK enum status keys_check_value(struct document *d, const struct key *key,
                                           struct node *value);

/// Set the members of `out`, which must be zeroed, to the values of absent keys.
void keys_default(const struct key_map *keys, void *out);

/// Store the values of a checked map in the members of `out`; NULL is an empty map. Members of
/// absent keys stay unchanged. `a` owns the texts.
void keys_fill(const struct key_map *keys, const struct node *map, struct arena *a, void *out);

/// Index of the word `text`; -1 if it is not one of `words`.
int keys_word(word_fn *words, struct span text);

#endif
