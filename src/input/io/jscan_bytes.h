/// Scans runs of bytes, many at a time: with AVX2 in a file that is compiled for it
/// (trace_event_avx2.c of the trace reader), else with SSE2 on x86-64, else in 64-bit words. No
/// other folder of src/ includes this.
///
/// Each function stops at a NUL at the latest, and may read up to JSCAN_PAD bytes from where it
/// stops. The scanner's window has JSCAN_PAD NULs after its end, so that no function checks for the
/// end.
#ifndef GG_IO_JSCAN_BYTES_H
#define GG_IO_JSCAN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__) && !defined(GG_PORTABLE)
#include <immintrin.h>
#define GG_AVX2 1
#else
#define GG_AVX2 0
#endif
#if defined(__SSE2__) && !defined(GG_PORTABLE)
#include <emmintrin.h>
#define GG_SSE2 1
#else
#define GG_SSE2 0
#endif

enum { JSCAN_PAD = 128 };

/* marks functions that do most of the work, to be inlined wherever they are called */
#define JSCAN_INLINE static inline __attribute__((always_inline))

/* Loads eight bytes at `p` into a word, the first byte into the lowest bits. */
static inline uint64_t bytes_load(const char *p)
{
	uint64_t w;
	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

#define BYTES_EACH(b) (0x0101010101010101u * (uint64_t)(unsigned char)(b))

#if GG_AVX2
/// Number of bytes that bytes_string_stops() and bytes_no_digits() look at. The first returns a
/// mask with a bit for each byte that ends a plain run of string bytes (a quote, backslash or
/// control byte), the second a mask with a bit for each byte that is not a digit.
enum { BYTES_STEP = 32 };
static inline unsigned bytes_string_stops(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
	__m256i slash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
	__m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);
	return (unsigned)_mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(quote, slash), control));
}

static inline unsigned bytes_no_digits(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i d = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));
	return ~(unsigned)_mm256_movemask_epi8(
	    _mm256_cmpeq_epi8(_mm256_min_epu8(d, _mm256_set1_epi8(9)), d));
}
#elif GG_SSE2
enum { BYTES_STEP = 16 };
/* Mask with a bit for each byte that ends a plain run of string bytes: a quote, backslash or
   control byte. */
static inline unsigned bytes_string_stops(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
	__m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
	__m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), control));
}

/* Mask with a bit for each byte that is not a digit. */
static inline unsigned bytes_no_digits(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i d = _mm_sub_epi8(v, _mm_set1_epi8('0'));
	return 0xffffu ^
	       (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(9)), d));
}
#else
/* Word with the high bit set in each byte that is 0 in `w`; correct up to the first such byte. */
static inline uint64_t bytes_zero(uint64_t w)
{
	return (w - BYTES_EACH(1)) & ~w & BYTES_EACH(0x80);
}
#endif

/// Address of the first byte from `p` on that ends a plain run of string bytes: a quote, backslash
/// or control byte.
static inline const char *bytes_string_end(const char *p)
{
#if GG_SSE2
	for (;; p += BYTES_STEP) {
		unsigned stops = bytes_string_stops(p);
		if (stops)
			return p + __builtin_ctz(stops);
	}
#else
	for (;; p += 8) {
		uint64_t w = bytes_load(p);
		uint64_t control = (w - BYTES_EACH(0x20)) & ~w & BYTES_EACH(0x80);
		uint64_t stops =
		    bytes_zero(w ^ BYTES_EACH('"')) | bytes_zero(w ^ BYTES_EACH('\\')) | control;
		if (stops)
			return p + __builtin_ctzll(stops) / 8;
	}
#endif
}

/// Address of the first byte from `p` on that is not a digit.
static inline const char *bytes_digits_end(const char *p)
{
#if GG_SSE2
	for (;; p += BYTES_STEP) {
		unsigned stops = bytes_no_digits(p);
		if (stops)
			return p + __builtin_ctz(stops);
	}
#else
	for (;; p += 8) {
		/* ^ '0' makes a digit 0 to 9, so that adding 0x76 leaves its high bit clear; a carry
		   changes only bytes after the first non-digit */
		uint64_t w = bytes_load(p) ^ BYTES_EACH('0');
		uint64_t stops = ((w + BYTES_EACH(0x76)) | w) & BYTES_EACH(0x80);
		if (stops)
			return p + __builtin_ctzll(stops) / 8;
	}
#endif
}

/* Value of the eight digits in `w`, the first in the lowest byte; bytes that are 0 count as '0'.
   Source: "Faster integer parsing", Ivan Kosarev and others. */
