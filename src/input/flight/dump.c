#include "flight/dump.h"

#include <inttypes.h>
#include <string.h>

#include "base/idmap.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "read/pickle.h"
#include "read/tree.h"

#define MAX_ENTRIES ((size_t)1 << 20)
#define MAX_MEMBERS ((size_t)1 << 24) /* largest number of members of all groups together */
enum { RANK_LIMIT = INT32_MAX, SIZES_SHOWN = 120 };

struct dump_reader {
	const struct tree *t;
	struct flight_dump *out;
	struct idmap group_ids; ///< names of groups; the id of a name is its index in out->groups
	struct strbuf text; ///< buffer in which texts are composed
	size_t limit, nr_members;
	uint64_t nr; ///< number of entries that were read, including sends and receives
	bool has_entries;
};

static bool ok(const struct dump_reader *r)
{
	return tree_status(r->t) == ST_OK;
}

static void fail(struct dump_reader *r, uint64_t byte, const char *what)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "dump of the Flight Recorder: %s; copy it anew", what);
	tree_fail(r->t, byte, strbuf_str(&b));
	strbuf_release(&b);
}

static const struct name *keep(struct dump_reader *r, struct span s)
{
	const struct name *nm = name_intern(&r->out->names, s);
	if (!nm)
		fail(r, tree_byte(r->t), "too many different names");
	return nm;
}

/* ---- single values of a dump ---- */

/* Reads the text of the next value; false if it has another type. */
static bool read_text(struct dump_reader *r, const struct name **out)
{
	struct scalar s = tree_scalar(r->t);
	*out = s.type == SCALAR_TEXT && ok(r) ? keep(r, s.text) : NULL;
	return *out != NULL;
}

/* Reads a number, which may also be written as text. */
static bool read_number(struct dump_reader *r, int64_t *out)
{
	struct scalar s = tree_scalar(r->t);
	uint64_t v = s.magnitude;
	if (s.type == SCALAR_TEXT ? !number_parse_u64(s.text, &v) : s.type != SCALAR_INTEGER)
		return false;
	if (s.negative || v > INT64_MAX)
		return false;
	*out = (int64_t)v;
	return true;
}

/* Reads the sizes of the tensors, [[4, 4], [2]], and counts their elements together. */
static void read_sizes(struct dump_reader *r, struct flight_entry *e)
{
	int64_t sum = 0, of_one, size;
	size_t nr = 0;
	bool known = true;
	r->text.n = 0;
	if (!tree_enter_array(r->t))
		return;
	for (; tree_element(r->t); nr++) {
		bool first = true;
		of_one = 1;
		strbuf_adds(&r->text, nr ? ", [" : "[");
		if (!tree_enter_array(r->t)) {
			known = false;
			continue;
		}
		for (; tree_element(r->t); first = false) {
			known =
			    read_number(r, &size) && known && !__builtin_mul_overflow(of_one, size, &of_one);
			if (known && r->text.n < SIZES_SHOWN)
				strbuf_addf(&r->text, "%s%" PRId64, first ? "" : ", ", size);
		}
		strbuf_addch(&r->text, ']');
		known = known && !__builtin_add_overflow(sum, of_one, &sum);
		if (r->text.n > SIZES_SHOWN)
			r->text.n = SIZES_SHOWN;
	}
	if (known && nr && ok(r)) {
		e->elements = sum;
		e->sizes = keep(r, strbuf_span(&r->text));
	}
}

/* Reads the element type of an entry's tensors: one type, or a list of types, of which only the
 * first is used. */
static void read_type(struct dump_reader *r, struct flight_entry *e)
{
	bool first = true;
	if (!tree_array(r->t)) {
		read_text(r, &e->dtype);
		return;
	}
	for (; tree_element(r->t); first = false) {
		if (first)
			read_text(r, &e->dtype);
		else
			tree_skip(r->t);
	}
}

/* Reads a frame as text into r->text; false if it names no file. `*outside` becomes true if the
 * frame is not of PyTorch. */
static bool read_frame(struct dump_reader *r, bool *outside)
{
	struct span key;
	int64_t line = 0;
	const struct name *file = NULL, *function = NULL;
	if (!tree_enter_object(r->t))
		return false;
	while (tree_key(r->t, &key)) {
		if (span_eq(key, SPAN("name")))
			read_text(r, &function);
		else if (span_eq(key, SPAN("filename")))
			read_text(r, &file);
		else if (!span_eq(key, SPAN("line")))
			tree_skip(r->t);
		else if (!read_number(r, &line))
			line = 0;
	}
	if (!file)
		return false;
	*outside = !strstr(file->s, "/torch/");
	r->text.n = 0;
	strbuf_addf(&r->text, "%s:%" PRId64, file->s, line);
	if (function)
		strbuf_addf(&r->text, " (%s)", function->s);
	return true;
}

