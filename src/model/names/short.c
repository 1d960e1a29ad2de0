#include "names/short.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"

#define WORD_BEGINS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_("

/* The forms of a kernel's short name. They differ in which template arguments they show. */
enum form {
	FORM_FUNCTOR, ///< form that shows functors; if there are none, the first element type
	FORM_TYPES, ///< form that shows all types
	FORM_VALUES, ///< form that shows types and numbers
	FORM_WHOLE, ///< form that shows everything except namespaces and parameters
	FORM_OTHER, ///< FORM_FUNCTOR, followed by the words in which kernels with the same text differ
	FORM_HASH, ///< FORM_FUNCTOR, followed by the hash of the whole name
};
enum { DEPTH_MAX = 6, FORM_CHARS = 100, PLAIN_CHARS = 40, ALIKE_MAX = 64 };

/* ---- parsing of C++ names ---- */

static bool has(struct span s, const char *word)
{
	return s.n && memmem(s.p, s.n, word, strlen(word)) != NULL;
}

/* True for bytes of identifiers, which are neither brackets nor separators. */
static bool is_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

/* Depth of brackets after the byte at `i`; "->" and "operator<" do not count as brackets. */
static int depth_after(struct span s, size_t i, int depth)
{
	char c = s.p[i];
	if (c == '<')
		return depth + !(i >= 8 && memcmp(s.p + i - 8, "operator", 8) == 0);
	if (c == '(' || c == '{' || c == '[')
		return depth + 1;
	if (c == '>' || c == ')' || c == '}' || c == ']')
		return depth - (depth > 0 && !(c == '>' && i && s.p[i - 1] == '-'));
	return depth;
}

/* The name without return type, parameters and suffixes: "void f<T>(int) [clone .1]" → "f<T>". */
static struct span without_signature(struct span s)
{
	int depth = 0;
	size_t params = 0, from = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (is_word(s.p[i]))
			continue;
		bool anonymous =
		    span_starts((struct span){ s.p + i, s.n - i }, SPAN("(anonymous namespace)"));
		if (depth == 0 && s.p[i] == '(' && i && !anonymous && s.p[i - 1] != ':' && !params &&
		    !(i >= 8 && memcmp(s.p + i - 8, "operator", 8) == 0))
			params = i;
		if (depth == 0 && s.p[i] == ' ' && !params)
			from = i + 1;
		if (depth == 0 && s.p[i] == ':' && params)
			params = 0; /* `params` was the parameter list of an enclosing function */
		depth = depth_after(s, i, depth);
	}
	if (params)
		s.n = params;
	return span_trim((struct span){ s.p + from, s.n - from }, " ");
}

/* Splits a name at the first bracket of its last component: "a::b<c>" → "b" and "c". */
static void split(struct span s, struct span *base, struct span *args)
{
	int depth = 0;
	size_t from = 0, open = s.n;
	for (size_t i = 0; i < s.n; i++) {
		if (is_word(s.p[i]))
			continue;
		if (depth == 0 && s.p[i] == ':' && i + 1 < s.n && s.p[i + 1] == ':') {
			from = i + 2;
			open = s.n;
		}
		if (depth == 0 && s.p[i] == '<' && open == s.n && i >= from)
			open = i;
		depth = depth_after(s, i, depth);
	}
	*base = span_trim((struct span){ s.p + from, open > from ? open - from : 0 }, " ");
	*args = (struct span){ s.p + s.n, 0 };
	if (open < s.n && s.p[s.n - 1] == '>')
		*args = (struct span){ s.p + open + 1, s.n - open - 2 };
}

/* Takes the next template argument off a list. */
static bool next_arg(struct span *list, struct span *arg)
{
	int depth = 0;
	size_t i = 0;
	if (!list->n)
		return false;
	for (; i < list->n && (depth || list->p[i] != ','); i++)
		depth = is_word(list->p[i]) ? depth : depth_after(*list, i, depth);
	*arg = span_trim((struct span){ list->p, i }, " ");
	list->p += i < list->n ? i + 1 : i;
	list->n -= i < list->n ? i + 1 : i;
	return true;
}

