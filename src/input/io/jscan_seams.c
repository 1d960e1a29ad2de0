/* Remembers the text between values (seams), so that repeated keys are compared, not scanned. */
#include "io/jscan_internal.h"

void jscan_seams_init(struct jscan *js)
{
	js->seams = arena_alloc(&js->seams_arena, 2, sizeof *js->seams);
	/* the first two seams have no text: seam 0 is the place "nowhere", seam 1 the place before the
	   outermost value */
	js->nr_seams = 2;
	js->max_seams = SEAM_LIMIT;
	js->place[0] = &js->seams[1];
}

void jscan_seams_release(struct jscan *js)
{
	arena_release(&js->seams_arena);
}

static bool is_nowhere(const struct jscan *js, const struct seam *place)
{
	return place == js->seams;
}

/* Makes a place (a seam without text); returns the place "nowhere" if there are too many places. */
static struct seam *new_place(struct jscan *js)
{
	if (js->nr_seams >= js->max_seams)
		return js->seams;
	js->nr_seams++;
	return arena_alloc(&js->seams_arena, 1, sizeof *js->seams);
}

void jscan_seams_push(struct jscan *js, bool object)
{
	struct seam *outer = js->place[js->depth - 1];
	if (object && !outer->inner)
		outer->inner = is_nowhere(js, outer) ? outer : new_place(js);
	js->place[js->depth] = object ? outer->inner : outer;
}

static inline bool stands_at(const struct seam *s, const char *p)
{
	return bytes_equal(p, s->text, s->mask) &&
	       (s->n <= 32 || memcmp(p + 32, s->text + 32, s->n - 32u) == 0);
}

/* The seam, among those remembered for this place, with whose text the input continues; NULL if
 * there is none. At every 16th match a seam moves forward in its list, so that frequent seams are
 * found first. */
static struct seam *search(struct jscan *js)
{
	struct seam *from = js->place[js->depth], **at = &from->next, **before = NULL;
	while (*at && !stands_at(*at, js->at)) {
		before = at;
		at = &(*at)->sibling;
	}
	struct seam *s = *at;
	if (s && before && ++s->hits % 16 == 0) {
		*at = s->sibling;
		s->sibling = *before;
		*before = s;
	}
	return s;
}

/* Remembers the text that has just been read after the place `from` as a seam; returns the place
 * "nowhere" if there is no room. */
static struct seam *learn(struct jscan *js, struct seam *from, struct span text, struct span key,
                          bool end)
{
	struct seam **at = &from->next;
	unsigned nr = 0;
	/* the text may be known already, but search() cannot recognize it if the window ends in it */
	for (; *at; at = &(*at)->sibling, nr++)
		if (span_eq((struct span){ (*at)->text, (*at)->n }, text))
			return *at;
	struct seam *s = nr < SEAM_NEXT ? new_place(js) : js->seams;
	if (is_nowhere(js, s))
		return s;
	memcpy(s->text, text.p, text.n);
	s->n = (uint8_t)text.n;
	s->mask = text.n < 32 ? ((uint32_t)1 << text.n) - 1 : UINT32_MAX;
	s->end = end;
	s->first = from->n == 0 && from->other != from;
	s->key_at = end ? 0 : (uint8_t)(key.p - text.p);
	s->key_n = (uint8_t)key.n;
	*at = s;
	return s;
}

/* The place (a seam without text) after a key that follows `from` and is not remembered as a
   seam; all such keys after `from` share this place. */
static struct seam *other_place(struct jscan *js, struct seam *from)
{
	if (!from->other) { /* the new place is its own `other`: unknown keys lead from it to itself */
		from->other = is_nowhere(js, from) ? from : new_place(js);
		from->other->other = from->other;
	}
	return from->other;
}

struct jscan_since jscan_here(const struct jscan *js)
{
	return (struct jscan_since){ js->place[js->depth], (size_t)(js->at - js->buf), js->base,
		                         js->faults };
}

struct span jscan_text_since(const struct jscan *js, const struct jscan_since *since, bool end,
                             size_t limit)
{
	if (js->base != since->base || js->faults != since->faults)
		return SPAN("");
	const char *from = js->buf + since->at, *to = js->at;
	while (!end && (*to == ' ' || *to == '\n' || *to == '\r' || *to == '\t'))
		to++;
	if (!end && *to == '\0') /* more white space may follow after the window's end */
		return SPAN("");
	return (struct span){ from, (size_t)(to - from) <= limit ? (size_t)(to - from) : 0 };
}

