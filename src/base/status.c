#include "base/status.h"

static const struct {
	int code;
	const char *text;
} rows[] = {
#define X(name, code, text) { (code), (text) },
	STATUS_ROWS(X)
#undef X
};

int status_exit_code(enum status st)
{
	return rows[st].code;
}

const char *status_text(enum status st)
{
	return rows[st].text;
}
