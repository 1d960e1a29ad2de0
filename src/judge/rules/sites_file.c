#include "rules/rules_file.h"

#include "rules/keys.h"

static const char *const tier_keys[NR_SITE_TIERS] = {
	[TIER_REGION] = "regions",
	[TIER_OPERATION] = "operations",
	[TIER_HELPER] = "helpers",
};

static const struct key file_keys[] = {
	KEY("skip", TEXTS, OPTIONAL, "texts of frames that are not the user's own code",
	    INTO(site_rules, skip)),
	KEY("plumbing", TEXTS, OPTIONAL, "texts of frames that are never named",
	    INTO(site_rules, plumbing)),
	KEY("regions", MAPS, OPTIONAL, "categories of any frame, before all others",
	    .map = &category_keys),
	KEY("operations", MAPS, REQUIRED, "categories of the innermost frame that has one",
	    .map = &category_keys),
	KEY("helpers", MAPS, OPTIONAL, "the same where there is no operation", .map = &category_keys),
};
const struct key_map sites_keys = KEY_TABLE("the sites file", file_keys);

static enum status read_root(struct document *d, void *ctx)
{
	struct site_rules *out = ctx;
	TRY(keys_check(d, d->root, &sites_keys));
	keys_fill(&sites_keys, d->root, &out->tiers[0].arena, out);
	for (size_t i = 0; i < NR_SITE_TIERS; i++) {
		const struct node *list = node_get(d->root, tier_keys[i]);
		if (list)
			TRY(category_rows_read(d, list, &out->tiers[i]));
	}
	return ST_OK;
}

enum status sites_read(const char *path, const struct span *text, struct site_rules *out,
                       struct diag_log *log)
{
	*out = (struct site_rules){ 0 };
	return document_open(path, text, &table_sites, read_root, out, log);
}
