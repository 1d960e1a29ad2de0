/* Detectors for memory: out of memory, leaks, larger batches, fragmentation, growth of one
   place. */
#include <string.h>

#include "base/text.h"
#include "cause/suspect.h"
#include "model/memory_view.h"

static void cost_bytes(struct suspect *s, int64_t bytes)
{
	s->finding.cost = bytes;
	s->finding.cost_is_bytes = true;
}

/* ---- places in the code that hold memory ---- */

/* The item with most bytes in the lists `list` of all ranks of the candidate. Only items whose
   place in the code is known count; NULL if there are none. */
static const struct memory_item *largest_item(const struct inquiry *q, enum memory_list list)
{
	const struct run *run = q->bench->run[SIDE_CANDIDATE];
	const struct memory_item *best = NULL;
	for (size_t r = 0; r < run->ranks.nr; r++)
		for (size_t i = 0; i < run->ranks.v[r]->memory_items.nr; i++) {
			const struct memory_item *m = &run->ranks.v[r]->memory_items.v[i];
			if (m->list == list && memory_item_has_place(m) && (!best || m->bytes > best->bytes))
				best = m;
		}
	return best;
}

static void name_item(struct inquiry *q, struct suspect *s, const struct memory_item *m)
{
	struct strbuf b = STRBUF_INIT;
	if (!m)
		return;
	memory_item_add_site(&b, m);
	const char *site = arena_take(q->a, &b);
	if (m->category.n && !span_eq(m->category, SPAN("other")))
		suspect_where(q, s, PLACE_CATEGORY, m->category);
	suspect_where(q, s, PLACE_CODE, span_of(site));
	if (m->file.n)
		s->finding.where.v[s->finding.where.nr - 1].at =
		    (struct source_line){ .file = arena_dup(q->a, m->file), .line = m->line };
	suspect_title(q, s, "%s, most of it at %s", s->finding.title, text_line(q->a, span_of(site)));
}

/* Name the category that grew most in the breakdown of a check and, within it, the site that grew
   most. If memory is judged by traces, the parts of the breakdown are moments (such as "held at the
   end") instead of categories, and are named only in the title. */
static void name_part(struct inquiry *q, struct suspect *s, enum metric_id id)
{
	const struct breakdown *b = NULL;
	for (size_t i = 0; i < q->out->checks.nr && !b; i++)
		if (q->out->checks.v[i].metric->id == id)
			b = q->out->checks.v[i].breakdown;
	const struct part *most = NULL, *site = NULL;
	for (size_t i = 0; b && i < b->parts.nr; i++)
		if (b->parts.v[i].depth == 0 && (!most || b->parts.v[i].change > most->change))
			most = &b->parts.v[i];
	if (!most || most->change <= 0)
		return;
	bool moments = memory_is_by_trace(q->bench->memory), all = most->change >= b->change;
	if (!moments)
		suspect_where(q, s, PLACE_CATEGORY, span_of(most->label));
	for (const struct part *p = most + 1; p < b->parts.v + b->parts.nr && p->depth > 0; p++)
		if (p->depth == 1 && (!site || p->change > site->change))
			site = p;
	if (site && site->change > 0)
		suspect_where(q, s, PLACE_CODE, span_of(site->label));
	if (moments || !all) /* otherwise the place of the finding names the part already */
		suspect_title(q, s, "%s, %s%s%s%s", s->finding.title, all ? "" : most->text,
		              all ? "" : " of it ", moments ? most->label : "there",
		              moments ? text_or_empty(strchr(most->detail, ';')) : "");
}

/* ---- kinds of memory changes ---- */

static void find_oom(struct inquiry *q)
{
	struct both count = inquiry_figure(q, METRIC_MEMORY_OOM_COUNT);
	if (both_rise(count) <= 0)
		return;
	struct suspect *s = suspect_add(q, CAUSE_OUT_OF_MEMORY);
	suspect_title(q, s, "memory ran out: failed allocations: %s",
	              unit_text(q->a, UNIT_COUNT, count.v[SIDE_CANDIDATE]));
	suspect_figure(q, s, count);
	name_item(q, s, largest_item(q, MEMORY_LIST_OOM));
	suspect_action(q, s,
	               "lower the peak: checkpoint activations, a smaller batch, a sharded "
	               "optimizer, or see who else uses the device");
	static const enum stake all[] = { STAKE_OOM, STAKE_PEAK, STAKE_RESERVED };
	for (size_t i = 0; i < NR_OF(all); i++)
		s->stake[all[i]] = STAKE_ALL;
	s->stake[STAKE_GROWTH] = 1;
}

