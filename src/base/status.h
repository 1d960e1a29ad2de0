/// Results of functions that may fail, and the exit code of each.
#ifndef GG_BASE_STATUS_H
#define GG_BASE_STATUS_H

#define STATUS_ROWS(X)                                            \
	X(OK, 0, "ok")                                                \
	X(FAILED, 1, "a check fails")                                 \
	X(USAGE, 2, "usage or rules file")                            \
	X(INPUT, 3, "undecided, or input that cannot be judged")      \
	X(BASELINE, 4, "baseline absent, unreadable or incompatible") \
	X(OUTPUT, 5, "internal or output error")

/// ST_OK, or why a function failed; the command ends with the exit code of the status.
enum status {
#define X(name, code, text) ST_##name,
	STATUS_ROWS(X)
#undef X
};

/// Exit code of `st` as documented in the README.
int status_exit_code(enum status st);

/// One-line meaning of `st`; static.
const char *status_text(enum status st);

/// Marks a function that may fail, whose result must be checked.
#define GG_MUST_CHECK __attribute__((warn_unused_result))

/// Returns from the function with the status of `expr` unless it is ST_OK.
#define TRY(expr)                     \
	do {                              \
		enum status try_st_ = (expr); \
		if (try_st_ != ST_OK)         \
			return try_st_;           \
	} while (0)

/// Evaluates an expression and stores its status in `st`, unless `st` is an error already. Use it
/// in place of TRY() in a function that has something to release at its end.
#define NEXT(st, ...)             \
	do {                          \
		if ((st) == ST_OK)        \
			(st) = (__VA_ARGS__); \
	} while (0)

#endif
