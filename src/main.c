/* gpugate: a regression gate for GPU runs.

   Map of the house. One way through:

       bytes → events → digest of a rank → view → verdicts → report → writers → exit code

   base/      status, diagnostics, allocation, arena, strings, names, exact numbers, text, sorting
   io/        source: file, gzip (inflated ahead by a thread), stdin → bytes; jscan: bytes → JSON
              tokens, never a tree; database: a file of SQLite → rows, without SQL;
              sink: sticky error, written beside its place and renamed
   model/     plain nouns: metric (one row each in metrics.def), event, snapshot, memory,
              digest and what is folded of it, flops (operations, peaks of GPUs), ranks
              (collectives matched across them), view (what rules see of a digest), figures (a
              value of each metric), category, rule, history (past runs of a baseline),
              diagnosis, report
   read/      trace → events, by several threads where there are some to spare, also of JAX and
              XProf; export of Nsight Systems → events; memory snapshot, as JSON or as a pickle
              read as data, and other profilers' records of memory; flat metrics files;
              recognising what an input may be
   reduce/    events → digest: steps, kernels, communication, devices, host, functions,
              operations, memory, what was done last; snapshot → digest: replay backwards from
              the final state, sites
   store/     digest and baseline as canonical JSON, and their JSON Schemas; the lock of a
              baseline
   gate/      rules, categories, sites and diagnosis files; judge: trust, bench (all runs of both
              sides), noise, compare (the only place that decides), waivers, drift, attribution
              of time and of memory
   diagnose/  what is worth naming of a run, from digests alone: facts, tables, series; what it is
              bound by, what to do about it (rules of diagnosis, and those in code); slow and late
              ranks, slow links, workers unlike their peers; ranks side by side
   report/    one writer per format over struct report; figures of one run
   cli/       option table, loading of runs (several files at a time), where a run comes from,
              what init finds in a repository and writes; one file per group of commands

   pages/     a program of the build: manual pages and completions, from the tables of cli

   The digest is the waist: nothing after it sees an event, nothing before it knows a rule.
   Working rooms (read, reduce, store, gate, diagnose, report) do not include one another; base
   includes nothing, io and model only base. tests/layers.py checks it.

   To add a metric: a row in model/metrics.def and its value in model/figures.c (or a sample
   in reduce/). A report format: a file and a row in report/formats.c. A key of the rules:
   a row in gate/rules_keys.c. A diagnosis: a row in rules/diagnosis.yaml. A command or an
   option: a row in cli/options.h. docs/development.md says each in full. */
#include "cli/commands.h"

int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
