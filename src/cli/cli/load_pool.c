#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "cli/load_internal.h"

/* Largest number of open descriptors: standard streams and outputs, and for each file the artifact
   plus run.yaml or a second descriptor of the artifact. */
enum { OTHER_DESCRIPTORS = 16, DESCRIPTORS_PER_FILE = 2 };

size_t load_threads(size_t jobs, size_t files)
{
	struct rlimit limit;
	size_t nr = jobs < files ? jobs : files;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		size_t spare =
		    limit.rlim_cur > OTHER_DESCRIPTORS ? (size_t)limit.rlim_cur - OTHER_DESCRIPTORS : 0;
		if (nr > spare / DESCRIPTORS_PER_FILE)
			nr = spare / DESCRIPTORS_PER_FILE;
	}
	return nr ? nr : 1;
}

struct pool {
	const struct loader *loader;
	struct artifact_file *files;
	size_t nr;
	atomic_size_t next;
};

static void *read_files(void *ctx)
{
	struct pool *pool = ctx;
	for (size_t i; (i = atomic_fetch_add(&pool->next, 1)) < pool->nr;)
		if (!pool->files[i].is_directory) {
			load_file(pool->loader, &pool->files[i]);
			atomic_store(&pool->files[i].progress.done, true);
		}
	return NULL;
}

void load_files(const struct loader *l, struct artifact_file *files, size_t nr)
{
	struct loader own = *l;
	struct pool pool = { .loader = &own, .files = files, .nr = nr };
	VEC(pthread_t) helpers = VEC_INIT;
	struct progress_line *progress = progress_begin(files, nr);
	size_t want = load_threads(l->jobs, nr);
	own.spare_threads = l->jobs / want > 1;
	while (helpers.nr + 1 < want) {
		pthread_t helper;
		if (pthread_create(&helper, NULL, read_files, &pool) != 0)
			break; /* the thread cannot be started: go on with fewer threads */
		vec_push(&helpers, helper);
	}
	read_files(&pool);
	for (size_t i = 0; i < helpers.nr; i++)
		pthread_join(helpers.v[i], NULL);
	vec_release(&helpers);
	progress_end(progress);
}
