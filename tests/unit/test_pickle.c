/* Pickles read as data: the value of every opcode, cut at every byte; refused opcodes and their
 * offsets; pickles that would grow without limit; one snapshot as JSON and as pickles of all
 * protocols. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "read/pickle_nodes.h"
#include "snapshot_dump.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))
#define BYTES(lit) SPAN(lit)

/* ---- nodes of a pickle, written as in Python ---- */

static void show(struct strbuf *out, const struct pickle_nodes *n, uint32_t id, int depth);

static void show_items(struct strbuf *out, const struct pickle_nodes *n,
                       const struct pickle_node *node, int depth)
{
	const struct pickle_chunk *c = node->last;
	for (uint32_t i = 0, at = 0; i < node->nr; i++, at++) {
		if (i == 0 || at == c->nr) {
			c = c->next;
			at = 0;
		}
		strbuf_adds(out, i == 0 ? "" : node->type == PICKLE_DICT && i % 2 ? ":" : ",");
		show(out, n, c->items[at], depth - 1);
	}
}

static void show(struct strbuf *out, const struct pickle_nodes *n, uint32_t id, int depth)
{
	static const char *const open[] = {
		[PICKLE_LIST] = "[", [PICKLE_TUPLE] = "(", [PICKLE_DICT] = "{", [PICKLE_SET] = "<"
	};
	static const char *const close[] = {
		[PICKLE_LIST] = "]", [PICKLE_TUPLE] = ")", [PICKLE_DICT] = "}", [PICKLE_SET] = ">"
	};
	const struct pickle_node *node = &n->nodes.v[id];
	if (depth == 0) {
		strbuf_adds(out, "...");
		return;
	}
	switch (node->type) {
	case PICKLE_NULL:
		strbuf_adds(out, "None");
		break;
	case PICKLE_BOOL:
		strbuf_adds(out, node->magnitude ? "True" : "False");
		break;
	case PICKLE_INTEGER:
		strbuf_addf(out, "%s%" PRIu64, node->negative ? "-" : "", node->magnitude);
		break;
	case PICKLE_TEXT:
		strbuf_addch(out, '\'');
		strbuf_add(out, (struct span){ node->text, node->nr });
		strbuf_addch(out, '\'');
		break;
	case PICKLE_OTHER:
		strbuf_addch(out, '?');
		break;
	default:
		strbuf_adds(out, open[node->type]);
		show_items(out, n, node, depth);
		strbuf_adds(out, close[node->type]);
	}
}

/* Checks and builds `bytes`, in a block of exactly their size, and returns the value as text, or
 * the error. */
static struct strbuf show_pickle(struct span bytes, const struct snapshot_limits *limits, bool *ok)
{
	struct strbuf out = STRBUF_INIT;
	struct diag_log log;
	struct pickle_nodes nodes = { 0 };
	char *copy = malloc(bytes.n + 1);
	assert_non_null(copy);
	memcpy(copy + 1, bytes.p, bytes.n);
	diag_init(&log);
	struct pickle_input in = { .name = "doc", .bytes = { copy + 1, bytes.n }, .log = &log };
	*ok = pickle_check(in) && pickle_build(in, limits, &nodes);
	if (*ok)
		show(&out, &nodes, nodes.root, 6);
	else
		strbuf_adds(&out, diag_first_error(&log));
	pickle_nodes_release(&nodes);
	diag_release(&log);
	free(copy);
	return out;
}

/* ---- values of opcodes ---- */

