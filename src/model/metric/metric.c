#include "metric/metric.h"

#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "base/vec.h"
#include "metric/figure_name.h"

enum { NOISY, EXACT };
enum { APART, ADDS };

/* Sets of aspects of a recording (enum rests_on) that many metrics share; the column `rests_on` of
 * metrics.def names these sets. */
enum {
	RESTS_TRACE = ON_TRACE,
	RESTS_STEP_NUMBERS = ON_STEP_NUMBERS,
	RESTS_GPU_WINDOW = ON_TRACE | ON_GPU | ON_ENDS,
	RESTS_RECORDING = RESTS_GPU_WINDOW | ON_RECORDING,
	RESTS_WALL = ON_ENDS | ON_WALL,
	RESTS_UTILIZATION = RESTS_GPU_WINDOW | ON_UTILIZATION | ON_WALL,
	RESTS_STEPS = ON_TRACE | ON_STEPS,
	RESTS_RATES = RESTS_STEPS | RESTS_WALL,
	RESTS_GPU = RESTS_STEPS | ON_GPU | ON_LAUNCHES,
	RESTS_FLOPS = RESTS_GPU | ON_FLOPS | ON_OPERATORS,
	RESTS_FLOP_RATES = RESTS_FLOPS | RESTS_WALL,
	RESTS_MFU = RESTS_RATES | ON_MFU,
	RESTS_GPU_MEANS = RESTS_GPU | ON_DURATIONS,
	RESTS_HOST_STEPS = RESTS_STEPS | ON_PEERS,
	RESTS_HOST_OPERATORS = RESTS_HOST_STEPS | ON_OPERATORS,
	RESTS_WALL_STEPS = RESTS_HOST_STEPS | RESTS_WALL,
	RESTS_LATENCY = RESTS_WALL_STEPS | ON_LAUNCHES,
	RESTS_LAUNCH_STEPS = RESTS_HOST_STEPS | ON_LAUNCHES,
	RESTS_LAUNCH_PLACES = RESTS_LAUNCH_STEPS | ON_PLACES,
	RESTS_GPU_STEPS = RESTS_GPU | ON_PEERS,
	RESTS_GPU_UNIONS = RESTS_GPU_STEPS | ON_ENDS,
	RESTS_GPU_PERIODS = RESTS_GPU_UNIONS | ON_WALL,
	RESTS_GPU_SUMS = RESTS_GPU_STEPS | ON_DURATIONS,
	RESTS_COPY_STEPS = RESTS_GPU_STEPS | ON_COPIES,
	RESTS_COPY_SUMS = RESTS_GPU_SUMS | ON_COPIES,
	RESTS_GPU_OPERATORS = RESTS_GPU_SUMS | ON_OPERATORS,
	RESTS_GPU_MODULES = RESTS_GPU_SUMS | ON_MODULES,
	RESTS_GPU_PLACES = RESTS_GPU_SUMS | ON_PLACES,
	RESTS_GPU_COUNTS_OF_PLACES = RESTS_GPU_STEPS | ON_PLACES,
	RESTS_COPIES_OF_PLACES = RESTS_GPU_COUNTS_OF_PLACES | ON_COPIES,
	RESTS_MATCHED_SUMS = RESTS_GPU_SUMS | ON_ENDS | ON_MATCHES,
	RESTS_MEMORY = ON_MEMORY,
	RESTS_MEMORY_PEAK = ON_MEMORY | ON_MEMORY_PEAK,
	RESTS_MEMORY_CALLS = ON_MEMORY | ON_MEMORY_CALLS,
	RESTS_MEMORY_EVENTS = ON_MEMORY | ON_MEMORY_EVENTS,
	RESTS_MEMORY_GROWTH = ON_MEMORY | ON_MEMORY_GROWTH,
	RESTS_INPUT = ON_INPUT,
	/* figures of the machine itself: no trust finding makes them inconclusive */
	RESTS_MACHINE = 0,
};

#define ROW(per_step_, id_, name_, head_, unit_, worse_, reduce_, exact_, label_, need_, group_, \
            adds_, parts_, rests_on_, ...)                                                       \
	{ .id = METRIC_##id_,                                                                        \
	  .per_step = per_step_,                                                                     \
	  .name = name_,                                                                             \
	  .head = head_,                                                                             \
	  .unit = UNIT_##unit_,                                                                      \
	  .worse = WORSE_##worse_,                                                                   \
	  .reduce = REDUCE_##reduce_,                                                                \
	  .exact = exact_,                                                                           \
	  .label = LABEL_##label_,                                                                   \
	  .need = NEED_##need_,                                                                      \
	  .group = GROUP_##group_,                                                                   \
	  .adds = adds_,                                                                             \
	  .parts = PARTS_##parts_,                                                                   \
	  .rests_on = RESTS_##rests_on_ | (RESTS_##rests_on_ && (exact_) == NOISY ? ON_CLOCKS : 0),  \
	  .meaning = __VA_ARGS__ },