/* Reads the list of frames, which begins with the innermost one. */
static void read_frames(struct dump_reader *r, struct flight_entry *e)
{
	bool found = false, outside;
	if (!tree_enter_array(r->t))
		return;
	while (tree_element(r->t)) {
		if (found) {
			tree_skip(r->t);
		} else if (read_frame(r, &outside) && ok(r)) {
			found = outside;
			if (outside || !e->frame)
				e->frame = keep(r, strbuf_span(&r->text));
		}
	}
}

/* ---- process groups of a dump ---- */

static uint32_t group_id(struct dump_reader *r, const struct name *nm)
{
	uint32_t id = idmap_add(&r->group_ids, nm->id);
	if (id == r->out->groups.nr)
		vec_push(&r->out->groups, (struct flight_group){ .name = nm });
	return id;
}

/* Reads the pair [name, description] of an entry's group. */
static bool read_group_of(struct dump_reader *r, struct flight_entry *e)
{
	const struct name *nm[2] = { NULL, NULL };
	size_t nr = 0;
	if (!tree_enter_array(r->t))
		return false;
	for (; tree_element(r->t); nr++)
		if (nr < 2)
			read_text(r, &nm[nr]);
		else
			tree_skip(r->t);
	if (!nm[0] || !ok(r))
		return false;
	e->group = group_id(r, nm[0]);
	if (!r->out->groups.v[e->group].desc)
		r->out->groups.v[e->group].desc = nm[1];
	return true;
}

static void add_member(struct dump_reader *r, struct flight_group *g, uint64_t rank)
{
	if (rank > RANK_LIMIT)
		fail(r, tree_byte(r->t), "a rank beyond 2147483647");
	else if (r->nr_members++ >= MAX_MEMBERS)
		fail(r, tree_byte(r->t), "more than 16777216 members of process groups");
	else
		vec_push(&g->ranks, (int64_t)rank);
}

/* Reads the members of a group, "[0, 1, 2]". */
static void read_members(struct dump_reader *r, struct flight_group *g)
{
	const struct name *list;
	if (!read_text(r, &list))
		return;
	g->ranks.nr = 0;
	for (const char *p = list->s; *p && ok(r);) {
		size_t n = strspn(p, "0123456789");
		uint64_t rank;
		if (n && number_parse_u64((struct span){ p, n }, &rank))
			add_member(r, g, rank);
		p += n ? n : 1;
	}
	vec_sort(&g->ranks, number_cmp_i64);
}

static void read_group(struct dump_reader *r, uint32_t id)
{
	struct span key;
	const struct name *desc = NULL;
	if (!tree_enter_object(r->t))
		return;
	while (tree_key(r->t, &key)) {
		if (span_eq(key, SPAN("ranks")))
			read_members(r, &r->out->groups.v[id]);
		else if (span_eq(key, SPAN("desc")))
			read_text(r, &desc);
		else
			tree_skip(r->t);
	}
	if (desc)
		r->out->groups.v[id].desc = desc;
}

static void read_groups(struct dump_reader *r)
{
	struct span key;
	if (!tree_enter_object(r->t))
		return;
	while (tree_key(r->t, &key)) {
		const struct name *nm = keep(r, key);
		if (nm && ok(r))
			read_group(r, group_id(r, nm));
		else
			tree_skip(r->t);
	}
}

/* ---- entries: collectives of a dump ---- */

/* The kind of a collective, from a name such as "nccl:all_reduce" or "nccl:recv 1<-0". */
static const struct name *kind_of(struct dump_reader *r, const struct name *profiling, bool *p2p)
{
	const char *colon = strchr(profiling->s, ':');
	struct span s = span_of(colon ? colon + 1 : profiling->s);
	*p2p = *p2p || span_starts(s, SPAN("send ")) || span_starts(s, SPAN("recv "));
	return keep(r, *p2p ? s : span_cut(&s, ' '));
}

struct entry_reader {
	struct flight_entry entry;
	bool group, seq, p2p;
	const struct name *profiling, *state;
};

