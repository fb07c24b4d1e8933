"""warploom.probe without a GPU: the host's part, going on after an end, and the refusal beside other work."""

import io
import json
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.probe import __main__ as command  # noqa: E402
from warploom.probe import facts, handover, python_work, under_load  # noqa: E402
from warploom.probe.journal import summary  # noqa: E402
from warploom.probe.workload import Missing, Workload  # noqa: E402


def counted(name, values):
    """A workload of invented times; `values` are taken one after another."""
    left = iter(values)
    return Workload(name, lambda: lambda: next(left), samples=2)


class HostTest(unittest.TestCase):
    def test_every_piece_of_work_gives_a_time_or_says_what_it_lacks(self):
        for work in [*python_work.WORK, *handover.WORK]:
            with self.subTest(work.name):
                try:
                    took = work.make()()
                except Missing as lacking:
                    self.assertIn("ModuleNotFoundError", str(lacking))
                    continue
                self.assertGreater(took, -100 if work.name == "wake.sleep_late" else 0)
                self.assertLess(took, 1e7)

    def test_a_pass_of_the_scheduler_gives_each_request_what_is_left(self):
        requests = [python_work.Request(number) for number in range(4)]
        requests[1].finished = True
        requests[2].computed -= 9
        chosen, _, left = python_work.choose(requests, 8)
        self.assertEqual(chosen, {"request-0": 1, "request-2": 7})
        self.assertEqual(left, 0)


