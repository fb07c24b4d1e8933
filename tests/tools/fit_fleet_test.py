"""tools/fit_fleet finds the constant behind made-up cells and fits on fitted cells alone."""
import csv
import gzip
import json
import sys
import unittest

from stand_in import StandInTest

COLUMNS = ("id", "backend", "mode", "gpu")

# Stands for `warploom validate concurrency`: a step of 10 ms and the gap; what was measured has a gap of
# 900 us on one GPU, which is fitted, and of 100 us on the other, which is not.
PROGRAM = f"""#!{sys.executable}
import csv, json, sys
def after(flag):
    return sys.argv[sys.argv.index(flag) + 1]
engines = json.load(open(after("--host-profile")))["engines"]
host = next(each for each in engines if each["engine"] == "sglang")
cells = []
for row in csv.DictReader(open(after("--truth"))):
    fitted = row["gpu"] == "b200_sxm"
    cells.append({{"id": row["id"], "gpu": row["gpu"], "tpot_fitted": fitted, "ttft_fitted": fitted,
                  "predicted_tpot_ms": 10 + host["gap_us"] / 1e3, "predicted_ttft_ms": 100,
                  "measured_tpot_ms": 10.9 if fitted else 10.1, "measured_ttft_ms": 100}})
print(json.dumps({{"cells": cells}}))
"""


class FitFleet(StandInTest):
    tool = "fit_fleet"
    stand_in = PROGRAM

    def setUp(self):
        super().setUp()
        (self.root / "serving_truth").mkdir()
        with gzip.open(self.root / "serving_truth" / "concurrency_runs.csv.gz", "wt", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for i in range(4):
                for gpu in ("b200_sxm", "h200_sxm"):
                    writer.writerow({"id": f"{gpu}{i}", "backend": "sglang", "mode": "agg", "gpu": gpu})
            writer.writerow({"id": "pools", "backend": "sglang", "mode": "disagg", "gpu": "b200_sxm"})
            writer.writerow({"id": "other", "backend": "vllm", "mode": "agg", "gpu": "b200_sxm"})
        self.profile = self.root / "fleet.json"
        self.profile.write_text(json.dumps({"name": "fleet", "engines": [
            {"engine": "vllm", "gap_us": 50}, {"engine": "sglang", "gap_us": 300, "source": "here"}]}))

    def run_tool(self, *words):
        return self.run_with("--data", str(self.root), "--profile", str(self.profile), *words)

    def gaps(self):
        return {each["engine"]: each["gap_us"] for each in json.loads(self.profile.read_text())["engines"]}

    def test_fits_on_the_fitted_cells_and_judges_by_the_others(self):
        result = self.run_tool("--engine", "sglang", "--constant", "gap_us=0,600,900,1500",
                               "--write", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["found"], {"gap_us": 900.0})
        self.assertEqual(report["after"]["fitted"]["cells"], 4)
        self.assertEqual(report["after"]["fitted"]["tpot"]["median_error"], 0)
        self.assertGreater(report["after"]["check"]["tpot"]["median_error"],
                           report["before"]["check"]["tpot"]["median_error"])  # said, though against it
        self.assertEqual(self.gaps(), {"vllm": 50, "sglang": 900})

    def test_a_gpu_left_out_moves_nothing_and_without_write_nothing_is_written(self):
        result = self.run_tool("--engine", "sglang", "--constant", "gap_us=0,900",
                               "--without-gpu", "b200_sxm")
        self.assertEqual(result.returncode, 2)
        self.assertIn("0 cells to fit on", result.stderr)
        before = self.profile.read_text()
        self.assertEqual(self.run_tool("--engine", "sglang", "--constant", "gap_us=0,900").returncode, 0)
        self.assertEqual(self.profile.read_text(), before)

    def test_of_values_as_good_the_nearest_to_the_standing_one_stays(self):
        result = self.run_tool("--engine", "sglang", "--constant", "gap_us=885,900", "--json")
        self.assertEqual(json.loads(result.stdout)["found"], {"gap_us": 885.0})

    def test_what_is_no_engine_constant_or_number_is_refused(self):
        for words, said in ((("--engine", "sgl", "--constant", "gap_us=1"), "the profile has vllm, sglang"),
                            (("--engine", "sglang", "--constant", "gap=1"), "expected gap_us"),
                            (("--engine", "sglang", "--constant", "gap_us=x"), "expected NAME=VALUE")):
            result = self.run_tool(*words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main()
