/* Snapshots as JSON: every form that torch has written, in any block size, cut at every byte; a
   missing or unsuitable value is an error at its place; every limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include <cmocka.h>

#include "snapshot_dump.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

static const size_t sizes[] = { 0, 1, 2, 3, 7 };

static struct strbuf dump_json(struct span text, size_t size, enum status *st)
{
	return dump_bytes(text, snapshot_read, NULL, size, st);
}

/* ---- forms of snapshots ---- */

#define FRAMES                                                                                  \
	"[{\"name\":\"f\",\"filename\":\"a.py\",\"line\":3},{\"name\":\"g\",\"filename\":\"b.py\"," \
	"\"line\":4}]"

static const struct {
	const char *name, *text, *dump;
} forms[] = {
	{ "nothing allocated", "{\"segments\": [], \"device_traces\": [[], []]}",
	  "device 0\ndevice 1\n" },
	{ "a bare list that is empty", " [ ] ", "no history\n" },
	{ "torch 2.6",
	  "{\"segments\": [{\"device\": 1, \"address\": 4096, \"total_size\": 2048, "
	  "\"allocated_size\": 512, \"stream\": 7,"
	  " \"segment_type\": \"large\", \"segment_pool_id\": [0, 0], \"is_expandable\": false, "
	  "\"frames\": " FRAMES ","
	  " \"blocks\": [{\"address\": 4096, \"size\": 512, \"requested_size\": 5, \"state\": "
	  "\"active_allocated\","
	  " \"frames\": " FRAMES
	  "}, {\"address\": 4608, \"size\": 1536, \"requested_size\": 99999, \"state\": \"inactive\","
	  " \"frames\": []}]}],"
	  "\"device_traces\": [[], [{\"action\": \"alloc\", \"addr\": 4096, \"size\": 5, \"stream\": "
	  "7, \"time_us\": 17,"
	  " \"compile_context\": \"N/A\", \"user_metadata\": \"\", \"frames\": " FRAMES "}]],"
	  "\"allocator_settings\": {\"max_split_size\": -1, \"x\": [0.5, {}]},"
	  "\"external_annotations\": [{\"stage\": \"END\", \"name\": \"Optimizer.step#A.step\", "
	  "\"device\": 1, \"time_us\": 18}]}",
	  "segment device 1 @4096 2048 large #0\n active @4096 5/512 #0\n inactive @4608 "
	  "1536/1536\n"
	  "device 0\ndevice 1\n alloc @4096 5 at 17 #0\nend Optimizer.step#A.step device 1 at 18\n"
	  "#0 0 1\nframe f a.py:3\nframe g b.py:4\n" },
	{ "keys in another order",
	  "{\"external_annotations\": [{\"name\": \"n\", \"time_us\": -1, \"stage\": \"START\"}],"
	  "\"device_traces\": [[{\"frames\": " FRAMES
	  ", \"size\": 1, \"action\": \"free_requested\"}]],"
	  "\"segments\": [{\"blocks\": [{\"state\": \"inactive\", \"size\": 9}], \"total_size\": 9}]}",
	  "segment device 0 @? 9\n inactive @? 9/9\ndevice 0\n free_requested @? 1 #0\n"
	  "start n device 0 at -1\n#0 0 1\nframe f a.py:3\nframe g b.py:4\n" },
	{ "the bare list of memory_snapshot()",
	  "[{\"device\":0,\"address\":100,\"total_size\":10,\"blocks\":[{\"size\":10,\"state\":"
	  "\"active_pending_free\"}]}]",
	  "segment device 0 @100 10\n pending @100 10/10\nno history\n" },
	{ "torch 2.0: no addresses of blocks, sizes and frames in the history",
	  "{\"segments\":[{\"address\":1000,\"total_size\":300,\"segment_type\":\"small\",\"blocks\":["
	  "{\"size\":100,\"state\":\"active_allocated\",\"history\":[{\"addr\":1000,\"real_size\":60,"
	  "\"frames\":" FRAMES "},"
	  "{\"addr\":1000,\"real_size\":70,\"frames\":[]}]},"
	  "{\"size\":50,\"state\":\"inactive\",\"history\":[{\"addr\":1100,\"real_size\":7}]},"
	  "{\"size\":150,\"state\":\"active_allocated\"}]}],\"device_traces\":[]}",
	  "segment device 0 @1000 300\n active @1000 60/100 #0\n inactive @1100 50/50\n "
	  "active @1150 150/150\n"
	  "#0 0 1\nframe f a.py:3\nframe g b.py:4\n" },
	{ "the frames of a block win over those of its history",
	  "[{\"total_size\":1,\"blocks\":[{\"size\":1,\"requested_size\":1,\"state\":\"active_"
	  "allocated\","
	  "\"history\":[{\"real_size\":9,\"frames\":" FRAMES "}],\"frames\":[]}]}]",
	  "segment device 0 @? 1\n active @? 1/1\n#0 0 1\nframe f a.py:3\nframe g b.py:4\nno "
	  "history\n" },
	{ "all actions; no time, no frames, no address",
	  "{\"segments\":[],\"device_traces\":[[{\"action\":\"alloc\",\"addr\":1,\"size\":1},"
	  "{\"action\":\"free_requested\",\"addr\":1,\"size\":1},{\"action\":\"free_completed\","
	  "\"addr\":1,\"size\":1},"
	  "{\"action\":\"segment_alloc\",\"addr\":1,\"size\":1},{\"action\":\"segment_free\",\"addr\":"
	  "1,\"size\":1},"
	  "{\"action\":\"segment_map\",\"addr\":1,\"size\":1},{\"action\":\"segment_unmap\",\"addr\":1,"
	  "\"size\":1},"
	  "{\"action\":\"snapshot\"},{\"action\":\"oom\",\"device_free\":5,\"size\":"
	  "4611686018427387904},"
	  "{\"action\":\"user_defined\",\"addr\":\"x\",\"size\":-4},{\"action\":\"new\"},"
	  "{\"action\":\"snapshot\",\"addr\":0,\"size\":0,\"frames\":null,\"time_us\":null}]]}",
	  "device 0\n alloc @1 1\n free_requested @1 1\n free_completed @1 1\n segment_alloc @1 1\n "
	  "segment_free @1 1\n"
	  " segment_map @1 1\n segment_unmap @1 1\n snapshot @? 0\n oom @? 4611686018427387904 free "
	  "5\n mark @? 0\n other @? 0\n"
	  " snapshot @0 0\n1 other\n" },
	{ "expandable segments, states of both spellings",
	  "[{\"total_size\":4,\"is_expandable\":true,\"segment_type\":\"large\",\"blocks\":["
	  "{\"size\":1,\"state\":\"active_awaiting_free\"},{\"size\":3,\"state\":\"active_pending_"
	  "free\"}]}]",
	  "segment device 0 @? 4 large expandable\n pending @? 1/1\n pending @? 3/3\nno "
	  "history\n" },
	{ "blocks in no order",
	  "[{\"total_size\":4,\"blocks\":[{\"address\":7,\"size\":1,\"state\":\"inactive\"},"
	  "{\"address\":5,\"size\":2,\"state\":\"inactive\"}]}]",
	  "segment device 0 @? 4\n inactive @5 2/2\n inactive @7 1/1\nno history\n" },
	{ "the requested size of an inactive block means nothing",
	  "[{\"total_size\":1,\"blocks\":[{\"size\":1,\"requested_size\":-5e400,\"state\":\"inactive\"}"
	  "]}]",
	  "segment device 0 @? 1\n inactive @? 1/1\nno history\n" },
	{ "the ends of the ranges",
	  "{\"segments\":[{\"address\":18446744073709551614,\"total_size\":0,\"stream\":-"
	  "9223372036854775808,"
	  "\"device\":9223372036854775807,\"blocks\":[]}],\"device_traces\":[[{\"action\":\"alloc\","
	  "\"addr\":0,"
	  "\"size\":4611686018427387904,\"time_us\":9223372036854775807}]]}",
	  "segment device 9223372036854775807 @18446744073709551614 0\n"
	  "device 0\n alloc @0 4611686018427387904 at 9223372036854775807\n" },
	{ "handles and addresses of 64 bits, unsigned, and as signed numbers",
	  "{\"segments\":[{\"address\":18446603336221196288,\"total_size\":1,"
	  "\"stream\":18446744073709486081,\"blocks\":[]},"
	  "{\"address\":-140737488355328,\"total_size\":1,\"stream\":1e99,\"blocks\":[]}],"
	  "\"device_traces\":[[{\"action\":\"alloc\",\"addr\":-140737488355328,\"size\":1}]]}",
	  "segment device 0 @18446603336221196288 1\nsegment device 0 @18446603336221196288 1\n"
	  "device 0\n alloc @18446603336221196288 1\n" },
	{ "the last of equal keys counts",
	  "[{\"total_size\":1,\"total_size\":2,\"blocks\":[{\"size\":1,\"size\":2,\"state\":"
	  "\"inactive\","
	  "\"state\":\"active_allocated\"}]}]",
	  "segment device 0 @? 2\n active @? 2/2\nno history\n" },
	{ "equal stacks are one, whatever the order of their keys; odd frames explain nothing",
	  "{\"segments\":[],\"device_traces\":[[{\"action\":\"snapshot\",\"frames\":" FRAMES "},"
	  "{\"action\":\"snapshot\",\"frames\":[{\"line\":3,\"name\":\"f\",\"filename\":\"a.py\"}]},"
	  "{\"action\":\"snapshot\",\"frames\":[{\"line\":3,\"filename\":\"a.py\",\"name\":\"f\"},"
	  "{\"filename\":\"b.py\",\"line\":4,\"name\":\"g\",\"fx\":[1]}]},"
	  "{\"action\":\"snapshot\",\"frames\":[7,null,[]]},{\"action\":\"snapshot\",\"frames\":{}},"
	  "{\"action\":\"snapshot\",\"frames\":[{}]},{\"action\":\"snapshot\",\"frames\":[{\"line\":-1,"
	  "\"name\":3}]},"
	  "{\"action\":\"snapshot\",\"frames\":[{\"name\":\"\\u00e9\\ud83d\\ude00\",\"line\":1e99}]}]]"
	  "}",
	  "device 0\n snapshot @? 0 #0\n snapshot @? 0 #1\n snapshot @? 0 #0\n snapshot @? 0\n "
	  "snapshot @? 0\n"
	  " snapshot @? 0 #2\n snapshot @? 0 #2\n snapshot @? 0 #3\n#0 0 1\n#1 0\n#2 2\n#3 3\nframe f "
	  "a.py:3\nframe g b.py:4\n"
	  "frame  :0\nframe \xc3\xa9\xf0\x9f\x98\x80 :0\n" },
	{ "annotations that mark nothing",
	  "{\"segments\":[],\"device_traces\":null,\"external_annotations\":[{\"stage\":\"INSTANT\","
	  "\"name\":\"a\",\"time_us\":1},"
	  "{\"stage\":\"END\",\"time_us\":1},{\"stage\":\"END\",\"name\":\"a\"},{\"name\":\"a\",\"time_"
	  "us\":1},5,[],null,{}]}",
	  "no history\n" },
	{ "faults that nobody needs to mind",
	  "[{\"total_size\":1,\"fragmentation\":NaN,\"comment\":\"\\q\t\",\"blocks\":[]}]",
	  "segment device 0 @? 1\n3 faults, first at 33\nno history\n" },
};

