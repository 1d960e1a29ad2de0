/* One memory snapshot as JSON and as a pickle, with the same values: both give the same snapshot,
 * or both are refused. Each byte chooses the next value, mostly one that is valid there. */
#include "fuzz.h"

#include <stdlib.h>

#include "../unit/snapshot_dump.h"
#include "choices.h"

enum { FRAMES = 4, DEPTH = 6 };

struct both {
	struct choices c;
	struct strbuf json, pickle;
	bool shared[FRAMES]; ///< for each list of frames, true if the pickle has memoized it
	bool comma; ///< true if the next value of JSON needs a comma before it
};

static void law(bool holds)
{
	if (!holds)
		abort();
}

static void add_bytes(struct strbuf *out, uint64_t v, int nr)
{
	for (; nr-- > 0; v >>= 8)
		strbuf_addch(out, (char)(v & 255));
}

static void comma(struct both *b)
{
	strbuf_adds(&b->json, b->comma ? "," : "");
	b->comma = true;
}

static void add_number(struct both *b, uint64_t v, bool negative)
{
	comma(b);
	strbuf_addf(&b->json, "%s%" PRIu64, negative && v ? "-" : "", v);
	if (v < 1U << 31) {
		strbuf_addch(&b->pickle, 'J');
		add_bytes(&b->pickle, negative ? (uint32_t) - (uint32_t)v : v, 4);
	} else {
		strbuf_adds(&b->pickle, "\x8a\x09");
		add_bytes(&b->pickle, negative ? 0 - v : v, 8);
		strbuf_addch(&b->pickle, negative ? '\xff' : '\0');
	}
}

static void add_text(struct both *b, const char *text)
{
	comma(b);
	strbuf_addf(&b->json, "\"%s\"", text);
	strbuf_addch(&b->pickle, 'X');
	add_bytes(&b->pickle, strlen(text), 4);
	strbuf_adds(&b->pickle, text);
}

static void open_(struct both *b, char json, const char *pickle)
{
	comma(b);
	strbuf_addch(&b->json, json);
	strbuf_adds(&b->pickle, pickle);
	b->comma = false;
}

static void close_(struct both *b, char json, char pickle)
{
	strbuf_addch(&b->json, json);
	strbuf_addch(&b->pickle, pickle);
	b->comma = true;
}

static void add_key(struct both *b, const char *key)
{
	add_text(b, key);
	strbuf_addch(&b->json, ':');
	b->comma = false;
}

static uint64_t size_of(struct both *b)
{
	static const uint64_t edges[] = {
		0,         1,          INT32_MAX,  1U << 31,   1ULL << 32,
		INT64_MAX, 1ULL << 62, 1ULL << 63, UINT64_MAX, UINT64_MAX - 511
	};
	size_t kind = choose(&b->c, 32);
	return kind < sizeof edges / sizeof *edges ? edges[kind] : 512 * (uint64_t)choose_number(&b->c);
}

/* Adds a value of any type where a value of another type is expected. */
static void add_odd(struct both *b, int depth)
{
	switch (choose(&b->c, depth < DEPTH ? 9 : 7)) {
	case 0:
		comma(b);
		strbuf_adds(&b->json, "null");
		strbuf_addch(&b->pickle, 'N');
		return;
	case 1:
		comma(b);
		strbuf_adds(&b->json, "true");
		strbuf_addch(&b->pickle, '\x88');
		return;
	case 2:
		comma(b);
		strbuf_adds(&b->json, "1.5");
		strbuf_adds(&b->pickle, "G\x3f\xf8");
		add_bytes(&b->pickle, 0, 6);
		return;
	case 3:
		add_text(b, "odd");
		return;
	case 4:
		add_number(b, size_of(b), true);
		return;
	case 5:
	case 6:
		add_number(b, size_of(b), false);
		return;
	case 7:
		open_(b, '[', "](");
		for (size_t i = choose(&b->c, 3); i-- > 0;)
			add_odd(b, depth + 1);
		close_(b, ']', 'e');
		return;
	default:
		open_(b, '{', "}(");
		if (choose(&b->c, 2)) {
			add_key(b, "size");
			add_odd(b, depth + 1);
		}
		close_(b, '}', 'u');
	}
}

static void add_member(struct both *b, const char *key, uint64_t v)
{
	size_t odd = choose(&b->c, 64);
	if (odd == 1)
		return; /* the member `key` is left out */
	add_key(b, key);
	if (odd == 2)
		add_odd(b, 0);
	else
		add_number(b, v, false);
}

