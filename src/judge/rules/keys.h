/// Tables of the keys that YAML maps may have. Documents are checked against these tables, which
/// also say where each value is stored.
#ifndef GG_RULES_KEYS_H
#define GG_RULES_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "model/category.h"
#include "rules/yaml_reader.h"

/// Upper limits: number of keys in a table, bytes in a text, bytes in an id, items in a list (or
/// entries in a map of a file of version 2), profiles in a file.
enum { MAX_KEYS = 24, MAX_TEXT = 16384, MAX_ID = 100, MAX_ITEMS = 1000, MAX_PROFILES = 32 };

/// What the value of a key must be.
enum key_kind {
	KEY_TEXT,
	KEY_ID, ///< text of letters, digits, '.', '_' and '-' that identifies something
	KEY_WORKLOAD, ///< text that can be part of a file name
	KEY_WORD, ///< one of the words that `words` lists
	KEY_METRIC, ///< a word of `words`, or input.NAME, where NAME is the name of a figure of result
	            ///< files, or a pattern of such names
	KEY_INTEGER, ///< whole number from `min` to `max`
	KEY_NUMBER, ///< number from `min` to `max` with up to six decimals
	KEY_DATE, ///< date such as 2027-01-31
	KEY_SHARE, ///< percentage from 0% to 100%, or to `max` % if that is set
	KEY_LIMIT, ///< limit: a number with a unit, or a bare number for counts and rates
	KEY_AND, ///< limit, a share of the step (`X% of step`), or a multiple of the spread of single
	         ///< runs (`X spreads`)
	KEY_MAP,
	KEY_NAMED, ///< map whose keys are names that users choose, with the form of a KEY_ID, and whose
	           ///< values are maps
	KEY_TEXTS, ///< list of texts, which may be empty unless the key is REQUIRED
	KEY_PATTERNS, ///< one text, or a list of at least one text
	KEY_PAIRS, ///< map whose keys are any texts, and whose values are scalars
	KEY_MAPS, ///< list of maps, each with the keys of the table `map`; it may be empty unless the
	          ///< key is REQUIRED
};

/// Whether a key must be present.
enum key_need {
	OPTIONAL,
	REQUIRED,
	ONE_OF
}; ///< ONE_OF: the map must have at least one of those keys of its table that are marked so

struct key_map;

/// Type of the struct member in which the value of a key is stored.
enum key_holds {
	HOLDS_NOTHING, ///< no member. If the value is a map, its keys fill members of the same struct;
	               ///< else other code reads the value
	HOLDS_TEXT, ///< const char *; if the key is absent, `absent_text`, which may be NULL
	HOLDS_SPAN,
	HOLDS_FLAG, ///< bool: for a KEY_WORD, false if the value is the first one of `words`; for a
	            ///< KEY_MAP, true if the map is present
	HOLDS_ENUM,
	HOLDS_NUMBER, ///< int64_t: an integer, a number in millionths, a share in 1e-6 percent, or days
	              ///< since 1970-01-01
	HOLDS_STRUCT, ///< a struct, which the table `map` of the key fills; for KEY_TEXTS and
	              ///< KEY_PATTERNS a VEC(struct span)
};

/// One key of a map: how it is checked, how the schema describes it, and where it is stored.
struct key {
	const char *name;
	enum key_kind kind;
	enum key_need need;
	const char *meaning; ///< what the key is for, in one line for users
	const char *const *words; ///< words that a KEY_WORD or KEY_METRIC may have, in the order of the
	                          ///< enum; ended by NULL
	/// function that checks a text further; NULL: there is no such check. It returns NULL if the
	/// text is valid, else what is wrong with it. It is not called for built-in tables.
	const char *(*fault)(const char *text);
	const struct key_map *map; ///< keys of the map that a KEY_MAP is, or of the maps in a KEY_NAMED
	                           ///< or KEY_MAPS

	/// smallest and largest value; for KEY_NAMED, `max` is the largest number of items
	int64_t min, max;
	enum key_holds holds;
	/// offset of the member that stores the value, and size of the struct around it
	size_t at, within;
	int64_t absent; ///< value to store if the key is absent; 0 for kinds without a value
	const char *absent_text;
};

/// The table of the keys of a map.
struct key_map {
	const char *name; ///< name of the map in messages such as "unknown key in …"
	const struct key *keys;
	size_t nr; ///< number of keys in the table, at most MAX_KEYS
};

/// KEY() makes a row of a table. KEY_TABLE() makes a struct key_map from a table and the name that
/// messages give the map. INTO() names the member that a key fills.
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
#define KEY_TABLE(label, table)                              \
	{                                                        \
		.name = (label), .keys = (table), .nr = NR_OF(table) \
	}

/// Check `map` and everything inside it: it has only known keys, each once, with the right type and
/// range, and all required keys. Limits (KEY_LIMIT, KEY_AND) are checked only as texts. Afterwards,
/// texts have no control characters, and the `value` of words, numbers, shares and dates is set.
GG_MUST_CHECK enum status keys_check(struct document *d, struct node *map,
                                     const struct key_map *keys);

/// Check that `value` and all that is inside it is valid for `key`.
GG_MUST_CHECK enum status keys_check_value(struct document *d, const struct key *key,
                                           struct node *value);

/// Check that no entry of the map before `n` has the same key as `n`.
GG_MUST_CHECK enum status keys_check_once(struct document *d, const struct node *map,
                                          const struct node *n);

/// Set the members of `out`, which must be zeroed, to the values that they have for absent keys.
void keys_default(const struct key_map *keys, void *out);

/// Store the values of a map that keys_check() has accepted in the members of `out`; `map` NULL is
/// an empty map. Members of absent keys stay unchanged. `a` owns the texts.
void keys_fill(const struct key_map *keys, const struct node *map, struct arena *a, void *out);

/// The keys of one row of a categories file: category, class and match.
extern const struct key_map category_keys;

/// Append the rows of a list that keys_check() has accepted to `out`. Fails with ST_USAGE if a name
/// occurs twice or is "other", if the list has too many texts or, except in a built-in table, if a
/// text can never match.
GG_MUST_CHECK enum status category_rows_read(struct document *d, const struct node *list,
                                             struct category_table *out);

#endif
