/* Row types for a rank among others: communication, progress, steps, trust, environment, inputs. */
#include "model/rows_internal.h"

/* ---- rows of collectives ---- */

#define ROW comm_stat
static const struct field comm_stat_fields[] = {
	KEY(ORDER, kind, ENUM(collective_names), 0, SHOWN("kind")),
	KEY(ORDER, group, NAME, 0, SHOWN("group")),
	KEY(ORDER, group_name, NAME, 0),
	KEY(ORDER, dtype, NAME, 0, SHOWN("dtype")),
	KEY(ORDER, group_size, OPTIONAL_COUNT(-1), 0, SHOWN("group_size")),
	FIELD(count, COUNT, SUM, KEEP, 0, SHOWN("count")),
	FIELD(total_ns, COUNT, SUM, KEEP, 0, SHOWN("total")),
	FIELD(max_ns, COUNT, MAX, KEEP, 0, SHOWN("max")),
	FIELD(bytes, COUNT, SUM, KEEP, 0, SHOWN("bytes")),
	FIELD(sized_count, COUNT, SUM, KEEP, 0, SHOWN("sized_count")),
	FIELD(sized_ns, COUNT, SUM, KEEP, 0, SHOWN("sized_total")),
};
ROW_TYPE(comm_stat, LISTED);
#undef ROW

/* No member is a key: rows are in order of start, and several may start at the same time. Two rows
 * are never joined, so KEEP has no effect. */
#define ROW collective
static const struct field collective_fields[] = {
	FIELD(step, COUNT, KEEP, KEEP, 0),
	FIELD(comm, COUNT, KEEP, KEEP, 0),
	FIELD(bytes, OPTIONAL_COUNT(-1), KEEP, KEEP, 0),
	FIELD(start_ns, COUNT, KEEP, KEEP, 0),
	FIELD(dur_ns, COUNT, KEEP, KEEP, 0),
};
ROW_TYPE(collective, LISTED);
#undef ROW

/* ---- rows about the rank as a whole ---- */

/* Joins the progress of two profiler cycles: keeps the progress of the cycle whose last step is
   later. */
static void join_progress_cycles(void *row, const void *more)
{
	struct progress *x = row;
	const struct progress *y = more;
	if (y->step >= x->step)
		*x = *y;
}

#define ROW progress
static const struct field progress_fields[] = {
	FIELD(step, OPTIONAL_NUMBER(-1), OWN, KEEP, 0),
	FIELD(launches, COUNT, OWN, KEEP, 0),
	FIELD(collectives, COUNT, OWN, KEEP, 0),
	FIELD(pending, COUNT, OWN, KEEP, 0),
	FIELD(op, NAME, OWN, KEEP, 0),
	FIELD(activity, NAME, OWN, KEEP, 0),
	FIELD(waits_in, NAME, OWN, KEEP, 0),
};
ROW_TYPE(progress, ALONE, OWN(OF_CYCLES, join_progress_cycles));
#undef ROW

/* These figures of a rank need all ranks, and are computed after the rank's profiler cycles have
 * been joined. So two rows are never joined, and KEEP has no effect. */
#define ROW cross_rank
static const struct field cross_rank_fields[] = {
	FIELD(known, FLAG, KEEP, KEEP, 0),
	FIELD(matched, COUNT, KEEP, KEEP, 0),
	FIELD(wait_ns, COUNT, KEEP, KEEP, 0),
	FIELD(transfer_ns, COUNT, KEEP, KEEP, 0),
	FIELD(late_ns, NUMBER, KEEP, KEEP, 0),
	FIELD(last_count, COUNT, KEEP, KEEP, 0),
	FIELD(steps, COUNT, KEEP, KEEP, 0),
	FIELD(step_ns, COUNT, KEEP, KEEP, 0),
	FIELD(missing_steps, COUNT, KEEP, KEEP, 0),
	FIELD(compute_skew, OPTIONAL_NUMBER(MEMORY_UNKNOWN), KEEP, KEEP, 0),
};
ROW_TYPE(cross_rank, ALONE);
#undef ROW

/* Lowers `*low` to `more` if that is less; 0 means that a number is unknown. */
static void join_low(int64_t *low, int64_t more)
{
	if (!*low || (more && more < *low))
		*low = more;
}

static void join_trust_cycles(void *row, const void *more)
{
	struct trust_counts *x = row;
	const struct trust_counts *y = more;
	if (!x->json_faults)
		x->fault_byte = y->fault_byte;
	join_low(&x->requests_low, y->requests_low);
	join_low(&x->tokens_low, y->tokens_low);
	/* keeps both values of one cycle: the one in which `completion_ns` (time from the end of a step
	   to the next end) is the smaller share of `marker_ns` (time between step markers) */
	if ((__int128)y->marker_ns * x->completion_ns > (__int128)x->marker_ns * y->completion_ns ||
	    !x->marker_ns) {
		x->marker_ns = y->marker_ns;
		x->completion_ns = y->completion_ns;
	}
}

