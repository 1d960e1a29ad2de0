/* Reads one element of traceEvents as one event. */

#include "read/recognize.h"
#include "read/trace_internal.h"
#include "read/values.h"

/* Kineto's categories since 2022, and the categories in traces of 2021. Source:
 * libkineto/src/ActivityType.cpp, output_json.cpp (pytorch/kineto). */
static const struct {
	struct span name;
	enum event_kind kind;
} categories[] = {
	{ { "kernel", 6 }, EVENT_KERNEL },
	{ { "gpu_memcpy", 10 }, EVENT_MEMCPY },
	{ { "memcpy", 6 }, EVENT_MEMCPY },
	{ { "gpu_memset", 10 }, EVENT_MEMSET },
	{ { "memset", 6 }, EVENT_MEMSET },
	{ { "cuda_runtime", 12 }, EVENT_RUNTIME },
	{ { "cuda_driver", 11 }, EVENT_RUNTIME },
	{ { "runtime", 7 }, EVENT_RUNTIME },
	{ { "cpu_op", 6 }, EVENT_OP },
	{ { "operator", 8 }, EVENT_OP },
	{ { "user_annotation", 15 }, EVENT_ANNOTATION },
	{ { "gpu_user_annotation", 19 }, EVENT_GPU_ANNOTATION },
	{ { "python_function", 15 }, EVENT_PYTHON },
	{ { "fwdbwd", 6 }, EVENT_FLOW },
	{ { "forward_backward", 16 }, EVENT_FLOW },
};

static int category_kind(struct span name)
{
	for (size_t i = 0; i < NR_OF(categories); i++)
		if (span_eq_nocase(name, categories[i].name))
			return (int)categories[i].kind;
	return KIND_OTHER;
}

static void read_phase(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->phase = EVENT_PHASE_OTHER;
	if (jscan_string(in->js, &text)) {
		in->with_phase++;
		if (span_eq(text, SPAN("X")))
			ev->phase = EVENT_PHASE_COMPLETE;
		else if (span_eq(text, SPAN("M")))
			ev->phase = EVENT_PHASE_METADATA;
		else if (span_eq(text, SPAN("s")))
			ev->phase = EVENT_PHASE_FLOW_START;
		else if (span_eq(text, SPAN("f")))
			ev->phase = EVENT_PHASE_FLOW_END;
	} else {
		jscan_skip(in->js);
	}
}

static void read_category(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->kind = KIND_OTHER;
	if (jscan_string(in->js, &text)) {
		ev->kind = category_kind(text);
		/* most other events are arrows (ac2g): their ending is compared first, for speed */
		if (ev->kind == KIND_OTHER &&
		    (span_ends(text, SPAN("_runtime")) || span_ends(text, SPAN("_driver"))) &&
		    span_is_listed(text, "xpu_runtime xpu_driver mtia_runtime privateuse1_runtime "
		                         "privateuse1_driver"))
			in->meta->other_device = true;
	} else {
		jscan_skip(in->js);
	}
}

/* Stores the name of an event. If the event is probably wanted, the name is looked up in the
   name table immediately, which saves a copy. */
static inline void take_name(struct trace_input *in, struct raw_event *ev, struct span text)
{
	if (ev->phase == EVENT_PHASE_COMPLETE && ev->kind >= 0)
		ev->name = name_intern(in->names, text);
	if (ev->name)
		return;
	strbuf_add(&ev->text[TEXT_NAME], text);
	ev->seen |= SEEN_TEXT(TEXT_NAME);
}

static void read_name(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->name = NULL;
	strbuf_setlen(&ev->text[TEXT_NAME], 0);
	if (jscan_string(in->js, &text) || jscan_number(in->js, &text))
		take_name(in, ev, text);
	else
		jscan_skip(in->js);
}

