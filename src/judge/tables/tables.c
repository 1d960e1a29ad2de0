/* usage: tables OUT.c NAME.yaml…
   Writes each file as a `struct table` called table_NAME, as libyaml reads it. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "rules/yaml_reader.h"

/* Write the rows of a node and its children. A row is written without its closing brace, which the
 * next row begins with: a map or list that ends with the row can thus still add "+ 1" to the row's
 * last member, `ends`. */
static void write_node(const struct node *n, FILE *out, struct strbuf *texts)
{
	if (n->key)
		write_node(n->key, out, texts);
	fprintf(out, "},\n\t{ %u, %u, %zu, %d, %d, 0", n->line, n->column, n->text.n, n->kind,
	        n->plain);
	if (n->kind == NODE_SCALAR) {
		strbuf_adds(texts, "\n\t\"");
		for (size_t i = 0; i < n->text.n; i++)
			strbuf_addf(texts, "\\%03o", (unsigned char)n->text.p[i]);
		strbuf_adds(texts, "\\0\"");
		return;
	}
	for (const struct node *c = n->first; c; c = c->next)
		write_node(c, out, texts);
	fputs(" + 1", out);
}

static enum status write_table(struct document *d, void *ctx)
{
	FILE *out = ctx;
	struct strbuf texts = STRBUF_INIT;
	const char *name = path_last(d->name);
	int n = (int)strcspn(name, ".");
	fprintf(out, "static const struct table_node %.*s_nodes[] = {{0", n, name);
	write_node(d->root, out, &texts);
	fprintf(out, "},\n\t{ 0 } };\nconst struct table table_%.*s = { %.*s_nodes + 1, %s };\n", n,
	        name, n, name, strbuf_str(&texts));
	strbuf_release(&texts);
	return ST_OK;
}

int main(int argc, char **argv)
{
	struct diag_log log;
	FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (!out)
		return 1;
	diag_init(&log);
	fputs("#include \"rules/yaml_reader.h\"\n", out);
	for (int i = 2; i < argc; i++)
		if (document_open(argv[i], NULL, NULL, write_table, out, &log) != ST_OK) {
			fprintf(stderr, "%s\n", diag_first_error(&log));
			return 1;
		}
	diag_release(&log);
	return fclose(out) ? 1 : 0;
}
