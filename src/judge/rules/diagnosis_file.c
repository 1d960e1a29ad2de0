#include "rules/rules_file.h"

#include "base/nearest.h"
#include "rules/keys.h"
#include "rules/rules_internal.h"

/* Words for the key `bound`, which says what limits the speed of a run. BOUND_MIXED has no word: a
 * run with several bounds matches the words of all of them. */
static const char *const word_bound[] = { SINGLE_BOUNDS(ENUM_WORD) NULL };

static const struct key condition_keys[] = {
	KEY("bound", WORD, ONE_OF, "the run is bound by this, by itself or beside another",
	    INTO(diagnosis_condition, bound), .words = word_bound, .absent = NR_BOUNDS),
	KEY("metric", WORD, ONE_OF, "the figure", .words = metric_names),
	KEY("stat", WORD, OPTIONAL, "statistic over steps; median if not said",
	    INTO(diagnosis_condition, figure.query.stat), .absent = STAT_MEDIAN, .words = stat_names),
	KEY("select", MAP, OPTIONAL, "narrow the figure to some items, which are added up",
	    INTO(diagnosis_condition, figure.query), .map = &select_map),
	KEY("of", WORD, OPTIONAL, "the figure as a share of this one", .words = metric_names),
	KEY("per", WORD, OPTIONAL, "the figure over this count", .words = metric_names),
	KEY("above", LIMIT, OPTIONAL, "it is more than this: 30%, 2ms, 1GiB, 10"),
	KEY("below", LIMIT, OPTIONAL, "it is less than this"),
};
static const struct key_map condition_map = KEY_TABLE("a condition", condition_keys);

static const struct key saves_keys[] = {
	KEY("metric", WORD, REQUIRED, "time per step that could be saved at most",
	    .words = metric_names),
	KEY("select", MAP, OPTIONAL, "narrow it to some items, which are added up",
	    INTO(diagnosis_rule, saves), .map = &select_map),
	KEY("share", SHARE, OPTIONAL, "how much of it; all if not said",
	    INTO(diagnosis_rule, saves_share), .absent = 100 * MICRO),
};
static const struct key_map saves_map = KEY_TABLE("'saves'", saves_keys);

static const struct key finding_keys[] = {
	KEY("id", ID, REQUIRED, "name of the finding", INTO(diagnosis_rule, advice.id)),
	KEY("title", TEXT, REQUIRED, "what is the matter, in a few words",
	    INTO(diagnosis_rule, advice.title)),
	KEY("when", MAPS, REQUIRED, "conditions that all hold", .map = &condition_map),
	KEY("saves", MAP, OPTIONAL, "what it could save; unknown if not said", .map = &saves_map),
	KEY("observation", TEXT, REQUIRED, "what was seen; {METRIC} becomes its figure",
	    INTO(diagnosis_rule, advice.observation)),
	KEY("hypothesis", TEXT, REQUIRED, "what that may mean",
	    INTO(diagnosis_rule, advice.hypothesis)),
	KEY("action", TEXT, REQUIRED, "what to try", INTO(diagnosis_rule, advice.action)),
	KEY("confirm", WORD, REQUIRED, "metric that would confirm it",
	    INTO(diagnosis_rule, advice.confirm), .words = metric_names),
	KEY("confidence", WORD, REQUIRED, "how sure the hypothesis is",
	    INTO(diagnosis_rule, advice.confidence), .words = confidence_names),
	KEY("ask", TEXT, OPTIONAL, "artifact that would settle it", INTO(diagnosis_rule, advice.ask),
	    .absent_text = ""),
};
static const struct key_map finding_map = KEY_TABLE("a finding", finding_keys);

static const struct key file_keys[] = {
	KEY("version", INTEGER, REQUIRED, "of this format: 1", .min = 1, .max = 1),
	KEY("findings", MAPS, REQUIRED, "what to look for", .map = &finding_map),
};
const struct key_map diagnosis_keys = KEY_TABLE("the diagnosis file", file_keys);

static bool is_bytes(enum unit unit)
{
	return unit == UNIT_BYTES || unit == UNIT_BYTES_PER_STEP;
}

/* Check that the metric gives one number per run. Figures of devices and of memories are reduced to
   one. A metric of other items (such as kernels) gives one only if it is a time, count or size per
   step, since the figures of its items can then be added up. */
static enum status check_metric(struct document *d, const struct node *n, const struct metric *m)
{
	if (m->label == LABEL_PAIR)
		return document_fail(d, n, "'%s' needs two runs", m->name);
	bool one = m->label == LABEL_NONE || m->label == LABEL_DEVICE || m->label == LABEL_MEMORY;
	bool sum = m->unit == UNIT_NS_PER_STEP || m->unit == UNIT_COUNT_PER_STEP ||
	           m->unit == UNIT_BYTES_PER_STEP;
	if (!one && !sum)
		return document_fail(d, n, "'%s' has a figure for each %s that cannot be added up", m->name,
		                     label_names[m->label]);
	return ST_OK;
}

/* Read the metric of the query `out` from `key`, and set how its values are reduced. Other members
   stay as they are. */
static enum status read_metric(struct document *d, const struct node *map, const char *key,
                               struct query *out)
{
	const struct node *n = node_get(map, key);
	const struct metric *m = &metric_table[n->value];
	TRY(check_metric(d, n, m));
	out->metric = m;
	out->reduce = diagnosis_query(m).reduce;
	return ST_OK;
}

