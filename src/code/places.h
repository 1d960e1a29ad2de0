/// Maps stacks of Python frames to the place in the code and the module that they name.
#ifndef GG_CODE_PLACES_H
#define GG_CODE_PLACES_H

#include "code/paths.h"
#include "model/memory.h"

/// A frame, told by its text: "FILE(LINE): FUNCTION", the call of a module, or anything else.
struct code_frame {
	struct span file, function; ///< file and function; the file is empty if the text has none
	int64_t line;
	bool own; ///< true for the user's own code, by the rules for the whole text
	bool skipped; ///< true if the rules skip the frame, by FILE:FUNCTION
	uint32_t module; ///< id of the module's name, or NO_ID
};

/// The place and module that a stack of frames leads to.
struct code_stack {
	bool own; ///< true if some frame is the user's own code
	uint32_t place; ///< innermost frame not skipped, else innermost with a file, else NO_ID
	uint32_t module; ///< path of the modules
	bool found; ///< true if the frame in `place` is not skipped
};

struct code_places {
	const struct site_rules *rules; ///< rules for frames, borrowed; NULL: no frame is skipped
	struct name_table frame_names; ///< texts of frames
	VEC(struct code_frame) frames; ///< frames, indexed by name
	struct name_table module_names; ///< names of modules, without the number of the instance
	struct code_paths modules;
	struct code_paths paths; ///< paths of frames
	VEC(struct code_stack) stacks; ///< stacks, indexed by path of frames
};

/// Initializes an empty set; `rules` may be NULL.
void code_places_init(struct code_places *p, const struct site_rules *rules);
/// Releases all memory of the set.
void code_places_release(struct code_places *p);

/// The name id of a frame with this text.
uint32_t code_places_frame(struct code_places *p, struct span text);

/// The name without a number at its end and the character before that: "layer_3", "batch 17".
struct span code_without_number(struct span name);

/// The path of frames `path`, with a call of a module of this name added.
uint32_t code_places_module(struct code_places *p, uint32_t path, struct span name);

/// The path of the frames in `text`, innermost first, separated by ';'; 0 if there are none.
uint32_t code_places_of_text(struct code_places *p, struct span text);

/// The place and module of the stack with this path.
struct code_stack code_places_stack(struct code_places *p, uint32_t path);

#endif
