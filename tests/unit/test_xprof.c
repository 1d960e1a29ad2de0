/* XProf's memory profile: the meaning of its fields, named in lowerCamelCase or with underscores,
   left out, as text or numbers; refused files. */
#include "records_rig.h"

#define STATE(time, heap, activity)                                                             \
	"{\"timeOffsetPs\":\"" time "\",\"aggregationStats\":{\"stackReservedBytes\":\"100\","      \
	"\"heapAllocatedBytes\":\"" heap "\",\"freeMemoryBytes\":\"50\",\"fragmentation\":\"NaN\"," \
	"\"peakBytesInUse\":\"9000\"},\"activityMetadata\":{" activity "}}"
#define ALLOC(bytes, op, step)                                                                \
	"\"memoryActivity\":\"ALLOCATION\",\"requestedBytes\":\"7\",\"allocationBytes\":\"" bytes \
	"\",\"address\":\"18446744073709551615\",\"tfOpName\":\"" op "\",\"stepId\":\"" step      \
	"\",\"regionType\":\"temp\",\"dataType\":\"float\",\"tensorShape\":\"[3, 3]\""
#define FREE(bytes, step)                                                                       \
	"\"memoryActivity\":\"DEALLOCATION\",\"requestedBytes\":\"7\",\"allocationBytes\":\"" bytes \
	"\",\"stepId\":\"" step "\""
#define IN(id, memory) "{\"memoryProfilePerAllocator\":{\"" id "\":{" memory "}}"
#define PEAK                                                                        \
	"\"peakStats\":{\"stackReservedBytes\":\"100\",\"heapAllocatedBytes\":\"300\"," \
	"\"freeMemoryBytes\":\"600\",\"peakBytesInUse\":\"400\"}"
#define SUMMARY                                                     \
	"\"profileSummary\":{\"peakBytesUsageLifetime\":\"9000\"," PEAK \
	",\"peakStatsTimePs\":\"2000000\",\"memoryCapacity\":\"1000\"}"
#define ACTIVES                                                                              \
	"\"activeAllocations\":[{\"snapshotIndex\":\"-1\",\"specialIndex\":\"0\","               \
	"\"numOccurrences\":\"1\"},{\"snapshotIndex\":\"0\",\"specialIndex\":\"-1\","            \
	"\"numOccurrences\":\"2\"}],\"specialAllocations\":[{\"memoryActivity\":\"ALLOCATION\"," \
	"\"requestedBytes\":\"100\",\"allocationBytes\":\"100\",\"tfOpName\":\"stack\","         \
	"\"regionType\":\"stack\",\"dataType\":\"INVALID\",\"tensorShape\":\"unknown\"}]"

/* 100 bytes of stack; the heap changes from 100 to 300 to 200; no snapshot is missing. */
#define OVER_TIME                                                                  \
	"[" STATE("1000000", "100", ALLOC("60", "first", "1")) "," STATE(              \
	    "2000000", "300", ALLOC("200", "second", "1")) "," STATE("3999999", "200", \
	                                                             FREE("100", "2")) "]"
#define WHOLE                                                                                    \
	IN("GPU_0_bfc",                                                                              \
	   SUMMARY ",\"sampledTimelineSnapshots\":" OVER_TIME ",\"memoryProfileSnapshots\":[" STATE( \
	       "2000000", "300", ALLOC("120", "second", "1")) "]," ACTIVES)                          \
	",\"numHosts\":1,\"memoryIds\":[\"GPU_0_bfc\"],\"version\":1,\"hloModules\":[]}"
#define OF_WHOLE                                                                               \
	"xprof GPU_0_bfc: events 3 peak 400 start 140 end 300 allocs 2 frees 1 churn 14 capacity " \
	"1000 op second\n"                                                                         \
	"c temp = 240 x 2 largest 7\n"                                                             \
	"c stack = 100 x 1 largest 100\n"                                                          \
	"c unexplained = 60 x 0 largest 0\n"                                                       \
	"p temp second float[3, 3] = 240 x 2 largest 7\n"                                          \
	"p stack stack  = 100 x 1 largest 100\n"                                                   \
	"p unexplained = 60 x 0 largest 0\n"                                                       \
	"l 200@1 400@2 300@3\n"

