"""tools/accuracy_gate holds, fails and skips as its thresholds say, on a made-up program."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT


class AccuracyGate(unittest.TestCase):
    def run_gate(self, answer, limits, needs=("here.csv",), status=0, options=(), slack=None):
        """(exit status, what was printed); the thresholds file afterwards is self.after."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "here.csv").write_text("x\n")
            program = root / "program"
            program.write_text('#!/bin/sh\ntest -f "$2" || exit 3\n'
                               f"cat <<'END'\n{answer}\nEND\nexit {status}\n")
            program.chmod(0o755)
            gate = {"name": "gate", "needs": list(needs), "command": ["validate", "{data}/here.csv"],
                    "limits": limits} | ({} if slack is None else {"slack": slack})
            thresholds = root / "thresholds.json"
            thresholds.write_text(json.dumps({"gates": [gate]}))
            command = [sys.executable, str(ROOT / "tools" / "accuracy_gate"), "--warploom", str(program),
                       "--data", folder, "--thresholds", str(thresholds), *options]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            self.after = json.loads(thresholds.read_text())
            return result.returncode, result.stdout

    def test_holds_within_the_limit(self):
        status, words = self.run_gate('{"mean": {"total": 0.15}}', [{"value": "mean.total", "at_most": 0.15}])
        self.assertEqual(status, 0, words)
        self.assertIn("1 of 1 gates ran, 0 limits broken", words)

    def test_fails_past_the_limit(self):
        limits = [{"value": "mean.total", "at_most": 0.15}]
        self.assertEqual(self.run_gate('{"mean": {"total": 0.151}}', limits)[0], 1)
        self.assertEqual(self.run_gate('{"rank": [0.2]}', [{"value": "rank.0", "at_least": 0.9}])[0], 1)

    def test_scales_by_another_number(self):
        limits = [{"value": "a", "at_most": 0.25, "of": "b"}]
        self.assertEqual(self.run_gate('{"a": 1, "b": 4}', limits)[0], 0)
        self.assertEqual(self.run_gate('{"a": 1.1, "b": 4}', limits)[0], 1)
        self.assertEqual(self.run_gate('{"a": 1}', limits)[0], 1)

    def test_fails_without_a_finite_number_or_a_limit(self):
        limits = [{"value": "a", "at_most": 1}]
        for answer in ('{}', '{"a": null}', '{"a": NaN}', '{"a": "0"}', '{"a": true}', 'no json'):
            self.assertEqual(self.run_gate(answer, limits)[0], 1, answer)
        self.assertEqual(self.run_gate('{"a": 0}', [{"value": "a"}])[0], 1)

    def test_fails_when_the_program_fails(self):
        self.assertEqual(self.run_gate('{"a": 0}', [{"value": "a", "at_most": 1}], status=2)[0], 1)

    def test_skips_with_a_word_when_the_data_is_absent(self):
        status, words = self.run_gate("{}", [{"value": "a", "at_most": 1}], needs=("absent.csv",))
        self.assertEqual(status, 0)
        self.assertIn("skipped  gate: no absent.csv", words)
        self.assertIn("0 of 1 gates ran", words)

    def test_fails_when_required_data_is_absent(self):
        status, words = self.run_gate("{}", [{"value": "a", "at_most": 1}], needs=("absent.csv",),
                                      options=("--require-data",))
        self.assertEqual(status, 1)
        self.assertIn("FAILED   gate: no absent.csv", words)

    def test_fails_past_1_15_times_the_figure_of_today(self):
        limits = [{"value": "a", "today": 0.1}]
        self.assertEqual(self.run_gate('{"a": 0.1149}', limits)[0], 0)
        self.assertEqual(self.run_gate('{"a": 0.1151}', limits)[0], 1)
        self.assertEqual(self.run_gate('{"a": 0.01}', limits)[0], 0)
        larger = [{"value": "a", "today": 115, "larger_is_better": True}]
        self.assertEqual(self.run_gate('{"a": 100}', larger)[0], 0)
        self.assertEqual(self.run_gate('{"a": 99}', larger)[0], 1)
        share = [{"value": "a", "today": 0.02, "of_one": True}]  # 98 % of the best
        self.assertEqual(self.run_gate('{"a": 0.978}', share)[0], 0)
        self.assertEqual(self.run_gate('{"a": 0.976}', share)[0], 1)
        self.assertEqual(self.run_gate('{"a": 0.1}', [{"value": "a", "today": None}])[0], 1)

    def test_leaves_small_errors_of_simulated_runs_the_room_that_seeds_take(self):
        small, large = [{"value": "a", "today": 0.002}], [{"value": "a", "today": 0.1}]
        self.assertEqual(self.run_gate('{"a": 0.0069}', small, slack=0.005)[0], 0)
        self.assertEqual(self.run_gate('{"a": 0.0069}', small)[0], 1)
        self.assertEqual(self.run_gate('{"a": 0.0071}', small, slack=0.005)[0], 1)
        self.assertEqual(self.run_gate('{"a": 0.1149}', large, slack=0.005)[0], 0)
        self.assertEqual(self.run_gate('{"a": 0.1151}', large, slack=0.005)[0], 1)
        cells = [{"value": "a", "today": 115, "larger_is_better": True}]
        self.assertEqual(self.run_gate('{"a": 99.997}', cells, slack=0.005)[0], 1)

    def test_slack_is_of_simulated_runs_alone(self):
        gates = json.loads((ROOT / "tests" / "accuracy" / "thresholds.json").read_text())["gates"]
        slack = {gate["name"]: gate["slack"] for gate in gates if "slack" in gate}
        runs = {gate["name"] for gate in gates if gate["command"][1] in ("serving", "concurrency")}
        self.assertEqual(set(slack), runs)
        self.assertLessEqual(max(slack.values()), 0.005)

    def test_update_writes_what_got_better_and_refuses_what_got_worse(self):
        def limits(today):
            return [{"value": "a", "today": today}, {"value": "b", "today": 5, "larger_is_better": True}]

        answer = '{"a": 0.1, "b": 6}'
        self.assertEqual(self.run_gate(answer, limits(0.2), options=("--update",))[0], 0)
        self.assertEqual([limit["today"] for limit in self.after["gates"][0]["limits"]], [0.1, 6])
        status, words = self.run_gate(answer, limits(0.05), options=("--update",))
        self.assertEqual(status, 1)
        self.assertIn("gate: a: 0.05 -> 0.1", words)
        self.assertEqual(self.after["gates"][0]["limits"][0]["today"], 0.05)
        self.assertEqual(self.run_gate(answer, limits(0.05), options=("--update", "--allow-worse"))[0], 0)
        self.assertEqual(self.after["gates"][0]["limits"][0]["today"], 0.1)
        self.assertEqual(self.run_gate('{"a": 1}', limits(0.2), options=("--update",))[0], 1)
        self.assertEqual(self.after["gates"][0]["limits"][0]["today"], 0.2)

    def test_the_thresholds_of_the_repository_name_a_figure_for_every_kind(self):
        gates = json.loads((ROOT / "tests" / "accuracy" / "thresholds.json").read_text())["gates"]
        values = {limit["value"] for gate in gates for limit in gate["limits"]}
        for wanted in ("mean.prefill", "mean.decode", "mean.total", "overall.mean_error",
                       "metrics.ttft.mean.error", "metrics.tpot.mean.error", "geo_mean_share",
                       "backends.vllm.ttft_median_error", "backends.sglang.tpot_median_error",
                       "families.attention_decode.mean_error"):
            self.assertIn(wanted, values)


if __name__ == "__main__":
    unittest.main()