const struct metric metric_table[NR_METRICS] = {
#define STEP(...) ROW(true, __VA_ARGS__)
#define X(...) ROW(false, __VA_ARGS__)
#include "metric/metrics.def"
};

const char *const metric_names[] = {
#define X(id, name, ...) name,
#include "metric/metrics.def"
	NULL
};
const char *const group_names[] = { GROUPS(ENUM_WORD) };
const char *const label_names[] = { LABELS(ENUM_WORD) };

enum worse worse_of(const char *better)
{
	return !better ? WORSE_EITHER : strcmp(better, "lower") == 0 ? WORSE_UP : WORSE_DOWN;
}

enum family metric_family(const struct metric *m)
{
	if (m->exact)
		return FAMILY_EXACT;
	if (m->family != FAMILY_BY_NEED)
		return m->family;
	switch (m->need) {
	case NEED_COMM:
	case NEED_MATCHED:
		return FAMILY_COMMUNICATION;
	case NEED_GPU:
	case NEED_RANKS:
		return m->label == LABEL_NONE || m->label == LABEL_DEVICE ? FAMILY_MACHINE
		                                                          : FAMILY_OPERATORS;
	default:
		return FAMILY_WALL;
	}
}

enum stake metric_stake(const struct metric *m)
{
	static const enum stake groups[NR_GROUPS] = { STAKE_WALL, STAKE_COMPUTE, STAKE_PEAK,
		                                          STAKE_RANKS, STAKE_WALL };
	if (m->stake)
		return m->stake;
	return m->label != LABEL_NONE && m->need == NEED_GPU ? STAKE_COMPUTE : groups[m->group];
}

const struct metric *metric_find(struct span name)
{
	int id = span_find(name, metric_names);
	return id < 0 ? NULL : &metric_table[id];
}

const char *metric_label(const struct metric *m)
{
	static const struct named {
		enum metric_id id;
		const char *label;
	} labels[] = { { METRIC_STEP_COMPUTE_TIME, "compute per step" },
		           { METRIC_STEP_CUDA_TIME, "GPU time per step" },
		           { METRIC_MEMORY_PEAK_ALLOCATED, "peak memory" },
		           { METRIC_MEMORY_GROWTH_PER_STEP, "growth of memory per step" } };
	const struct named *own = FIND(i, labels, NR_OF(labels), labels[i].id == m->id);
	if (own)
		return own->label;
	if (m->id == METRIC_INPUT)
		return m->title ? m->title : m->name + strlen("input.");
	/* true if the metric has a figure for the whole run */
	bool whole = m->label == LABEL_NONE || m->label == LABEL_MEMORY;
	return m->title ? m->title : whole ? m->head : m->name;
}

/* Prefix of the names of metrics that are figures of a result file. */
static const char of_inputs[] = "input.";

bool input_name_is_valid(struct span name, bool glob)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i], lower = c | 0x20;
		bool word = is_digit((char)c) || (lower >= 'a' && lower <= 'z') || c == '_';
		bool more = glob && (c == '*' || c == '?' || figure_title_has((char)c));
		if (!word && c != '-' && c != '.' && c != '/' && !more)
			return false;
	}
	return name.n > 0 && name.n <= INPUT_NAME_MAX;
}

const struct metric *metric_named(struct span name, struct arena *a)
{
	const struct metric *row = metric_find(name);
	size_t n = strlen(of_inputs);
	if (row || !span_starts(name, span_of(of_inputs)) ||
	    !input_name_is_valid((struct span){ name.p + n, name.n - n }, true))
		return row;
	struct metric *m = arena_alloc(a, 1, sizeof *m);
	*m = metric_table[METRIC_INPUT];
	m->name = arena_dup(a, figure_case_settle(name, a));
	if (!strpbrk(m->name, "*?"))
		m->label = LABEL_NONE;
	return m;
}

const struct metric *metric_of_input(struct span name, struct arena *a)
{
	const char *full = arena_printf(a, "%s%.*s", of_inputs, (int)name.n, name.p);
	return metric_named(span_of(full), a);
}

bool metric_has_input(const struct metric *m, struct span name)
{
	return span_glob(span_of(m->name + strlen(of_inputs)), name);
}

/* True if `name` contains all words of `text`: "step.cuda_time" contains "time cuda". */
static bool has_words(const char *name, struct span text)
{
	size_t nr = 0;
	for (size_t i = 0, end; i < text.n; i = end + 1) {
		for (end = i; end < text.n && isalnum((unsigned char)text.p[end]); end++)
			;
		if (end > i && !memmem(name, strlen(name), text.p + i, end - i))
			return false;
		nr += end > i;
	}
	return nr > 0;
}

const char *metric_suggest(struct span name, const char *otherwise)
{
	struct nearest n = { .word = name };
	for (size_t i = 0; i < NR_METRICS; i++)
		nearest_try(&n, metric_table[i].name);
	n.best = n.best ? n.best : otherwise;
	for (size_t i = 0; i < NR_METRICS && !n.best; i++)
		if (has_words(metric_table[i].name, name))
			n.best = metric_table[i].name;
	return n.best;
}
