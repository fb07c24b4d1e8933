"""tools/fit_exchange: copies are refused, held-out shapes move nothing, no data is refused."""

import csv
import gzip
import json
import sys
import unittest

from stand_in import StandInTest

COLUMNS = (
    "framework",
    "version",
    "node_num",
    "hidden_size",
    "num_topk",
    "num_experts",
    "num_token",
    "latency_us",
    "combine_latency_us",
    "n_samples",
)
HIDDEN = (1024, 2048, 3072, 4096, 5120, 7168)
TOKENS = [2**i for i in range(11)]
HELD_OUT = 64  # tokens of hidden 4096

# Stands for `warploom validate kernels --leave-out shape --questions FILE`.
PROGRAM = f"""#!{sys.executable}
import json, sys
path = sys.argv[sys.argv.index("--questions") + 1]
with open(path, "w") as file:
    for width in (1, 2):
        bytes_of_one = 4096.0 * width
        operator = {{"size_bytes": {HELD_OUT} * 8 * bytes_of_one, "ranks": 8, "top_k": 8}}
        file.write(json.dumps({{"operator": {{**operator, "token_bytes": bytes_of_one}}}}) + "\\n")
"""


def us_of(tokens, hidden, link):
    return 10 + tokens * 8 * hidden * 7 / 8 / (0.5 * link) * 1e6


class FitExchange(StandInTest):
    tool = "fit_exchange"
    stand_in = PROGRAM

    def setUp(self):
        super().setUp()
        self.output = self.root / "expert_exchange.json"

    def write(self, gpu, link, off=1.0, version="0.5.12"):
        folder = self.root / "aiconfigurator" / "deepep_ll"
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        for hidden in HIDDEN:
            for tokens in TOKENS:
                times = [f"{us_of(tokens, hidden * width, link):.5g}" for width in (1, 2)]
                if hidden == 4096 and tokens == HELD_OUT:
                    times = [str(float(time) * off) for time in times]
                rows.append(
                    {
                        "framework": "sglang",
                        "version": version,
                        "node_num": 1,
                        "hidden_size": hidden,
                        "num_topk": 8,
                        "num_experts": 256,
                        "num_token": tokens,
                        "latency_us": times[0],
                        "combine_latency_us": times[1],
                        "n_samples": 1,
                    }
                )
        with gzip.open(folder / f"{gpu}.csv.gz", "wt", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)

    def run_tool(self, *words):
        return self.run_with("--data", str(self.root), "--output", str(self.output), *words)

    def fitted(self):
        return self.answer(self.run_tool("--json")), json.loads(self.output.read_text())

    def test_copies_of_another_gpu_are_found_in_the_rows(self):
        self.write("h100_sxm", 450e9)
        self.write("h200_sxm", 450e9)
        answer, document = self.fitted()
        self.assertEqual(
            [(each["gpu"], each["copy_of"]) for each in document["copies_refused"]],
            [("h200_sxm", "h100_sxm")],
        )
        self.assertEqual({curve["gpu"] for curve in document["curves"]}, {"h100_sxm"})
        self.assertEqual(answer["refused"], {"a copy of h100_sxm": len(HIDDEN) * len(TOKENS)})

    def test_tables_that_differ_are_no_copies(self):
        self.write("h100_sxm", 450e9)
        self.write("b200_sxm", 900e9)
        answer, document = self.fitted()
        self.assertEqual(document["copies_refused"], [])
        self.assertLess(answer["left_out"]["deepep_low_latency dispatch"]["gpu"]["median_error"], 0.1)

    def test_held_out_shapes_move_nothing(self):
        self.write("h100_sxm", 450e9)
        self.fitted()
        before = self.output.read_text()
        self.write("h100_sxm", 450e9, off=3.0)
        answer, _ = self.fitted()
        self.assertEqual(self.output.read_text(), before)
        self.assertGreater(answer["held_out_shapes"]["deepep_low_latency dispatch"]["median_error"], 0.5)

    def test_check_finds_a_file_that_is_another(self):
        self.write("h100_sxm", 450e9)
        self.fitted()
        self.assertEqual(self.run_tool("--check").returncode, 0)
        self.output.write_text(self.output.read_text().replace("sglang", "vllm"))
        self.assertEqual(self.run_tool("--check").returncode, 2)

    def test_no_data_is_refused(self):
        result = self.run_tool()
        self.assertEqual(result.returncode, 2)
        self.assertIn("no tables of exchanges", result.stderr)


if __name__ == "__main__":
    unittest.main()
