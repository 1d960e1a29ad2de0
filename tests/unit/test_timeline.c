/* The memory timeline of torch.profiler: both forms, the figures made from each, and texts that are
 * refused. */
#include "records_rig.h"

/* Rows of [time, action, bytes, category]: two parameters from before the recording; an activation;
   a gradient, whose category becomes unknown; then activation and gradient are freed. */
#define ROWS                                                                    \
	"[[-1, 1, 1000, 0], [-1, 1, 24, 0], [2000, 2, 512, 4], [3500, 2, 256, 5], " \
	"[4999, 3, -256, 5], [4999, 3, 256, 7], [6000, 4, -512, 4], [7000, 4, -256, 7]]"

#define SIZES                                                              \
	"[[2, 2, 3, 6], [[0, 1024, 0, 0, 0, 0, 0, 0, 0], "                     \
	"[0, 1024, 0, 0, 0, 512, 0, 0, 0], [0, 1024, 0, 0, 0, 512, 0, 0, 0], " \
	"[0, 1024, 0, 0, 0, 0, 256, 0, 0]]]"

static const struct records_row rows[] = {
	{ "rows", ROWS,
	  "timeline timeline: events 5 peak 1792 start 1024 end 1024 allocs 2 frees 2 churn 768\n"
	  "c parameter = 1024 x 2 largest 1000 end 1024\n"
	  "c activation = 512 x 1 largest 512 end 0\n"
	  "c unknown = 256 x 1 largest 256 end 0\n"
	  "p parameter parameter  = 1024 x 2 largest 1000\n"
	  "p activation activation  = 512 x 1 largest 512\n"
	  "p unknown unknown  = 256 x 1 largest 256\n"
	  "e parameter parameter  = 1024 x 2 largest 1000\n"
	  "l 1024@2 1536@2 1792@3 1792@4 1280@6 1024@7\n" },
	{ "times and sizes", SIZES,
	  "timeline timeline: events 3 peak 1536 end 1280\n"
	  "c parameter = 1024 end 1024\n"
	  "c activation = 512 end 0\n"
	  "c gradient = 0 end 256\n"
	  "p parameter parameter  = 1024\n"
	  "p activation activation  = 512\n"
	  "e parameter parameter  = 1024\n"
	  "e gradient gradient  = 256\n"
	  "l 1024@2 1536@2 1536@3 1280@6\n" },
	{ "one row", "[[5000, 2, 8, 6]]",
	  "timeline timeline: events 1 peak 8 start 0 end 8 allocs 1 frees 0 churn 8\n"
	  "c autograd detail = 8 x 1 largest 8 end 8\n"
	  "p autograd detail autograd detail  = 8 x 1 largest 8\n"
	  "e autograd detail autograd detail  = 8 x 1 largest 8\n"
	  "l 0@5 8@5\n" },
	{ "before the recording alone", "[[-1, 1, 8, 1]]",
	  "timeline timeline: events 0 peak 8 start 8 end 8 allocs 0 frees 0 churn 0\n"
	  "c optimizer state = 8 x 1 largest 8 end 8\n"
	  "p optimizer state optimizer state  = 8 x 1 largest 8\n"
	  "e optimizer state optimizer state  = 8 x 1 largest 8\n"
	  "l 8@-1\n" },
	{ "one moment", "[[7], [[0, 0, 0, 3, 0, 0, 0, 0, 0]]]",
	  "timeline timeline: events 0 peak 3 end 3\n"
	  "c input = 3 end 3\n"
	  "p input input  = 3\n"
	  "e input input  = 3\n"
	  "l 3@7\n" },
	{ "no bytes", "[[1000, 2, 0, 3], [2000, 3, 0, 3], [2000, 3, 0, 4], [3000, 4, 0, 4]]",
	  "timeline timeline: events 3 peak 0 start 0 end 0 allocs 1 frees 1 churn 0\n"
	  "l 0@1 0@1 0@2 0@3\n" },
	{ "less than nothing", "[[1000, 4, -8, 3], [2000, 2, 4, 3]]",
	  "timeline timeline: events 2 peak 0 start 0 end -4 allocs 1 frees 1 churn 4 lowest -8\n"
	  "c temporary = 0 x 0 largest 4 end -4\n"
	  "e temporary temporary  = -4 x 0 largest 4\n"
	  "l 0@1 -8@1 -4@2\n" },
	{ "of equal peaks the latest", "[[1000, 2, 8, 2], [2000, 4, -8, 2], [3000, 2, 8, 3]]",
	  "timeline timeline: events 3 peak 8 start 0 end 8 allocs 2 frees 1 churn 16\n"
	  "c temporary = 8 x 1 largest 8 end 8\n"
	  "p temporary temporary  = 8 x 1 largest 8\n"
	  "e temporary temporary  = 8 x 1 largest 8\n"
	  "l 0@1 8@1 0@2 8@3\n" },
	{ "the largest sum", "[[1, 2, 4611686018427387903, 0]]",
	  "timeline timeline: events 1 peak 4611686018427387903 start 0 end 4611686018427387903 "
	  "allocs 1 frees 0 churn 4611686018427387903\n"
	  "c parameter = 4611686018427387903 x 1 largest 4611686018427387903 end 4611686018427387903\n"
	  "p parameter parameter  = 4611686018427387903 x 1 largest 4611686018427387903\n"
	  "e parameter parameter  = 4611686018427387903 x 1 largest 4611686018427387903\n"
	  "l 0@0 4611686018427387903@0\n" },
	/* timelines that are refused: what is wrong, the text, the message */
	{ "nothing", "[[], []]", "byte 8: memory timeline: nothing was recorded of this device" },
	{ "an empty row", "[[]]", "byte 4: memory timeline: neither rows of four" },
	{ "no list", "{}", "byte 0: memory timeline: not a list of lists" },
	{ "five", "[[1, 2, 8, 0, 5], [1, 2, 8, 0, 5]]", "byte 18: memory timeline: neither rows of" },
	{ "three", "[[1, 2, 8, 0], [1, 2, 8]]", "byte 15: memory timeline: a row is not of four" },
	{ "a fifth number", "[[1, 2, 8, 0], [1, 2, 8, 0, 1]]",
	  "byte 15: memory timeline: a row is not" },
	{ "an object", "[[1, 2, 8, 0], {}]", "byte 15: memory timeline: a row is not a list" },
	{ "a late number", "[[1, 2, 8, 0], [1, 2, 8, 0], 7]",
	  "byte 29: memory timeline: a row is not a" },
	{ "text", "[[1, 2, \"8\", 0]]", "memory timeline: a number is not whole" },
	{ "a fraction", "[[1, 2, 8.5, 0]]", "memory timeline: a number is not whole" },
	{ "a late fraction", "[[1, 2, 8, 0], [1, 2, 8e1, 0]]", "a row is not of four whole numbers" },
	{ "action 0", "[[1, 0, 8, 0]]", "an action is not one of 1 (preexisting) to 4 (destroy)" },
	{ "action 5", "[[1, 5, 8, 0]]", "an action is not one of" },
	{ "category 8", "[[1, 2, 8, 8]]", "a category is not one of 0 to 7" },
	{ "category -1", "[[1, 2, 8, -1]]", "a category is not one of 0 to 7" },
	{ "time -2", "[[-2, 2, 8, 0]]", "a time is below -1" },
	{ "out of order", "[[5000, 2, 8, 0], [4000, 2, 8, 0]]",
	  "byte 18: memory timeline: rows are not in" },
	{ "late -1", "[[5000, 2, 8, 0], [-1, 1, 8, 0]]", "rows are not in order of time" },
	{ "created before", "[[-1, 2, 8, 0]]", "time -1 and action 1 (preexisting) go together" },
	{ "preexisting later", "[[5000, 1, 8, 0]]", "time -1 and action 1 (preexisting) go together" },
	{ "creating takes", "[[1, 2, -8, 0]]", "the wrong sign for its action" },
	{ "destroying gives", "[[1, 4, 8, 0]]", "the wrong sign for its action" },
	{ "a version that gives first", "[[1, 3, 8, 0], [1, 3, -8, 1]]",
	  "the wrong sign for its action" },
	{ "half a version", "[[1, 3, -8, 0]]", "a new version of a tensor lacks its second row" },
	{ "another after half", "[[1, 3, -8, 0], [1, 2, 8, 0]]", "lacks its second row" },
	{ "halves of two sizes", "[[1, 3, -8, 0], [1, 3, 9, 1]]", "lacks its second row" },
	{ "too large a row", "[[1, 4, -4611686018427387904, 0]]", "a row is of 4 EiB or more" },
	{ "too large a sum", "[[1, 2, 4611686018427387903, 0], [1, 2, 1, 0]]",
	  "add up to 4 EiB or more" },
	{ "beyond 2^63", "[[1, 2, 9223372036854775808, 0]]", "a number is not whole" },
	{ "beyond 2^64", "[[1, 2, 8, 0], [1, 2, 99999999999999999999, 0]]", "four whole numbers" },
	{ "more sizes", "[[7], [[0, 0, 0, 3, 0, 0, 0, 0, 0], []]]", "more sizes than times" },
	{ "fewer sizes", "[[7, 8], [[0, 0, 0, 3, 0, 0, 0, 0, 0]]]", "fewer sizes than times" },
	{ "eight sizes", "[[7], [[0, 0, 0, 3, 0, 0, 0, 0]]]",
	  "byte 7: memory timeline: the sizes of a" },
	{ "ten sizes", "[[7], [[0, 0, 0, 3, 0, 0, 0, 0, 0, 0]]]",
	  "not 0 and those of eight categories" },
	{ "a first column", "[[7], [[1, 0, 0, 3, 0, 0, 0, 0, 0]]]", "not 0 and those of eight" },
	{ "a size below 0", "[[7], [[0, 0, 0, -3, 0, 0, 0, 0, 0]]]", "a size is below 0" },
	{ "too large a size", "[[7], [[0, 4611686018427387904, 0, 0, 0, 0, 0, 0, 0]]]",
	  "4 EiB or more" },
	{ "sizes by time", "[[7, 6], [[0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]]]",
	  "rows are not in order of time" },
	{ "sizes twice", "[[7], [[0, 0, 0, 3, 0, 0, 0, 0, 0]], []]", "more than times and sizes" },
	{ "more behind", "[[1, 2, 8, 0]] 7", "byte 15" },
};

static void test_rows(void **state)
{
	(void)state;
	check_records(false, rows, sizeof rows / sizeof *rows);
}

static void test_damage(void **state)
{
	(void)state;
	check_damage(false, SPAN(ROWS));
	check_damage(false, SPAN(SIZES));
}

/* A timeline with the largest number of rows is read, one with a row more is refused. */
static void test_limit(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t rows;
	} limits[] = { { ROWS, 8 }, { SIZES, 5 } };
	for (size_t i = 0; i < 2; i++)
		for (size_t less = 0; less < 2; less++) {
			struct strbuf have = STRBUF_INIT;
			struct records_way way = { .rows = limits[i].rows - less };
			assert_int_equal(records_of(false, span_of(limits[i].text), &way, &have), !less);
			assert_true(!less || strstr(strbuf_str(&have), "record fewer steps"));
			strbuf_release(&have);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
