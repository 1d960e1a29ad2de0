#include "reduce/step_name.h"

#include "base/number.h"

int64_t step_number_of(struct span name)
{
	size_t from = name.n;
	uint64_t v;
	while (from && is_digit(name.p[from - 1]))
		from--;
	if (!number_parse_u64((struct span){ name.p + from, name.n - from }, &v) || v > INT64_MAX)
		return -1;
	return (int64_t)v;
}

/* ---- steps of an inference server ---- */

/* True for the name of a step of SGLang. */
static bool is_sglang(struct span name)
{
	return span_skip(&name, SPAN("step[")) && name.n && name.p[0] >= 'A' && name.p[0] <= 'Z' &&
	       name.p[name.n - 1] == ']';
}

static bool skip_number(struct span *rest, uint64_t *out)
{
	size_t n = 0;
	while (n < rest->n && is_digit(rest->p[n]))
		n++;
	bool fits = number_parse_u64((struct span){ rest->p, n }, out);
	rest->p += n;
	rest->n -= n;
	return fits;
}

/* The number after the first `key` in a name; 0 if there is none. */
static uint64_t number_after(struct span name, struct span key)
{
	uint64_t n;
	while (name.n && !span_skip(&name, key))
		name = (struct span){ name.p + 1, name.n - 1 };
	return skip_number(&name, &n) ? n : 0;
}

/* Skips text in parentheses, which does not affect the phase. */
static bool skip_details(struct span *rest)
{
	const char *end = rest->n && rest->p[0] == '(' ? memchr(rest->p, ')', rest->n) : NULL;
	if (!end)
		return false;
	rest->n -= (size_t)(end + 1 - rest->p);
	rest->p = end + 1;
	return true;
}

/* Reads from the name of a step of vLLM how many requests are in prefill (context) and how many
 * generate tokens; false if the name does not have these numbers. */
static bool read_requests(struct span rest, uint64_t *context, uint64_t *generation)
{
	uint64_t tokens;
	if (rest.n && is_digit(rest.p[0]) &&
	    !(skip_number(&rest, &tokens) && span_skip(&rest, SPAN("_"))))
		return false;
	return span_skip(&rest, SPAN("context_")) && skip_number(&rest, context) &&
	       skip_details(&rest) && span_skip(&rest, SPAN("_generation_")) &&
	       skip_number(&rest, generation) && skip_details(&rest) && rest.n == 0;
}

/* Reads from the name of a step of vLLM before 0.14 how many requests are new, and how many are
 * not; false if the name does not have these numbers. */
static bool read_new(struct span rest, uint64_t *new, uint64_t *cached)
{
	return span_skip(&rest, SPAN("new_")) && skip_number(&rest, new) &&
	       span_skip(&rest, SPAN("_cached_")) && skip_number(&rest, cached) && rest.n == 0;
}

/* The phase of a step of SGLang, whose name has the mode, then "bs=" and more. */
static enum phase mode_phase(struct span rest)
{
	static const struct {
		struct span mode;
		enum phase phase;
	} modes[] = {
		{ { "EXTEND ", 7 }, PHASE_PREFILL },
		{ { "PREFILL ", 8 }, PHASE_PREFILL },
		{ { "SPLIT_PREFILL ", 14 }, PHASE_PREFILL },
		{ { "DECODE ", 7 }, PHASE_DECODE },
		{ { "MIXED ", 6 }, PHASE_MIXED },
		{ { "TARGET_VERIFY ", 14 }, PHASE_VERIFY },
		{ { "IDLE ", 5 }, PHASE_IDLE },
	};
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (span_starts(rest, modes[i].mode))
			return modes[i].phase;
	return PHASE_OTHER;
}

struct step_told step_told_by(struct span name)
{
	struct step_told out = { .phase = PHASE_ALL };
	struct span rest = name;
	uint64_t x = 0, y = 0, tokens = 0;
	if (is_sglang(name)) {
		span_skip(&rest, SPAN("step["));
		out.phase = mode_phase(rest);
		x = number_after(name, SPAN(" bs="));
		tokens = number_after(name, SPAN(" toks="));
	} else if (span_skip(&rest, SPAN("execute_"))) {
		bool old = read_new(rest, &x, &y);
		if (!old && !read_requests(rest, &x, &y))
			return out;
		/* before 0.14, requests that are not new may be in prefill or in decode */
		out.phase = x && y ? PHASE_MIXED
		            : x    ? PHASE_PREFILL
		            : !y   ? PHASE_IDLE
		            : old  ? PHASE_OTHER
		                   : PHASE_DECODE;
		tokens = number_after(name, SPAN("(")) + number_after(name, SPAN("(sq"));
	}
	if (x <= UINT32_MAX && y <= UINT32_MAX)
		out.requests = (int64_t)(x + y);
	if (tokens <= UINT32_MAX)
		out.tokens = (int64_t)tokens;
	return out;
}

/* ---- a pattern for the names of similar steps, as a step marker ---- */

/* True for the name of a step of vLLM: "execute_…". Releases before 0.14 write the numbers of new
 * and of cached requests in it. */
static bool is_vllm(struct span name)
{
	uint64_t n;
	if (!span_skip(&name, SPAN("execute_")))
		return false;
	if (span_skip(&name, SPAN("new_")))
		return name.n && is_digit(name.p[0]);
	if (name.n && is_digit(name.p[0]) && !(skip_number(&name, &n) && span_skip(&name, SPAN("_"))))
		return false;
	return span_starts(name, SPAN("context_"));
}

/* Length of the name before its first number, as in "step_11", "iteration 5/100" or "step12". A
   digit after a letter belongs to the word ("resnet50_step_3"), unless it ends the name. */
static size_t before_number(struct span name)
{
	size_t end = name.n;
	bool letters = false;
	for (size_t i = 0; i < name.n; i++) {
		if (letters && is_digit(name.p[i]) && !is_letter(name.p[i - 1]) && !is_digit(name.p[i - 1]))
			return i;
		letters = letters || is_letter(name.p[i]);
	}
	while (end && is_digit(name.p[end - 1]))
		end--;
	return letters ? end : name.n;
}

struct span marker_pattern_of(struct span name, struct arena *a, bool *server)
{
	*server = is_vllm(name) || is_sglang(name);
	if (*server)
		return is_vllm(name) ? SPAN("execute_*") : SPAN("step[*");
	size_t n = before_number(name);
	return n == name.n ? name : span_of(arena_printf(a, "%.*s*", (int)n, name.p));
}
