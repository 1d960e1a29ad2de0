/* Finds the steps of a training run as repetitions in its sequence of launches. A kernel that
   occurs exactly c times, evenly spread, cuts the sequence into c pieces. So do several launches in
   a row that occur together exactly c times, even if each of their kernels occurs more often. The
   pieces are repetitions if nearly all launches of a piece also occur in the piece before it.
   Layers, and micro-batches, also repeat, but within a step. If pieces are layers, the kernels that
   a step launches once (the embedding, the head, the optimizer) are only in one of many pieces. If
   a model with 24 layers runs only once, 97 % of the launches of a layer also occur in the layer
   before it, but only 72 % of the distinct names. So the lowest of three percentages decides: of
   the launches, of their GPU time, or of the distinct names. */
#include "base/period.h"

#include <stdbool.h>
#include <string.h>

#include "base/number.h"

enum {
	/* largest number of anchors (sets of cuts) that are tried: those that are spread most evenly */
	CANDIDATES = 16,
	IN_A_ROW = 8, /* number of launches in a row that are identified by one hash */
	RUNS = 4096, /* least number of values that a hash of IN_A_ROW launches can have */
	FEW = 4, /* number of pieces below which the first piece, too, must be like the others */
	EVEN = 250000, /* limit of unevenness: variance of the gaps over their squared mean, in
	                  millionths */
	AS_EVEN = 30000, /* values of unevenness that differ by less count as equal, in millionths */
	EXPLAINS = 5, /* a longer period is preferred if its percentage of launches that the previous
	                 piece lacks is smaller by this factor */
	VARIES = 75 * MICRO, /* if fewer than CLEAN_PCT percent of the pieces are clean, the steps vary:
	                        from this regularity on (in millionths of 1 %), the pieces rule out
	                        longer periods */
	/* least percentage of clean pieces: all launches of a clean piece also occur in the previous
	   piece. If each step consists of two different parts, the percentage is about 50. */
	CLEAN_PCT = 40,
	/* the last repetition counts as complete if it has at least this percentage of the launches of
	   the one before it */
	WHOLE_PCT = 75,
	AGREE_PCT = 75 /* percentage of the repetitions that must begin with the same launch */
};

/* Positions at which each name, or each group of IN_A_ROW launches in a row, occurs in the
 * sequence: at[first[id]..first[id + 1]) for `id`, ascending. */
struct places {
	size_t nr_ids;
	uint32_t *first, *at;
};

/* Positions at which the sequence may be cut into pieces: all launches of one name, or all starts
 * of one group of IN_A_ROW launches in a row. */
struct anchor {
	const uint32_t *at;
	size_t count;
	int64_t unevenness; ///< unevenness of the lengths of the pieces, in millionths
	int64_t without_longest; ///< unevenness without the longest piece; equal to `unevenness` if
	                         ///< there are fewer than FEW pieces
	int64_t regularity; ///< regularity of the pieces (see period_find()), in millionths of 1 %
	size_t clean; ///< number of pieces all of whose launches also occur in the previous piece
};

/* How often one kernel name occurs, counted during a walk over the pieces of the sequence. */
struct tally {
	size_t piece; ///< number of the last piece in which the name was seen, counted from 1
	uint32_t count, before; ///< launches of the name in `piece`, and in the piece before
	uint32_t seen, again; ///< launches of the name in the pieces that are compared with the piece
	                      ///< before them, and how many of these also occur in that piece
};

static void places_init(struct places *p, const uint32_t *ids, size_t nr, size_t nr_ids)
{
	p->first = mem_calloc(nr_ids + 1, sizeof *p->first);
	p->at = mem_calloc(nr, sizeof *p->at);
	p->nr_ids = nr_ids;
	for (size_t i = 0; i < nr; i++)
		p->first[ids[i]]++;
	for (size_t i = 1; i <= nr_ids; i++)
		/* ends of the lists; filling the lists from the back turns these ends into starts */
		p->first[i] += p->first[i - 1];
	for (size_t i = nr; i-- > 0;)
		p->at[--p->first[ids[i]]] = (uint32_t)i;
}

/* Lists the positions of each group of IN_A_ROW launches in a row. A group is identified by a hash,
 * whose range is at least the number of launches. If two groups share a hash, they make a bad
 * anchor, and another group is chosen. */
