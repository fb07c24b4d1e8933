"""data/judged: every recorded run has a status and a reason; goals and gaps name figures that exist."""
import sys
import unittest

from repository import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from measured import goals, kernels, known_gaps, recorded_runs, tuner  # noqa: E402
from measured.tables import TABLES  # noqa: E402

ENGINES = ROOT / "tests" / "fixtures" / "engine"


def recorded_in(root):
    """Runs of real engines with a row a request: a description beside a table of requests."""
    found = set()
    for description in root.rglob("*.json"):
        plain = description.name == "run.json" and (description.parent / "requests.csv.gz").exists()
        if plain or description.with_suffix(".csv.gz").exists() and description.parent.name == "serving":
            found.add(str(description.relative_to(ROOT).with_suffix("")))
    return found


def answer(tpot, ttft=0.1):
    figures = {"mean": {"bias": ttft}, "p50": {"bias": ttft}, "p90": {"bias": ttft}}
    metrics = {"tpot": {"mean": {"bias": tpot}}, "ttft": figures}
    return {"metrics": metrics, "output_throughput": {"bias": 0.0}}


class RecordedRuns(unittest.TestCase):
    def test_every_run_in_the_fixtures_is_listed_once(self):
        listed = [run["run"] for run in recorded_runs.recorded()["runs"]]
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual(set(listed), recorded_in(ENGINES))
        self.assertGreaterEqual(len(listed), 40)

    def test_every_run_has_a_status_and_a_reason(self):
        for run in recorded_runs.recorded()["runs"]:
            self.assertIn(run["status"], recorded_runs.STATUSES, run["run"])
            self.assertGreater(len(run["reason"]), 20, run["run"])

    def test_the_table_has_all_runs_and_means_with_and_without(self):
        runs = recorded_runs.recorded()["runs"]
        judged = sum(run["status"] == "judged" for run in runs)
        answers = {recorded_runs.name_of(run): answer(0.02 if run["status"] == "judged" else 0.5)
                   for run in runs}
        lines = recorded_runs.lines(answers)
        self.assertEqual(len(lines), 2 + len(runs) + 2)
        self.assertIn(f"| **mean size of the judged, {judged}** | **2.0 %** |", "\n".join(lines))
        share = (0.02 * judged + 0.5 * (len(runs) - judged)) / len(runs)
        self.assertIn(f"| **mean size of all, {len(runs)}** | **{100 * share:.1f} %** |", "\n".join(lines))


class ProbedMachines(unittest.TestCase):
    def test_every_folder_with_a_probe_is_listed_with_one_of_its_own(self):
        probes = recorded_runs.recorded()["probes"]
        for folder, probe in probes.items():
            self.assertTrue((ENGINES / folder / probe).exists(), folder)
        served = {folder.name for folder in ENGINES.iterdir() if (folder / "serving").exists()}
        probed = {path.parent.name for path in ENGINES.glob("*/probe*.json")}
        self.assertEqual(set(probes), served & probed)

    def test_runs_are_told_of_their_own_machine_or_of_none(self):
        told, untold = (recorded_runs.commands_where_probed(told) for told in (True, False))
        self.assertEqual(set(told), set(untold))
        self.assertGreaterEqual(len(told), 60)
        for name, words in told.items():
            self.assertEqual(words[-1], recorded_runs.machine_of(name.split()[0]))
            self.assertEqual(words[:-2], untold[name])


class Goals(unittest.TestCase):
    def test_a_missed_goal_is_said_in_words(self):
        goal = {"of": "a", "figure": "b", "table": "t", "answer": "x", "value": "mean/prefill",
                "at_most": 0.06, "source": "somebody"}
        self.assertAlmostEqual(goals.figure_of(goal, {"x": {"mean": {"prefill": 0.07}}}), 0.07)
        self.assertFalse(goals.is_met(goal, 0.07))
        self.assertTrue(goals.is_met({**goal, "at_most": 0.08}, 0.07))
        self.assertTrue(goals.is_met({"at_least": 0.9}, 0.95))
        with self.assertRaises(KeyError):
            goals.figure_of({**goal, "value": "mean/gone"}, {"x": {"mean": {}}})

    def test_every_goal_names_a_table_and_an_answer_of_it(self):
        for goal in goals.goals():
            self.assertIn(goal["table"], TABLES)
            self.assertEqual(("at_most" in goal) + ("at_least" in goal), 1, goal)
            self.assertTrue(goal["source"])
            if "judged_mean" in goal:
                self.assertIn(goal["judged_mean"], [title for title, _ in recorded_runs.FIGURES])
            else:
                self.assertIn(goal["answer"], TABLES[goal["table"]].commands)


