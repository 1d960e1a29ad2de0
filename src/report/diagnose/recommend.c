#include "diagnose/internal.h"

#include "base/number.h"
#include "diagnose/diagnose.h"

/* Least saved time, as a share of a step, for which a recommendation is made. */
#define WORTH_DOING PERCENT

static bool condition_holds(const struct run_view *v, const struct run_report *r,
                            const struct diagnosis_condition *c)
{
	const struct classification *found = &r->classification;
	int64_t value;
	enum unit unit;
	if (c->bound == BOUND_UNKNOWN &&
	    ANY(i, r->recommendations.nr, r->recommendations.v[i].tells_idle))
		return false;
	if (c->bound != NR_BOUNDS)
		return found->bound == c->bound ||
		       (found->bound == BOUND_MIXED && found->share[c->bound] >= BOUND_BESIDE);
	return figure_of_diagnosis(v, &c->figure, &value, &unit) &&
	       (c->above ? value > c->value : value < c->value);
}

/* A text of a rule with its placeholders replaced by figures; "–" in place of a figure that the run
   lacks. The placeholder {step} becomes "step", or "window" in a run without steps. */
static const char *filled(const struct run_view *v, const struct diagnosis_rule *r,
                          const char *text, bool window, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	struct span literal, inside, unknown;
	while (placeholder_next(&text, &literal, &inside)) {
		struct diagnosis_figure f;
		int64_t value;
		enum unit unit;
		strbuf_add(&b, literal);
		if (!inside.p)
			break;
		if (placeholder_is_step(inside))
			strbuf_adds(&b, window ? "window" : "step");
		else if (placeholder_figure(r, inside, &f, &unknown) &&
		         figure_of_diagnosis(v, &f, &value, &unit))
			unit_format(&b, unit, value, false);
		else
			strbuf_adds(&b, "–");
	}
	return arena_take(a, &b);
}

/* The time in ns that a recommendation saves, or -1 if unknown. A recommendation that shortens
 * calls on the host saves no more than the time in which the GPU is idle. */
static int64_t saving(const struct run_view *v, const struct diagnosis_rule *r)
{
	int64_t value, idle;
	if (!r->saves.metric || !figure_of_run(v, &r->saves, &value))
		return -1;
	if (r->saves.metric->need == NEED_HOST && r->saves.metric->parts == PARTS_CALLS &&
	    figure_of_metric(v, METRIC_STEP_IDLE_TIME, &idle) && idle < value)
		value = idle;
	return number_div_round((__int128)value * r->saves_share, (__int128)100 * PERCENT);
}

/* Share, in millionths, of the profiler's own calls in the time of all synchronization calls whose
 * place in the code is known. */
static int64_t profilers_share(const struct run *run)
{
	static const struct span place = SPAN("torch/profiler/");
	int64_t all = 0, own = 0;
	for (size_t r = 0; r < run->ranks.nr; r++)
		for (size_t i = 0; i < run->ranks.v[r]->code.nr; i++) {
			const struct code_stat *c = &run->ranks.v[r]->code.v[i];
			if (c->kind != CODE_SYNC || !c->place.n)
				continue;
			all = number_add(all, c->total_ns);
			if (memmem(c->place.p, c->place.n, place.p, place.n))
				own = number_add(own, c->total_ns);
		}
	return all > 0 ? number_div_round((__int128)own * MICRO, all) : 0;
}

/* True if a clause of a recommendation's text asks for data that the run already has, or for shapes
 * of operators' inputs although these would not help. */
static bool is_needless(const struct run_view *v, struct span clause)
{
	struct recorded r = recorded_of(v->run);
	bool shapes_help =
	    r.unshaped || (!r.shapes && r.uncounted.n && !span_eq(r.uncounted, SPAN(FLOPS_OF_GRAPHS)));
	int64_t steps;
	const struct {
		const char *word;
		bool needless;
	} rows[] = {
		{ "with_stack", r.python },
		{ "record_shapes", !shapes_help },
		{ "profile_memory", r.memory },
		{ "memory snapshot", r.snapshots },
		{ "several steps", figure_of_metric(v, METRIC_THROUGHPUT_STEPS, &steps) },
		{ "flops_per_step", r.model_flops },
		{ "all ranks", r.world_size > 0 && r.ranks >= r.world_size },
	};
	return ANY(i, NR_OF(rows),
	           rows[i].needless && memmem(clause.p, clause.n, rows[i].word, strlen(rows[i].word)));
}

