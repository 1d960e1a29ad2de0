/* Builds the nodes of a pickle from its opcodes, which work on a stack of values, with marks in it,
   and on a memo. Source: Lib/pickle.py, class _Unpickler (CPython 3.13). */
#include <string.h>

#include "base/idmap.h"
#include "base/number.h"
#include "read/pickle_nodes.h"

struct machine {
	const struct pickle_input *in;
	const struct pickle_op *op;
	const struct snapshot_limits *limits;
	struct pickle_nodes *out;
	VEC(uint32_t) stack; ///< stack of values, as ids of nodes
	VEC(uint32_t) marks; ///< number of values on the stack when each mark was set
	struct idmap memo_keys;
	VEC(uint32_t) memo; ///< ids of the nodes in the memo, indexed by the key's id in memo_keys
	size_t refs; ///< number of references to nodes for which containers have room
	bool failed;
};

static void machine_fail(struct machine *m, const char *what)
{
	if (!m->failed)
		pickle_fail(m->in, m->op, what);
	m->failed = true;
}

static bool has_room(struct machine *m, size_t extra)
{
	if (m->refs + m->stack.nr + m->marks.nr + m->memo.nr + extra > m->limits->pickle_refs)
		machine_fail(m, "the pickle holds more values than a snapshot may have");
	return !m->failed;
}

/* ---- stack of values ---- */

static void push_value(struct machine *m, uint32_t id)
{
	if (has_room(m, 1))
		vec_push(&m->stack, id);
}

/* Makes a new node, which is not on the stack yet. */
static uint32_t new_node(struct machine *m, enum pickle_type type)
{
	uint32_t id = (uint32_t)m->out->nodes.nr;
	if (id >= m->limits->pickle_nodes)
		machine_fail(m, "the pickle holds more values than a snapshot may have");
	struct pickle_node *node = vec_push_zero(&m->out->nodes);
	node->type = type;
	node->byte = (uint32_t)m->op->byte;
	return id;
}

/* Pushes a new node; the returned address is valid until the next node is made. */
static struct pickle_node *push_node(struct machine *m, enum pickle_type type)
{
	uint32_t id = new_node(m, type);
	push_value(m, id);
	return &m->out->nodes.v[id];
}

/* Runs an opcode whose value does not depend on the stack, and pushes the value. */
static bool run_value(struct machine *m)
{
	struct pickle_node value;
	const char *problem = NULL;
	if (!pickle_value(m->op, &m->out->arena, &value, &problem))
		return false;
	if (problem)
		machine_fail(m, problem);
	struct pickle_node *node = push_node(m, value.type);
	value.byte = node->byte;
	*node = value;
	return true;
}

/* Number of values above the last mark. */
static size_t height(const struct machine *m)
{
	return m->stack.nr - (m->marks.nr ? m->marks.v[m->marks.nr - 1] : 0);
}

/* True if at least `nr` values are above the last mark. */
static bool has_values(struct machine *m, size_t nr)
{
	if (height(m) < nr)
		machine_fail(m, "too few values on the stack; the file is damaged");
	return !m->failed;
}

/* Pops the last mark and the values above it; returns the number of these values. */
static size_t pop_marked_values(struct machine *m)
{
	if (m->marks.nr == 0) {
		machine_fail(m, "no mark on the stack; the file is damaged");
		return 0;
	}
	size_t nr = height(m);
	m->marks.nr--;
	m->stack.nr -= nr;
	return nr;
}

/* Pops the values that the opcode takes; returns their number. */
static size_t pop_values(struct machine *m)
{
	size_t nr = m->op->nr;
	if (nr == PICKLE_MARKED)
		return pop_marked_values(m);
	if (!has_values(m, nr))
		return 0;
	m->stack.nr -= nr;
	return nr;
}

/* ---- opcodes of containers ---- */

/* Adds items to a container in one chunk, so that a key and its value stay together. */
static void add_items(struct machine *m, uint32_t id, const uint32_t *items, size_t nr)
{
	struct pickle_node *node = &m->out->nodes.v[id];
	struct pickle_chunk *last = node->last;
	if (nr == 0)
		return;
	if (!last || last->cap - last->nr < nr) {
		size_t grown = node->nr < 1024 ? node->nr : 1024, cap = nr > grown ? nr : grown;
		if (!has_room(m, cap))
			return;
		m->refs += cap;
		struct pickle_chunk *chunk =
		    arena_alloc(&m->out->arena, 1, sizeof *chunk + cap * sizeof *items);
		chunk->cap = (uint32_t)cap;
		chunk->next = last ? last->next : chunk;
		if (last)
			last->next = chunk;
		node->last = last = chunk;
	}
	memcpy(last->items + last->nr, items, nr * sizeof *items);
	last->nr += (uint32_t)nr;
	node->nr += (uint32_t)nr;
}

static bool can_be_key(const struct machine *m, uint32_t id)
{
	enum pickle_type type = m->out->nodes.v[id].type;
	return type != PICKLE_LIST && type != PICKLE_DICT && type != PICKLE_SET;
}

