"""tools/leaderboard writes the page and its plots from JSON answers, and refuses what it does not know."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

from repository import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from measured import leaderboard  # noqa: E402
from measured.bars import bars  # noqa: E402


def figures(error, rows=10):
    return {"rows": rows, "mean_error": error, "median_error": error / 2, "training_cpu_s": 60.0,
            "training_peak_bytes": 5e6, "answer_us": 2.0, "unanswered": {}}


METHODS = ["roofline", "linear", "habitat", "neusight", "pipeweave", "kernelsight", "interpolation"]
GROUP = {"family": "gemm", "left_out": "new shapes", **figures(0.04),
         "baselines": {name: figures(0.1 * (i + 1)) for i, name in enumerate(METHODS)},
         "external": {"other": {"rows": 10, "mean_error": 0.5, "median_error": 0.4}}}
GROUP["baselines"]["pipeweave"] = {**figures(0.3, 4), "unanswered": {"no such kernel": 6}}
GROUP["baselines"]["habitat"] = {**figures(0.2, 0), "mean_error": None, "median_error": None,
                                 "unanswered": {"nothing was learned": 10}}


PARTS = {"prefill": 0.1, "decode": 0.2, "total": 0.15}


def composed(share):
    return {"mean": PARTS, "bias": PARTS, "roofline_share": share, "training_cpu_s": 30.0,
            "training_peak_bytes": 4e6}


STATIC = {**composed(0), "baselines": {name: composed(0.25) for name in METHODS}}
REGRET = {"shapes": 154, "geo_mean_share": 0.992, "p10_share": 0.98, "worst_share": 0.908,
          "geo_mean_speedup": 1.7, "anchors": 1000, "fit_seconds": 4.0, "fit_peak_bytes": 3e6,
          "decision_ns": 81.0,
          "baselines": {"wavetune": {"shapes": 154, "geo_mean_share": 0.938, "worst_share": 0.31}}}


COUNTS = {"gpus": {"a40": {"rows": 3024, "above_share": 0.2, "flagged": 861}},
          "tuned": [{"source": "tuned.csv", "pearson_flagged": 0.97}]}
MORE = {**COUNTS, "gpus": {"a40": {"rows": 3024, "above_share": 0.25, "flagged": 921}}}
GAPS = {**COUNTS, "published": MORE}
TRAINED = {"training_cpu_s": 120.0, "training_peak_bytes": 9e6}


class Leaderboard(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.program = self.root / "program"
        for name, answer in {"kernels": {"left_out": [GROUP]}, "static": STATIC, "tune": REGRET,
                             "ceilings": GAPS, "train": TRAINED}.items():
            (self.root / f"{name}.json").write_text(json.dumps(answer))
        # What it was asked is kept, so that a test can look. `validate X` answers X, others by their name.
        script = (f'#!/bin/sh\necho "$@" >> {self.root}/asked\n'
                  f'case "$1" in validate) name=$2 ;; *) name=$1 ;; esac\n[ "$1" = import ] && exit 0\n'
                  f'cat {self.root}/$name.json\n')
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
        self.assertRegex(drawing, r'fill-opacity="0.4"[^>]*><title>PipeWeave, gemm: 30.0 % of 40 %')
        self.assertIn("pale and dashed: of a part alone", drawing)

    def test_gives_other_tools_their_rows_and_takes_their_answers(self):
        answers = self.root / "other.csv"
        answers.write_text("id,predicted_us\n")
        status, _, words = self.run_tool("--only", "fp8_protocol", "--external", f"fp8_protocol={answers}",
                                         "--questions", str(self.root))
        self.assertEqual(status, 0, words)
        asked = (self.root / "asked").read_text()
        self.assertIn(f"--external {answers}", asked)
        self.assertIn("fp8_protocol.jsonl", asked)

    def test_composes_static_batches_from_trained_files(self):
        status, page, words = self.run_tool("--only", "static", "--threads", "2")
        self.assertEqual(status, 0, words)
        asked = (self.root / "asked").read_text()
        for method in ("pipeweave", "kernelsight"):
            self.assertIn(f"train --method {method} --store", asked)
        self.assertIn("--threads 2", asked)
        self.assertIn("| KernelSight-LM | 10.0 % | 20.0 % | 15.0 % | 10.0 % | 20.0 % | 15.0 % | 25 % |", page)
        # Files cost what their training did, the others what they took in the run.
        self.assertIn("| PipeWeave | 2.00 | 9 | - |", page)
        self.assertIn("| Habitat | 0.50 | 4 | - |", page)
        self.assertIn("KernelSight-LM, decode: 20.0 %",
                      (self.root / "images" / "leaderboard_static.svg").read_text())

    def test_draws_no_bar_for_a_method_that_is_the_roofline_for_most_of_the_time(self):
        found = {"mean": {"prefill": 0.2, "decode": 0.2, "total": 0.2}, "roofline_share": 0.25}
        answer = {"mean": found["mean"], "baselines": {m: dict(found) for m in leaderboard.METHODS}}
        answer["baselines"]["roofline"]["roofline_share"] = 1.0
        answer["baselines"]["habitat"]["roofline_share"] = 0.99
        drawing = leaderboard.static_plot(SimpleNamespace(title="Static"), answer)
        self.assertNotIn("Habitat, total", drawing)
        self.assertIn("left out, being the roofline for so much of the time: Habitat 99 %", drawing)
        self.assertIn("roofline, total: 20.0 %", drawing)

    def test_says_the_figure_of_a_bar_that_is_cut(self):
        self.assertIn(">1612 %</text>", bars("t", [("g", {"m": 16.12})], ["m"]))
        self.assertNotIn('font-size="9"', bars("t", [("g", {"m": 0.9})], ["m"]))

    def test_counts_gaps_by_both_ceilings_on_the_same_rows(self):
        status, page, words = self.run_tool("--only", "gaps")
        self.assertEqual(status, 0, words)
        asked = (self.root / "asked").read_text()
        self.assertIn("train --method pipeweave --quantile 0.8", asked)
        self.assertIn("| a40 | 3,024 | 921 | 861 | 25.0 % | 20.0 % |", page)
        self.assertIn("`tuned.csv`: PipeWeave's quantile model 0.97, our ceiling 0.97.", page)
        self.assertIn("our ceiling, a40: 28.5 %", (self.root / "images" / "leaderboard_gaps.svg").read_text())

    def test_judges_the_tuner_on_its_sets_and_on_others_that_were_given(self):
        given = self.root / "regret.json"
        given.write_text(json.dumps({"geo_mean_share": 0.97, "worst_share": 0.9, "geo_mean_speedup": 1.5,
                                     "baselines": {"nearest_shape": {"geo_mean_share": 0.91}}}))
        status, page, words = self.run_tool("--only", "tuner", "--tuner", f"H100={given}")
        self.assertEqual(status, 0, words)
        asked = (self.root / "asked").read_text()
        self.assertEqual(asked.count("tune fit"), 3)
        self.assertIn("tests/fixtures/tuner/grouped_later.csv.gz", asked)
        self.assertIn("| products, bf16 | ours | 154 | 99.2 % | 98.0 % | 90.8 % | 1.70 x | 1,000 | 4 s | 3 |",
                      page)
        self.assertIn("| products, bf16 | WaveTune, as published | 154 | 93.8 % | - | 31.0 % |", page)
        self.assertIn("| H100 | nearest measured shape | - | 91.0 % |", page)
        self.assertIn("ours, products, bf16: 99.2 %",
                      (self.root / "images" / "leaderboard_tuner.svg").read_text())

    def test_refuses_what_it_does_not_know(self):
        for options, expected in ((["--only", "nothing"], "no split is named nothing"),
                                  (["--external", "static=x.csv"], "no split is named 'static'"),
                                  (["--external", "fp8_protocol=gone.csv"], "gone.csv does not exist"),
                                  (["--tuner", "products"], "is not NAME=FILE"),
                                  (["--only", "static", "--tuner", f"x={self.program}"], "adds to the")):
            status, _, words = self.run_tool(*options)
            self.assertEqual(status, 2, options)
            self.assertIn(expected, words)


if __name__ == "__main__":
    unittest.main()