bool jscan_learn_lead(struct jscan *js, const struct jscan_since *since, struct jscan_lead *out)
{
	struct span text = jscan_text_since(js, since, false, LEAD_TEXT);
	if (text.n == 0 || text.p[0] != ',') /* a lead (remembered beginning of objects) has the comma
	                                        before the element, which the first element lacks */
		return false;
	struct seam *place = new_place(js);
	if (is_nowhere(js, place))
		return false;
	place->other = place;
	js->place[js->depth] = place;
	*out = (struct jscan_lead){ .n = (unsigned)text.n, .place = place };
	memcpy(out->text, text.p, text.n);
	for (size_t i = 0; i < text.n; i++)
		out->mask[i / 32] |= (uint32_t)1 << (i % 32);
	return true;
}

static void remember(struct jscan *js, const struct jscan_since *since, struct span key, bool end)
{
	struct span text = jscan_text_since(js, since, end, SEAM_TEXT);
	struct seam *s = js->seams;
	if (text.n && !is_nowhere(js, since->place))
		s = learn(js, since->place, text, key, end);
	if (!end)
		js->place[js->depth] = is_nowhere(js, s) ? other_place(js, since->place) : s;
}

static bool scan_colon(struct jscan *js)
{
	int c = jscan_next(js);
	if (c != ':')
		return jscan_fail_expected(js, c, "':'");
	js->at++;
	return true;
}

/* Reads a key that search() has not found. `*key` is valid only if `keep` is set: the window
   then keeps the key. */
static bool read_key(struct jscan *js, bool keep, struct span *key)
{
	struct jscan_since since = jscan_here(js);
	bool escaped = false;
	if (!jscan_member(js, '}')) {
		if (js->status == ST_OK)
			remember(js, &since, SPAN(""), true);
		return false;
	}
	int c = jscan_next(js);
	if (c != '"')
		return jscan_fail_expected(js, c, "a key");
	js->mark = keep ? js->at : NULL;
	/* offset of the key in the window, valid as long as the window does not move */
	size_t n = 0, at = (size_t)(js->at - js->buf);
	bool ok = jscan_scan_string(js, &escaped);
	if (ok) {
		n = (size_t)(js->at - (keep ? js->mark : js->buf + at)) - 2;
		ok = scan_colon(js); /* this may refill the window, where the mark, if set, keeps the key */
	}
	if (ok) {
		struct span raw = { (keep ? js->mark : js->buf + at) + 1, n };
		*key = keep && escaped ? jscan_decode(js, raw) : raw;
		if (escaped)
			js->place[js->depth] = other_place(js, since.place);
		else
			remember(js, &since, raw, false);
	}
	js->mark = NULL;
	return ok;
}

static const struct jscan_key key_end = { { NULL, 0 }, JSCAN_KEY_END, 0 };

static const struct jscan_key *find(const struct jscan_keys *keys, struct span key)
{
	size_t i = 0;
	while (i < keys->nr && !span_eq(key, keys->rows[i].key))
		i++;
	return &keys->rows[i];
}

const struct jscan_key *jscan_key_of(struct jscan *js, const struct jscan_keys *keys,
                                     struct span *key)
{
	struct seam *s = search(js);
	if (!s)
		return read_key(js, true, key) ? find(keys, *key) : &key_end;
	jscan_pass(js, s);
	*key = (struct span){ s->text + s->key_at, s->key_n };
	if (!s->row) {
		s->row = s->end ? &key_end : find(keys, *key);
		s->what = s->n <= 32 ? s->row->what : JSCAN_KEY_OTHER;
		s->where = s->row->where;
	}
	return s->row;
}

bool jscan_key(struct jscan *js, struct span *key)
{
	struct seam *s = search(js);
	if (!s)
		return read_key(js, true, key);
	jscan_pass(js, s);
	*key = (struct span){ s->text + s->key_at, s->key_n };
	return !s->end;
}

bool jscan_skip_key(struct jscan *js)
{
	struct span key;
	struct seam *s = search(js);
	if (!s)
		return read_key(js, false, &key);
	jscan_pass(js, s);
	return !s->end;
}
