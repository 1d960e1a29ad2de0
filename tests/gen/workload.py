"""The plan of one training step of a small transformer: its launches in order, with their operators.

trace.py runs it. Names are of the kinds that PyTorch 2.6 launches on an H100 with bf16 autocast,
flash attention, a compiled MLP and a fused AdamW.
"""
import collections

# kind: kernel, memcpy or memset; ops: host operators, outermost first; us: mean duration;
# thread: main or autograd; keep, drop: bytes of GPU memory allocated before and freed after.

Launch = collections.namedtuple("Launch", "kind name us ops thread grid block keep drop bytes coll",
                                defaults=("main", (528, 1, 1), (256, 1, 1), 0, 0, 0, None))
LAYERS, TOKENS, HIDDEN = 4, 8192, 1024
ACT = TOKENS * HIDDEN * 2                   # bytes of the activations of one layer, in bf16
WEIGHTS = (12 * LAYERS * HIDDEN * HIDDEN + 50304 * HIDDEN) * 16   # bytes of all weights with their gradients and two moments, as floats
NATIVE = "void at::native::"
ANON = NATIVE + "(anonymous namespace)::"
BF16 = "c10::BFloat16"
FLASH = "Flash_%s_kernel_traits<64, 128, 128, %s, cutlass::bfloat16_t>"


def vectorized(functor, operands):
    return (f"{NATIVE}vectorized_elementwise_kernel<4, {functor}, std::array<char*, {operands}ul> >"
            f"(int, {functor}, std::array<char*, {operands}ul>)")


ADD = vectorized(f"at::native::CUDAFunctor_add<{BF16}>", 3)
CAST = (f"{NATIVE}unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::"
        "{lambda()#3}::operator()() const::{lambda()#10}::operator()() const::{lambda(c10::BFloat16)#1}, "
        "std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int> >(int)")
SUM = (f"{NATIVE}reduce_kernel<128, 4, at::native::ReduceOp<{BF16}, at::native::func_wrapper_t<{BF16}, "
       f"at::native::sum_functor<{BF16}, float, {BF16}> >, unsigned int, {BF16}, 4, 4> >")
NORM = f"{ANON}vectorized_layer_norm_kernel<{BF16}, float>(int, float, {BF16} const*, {BF16} const*, float*)"
ADAM = (f"{NATIVE}(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
        "FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, "
        "(at::native::ADAM_MODE)1, false>, float const*, double, double>")
L2NORM = (f"{ANON}multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<1>, "
          "at::native::(anonymous namespace)::LpNormFunctor<float, (at::native::NormType)1, float, 1, 1, 0> >")
ALLREDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def forward():
    yield Launch("memcpy", "Memcpy HtoD (Pinned -> Device)", 5.1, "aten::to>aten::_to_copy>aten::copy_", bytes=TOKENS * 8)
    yield Launch("memcpy", "Memcpy HtoD (Pinned -> Device)", 5.1, "aten::to>aten::_to_copy>aten::copy_", bytes=TOKENS * 8)
    yield Launch("kernel", f"{ANON}indexSelectLargeIndex<float, long, unsigned int, 2, 2, -2, true>(long)", 38.4,
                 "aten::embedding>aten::index_select", keep=2 * ACT)
    for _ in range(LAYERS):
        gemm = lambda name, us, keep: Launch("kernel", name, us, "aten::linear>aten::addmm", "main", (132, 1, 1),
                                             (384, 1, 1), keep)
        for _ in range(4):
            yield Launch("kernel", CAST, 4.2, "aten::to>aten::_to_copy>aten::copy_", keep=2 * HIDDEN * HIDDEN)
        yield Launch("kernel", NORM, 15.2, "aten::layer_norm>aten::native_layer_norm", keep=ACT)
        yield gemm("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNT", 86.3, 3 * ACT)
        yield Launch("kernel", "void pytorch_flash::flash_fwd_kernel<pytorch_flash::" + FLASH % ("fwd", "4, false, false")
                     + ", true, true, false, false>(pytorch_flash::Flash_fwd_params)", 74.8,
                     "aten::scaled_dot_product_attention>aten::_flash_attention_forward", "main", (8, 8, 16), (128, 1, 1), ACT)
        yield gemm("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_bias_TNT", 31.7, ACT)
        yield Launch("kernel", "triton_per_fused_add_native_dropout_native_layer_norm_4", 27.9,
                     "Torch-Compiled Region: 0/0>triton_per_fused_add_native_dropout_native_layer_norm_4", keep=2 * ACT)
        yield gemm("nvjet_tst_256x128_64x4_2x1_v_bz_coopA_bias_TNT", 112.4, 4 * ACT)
        yield Launch("kernel", "triton_poi_fused_gelu_5", 31.3, "Torch-Compiled Region: 1/0>triton_poi_fused_gelu_5", keep=4 * ACT)
        yield gemm("nvjet_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT", 110.8, ACT)
        yield Launch("kernel", ADD, 14.1, "aten::add", keep=ACT)
    yield Launch("kernel", NORM, 15.2, "aten::layer_norm>aten::native_layer_norm", keep=ACT)
    yield Launch("kernel", "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align8>"
                 "(cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align8::Params)", 1304.0,
                 "aten::linear>aten::mm", "main", (197, 64, 1), (256, 1, 1), TOKENS * 50304 * 2)
    yield Launch("kernel", f"{ANON}cunn_SoftMaxForwardGmem<8, {BF16}, float, float, at::native::(anonymous namespace)::"
                 "LogSoftMaxForwardEpilogue>(float*, c10::BFloat16 const*, int)", 612.0,
                 "aten::cross_entropy_loss>aten::log_softmax>aten::_log_softmax", keep=TOKENS * 50304 * 4)
    yield Launch("kernel", f"{ANON}nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*, float*, float const*)",
                 11.9, "aten::cross_entropy_loss>aten::nll_loss_nd>aten::nll_loss_forward", grid=(1, 1, 1), keep=512)


