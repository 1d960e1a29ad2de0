/* Reads the elements of one array by several threads. The input is cut into pieces at points where
   an element seems to begin. Each piece is scanned as if it came after an element, and fills a part
   of the sink, which is joined to the whole once all earlier pieces have been joined. A cut was
   right if the previous piece ends there, after an element; since this is known before the events
   of a piece are joined, the result equals that of a single scanner. From the first piece on that
   ends otherwise (the array ends in it, an error, a wrong cut), or whose part finds something
   unusual, all text is given back, to be read by a single scanner, which decides about it. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/alloc.h"
#include "read/trace_internal.h"

/* PIECE_GROWTH: factor by which a piece may grow if no cut is found. THREADS_MAX: more threads
 * would only wait for their turn. NAMES_BYTES: size from which on a part's table of names is begun
 * anew. */
enum { PIECE_BYTES = 512 << 10, PIECE_GROWTH = 4, THREADS_MAX = 8, NAMES_BYTES = 1 << 20 };

struct split {
	struct trace_input *in; ///< state of reading the whole array of events
	struct source *src;
	size_t bytes; ///< size of a piece in bytes
	struct strbuf beginning; ///< text with which elements begin: pieces are cut before such a text

	pthread_mutex_t fill; ///< mutex for the members from here to `uncut`
	struct strbuf carry; ///< text after the last cut between pieces, already read from the source
	uint64_t at; ///< offset of the next piece in the input
	size_t nr; ///< number of pieces taken so far
	struct source_end end;
	bool uncut; ///< true if no further piece can be cut

	pthread_mutex_t mutex; ///< mutex for the members below, and for the sink of the events
	pthread_cond_t changed;
	size_t turn; ///< number of the piece whose events come next
	bool stop; ///< true once no further events may be handed to the sink
};

/* One thread, and the piece that it reads. */
struct worker {
	struct split *split;
	pthread_t thread;
	struct trace_input in;
	struct trace_meta meta;
	struct name_table names;
	struct ids known; ///< id of each name of `names` in the name table of the whole trace
	struct raw_event ev;
	struct diag_log log; ///< messages of reading the piece, which are dropped
	char *piece;
	size_t n, cap;
	size_t used; ///< number of bytes of the piece whose events are in the whole trace; the bytes
	             ///< after them are given back to the source
	size_t number;
	uint64_t at;
};

/* ---- cutting the input into pieces ---- */

/* Makes room for `more` bytes and for the zeros after them. */
static void reserve_piece(struct worker *w, size_t more)
{
	if (w->cap >= w->n + more)
		return;
	w->cap = w->n + more;
	w->piece = mem_realloc(w->piece, w->cap + JSCAN_PAD, 1);
}

/* Reads input until the piece has its size, or the input ends. */
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

/* Takes the text between the last cut and the next as a piece; the piece has 0 bytes if there is no
 * text left. */
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

/* Number of calls of sched_yield() before a thread sleeps: most waits are shorter than waking
   up. */
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

/* Takes the next piece, in order; false if there is none. */
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

/* ---- reading the events of a piece ---- */

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

/* Reads the events of the piece into the part; false if the piece may have begun inside an
   element. */
static bool scan_piece(struct worker *w)
{
	begin_part(w);
	w->in.with_phase = w->in.foreign = 0;
	w->meta.malformed = 0;
	w->meta.events = 1; /* marks the piece as not the first: earlier pieces had events */
	jscan_piece(w->in.js, w->piece, w->n, w->at);
	bool all = read_elements(&w->in, &w->ev, UINT64_MAX);
	/* the closing bracket of the array must be read again by the scanner of the whole trace */
	w->used = (size_t)(jscan_byte(w->in.js) - w->at) - !all;
	return jscan_status(w->in.js) == ST_OK && w->in.sunk == ST_OK;
}

/* Joins the events that this thread read from its piece of the input (the part) to those of the
   whole trace. False if they do not fit: the piece must then be read anew by a single scanner. */
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

/* Waits until all earlier pieces are joined. If `good`, then joins the part that was read from this
   piece. Returns false if the piece was not joined completely: no thread may then take a further
   piece. */
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

/* Starts the threads as soon as there is more than one piece to read. */
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

/* Gives back to the source the text that was taken from it and not used. */
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
