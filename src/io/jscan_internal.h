/// Inside of the scanner: its state, and how its files share it. Others only through
/// jscan_inline.h.
///
///     jscan.c         window, errors, containers, skipping
///     jscan_seams.c   keys: what stands between two values, remembered
///     jscan_repeats.c objects that come again
///     jscan_string.c  strings
///     jscan_number.c  numbers and words
///     jscan_inline.h  what is called for every value
///     jscan_bytes.h   runs of bytes, many at a time
///     jscan_piece.c   arrays that are scanned in pieces
#ifndef GG_IO_JSCAN_INTERNAL_H
#define GG_IO_JSCAN_INTERNAL_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "io/jscan.h"
#include "io/jscan_bytes.h"

#define JSCAN_DEPTH 512u

/* What a machine writes repeats: between the end of a member's value and the next value stands
   the same text (", \"tid\": ") in thousands of objects. Such a text, a seam, was read and
   validated once; where the same bytes come again in the same place, one comparison does for
   comma, white space, key and colon. The places are a tree by the path of keys: what may follow
   a seam are the seams that have followed it before, and objects within its value begin at a
   place of their own. */
enum { SEAM_TEXT = 64, SEAM_NEXT = 12, SEAM_LIMIT = 1024 };

struct seam { /* two cache lines, the first of which has only text */
	char text[SEAM_TEXT];
	struct seam *next; ///< the first of the seams that have followed this one
	struct seam *sibling; ///< list of the seams that have followed the same seam, in the order they
	                      ///< are tried
	struct seam *inner; ///< place at which objects in its value begin; NULL not known yet
	struct seam *other; ///< place after a key that is not remembered; NULL not known yet
	const struct jscan_key *row; ///< row of the key; NULL not looked up yet
	uint32_t mask; ///< bit per byte of the first 32 of `text`
	uint32_t hits; ///< how often it matched without being tried first
	uint8_t what, where; ///< of `row`; JSCAN_KEY_OTHER also where `text` is longer than `mask`
	uint8_t n; ///< length of `text`; 0: only a place: before the first key, behind any other, …
	uint8_t key_at, key_n; ///< the key in `text`
	bool end; ///< it ends with the closing bracket; no key
	bool first; ///< the first of its object: no comma
};

/* The window holds [buf, end); *end is a NUL, which no inner loop passes, so
   that they need not look for the end. Before `mark` (or `at`, where there is
   none) bytes may be dropped when the window is filled again. */
struct jscan {
	struct source *src;
	struct diag_log *log;
	bool tolerant, eof, cut;
	bool piece; ///< the window is borrowed, and all there is
	unsigned depth, max_depth;
	enum status status;
	char *buf, *at, *end, *mark;
	size_t cap;
	uint64_t base; ///< offset of buf[0]
	struct strbuf *keep; ///< copy of what is read (jscan_keep()); NULL: none
	uint64_t kept; ///< offset up to which `keep` has the input
	uint64_t faults, first_fault;
	uint64_t objects[JSCAN_DEPTH / 64]; ///< bit per level: 1 object, 0 array
	uint64_t begun[JSCAN_DEPTH / 64]; ///< bit per level: a member has been read
	struct strbuf text; ///< decoded text of a string with escapes
	struct seam *seams; ///< SEAM_LIMIT; [0] is the place "nowhere", where nothing is remembered
	unsigned nr_seams;
	struct seam *place[JSCAN_DEPTH + 1]; ///< by depth: the last seam; in an array that before it
};

/// Pass over a seam that stands at `at`: into its value, or out of the object.
static inline void jscan_pass(struct jscan *js, struct seam *s)
{
	unsigned level = js->depth - 1;
	js->at += s->n;
	if (s->end) {
		js->depth--;
		return;
	}
	js->place[js->depth] = s;
	if (s->first)
		js->begun[level / 64] |= (uint64_t)1 << (level % 64);
}

/// Text with which many objects of an array begin: from the end of the element before up to a
/// value in the object.
enum { LEAD_TEXT = 96 };
struct jscan_lead {
	char text[LEAD_TEXT];
	uint32_t mask[3]; ///< bit per byte of `text`
	unsigned n;
	struct seam *place;
};

/// A position in the input, to get the text since then later.
struct jscan_since {
	struct seam *place;
	size_t at;
	uint64_t base, faults;
};

/// The position of the next byte.
struct jscan_since jscan_here(const struct jscan *js);

/// The text read since then, with the white space after it unless `end`. Empty if it cannot be
/// remembered: it had tolerated faults, was dropped from the window in part, or is longer than
/// `limit`.
struct span jscan_text_since(const struct jscan *js, const struct jscan_since *since, bool end,
                             size_t limit);