static enum status read_query(struct document *d, const struct node *map, struct query *out)
{
	TRY(read_metric(d, map, "metric", out));
	return select_check(d, node_get(map, "select"), out->metric->name, 1u << out->metric->label);
}

/* Read the figure that the figure of the key `metric` is divided by: that of the key `of` for a
   share, or that of the key `per` for a quotient. */
static enum status read_other(struct document *d, const struct node *map,
                              struct diagnosis_figure *f)
{
	const struct node *of = node_get(map, "of"), *per = node_get(map, "per");
	if (of && per)
		return document_fail(d, per->key, "'of' and 'per' exclude each other");
	if (!of && !per)
		return ST_OK;
	f->form = of ? FORM_OF : FORM_PER;
	TRY(read_metric(d, map, of ? "of" : "per", &f->other));
	enum unit unit = f->query.metric->unit, other = f->other.metric->unit;
	if (of && unit != other && !(unit_is_time(unit) && unit_is_time(other)) &&
	    !(is_bytes(unit) && is_bytes(other)))
		return document_fail(d, of, "'%s' is in %s, '%s' in %s: there is no share",
		                     f->query.metric->name, unit_name(unit), f->other.metric->name,
		                     unit_name(other));
	if (per && other != UNIT_COUNT)
		return document_fail(d, per, "'%s' is not a count", f->other.metric->name);
	return ST_OK;
}

static enum status read_condition(struct document *d, struct arena *a, const struct node *map,
                                  struct diagnosis_condition *out)
{
	const struct node *above = node_get(map, "above"), *below = node_get(map, "below");
	const struct node *limit = above ? above : below;
	keys_default(&condition_map, out);
	keys_fill(&condition_map, map, a, out);
	const struct node *bound = node_get(map, "bound"), *metric = node_get(map, "metric");
	if (!bound == !metric)
		return document_fail(d, map, "a condition is about a 'metric' or a 'bound': name one");
	if (bound && limit)
		return document_fail(d, limit->key, "a 'bound' has no limit");
	if (bound)
		return ST_OK;
	if (!limit)
		return document_fail(d, map, "a condition needs at least one of 'above', 'below'");
	TRY(read_query(d, map, &out->figure.query));
	TRY(read_other(d, map, &out->figure));
	if (above && below)
		return document_fail(d, below->key, "'above' and 'below' are two conditions: write two");
	out->above = above != NULL;
	if (out->figure.form == FORM_OF)
		return share_read(d, limit, 100, &out->value);
	return bound_read(d, out->figure.query.metric, limit, !out->above, &out->value);
}

/* Check that each placeholder in the text of the key `key` is {step} or names a known figure. */
static enum status check_text(struct document *d, const struct node *map, const char *key,
                              const struct diagnosis_rule *r)
{
	const struct node *n = node_get(map, key);
	struct span literal, inside, unknown;
	struct diagnosis_figure figure;
	for (const char *rest = n->text.p; placeholder_next(&rest, &literal, &inside);) {
		if (!inside.p || placeholder_is_step(inside) ||
		    placeholder_figure(r, inside, &figure, &unknown))
			continue;
		const struct nearest near = { .best = metric_suggest(unknown, NULL) };
		return document_fail(d, n, "%s in '%s' is not a metric%s", document_quote(d, unknown), key,
		                     nearest_hint(&near, &d->arena, ':', ": see 'gpugate explain'"));
	}
	return ST_OK;
}

static enum status read_finding(struct document *d, const struct node *map,
                                struct diagnosis_rules *out)
{
	const struct node *id = node_get(map, "id"), *saves = node_get(map, "saves");
	for (size_t i = 0; i < out->list.nr; i++)
		if (span_eq(id->text, span_of(out->list.v[i].advice.id)))
			return document_fail(d, id, "two findings are called %s", document_quote(d, id->text));
	struct diagnosis_rule *r = vec_push_zero(&out->list);
	keys_default(&finding_map, r);
	keys_fill(&finding_map, map, &out->arena, r);
	for (const struct node *n = node_get(map, "when")->first; n; n = n->next)
		TRY(read_condition(d, &out->arena, n, vec_push_zero(&r->when)));
	if (saves)
		TRY(read_query(d, saves, &r->saves));
	if (saves && !unit_is_time(r->saves.metric->unit))
		return document_fail(d, saves, "'%s' is not a time per step", r->saves.metric->name);
	TRY(check_text(d, map, "observation", r));
	TRY(check_text(d, map, "hypothesis", r));
	return check_text(d, map, "action", r);
}

static enum status read_root(struct document *d, void *ctx)
{
	struct diagnosis_rules *out = ctx;
	TRY(keys_check(d, d->root, &diagnosis_keys));
	for (const struct node *n = node_get(d->root, "findings")->first; n; n = n->next)
		TRY(read_finding(d, n, out));
	return ST_OK;
}

enum status diagnosis_read(const char *path, const struct span *text, struct diagnosis_rules *out,
                           struct diag_log *log)
{
	*out = (struct diagnosis_rules){ 0 };
	return document_open(path, text, &table_diagnosis, read_root, out, log);
}