static const struct {
	struct span bytes;
	const char *value;
} values[] = {
	{ BYTES("N."), "None" },
	{ BYTES("\x88."), "True" },
	{ BYTES("\x89."), "False" },
	{ BYTES("I01\n."), "True" },
	{ BYTES("I00\n."), "False" },
	{ BYTES("I1\n."), "1" },
	{ BYTES("I-12\n."), "-12" },
	{ BYTES("L18446744073709551615L\n."), "18446744073709551615" },
	{ BYTES("L-5L\n."), "-5" },
	{ BYTES("L00\n."), "0" },
	{ BYTES("L18446744073709551616L\n."), "?" },
	{ BYTES("J\xff\xff\xff\xff."), "-1" },
	{ BYTES("J\x00\x00\x00\x80."), "-2147483648" },
	{ BYTES("J\x01\x02\x00\x00."), "513" },
	{ BYTES("K\xff."), "255" },
	{ BYTES("M\xff\xff."), "65535" },
	{ BYTES("\x8a\x00."), "0" },
	{ BYTES("\x8a\x01\x80."), "-128" },
	{ BYTES("\x8a\x02\xff\x00."), "255" },
	{ BYTES("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80."), "-9223372036854775808" },
	{ BYTES("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00."), "18446744073709551615" },
	{ BYTES("\x8a\x09\x01\x00\x00\x00\x00\x00\x00\x00\xff."), "-18446744073709551615" },
	{ BYTES("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff."), "?" },
	{ BYTES("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."), "?" },
	{ BYTES("\x8a\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00."), "?" },
	{ BYTES("\x8b\x01\x00\x00\x00\x07."), "7" },
	{ BYTES("F1.5e-3\n."), "?" },
	{ BYTES("Fnan\n."), "?" },
	{ BYTES("G\x3f\xf0\x00\x00\x00\x00\x00\x00."), "?" },
	{ BYTES("S'a\\'\\\"\\\\\\n\\x41\\101\\7\\q'\n."), "'a'\"\\\nAA\a\\q'" },
	{ BYTES("S\"it's\"\n."), "'it's'" },
	{ BYTES("T\x02\x00\x00\x00zz."), "'zz'" },
	{ BYTES("U\x01z."), "'z'" },
	{ BYTES("Va\\u0041\\U0001f600\xe9\\n\\\\u0041\n."),
	  "'aA\xf0\x9f\x98\x80\xc3\xa9\\n\\\\u0041'" },
	{ BYTES("V\n."), "''" },
	{ BYTES("V\\\n."), "'\\'" },
	{ BYTES("X\x01\x00\x00\x00x."), "'x'" },
	{ BYTES("\x8c\x00."), "''" },
	{ BYTES("\x8d\x01\x00\x00\x00\x00\x00\x00\x00y."), "'y'" },
	{ BYTES("B\x01\x00\x00\x00x."), "?" },
	{ BYTES("C\x01x."), "?" },
	{ BYTES("\x8e\x01\x00\x00\x00\x00\x00\x00\x00x."), "?" },
	{ BYTES("]."), "[]" },
	{ BYTES("]Na."), "[None]" },
	{ BYTES("](K\x01K\x02"
	        "eK\x03"
	        "a(K\x04K\x05K\x06"
	        "e(e."),
	  "[1,2,3,4,5,6]" },
	{ BYTES("(K\x01K\x02l."), "[1,2]" },
	{ BYTES("(l."), "[]" },
	{ BYTES(")."), "()" },
	{ BYTES("(t."), "()" },
	{ BYTES("(K\x01Nt."), "(1,None)" },
	{ BYTES("K\x01\x85."), "(1)" },
	{ BYTES("K\x01K\x02\x86."), "(1,2)" },
	{ BYTES("K\x01K\x02K\x03\x87."), "(1,2,3)" },
	{ BYTES("}."), "{}" },
	{ BYTES("}U\x01"
	        "aK\x01s(U\x01"
	        "bK\x02K\x07Nu."),
	  "{'a':1,'b':2,7:None}" },
	{ BYTES("(U\x01"
	        "aNd."),
	  "{'a':None}" },
	{ BYTES("}K\x01\x85Ns."), "{(1):None}" },
	{ BYTES("\x8f(NK\x01\x90."), "<None,1>" },
	{ BYTES("(N\x91."), "<None>" },
	{ BYTES("K\x01K\x02"
	        "0."),
	  "1" },
	{ BYTES("K\x01(0."), "1" },
	{ BYTES("K\x01(K\x02K\x03"
	        "1."),
	  "1" },
	{ BYTES("(K\x05"
	        "2l."),
	  "[5,5]" },
	{ BYTES("(]p0\ng0\nl."), "[[],[]]" },
	{ BYTES("(]q\x07h\x07l."), "[[],[]]" },
	{ BYTES("(]r\xff\xff\xff\xffj\xff\xff\xff\xffl."), "[[],[]]" },
	{ BYTES("(]p2147483648\nj\x00\x00\x00\x80l."), "[[],[]]" },
	{ BYTES("(]p9223372036854775807\ng9223372036854775807\nl."), "[[],[]]" },
	{ BYTES("(K\x01\x94K\x02\x94h\x00h\x01l."), "[1,2,1,2]" },
	{ BYTES("(K\x01q\x00K\x02q\x00h\x00l."), "[1,2,2]" },
	{ BYTES("(K\x01q\x05K\x02\x94h\x01l."), "[1,2,2]" },
	{ BYTES("]q\x00h\x00"
	        "a."),
	  "[[[[[[...]]]]]]" },
	{ BYTES("\x80\x02N."), "None" },
	{ BYTES("\x80\x05\x95\x02\x00\x00\x00\x00\x00\x00\x00N."), "None" },
};

