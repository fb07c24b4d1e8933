"""tools/fit_megamoe: its form, its fit, its file and its refusals."""

import csv
import gzip
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "tools" / "fit_megamoe"
COLUMNS = {
    "version": "0.5.10",
    "distribution": "balanced",
    "hidden_size": "7168",
    "inter_size": "3072",
    "topk": "6",
    "num_experts": "384",
}


def load():
    loader = importlib.machinery.SourceFileLoader("fit_megamoe", str(PROGRAM))
    spec = importlib.util.spec_from_loader("fit_megamoe", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def row(parts, us):
    return types.SimpleNamespace(parts=parts, us=us)


class FitMegamoe(unittest.TestCase):
    def setUp(self):
        self.tool = load()

    def run_tool(self, *arguments):
        return subprocess.run(
            [sys.executable, PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
        )

    # Rows of a GPU that takes `slower` times what the form says, on 8 and on 16 ranks.
    def write_rows(self, folder, gpu, slower=1.0):
        table = Path(folder) / "aisimulate" / "dsv4_megamoe"
        table.mkdir(parents=True, exist_ok=True)
        spec = json.loads((ROOT / "data" / "gpus" / f"{gpu}.json").read_text())
        with gzip.open(table / f"{gpu}.csv.gz", "wt", newline="") as file:
            names = [*COLUMNS, "moe_ep_size", "num_tokens", "global_num_tokens", "latency_us"]
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            for ranks in (8, 16):
                for tokens in (1, 8, 64, 512, 4096, 16384):
                    sizes = {"moe_ep_size": ranks, "num_tokens": tokens, "global_num_tokens": ranks * tokens}
                    parts = self.tool.Row(spec, {**COLUMNS, **sizes, "latency_us": 1}).parts
                    us = slower * self.tool.form((60, 1.5, 2.5, 1.0, 2.0), parts)
                    writer.writerow({**COLUMNS, **sizes, "latency_us": us})

    def test_form_is_a_start_and_the_norm_of_three_parts(self):
        self.assertAlmostEqual(self.tool.form((10, 2, 1, 1, 2), (1.5, 4, 0)), 15)
        self.assertAlmostEqual(self.tool.form((10, 1, 1, 1, 1), (1, 2, 3)), 16)

    def test_fit_finds_what_made_the_rows(self):
        truth = (60, 1.5, 2.5, 1.2, 2.0)
        parts = [(w, p, w / 4 + p / 3) for w in (20, 100, 400) for p in (1, 30, 300, 3000)]
        rows = [row(each, self.tool.form(truth, each)) for each in parts]
        constants = self.tool.fitted(rows)
        self.assertLess(self.tool.figures(self.tool.residuals(constants, rows))["mean_error"], 0.02)

    def test_left_out_rows_are_not_fitted(self):
        with tempfile.TemporaryDirectory() as folder:
            self.write_rows(folder, "gb200")
            self.write_rows(folder, "b200_sxm", slower=1.6)
            out = Path(folder) / "out.json"
            run = self.run_tool("--data", folder, "--output", out, "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            groups = json.loads(run.stdout)["groups"]
            self.assertAlmostEqual(groups["gpu b200_sxm left out"]["bias"], 1 / 1.6 - 1, delta=0.02)
            self.assertGreater(json.loads(out.read_text())["high"]["gpu"], 0.4)

    def test_what_is_written_is_what_the_rows_give_and_check_sees_another(self):
        with tempfile.TemporaryDirectory() as folder:
            self.write_rows(folder, "gb200")
            out = Path(folder) / "out.json"
            self.assertEqual(self.run_tool("--data", folder, "--output", out).returncode, 2, "one GPU alone")
            self.write_rows(folder, "b200_sxm")
            self.assertEqual(self.run_tool("--data", folder, "--output", out).returncode, 0)
            fitted = json.loads(out.read_text())
            self.assertAlmostEqual(fitted["start_us"], 60, delta=2)
            self.assertEqual([each["ranks"] for each in fitted["swept"]], [8, 16, 8, 16])
            self.assertEqual(self.run_tool("--data", folder, "--output", out, "--check").returncode, 0)
            out.write_text(out.read_text().replace("0.5.10", "0.5.11"))
            self.assertEqual(self.run_tool("--data", folder, "--output", out, "--check").returncode, 2)
            out.write_text("{")
            run = self.run_tool("--data", folder, "--output", out)
            self.assertEqual(run.returncode, 2)
            self.assertIn("out.json", run.stderr)

    def test_no_rows_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_tool("--data", folder, "--output", Path(folder) / "out.json")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no rows", run.stderr)


if __name__ == "__main__":
    unittest.main()
