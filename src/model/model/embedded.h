/// Data files that are compiled into the program.
#ifndef GG_MODEL_EMBEDDED_H
#define GG_MODEL_EMBEDDED_H

#include <stddef.h>

/// Text of docs/glossary.md, NUL-terminated; static.
extern const char embedded_glossary[];
/// Number of bytes of `embedded_glossary` without the NUL.
extern const size_t embedded_glossary_size;

/// Text of docs/verdicts.md and docs/ranks.md, whose tables say what verdicts and findings mean,
/// NUL-terminated; static.
extern const char embedded_verdicts[], embedded_ranks[];
/// Sizes in bytes of the two texts, each without the NUL.
extern const size_t embedded_verdicts_size, embedded_ranks_size;

/// Text of rules/formats.yaml, the formats of result files, NUL-terminated; static.
extern const char embedded_formats[];
/// Number of bytes of `embedded_formats` without the NUL.
extern const size_t embedded_formats_size;

/// CI workflows for an example repository. `gpugate init` replaces the names of the example in
/// them. NUL-terminated; static.
extern const char embedded_github_gate[], embedded_github_act[], embedded_gitlab_pipeline[];
/// Sizes in bytes of the workflows above, each without the NUL.
extern const size_t embedded_github_gate_size, embedded_github_act_size,
    embedded_gitlab_pipeline_size;

/// The style sheet and the script of the HTML report, NUL-terminated; static.
extern const char embedded_page_css[], embedded_page_js[];
/// Sizes in bytes of the style sheet and the script, each without the NUL.
extern const size_t embedded_page_css_size, embedded_page_js_size;
/// Hashes of the style sheet and of the script, in the form "sha256-…" in which a
/// Content-Security-Policy names them; static.
extern const char embedded_page_css_hash[], embedded_page_js_hash[];

#endif
