"""tools/fit_step_factor builds with each value, chooses on some rows and shows others."""
import csv
import gzip
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

TOOL = Path(__file__).resolve().parents[2] / "tools" / "fit_step_factor"
COLUMNS = ("id", "mode", "model_path", "system")
RULE = {"rules": [{"rule": "untuned_experts",
                   "constants": {"times": {"value": 1}, "tuned_tokens": {"value": 128}}}]}

# A build "links" the rule into the folder; the program predicts by what was linked. Qwen was measured with 3,
# DeepSeek with 2.
CMAKE = f"""#!{sys.executable}
import pathlib, shutil, sys
build = pathlib.Path(sys.argv[sys.argv.index("--build") + 1])
shutil.copy(build.parent / "rule.json", build / "linked.json")
"""
PROGRAM = f"""#!{sys.executable}
import csv, json, pathlib, sys
linked = json.load(open(pathlib.Path(sys.argv[0]).parent.parent / "linked.json"))
times = linked["rules"][0]["constants"]["times"]["value"]
cells = []
for row in csv.DictReader(open(sys.argv[sys.argv.index("--truth") + 1])):
    truth = 3 if "Qwen" in row["model_path"] else 2
    cells.append({{"predicted_ttft_ms": 100 * times, "measured_ttft_ms": 100 * truth,
                   "predicted_tpot_ms": 10, "measured_tpot_ms": 10}})
print(json.dumps({{"cells": cells}}))
"""


class FitStepFactor(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.rule = self.root / "rule.json"
        self.rule.write_text(json.dumps(RULE))
        for path, text in (("tools/cmake", CMAKE), ("build/bin/warploom", PROGRAM)):
            file = self.root / path
            file.parent.mkdir(parents=True)
            file.write_text(text)
            file.chmod(0o755)
        (self.root / "serving_truth").mkdir()
        with gzip.open(self.root / "serving_truth" / "concurrency_runs.csv.gz", "wt", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for i, model in enumerate(("Qwen3.5", "Qwen3.5", "DeepSeek-V3")):
                writer.writerow({"id": i, "mode": "agg", "model_path": model, "system": "b200_sxm"})
            writer.writerow({"id": 9, "mode": "disagg", "model_path": "Qwen3.5", "system": "b200_sxm"})

    def run_tool(self, constant, on="model_path=Qwen", judge="model_path=DeepSeek", more=()):
        command = [sys.executable, str(TOOL), str(self.rule), "--constant", constant, "--on", on,
                   "--judge", judge, "--build", str(self.root / "build"), "--data", str(self.root), *more]
        paths = f"{self.root / 'tools'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": paths})

    def value(self):
        return json.loads(self.rule.read_text())["rules"][0]["constants"]["times"]["value"]

    def test_chooses_on_some_rows_and_shows_the_others(self):
        result = self.run_tool("untuned_experts.times=2,3,4", more=("--write",))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("3 fitted, 2 cells: ttft |ln| 0.0000, median 0.0 %", result.stdout)
        self.assertIn("3 check, 1 cells: ttft |ln| 0.4055, median 50.0 %", result.stdout)
        self.assertIn("untuned_experts.times = 3", result.stdout)
        self.assertEqual(self.value(), 3)

    def test_leaves_the_file_without_write(self):
        self.assertEqual(self.run_tool("untuned_experts.times=2,3").returncode, 0)
        self.assertEqual(self.value(), 1)

    def test_refuses_rows_that_choose_and_judge(self):
        result = self.run_tool("untuned_experts.times=2", judge="system=b200")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--on and --judge apart", result.stderr)

    def test_names_what_is_there(self):
        self.assertIn("expected one of untuned_experts.times", self.run_tool("untuned_experts.time=2").stderr)
        self.assertIn("no column", self.run_tool("untuned_experts.times=2", on="model=Qwen").stderr)


if __name__ == "__main__":
    unittest.main()
