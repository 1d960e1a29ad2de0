/* The elements of one array by several threads.

   The input is cut into pieces where an element seems to begin. Each is scanned by itself as if it
   stood behind an element, into a part of the sink, which is joined to the whole once the pieces
   before it have been. A cut was right if the piece before it ends there, behind an element; as
   that is known before its own events are joined, what comes out is what one scanner would have
   made of the whole. From the first piece on that does not end so (the array ends in it, an error,
   a wrong cut), or whose part says something unusual, all is given back, to be read by one scanner,
   which has the say on that. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/alloc.h"
#include "read/trace_internal.h"

/* Pieces grow up to so many times their size where no cut is found; threads beyond so many
   would wait for their turn to hand on; and a table of names with so much text is begun anew. */
enum { PIECE_BYTES = 512 << 10, PIECE_GROWTH = 4, THREADS_MAX = 8, NAMES_BYTES = 1 << 20 };

struct split {
	struct trace_input *in; ///< of the whole
	struct source *src;
	size_t bytes; ///< of a piece
	struct strbuf beginning; ///< of elements: where it stands is cut

	pthread_mutex_t fill; ///< of what follows
	struct strbuf carry; ///< read already, and behind the last cut
	uint64_t at; ///< where the next piece is in the input
	size_t nr; ///< pieces so far
	struct source_end end;
	bool uncut; ///< there are no more pieces

	pthread_mutex_t mutex; ///< of what follows, and of all that events are handed on to
	pthread_cond_t changed;
	size_t turn; ///< of which piece events are handed on
	bool stop; ///< of none any more
};

/* One thread and its piece. */
struct worker {
	struct split *split;
	pthread_t thread;
	struct trace_input in;
	struct trace_meta meta;
	struct name_table names;
	struct ids known; ///< of `names` in the table of the whole
	struct raw_event ev;
	struct diag_log log; ///< dropped
	char *piece;
	size_t n, cap;
	size_t used; ///< of its bytes: these need not be read again
	size_t number;
	uint64_t at;
};

/* ---- pieces ---- */

/* Room for so many bytes more, and the zeros behind them. */
static void reserve_piece(struct worker *w, size_t more)
{
	if (w->cap >= w->n + more)
		return;
	w->cap = w->n + more;
	w->piece = mem_realloc(w->piece, w->cap + JSCAN_PAD, 1);
}

/* As many bytes of the input as are a piece, unless it ends before. */
static void fill_piece(struct worker *w)
{
	struct split *s = w->split;
	size_t nr = 0, want = w->n + s->bytes;
	reserve_piece(w, s->bytes);
	while (w->n < want && !s->end.reached) {
		s->end.status = source_read(s->src, w->piece + w->n, want - w->n, &nr, &s->end.said);
		s->end.reached = s->end.status != ST_OK || nr == 0;
		w->n += s->end.reached ? 0 : nr;
	}
}

/* What is behind the last cut up to the next; 0 bytes where there is none. */
static void cut_piece(struct worker *w)
{
	struct split *s = w->split;
	struct span begin = strbuf_span(&s->beginning);
	size_t cut = 0;
	w->n = w->used = 0;
	reserve_piece(w, s->carry.n + s->bytes);
	memcpy(w->piece, strbuf_str(&s->carry), s->carry.n);
	w->n = s->carry.n;
	for (unsigned i = 0; i < PIECE_GROWTH && !cut && !s->end.reached; i++) {
		size_t from = w->n < begin.n ? 0 : w->n - begin.n;
		fill_piece(w);
		cut = jscan_last_beginning((struct span){ w->piece, w->n }, begin, from);
	}
	strbuf_setlen(&s->carry, 0);
	strbuf_add(&s->carry, (struct span){ w->piece + cut, w->n - cut });
	w->n = cut;
	memset(w->piece + cut, 0, JSCAN_PAD);
}

/* Waiting is mostly shorter than being woken: sched_yield() is tried so many times before. */
enum { YIELDS = 2000 };

static void lock_soon(pthread_mutex_t *mutex)
{
	for (int i = 0; i < YIELDS; i++) {
		if (pthread_mutex_trylock(mutex) == 0)
			return;
		sched_yield();
	}
	pthread_mutex_lock(mutex);
}

static bool split_stopped(struct split *s)
{
	pthread_mutex_lock(&s->mutex);
	bool stop = s->stop;
	pthread_mutex_unlock(&s->mutex);
	return stop;
}

/* The next piece, in order; false where there is none. */
static bool take_piece(struct worker *w)
{
	struct split *s = w->split;
	lock_soon(&s->fill);
	bool more = !s->uncut && !split_stopped(s);
	if (more) {
		cut_piece(w);
		w->number = s->nr;
		w->at = s->at;
		s->at += w->n;
		s->nr += w->n > 0;
		s->uncut = w->n == 0;
		more = w->n > 0;
	}
	pthread_mutex_unlock(&s->fill);
	return more;
}

/* ---- events ---- */

static void end_part(struct worker *w)
{
	if (w->names.slots)
		w->split->in->sink.parts->end(w->in.sink.ctx);
	name_table_release(&w->names);
	vec_release(&w->known);
}

static void begin_part(struct worker *w)
{
	const struct event_sink *whole = &w->split->in->sink;
	if (w->names.slots && w->names.bytes < NAMES_BYTES)
		return;
	end_part(w);
	name_table_init(&w->names);
	w->in.sink.ctx = whole->parts->begin(whole->ctx, &w->names);
	w->in.sink.event = whole->event;
}

/* Read the events of the piece into the part; false if the piece may have begun inside an element.
 */
