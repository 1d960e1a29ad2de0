#include "cli/load_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* The number behind `word` in a file name, `rank-3` and `rank_3` included;
   false where there is none. */
static bool number_behind(const char *name, const char *word, bool separator, int64_t *out)
{
	for (const char *p = strstr(name, word); p; p = strstr(p + 1, word)) {
		const char *d = p + strlen(word);
		if (separator && (*d == '-' || *d == '_'))
			d++;
		size_t n = strspn(d, "0123456789");
		uint64_t v;
		if (n && number_parse_u64((struct span){ d, n }, &v) && v <= INT32_MAX) {
			*out = (int64_t)v;
			return true;
		}
	}
	return false;
}

int64_t rank_of(const struct loader *l, int64_t own, const char *name, bool *said)
{
	int64_t rank;
	*said = true;
	if (own >= 0)
		return own;
	if (number_behind(name, "rank", true, &rank) || number_behind(name, "worker", false, &rank))
		return rank;
	*said = l->rank != UINT64_MAX;
	return *said ? (int64_t)l->rank : 0;
}

static bool has_trace(const struct digest *d)
{
	return d->trace || !d->snapshot;
}

/* A trace and a snapshot that does not say whose it is belong together where
   there are no others. */
static void adopt_rank(struct loader *l)
{
	size_t traces = 0, snapshots = 0;
	const struct digest *trace = NULL;
	struct part *snapshot = NULL;
	for (size_t i = 0; i < l->parts.nr; i++) {
		struct part *p = &l->parts.v[i];
		if (has_trace(p->digest)) {
			trace = p->digest;
			traces++;
		}
		if (p->digest->snapshot) {
			snapshot = p;
			snapshots++;
		}
	}
	if (traces == 1 && snapshots == 1 && !snapshot->rank_said)
		snapshot->digest->rank = trace->rank;
}

/* By rank, what has a trace first, as given. */
static int part_cmp(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	if (x->digest->rank != y->digest->rank)
		return x->digest->rank < y->digest->rank ? -1 : 1;
	if (has_trace(x->digest) != has_trace(y->digest))
		return has_trace(x->digest) ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static enum status refuse(const struct loader *l, const struct part *p, const struct part *other)
{
	struct arena *a = &l->log->arena;
	return diag_fail(l->log, ST_INPUT,
	                 "%s: rank %" PRId64
	                 " is there twice, also from %s; give one artifact of a kind per rank, or say "
	                 "which rank it is in the file's name (rank3.json)",
	                 text_quote(a, span_of(p->path)), p->digest->rank,
	                 text_quote(a, span_of(other->path)));
}

/* What the context beside the snapshot says and that of the trace does not. */
static void join(struct digest *d, struct digest *snapshot)
{
	for (size_t i = 0; i < snapshot->env.nr; i++) {
		const struct env_entry *e = &snapshot->env.v[i];
		if (!digest_env(d, e->key))
			digest_set_env(d, span_of(e->key), span_of(e->value));
	}
	digest_join(d, snapshot);
}

enum status ranks_assemble(struct loader *l)
{
	const struct part *last = NULL;
	struct digest *whole = NULL;
	adopt_rank(l);
	vec_sort(&l->parts, part_cmp);
	for (size_t i = 0; i < l->parts.nr; i++) {
		struct part *p = &l->parts.v[i];
		struct digest *d = p->digest;
		if (!whole || whole->rank != d->rank) {
			vec_push(&l->run->ranks, d);
			whole = d;
			last = p;
		} else if (has_trace(d) || whole->snapshot) {
			return refuse(l, p, last);
		} else {
			join(whole, d);
			last = p;
		}
		p->digest = NULL;
	}
	return ST_OK;
}
