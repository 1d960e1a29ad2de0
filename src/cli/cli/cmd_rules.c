#include "cli/commands.h"

#include <string.h>

#include "base/date.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/artifact_format.h"
#include "cli/lint_noise.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "diagnose/diagnose.h"
#include "gate/waivers.h"
#include "io/sink.h"
#include "metric/figure_name.h"
#include "model/embedded.h"
#include "model/phases.h"
#include "report/writer.h"
#include "rules/rules_file.h"

static enum status lint(const struct options *o, const char *path, int64_t today, struct sink *out,
                        struct diag_log *log)
{
	struct rules rules = { 0 };
	struct category_table categories = { 0 };
	enum status st = rules_read(path, NULL, o->value[OPT_PROFILE], &rules, log);
	NEXT(st, setup_categories(o, &rules, path, &categories, log));
	NEXT(st, waivers_check(&rules, today, log));
	bool upgrade = o->value[OPT_UPGRADE] != NULL;
	if (st == ST_OK && (upgrade || o->value[OPT_VERBOSE])) {
		st = rules_print(path, o->value[OPT_PROFILE], upgrade, out, log);
	} else if (st == ST_OK) {
		sink_printf(out, "%s: %zu rule%s, no errors\n", diag_quote(log, rules.source),
		            rules.rules.nr, text_s(rules.rules.nr));
		sink_puts(out, rules_explain(&rules.arena, &rules, NULL));
		if (o->value[OPT_BASELINE])
			st = lint_noise(o, path, out, log);
		else
			waivers_lint(&rules, NULL, log);
	}
	category_table_release(&categories);
	rules_release(&rules);
	return st;
}

/* True for a stored baseline, and for a file with the name of one: its faults are then reported as
   those of a baseline. */
static bool is_baseline(const struct options *o, const char *path)
{
	const char *dot = strrchr(path, '.');
	return o->old == OLD_VERIFY ||
	       (dot && (strcmp(dot, ".json") == 0 || strcmp(dot, ".gz") == 0)) ||
	       artifact_is_baseline(path);
}

enum status cmd_lint(const struct options *o, struct diag_log *log)
{
	struct sink *out;
	int64_t today;
	TRY(clock_today(&today, log));
	TRY(sink_open("-", false, &out, log));
	enum status st = ST_OK;
	const char *own = setup_rules_path(o); /* NULL: the built-in rules are in force */
	if (o->old == OLD_VERIFY && !o->args.nr)
		st = lint_baseline(o, NULL, out, log);
	else if (!o->args.nr && !own && !o->value[OPT_VERBOSE] && !o->value[OPT_BASELINE])
		st = diag_fail(log, ST_USAGE,
		               "there is no " RULES_PATH " here; name a rules file, or write one with "
		               "'gpugate init'; 'gpugate lint --verbose' prints the built-in rules");
	else if (!o->args.nr)
		st = lint(o, own, today, out, log);
	for (size_t i = 0; i < o->args.nr; i++) {
		const char *path = o->args.v[i];
		enum status one = is_baseline(o, path) ? lint_baseline(o, path, out, log)
		                                       : lint(o, path, today, out, log);
		st = st == ST_OK ? one : st;
	}
	enum status end = sink_commit(out, log);
	return st == ST_OK ? end : st;
}

/* Advice on limits for metrics, depending on where their noise comes from. The numbers are those of
 * rules/default.yaml. */
static const char *const advice[NR_FAMILIES] = {
	[FAMILY_EXACT] = "good to gate: it has no noise, so that any change is one of the program; "
	                 "only warn where such changes are often meant",
	[FAMILY_MACHINE] = "good to gate: GPU time of whole steps differs by less than 1 % between "
	                   "sessions of the same code",
	[FAMILY_OPERATORS] = "good to say where a change is; there are many of them, each noisier than "
	                     "the whole: gate step.compute_time",
	[FAMILY_WALL] = "better to warn: the host has a part in it, by which sessions of the same code "
	                "differ by 17 %; gate step.compute_time for what the GPU does",
	[FAMILY_COMMUNICATION] = "gate it with wide limits: it waits for other ranks and shares links "
	                         "with other jobs",
};

