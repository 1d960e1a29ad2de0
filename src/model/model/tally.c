#include "model/tally.h"

#include "base/number.h"
#include "base/search.h"

/* ---- the scale of buckets ---- */

enum { BUCKET_BITS = 7, BUCKETS = 1 << BUCKET_BITS };

/* The number of the bucket of the logarithmic scale in which a value lies. Each value below 2 ·
 * BUCKETS has a bucket of its own. */
static int64_t bucket_of(int64_t value)
{
	if (value < 0)
		return value == INT64_MIN ? bucket_of(value + 1) : -bucket_of(-value);
	if (value < 2 * BUCKETS)
		return value;
	int shift = 63 - __builtin_clzll((unsigned long long)value) - BUCKET_BITS;
	return ((int64_t)shift << BUCKET_BITS) + (value >> shift);
}

/* Estimate of the value with index `at` among the `nr` values in a bucket of the scale, in
 * ascending order. The values are assumed to be evenly spread over the bucket. */
static int64_t value_in(int64_t bucket, int64_t at, int64_t nr)
{
	if (bucket < 0)
		return -value_in(-bucket, nr - 1 - at, nr);
	if (bucket < 2 * BUCKETS)
		return bucket;
	int shift = (int)(bucket >> BUCKET_BITS) - 1;
	int64_t first = ((bucket & (BUCKETS - 1)) + BUCKETS) << shift;
	return first + (int64_t)(((__int128)(2 * at + 1) << shift) / (2 * nr));
}

/* ---- adding and joining values ---- */

static __int128 sum_of(const struct tally *t)
{
	return ((__int128)t->high * ((int64_t)1 << 32)) + t->low;
}

static void set_sum(struct tally *t, __int128 sum)
{
	t->low = (int64_t)(sum & UINT32_MAX);
	t->high = (int64_t)((sum - t->low) / ((int64_t)1 << 32));
}

static bool is_exact(const struct tally *t)
{
	return t->count <= TALLY_EXACT;
}

static void put(struct tally *t, int64_t key, int64_t count)
{
	size_t lo = 0, hi = t->bins.nr;
	SEARCH(lo, hi, i, t->bins.v[i].key < key);
	if (lo < t->bins.nr && t->bins.v[lo].key == key) {
		t->bins.v[lo].count += count;
		return;
	}
	vec_reserve(&t->bins, 1);
	memmove(t->bins.v + lo + 1, t->bins.v + lo, (t->bins.nr - lo) * sizeof *t->bins.v);
	t->bins.v[lo] = (struct tally_bin){ key, count };
	t->bins.nr++;
}

/* Replaces the exact values by the buckets of the scale in which they lie; the order of the bins
 * stays the same. */
static void coarsen(struct tally *t)
{
	size_t nr = 0;
	for (size_t i = 0; i < t->bins.nr; i++) {
		struct tally_bin b = { bucket_of(t->bins.v[i].key), t->bins.v[i].count };
		if (nr && t->bins.v[nr - 1].key == b.key)
			t->bins.v[nr - 1].count += b.count;
		else
			t->bins.v[nr++] = b;
	}
	t->bins.nr = nr;
}

static void join_extremes(struct tally *t, const struct tally *more)
{
	if (t->count == 0) {
		t->min = more->min;
		t->max = more->max;
		t->second = more->second;
		t->min_rank = more->min_rank;
		t->max_rank = more->max_rank;
		return;
	}
	bool less = more->min < t->min;
	int64_t second = less ? t->min : more->min;
	if (t->count > 1)
		number_lower(&second, t->second);
	if (more->count > 1)
		number_lower(&second, more->second);
	t->second = second;
	if (less || (more->min == t->min && more->min_rank < t->min_rank)) {
		t->min = more->min;
		t->min_rank = more->min_rank;
	}
	if (more->max > t->max || (more->max == t->max && more->max_rank < t->max_rank)) {
		t->max = more->max;
		t->max_rank = more->max_rank;
	}
}

