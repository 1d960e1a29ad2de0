#include "base/number.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "model/select.h"
#include "rules/rules_file.h"
#include "rules/rules_internal.h"

/* Largest width of a line in bytes, and indentation of every line except the first. */
enum { WIDTH = 96, INDENT = 4 };

/* The text of `b`, broken into lines at blanks and owned by `a`; `b` is released. */
static const char *wrapped(struct arena *a, struct strbuf *b)
{
	struct strbuf out = STRBUF_INIT;
	struct span rest = strbuf_span(b);
	while (rest.n) {
		size_t room = out.n ? WIDTH - INDENT : WIDTH, n = rest.n;
		if (n > room) {
			n = room;
			while (n && rest.p[n] != ' ')
				n--;
			for (n = n ? n : room; n < rest.n && rest.p[n] != ' ';)
				n++; /* a word that is longer than a line is not broken */
		}
		if (out.n)
			strbuf_addf(&out, "\n%*s", INDENT, "");
		strbuf_add(&out, (struct span){ rest.p, n });
		n += n < rest.n ? 1 : 0;
		rest = (struct span){ rest.p + n, rest.n - n };
	}
	strbuf_release(b);
	return arena_take(a, &out);
}

/* Append text such as "the p95 over steps of step.cuda_time (…), the max over devices and ranks". A
   median, over steps or over devices and ranks, is not named, since most figures are medians. */
static void say_figure(struct strbuf *b, struct arena *a, const struct rule *r)
{
	static const char *const items[] = {
		[LABEL_NONE] = "",
		[LABEL_DEVICE] = "",
		[LABEL_KERNEL] = " of each kernel",
		[LABEL_CATEGORY] = " of each category",
		[LABEL_OP] = " of each operator",
		[LABEL_THREAD] = " of each host thread",
		[LABEL_MEMORY] = "",
		[LABEL_DIRECTION] = " of each direction",
		[LABEL_COLLECTIVE] = " of each kind of collective",
		[LABEL_FUNCTION] = " of each function",
		[LABEL_INPUT] = ", each by itself",
		[LABEL_COUNTER] = " of each counter",
		[LABEL_MODULE] = " of each module",
		[LABEL_RANGE] = " of each annotation",
		[LABEL_PLACE] = " of each place",
		[LABEL_PAIR] = "",
	};
	if (r->metric->per_step && r->stat != STAT_MEDIAN)
		strbuf_addf(b, "the %s over steps of ", stat_names[r->stat]);
	strbuf_addf(b, "%s%s (%s", r->metric->name, items[r->metric->label], r->metric->meaning);
	char n[NUMBER_TEXT];
	if (r->metric->label == LABEL_PAIR)
		strbuf_addf(b, "; top %s", number_format(r->top, 0, n));
	if (r->reduce == REDUCE_EACH)
		strbuf_adds(b, "), for each rank by itself");
	else if (r->reduce == REDUCE_MEDIAN)
		strbuf_adds(b, ")");
	else
		strbuf_addf(b, "), the %s over devices and ranks", reduce_names[r->reduce]);
	const char *select = select_text(&r->query, a);
	if (*select)
		strbuf_addf(b, ", where %s", select);
	strbuf_adds(b, ".");
}

static void say_items(struct strbuf *b, const struct rule *r)
{
	static const char *const severities[] = { "is only listed", "is a warning", "is a failure" };
	char n[NUMBER_TEXT], share[NUMBER_TEXT];
	if (!r->for_each)
		return;
	strbuf_addf(b, " One check for each of the top %s of the baseline or the run",
	            number_format(r->top, 0, n));
	if (r->min_share)
		strbuf_addf(b, " with at least %s%% of kernel time", number_format(r->min_share, 6, share));
	if (r->on_new == r->on_gone)
		strbuf_addf(b, "; one that is new or gone %s.", severities[r->on_new]);
	else
		strbuf_addf(b, "; one that is new %s, one that is gone %s.", severities[r->on_new],
		            severities[r->on_gone]);
}

