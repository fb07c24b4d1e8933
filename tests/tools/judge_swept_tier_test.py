"""tools/judge_swept_tier: which published rows stand for a sweep."""

import csv
import importlib.machinery
import importlib.util
import json
import sqlite3
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load():
    path = str(ROOT / "tools" / "judge_swept_tier")
    loader = importlib.machinery.SourceFileLoader("judge_swept_tier", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


TOOL = load()
LINEAR = "torch.nn.functional.linear"


def product(m, n, k):
    return {"family": "gemm", "scheme": "bf16", "m": m, "n": n, "k": k}


def layer(hidden, intermediate, routing="balanced"):
    sizes = {"hidden": hidden, "intermediate": intermediate, "experts": 8, "tokens": 16, "scheme": "bf16"}
    return {"family": "moe", **sizes, "tensor_parallel": 1, "expert_parallel": 1, "routing": routing}


class SweepTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store, self.path = Path(folder.name) / "store.db", Path(folder.name) / "sweep.csv"

    def swept(self, rows):
        base = sqlite3.connect(self.store)
        base.executescript(
            "create table gpus (id integer, name text); insert into gpus values (1, 'h200_sxm');"
            "create table contexts (id integer, framework text, version text, kernel text);"
            "create table operators (id integer, family text, operator text);"
            "create table measurements (operator integer, gpu integer, context integer, latency_s real);"
        )
        for i, (kernel, version, operator) in enumerate(rows):
            base.execute("insert into contexts values (?, 'vllm', ?, ?)", (i, version, kernel))
            values = (i, operator["family"], json.dumps(operator))
            base.execute("insert into operators values (?, ?, ?)", values)
            base.execute("insert into measurements values (?, 1, ?, 2e-5)", (i, i))
        base.commit()
        base.close()
        counts = TOOL.write_sweep(self.store, "h200_sxm", self.path)
        with open(self.path, newline="") as file:
            return counts, [json.loads(row["operator"]) for row in csv.DictReader(file)]

    def test_leaves_out_what_judged_models_have(self):
        shapes = [(28672, 8192), (5120, 17408), (5120, 8704), (64, 8192)]
        rows = [product(16, n, k) for n, k in shapes]
        counts, found = self.swept([(LINEAR, "0.24.0", row) for row in rows])
        self.assertEqual(found, rows[:1])
        self.assertEqual(counts, {"gemm": 1})

    def test_takes_experts_of_the_plan_alone_and_routed_evenly(self):
        rows = [layer(6144, 16384), layer(4096, 14336), layer(6144, 16384, "power_law"), layer(6144, 2048)]
        self.assertEqual(self.swept([("experts", "0.24.0", row) for row in rows])[1], rows[:1])

    def test_takes_one_version_and_no_more_rows_than_a_sweep_has(self):
        rows = [(LINEAR, "0.24.0", product(m, 28672, 8192)) for m in range(1, 301)]
        counts, found = self.swept([*rows, (LINEAR, "0.19.0", product(400, 28672, 8192))])
        self.assertEqual(counts, {"gemm": TOOL.ROWS["gemm"]})
        self.assertNotIn(400, [row["m"] for row in found])


if __name__ == "__main__":
    unittest.main()
