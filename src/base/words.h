/// Enums whose values have words. A list that calls X(VALUE, "word") for each value makes both.
#ifndef GG_BASE_WORDS_H
#define GG_BASE_WORDS_H

/// One entry of the enum, and of the array of its words.
#define ENUM_VALUE(id, ...) id,
#define ENUM_WORD(id, word, ...) [id] = (word),

#endif
