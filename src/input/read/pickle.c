#include "read/pickle.h"

#include <inttypes.h>

#include "read/pickle_nodes.h"
#include "read/snapshot_form.h"

/* True for the first bytes of a pickle. Protocols from 2 on begin with the opcode PROTO. Protocols
 * 0 and 1 begin with the opcode of an empty container, and then have a memo opcode or the first
 * items (opcodes as in Python's pickletools). */
bool pickle_recognize(struct span first)
{
	static const char *const starts[] = { "\x80", "(dp", "(lp", "(dV", "(dS", "(l(",
		                                  "}q",   "}(",  "}.",  "]q",  "](",  "].",
		                                  "}X",   "}U",  "}T",  "]}",  "]]",  "]X" };
	return ANY(i, NR_OF(starts), span_starts(first, span_of(starts[i])));
}

/* ---- walking the nodes as a tree ---- */

enum {
	MAX_DEPTH = 32, ///< limit of nesting; snapshots have a depth of 7
	VISITS_PER_BYTE = 64, ///< visits to nodes that are allowed for each byte of a pickle: since
	                      ///< stacks are shared, 2 bytes may refer to some 100 frames
};

struct walk_frame {
	const struct pickle_chunk *last, *chunk; ///< last chunk of the container; chunk with the next
	                                         ///< item, NULL at the end
	uint32_t at; ///< index of the next item in `chunk`
};

struct pickle_walk {
	const struct pickle_input *in;
	const struct pickle_nodes *nodes;
	struct walk_frame frames[MAX_DEPTH];
	size_t depth;
	uint32_t value; ///< id of the node that is read next
	uint64_t visits, max_visits;
	enum status status;
};

static const struct pickle_node *next_value(const struct pickle_walk *w)
{
	return &w->nodes->nodes.v[w->value];
}

static void walk_fail(void *ctx, uint64_t byte, const char *what)
{
	struct pickle_walk *w = ctx;
	if (w->status == ST_OK)
		w->status =
		    diag_fail(w->in->log, ST_INPUT, "%s: byte %" PRIu64 ": %s", w->in->name, byte, what);
}

static bool walk_enter(struct pickle_walk *w)
{
	const struct pickle_node *node = next_value(w);
	if (w->status != ST_OK)
		return false;
	if (w->depth == MAX_DEPTH) {
		walk_fail(w, node->byte, "nested too deeply");
		return false;
	}
	w->frames[w->depth++] =
	    (struct walk_frame){ .last = node->last, .chunk = node->last ? node->last->next : NULL };
	return true;
}

/* Moves on by `nr` items and returns the address of the first of these items. At the end of the
 * container it leaves the container and returns NULL; it also returns NULL after an error. */
static const uint32_t *walk_step(struct pickle_walk *w, uint32_t nr)
{
	struct walk_frame *l = &w->frames[w->depth - 1];
	if (w->status == ST_OK && w->visits++ >= w->max_visits)
		walk_fail(w, next_value(w)->byte, "the pickle unfolds to far more than its size");
	if (w->status != ST_OK)
		return NULL;
	if (!l->chunk) {
		w->depth--;
		return NULL;
	}
	const uint32_t *items = l->chunk->items + l->at;
	l->at += nr;
	if (l->at == l->chunk->nr) {
		l->chunk = l->chunk == l->last ? NULL : l->chunk->next;
		l->at = 0;
	}
	return items;
}

static bool walk_object(void *ctx)
{
	return next_value(ctx)->type == PICKLE_DICT && walk_enter(ctx);
}

/* Moves to the next key that is a text. Keys of other types are skipped with their values: no
 * reader looks for such keys. */
static bool walk_key(void *ctx, struct span *key)
{
	struct pickle_walk *w = ctx;
	for (const uint32_t *pair; (pair = walk_step(w, 2));) {
		const struct pickle_node *node = &w->nodes->nodes.v[pair[0]];
		w->value = pair[1];
		if (node->type == PICKLE_TEXT) {
			*key = (struct span){ node->text, node->nr };
			return true;
		}
	}
	return false;
}

static bool walk_array(void *ctx)
{
	enum pickle_type type = next_value(ctx)->type;
	return (type == PICKLE_LIST || type == PICKLE_TUPLE) && walk_enter(ctx);
}