static void explain_metric(const struct metric *m, struct rules *rules, struct sink *out)
{
	static const char *const worse[] = {
		[WORSE_UP] = "higher", [WORSE_DOWN] = "lower", [WORSE_EITHER] = "neither direction"
	};
	const char *unit = unit_name(m->unit), *direction = worse[m->worse], *by = "";
	const char *gate = m->id == METRIC_INPUT
	                       ? "as far as its runs agree: 'gpugate history' shows their spread"
	                       : advice[metric_family(m)];
	if (m->id == METRIC_INPUT && !strchr(m->name, '*')) {
		const struct span name = span_of(m->name + strlen("input."));
		const char *better = figure_better(name, figure_unit_by_name(name));
		unit = figure_unit_by_name(name) ? figure_unit_by_name(name) : unit;
		direction = !better ? direction : *better == 'h' ? worse[WORSE_DOWN] : worse[WORSE_UP];
		by = ", by the name, unless the file or a rule says otherwise";
	}
	sink_printf(out, "%s: %s\n", m->name, m->meaning);
	sink_printf(out, "  unit      %s%s\n", unit, by);
	sink_printf(out, "  worse     %s%s\n", direction, by);
	sink_printf(out, "  per       %s\n",
	            phase_sum_of(m)          ? "step, phase of steps"
	            : m->per_step            ? "step"
	            : *label_names[m->label] ? label_names[m->label]
	                                     : "run");
	sink_printf(out, "  reduced   %s over devices, then ranks\n", reduce_names[m->reduce]);
	sink_printf(out, "  noise     %s\n",
	            m->exact ? "none: a count or a size" : "measured: differs from run to run");
	sink_printf(out, "  gate      %s\n", gate);
	sink_printf(out, "  judged by %s (rules: %s)\n", explain_judges(m, rules), rules->source);
}

/* Find the next heading "### TERM" of the glossary in `*at`, and the text below this heading. Moves
   `*at` to the end of the text. False if there is no such heading. */
static bool next_term(struct span *at, struct span *term, struct span *text)
{
	static const char head[] = "\n### ";
	const char *begin = memmem(at->p, at->n, head, strlen(head)), *end = at->p + at->n;
	if (!begin)
		return false;
	begin += strlen(head);
	const char *line = memchr(begin, '\n', (size_t)(end - begin));
	const char *next = memmem(line, (size_t)(end - line), "\n#", 2);
	next = next ? next : end;
	*term = (struct span){ begin, (size_t)(line - begin) };
	*text = (struct span){ line, (size_t)(next - line) };
	*at = (struct span){ next, (size_t)(end - next) };
	return true;
}

/* Append Markdown as plain text. A link in parentheses becomes the path of its page, such as
   "(docs/ranks.md)"; any other link becomes its words. */
static void add_plain(struct strbuf *b, struct span text)
{
	for (size_t i = 0; i < text.n; i++) {
		const char *at = text.p + i;
		const char *page = span_starts((struct span){ at, text.n - i }, SPAN("(["))
		                       ? strstr(at, "](")
		                   : *at == ']' && at[1] == '(' ? at
		                                                : NULL;
		const char *close = page ? strchr(page, ')') : NULL;
		if (close && *at == '(')
			strbuf_addf(b, "(docs/%.*s", (int)(close - page - 2), page + 2);
		if (close)
			i += (size_t)(close - at);
		else if (*at == '\n')
			strbuf_adds(b, i + 1 < text.n && at[1] != '\n' ? "\n  " : "");
		else if (*at != '[')
			strbuf_addch(b, *at);
	}
}

/* True if `word` is the term `term` of the glossary, such as "Run, candidate", or one of the names
   in the term, in singular or plural. `near` is told these names, and keeps the one most similar to
   the word. */
