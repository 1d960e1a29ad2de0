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

/* --- phases --- */

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

/* Skip what is in parentheses: the phase does not depend on it. */
static bool skip_details(struct span *rest)
{
	const char *end = rest->n && rest->p[0] == '(' ? memchr(rest->p, ')', rest->n) : NULL;
	if (!end)
		return false;
	rest->n -= (size_t)(end + 1 - rest->p);
	rest->p = end + 1;
	return true;
}

/* vLLM: requests whose context is read, and those that generate. */
static enum phase execute_phase(struct span rest)
{
	uint64_t tokens, context, generation;
	if (rest.n && is_digit(rest.p[0]) &&
	    !(skip_number(&rest, &tokens) && span_skip(&rest, SPAN("_"))))
		return PHASE_ALL;
	if (!span_skip(&rest, SPAN("context_")) || !skip_number(&rest, &context) ||
	    !skip_details(&rest) || !span_skip(&rest, SPAN("_generation_")) ||
	    !skip_number(&rest, &generation) || !skip_details(&rest) || rest.n)
		return PHASE_ALL;
	if (context && generation)
		return PHASE_MIXED;
	return context ? PHASE_PREFILL : generation ? PHASE_DECODE : PHASE_ALL;
}

/* SGLang: the mode, then "bs=" and more. Modes of speculative decoding have no phase. */
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

enum phase step_phase_of(struct span name)
{
	if (span_skip(&name, SPAN("execute_")))
		return execute_phase(name);
	return span_skip(&name, SPAN("step[")) ? bracket_phase(name) : PHASE_ALL;
}
