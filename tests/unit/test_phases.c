/* Phases: names of steps, sums by phase, and what a digest keeps of phases. */
#include <stdlib.h>

#include "reduce_rig.h"

#include "merge/cycles.h"
#include "model/phases.h"
#include "reduce/step_name.h"
#include "store/digest_json.h"
#include "text_rig.h"

/* ---- number, phase and marker, read from the name of a step ---- */

static void test_names(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum phase phase;
	} rows[] = {
		{ "execute_context_2(300)_generation_0(0)", PHASE_PREFILL },
		{ "execute_context_0(0)_generation_5(5)", PHASE_DECODE },
		{ "execute_context_1(8)_generation_5(5)", PHASE_MIXED },
		{ "execute_context_0(0)_generation_0(0)", PHASE_IDLE },
		{ "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)",
		  PHASE_DECODE },
		{ "execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37("
		  "sq37sk34489sqsq37sqsk34489)",
		  PHASE_MIXED },
		{ "execute_7_context_1(sq7sk7sqsq49sqsk49)_generation_0(sq0sk0sqsq0sqsk0)", PHASE_PREFILL },
		{ "execute_diffusion_1_0x0", PHASE_ALL },
		{ "execute_", PHASE_ALL },
		{ "execute_7", PHASE_ALL },
		{ "execute_7_", PHASE_ALL },
		{ "execute_99999999999999999999_context_1(8)_generation_0(0)", PHASE_ALL },
		{ "execute_context_99999999999999999999(8)_generation_0(0)", PHASE_ALL },
		{ "execute_context_(8)_generation_0(0)", PHASE_ALL },
		{ "execute_context_1(8_generation_0", PHASE_ALL },
		{ "execute_context_1(8)_generation_0", PHASE_ALL },
		{ "execute_context_1(8)_generation_0(0)x", PHASE_ALL },
		{ "execute_context_1_generation_0(0)", PHASE_ALL },
		{ "Execute_context_1(8)_generation_0(0)", PHASE_ALL },
		{ "step[EXTEND bs=2 toks=4096]", PHASE_PREFILL },
		{ "step[EXTEND bs=2 toks=12 c_sqsq=80 c_sqsk=120 c_sk=20]", PHASE_PREFILL },
		{ "step[PREFILL bs=2]", PHASE_PREFILL },
		{ "step[SPLIT_PREFILL bs=1]", PHASE_PREFILL },
		{ "step[DECODE bs=32]", PHASE_DECODE },
		{ "step[DECODE bs=2 g_sqsq=2 g_sqsk=30 g_sk=30]", PHASE_DECODE },
		{ "step[MIXED bs=2 c=1 g=1 c_sq=5]", PHASE_MIXED },
		{ "step[IDLE bs=0]", PHASE_IDLE },
		{ "step[TARGET_VERIFY bs=4]", PHASE_VERIFY },
		{ "step[DRAFT_EXTEND_V2 bs=4]", PHASE_OTHER },
		{ "step[DLLM_EXTEND bs=4]", PHASE_OTHER },
		{ "step[DECODE", PHASE_ALL },
		{ "step[DECODER bs=1]", PHASE_OTHER },
		{ "step[DECODE bs=32", PHASE_ALL },
		{ "step[]", PHASE_ALL },
		{ "step[", PHASE_ALL },
		{ "ProfilerStep#5", PHASE_ALL },
		{ "", PHASE_ALL },
	};
	for (size_t i = 0; i < NR_OF(rows); i++)
		for (size_t n = strlen(rows[i].name) + 1;
		     n-- > 0;) { /* the whole name, then each shorter prefix */
			if (rows[i].phase == PHASE_ALL && n < strlen(rows[i].name))
				break;
			char *name = malloc(n + 1); /* a block of exactly this size, so that a read past the end
			                             * is detected */
			memcpy(name, rows[i].name, n);
			enum phase phase = step_told_by((struct span){ name, n }).phase;
			free(name);
			enum phase expect = n == strlen(rows[i].name) ? rows[i].phase : PHASE_ALL;
			if (phase != expect)
				fail_msg("%.*s: %s, not %s", (int)n, rows[i].name, phase_names[phase],
				         phase_names[expect]);
		}
}