static bool term_has(struct span term, struct span word, struct nearest *near, struct arena *a)
{
	struct span one = { word.p, word.n - (word.n > 1 && word.p[word.n - 1] == 's') };
	bool has = span_eq_nocase(term, word);
	while (!has && term.n) {
		const char *comma = memmem(term.p, term.n, ", ", 2);
		struct span name = { term.p, comma ? (size_t)(comma - term.p) : term.n };
		has = span_eq_nocase(name, word) || span_eq_nocase(name, one);
		nearest_try(near, arena_dup(a, name));
		size_t used = comma ? name.n + 2 : name.n;
		term = (struct span){ term.p + used, term.n - used };
	}
	return has;
}

/* What the glossary says about a word; NULL if it does not have the word. `near` is told all terms
   up to the one that is found, and keeps the most similar one. */
static const char *glossary_of(struct span word, struct nearest *near, struct arena *a)
{
	struct span at = { embedded_glossary, embedded_glossary_size }, term, text;
	while (next_term(&at, &term, &text)) {
		if (!term_has(term, word, near, a))
			continue;
		struct strbuf b = STRBUF_INIT;
		strbuf_add(&b, term);
		strbuf_adds(&b, ":");
		add_plain(&b, text);
		strbuf_adds(&b, "\n");
		return arena_take(a, &b);
	}
	return NULL;
}

/* The row of a table in `page` whose first cell has `word` among its names of verdicts or findings,
   as text "NAMES: TEXT". NULL if there is no such row; `near` has then been told all names, and
   keeps the most similar one. */
static const char *row_of(const char *page, struct span word, struct nearest *near, struct arena *a)
{
	for (const char *row = page; (row = strstr(row, "\n| `")); row++) {
		const char *text = strstr(row, "` | ") + 1, *end = strstr(text + 2, " |");
		for (const char *name = row + strlen("\n| `"); name < text;) {
			size_t n = strcspn(name, "`");
			if (span_eq_nocase((struct span){ name, n }, word)) {
				struct strbuf b = STRBUF_INIT;
				strbuf_add(&b, (struct span){ row + 3, (size_t)(text - row - 3) });
				strbuf_adds(&b, ": ");
				add_plain(&b, (struct span){ text + 3, (size_t)(end - text - 3) });
				strbuf_adds(&b, "\n");
				return arena_take(a, &b);
			}
			nearest_try(near, arena_dup(a, (struct span){ name, n }));
			name += n + strlen("`, `");
		}
	}
	return NULL;
}

/* Append a text of a recommendation. The text has placeholders for figures, such as {step}; only
   the name of a placeholder is shown. */
static void add_advice(struct strbuf *b, const char *label, const char *text)
{
	struct span literal, inside;
	strbuf_addf(b, "  %-10s", label);
	while (placeholder_next(&text, &literal, &inside)) {
		strbuf_add(b, literal);
		strbuf_add(b, inside.p ? inside : SPAN(""));
	}
	strbuf_adds(b, "\n");
}

/* What the recommendation `id` says, whether it is in the table of diagnoses or in the code; NULL
   if there is none. `near` is told all ids, and keeps the most similar one. */
static const char *advice_of(const struct diagnosis_rules *table, struct span id,
                             struct nearest *near, struct arena *a)
{
	const struct recommendation *r = diagnose_advice(id);
	for (size_t i = 0; i < table->list.nr; i++) {
		const struct recommendation *own = &table->list.v[i].advice;
		nearest_try(near, own->id);
		r = !r && span_eq(span_of(own->id), id) ? own : r;
	}
	for (const struct recommendation *k = diagnose_in_code; k->id; k++)
		nearest_try(near, k->id);
	if (!r)
		return NULL;
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s: %s\n", r->id, r->title);
	add_advice(&b, "means", r->hypothesis);
	add_advice(&b, "to try", r->action);
	add_advice(&b, "seen in", r->confirm);
	return arena_take(a, &b);
}

/* The entry with this name in the table of formats of result files; NULL if there is none. */
static const char *format_of(struct span word, struct arena *a)
{
	struct span lines = formats_entry(word, a);
	return lines.n ? arena_printf(a, "a format of result files (docs/results.md):\n%.*s",
	                              (int)lines.n, lines.p)
	               : NULL;
}

/* The metric called `word`, else the first metric that reports call so, such as "peak memory". NULL
   if there is none. */