static void every_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(values); i++) {
		bool ok;
		struct strbuf got = show_pickle(values[i].bytes, &snapshot_limits_default, &ok);
		if (!ok || strcmp(strbuf_str(&got), values[i].value) != 0)
			fail_msg("row %zu, %s: %s", i, values[i].value, strbuf_str(&got));
		strbuf_release(&got);
	}
}

static void cut_at_every_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(values); i++)
		for (size_t n = 0; n < values[i].bytes.n; n++) {
			bool ok;
			struct strbuf got =
			    show_pickle((struct span){ values[i].bytes.p, n }, &snapshot_limits_default, &ok);
			if (ok || (!strstr(strbuf_str(&got), "cut short")))
				fail_msg("row %zu, %zu bytes: %s", i, n, strbuf_str(&got));
			strbuf_release(&got);
		}
}

/* ---- damaged pickles ---- */

static const struct {
	struct span bytes;
	const char *error; ///< expected message after "doc: byte "
} damaged[] = {
	{ BYTES(""), "0: the pickle ends without STOP; it is empty or cut short" },
	{ BYTES("{\"segments\": []}"),
	  "0: 0x7b is not a pickle opcode; the file is damaged or not a pickle" },
	{ BYTES("N\xff."), "1: 0xff is not a pickle opcode; the file is damaged or not a pickle" },
	{ BYTES("N.N."), "2: extra data after the end of the pickle; give one snapshot per file" },
	{ BYTES("N.\n"), "2: extra data after the end of the pickle; give one snapshot per file" },
	{ BYTES("\x80\x06N."), "0: pickle opcode PROTO: a protocol newer than 5" },
	{ BYTES("\x95\x03\x00\x00\x00\x00\x00\x00\x00N."),
	  "0: pickle opcode FRAME: its argument reaches beyond" },
	{ BYTES("\x95\xff\xff\xff\xff\xff\xff\xff\xffN."),
	  "0: pickle opcode FRAME: its argument reaches beyond" },
	{ BYTES("N0X\xff\xff\xff\xffx."), "2: pickle opcode BINUNICODE: its argument reaches beyond" },
	{ BYTES("\x8d\xff\xff\xff\xff\xff\xff\xff\xffx."),
	  "0: pickle opcode BINUNICODE8: its argument reaches beyond" },
	{ BYTES("\x8b\xff\xff\xff\xffx."), "0: pickle opcode LONG4: a length below 0" },
	{ BYTES("T\x00\x00\x00\x80."), "0: pickle opcode BINSTRING: a length below 0" },
	{ BYTES("."), "0: pickle opcode STOP: not exactly one value is left" },
	{ BYTES("NN."), "2: pickle opcode STOP: not exactly one value is left" },
	{ BYTES("(N."), "2: pickle opcode STOP: not exactly one value is left" },
	{ BYTES("N(."), "2: pickle opcode STOP: not exactly one value is left" },
	{ BYTES("0."), "0: pickle opcode POP: too few values" },
	{ BYTES("1."), "0: pickle opcode POP_MARK: no mark" },
	{ BYTES("2."), "0: pickle opcode DUP: too few values" },
	{ BYTES("N(2."), "2: pickle opcode DUP: too few values" },
	{ BYTES("a."), "0: pickle opcode APPEND: too few values" },
	{ BYTES("Na."), "1: pickle opcode APPEND: too few values" },
	{ BYTES("](Na."), "3: pickle opcode APPEND: too few values" },
	{ BYTES("}Na."), "2: pickle opcode APPEND: the value below is not a container of that kind" },
	{ BYTES(")Na."), "2: pickle opcode APPEND: the value below is not a container of that kind" },
	{ BYTES("}(Ne."), "3: pickle opcode APPENDS: the value below is not a container of that kind" },
	{ BYTES("](N\x90."),
	  "3: pickle opcode ADDITEMS: the value below is not a container of that kind" },
	{ BYTES("]NNs."), "3: pickle opcode SETITEM: the value below is not a container of that kind" },
	{ BYTES("](NNu."),
	  "4: pickle opcode SETITEMS: the value below is not a container of that kind" },
	{ BYTES("e."), "0: pickle opcode APPENDS: no mark" },
	{ BYTES("(Ne."), "2: pickle opcode APPENDS: too few values" },
	{ BYTES("]e."), "1: pickle opcode APPENDS: no mark" },
	{ BYTES("l."), "0: pickle opcode LIST: no mark" },
	{ BYTES("d."), "0: pickle opcode DICT: no mark" },
	{ BYTES("t."), "0: pickle opcode TUPLE: no mark" },
	{ BYTES("\x91."), "0: pickle opcode FROZENSET: no mark" },
	{ BYTES("N\x86."), "1: pickle opcode TUPLE2: too few values" },
	{ BYTES("}Ns."), "2: pickle opcode SETITEM: too few values" },
	{ BYTES("}(Nu."), "3: pickle opcode SETITEMS: a key without a value" },
	{ BYTES("(Nd."), "2: pickle opcode DICT: a key without a value" },
	{ BYTES("}]Ns."), "3: pickle opcode SETITEM: a container as a key" },
	{ BYTES("q\x00."), "0: pickle opcode BINPUT: too few values" },
	{ BYTES("\x94."), "0: pickle opcode MEMOIZE: too few values" },
	{ BYTES("h\x00."), "0: pickle opcode BINGET: nothing was put in the memo" },
	{ BYTES("j\x00\x00\x00\x80."), "0: pickle opcode LONG_BINGET: nothing was put in the memo" },
	{ BYTES("Np-1\n."), "1: pickle opcode PUT: not an index of the memo" },
	{ BYTES("Np9223372036854775808\n."), "1: pickle opcode PUT: not an index of the memo" },
	{ BYTES("g\n."), "0: pickle opcode GET: not an index of the memo" },
	{ BYTES("I\n."), "0: pickle opcode INT: its text is malformed" },
	{ BYTES("I1.5\n."), "0: pickle opcode INT: its text is malformed" },
	{ BYTES("L\n."), "0: pickle opcode LONG: its text is malformed" },
	{ BYTES("L-\n."), "0: pickle opcode LONG: its text is malformed" },
	{ BYTES("L99999999999999999999x\n."), "0: pickle opcode LONG: its text is malformed" },
	{ BYTES("F\n."), "0: pickle opcode FLOAT: its text is malformed" },
	{ BYTES("Fx\n."), "0: pickle opcode FLOAT: its text is malformed" },
	{ BYTES("Sa\n."), "0: pickle opcode STRING: its text is malformed" },
	{ BYTES("S'\n."), "0: pickle opcode STRING: its text is malformed" },
	{ BYTES("S'a\\'\n."), "0: pickle opcode STRING: its text is malformed" },
	{ BYTES("S'\\x4'\n."), "0: pickle opcode STRING: its text is malformed" },
	{ BYTES("V\\u004\n."), "0: pickle opcode UNICODE: its text is malformed" },
	{ BYTES("V\\U00110000\n."), "0: pickle opcode UNICODE: its text is malformed" },
};

