/* gpugate: a regression gate for GPU runs.

   The folders of src/ are the stages of the data's way through the program. The folders within them
   are called rooms; base and store are rooms themselves.

       bytes → events → digest of a rank → view → verdicts → report → writers → exit code

   base/      status, diagnostics, allocation, arena, strings, names, exact numbers, text, sorting,
              searching, unions of intervals, periods of a sequence, "did you mean"

   model/: the data types
     metric/    metrics (one row each in metrics.def), units, statistics
     events/    results of readers: events of a trace, a memory snapshot, other profilers' records
     names/     display names of kernels, and which names a text in a rule means
     model/     digest and its rows (a line for each member: how it is stored, and how it is joined
                when rows are joined), memory, flops (peaks of GPUs), ranks (collectives matched
                across them), view (the figures of a digest as rules see them), category, rule,
                select (which items a rule means), history (past runs of a baseline), diagnosis,
                finding (why checks failed), report, fold (figures of the ranks of a folded run),
                figures (the value of each metric), phases and kinds of steps

   input/: files → events
     io/        source: file, gzip (inflated ahead by a thread), stdin → bytes; jscan: bytes → JSON
                tokens, never a tree; database: a file of SQLite → rows, without SQL;
                sink: output that keeps its first error, written to a temporary file and renamed;
                cores: how many CPU cores and how much memory may be used
     read/      trace (also of JAX and XProf) → events; memory snapshot, as JSON or as a pickle
                read as data, and other profilers' records of memory; recognizing what an input
                may be
     xspace/    XSpace files of JAX and TensorFlow → events; kinds of XProf's timelines
     nsys/      export of Nsight Systems → events
     flight/    dumps of PyTorch's Flight Recorder: which rank hangs, and in which collective
     results/   result files of benchmarks, by a table of formats; proposals of formats for unknown
                files; the state of GPUs; result files

   reduce/: events → digest
     reduce/    events → digest: steps (by markers, or by the period of launches), kernels,
                communication, devices, host, functions, operations, memory, captures of graphs,
                the activity that began last; steps, phases and operations by names of events
     replay/    memory snapshot → digest: replay backwards from the final state, sites; other
                profilers' records of memory → digest
     code/      where in the code work is launched: threads, calls of Python, paths and places
     merge/     several digests of one rank as one; digests of bounded size
     fold/      one digest for many ranks: figures of each rank or their distribution, sums of rows,
                collectives that are matched once all ranks are known; slow links; ranks that a run
                lacks, and ranks that lack collectives

   store/     digest and baseline as canonical JSON, and their JSON Schemas; the lock of a
              baseline

   judge/: the verdict
     rules/     everything that is read from YAML: rules, categories, sites and diagnosis files
     tables/    a program that runs in the build: compiles the tables of rules/ into C
     trust/     whether recordings can be believed: steps, ranks, kernels, memory, the machine
     diff/      comparison of baseline and candidate without a verdict: bench (all runs of both),
                pairs of kernels, renames, drift, breakdown of a change of time or memory
     gate/      judge: environment, noise, compare (decides each check); reasons to change a
                decision: kernels that replace others, a change common to all kernels, waivers,
                figures that may grow; confirmation by pairs
     cause/     failed and warned checks as findings: what caused them, what it costs, what to do
     changed/   files that a change under review touches, from the user or git; the places in the
                code of a report that are in these files

   report/: reports
     document/  a report as paragraphs, lists, tables and pictures; rendered as text, Markdown, HTML
     report/    the contents of a report on a check, a diff or a run, as a document; writers of
                JUnit, JSON, OpenMetrics; figures of one run
     html/      the writer of the page, its charts, style and script
     evidence/  a small trace of both sides for each finding on a failed check
     diagnose/  notable facts about a run, from digests only: facts, tables, series; what limits its
                speed, and advice (by rules of diagnosis, and by code); slow and late ranks, slow
                links, workers unlike their peers; ranks side by side

   cli/: commands
     cli/       option table, formats of reports, loading of runs (several files at a time),
                provenance of a run; one file per group of commands
     init/      what gpugate init finds in a repository, and writes: rules for a run and for result
                files, workflows
     suite/     many cases as one gate: the suite file, a process for each case, shards, reports
     history/   figures over the runs of a baseline's history, and their change points
     pages/     a program that runs in the build: manual pages and completions, from tables of cli

   All data passes through digests: the rooms that make digests know no rules, and later rooms see
   no events. tests/layers.py has the rooms that each room may include, and checks every include.

   CONTRIBUTING.md has the recipes: a metric, a report format, a key of the rules, a
   category, a diagnosis, an input, a command or an option, a room. */
#include "cli/commands.h"

int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