/* Append one condition of a limit, which continues a sentence after "when it". */
static void say_limit(struct strbuf *b, const struct limits *all, const struct limit *l)
{
	static const char *const forms[][2] = {
		[COND_INCREASE] = { "is more than ", " above the baseline" },
		[COND_DECREASE] = { "is more than ", " below the baseline" },
		[COND_CHANGE] = { "is more than ", " away from the baseline in either direction" },
		[COND_MAX] = { "is above ", "" },
		[COND_MIN] = { "is below ", "" },
		[COND_WORSE] = { "is more than ", " worse than in the baseline" },
		[COND_INCREASE_SINCE_PIN] = { "is more than ", " above the approved run (the pin)" },
	};
	if (l->condition == COND_CHANGE && !l->value)
		strbuf_adds(b, "differs from the baseline at all");
	else if (l->condition == COND_INCREASE && !l->value)
		strbuf_adds(b, "is above the baseline at all");
	else
		strbuf_addf(b, "%s%s%s", forms[l->condition][0], l->text, forms[l->condition][1]);
	if (all->has_and && l->relative && l->condition != COND_CHANGE)
		strbuf_addf(b, ", and also by more than %s%s", all->and_text,
		            all->and_of == AND_OF_STEP     ? " (the baseline's GPU time per step)"
		            : all->and_of == AND_OF_SPREAD ? " (how far single runs lie from their median)"
		                                           : "");
}

static void say_limits(struct strbuf *b, const char *verb, const struct limits *all,
                       const char *end)
{
	for (size_t i = 0; i < all->list.nr; i++) {
		strbuf_addf(b, i ? ", or%s" : " %s", i ? "" : verb);
		strbuf_adds(b, " when it ");
		say_limit(b, all, &all->list.v[i]);
	}
	if (all->list.nr)
		strbuf_adds(b, end);
}

static void say_patterns(struct strbuf *b, struct arena *a, const struct span *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(b, "%s%s", i ? " or " : "", text_quote(a, v[i]));
}

static void say_unless(struct strbuf *b, const struct rule *r)
{
	char n[NUMBER_TEXT];
	if (!r->unless)
		return;
	strbuf_addf(b, " Skipped where a rule judges %s", r->unless->name);
	if (r->unless_within >= 0)
		strbuf_addf(b, ", and that differs by at most %s%%", number_format(r->unless_within, 6, n));
	strbuf_addch(b, '.');
}

static void say_exceptions(struct strbuf *b, struct arena *a, const struct rule *r)
{
	if (r->except.nr) {
		strbuf_adds(b, " Items that fit ");
		say_patterns(b, a, r->except.v, r->except.nr);
		strbuf_adds(b, " are not checked.");
	}
	for (size_t i = 0; i < r->overrides.nr; i++) {
		const struct rule_override *o = &r->overrides.v[i];
		strbuf_adds(b, " Instead, an item that fits ");
		say_patterns(b, a, o->match.v, o->match.nr);
		say_limits(b, "fails", &o->fail, o->warn.list.nr ? "," : ".");
		say_limits(b, o->fail.list.nr ? "and warns" : "warns", &o->warn, ".");
	}
}

static void say_noise(struct strbuf *b, const struct rule *r)
{
	if (rule_asks_noise(r) && !r->metric->exact && r->noise.k > 0)
		strbuf_addf(b, " A change that noise may explain %s.",
		            r->unsure == UNSURE_WARN ? "only warns" : "is undecided: exit code 3");
	if (r->confirm == CONFIRM_NEVER)
		strbuf_adds(b, " A failure is final at once, without pairs.");
}

