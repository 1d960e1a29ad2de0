/// Internal to the scanner: its state, which other folders of src/ use only through jscan_inline.h.
///
///     jscan.c         window, errors, containers, skipping
///     jscan_seams.c   keys: remembered text between two values
///     jscan_repeats.c objects that are repeated
///     jscan_string.c  strings
///     jscan_number.c  numbers and words
///     jscan_inline.h  functions that are called for every value
///     jscan_bytes.h   runs of bytes, many at a time
#ifndef GG_IO_JSCAN_INTERNAL_H
#define GG_IO_JSCAN_INTERNAL_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "io/jscan.h"
#include "io/jscan_bytes.h"

#define JSCAN_DEPTH 512u

/* The output of programs repeats itself: the text between the end of one member's value and the
   next value (", \"tid\": ") is the same in thousands of objects. Such a text, a seam, is read
   and validated once; if the same bytes come again in the same place, one comparison replaces
   reading comma, white space, key and colon. Seams are the nodes of a tree; a node is also called a
   place. A seam has a list of the seams that have followed it; if the value after a seam is an
   object, the object begins at a place of its own. Values that are skipped may use only half of
   the seams: metadata with thousands of different keys may come before the events, which need up
   to 640. The limits, in this order: bytes of a text, seams in one list, seams in total, seams
   in total while a value is skipped. */
enum { SEAM_TEXT = 64, SEAM_NEXT = 12, SEAM_LIMIT = 2048, SEAM_LIMIT_SKIPPED = 1024 };

struct seam { /* a remembered text between two values; two cache lines, of which the first holds
	             only `text` */
	char text[SEAM_TEXT];
	struct seam *next; ///< first in the list of the seams that have followed this seam; `sibling`
	                   ///< links the list
	struct seam *sibling; ///< next seam in the list of those that have followed the same seam; they
	                      ///< are compared in the order of the list
	struct seam *inner; ///< if the value after this seam is an object: place (seam without text) at
	                    ///< its beginning; NULL until such an object was read
	struct seam *other; ///< place (seam without text) after a key that follows this seam and is not
	                    ///< remembered; NULL until such a key was read
	const struct jscan_key *row; ///< row of the key in the reader's table; NULL if not yet looked
	                             ///< up
	uint32_t mask; ///< mask with a bit for each byte of `text`, but only for its first 32
	uint32_t hits; ///< number of times that this seam matched after other seams of its list had
	               ///< been compared first
	uint8_t what, where; ///< copies of members of `row`, except that `what` is JSCAN_KEY_OTHER if
	                     ///< `text` is longer than the bytes that `mask` covers
	uint8_t n; ///< length of `text`; 0 for a place that has no text, such as the one before the
	           ///< first key
	uint8_t key_at, key_n; ///< position and length of the key in `text`
	bool end; ///< true if the text ends with the closing bracket of the object, and not with a key
	bool first; ///< true for a text after the bracket that opens an object: it has no comma
};

/* State of the scanner. The window holds [buf, end); *end is a NUL, at which every inner loop
   stops, so that no loop checks for the end. Bytes before `mark` (or before `at`, if there is no
   mark) may be dropped when the window is filled again. */
struct jscan {
	struct source *src;
	struct diag_log *log, unsaid; ///< log of the messages: the caller's, or `unsaid` if the caller
	                              ///< gave none
	bool tolerant, nan, eof, cut;
	unsigned depth, max_depth;
	enum status status;
	char *buf, *at, *end, *mark;
	size_t cap;
	uint64_t base; ///< offset of buf[0] in the input
	struct strbuf *keep; ///< copy of the input (jscan_keep()), or NULL
	uint64_t kept; ///< offset in the input up to which bytes were copied to `keep`
	uint64_t faults, first_fault;
	uint64_t objects[JSCAN_DEPTH / 64]; ///< bit for each depth of nesting: 1 for an object, 0 for
	                                    ///< an array
	uint64_t begun[JSCAN_DEPTH / 64]; ///< bit for each depth of nesting: 1 once a member has been
	                                  ///< read
	struct strbuf text; ///< buffer for the decoded text of a string with escapes

	/// The first two seams: seam 0 is the place "nowhere", after which no text is remembered, and
	/// seam 1 the place before the outermost value.
	struct seam *seams;
	struct arena seams_arena; ///< owns all seams, which are made when needed: most inputs have few
	unsigned nr_seams, max_seams; ///< number of seams, and its current limit
	/// The seam (remembered text) that was read last at each depth of nesting; for an array, the
	/// seam before the array.
	struct seam *place[JSCAN_DEPTH + 1];
};

/// Moves the position to the end of the text of seam `s`: to the value after its key or, if the
/// text ends the object, to the end of the object.
static inline void jscan_pass(struct jscan *js, struct seam *s)
{
	unsigned depth = js->depth - 1;
	js->at += s->n;
	if (s->end) {
		js->depth--;
		return;
	}
	js->place[js->depth] = s;
	if (s->first)
		js->begun[depth / 64] |= (uint64_t)1 << (depth % 64);
}

