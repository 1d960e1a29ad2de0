/* Finds the processes that used GPUs, and the rank of each in the job. Sources: NCCL 2.18 and later
   states the rank as the payload NvtxParamsCommInitRank (src/init.cc), which nsys writes to
   NVTX_EVENTS.jsonText. The MPI trace of nsys makes marks named "MPI Rank N". */
#include "base/number.h"
#include "nsys/nsys_internal.h"

/* ---- processes and the GPUs that they use ---- */

/* Number of activities of one process on one of its devices. */
struct share {
	uint32_t process; ///< index of the process
	int64_t device, activities;
};

/* Largest number of processes, far more than a node has; reading each process takes a pass over the
 * whole file. */
enum { PROCESSES_MAX = 1024 };

struct census {
	struct nsys *n;
	struct idmap processes; ///< process ids; the map numbers them in the order of `n->processes`,
	                        ///< until the processes are sorted
	struct idmap pairs; ///< pairs (process, device), as ids of `processes` and `devices`
	struct idmap devices; ///< CUDA's numbers of devices
	VEC(struct share) shares;
	struct idmap pids; ///< process ids in TARGET_INFO_CUDA_DEVICE
	struct idmap mapped; ///< pairs (process, device), as ids of `pids` and `devices`, for which
	                     ///< nsys's report has the GPU
	VEC(int64_t) gpus; ///< number of the GPU of each pair, indexed by the pair's id in `mapped`
};

static const struct database_column user_columns[] = { { .name = "globalPid", .optional = true },
	                                                   { .name = "deviceId" } };

static enum status take_user(void *ctx, const struct database_value *v)
{
	struct census *c = ctx;
	int64_t id = nsys_process_id(&v[0]);
	uint32_t process = idmap_add(&c->processes, id);
	if (process == PROCESSES_MAX)
		return diag_fail(c->n->log, ST_INPUT,
		                 "%s: more than %d processes used GPUs; record fewer in one file",
		                 database_name(c->n->db), PROCESSES_MAX);
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
	int64_t most[PROCESSES_MAX] = { 0 };
	for (size_t i = 0; i < c->shares.nr; i++) {
		const struct share *s = &c->shares.v[i];
		if (s->activities > most[s->process]) {
			most[s->process] = s->activities;
			n->processes.v[s->process].device = s->device;
		}
	}
	return ST_OK;
}

/* Takes a row that says which GPU a CUDA device number of a process means. Each process numbers its
   GPUs by itself (CUDA_VISIBLE_DEVICES). */
static enum status take_gpu(void *ctx, const struct database_value *v)
{
	struct census *c = ctx;
	uint32_t device = idmap_find(&c->devices, v[MAP_DEVICE].integer);
	if (device == NO_ID)
		return ST_OK;
	int64_t pair = idmap_pair(idmap_add(&c->pids, v[MAP_PID].integer), device);
	if (idmap_add(&c->mapped, pair) == c->gpus.nr)
		vec_push(&c->gpus, v[MAP_GPU].integer);
	return ST_OK;
}

static enum status map_devices(struct census *c)
{
	struct nsys *n = c->n;
	TRY(database_scan(n->db, "TARGET_INFO_CUDA_DEVICE", nsys_map_columns, NR_MAP_COLUMNS, take_gpu,
	                  c, n->log));
	for (size_t i = 0; i < n->processes.nr; i++) {
		struct nsys_process *p = &n->processes.v[i];
		uint32_t pid = idmap_find(&c->pids, p->pid), device = idmap_find(&c->devices, p->device);
		uint32_t found = pid == NO_ID || device == NO_ID
		                     ? NO_ID
		                     : idmap_find(&c->mapped, idmap_pair(pid, device));
		p->mapped = found != NO_ID;
		if (p->mapped)
			p->device = c->gpus.v[found];
	}
	return ST_OK;
}

/* ---- ranks of processes ---- */

/* The number after `key` in JSON text without nested objects, or -1. */
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

/* Sets the rank of a process to its rank in the communicator with the most ranks so far, or to
   -2 if two communicators of this size give different ranks. */
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

/* Takes the rank that a row of NVTX_EVENTS states for its process. In an export that does not
   distinguish processes, each row counts for the only process. */
static enum status take_said(void *ctx, const struct database_value *v)
{
	struct census *c = ctx;
	struct nsys *n = c->n;
	struct span name, json;
	uint64_t rank;
	if (!nsys_text(n, &v[SAID_TEXT], &v[SAID_TEXT_ID], &name))
		return ST_OK;
	bool nccl = span_starts(name, SPAN("ncclCommInit")) &&
	            nsys_text(n, &v[SAID_JSON], &v[SAID_JSON_ID], &json);
	bool mpi =
	    span_skip(&name, SPAN("MPI Rank ")) && number_parse_u64(name, &rank) && rank <= INT32_MAX;
	int64_t id = nsys_process_id(&v[SAID_THREAD]);
	uint32_t heard[] = { idmap_find(&c->processes, id), idmap_find(&c->processes, -1) };
	for (size_t i = 0; i < 1 + (id != -1); i++) {
		if (heard[i] == NO_ID)
			continue;
		if (nccl)
			take_rank(&n->processes.v[heard[i]], json_number(json, SPAN("\"Rank\"")),
			          json_number(json, SPAN("\"No. of ranks\"")));
		else if (mpi)
			take_rank(&n->processes.v[heard[i]], (int64_t)rank, 0);
	}
	return ST_OK;
}

static bool all_differ(const struct nsys *n, int64_t (*key)(const struct nsys_process *))
{
	struct idmap keys;
	bool differ = true;
	idmap_init(&keys);
	for (size_t i = 0; i < n->processes.nr && differ; i++) {
		int64_t k = key(&n->processes.v[i]);
		differ = k >= 0 && idmap_add(&keys, k) == i;
	}
	idmap_release(&keys);
	return differ;
}

static int64_t by_rank(const struct nsys_process *p)
{
	return p->rank;
}

static int64_t by_device(const struct nsys_process *p)
{
	return p->device;
}

ORDERING(device_cmp, struct nsys_process, RISING(device))

ORDERING(rank_cmp, struct nsys_process, RISING(rank) RISING(id))

/* Decides on ranks. If NCCL or MPI named different ranks for all processes, these are used. Else
   ranks follow the order of GPUs if each process has a GPU of its own, or are unknown. */
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

static enum status take_census(struct census *c)
{
	struct nsys *n = c->n;
	TRY(count_activities(c));
	if (!n->processes.nr)
		return diag_fail(n->log, ST_INPUT,
		                 "%s: no kernel, copy or memory set was recorded: record with nsys profile "
		                 "--trace=cuda,nvtx",
		                 database_name(n->db));
	TRY(map_devices(c));
	return database_scan(n->db, "NVTX_EVENTS", said_columns, NR_OF(said_columns), take_said, c,
	                     n->log);
}

enum status nsys_find_processes(struct nsys *n)
{
	struct census c = { .n = n };
	struct idmap *maps[] = { &c.processes, &c.pairs, &c.devices, &c.pids, &c.mapped };
	for (size_t i = 0; i < NR_OF(maps); i++)
		idmap_init(maps[i]);
	enum status st = take_census(&c);
	for (size_t i = 0; i < NR_OF(maps); i++)
		idmap_release(maps[i]);
	vec_release(&c.shares);
	vec_release(&c.gpus);
	if (st == ST_OK)
		settle_ranks(n);
	return st;
}