/* Keys of an event; the last row applies to all other keys. */
static const struct jscan_key members[] = {
	{ { "ph", 2 }, MEMBER_PHASE, 0 },
	{ { "cat", 3 }, MEMBER_CATEGORY, 0 },
	{ { "name", 4 }, MEMBER_NAME, 0 },
	{ { "pid", 3 }, MEMBER_IDENT, FIELD_PID },
	{ { "tid", 3 }, MEMBER_IDENT, FIELD_TID },
	{ { "ts", 2 }, MEMBER_NANO, FIELD_TS },
	{ { "dur", 3 }, MEMBER_NANO, FIELD_DUR },
	{ { "args", 4 }, MEMBER_ARGS, 0 },
	{ { "id", 2 }, MEMBER_COUNT, FIELD_FLOW },
	{ { "bp", 2 }, MEMBER_SKIP, 0 },
	{ { "s", 1 }, MEMBER_SKIP, 0 },
	{ { NULL, 0 }, JSCAN_KEY_OTHER, 0 },
};
static const struct jscan_keys event_keys = { members, NR_OF(members) - 1 };

/* ---- the beginning of an event ---- */

/* Consumes the beginning of an event and returns the remembered beginning that equals it; NULL if
   there is none. Tries first the beginning that last came after the previous event's beginning. */
static inline struct event_lead *follow_lead(struct trace_input *in)
{
	struct event_lead *last = in->lead, *lead = last ? last->next : NULL;
	if (!lead || !jscan_follow_lead(in->js, &lead->text)) {
		for (lead = in->leads; lead < in->leads + in->nr_leads; lead++)
			if (jscan_follow_lead(in->js, &lead->text))
				break;
		if (lead == in->leads + in->nr_leads)
			return NULL;
		if (last)
			last->next = lead;
	}
	return in->lead = lead;
}

/* Remembers the beginning of an event, up to the value of "name", which comes next. Only phase
   and category may have come before "name". */
static void learn_lead(struct trace_input *in, const struct raw_event *ev,
                       const struct jscan_since *since, bool with_phase)
{
	struct event_lead lead = { .phase = ev->phase, .with_phase = with_phase, .kind = ev->kind };
	if (in->nr_leads < EVENT_LEADS && jscan_learn_lead(in->js, since, &lead.text))
		in->leads[in->nr_leads++] = lead;
}

/* ---- members that repeat those of earlier events ---- */

/* Reads the members of an event as long as their texts are those of lead->steps. Returns the
   first step whose value has not been read. `*begun` becomes true if the text before that value
   has been consumed. */
JSCAN_INLINE const struct event_step *follow_steps(const struct event_lead *lead,
                                                   struct raw_event *ev, struct jscan_cursor *c,
                                                   bool *begun)
{
	const struct event_step *s = lead->steps;
	char *value = NULL;
	ev->fields[FIELD_PID] = lead->pid;
	ev->fields[FIELD_TID] = lead->tid;
	*begun = true;
	for (; bytes_equal(c->at, s->text, s->mask[0]); s++) {
		if (s->n - 1u >= 32 && (!s->n || !bytes_equal(c->at + 32, s->text + 32, s->mask[1])))
			break;
		value = c->at += s->n;
		int64_t *v = &ev->fields[s->where];
		if (s->what == MEMBER_NANO  ? jscan_decimal_front_at(&c->at, 3, v)
		    : s->what > MEMBER_SKIP ? jscan_decimal_front_at(&c->at, 0, v)
		                            : s->what == MEMBER_SKIP &&
		                                  (jscan_decimal_at(&c->at, 0, v) || jscan_skip_at(&c->at)))
			continue;
		return s;
	}
	/* the input does not continue with the text of the next step, whose first byte would have ended
	   the last number: so it must be checked that the number ends here */
	if (value && !jscan_ends_number(*c->at)) {
		c->at = value;
		return s - 1;
	}
	*begun = false;
	return s;
}