const char *rule_explain(struct arena *a, const struct rule *r)
{
	static const char *const directions[] = { "Higher is worse.", "Lower is worse.",
		                                      "Neither direction is worse by itself." };
	static const char *const missing[] = { "Missing (exit code 3) where a side lacks it",
		                                   "Warns where a side lacks it",
		                                   "Skipped where neither side has it" };
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s: ", r->id);
	say_figure(&b, a, r);
	say_items(&b, r);
	bool of_files = r->worse == WORSE_EITHER && r->metric->need == NEED_INPUT;
	strbuf_addf(&b, " %s",
	            of_files ? "The file, or the name, says which direction is worse."
	                     : directions[r->worse]);
	say_limits(&b, "Fails", &r->fail, ".");
	say_limits(&b, "Warns", &r->warn, ".");
	say_unless(&b, r);
	say_exceptions(&b, a, r);
	say_noise(&b, r);
	strbuf_addf(&b, " %s.", missing[r->on_missing]);
	return wrapped(a, &b);
}

static const char *waiver_explain(struct arena *a, const struct waiver *w)
{
	struct strbuf b = STRBUF_INIT;
	const char *select = select_text(&w->select, a);
	if (w->allows)
		strbuf_addf(&b, "may grow: %s",
		            w->select.metric ? w->select.metric->name : text_line(a, span_of(select)));
	else
		strbuf_addf(&b, "waiver for %s", text_quote(a, span_of(w->rule)));
	if (*select && !w->allows)
		strbuf_addf(&b, " where %s", text_line(a, span_of(select)));
	strbuf_addf(&b, ", %s", waiver_text(w, a));
	return wrapped(a, &b);
}

const char *rules_explain(struct arena *a, const struct rules *r, const struct rule *only)
{
	struct strbuf b = STRBUF_INIT;
	const char *id = only ? arena_printf(a, " %s ", only->id) : "";
	for (size_t i = 0; i < r->rules.nr; i++)
		if (!only || only == &r->rules.v[i])
			strbuf_addf(&b, "%s\n", rule_explain(a, &r->rules.v[i]));
	for (size_t i = 0; i < r->waivers.nr; i++)
		if (!only || span_glob(span_of(r->waivers.v[i].rule), span_of(only->id)))
			strbuf_addf(&b, "%s\n", waiver_explain(a, &r->waivers.v[i]));
	for (size_t i = 0; i < r->profiles.nr; i++) {
		if (only && !strstr(r->profiles.v[i].rules, id))
			continue;
		struct strbuf p = STRBUF_INIT;
		strbuf_addf(&p, "profile '%s': %s", r->profiles.v[i].name, r->profiles.v[i].text);
		strbuf_addf(&b, "%s\n", wrapped(a, &p));
	}
	return arena_take(a, &b);
}

static const char *key_explain(struct arena *a, const struct key *k, const struct key_map *map)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s, in %s: %s", k->name, map->name, k->meaning);
	for (size_t i = 0; k->kind == KEY_WORD && k->words != metric_names && k->words[i]; i++)
		strbuf_addf(&b, "%s%s", i ? ", " : " (", k->words[i]);
	strbuf_adds(&b, k->kind == KEY_WORD && k->words != metric_names ? ")" : "");
	return arena_printf(a, "%s\n", wrapped(a, &b));
}

/* Append what the keys called `name` mean, in `map` and in the maps inside it. A meaning that
   several maps have is appended once. */
static void add_keys(struct arena *a, const struct key_map *map, struct span name,
                     struct texts *told, struct strbuf *b)
{
	for (size_t i = 0; i < map->nr; i++) {
		const struct key *k = &map->keys[i];
		if (span_eq(span_of(k->name), name) &&
		    !ANY(t, told->nr, strcmp(told->v[t], k->meaning) == 0)) {
			strbuf_adds(b, key_explain(a, k, map));
			vec_push(told, k->meaning);
		}
		if (k->map)
			add_keys(a, k->map, name, told, b);
	}
}

const char *rules_key_explain(struct arena *a, struct span name)
{
	struct strbuf b = STRBUF_INIT;
	struct texts told = { 0 };
	add_keys(a, &rules_keys, name, &told, &b);
	vec_release(&told);
	return b.n ? arena_take(a, &b) : NULL;
}