/* Returns a text without its needless clauses; semicolons separate the clauses. */
static const char *needed(const struct run_view *v, const char *text, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	while (*text) {
		const char *end = strstr(text, "; ");
		struct span clause = { text, end ? (size_t)(end - text) : strlen(text) };
		if (!is_needless(v, clause)) {
			strbuf_adds(&b, b.n ? "; " : "");
			strbuf_add(&b, clause);
		}
		text = end ? end + 2 : text + clause.n;
	}
	return arena_take(a, &b);
}

static void add_rule(const struct run_view *v, const struct diagnosis_rule *r, struct arena *a,
                     struct run_report *out)
{
	struct recommendation rec = r->advice;
	rec.hypothesis = filled(v, r, rec.hypothesis, out->window, a);
	rec.action = filled(v, r, rec.action, out->window, a);
	const char *seen = filled(v, r, rec.observation, out->window, a);
	int64_t saves = saving(v, r);
	if (r->saves.metric && r->saves.metric->id == METRIC_STEP_SYNC_TIME && saves > 0) {
		/* the waits with which the profiler ends a recording are not counted, since the program
		   cannot avoid them */
		int64_t own = profilers_share(v->run);
		saves = number_div_round((__int128)saves * (MICRO - own), MICRO);
		if (own)
			seen = arena_printf(a, "%s; %s of it are the profiler's own, which do not count", seen,
			                    unit_text(a, UNIT_PCT, own * 100));
	}
	recommend(v, a, out, rec, saves, seen);
}

void recommend(const struct run_view *v, struct arena *a, struct run_report *out,
               struct recommendation rec, int64_t saves_ns, const char *seen)
{
	int64_t step;
	rec.saves_ns = saves_ns;
	rec.observation = seen;
	/* skip a second recommendation with one id: a rule of the user may have the id of one that a C
	   function makes */
	if (ANY(i, out->recommendations.nr, strcmp(out->recommendations.v[i].id, rec.id) == 0))
		return;
	bool has_step = figure_of_step(v, &step) && step > 0;
	if (has_step && rec.saves_ns >= 0 && number_pct(rec.saves_ns, step) < WORTH_DOING)
		return;
	rec.ask = needed(v, text_or_empty(rec.ask), a);
	rec.action = needed(v, rec.action, a);
	if (has_step && rec.saves_ns > step)
		rec.saves_ns = step;
	rec.saves_text = "";
	if (rec.saves_ns >= 0 && has_step)
		rec.saves_text =
		    arena_printf(a, "up to %s (%s) per %s", unit_text(a, UNIT_NS, rec.saves_ns),
		                 unit_text(a, UNIT_PCT, number_pct(rec.saves_ns, step)),
		                 out->window ? "window" : "step");
	vec_push(&out->recommendations, rec);
}

ORDERING(recommendation_cmp, struct recommendation, FALLING(saves_ns) BY_TEXT(id))

void diagnose_recommend(const struct run_view *v, const struct diagnosis_rules *rules,
                        struct arena *a, struct run_report *out)
{
	for (size_t i = 0; diagnoses_in_code[i]; i++)
		diagnoses_in_code[i](v, a, out);
	for (size_t i = 0; i < rules->list.nr; i++) {
		const struct diagnosis_rule *rule = &rules->list.v[i];
		bool applies = ALL(k, rule->when.nr, condition_holds(v, out, &rule->when.v[k]));
		if (applies)
			add_rule(v, rule, a, out);
	}
	vec_sort(&out->recommendations, recommendation_cmp);
}
