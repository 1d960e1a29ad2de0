/* Traces that several threads reduce: whatever the pieces, the digest and any error message equal
   those of one thread. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reduced_text.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

/* ---- a trace reduced as a whole, and in pieces ---- */

/* Shows both texts from the first different line on. */
static void show(size_t piece, const struct strbuf *a, const struct strbuf *b)
{
	size_t from = 0, i = 0;
	while (i < a->n && i < b->n && a->p[i] == b->p[i]) {
		from = a->p[i] == '\n' ? i + 1 : from;
		i++;
	}
	fail_msg("pieces of %zu:\n%.300s\nand\n%.300s", piece, strbuf_str(a) + from,
	         strbuf_str(b) + from);
}

/* Expects the same output whether a trace is reduced as a whole or in pieces of a given size: a
   digest or, if `error` is given, a message that contains `error`. */
static void check(const struct strbuf *doc, const struct reduce_options *reduce, const char *error)
{
	static const size_t pieces[] = { 100, 700, 3000, 20000, 0 };
	struct trace_options options = { .threads = 1 };
	struct strbuf one = reduced(strbuf_span(doc), &options, reduce);
	if (!error != (one.p[0] == '{') || (error && !strstr(strbuf_str(&one), error)))
		fail_msg("%s instead of %s", strbuf_str(&one), error ? error : "a digest");
	for (size_t i = 0; i < ROWS(pieces); i++) {
		options.piece = pieces[i];
		options.threads = 2 + i % 3;
		struct strbuf more = reduced(strbuf_span(doc), &options, reduce);
		if (!span_eq(strbuf_span(&one), strbuf_span(&more)))
			show(pieces[i], &one, &more);
		strbuf_release(&more);
	}
	strbuf_release(&one);
}

/* ---- random traces ---- */

struct dice {
	uint64_t state;
};

static unsigned roll(struct dice *d, unsigned sides)
{
	d->state = d->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(d->state >> 33) % sides;
}

/* Appends one word of `words`, chosen at random. The words are separated by blanks. */
static void add_word(struct strbuf *b, struct dice *d, const char *words)
{
	unsigned nr = 1;
	for (const char *p = words; *p; p++)
		nr += *p == ' ';
	for (unsigned i = roll(d, nr); i; i--)
		words = strchr(words, ' ') + 1;
	strbuf_add(b, (struct span){ words, strcspn(words, " ") });
}

static int64_t some_dur(struct dice *d)
{
	return roll(d, 9) ? roll(d, 2000) : (int64_t)roll(d, 3000) * 1000 * 1000 * 1000;
}

/* Adds a thread; threads and ids are numbers, text, null or absent. */
static void add_thread(struct strbuf *b, struct dice *d)
{
	strbuf_adds(b, ",\"pid\":");
	add_word(b, d, "7 7 7 7 8 \"job\" null -3");
	if (roll(d, 50))
		strbuf_adds(b, ",\"tid\":");
	if (strbuf_str(b)[b->n - 1] == ':')
		add_word(b, d, "7 7 7 7 9 9 10 \"pool\" \"0x1\" null 11 12");
}

static void add_times(struct strbuf *b, struct dice *d, int64_t at_ns)
{
	int64_t dur_ns = some_dur(d);
	strbuf_addf(b, ",\"ts\":%" PRId64 ".%03d,\"dur\":%s%" PRId64 ".%03d", at_ns / 1000,
	            (int)(at_ns % 1000), roll(d, 60) ? "" : "-", dur_ns / 1000, (int)(dur_ns % 1000));
}

/* Adds a correlation id from a small range, so that calls and activities share ids. Some ids need
   more than 32 bits, some are texts, and some are absent. */
static void add_correlation(struct strbuf *b, struct dice *d)
{
	if (!roll(d, 20))
		return;
	strbuf_adds(b, ",\"correlation\":");
	switch (roll(d, 8)) {
	case 0:
		strbuf_addf(b, "%" PRId64, INT64_C(5000000000) + roll(d, 40));
		return;
	case 1:
		strbuf_addf(b, "\"c%u\"", roll(d, 40));
		return;
	case 2:
		strbuf_addf(b, "-%u", 2 + roll(d, 40));
		return;
	default:
		strbuf_addf(b, "%u", roll(d, 400));
	}
}