void tally_join(struct tally *t, const struct tally *more)
{
	if (more->count == 0)
		return;
	bool was_exact = is_exact(t);
	t->median = t->count ? TALLY_UNKNOWN : more->median;
	join_extremes(t, more);
	t->count += more->count;
	set_sum(t, sum_of(t) + sum_of(more));
	if (was_exact && !is_exact(t))
		coarsen(t);
	bool scale = !is_exact(t) && is_exact(more);
	for (size_t i = 0; i < more->bins.nr; i++)
		put(t, scale ? bucket_of(more->bins.v[i].key) : more->bins.v[i].key, more->bins.v[i].count);
}

void tally_add(struct tally *t, int64_t value, int64_t rank)
{
	struct tally_bin bin = { value, 1 };
	struct tally one = { .count = 1,
		                 .median = TALLY_UNKNOWN,
		                 .min = value,
		                 .max = value,
		                 .second = value,
		                 .min_rank = rank,
		                 .max_rank = rank,
		                 .bins = { &bin, 1, 1 } };
	set_sum(&one, value);
	tally_join(t, &one);
}

struct tally tally_copy(const struct tally *t)
{
	struct tally copy = *t;
	copy.bins.v = mem_calloc(t->bins.nr, sizeof *copy.bins.v);
	copy.bins.cap = t->bins.nr;
	for (size_t i = 0; i < t->bins.nr; i++)
		copy.bins.v[i] = t->bins.v[i];
	return copy;
}

void tally_release(struct tally *t)
{
	vec_release(&t->bins);
	*t = (struct tally){ 0 };
}

/* ---- reductions of values ---- */

/* The value at position `k`, from 0, in ascending order; an estimate if the tally counts values by
 * buckets of the scale. */
static int64_t value_at(const struct tally *t, int64_t k)
{
	for (size_t i = 0; i < t->bins.nr; i++) {
		if (k < t->bins.v[i].count)
			return is_exact(t) ? t->bins.v[i].key
			                   : value_in(t->bins.v[i].key, k, t->bins.v[i].count);
		k -= t->bins.v[i].count;
	}
	return t->max;
}

/* The median of the values in ascending order, from position `first` to the last. */
static int64_t median_from(const struct tally *t, int64_t first)
{
	int64_t nr = t->count - first, hi = first + nr / 2, lo = nr % 2 ? hi : hi - 1;
	int64_t median = number_div_round((__int128)value_at(t, lo) + value_at(t, hi), 2);
	number_raise(&median, t->min);
	number_lower(&median, t->max);
	return median;
}

int64_t tally_median_of_others(const struct tally *t)
{
	return median_from(t, 1);
}

int64_t tally_reduce(const struct tally *t, enum reduce reduce)
{
	switch (reduce) {
	case REDUCE_MAX:
		return t->max;
	case REDUCE_MIN:
		return t->min;
	case REDUCE_MEAN:
		return number_div_round(sum_of(t), t->count);
	default:
		return t->median != TALLY_UNKNOWN ? t->median : median_from(t, 0);
	}
}

bool tally_is_sound(const struct tally *t)
{
	__int128 count = 0;
	bool rises = t->count > 0;
	for (size_t i = 0; i < t->bins.nr; i++) {
		rises =
		    rises && t->bins.v[i].count > 0 && (i == 0 || t->bins.v[i].key > t->bins.v[i - 1].key);
		count += t->bins.v[i].count;
	}
	if (!rises || count != t->count)
		return false;
	int64_t least = t->bins.v[0].key, most = t->bins.v[t->bins.nr - 1].key;
	return (is_exact(t) ? least == t->min && most == t->max
	                    : least == bucket_of(t->min) && most == bucket_of(t->max)) &&
	       t->low >= 0 && t->low <= UINT32_MAX && sum_of(t) >= (__int128)t->min * t->count &&
	       sum_of(t) <= (__int128)t->max * t->count &&
	       (t->median == TALLY_UNKNOWN || (t->median >= t->min && t->median <= t->max)) &&
	       (t->count == 1 || (t->second >= t->min && t->second <= t->max));
}
