#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "replay/sites.h"

/* Adds a stack: "FILE:FUNCTION:LINE" for each frame, innermost first, separated by blanks. */
static void add_stack(struct snapshot *s, const char *text)
{
	struct snapshot_stack stack = { (uint32_t)s->frame_ids.nr, 0 };
	while (*text) {
		size_t file = strcspn(text, ":"), rest = strcspn(text, " ");
		const char *function = text + file + 1, *line = text + rest;
		while (line[-1] != ':')
			line--;
		struct snapshot_frame f = {
			name_intern(&s->names, (struct span){ function, (size_t)(line - 1 - function) }),
			name_intern(&s->names, (struct span){ text, file }), strtol(line, NULL, 10)
		};
		vec_push(&s->frame_ids, (uint32_t)s->frames.nr);
		vec_push(&s->frames, f);
		stack.nr++;
		text += rest + (text[rest] == ' ');
	}
	vec_push(&s->stacks, stack);
}

static void add_row(struct category_table *t, const char *name, const char *match)
{
	struct category *c = vec_push_zero(&t->rows);
	c->name = name;
	vec_push(&c->match, span_of(match));
}

static void make_rules(struct site_rules *r)
{
	*r = (struct site_rules){ 0 };
	add_row(&r->tiers[TIER_REGION], "recomputation", "checkpoint.py:backward");
	add_row(&r->tiers[TIER_OPERATION], "attention", "ATTENTION");
	add_row(&r->tiers[TIER_OPERATION], "linear", "linear.py");
	add_row(&r->tiers[TIER_OPERATION], "train", "train");
	add_row(&r->tiers[TIER_HELPER], "softmax", "softmax");
	add_row(&r->tiers[TIER_HELPER], "linear", "einsum");
	add_row(&r->tiers[TIER_HELPER], "plumber", "unwind");
	vec_push(&r->skip, SPAN("-packages/torch/"));
	vec_push(&r->skip, SPAN("??"));
	vec_push(&r->plumbing, SPAN("unwind"));
}

static const char *site_text(const struct sites *t, uint32_t id, struct strbuf *b)
{
	const struct memory_item *s = &t->list.v[id].site;
	strbuf_setlen(b, 0);
	strbuf_adds(b, s->kind == SITE_FRAMEWORK ? "framework " : "");
	strbuf_add(b, s->category);
	strbuf_addch(b, '|');
	strbuf_add(b, s->file);
	strbuf_addch(b, ':');
	strbuf_add(b, s->function);
	strbuf_addf(b, ":%d", (int)s->line);
	return strbuf_str(b);
}

#define P "/usr/lib/python3/dist-packages/torch/"