/* Like STATE(), with the field names of the proto, numbers instead of texts, and keys in another
   order. */
#define SNAKE_STATE(time, heap, kind, bytes, more)                                     \
	"{\"activity_metadata\":{\"allocation_bytes\":" bytes ",\"requested_bytes\":7,"    \
	"\"memory_activity\":" kind more "},\"aggregation_stats\":{\"fragmentation\":0.5," \
	"\"heap_allocated_bytes\":" heap ",\"stack_reserved_bytes\":100},\"time_offset_ps\":" time "}"
#define SNAKE_TEMP                                                                 \
	",\"tf_op_name\":\"second\",\"region_type\":\"temp\",\"data_type\":\"float\"," \
	"\"tensor_shape\":\"[3, 3]\",\"step_id\":1"
#define SNAKE                                                                                                                                                         \
	"{\"version\":1,\"memory_ids\":null,\"memory_profile_per_allocator\":{\"GPU_0_bfc\":{"                                                                            \
	"\"special_allocations\":[{\"region_type\":\"stack\",\"tf_op_name\":\"stack\","                                                                                   \
	"\"requested_bytes\":100,\"allocation_bytes\":100,\"data_type\":null}],"                                                                                          \
	"\"active_allocations\":[{\"snapshot_index\":-1,\"num_occurrences\":1},"                                                                                          \
	"{\"num_occurrences\":2}],\"memory_profile_snapshots\":[" SNAKE_STATE("2000000", "300", "1", "120", SNAKE_TEMP) "],\"sampled_timeline_snapshots\":[" SNAKE_STATE( \
	    "1000000", "100", "1", "60",                                                                                                                                  \
	    ",\"step_id\":1") "," SNAKE_STATE("2000000", "300", "1", "200",                                                                                               \
	                                      SNAKE_TEMP) "," SNAKE_STATE("3999999", "200", "2",                                                                          \
	                                                                  "100",                                                                                          \
	                                                                  ",\"step_id\":"                                                                                 \
	                                                                  "2") "],"                                                                                       \
	                                                                       "\"profile"                                                                                \
	                                                                       "_summary"                                                                                 \
	                                                                       "\":{"                                                                                     \
	                                                                       "\"memory_"                                                                                \
	                                                                       "capacity"                                                                                 \
	                                                                       "\":1000,"                                                                                 \
	                                                                       "\"peak_"                                                                                  \
	                                                                       "stats\":{"                                                                                \
	                                                                       "\"peak_"                                                                                  \
	                                                                       "bytes_in_"                                                                                \
	                                                                       "use\":"                                                                                   \
	                                                                       "400,"                                                                                     \
	                                                                       "\"free_"                                                                                  \
	                                                                       "memory_"                                                                                  \
	                                                                       "bytes\":"                                                                                 \
	                                                                       "600,"                                                                                     \
	                                                                       "\"heap_"                                                                                  \
	                                                                       "allocated"                                                                                \
	                                                                       "_bytes\":"                                                                                \
	                                                                       "300,"                                                                                     \
	                                                                       "\"stack_"                                                                                 \
	                                                                       "reserved_"                                                                                \
	                                                                       "bytes\":"                                                                                 \
	                                                                       "100}}}}}"

#define SAMPLES(list) "\"sampledTimelineSnapshots\":[" list "]"