/* Number of steps over which memory rose: the number of usable steps or, if it is larger, one more
   than the number of steps in which the site that grew most rose (3 if no site is known). */
static int64_t steps_of(const struct inquiry *q)
{
	const struct memory_item *most = largest_item(q, MEMORY_LIST_GROWTH);
	const struct run *run = q->bench->run[SIDE_CANDIDATE];
	int64_t nr = most && most->other > 0 ? most->other + 1 : 3;
	for (size_t r = 0; r < run->ranks.nr; r++)
		number_raise(&nr, run->ranks.v[r]->usable_steps);
	return nr;
}

static int64_t find_leak(struct inquiry *q)
{
	struct both growth = inquiry_figure(q, METRIC_MEMORY_GROWTH_PER_STEP);
	if (both_rise(growth) <= 0)
		return 0;
	int64_t steps = steps_of(q), bytes = both_rise(growth);
	if (bytes > INT64_MAX / steps)
		return 0;
	bytes *= steps; /* growth over `steps`, which may be only some of the run's steps */
	struct suspect *s = suspect_add(q, CAUSE_LEAK);
	suspect_title(q, s, "memory leaks: %s more is allocated at the end of every step",
	              unit_text(q->a, UNIT_BYTES, both_rise(growth)));
	suspect_figure(q, s, growth);
	name_item(q, s, largest_item(q, MEMORY_LIST_GROWTH));
	size_t places = s->finding.where.nr;
	const char *site = places ? s->finding.where.v[places - 1].name : NULL;
	suspect_action(q, s,
	               "%s%s%s what keeps tensors of earlier steps alive, such as a list of losses "
	               "without .item() or .detach()",
	               site ? "look at " : "find", site ? site : "", site ? " for" : "");
	cost_bytes(s, both_rise(growth));
	s->finding.cost_per_step = true;
	s->stake[STAKE_GROWTH] = STAKE_ALL;
	s->stake[STAKE_PEAK] = bytes;
	s->stake[STAKE_RESERVED] = bytes;
	return bytes;
}

/* Bytes of one category at the peak, summed over all ranks and memories of a run. */
static int64_t category_bytes(const struct run *run, struct span category)
{
	int64_t sum = 0;
	for (size_t r = 0; r < run->ranks.nr; r++)
		for (size_t i = 0; i < run->ranks.v[r]->memory_items.nr; i++) {
			const struct memory_item *m = &run->ranks.v[r]->memory_items.v[i];
			if (m->list == MEMORY_LIST_CATEGORY && span_eq(m->category, category))
				sum = number_add(sum, m->bytes);
		}
	return sum;
}

struct scaling {
	/* bytes that the baseline has in categories that kept their size, and in categories that
	   grew */
	int64_t same, scaled;
	int64_t rise, fell; /* sum of the rises, and sum of the falls, over all categories */
	double by; /* factor by which the category with the largest rise grew */
	int64_t largest;
	struct span category;
	size_t grown; /* number of the baseline's categories that grew by more than a twentieth */
};

/* Add a category with its bytes at the peak, `before` in the baseline and `now` in the candidate.
   With a larger batch, categories such as activations grow in proportion, while those of the model
   (such as parameters) keep their size. */
static void add_scaling(struct scaling *out, struct span category, int64_t before, int64_t now)
{
	double by = before > 0 ? (double)now / (double)before : 2;
	out->grown += before > 0 && (double)now > 1.05 * (double)before;
	if (now > before)
		out->rise = number_add(out->rise, now - before);
	else
		out->fell = number_add(out->fell, before - now);
	if (by < 1.005 && by > 0.995)
		out->same = number_add(out->same, before);
	else if (by > 1.05)
		out->scaled = number_add(out->scaled, before);
	if (by > 1.05 && now - before > out->largest) {
		out->largest = now - before;
		out->by = by;
		out->category = category;
	}
}

