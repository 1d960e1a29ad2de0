/*
 * Runs a fuzz target over a folder, without libFuzzer: every file whole, and
 * every truncation of the files below 4 KiB. A folder without files is an error.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRUNCATE_BELOW = 4096 };

/* Each input lies in a block of exactly its size, so that a sanitizer sees a read past the end. */
static void run(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	LLVMFuzzerTestOneInput(n ? copy : copy + 1, n);
	free(copy);
}

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, cap = 0, got;
	if (!f) {
		perror(path);
		return 1;
	}
	do {
		if (n == cap) {
			cap = cap ? 2 * cap : TRUNCATE_BELOW;
			data = realloc(data, cap);
			if (!data)
				abort();
		}
		got = fread(data + n, 1, cap - n, f);
		n += got;
	} while (got);
	fclose(f);

	fprintf(stderr, "%s\n", path); /* the last line before a crash names the input */
	if (n < TRUNCATE_BELOW)
		for (size_t i = 0; i < n; i++)
			run(data, i);
	run(data, n);
	free(data);
	return 0;
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **names;
	int nr, failed = 0;
	if (argc != 2) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}
	nr = scandir(argv[1], &names, visible, alphasort);
	if (nr <= 0) {
		fprintf(stderr, "%s: no corpus\n", argv[1]);
		return 1;
	}
	for (int i = 0; i < nr; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", argv[1], names[i]->d_name);
		failed |= replay(path);
		free(names[i]);
	}
	free(names);
	printf("%d inputs\n", nr);
	return failed;
}
