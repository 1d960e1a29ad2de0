#include "io/inflate.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#ifdef GG_HAS_ISAL
#include <isa-l.h>
#endif

#include "base/alloc.h"
#include "base/strbuf.h"

/* Largest number of bytes given to a library in one call: both libraries count in 32 bits. */
#define STEP_BYTES ((size_t)1 << 30)

struct inflate {
	z_stream z;
	bool zlib_only; ///< true if only zlib may decode the current member
	bool header_done; ///< true once zlib has decoded the header, and ISA-L decodes what follows
#ifdef GG_HAS_ISAL
	struct inflate_state isal;
#endif
};

struct inflate *inflate_new(void)
{
	struct inflate *in = mem_calloc(1, sizeof *in);
	/* adding 16 asks zlib for the gzip wrapper, whose CRC and length it then checks */
	if (inflateInit2(&in->z, 15 + 16) != Z_OK)
		mem_fail(); /* only lack of memory can be the reason: arguments and version are right */
	return in;
}

void inflate_begin(struct inflate *in, bool zlib_only)
{
	inflateReset(&in->z);
#ifdef GG_HAS_ISAL
	in->zlib_only = zlib_only;
#else
	(void)zlib_only;
	in->zlib_only = true;
#endif
	in->header_done = false;
}

/* Decodes with zlib, to the end of the member, or only to the end of the member's header if ISA-L
 * decodes the rest. */
static enum inflate_result step_zlib(struct inflate *in, struct span *input, char *out, size_t cap,
                                     size_t *nr, const char **message)
{
	z_stream *z = &in->z;
	size_t given = input->n < STEP_BYTES ? input->n : STEP_BYTES;
	size_t room = cap < STEP_BYTES ? cap : STEP_BYTES;
	z->next_in = (Bytef *)(uintptr_t)input->p;
	z->avail_in = (uInt)given;
	z->next_out = (Bytef *)out;
	z->avail_out = (uInt)room;
	int answer = inflate(z, in->zlib_only ? Z_NO_FLUSH : Z_BLOCK);
	*input = span_from(*input, given - z->avail_in);
	*nr = room - z->avail_out;
	if (answer == Z_STREAM_END)
		return INFLATE_END;
	if (answer == Z_MEM_ERROR)
		return INFLATE_NO_MEMORY;
	if (answer == Z_OK || answer == Z_BUF_ERROR || *nr)
		/* hand out the bytes before the damage first: at the next call zlib reports the same error
		   again */
		return INFLATE_MORE;
	*message = z->msg ? z->msg : "a preset dictionary is asked for";
	return INFLATE_DAMAGED;
}

#ifdef GG_HAS_ISAL

/* Decodes with ISA-L after the header. If a call finds damage, its output is dropped: the caller
   decodes the member again with zlib, which decides how far the data is valid, and reports the
   damage. */
static enum inflate_result step_isal(struct inflate *in, struct span *input, char *out, size_t cap,
                                     size_t *nr)
{
	struct inflate_state *s = &in->isal;
	size_t given = input->n < STEP_BYTES ? input->n : STEP_BYTES;
	size_t room = cap < STEP_BYTES ? cap : STEP_BYTES;
	s->next_in = (uint8_t *)(uintptr_t)input->p;
	s->avail_in = (uint32_t)given;
	s->next_out = (uint8_t *)out;
	s->avail_out = (uint32_t)room;
	int answer = isal_inflate(s);
	if (answer < 0 || answer == ISAL_NEED_DICT)
		return INFLATE_AGAIN;
	*input = span_from(*input, given - s->avail_in);
	*nr = room - s->avail_out;
	return s->block_state == ISAL_BLOCK_FINISH ? INFLATE_END : INFLATE_MORE;
}

static enum inflate_result step_header(struct inflate *in, struct span *input, size_t *nr,
                                       const char **message)
{
	char none;
	enum inflate_result r = step_zlib(in, input, &none, sizeof none, nr, message);
	/* zlib sets bit 7 of data_type once the header is complete (zlib.h) */
	if (r == INFLATE_MORE && in->z.data_type & 128) {
		in->header_done = true;
		isal_inflate_init(&in->isal);
		in->isal.crc_flag = ISAL_GZIP_NO_HDR_VER;
	}
	return r;
}
#endif

enum inflate_result inflate_step(struct inflate *in, struct span *input, char *out, size_t cap,
                                 size_t *nr, const char **message)
{
#ifdef GG_HAS_ISAL
	*nr = 0;
	if (!in->zlib_only) {
		if (in->header_done)
			return step_isal(in, input, out, cap, nr);
		return step_header(in, input, nr, message);
	}
#endif
	return step_zlib(in, input, out, cap, nr, message);
}

bool inflate_is_fast(const struct inflate *in)
{
	return !in->zlib_only;
}

void inflate_version(struct strbuf *out)
{
	strbuf_addf(out, "zlib %s", zlibVersion());
#ifdef GG_HAS_ISAL
	strbuf_addf(out, ", ISA-L %d.%d.%d", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
	            ISAL_PATCH_VERSION);
#endif
}

void inflate_free(struct inflate *in)
{
	if (in)
		inflateEnd(&in->z);
	free(in);
}