static bool measure_scaling(const struct inquiry *q, struct scaling *out)
{
	const struct run *b = q->bench->run[SIDE_BASELINE], *c = q->bench->run[SIDE_CANDIDATE];
	for (size_t r = 0; r < b->ranks.nr && r < 1; r++)
		for (size_t i = 0; i < b->ranks.v[r]->memory_items.nr; i++) {
			const struct memory_item *m = &b->ranks.v[r]->memory_items.v[i];
			if (m->list == MEMORY_LIST_CATEGORY)
				add_scaling(out, m->category, category_bytes(b, m->category),
				            category_bytes(c, m->category));
		}
	/* a larger batch makes several categories grow, while parameters, gradients and optimizer
	 * states keep their size; a change of the code makes a single place grow */
	return out->same > 0 && out->scaled > 0 && out->rise > 0 && out->fell < out->rise / 10;
}

static bool find_batch(struct inquiry *q)
{
	struct scaling m = { 0 };
	struct both peak = inquiry_figure(q, METRIC_MEMORY_PEAK_ALLOCATED);
	if (both_rise(peak) <= 0 || !measure_scaling(q, &m) || m.grown < 3)
		return false;
	struct suspect *s = suspect_add(q, CAUSE_BATCH);
	suspect_title(
	    q, s, "the work of a step is scaled (batch or sequence): memory %s at the peak, %.*s %s",
	    word_movement(q, peak), (int)m.category.n, m.category.p, word_times(q, m.by));
	suspect_figure(q, s, peak);
	suspect_where(q, s, PLACE_CATEGORY, m.category);
	suspect_say(q, s, "%s of categories are as large as before, %s grew",
	            unit_text(q->a, UNIT_BYTES, m.same), unit_text(q->a, UNIT_BYTES, m.scaled));
	suspect_action(q, s,
	               "compare batch size and sequence length of both runs; if it is meant, "
	               "record a baseline of its own (workload)");
	cost_bytes(s, both_rise(peak));
	s->stake[STAKE_PEAK] = s->stake[STAKE_RESERVED] = both_rise(peak);
	return true;
}

/* The item of the list `list` with the same memory, category and place in the code as `m`, which is
   in another list of the same digest; NULL if there is none. */
static const struct memory_item *site_in(const struct digest *d, const struct memory_item *m,
                                         enum memory_list list)
{
	for (size_t i = 0; i < d->memory_items.nr; i++) {
		const struct memory_item *x = &d->memory_items.v[i];
		if (x->list == list && x->line == m->line && span_eq(x->file, m->file) &&
		    span_eq(x->function, m->function) && span_eq(x->category, m->category) &&
		    strcmp(x->memory, m->memory) == 0)
			return x;
	}
	return NULL;
}

/* How often the tensors that exist at the peak are allocated during the trace, usually once per
   step; 0 if unknown. It is the number of the site (function that allocates) with most bytes at the
   peak; `*site` becomes this site. */
static int64_t repetitions(const struct inquiry *q, const struct memory_item **site)
{
	const struct run *run = q->bench->run[SIDE_CANDIDATE];
	int64_t most = 0, nr = 0;
	for (size_t r = 0; r < run->ranks.nr; r++)
		for (size_t i = 0; i < run->ranks.v[r]->memory_items.nr; i++) {
			const struct memory_item *m = &run->ranks.v[r]->memory_items.v[i], *churn;
			if (m->list != MEMORY_LIST_PEAK || !memory_item_has_place(m) || m->blocks <= 0 ||
			    m->bytes <= most || !(churn = site_in(run->ranks.v[r], m, MEMORY_LIST_CHURN)) ||
			    churn->blocks < 2 * m->blocks)
				continue;
			most = m->bytes;
			nr = churn->blocks / m->blocks;
			*site = churn;
		}
	return nr;
}

/* True if only some steps need more memory. If every step needed more, the bytes allocated per step
   would have grown by as much as the peak. */
static bool is_uneven(struct inquiry *q, const struct memory_item **site)
{
	struct both peak = inquiry_figure(q, METRIC_MEMORY_PEAK_ALLOCATED);
	struct both churn = inquiry_figure(q, METRIC_MEMORY_CHURN_BYTES);
	struct scaling m = { 0 };
	int64_t steps = repetitions(q, site);
	return steps > 2 && churn.known && both_rise(peak) > 0 && measure_scaling(q, &m) &&
	       m.grown >= 3 && (double)both_rise(churn) < 0.5 * (double)steps * (double)both_rise(peak);
}

