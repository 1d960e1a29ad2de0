#include "read/recognize.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "io/source.h"

/* Words that occur only in recordings of one kind of device, and the names of these devices.
 * Sources: ActivityType.cpp of Kineto; trace_view.json of torch_npu; aten/src/ATen/native/mps;
 * process names of XProf. */
static const struct {
	const char *word, *name;
} words[] = {
	{ "\"mtia_", "MTIA of Meta" },
	{ "Ascend Hardware", "an NPU of Ascend" },
	{ "\"async_npu\"", "an NPU of Ascend" },
	{ "\"xpu_runtime\"", "an XPU of Intel" },
	{ "\"xpu_driver\"", "an XPU of Intel" },
	{ "\"hpu_op\"", "an HPU of Gaudi" },
	{ "aten::_mps_", "MPS of Apple" },
	{ "\"privateuse1_runtime\"", "a device of another back end (PrivateUse1)" },
	{ "\"privateuse1_driver\"", "a device of another back end (PrivateUse1)" },
	{ "/device:TPU", "a TPU of Google" },
};

enum { BLOCK = 1 << 16, WORD_MAX = 64 };

static const char *find_word(const char *p, size_t n)
{
	for (size_t i = 0; i < NR_OF(words); i++)
		if (memmem(p, n, words[i].word, strlen(words[i].word)))
			return words[i].name;
	return NULL;
}

/* Searches the file for each word. The file is read in blocks; a word may lie across two blocks. */
const char *other_device(const char *path)
{
	struct diag_log own; /* its messages are dropped: the reader has already reported errors */
	struct source *src;
	const char *found = NULL;
	diag_init(&own);
	if (strcmp(path, "-") != 0 &&
	    source_open(path, &(struct source_options){ .allow_truncated = true }, &src, &own) ==
	        ST_OK) {
		char *buf = mem_calloc(WORD_MAX + BLOCK, 1);
		size_t kept = 0, nr = 1;
		while (!found && nr) {
			if (source_read(src, buf + kept, BLOCK, &nr, &own) != ST_OK)
				break;
			found = find_word(buf, kept + nr);
			size_t all = kept + nr;
			kept = all < WORD_MAX ? all : WORD_MAX;
			memmove(buf, buf + all - kept, kept);
		}
		free(buf);
		source_close(src);
	}
	diag_release(&own);
	return found;
}