static inline uint64_t bytes_eight_digits(uint64_t w)
{
	w = (w & BYTES_EACH(0x0f)) * 2561 >> 8;
	w = (w & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
	return (w & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
}

#if GG_AVX2
/* Constants of bytes_number(). They are in memory because the compiler would otherwise build each
   of them in a register anew for every number. */
static const struct bytes_constants {
	_Alignas(16) int8_t range[16], zero[16], hundreds[16], pairs[16];
	int16_t fours[8], eights[8];
	int8_t places[32];
} bytes_constants = {
	.range = { '0', '9' },
	.zero = { 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48 },
	.hundreds = { 100, 10, 1 },
	.pairs = { 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1 },
	.fours = { 100, 1, 100, 1, 100, 1, 100, 1 },
	.eights = { 10000, 1, 10000, 1, 10000, 1, 10000, 1 },
	.places = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	            0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15 },
};
#define BYTES_VECTOR(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#endif

/// Returns the number of digits at `p`, at most 16. `*value` becomes their value, 0 if there are no
/// digits.
JSCAN_INLINE size_t bytes_number(const char *p, uint64_t *value)
{
#if GG_AVX2
	const struct bytes_constants *k = &bytes_constants;
	__asm__("" : "+r"(k));
	/* `n` becomes the index of the first byte that is not in the range from '0' to '9' */
	__m128i v = BYTES_VECTOR(p);
	unsigned n = (unsigned)_mm_cmpistri(BYTES_VECTOR(k->range), v,
	                                    _SIDD_CMP_RANGES | _SIDD_NEGATIVE_POLARITY);
	/* digits are moved to the end of the vector, with zeros before them; then pairs, fours and
	 * eights of digits are combined */
	v = _mm_shuffle_epi8(_mm_sub_epi8(v, BYTES_VECTOR(k->zero)), BYTES_VECTOR(k->places + n));
	v = _mm_maddubs_epi16(v, BYTES_VECTOR(k->pairs));
	v = _mm_madd_epi16(v, BYTES_VECTOR(k->fours));
	v = _mm_madd_epi16(_mm_packus_epi32(v, v), BYTES_VECTOR(k->eights));
	uint64_t w = (uint64_t)_mm_cvtsi128_si64(v);
	*value = (uint32_t)w * (uint64_t)100000000 + (w >> 32);
#else
	size_t n = (size_t)(bytes_digits_end(p) - p);
	n = n < 16 ? n : 16;
	/* shifts out the bytes after the digits; zeros come in before the digits */
	*value = n == 0   ? 0
	         : n <= 8 ? bytes_eight_digits(bytes_load(p) << (64 - 8 * n))
	                  : bytes_eight_digits(bytes_load(p) << (128 - 8 * n)) * 100000000 +
	                        bytes_eight_digits(bytes_load(p + n - 8));
#endif
	return n;
}

/// True if three digits are at `p`; then their value is in `*value`.
static inline bool bytes_three_digits(const char *p, uint64_t *value)
{
	/* ^ '0' makes a digit 0 to 9, so that adding 0x76 below leaves its high bit clear */
	uint64_t w = (bytes_load(p) ^ BYTES_EACH('0')) & 0xffffff;
#if GG_AVX2
	__m128i v =
	    _mm_maddubs_epi16(_mm_cvtsi32_si128((int)w), BYTES_VECTOR(bytes_constants.hundreds));
	*value = (uint32_t)_mm_cvtsi128_si32(v) * 0x10001u >> 16; /* sum of the two 16-bit halves */
#else
	*value = (w & 0xff) * 100 + (w >> 8 & 0xff) * 10 + (w >> 16);
#endif
	return (((w + 0x767676) | w) & 0x808080) == 0;
}

/// Compares the first 32 bytes of `p` and `text`. True if byte i is equal in both for each bit i
/// that is set in `mask`.
static inline bool bytes_equal(const char *p, const char *text, uint32_t mask)
{
#if GG_AVX2
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)text);
	return (~(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)) & mask) == 0;
#elif GG_SSE2
	const __m128i *a = (const __m128i *)(const void *)p, *b = (const __m128i *)(const void *)text;
	unsigned low =
	    (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(a), _mm_loadu_si128(b)));
	unsigned high =
	    (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(a + 1), _mm_loadu_si128(b + 1)));
	return (~(high << 16 | low) & mask) == 0;
#else
	/* callers pass only masks whose set bits are the lowest ones */
	size_t n = (size_t)__builtin_popcount(mask);
	for (; n >= 8; n -= 8, p += 8, text += 8)
		if (bytes_load(p) != bytes_load(text))
			return false;
	return n == 0 || (bytes_load(p) ^ bytes_load(text)) << (64 - 8 * n) == 0;
#endif
}

#endif
