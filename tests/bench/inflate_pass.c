/* Measures the lowest cost of decompression: zlib's inflate() in a loop, 256 KiB at a time, without
   any use of the bytes.
   usage: inflate_pass FILE.gz */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

int main(int argc, char **argv)
{
	static unsigned char in[64 << 10], out[256 << 10];
	z_stream z = { 0 };
	uint64_t bytes = 0;
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f || inflateInit2(&z, 15 + 16) != Z_OK)
		return 1;
	int status = Z_OK;
	while (status == Z_OK || status == Z_BUF_ERROR) {
		if (z.avail_in == 0) {
			z.next_in = in;
			z.avail_in = (uInt)fread(in, 1, sizeof in, f);
		}
		z.next_out = out;
		z.avail_out = sizeof out;
		status = inflate(&z, Z_NO_FLUSH);
		bytes += sizeof out - z.avail_out;
		if (status == Z_BUF_ERROR && z.avail_in == 0 && feof(f))
			break;
	}
	inflateEnd(&z);
	fclose(f);
	printf("%" PRIu64 " bytes\n", bytes);
	return status != Z_STREAM_END;
}
