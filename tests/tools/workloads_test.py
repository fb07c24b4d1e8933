"""data/traces holds what its scripts write: of fitted workloads where the traces are here."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from repository import ROOT

FOLDER = ROOT / "data" / "traces"
FITTED = {"conversation": "splitwise_conv", "code": "splitwise_code", "summarising": "arxiv_summarization"}


class Workloads(unittest.TestCase):
    def test_stated_ones_are_what_the_script_states(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, FOLDER / "state_workloads.py", folder], check=True)
            written = sorted(pathlib.Path(folder).glob("*.json"))
            self.assertGreaterEqual(len(written), 3)
            for path in written:
                self.assertEqual(path.read_text(), (FOLDER / path.name).read_text(), path.name)

    def test_fitted_ones_are_what_the_traces_give(self):
        data = pathlib.Path(os.environ.get("WARPLOOM_DATA", ROOT.parent / "shared" / "data")) / "traces"
        if not data.is_dir():
            self.skipTest("the traces are not here")
        for name, trace in FITTED.items():
            shipped = (FOLDER / f"{name}.json").read_text()
            words = [sys.executable, FOLDER / "fit_workload.py", data / f"{trace}.csv.gz", name,
                     json.loads(shipped)["source"]]
            done = subprocess.run(words, check=True, capture_output=True, text=True)
            self.assertEqual(done.stdout, shipped, name)

    def test_each_says_where_it_is_from(self):
        for path in sorted(FOLDER.glob("*.json")):
            source = json.loads(path.read_text())["source"]
            self.assertRegex(source, r"^(stated, not measured|quantiles of .*(CC-BY|MIT))", path.name)


if __name__ == "__main__":
    unittest.main()