static void places_init_runs(struct places *p, const struct launch_sequence *s)
{
	size_t nr = s->nr >= IN_A_ROW ? s->nr - IN_A_ROW + 1 : 0, nr_ids = nr < RUNS ? RUNS : nr;
	uint32_t *ids = mem_calloc(nr, sizeof *ids);
	for (size_t i = 0; i < nr; i++) {
		uint64_t h = 0;
		for (size_t k = 0; k < IN_A_ROW; k++)
			h = (h ^ s->names[i + k]) * 0x9e3779b97f4a7c15;
		ids[i] = (uint32_t)((h >> 32) * nr_ids >> 32);
	}
	places_init(p, ids, nr, nr_ids);
	free(ids);
}

static void places_release(struct places *p)
{
	free(p->first);
	free(p->at);
}

static int64_t spread(size_t nr, __int128 sum, __int128 squares)
{
	return number_div_round(squares * (__int128)nr * 1000000, sum * sum) - 1000000;
}

/* Measures how evenly the positions of an anchor, at which the sequence would be cut, are spread.
 * The gap from the last position to the first counts, too. False if the gaps differ too much; from
 * FEW gaps on, the longest gap may differ from the others. */
static bool anchor_init(struct anchor *a, const uint32_t *at, size_t count, size_t nr)
{
	__int128 sum = 0, squares = 0, longest = 0;
	for (size_t i = 0; i < count; i++) {
		__int128 gap = i + 1 < count ? at[i + 1] - at[i] : nr - at[i] + at[0];
		sum += gap;
		squares += gap * gap;
		longest = gap > longest ? gap : longest;
	}
	*a = (struct anchor){ .at = at, .count = count, .unevenness = spread(count, sum, squares) };
	a->without_longest =
	    count < FEW ? a->unevenness : spread(count - 1, sum - longest, squares - longest * longest);
	return a->without_longest <= EVEN;
}

ORDERING(anchor_evenness_cmp, struct anchor, RISING(without_longest) RISING(at[0]))

ORDERING(anchor_count_cmp, struct anchor, RISING(count) THEN(anchor_evenness_cmp(x, y)))

struct anchors {
	VEC(struct anchor) list;
};

static void find_anchors(const struct places *p, size_t nr, struct anchors *out)
{
	for (size_t i = 0; i < p->nr_ids; i++) {
		struct anchor a;
		size_t count = p->first[i + 1] - p->first[i];
		if (count > 1 && anchor_init(&a, p->at + p->first[i], count, nr))
			vec_push(&out->list, a);
	}
}

/* Keeps one anchor for each number of cuts. This is the earliest of the anchors that
   cut about as evenly as the most even one, so that few launches come before the first
   repetition. If more than CANDIDATES anchors are left, the most even ones are kept. */
static void select_anchors(struct anchors *out)
{
	size_t nr = 0;
	vec_sort(&out->list, anchor_count_cmp);
	for (size_t i = 0, end; i < out->list.nr; i = end) {
		struct anchor best = out->list.v[i];
		int64_t until = best.without_longest + AS_EVEN;
		for (end = i + 1; end < out->list.nr && out->list.v[end].count == best.count; end++)
			if (out->list.v[end].without_longest <= until && out->list.v[end].at[0] < best.at[0])
				best = out->list.v[end];
		out->list.v[nr++] = best;
	}
	out->list.nr = nr;
	vec_sort(&out->list, anchor_evenness_cmp);
	if (out->list.nr > CANDIDATES)
		out->list.nr = CANDIDATES;
}

/* Counts a launch in piece number `piece` (from 1 on); true if the previous piece had this launch
 * too. */
static bool tally_add(struct tally *t, size_t piece)
{
	if (t->piece != piece) {
		t->before = t->piece + 1 == piece ? t->count : 0;
		t->count = 0;
		t->piece = piece;
	}
	return ++t->count <= t->before;
}

static int64_t least_share(const struct launch_sequence *s, const struct tally *t)
{
	__int128 seen = 0, again = 0, seen_ns = 0, again_ns = 0, of_names = 0;
	int64_t names = 0;
	for (size_t i = 0; i < s->nr_names; i++) {
		if (!t[i].seen)
			continue;
		seen += t[i].seen;
		again += t[i].again;
		seen_ns += (__int128)s->mean_ns[i] * t[i].seen;
		again_ns += (__int128)s->mean_ns[i] * t[i].again;
		of_names += number_pct(t[i].again, t[i].seen);
		names++;
	}
	int64_t least = number_pct(again, seen), share = number_div_round(of_names, names);
	least = share < least ? share : least;
	share = seen_ns ? number_pct(again_ns, seen_ns) : least;
	return share < least ? share : least;
}

