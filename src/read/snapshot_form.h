/// The forms of a snapshot, from any tree of values.
#ifndef GG_READ_SNAPSHOT_FORM_H
#define GG_READ_SNAPSHOT_FORM_H

#include "read/snapshot_build.h"
#include "read/tree.h"

/// Read the outermost value of `t` into `b`; tree_status() tells how it went.
void snapshot_form_read(const struct tree *t, struct snapshot_builder *b);

#endif
