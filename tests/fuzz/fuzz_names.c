/* The input is used as a name in all places where a name may come from a recording. For any name,
 * JSON parses, XML is well-formed, no line of text begins with a command to a CI system, and
 * Markdown has the same marks outside of code spans as for a harmless name. If the input is the
 * name of a step, the phase found for it is prefill, decode or mixed, or there is none. */
#include "fuzz.h"

#include "../unit/sample_digest.h"
#include "../unit/sample_report.h"
#include "cli/output.h"
#include "model/phases.h"
#include "output_laws.h"
#include "reduce/step_name.h"
#include "report/document.h"

static struct sink *write_report(const char *format, const char *name, bool diff, size_t max_bytes)
{
	struct report r;
	struct sink *out = sink_open_memory();
	if (diff)
		sample_diff(&r, name);
	else
		sample_report(&r, name, strcmp(format, "markdown") == 0 ? "resnet50" : name);
	/* columns that have no room beside a long name would be missing beside it alone */
	for (size_t i = 0; i < r.checks.nr; i++)
		r.checks.v[i].evidence.noise_text = r.checks.v[i].evidence.detectable_text = "";
	report_format_find(format)->write(
	    &r, &(struct write_options){ .max_bytes = max_bytes, .verbose = true }, out);
	report_release(&r);
	return out;
}

/* A Markdown report that is cut to any size limit still ends with a whole line, and is within the
 * limit unless its title by itself is longer. */
static void check_budget(const char *name, size_t max_bytes)
{
	struct strbuf outside = STRBUF_INIT;
	struct sink *out = write_report("markdown", name, false, max_bytes);
	check(max_bytes < 400 || sink_memory(out).n <= max_bytes);
	check_markdown(sink_memory(out), &outside);
	strbuf_release(&outside);
	sink_abort(out);
}

/* Removes all characters of plain sentences: letters, digits, punctuation without a meaning in
   Markdown, `_` between letters or digits, and `=` except at the start of a line. The marks of
   Markdown stay. */
static void keep_marks(struct strbuf *b)
{
	size_t n = 0;
	check(!b->n || (!strcasestr(strbuf_str(b), "www.") && !strstr(strbuf_str(b), "//")));
	check(!b->n || (strbuf_str(b)[0] != '=' && !strstr(strbuf_str(b), "\n=")));
	for (size_t i = 0; i < b->n; i++) {
		unsigned char c = (unsigned char)b->p[i];
		bool inner = c == '_' && i && i + 1 < b->n && isalnum((unsigned char)b->p[i - 1]) &&
		             isalnum((unsigned char)b->p[i + 1]);
		if (c < 0x80 && !isalnum(c) && !inner && !strchr(" .,:;()%+-'`=", c))
			b->p[n++] = (char)c;
	}
	strbuf_setlen(b, n);
}

/* The marks of the report on a name. */
static struct strbuf marks_of(const char *name, bool diff)
{
	struct strbuf b = STRBUF_INIT;
	struct sink *out = write_report("markdown", name, diff, 1 << 20);
	check_markdown(sink_memory(out), &b);
	keep_marks(&b);
	sink_abort(out);
	return b;
}

static void check_markdown_of(const char *name, bool diff)
{
	static char *plain[2][2]; /* of a harmless name, and of none; with a diff: made once */
	struct strbuf marks = marks_of(name, diff);
	char **same = &plain[!name[0]][diff];
	if (!*same) {
		struct strbuf b = marks_of(name[0] ? "kernel" : "", diff);
		*same = strdup(strbuf_str(&b));
		strbuf_release(&b);
	}
	check(strcmp(strbuf_str(&marks), *same) == 0);
	strbuf_release(&marks);
}

/* ---- checks of all outputs ---- */

static void check_reports(const char *name)
{
	for (int diff = 0; diff < 2; diff++) {
		struct sink *json = write_report("json", name, diff, 0),
		            *text = write_report("text", name, diff, 0);
		check_json(sink_memory(json));
		check_text(sink_memory(text));
		check_markdown_of(name, diff);
		sink_abort(json);
		sink_abort(text);
		struct sink *metrics = write_report("openmetrics", name, diff, 0);
		check_openmetrics(sink_memory(metrics));
		sink_abort(metrics);
	}
	struct sink *junit = write_report("junit", name, false, 0);
	check_xml(sink_memory(junit));
	sink_abort(junit);
	check_budget(name, 400 + text_hash32(span_of(name)) % 8000);
	check_budget(name, 1);
}

static struct digest *rank_of(int64_t rank, struct span raw, const char *name)
{
	struct digest *d = sample_digest(rank);
	for (size_t i = 0; i < d->kernels.nr; i += 2)
		d->kernels.v[i].name = raw;
	d->usable_steps = 2;
	d->window_ns = 1000;
	vec_push(&d->comms,
	         (struct comm_stat){ .group = raw, .dtype = raw, .count = 1, .total_ns = 9 });
	for (int cls = 0; cls < NR_FUNCTION_CLASSES; cls++)
		vec_push(&d->functions,
		         (struct function_stat){
		             .cls = cls, .name = raw, .parent = -1, .exclusive_ns = 100, .rate = cls });
	d->ops.v[0].name = raw;
	d->trace = d->devices.v[0].id = d->threads.v[0].id = d->memories.v[0].id = name;
	digest_set_env(d, SPAN("gpu.name"), raw);
	return d;
}

static void check_metrics(struct span raw, const char *name, int64_t ranks)
{
	struct category_table categories = { .source = name };
	struct naming naming = { .categories = &categories };
	struct run run = { .label = name };
	struct run_view v;
	struct report r;
	for (int64_t i = 0; i < ranks; i++)
		vec_push(&run.ranks, rank_of(i, raw, name));
	run_view_init(&v, &run, &naming);
	sample_report(&r, name, name);
	struct sink *json = sink_open_memory(), *text = sink_open_memory();
	metrics_write_json(&v, &r, json);
	struct document metrics;
	doc_init(&metrics);
	struct report of = { .run = &(struct run_report){ .view = &v } };
	doc_metrics(&metrics, &of);
	document_write_text(&metrics, &(struct write_options){ .verbose = true }, text);
	doc_release(&metrics);
	check_json(sink_memory(json));
	check_text(sink_memory(text));
	sink_abort(json);
	sink_abort(text);
	report_release(&r);
	run_view_release(&v);
	run_release(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct span raw = { (const char *)data, size };
	const char *name = arena_dup(&a, raw);
	enum phase phase = step_told_by(raw).phase;
	check(phase == PHASE_ALL || (phase_is_whole(phase) && phase < NR_PHASES));
	check_reports(name);
	for (int64_t ranks = 1; ranks <= 2; ranks++)
		check_metrics(raw, name, ranks);
	arena_release(&a);
	return 0;
}
