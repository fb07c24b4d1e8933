"""tools/judge_intervals counts recorded runs inside the intervals of a program."""
import json
import unittest

from stand_in import StandInTest

# Says 10 ms, 8 to 12, of everything; the run's own record says what was measured.
PROGRAM = """#!/usr/bin/env python3
import json, sys
words = sys.argv
end = words[words.index("--kernel-times") + 1]
measured = json.load(open(words[words.index("--run") + 1]))["ms"]
figure = {"measured_ms": measured, "predicted_ms": {"p10": 8, "p50": 10, "p90": 12}[end]}
all_of_it = {statistic: figure for statistic in ("mean", "p50", "p90")}
print(json.dumps({"metrics": {"ttft": all_of_it, "tpot": all_of_it}}))
"""


class JudgeIntervals(StandInTest):
    tool = "judge_intervals"
    stand_in = PROGRAM

    def setUp(self):
        super().setUp()
        self.runs = []

    def run_of(self, name, ms, status="judged", of="vllm_0_33_h100"):
        folder = self.root / of / "serving"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps({"ms": ms}))
        (folder / f"{name}.csv.gz").write_text("")
        self.runs.append({"run": str(folder / name), "status": status, "reason": ""})

    def judge(self, *options):
        listed = self.root / "runs.json"
        listed.write_text(json.dumps({"runs": self.runs}))
        return self.run_with("--runs", str(listed), *options)

    def found(self, *options):
        return self.answer(self.judge("--json", *options))

    def test_leaves_each_machine_out(self):
        for name, ms in (("a_light", 10), ("b_light", 11), ("c_mid", 15)):
            self.run_of(name, ms, of="one")
        self.run_of("a_mid", 16, of="other")
        found = self.found("--by-machine")
        one, other = found["one"]["ttft p50"], found["other"]["ttft p50"]
        self.assertEqual((one["runs"], other["runs"], other["inside"], other["then"]), (3, 1, 0, 0))
        self.assertAlmostEqual(one["inside"], 2 / 3)
        self.assertAlmostEqual(other["wanted"], 2.22, 2)  # ln(15 / 10) / ln(12 / 10)
        self.assertAlmostEqual(one["wanted"], 2.58, 2)
        self.assertEqual(one["then"], 1)
        self.runs = self.runs[:3]
        self.assertNotEqual(self.judge("--by-machine").returncode, 0)

    def test_counts_runs_inside_below_and_above(self):
        for name, ms in (("a_light", 8), ("a_mid", 7), ("b_light", 11), ("b_mid", 13)):
            self.run_of(name, ms)
        found = self.found()
        row = found["all"]["ttft p50"]
        self.assertEqual((row["runs"], row["inside"], row["below"], row["above"]), (4, 0.5, 1, 1))
        self.assertAlmostEqual(row["half_width"], 0.2027, places=4)
        self.assertEqual(found["first half of models"]["tpot mean"]["below"], 1)
        self.assertEqual(found["other half"]["tpot mean"]["above"], 1)
        text = self.judge().stdout
        self.assertIn("all                   ttft mean   4 runs, inside 50.0%, below 1, above 1", text)

    def test_fitted_runs_and_other_versions_are_left_out_when_asked(self):
        self.run_of("a_light", 10)
        self.run_of("a_mid", 99, status="fitted")
        self.run_of("a_light", 99, of="vllm_0_24_h200")
        self.assertEqual(self.found("--judged", "--version", "0.33")["all"]["ttft mean"]["inside"], 1)
        self.assertEqual(self.found("--version", "0.24")["all"]["ttft mean"]["above"], 1)
        self.assertIn("no run is left", self.judge("--version", "9.9").stderr)

    def test_refuses_a_program_that_fails(self):
        self.run_of("a_light", 10)
        self.program.write_text("#!/bin/sh\necho 'no such run' >&2\nexit 2\n")
        self.assertIn("no such run", self.judge().stderr)


if __name__ == "__main__":
    unittest.main()
