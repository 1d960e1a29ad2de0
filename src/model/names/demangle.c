/* Demangles names of kernels by the Itanium C++ ABI (section 5.1), as far as they need it. */
#include "names/short.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* Limits for hostile names: nesting, and bytes to which substitutions can expand a name. */
enum { DEPTH_MAX = 64, TEXT_MAX = 1 << 18 };

struct demangler {
	struct arena *a;
	const char *p, *end;
	int depth;
	size_t written; ///< number of bytes of all texts that have been made, to limit hostile names
	VEC(const char *) subs; ///< texts to which the substitutions S_, S0_, … refer
	VEC(const char *) args; ///< texts to which the template parameters T_, T0_, … refer
};

static const char *parse_type(struct demangler *d);
static const char *parse_name(struct demangler *d);
static const char *parse_encoding(struct demangler *d);

/* ---- pieces of the mangled text ---- */

static const char *take(struct demangler *d, struct strbuf *b)
{
	d->written += b->n;
	const char *text = arena_take(d->a, b);
	return d->written > TEXT_MAX ? NULL : text;
}

static const char *join(struct demangler *d, const char *x, const char *y, const char *z)
{
	struct strbuf b = STRBUF_INIT;
	if (!x || !y || !z)
		return NULL;
	strbuf_adds(&b, x);
	strbuf_adds(&b, y);
	strbuf_adds(&b, z);
	return take(d, &b);
}

static char look(const struct demangler *d)
{
	return d->p < d->end ? *d->p : '\0';
}

static bool starts(const struct demangler *d, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(d->end - d->p) >= n && memcmp(d->p, word, n) == 0;
}

static bool accept(struct demangler *d, const char *word)
{
	bool yes = starts(d, word);
	d->p += yes ? strlen(word) : 0;
	return yes;
}

/* Takes the code that follows, and returns its text; NULL if none of the `nr` codes follows. */
static const char *accept_any(struct demangler *d, const char *const codes[][2], size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (accept(d, codes[i][0]))
			return codes[i][1];
	return NULL;
}

static const char *push(struct demangler *d, const char *text)
{
	if (text)
		vec_push(&d->subs, text);
	return text;
}

/* Parses a number; SIZE_MAX if there is none, or if it is larger than any name. */
static size_t parse_number(struct demangler *d)
{
	size_t n = 0;
	if (!isdigit((unsigned char)look(d)))
		return SIZE_MAX;
	for (; isdigit((unsigned char)look(d)); d->p++)
		n = n > TEXT_MAX ? n : n * 10 + (size_t)(*d->p - '0');
	return n;
}

/* Parses an index: "_" is 0, "0_" is 1, …; its digits have the base `base`. SIZE_MAX if it is
 * invalid. */
static size_t parse_index(struct demangler *d, unsigned base)
{
	size_t n = 0;
	bool any = false;
	for (; look(d) && look(d) != '_'; d->p++, any = true) {
		char c = *d->p;
		unsigned v = isdigit((unsigned char)c)   ? (unsigned)(c - '0')
		             : isupper((unsigned char)c) ? (unsigned)(c - 'A') + 10
		                                         : base;
		if (v >= base || n > TEXT_MAX)
			return SIZE_MAX;
		n = n * base + v;
	}
	return accept(d, "_") ? n + any : SIZE_MAX;
}

static const char *parse_source_name(struct demangler *d)
{
	size_t n = parse_number(d);
	if (n == SIZE_MAX || n > (size_t)(d->end - d->p))
		return NULL;
	struct span s = { d->p, n };
	d->p += n;
	if (n >= 10 && memcmp(s.p, "_GLOBAL__N", 10) == 0)
		return "(anonymous namespace)";
	struct strbuf b = STRBUF_INIT;
	strbuf_add(&b, s);
	return take(d, &b);
}

/* ---- template arguments ---- */

static const char *parse_literal(struct demangler *d)
{
	if (accept(d, "_Z")) {
		const char *name = parse_encoding(d);
		return accept(d, "E") ? name : NULL;
	}
	bool truth = look(d) == 'b';
	const char *type = parse_type(d), *from = d->p;
	while (look(d) && look(d) != 'E')
		d->p++;
	struct span value = { from, (size_t)(d->p - from) };
	if (!type || !accept(d, "E"))
		return NULL;
	if (truth)
		return value.n == 1 && value.p[0] == '1' ? "true" : "false";
	struct strbuf b = STRBUF_INIT;
	if (value.n && value.p[0] == 'n') {
		strbuf_addch(&b, '-');
		value = (struct span){ value.p + 1, value.n - 1 };
	}
	strbuf_add(&b, value);
	return take(d, &b);
}

static const char *parse_args(struct demangler *d, bool keep);

