/// Tables of the keys of a YAML map: a document is checked against them, and they say where
/// each value goes.
#ifndef GG_RULES_KEYS_H
#define GG_RULES_KEYS_H

#include <stddef.h>
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
	KEY_SHARE, ///< from 0% to 100%, or to `max` %
	KEY_LIMIT, ///< a number with a unit
	KEY_AND, ///< the same, or `X% of step`
	KEY_MAP,
	KEY_NAMED, ///< from names of the user's own, each a KEY_ID, to maps
	KEY_TEXTS, ///< list of texts
	KEY_PATTERNS, ///< one text, or a list of at least one
	KEY_PAIRS, ///< from any texts to one value each
	KEY_MAPS, ///< list of maps
};

enum key_need { OPTIONAL, REQUIRED, ONE_OF }; ///< ONE_OF: at least one of those that say so

/// Word number `i` of an enumeration, NULL past the last; its number is the value of the enum.
typedef const char *word_fn(size_t i);

struct key_map;

/// What a member is that a key fills.
enum key_holds {
	HOLDS_NOTHING, ///< the key has no member: its map fills the struct itself, the rest is code
	HOLDS_TEXT, ///< const char *, NULL unless the row says otherwise
	HOLDS_SPAN,
	HOLDS_FLAG, ///< bool: not the first word; that the map is there
	HOLDS_ENUM,
	HOLDS_NUMBER, ///< int64_t: an integer; a number or share in 1e-6; a day since 1970-01-01
	HOLDS_STRUCT, ///< what the table of the map fills; VEC(struct span) of KEY_TEXTS and
	              ///< KEY_PATTERNS
};

/// One key: what the reader checks, the schema says, and where its value goes.
struct key {
	const char *name;
	enum key_kind kind;
	enum key_need need;
	const char *meaning; ///< one line
	word_fn *words; ///< KEY_WORD, KEY_METRIC
	const struct key_map *map; ///< KEY_MAP, KEY_NAMED, KEY_MAPS
	int64_t min, max; ///< KEY_INTEGER, KEY_NUMBER; items of KEY_NAMED; `max` of KEY_SHARE
	enum key_holds holds;
	size_t at, within; ///< offset of the member, size of its struct
	int64_t absent; ///< value of an absent key; 0 of one without a value
	const char *absent_text;
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

/// Check `map` and all below it: known keys, each once, of the right type and
/// range, the required ones there. Texts come out without control characters, words and numbers
/// with their value in the node.
GG_MUST_CHECK enum status keys_check(struct document *d, struct node *map,
                                     const struct key_map *keys);

/// Check one value of `key`.
GG_MUST_CHECK enum status keys_check_value(struct document *d, const struct key *key,
                                           struct node *value);

/// Set the members of `out`, which is zeroed, to the values that absent keys have.
void keys_default(const struct key_map *keys, void *out);

/// Put the values of a checked map (NULL: none) into the members of `out`; those of absent keys
/// stay. Texts are owned by `a`.
void keys_fill(const struct key_map *keys, const struct node *map, struct arena *a, void *out);

/// Number of the word `text`; -1 if it is not one of `words`.
int keys_word(word_fn *words, struct span text);

#endif