#define ROW trust_counts
static const struct field trust_counts_fields[] = {
	FIELD(gpu_events, COUNT, SUM, KEEP, 0, SHOWN("gpu_events")),
	FIELD(with_launch, COUNT, SUM, KEEP, 0, SHOWN("with_launch")),
	FIELD(carried_over, COUNT, SUM, KEEP, 0, SHOWN("carried_over")),
	FIELD(dropped, COUNT, SUM, KEEP, 0, SHOWN("dropped")),
	FIELD(unattributed, COUNT, SUM, KEEP, 0, SHOWN("unattributed")),
	FIELD(gpu_ns, COUNT, SUM, KEEP, 0, SHOWN("gpu_time")),
	FIELD(dropped_ns, COUNT, SUM, KEEP, 0),
	FIELD(unattributed_ns, COUNT, SUM, KEEP, 0, SHOWN("unattributed_time")),
	FIELD(launches, COUNT, SUM, KEEP, 0, SHOWN("launches")),
	FIELD(launches_without_kernel, COUNT, SUM, KEEP, 0, SHOWN("lost")),
	FIELD(lost_ns, OPTIONAL_COUNT(0), SUM, KEEP, 1, SHOWN("lost_time")),
	FIELD(tick_ns, OPTIONAL_COUNT(0), MAX, KEEP, 1),
	FIELD(overlap_ns, COUNT, SUM, KEEP, 0, SHOWN("overlap_time")),
	FIELD(negative_durations, COUNT, SUM, KEEP, 0, SHOWN("negative_durations")),
	FIELD(untimed, OPTIONAL_COUNT(0), SUM, KEEP, 1, SHOWN("untimed")),
	FIELD(malformed, COUNT, SUM, KEEP, 0, SHOWN("malformed")),
	FIELD(json_faults, COUNT, SUM, KEEP, 0, SHOWN("json_faults")),
	FIELD(fault_byte, COUNT, OWN, KEEP, 0),
	FIELD(truncated, FLAG, OR, KEEP, 0, SHOWN("truncated")),
	FIELD(partial, FLAG, OR, KEEP, 0, SHOWN("partial")),
	/* version 0.2 lacked the members from here on; their numbers are the last ones of a fold
	   (fold_of_trust()) */
	FIELD(timed, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("timed")),
	FIELD(untimed_ns, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("untimed_time")),
	FIELD(twice, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("twice")),
	FIELD(twice_ns, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("twice_time")),
	FIELD(before_ns, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("before_time")),
	FIELD(unknown_ns, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("unknown_time")),
	FIELD(cut_ns, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("cut_time")),
	FIELD(contained_ns, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("contained_time")),
	FIELD(captured, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("captured")),
	FIELD(pending, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("pending")),
	FIELD(left_over, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("left_over")),
	FIELD(lost_unknown, OPTIONAL_COUNT(0), SUM, KEEP, 2, SHOWN("lost_unknown")),
	FIELD(marker_ns, OPTIONAL_COUNT(0), OWN, KEEP, 2, SHOWN("marker_distance")),
	FIELD(completion_ns, OPTIONAL_COUNT(0), OWN, KEEP, 2, SHOWN("completion_distance")),
	FIELD(replayed_ns, OPTIONAL_COUNT(0), SUM, KEEP, 3, SHOWN("replayed_time")),
	FIELD(joined_ns, OPTIONAL_COUNT(0), SUM, KEEP, 3, SHOWN("joined_time")),
	FIELD(unordered_ns, OPTIONAL_COUNT(0), SUM, KEEP, 3, SHOWN("unordered_time")),
	FIELD(ambiguous_ns, OPTIONAL_COUNT(0), SUM, KEEP, 3, SHOWN("ambiguous_time")),
	FIELD(lost_copies, OPTIONAL_COUNT(0), SUM, KEEP, 3),
	FIELD(lost_copies_ns, OPTIONAL_COUNT(0), SUM, KEEP, 3),
	FIELD(lost_nodes, OPTIONAL_COUNT(0), SUM, KEEP, 3),
	FIELD(early, OPTIONAL_COUNT(0), SUM, KEEP, 3),
	FIELD(early_ns, OPTIONAL_COUNT(0), MAX, KEEP, 3),
	FIELD(requests_low, OPTIONAL_COUNT(0), OWN, KEEP, 3),
	FIELD(requests_high, OPTIONAL_COUNT(0), MAX, KEEP, 3),
	FIELD(tokens_low, OPTIONAL_COUNT(0), OWN, KEEP, 3),
	FIELD(tokens_high, OPTIONAL_COUNT(0), MAX, KEEP, 3),
	FIELD(graph_kinds, OPTIONAL_COUNT(0), MAX, KEEP, 3),
};
ROW_TYPE(trust_counts, ALONE, OWN(OF_CYCLES, join_trust_cycles));
#undef ROW

