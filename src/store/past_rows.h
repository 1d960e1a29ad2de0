/// Row types of past runs: of those in a baseline, and of those in a history file.
#ifndef GG_STORE_PAST_ROWS_H
#define GG_STORE_PAST_ROWS_H

#include "model/history.h"
#include "store/row.h"

/// Row type of the provenance of a run.
extern const struct schema provenance_schema;

/// Row type of an answer to a query.
extern const struct schema past_value_schema;

/// Row type of a run in a baseline.
extern const struct schema past_schema;

/// Fields of a run in a history file: those of a run in a baseline, and the gate's verdict.
enum { NR_HISTORY_FIELDS = 11 };
extern const struct field history_fields[NR_HISTORY_FIELDS];

#endif
