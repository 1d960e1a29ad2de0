/// Past runs as rows: those inside a baseline, and those of a history.
#ifndef GG_STORE_PAST_ROWS_H
#define GG_STORE_PAST_ROWS_H

#include "model/history.h"
#include "store/row.h"

/// Where a run came from.
extern const struct schema provenance_schema;

/// A run inside a baseline.
extern const struct schema past_schema;

/// A run of a history: the same, with what the gate said of it.
enum { NR_HISTORY_FIELDS = 10 };
extern const struct field history_fields[NR_HISTORY_FIELDS];

#endif
