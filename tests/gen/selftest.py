#!/usr/bin/env python3
"""Tests the generators: the same options give the same bytes, the seed changes only durations, all forms have the
same content, and planted changes are there."""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TRACE = pathlib.Path(__file__).with_name("trace.py")
RANKS = pathlib.Path(__file__).with_name("ranks.py")
FORMS = ["--array", "--int-ts", "--string-ids", "--old-cats", "--shuffle", "--indent", "--memory-first", "--foreign-metadata"]


def make(*options, seed=1, name="t.json.gz"):
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp, name)
        subprocess.run([sys.executable, TRACE, "--seed", str(seed), "--steps", "2", "--out", path, *options], check=True)
        return path.read_bytes()


def activities(*options, seed=1):
    """(kind, name, launched, µs) of every GPU activity in the order of the GPU."""
    trace = json.loads(gzip.decompress(make(*options, seed=seed)))
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    calls = {str(e["args"]["correlation"]) for e in events if e.get("cat") in ("cuda_runtime", "Runtime")}
    gpu = [e for e in events if e.get("cat", "").lower().removeprefix("gpu_") in ("kernel", "memcpy", "memset")]
    gpu.sort(key=lambda e: int(e["args"]["correlation"]))
    return [(e["cat"].lower().removeprefix("gpu_"), e["name"], str(e["args"]["correlation"]) in calls, e["dur"]) for e in gpu]


def count(rows):
    return collections.Counter(name for _, name, _, _ in rows)


class Generator(unittest.TestCase):
    def test_same_options_same_bytes(self):
        self.assertEqual(make(), make())
        self.assertEqual(gzip.decompress(make()), make(name="t.json"))

    def test_seed_changes_durations_only(self):
        one, two = activities(), activities(seed=2)
        self.assertEqual([a[:3] for a in one], [a[:3] for a in two])
        self.assertNotEqual(one, two)

    def test_every_form_says_the_same(self):
        plain = activities()
        for form in FORMS:
            with self.subTest(form):
                other = activities(form)
                self.assertEqual([a[:3] for a in plain], [a[:3] for a in other])
                self.assertLessEqual(max(abs(a[3] - b[3]) for a, b in zip(plain, other)), 1 if form == "--int-ts" else 0)

    def test_planted_changes(self):
        plain = activities()
        slow = activities("--slow-kernel", "*flash_fwd*=2")
        ratio = [b[3] / a[3] for a, b in zip(plain, slow)]
        self.assertEqual({round(r, 2) for a, r in zip(plain, ratio)}, {1.0, 2.0})
        self.assertEqual(count(activities("--new-kernel", "fresh=5")) - count(plain), {"fresh": 2})
        self.assertEqual(sum((count(activities("--extra-launches", "*gelu_5=3")) - count(plain)).values()), 6)
        self.assertFalse([n for n in count(activities("--drop-kernel", "triton_*")) if n.startswith("triton_")])
        self.assertEqual(max(map(len, count(activities("--long-name", "6000")))), 6000)
        self.assertTrue([n for n in count(activities("--hostile-names")) if "\ud800" in n])

    def test_lost_records(self):
        self.assertTrue(all(launched for _, _, launched, _ in activities()))
        rows = activities("--dropped", "3")
        share = sum(us for _, _, launched, us in rows if not launched) / sum(us for *_, us in rows)
        self.assertAlmostEqual(share, 0.03, delta=0.005)
        self.assertFalse(any(launched for _, _, launched, _ in activities("--no-launches")))


def job(*options, seed=1, ranks=4):
    """Returns ({rank: bytes of its file}, parsed output of --stats)."""
    with tempfile.TemporaryDirectory() as tmp:
        out = subprocess.run([sys.executable, RANKS, "--ranks", str(ranks), "--steps", "3", "--seed", str(seed), "--stats",
                              "--out", tmp, *options], check=True, capture_output=True).stdout
        return ({int(p.name[4:].split(".")[0]): p.read_bytes() for p in pathlib.Path(tmp).iterdir()}, json.loads(out))


def kernels(data):
    return [e for e in json.loads(gzip.decompress(data))["traceEvents"] if e.get("cat") == "kernel"]


def steps(data):
    return sum(e["name"].startswith("ProfilerStep#") for e in json.loads(gzip.decompress(data))["traceEvents"])


class Jobs(unittest.TestCase):
    def test_same_options_same_bytes(self):
        self.assertEqual(job(), job())
        self.assertNotEqual(job(), job(seed=2))

    def test_collectives_end_together(self):
        files, _ = job("--slow-rank", "2=1.5")
        ends = [[round((e["ts"] + e["dur"]) * 1000) for e in kernels(files[r]) if "nccl" in e["name"]] for r in files]
        self.assertEqual(len(ends[0]), 21)
        self.assertLessEqual(max(max(row) - min(row) for row in zip(*ends)), 1)     # times are read as floats in µs, so 1 ns may be rounding

    def test_planted_faults(self):
        plain = job()[1]["ranks"]
        slow = job("--slow-rank", "2=1.5")[1]["ranks"]
        self.assertAlmostEqual(slow[2]["compute_ns"] / plain[2]["compute_ns"], 1.5, 3)
        self.assertEqual(slow[1]["compute_ns"], plain[1]["compute_ns"])
        self.assertGreater(slow[1]["wait_ns"], 5 * slow[2]["wait_ns"])
        late = job("--late-rank", "1=900")[1]["ranks"]
        self.assertEqual([r["compute_ns"] for r in late], [r["compute_ns"] for r in plain])
        self.assertGreater(min(r["wait_ns"] for r in late if r["rank"] != 1), 3 * 900_000)
        self.assertEqual(set(job("--lose-rank", "3")[0]), {0, 1, 2})
        link = job("--slow-link", "0=3")[1]
        self.assertAlmostEqual(link["transfer_ns"][0] / job()[1]["transfer_ns"][0], 3, 3)

    def test_ends_before_its_peers(self):
        files, _ = job("--cut-rank", "1=1")
        self.assertEqual([steps(files[r]) for r in range(4)], [3, 2, 3, 3])
        files, _ = job("--skip-collective", "2=1:3")
        nr = [sum("nccl" in e["name"] for e in kernels(files[r])) for r in range(4)]
        self.assertEqual(nr, [7 + 3] * 4)
        self.assertEqual([steps(files[r]) for r in range(4)], [2] * 4)

    def test_groups_have_one_description(self):
        files, _ = job("--groups", "2")
        names = [{(e["args"]["Process Group Name"], e["args"]["Process Group Description"]) for e in kernels(files[r])
                  if "nccl" in e["name"]} for r in (0, 3)]
        self.assertEqual(names, [{("0", "default_pg"), ("1", "mesh_tp")}, {("0", "default_pg"), ("2", "mesh_tp")}])


if __name__ == "__main__":
    unittest.main()