static bool is_value(struct span s)
{
	struct span rest = s;
	if (s.n && s.p[0] == '(') { /* skips a C cast: "(int)4" */
		const char *close = memchr(s.p, ')', s.n);
		if (close)
			rest = (struct span){ close + 1, (size_t)(s.p + s.n - close - 1) };
	}
	return rest.n && (isdigit((unsigned char)rest.p[0]) || rest.p[0] == '-' ||
	                  span_starts(rest, SPAN("true")) || span_starts(rest, SPAN("false")));
}

static bool is_element(struct span base)
{
	static const char *const types[] = {
		"float",       "double",        "Half",          "half",   "BFloat16",
		"__half",      "__nv_bfloat16", "nv_bfloat16",   "__bf16", "Float8_e4m3fn",
		"Float8_e5m2", "signed char",   "unsigned char", "char",   "bool",
		"int",         "long",          "short",         "complex"
	};
	return ANY(i, NR_OF(types), span_eq(base, span_of(types[i])));
}

/* True for a type that names the operation of a kernel, by words that libraries use for it. */
static bool is_functor(struct span s)
{
	struct span base, args;
	split(s, &base, &args);
	return has(s, "lambda") || has(base, "unctor") || span_ends(base, SPAN("Op")) ||
	       span_ends(base, SPAN("Ops")) || span_ends(base, SPAN("_op"));
}

static void add_form(struct strbuf *b, struct span s, enum form form, int depth);
static void add_arg(struct strbuf *b, struct span arg, enum form form, int depth);

/* Start of the first lambda that is not inside brackets; NULL if there is none. */
static const char *lambda_of(struct span s)
{
	int depth = 0;
	for (size_t i = 0; i < s.n; i++) {
		struct span rest = { s.p + i, s.n - i };
		if (depth == 0 &&
		    (span_starts(rest, SPAN("{lambda")) || span_starts(rest, SPAN("'lambda")) ||
		     span_starts(rest, SPAN("lambda ["))))
			return s.p + i;
		depth = depth_after(s, i, depth);
	}
	return NULL;
}

/* Appends the name of the function that contains a lambda; operators and wrappers are skipped. */
static void add_outer(struct strbuf *b, struct span s, enum form form, int depth)
{
	struct span base, args;
	s = without_signature(s);
	split(s, &base, &args);
	if (span_starts(base, SPAN("operator")) && base.p > s.p + 2) {
		add_outer(b, (struct span){ s.p, (size_t)(base.p - 2 - s.p) }, form, depth);
		return;
	}
	if (span_starts(base, SPAN("gpu_kernel_impl")) && next_arg(&args, &base))
		add_arg(b, base, form, depth);
	else if (s.n)
		add_form(b, s, form, depth + 1);
	else
		strbuf_adds(b, "lambda");
}

/* Appends a lambda as the function that contains it: "f(…)::{lambda()#1}::operator()()
   const::{lambda(float)#2}" → "f(float)". */
static void add_lambda(struct strbuf *b, struct span s, enum form form, int depth)
{
	const char *at = lambda_of(s), *last = at;
	struct span outer = { s.p, (size_t)(at - s.p) }, base, args;
	while (outer.n && strchr(":{'", outer.p[outer.n - 1]))
		outer.n--;
	size_t before = b->n;
	add_outer(b, outer, form, depth);
	for (const char *next = at; next;) {
		last = next;
		next = memmem(last + 6, (size_t)(s.p + s.n - last) - 6, "lambda(", 7);
	}
	const char *open = memchr(last, '(', (size_t)(s.p + s.n - last));
	const char *close = open ? memchr(open, ')', (size_t)(s.p + s.n - open)) : NULL;
	if (!close || close == open + 1 || memchr(b->p + before, '<', b->n - before) ||
	    memchr(b->p + before, '(', b->n - before))
		return;
	struct span list = { open + 1, (size_t)(close - open - 1) }, arg;
	if (next_arg(&list, &arg)) {
		split(arg, &base, &args);
		strbuf_addch(b, '(');
		strbuf_add(b, base);
		strbuf_addch(b, ')');
	}
}