static bool walk_element(void *ctx)
{
	struct pickle_walk *w = ctx;
	const uint32_t *item = walk_step(w, 1);
	if (item)
		w->value = *item;
	return item != NULL;
}

static void walk_scalar(void *ctx, struct scalar *out)
{
	static const enum scalar_type types[] = {
		[PICKLE_NULL] = SCALAR_NULL,       [PICKLE_BOOL] = SCALAR_BOOL,
		[PICKLE_INTEGER] = SCALAR_INTEGER, [PICKLE_TEXT] = SCALAR_TEXT,
		[PICKLE_OTHER] = SCALAR_OTHER,     [PICKLE_LIST] = SCALAR_OTHER,
		[PICKLE_TUPLE] = SCALAR_OTHER,     [PICKLE_DICT] = SCALAR_OTHER,
		[PICKLE_SET] = SCALAR_OTHER,
	};
	const struct pickle_node *node = next_value(ctx);
	out->type = types[node->type];
	out->byte = node->byte;
	if (node->type == PICKLE_TEXT) {
		out->text = (struct span){ node->text, node->nr };
	} else if (node->type == PICKLE_INTEGER || node->type == PICKLE_BOOL) {
		out->negative = node->negative;
		out->magnitude = node->magnitude;
	}
}

static void walk_skip(void *ctx)
{
	(void)ctx;
}

static uint64_t walk_byte(void *ctx)
{
	return next_value(ctx)->byte;
}

static enum status walk_status(void *ctx)
{
	return ((const struct pickle_walk *)ctx)->status;
}

static const struct tree_ops walk_ops = {
	.object = walk_object,
	.key = walk_key,
	.array = walk_array,
	.element = walk_element,
	.scalar = walk_scalar,
	.skip = walk_skip,
	.byte = walk_byte,
	.fail = walk_fail,
	.status = walk_status,
};

/* ---- reading of a pickle ---- */

static enum status read_nodes(const struct pickle_input *in, const struct snapshot_limits *limits,
                              tree_form *form, void *ctx)
{
	struct pickle_nodes nodes = { 0 };
	if (!pickle_check(*in))
		return ST_INPUT;
	if (!pickle_build(*in, limits, &nodes)) {
		pickle_nodes_release(&nodes);
		return ST_INPUT;
	}
	struct pickle_walk w = { .in = in, .nodes = &nodes, .value = nodes.root };
	w.max_visits = limits->pickle_visits + (uint64_t)VISITS_PER_BYTE * in->bytes.n;
	struct tree tree = { &walk_ops, &w };
	form(ctx, &tree);
	pickle_nodes_release(&nodes);
	return w.status;
}

enum status pickle_read_tree(struct source *src, const struct snapshot_limits *limits,
                             tree_form *form, void *ctx, struct diag_log *log)
{
	struct pickle_input in = { .name = source_name(src), .log = log };
	size_t limit = limits->pickle_bytes;
	struct strbuf bytes = STRBUF_INIT;
	enum status st = source_read_all(src, limit, &bytes, log);
	in.bytes = strbuf_span(&bytes);
	if (st == ST_OK && in.bytes.n > limit)
		st = diag_fail(log, ST_INPUT,
		               "%s: byte %zu: a pickle longer than %zu bytes; export it as JSON", in.name,
		               limit, limit);
	else if (st == ST_OK && source_truncated(src))
		st = diag_fail(log, ST_INPUT, "%s: byte %zu: the pickle is cut short; copy it anew",
		               in.name, in.bytes.n);
	if (st == ST_OK)
		st = read_nodes(&in, limits, form, ctx);
	strbuf_release(&bytes);
	return st;
}

enum status snapshot_read_pickle(struct source *src, const struct snapshot_limits *limits,
                                 struct snapshot *out, struct diag_log *log)
{
	struct snapshot_builder b;
	snapshot_builder_init(&b, limits ? limits : &snapshot_limits_default);
	enum status st = pickle_read_tree(src, b.limits, snapshot_form_read, &b, log);
	return snapshot_builder_finish(&b, src, st, out, log);
}
