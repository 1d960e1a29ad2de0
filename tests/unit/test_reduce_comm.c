#include "model/collective.h"
#include "reduce_rig.h"

static void test_kinds(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum collective_kind kind;
	} rows[] = {
		/* names of collectives in torch */
		{ "allreduce", COLLECTIVE_ALL_REDUCE },
		{ "allreduce_coalesced", COLLECTIVE_ALL_REDUCE },
		{ "nccl:all_reduce", COLLECTIVE_ALL_REDUCE },
		{ "nccl:all_reduce_barrier", COLLECTIVE_BARRIER },
		{ "barrier", COLLECTIVE_BARRIER },
		{ "_allgather_base", COLLECTIVE_ALL_GATHER },
		{ "nccl:_all_gather_base", COLLECTIVE_ALL_GATHER },
		{ "allgather_into_tensor_coalesced", COLLECTIVE_ALL_GATHER },
		{ "_reduce_scatter_base", COLLECTIVE_REDUCE_SCATTER },
		{ "reduce_scatter_tensor_coalesced", COLLECTIVE_REDUCE_SCATTER },
		{ "all_to_allv", COLLECTIVE_ALL_TO_ALL },
		{ "nccl:all_to_all", COLLECTIVE_ALL_TO_ALL },
		{ "broadcast", COLLECTIVE_BROADCAST },
		{ "_broadcast_oop", COLLECTIVE_BROADCAST },
		{ "reduce", COLLECTIVE_REDUCE },
		{ "_reduce_oop", COLLECTIVE_REDUCE },
		{ "gather", COLLECTIVE_GATHER },
		{ "scatter", COLLECTIVE_SCATTER },
		{ "nccl:send 0->1", COLLECTIVE_SEND },
		{ "nccl:recv 1<-0", COLLECTIVE_RECV },
		{ "recvAnySource", COLLECTIVE_RECV },
		{ "wait", COLLECTIVE_OTHER },
		{ "init", COLLECTIVE_OTHER },
		{ "nccl:coalesced", COLLECTIVE_OTHER },
		{ "record_param_comms", COLLECTIVE_OTHER },
		{ "", COLLECTIVE_OTHER },
		/* names of kernels */
		{ "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
		  COLLECTIVE_ALL_REDUCE },
		{ "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		  COLLECTIVE_ALL_GATHER },
		{ "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		  COLLECTIVE_REDUCE_SCATTER },
		{ "ncclDevKernel_Reduce_Sum_f32_RING_LL(x)", COLLECTIVE_REDUCE },
		{ "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", COLLECTIVE_SEND_RECV },
		{ "ncclAllReduceRingLLKernel_sum_f32(ncclColl)", COLLECTIVE_ALL_REDUCE },
		{ "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", COLLECTIVE_OTHER },
		{ "mscclKernel_Sum_half_Simple_true(ncclDevComm*)", COLLECTIVE_OTHER },
		{ "void vllm::cross_device_reduce_1stage<__half, 8>(vllm::RankData*)",
		  COLLECTIVE_ALL_REDUCE },
		{ "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", COLLECTIVE_ALL_TO_ALL },
		{ "void deep_ep::internode_ll::combine<true, 7168, 9>(void*)", COLLECTIVE_ALL_TO_ALL },
		{ "void deep_ep::intranode::notify_dispatch<8>(int const*)", COLLECTIVE_OTHER },
		{ "void deep_ep::layout::get_dispatch_layout<256, 32>(long const*)", COLLECTIVE_OTHER },
		{ "void nccl_wrap<AllReduce>(Broadcast)", COLLECTIVE_OTHER },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (collective_kind_of(span_of(rows[i].name)) != rows[i].kind)
			fail_msg("%s: %s", rows[i].name,
			         collective_names[collective_kind_of(span_of(rows[i].name))]);
}

#define KERNEL "K ncclKernel_AllReduce 0 7 1 100 10 "

static void test_arguments(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "the larger of in and out, times the type",
		  KERNEL "@_allgather_base,BFloat16,8,16,2,tp\n", "comms",
		  "[all_gather tp BFloat16/2: 1 10 10 32 1 10]", NULL, 0 },
		{ "", KERNEL "@_reduce_scatter_base,Double,16,8,2,\n", "comms",
		  "[reduce_scatter  Double/2: 1 10 10 128 1 10]", NULL, 0 },
		{ "C++ types have one name", KERNEL "@allreduce,c10::Half,8,8,2,tp\n", "comms",
		  "[all_reduce tp Half/2: 1 10 10 16 1 10]", NULL, 0 },
		{ "a type that is not known has no size", KERNEL "@allreduce,QInt9,8,8,2,tp\n", "comms",
		  "[all_reduce tp QInt9/2: 1 10 10 0 0 0]", NULL, 0 },
		{ "none has no elements", KERNEL "@allreduce,Float,-1,-1,2,tp\n", "comms",
		  "[all_reduce tp Float/2: 1 10 10 0 0 0]", NULL, 0 },
		{ "a message of nothing is one", KERNEL "@all_to_allv,Float,0,0,2,tp\n", "comms",
		  "[all_to_all tp Float/2: 1 10 10 0 1 10]", NULL, 0 },
		{ "beyond 2^63 bytes is unknown", KERNEL "@allreduce,Double,2305843009213693952,0,2,tp\n",
		  "comms", "[all_reduce tp Double/2: 1 10 10 0 0 0]", NULL, 0 },
		{ "a name that says nothing: the kernel's", KERNEL "@coalesced,Float,8,8,2,tp\n", "comms",
		  "[all_reduce tp Float/2: 1 10 10 32 1 10]", NULL, 0 },
		{ "rows by kind, group, type, size; each what is in it",
		  KERNEL "@broadcast,Long,1,1,2,b\n" KERNEL "@allreduce,Long,1,1,4,b\n" KERNEL
		         "@allreduce,Long,1,1,2,b\n" KERNEL "@allreduce,Int,1,1,2,b\n" KERNEL
		         "@allreduce,Long,1,1,2,a\n"
		         "K ncclKernel_AllReduce 0 7 1 300 30 @allreduce,Long,3,3,2,b\n",
		  "comms",
		  "[all_reduce a Long/2: 1 10 10 8 1 10][all_reduce b Int/2: 1 10 10 4 1 10]"
		  "[all_reduce b Long/2: 2 40 30 32 2 40][all_reduce b Long/4: 1 10 10 8 1 10]"
		  "[broadcast b Long/2: 1 10 10 8 1 10]",
		  NULL, 0 },
		{ "in order of start: step, row, bytes, start of the window's, duration", NULL,
		  "collectives",
		  "0 4 8 0 10, 0 3 8 0 10, 0 2 8 0 10, 0 1 4 0 10, 0 0 8 0 10, 0 2 24 200 30", NULL, 0 },
		{ "kernels of another kind do not count", "K gemm 0 7 1 100 10 @allreduce,Long,1,1,2,b\n",
		  "comms", "", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* A launch on thread 1 at 50 ns, and its kernel later. */
#define LAUNCHED "R cudaLaunchKernel 1 1 50 5\nK ncclKernel_SendRecv 0 7 1 100 10\n"
#define ALL_TO_ALL(thread, start, dur) \
	"A nccl:all_to_all " #thread " " #start " " #dur " #[6, 2] float\n"
#define SIZED "[all_to_all  Float/-1: 1 10 10 48 1 10]"
#define BARE "[send_recv  /-1: 1 10 10 0 0 0]"

static void test_enclosing(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "the name alone", LAUNCHED, "comms", BARE, NULL, 0 },
		{ "an annotation with shapes", LAUNCHED ALL_TO_ALL(1, 40, 20), "comms", SIZED, NULL, 0 },
		{ "begins with the launch", LAUNCHED ALL_TO_ALL(1, 50, 1), "comms", SIZED, NULL, 0 },
		{ "ends with the launch", LAUNCHED ALL_TO_ALL(1, 40, 10), "comms", BARE, NULL, 0 },
		{ "begins behind the launch", LAUNCHED ALL_TO_ALL(1, 51, 10), "comms", BARE, NULL, 0 },
		{ "on another thread", LAUNCHED ALL_TO_ALL(2, 40, 20), "comms", BARE, NULL, 0 },
		{ "the earliest call of the id is the launch",
		  LAUNCHED "R cudaLaunchKernel 2 1 45 5\n" ALL_TO_ALL(2, 40, 20), "comms", SIZED, NULL, 0 },
		{ "the innermost", LAUNCHED "A nccl:broadcast 1 30 40 #[1] int\n" ALL_TO_ALL(1, 40, 20),
		  "comms", SIZED, NULL, 0 },
		{ "one inside that is over is not it",
		  LAUNCHED "A nccl:broadcast 1 42 5 #[1] int\n" ALL_TO_ALL(1, 40, 20), "comms", SIZED, NULL,
		  0 },
		{ "one that overlaps and is over neither",
		  LAUNCHED "A nccl:broadcast 1 30 15 #[1] int\n" ALL_TO_ALL(1, 40, 20), "comms", SIZED,
		  NULL, 0 },
		{ "a wait is not a collective",
		  LAUNCHED "O record_param_comms 1 45 10 @wait,Byte,0,0,1,x\n" ALL_TO_ALL(1, 40, 20),
		  "comms", SIZED, NULL, 0 },
		{ "nor are other annotations", LAUNCHED "A all_to_all 1 40 20 #[6, 2] float\n", "comms",
		  BARE, NULL, 0 },
		{ "the arguments of an operator",
		  LAUNCHED "O record_param_comms 1 40 20 @all_to_all,Int,6,7,2,tp\n", "comms",
		  "[all_to_all tp Int/2: 1 10 10 28 1 10]", NULL, 0 },
		{ "which an annotation in it takes over",
		  LAUNCHED "O record_param_comms 1 40 20 @all_to_all,Int,6,7,2,tp\n" ALL_TO_ALL(1, 45, 10),
		  "comms", "[all_to_all tp Int/2: 1 10 10 28 1 10]", NULL, 0 },
		{ "an operator's, through two annotations",
		  LAUNCHED "O record_param_comms 1 20 60 @all_to_all,Float,12,12,2,tp\n"
		           "A nccl:all_to_all 1 30 40\nA nccl:all_to_all 1 40 20\n",
		  "comms", "[all_to_all tp Float/2: 1 10 10 48 1 10]", NULL, 0 },
		{ "not one of another collective",
		  LAUNCHED "O record_param_comms 1 40 20 @broadcast,Int,6,7,2,tp\n" ALL_TO_ALL(1, 45, 10),
		  "comms", SIZED, NULL, 0 },
		{ "the kernel's own arguments come first",
		  "R cudaLaunchKernel 1 1 50 5\nK nccl 0 7 1 100 10 @broadcast,Int,1,1,2,x\n" ALL_TO_ALL(
		      1, 40, 20),
		  "comms", "[broadcast x Int/2: 1 10 10 4 1 10]", NULL, 0 },
		{ "no launch: the name alone", "K ncclKernel_SendRecv 0 7 1 100 10\n" ALL_TO_ALL(1, 90, 20),
		  "comms", BARE, NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

#define SHAPED(kind, shapes) \
	"R x 1 1 50 5\nK nccl 0 7 1 100 10\nA nccl:" kind " 1 40 20 #" shapes "\n"

static void test_shapes(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "several", SHAPED("all_reduce", "[2, 3], [4] float, float"), "comms",
		  "[all_reduce  Float/-1: 1 10 10 40 1 10]", NULL, 0 },
		{ "of two types", SHAPED("all_reduce", "[2, 3], [4] float, int"), "comms",
		  "[all_reduce  Float/-1: 1 10 10 0 0 0]", NULL, 0 },
		{ "a type of two words", SHAPED("all_reduce", "[2], [3] long int, long int"), "comms",
		  "[all_reduce  Long/-1: 1 10 10 40 1 10]", NULL, 0 },
		{ "a scalar", SHAPED("all_reduce", "[] double"), "comms",
		  "[all_reduce  Double/-1: 1 10 10 8 1 10]", NULL, 0 },
		{ "no type", SHAPED("all_reduce", "[2]"), "comms", "[all_reduce  /-1: 1 10 10 0 0 0]", NULL,
		  0 },
		{ "a list of tensors", SHAPED("all_reduce", "[[2], [3]] TensorList"), "comms",
		  "[all_reduce  /-1: 1 10 10 0 0 0]", NULL, 0 },
		{ "more types than shapes", SHAPED("all_reduce", "[2] float, float"), "comms",
		  "[all_reduce  Float/-1: 1 10 10 0 0 0]", NULL, 0 },
		{ "too large", SHAPED("all_reduce", "[4294967296, 4294967296] float"), "comms",
		  "[all_reduce  Float/-1: 1 10 10 0 0 0]", NULL, 0 },
		{ "what is reduced is the message", SHAPED("_reduce_scatter_base", "[8] float"), "comms",
		  "[reduce_scatter  Float/-1: 1 10 10 32 1 10]", NULL, 0 },
		{ "a share of it is not", SHAPED("_all_gather_base", "[8] float"), "comms",
		  "[all_gather  Float/-1: 1 10 10 0 0 0]", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_steps(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "of measured steps only",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n"
		  "R x 1 1 1 1\nR x 1 2 11 1\nR x 1 3 21 1\nR x 1 4 31 1\n"
		  "K nccl 0 7 1 10 1 @allreduce,Byte,1,1,2,\nK nccl 0 7 2 20 2 @allreduce,Byte,2,2,2,\n"
		  "K nccl 0 7 3 30 4 @allreduce,Byte,4,4,2,\nK nccl 0 7 4 40 8 @allreduce,Byte,8,8,2,\n",
		  "comms", "[all_reduce  Byte/2: 2 6 4 6 2 6]", NULL, 1 },
		{ "", NULL, "collectives", "0 0 2 20 2, 1 0 4 30 4", NULL, 1 },
		{ "all", NULL, "collectives", "0 0 1 10 1, 1 0 2 20 2, 2 0 4 30 4", NULL, 0 },
		{ "none", NULL, "collectives", "", NULL, 3 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* Collectives beyond COLLECTIVES_KEPT are in the sums, but not in the list of single ones. */
static void test_cap(void **state)
{
	(void)state;
	for (int nr = COLLECTIVES_KEPT; nr <= COLLECTIVES_KEPT + 1; nr++) {
		struct rig g;
		char line[128];
		rig_open(&g, NULL);
		for (int i = nr; i-- > 0;) {
			snprintf(line, sizeof line, "K nccl 0 7 -1 %d 2 @allreduce,Byte,%d,0,2,\n", 10 * i, i);
			rig_feed(&g, line);
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->collectives.nr, COLLECTIVES_KEPT);
		assert_int_equal(g.d->collectives_cut, nr - COLLECTIVES_KEPT);
		assert_int_equal(g.d->collectives.v[COLLECTIVES_KEPT - 1].bytes, COLLECTIVES_KEPT - 1);
		assert_int_equal(g.d->comms.v[0].count, nr);
		assert_int_equal(g.d->comms.v[0].bytes, (int64_t)nr * (nr - 1) / 2);
		rig_close(&g);
	}
}

static void test_sum_of_bytes(void **state)
{
	(void)state;
	static const char *const message =
	    "K nccl 0 7 -1 0 2 @allreduce,Byte,4611686018427387904,0,2,\n";
	for (int nr = 1; nr <= 2; nr++) {
		struct rig g;
		rig_open(&g, NULL);
		for (int i = 0; i < nr; i++)
			rig_feed(&g, message);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), nr == 1 ? ST_OK : ST_INPUT);
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),        cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_enclosing),    cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_steps),        cmocka_unit_test(test_cap),
		cmocka_unit_test(test_sum_of_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
