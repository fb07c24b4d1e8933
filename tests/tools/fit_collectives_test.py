"""tools/fit_collectives: what lines do not give is kept, held-out shapes are not, no data is refused."""
import csv
import gzip
import json
import sys
import unittest

from stand_in import StandInTest

COLUMNS = ("framework", "version", "source", "kernel_source", "dtype", "reported_version", "num_gpus",
           "message_size", "latency_us", "n_samples")
HELD_OUT = 1 << 14  # B, with 4 ranks

# Stands for `warploom validate kernels --leave-out shape --questions FILE`.
PROGRAM = f"""#!{sys.executable}
import json, sys
path = sys.argv[sys.argv.index("--questions") + 1]
with open(path, "w") as file:
    file.write(json.dumps({{"operator": {{"size_bytes": {float(HELD_OUT)}, "ranks": 4}}}}) + "\\n")
"""


def us_of(size):
    """One algorithm up to 64 KiB, another above."""
    return 5 + size / 1e4 if size <= 1 << 16 else 20 + size / 1e5


class FitCollectives(StandInTest):
    tool = "fit_collectives"
    stand_in = PROGRAM

    def setUp(self):
        super().setUp()
        self.output = self.root / "all_reduce.json"

    def write_table(self, gpu, rows, publication="aiconfigurator"):
        folder = self.root / publication / "allreduce"
        folder.mkdir(parents=True, exist_ok=True)
        with gzip.open(folder / f"{gpu}.csv.gz", "wt", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)

    def row(self, size, us, ranks=4, framework="vllm", version="0.31.0"):
        return {"framework": framework, "version": version, "source": "custom_allreduce",
                "kernel_source": "fast", "dtype": "bfloat16", "reported_version": "", "num_gpus": ranks,
                "message_size": size // 2, "latency_us": us, "n_samples": 1}

    def run_tool(self, *words):
        return self.run_with("--data", str(self.root), "--output", str(self.output), *words)

    def write_made_up(self):
        sizes = [1 << power for power in range(8, 24)]
        rows = [self.row(size, us_of(size)) for size in sizes]
        rows.append(self.row(1 << 10, 1000))  # a repeat, once slow: the median of three is not moved
        rows.append(self.row(1 << 10, us_of(1 << 10)))
        self.write_table("h100_sxm", rows)

    def test_lines_need_the_ends_and_the_change_of_algorithm(self):
        self.write_made_up()
        result = self.run_tool("--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        curves = json.loads(self.output.read_text())["curves"]
        self.assertEqual(len(curves), 1)
        self.assertEqual(curves[0]["ranks"], 4)
        self.assertEqual(curves[0]["bytes"], [1 << 8, 1 << 16, 1 << 17, 1 << 23])
        self.assertEqual(curves[0]["us"], [float(f"{us_of(size):.4g}") for size in curves[0]["bytes"]])
        summary = json.loads(result.stdout)
        self.assertEqual(summary["sizes"], 15)  # of 16, one is held out
        self.assertEqual(summary["left_out_one_by_one"]["rows"], 13)
        self.assertLess(summary["left_out_one_by_one"]["median_error"], 0.001)
        self.assertGreater(summary["left_out_one_by_one"]["p90_error"], 0.01)  # where the algorithm changes

    def test_held_out_shapes_move_nothing(self):
        self.write_made_up()
        self.run_tool()
        before = self.output.read_text()
        sizes = [1 << power for power in range(8, 24)]
        rows = [self.row(size, 999 if size == HELD_OUT else us_of(size)) for size in sizes]
        self.write_table("h100_sxm", rows)
        self.run_tool()
        self.assertEqual(self.output.read_text(), before)

    def test_withdrawn_rows_give_no_curve(self):
        sizes = [1 << power for power in range(8, 24)]
        self.write_table("l40s", [self.row(size, us_of(size), version=version)
                                  for version in ("0.14.0", "0.22.0") for size in sizes])
        self.assertEqual(self.run_tool().returncode, 0)
        curves = json.loads(self.output.read_text())["curves"]
        self.assertEqual([each["version"] for each in curves], ["0.14.0"])

    def test_check_says_whether_the_file_is_what_the_data_give(self):
        self.write_made_up()
        self.run_tool()
        self.assertEqual(self.run_tool("--check").returncode, 0)
        self.output.write_text(self.output.read_text().replace("131072", "131073"))
        changed = self.output.read_text()
        result = self.run_tool("--check")
        self.assertEqual((result.returncode, self.output.read_text()), (2, changed))
        self.assertIn("not what the data give", result.stderr)

    def test_no_data_and_no_program_are_one_clear_error(self):
        result = self.run_tool()
        self.assertEqual(result.returncode, 2)
        self.assertIn("no all-reduces, expected aiconfigurator or aisimulate/allreduce", result.stderr)
        self.assertFalse(self.output.exists())
        self.write_made_up()
        self.program.unlink()
        result = self.run_tool()
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(result.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
