/* Finds lost kernels. All launches of a graph run the same kernels. So if only some launches of a
 * graph have an activity for a node, the kernel of this node is lost in its other launches.
 * Launches that have a node in common are launches of the same graph. The upper half of a node's id
 * is the id of its graph (CUPTI, graphNodeId); the body of a conditional node is a graph of its
 * own. */
#include "base/number.h"
#include "reduce/lost.h"
#include "reduce/reducer.h"

/* A kernel of a graph launch. */
struct node_use {
	int64_t node, dur_ns;
	uint32_t pair; ///< id of the pair (graph of the node, launch)
};

struct node_uses {
	VEC(struct node_use) list;
	/// union-find forest: for each pair, another pair of its group (the pairs of one graph), or the
	/// pair itself if it is the root of its group
	VEC(uint32_t) same;
	VEC(int64_t) launches; ///< for the root of each group: number of pairs in the group
};

ORDERING(node_use_cmp, struct node_use, RISING(node) RISING(pair))

static void uses_find(const struct reducer *r, int64_t until, struct node_uses *out)
{
	struct idmap pairs;
	idmap_init(&pairs);
	for (size_t i = 0; i < r->graphs.numbers.nr; i++) {
		const struct graph_number *n = &r->graphs.numbers.v[i];
		const struct activity *a = &r->gpu.activities.v[n->activity];
		const struct host_span *launch = activity_launch(r, a);
		const struct host_name *call = launch ? span_name(&r->host, launch) : NULL;
		if (!call || !launches_graph(call) || span_start(&r->host, launch) >= until ||
		    activity_name(&r->gpu, a)->stat.kind != EVENT_KERNEL)
			continue;
		uint32_t pair = idmap_add(&pairs, idmap_pair((uint32_t)(n->number >> 32), a->correlation));
		if (pair == out->same.nr) {
			vec_push(&out->same, pair);
			vec_push(&out->launches, 1);
		}
		vec_push(&out->list, (struct node_use){ n->number, activity_dur(&r->gpu, a), pair });
	}
	idmap_release(&pairs);
	vec_sort(&out->list, node_use_cmp);
}

static uint32_t group_of(struct node_uses *u, uint32_t pair)
{
	while (u->same.v[pair] != pair)
		pair = u->same.v[pair] = u->same.v[u->same.v[pair]];
	return pair;
}

static void groups_make(struct node_uses *u)
{
	for (size_t i = 1; i < u->list.nr; i++) {
		if (u->list.v[i].node != u->list.v[i - 1].node)
			continue;
		uint32_t x = group_of(u, u->list.v[i - 1].pair), y = group_of(u, u->list.v[i].pair);
		if (x == y)
			continue;
		u->same.v[y] = x;
		u->launches.v[x] += u->launches.v[y];
	}
}

/* Number of different sets of kernels that launches of graphs ran. A set is identified by the sum
 * of the hashes of its kernels' names. */
static int64_t graph_kinds(const struct reducer *r, int64_t until)
{
	const struct graph_number *numbered = r->graphs.numbers.v;
	int64_t *sums = mem_calloc(r->launches.list.nr, sizeof *sums), nr = 0;
	size_t n = 0;
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		const struct host_span *launch = activity_launch(r, a);
		const struct gpu_name *name = activity_name(&r->gpu, a);
		if (n < r->graphs.numbers.nr && numbered[n].activity == i)
			n++;
		else if (launch && launches_graph(span_name(&r->host, launch)) &&
		         span_start(&r->host, launch) < until && name->stat.kind == EVENT_KERNEL)
			sums[a->correlation] = (int64_t)((uint64_t)sums[a->correlation] + (name->key | 1));
	}
	sort_plain(sums, r->launches.list.nr, sizeof *sums, number_cmp_i64);
	for (size_t i = 0; i < r->launches.list.nr; i++)
		nr += sums[i] && (i == 0 || sums[i] != sums[i - 1]);
	free(sums);
	return nr;
}

void lost_nodes(const struct reducer *r, int64_t until, struct trust_counts *t)
{
	t->graph_kinds = graph_kinds(r, until);
	struct node_uses u = { VEC_INIT, VEC_INIT, VEC_INIT };
	uses_find(r, until, &u);
	groups_make(&u);
	for (size_t i = 0, end; i < u.list.nr; i = end) {
		int64_t launches = 0, ns = 0;
		for (end = i; end < u.list.nr && u.list.v[end].node == u.list.v[i].node; end++) {
			launches += end == i || u.list.v[end].pair != u.list.v[end - 1].pair;
			ns += u.list.v[end].dur_ns;
		}
		int64_t lost = u.launches.v[group_of(&u, u.list.v[i].pair)] - launches;
		t->lost_nodes += lost;
		t->lost_ns = number_add(t->lost_ns, number_div_round((__int128)ns * lost, launches));
	}
	vec_release(&u.list);
	vec_release(&u.same);
	vec_release(&u.launches);
}