class FactsTest(unittest.TestCase):
    def test_tells_the_work_of_others_from_its_own(self):
        after = mock.patch.object(facts, "cpu_ticks", return_value=(2600, 26, 2400, 150))
        with after, mock.patch.object(facts.os, "cpu_count", return_value=16):
            shares = facts.shares_since((1000, 10, 1000, 50))
            self.assertEqual(facts.shares_since(None), {})
        self.assertEqual(shares, {"stolen_share": 0.01, "idle_share": 0.875, "others": 0.84})


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "probe.json"

    def run_with(self, works, *words, reference=(10.0, 10.0), others=3.0):
        steady = iter(list(reference) * 50)
        host = Workload("reference.host", lambda: lambda: next(steady), samples=1)
        told = io.StringIO()
        with (
            mock.patch.object(command, "HOST", works),
            mock.patch.object(command, "REFERENCES", {"reference.host": host}),
            mock.patch.object(command.Probe, "gpu_reference", lambda *_: None),
            mock.patch.object(command.facts, "shares_since", lambda _: {"others": others}),
            redirect_stderr(told),
        ):
            code = command.main(["--out", str(self.out), "--parts", "host", *words])
        return code, told.getvalue()

    def test_writes_medians_spreads_and_the_machine(self):
        code, _ = self.run_with([counted("python.scheduling", [1, 3, 2, 2, 2, 2])])
        self.assertEqual(code, 0)
        document = json.loads(self.out.read_text())
        self.assertEqual((document["schema"], document["version"]), ("warploom_probe", 1))
        measured = document["measured"]["python.scheduling"]
        self.assertEqual(measured["median_us"], 2)
        self.assertEqual(len(measured["samples"]), 2 * command.ROUNDS)
        self.assertEqual(document["noise"], {"reference.host": 0.0})
        self.assertIn("model", document["machine"]["host"]["processor"])
        self.assertFalse(Path(f"{self.out}.part").exists())

    def test_goes_on_where_it_was_cut_off(self):
        broken = [counted("a", [1, 1, 5, 5, 5, 5]), Workload("b", mock.Mock(side_effect=KeyboardInterrupt))]
        with self.assertRaises(KeyboardInterrupt):
            self.run_with(broken)
        with open(f"{self.out}.part", "a") as file:
            file.write('{"name": "b", "rou')  # a line cut short
        code, _ = self.run_with([counted("a", [5, 5, 5, 5]), counted("b", [7] * 6)])
        self.assertEqual(code, 0)
        measured = json.loads(self.out.read_text())["measured"]
        self.assertEqual(measured["a"]["samples"], [1, 1, 5, 5, 5, 5])
        self.assertEqual(measured["b"]["median_us"], 7)

    def test_refuses_a_machine_that_does_other_work(self):
        code, told = self.run_with([counted("a", [1] * 6)], reference=(10.0, 20.0))
        self.assertEqual(code, 2)
        self.assertRegex(told, r"noise of \d+\.\d %, expected at most 25 %: other work runs here")
        self.assertFalse(self.out.exists())
        code, _ = self.run_with([counted("a", [2] * 6)], "--noise-limit", "100", reference=(10.0, 20.0))
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(self.out.read_text())["measured"]["a"]["samples"], [1] * 6)

    def test_a_machine_that_varies_by_itself_is_measured_and_said(self):
        code, told = self.run_with([counted("a", [1] * 6)], reference=(10.0, 20.0), others=0.1)
        self.assertEqual(code, 0)
        self.assertIn("this host varies by itself", told)
        document = json.loads(self.out.read_text())
        self.assertGreater(document["noise"]["reference.host"], 0.25)
        self.assertEqual(document["processors"], {"others": 0.1})

    def test_begins_anew_where_it_is_told_to(self):
        self.run_with([counted("a", [1] * 6)], reference=(10.0, 20.0))
        code, _ = self.run_with([counted("a", [2] * 6)], "--again")
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(self.out.read_text())["measured"]["a"]["samples"], [2] * 6)

    def test_does_not_go_on_with_another_machines_lines(self):
        Path(f"{self.out}.part").write_text('{"machine": {"host": "another"}}\n')
        code, told = self.run_with([counted("a", [1] * 6)])
        self.assertEqual(code, 2)
        self.assertIn("was begun on another machine or with other packages", told)

    def test_one_piece_of_work_that_fails_leaves_the_others(self):
        def broken():
            raise RuntimeError("out of luck")

        code, told = self.run_with([Workload("a", broken), counted("b", [1] * 6)])
        self.assertEqual(code, 0)
        document = json.loads(self.out.read_text())
        self.assertEqual(document["missing"], {"a": "RuntimeError: out of luck"})
        self.assertIn("not measured: a: RuntimeError: out of luck", told)

    def test_bad_arguments_end_with_one_line(self):
        for words, expected in (
            (["--parts", "hots"], "'hots' is unknown"),
            (["--rounds", "x"], "unrecognized"),
        ):
            with self.subTest(words), self.assertRaises(SystemExit) as ended:
                self.run_with([], *words)
            self.assertEqual(ended.exception.code, 2)
        told = io.StringIO()
        with redirect_stderr(told), self.assertRaises(SystemExit):
            command.main(["--out", str(self.out.parent / "absent" / "p.json")])
        self.assertIn("there is no folder", told.getvalue())


class SummaryTest(unittest.TestCase):
    def test_spread_is_half_of_the_inner_eighty_percent(self):
        found = summary([90.0, 100.0, 110.0])
        self.assertEqual(found["median_us"], 100)
        self.assertAlmostEqual(found["spread"], 0.08)


class LoadTest(unittest.TestCase):
    def test_readings_are_of_the_second_half(self):
        rows = iter([[1980.0, 3201.0, 300.0, 40.0]] * 2 + [[1500.0, 3201.0, 690.0, 60.0]] * 400)
        with mock.patch.object(under_load, "readings_by_library", lambda: lambda: next(rows)):
            with under_load.Meter() as meter:
                while len(meter.rows) < 6:
                    pass
        found = meter.readings()
        self.assertEqual((found["sm_mhz"], found["watts"], found["least_sm_mhz"]), (1500, 690, 1500))

    def test_no_reading_is_said(self):
        with mock.patch.object(under_load, "readings_by_library", lambda: None), under_load.Meter() as meter:
            pass
        with self.assertRaises(Missing):
            meter.readings()


if __name__ == "__main__":
    unittest.main()