static void every_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(damaged); i++) {
		bool ok;
		struct strbuf got = show_pickle(damaged[i].bytes, &snapshot_limits_default, &ok),
		              want = STRBUF_INIT;
		strbuf_addf(&want, "doc: byte %s", damaged[i].error);
		if (ok || !span_starts(strbuf_span(&got), strbuf_span(&want)))
			fail_msg("row %zu:\n  got  %s\n  want %s", i, strbuf_str(&got), strbuf_str(&want));
		strbuf_release(&want);
		strbuf_release(&got);
	}
}

/* ---- refused opcodes ---- */

static const struct {
	const char *name;
	struct span bytes;
} refused[] = {
	{ "GLOBAL", BYTES("cos\nsystem\n") },
	{ "STACK_GLOBAL", BYTES("\x93") },
	{ "REDUCE", BYTES("R") },
	{ "BUILD", BYTES("b") },
	{ "INST", BYTES("ios\nsystem\n") },
	{ "OBJ", BYTES("o") },
	{ "NEWOBJ", BYTES("\x81") },
	{ "NEWOBJ_EX", BYTES("\x92") },
	{ "EXT1", BYTES("\x82\x01") },
	{ "EXT2", BYTES("\x83\x01\x01") },
	{ "EXT4", BYTES("\x84\x01\x01\x01\x01") },
	{ "PERSID", BYTES("Pid\n") },
	{ "BINPERSID", BYTES("Q") },
	{ "BYTEARRAY8", BYTES("\x96\x00\x00\x00\x00\x00\x00\x00\x00") },
	{ "NEXT_BUFFER", BYTES("\x97") },
	{ "READONLY_BUFFER", BYTES("\x98") },
};

