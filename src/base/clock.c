#include "base/date.h"

#include <stdlib.h>
#include <time.h>

#include "base/number.h"
#include "base/text.h"

#define LAST_SECOND 253402300799u

enum status clock_seconds(uint64_t *out, struct diag_log *log)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds = (uint64_t)time(NULL);
	if (epoch && (!number_parse_u64(span_of(epoch), &seconds) || seconds > LAST_SECOND))
		return diag_fail(log, ST_USAGE, "SOURCE_DATE_EPOCH is not a count of seconds: %s",
		                 text_quote(&log->arena, span_of(epoch)));
	*out = seconds;
	return ST_OK;
}

enum status clock_today(int64_t *out, struct diag_log *log)
{
	uint64_t seconds;
	TRY(clock_seconds(&seconds, log));
	*out = (int64_t)(seconds / 86400);
	return ST_OK;
}
