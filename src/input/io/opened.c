#include "io/opened.h"

#include <pthread.h>
#include <string.h>

#include "base/vec.h"

struct opened {
	dev_t dev;
	ino_t ino;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VEC(struct opened) all; /* list of files that were read, kept until the process ends */

void opened_note(const struct stat *file)
{
	if (!S_ISREG(file->st_mode))
		return;
	pthread_mutex_lock(&lock);
	vec_push(&all, (struct opened){ file->st_dev, file->st_ino });
	pthread_mutex_unlock(&lock);
}

static bool is_file(const struct opened *o, const struct stat *file)
{
	return o->dev == file->st_dev && o->ino == file->st_ino;
}

void opened_forget(const struct stat *file)
{
	pthread_mutex_lock(&lock);
	if (all.nr && is_file(&all.v[all.nr - 1], file))
		all.nr--;
	pthread_mutex_unlock(&lock);
}

bool opened_has(const struct stat *file)
{
	pthread_mutex_lock(&lock);
	bool found = ANY(i, all.nr, is_file(&all.v[i], file));
	pthread_mutex_unlock(&lock);
	return found;
}

struct span opened_list(void)
{
	return (struct span){ (const char *)all.v, all.nr * sizeof *all.v };
}

void opened_add(struct span list)
{
	struct opened one;
	pthread_mutex_lock(&lock);
	for (; list.n >= sizeof one; list = span_from(list, sizeof one)) {
		memcpy(&one, list.p, sizeof one);
		vec_push(&all, one);
	}
	pthread_mutex_unlock(&lock);
}