/* The refused opcode comes after a whole snapshot: only a pass over the whole input finds it before
   anything is built. Each opcode is tried with and without its argument. */
static void refused_by_name_and_offset(void **state)
{
	(void)state;
	static const struct span before = BYTES("\x80\x04}U\x08segments]sN");
	for (size_t i = 0; i < ROWS(refused); i++)
		for (int cut = 0; cut < 2; cut++) {
			struct strbuf text = STRBUF_INIT, want = STRBUF_INIT;
			enum status st;
			strbuf_add(&text, before);
			strbuf_add(&text, cut ? (struct span){ refused[i].bytes.p, 1 } : refused[i].bytes);
			strbuf_adds(&text, cut ? "" : "0.");
			strbuf_addf(&want, "doc: byte %zu: pickle opcode %s: refused, since it could run code",
			            before.n, refused[i].name);
			/* with these limits no value can be built, so that the error must come from the pass
			   before building */
			struct snapshot_limits limits = snapshot_limits_default;
			limits.pickle_nodes = limits.pickle_refs = 0;
			struct strbuf got =
			    dump_bytes(strbuf_span(&text), snapshot_read_pickle, &limits, 0, &st);
			if (st != ST_INPUT || !span_starts(strbuf_span(&got), strbuf_span(&want)) ||
			    strchr(strbuf_str(&got), '\n'))
				fail_msg("%s: %s", refused[i].name, strbuf_str(&got));
			strbuf_release(&text);
			strbuf_release(&want);
			strbuf_release(&got);
		}
}

/* ---- snapshots as pickles ---- */

#define SNAPSHOT(segments, rest) BYTES("}(U\x08segments" segments rest "u.")

/* The reader knows the opcodes of Python's pickles (it accepts some and refuses the others by
 * name), and it takes no other byte for an opcode. */
