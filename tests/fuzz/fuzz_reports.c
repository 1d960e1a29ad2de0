/* One stored run, or two with a NUL between them, are judged by the built-in rules, compared and
 * described, in every format of reports. Whatever is in the runs, the reports are complete and keep
 * the properties in output_laws.h. */
#include "fuzz.h"

#include "cause/cause.h"
#include "cli/output.h"
#include "diagnose/diagnose.h"
#include "diff/breakdown_of.h"
#include "gate/judge.h"
#include "gate/sides.h"
#include "output_laws.h"
#include "rules/rules_file.h"

static struct rules rules;
static struct category_table categories;
/* rules of diagnosis; static, since they are the same for all inputs */
static const struct diagnosis_rules diagnosis;

static void read_tables(struct diag_log *log)
{
	if (rules.rules.nr)
		return;
	check(rules_read(NULL, NULL, NULL, &rules, log) == ST_OK);
	check(categories_read(NULL, NULL, &categories, log) == ST_OK);
}

static void write_all(const struct report *r)
{
	static const struct {
		const char *format;
		void (*law)(struct span text);
	} laws[] = {
		{ "text", check_text }, { "json", check_json },        { "junit", check_xml },
		{ "plan", check_json }, { "codequality", check_json }, { "openmetrics", check_openmetrics },
		{ "html", check_html }, { "markdown", check_chars },
	};
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		struct sink *out = sink_open_memory();
		report_format_find(laws[i].format)
		    ->write(r, &(struct write_options){ .verbose = true, .max_bytes = 1 << 20 }, out);
		laws[i].law(sink_memory(out));
		sink_abort(out);
	}
}

static void judge_both(const struct run *a, const struct run *b, struct diag_log *log)
{
	struct report r;
	struct judge_input in = { .rules = &rules,
		                      .categories = &categories,
		                      .runs.candidates = b,
		                      .runs.nr_candidates = 1,
		                      .runs.baseline = a,
		                      .baseline_path = "b.json",
		                      .baseline_workload = "w",
		                      .baseline_commit = "",
		                      .baseline_time = "",
		                      .ignore_environment = true };
	if (judge(&in, &r, log) == ST_OK)
		causes_find(&(struct bench_runs){ .baseline = a, .candidates = b, .nr_candidates = 1 },
		            (struct naming){ .categories = &categories }, rules.noise.min_runs, &r);
	write_all(&r);
	report_release(&r);
}

static void compare_both(const struct run *a, const struct run *b, struct diag_log *log)
{
	struct report r;
	if (compare_runs(a, b, &categories, &r, log) == ST_OK)
		write_all(&r);
	report_release(&r);
}

static void describe(const struct run *run)
{
	struct report r;
	struct run_view v;
	struct bench b;
	struct naming naming = { .categories = &categories };
	report_init(&r);
	r.kind = REPORT_RUN;
	r.headline = "report";
	run_view_init(&v, run, &naming);
	sides_fill(NULL, run, 1, &r);
	r.run = diagnose_run(&v, &diagnosis, true, true, &r.arena);
	bench_init(&b, &(struct bench_runs){ .candidates = run, .nr_candidates = 1 }, naming);
	flame_of(&b, &r.arena, &r.flame);
	bench_release(&b);
	run_view_release(&v);
	write_all(&r);
	report_release(&r);
}

static bool read_one(struct span text, struct run *out)
{
	bool is_run = memmem(text.p, text.n, "gpugate-run-", 12);
	if (!run_is_read(text, is_run ? run_read : read_one_digest, out))
		return false;
	if (!may_be_joined(out)) {
		run_release(out);
		*out = (struct run){ 0 };
		return false;
	}
	run_join(out);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag_log log;
	struct run side[2] = { 0 };
	struct span text = { (const char *)data, size }, rest = text;
	const char *end = size ? memchr(text.p, 0, size) : NULL;
	diag_init(&log);
	read_tables(&log);
	if (end) {
		text.n = (size_t)(end - text.p);
		rest = (struct span){ end + 1, size - text.n - 1 };
	}
	fuzz_accepted = read_one(text, &side[0]) && read_one(rest, &side[1]);
	if (fuzz_accepted) {
		judge_both(&side[0], &side[1], &log);
		compare_both(&side[0], &side[1], &log);
		describe(&side[1]);
	}
	run_release(&side[0]);
	run_release(&side[1]);
	diag_release(&log);
	return 0;
}