static const struct records_row rows[] = {
	{ "all fields", WHOLE, OF_WHOLE },
	{ "names of the proto, numbers, other order", SNAKE, OF_WHOLE },
	{ "version 0", IN("1", "\"memoryProfileSnapshots\":" OVER_TIME) "}",
	  "xprof 1: events 3 peak 400 start 140 end 300 allocs 2 frees 1 churn 14 op second\n"
	  "l 200@1 400@2 300@3\n" },
	{ "version 1 has levels elsewhere",
	  IN("1", SUMMARY ",\"memoryProfileSnapshots\":" OVER_TIME) ",\"version\":1}",
	  "xprof 1: events 0 peak 400 capacity 1000\nl\n" },
	{ "no summary", IN("1", SAMPLES(STATE("0", "5", ALLOC("5", "", "0")))) "}",
	  "xprof 1: events 1 peak 105 start 100 end 105 allocs 1 frees 0 churn 7\nl 105@0\n" },
	{ "a summary alone", IN("1", "\"profileSummary\":{" PEAK "}") "}",
	  "xprof 1: events 0 peak 400\nl\n" },
	{ "everything left out", IN("1", SAMPLES("{}, {\"activityMetadata\":null}")) "}",
	  "xprof 1: events 2 peak 0 start 0 end 0 allocs 0 frees 0 churn 0\nl 0@0 0@0\n" },
	{ "no stack", IN("1", SAMPLES("{\"aggregationStats\":{\"heapAllocatedBytes\":9}}")) "}",
	  "xprof 1: events 1 peak 9 start 9 end 9 allocs 0 frees 0 churn 0\nl 9@0\n" },
	{ "a gap between snapshots",
	  IN("1",
	     SAMPLES(STATE("0", "5", ALLOC("5", "a", "0")) "," STATE("1", "9", FREE("1", "0")))) "}",
	  "xprof 1: events 2 peak 109\nl 105@0 109@0\n" },
	{ "out of order",
	  IN("1", SAMPLES(STATE("2000000", "5", FREE("4", "0")) "," STATE("1000000", "9",
	                                                                  ALLOC("9", "a", "0")))) "}",
	  "xprof 1: events 2 peak 109 start 100 end 105 allocs 1 frees 1 churn 7 op a\nl 109@1 "
	  "105@2\n" },
	{ "growth: the ends of steps 1, 2 and 4; 5 may go on",
	  IN("1",
	     SAMPLES(STATE("0", "10", ALLOC("10", "a", "1")) "," STATE(
	         "1", "20",
	         ALLOC("10", "a", "2")) "," STATE("2", "40",
	                                          ALLOC("20", "a", "4")) "," STATE("3", "90",
	                                                                           ALLOC("50", "a",
	                                                                                 "5")))) "}",
	  "xprof 1: events 4 peak 190 start 100 end 190 allocs 4 frees 0 churn 28 growth 10 op a\n"
	  "l 110@0 120@0 140@0 190@0\n" },
	{ "an activity of an earlier step ends none",
	  IN("1",
	     SAMPLES(STATE("0", "10", ALLOC("10", "a", "1")) "," STATE(
	         "1", "20",
	         ALLOC("10", "a",
	               "2")) "," STATE("2", "30",
	                               ALLOC("10", "a",
	                                     "1")) "," STATE("3", "40",
	                                                     ALLOC("10", "a",
	                                                           "3")) "," STATE("4", "70",
	                                                                           ALLOC("30", "a",
	                                                                                 "4")))) "}",
	  "xprof 1: events 5 peak 170 start 100 end 170 allocs 5 frees 0 churn 35 growth 15 op a\n"
	  "l 110@0 120@0 130@0 140@0 170@0\n" },
	{ "two memories, in order of id",
	  "{\"memoryProfilePerAllocator\":{\"cpu\":{" SAMPLES(
	      STATE("0", "5", "")) "},\"GPU_0_bfc\":{" SAMPLES(STATE("0", "6", "")) "},\"empty\":{}}}",
	  "xprof GPU_0_bfc: events 1 peak 106 start 106 end 106 allocs 0 frees 0 churn 0\n"
	  "xprof cpu: events 1 peak 105 start 105 end 105 allocs 0 frees 0 churn 0\nl 106@0 105@0\n" },
	{ "active beyond the peak, without names",
	  IN("",
	     SAMPLES(
	         "{\"aggregationStats\":{\"heapAllocatedBytes\":9}}") ",\"activeAllocations\":[{"
	                                                              "\"snapshotIndex\":-1,"
	                                                              "\"numOccurrences\":\"1\"}],"
	                                                              "\"specialAllocations\":[{"
	                                                              "\"allocationBytes\":12}]") "}",
	  "xprof unnamed: events 1 peak 9 start 9 end 9 allocs 0 frees 0 churn 0\n"
	  "c other = 12 x 1 largest 0\nc unexplained = -3 x 0 largest 0\n"
	  "p other no operator  = 12 x 1 largest 0\np unexplained = -3 x 0 largest 0\nl 9@0\n" },
	{ "unknown fields and activities",
	  "{\"x\":[{}],\"memoryProfilePerAllocator\":{\"1\":{\"y\":1,\"sampledTimelineSnapshots\":[{"
	  "\"z\":{},"
	  "\"activityMetadata\":{\"memoryActivity\":\"RESERVATION\",\"u\":[]},\"aggregationStats\":{"
	  "\"v\":0,"
	  "\"heapAllocatedBytes\":\"1\"}}],\"profileSummary\":{\"w\":null}}}}",
	  "xprof 1: events 1 peak 1 start 1 end 1 allocs 0 frees 0 churn 0\nl 1@0\n" },
	/* profiles that are refused */
	{ "no memory", "{\"memoryProfilePerAllocator\":{}}", "without a memory" },
	{ "an empty memory", IN("1", "") "}", "without a memory" },
	{ "null", "{\"memoryProfilePerAllocator\":null}", "without a memory" },
	{ "a list", "[]", "byte 0: memory profile: 'memory profile' is not an object" },
	{ "a memory that is a list", "{\"memoryProfilePerAllocator\":{\"1\":[]}}",
	  "byte 34: memory profile: 'memoryProfilePerAllocator' is not an object" },
	{ "samples that are an object", IN("1", "\"sampledTimelineSnapshots\":{}") "}",
	  "is not a list" },
	{ "a fraction", IN("1", SAMPLES("{\"timeOffsetPs\":1.5}")) "}",
	  "'timeOffsetPs' is not a whole number from 0 to below 2^62" },
	{ "a negative level",
	  IN("1", SAMPLES("{\"aggregationStats\":{\"heapAllocatedBytes\":\"-1\"}}")) "}",
	  "'heapAllocatedBytes' is not a whole number from 0" },
	{ "2^62",
	  IN("1",
	     SAMPLES("{\"aggregationStats\":{\"heapAllocatedBytes\":\"4611686018427387904\"}}")) "}",
	  "'heapAllocatedBytes' is not a whole number from 0 to below 2^62" },
	{ "2^62 together",
	  IN("1", SAMPLES("{\"aggregationStats\":{\"heapAllocatedBytes\":\"4611686018427387903\","
	                  "\"stackReservedBytes\":1}}")) "}",
	  "'aggregationStats' is of 4 EiB or more" },
	{ "beyond 2^64",
	  IN("1", SAMPLES("{\"activityMetadata\":{\"requestedBytes\":\"99999999999999999999\"}}")) "}",
	  "'requestedBytes' is not a whole number" },
	{ "text for a number", IN("1", SAMPLES("{\"activityMetadata\":{\"stepId\":\"one\"}}")) "}",
	  "'stepId' is not a whole number below 2^62" },
	{ "a number for text", IN("1", SAMPLES("{\"activityMetadata\":{\"tfOpName\":1}}")) "}",
	  "'tfOpName' is not text" },
	{ "a peak that is not the sum",
	  IN("1", "\"profileSummary\":{\"peakStats\":{\"heapAllocatedBytes\":1,"
	          "\"peakBytesInUse\":2}}") "}",
	  "at the peak stack and heap do not add up" },
	{ "a level above the peak", IN("1", SUMMARY "," SAMPLES(STATE("0", "301", ""))) "}",
	  "memory '1': a snapshot has 401 bytes in use, the summary 400 at the peak" },
	{ "an allocation that is not there",
	  IN("1", SUMMARY ",\"activeAllocations\":[{\"numOccurrences\":1}]") "}",
	  "memory '1': activeAllocations[0] names an allocation that is not there" },
	{ "no special one",
	  IN("1", SUMMARY ",\"activeAllocations\":[{\"snapshotIndex\":-1,\"specialIndex\":1}],"
	                  "\"specialAllocations\":[{}]") "}",
	  "activeAllocations[0] names" },
	{ "active beyond 2^62",
	  IN("1", SUMMARY ",\"activeAllocations\":[{\"snapshotIndex\":-1,\"numOccurrences\":"
	                  "4000000000}],\"specialAllocations\":[{\"allocationBytes\":4000000000}]") "}",
	  "its active allocations add up to 4 EiB or more" },
	{ "one memory twice",
	  "{\"memoryProfilePerAllocator\":{\"1\":{" SAMPLES("{}") "},\"1\":{" SAMPLES("{}") "}}}",
	  "memory '1' is there twice" },
	{ "more behind", IN("1", SAMPLES("{}")) "} 7", "byte 70" },
};