/* The regularity below which a pattern is far worse than one with the regularity `best`: its
   percentage of launches that the previous piece lacks (100 % − regularity) is more than `times`
   times as large, plus 1 %. */
static int64_t explained_regularity(int64_t best, int64_t times)
{
	return 99 * MICRO - (100 * MICRO - best) * times;
}

/* Start of slice number `i` if each piece is cut into `slices` equal slices, as the number of
   launches between the first cut and this start. */
static size_t piece_begin(const struct anchor *a, size_t nr, size_t slices, size_t i)
{
	size_t k = i / slices % a->count;
	size_t from = a->at[k] - a->at[0];
	size_t to = k + 1 < a->count ? a->at[k + 1] - a->at[0] : nr;
	return i / slices / a->count * nr + from + (to - from) * (i % slices) / slices;
}

/* Cuts each piece into `slices` equal slices, and returns the regularity of these slices. The
   launches before the first cut count as the end of the last piece, as if the sequence were a ring.
   From FEW pieces on, the first piece may differ from the others. If there are fewer pieces, the
   first is also compared with the last, unless the last is cut short. */
static int64_t pieces_regularity(const struct launch_sequence *s, struct anchor *a, size_t slices,
                                 struct tally *tallies)
{
	size_t last = piece_begin(a, s->nr, 1, a->count - 1),
	       before = piece_begin(a, s->nr, 1, a->count - 2);
	bool cut = a->count > 2 && (s->nr - last) * 100 < (last - before) * WHOLE_PCT;
	size_t from = a->count < FEW ? slices : 2 * slices;
	size_t to = (a->count < FEW && !cut ? a->count + 1 : a->count) * slices;
	memset(tallies, 0, s->nr_names * sizeof *tallies);
	for (size_t slice = 0, i = 0; slice < to; slice++) {
		size_t end = piece_begin(a, s->nr, slices, slice + 1), again = 0, begin = i;
		for (; i < end; i++) {
			struct tally *t = &tallies[s->names[(a->at[0] + i) % s->nr]];
			bool had = tally_add(t, slice + 1);
			t->seen += slice >= from;
			t->again += had && slice >= from;
			again += had;
		}
		a->clean += slices == 1 && again == end - begin;
	}
	return least_share(s, tallies);
}

/* Sets the regularity of an anchor: that of its pieces, or 0 if halves of the pieces are about as
 * regular. If launches come in random order, any long pieces are alike, and so are their halves.
 * With a real period, in contrast, whole pieces are far more regular than halves. */
static void anchor_judge(const struct launch_sequence *s, struct anchor *a, struct tally *tallies)
{
	a->regularity = pieces_regularity(s, a, 1, tallies);
	if (a->regularity >= PERIOD_NEEDED &&
	    pieces_regularity(s, a, 2, tallies) >= explained_regularity(a->regularity, EXPLAINS))
		a->regularity = 0;
}

/* True if at least CLEAN_PCT of the pieces have no launch that the previous piece lacks. If fewer
   pieces are like this, the steps vary. */
static bool anchor_is_clean(const struct anchor *a)
{
	return a->clean * 100 >= a->count * CLEAN_PCT;
}

/* False if a longer period is far more regular. The pieces of `a` are then only parts of a step:
 * most of them are alike, and a few also have the kernels that a step launches only once. Also
 * false if steps vary and a shorter period is regular enough. Each piece of `a` is then several
 * steps, and `a` is more regular only because its pieces average over these steps. */
static bool is_period(const struct anchors *list, const struct anchor *a)
{
	for (size_t i = 0; i < list->list.nr; i++) {
		const struct anchor *b = &list->list.v[i];
		/* a longer period `b` rules out `a` only if `b` is far more regular; if `b` has few pieces,
		   which may be alike by chance, it must be even more regular */
		int64_t times = b->count < FEW ? 3 * EXPLAINS : EXPLAINS;
		if (anchor_is_clean(a) && b->count < a->count &&
		    a->regularity < explained_regularity(b->regularity, times))
			return false;
		if (!anchor_is_clean(b) && b->count * 2 > a->count * 3 && b->regularity >= VARIES)
			return false;
	}
	return a->regularity >= PERIOD_NEEDED;
}

/* Chooses the most evenly spread period; of equally even ones, the one with the most
   repetitions. NULL if there is no period; `*regularity` then becomes the largest regularity below
   PERIOD_NEEDED. */