#define ROW env_entry
static const struct field env_entry_fields[] = {
	KEY(ORDER, key, TEXT, 0),
	FIELD(value, TEXT, KEEP, KEEP, 0),
};
ROW_TYPE(env_entry, LISTED);
#undef ROW

/* Loading a run has refused inputs of the same name. So two rows are never joined, and KEEP has no
 * effect. */
#define ROW input_stat
static const struct field input_stat_fields[] = {
	KEY(ORDER, name, TEXT, 0),
	FIELD(micro, OPTIONAL_NUMBER(INPUT_EXACT), KEEP, KEEP, 0),
	FIELD(value, OPTIONAL_NUMBER(0), KEEP, KEEP, 1),
	FIELD(digits, OPTIONAL_NUMBER(0), KEEP, KEEP, 1),
	FIELD(unit, OPTIONAL_TEXT, KEEP, KEEP, 1),
	FIELD(better, OPTIONAL_TEXT, KEEP, KEEP, 1),
	FIELD(samples, OPTIONAL_COUNT(0), KEEP, KEEP, 1),
	FIELD(spread, OPTIONAL_COUNT(-1), KEEP, KEEP, 1),
	FIELD(spread_share, OPTIONAL_COUNT(-1), KEEP, KEEP, 3),
	FIELD(work, OPTIONAL_TEXT, KEEP, KEEP, 2),
	FIELD(title, OPTIONAL_TEXT, KEEP, KEEP, 3),
	FIELD(place, OPTIONAL_COUNT(0), KEEP, KEEP, 3),
};
ROW_TYPE(input_stat, LISTED);
#undef ROW

#define ROW machine_stat
static const struct field machine_stat_fields[] = {
	KEY(ORDER, id, TEXT, 1),
	FIELD(samples, COUNT, KEEP, KEEP, 1),
	FIELD(span_ns, OPTIONAL_COUNT(-1), KEEP, KEEP, 1),
	FIELD(sm_clock_hz, OPTIONAL_COUNT(-1), KEEP, KEEP, 1),
	FIELD(memory_clock_hz, OPTIONAL_COUNT(-1), KEEP, KEEP, 1),
	FIELD(power_mw, OPTIONAL_COUNT(-1), KEEP, KEEP, 1),
	FIELD(temperature_c, OPTIONAL_COUNT(-1), KEEP, KEEP, 1),
	FIELD(throttled_pct, OPTIONAL_COUNT(-1), KEEP, KEEP, 1),
	FIELD(other_processes, OPTIONAL_COUNT(-1), KEEP, KEEP, 1),
	FIELD(energy_uj, OPTIONAL_COUNT(-1), KEEP, KEEP, 3),
	FIELD(energy_ns, OPTIONAL_COUNT(-1), KEEP, KEEP, 3),
	FIELD(reasons, OPTIONAL_TEXT, KEEP, KEEP, 1),
};
ROW_TYPE(machine_stat, LISTED);
#undef ROW

/* ---- rows of step figures ---- */

#define VALUES                                                    \
	FIELD_AT(value[STAT_MEDIAN], "median", COUNT, KEEP, KEEP, 0), \
	    FIELD_AT(value[STAT_MEAN], "mean", COUNT, KEEP, KEEP, 0), \
	    FIELD_AT(value[STAT_MIN], "min", COUNT, KEEP, KEEP, 0),   \
	    FIELD_AT(value[STAT_MAX], "max", COUNT, KEEP, KEEP, 0),   \
	    FIELD_AT(value[STAT_P90], "p90", COUNT, KEEP, KEEP, 0),   \
	    FIELD_AT(value[STAT_P95], "p95", COUNT, KEEP, KEEP, 0),   \
	    FIELD_AT(value[STAT_P99], "p99", COUNT, KEEP, KEEP, 0),   \
	    FIELD_AT(value[STAT_TOTAL], "total", COUNT, KEEP, KEEP, 0)

/* Summaries are made when a run is stored, after its profiler cycles have been joined. So two rows
 * are never joined, and KEEP has no effect. */
#define ROW step_summary
static const struct field step_summary_fields[] = {
	KEY(ORDER, metric, ENUM(metric_names), 0, NAMES_ROW),
	VALUES,
	FIELD(slow, OPTIONAL_COUNT(-1), KEEP, KEEP, 3),
};
static int step_summary_since(const void *row)
{
	return metric_table[((const struct step_summary *)row)->metric].since;
}
ROW_TYPE(step_summary, LISTED, .since = step_summary_since);
#undef ROW

#define ROW phase_summary
static const struct field phase_summary_fields[] = {
	KEY(ORDER, phase, ENUM(phase_names), 0, NAMES_ROW),
	KEY(ORDER, metric, ENUM(metric_names), 0, NAMES_ROW),
	FIELD(steps, COUNT, KEEP, KEEP, 0),
	VALUES,
};
static int phase_summary_since(const void *row)
{
	return metric_table[((const struct phase_summary *)row)->metric].since;
}
ROW_TYPE(phase_summary, LISTED, .since = phase_summary_since);
#undef ROW
