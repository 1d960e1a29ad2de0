/* Figures of a run of up to three traces are the same to the byte when they are made from the
 * reduced digests, from stored digests, and from the merged run. The bytes of the input choose the
 * events. */
#include "fuzz.h"

#include <inttypes.h>

#include "../unit/reduced_text.h"
#include "choices.h"
#include "cli/output.h"
#include "merge/digest_small.h"
#include "run_laws.h"

enum { MOST = 40, RANKS = 3 };

static int64_t time_of(struct choices *c)
{
	static const int64_t edges[] = { 0, 1, INT64_C(4611686018427387), INT64_C(9223372036854775) };
	size_t kind = choose(c, 64);
	return kind < 4 ? edges[kind] : choose_number(c);
}

static void add_work(struct strbuf *b, struct choices *c, const char *cat)
{
	static const char *const names[] = { "k", "void gemm<int>(float*)", "ncclDevKernel_AllReduce",
		                                 "Memcpy", "\\u0000\\ud800" };
	strbuf_addf(b,
	            "\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"args\":{\"device\":%zu,"
	            "\"stream\":%zu,"
	            "\"correlation\":%zu,\"External id\":%zu",
	            cat, names[choose(c, sizeof names / sizeof *names)], choose(c, 2), choose(c, 3),
	            choose(c, 16), choose(c, 16));
	if (choose(c, 4) == 1)
		strbuf_addf(b, ",\"bytes\":%" PRId64, time_of(c));
	if (choose(c, 4) == 1)
		strbuf_addf(b,
		            ",\"Collective name\":\"allreduce\",\"In msg nelems\":%zu,\"Out msg "
		            "nelems\":8,\"dtype\":\"Half\","
		            "\"Group size\":%zu,\"Process Group Name\":\"g%zu\"",
		            choose(c, 9), choose(c, 9), choose(c, 2));
	strbuf_adds(b, "}");
}

static void add_event(struct strbuf *b, struct choices *c)
{
	strbuf_adds(b, ",{\"ph\":\"X\",");
	switch (choose(c, 10)) {
	case 0:
		strbuf_addf(b,
		            "\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%zu\",\"pid\":1,\"tid\":1",
		            choose(c, 8));
		break;
	case 1:
		strbuf_addf(b,
		            "\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,\"tid\":%zu,\"args\":{"
		            "\"correlation\":%zu}",
		            choose(c, 4) ? "cudaLaunchKernel" : "cudaDeviceSynchronize", choose(c, 3),
		            choose(c, 16));
		break;
	case 2:
		strbuf_addf(b,
		            "\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":%zu,\"args\":{"
		            "\"External id\":%zu,"
		            "\"Input Dims\":[[%zu,4],[4,%zu]],\"Input type\":[\"float\",\"float\"]}",
		            choose(c, 3), choose(c, 16), choose(c, 9), choose(c, 9));
		break;
	case 3:
		strbuf_addf(b,
		            "\"cat\":\"python_function\",\"name\":\"train.py(%zu): "
		            "f\",\"pid\":1,\"tid\":1,\"args\":{\"Python id\":%zu,"
		            "\"Python parent id\":%zu}",
		            choose(c, 9), choose(c, 16), choose(c, 16));
		break;
	case 4:
		strbuf_addf(b, "\"cat\":\"user_annotation\",\"name\":\"note %zu\",\"pid\":1,\"tid\":1",
		            choose(c, 4));
		break;
	case 5:
		strbuf_addf(
		    b,
		    "\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"args\":{\"Bytes\":%" PRId64
		    ",\"Device Type\":1,"
		    "\"Device Id\":%zu,\"Total Allocated\":%" PRId64 ",\"Total Reserved\":%" PRId64 "}",
		    time_of(c), choose(c, 2), time_of(c), time_of(c));
		break;
	case 6:
		add_work(b, c, "gpu_memcpy");
		break;
	case 7:
		add_work(b, c, "gpu_memset");
		break;
	default:
		add_work(b, c, "kernel");
	}
	strbuf_addf(b, ",\"ts\":%" PRId64 ",\"dur\":%" PRId64 "}", time_of(c), time_of(c));
}

static struct digest *make(struct choices *c, int64_t rank, size_t nr_ranks,
                           const struct category_table *t)
{
	struct strbuf b = STRBUF_INIT;
	struct reduce_options options = { .marker = "*Step#*", .communication = "nccl" };
	struct trace_options whole = { 0 };
	struct diag_log log;
	strbuf_addf(&b,
	            "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%" PRId64
	            ",\"world_size\":%zu},\"traceEvents\":[{}",
	            rank, nr_ranks);
	for (size_t i = choose(c, MOST); i-- > 0;)
		add_event(&b, c);
	strbuf_adds(&b, "]}");
	diag_init(&log);
	struct digest *d = reduced_digest(strbuf_span(&b), events_of_trace, &whole, &options, &log);
	check(!d == !!diag_first_error(&log));
	if (d) {
		d->rank = rank;
		digest_small(d, t);
	}
	diag_release(&log);
	strbuf_release(&b);
	return d;
}

/* All figures of a run as text, with all observations on its ranks. */
static struct sink *figures(const struct run *run, const struct category_table *t)
{
	struct naming naming = { .categories = t };
	struct run_view view;
	struct report r;
	struct sink *out = sink_open_memory();
	run_view_init(&view, run, &naming);
	report_init(&r);
	trust_findings(NULL, run, 1, NULL, &r);
	diagnose_ranks(&view, true, &r);
	metrics_write_json(&view, &r, out);
	report_release(&r);
	run_view_release(&view);
	return out;
}

static void check_same(const struct run *run, const struct run *again,
                       const struct category_table *t)
{
	struct sink *a = figures(run, t), *b = figures(again, t);
	check(span_eq(sink_memory(a), sink_memory(b)));
	sink_abort(a);
	sink_abort(b);
}

static void read_apart(const struct run *run, struct run *out)
{
	*out = (struct run){ .label = "fuzz" };
	for (size_t i = 0; i < run->ranks.nr; i++) {
		struct strbuf text = digest_text(run->ranks.v[i]);
		struct run one;
		check(run_is_read(strbuf_span(&text), read_one_digest, &one));
		vec_push(&out->ranks, one.ranks.v[0]);
		vec_release(&one.ranks);
		strbuf_release(&text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices c = { data, data + size };
	struct category_table t = { .source = "fuzz" };
	struct run run = { .label = "fuzz" }, apart, merged;
	size_t nr = 1 + choose(&c, RANKS);
	for (size_t i = 0; i < nr; i++) {
		struct digest *d = make(&c, (int64_t)i, nr, &t);
		if (d)
			vec_push(&run.ranks, d);
	}
	fuzz_accepted = run.ranks.nr > 0;
	if (fuzz_accepted) {
		read_apart(&run, &apart);
		check_same(&run, &apart, &t);
		struct sink *text = sink_open_memory();
		run_write(&apart, text);
		check(run_is_read(sink_memory(text), run.ranks.nr == 1 ? read_one_digest : run_read,
		                  &merged));
		check_same(&run, &merged, &t);
		sink_abort(text);
		run_release(&apart);
		run_release(&merged);
	}
	run_release(&run);
	return 0;
}
