#include "base/status.h"

int status_exit_code(enum status st)
{
	switch (st) {
#define X(name, code, text) \
	case ST_##name:         \
		return code;
		STATUS_ROWS(X)
#undef X
	}
	return 5;
}

const char *status_text(enum status st)
{
	switch (st) {
#define X(name, code, text) \
	case ST_##name:         \
		return text;
		STATUS_ROWS(X)
#undef X
	}
	return "unknown status";
}
