"""tools/leaderboard writes the page and its plots from JSON answers, and refuses what it does not know."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT


def figures(error, rows=10):
    return {"rows": rows, "mean_error": error, "median_error": error / 2, "training_s": 60.0,
            "training_peak_bytes": 5e6, "answer_us": 2.0, "unanswered": {}}


METHODS = ["roofline", "linear", "habitat", "neusight", "pipeweave", "kernelsight", "interpolation"]
GROUP = {"family": "gemm", "left_out": "new shapes", **figures(0.04),
         "baselines": {name: figures(0.1 * (i + 1)) for i, name in enumerate(METHODS)},
         "external": {"other": {"rows": 10, "mean_error": 0.5, "median_error": 0.4}}}
GROUP["baselines"]["pipeweave"] = {**figures(0.3, 4), "unanswered": {"no such kernel": 6}}
GROUP["baselines"]["habitat"] = {**figures(0.2, 0), "mean_error": None, "median_error": None,
                                 "unanswered": {"nothing was learned": 10}}


class Leaderboard(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.program = self.root / "program"
        answer = json.dumps({"left_out": [GROUP]})
        # What it was asked is kept, so that a test can look.
        script = f'#!/bin/sh\necho "$@" >> {self.root}/asked\ncat <<\'END\'\n{answer}\nEND\n'
        self.program.write_text(script)
        self.program.chmod(0o755)

    def tearDown(self):
        self.folder.cleanup()

    def run_tool(self, *options):
        command = [sys.executable, str(ROOT / "tools" / "leaderboard"), "--warploom", str(self.program),
                   "--data", str(self.root), "--output", str(self.root), *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        page = self.root / "leaderboard.md"
        return result.returncode, page.read_text() if page.exists() else "", result.stderr

    def test_writes_each_method_with_what_it_has_no_model_for(self):
        status, page, words = self.run_tool("--only", "new_shapes")
        self.assertEqual(status, 0, words)
        self.assertIn("30.0 / 15.0 % of 40 %", page)
        self.assertIn("| 4.0 / 2.0 % |", page)
        self.assertIn("- PipeWeave: 6 rows, no such kernel", page)
        self.assertIn("| 50.0 / 40.0 % |", page)
        self.assertIn("Habitat: 10 rows, nothing was learned", page)
        self.assertNotIn("unseen", page.lower().replace("an unseen", ""))
        drawing = (self.root / "images" / "leaderboard_new_shapes.svg").read_text()
        self.assertIn("ours, gemm: 4.0 %", drawing)

    def test_gives_other_tools_their_rows_and_takes_their_answers(self):
        answers = self.root / "other.csv"
        answers.write_text("id,predicted_us\n")
        status, _, words = self.run_tool("--only", "fp8_protocol", "--external", f"fp8_protocol={answers}",
                                         "--questions", str(self.root))
        self.assertEqual(status, 0, words)
        asked = (self.root / "asked").read_text()
        self.assertIn(f"--external {answers}", asked)
        self.assertIn("fp8_protocol.jsonl", asked)

    def test_takes_the_tuner_from_its_own_answers(self):
        tuner = self.root / "regret.json"
        tuner.write_text(json.dumps({"geo_mean_share": 0.99, "worst_share": 0.9, "geo_mean_speedup": 1.5,
                                     "baselines": {"nearest_shape": {"geo_mean_share": 0.91}}}))
        status, page, words = self.run_tool("--only", "fp8_protocol", "--tuner", f"products={tuner}")
        self.assertEqual(status, 0, words)
        self.assertIn("| products | nearest shape | 91.0 %", page)
        self.assertIn("| products | ours | 99.0 % | 90.0 % | 1.50 x |", page)

    def test_refuses_what_it_does_not_know(self):
        for options, expected in ((["--only", "nothing"], "no split is named nothing"),
                                  (["--external", "static=x.csv"], "no split is named 'static'"),
                                  (["--external", "fp8_protocol=gone.csv"], "gone.csv does not exist"),
                                  (["--tuner", "products"], "is not NAME=FILE")):
            status, _, words = self.run_tool(*options)
            self.assertEqual(status, 2, options)
            self.assertIn(expected, words)


if __name__ == "__main__":
    unittest.main()