static void opcodes_are_those_of_python(void **state)
{
	(void)state;
	static const char all[] = "IJKMLSTUBCVXFGN]ael)t}dsu02(1ghjpqrcRbioPQ."
	                          "\x8a\x8b\x8c\x8d\x8e\x8f\x88\x89\x85\x86\x87\x90\x91"
	                          "\x94\x80\x95\x93\x81\x92\x82\x83\x84\x96\x97\x98";
	size_t nr = 0;
	for (int code = 0; code < 256; code++) {
		char bytes[2] = { (char)code, '.' };
		bool ok, known = code && memchr(all, code, sizeof all - 1);
		struct strbuf got = show_pickle((struct span){ bytes, 2 }, &snapshot_limits_default, &ok);
		nr += known;
		if (known == (strstr(strbuf_str(&got), "is not a pickle opcode") != NULL))
			fail_msg("0x%02x: %s", (unsigned)code, strbuf_str(&got));
		strbuf_release(&got);
	}
	assert_int_equal(nr, 68);
}

static void check_snapshot(struct span bytes, enum status want, const char *text)
{
	enum status st;
	struct strbuf got = dump_bytes(bytes, snapshot_read_pickle, NULL, 0, &st);
	if (st != want || !strstr(strbuf_str(&got), text))
		fail_msg("got  %.300s\nwant %s", strbuf_str(&got), text);
	strbuf_release(&got);
}

static void forms_and_places(void **state)
{
	(void)state;
	check_snapshot(BYTES("]."), ST_OK, "no history\n");
	check_snapshot(BYTES(")."), ST_OK, "no history\n");
	check_snapshot(BYTES("N."), ST_INPUT, "doc: byte 0: not a memory snapshot");
	check_snapshot(BYTES("]q\x00h\x00"
	                     "a."),
	               ST_INPUT, "doc: byte 0: [0]: not an object where a segment was expected");
	check_snapshot(SNAPSHOT("]", "K\x07NU\x01xh\x00"), ST_INPUT, "nothing was put in the memo");
	check_snapshot(SNAPSHOT("]", "K\x07NU\x0d"
	                             "device_traces)"),
	               ST_OK, "");
	check_snapshot(SNAPSHOT("](}U\x0atotal_sizeJ\xff\xff\xff\xffsU\x06"
	                        "blocks]se",
	                        ""),
	               ST_INPUT, "doc: byte 27: segments[0].total_size: not a whole number");
	check_snapshot(SNAPSHOT("](}U\x0atotal_sizeG\x3f\xf0\x00\x00\x00\x00\x00\x00sU\x06"
	                        "blocks]se",
	                        ""),
	               ST_INPUT, "doc: byte 27: segments[0].total_size: not a whole number");
	check_snapshot(SNAPSHOT("](}U\x0atotal_size\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01sU\x06"
	                        "blocks]se",
	                        ""),
	               ST_INPUT, "doc: byte 27: segments[0].total_size: not a whole number");
	check_snapshot(SNAPSHOT("](}U\x0atotal_sizeK\x01sU\x06"
	                        "blocks]se",
	                        ""),
	               ST_OK, "segment device 0 @? 1\n");
	check_snapshot(SNAPSHOT("](}U\x06"
	                        "blocks]se",
	                        ""),
	               ST_INPUT, "doc: byte 14: segments[0].total_size: missing");
#define SEG                       \
	"}U\x0atotal_sizeK\x01sU\x06" \
	"blocks]s"
	check_snapshot(SNAPSHOT("](" SEG SEG "e" SEG "a", ""), ST_OK,
	               "segment device 0 @? 1\nsegment device 0 @? 1\n"
	               "segment device 0 @? 1\nno history\n");
	check_snapshot(SNAPSHOT("]", "U\x08segments]"), ST_INPUT, "'segments' is there twice");
}

/* `nr` lists, each within the previous one. */
static void nest(struct strbuf *out, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addch(out, ']');
	for (size_t i = 1; i < nr; i++)
		strbuf_addch(out, 'a');
}