def backward(collectives):
    def row(node, op, name, us, drop=0, **more):
        return Launch("kernel", name, us, f"autograd::engine::evaluate_function: {node}>{node}>{op}", "autograd",
                      drop=drop, **more)

    def gemms(us, node, op, drop):
        yield row(node, op, "nvjet_tst_256x128_64x4_2x1_v_bz_coopA_NNT", us, grid=(132, 1, 1), block=(384, 1, 1))
        yield row(node, op, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT", us * 1.04, drop, grid=(132, 1, 1), block=(384, 1, 1))

    def reduce(nr):
        return Launch("kernel", ALLREDUCE, 0.021 * nr / 1000, "autograd::engine::evaluate_function: torch::autograd::"
                      "AccumulateGrad>c10d::allreduce_", "autograd", (16, 1, 1), (544, 1, 1), coll=nr)

    yield row("NllLossBackward0", "aten::nll_loss_backward",
              f"{ANON}nll_loss_backward_reduce_cuda_kernel_2d<float, long>(float*)", 9.8, 512)
    yield row("LogSoftmaxBackward0", "aten::_log_softmax_backward_data",
              f"{ANON}cunn_SoftMaxBackward<8, float, {BF16}, float, at::native::(anonymous namespace)::"
              "LogSoftMaxBackwardEpilogue>(float*, float const*, float const*, int)", 748.0, TOKENS * 50304 * 4)
    yield from gemms(1287.0, "MmBackward0", "aten::mm", TOKENS * 50304 * 2 + ACT)
    for layer in range(LAYERS):
        linear = ("AddmmBackward0", "aten::mm")
        yield row("AddBackward0", "aten::add", ADD, 14.1, ACT)
        yield from gemms(109.5, *linear, ACT)
        yield row("CompiledFunctionBackward", "triton_poi_fused_gelu_backward_7", "triton_poi_fused_gelu_backward_7", 36.6, 4 * ACT)
        yield from gemms(110.7, *linear, 4 * ACT)
        yield row(*linear[:1], "aten::sum", SUM, 12.6)
        yield row("CompiledFunctionBackward", "triton_red_fused_native_dropout_backward_native_layer_norm_backward_8",
                  "triton_red_fused_native_dropout_backward_native_layer_norm_backward_8", 44.1, 2 * ACT)
        yield from gemms(30.9, *linear, ACT)
        attention = ("ScaledDotProductFlashAttentionBackward0", "aten::_flash_attention_backward")
        yield row(*attention, "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, pytorch_flash::"
                  + FLASH % ("bwd", "8, 4, 4, 4, false, false") + " >(pytorch_flash::Flash_bwd_params)", 9.6)
        yield row(*attention, "Memset (Device)", 3.4, bytes=2 * ACT)._replace(kind="memset")
        yield row(*attention, "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::"
                  + FLASH % ("bwd", "8, 4, 4, 4, false, false") + ", true, true, false, false, true, true, false>"
                  "(pytorch_flash::Flash_bwd_params)", 204.5, ACT, grid=(8, 8, 16))
        yield row(*attention, "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::"
                  + FLASH % ("bwd", "8, 4, 4, 4, false, false") + " >(pytorch_flash::Flash_bwd_params, int)", 8.3)
        yield from gemms(87.1, *linear, 3 * ACT)
        yield row(*linear[:1], "aten::sum", SUM, 12.6)
        yield row("NativeLayerNormBackward0", "aten::native_layer_norm_backward",
                  f"{ANON}layer_norm_grad_input_kernel_vectorized<{BF16}, float>({BF16} const*, float const*, int)", 24.8, ACT)
        yield row("NativeLayerNormBackward0", "aten::native_layer_norm_backward",
                  f"{ANON}GammaBetaBackwardCUDAKernelTemplate<{BF16}, float, 32u, 8u, 64u, true, true, true>(long)", 13.9)
        yield row("ToCopyBackward0", "aten::copy_", CAST, 4.2, 8 * HIDDEN * HIDDEN)
        if collectives:
            yield reduce(12 * HIDDEN * HIDDEN)
    yield row("EmbeddingBackward0", "aten::embedding_dense_backward",
              f"{ANON}compute_grad_weight<float, long>(long*, float const*, long*, long)", 96.0, 3 * ACT)
    if collectives:
        yield reduce(50304 * HIDDEN)


def optimizer():
    for _ in range(3):
        yield Launch("kernel", L2NORM, 21.5, "aten::_foreach_norm", grid=(320, 1, 1), block=(512, 1, 1))
    yield Launch("memcpy", "Memcpy DtoD (Device -> Device)", 1.8, "aten::stack>aten::cat", bytes=4096)
    for _ in range(8):
        yield Launch("kernel", ADAM, 71.2, "Optimizer.step#AdamW.step>aten::_fused_adamw_", grid=(320, 1, 1), block=(512, 1, 1))
    yield Launch("memcpy", "Memcpy DtoH (Device -> Pageable)", 1.6, "aten::item>aten::_local_scalar_dense", bytes=4)


def step(collectives):
    """All launches of one step; if `collectives`, gradients are all-reduced during the backward pass."""
    return [*forward(), *backward(collectives), *optimizer()]
