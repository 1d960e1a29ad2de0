/// Stacks of Python frames → the place in the code and the module that they name.
#ifndef GG_CODE_PLACES_H
#define GG_CODE_PLACES_H

#include "code/paths.h"
#include "model/memory.h"

/// A frame by its text, which is "FILE(LINE): FUNCTION", the call of a module or anything else.
struct code_frame {
	struct span file, function; ///< the file empty: it has none
	int64_t line;
	bool own; ///< of the user's own code, by the whole text
	bool skipped; ///< by FILE:FUNCTION
	uint32_t module; ///< name, or NO_ID
};

/// What a stack comes to.
struct code_stack {
	bool own; ///< some frame is of the user's own code
	uint32_t place; ///< innermost frame that is not skipped, else the innermost with a file; NO_ID
	uint32_t module; ///< path
	bool found; ///< `place` is not skipped
};

struct code_places {
	const struct site_rules *rules; ///< borrowed; NULL: no frame is skipped
	struct name_table frame_names; ///< texts
	VEC(struct code_frame) frames; ///< by name
	struct name_table module_names; ///< without the number of the instance
	struct code_paths modules;
	struct code_paths paths; ///< of frames
	VEC(struct code_stack) stacks; ///< by path
};

/// Makes it ready for use.
void code_places_init(struct code_places *p, const struct site_rules *rules);
/// Releases what it holds.
void code_places_release(struct code_places *p);

/// Name of a frame by its text.
uint32_t code_places_frame(struct code_places *p, struct span text);

/// "layer_3", "batch 17" → without the number at the end and what joins it on.
struct span code_without_number(struct span name);

/// Path of the stack within which a module of this name is called from another.
uint32_t code_places_module(struct code_places *p, uint32_t path, struct span name);

/// Path of the frames of `text`, innermost first, between ';'. 0 where there are none.
uint32_t code_places_of_text(struct code_places *p, struct span text);

/// What the path of a stack comes to.
struct code_stack code_places_stack(struct code_places *p, uint32_t path);

#endif