static void deep_nesting(void **state)
{
	(void)state;
	struct strbuf text = STRBUF_INIT;
	nest(&text, 1000000);
	strbuf_addch(&text, '.');
	check_snapshot(strbuf_span(&text), ST_INPUT, "[0]: not an object where a segment was expected");
	strbuf_setlen(&text, 0);
	strbuf_add(&text, BYTES("}(U\x08segments]U\x04rest"));
	nest(&text, 1000000);
	strbuf_adds(&text, "u.");
	check_snapshot(strbuf_span(&text), ST_OK, "no history");
	strbuf_release(&text);
}

/* Appends a list of 1,000 references to the memo entry `index`. */
static void thousand(struct strbuf *out, char index)
{
	strbuf_adds(out, "](");
	for (int i = 0; i < 1000; i++) {
		strbuf_addch(out, 'h');
		strbuf_addch(out, index);
	}
	strbuf_addch(out, 'e');
}

/* 10^9 frames in 6 KB: a thousand references to one segment, which has a thousand references to one
   block. */
static void billion_laughs(void **state)
{
	(void)state;
	struct strbuf text = STRBUF_INIT;
	strbuf_add(&text, BYTES("}q\x01"
	                        "0(")); /* memo entry 1 is a frame */
	strbuf_add(&text, BYTES("}(U\x04sizeK\x01U\x05stateU\x08inactiveU\x06"
	                        "frames"));
	thousand(&text, 1);
	strbuf_add(&text, BYTES("uq\x02"
	                        "0")); /* memo entry 2 is a block with a thousand frames */
	strbuf_add(&text, BYTES("}(U\x0atotal_sizeK\x01U\x06"
	                        "blocks"));
	thousand(&text, 2);
	strbuf_add(&text, BYTES("uq\x03"
	                        "00")); /* memo entry 3 is a segment; the second "0" pops the mark */
	thousand(&text, 3);
	strbuf_addch(&text, '.');
	check_snapshot(strbuf_span(&text), ST_INPUT, "the pickle unfolds to far more than its size");
	strbuf_release(&text);
}

/* Lists of two lists of two lists …: 2^60 leaves, which the reader must not visit one by one. */
static void doubling(void **state)
{
	(void)state;
	struct strbuf text = STRBUF_INIT;
	strbuf_add(&text, BYTES("}(U\x08segments]U\x04rest]"));
	for (int i = 0; i < 60; i++)
		strbuf_add(&text, BYTES("q\x01"
		                        "0](h\x01h\x01"
		                        "e"));
	strbuf_adds(&text, "u.");
	check_snapshot(strbuf_span(&text), ST_OK, "no history");
	strbuf_release(&text);
}

static void at_and_past_every_limit(void **state)
{
	(void)state;
	static const char text[] = "}(U\x08segments](}(U\x0atotal_sizeK\x01U\x06"
	                           "blocks]ueu.";
	static const struct {
		size_t offset, exact;
		const char *what;
	} rows[] = {
		{ offsetof(struct snapshot_limits, pickle_bytes), sizeof text - 1, "a pickle longer than" },
		{ offsetof(struct snapshot_limits, pickle_nodes), 8,
		  "more values than a snapshot may have" },
		/* at its deepest, the stack holds dict, text, list, dict, 4 values and 3 marks */
		{ offsetof(struct snapshot_limits, pickle_refs), 11,
		  "more values than a snapshot may have" },
		{ offsetof(struct snapshot_limits, segments), 1, "more than 0 segments" },
	};
	for (size_t i = 0; i < ROWS(rows); i++)
		for (size_t past = 0; past < 2; past++) {
			struct snapshot_limits limits = snapshot_limits_default;
			size_t value = rows[i].exact - past;
			memcpy((char *)&limits + rows[i].offset, &value, sizeof value);
			enum status st;
			struct strbuf got = dump_bytes(BYTES(text), snapshot_read_pickle, &limits, 0, &st);
			if (st != (past ? ST_INPUT : ST_OK) ||
			    (past && !strstr(strbuf_str(&got), rows[i].what)))
				fail_msg("row %zu, past %zu: %s", i, past, strbuf_str(&got));
			strbuf_release(&got);
		}
}

