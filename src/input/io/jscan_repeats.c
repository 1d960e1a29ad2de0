/* Recognizes objects that are repeated byte for byte. */
#include "io/jscan_internal.h"

void jscan_repeats_release(struct jscan_repeats *r)
{
	for (size_t i = 0; i < r->list.nr; i++)
		free(r->list.v[i].text);
	vec_release(&r->list);
}

/* Hash of bytes that are likely to differ between the stack frames in memory snapshots, whatever
   the order of the keys. */
static uint32_t place_of(const char *p)
{
	uint64_t h = bytes_load(p + 10) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 29 ^ bytes_load(p + 28)) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 32 ^ bytes_load(p + 46)) * 0x94d049bb133111ebu;
	return (uint32_t)(h >> 40) % REPEAT_PLACES;
}

/* A cached text is a whole object that was valid when it was read first. So it is valid again
   where the input repeats it; only the depth of nesting must be checked. */
bool jscan_again(struct jscan *js, struct jscan_repeats *r, uint32_t *tag)
{
	(void)jscan_next(js);
	size_t left = (size_t)(js->end - js->at);
	if (r->list.nr == 0)
		vec_push(&r->list, (struct jscan_repeat){ 0 });
	r->place = place_of(js->at);
	for (uint32_t i = r->places[r->place]; i; i = r->list.v[i].next) {
		const struct jscan_repeat *known = &r->list.v[i];
		if (known->n > left || memcmp(js->at, known->text, known->n) != 0 ||
		    js->depth == js->max_depth)
			continue;
		js->at += known->n;
		*tag = known->tag;
		return true;
	}
	r->since = jscan_here(js);
	return false;
}

/* True for objects that may be cached: those without inner objects and arrays. An object with a
   bracket inside a string is not cached either, but scanned normally. */
static bool is_flat(struct span text)
{
	return text.n > 1 && text.p[0] == '{' && text.p[text.n - 1] == '}' &&
	       !memchr(text.p + 1, '{', text.n - 1) && !memchr(text.p, '[', text.n);
}

void jscan_learn_again(struct jscan *js, struct jscan_repeats *r, uint32_t tag)
{
	uint32_t *at = &r->places[r->place], nr = 0;
	struct span text = jscan_text_since(js, &r->since, true, REPEAT_TEXT);
	for (; *at; at = &r->list.v[*at].next, nr++)
		if (span_eq((struct span){ r->list.v[*at].text, r->list.v[*at].n }, text))
			/* the object is cached, but was not found because it reached beyond the end of the
			 * window */
			return;
	if (nr == REPEAT_CHAIN || r->list.nr == REPEAT_LIMIT || !is_flat(text))
		return;
	struct jscan_repeat fresh = { .n = (uint32_t)text.n, .tag = tag };
	fresh.text = mem_strndup(text.p, text.n);
	*at = (uint32_t)r->list.nr; /* `*at` is set before the push, since the push may move the list */
	vec_push(&r->list, fresh);
}
