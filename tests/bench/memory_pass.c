/* Measures the lowest cost of reading: the file is read in blocks of 256 KiB, and every byte is
   looked at exactly once.
   usage: memory_pass FILE */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t sum(const unsigned char *p, size_t n)
{
	uint64_t sums[8] = { 0 }, w;
	size_t i = 0;
	for (; i + 64 <= n; i += 64)
		for (int k = 0; k < 8; k++) {
			memcpy(&w, p + i + 8 * k, 8);
			sums[k] += w;
		}
	for (; i < n; i++)
		sums[0] += p[i];
	for (int k = 1; k < 8; k++)
		sums[0] += sums[k];
	return sums[0];
}

int main(int argc, char **argv)
{
	static unsigned char block[256 << 10];
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	uint64_t bytes = 0, total = 0;
	ssize_t n;
	while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0) {
		bytes += (uint64_t)n;
		total += sum(block, (size_t)n);
	}
	printf("%" PRIu64 " bytes, sum %" PRIu64 "\n", bytes, total);
	return bytes == 0;
}