static const char *parse_arg(struct demangler *d)
{
	if (accept(d, "L"))
		return parse_literal(d);
	if (accept(d, "X")) {
		bool address = accept(d, "ad");
		const char *value = accept(d, "L") ? parse_literal(d) : NULL;
		value = value && address ? join(d, "&", value, "") : value;
		return accept(d, "E") ? value : NULL;
	}
	if (accept(d, "J"))
		return parse_args(d, false);
	if (accept(d, "Tn") && !parse_type(d)) /* skips the declared type of the value that follows */
		return NULL;
	if (look(d) == 'L' || look(d) == 'X')
		return ++d->depth > DEPTH_MAX ? NULL : parse_arg(d);
	return parse_type(d);
}

/* Parses arguments up to "E", and joins them by commas; NULL if they cannot be parsed. If `keep`,
 * they are template arguments, to which T_, T0_, … refer from now on. */
static const char *parse_args(struct demangler *d, bool keep)
{
	struct strbuf b = STRBUF_INIT;
	VEC(const char *) args = VEC_INIT;
	bool ok = true;
	while (ok && !accept(d, "E")) {
		const char *arg = d->p < d->end ? parse_arg(d) : NULL;
		ok = arg != NULL && b.n < TEXT_MAX;
		if (!ok)
			break;
		strbuf_adds(&b, b.n && *arg ? ", " : "");
		strbuf_adds(&b, arg);
		vec_push(&args, arg);
	}
	if (ok && keep) {
		d->args.nr = 0;
		vec_move(&d->args, &args);
	}
	vec_release(&args);
	if (ok)
		return take(d, &b);
	strbuf_release(&b);
	return NULL;
}

static const char *with_args(struct demangler *d, const char *name)
{
	while (name && accept(d, "I")) {
		const char *args = parse_args(d, true);
		name = join(d, name, "<", args);
		name = name ? join(d, name, ">", "") : NULL;
	}
	return name;
}

/* ---- names ---- */

static const char *parse_operator(struct demangler *d)
{
	static const char *const operators[][2] = {
		{ "cl", "operator()" }, { "ix", "operator[]" }, { "pl", "operator+" },
		{ "mi", "operator-" },  { "ml", "operator*" },  { "dv", "operator/" },
		{ "eq", "operator==" }, { "ne", "operator!=" }, { "lt", "operator<" },
		{ "gt", "operator>" },  { "le", "operator<=" }, { "ge", "operator>=" },
		{ "aS", "operator=" },  { "nt", "operator!" },  { "aa", "operator&&" },
		{ "oo", "operator||" },
	};
	return accept_any(d, operators, NR_OF(operators));
}

static const char *parse_lambda(struct demangler *d)
{
	const char *params = parse_args(d, false);
	size_t nr = params ? parse_index(d, 10) : SIZE_MAX;
	if (nr == SIZE_MAX)
		return NULL;
	d->written += strlen(params);
	return arena_printf(d->a, "{lambda(%s)#%zu}", strcmp(params, "void") ? params : "", nr + 1);
}

static const char *parse_unqualified(struct demangler *d)
{
	const char *name = NULL;
	accept(d, "L");
	if (isdigit((unsigned char)look(d)))
		name = parse_source_name(d);
	else if (accept(d, "Ul"))
		name = parse_lambda(d);
	else if (accept(d, "Ut"))
		name = parse_index(d, 10) == SIZE_MAX ? NULL : "{unnamed}";
	else if (look(d) == 'C' || look(d) == 'D')
		return NULL;
	else
		name = parse_operator(d);
	while (name && accept(d, "B"))
		if (!parse_source_name(d))
			return NULL;
	return name;
}

static const char *parse_substitution(struct demangler *d)
{
	static const char *const known[][2] = {
		{ "t", "std" },           { "a", "std::allocator" }, { "b", "std::basic_string" },
		{ "s", "std::string" },   { "i", "std::istream" },   { "o", "std::ostream" },
		{ "d", "std::iostream" },
	};
	const char *text = accept_any(d, known, NR_OF(known));
	if (text)
		return text;
	size_t i = parse_index(d, 36);
	return i < d->subs.nr ? d->subs.v[i] : NULL;
}

static const char *parse_param(struct demangler *d)
{
	size_t i = parse_index(d, 10);
	if (i == SIZE_MAX)
		return NULL;
	return i < d->args.nr ? d->args.v[i] : "T";
}

static const char *parse_nested(struct demangler *d)
{
	const char *name = NULL;
	while (look(d) && strchr("rVK", look(d)))
		d->p++;
	if (!accept(d, "R"))
		accept(d, "O");
	while (!accept(d, "E")) {
		if (look(d) == 'I') {
			name = push(d, with_args(d, name));
		} else if (accept(d, "S")) {
			const char *sub = parse_substitution(d);
			if (name || !sub)
				return NULL;
			name = sub;
		} else if (accept(d, "T")) {
			const char *param = parse_param(d);
			name = name ? NULL : push(d, param);
		} else {
			accept(d, "M");
			const char *component = parse_unqualified(d);
			name = push(d, name ? join(d, name, "::", component) : component);
		}
		if (!name)
			return NULL;
	}
	if (name && d->subs.nr && d->subs.v[d->subs.nr - 1] == name)
		d->subs.nr--;
	return name;
}