static const struct metric *metric_called(struct span word, struct arena *a)
{
	const struct metric *m = metric_named(word, a);
	for (size_t i = 0; i < NR_METRICS && !m; i++)
		if (span_eq_nocase(span_of(metric_label(&metric_table[i])), word) ||
		    span_eq_nocase(span_of(metric_table[i].head), word))
			m = &metric_table[i];
	return m;
}

static enum status list_metrics(const struct options *o, struct diag_log *log)
{
	struct document d;
	doc_init(&d);
	metric_table_document(&d);
	enum status st = output_document(&(struct output){ .options = o, .log = log }, &d,
	                                 &(struct page_frame){ 0 }, true);
	doc_release(&d);
	return st;
}

/* Explain the word `given`; if it has no meaning, explain the result file of this name. */
static enum status explain(const struct options *o, const char *given, struct rules *rules,
                           const struct diagnosis_rules *diagnoses, struct diag_log *log)
{
	struct arena *a = &rules->arena;
	/* a check, such as "top-kernels[flash_fwd]", is explained by its rule */
	struct span word = { given, strcspn(given, "[") };
	struct nearest near = { .word = word };
	const struct metric *m = metric_called(word, a);
	const char *of_rule = NULL, *row;
	for (size_t i = 0; i < rules->rules.nr; i++)
		if (span_eq(span_of(rules->rules.v[i].id), word)) {
			of_rule = rules_explain(a, rules, &rules->rules.v[i]);
			if (m && !metric_named(word, a)) /* several metrics may have one label */
				m = rules->rules.v[i].metric;
		}
	const char *term = glossary_of(word, &near, a);
	row = row_of(embedded_verdicts, word, &near, a);
	row = row ? row : row_of(strstr(embedded_ranks, "\n| finding "), word, &near, a);
	/* a recommendation is left out if a rule or a metric has its name: their text is enough */
	const char *advised = of_rule || m ? NULL : advice_of(diagnoses, word, &near, a);
	const char *said[] = { of_rule, term, row, rules_key_explain(a, word), format_of(word, a),
		                   advised, NULL };
	enum { NR_SAID = NR_OF(said) };
	bool known = m || ANY(i, NR_SAID, said[i]);
	if (!known)
		said[NR_SAID - 1] = explain_items(o, given, rules, &m);
	if (!known && !m && !said[NR_SAID - 1]) {
		if (!is_absent(given))
			return explain_formats(o, given, log);
		for (size_t i = 0; i < rules->rules.nr; i++)
			nearest_try(&near, rules->rules.v[i].id);
		near.best = metric_suggest(word, near.best);
		return diag_fail(
		    log, ST_USAGE,
		    "%s is not a metric, a rule (rules: %s), a finding, a key of rules, a format, a word "
		    "of the glossary, an item of the baseline or a file%s",
		    text_quote(&log->arena, word), rules->source,
		    nearest_hint(&near, &log->arena, ';', "; 'gpugate explain' lists the metrics"));
	}
	struct sink *out;
	TRY(sink_open("-", false, &out, log));
	if (m)
		explain_metric(m, rules, out);
	for (size_t i = 0; i < NR_SAID; i++)
		sink_puts(out, text_or_empty(said[i]));
	return sink_commit(out, log);
}

enum status cmd_explain(const struct options *o, struct diag_log *log)
{
	struct rules rules = { 0 };
	struct diagnosis_rules diagnoses = { 0 };
	const char *given = o->args.nr ? o->args.v[0] : NULL;
	if (o->old == OLD_FORMATS || (given && strcmp(given, "formats") == 0))
		return explain_formats(o, o->old ? given : NULL, log);
	if (!given || strcmp(given, "metrics") == 0)
		return list_metrics(o, log);
	enum status st = rules_read(setup_rules_path(o), NULL, o->value[OPT_PROFILE], &rules, log);
	NEXT(st, diagnosis_read(rules.tables.diagnosis, NULL, &diagnoses, log));
	NEXT(st, explain(o, given, &rules, &diagnoses, log));
	diagnosis_rules_release(&diagnoses);
	rules_release(&rules);
	return st;
}
