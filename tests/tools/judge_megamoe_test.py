"""tools/judge_megamoe: its form, its fit and its refusal."""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "tools" / "judge_megamoe"


def load():
    loader = importlib.machinery.SourceFileLoader("judge_megamoe", str(PROGRAM))
    spec = importlib.util.spec_from_loader("judge_megamoe", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class JudgeMegamoe(unittest.TestCase):
    def setUp(self):
        self.tool = load()

    def test_form_is_a_start_and_the_norm_of_three_parts(self):
        self.assertAlmostEqual(self.tool.form((10, 2, 1, 1, 2), (1.5, 4, 0)), 15)
        self.assertAlmostEqual(self.tool.form((10, 1, 1, 1, 1), (1, 2, 3)), 16)

    def test_fit_finds_what_made_the_rows(self):
        truth = (60, 1.5, 2.5, 1.2, 2.0)
        parts = [(w, p, w / 4 + p / 3) for w in (20, 100, 400) for p in (1, 30, 300, 3000)]
        rows = [("gpu", 8, each, self.tool.form(truth, each)) for each in parts]
        constants = self.tool.fitted(rows)
        self.assertLess(self.tool.figures(constants, rows)["mean_error"], 0.02)

    def test_left_out_rows_are_not_fitted(self):
        slow = [("slow", 4, (100, 10, 5), 4000.0)] * 3
        rows = [("fast", 8, (100 * n, 10, 5), 60.0 + 130 * n) for n in range(1, 6)]
        self.assertGreater(self.tool.judged(rows + slow)["gpu slow left out"]["median_error"], 0.5)

    def test_no_rows_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [sys.executable, PROGRAM, "--data", folder], capture_output=True, text=True, check=False
            )
        self.assertEqual(run.returncode, 2)
        self.assertIn("no rows", run.stderr)


if __name__ == "__main__":
    unittest.main()