/* The numbers of requests and of tokens in prompts. Before 0.14, vLLM's requests that are not new
   ("cached") may be in prefill or in decode. */
static void test_requests(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum phase phase;
		int64_t requests, tokens;
	} rows[] = {
		{ "execute_context_2(300)_generation_5(5)", PHASE_MIXED, 7, 300 },
		{ "execute_context_0(0)_generation_5(7)", PHASE_DECODE, 5, 0 },
		{ "execute_305_context_0(sq0sk0)_generation_32(sq32sk9)", PHASE_DECODE, 32, 0 },
		{ "execute_305_context_1(sq64sk70)_generation_0(sq0sk0)", PHASE_PREFILL, 1, 64 },
		{ "execute_new_2_cached_0", PHASE_PREFILL, 2, 0 },
		{ "execute_new_2_cached_30", PHASE_MIXED, 32, 0 },
		{ "execute_new_0_cached_30", PHASE_OTHER, 30, 0 },
		{ "execute_new_0_cached_0", PHASE_IDLE, 0, 0 },
		{ "execute_new_2_cached_30x", PHASE_ALL, 0, 0 },
		{ "execute_new_2_cached_", PHASE_ALL, 0, 0 },
		{ "step[DECODE bs=5]", PHASE_DECODE, 5, 0 },
		{ "step[EXTEND bs=2 toks=300]", PHASE_PREFILL, 2, 300 },
		{ "step[DECODE toks=300]", PHASE_DECODE, 0, 300 },
		{ "step[DECODE bs=]", PHASE_DECODE, 0, 0 },
		{ "step[EXTEND bs=2 toks=99999999999]", PHASE_PREFILL, 2, 0 },
		{ "step[DECODE bs=99999999999999999999]", PHASE_DECODE, 0, 0 },
		{ "execute_context_99999999999(1)_generation_1(1)", PHASE_MIXED, 0, 1 },
		{ "execute_context_2(300)", PHASE_ALL, 0, 0 },
		{ "execute_new_x", PHASE_ALL, 0, 0 },
		{ "execute_new_2", PHASE_ALL, 0, 0 },
		{ "execute_new_2_cached_x", PHASE_ALL, 0, 0 },
		{ "execute_new_0_cached_4294967295", PHASE_OTHER, 4294967295, 0 },
		{ "execute_new_0_cached_4294967296", PHASE_OTHER, 0, 0 },
		{ "execute_new_4294967295_cached_1", PHASE_MIXED, 4294967296, 0 },
		{ "execute_new_4294967296_cached_1", PHASE_MIXED, 0, 0 },
		{ "step[EXTEND bs=1 toks=4294967295]", PHASE_PREFILL, 1, 4294967295 },
		{ "step[EXTEND bs=1 toks=4294967296]", PHASE_PREFILL, 1, 0 },
		{ "ProfilerStep#5 bs=3", PHASE_ALL, 0, 0 },
		{ "", PHASE_ALL, 0, 0 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct step_told told = step_told_by(span_of(rows[i].name));
		if (told.phase != rows[i].phase || told.requests != rows[i].requests ||
		    told.tokens != rows[i].tokens)
			fail_msg("%s: %s, %lld requests, %lld tokens", rows[i].name, phase_names[told.phase],
			         (long long)told.requests, (long long)told.tokens);
	}
}

/* In patterns of markers, '[' matches itself. If annotations are nested, the pattern chooses which
   are steps. */
static void test_markers(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "the outer", "A execute_a 1 0 100\nA step[x] 1 10 50\nA step[y] 1 70 20\n", "step.time",
		  "100", .marker = "execute_*" },
		{ "the inner", NULL, "step.time", "50 20", .marker = "step[*" },
		{ "a bracket is not a set", "A stepx 1 0 100\nA step[x 1 200 30\n", "step.time", "30",
		  .marker = "step[x*" },
	};
	rig_check(rows, NR_OF(rows));
}

/* ---- sums by phase ---- */

