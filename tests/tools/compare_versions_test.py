"""tools/compare_versions pairs equal operators of two versions and says which groups of kernels changed."""
import json
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

LAUNCH_BOUND = 1


class CompareVersions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.store = Path(self.folder.name) / "tables.db"
        self.base = sqlite3.connect(self.store)
        self.base.executescript(
            """create table info (key text, value text);
            insert into info values ('schema', 'warploom.measurements');
            create table gpus (id integer primary key, name text);
            insert into gpus values (1, 'h200_sxm'), (2, 'h100_sxm');
            create table contexts (id integer primary key, framework text, version text, kernel text);
            create table operators (id integer primary key, hash integer, family text, operator text);
            create table measurements (operator integer, gpu integer, context integer, layout text,
                                       latency_s real, n_samples integer, marks integer);"""
        )

    def tearDown(self):
        self.base.close()
        self.folder.cleanup()

    def context(self, version, kernel):
        return self.base.execute(
            "insert into contexts (framework, version, kernel) values ('vllm', ?, ?)", (version, kernel)
        ).lastrowid

    def operator(self, family="gemm", **fields):
        text = json.dumps({"family": family, **fields})
        return self.base.execute(
            "insert into operators (hash, family, operator) values (0, ?, ?)", (family, text)
        ).lastrowid

    def row(self, operator, context, seconds, marks=0, gpu=1):
        self.base.execute(
            "insert into measurements values (?, ?, ?, 'a', ?, 3, ?)",
            (operator, gpu, context, seconds, marks),
        )

    def run_tool(self, *more):
        self.base.commit()
        words = [sys.executable, str(ROOT / "tools" / "compare_versions"), str(self.store)]
        words += ["--gpu", "h200_sxm", "--engine", "vllm", *(more or ("1.0", "2.0")), "--fewest", "2"]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def found(self, *more):
        done = self.run_tool("1.0", "2.0", "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def two_versions(self):
        """bf16 products as before, fp8 ones by another kernel that takes 1.5 times."""
        old, new, newer = self.context("1.0", "a"), self.context("2.0", "a"), self.context("2.0", "b")
        for m in (1, 2, 4):
            same = self.operator(scheme="bf16", m=m, n=8, k=8)
            self.row(same, old, 1e-5 * m)
            self.row(same, new, 1.01e-5 * m)
            other = self.operator(scheme="fp8", m=m, n=8, k=8)
            self.row(other, old, 1e-5 * m)
            self.row(other, newer, 1.5e-5 * m)
        return old, new, newer

    def test_says_which_kernels_changed_and_by_how_much(self):
        self.two_versions()
        found = self.found()
        self.assertEqual(found["pairs"], 6)
        fp8, bf16 = found["groups"]
        self.assertEqual((fp8["kind"], fp8["old_kernel"], fp8["new_kernel"]), (["scheme=fp8"], "a", "b"))
        self.assertAlmostEqual(fp8["ratio"], 1.5)
        self.assertTrue(fp8["differs"])
        self.assertEqual(fp8["changed_share"], 1)
        self.assertAlmostEqual(bf16["ratio"], 1.01)
        self.assertFalse(bf16["differs"])
        done = self.run_tool()
        self.assertIn("gemm scheme=fp8: 1.500 (1.500 .. 1.500), 100% of 3 changed; a -> b", done.stdout)

    def test_the_fastest_kernel_of_a_version_counts(self):
        _, new, _ = self.two_versions()
        for operator in range(2, 7, 2):  # the fp8 ones, by their old kernel too
            self.row(operator, new, 1e-9)
        self.assertEqual([group["new_kernel"] for group in self.found()["groups"]], ["a", "a"])

    def test_rows_of_the_host_and_of_other_gpus_say_nothing(self):
        old, new, _ = self.two_versions()
        eager = self.operator(scheme="int8", m=1, n=8, k=8)
        self.row(eager, old, 1e-5, LAUNCH_BOUND)
        self.row(eager, new, 9e-5, LAUNCH_BOUND)
        elsewhere = self.operator(scheme="bf16", m=64, n=8, k=8)
        self.row(elsewhere, old, 1e-5, gpu=2)
        self.row(elsewhere, new, 9e-5, gpu=2)
        found = self.found()
        self.assertEqual(found["pairs"], 6)
        self.assertEqual(found["only_old"], [])

    def test_kinds_of_one_version_stand_apart(self):
        old, new, _ = self.two_versions()
        self.row(self.operator(scheme="int4_wo", m=1, n=8, k=8), old, 1e-5)
        self.row(self.operator("moe", scheme="fp8", gated=True, tokens=4), new, 1e-5)
        found = self.found()
        self.assertEqual(found["only_old"], [{"family": "gemm", "kind": ["scheme=int4_wo"]}])
        self.assertEqual(found["only_new"], [{"family": "moe", "kind": ["scheme=fp8", "gated=true"]}])

    def test_refuses_what_the_store_does_not_hold(self):
        self.two_versions()
        done = self.run_tool("1.0", "3.0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no vllm 3.0 on h200_sxm, expected one of 1.0, 2.0", done.stderr)
        self.base.execute("update info set value = 'other'")
        self.assertIn("'schema' is other", self.run_tool().stderr)
        self.base.execute("drop table info")
        self.assertIn("is no store of `warploom import`", self.run_tool().stderr)


if __name__ == "__main__":
    unittest.main()
