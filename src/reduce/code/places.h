/// Maps stacks of Python frames to their place (the frame of a stack that counts as the place in
/// the code) and their module.
#ifndef GG_CODE_PLACES_H
#define GG_CODE_PLACES_H

#include "code/paths.h"
#include "model/memory.h"

/// A frame as read from its text: "FILE(LINE): FUNCTION", the call of a module, or anything else.
struct code_frame {
	struct span file, function; ///< file and function; the file is empty if the text has none
	int64_t line;
	bool own; ///< true if the frame has a file and no rule skips the frame by its whole text: it
	          ///< counts as the user's own code
	bool skipped; ///< true if a rule skips the frame by the text FILE:FUNCTION
	uint32_t module; ///< id of the name of the module that the frame calls, or NO_ID
};

/// The place and the module of a stack of frames.
struct code_stack {
	bool own; ///< true if some frame is the user's own code
	uint32_t place; ///< index in `frames` of the innermost frame that has a file and is not
	                ///< skipped, else of the innermost frame with a file, else NO_ID
	uint32_t module; ///< id in `modules` of the path of the names of the modules in the stack
	bool found; ///< true if `place` is a frame that the rules do not skip
};

/// The frames and stacks of a trace, each with its place and module.
struct code_places {
	const struct site_rules *rules; ///< rules for frames, borrowed; NULL if no frame is skipped
	struct name_table frame_names; ///< texts of frames, each once
	VEC(struct code_frame) frames; ///< frames, indexed by id in `frame_names`
	struct name_table module_names; ///< names of modules, without the number of the instance
	struct code_paths modules;
	struct code_paths paths; ///< paths of frames: stacks are paths from the outermost frame to the
	                         ///< innermost
	VEC(struct code_stack) stacks; ///< stacks, indexed by id of the path of frames
};

/// Initializes an empty set of places; `rules` may be NULL.
void code_places_init(struct code_places *p, const struct site_rules *rules);
/// Releases all memory of the set.
void code_places_release(struct code_places *p);

/// The id of the frame with this text, which is added if it is new.
uint32_t code_places_frame(struct code_places *p, struct span text);

/// The name without a number at its end and without the separators before the number: "layer" for
/// "layer_3", "batch" for "batch 17".
struct span code_without_number(struct span name);

/// Id of the path of frames `path`, extended by a call of the module with the name `name`.
uint32_t code_places_module(struct code_places *p, uint32_t path, struct span name);

/// Id of the path of the frames in `text`, which lists them innermost first, separated by ';'; 0 if
/// `text` is empty.
uint32_t code_places_of_text(struct code_places *p, struct span text);

/// The place and module of the stack with this path.
struct code_stack code_places_stack(struct code_places *p, uint32_t path);

#endif