#define BACKWARD "autograd::engine::evaluate_function:x"
#define STEP_WORK                                                                               \
	"O " BACKWARD " 2 200 100\nO nccl:all_reduce 1 600 50\nA Optimizer.step#Adam 1 400 100\n"   \
	"R cudaLaunchKernel 1 2 120 1\nR cudaLaunchKernel 2 3 220 1\nR cudaMemcpyAsync 1 4 610 1\n" \
	"R cudaLaunchKernel 1 5 420 1\nR cudaMemsetAsync 1 6 500 1\nR cudaLaunchKernel 2 7 260 1\n" \
	"R cudaLaunchKernel 1 8 1100 1\n"                                                           \
	"K k 0 7 2 600 2\nK k 0 7 3 610 4\nC c 0 7 4 620 8\nK k 0 7 5 630 16\nS s 0 7 6 650 32\n"   \
	"K ncclAllReduce 0 7 7 690 64\nK k 0 7 8 1200 128\n"
#define TRAINING "A ProfilerStep#1 1 0 1000\nA ProfilerStep#2 1 1000 1000\n" STEP_WORK
/* as after work was lost: then no step is called one of accumulation */
#define EMPTY_STEP                                                                    \
	"A ProfilerStep#1 1 0 1000\nA ProfilerStep#2 1 1000 50\nA ProfilerStep#3 1 1050 " \
	"950\n" STEP_WORK
#define DATALOADER "A enumerate(DataLoader)#x 1 1090 100\n"

/* Writes a figure of each phase in each step, "forward 2,128 …". */
static void show(const struct digest *d, enum metric_id id, struct strbuf *out)
{
	struct arena a = ARENA_INIT;
	for (int p = PHASE_ALL; p < NR_PHASES; p++) {
		struct step_samples s;
		if (!phase_samples_of(d, (enum phase)p, &metric_table[id], &a, &s))
			continue;
		strbuf_addf(out, "%s%s", out->n ? " " : "", phase_names[p]);
		for (size_t i = 0; i < s.nr; i++)
			strbuf_addf(out, "%s%" PRId64, i ? "," : " ", s.value[i]);
		if (s.usable != s.nr)
			strbuf_addf(out, "/%zu", s.usable);
	}
	arena_release(&a);
}

static struct digest *reduced(struct rig *g, const char *script, const char *marker)
{
	rig_open(g, &(struct reduce_options){ .marker = marker });
	rig_feed(g, script);
	assert_int_equal(reducer_finish(g->r, &g->meta, g->d, &g->log), ST_OK);
	return g->d;
}

#define STEPS                                                                                     \
	"A step[EXTEND 1 0 100\nA step[DECODE] 1 100 50\nA execute_context_2(9)_generation_0(0) 1 0 " \
	"90\n"                                                                                        \
	"A execute_context_0(0)_generation_2(2) 1 100 40\nA execute_context_1(1)_generation_2(2) 1 "  \
	"200 7\n"                                                                                     \
	"A execute_x 1 300 5\n"

