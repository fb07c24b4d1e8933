"""tools/measure writes the tables of a page from JSON answers, and refuses what it does not know."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

ANSWER = {"rows": [{"hardware": "H100", "prefill_error": 0.05, "decode_error": None, "total_error": 0.02}],
          "mean": {"prefill": 0.05, "decode": None, "total": 0.02},
          "bias": {"prefill": -0.05, "decode": None, "total": 0.02}, "coverage": 1.0}


class Measure(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.program = self.root / "program"
        self.answer_with(ANSWER)
        self.page = self.root / "page.md"

    def tearDown(self):
        self.folder.cleanup()

    def answer_with(self, answer, status=0):
        self.program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(answer)}\nEND\nexit {status}\n")
        self.program.chmod(0o755)

    def measure(self, text, *options):
        self.page.write_text(text)
        command = [sys.executable, str(ROOT / "tools" / "measure"), "--warploom", str(self.program), "--data",
                   str(self.root), "--page", str(self.page), *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.returncode, self.page.read_text(), result.stderr

    def test_writes_the_table_over_what_was_typed(self):
        typed = "before\n<!-- measured: static -->\n| all | 99.9 % |\n<!-- end -->\nafter\n"
        status, text, errors = self.measure(typed)
        self.assertEqual(status, 0, errors)
        self.assertNotIn("99.9", text)
        self.assertIn("| **all** | 1 | **5.0 %** | **-** | **2.0 %** | -5.0 % | - | +2.0 % |", text)
        self.assertIn("warploom validate static --truth $D/pipeweave_e2e", text)
        self.assertIn("predictor ", text)
        self.assertTrue(text.startswith("before\n<!-- measured: static -->\n"))
        self.assertTrue(text.endswith("\n<!-- end -->\nafter\n"))

    def test_keeps_answers_and_takes_them_again(self):
        page = "<!-- measured: static -->\n<!-- end -->\n"
        kept = self.root / "kept"
        first = self.measure(page, "--save", str(kept))[1]
        self.answer_with({}, status=1)
        self.assertEqual(self.measure(page, "--from", str(kept))[1], first)

    def test_fails_with_the_program_and_leaves_the_page(self):
        self.answer_with({}, status=1)
        page = "<!-- measured: static -->\nold\n<!-- end -->\n"
        status, text, errors = self.measure(page)
        self.assertNotEqual(status, 0)
        self.assertEqual(text, page)
        self.assertIn("exit status 1", errors)

    def test_refuses_a_table_that_it_does_not_have(self):
        status, _, errors = self.measure("<!-- measured: nonsense -->\n<!-- end -->\n")
        self.assertNotEqual(status, 0)
        self.assertIn("'nonsense'", errors)

    def bench(self, name, nanoseconds):
        rows = [{"name": "BM_PredictHot", "run_type": "iteration", "cpu_time": nanoseconds, "real_time": 1,
                 "time_unit": "ns"}]
        program = self.root / name
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'benchmarks': rows})}\nEND\n")
        program.chmod(0o755)
        return str(program)

    def test_writes_times_as_ratios_with_machine_and_commit(self):
        page = "<!-- measured: predictions -->\nold\n<!-- end -->\n"
        status, text, errors = self.measure(page, "--bench", self.bench("bench", 1500), "--beside",
                                            self.bench("other", 3000))
        self.assertEqual(status, 0, errors)
        self.assertIn("| 1.5 us | - | 0.75 | 0 % | 0.50 |", text)
        self.assertRegex(text, r"\*Commit \w+.*, \d+ cores, load [\d.]+ before; medians of 5 runs\.\*")

    def test_times_stay_without_the_benchmark_program(self):
        page = "<!-- measured: start-up -->\nold\n<!-- end -->\n"
        self.assertEqual(self.measure(page)[1], page)
        status, text, errors = self.measure(page, "--bench", self.bench("bench", 1))
        self.assertEqual(status, 0, errors)
        self.assertRegex(text, r"\| `warploom gpus` \| [\d.]+ [mun]?s \| \d+ MB \|")


if __name__ == "__main__":
    unittest.main()