/// The text read since then, from the end of an element up to a value in the next object, as a
/// lead; false if it cannot be one. The seams that follow it are a list of their own.
bool jscan_learn_lead(struct jscan *js, const struct jscan_since *since, struct jscan_lead *out);

/// How the next element of the innermost array begins: its comma, bracket and first key. False
/// where that cannot be told from what is in the window.
bool jscan_beginning(struct jscan *js, struct strbuf *out);

/// End of what seems to be the last element that another one follows in `text`, searched for behind
/// `from`; 0 where there is none.
size_t jscan_last_beginning(struct span text, struct span beginning, size_t from);

/// Append to `out` what has been taken from the source and not been read.
void jscan_unread(struct jscan *js, struct strbuf *out);

/// Continue at offset `byte`, which the source gives next.
void jscan_resume(struct jscan *js, uint64_t byte);

/// A scanner of pieces of the array that `whole` is in, behind an element. Caller: jscan_free().
struct jscan *jscan_new_piece(const struct jscan *whole, struct diag_log *log);

/// Scan the `n` bytes at `p`, which stand at `byte` of the input behind an element, and
/// JSCAN_PAD zeros behind them; borrowed until the next piece.
void jscan_piece(struct jscan *js, char *p, size_t n, uint64_t byte);

/// Add the faults that were tolerated in the piece to those of the whole.
void jscan_add_faults(struct jscan *js, const struct jscan *piece);

/// False at the end of a piece.
static inline bool jscan_left(const struct jscan *js)
{
	return !js->piece || js->at < js->end;
}

/// Objects that come again byte for byte, each with what the reader made of it.
enum { REPEAT_TEXT = 512, REPEAT_LIMIT = 4096, REPEAT_PLACES = 4096, REPEAT_CHAIN = 8 };
struct jscan_repeat {
	char *text; ///< owned
	uint32_t n, tag;
	uint32_t next; ///< index of the next object with the same hash; 0: none
};
struct jscan_repeats {
	VEC(struct jscan_repeat) list; ///< from [1] on
	uint32_t places[REPEAT_PLACES]; ///< by hash of some of the first bytes: index of the first
	                                ///< object; 0: none
	uint32_t place; ///< hash of the value that is next
	struct jscan_since since; ///< where that begins
};

/// Give the memory back.
void jscan_repeats_release(struct jscan_repeats *r);

/// Pass over the next value if it is a known object, with its tag; else remember where it begins.
bool jscan_again(struct jscan *js, struct jscan_repeats *r, uint32_t *tag);

/// The object that has been read since jscan_again() is known as `tag` from here on.
void jscan_learn_again(struct jscan *js, struct jscan_repeats *r, uint32_t tag);

/// First byte that is not white space, not consumed; -1 at the end.
int jscan_next_slow(struct jscan *js);
static inline int jscan_next(struct jscan *js)
{
	unsigned char c = (unsigned char)*js->at;
	return c > ' ' ? c : jscan_next_slow(js);
}

/// More bytes behind `end`, keeping what is at or behind the mark; false at the
/// end of the input and after an error.
bool jscan_refill(struct jscan *js);

/// `n` bytes are in the window, unless the input ends before.
bool jscan_have(struct jscan *js, size_t n);

/// Count a tolerated fault.
void jscan_fault(struct jscan *js, uint64_t byte);

/// Record that `c` (-1: the end of the input) stands where `wanted` was expected.
void jscan_fail_expected(struct jscan *js, int c, const char *wanted);

/// The same for the end of the input within a token. Always false.
bool jscan_fail_cut(struct jscan *js, const char *wanted);

/// Before a member of the innermost container: true where one follows; false
/// at the closing bracket, which is consumed, and after an error.
bool jscan_member(struct jscan *js, char close);

/// Pass over the string whose opening quote is at `at`; false after an error.
/// A mark that the caller has set stays.
bool jscan_scan_string(struct jscan *js, bool *escaped);

/// The text of a validated string, borrowed until the next call.
struct span jscan_decode(struct jscan *js, struct span raw);

/// Pass over a number; false after an error.
bool jscan_scan_number(struct jscan *js);

/// Pass over the next key of the innermost object and its colon; false at the
/// object's end, which is consumed, and after an error.
bool jscan_skip_key(struct jscan *js);

/// Take up the memory of seams.
void jscan_seams_init(struct jscan *js);

/// Give it back.
void jscan_seams_release(struct jscan *js);

/// A container has been entered.
void jscan_seams_push(struct jscan *js, bool object);

#endif