static void test_sums(void **state)
{
	(void)state;
	static const struct {
		const char *script, *marker;
		enum metric_id id;
		const char *expect;
	} rows[] = {
		{ TRAINING, NULL, METRIC_STEP_CUDA_TIME,
		  "forward 34,128 backward 4,0 optimizer 16,0 communication 72,0 update 126 accumulation "
		  "128" },
		{ TRAINING, NULL, METRIC_STEP_KERNEL_TIME,
		  "forward 2,128 backward 4,0 optimizer 16,0 communication 64,0 update 86 accumulation "
		  "128" },
		{ EMPTY_STEP, NULL, METRIC_STEP_KERNEL_TIME,
		  "forward 2,0,128 backward 4,0,0 optimizer 16,0,0 communication 64,0,0" },
		{ TRAINING, NULL, METRIC_STEP_COMPUTE_TIME,
		  "forward 2,128 backward 4,0 optimizer 16,0 communication 0,0 update 22 accumulation "
		  "128" },
		/* work launched within a communication annotation is communication, too */
		{ TRAINING, NULL, METRIC_STEP_MEMCPY_TIME,
		  "forward 0,0 backward 0,0 optimizer 0,0 communication 8,0 update 8 accumulation 0" },
		{ TRAINING, NULL, METRIC_STEP_MEMSET_TIME,
		  "forward 32,0 backward 0,0 optimizer 0,0 communication 0,0 update 32 accumulation 0" },
		{ TRAINING, NULL, METRIC_STEP_KERNEL_COUNT,
		  "forward 1,1 backward 1,0 optimizer 1,0 communication 1,0 update 4 accumulation 1" },
		{ TRAINING, NULL, METRIC_STEP_COMM_TIME, "communication 64,0 update 64 accumulation 0" },
		/* only a whole step has a wall time */
		{ TRAINING, NULL, METRIC_STEP_TIME, "update 1000 accumulation 1000" },
		{ TRAINING, NULL, METRIC_STEP_PERIOD, "accumulation 1000" },
		{ TRAINING, NULL, METRIC_STEP_LATENCY, "update 1000 accumulation 1000" },
		{ TRAINING, NULL, METRIC_STEP_PERIOD_COMPUTE, "accumulation 128" },
		{ TRAINING, NULL, METRIC_STEP_PERIOD_EXPOSED_COMM, "accumulation 0" },
		{ TRAINING, NULL, METRIC_STEP_PERIOD_EXPOSED_MEMORY, "accumulation 0" },
		{ TRAINING, NULL, METRIC_STEP_IDLE_TIME, "accumulation 872" },
		{ TRAINING, NULL, METRIC_STEP_BUSY_TIME, "" },
		{ TRAINING DATALOADER, NULL, METRIC_STEP_COMPUTE_TIME,
		  "forward 2,0 backward 4,0 optimizer 16,0 dataloader 0,128 communication 0,0 update 22 "
		  "accumulation 128" },
		/* recomputation of a checkpoint is within backward, but not part of it */
		{ "A ProfilerStep#1 1 0 1000\nO autograd::engine::evaluate_function:x 2 200 600\n"
		  "P torch/utils/checkpoint.py(9):recompute_fn 2 210 200\nR cudaLaunchKernel 2 1 220 1\n"
		  "R cudaLaunchKernel 2 2 500 1\nK k 0 7 1 230 150\nK k 0 7 2 510 300\n",
		  NULL, METRIC_STEP_CUDA_TIME, "forward 0 backward 300 recompute 150" },
		/* the trace has no backward pass and no optimizer, so that nothing shows that it is
		   training */
		{ "A ProfilerStep#1 1 0 1000\nR cudaLaunchKernel 1 1 120 1\nK ncclAllReduce 0 7 1 600 2\n"
		  "A nccl:all_reduce 1 110 20\n" DATALOADER,
		  NULL, METRIC_STEP_CUDA_TIME, "" },
		/* without launches, the phase of kernels is unknown */
		{ "A ProfilerStep#1 1 0 1000\nO " BACKWARD " 2 200 100\nK k 0 7 -1 600 2\n", NULL,
		  METRIC_STEP_CUDA_TIME, "" },
		/* without steps the window counts as one step; a kernel whose launch is unknown is in no
		 * phase */
		{ "O " BACKWARD
		  " 2 200 100\nR cudaLaunchKernel 2 3 220 1\nK k 0 7 3 600 2\nK k 0 7 1 700 4\n",
		  NULL, METRIC_STEP_CUDA_TIME, "forward 0 backward 2" },
		/* steps of an inference server, each of which is one phase */
		{ STEPS, "execute_*", METRIC_STEP_TIME, "prefill 90 decode 40 mixed 7" },
		{ STEPS, "step[*", METRIC_STEP_TIME, "other 50" },
		{ STEPS, "*context*", METRIC_STEP_KERNEL_COUNT, "prefill 0 decode 0 mixed 0" },
		{ STEPS, "*context*", METRIC_STEP_SPAN, "" },
	};
	size_t wrong = 0;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		show(reduced(&g, rows[i].script, rows[i].marker), rows[i].id, &out);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0) {
			print_error("row %zu: '%s', not '%s'\n", i, strbuf_str(&out), rows[i].expect);
			wrong++;
		}
		strbuf_release(&out);
		rig_close(&g);
	}
	assert_int_equal(wrong, 0);
}

/* ---- phases in stored digests ---- */

static char *text_of(const struct digest *d)
{
	struct sink *out = sink_open_memory();
	digest_write(d, out);
	return taken(out, NULL);
}

static enum status parse(const char *text, struct digest **out, struct diag_log *log)
{
	struct source *src = source_memory("d.json", text, strlen(text), NULL);
	enum status st = digest_read(src, false, out, log);
	source_close(src);
	return st;
}

