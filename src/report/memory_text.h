/// The memory section of `gpugate metrics`: what a snapshot says, for people.
#ifndef GG_REPORT_MEMORY_TEXT_H
#define GG_REPORT_MEMORY_TEXT_H

#include "document/document.h"
#include "model/digest.h"

/// Write a section for each memory of a snapshot; nothing where `d` has none.
void memory_document(const struct digest *digest, bool name_rank, struct document *d);

#endif
