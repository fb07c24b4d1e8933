"""Several plans of one file, and loads of other programs as clients. PYTHONPATH holds the built package."""

import json
import tempfile
import unittest
from pathlib import Path

import warploom

PLANS = Path(__file__).resolve().parents[2] / "tests/fixtures/plans"
TODAY = {
    "model": "Llama-3.1-8B",
    "gpu_names": ["H100-SXM"],
    "tensor_parallel_sizes": [1],
    "slo": ["ttft_p95_ms=800"],
    "rate": 5,
    "requests": 40,
    "random_input_len": 300,
    "random_output_len": 50,
}


class Plans(unittest.TestCase):
    def test_an_experiment_is_the_plan_of_its_request(self):
        found = warploom.plans(file=PLANS / "two_plans.yaml")
        self.assertEqual(set(found), {"today", "next year"})
        today = found.plan("today")
        self.assertEqual(type(today).__name__, "PlanAnswer")
        self.assertEqual(today.to_dict(), warploom.plan(**TODAY).to_dict())
        self.assertEqual([row["name"] for row in found.rows()], list(found))
        self.assertIn("usd_per_hour", found.rows()[0])

    def test_refusals_name_the_experiment(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "plans.yaml"
            file.write_text("experiments: [{name: a, model: Llama-3.1-8B, growth: 0}]")
            with self.assertRaisesRegex(ValueError, "experiment 'a'.*growth"):
                warploom.plans(file=file)
        with self.assertRaises(FileNotFoundError):
            warploom.plans(file="/nowhere/plans.yaml")

    def test_clients_of_another_program_load_a_plan(self):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "clients.json"
            written = warploom.convert_clients(
                client_layout="inference-perf", path=PLANS / "inference_perf.yaml", output=output
            )
            self.assertEqual(written.clients, len(json.loads(output.read_text())["clients"]))
            request = {key: TODAY[key] for key in ("model", "gpu_names", "tensor_parallel_sizes", "slo")}
            self.assertIsNotNone(warploom.plan(**request, clients=output).best)
        with self.assertRaisesRegex(ValueError, "did you mean|expected one of"):
            warploom.convert_clients(client_layout="servgen", path=PLANS, output="/dev/null")


if __name__ == "__main__":
    unittest.main()