/* The steps that are being learned for a remembered beginning of events. */
struct event_learning {
	struct event_lead *lead; ///< NULL if no steps are learned
	size_t nr; ///< number of steps so far
	struct jscan_since behind; ///< the end of the last step's value
	bool ahead; ///< true until the last step's value has been read, and `behind` is set
};

/* Remembers the text before the value that comes next as a step. `m` says how the value is read, or
   is JSCAN_KEY_END at the end of an object. `args` is true for a member that is in "args". */
static void learn_step(struct jscan *js, struct event_learning *l, const struct raw_event *ev,
                       enum member m, unsigned where, bool args)
{
	const uint64_t both = SEEN_FIELD(FIELD_PID) | SEEN_FIELD(FIELD_TID);
	struct event_lead *lead = l->lead;
	struct event_step *s = &lead->steps[l->nr];
	struct span text = jscan_text_since(js, &l->behind, true, sizeof s->text);
	bool end = (unsigned)m == JSCAN_KEY_END;
	bool number = m == MEMBER_NANO || m == MEMBER_IDENT || m == MEMBER_COUNT || m == MEMBER_SKIP;
	/* the following are not steps, but become part of the next step's text: the beginning of
	   "args", its end, and process and thread before the first number */
	if (m == MEMBER_ARGS ? !(ev->seen & SEEN_ARGS)
	                     : (end && args) || (!l->nr && m == MEMBER_IDENT && where <= FIELD_TID))
		return;
	l->lead = NULL;
	*s = (struct event_step){ .before = s->before };
	if (l->nr == EVENT_STEPS || !text.n || !(end || (number && js->place[js->depth]->n)) ||
	    (!l->nr && (m != MEMBER_NANO || (ev->seen & both) != both)))
		return;
	if (!l->nr) {
		lead->pid = ev->fields[FIELD_PID];
		lead->tid = ev->fields[FIELD_TID];
		s->before = both;
	}
	s->n = (uint8_t)text.n;
	s->what = (uint8_t)m;
	s->where = m == MEMBER_SKIP || end ? NR_FIELDS : (uint8_t)where;
	s->place = js->place[js->depth];
	s->outer = args ? js->place[js->depth - 1] : NULL;
	memcpy(s->text, text.p, text.n);
	for (size_t i = 0; i < text.n; i++)
		s->mask[i / 32] |= (uint32_t)1 << (i % 32);
	s[1] = (struct event_step){ .before = s->before };
	if (m != MEMBER_SKIP)
		s[1].before |= SEEN_FIELD(where);
	l->nr++;
	l->lead = lead;
	l->ahead = true;
}

/* ---- members of an event ---- */

/* Reads the next value. read_members() itself reads numbers, skipped values and "args" that have
   their usual form, and calls this function for all others. True if the value is the object of
   "args", which has then been entered. */
static bool read_slow(struct trace_input *in, struct raw_event *ev, enum member m, unsigned where,
                      struct span key)
{
	bool entered = false;
	switch ((unsigned)m) {
	case MEMBER_PHASE:
		read_phase(in, ev);
		break;
	case MEMBER_CATEGORY:
		read_category(in, ev);
		break;
	case MEMBER_NAME:
		read_name(in, ev);
		break;
	case MEMBER_ARGS:
		entered = enter_object(in->js);
		break;
	case JSCAN_KEY_OTHER:
		in->foreign |= foreign_key(key);
		jscan_skip(in->js);
		break;
	case MEMBER_SKIP:
		jscan_skip(in->js);
		break;
	default:
		read_member(in, ev, m, where);
	}
	return entered;
}

/* Reads a number in its usual form into its field. If the value is anything else, returns false,
   and read_slow() has to read it. */