/* Parses an entity within a function: "f()::{lambda()#1}". */
static const char *parse_local(struct demangler *d)
{
	const char *function = parse_encoding(d);
	if (!function || !accept(d, "E"))
		return NULL;
	if (accept(d, "s"))
		return function;
	if (accept(d, "d"))
		if (parse_index(d, 10) == SIZE_MAX)
			return NULL;
	const char *entity = parse_name(d);
	if (accept(d, "_")) /* skips the number that distinguishes entities of the same name */
		while (isdigit((unsigned char)look(d)) || look(d) == '_')
			d->p++;
	return join(d, function, "()::", entity);
}

static const char *parse_name(struct demangler *d)
{
	const char *name;
	if (++d->depth > DEPTH_MAX)
		return NULL;
	if (accept(d, "N")) {
		name = parse_nested(d);
	} else if (accept(d, "Z")) {
		name = parse_local(d);
	} else if (starts(d, "S") && !starts(d, "St")) {
		accept(d, "S");
		name = with_args(d, parse_substitution(d));
	} else {
		bool standard = accept(d, "St");
		name = parse_unqualified(d);
		name = standard ? join(d, "std::", name, "") : name;
		if (look(d) == 'I')
			name = with_args(d, push(d, name));
	}
	d->depth--;
	return name;
}

/* Parses a name with its parameters, if it has any; the parameters are dropped. */
static const char *parse_encoding(struct demangler *d)
{
	const char *name = parse_name(d);
	while (name && look(d) && look(d) != 'E' && look(d) != '.')
		if (!parse_type(d))
			return NULL;
	return name;
}

/* ---- types ---- */

static const char *parse_builtin(struct demangler *d)
{
	static const char *const types[][2] = {
		{ "v", "void" },        { "w", "wchar_t" },
		{ "b", "bool" },        { "c", "char" },
		{ "a", "signed char" }, { "h", "unsigned char" },
		{ "s", "short" },       { "t", "unsigned short" },
		{ "i", "int" },         { "j", "unsigned int" },
		{ "l", "long" },        { "m", "unsigned long" },
		{ "x", "long long" },   { "y", "unsigned long long" },
		{ "n", "__int128" },    { "o", "unsigned __int128" },
		{ "f", "float" },       { "d", "double" },
		{ "e", "long double" }, { "g", "__float128" },
		{ "z", "..." },         { "Dn", "std::nullptr_t" },
		{ "Dh", "half" },       { "DF16_", "_Float16" },
		{ "DF16b", "__bf16" },  { "Da", "auto" },
		{ "Di", "char32_t" },   { "Ds", "char16_t" },
	};
	return accept_any(d, types, NR_OF(types));
}

static const char *parse_function(struct demangler *d)
{
	accept(d, "Y");
	const char *result = parse_type(d), *params = result ? parse_args(d, false) : NULL;
	const char *text = join(d, result, " (", params);
	return text ? join(d, text, ")", "") : NULL;
}

static const char *parse_array(struct demangler *d)
{
	const char *from = d->p;
	while (isdigit((unsigned char)look(d)))
		d->p++;
	struct span size = { from, (size_t)(d->p - from) };
	const char *type = accept(d, "_") ? parse_type(d) : NULL;
	return type ? join(d, join(d, type, "[", arena_dup(d->a, size)), "]", "") : NULL;
}

static const char *parse_compound(struct demangler *d)
{
	static const char *const suffixes[][2] = { { "P", "*" },         { "R", "&" },
		                                       { "O", "&&" },        { "K", " const" },
		                                       { "V", " volatile" }, { "r", "" },
		                                       { "Dp", "" } };
	const char *suffix = accept_any(d, suffixes, NR_OF(suffixes));
	if (suffix)
		return push(d, join(d, parse_type(d), suffix, ""));
	if (accept(d, "F"))
		return push(d, parse_function(d));
	if (accept(d, "A"))
		return push(d, parse_array(d));
	if (accept(d, "M")) {
		const char *of = parse_type(d), *member = of ? parse_type(d) : NULL;
		return push(d, join(d, member, " of ", of));
	}
	if (accept(d, "u"))
		return push(d, with_args(d, parse_source_name(d)));
	if (accept(d, "T")) {
		const char *param = push(d, parse_param(d));
		return look(d) == 'I' ? push(d, with_args(d, param)) : param;
	}
	if (starts(d, "S") && !starts(d, "St")) {
		accept(d, "S");
		const char *sub = parse_substitution(d);
		return look(d) == 'I' ? push(d, with_args(d, sub)) : sub;
	}
	return push(d, parse_name(d));
}

static const char *parse_type(struct demangler *d)
{
	if (++d->depth > DEPTH_MAX)
		return NULL;
	const char *type = parse_builtin(d);
	type = type ? type : parse_compound(d);
	d->depth--;
	return type;
}

const char *demangle(struct span mangled, struct arena *a)
{
	struct demangler d = { .a = a, .p = mangled.p, .end = mangled.p + mangled.n };
	if (!accept(&d, "_Z"))
		return NULL;
	const char *name = parse_name(&d);
	vec_release(&d.subs);
	vec_release(&d.args);
	return name;
}
