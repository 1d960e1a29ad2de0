/* Which processes used GPUs, and which rank of a job each of them is.
   Source: NvtxParamsCommInitRank of nccl's src/init.cc (NCCL 2.18 and later), as nsys writes it
   to NVTX_EVENTS.jsonText; "MPI Rank N" are marks that the MPI trace of nsys makes. */
#include "base/number.h"
#include "nsys/nsys_internal.h"

/* ---- who used which GPU ---- */

/* Activities of one process on one of its devices. */
struct share {
	uint32_t process; ///< index
	int64_t device, activities;
};

struct census {
	struct nsys *n;
	struct idmap processes; ///< ids
	struct idmap pairs; ///< (process, id of its device in `devices`)
	struct idmap devices;
	VEC(struct share) shares;
};

static const struct database_column user_columns[] = { { .name = "globalPid", .optional = true },
	                                                   { .name = "deviceId" } };

static enum status take_user(void *ctx, const struct database_value *v)
{
	struct census *c = ctx;
	int64_t id = nsys_process_id(&v[0]);
	uint32_t process = idmap_add(&c->processes, id);
	if (process == c->n->processes.nr)
		vec_push(&c->n->processes,
		         (struct nsys_process){
		             .id = id, .pid = id & 0xFFFFFF, .device = -1, .rank = -1, .world_size = -1 });
	uint32_t pair = idmap_add(&c->pairs, idmap_pair(process, idmap_add(&c->devices, v[1].integer)));
	if (pair == c->shares.nr)
		vec_push(&c->shares, (struct share){ process, v[1].integer, 0 });
	c->shares.v[pair].activities++;
	return ST_OK;
}

static enum status count_activities(struct census *c)
{
	struct nsys *n = c->n;
	for (const char *const *table = nsys_gpu_tables; *table; table++)
		TRY(database_scan(n->db, *table, user_columns, 2, take_user, c, n->log));
	for (size_t p = 0; p < n->processes.nr; p++) {
		int64_t most = 0;
		for (size_t i = 0; i < c->shares.nr; i++)
			if (c->shares.v[i].process == p && c->shares.v[i].activities > most) {
				most = c->shares.v[i].activities;
				n->processes.v[p].device = c->shares.v[i].device;
			}
	}
	return ST_OK;
}

static const struct database_column gpu_columns[] = { { .name = "gpuId" },
	                                                  { .name = "cudaId" },
	                                                  { .name = "pid" } };

/* CUDA's number of a GPU is the process's own (CUDA_VISIBLE_DEVICES). */
static enum status take_gpu(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	for (size_t i = 0; i < n->processes.nr; i++) {
		struct nsys_process *p = &n->processes.v[i];
		if (p->pid == v[2].integer && !p->mapped && p->device == v[1].integer) {
			p->device = v[0].integer;
			p->mapped = true;
		}
	}
	return ST_OK;
}

/* ---- which rank ---- */

/* The number behind `key` in JSON of one level, or -1. */
static int64_t json_number(struct span json, struct span key)
{
	const char *at = memmem(json.p, json.n, key.p, key.n), *end = json.p + json.n;
	uint64_t v;
	if (!at)
		return -1;
	at += key.n;
	while (at < end && (*at == ' ' || *at == ':'))
		at++;
	struct span digits = { at, 0 };
	while (at + digits.n < end && is_digit(at[digits.n]))
		digits.n++;
	return number_parse_u64(digits, &v) && v <= INT32_MAX ? (int64_t)v : -1;
}

/* The rank in the communicator of most ranks; -2 where two of that size disagree. */
static void take_rank(struct nsys_process *p, int64_t rank, int64_t ranks)
{
	if (rank < 0 || ranks < p->world_size)
		return;
	bool again = ranks == p->world_size && p->rank != -1;
	p->rank = again && p->rank != rank ? -2 : rank;
	p->world_size = ranks;
}