static void add_collective(struct strbuf *b, struct dice *d)
{
	strbuf_adds(b, ",\"Collective name\":\"");
	add_word(b, d, "allreduce allgather _reduce_scatter_base send other");
	strbuf_adds(b, "\",\"dtype\":\"");
	add_word(b, d, "Float BFloat16 Half Int");
	strbuf_addf(b, "\",\"In msg nelems\":%u,\"Out msg nelems\":%u,\"Group size\":%u", roll(d, 5000),
	            roll(d, 5000), roll(d, 9));
	strbuf_adds(b, ",\"Process Group Name\":\"");
	add_word(b, d, "0 1 default tp");
	strbuf_adds(b, "\",\"Process Group Description\":\"");
	add_word(b, d, "default_pg mesh_tp d");
	strbuf_adds(b, "\"");
}

static void add_inputs(struct strbuf *b, struct dice *d)
{
	unsigned m = 1 + roll(d, 6), k = 1 + roll(d, 5), n = 1 + roll(d, 4);
	strbuf_addf(b, ",\"Input Dims\":[[%u,%u],[%u,%u]],\"Input type\":[\"", m, k, k, n);
	add_word(b, d, "float c10::Half double");
	strbuf_adds(b, "\",\"float\"],\"Concrete Inputs\":[\"\",\"\"]");
}

static void add_gpu(struct strbuf *b, struct dice *d, int64_t at_ns)
{
	bool kernel = roll(d, 5), comm = kernel && !roll(d, 6);
	strbuf_adds(b, "\"ph\":\"X\",\"cat\":\"");
	add_word(b, d, kernel ? "kernel" : "gpu_memcpy gpu_memset");
	strbuf_adds(b, "\",\"name\":\"");
	if (comm)
		add_word(b, d, "ncclDevKernel_AllReduce ncclDevKernel_SendRecv");
	else
		strbuf_addf(b, "%s%u", kernel ? "gemm" : "Memcpy", roll(d, roll(d, 4) ? 5 : 200));
	strbuf_adds(b, "\",\"pid\":0,\"tid\":7");
	add_times(b, d, at_ns);
	strbuf_adds(b, ",\"args\":{\"device\":");
	add_word(b, d, "0 0 0 1 \"gpu\"");
	strbuf_adds(b, ",\"stream\":");
	add_word(b, d, "7 7 7 13 \"s\" 21 22");
	add_correlation(b, d);
	if (comm && roll(d, 3))
		add_collective(b, d);
	if (kernel && roll(d, 6))
		strbuf_addf(b, ",\"grid\":[%u,1,1],\"block\":[%u,1,1]", 1 + roll(d, 3), 32 << roll(d, 2));
	if (kernel && roll(d, 2))
		strbuf_addf(b, ",\"est. achieved occupancy %%\":%u", roll(d, 101));
	if (!kernel)
		strbuf_addf(b, ",\"bytes\":%u", roll(d, 100000));
	strbuf_adds(b, "}");
}