/* Adds the `nr` values that were popped last, which are still in memory above the stack, to the
   container `id`. */
static void add_values(struct machine *m, uint32_t id, size_t nr)
{
	const uint32_t *items = nr ? m->stack.v + m->stack.nr : NULL;
	bool dict = m->out->nodes.v[id].type == PICKLE_DICT;
	if (dict && nr % 2)
		machine_fail(m, "a key without a value; the file is damaged");
	for (size_t i = 0; dict && i < nr; i += 2)
		if (!can_be_key(m, items[i]))
			machine_fail(m, "a container as a key; the file is damaged");
	if (!m->failed)
		add_items(m, id, items, nr);
}

/* Adds values to the container that lies below them on the stack and must be of m->op->type. */
static void extend_container(struct machine *m)
{
	size_t nr = pop_values(m);
	if (m->failed || !has_values(m, 1))
		return;
	uint32_t id = m->stack.v[m->stack.nr - 1];
	if (m->out->nodes.v[id].type == m->op->type)
		add_values(m, id, nr);
	else
		machine_fail(m, "the value below is not a container of that kind; the file is damaged");
}

/* Replaces values on the stack by a container that holds them. */
static void make_container(struct machine *m)
{
	size_t nr = pop_values(m);
	uint32_t id = new_node(m, m->op->type);
	add_values(m, id, nr);
	push_value(m, id);
}

/* ---- opcodes of memo and stack ---- */

/* The memo key of a memo opcode, whose argument is text or binary. */
static int64_t memo_index(struct machine *m)
{
	struct span arg = m->op->argument;
	uint64_t v = 0;
	if (m->op->code == 'g' || m->op->code == 'p') {
		if (!number_parse_u64(arg, &v) || v > INT64_MAX)
			machine_fail(m, "not an index of the memo; the file is damaged");
	} else {
		v = pickle_number(arg.p, arg.n);
	}
	return (int64_t)v;
}

static void memo_put(struct machine *m, int64_t index)
{
	if (!has_values(m, 1) || !has_room(m, 1))
		return;
	uint32_t value = m->stack.v[m->stack.nr - 1], at = idmap_add(&m->memo_keys, index);
	if (at == m->memo.nr)
		vec_push(&m->memo, value);
	else
		m->memo.v[at] = value;
}

static void memo_get(struct machine *m, int64_t index)
{
	uint32_t at = idmap_find(&m->memo_keys, index);
	if (at == NO_ID)
		machine_fail(m, "nothing was put in the memo under that index; the file is damaged");
	else
		push_value(m, m->memo.v[at]);
}

/* Runs POP; if a mark is on top, POP removes the mark. */
static void run_pop(struct machine *m)
{
	if (m->marks.nr && height(m) == 0)
		m->marks.nr--;
	else if (has_values(m, 1))
		m->stack.nr--;
}

/* Runs an opcode that works on values of the stack. */
static void run_stack(struct machine *m)
{
	switch (m->op->deed) {
	case DEED_MAKE:
		make_container(m);
		break;
	case DEED_EXTEND:
		extend_container(m);
		break;
	case DEED_GET:
		memo_get(m, memo_index(m));
		break;
	case DEED_PUT:
		memo_put(m, memo_index(m));
		break;
	case DEED_MEMOIZE:
		memo_put(m, (int64_t)m->memo.nr);
		break;
	case DEED_MARK:
		if (has_room(m, 1))
			vec_push(&m->marks, (uint32_t)m->stack.nr);
		break;
	case DEED_POP:
		run_pop(m);
		break;
	case DEED_POP_MARK:
		pop_marked_values(m);
		break;
	case DEED_DUP:
		if (has_values(m, 1))
			push_value(m, m->stack.v[m->stack.nr - 1]);
		break;
	default: /* opcodes PROTO, FRAME and STOP have no effect */
		break;
	}
}

bool pickle_build(struct pickle_input in, const struct snapshot_limits *limits,
                  struct pickle_nodes *out)
{
	struct pickle_op op = { 0 };
	struct machine m = { .in = &in, .op = &op, .limits = limits, .out = out };
	*out = (struct pickle_nodes){ 0 };
	idmap_init(&m.memo_keys);
	while (!m.failed && op.code != '.') {
		if (!pickle_next(&in, &op))
			m.failed = true;
		else if (!run_value(&m))
			run_stack(&m);
	}
	if (!m.failed && (m.stack.nr != 1 || m.marks.nr))
		machine_fail(&m, "not exactly one value is left; the file is damaged");
	out->root = m.stack.nr ? m.stack.v[0] : 0;
	vec_release(&m.stack);
	vec_release(&m.marks);
	vec_release(&m.memo);
	idmap_release(&m.memo_keys);
	return !m.failed;
}

void pickle_nodes_release(struct pickle_nodes *n)
{
	vec_release(&n->nodes);
	arena_release(&n->arena);
}