/* Writes the samples of every phase and metric; storing must not change them. */
static void show_all(const struct digest *d, struct strbuf *out)
{
	for (int m = 0; m < NR_STEP_METRICS; m++)
		show(d, (enum metric_id)m, out);
}

static void test_stored(void **state)
{
	(void)state;
	static const struct {
		const char *script, *marker;
	} rows[] = { { TRAINING DATALOADER, NULL },
		         { STEPS "O " BACKWARD " 2 20 10\n", "*context*" },
		         { STEPS, "execute_*" },
		         { "A ProfilerStep#1 1 0 9\n", NULL } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rig g;
		struct diag_log log;
		struct digest *read = NULL;
		struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
		diag_init(&log);
		char *text = text_of(reduced(&g, rows[i].script, rows[i].marker));
		if (parse(text, &read, &log) != ST_OK)
			fail_msg("%s", diag_first_error(&log));
		char *again = text_of(read);
		assert_string_equal(text, again);
		show_all(g.d, &before);
		show_all(read, &after);
		assert_string_equal(strbuf_str(&before), strbuf_str(&after));
		assert_int_equal(strstr(text, "forward") || strstr(text, "\"phase\""), before.n > 0);
		strbuf_release(&before);
		strbuf_release(&after);
		free(text);
		free(again);
		digest_free(read);
		diag_release(&log);
		rig_close(&g);
	}
}

static void describe_summary(void *ctx, const struct figure *f)
{
	strbuf_addf(ctx, "%.*s of rank %lld: %lld\n", (int)f->label.n, f->label.p, (long long)f->rank,
	            (long long)f->summary[STAT_P90]);
}

/* A stored run has a summary of each phase and metric in place of samples. */
static void test_summaries(void **state)
{
	(void)state;
	static const struct {
		enum phase phase;
		enum metric_id metric;
		int64_t value;
	} rows[] = { { PHASE_FORWARD, METRIC_STEP_CUDA_TIME, 11 },
		         { PHASE_FORWARD, METRIC_STEP_KERNEL_TIME, 12 },
		         { PHASE_BACKWARD, METRIC_STEP_CUDA_TIME, 21 },
		         { PHASE_BACKWARD, METRIC_STEP_KERNEL_TIME, 22 } };
	struct digest *d = digest_new();
	struct rank_view rank = { .digest = d };
	struct run_view view = { .ranks = &rank };
	struct phase_summary got;
	struct strbuf b = STRBUF_INIT;
	d->rank = 3;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct phase_summary *row = vec_push_zero(&d->phase_summaries);
		*row =
		    (struct phase_summary){ .phase = rows[i].phase, .metric = rows[i].metric, .steps = 5 };
		row->value[STAT_P90] = rows[i].value;
	}
	for (size_t i = 0; i < NR_OF(rows); i++) {
		assert_true(phase_summary_of(d, rows[i].phase, &metric_table[rows[i].metric], &got));
		assert_int_equal(got.value[STAT_P90], rows[i].value);
	}
	assert_false(phase_summary_of(d, PHASE_OPTIMIZER, &metric_table[METRIC_STEP_CUDA_TIME], &got));
	assert_false(phase_summary_of(d, PHASE_FORWARD, &metric_table[METRIC_STEP_MEMCPY_TIME], &got));
	rank_phase_figures(&view, 0, &metric_table[METRIC_STEP_KERNEL_TIME], describe_summary, &b);
	assert_string_equal(strbuf_str(&b), "forward of rank 3: 12\nbackward of rank 3: 22\n");
	strbuf_release(&b);
	digest_free(d);
}

static char *replaced(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	assert_non_null(at);
	struct strbuf b = STRBUF_INIT;
	strbuf_add(&b, (struct span){ text, (size_t)(at - text) });
	strbuf_addf(&b, "%s%s", new, at + strlen(old));
	char *out = strdup(strbuf_str(&b));
	strbuf_release(&b);
	return out;
}

#define SUMMARY                                                                           \
	"\"phase_summaries\": [\n{\"phase\":\"decode\",\"metric\":\"step.time\",\"steps\":1," \
	"\"median\":1,\"mean\":1,\"min\":1,\"max\":1,\"p90\":1,\"p95\":1,\"p99\":1,\"total\":1}\n],\n"