static void add_host(struct strbuf *b, struct dice *d, int64_t at_ns)
{
	static const char *const cats[] = { "cuda_runtime", "cpu_op", "user_annotation" };
	static const char *const names[] = {
		"cudaLaunchKernel cudaLaunchKernel cudaMemcpyAsync cudaStreamSynchronize cudaGraphLaunch",
		"aten::mm aten::add aten::empty autograd::engine::evaluate_function:_Mm "
		"record_param_comms c10d::allreduce_ ProfilerStep#99",
		"Optimizer.step#SGD.step enumerate(DataLoader)#next forward nccl:all_reduce nccl:send",
	};
	unsigned kind = roll(d, 3);
	strbuf_addf(b, "\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"", cats[kind]);
	add_word(b, d, names[kind]);
	if (!roll(d, 8))
		strbuf_addf(b, "%u", roll(d, 300));
	strbuf_adds(b, "\"");
	add_thread(b, d);
	add_times(b, d, at_ns);
	strbuf_adds(b, ",\"args\":{\"x\":1");
	if (kind == 0)
		add_correlation(b, d);
	else if (!roll(d, 3))
		add_collective(b, d);
	if (kind && roll(d, 3))
		add_inputs(b, d);
	strbuf_adds(b, "}");
}

static void add_memory(struct strbuf *b, struct dice *d, int64_t at_ns)
{
	strbuf_addf(b, "\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":%" PRId64, at_ns / 1000);
	add_thread(b, d);
	strbuf_addf(b,
	            ",\"args\":{\"Bytes\":%s%u,\"Device Type\":%d,\"Device Id\":%u,"
	            "\"Total Allocated\":%u,\"Total Reserved\":%u}",
	            roll(d, 3) ? "" : "-", roll(d, 900), roll(d, 5) != 0, roll(d, 3), roll(d, 40) * 512,
	            roll(d, 8) * 4096);
}

static void add_python(struct strbuf *b, struct dice *d, int64_t at_ns, unsigned id)
{
	strbuf_adds(b, "\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"");
	if (roll(d, 20)) /* one frame in 20 recomputes the forward pass */
		strbuf_addf(b, "train.py(%u): f%u\"", roll(d, 20), roll(d, 3));
	else
		strbuf_adds(b, "torch/utils/checkpoint.py(9): recompute_fn\"");
	add_thread(b, d);
	add_times(b, d, at_ns);
	strbuf_addf(b, ",\"args\":{\"Python id\":%u,\"Python parent id\":%u}", id, roll(d, id));
}

static void add_event(struct strbuf *b, struct dice *d, int64_t at_ns, unsigned i)
{
	static const char *const others[] = {
		"\"ph\":\"f\",\"id\":1,\"cat\":\"ac2g\",\"name\":\"ac2g\",\"ts\":1",
		"\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"no time\"",
		"\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"\\q\",\"ts\":3,\"dur\":1",
		"\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"python\"}",
	};
	switch (roll(d, 10)) {
	case 0:
	case 1:
	case 2:
		add_gpu(b, d, at_ns);
		return;
	case 3:
		add_memory(b, d, at_ns);
		return;
	case 4:
		add_python(b, d, at_ns, i + 1);
		return;
	case 5:
		strbuf_adds(b, others[roll(d, roll(d, 12) ? 3 : 4)]);
		return;
	default:
		add_host(b, d, at_ns);
	}
}

/* Times are on a coarse grid, so that events often happen at the same time. */
static struct strbuf random_doc(uint64_t seed, unsigned nr)
{
	struct dice d = { seed };
	struct strbuf b = STRBUF_INIT;
	unsigned between = 20 + roll(&d, 40);
	int64_t at_ns = 1000000;
	strbuf_adds(&b, "{\"traceEvents\":[{}");
	for (unsigned i = 0; i < nr; i++) {
		strbuf_adds(&b, ",\n{");
		if (i % between < 6)
			strbuf_addf(&b,
			            "\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%u\","
			            "\"pid\":7,\"tid\":7,\"ts\":%" PRId64 ",\"dur\":%u",
			            i, at_ns / 1000, between);
		else
			add_event(&b, &d, at_ns, i);
		strbuf_adds(&b, "}");
		at_ns += roll(&d, 3) * 700;
	}
	strbuf_adds(&b, "],\"distributedInfo\":{\"rank\":3,\"world_size\":8}}");
	return b;
}

static void random_traces(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct strbuf doc = random_doc(seed, seed < 34 ? 40 + (unsigned)seed * 12 : 3000);
		struct reduce_options options = { .marker = seed % 5 ? "ProfilerStep#*" : "none",
			                              .communication = "nccl rccl",
			                              .warmup = (int64_t)seed % 2,
			                              .phase = seed % 3 ? PHASE_ALL : PHASE_BACKWARD,
			                              .threads = 1 + seed % 2 };
		options.by_period = seed % 10 == 0;
		check(&doc, &options, NULL);
		strbuf_release(&doc);
	}
}

/* The operator at the peak of memory is found by process and thread, also if these are texts, whose
 * numbers differ between the parts of a trace. */
static void peak_in_a_named_thread(void **state)
{
	(void)state;
	struct strbuf b = STRBUF_INIT;
	struct reduce_options options = { .marker = "ProfilerStep#*", .communication = "nccl" };
	strbuf_adds(&b, "{\"traceEvents\":[{}");
	for (unsigned i = 0; i < 400; i++) {
		strbuf_addf(
		    &b, ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op %u\",\"pid\":\"p%u\",\"tid\":1,",
		    i, i % 7);
		strbuf_addf(&b, "\"ts\":%u,\"dur\":1}", i * 10);
		if (i == 300)
			strbuf_adds(&b,
			            ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"highest\",\"pid\":\"job\","
			            "\"tid\":\"pool\",\"ts\":3001,\"dur\":8},"
			            "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":\"job\",\"tid\":\"pool\","
			            "\"ts\":3004,\"args\":{\"Bytes\":8,\"Device Type\":1,\"Device Id\":0,"
			            "\"Total Allocated\":5,\"Total Reserved\":9}}");
	}
	strbuf_adds(&b, "]}");
	struct strbuf one = reduced(strbuf_span(&b), &(struct trace_options){ .threads = 1 }, &options);
	if (!strstr(strbuf_str(&one), "\"peak_op\":\"highest\""))
		fail_msg("%s", strbuf_str(&one));
	strbuf_release(&one);
	check(&b, &options, NULL);
	strbuf_release(&b);
}

/* ---- traces whose pieces are each within a limit that the whole exceeds ---- */

/* A trace in which `odd` occurs several times between other events, so that no single piece of the
   file exceeds a limit, but the whole does. */
static struct strbuf odd_doc(const char *odd, unsigned times)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, "[{}");
	for (unsigned i = 0; i < 200; i++) {
		strbuf_addf(&b, ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op %u\",\"ts\":%u,\"dur\":1}",
		            i % 30, i);
		if (i % 20 == 10 && i / 20 < times) {
			strbuf_adds(&b, ",{");
			for (const char *p = odd; *p; p++)
				strbuf_addch(&b, *p == '\'' ? '"' : *p);
			strbuf_adds(&b, "}");
		}
	}
	strbuf_adds(&b, "]");
	return b;
}

