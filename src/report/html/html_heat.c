/* Draws the steps of the candidate's ranks as a heat map with a row for each of at most RANKS
   ranks. The first rows are those of ranks that insights (remarks on single ranks) name. */
#include <inttypes.h>

#include "base/number.h"
#include "html/html.h"
#include "html/svg.h"
#include "metric/unit.h"

enum { RANKS = 64, STEPS = 100, GRADES = 7, CELL = 100, FEW = 24 };

struct heat {
	VEC(const struct series *) rows;
	size_t named; ///< number of ranks that insights name; their rows come first
	size_t row; ///< height of a row of the picture
	size_t steps; ///< number of columns of the picture
	size_t bin; ///< steps per column; a cell shows the slowest of them
	int64_t middle; ///< median of the values of all cells
};

static int64_t cell(const struct heat *m, const struct series *s, size_t column)
{
	int64_t most = INT64_MIN;
	for (size_t i = column * m->bin; i < (column + 1) * m->bin && i < s->points.nr; i++)
		most = s->points.v[i].y > most ? s->points.v[i].y : most;
	return most;
}

static void collect(const struct report *r, struct heat *m)
{
	VEC(int64_t) all = VEC_INIT;
	size_t longest = 0;
	for (int named = 1; named >= 0; named--) {
		for (size_t i = 0; i < r->run->ranks.nr && m->rows.nr < RANKS; i++)
			if (report_names_rank(r, true, r->run->ranks.v[i].rank) == (named != 0))
				vec_push(&m->rows, &r->run->ranks.v[i]);
		m->named = named ? m->rows.nr : m->named;
	}
	for (size_t i = 0; i < m->rows.nr; i++)
		longest = m->rows.v[i]->points.nr > longest ? m->rows.v[i]->points.nr : longest;
	m->row = m->rows.nr <= FEW ? 14 : 7;
	m->bin = (longest + STEPS - 1) / STEPS;
	m->steps = m->bin ? (longest + m->bin - 1) / m->bin : 0;
	for (size_t i = 0; i < m->rows.nr; i++)
		for (size_t k = 0; k < m->steps; k++)
			if (cell(m, m->rows.v[i], k) != INT64_MIN)
				vec_push(&all, cell(m, m->rows.v[i], k));
	vec_sort(&all, number_cmp_i64);
	m->middle = all.nr ? all.v[all.nr / 2] : 0;
	vec_release(&all);
}

/* Grade of a value by its distance above the median in percent: grade 1 below 2, and one grade more
 * from 2, 5, 10, 20 and 50 on. Grade 0: more than 5 % below the median. */
static int grade_of(int64_t v, int64_t middle)
{
	static const int above[] = { 2, 5, 10, 20, 50 };
	__int128 by = ((__int128)v - middle) * 100;
	int grade = 1;
	if (by < -(__int128)middle * 5)
		return 0;
	for (size_t i = 0; i < NR_OF(above); i++)
		grade += by >= (__int128)middle * above[i];
	return grade;
}

static void put_cells(struct html *h, const struct heat *m)
{
	for (int grade = 0; grade < GRADES; grade++) {
		bool any = false;
		for (size_t y = 0; y < m->rows.nr; y++)
			for (size_t x = 0; x < m->steps; x++) {
				int64_t v = cell(m, m->rows.v[y], x);
				if (v == INT64_MIN || grade_of(v, m->middle) != grade)
					continue;
				if (!any)
					html_printf(h, "<path class=\"g%d\" d=\"", grade);
				html_printf(h, "M%zu %zuh98v%zuh-98z", x * CELL, y * m->row, m->row - 1);
				any = true;
			}
		html_puts(h, any ? "\"/>" : "");
	}
}

static void put_labels(struct html *h, const struct heat *m)
{
	html_printf(h, "<svg class=\"names\" width=\"56\" height=\"%zu\" aria-hidden=\"true\">",
	            m->rows.nr * m->row);
	for (size_t i = 0; i < m->rows.nr; i++)
		if (m->rows.nr <= FEW || i < m->named || (i - m->named) % 4 == 2)
			html_printf(h, "<text x=\"50\" y=\"%zu\"%s>rank %" PRId64 "</text>",
			            i * m->row + m->row - 1, i < m->named ? " class=\"named\"" : "",
			            m->rows.v[i]->rank);
	html_puts(h, "</svg>");
}

static void put_legend(struct html *h)
{
	static const char *const words[GRADES] = {
		"5 % less and below", "as the median", "+2 %", "+5 %", "+10 %", "+20 %", "+50 % and above"
	};
	html_puts(h, "<p class=\"legend\">");
	for (int i = 0; i < GRADES; i++) {
		html_swatch(h, arena_printf(&h->arena, "g%d", i));
		html_printf(h, "%s</span>", words[i]);
	}
	html_puts(h, "</p>\n");
}

static void put_words(struct html *h, const struct heat *m)
{
	html_printf(h, "%zu ranks by %zu steps, the median %s. ", m->rows.nr, m->steps,
	            unit_text(&h->arena, UNIT_NS, m->middle));
	for (size_t i = 0; i < m->named; i++) {
		int64_t sum = 0;
		for (size_t k = 0; k < m->rows.v[i]->points.nr; k++)
			sum = number_add(sum, m->rows.v[i]->points.v[k].y);
		if (m->rows.v[i]->points.nr)
			html_printf(h, "Rank %" PRId64 ": %s. ", m->rows.v[i]->rank,
			            unit_text(&h->arena, UNIT_NS, sum / (int64_t)m->rows.v[i]->points.nr));
	}
}

void html_heat(struct html *h)
{
	struct heat m = { 0 };
	if (!h->r->run)
		return;
	collect(h->r, &m);
	if (m.rows.nr > 1 && m.steps) {
		html_printf(h,
		            "<figure class=\"chart\"><figcaption>compute time of the steps of each rank, "
		            "against the median of all, %s</figcaption>\n",
		            unit_text(&h->arena, UNIT_NS, m.middle));
		put_legend(h);
		html_puts(h, "<div class=\"heat\">");
		put_labels(h, &m);
		html_picture(h,
		             arena_printf(&h->arena,
		                          "width=\"100%%\" height=\"%zu\" viewBox=\"0 0 %zu %zu\" "
		                          "preserveAspectRatio=\"none\"",
		                          m.rows.nr * m.row, m.steps * CELL, m.rows.nr * m.row),
		             "compute time by rank and step");
		put_words(h, &m);
		html_puts(h, "</desc>");
		put_cells(h, &m);
		html_puts(h, "</svg></div>\n");
		if (h->r->run->ranks.nr > m.rows.nr)
			html_printf(h, "<p class=\"note\">%zu more ranks</p>\n",
			            h->r->run->ranks.nr - m.rows.nr);
		html_puts(h, "</figure>\n");
	}
	vec_release(&m.rows);
}