/* Appends an argument in the given form, or nothing if the form leaves the argument out. */
static void add_arg(struct strbuf *b, struct span arg, enum form form, int depth)
{
	if (is_value(arg)) {
		if (form >= FORM_VALUES)
			strbuf_add(b, arg);
		return;
	}
	if (depth < DEPTH_MAX && form < FORM_WHOLE && lambda_of(arg)) {
		add_lambda(b, arg, form, depth + 1);
		return;
	}
	add_form(b, arg, form, depth + 1);
}

static bool wants(struct span arg, enum form form, bool functors)
{
	struct span base, args;
	if (form != FORM_FUNCTOR)
		return true;
	split(arg, &base, &args);
	return functors ? is_functor(arg) : is_element(base);
}

static void add_args(struct strbuf *b, struct span list, enum form form, int depth)
{
	bool functors = false, first = true;
	struct span rest = list, arg;
	while (next_arg(&rest, &arg))
		functors = functors || is_functor(arg);
	for (rest = list; next_arg(&rest, &arg);) {
		struct strbuf one = STRBUF_INIT;
		if (wants(arg, form, functors))
			add_arg(&one, arg, form, depth);
		bool again = form == FORM_FUNCTOR && !functors && !first; /* skip types after the first */
		if (one.n && !again) {
			strbuf_adds(b, first ? "<" : ", ");
			strbuf_add(b, strbuf_span(&one));
			first = false;
		}
		strbuf_release(&one);
	}
	strbuf_adds(b, first ? "" : ">");
}

static void add_form(struct strbuf *b, struct span s, enum form form, int depth)
{
	struct span base, args;
	split(s, &base, &args);
	if (base.n > 7 && span_ends(base, SPAN("_kernel")) && depth == 0)
		base.n -= 7;
	strbuf_add(b, base.n ? base : s);
	if (depth < DEPTH_MAX)
		add_args(b, args, form, depth);
}

/* ---- names of matrix products ---- */

static bool is_tile(struct span word)
{
	bool x = false;
	for (size_t i = 0; i < word.n; i++) {
		if (!isdigit((unsigned char)word.p[i]) && (word.p[i] != 'x' || !i))
			return false;
		x = x || word.p[i] == 'x';
	}
	return x && isdigit((unsigned char)word.p[word.n - 1]);
}

/* Appends "cutlass_80_tensorop_s16816gemm_bf16_256x128_tn" as "gemm bf16 256x128 tn". */
static bool add_product(struct strbuf *b, struct span name)
{
	static const char *const types[] = { "bf16", "f16",  "tf32", "f32",      "h",      "fp16",
		                                 "s8",   "e4m3", "e5m2", "bf16bf16", "f16f16", "f64",
		                                 "BBS",  "HHS",  "SB",   NULL };
	static const char *const layouts[] = { "nn", "nt", "tn", "tt", "Ailk", "Alik", NULL };
	struct span type = { 0 }, tile = { 0 }, layout = { 0 };
	bool product = false;
	for (size_t i = 0, from = 0; i <= name.n; i++) {
		if (i < name.n && name.p[i] != '_')
			continue;
		struct span word = { name.p + from, i - from };
		product = product || has(word, "gemm") || span_eq(word, SPAN("Cijk"));
		size_t prefix = span_starts(word, SPAN("tilesize")) ? 8
		                : span_starts(word, SPAN("MT"))     ? 2
		                                                    : 0;
		struct span size = { word.p + prefix, word.n - prefix };
		if (!type.n && span_find(word, types) >= 0)
			type = word;
		if (!tile.n && size.n && is_tile(size))
			tile = size;
		if (!layout.n && span_find(word, layouts) >= 0)
			layout = word;
		from = i + 1;
	}
	if (!product || !tile.n)
		return false;
	const struct span words[] = { SPAN("gemm"), type, tile, layout };
	for (size_t i = 0; i < NR_OF(words); i++)
		if (words[i].n) {
			strbuf_adds(b, i ? " " : "");
			strbuf_add(b, words[i]);
		}
	return true;
}

