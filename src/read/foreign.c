#include "read/foreign.h"

#include <stdbool.h>
#include <string.h>

#define SCHEMA_WITHIN 48

enum evidence {
	EVIDENCE_SNAPSHOT,
	EVIDENCE_EXECUTION_TRACE,
	EVIDENCE_MEMORY_PROFILE,
	EVIDENCE_ARRAYS,
	EVIDENCE_SCALARS,
};

/* In order of weight. Sources of the keys: torch/cuda/memory.py (_snapshot),
   Chakra schema of execution_trace_observer.cpp, xprof's memory_profile.proto. */
static const struct {
	const char *key;
	enum evidence evidence;
} keys[] = {
	{ "segments", EVIDENCE_SNAPSHOT },     { "device_traces", EVIDENCE_SNAPSHOT },
	{ "segment_type", EVIDENCE_SNAPSHOT }, { "blocks", EVIDENCE_SNAPSHOT },
	{ "nodes", EVIDENCE_EXECUTION_TRACE }, { "memoryProfilePerAllocator", EVIDENCE_MEMORY_PROFILE },
};

static const char *const names[] = {
	[EVIDENCE_SNAPSHOT] = "a CUDA memory snapshot (torch.cuda.memory._snapshot)",
	[EVIDENCE_EXECUTION_TRACE] = "a PyTorch execution trace (Chakra)",
	[EVIDENCE_MEMORY_PROFILE] = "a memory profile of XProf",
	[EVIDENCE_ARRAYS] = "a list of rows, such as the profiler's memory timeline",
	[EVIDENCE_SCALARS] = "plain values",
};

unsigned foreign_key(struct span key)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (span_eq(key, span_of(keys[i].key)))
			return 1u << keys[i].evidence;
	return 0;
}

unsigned foreign_element(enum jscan_type type)
{
	return 1u << (type == JSCAN_ARRAY ? EVIDENCE_ARRAYS : EVIDENCE_SCALARS);
}

const char *foreign_name(unsigned evidence)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (evidence >> i & 1)
			return names[i];
	return "other JSON";
}

static bool has(struct span s, const char *what)
{
	return memmem(s.p, s.n, what, strlen(what)) != NULL;
}

enum artifact artifact_recognise(struct span first)
{
	size_t i = 0;
	while (i < first.n && strchr(" \t\r\n", first.p[i]) && first.p[i])
		i++;
	struct span s = { first.p + i, first.n - i };
	if (s.n == 0)
		return ARTIFACT_TRACE; /* the reader says that it is empty */
	/* protocol 2 and up begin with PROTO, 0 and 1 with the opcodes of an empty
	   container and its memo (pickletools) */
	if ((unsigned char)s.p[0] == 0x80 || span_starts(s, SPAN("(dp0")) ||
	    span_starts(s, SPAN("(lp0")) || span_starts(s, SPAN("}q")) || span_starts(s, SPAN("]q")))
		return ARTIFACT_PICKLE;
	/* what this program writes begins with its schema */
	struct span head = { s.p, s.n < SCHEMA_WITHIN ? s.n : SCHEMA_WITHIN };
	if (s.p[0] == '{' && has(head, "\"gpugate-digest-"))
		return ARTIFACT_DIGEST;
	if (s.p[0] == '{' && has(head, "\"gpugate-baseline-"))
		return ARTIFACT_BASELINE;
	if (s.p[0] == '{' && has(head, "\"schema\"") && has(head, "\"gpugate-"))
		return ARTIFACT_RESULT;
	return strchr("{[\"-0123456789tfn", s.p[0]) && s.p[0] ? ARTIFACT_TRACE : ARTIFACT_UNKNOWN;
}
