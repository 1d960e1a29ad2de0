/* The categories file: order of rows, what is refused, and the built-in file on real names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "rules/rules_file.h"

static void test_read(void **state)
{
	(void)state;
	struct category_table t;
	struct diag_log log;
	diag_init(&log);
	assert_int_equal(
	    categories_read(
	        "f",
	        &SPAN("- {category: comm, class: communication, match: [nccl, RCCL, xrccl]}\n"
	              "- category: \"a b\"\n  class: memory\n  match: [Memcpy D]\n"),
	        &t, &log),
	    ST_OK);
	assert_int_equal(t.rows.nr, 2);
	assert_string_equal(t.source, "f");
	assert_string_equal(t.rows.v[0].name, "comm");
	assert_int_equal(t.rows.v[0].cls, CLASS_COMMUNICATION);
	assert_int_equal(t.rows.v[0].match.nr, 3);
	assert_true(span_eq(t.rows.v[0].match.v[1], SPAN("RCCL")));
	assert_string_equal(t.rows.v[1].name, "a b");
	assert_int_equal(t.rows.v[1].cls, CLASS_MEMORY);
	category_table_release(&t);
	diag_release(&log);
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "{}\n", "f:1:1: 'categories' must be a list, not a map of keys" },
		{ "[]\n", "f:1:1: 'categories' is empty" },
		{ "- a\n", "f:1:3: 'categories' must be a map of keys, not one value" },
		{ "- {category: a, class: compute}\n", "f:1:3: a category lacks 'match'" },
		{ "- {category: a, class: compute, match: []}\n", "f:1:40: 'match' is empty" },
		{ "- {category: a, class: compute, match: [\"\"]}\n", "f:1:41: 'match' has no value" },
		{ "- {category: a, class: comute, match: [b]}\n",
		  "f:1:24: 'comute' is not a known class: did you mean 'compute'?" },
		{ "- {category: a, clas: compute, match: [b]}\n",
		  "f:1:17: unknown key 'clas' in a category: did you mean 'class'?" },
		{ "- {category: Other, class: compute, match: [b]}\n",
		  "f:1:14: 'other' is what no category matches: choose another name" },
		{ "- {category: a, class: compute, match: [b]}\n- {category: a, class: compute, match: "
		  "[c]}\n",
		  "f:2:14: two categories are called 'a'" },
		{ "- {category: a, class: compute, match: [Copy]}\n- {category: b, class: compute, match: "
		  "[x, memcopy]}\n",
		  "f:2:44: 'memcopy' never matches: 'Copy' of 'a' comes first" },
		{ "- {category: a, class: communication, match: [a b]}\n",
		  "f:1:47: 'a b': texts of communication must not hold blanks" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct category_table t;
		struct diag_log log;
		diag_init(&log);
		assert_int_equal(categories_read("f", (struct span[]){ span_of(rows[i].text) }, &t, &log),
		                 ST_USAGE);
		assert_string_equal(diag_first_error(&log) ? diag_first_error(&log) : "", rows[i].error);
		category_table_release(&t);
		diag_release(&log);
	}
}

static void test_too_many(void **state)
{
	(void)state;
	for (int extra = 0; extra <= 1; extra++) {
		struct strbuf b = STRBUF_INIT;
		struct category_table t;
		struct diag_log log;
		for (int row = 0, i = 0; row < 4; row++) {
			strbuf_addf(&b, "- category: c%d\n  class: other\n  match: [", row);
			for (int k = 0; k < 500 + (row == 3 && extra); k++)
				strbuf_addf(&b, "x%04d,", i++);
			strbuf_adds(&b, "]\n");
		}
		diag_init(&log);
		assert_int_equal(categories_read("f", (struct span[]){ strbuf_span(&b) }, &t, &log),
		                 extra ? ST_USAGE : ST_OK);
		category_table_release(&t);
		diag_release(&log);
		strbuf_release(&b);
	}
}

static void test_built_in(void **state)
{
	(void)state;
	static const struct {
		const char *name, *category;
	} rows[] = {
		{ "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		  "communication" },
		{ "void cross_device_reduce_2stage<__nv_bfloat16, 8>", "communication" },
		{ "void deep_ep::intranode::dispatch<8, 768>(int4*, float*)", "communication" },
		{ "void dsv3::ep::internode::combine<(int)16, __nv_bfloat16>(int4*)", "communication" },
		{ "dsv3::ep::intranode::cached_notify_combine(void**, int*, int, int, int)",
		  "communication" },
		{ "void "
		  "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<8>(int)",
		  "communication" },
		{ "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int)",
		  "communication" },
		{ "void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16, 8>(int)",
		  "communication" },
		{ "void quickreduce::allreduce_prototype_twoshot<int>(int)", "communication" },
		{ "EpDispatchIntraNodeKernel", "communication" },
		{ "void ep::internode_ll::dispatch<true, 7168>(void*, float*)", "communication" },
		{ "CUDA graph 12", "CUDA graphs" },
		{ "jit_train_step/loop_convert_fusion.3", "XLA" },
		{ "input_reduce_fusion_1", "XLA" },
		{ "jit__mean/wrapped_convert", "XLA" },
		{ "jit_f/fusion.5", "XLA" },
		{ "jit_f/gemm_fusion_dot.7", "GEMM" },
		{ "void at::native::unrolled_elementwise_kernel<diffusion_input_t>", "elementwise" },
		{ "nvfuser_inner_persistent_f0_c1_r0_g0(Tensor<__bfloat, 2, 2>)", "nvFuser" },
		{ "void sage_fwd<128, 64>(signed char*)", "attention" },
		{ "void at::native::transform_bias_rescale_qkv_kernel<float, float, true>", "attention" },
		{ "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<float> >", "elementwise" },
		{ "per_token_group_cast_to_fp8_kernel<128>", "quantisation" },
		{ "triton_poi_fused_addmm_native_layer_norm_4", "Triton" },
		{ "void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, int>", "MoE" },
		{ "fused_moe_kernel", "MoE" },
		{ "_sgemm_lora_a_kernel", "LoRA" },
		{ "_dora_fwd_kernel", "DoRA" },
		{ "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>", "normalisation" },
		{ "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>",
		  "normalisation" },
		{ "void vllm::rotary_embedding_kernel<c10::BFloat16, true>", "rotary embedding" },
		{ "void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16>", "KV cache" },
		{ "void causal_conv1d_fwd_kernel<Causal_conv1d_fwd_kernel_traits<128, 4> >", "conv1d" },
		{ "chunk_gated_delta_rule_fwd_kernel_h_blockdim64", "FLA" },
		{ "void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<32, 4> >", "FLA" },
		{ "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, cutlass::bfloat16_t> >",
		  "attention" },
		{ "void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, (vllm::Fp8KVCacheDataType)0>",
		  "attention" },
		{ "void fbgemm_gpu::permute_2D_data_kernel<true, int, int, float>", "embedding" },
		{ "void flashinfer::sampling::TopPSamplingFromProbKernel<1024u>",
		  "top-k, sort and sampling" },
		{ "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32", "convolution" },
		{ "volta_scudnn_128x64_relu_interior_nn_v1", "convolution" },
		{ "volta_sgemm_64x64_nt", "GEMM" },
		{ "Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x128x64", "GEMM" },
		{ "nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NTT", "GEMM" },
		{ "void at::native::(anonymous "
		  "namespace)::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4> >",
		  "optimizer" },
		{ "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float>",
		  "loss" },
		{ "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>",
		  "softmax" },
		{ "void at::native::(anonymous namespace)::upsample_nearest2d_out_frame<float>",
		  "pooling and resampling" },
		{ "void kDequantizeBlockwise<__nv_bfloat16, 512, 64, 8, 2>", "quantisation" },
		{ "void at::native::vectorized_gather_kernel<16, long>", "index, gather, scatter" },
		{ "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float>",
		  "dropout and random" },
		{ "void at::native::unrolled_elementwise_kernel<at::native::bfloat16_copy_kernel_cuda>",
		  "dtype conversion" },
		{ "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 64, "
		  "64>",
		  "copy and layout" },
		{ "void at::native::(anonymous namespace)::chunk_cat_cuda_kernel<float, c10::BFloat16>",
		  "copy and layout" },
		{ "__amd_rocclr_fillBufferAligned", "memory operations" },
		{ "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
		  "at::native::MeanOps<float> > >",
		  "reduction" },
		{ "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
		  "{lambda()#1}>",
		  "elementwise" },
		{ "at::cuda::(anonymous namespace)::spin_kernel(long)", "other" },
	};
	struct category_table t;
	struct diag_log log;
	struct arena a = ARENA_INIT;
	bool ok = true;
	diag_init(&log);
	if (categories_read(NULL, NULL, &t, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *got = category_name(&t, category_of(&t, span_of(rows[i].name)));
		if (strcmp(got, rows[i].category) != 0) {
			print_error("%s: %s, not %s\n", rows[i].name, got, rows[i].category);
			ok = false;
		}
	}
	assert_true(ok);
	assert_string_equal(category_communication(&t, &a),
	                    "nccl rccl msccl nvshmem cross_device_reduce oneccl deep_ep deepep "
	                    "ep::internode ep::intranode notify_dispatch notify_combine "
	                    "allreduce_fusion multimem_ one_shot_all_reduce two_shot_all_reduce "
	                    "oneshotall twoshotall quickreduce epdispatch epcombine hccl");
	arena_release(&a);
	category_table_release(&t);
	diag_release(&log);
}

/* The built-in tables have no text that can never match because an earlier text hides it. Only this
   test checks that; the program trusts its own tables. */
static void test_built_in_tables(void **state)
{
	(void)state;
	struct category_table t;
	struct site_rules sites;
	struct diag_log log;
	diag_init(&log);
	if (categories_read("../rules/categories.yaml", NULL, &t, &log) != ST_OK ||
	    sites_read("../rules/sites.yaml", NULL, &sites, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	site_rules_release(&sites);
	category_table_release(&t);
	diag_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_built_in),
		cmocka_unit_test(test_built_in_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
