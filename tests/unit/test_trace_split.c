/* Traces that several threads read: whatever the pieces, events, order of names, metadata and error
   messages equal those of one thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#include "trace_rows.h"

/* ---- reading with one thread and with several ---- */

static bool names_same(const struct name_table *a, const struct name_table *b)
{
	bool same = a->nr == b->nr;
	for (size_t i = 0; same && i < a->nr; i++)
		same = span_eq(name_span(a->by_id[i]), name_span(b->by_id[i]));
	return same;
}

static size_t joined; /* number of parts, read by separate threads, joined in all checks so far */

static void check_way(struct span text, struct trace_options options, const struct record *whole,
                      size_t block, uint64_t stop_after, const char *what)
{
	struct record r = record_trace(text, options, block, stop_after);
	joined += r.nr_joined;
	if (!stop_after &&
	    /* after an early stop the tables may differ: threads may have read names of later events */
	    !names_same(&whole->names, &r.names))
		fail_msg("%s: %zu threads, pieces of %zu: other names", what, options.threads,
		         options.piece);
	if (r.broken != whole->broken || !record_same(whole, &r))
		fail_msg("%s: %zu threads, pieces of %zu, blocks of %zu: status %d and %d\n%s%s%s\n%s%s%s",
		         what, options.threads, options.piece, block, whole->status, r.status,
		         strbuf_str(&whole->events), strbuf_str(&whole->meta), strbuf_str(&whole->log),
		         strbuf_str(&r.events), strbuf_str(&r.meta), strbuf_str(&r.log));
	record_release(&r);
}

static void check_ways(struct span text, bool allow_truncated, uint64_t stop_after, bool few,
                       const char *what)
{
	static const size_t pieces[] = { 100, 16, 70, 333, 4096, 0 };
	struct trace_options options = { .allow_truncated = allow_truncated };
	struct record whole = record_trace(text, options, 0, stop_after);
	for (size_t i = 0; i < (few ? 1 : ROWS(pieces)); i++) {
		options.piece = pieces[i];
		options.threads = 2 + i % 3;
		check_way(text, options, &whole, i % 2 ? 97 : 0, stop_after, what);
	}
	record_release(&whole);
}

/* ---- documents with many events ---- */

/* Formats of printf() for events of every kind. Each has places for numbers. */
static const char *const kinds[] = {
	"{'ph':'X','cat':'cpu_op','name':'aten::add','pid':7,'tid':'loop','ts':%u,'dur':9,"
	"'args':{'Input Dims':[[8,4],[4]],'Input type':['float','float'],'Concrete Inputs':['','1']}}",
	"{'ph':'X','cat':'kernel','name':'void k<%u>(float*)','pid':0,'tid':7,'ts':%u.5,'dur':3,"
	"'args':{'device':0,'stream':'s%u','correlation':%u,'grid':[1,2,3],'block':[4,5,6],"
	"'est. achieved occupancy %%':41}}",
	"{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','pid':'0x7','tid':%u,'ts':%u,"
	"'dur':2,'args':{'correlation':'c%u'}}",
	"{'ph':'X','cat':'gpu_memcpy','name':'Memcpy','pid':0,'tid':7,'ts':%u,'dur':1,"
	"'args':{'device':0,'stream':7,'bytes':%u}}",
	"{'ph':'i','s':'t','name':'[memory]','pid':7,'tid':7,'ts':%u,'args':{'Bytes':-%u,"
	"'Device Type':1,'Device Id':0,'Total Allocated':%u,'Total Reserved':4096}}",
	"{'ph':'X','cat':'python_function','name':'train.py(%u): step \\u00e9\\n','pid':7,'tid':7,"
	"'ts':%u,'dur':1,'args':{'Python id':%u,'Python parent id':1}}",
	"{'ph':'X','cat':'kernel','name':'ncclDevKernel','pid':0,'tid':8,'ts':%u,'dur':4,"
	"'args':{'Collective name':'allreduce','dtype':'Half','In msg nelems':%u,'Group size':8,"
	"'Process Group Name':'default_pg','Process Group Description':'d'}}",
	"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#%u','pid':7,'tid':7,'ts':%u,'dur':1}",
	"{'ph':'f','id':%u,'cat':'ac2g','name':'ac2g','pid':0,'tid':7,'ts':%u,'bp':'e'}",
	"{'ph':'X','cat':'cpu_op','name':'no time %u'}",
	"{'ph':'X','cat':'cpu_op','name':'negative','ts':%u,'dur':-5,'pid':NaN,'x':'\\q'}",
};

