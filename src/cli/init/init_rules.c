#include "init/init_rules.h"

#include <string.h>

#include "base/number.h"
#include "init/init_noise.h"
#include "init/init_results.h"
#include "model/embedded.h"

/* ---- figures that the run has ---- */

static void on_figure(void *ctx, const struct figure *f)
{
	(void)f;
	*(bool *)ctx = true;
}

static bool has_figure(const struct run_view *v, const struct metric *m)
{
	bool any =
	    m->label == LABEL_PAIR; /* metrics that compare two runs cannot be found in one run */
	if (!run_has(v, m))
		return false;
	for (size_t i = 0; i < v->run->ranks.nr && m->label != LABEL_PAIR; i++)
		rank_figures(v, i, m, on_figure, &any);
	return any;
}

static const char *reason_of(const struct run_view *v, const struct metric *m)
{
	static const char *const lacks[] = {
		[NEED_HOST] = "it has nothing of the host",
		[NEED_GPU] = "it has no GPU activities",
		[NEED_COMM] = "it has no communication kernels",
		[NEED_MEMORY] =
		    "it has neither [memory] events (profile_memory=True) nor a memory snapshot",
		[NEED_CONTEXT] = "its context does not say the work of a step",
		[NEED_FLOPS] = "it has no shapes of inputs (record_shapes=True)",
		[NEED_RANKS] = "it is of one rank",
		[NEED_MATCHED] = "it has no collectives that several ranks share",
		[NEED_INPUT] = "it has no such figure in a metrics file",
		[NEED_MACHINE] = "it has no state of the GPUs beside it",
	};
	if (!run_has(v, m))
		return lacks[m->need];
	return m->need == NEED_MEMORY
	           ? "what it has of memory does not say it (a snapshot, or steps, may be missing)"
	           : "what it has does not say it";
}

/* ---- lines of the rules file ---- */

static bool line_starts(struct span line, const char *with)
{
	return line.n >= strlen(with) && memcmp(line.p, with, strlen(with)) == 0;
}

static void add_line(struct strbuf *out, struct span line)
{
	strbuf_add(out, line);
	strbuf_addch(out, '\n');
}

/* The line that begins at `p`. */
static struct span line_at(const char *p)
{
	return (struct span){ p, strcspn(p, "\n") };
}

/* Append `text`, which has no control characters, in double quotes, for YAML's flow style. */
static void add_quoted(struct strbuf *out, const char *text)
{
	strbuf_addch(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *text);
	}
	strbuf_addch(out, '"');
}

/* Append a line of the built-in rules; a line that sets workload, inputs, steps or on_missing gets
   the value that fits the run. */
static void add_setting(const struct init_rules *in, struct strbuf *out, struct span line)
{
	size_t ranks = in->view ? in->view->run->ranks.nr : 0;
	if (line_starts(line, "# workload:")) {
		strbuf_addf(out, "workload: \"%s\"  # names the baseline\n", in->workload);
	} else if (line_starts(line, "# inputs:") && ranks > 1) {
		strbuf_addf(out, "inputs: {expect_ranks: %zu}\n", ranks);
	} else if (line_starts(line, "# steps:") && in->marker) {
		strbuf_adds(out, "steps: {marker: ");
		add_quoted(out, in->marker);
		strbuf_adds(out, "}\n");
	} else if (line_starts(line, "  on_missing: skip") && in->view) {
		strbuf_adds(out, "  on_missing: fail\n");
	} else {
		add_line(out, line);
	}
}

/* ---- paragraphs of the rules file: rules ---- */

static const struct metric *metric_of(struct span paragraph)
{
	static const char key[] = "\n    metric: ";
	const char *at = memmem(paragraph.p, paragraph.n, key, sizeof key - 1);
	return at ? metric_find(line_at(at + sizeof key - 1)) : NULL;
}

/* If `line` is a fail limit, append the stricter limit that the noise of past runs allows. If it is
   a warn limit, append nothing: a warn limit beyond the new fail limit would have no effect. False
   if the rule keeps its old limits. */
static bool add_closer(struct init_rules *in, struct span paragraph, struct span line,
                       struct strbuf *out)
{
	static const char id[] = "  - id: ", fail[] = "    fail: {increase: ";
	bool warns = line_starts(line, "    warn: {increase: ");
	const char *at = memmem(paragraph.p, paragraph.n, id, sizeof id - 1);
	char limit[NUMBER_TEXT], spread[NUMBER_TEXT];
	struct init_limit l;
	if (!in->past || !at || (!warns && !line_starts(line, fail)) ||
	    !init_limit_of(in->builtin, in->past, line_at(at + sizeof id - 1), &l))
		return false;
	if (warns)
		return true;
	const char *old = line.p + sizeof fail - 1;
	strbuf_addf(out, "%s%s%%}  # %.*s before: the spread of %zu runs is ±%s %%\n", fail,
	            number_format(l.limit, 6, limit), (int)strcspn(old, "}"), old, l.runs,
	            number_format(number_div_round(l.spread, 10000), 2, spread));
	in->closer++;
	return true;
}

/* Reason why a built-in rule does not fit the run, or NULL if it fits. */
static const char *left_out(const struct init_rules *in, const struct metric *m, bool has_own)
{
	if (!m || !in->view)
		return NULL;
	if (m->id == METRIC_INPUT && has_own)
		return "its figures have rules of their own, below";
	return has_figure(in->view, m) ? NULL : reason_of(in->view, m);
}

/* Append a rule as a YAML comment, with the reason why it is left out; lines without indentation,
   which do not belong to the rule, stay as they are. */
static void add_left_out(struct strbuf *out, struct span paragraph, const char *reason)
{
	bool said = false;
	for (const char *p = paragraph.p; p < paragraph.p + paragraph.n;) {
		struct span line = line_at(p);
		p += line.n + 1;
		if (!line_starts(line, "  ")) {
			add_line(out, line);
			continue;
		}
		if (!said)
			strbuf_addf(out, "  # Left out for the run that 'gpugate init' was given: %s.\n",
			            reason);
		said = true;
		if (!line_starts(line, "  #"))
			strbuf_adds(out, "  # ");
		add_line(out, line_starts(line, "  #") ? line : (struct span){ line.p + 2, line.n - 2 });
	}
}

const char *init_rules_text(struct init_rules *in, struct arena *a)
{
	struct strbuf b = STRBUF_INIT, figures = STRBUF_INIT;
	const char *p = embedded_default_rules;
	in->kept += in->view ? init_results_add(in->view, &figures) : 0;
	while (*p) {
		const char *end = strstr(p, "\n\n");
		struct span paragraph = { p, end ? (size_t)(end + 1 - p) : strlen(p) };
		const struct metric *m = metric_of(paragraph);
		const char *reason = left_out(in, m, figures.n > 0);
		p += paragraph.n;
		if (reason) {
			in->left_out++;
			add_left_out(&b, paragraph, reason);
		} else {
			in->kept += m != NULL;
			for (const char *l = paragraph.p; l < p; l += line_at(l).n + 1)
				if (!add_closer(in, paragraph, line_at(l), &b))
					add_setting(in, &b, line_at(l));
		}
		if (*p)
			strbuf_addch(&b, *p++); /* keep the blank line at the end of a paragraph */
	}
	strbuf_add(&b, strbuf_span(&figures));
	strbuf_release(&figures);
	return arena_take(a, &b);
}