static bool scan_piece(struct worker *w)
{
	begin_part(w);
	w->in.with_phase = w->in.foreign = 0;
	w->meta.malformed = 0;
	w->meta.events = 1; /* there were some before it */
	jscan_piece(w->in.js, w->piece, w->n, w->at);
	bool all = read_elements(&w->in, &w->ev, UINT64_MAX);
	w->used = (size_t)(jscan_byte(w->in.js) - w->at) - !all; /* its bracket is not used up */
	return jscan_status(w->in.js) == ST_OK && w->in.sunk == ST_OK;
}

/* Join the part to the whole; false if the piece must be read again. */
static bool join_part(struct worker *w)
{
	struct trace_input *in = w->split->in;
	if (!name_table_join(in->names, &w->names, &w->known) ||
	    !in->sink.parts->join(in->sink.ctx, w->in.sink.ctx, &w->known))
		return false;
	in->with_phase += w->in.with_phase;
	in->foreign |= w->in.foreign;
	in->meta->malformed += w->meta.malformed;
	in->meta->events += w->meta.events - 1;
	jscan_add_faults(in->js, w->in.js);
	return true;
}

/* In its turn, what has become of the piece; false where that was the last of which anything
   is wanted. */
static bool hand_on_piece(struct worker *w, bool good)
{
	struct split *s = w->split;
	pthread_mutex_lock(&s->mutex);
	for (int i = 0; !s->stop && s->turn != w->number; i++) {
		if (i < YIELDS) {
			pthread_mutex_unlock(&s->mutex);
			sched_yield();
			pthread_mutex_lock(&s->mutex);
		} else {
			pthread_cond_wait(&s->changed, &s->mutex);
		}
	}
	bool more = !s->stop;
	pthread_mutex_unlock(&s->mutex);
	if (!more || !good || !join_part(w))
		w->used = 0;
	more = w->used == w->n;
	pthread_mutex_lock(&s->mutex);
	s->turn += more;
	s->stop |= !more;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mutex);
	return more;
}

/* ---- threads ---- */

static void *work_on_pieces(void *ctx)
{
	struct worker *w = ctx;
	mem_reads(source_name(w->split->src));
	while (take_piece(w) && hand_on_piece(w, scan_piece(w)))
		;
	return NULL;
}

static void worker_init(struct worker *w, struct split *s)
{
	diag_init(&w->log);
	w->split = s;
	w->in.js = jscan_new_piece(s->in->js, &w->log);
	w->in.names = &w->names;
	w->in.meta = &w->meta;
	w->in.piece = true;
	w->in.portable = s->in->portable;
}

static void worker_release(struct worker *w)
{
	jscan_free(w->in.js);
	end_part(w);
	for (int i = 0; i < NR_TEXTS; i++)
		strbuf_release(&w->ev.text[i]);
	diag_release(&w->log);
	free(w->piece);
}

/* Threads are begun once there is more than a piece to read. */
static void start_workers(struct split *s, struct worker *workers, size_t threads)
{
	size_t nr = 1;
	if (!take_piece(&workers[0]))
		return;
	if (s->end.reached)
		threads = 1;
	while (nr < threads) {
		worker_init(&workers[nr], s);
		if (pthread_create(&workers[nr].thread, NULL, work_on_pieces, &workers[nr]) != 0)
			break;
		nr++;
	}
	if (hand_on_piece(&workers[0], scan_piece(&workers[0])))
		work_on_pieces(&workers[0]);
	for (size_t i = 1; i < nr; i++)
		pthread_join(workers[i].thread, NULL);
}

/* Hand back what was taken from the source and not read. */
static void give_back_rest(struct split *s, const struct worker *workers, size_t threads)
{
	struct strbuf rest = STRBUF_INIT;
	for (size_t number = s->turn; number < s->nr; number++)
		for (size_t i = 0; i < threads; i++)
			if (workers[i].n && workers[i].number == number)
				strbuf_add(&rest, (struct span){ workers[i].piece + workers[i].used,
				                                 workers[i].n - workers[i].used });
	jscan_resume(s->in->js, s->at - rest.n);
	strbuf_add(&rest, strbuf_span(&s->carry));
	source_unread(s->src, strbuf_span(&rest), &s->end);
	strbuf_release(&rest);
}

void split_events(struct trace_input *in, struct source *src, const struct trace_options *options)
{
	struct split s = { .in = in,
		               .src = src,
		               .bytes = options->piece ? options->piece : PIECE_BYTES,
		               .at = jscan_byte(in->js) };
	size_t threads = options->threads < THREADS_MAX ? options->threads : THREADS_MAX;
	if (!jscan_beginning(in->js, &s.beginning)) {
		strbuf_release(&s.beginning);
		return;
	}
	diag_init(&s.end.said);
	pthread_mutex_init(&s.fill, NULL);
	pthread_mutex_init(&s.mutex, NULL);
	pthread_cond_init(&s.changed, NULL);
	jscan_unread(in->js, &s.carry);
	source_unread(src, strbuf_span(&s.carry), &s.end);
	strbuf_setlen(&s.carry, 0);
	struct worker *workers = mem_calloc(threads, sizeof *workers);
	worker_init(&workers[0], &s);
	start_workers(&s, workers, threads);
	give_back_rest(&s, workers, threads);
	for (size_t i = 0; i < threads; i++)
		worker_release(&workers[i]);
	free(workers);
	pthread_cond_destroy(&s.changed);
	pthread_mutex_destroy(&s.mutex);
	pthread_mutex_destroy(&s.fill);
	diag_release(&s.end.said);
	strbuf_release(&s.carry);
	strbuf_release(&s.beginning);
}