JSCAN_INLINE bool read_plain(struct raw_event *ev, enum member m, unsigned where,
                             struct jscan_cursor *c)
{
	int64_t *v = &ev->fields[where];
	if (m == MEMBER_IDENT   ? !jscan_natural_at(&c->at, v)
	    : m == MEMBER_NANO  ? !jscan_decimal_at(&c->at, 3, v)
	    : m == MEMBER_MICRO ? !jscan_decimal_at(&c->at, 6, v)
	                        : !jscan_decimal_at(&c->at, 0, v))
		return false;
	ev->seen |= SEEN_FIELD(where);
	return true;
}

/* Reads the members of an event and of its "args" up to the end of the event. If `lead` is given,
 * the caller has read the members up to the name, and the event is not entered yet. `since` is the
 * event's beginning if it may be remembered, else NULL. */
JSCAN_INLINE void read_members(struct trace_input *in, struct raw_event *ev,
                               struct event_lead *lead, const struct jscan_since *since)
{
	struct jscan *js = in->js;
	struct jscan_cursor c = jscan_cursor_begin(js);
	const struct jscan_keys *keys = &event_keys;
	const uint64_t with_phase = in->with_phase;
	unsigned where = 0;
	enum member m = MEMBER_SKIP;
	bool begun = false;
	size_t followed = 0;
	if (lead) {
		const struct event_step *s = follow_steps(lead, ev, &c, &begun), *at = begun ? s : s - 1;
		followed = (size_t)(s - lead->steps);
		if (at >= lead->steps)
			ev->seen |= s->before;
		m = s->what;
		where = s->where;
		if (begun && (unsigned)m == JSCAN_KEY_END) {
			js->at = c.at;
			return;
		}
		c.place = at < lead->steps ? lead->text.place : at->place;
		jscan_enter_again(js, c.place);
		if (at >= lead->steps && at->outer) {
			js->place[js->depth] = at->outer;
			jscan_enter_again(js, c.place);
			keys = &arg_keys;
		}
	}
	struct span key = { NULL, 0 };
	struct event_learning learning = { NULL };
	if (lead && !begun && lead->misses++ % 8 == 0)
		learning = (struct event_learning){ .lead = lead, .nr = followed, .ahead = true };
	for (;; begun = false) {
		if (learning.ahead) {
			jscan_cursor_end(js, &c);
			learning.behind = jscan_here(js);
			learning.ahead = false;
		}
		if (!begun)
			m = jscan_key_at(js, &c, keys, &where, &key);
		if (learning.lead) {
			jscan_cursor_end(js, &c);
			learn_step(js, &learning, ev, m, where, keys == &arg_keys);
		}
		if (since && m > MEMBER_CATEGORY) {
			jscan_cursor_end(js, &c);
			if (m == MEMBER_NAME)
				learn_lead(in, ev, since, in->with_phase > with_phase);
			c = jscan_cursor_begin(js);
			since = NULL;
		}
		switch ((unsigned)m) {
		case JSCAN_KEY_END:
			if (keys == &event_keys) {
				jscan_cursor_end(js, &c);
				return;
			}
			keys = &event_keys;
			continue;
		case MEMBER_NANO:
			if (read_plain(ev, MEMBER_NANO, where, &c))
				continue;
			break;
		case MEMBER_IDENT:
			if (read_plain(ev, MEMBER_IDENT, where, &c))
				continue;
			break;
		case MEMBER_COUNT:
			if (read_plain(ev, MEMBER_COUNT, where, &c))
				continue;
			break;
		case MEMBER_MICRO:
			if (read_plain(ev, MEMBER_MICRO, where, &c))
				continue;
			break;
		case MEMBER_SKIP:
			if (jscan_skip_at(&c.at))
				continue;
			break;
		case MEMBER_ARGS:
			forget_seen(ev, SEEN_ARGS);
			if (jscan_object_at(js, &c)) {
				keys = &arg_keys;
				continue;
			}
		}
		jscan_cursor_end(js, &c);
		if (learning.lead && (learning.nr || m != MEMBER_IDENT))
			learning.lead = NULL;
		if (read_slow(in, ev, m, where, key))
			keys = &arg_keys;
		c = jscan_cursor_begin(js);
	}
}