enum { SAID_THREAD, SAID_TEXT, SAID_TEXT_ID, SAID_JSON, SAID_JSON_ID };
static const struct database_column said_columns[] = {
	{ .name = "globalTid", .optional = true },
	{ .name = "text", .text = true, .optional = true },
	{ .name = "textId", .optional = true },
	{ .name = "jsonText", .text = true, .optional = true },
	{ .name = "jsonTextId", .optional = true },
};

static bool text_of(const struct nsys *n, const struct database_value *text,
                    const struct database_value *id, struct span *out)
{
	if (text->null)
		return nsys_string(n, id, out);
	*out = text->text;
	return true;
}

static enum status take_said(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct span name, json;
	uint64_t rank;
	if (!text_of(n, &v[SAID_TEXT], &v[SAID_TEXT_ID], &name))
		return ST_OK;
	bool nccl = span_starts(name, SPAN("ncclCommInit")) &&
	            text_of(n, &v[SAID_JSON], &v[SAID_JSON_ID], &json);
	bool mpi =
	    span_skip(&name, SPAN("MPI Rank ")) && number_parse_u64(name, &rank) && rank <= INT32_MAX;
	for (size_t i = 0; i < n->processes.nr && (nccl || mpi); i++) {
		struct nsys_process *p = &n->processes.v[i];
		if (p->id >= 0 && p->id != nsys_process_id(&v[SAID_THREAD]))
			continue;
		if (nccl)
			take_rank(p, json_number(json, SPAN("\"Rank\"")),
			          json_number(json, SPAN("\"No. of ranks\"")));
		else
			take_rank(p, (int64_t)rank, 0);
	}
	return ST_OK;
}

static bool all_differ(const struct nsys *n, int64_t (*key)(const struct nsys_process *))
{
	for (size_t i = 0; i < n->processes.nr; i++) {
		if (key(&n->processes.v[i]) < 0)
			return false;
		for (size_t k = 0; k < i; k++)
			if (key(&n->processes.v[i]) == key(&n->processes.v[k]))
				return false;
	}
	return true;
}

static int64_t by_rank(const struct nsys_process *p)
{
	return p->rank;
}

static int64_t by_device(const struct nsys_process *p)
{
	return p->device;
}

static int device_cmp(const void *a, const void *b)
{
	const struct nsys_process *x = a, *y = b;
	return (x->device > y->device) - (x->device < y->device);
}

static int rank_cmp(const void *a, const void *b)
{
	const struct nsys_process *x = a, *y = b;
	ORDER_BY(x->rank, y->rank);
	return (x->id > y->id) - (x->id < y->id);
}

/* Ranks that NCCL or MPI said; else processes that each work on a GPU of their own, in the order
   of the GPUs; else nothing is known of several. */
static void settle_ranks(struct nsys *n)
{
	bool said = all_differ(n, by_rank), apart = !said && all_differ(n, by_device);
	if (apart && n->processes.nr > 1)
		vec_sort(&n->processes, device_cmp);
	for (size_t i = 0; i < n->processes.nr; i++) {
		struct nsys_process *p = &n->processes.v[i];
		if (!said)
			p->rank = apart && n->processes.nr > 1 ? (int64_t)i : -1;
		if (!said || p->world_size <= 0)
			p->world_size = -1;
	}
	vec_sort(&n->processes, rank_cmp);
}

enum status nsys_find_processes(struct nsys *n)
{
	struct census c = { .n = n };
	idmap_init(&c.processes);
	idmap_init(&c.pairs);
	idmap_init(&c.devices);
	enum status st = count_activities(&c);
	idmap_release(&c.processes);
	idmap_release(&c.pairs);
	idmap_release(&c.devices);
	vec_release(&c.shares);
	TRY(st);
	if (!n->processes.nr)
		return diag_fail(n->log, ST_INPUT,
		                 "%s: no kernel, copy or memory set was recorded: record with nsys profile "
		                 "--trace=cuda,nvtx",
		                 database_name(n->db));
	TRY(NSYS_SCAN(n, "TARGET_INFO_CUDA_DEVICE", gpu_columns, take_gpu));
	TRY(NSYS_SCAN(n, "NVTX_EVENTS", said_columns, take_said));
	settle_ranks(n);
	return ST_OK;
}