/* ---- short name of a kernel in one form ---- */

/* True for templates that only wrap another kernel, which is their first type argument. */
static bool is_wrapper(struct span base)
{
	static const char *const names[] = { "Kernel", "Kernel2", "kentry", "device_kernel", NULL };
	return span_find(base, names) >= 0;
}

/* Appends both ends of a long name, cut at words: "triton_red_fused_add…norm_view_15". */
static void add_plain(struct strbuf *b, struct span s)
{
	size_t from = PLAIN_CHARS / 2, to = s.n - PLAIN_CHARS / 3;
	while (from > PLAIN_CHARS / 4 && s.p[from] != '_')
		from--;
	while (to < s.n - PLAIN_CHARS / 8 && s.p[to] != '_')
		to++;
	strbuf_add(b, (struct span){ s.p, from });
	strbuf_adds(b, "…");
	strbuf_add(b, (struct span){ s.p + to, s.n - to });
}

static void add_word(struct strbuf *b, struct span s, bool least)
{
	const char *product = memmem(s.p, s.n, "gemm", 4);
	bool ascii = s.n > PLAIN_CHARS && text_chars(s) == s.n;
	if (least && add_product(b, s))
		return;
	if (span_starts(s, SPAN("cutlass_")) && product) {
		while (product > s.p && product[-1] != '_')
			product--;
		strbuf_add(b, (struct span){ product, (size_t)(s.p + s.n - product) });
	} else if (least && ascii) {
		add_plain(b, s);
	} else {
		strbuf_add(b, s);
	}
}

/* The demangled name; `whole` if it is not mangled. */
static const char *plain_of(struct arena *a, const char *whole)
{
	const char *plain = demangle(span_of(whole), a);
	return plain ? plain : whole;
}

/* The name of a kernel in form number `form`. `plain` is the result of plain_of(). */
static const char *form_of(struct arena *a, const char *whole, const char *plain, int form)
{
	struct strbuf b = STRBUF_INIT;
	struct span s = without_signature(span_of(plain)), base, args, arg;
	bool hash = form >= FORM_HASH, least = form >= FORM_OTHER || form == FORM_FUNCTOR;
	if (!s.n || !strchr(WORD_BEGINS, whole[0])) /* the text is not the name of a function */
		return whole;
	split(s, &base, &args);
	for (struct span rest = args; is_wrapper(base) && next_arg(&rest, &arg);)
		if (!is_value(arg)) {
			s = arg;
			split(s, &base, &args);
			break;
		}
	bool word = !args.n && (span_starts(base, SPAN("cutlass_")) || base.n > PLAIN_CHARS);
	if (word)
		add_word(&b, base, least);
	else
		add_form(&b, s, least ? FORM_FUNCTOR : (enum form)form, 0);
	if (!b.n)
		strbuf_adds(&b, whole);
	if (hash)
		strbuf_addf(&b, "~%08x", text_hash32(span_of(whole)));
	return arena_take(a, &b);
}

_Static_assert(NR_SHORT_FORMS == (int)FORM_OTHER, "FORM_OTHER depends on other names");
const char *short_name_form(struct arena *a, const char *whole, int i)
{
	return form_of(a, whole, plain_of(a, whole), i);
}

ORDERING(by_whole, struct short_name, BY_TEXT(whole))

ORDERING(by_text, struct short_name, BY_TEXT(text) THEN(by_whole(x, y)))