static void every_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(forms); i++)
		for (size_t k = 0; k < ROWS(sizes); k++) {
			enum status st;
			struct strbuf got = dump_json(span_of(forms[i].text), sizes[k], &st);
			if (st != ST_OK || strcmp(strbuf_str(&got), forms[i].dump) != 0)
				fail_msg("%s, in blocks of %zu:\n%s\n", forms[i].name, sizes[k], strbuf_str(&got));
			strbuf_release(&got);
		}
}

static void cut_at_every_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(forms); i++) {
		struct span text = span_of(forms[i].text);
		while (text.n && text.p[text.n - 1] == ' ')
			text.n--;
		while (text.n-- > 0) {
			enum status st;
			struct strbuf got = dump_json(text, 0, &st);
			if (st != ST_INPUT || !strstr(strbuf_str(&got), "doc: byte "))
				fail_msg("%s, %zu bytes: %s", forms[i].name, text.n, strbuf_str(&got));
			strbuf_release(&got);
		}
	}
}

/* ---- errors in snapshots ---- */

#define SEGMENT "{\"total_size\":1,\"blocks\":[]}"
#define NO_U64 "not a whole number from 0 to 2^64 - 1; write the snapshot anew"
#define NO_I64 "not a whole number that fits 64 bits; write the snapshot anew"
#define MISSING "missing; write the snapshot anew"
#define NO_SNAPSHOT                                                                          \
	"not a memory snapshot: 'segments' is missing; give what torch.cuda.memory._snapshot() " \
	"returned"
