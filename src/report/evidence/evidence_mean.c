/* Writes the mean step of a side. A digest does not have single launches, but only sums in the rows
   of its code table. All launches of a row are therefore written one after the other, with the
   row's mean duration. */

#include "base/number.h"
#include "base/text.h"
#include "evidence/evidence_internal.h"

/* Gap between launches in ns: viewers then show them as separate events. */
#define GAP_NS 500

static struct span kernel_name(const struct digest *d, const struct code_stat *c)
{
	for (size_t i = 0; i < d->kernels.nr && c->kernel; i++)
		if (kernel_key(&d->kernels.v[i]) == c->kernel)
			return d->kernels.v[i].name;
	return SPAN("");
}

/* Share `i` of an amount that is divided into `nr` nearly equal shares, which add up to the
 * amount. */
static int64_t share_of(int64_t all, int64_t i, int64_t nr)
{
	return all / nr + (i < all % nr);
}

static void put_launch(struct side_writer *w, const struct code_stat *c, struct span name,
                       int64_t dur_ns, int64_t bytes)
{
	bool waits = c->kind == CODE_SYNC;
	put_call(w, c->kind, HOST_THREAD, w->now_ns, waits ? dur_ns : GAP_NS);
	if (!waits)
		put_activity(w, c->kind, name, GPU_STREAM, w->now_ns, dur_ns, bytes);
	w->now_ns += dur_ns + GAP_NS;
}

/* Write the launches of a row. False if there is no room left. */
static bool put_row(struct side_writer *w, const struct code_stat *c)
{
	int64_t steps = w->d->usable_steps;
	int64_t nr = number_div_round(c->count, steps), total = number_div_round(c->total_ns, steps);
	int64_t bytes = number_div_round(c->bytes, steps);
	struct span name = kernel_name(w->d, c);
	nr = nr > 0 ? nr : 1;
	nr = nr < MOST_EVENTS / 4 ? nr : MOST_EVENTS / 4; /* if there are too many launches, fewer
	                                                     and longer ones are written, with the
	                                                     same total time */
	name = span_of(name.n ? text_short(w->a, name, NAME_CHARS) : "(smaller kernels)");
	if (!has_room(w, nr, name))
		return false;
	put_frames(w, c, HOST_THREAD, w->now_ns, total + nr * GAP_NS);
	put_operators(w, c, HOST_THREAD, w->now_ns, total + nr * GAP_NS);
	for (int64_t i = 0; i < nr; i++)
		put_launch(w, c, name, share_of(total, i, nr), share_of(bytes, i, nr));
	w->now_ns += GAP_NS;
	return true;
}

ORDERING_POINTERS(by_time, struct code_stat, FALLING(total_ns))

int64_t put_mean(struct side_writer *w, const struct subject *s)
{
	VEC(const struct code_stat *) rows = VEC_INIT;
	int64_t left = 0;
	for (size_t i = 0; i < w->d->code.nr; i++)
		if (is_about(w, s, &w->d->code.v[i], kernel_name(w->d, &w->d->code.v[i])))
			vec_push(&rows, &w->d->code.v[i]);
	if (rows.nr)
		sort_plain(rows.v, rows.nr, sizeof *rows.v, by_time);
	for (size_t i = 0; i < rows.nr; i++)
		if (!put_row(w, rows.v[i]))
			left += number_div_round(rows.v[i]->count, w->d->usable_steps);
	vec_release(&rows);
	return left;
}