static void read_entry_key(struct dump_reader *r, struct entry_reader *e, struct span key)
{
	int64_t id;
	if (span_eq(key, SPAN("process_group"))) {
		e->group = read_group_of(r, &e->entry);
	} else if (span_eq(key, SPAN("collective_seq_id"))) {
		e->seq = read_number(r, &e->entry.seq);
	} else if (span_eq(key, SPAN("profiling_name"))) {
		read_text(r, &e->profiling);
	} else if (span_eq(key, SPAN("state"))) {
		read_text(r, &e->state);
	} else if (span_eq(key, SPAN("input_sizes"))) {
		read_sizes(r, &e->entry);
	} else if (span_eq(key, SPAN("input_dtypes"))) {
		read_type(r, &e->entry);
	} else if (span_eq(key, SPAN("frames"))) {
		read_frames(r, &e->entry);
	} else if (span_eq(key, SPAN("record_id"))) {
		if (read_number(r, &id) && r->nr == 0)
			r->out->dropped = id > 0;
	} else if (span_eq(key, SPAN("is_p2p"))) {
		struct scalar s = tree_scalar(r->t);
		e->p2p = s.type == SCALAR_BOOL && s.magnitude;
	} else {
		tree_skip(r->t);
	}
}

static bool read_state(const struct name *nm, enum flight_state *out)
{
	static const char *const states[] = { "scheduled", "started", "completed", NULL };
	int i = nm ? span_find(name_span(nm), states) : -1;
	if (i >= 0)
		*out = (enum flight_state)i;
	return i >= 0;
}

static void read_entry(struct dump_reader *r)
{
	struct entry_reader e = { .entry = { .elements = -1 } };
	uint64_t byte = tree_byte(r->t);
	struct span key;
	if (!tree_object(r->t)) {
		fail(r, byte, "an entry is not an object");
		return;
	}
	while (tree_key(r->t, &key))
		read_entry_key(r, &e, key);
	if (!ok(r))
		return;
	if (!e.profiling || !e.group || !e.seq || !read_state(e.state, &e.entry.state)) {
		fail(r, byte, "an entry lacks its name, process group, number or state");
		return;
	}
	e.entry.kind = kind_of(r, e.profiling, &e.p2p);
	if (r->nr++ >= r->limit)
		fail(r, byte, "too many entries");
	else if (e.p2p)
		r->out->groups.v[e.entry.group].p2p = e.entry;
	else
		vec_push(&r->out->entries, e.entry);
}

static void read_entries(struct dump_reader *r)
{
	uint64_t byte = tree_byte(r->t);
	if (!tree_array(r->t) || r->has_entries) {
		fail(r, byte, "'entries' is not one list");
		return;
	}
	r->has_entries = true;
	while (tree_element(r->t))
		read_entry(r);
}

static void read_dump(void *ctx, const struct tree *t)
{
	struct dump_reader *r = ctx;
	uint64_t byte = tree_byte(t);
	struct span key;
	r->t = t;
	if (!tree_object(t)) {
		fail(r, byte, "not an object");
		return;
	}
	while (tree_key(t, &key)) {
		if (span_eq(key, SPAN("entries")))
			read_entries(r);
		else if (span_eq(key, SPAN("pg_config")))
			read_groups(r);
		else if (!span_eq(key, SPAN("rank")))
			tree_skip(t);
		else if (!read_number(r, &r->out->rank) || r->out->rank > RANK_LIMIT)
			r->out->rank = -1;
	}
	if (!r->has_entries)
		fail(r, byte, "'entries' is missing");
}

/* ---- reading of a whole dump ---- */

static struct dump_reader begin(size_t entries)
{
	struct dump_reader r = { .out = mem_calloc(1, sizeof *r.out),
		                     .limit = entries ? entries : MAX_ENTRIES };
	r.out->rank = -1;
	name_table_init(&r.out->names);
	idmap_init(&r.group_ids);
	return r;
}

static enum status end(struct dump_reader *r, enum status st, struct flight_dump **out)
{
	strbuf_release(&r->text);
	idmap_release(&r->group_ids);
	if (st == ST_OK)
		*out = r->out;
	else
		flight_dump_free(r->out);
	return st;
}

enum status flight_read(struct source *src, size_t entries, struct flight_dump **out,
                        struct diag_log *log)
{
	struct dump_reader r = begin(entries);
	struct json_tree_options json = {
		.cut = "dump of the Flight Recorder: it is cut short; copy it anew",
		.faults = &r.out->json_faults,
		.fault_byte = &r.out->fault_byte,
	};
	return end(&r, json_read_tree(src, &json, read_dump, &r, log), out);
}

enum status flight_read_pickle(struct source *src, size_t entries, struct flight_dump **out,
                               struct diag_log *log)
{
	struct dump_reader r = begin(entries);
	return end(&r, pickle_read_tree(src, &snapshot_limits_default, read_dump, &r, log), out);
}

void flight_dump_free(struct flight_dump *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->groups.nr; i++)
		vec_release(&d->groups.v[i].ranks);
	vec_release(&d->groups);
	vec_release(&d->entries);
	name_table_release(&d->names);
	free(d);
}