static void test_rows(void **state)
{
	(void)state;
	check_records(true, rows, sizeof rows / sizeof *rows);
}

static void test_damage(void **state)
{
	(void)state;
	check_damage(true, SPAN(WHOLE));
	check_damage(true, SPAN(SNAKE));
}

/* Files at the limits are read; beyond a limit, they are refused. */
static void test_limits(void **state)
{
	(void)state;
	static const char two[] =
	    "{\"memoryProfilePerAllocator\":{\"1\":{" SAMPLES("{},{}") "},\"2\":{" SAMPLES("{}") "}}}";
	static const struct {
		struct records_way way;
		const char *error;
	} limits[] = {
		{ { .rows = 3, .memories = 2 }, NULL },
		{ { .rows = 2, .memories = 2 }, "more than 2 snapshots and allocations" },
		{ { .rows = 3, .memories = 1 }, "more than 1 memories" },
	};
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct strbuf have = STRBUF_INIT;
		assert_int_equal(records_of(true, span_of(two), &limits[i].way, &have), !limits[i].error);
		assert_true(!limits[i].error || strstr(strbuf_str(&have), limits[i].error));
		strbuf_release(&have);
	}
}

/* With 999 snapshots none is missing; with 1000 some may be missing, so that counts are unknown. */
static void test_sampled(void **state)
{
	(void)state;
	for (int nr = 999; nr <= 1000; nr++) {
		struct strbuf text = STRBUF_INIT, have = STRBUF_INIT;
		strbuf_adds(&text,
		            "{\"memoryProfilePerAllocator\":{\"1\":{\"sampledTimelineSnapshots\":[{}");
		for (int i = 1; i < nr; i++)
			strbuf_adds(&text, ",{}");
		strbuf_adds(&text, "]}}}");
		assert_true(records_of(true, strbuf_span(&text), &(struct records_way){ 0 }, &have));
		assert_int_equal(strstr(strbuf_str(&have), "allocs 0") != NULL, nr < 1000);
		strbuf_release(&text);
		strbuf_release(&have);
	}
}