#define BLOCK(text) "[{\"total_size\":1,\"blocks\":[" text "]}]"
#define ENTRY(text) "{\"segments\":[],\"device_traces\":[[" text "]]}"
#define NOTE(text) \
	"{\"segments\":[],\"external_annotations\":[{\"stage\":\"END\",\"name\":\"n\"," text "}]}"

/* Texts with an error at the '^', which is not part of the text. */
static const struct {
	const char *text, *error;
} errors[] = {
	{ "^{\"traceEvents\": []}", NO_SNAPSHOT },
	{ "  ^3", NO_SNAPSHOT },
	{ "^\"segments\"", NO_SNAPSHOT },
	{ "^{\"device_traces\": [[]]}", NO_SNAPSHOT },
	{ "^{\"segments\": null}", NO_SNAPSHOT },
	{ "{\"segments\": ^{}}", "'segments' is not an array; write the snapshot anew" },
	{ "{\"segments\": [], \"segments\": ^[]}",
	  "'segments' is there twice; write the snapshot anew" },
	{ "{\"device_traces\": [], \"device_traces\": ^[]}",
	  "'device_traces' is there twice; write the snapshot anew" },
	{ "{\"device_traces\": ^5}", "'device_traces' is not an array; write the snapshot anew" },
	{ "{\"segments\": []}^ {}", NULL },
	{ "[^3]", "[0]: not an object where a segment was expected; write the snapshot anew" },
	{ "[^[]]", "[0]: not an object where a segment was expected; write the snapshot anew" },
	{ "{\"segments\": [" SEGMENT ", ^null]}",
	  "segments[1]: not an object where a segment was expected; write the snapshot anew" },
	{ "[^{\"blocks\":[]}]", "[0].total_size: " MISSING },
	{ "[^{\"blocks\":[],\"total_size\":null}]", "[0].total_size: " MISSING },
	{ "{\"segments\":[^{\"total_size\":1}]}", "segments[0].blocks: " MISSING },
	{ "[{\"total_size\":1,\"blocks\":^{}}]", "[0].blocks: not an array; write the snapshot anew" },
	{ "[{\"blocks\":[],\"blocks\":^[]}]", "[0].blocks: is there twice; write the snapshot anew" },
	{ "[{\"total_size\":^-1,\"blocks\":[]}]", "[0].total_size: " NO_U64 },
	{ "[{\"total_size\":^18446744073709551616,\"blocks\":[]}]", "[0].total_size: " NO_U64 },
	{ "[{\"total_size\":^1.5,\"blocks\":[]}]", "[0].total_size: " NO_U64 },
	{ "[{\"total_size\":^1e3,\"blocks\":[]}]", "[0].total_size: " NO_U64 },
	{ "[{\"total_size\":^NaN,\"blocks\":[]}]", "[0].total_size: " NO_U64 },
	{ "[{\"total_size\":^\"1\",\"blocks\":[]}]", "[0].total_size: " NO_U64 },
	{ "[{\"total_size\":^true,\"blocks\":[]}]", "[0].total_size: " NO_U64 },
	{ "[{\"total_size\":^[],\"blocks\":[]}]", "[0].total_size: " NO_U64 },
	{ "[{\"total_size\":1,\"address\":^-9223372036854775809,\"blocks\":[]}]",
	  "[0].address: " NO_U64 },
	{ "[{\"total_size\":1,\"address\":^-1,\"blocks\":[]}]",
	  "[0].address: not an address: beyond 2^64 - 2; write the snapshot anew" },
	{ "[{\"total_size\":1,\"address\":^18446744073709551615,\"blocks\":[]}]",
	  "[0].address: not an address: beyond 2^64 - 2; write the snapshot anew" },
	{ "[{\"total_size\":1,\"device\":^-1,\"blocks\":[]}]",
	  "[0].device: a device below 0; write the snapshot anew" },
	{ "[{\"total_size\":1,\"device\":^9223372036854775808,\"blocks\":[]}]", "[0].device: " NO_I64 },
	{ "[{\"total_size\":1,\"segment_type\":^5,\"blocks\":[]}]",
	  "[0].segment_type: not text; write the snapshot anew" },
	{ "[^{\"address\":18446744073709551614,\"total_size\":1,\"blocks\":[]}]",
	  "[0]: address and size reach beyond 2^64 - 1; write the snapshot anew" },
	{ "[^{\"total_size\":4611686018427387905,\"blocks\":[]}]",
	  "[0]: segments come to more than 4611686018427387904 bytes; write the snapshot anew" },
	{ "[{\"total_size\":4611686018427387904,\"blocks\":[]}, ^" SEGMENT "]",
	  "[1]: segments come to more than 4611686018427387904 bytes; write the snapshot anew" },
	{ BLOCK("^[]"),
	  "[0].blocks[0]: not an object where a block was expected; write the snapshot anew" },
	{ BLOCK("^{\"state\":\"inactive\"}"), "[0].blocks[0].size: " MISSING },
	{ BLOCK("^{\"size\":1}"), "[0].blocks[0].state: " MISSING },
	{ BLOCK("{\"size\":1,\"state\":\"inactive\"}, ^{\"size\":1,\"state\":null}"),
	  "[0].blocks[1].state: " MISSING },
	{ BLOCK("{\"size\":1,\"state\":^7}"),
	  "[0].blocks[0].state: not text; write the snapshot anew" },
	{ BLOCK("{\"size\":1,\"state\":^\"Inactive\\n\"}"),
	  "[0].blocks[0].state: unknown block state 'Inactive\xef\xbf\xbd'; update gpugate" },
	{ BLOCK("{\"size\":^-1,\"state\":\"inactive\"}"), "[0].blocks[0].size: " NO_U64 },
	{ BLOCK("{\"size\":1,\"address\":^1.0,\"state\":\"inactive\"}"),
	  "[0].blocks[0].address: " NO_U64 },
	{ BLOCK("{\"size\":1,\"requested_size\":^-1,\"state\":\"active_allocated\"}"),
	  "[0].blocks[0].requested_size: " NO_U64 },
	{ BLOCK("{\"size\":1,\"history\":[{\"real_size\":^\"\"}],\"state\":\"active_allocated\"}"),
	  "[0].blocks[0].history[0].real_size: " NO_U64 },
	{ BLOCK("^{\"size\":2,\"address\":18446744073709551613,\"state\":\"inactive\"}"),
	  "[0].blocks[0]: address and size reach beyond 2^64 - 1; write the snapshot anew" },
	{ BLOCK("^{\"size\":1,\"requested_size\":4611686018427387905,\"state\":\"active_allocated\"}"),
	  "[0].blocks[0]: requested sizes come to more than 4611686018427387904 bytes; write the "
	  "snapshot anew" },
	{ BLOCK("^{\"size\":4611686018427387905,\"state\":\"inactive\"}"),
	  "[0].blocks[0]: blocks come to more than 4611686018427387904 bytes; write the snapshot "
	  "anew" },
	{ "{\"segments\":[],\"device_traces\":[[],^{}]}",
	  "device_traces[1]: not an array where the trace of a device was expected; write the snapshot "
	  "anew" },
	{ ENTRY("^[]"), "device_traces[0][0]: not an object where a trace entry was expected; write "
	                "the snapshot anew" },
	{ ENTRY("^{\"size\":1}"), "device_traces[0][0].action: " MISSING },
	{ ENTRY("{\"action\":^true}"),
	  "device_traces[0][0].action: not text; write the snapshot anew" },
	{ ENTRY("{\"action\":\"snapshot\"},^{\"action\":\"alloc\",\"addr\":1}"),
	  "device_traces[0][1].size: " MISSING },
	{ ENTRY("^{\"action\":\"segment_unmap\",\"addr\":1}"), "device_traces[0][0].size: " MISSING },
	{ ENTRY("{\"action\":\"alloc\",\"size\":^-1}"), "device_traces[0][0].size: " NO_U64 },
	{ ENTRY("{\"action\":\"alloc\",\"size\":1,\"addr\":^\"0x7f\"}"),
	  "device_traces[0][0].addr: " NO_U64 },
	{ ENTRY("{\"action\":\"oom\",\"device_free\":^-1}"),
	  "device_traces[0][0].device_free: " NO_U64 },
	{ ENTRY("^{\"action\":\"oom\",\"device_free\":4611686018427387905}"),
	  "device_traces[0][0]: free bytes of the device come to more than 4611686018427387904 bytes; "
	  "write the snapshot anew" },
	{ ENTRY("^{\"action\":\"oom\",\"size\":4611686018427387905}"),
	  "device_traces[0][0]: trace entries come to more than 4611686018427387904 bytes; write the "
	  "snapshot anew" },
	{ ENTRY("{\"action\":\"snapshot\",\"time_us\":^1.5}"), "device_traces[0][0].time_us: " NO_I64 },
	{ ENTRY("^{\"action\":\"alloc\",\"addr\":18446744073709551614,\"size\":1}"),
	  "device_traces[0][0]: address and size reach beyond 2^64 - 1; write the snapshot anew" },
	{ NOTE("\"time_us\":^NaN"), "external_annotations[0].time_us: " NO_I64 },
	{ NOTE("\"time_us\":1,\"device\":^-1"),
	  "external_annotations[0].device: a device below 0; write the snapshot anew" },
	{ "{\"segments\":[],\"external_annotations\":[{\"stage\":^5}]}",
	  "external_annotations[0].stage: not text; write the snapshot anew" },
};

