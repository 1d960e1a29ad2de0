/* Any bytes are read as a trace, plain or gzip: the size of blocks makes no difference; events keep
 * the promises of events/event.h; and --allow-truncated makes no difference for a trace that is not
 * cut short. */
#include "fuzz.h"

#include <stdlib.h>

#include "../unit/reduced_text.h"
#include "../unit/trace_record.h"

static void law(bool holds)
{
	if (!holds)
		abort();
}

/* Which fault of damaged gzip data is reported depends on the size of blocks: ISA-L may hand out
   some bytes of a member that zlib refuses, and the parser may object to them first. */
static bool refused_alike(struct span text, const struct record *a, const struct record *b)
{
	return span_starts(text, SPAN("\x1f\x8b")) && a->status == ST_INPUT && b->status == ST_INPUT;
}

static struct record read_twice(struct span text, struct trace_options options)
{
	struct record whole = record_trace(text, options, 0, 0);
	struct record parts = record_trace(text, options, 3, 0);
	law(record_same(&whole, &parts) || refused_alike(text, &whole, &parts));
	law(!whole.broken);
	law((whole.status == ST_OK) == !strstr(strbuf_str(&whole.log), "error: "));
	law(!whole.not_a_trace || whole.status == ST_INPUT);
	record_release(&parts);
	return whole;
}

static void reduce_any(struct span text)
{
	struct reduce_options options = { .marker = "*Step#*", .communication = "nccl" };
	struct strbuf digest = reduced(text, &(struct trace_options){ 0 }, &options);
	strbuf_release(&digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };
	struct record strict = read_twice(text, (struct trace_options){ 0 });
	struct record lenient = read_twice(text, (struct trace_options){ .allow_truncated = true });
	struct record quick = read_twice(text, (struct trace_options){ .quick = 2 });
	fuzz_accepted = strict.status == ST_OK;
	law(!strict.truncated);
	if (!lenient.truncated)
		law(record_same(&strict, &lenient));
	else
		law(strict.status == ST_INPUT);
	law(span_eq(strbuf_span(&lenient.events), strbuf_span(&strict.events)));
	law(span_starts(strbuf_span(&strict.events), strbuf_span(&quick.events)));
	law(quick.nr_taken <= 2);
	reduce_any(text);
	record_release(&strict);
	record_release(&lenient);
	record_release(&quick);
	return 0;
}
