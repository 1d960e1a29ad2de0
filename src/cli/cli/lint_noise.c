#include "cli/lint_noise.h"

#include <string.h>

#include "base/text.h"
#include "cli/candidates.h"
#include "gate/message.h"
#include "gate/waivers.h"
#include "rules/rules_file.h"

enum { MOST_CANDIDATES = 5 };

/* Make `nr` candidates that equal the pin (the approved run). Nothing has changed in them: what the
   gate says about noise then comes from the baseline only. */
static void pretend(const struct run *pin, size_t nr, struct arena *a, struct candidates *out)
{
	out->nr = nr;
	out->v = arena_alloc(a, nr, sizeof *out->v);
	for (size_t i = 0; i < nr; i++) {
		struct run *run = &out->v[i];
		*run = *pin;
		run->ranks.v = arena_alloc(a, pin->ranks.nr, sizeof(struct digest *));
		for (size_t r = 0; r < pin->ranks.nr; r++) {
			struct digest *d = arena_alloc(a, 1, sizeof *d);
			*d = *pin->ranks.v[r];
			d->source_hash += i;
			run->ranks.v[r] = d;
		}
	}
}

static const struct rule *rule_of(const struct rules *rules, const struct check *k)
{
	return FIND(i, rules->rules.v, rules->rules.nr, strcmp(rules->rules.v[i].id, k->rule) == 0);
}

/* True if the user chose the fail limits of `rule`: there is no built-in rule with its id and
   metric, or that rule has other limits. */
static bool is_chosen(const struct rule *rule, const struct rules *built_in, struct arena *a)
{
	for (size_t i = 0; i < built_in->rules.nr; i++) {
		const struct rule *b = &built_in->rules.v[i];
		if (strcmp(b->id, rule->id) == 0 && b->metric == rule->metric)
			return strcmp(message_limits(a, &b->fail, NULL),
			              message_limits(a, &rule->fail, NULL)) != 0;
	}
	return true;
}

/* Warn of limits of the user that are below the noise. Each rule gets one warning, about the first
 * of its items. */
static void warn_of_limits(const struct rules *rules, const struct rules *built_in,
                           const struct report *r, struct diag_log *log)
{
	const char *warned = "";
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *k = &r->checks.v[i];
		const struct rule *rule = rule_of(rules, k);
		const struct evidence *e = &k->evidence;
		bool below =
		    e->has_noise && e->has_detectable && e->noise > 0 && e->detectable <= e->noise + 1;
		if (!rule || !below || strcmp(warned, k->rule) == 0 ||
		    !is_chosen(rule, built_in, &log->arena))
			continue;
		warned = k->rule;
		diag_warn(
		    log,
		    "%s:%u:%u: the limit of '%s' (%s) is below the noise of %s: a change fails from %s "
		    "on; widen the limit, or judge several runs with --repeat",
		    rules->source, rule->line, rule->column, k->id, k->limit, k->evidence.noise_text,
		    k->evidence.detectable_text);
	}
}

/* True if the check compares the figure of both sides, or is skipped because another rule compares
   it. */
static bool judges(const struct check *k)
{
	return k->verdict == VERDICT_SKIPPED
	           ? k->has_baseline && k->has_candidate
	           : k->verdict != VERDICT_MISSING && k->verdict != VERDICT_INCONCLUSIVE;
}

/* Print the ids of the rules that can judge no figure of the baseline. */
static void print_idle(const struct rules *rules, const struct report *r, struct sink *out)
{
	struct strbuf ids = STRBUF_INIT;
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *rule = &rules->rules.v[i];
		bool any = ANY(n, r->checks.nr,
		               rule_of(rules, &r->checks.v[n]) == rule && judges(&r->checks.v[n]));
		if (!any)
			strbuf_addf(&ids, "%s%s", ids.n ? ", " : "", rule->id);
	}
	if (ids.n)
		sink_printf(out, "  judges nothing of it: %s\n", ids.p);
	strbuf_release(&ids);
}

enum status lint_noise(const struct options *o, const char *rules, struct sink *out,
                       struct diag_log *log)
{
	static const size_t counts[] = { 1, 3, MOST_CANDIDATES };
	struct options own = *o;
	struct setup s;
	struct rules built_in;
	struct baseline b = { 0 };
	own.value[OPT_RULES] = rules;
	enum status st = setup_init(&s, &own, log),
	            known = rules_read(NULL, NULL, NULL, &built_in, log);
	NEXT(st, known);
	const char *path = NULL;
	NEXT(st, setup_stored(&s, &path, &b, log));
	for (size_t i = 0; i < NR_OF(counts) && st == ST_OK; i++) {
		struct candidates c = { 0 };
		struct report r;
		report_init(&r);
		pretend(&b.pin, counts[i], &b.arena, &c);
		st = candidates_judge(&c, &s, &b, path, &r, log);
		if (st == ST_OK && i == 0) {
			sink_printf(out, "%s, a run against it:\n", diag_quote(log, path));
			for (size_t k = 0; k < r.checks.nr; k++)
				if (*r.checks.v[k].evidence.text)
					sink_printf(out, "  %s: %s\n", r.checks.v[k].id, r.checks.v[k].evidence.text);
			print_idle(&s.rules, &r, out);
			warn_of_limits(&s.rules, &built_in, &r, log);
			struct bench bench;
			bench_init(&bench, &(struct bench_runs){ .candidates = &b.pin, .nr_candidates = 1 },
			           s.naming);
			waivers_lint(&s.rules, &bench, log);
			bench_release(&bench);
		}
		if (st == ST_OK && (r.has_false_alarms || i == 0))
			sink_printf(out, "with %zu candidate run%s: %s\n", counts[i], i ? "s" : "",
			            r.false_alarms_text ? r.false_alarms_text : "no check has noise");
		report_release(&r);
	}
	baseline_release(&b);
	rules_release(&built_in);
	setup_release(&s);
	return st;
}
