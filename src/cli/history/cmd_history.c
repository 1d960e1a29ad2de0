/* The command history: figures over the runs of the main branch. */
#include <string.h>

#include "base/date.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/artifact_format.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "diff/changes.h"
#include "history/trends.h"
#include "history/trends_document.h"

enum { P_LEAST = 100, P_MOST = 500000 };

enum status trend_options_read(const struct options *o, struct trend_options *out,
                               struct diag_log *log)
{
	const char *since = o->value[OPT_SINCE], *p = o->value[OPT_P];
	*out = (struct trend_options){ .p = CHANGE_CHANCE,
		                           .since = INT64_MIN,
		                           .metric = o->value[OPT_METRIC] };
	if (since && !date_parse(span_of(since), &out->since))
		return diag_fail(log, ST_USAGE, "option '--since' takes a date such as 2027-01-31, not %s",
		                 diag_quote(log, since));
	if (p && (!number_parse(span_of(p), 6, &out->p) || out->p < P_LEAST || out->p > P_MOST))
		return diag_fail(log, ST_USAGE, "option '--p' takes a number from 0.0001 to 0.5, not %s",
		                 diag_quote(log, p));
	return ST_OK;
}

/* ---- writing the reports ---- */

static enum status write_all(const struct trends *t, const struct options *o, struct diag_log *log)
{
	struct output w = { .options = o, .log = log };
	struct trends_page page;
	struct sink *out = output_begin(&w, o->value[OPT_JSON]);
	if (out) {
		trends_write(t, out);
		output_end(&w, out);
	}
	trends_page_init(&page, t);
	enum status st = output_document(&w, &page.d, &page.frame, true);
	trends_page_release(&page);
	return st;
}

/* ---- the command, and its script for bisecting ---- */

static enum status write_script(struct trends *t, struct diag_log *log)
{
	struct sink *out;
	TRY(sink_open("-", false, &out, log));
	enum status st = bisect_write(t, out, log);
	if (st == ST_OK)
		return sink_commit(out, log);
	sink_abort(out);
	return st;
}

/* The command that prints a script to find the commit of a change. It has the options that select
   the baseline and the runs. */
static const char *bisect_command(const struct options *o, struct arena *a)
{
	static const struct {
		int id;
		const char *name;
	} options[] = { { OPT_BASELINE, "baseline" }, { OPT_HISTORY, "history" },
		            { OPT_RULES, "rules" },       { OPT_METRIC, "metric" },
		            { OPT_SINCE, "since" },       { OPT_P, "p" } };
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, "gpugate history --bisect");
	if (o->value[OPT_WORKLOAD])
		text_add_word(&b, a, o->value[OPT_WORKLOAD]);
	for (size_t i = 0; i < NR_OF(options); i++)
		if (o->value[options[i].id]) {
			strbuf_addf(&b, " --%s", options[i].name);
			text_add_word(&b, a, o->value[options[i].id]);
		}
	strbuf_adds(&b, " >bisect.sh");
	return arena_take(a, &b);
}

static enum status show_history(const struct options *o, const struct baseline *b,
                                const struct rules *rules, struct diag_log *log)
{
	struct trend_options wanted;
	struct trends t;
	TRY(trend_options_read(o, &wanted, log));
	trends_make(b, b->workload, &wanted, rules, &t);
	t.bisect = bisect_command(o, &t.arena);
	t.approval = &b->provenance;
	t.accepted = b->reference.runs.nr;
	enum status st = ST_OK;
	if (wanted.metric && !t.figures.nr && t.runs.nr)
		st = diag_fail(log, ST_USAGE, "no run of the history has a figure of %s",
		               diag_quote(log, wanted.metric));
	NEXT(st, o->value[OPT_BISECT] ? write_script(&t, log) : write_all(&t, o, log));
	trends_release(&t);
	return st;
}

enum status cmd_history(const struct options *o, struct diag_log *log)
{
	struct options own = *o;
	struct setup s;
	struct baseline b = { 0 };
	const char *path = NULL;
	if (o->value[OPT_BISECT] &&
	    (o->value[OPT_SUITE] || o->value[OPT_MARKDOWN] || o->value[OPT_JSON] || o->value[OPT_HTML]))
		return diag_fail(
		    log, ST_USAGE,
		    "--bisect prints a script of one history: leave out the suite, --markdown, "
		    "--json and --html");
	if (o->value[OPT_SUITE])
		return index_trends(o, log);
	if (o->args.nr && o->value[OPT_WORKLOAD])
		return diag_fail(log, ST_USAGE,
		                 "name the workload as an argument or with --workload, not both");
	if (o->args.nr)
		own.value[artifact_is_baseline(o->args.v[0]) ? OPT_BASELINE : OPT_WORKLOAD] = o->args.v[0];
	enum status st = setup_init(&s, &own, log);
	NEXT(st, setup_stored(&s, &path, &b, log));
	NEXT(st, show_history(&own, &b, &s.rules, log));
	baseline_release(&b);
	setup_release(&s);
	return st;
}