static const struct anchor *anchor_choose(const struct anchors *list, int64_t *regularity)
{
	const struct anchor *chosen = NULL;
	*regularity = 0;
	for (size_t i = 0; i < list->list.nr; i++) {
		const struct anchor *a = &list->list.v[i];
		if (is_period(list, a) &&
		    (!chosen || a->unevenness < chosen->unevenness ||
		     (a->unevenness == chosen->unevenness && a->count > chosen->count)))
			chosen = a;
		if (a->regularity > *regularity && a->regularity < PERIOD_NEEDED)
			*regularity = a->regularity;
	}
	if (chosen)
		*regularity = chosen->regularity;
	return chosen;
}

/* Number of launches by which all cuts can move back: at least AGREE_PCT percent of the cuts have
 * the same launches just before them. */
static size_t common_lead(const struct launch_sequence *s, const struct anchor *a)
{
	for (size_t n = 0;; n++) {
		size_t agree = 0;
		if (n == a->at[0] || a->at[1] - n - 1 == a->at[0])
			return n;
		uint32_t name = s->names[a->at[1] - n - 1];
		for (size_t i = 0; i < a->count; i++)
			agree += a->at[i] > n && s->names[a->at[i] - n - 1] == name &&
			         (i == 0 || a->at[i] - n - 1 > a->at[i - 1]);
		if (agree * 100 < a->count * AGREE_PCT)
			return n;
	}
}

/* Number of launches in [at, end) that also occur in [before, at); `*last` becomes the index after
   the last such launch. */
static size_t common_launches(const struct launch_sequence *s, size_t before, size_t at, size_t end,
                              struct tally *tallies, size_t *last)
{
	size_t nr = 0;
	memset(tallies, 0, s->nr_names * sizeof *tallies);
	for (size_t i = before; i < at; i++)
		tally_add(&tallies[s->names[i]], 1);
	for (size_t i = at; i < end; i++)
		if (tally_add(&tallies[s->names[i]], 2)) {
			nr++;
			*last = i + 1;
		}
	return nr;
}

/* Ends the last repetition after its last launch that also occurs in the previous repetition. The
   last repetition is dropped if it is cut short, the first one if it has little in common with the
   second. False if fewer than two repetitions are left. */
static bool trim_period(const struct launch_sequence *s, struct period *p, struct tally *tallies)
{
	const size_t *v = p->starts.v;
	size_t nr = p->starts.nr, end = s->nr, last = v[nr - 1];
	if (common_launches(s, v[nr - 2], v[nr - 1], s->nr, tallies, &last) * 100 >=
	    (v[nr - 1] - v[nr - 2]) * WHOLE_PCT)
		vec_push(&p->starts, last);
	v = p->starts.v;
	if (p->starts.nr > 2 && common_launches(s, v[0], v[1], v[2], tallies, &end) * 2 < v[2] - v[1])
		memmove(p->starts.v, v + 1, --p->starts.nr * sizeof *v);
	return p->starts.nr > 2;
}

static int64_t median_launches(const struct period *p)
{
	size_t nr = p->starts.nr - 1;
	int64_t *lengths = mem_calloc(nr, sizeof *lengths);
	for (size_t i = 0; i < nr; i++)
		lengths[i] = (int64_t)(p->starts.v[i + 1] - p->starts.v[i]);
	int64_t median = number_median(lengths, nr);
	free(lengths);
	return median;
}

void period_find(const struct launch_sequence *s, struct period *out)
{
	struct places names, runs;
	struct anchors anchors = { 0 };
	*out = (struct period){ 0 };
	struct tally *tallies = mem_calloc(s->nr_names, sizeof *tallies);
	places_init(&names, s->names, s->nr, s->nr_names);
	places_init_runs(&runs, s);
	find_anchors(&names, s->nr, &anchors);
	find_anchors(&runs, s->nr, &anchors);
	select_anchors(&anchors);
	for (size_t i = 0; i < anchors.list.nr; i++)
		anchor_judge(s, &anchors.list.v[i], tallies);
	const struct anchor *a = anchor_choose(&anchors, &out->regularity);
	if (a) {
		size_t n = common_lead(s, a);
		for (size_t i = 0; i < a->count; i++)
			vec_push(&out->starts, a->at[i] - n);
		if (trim_period(s, out, tallies))
			out->launches = median_launches(out);
		else
			period_release(out);
	}
	vec_release(&anchors.list);
	places_release(&names);
	places_release(&runs);
	free(tallies);
}

void period_release(struct period *p)
{
	vec_release(&p->starts);
	p->launches = p->regularity = 0;
}
