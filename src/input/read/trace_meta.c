/* Reads what a trace states about itself outside its events. */
#include <inttypes.h>

#include "read/trace_internal.h"
#include "read/values.h"

/* Reads a plain non-negative integer; any other value leaves `out` unchanged. */
static void read_natural(struct jscan *js, int64_t *out)
{
	int64_t v;
	if (read_integer(js, false, &v) && v >= 0)
		*out = v;
}

static void read_distributed(struct trace_input *in)
{
	struct span key;
	if (!enter_object(in->js))
		return;
	while (jscan_key(in->js, &key))
		if (span_eq(key, SPAN("rank")))
			read_natural(in->js, &in->meta->rank);
		else if (span_eq(key, SPAN("world_size")))
			read_natural(in->js, &in->meta->world_size);
		else
			jscan_skip(in->js);
}

static void read_device(struct trace_input *in)
{
	struct trace_device d = { .id = -1, .memory_bytes = -1, .name = "" };
	struct span key, text;
	while (jscan_key(in->js, &key)) {
		if (span_eq(key, SPAN("id")))
			read_natural(in->js, &d.id);
		else if (span_eq(key, SPAN("totalGlobalMem")))
			read_natural(in->js, &d.memory_bytes);
		else if (span_eq(key, SPAN("numSms")))
			read_natural(in->js, &d.sms);
		else if (span_eq(key, SPAN("name")) && jscan_string(in->js, &text))
			d.name = arena_dup(&in->meta->arena, text);
		else
			jscan_skip(in->js);
	}
	vec_push(&in->meta->devices, d);
}

static void read_devices(struct trace_input *in)
{
	if (enter_array(in->js))
		while (jscan_element(in->js))
			if (enter_object(in->js))
				read_device(in);
}

/* Reads a version number. CUDA counts 1000 · major + 10 · minor (cuda_runtime_api.h,
   CUDART_VERSION), HIP 10^7 · major + 10^5 · minor + patch (hip_version.h). */
static void read_version(struct trace_input *in, bool hip, const char **out)
{
	int64_t v = -1;
	read_natural(in->js, &v);
	if (v < 0)
		return;
	*out =
	    hip ? arena_printf(&in->meta->arena, "%" PRId64 ".%" PRId64, v / 10000000, v / 100000 % 100)
	        : arena_printf(&in->meta->arena, "%" PRId64 ".%" PRId64, v / 1000, v / 10 % 100);
}

/* Reads the keys that ci/record/gpugate_record.py added to the trace. */
static void read_recorder(struct trace_input *in)
{
	struct span key;
	if (!enter_object(in->js))
		return;
	while (jscan_key(in->js, &key)) {
		enum jscan_type type = jscan_peek(in->js);
		bool says = span_eq(key, SPAN("where")) && type == JSCAN_TRUE;
		jscan_skip(in->js);
		in->meta->where = in->meta->where || says;
	}
}

bool read_meta(struct trace_input *in, struct span key)
{
	if (span_eq(key, SPAN("distributedInfo")))
		read_distributed(in);
	else if (span_eq(key, SPAN("gpugate_record")))
		read_recorder(in);
	else if (span_eq(key, SPAN("baseTimeNanoseconds")))
		read_natural(in->js, &in->meta->base_ns);
	else if (span_eq(key, SPAN("deviceProperties")))
		read_devices(in);
	else if (span_eq(key, SPAN("cuda_runtime_version")))
		read_version(in, false, &in->meta->cuda_runtime);
	else if (span_eq(key, SPAN("cuda_driver_version")))
		read_version(in, false, &in->meta->cuda_driver);
	else if (span_eq(key, SPAN("hip_runtime_version")))
		read_version(in, true, &in->meta->cuda_runtime);
	else if (span_eq(key, SPAN("hip_driver_version")))
		read_version(in, true, &in->meta->cuda_driver);
	else
		return false;
	return true;
}