/// Largest size of a lead in bytes. A lead is a text with which many objects of an array begin:
/// from the end of the previous element up to a value in the object.
enum { LEAD_TEXT = 96 };

/// A lead, and the place (struct seam) of the value before which the lead ends.
struct jscan_lead {
	char text[LEAD_TEXT];
	uint32_t mask[3]; ///< mask with a bit for each byte of `text` that is compared
	unsigned n;
	struct seam *place;
};

/// A position in the input, from which the text can be read again later. `base` and `faults` are
/// those of the scanner at this position: if they have changed since, the text cannot be used.
struct jscan_since {
	struct seam *place;
	size_t at;
	uint64_t base, faults;
};

/// The position of the next byte.
struct jscan_since jscan_here(const struct jscan *js);

/// The text from `since` to the current position; unless `end`, the white space that follows is
/// included. Empty if the text cannot be remembered, because it has tolerated faults, has partly
/// left the window, is longer than `limit`, or has its white space cut off by the window's end.
struct span jscan_text_since(const struct jscan *js, const struct jscan_since *since, bool end,
                             size_t limit);

/// Remembers the text from `since` to the current position as a lead. `since` must be the end of an
/// element; the current position must be just before a value in the next object. False if the text
/// cannot be remembered. Each lead has its own list of the seams (texts between two values) that
/// have followed it.
bool jscan_learn_lead(struct jscan *js, const struct jscan_since *since, struct jscan_lead *out);

/// Cache of objects that are repeated byte for byte; each has a tag that the reader chose. The
/// limits, in this order: bytes of an object, number of objects, number of hash values, objects
/// with the same hash.
enum { REPEAT_TEXT = 512, REPEAT_LIMIT = 4096, REPEAT_PLACES = 4096, REPEAT_CHAIN = 8 };

/// An object in the cache.
struct jscan_repeat {
	char *text; ///< text of the object, owned by the cache
	uint32_t n, tag;
	uint32_t next; ///< index of the next object with the same hash; 0 if there is none
};

/// The cache of repeated objects, and the beginning of the value that is being read.
struct jscan_repeats {
	VEC(struct jscan_repeat) list; ///< cached objects; index 0 is unused
	uint32_t places[REPEAT_PLACES]; ///< index of the first object for each hash of an object's
	                                ///< first bytes; 0 if there is none
	uint32_t place; ///< hash of the first bytes of the next value
	struct jscan_since since; ///< position at which the next value begins
};

/// Releases all memory of the cache.
void jscan_repeats_release(struct jscan_repeats *r);

/// Skips the next value if it is a cached object, and sets `*tag` to the object's tag; else returns
/// false and remembers where the value begins.
bool jscan_again(struct jscan *js, struct jscan_repeats *r, uint32_t *tag);

/// To be called after jscan_again() was false and the value has been read: adds the value to the
/// cache, with the tag `tag`, if it is an object without further objects or arrays in it.
void jscan_learn_again(struct jscan *js, struct jscan_repeats *r, uint32_t tag);

/// Skips white space and returns the byte after it, which is not consumed; -1 at the end.
int jscan_next_slow(struct jscan *js);
static inline int jscan_next(struct jscan *js)
{
	unsigned char c = (unsigned char)*js->at;
	return c > ' ' ? c : jscan_next_slow(js);
}

/// Reads more bytes after `end`, and keeps all bytes from `mark` on in the window; false at the end
/// of the input and after an error.
bool jscan_refill(struct jscan *js);

/// Makes sure that `n` bytes from `at` on are in the window; false if the input ends before.
bool jscan_have(struct jscan *js, size_t n);

/// Counts a tolerated fault at offset `byte`.
void jscan_fault(struct jscan *js, uint64_t byte);

/// Records the error that `c` (-1 for the end of the input) was found where `wanted` was expected;
/// returns false.
bool jscan_fail_expected(struct jscan *js, int c, const char *wanted);

/// Records the error that the input ends within a token; returns false.
bool jscan_fail_cut(struct jscan *js, const char *wanted);

/// Moves to the next member of the innermost object or array. Returns false at the closing bracket
/// `close`, which is consumed, and after an error.
bool jscan_member(struct jscan *js, char close);

/// Skips the string whose opening quote is at `at`; false after an error. `*escaped` becomes true
/// if the string has an escape. If the caller has set js->mark, the window keeps the string.
bool jscan_scan_string(struct jscan *js, bool *escaped);

/// Decodes a validated string, given without its quotes; the text is borrowed until the next call.
struct span jscan_decode(struct jscan *js, struct span raw);

/// Skips a number; false after an error.
bool jscan_scan_number(struct jscan *js);

/// Skips the next key of the innermost object and its colon; false at the end of the object, which
/// is consumed, and after an error.
bool jscan_skip_key(struct jscan *js);

/// Allocates the memory for seams.
void jscan_seams_init(struct jscan *js);

/// Releases the memory for seams.
void jscan_seams_release(struct jscan *js);

/// Sets the place (struct seam) for the depth of nesting that the scanner has just entered, which
/// is an object or, if `object` is false, an array.
void jscan_seams_push(struct jscan *js, bool object);

#endif
