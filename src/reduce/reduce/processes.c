/* Finds the processes that did the work of a trace. A profiler records one process, so a trace with
 * several was merged from several ranks. */
#include "base/text.h"
#include "reduce/reducer.h"

/* Distinct processes, and the text that lists them. */
struct processes {
	struct idmap pids;
	struct strbuf text;
};

static void process_add(const struct reducer *r, struct processes *p, int64_t pid, struct arena *a)
{
	enum { NAMED = 8, CHARS = 40 };
	uint32_t nr = (uint32_t)p->pids.keys.nr;
	if (idmap_add(&p->pids, pid) == nr && nr <= NAMED)
		strbuf_addf(&p->text, "%s%s",
		            nr == 0       ? ""
		            : nr == NAMED ? ", …"
		                          : ", ",
		            nr == NAMED ? "" : text_short(a, span_of(ident_text(a, r->names, pid)), CHARS));
}

static void launchers_add(const struct reducer *r, struct processes *p, struct arena *a)
{
	for (size_t i = 0; i < r->host.rows.keys.nr; i++) {
		int64_t row = r->host.rows.keys.v[i];
		if (r->host.names.v[idmap_pair_first(row)].launch) {
			int64_t thread = r->threads.ids.keys.v[(uint32_t)row];
			process_add(r, p, r->threads.pids.keys.v[idmap_pair_first(thread)], a);
		}
	}
}

size_t reducer_processes(const struct reducer *r, struct arena *a, const char **text)
{
	size_t nr = 0;
	for (int of_marks = 0; of_marks < 2 && nr < 2; of_marks++) {
		struct processes p = { .text = STRBUF_INIT };
		idmap_init(&p.pids);
		for (size_t i = 0; of_marks && i < r->steps.marks.nr; i++)
			process_add(r, &p, r->steps.marks.v[i].pid, a);
		if (!of_marks)
			launchers_add(r, &p, a);
		nr = p.pids.keys.nr;
		*text = arena_take(a, &p.text);
		idmap_release(&p.pids);
	}
	return nr;
}
