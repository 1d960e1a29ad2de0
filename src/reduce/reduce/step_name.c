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

/* ---- the phase of a step of an inference server, read from the step's name ---- */

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

static enum phase execute_phase(struct span rest)
{
	uint64_t context, generation;
	if (!read_requests(rest, &context, &generation))
		return PHASE_ALL;
	if (context && generation)
		return PHASE_MIXED;
	return context ? PHASE_PREFILL : generation ? PHASE_DECODE : PHASE_ALL;
}

/* The phase of a step of SGLang, whose name has the mode, then "bs=" and more. Modes of speculative
 * decoding have no phase. */
static enum phase bracket_phase(struct span rest)
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
	};
	if (rest.n == 0 || rest.p[rest.n - 1] != ']')
		return PHASE_ALL;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (span_starts(rest, modes[i].mode))
			return modes[i].phase;
	return PHASE_ALL;
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

static bool is_sglang(struct span name)
{
	return span_skip(&name, SPAN("step[")) && name.n && name.p[0] >= 'A' && name.p[0] <= 'Z' &&
	       name.p[name.n - 1] == ']';
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

enum phase step_phase_of(struct span name)
{
	if (span_skip(&name, SPAN("execute_")))
		return execute_phase(name);
	return span_skip(&name, SPAN("step[")) ? bracket_phase(name) : PHASE_ALL;
}

int64_t step_requests_of(struct span name)
{
	uint64_t x = 0, y = 0;
	bool told = false;
	if (span_skip(&name, SPAN("execute_new_"))) {
		told =
		    skip_number(&name, &x) && span_skip(&name, SPAN("_cached_")) && skip_number(&name, &y);
	} else if (span_skip(&name, SPAN("execute_"))) {
		told = read_requests(name, &x, &y);
	} else if (is_sglang(name)) {
		while (name.n && !span_skip(&name, SPAN(" bs=")))
			name = (struct span){ name.p + 1, name.n - 1 };
		told = skip_number(&name, &x);
	}
	return told && x <= UINT32_MAX && y <= UINT32_MAX ? (int64_t)(x + y) : 0;
}