static void test_sites(void **state)
{
	(void)state;
	static const struct {
		const char *label, *stack, *expected;
	} rows[] = {
		{ "the first of the user's own", "/a/b/c.py:f:1 /a/b/d.py:g:2", "other|b/c.py:f:1" },
		{ "past those of the framework", P "nn/modules/x.py:forward:9 /w/m.py:run:3",
		  "other|w/m.py:run:3" },
		{ "past C++", "??:at::empty:0 /w/m.py:run:3", "other|w/m.py:run:3" },
		{ "past plumbing, whosever it is", "my.cpp:unwind:7 /w/m.py:run:3", "other|w/m.py:run:3" },
		{ "past what has no name", "/w/m.py:??:3 /w/m.py::4 /w/m.py:run:5", "other|w/m.py:run:5" },
		{ "nothing but framework: the innermost", P "a.py:x:1 " P "b.py:y:2",
		  "framework other|torch/a.py:x:1" },
		{ "not the plumbing", "??:unwind:1 ??:zzz:2", "framework other|??:zzz:2" },
		{ "if there is another", "??:unwind:1", "framework other|??:unwind:1" },
		{ "or the one that tells what it is", P "a.py:x:1 " P "attention.py:y:2",
		  "framework attention|torch/attention.py:y:2" },
		{ "no name at all", "/a/b.py:??:1", "without stack|::0" },
		{ "no frames", "", "without stack|::0" },
		{ "path inside site-packages", "/v/site-packages/one/two/three.py:f:1",
		  "other|one/two/three.py:f:1" },
		{ "short paths", "c.py:f:1", "other|c.py:f:1" },
		{ "from the root", "/c.py:f:1", "other|/c.py:f:1" },
		{ "one more", "/b/c.py:f:1", "other|b/c.py:f:1" },
		{ "innermost match decides", P "linear.py:f:1 /w/attention.py:g:2",
		  "linear|w/attention.py:g:2" },
		{ "first row of a frame", P "attention_linear.py:f:1 /w/m.py:g:2", "attention|w/m.py:g:2" },
		{ "a region anywhere", P "linear.py:f:1 /w/m.py:g:2 " P "utils/checkpoint.py:backward:3",
		  "recomputation|w/m.py:g:2" },
		{ "a helper after any operation", "/w/m.py:softmax:1 /w/attention.py:g:2",
		  "attention|w/m.py:softmax:1" },
		{ "a helper alone", "/w/m.py:softmax:1", "softmax|w/m.py:softmax:1" },
		{ "one name in two tiers", "/w/m.py:einsum:1", "linear|w/m.py:einsum:1" },
		{ "folders far up say nothing", "/attention/a/b/m.py:f:1", "other|b/m.py:f:1" },
		{ "nor does a module being loaded", "/w/train.py:<module>:1",
		  "other|w/train.py:<module>:1" },
		{ "nor plumbing", "/w/m.py:f:1 ??:unwind:2", "other|w/m.py:f:1" },
		{ "past the interpreter, which no text names",
		  "Objects/call.c:cfunction_call:9 /w/m.py:f:1", "other|w/m.py:f:1" },
		{ "past what has no file", "<string>:op0:3 :cfunction_call:0 /w/m.py:f:1",
		  "other|w/m.py:f:1" },
		{ "past a library", "libc.so.6:start:0 thread48.o:run:0 /w/m.py:f:1", "other|w/m.py:f:1" },
		{ "not even where all of Python is framework", "x.cpp:f:1 " P "a.py:x:2",
		  "framework other|torch/a.py:x:2" },
		{ "what C++ does is still what is done", "attention.cu:f:1 /w/m.py:f:1",
		  "attention|w/m.py:f:1" },
		{ "C++ where there is nothing else", "x.cpp:f:1 ??:main:0", "other|x.cpp:f:1" },
		{ "a node of autograd, in its own thread",
		  "??:at::empty:0 "
		  "??:torch::autograd::generated::SubBackward0::apply(std::vector<at::Tensor>&&):0 "
		  "??:torch::autograd::Engine::evaluate_function(int):0 :__clone3:0",
		  "framework other|autograd:SubBackward0:0" },
		{ "a node that is not generated",
		  "??:torch::autograd::CppNode<a::B>::apply(int):0 :__clone3:0",
		  "framework other|autograd:CppNode<a::B>:0" },
		{ "not where Python is",
		  "??:torch::autograd::generated::SubBackward0::apply(int):0 /w/m.py:f:1",
		  "other|w/m.py:f:1" },
		{ "nor what only takes a node", ":g:0 ??:torch::autograd::f(a::apply(int)):0",
		  "other|:g:0" },
		{ "Windows", "\\v\\site-packages\\torch\\nn\\x.py:f:1 \\a\\w\\m.py:run:3",
		  "other|w/m.py:run:3" },
	};
	struct site_rules rules;
	struct snapshot s;
	struct sites t;
	struct diag_log log;
	struct strbuf b = STRBUF_INIT;
	diag_init(&log);
	make_rules(&rules);
	snapshot_init(&s);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		add_stack(&s, rows[i].stack);
	sites_init(&t, &s, &rules);
	for (int twice = 0; twice < 2; twice++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			uint32_t id;
			assert_int_equal(sites_find(&t, (uint32_t)i, &id, &log), ST_OK);
			if (strcmp(site_text(&t, id, &b), rows[i].expected) != 0)
				fail_msg("%s: have %s, want %s", rows[i].label, strbuf_str(&b), rows[i].expected);
		}
	strbuf_release(&b);
	sites_release(&t);
	snapshot_release(&s);
	site_rules_release(&rules);
	diag_release(&log);
}

/* Equal places (file and function) are one site, whatever their paths and stacks; another category
 * makes another site. */
static void test_ids(void **state)
{
	(void)state;
	struct site_rules rules;
	struct snapshot s;
	struct sites t;
	struct diag_log log;
	uint32_t id[5], none, beyond;
	diag_init(&log);
	make_rules(&rules);
	snapshot_init(&s);
	add_stack(&s, "/w/m.py:f:1");
	add_stack(&s, "??:x:0 /other/w/m.py:f:1");
	add_stack(&s, "/w/m.py:f:2");
	add_stack(&s, P "linear.py:f:1 /w/m.py:f:1");
	add_stack(&s, "??:y:0 /w/m.py:f:1");
	sites_init(&t, &s, &rules);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(sites_find(&t, i, &id[i], &log), ST_OK);
	assert_int_equal(id[0], NR_FIXED_SITES);
	assert_int_equal(id[1], id[0]);
	assert_int_equal(id[4], id[0]);
	assert_int_equal(id[2], NR_FIXED_SITES + 1);
	assert_int_equal(id[3], NR_FIXED_SITES + 2);
	assert_int_equal(sites_find(&t, SNAPSHOT_NO_STACK, &none, &log), ST_OK);
	assert_int_equal(sites_find(&t, 5, &beyond, &log), ST_OK);
	assert_int_equal(none, SITE_ID_NO_STACK);
	assert_int_equal(beyond, SITE_ID_NO_STACK);
	sites_release(&t);
	snapshot_release(&s);
	site_rules_release(&rules);
	diag_release(&log);
}

/* Without rules, every Python frame with a name counts as the user's. */
static void test_no_rules(void **state)
{
	(void)state;
	struct snapshot s;
	struct sites t;
	struct diag_log log;
	struct strbuf b = STRBUF_INIT;
	uint32_t id;
	diag_init(&log);
	snapshot_init(&s);
	add_stack(&s, "??:unwind:0 /w/m.py:f:1");
	sites_init(&t, &s, NULL);
	assert_int_equal(sites_find(&t, 0, &id, &log), ST_OK);
	assert_string_equal(site_text(&t, id, &b), "other|w/m.py:f:1");
	strbuf_release(&b);
	sites_release(&t);
	snapshot_release(&s);
	diag_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sites),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_no_rules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