static void every_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(errors); i++) {
		struct strbuf text = STRBUF_INIT, want = STRBUF_INIT;
		size_t byte = strcspn(errors[i].text, "^");
		strbuf_addf(&text, "%.*s%s", (int)byte, errors[i].text, errors[i].text + byte + 1);
		strbuf_addf(&want, "doc: byte %zu: %s", byte, errors[i].error ? errors[i].error : "");
		if (!errors[i].error) { /* expects this message of the JSON scanner */
			strbuf_setlen(&want, 0);
			strbuf_addf(&want, "doc: byte %zu: extra data after the end of the JSON text",
			            byte + 1);
		}
		for (size_t k = 0; k < ROWS(sizes); k++) {
			enum status st;
			struct strbuf got = dump_json(strbuf_span(&text), sizes[k], &st);
			if (st != ST_INPUT || !span_eq(strbuf_span(&got), strbuf_span(&want)))
				fail_msg("%s, in blocks of %zu:\n  got  %s\n  want %s", errors[i].text, sizes[k],
				         strbuf_str(&got), strbuf_str(&want));
			strbuf_release(&got);
		}
		strbuf_release(&text);
		strbuf_release(&want);
	}
}

/* A gzip stream that is cut after the JSON text still counts as cut. */
static void gzip_cut_behind_the_text(void **state)
{
	(void)state;
	unsigned char out[256];
	static const char text[] = "{\"segments\": []}";
	z_stream z = { .next_in = (Bytef *)text,
		           .avail_in = sizeof text - 1,
		           .next_out = out,
		           .avail_out = sizeof out };
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	size_t n = sizeof out - z.avail_out;
	deflateEnd(&z);
	for (size_t cut = 0; cut < 2; cut++) {
		enum status st;
		struct source_options so = { .allow_truncated = true };
		struct strbuf got =
		    dump_source(source_memory("doc", out, n - cut, &so), snapshot_read, NULL, &st);
		assert_int_equal(st, cut ? ST_INPUT : ST_OK);
		assert_true(!cut || strstr(strbuf_str(&got), "byte 16: the snapshot is cut short"));
		strbuf_release(&got);
	}
}