static void add_word(struct both *b, const char *key, const char *const *words, size_t nr)
{
	size_t at = choose(&b->c, 4 * nr + 2);
	if (at == 4 * nr)
		return;
	add_key(b, key);
	if (at > 4 * nr)
		add_odd(b, 0);
	else
		add_text(b, words[at % nr]);
}
#define WORD(b, key, ...)                                  \
	add_word(b, key, (const char *const[]){ __VA_ARGS__ }, \
	         sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* Adds a list of frames; a list that was used before is the same object in the pickle, as torch
 * writes it. */
static void add_frames(struct both *b)
{
	size_t which = choose(&b->c, FRAMES), pickled = b->pickle.n;
	bool odd = choose(&b->c, 64) == 1;
	add_key(b, "frames");
	pickled = b->pickle.n;
	if (odd) {
		add_odd(b, 0);
		return;
	}
	open_(b, '[', "](");
	for (size_t i = 0; i < which; i++) {
		open_(b, '{', "}(");
		add_key(b, "filename");
		add_text(b, i ? "/a/model.py" : "train.py");
		add_key(b, "name");
		add_text(b, which == 2 ? "forward" : "step");
		add_key(b, "line");
		add_number(b, which * 10 + i, false);
		close_(b, '}', 'u');
	}
	close_(b, ']', 'e');
	if (b->shared[which]) {
		strbuf_setlen(&b->pickle, pickled);
		strbuf_addf(&b->pickle, "h%c", (char)(which + 1));
	} else {
		strbuf_addf(&b->pickle, "q%c", (char)(which + 1));
		b->shared[which] = true;
	}
}

static void add_block(struct both *b, uint64_t address)
{
	open_(b, '{', "}(");
	add_member(b, "address", address);
	add_member(b, "size", 512 * (1 + choose(&b->c, 8)));
	add_member(b, "requested_size", 1 + choose(&b->c, 256));
	WORD(b, "state", "active_allocated", "inactive", "active_pending_free", "other");
	if (choose(&b->c, 4))
		add_frames(b);
	close_(b, '}', 'u');
}

static void add_segment(struct both *b)
{
	uint64_t address = (1ULL << 20) * (1 + choose(&b->c, 16));
	open_(b, '{', "}(");
	add_member(b, "device", choose(&b->c, 3));
	add_member(b, "address", address);
	add_member(b, "total_size", 512 * choose(&b->c, 64));
	add_member(b, "stream", choose(&b->c, 2));
	WORD(b, "segment_type", "large", "small");
	add_key(b, "blocks");
	open_(b, '[', "](");
	for (size_t i = choose(&b->c, 4); i-- > 0; address += 512 * choose(&b->c, 8))
		add_block(b, address);
	close_(b, ']', 'e');
	close_(b, '}', 'u');
}

static void add_entry(struct both *b)
{
	open_(b, '{', "}(");
	WORD(b, "action", "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free",
	     "segment_map", "segment_unmap", "snapshot", "oom", "unheard");
	add_member(b, "addr", (1ULL << 20) * choose(&b->c, 16));
	add_member(b, "size", size_of(b));
	add_member(b, "stream", 0);
	if (choose(&b->c, 3))
		add_member(b, "time_us", 1000000 + (uint64_t)choose_number(&b->c));
	if (choose(&b->c, 8) == 1)
		add_member(b, "device_free", size_of(b));
	if (choose(&b->c, 4))
		add_frames(b);
	close_(b, '}', 'u');
}

static void add_snapshot(struct both *b)
{
	open_(b, '{', "}(");
	add_key(b, "segments");
	open_(b, '[', "](");
	for (size_t i = choose(&b->c, 5); i-- > 0;)
		add_segment(b);
	close_(b, ']', 'e');
	if (choose(&b->c, 8)) {
		add_key(b, "device_traces");
		open_(b, '[', "](");
		for (size_t d = choose(&b->c, 3); d-- > 0;) {
			open_(b, '[', "](");
			for (size_t i = choose(&b->c, 12); i-- > 0;)
				add_entry(b);
			close_(b, ']', 'e');
		}
		close_(b, ']', 'e');
	}
	if (choose(&b->c, 8) == 1) {
		add_key(b, "allocator_settings");
		add_odd(b, 0);
	}
	close_(b, '}', 'u');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct both b = { .c = { data, data + size }, .json = STRBUF_INIT, .pickle = STRBUF_INIT };
	enum status as_json, as_pickle;
	strbuf_adds(&b.pickle, "\x80\x04");
	add_snapshot(&b);
	strbuf_addch(&b.pickle, '.');
	struct strbuf one = dump_bytes(strbuf_span(&b.json), snapshot_read, NULL, 0, &as_json);
	struct strbuf two =
	    dump_bytes(strbuf_span(&b.pickle), snapshot_read_pickle, NULL, 0, &as_pickle);
	law(as_json == as_pickle);
	law(as_json != ST_OK || span_eq(strbuf_span(&one), strbuf_span(&two)));
	fuzz_accepted = as_json == ST_OK;
	strbuf_release(&one);
	strbuf_release(&two);
	strbuf_release(&b.json);
	strbuf_release(&b.pickle);
	return 0;
}