class KnownGaps(unittest.TestCase):
    def test_every_gap_has_a_cause_and_what_shows_it(self):
        for gap in known_gaps.gaps():
            self.assertTrue(gap["gap"] and gap["cause"])
            self.assertEqual(("table" in gap) + ("command" in gap), 1, gap["gap"])
            if "table" in gap:
                self.assertIn(gap["table"], TABLES)
                self.assertEqual(sum(key in gap for key in ("cells", "rows", "values")), 1, gap["gap"])
                if "answer" in gap:
                    self.assertIn(gap["answer"], TABLES[gap["table"]].commands)

    def test_sizes_come_from_the_cells_that_are_named(self):
        cell = {"backend": "vllm", "concurrency": 64, "predicted_ttft_ms": 90, "measured_ttft_ms": 100,
                "predicted_tpot_ms": 12, "measured_tpot_ms": 10}
        others = [{**cell, "group": "disaggregated"}]
        document = {"cells": [cell, {**cell, "backend": "sglang"}], "other_cells": others}
        gap = {"cells": {"backend": "vllm", "concurrency": {"from": 32}}}
        self.assertEqual(known_gaps.cells_text(gap, document),
                         "1 cells; TTFT median 10.0 %, bias -10.0 %; TPOT median 20.0 %, bias +20.0 %")
        apart = {"cells": {"group": "disaggregated"}}
        self.assertTrue(known_gaps.cells_text(apart, document).startswith("1 cells"))
        gone = {"gap": "a", "table": "concurrency", "cells": {"backend": "none"}}
        with self.assertRaisesRegex(ValueError, "'a': no cell of concurrency"):
            known_gaps.cells_text(gone, document)
        with self.assertRaisesRegex(ValueError, "no row of static"):
            known_gaps.rows_text({"gap": "b", "table": "static", "rows": {"hardware": "x"}}, {"rows": []})

    def test_every_gap_has_a_command(self):
        commands = [known_gaps.command_of(gap) for gap in known_gaps.gaps()]
        self.assertIn("tools/measure --only pools", commands)
        for command in commands:
            self.assertTrue(command.startswith(("tools/", "warploom ", "grep ")), command)
            self.assertNotIn("|", command)  # it stands in a table


class Tables(unittest.TestCase):
    def test_each_generation_left_out_is_a_row_and_each_family_a_column(self):
        errors = {"mean_error": 0.15, "median_error": 0.1, "coverage": 0.8}
        answer = {"left_out": [{"left_out": "hopper", **errors}], "families": {"gemm": errors}}
        lines = kernels.left_out({"gemm": answer, "moe": {"left_out": [], "families": {}}})
        self.assertIn("| hopper | 15.0 / 10.0 %, 80 % | - |", lines)
        self.assertIn("| **all** | 15.0 / 10.0 %, 80 % | - |", lines)

    def test_published_methods_stand_beside_ours_on_each_gpu(self):
        errors = {"rows": 7, "mean_error": 0.02, "median_error": 0.01, "coverage": 0.8}
        answer = {"gpus": {"h20": errors}, "baselines": {"habitat": {"gpus": {"h20": errors}},
                                                         "linear": {"gpus": {}}}}
        lines = kernels.known_kernel({"ours": answer})
        self.assertIn("| h20 | 7 | 2.0 / 1.0 % | 80 % | 2.0 / 1.0 % | - |", lines)

    def test_sets_that_are_whole_have_no_count_of_dropped_shapes(self):
        figures = {"shapes": 3, "geo_mean_share": 0.99, "p10_share": 0.9, "worst_share": 0.8,
                   "geo_mean_speedup": 1.5, "worst_speedup": 0.9}
        self.assertIn("| a | 3 | 99.0 % | 90.0 % | 80.0 % | 1.50 x | 0.90 x |", tuner.sets({"a": figures}))


if __name__ == "__main__":
    unittest.main()