static void read_no_event(struct trace_input *in)
{
	enum jscan_type type = jscan_peek(in->js);
	jscan_skip(in->js);
	if (jscan_status(in->js) == ST_OK) {
		in->foreign |= foreign_element(type);
		in->meta->malformed++;
	}
}

/* True for a memory event, by its phase and name; `*failed` becomes true for an allocation that
   failed. The name is either in the name table or still in `ev->text`: which one depends on the
   phase that was known when the name was read.
   Source: Result::name(), torch/csrc/profiler/collection.cpp. */
static bool is_memory(const struct raw_event *ev, bool *failed)
{
	struct span name = ev->name ? name_span(ev->name) : strbuf_span(&ev->text[TEXT_NAME]);
	*failed = span_eq(name, SPAN("[OutOfMemory]"));
	return ev->phase != EVENT_PHASE_COMPLETE && (*failed || span_eq(name, SPAN("[memory]")));
}

/* Reads an element. If `*wanted` becomes true, `out` is the event, with texts that are borrowed
   from `ev`. False at the end of the array. */
static bool read_event(struct trace_input *in, struct raw_event *ev, struct event *out,
                       bool *wanted)
{
	struct event_lead *lead = in->meta->events ? follow_lead(in) : NULL;
	struct span name;
	*wanted = false;
	ev->name = NULL;
	forget_seen(ev, UINT64_MAX);
	if (lead) {
		ev->phase = lead->phase;
		ev->kind = lead->kind;
		in->with_phase += lead->with_phase;
		bool plain = jscan_string_at(&in->js->at, &name);
		if (plain) {
			take_name(in, ev, name);
		} else {
			jscan_enter_again(in->js, lead->text.place);
			read_name(in, ev);
		}
		read_members(in, ev, plain ? lead : NULL, NULL);
	} else {
		struct jscan_since since = jscan_here(in->js);
		ev->phase = EVENT_PHASE_NONE;
		ev->kind = KIND_NONE;
		if (!jscan_element(in->js))
			return false;
		if (!jscan_object(in->js)) {
			read_no_event(in);
			return true;
		}
		read_members(in, ev, NULL, &since);
	}
	if (jscan_status(in->js) != ST_OK)
		return true;
	bool flow = ev->kind == EVENT_FLOW;
	if (flow && (ev->phase == EVENT_PHASE_FLOW_START || ev->phase == EVENT_PHASE_FLOW_END))
		*wanted = fill_flow(in, ev, out);
	else if (ev->phase == EVENT_PHASE_COMPLETE && ev->kind >= 0)
		*wanted = !flow && (fill_frame(ev, out) || fill_kineto(in, ev, out));
	else if (ev->phase == EVENT_PHASE_COMPLETE)
		*wanted = xprof_event(in, ev, out);
	else if (is_memory(ev, &out->failed))
		*wanted = fill_memory(in, ev, out);
	else if (ev->phase == EVENT_PHASE_METADATA)
		xprof_label(in, ev);
	else if (ev->phase == EVENT_PHASE_NONE ? ev->kind >= 0 || ev->seen & SEEN_FIELD(FIELD_TS)
	                                       : ev->kind >= 0 && !flow)
		in->meta->malformed++;
	return true;
}

bool read_elements_any(struct trace_input *in, struct raw_event *ev, uint64_t limit)
{
	struct event e = event_blank(EVENT_KERNEL);
	bool wanted;
	while (in->meta->events != limit) {
		if (!read_event(in, ev, &e, &wanted))
			return false;
		if (wanted)
			in->sunk = in->sink.event(in->sink.ctx, &e);
		if (jscan_status(in->js) != ST_OK || in->sunk != ST_OK)
			return false;
		in->meta->events++;
	}
	return true;
}
