#include "io/ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Number of blocks: one is filled while another one is read; with two more, neither thread has to
   wait after each block. */
enum { NR_BLOCKS = 4 };

struct block {
	char *v;
	size_t nr;
	enum status status; ///< ST_OK, or the error that came after the bytes of the block
	bool last;
	struct diag_log log; ///< messages that were written while the block was filled
};

struct ahead {
	ahead_fill *fill;
	void *ctx;
	size_t size;
	struct block blocks[NR_BLOCKS];
	size_t at; ///< number of bytes of the oldest filled block that have been read
	pthread_t thread;
	pthread_mutex_t mutex; ///< mutex for all members that follow in this struct
	pthread_cond_t changed;
	size_t filled, taken; ///< number of blocks that have been filled; number that have been read
	bool stop;
};

static void fill_block(const struct ahead *a, struct block *b)
{
	size_t nr = 1;
	b->nr = 0;
	b->status = ST_OK;
	while (b->nr < a->size && nr && b->status == ST_OK) {
		nr = 0;
		b->status = a->fill(a->ctx, b->v + b->nr, a->size - b->nr, &nr, &b->log);
		b->nr += b->status == ST_OK ? nr : 0;
	}
	b->last = nr == 0;
}

static void *run(void *ctx)
{
	struct ahead *a = ctx;
	bool more = true;
	while (more) {
		pthread_mutex_lock(&a->mutex);
		while (!a->stop && a->filled == a->taken + NR_BLOCKS)
			pthread_cond_wait(&a->changed, &a->mutex);
		struct block *b = &a->blocks[a->filled % NR_BLOCKS];
		more = !a->stop;
		pthread_mutex_unlock(&a->mutex);
		if (!more)
			break;
		fill_block(a, b);
		more = !b->last && b->status == ST_OK;
		pthread_mutex_lock(&a->mutex);
		a->filled++;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->mutex);
	}
	return NULL;
}

static void release(struct ahead *a)
{
	for (size_t i = 0; i < NR_BLOCKS; i++) {
		free(a->blocks[i].v);
		diag_release(&a->blocks[i].log);
	}
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->mutex);
	free(a);
}

struct ahead *ahead_begin(ahead_fill *fill, void *ctx, size_t block)
{
	struct ahead *a = mem_calloc(1, sizeof *a);
	a->fill = fill;
	a->ctx = ctx;
	a->size = block;
	for (size_t i = 0; i < NR_BLOCKS; i++) {
		a->blocks[i].v = mem_realloc(NULL, block, 1);
		diag_init(&a->blocks[i].log);
	}
	pthread_mutex_init(&a->mutex, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (pthread_create(&a->thread, NULL, run, a) == 0)
		return a;
	release(a);
	return NULL;
}

/* Waits for the next block to read from, and returns it; the thread no longer changes that
   block. */
static struct block *current(struct ahead *a)
{
	pthread_mutex_lock(&a->mutex);
	while (a->filled == a->taken)
		pthread_cond_wait(&a->changed, &a->mutex);
	struct block *b = &a->blocks[a->taken % NR_BLOCKS];
	pthread_mutex_unlock(&a->mutex);
	return b;
}

static void give_back(struct ahead *a)
{
	a->at = 0;
	pthread_mutex_lock(&a->mutex);
	a->taken++;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
}

enum status ahead_read(struct ahead *a, char *buf, size_t cap, size_t *nr, struct diag_log *log)
{
	struct block *b = current(a);
	while (a->at == b->nr) {
		diag_move(log, &b->log);
		if (b->last || b->status != ST_OK) {
			/* the last block is not given back, so that later calls return its status again */
			*nr = 0;
			return b->status;
		}
		give_back(a);
		b = current(a);
	}
	*nr = b->nr - a->at < cap ? b->nr - a->at : cap;
	memcpy(buf, b->v + a->at, *nr);
	a->at += *nr;
	return ST_OK;
}

void ahead_end(struct ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->mutex);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
	pthread_join(a->thread, NULL);
	release(a);
}