#define QUARTER_US "2305843009213694" /* 2^61 ns in us, a quarter of the largest int64 */
#define QUARTER "2305843009213693952"

static void does_not_fit(void **state)
{
	static const struct {
		const char *odd, *error;
		/// how often `odd` must occur for the limit to be exceeded; 0: 4 times exceed it, 3 do not
		unsigned times;
	} rows[] = {
		/* an event at the earliest possible time, which is also the initial value of the time of a
		   memory's last event */
		{ "'ph':'i','name':'[memory]','ts':-9223372036854775.808,'args':{'Bytes':8,'Device Type':1,"
		  "'Device Id':0,'Total Allocated':5}",
		  NULL, 1 },
		{ "'ph':'X','cat':'kernel','name':'k','ts':0,'dur':" QUARTER_US, "durations of GPU", 0 },
		{ "'ph':'X','cat':'cpu_op','name':'k','ts':0,'dur':" QUARTER_US, "of host events", 0 },
		{ "'ph':'X','cat':'python_function','name':'k','ts':0,'dur':" QUARTER_US, "of Python", 0 },
		{ "'ph':'X','cat':'gpu_memcpy','name':'k','ts':0,'args':{'bytes':" QUARTER "}",
		  "the bytes of copies", 0 },
		{ "'ph':'i','name':'[memory]','ts':0,'args':{'Bytes':" QUARTER ",'Device Type':1,"
		  "'Device Id':0,'Total Allocated':5}",
		  "the allocations add up", 0 },
		{ "'ph':'X','cat':'cpu_op','name':'k','ts':-9223372036854775", "292 years apart", 1 },
		{ "'ph':'X','cat':'cpu_op','name':'k','ts':1e99", "traceEvents[", 1 },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		for (unsigned times = rows[i].times ? rows[i].times : 3; times < 6; times++) {
			struct reduce_options options = { .marker = "ProfilerStep#*", .communication = "nccl" };
			bool fits = !rows[i].times && times == 3;
			struct strbuf doc = odd_doc(rows[i].odd, times);
			check(&doc, &options, fits ? NULL : rows[i].error);
			strbuf_release(&doc);
		}
}

static void too_many(void **state)
{
	(void)state;
	struct strbuf doc = random_doc(7, 400);
	for (uint32_t limit = 1; limit < 300; limit += 7) {
		struct reduce_options options = { .marker = "ProfilerStep#*",
			                              .communication = "nccl",
			                              .max_events = limit };
		check(&doc, &options, "more events than can be held");
	}
	strbuf_release(&doc);
	doc = odd_doc("", 0);
	struct reduce_options options = { .communication = "nccl", .max_events = 200 };
	options.marker = "ProfilerStep#*";
	check(&doc, &options, NULL);
	strbuf_release(&doc);
}

/* A trace with more ids and more text than one part of a reducer may have, so that further parts
 * are begun. */
static void renewed(void **state)
{
	struct strbuf b = STRBUF_INIT;
	struct reduce_options options = { .marker = "ProfilerStep#*", .communication = "nccl" };
	(void)state;
	strbuf_adds(&b, "[{}");
	for (unsigned i = 0; i < 5000; i++) {
		unsigned n = i % 5 ? i * 7 % 4000 : 3;
		strbuf_addf(
		    &b,
		    ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%u\",\"ts\":%u,\"dur\":%u,\"args\":{"
		    "\"device\":0,\"stream\":%u,\"correlation\":%u,\"grid\":[%u,1,1],\"block\":[1,1,%u]}}",
		    n % 100, i, i % 9, n, n, n, i % 2);
		strbuf_addf(
		    &b,
		    ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"tid\":%u,\"ts\":%u,\"dur\":1,"
		    "\"args\":{\"Input Dims\":[[%u,\"%0200u\"]],\"Input type\":[\"float\"]}}",
		    n, i, n, n);
	}
	strbuf_adds(&b, "]");
	check(&b, &options, NULL);
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces), cmocka_unit_test(peak_in_a_named_thread),
		cmocka_unit_test(does_not_fit),  cmocka_unit_test(too_many),
		cmocka_unit_test(renewed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
