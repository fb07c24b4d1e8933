"""tools/web_leaderboard takes docs/leaderboard.md over whole, and says what it does not know."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

PAGE = """# Leaderboard

Methods on the same rows. The error of a row is
|predicted - measured| / measured; [accuracy](accuracy.md) has more.

```
tools/leaderboard --data D
```

## New shapes

A tenth of the shapes.

```
warploom validate kernels --leave-out shape
```

![mean errors by family](images/x.svg)

| mean / median error | rows | roofline | mine | ours |
|---|---|---|---|---|
| gemm | 1,564 | 26.0 / 21.9 % | 1,160.3 / 5.8 % of 59 % | 8.8 / 4.8 % |
| moe | 20 | 30.0 / 2.0 % | - | 8.0 / 4.0 % |

No model:

- mine: 641 rows, no such kernel

## What they cost

Memory in MB.

| split | method | minutes |
|---|---|---|
| New shapes | mine | 2.5 |

*Commit 0123456789, by `tools/leaderboard`; a machine.*
"""


class WebLeaderboard(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def run_tool(self, text, *options):
        page = self.root / "page.md"
        page.write_text(text)
        command = [sys.executable, str(ROOT / "tools" / "web_leaderboard"), "--page", str(page),
                   "--output", str(self.root / "found.json"), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_takes_every_figure_over(self):
        self.assertEqual(self.run_tool(PAGE).returncode, 0)
        found = json.loads((self.root / "found.json").read_text())
        self.assertEqual(found["about"], "Methods on the same rows. The error of a row is "
                                         "|predicted - measured| / measured; accuracy has more.")
        self.assertEqual(found["command"], "tools/leaderboard --data D")
        self.assertEqual(found["made_with"], "Commit 0123456789, by tools/leaderboard; a machine.")
        split = found["splits"][0]
        self.assertEqual(split["about"], "A tenth of the shapes.")
        self.assertEqual(split["command"], "warploom validate kernels --leave-out shape")
        self.assertEqual(split["methods"], ["roofline", "mine", "ours"])
        self.assertEqual(len(split["cells"]), 5)  # none where there is no model
        self.assertEqual(split["cells"][1], {"family": "gemm", "method": "mine", "rows": 1564,
                                             "mean_error": 11.603, "median_error": 0.058, "covered": 0.59})
        self.assertEqual(split["no_model"], [{"method": "mine", "rows": 641, "reason": "no such kernel"}])
        costs = {"title": "What they cost", "about": "Memory in MB.", "command": "",
                 "columns": ["split", "method", "minutes"], "rows": [["New shapes", "mine", 2.5]]}
        self.assertEqual(found["tables"], [costs])

    def test_refuses_what_it_does_not_know(self):
        for wrong, words in [(PAGE.replace("8.8 / 4.8 %", "about 9 %"), "'about 9 %'"),
                             (PAGE.replace(" | 8.8 / 4.8 %", ""), "2 cells, expected 3"),
                             (PAGE.replace("641 rows, no", "some of no"), "METHOD: N rows")]:
            done = self.run_tool(wrong)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.root / "found.json").exists())

    def test_compares(self):
        self.assertIn("is not what", self.run_tool(PAGE, "--check").stderr)
        self.run_tool(PAGE)
        self.assertEqual(self.run_tool(PAGE, "--check").returncode, 0)
        self.assertEqual(self.run_tool(PAGE.replace("8.8", "8.9"), "--check").returncode, 1)

    def test_writes_a_report(self):
        report = self.root / "report.html"
        done = self.run_tool(PAGE.replace("no such kernel", "no <b>"), "--html", str(report))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"request": "leaderboard"', report.read_text())
        self.assertIn("no \\u003cb>", report.read_text())

    def test_the_shipped_document_is_what_the_page_says(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools" / "web_leaderboard"), "--check"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