static void say_shares(struct inquiry *q, struct suspect *s)
{
	struct both share = inquiry_figure(q, METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT);
	struct both end = inquiry_figure(q, METRIC_MEMORY_FRAGMENTATION_PCT);
	const struct memory_item *pinned = largest_item(q, MEMORY_LIST_PINNED);
	if (share.known)
		suspect_say(q, s, "%s of what is reserved is not allocated at the peak",
		            word_movement(q, share));
	if (end.known)
		suspect_say(q, s, "%s of it is not allocated at the end", word_movement(q, end));
	if (pinned) {
		struct strbuf b = STRBUF_INIT;
		memory_item_add_site(&b, pinned);
		suspect_say(q, s, "most free memory is beside small blocks of %s",
		            text_line(q->a, strbuf_span(&b)));
		suspect_where(q, s, PLACE_CODE, strbuf_span(&b));
		strbuf_release(&b);
	}
}

static bool find_fragmentation(struct inquiry *q)
{
	struct both peak = inquiry_figure(q, METRIC_MEMORY_PEAK_ALLOCATED);
	struct both reserved = inquiry_figure(q, METRIC_MEMORY_PEAK_RESERVED);
	const struct memory_item *site = NULL;
	bool uneven = is_uneven(q, &site);
	int64_t unused = number_sub(both_rise(reserved), at_least_0(both_rise(peak)));
	int64_t bytes = uneven ? both_rise(reserved) : unused;
	struct both end = inquiry_figure(q, METRIC_MEMORY_FRAGMENTATION_PCT);
	if (bytes <= 0 && both_rise(end) <= 0)
		return false;
	struct suspect *s = suspect_add(q, CAUSE_FRAGMENTATION);
	suspect_title(q, s, "memory is fragmented%s: %s reserved for %s allocated",
	              uneven ? " by sizes that change from step to step" : "",
	              word_movement(q, reserved), word_movement(q, peak));
	if (uneven) {
		suspect_say(q, s, "allocations there have %s sizes",
		            unit_text(q->a, UNIT_COUNT, site->other));
		name_item(q, s, site);
	}
	suspect_figure(q, s, reserved);
	say_shares(q, s);
	suspect_action(q, s,
	               "keep sizes of tensors alike from step to step (padding, buckets), free what "
	               "lives long before what lives short, or set "
	               "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
	cost_bytes(s, at_least_0(bytes));
	s->stake[STAKE_RESERVED] = at_least_0(bytes) + 1;
	s->stake[STAKE_PEAK] = uneven ? at_least_0(both_rise(peak)) : 0;
	return uneven;
}

/* Advise what to do about more memory at the peak: look at the place that holds it or, if the place
   is not known, make a recording that names it. */
static void advise_on_peak(struct inquiry *q, struct suspect *s)
{
	const struct run *run = q->bench->run[SIDE_CANDIDATE];
	size_t places = s->finding.where.nr;
	const struct place *last = places ? &s->finding.where.v[places - 1] : NULL;
	bool snapshot = ANY(r, run->ranks.nr, run->ranks.v[r]->snapshot);
	if (last && last->kind == PLACE_CODE)
		suspect_action(q, s,
		               "see why more is taken there, and whether it can be freed before "
		               "the peak");
	else if (snapshot)
		suspect_action(q, s,
		               "record the snapshot with its history and stacks "
		               "(docs/memory.md): they name the lines that hold more");
	else if (memory_is_by_trace(q->bench->memory))
		suspect_action(q, s,
		               "record a memory snapshot of both versions (docs/memory.md): it "
		               "names the lines that hold more");
	else
		suspect_action(q, s, "see which allocations have grown: 'gpugate diff OLD NEW'");
}

static void find_more(struct inquiry *q, int64_t leaked, bool told)
{
	struct both peak = inquiry_figure(q, METRIC_MEMORY_PEAK_ALLOCATED);
	int64_t bytes = number_sub(both_rise(peak), leaked);
	if (bytes <= 0 || told)
		return;
	struct suspect *s = suspect_add(q, CAUSE_MEMORY);
	suspect_title(q, s, "more memory at the peak: %s", word_movement(q, peak));
	suspect_figure(q, s, peak);
	name_part(q, s, METRIC_MEMORY_PEAK_ALLOCATED);
	advise_on_peak(q, s);
	cost_bytes(s, bytes);
	s->stake[STAKE_PEAK] = s->stake[STAKE_RESERVED] = bytes;
}

void suspect_memory(struct inquiry *q)
{
	find_oom(q);
	int64_t leaked = find_leak(q);
	bool told = find_fragmentation(q) || find_batch(q);
	find_more(q, leaked, told);
}