/* If a profile has more sites than are kept, the rest becomes one row, and the sum equals the peak.
 */
static void test_many_sites(void **state)
{
	(void)state;
	struct strbuf text = STRBUF_INIT, have = STRBUF_INIT;
	strbuf_adds(&text, "{\"memoryProfilePerAllocator\":{\"1\":{\"profileSummary\":{\"peakStats\":"
	                   "{\"heapAllocatedBytes\":300}},\"specialAllocations\":[{}");
	for (int i = 1; i < 300; i++)
		strbuf_addf(&text, ",{\"tfOpName\":\"op%d\",\"allocationBytes\":1}", i);
	strbuf_adds(&text, "],\"activeAllocations\":[{\"snapshotIndex\":-1,\"numOccurrences\":1}");
	for (int i = 1; i < 300; i++)
		strbuf_addf(&text, ",{\"snapshotIndex\":-1,\"specialIndex\":%d,\"numOccurrences\":1}", i);
	strbuf_adds(&text, "]}}}");
	assert_true(records_of(true, strbuf_span(&text), &(struct records_way){ 0 }, &have));
	assert_non_null(strstr(strbuf_str(&have), "c other = 299 x 300 largest 0\nc unexplained = 1 "));
	assert_non_null(strstr(strbuf_str(&have), "\np all else = 101 x 101 largest 0\nl"));
	strbuf_release(&text);
	strbuf_release(&have);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),       cmocka_unit_test(test_damage),
		cmocka_unit_test(test_limits),     cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_many_sites),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
