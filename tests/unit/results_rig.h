/* Result files, metrics files and records of GPUs as one line of text each. */
#ifndef RESULTS_RIG_H
#define RESULTS_RIG_H

#include <math.h>

#include "base/strbuf.h"
#include "results/result_file.h"
#include "results/value.h"
#include "rules/formats_file.h"

enum shown { FIGURES, ALL, CENTERS };

/* Writes the figures as one line, or the error; with ALL, also titles that are not the names, the
   work, and warnings; with CENTERS, of samples only the median. */
static inline void show(struct strbuf *out, enum status st, const struct digest *d,
                        const struct diag_log *log, enum shown what)
{
	for (const struct diag_entry *e = log->first; e; e = e->next)
		if (st != ST_OK || (what && e->severity == DIAG_WARNING))
			strbuf_addf(out, "%s%s", e->text, st == ST_OK ? " | " : "");
	for (size_t i = 0; st == ST_OK && i < d->inputs.nr; i++) {
		const struct input_stat *s = &d->inputs.v[i];
		size_t of_case = input_case(s).n, n = strlen(s->name);
		char buf[NUMBER_TEXT];
		if (what == CENTERS && n > 3 &&
		    (strstr(s->name + n - 4, ".p9") || strcmp(s->name + n - 2, ".n") == 0))
			continue;
		strbuf_addf(out, "%s%s=%s", i ? " " : "", s->name,
		            number_format(s->value, (int)s->digits, buf));
		if (strcmp(s->unit, UNIT_BARE) != 0)
			strbuf_addf(out, " %s", s->unit);
		if (s->better)
			strbuf_addf(out, " %s", s->better);
		if (s->samples)
			strbuf_addf(out, s->spread_share < 0 ? " n%lld ±?" : " n%lld ±%.4g",
			            (long long)s->samples,
			            fabs((double)s->value) * pow(10, -(double)s->digits) *
			                (double)s->spread_share / 1e9);
		if (what && strcmp(s->title, s->name + of_case + (of_case > 0)) != 0)
			strbuf_addf(out, " '%s'", s->title);
		for (const char *c = what ? s->work : NULL; c && *c; c += strcspn(c, "\n"), c += *c == '\n')
			strbuf_addf(out, " [%.*s]", (int)strcspn(c, "\n"), c);
	}
}

static struct result_formats built_in;

/* Reads a text as the file bench/FILE; `formats` NULL means the built-in table. */
static inline enum status read_file(const char *formats, const char *name, const char *file,
                                    struct span text, size_t block, enum shown what, bool *found,
                                    struct strbuf *out)
{
	struct result_formats table = { 0 };
	struct strbuf path = STRBUF_INIT;
	struct diag_log log;
	struct digest *d = digest_new();
	diag_init(&log);
	strbuf_addf(&path, "bench/%s", file);
	enum status st =
	    formats ? formats_read("f", (struct span[]){ span_of(formats) }, &table, &log) : ST_OK;
	if (st == ST_OK) {
		const struct result_formats *const tables[] = { formats ? &table : &built_in, NULL };
		struct result_reader reader = { tables, strbuf_str(&path), file };
		struct result_known known;
		struct diag_log own;
		struct source *src =
		    source_memory(name, text.p, text.n, &(struct source_options){ .block = block });
		st = result_read(src, &reader, d, found, &log);
		source_close(src);
		src = source_memory(name, text.p, text.n, NULL);
		diag_init(&own);
		enum status again = result_known_list(src, &reader, &known, &own);
		diag_release(&own);
		source_close(src);
		if (st == ST_OK)
			assert_int_equal(known.list.nr > 0, *found);
		assert_true(st != ST_OK || again == ST_OK);
		vec_release(&known.list);
	}
	show(out, st, d, &log, what);
	if (d->trust.json_faults)
		strbuf_addf(out, " | %lld faults from %lld on", (long long)d->trust.json_faults,
		            (long long)d->trust.fault_byte);
	result_formats_release(&table);
	strbuf_release(&path);
	diag_release(&log);
	digest_free(d);
	return st;
}

static inline enum status read_text(const char *formats, struct span text, size_t block,
                                    bool *found, struct strbuf *out)
{
	return read_file(formats, "m", "r.json", text, block, FIGURES, found, out);
}

static inline enum status propose(const char *file, struct span text, struct strbuf *out)
{
	struct result_proposal found;
	struct diag_log log;
	struct strbuf named = STRBUF_INIT;
	bool fits = false;
	diag_init(&log);
	struct source *src = source_memory("m", text.p, text.n, NULL);
	enum status st = result_propose(src, file, &found, &log);
	source_close(src);
	strbuf_adds(out, found.is_open ? "?" : "");
	strbuf_adds(out, found.is_plain ? "!" : "");
	if (found.lines.n)
		strbuf_addf(&named, "    - name: p\n      %s", strbuf_str(&found.lines) + strlen("    - "));
	if (st != ST_OK)
		strbuf_adds(out, diag_first_error(&log));
	else if (named.n)
		st = read_file(strbuf_str(&named), "m", file, text, 0, CENTERS, &fits, out);
	assert_int_equal(fits, named.n > 0);
	strbuf_release(&named);
	strbuf_release(&found.lines);
	diag_release(&log);
	return st;
}

static inline void machine_of(const char *text, size_t n, struct digest *d, bool *found,
                              enum status *st)
{
	struct diag_log log;
	struct source *src = source_memory("m", text, n, NULL);
	diag_init(&log);
	*st = machine_read(src, d, found, &log);
	diag_release(&log);
	source_close(src);
}

/* Writes the machines and the environment as one line. */
static inline void show_machines(struct strbuf *out, const struct digest *d)
{
	for (size_t i = 0; i < d->machines.nr; i++) {
		const struct machine_stat *m = &d->machines.v[i];
		strbuf_addf(
		    out,
		    "%s: n%lld %lldns sm%lld mem%lld %lldmW %lldC thr%lld(%s) %llduJ/%lldns others%lld; ",
		    m->id, (long long)m->samples, (long long)m->span_ns, (long long)m->sm_clock_hz,
		    (long long)m->memory_clock_hz, (long long)m->power_mw, (long long)m->temperature_c,
		    (long long)m->throttled_pct, m->reasons ? m->reasons : "", (long long)m->energy_uj,
		    (long long)m->energy_ns, (long long)m->other_processes);
	}
	for (size_t i = 0; i < d->env.nr; i++)
		strbuf_addf(out, "%s=%s; ", d->env.v[i].key, d->env.v[i].value);
	if (d->trust.json_faults)
		strbuf_addf(out, "%lld faults from %lld on; ", (long long)d->trust.json_faults,
		            (long long)d->trust.fault_byte);
	strbuf_addf(out, "%08llx", (unsigned long long)(d->source_hash & UINT32_MAX));
}

static inline int read_built_in(void **state)
{
	struct diag_log log;
	(void)state;
	diag_init(&log);
	/* from the file, whose texts are checked: the built-in table is the same (test_rules_file.c) */
	enum status st = formats_read("../rules/formats.yaml", NULL, &built_in, &log);
	diag_release(&log);
	return st != ST_OK;
}

static inline int release_built_in(void **state)
{
	(void)state;
	result_formats_release(&built_in);
	return 0;
}

#endif