/* ---- the same snapshot as JSON and as a pickle ---- */

static struct strbuf dump_file(const char *path, snapshot_reader *read)
{
	struct source *src;
	struct diag_log log;
	enum status st;
	diag_init(&log);
	if (source_open(path, NULL, &src, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	diag_release(&log);
	struct strbuf got = dump_source(src, read, NULL, &st);
	if (st != ST_OK)
		fail_msg("%s", strbuf_str(&got));
	return got;
}

static void check_pair(const char *json, const char *pickle)
{
	struct strbuf a = dump_file(json, snapshot_read), b = dump_file(pickle, snapshot_read_pickle);
	assert_true(a.n > 0);
	if (!span_eq(strbuf_span(&a), strbuf_span(&b)))
		fail_msg("%s and %s differ", json, pickle);
	strbuf_release(&a);
	strbuf_release(&b);
}

/* The folder of shared data; the test is skipped if none is given. */
static const char *shared(void)
{
	const char *dir = getenv("GPUGATE_SHARED");
	if (!dir || !*dir)
		skip();
	return dir;
}

static void real_pickles_equal_their_json(void **state)
{
	(void)state;
	static const char *const names[] = { "snapshots/cs336-medium-train-ctx512",
		                                 "snapshots/small-97events", "snapshots/mosaic-fabricated",
		                                 "more/snapshots/cs336-infer-ctx128-cframes",
		                                 "more/snapshots/decomfl-windows" };
	const char *dir = shared();
	for (size_t i = 0; i < ROWS(names); i++) {
		char json[4096], pickle[4096];
		snprintf(json, sizeof json, "%s/data/%s.json.gz", dir, names[i]);
		snprintf(pickle, sizeof pickle, "%s/data/%s.pickle", dir, names[i]);
		check_pair(json, pickle);
	}
}

static void make(const char *dir, const char *out, const char *args)
{
	char command[8192];
	snprintf(
	    command, sizeof command,
	    "python3 '%s/data/make_snapshot.py' '%s' --layers 1 --hidden 128 --steps 2 %s 2>/dev/null",
	    dir, out, args);
	assert_int_equal(system(command), 0);
}

static void all_protocols_equal_the_json(void **state)
{
	(void)state;
	static const char *const rows[] = {
		"--style new --fragmentation 0.6 --leak 8MiB --empty-cache",
		"--style new --capacity 300MB --max-entries 100",
		"--style mid --expandable --devices 3 --device 1",
		"--style old --comm-stream 7 --pending 3",
	};
	char dir[] = "/tmp/gpugate-pickle-XXXXXX", json[64], pickle[64], args[256];
	const char *from = shared();
	assert_non_null(mkdtemp(dir));
	snprintf(json, sizeof json, "%s/s.json", dir);
	for (size_t i = 0; i < ROWS(rows); i++) {
		make(from, json, rows[i]);
		for (int protocol = 0; protocol <= 5; protocol++) {
			snprintf(pickle, sizeof pickle, "%s/s.pickle%s", dir, protocol == 3 ? ".gz" : "");
			snprintf(args, sizeof args, "%s --protocol %d", rows[i], protocol);
			make(from, pickle, args);
			check_pair(json, pickle);
			unlink(pickle);
		}
	}
	unlink(json);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(every_damage),
		cmocka_unit_test(refused_by_name_and_offset),
		cmocka_unit_test(opcodes_are_those_of_python),
		cmocka_unit_test(forms_and_places),
		cmocka_unit_test(deep_nesting),
		cmocka_unit_test(billion_laughs),
		cmocka_unit_test(doubling),
		cmocka_unit_test(at_and_past_every_limit),
		cmocka_unit_test(real_pickles_equal_their_json),
		cmocka_unit_test(all_protocols_equal_the_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
