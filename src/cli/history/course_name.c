/* Names of figures of a history, as text. */
#include <inttypes.h>
#include <string.h>

#include "history/course_document.h"

static const char *label_of(const char *metric)
{
	const struct metric *m = metric_find(span_of(metric));
	return m ? metric_label(m) : metric;
}

/* The words of a query after the name of its metric, as text, without those that say what is usual:
   "stat=p95 ranks=median" gives "p95, median rank". */
static const char *statistic_of(struct document *d, const char *query)
{
	static const struct {
		const char *word, *text;
	} words[] = { { "stat=median", "" },
		          { "ranks=max", "" },
		          { "ranks=median", "" },
		          { "ranks=each", "" },
		          { "ranks=min", "lowest rank" } };
	struct strbuf b = STRBUF_INIT;
	for (const char *p = strchr(query, ' '); p; p = strchr(p, ' ')) {
		const char *word = ++p, *text = NULL;
		size_t n = strcspn(p, " ");
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (strlen(words[i].word) == n && memcmp(word, words[i].word, n) == 0)
				text = words[i].text;
		if (text && !text[0])
			continue;
		strbuf_adds(&b, ", ");
		if (!text && strncmp(word, "stat=", 5) == 0)
			strbuf_add(&b, (struct span){ word + 5, n - 5 });
		else
			strbuf_add(&b, text ? span_of(text) : (struct span){ word, n });
	}
	return arena_take(&d->arena, &b);
}

const char *course_name(struct document *d, const struct course_figure *f)
{
	const char *label = arena_dup(&d->arena, f->label), *metric = label_of(f->metric);
	if (f->label.n && f->rank >= 0)
		return arena_printf(&d->arena, "%s of %s, rank %" PRId64, metric, label, f->rank);
	if (f->label.n)
		return arena_printf(&d->arena, "%s of %s", metric, label);
	if (f->rank >= 0)
		return arena_printf(&d->arena, "%s of rank %" PRId64, metric, f->rank);
	return arena_printf(&d->arena, "%s%s", metric, statistic_of(d, f->query));
}
