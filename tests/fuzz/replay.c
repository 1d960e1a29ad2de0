/* Runs a fuzz target over a folder, without libFuzzer: on every file as a whole, on every beginning
 * of files below 4 KiB, and on copies of each file with one byte replaced, at most 512 of them, at
 * places spread over the file. A folder without files is an error. FOLDER.accepted lists the files
 * that the target accepts, one per line, and no others; --update writes this list anew. */
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRUNCATE_BELOW = 4096, DAMAGES = 512 };

/* Runs the target on one input, in a block of exactly its size, so that a sanitizer sees every read
 * beyond the end. */
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

/* All bytes of a file, followed by a NUL; NULL if the file cannot be opened. */
static char *content(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t cap = 0, got;
	*n = 0;
	if (!f)
		return NULL;
	do {
		if (cap - *n < 2) {
			cap = cap ? 2 * cap : TRUNCATE_BELOW;
			data = realloc(data, cap);
			if (!data)
				abort();
		}
		got = fread(data + *n, 1, cap - *n - 1, f);
		*n += got;
	} while (got);
	fclose(f);
	data[*n] = 0;
	return data;
}

/* The value that replaces a byte: with one bit changed, or a byte with a meaning in some format. */
static uint8_t damaged(uint8_t byte, size_t k)
{
	static const uint8_t others[] = {
		0, 0xFF, '"', '\\', '{', ']', ',', '-', '9', '\n', 0x80, ':'
	};
	return k % 2 ? byte ^ (uint8_t)(1 << k / 2 % 8) : others[k / 2 % sizeof others];
}

/* Runs the target on a file and its damaged copies; returns true if the whole file is accepted. */
static bool replay(const char *path)
{
	size_t n;
	char *data = content(path, &n);
	if (!data) {
		perror(path);
		exit(1);
	}
	/* printed before the run, so that after a crash the last line names the input */
	fprintf(stderr, "%s\n", path);
	if (n < TRUNCATE_BELOW)
		for (size_t i = 0; i < n; i++)
			run((uint8_t *)data, i);
	for (size_t k = 0, i; (i = k * (n / DAMAGES + 1)) < n; k++) {
		char kept = data[i];
		data[i] = (char)damaged((uint8_t)kept, k);
		run((uint8_t *)data, n);
		data[i] = kept;
	}
	run((uint8_t *)data, n);
	free(data);
	return fuzz_accepted;
}

/* Prints the lines of `lines` that `others` does not have; returns their number. */
static int differences(const char *lines, const char *others, const char *what)
{
	int nr = 0;
	for (const char *p = lines, *end; (end = strchr(p, '\n')); p = end + 1) {
		char line[4096];
		snprintf(line, sizeof line, "\n%.*s\n", (int)(end - p), p);
		if (p > lines && !strstr(others, line)) {
			printf("%.*s: %s\n", (int)(end - p), p, what);
			nr++;
		}
	}
	return nr;
}

/* Compares the file `list` with the names in `accepted`, which has a line feed before the first
 * name and after each name. */
static int compare(const char *list, const char *accepted, bool update)
{
	size_t n;
	char *text = content(list, &n), *known = malloc((text ? n : 0) + 2);
	if (!known)
		abort();
	sprintf(known, "\n%s", text ? text : "");
	int nr = differences(known, accepted, "was accepted, and is not") +
	         differences(accepted, known, "is accepted, and was not (--update keeps it so)");
	free(text);
	free(known);
	if (!nr || !update)
		return nr;
	FILE *f = fopen(list, "w");
	if (!f || fputs(accepted + 1, f) < 0 || fclose(f)) {
		perror(list);
		exit(1);
	}
	return 0;
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **names;
	char path[4096], *accepted;
	size_t n = 1;
	bool update = argc == 3 && strcmp(argv[1], "--update") == 0;
	const char *corpus = argv[argc - 1];
	if (argc != 2 + update) {
		fprintf(stderr, "usage: %s [--update] CORPUS\n", argv[0]);
		return 2;
	}
	int nr = scandir(corpus, &names, visible, alphasort);
	accepted = calloc(nr > 0 ? (size_t)nr + 1 : 1, NAME_MAX + 2);
	if (nr <= 0 || !accepted) {
		fprintf(stderr, "%s: no corpus\n", corpus);
		return 1;
	}
	accepted[0] = '\n';
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof path, "%s/%s", corpus, names[i]->d_name);
		if (replay(path))
			n += (size_t)sprintf(accepted + n, "%s\n", names[i]->d_name);
		free(names[i]);
	}
	free(names);
	printf("%d inputs\n", nr);
	snprintf(path, sizeof path, "%s.accepted", corpus);
	int failed = compare(path, accepted, update);
	free(accepted);
	return failed ? 1 : 0;
}