ORDERING(by_shortest, struct short_name, BY_TEXT(shortest) THEN(by_whole(x, y)))

void short_names_add(struct short_names *s, const char *whole)
{
	if (whole && *whole)
		vec_push(&s->list, (struct short_name){ .whole = whole });
}

/* ---- words in which names of equal form differ ---- */

/* Sets the texts of names in FORM_OTHER: the shortest form, which several names share, followed by
 * the words in which the name differs from the others. If there are no such words, or too many, the
 * hash of the name follows instead. */
static void set_others(struct short_names *s)
{
	vec_sort(&s->list, by_shortest);
	for (size_t i = 0, end; i < s->list.nr; i = end) {
		struct short_name *first = &s->list.v[i];
		const char *all[ALIKE_MAX];
		bool any = false;
		for (end = i; end < s->list.nr && strcmp(s->list.v[end].shortest, first->shortest) == 0;
		     end++)
			any = any || s->list.v[end].form == FORM_OTHER;
		size_t nr = any && end - i <= ALIKE_MAX ? end - i : 0;
		for (size_t k = 0; k < nr; k++)
			all[k] = first[k].plain;
		for (size_t k = 0; k < nr; k++) {
			struct strbuf b = STRBUF_INIT;
			if (first[k].form != FORM_OTHER)
				continue;
			strbuf_adds(&b, first[k].shortest);
			if (!names_add_apart(&b, all[k], all, nr)) {
				first[k].form = FORM_HASH;
				strbuf_addf(&b, "~%08x", text_hash32(span_of(first[k].whole)));
			}
			first[k].text = arena_take(&s->arena, &b);
		}
	}
}

/* Writes a name in its form. If the text is too long in FORM_TYPES or a later form, takes the next
   form. */
static void set_form(struct short_names *s, struct short_name *n)
{
	if (n->text && n->form < FORM_OTHER)
		return; /* the text was made in this form already */
	do
		n->text = form_of(&s->arena, n->whole, n->plain, n->form);
	while (n->form > FORM_FUNCTOR && n->form < FORM_OTHER &&
	       text_chars(span_of(n->text)) > FORM_CHARS && ++n->form);
}

static bool separate_same(struct short_names *s)
{
	bool again = false;
	vec_sort(&s->list, by_text);
	for (size_t i = 0, end; i < s->list.nr; i = end) {
		for (end = i + 1; end < s->list.nr && strcmp(s->list.v[end].text, s->list.v[i].text) == 0;
		     end++)
			;
		const char *text = s->list.v[i].text;
		for (size_t k = i; end - i > 1 && k < end; k++)
			if (s->list.v[k].form < FORM_HASH && strcmp(s->list.v[k].whole, text) != 0) {
				s->list.v[k].form++;
				s->list.v[k].text = NULL;
				again = true;
			}
	}
	return again;
}

void short_names_end(struct short_names *s)
{
	vec_unite(&s->list, by_whole, NULL);
	for (size_t i = 0; i < s->list.nr; i++) {
		struct short_name *n = &s->list.v[i];
		n->plain = plain_of(&s->arena, n->whole);
		n->text = n->shortest = form_of(&s->arena, n->whole, n->plain, FORM_FUNCTOR);
		n->cut = text_short(&s->arena, span_of(n->whole), MESSAGE_CHARS);
	}
	do {
		for (size_t i = 0; i < s->list.nr; i++)
			set_form(s, &s->list.v[i]);
		set_others(s);
	} while (separate_same(s));
	vec_sort(&s->list, by_whole);
}

const char *short_names_find(const struct short_names *s, const char *whole)
{
	struct short_name key = { .whole = whole };
	const struct short_name *n =
	    s->list.nr ? bsearch(&key, s->list.v, s->list.nr, sizeof key, by_whole) : NULL;
	return n ? n->text : NULL;
}

void short_names_release(struct short_names *s)
{
	vec_release(&s->list);
	arena_release(&s->arena);
}
