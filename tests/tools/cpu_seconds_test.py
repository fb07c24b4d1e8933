"""tools/cpu_seconds counts the processor time of a command, passes its status on, and adds up by target."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "cpu_seconds"
BUSY = "import time\nwhile time.process_time() < 0.3: pass"


def run(*words):
    return subprocess.run([sys.executable, TOOL, *words], capture_output=True, text=True)


class CpuSeconds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = Path(folder.name) / "log"

    def test_counts_work_and_not_waiting(self):
        for script in (BUSY, "import time; time.sleep(0.3)"):
            run("--log", str(self.log), sys.executable, "-c", script, "-o", "made")
        busy, idle = (line.split() for line in self.log.read_text().splitlines())
        self.assertEqual((busy[1], idle[1]), ("made", "made"))
        self.assertGreaterEqual(float(busy[0]), 0.3)
        self.assertLess(float(idle[0]), 0.2)

    def test_passes_the_status_on(self):
        self.assertEqual(run("--log", str(self.log), "false").returncode, 1)
        self.assertEqual(run("--log", str(self.log), "true").returncode, 0)

    def test_adds_up_by_target_and_by_folder(self):
        self.log.write_text("1.5 src/a/CMakeFiles/one.dir/x.o\n2.0 src/b/CMakeFiles/two.dir/y.o\n"
                            "1.0 src/a/CMakeFiles/one.dir/z.o\n")
        rows = [line.split() for line in run(str(self.log)).stdout.splitlines()]
        self.assertEqual(rows[:2], [["2.5", "one"], ["2.0", "two"]])
        self.assertEqual(rows[2][0], "4.5")
        self.assertIn("src/a", run(str(self.log), "--by", "2").stdout)

    def test_a_test_that_fails_is_no_cheap_one(self):
        folder = self.log.parent
        tests = {
            "Good": ("exit 0", ""),
            "Bad": ("exit 3", ""),
            "NotHere": ("exit 77", "SKIP_RETURN_CODE 77"),
            "Refuses": ("exit 1", "WILL_FAIL ON"),
            "Says": ("echo as it should; exit 5", 'PASS_REGULAR_EXPRESSION "as it should"'),
            "SaysElse": ("echo else", 'PASS_REGULAR_EXPRESSION "as it should"'),
        }
        lines = []
        for name, (script, properties) in tests.items():
            lines.append(f"add_test({name} sh -c [[{script}]])")
            if properties:
                lines.append(f"set_tests_properties({name} PROPERTIES {properties})")
        (folder / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
        ended = run("--tests", str(folder))
        became = {row.split()[1]: row.split()[2:] for row in ended.stdout.splitlines()[:-1]}
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(became["Bad"], ["failed:", "status", "3"])
        self.assertEqual(became["NotHere"], ["skipped"])
        self.assertEqual(became["SaysElse"][0], "failed:")
        self.assertEqual([became[name] for name in ("Good", "Refuses", "Says")], [[], [], []])
        self.assertIn("2 failed", ended.stderr)
        self.assertEqual(run("--tests", str(folder), "Good|Says$").returncode, 0)

    def test_refuses_what_it_does_not_know(self):
        self.assertEqual(run("--by", "2").returncode, 2)


if __name__ == "__main__":
    unittest.main()
