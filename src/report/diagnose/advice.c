/* Texts of the recommendations that C functions make. The observation is not here, since it differs
   from run to run. The functions may also replace other members. */
#include "diagnose/diagnose.h"
#include "diagnose/internal.h"

const struct recommendation diagnose_in_code[] = {
	{ .id = "waiting-for-ranks",
	  .title = "ranks wait for one another in collectives",
	  .hypothesis = "no rank stands out: they come last in turn",
	  .action = "balance the work of the ranks, whose inputs may differ in length",
	  .confirm = "rank.straggler_pct",
	  .confidence = CONFIDENCE_HIGH },
	{ .id = "checkpoint-recomputation",
	  .title = "activations are computed twice",
	  .hypothesis = "gradient checkpoints trade time for memory; whether memory has room for the "
	                "activations: see memory.headroom",
	  .action = "checkpoint fewer layers, or only what is cheap to compute again (selective "
	            "checkpoints)",
	  .confirm = "step.compute_time",
	  .confidence = CONFIDENCE_MEDIUM,
	  .of_rows = true },
	{ .id = "excessive-zeroing",
	  .title = "memory is filled over and over",
	  .hypothesis = "gradients or buffers are zeroed and then overwritten",
	  .action =
	      "zero_grad(set_to_none=True), torch.empty where all of it is written, reuse of buffers",
	  .confirm = "step.memset_time",
	  .confidence = CONFIDENCE_MEDIUM },
	{ .id = "cuda-graphs",
	  .title = "every step launches the same: CUDA graphs would suit",
	  .hypothesis = "the host repeats the same launches, which one graph launch replaces",
	  .action = "torch.compile(mode=\"reduce-overhead\") or torch.cuda.graph around the step; "
	            "inputs must keep their shapes and addresses",
	  .confirm = "step.launch_time",
	  .ask = "a trace with record_shapes=True, for the shapes of every step",
	  .confidence = CONFIDENCE_MEDIUM,
	  .of_rows = true },
	{ .id = "blocking-copies",
	  .title = "copies hold the host until the GPU is done",
	  .hypothesis = "copies to or from pageable memory, .item(), .cpu() or .tolist() drain the "
	                "queue of launches",
	  .action = "copy from and to pinned memory with non_blocking=True, build index tensors on "
	            "the device, read results every N steps",
	  .confirm = "step.idle_time",
	  .ask = "a trace with Python stacks (with_stack=True), which names the line that copies",
	  .confidence = CONFIDENCE_MEDIUM,
	  .of_rows = true },
	{ .id = "fragmentation",
	  .title = "reserved memory that cannot be used at the peak",
	  .hypothesis = "blocks of uneven sizes leave gaps that no request fits into",
	  .action = "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, keep sizes of tensors "
	            "alike from step to step (padding, bucketing)",
	  .confirm = "memory.fragmentation_at_peak_pct",
	  .ask =
	      "a memory snapshot with history, which shows the gaps and who holds the blocks between "
	      "them",
	  .confidence = CONFIDENCE_MEDIUM },
	{ .id = "unfused-attention",
	  .title = "attention in separate kernels",
	  .hypothesis = "scores are written to memory and read again, by softmax and by what scales "
	                "and masks them, where one fused kernel keeps them on the chip",
	  .action = "use torch.nn.functional.scaled_dot_product_attention (FlashAttention or "
	            "memory-efficient; half precision, a mask that they take), or "
	            "attn_implementation=\"sdpa\" or \"flash_attention_2\" in transformers",
	  .confirm = "category.time",
	  .ask = "a trace with record_shapes=True, which tells what the products take",
	  .confidence = CONFIDENCE_MEDIUM },
	{ .id = "layout-transposes",
	  .title = "images are transposed around convolutions",
	  .hypothesis = "the fastest convolutions want channels last; tensors are channels first",
	  .action = "model.to(memory_format=torch.channels_last), and the same of the inputs, with "
	            "bf16 or TF32",
	  .confirm = "category.time",
	  .confidence = CONFIDENCE_HIGH },
	{ .id = "start-up",
	  .title = "the recording holds what is done once",
	  .hypothesis = "contexts are created, modules are loaded, graphs captured or memory is taken "
	                "from the device, as in the first steps of a job",
	  .action = "record after some warm-up steps (schedule(wait=…, warmup=…), steps.warmup in the "
	            "rules); where it comes back in every step, keep the memory (no empty_cache()) and "
	            "the shapes",
	  .confirm = "function.exclusive_pct",
	  .confidence = CONFIDENCE_MEDIUM,
	  .of_rows = true },
	{ .id = "allocator-churn",
	  .title = "memory goes back to the device and is taken again while steps run",
	  .hypothesis = "torch.cuda.empty_cache() is called in the loop, or memory is close to full: "
	                "cudaFree waits for the device",
	  .action = "remove torch.cuda.empty_cache() from the loop, warm up with the largest batch "
	            "first, lower the peak",
	  .confirm = "memory.segment_churn",
	  .confidence = CONFIDENCE_MEDIUM },
	{ .id = "recompiles",
	  .title = "torch.compile compiles while steps are measured",
	  .hypothesis =
	      "shapes, types or Python values that a graph is specialized on change from step "
	      "to step",
	  .action =
	      "mark changing sizes with torch._dynamo.mark_dynamic or dynamic=True, pad them to a "
	      "few, pass numbers as tensors; TORCH_LOGS=recompiles says what changed",
	  .confirm = "input.recompiles",
	  .confidence = CONFIDENCE_HIGH },
	{ .id = "graph-breaks",
	  .title = "torch.compile falls back to Python within the model",
	  .hypothesis =
	      "the model prints, reads a value of a tensor (.item()), calls NumPy or branches "
	      "on data: what is before and behind it is compiled apart and not fused",
	  .action = "TORCH_LOGS=graph_breaks names the lines; move them out of the model, or use "
	            "torch.where and torch.cond; fullgraph=True keeps it so",
	  .confirm = "input.graph_breaks",
	  .confidence = CONFIDENCE_MEDIUM },
	{ .id = "allocator-retries",
	  .title = "allocations are tried again while steps run",
	  .hypothesis =
	      "the device is nearly full, or what is free is in pieces; the host waits for the "
	      "GPU each time",
	  .action = "lower the peak, warm up with the largest batch first, or set "
	            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
	  .confirm = "input.alloc_retries",
	  .confidence = CONFIDENCE_HIGH },
	{ .id = "host-around-graphs",
	  .title = "the GPU waits for what the host does around GPU graphs",
	  .hypothesis = "inputs are prepared, requests scheduled and results read between replays",
	  .action = "prepare the next step while the GPU runs this one (asynchronous or overlapped "
	            "scheduling), sample on the GPU, keep what is copied per step small and pinned",
	  .confirm = "gpu.utilization_pct",
	  .ask = "a trace of several steps; a trace with Python stacks (with_stack=True)",
	  .confidence = CONFIDENCE_MEDIUM,
	  .tells_idle = true,
	  .of_rows = true },
	{ .id = "compilation",
	  .title = "code is compiled while it is recorded",
	  .hypothesis = "the first call, or shapes and types that change from step to step",
	  .action = "record after warm-up; mark changing sizes with torch._dynamo.mark_dynamic or "
	            "dynamic=True; TORCH_LOGS=recompiles says why",
	  .confirm = "function.exclusive_pct",
	  .confidence = CONFIDENCE_MEDIUM,
	  .tells_idle = true,
	  .of_rows = true },
	{ .id = "cpu-preprocessing",
	  .title = "Python computes while the GPU waits",
	  .hypothesis = "the input is prepared, or results are worked on, on the CPU and in the thread "
	                "that launches",
	  .action = "do it in the workers of a DataLoader, ahead of time, or on the GPU; vectorize it",
	  .confirm = "function.exclusive_pct",
	  .confidence = CONFIDENCE_MEDIUM,
	  .tells_idle = true,
	  .of_rows = true },
	{ .id = NULL },
};

const struct recommendation *diagnose_advice(struct span id)
{
	const struct recommendation *r = diagnose_in_code;
	while (r->id && !span_eq(span_of(r->id), id))
		r++;
	return r->id ? r : NULL;
}