static void add_kind(struct strbuf *out, const char *text, unsigned i)
{
	for (; *text; text++)
		if (text[0] == '%' && text[1] == 'u') {
			strbuf_addf(out, "%u", i);
			text++;
		} else if (text[0] == '%') {
			strbuf_adds(out, "%");
			text++;
		} else {
			strbuf_addch(out, *text == '\'' ? '"' : *text);
		}
}

/* A document of `nr` events separated by `between`, with the text `odd`, if not NULL, in the
 * middle. */
static struct strbuf document(unsigned nr, const char *between, const char *odd, const char *tail)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, "{\"schemaVersion\":1,\"traceEvents\":[");
	for (unsigned i = 0; i < nr; i++) {
		strbuf_adds(&b, i ? between : "");
		if (i == nr / 2 && odd) {
			struct strbuf text = json_of(odd);
			strbuf_add(&b, strbuf_span(&text));
			strbuf_release(&text);
			strbuf_adds(&b, between);
		}
		add_kind(&b, kinds[i % ROWS(kinds)], i);
	}
	struct strbuf text = json_of(tail);
	strbuf_add(&b, strbuf_span(&text));
	strbuf_release(&text);
	return b;
}

#define TAIL "],'distributedInfo':{'rank':3,'world_size':8}}"

static void sound(void **state)
{
	static const char *const between[] = { ",", ",\n  ", ", ", "\n,\n", "\n\t,", " , " };
	(void)state;
	for (size_t i = 0; i < ROWS(between); i++)
		for (unsigned nr = 1; nr < 200; nr += nr < 12 ? 1 : 61) {
			struct strbuf b = document(nr, between[i], NULL, TAIL);
			check_ways(strbuf_span(&b), false, 0, false, "sound");
			strbuf_release(&b);
		}
	/* documents that are a bare list: one longer than a window of the scanner, one nearly as long
	 * as the limit of decompressed bytes (4 MiB) */
	for (unsigned nr = 3000; nr <= 30000; nr *= 10) {
		struct strbuf b = document(nr, ",\n", NULL, "]");
		const char *list = strchr(b.p, '[');
		joined = 0;
		check_ways((struct span){ list, b.n - (size_t)(list - b.p) }, false, 0, nr > 3000, "list");
		assert_true(joined > nr / 9); /* pieces of 100 bytes were really joined */
		strbuf_release(&b);
	}
}

/* Text that only seems to end a piece, text at which no piece may end, and elements that are not
   events. */
static const char *const odd[] = {
	"{'ph':'X','cat':'cpu_op','name':'n','ts':1,'args':{'x':[{'ph':'X'},{'ph':'X','cat':'kernel',"
	"'name':'inner','ts':1,'dur':2},{'ph':'X','cat':'kernel','name':'inner2','ts':1,'dur':2}]}}",
	"{'ph':'X','cat':'cpu_op','name':',{\\'ph\\':\\'X\\'','ts':1,'pid':',{','tid':'},{'}",
	"[{'ph':'X','cat':'kernel','name':'inner','ts':1},{'ph':'X','cat':'kernel','name':'i','ts':1}]",
	"{'traceEvents':[{'ph':'X','cat':'kernel','name':'i','ts':1},{'ph':'X','cat':'kernel'}]}",
	"1",
	"null,[],'x',NaN,-Infinity,{}",
	"{'name':'first','ph':'X','cat':'kernel','ts':5}",
	"{'ph':'M','name':'process_name','pid':1,'args':{'name':'python'}}",
	/* texts that look like the end of the array, and its real end */
	"{'ph':'X'}],'traceEvents':[{'ph':'X'},{'ph':'X'},{'ph':'X'}",
	"{}]}",
	"{}],'x':[{},{}",
	"{}]]",
	/* an event with an error in a value or in its syntax */
	"{'ph':'X','cat':'kernel','name':'k','ts':1e99}",
	"{'ph':'X',}",
	"{'ph':'X' 'cat'}",
	"{}{}",
	"{'ph':'X','cat':'kernel','name':'k','ts':9223372036854775,'dur':9223372036854775}",
	"tru",
	"]",
	"{'ph':'X','cat':'kernel','name':'k\x01','ts':1},{'ph':\x02}",
	"}",
	"{'ph':'X','name':'",
	"\\",
};

