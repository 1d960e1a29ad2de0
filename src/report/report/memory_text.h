/// The memory section of `gpugate metrics`, for people.
#ifndef GG_REPORT_MEMORY_TEXT_H
#define GG_REPORT_MEMORY_TEXT_H

#include "document/document.h"
#include "model/digest.h"

/// Write a section for each memory of the digest; nothing if it has none.
void memory_document(const struct digest *digest, bool name_rank, struct document *d);

#endif