static void test_faults(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *message;
	} rows[] = {
		{ "\"forward.compute_time\": [2,0]", "\"forward.compute_time\": [2]",
		  "'steps.forward.compute_time' does not have one value for each step" },
		{ "\"forward.compute_time\": [2,0]", "\"forward.compute_time\": [2,-1]", "steps.forward" },
		{ "\"forward.compute_time\": [2,0]", "\"forward.compute_time\": []",
		  "'steps' does not have the first column of a phase" },
		{ "\"forward.compute_time\": [2,0],\n", "",
		  "'steps' does not have the first column of a phase" },
		{ "\"forward.compute_time\"", "\"foreward.compute_time\"", "is not known" },
		{ "\"phase\": [4,5]", "\"phase\": [0,9]", "'steps.phase' is not known" },
		{ "\"forward.compute_time\": [2,0]",
		  "\"forward.compute_time\": [2,0],\n\"forward.compute_time\": [2,0]", "is there twice" },
		{ "\"kernels\":", SUMMARY "\"kernels\":",
		  "'phase_summaries' have a metric that no phase has" },
	};
	struct rig g;
	char *text = text_of(reduced(&g, TRAINING DATALOADER, NULL));
	size_t wrong = 0;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = NULL;
		struct diag_log log;
		diag_init(&log);
		char *bad = replaced(text, rows[i].old, rows[i].new);
		enum status st = parse(bad, &d, &log);
		if (st != ST_INPUT || !strstr(diag_first_error(&log), rows[i].message)) {
			print_error("row %zu: %s\n", i, st == ST_OK ? "read" : diag_first_error(&log));
			wrong++;
		}
		free(bad);
		digest_free(d);
		diag_release(&log);
	}
	free(text);
	rig_close(&g);
	assert_int_equal(wrong, 0);
}

/* ---- phases in profiler cycles of one rank ---- */

#define CYCLE(first, second) \
	"A ProfilerStep#" first " 1 0 1000\nA ProfilerStep#" second " 1 1000 9\n"
#define WORK                                          \
	"R cudaLaunchKernel 1 1 120 1\nK k 0 7 1 600 2\n" \
	"R cudaLaunchKernel 1 9 1001 1\nK k 0 7 9 1002 3\n"

static void test_cycles(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b, *marker, *expect;
	} rows[] = {
		/* each digest lacks a phase that the other has */
		{ CYCLE("1", "2") WORK "O " BACKWARD " 1 100 100\n",
		  CYCLE("3", "4") WORK "A Optimizer.step#x 1 100 100\n", NULL,
		  "forward 0,3,0,3 backward 2,0,0,0 optimizer 0,0,2,0 update 2 accumulation 3" },
		/* no events tell the phases of the second digest's launches, so no phase is left */
		{ CYCLE("1", "2") WORK "O " BACKWARD " 1 100 100\n", CYCLE("3", "4") WORK, NULL, "" },
		{ "A execute_context_1(9)_generation_0(0) 1 0 900\n" WORK, "A execute_x 1 0 9\n",
		  "execute_*", "prefill 2" },
		{ "A execute_context_1(9)_generation_0(0) 1 0 900\n" WORK,
		  "A execute_context_0(0)_generation_2(2) 1 0 9\n", "execute_*", "prefill 2 decode 0" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		for (int turn = 0; turn < 2; turn++) {
			struct rig g[2];
			struct run run = { 0 };
			struct strbuf out = STRBUF_INIT;
			reduced(&g[0], rows[i].a, rows[i].marker);
			reduced(&g[1], rows[i].b, rows[i].marker);
			for (int k = 0; k < 2; k++) {
				g[k == turn].d->trace = "t.json";
				vec_push(&run.ranks, g[k == turn].d);
				g[k == turn].d = NULL;
			}
			run_join(&run);
			show(run.ranks.v[0], METRIC_STEP_CUDA_TIME, &out);
			assert_string_equal(strbuf_str(&out), rows[i].expect);
			strbuf_release(&out);
			run_release(&run);
			for (int k = 0; k < 2; k++)
				rig_close(&g[k]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),     cmocka_unit_test(test_requests),
		cmocka_unit_test(test_markers),   cmocka_unit_test(test_sums),
		cmocka_unit_test(test_summaries), cmocka_unit_test(test_stored),
		cmocka_unit_test(test_faults),    cmocka_unit_test(test_cycles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