static void hostile(void **state)
{
	static const char *const tails[] = {
		TAIL,  "],'x':[{'ph':'X'},{'ph':'X','cat':'kernel','name':'k','ts':1},{'ph':'X'}]}",
		"]}}", "],'traceEvents':[{'ph':'X'},{'ph':'X'}]}",
		"",    "]"
	};
	(void)state;
	for (size_t i = 0; i < ROWS(odd); i++)
		for (size_t k = 0; k < ROWS(tails); k++) {
			struct strbuf b = document(44, ",", odd[i], tails[k]);
			check_ways(strbuf_span(&b), false, 0, false, odd[i]);
			check_ways(strbuf_span(&b), true, 0, true, odd[i]);
			strbuf_release(&b);
		}
}

/* Documents that are cut, or have one byte changed, are read alike by any number of threads. */
static void damaged(void **state)
{
	static const char bytes[] = "\"{}[],:\\ 9x\x01";
	struct strbuf b = document(14, ",", NULL, TAIL);
	(void)state;
	for (size_t n = 0; n < b.n; n++) {
		check_ways((struct span){ b.p, n }, n % 2, 0, true, "cut");
		char kept = b.p[n];
		b.p[n] = bytes[n * 7 % (sizeof bytes - 1)];
		check_ways(strbuf_span(&b), false, 0, true, "changed");
		b.p[n] = kept;
	}
	strbuf_release(&b);
}

static void refused(void **state)
{
	(void)state;
	struct strbuf b = document(30, ",", NULL, TAIL);
	for (uint64_t after = 1; after < 25; after++)
		check_ways(strbuf_span(&b), false, after, false, "refused");
	strbuf_release(&b);
}

/* More names than a thread keeps in its table, each of which occurs twice. */
static void many_names(void **state)
{
	struct strbuf b = STRBUF_INIT;
	(void)state;
	strbuf_adds(&b, "[{}");
	for (unsigned i = 0; i < 2600; i++)
		strbuf_addf(&b, ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%01400u\",\"ts\":%u}",
		            i % 9 ? i * 7 % 2600 : 3, i);
	strbuf_adds(&b, "]");
	check_ways(strbuf_span(&b), false, 0, false, "names");
	strbuf_release(&b);
}

/* gzip that is whole, cut, damaged, or followed by garbage, before and after other faults. */
static void packed(void **state)
{
	static const char *const faults[] = { NULL, "{'ph':'X',}" };
	unsigned char z[1 << 14];
	(void)state;
	for (size_t i = 0; i < ROWS(faults); i++) {
		struct strbuf b = document(90, ",", faults[i], TAIL);
		z_stream s = { .next_in = (Bytef *)b.p, .avail_in = (uInt)b.n, .next_out = z };
		s.avail_out = sizeof z - 9;
		assert_int_equal(deflateInit2(&s, 1, Z_DEFLATED, 31, 8, Z_HUFFMAN_ONLY), Z_OK);
		assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
		size_t n = s.total_out;
		deflateEnd(&s);
		memcpy(z + n, "garbage", 8);
		check_ways((struct span){ (char *)z, n + 8 }, false, 0, false, "garbage");
		for (size_t cut = n % 97; cut <= n; cut += 97) {
			check_ways((struct span){ (char *)z, cut }, false, 0, true, "cut gzip");
			check_ways((struct span){ (char *)z, cut }, true, 0, true, "cut gzip, allowed");
			z[cut - 1] ^= 0x10;
			check_ways((struct span){ (char *)z, n }, false, 0, true, "damaged gzip");
			z[cut - 1] ^= 0x10;
		}
		strbuf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound),   cmocka_unit_test(hostile),    cmocka_unit_test(damaged),
		cmocka_unit_test(refused), cmocka_unit_test(many_names), cmocka_unit_test(packed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
