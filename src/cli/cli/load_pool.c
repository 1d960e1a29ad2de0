#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

#include "base/idmap.h"
#include "cli/load_internal.h"

/* Numbers of file descriptors that may be open at the same time. OTHER_DESCRIPTORS: for standard
   streams and outputs. DESCRIPTORS_PER_FILE: for each file that is read, one for the artifact, and
   one for its run.yaml or for reading the artifact again. */
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

/* True if the file is a trace that launches CUDA graphs, has a rank among `ranks`, and can be read
   again, unlike standard input. */
static bool is_joined(const struct artifact_file *file, const struct idmap *ranks)
{
	return file->replays && file->status == ST_OK && file->artifacts.nr == 1 &&
	       strcmp(file->path, "-") != 0 &&
	       idmap_find(ranks, file->artifacts.v[0].digest->rank) != NO_ID;
}

static void unread(struct artifact_file *file)
{
	for (size_t i = 0; i < file->artifacts.nr; i++)
		digest_free(file->artifacts.v[i].digest);
	file->artifacts.nr = 0;
	diag_release(file->log);
	diag_init(file->log);
}

void load_captures(struct loader *l, struct artifact_files *files)
{
	struct artifact_files again = { 0 }, captures = { 0 };
	VEC(size_t) from = VEC_INIT;
	struct idmap captured, used; /* `captured`: ranks that have captures; `used`: ranks whose
	                                traces use them */
	idmap_init(&captured);
	idmap_init(&used);
	for (size_t i = 0; i < files->nr; i++)
		if (files->v[i].captured) {
			idmap_add(&captured, files->v[i].rank);
			vec_push(&captures, files->v[i]);
		}
	for (size_t i = 0; captures.nr && i < files->nr; i++)
		if (is_joined(&files->v[i], &captured)) {
			idmap_add(&used, files->v[i].artifacts.v[0].digest->rank);
			unread(&files->v[i]);
			vec_push(&again, files->v[i]);
			vec_push(&from, i);
		}
	for (size_t i = 0; i < again.nr; i++)
		again.v[i].log = &again.v[i].own_log;
	l->beside = &captures;
	if (again.nr)
		load_files(l, again.v, again.nr);
	l->beside = NULL;
	for (size_t i = 0; i < again.nr; i++) {
		files->v[from.v[i]] = again.v[i];
		files->v[from.v[i]].log = &files->v[from.v[i]].own_log;
	}
	for (size_t i = 0; captures.nr && i < files->nr; i++)
		if (files->v[i].captured && idmap_find(&used, files->v[i].rank) != NO_ID) {
			unread(&files->v[i]);
			files->v[i].status = ST_OK;
		}
	idmap_release(&captured);
	idmap_release(&used);
	vec_release(&from);
	vec_release(&again);
	vec_release(&captures);
}