/* ---- limits of snapshots ---- */

static const char limited[] =
    "{\"segments\":[" SEGMENT ",{\"total_size\":9,\"blocks\":[{\"size\":8,\"state\":\"inactive\"},"
    "{\"size\":1,\"state\":\"inactive\"},{\"size\":1,\"state\":\"inactive\"}]}],"
    "\"device_traces\":[[{\"action\":\"alloc\",\"size\":6,\"frames\":" FRAMES
    "},{\"action\":\"alloc\",\"size\":4}],[],[],"
    "[{\"action\":\"alloc\",\"size\":0,\"frames\":" FRAMES
    "},{\"action\":\"snapshot\",\"frames\":[{\"line\":9}]}]],"
    "\"external_annotations\":[{\"stage\":\"END\",\"name\":\"n\",\"time_us\":1}]}";

static void at_and_past_every_limit(void **state)
{
	(void)state;
	static const struct {
		size_t offset, exact; ///< offset of the limit in the struct, and the smallest limit with
		                      ///< which the text is read
		bool wide;
		const char *what;
	} rows[] = {
		{ offsetof(struct snapshot_limits, segments), 2, false, "more than 1 segments" },
		{ offsetof(struct snapshot_limits, blocks), 3, false, "more than 2 blocks" },
		{ offsetof(struct snapshot_limits, entries), 4, false, "more than 3 trace entries" },
		{ offsetof(struct snapshot_limits, devices), 4, false, "more than 3 devices" },
		{ offsetof(struct snapshot_limits, annotations), 1, false, "more than 0 annotations" },
		{ offsetof(struct snapshot_limits, frames), 3, false,
		  "more than 2 frames of different stacks" },
		{ offsetof(struct snapshot_limits, bytes), 10, true, "come to more than 9 bytes" },
	};
	for (size_t i = 0; i < ROWS(rows); i++)
		for (size_t past = 0; past < 2; past++) {
			struct snapshot_limits limits = snapshot_limits_default;
			size_t value = rows[i].exact - past;
			uint64_t wide = value;
			memcpy((char *)&limits + rows[i].offset, rows[i].wide ? (void *)&wide : (void *)&value,
			       rows[i].wide ? sizeof wide : sizeof value);
			enum status st;
			struct strbuf got = dump_bytes(span_of(limited), snapshot_read, &limits, 0, &st);
			if (st != (past ? ST_INPUT : ST_OK) ||
			    (past && !strstr(strbuf_str(&got), rows[i].what)))
				fail_msg("%s: %s", rows[i].what, strbuf_str(&got));
			strbuf_release(&got);
		}
}

/* An entry of a history must not need more memory than now: 48 bytes. */
static void an_entry_takes_48_bytes(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct snapshot_entry), 48);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(every_error),
		cmocka_unit_test(gzip_cut_behind_the_text),
		cmocka_unit_test(at_and_past_every_limit),
		cmocka_unit_test(an_entry_takes_48_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
