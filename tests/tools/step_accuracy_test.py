"""tools/step_accuracy compares predicted with measured sums, keeps fitted and judged models apart."""
import json
import unittest
from pathlib import Path

from stand_in import StandInTest

# Answers 10 ms, 9 to 11, for every batch, 1 of them taken off for kernels beside others; twice that in fp8.
PROGRAM = """#!/usr/bin/env python3
import json, sys
scale = 2 if "fp8" in sys.argv else 1
kernels = [{"label": "qkv_proj", "p10_us": 700, "time_us": 800, "p90_us": 900},
           {"label": "rmsnorm", "p10_us": 90, "time_us": 100, "p90_us": 110}]
open(sys.argv[0] + ".log", "a").write(" ".join(sys.argv[1:]) + "\\n")
gpu = {"p10": 8 * scale, "p50": 9 * scale, "p90": 10 * scale}
host = {"host_least_ms": 1, "host_ms": 2, "host_most_ms": 4}
print(json.dumps({"gpu_ms": gpu, "hidden_ms": scale, "kernels": kernels, "step_ms": 9 * scale + 2} | host))
"""


class StepAccuracy(StandInTest):
    tool = "step_accuracy"
    stand_in = PROGRAM

    def steps(self, tag, *rows, of="h200"):
        text = "kind,batch,kernel_sum_ms\n" + "".join(f"{kind},{batch},{ms}\n" for kind, batch, ms in rows)
        folder = self.root / f"vllm_0_24_{of}" / "steps"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{tag}_steps.csv").write_text(text)

    def run_tool(self, *options, program=None):
        return self.run_with("--fixtures", str(self.root), *options, program=program)

    def figures(self, of="h200"):
        return self.answer(self.run_tool("--json"))[of]

    def test_errors_and_shares_inside(self):
        self.steps("llama8b", ("decode", "1x500", 10.5), ("prefill", "1x64", 12.5))
        found = self.figures()["llama8b"]
        self.assertAlmostEqual(found["mean"], (0.5 / 10.5 + 2.5 / 12.5) / 2)
        self.assertAlmostEqual(found["bias"], -(0.5 / 10.5 + 2.5 / 12.5) / 2)
        self.assertEqual(found["inside"], 0.5)

    def test_chunks_behind_others_are_left_out(self):
        self.steps("llama8b", ("prefill", "1x64", 10), ("prefill", "1x64@128", 99))
        self.assertEqual(self.figures()["llama8b"]["steps"], 1)

    def test_fitted_and_judged_stand_apart(self):
        self.steps("llama8b", ("decode", "1x500", 10))
        self.steps("llama8bfp8", ("decode", "1x500", 10))
        found = self.figures()
        self.assertEqual(found["fitted"]["mean"], 0)
        self.assertEqual(found["judged"]["mean"], 1)
        self.assertEqual(found["all"]["steps"], 2)

    def test_asks_for_the_batch_that_was_measured(self):
        self.steps("qwen30b", ("mixed", "16x500+512", 10))
        self.figures()
        asked = Path(f"{self.program}.log").read_text()
        self.assertIn("--decode 16x500 --prefill 1x512", asked)
        self.assertIn("--expert-routing uniform", asked)

    def test_a_model_that_was_cut_is_asked_for_by_the_config_beside_its_steps(self):
        self.steps("qwen30b", ("decode", "1x500", 10))
        config = self.root / "vllm_0_24_h200" / "steps" / "qwen30b_config.json"
        config.write_text("{}")
        self.figures()
        asked = Path(f"{self.program}.log").read_text()
        self.assertIn(f"--model {config} --expert-routing uniform", asked)

    def test_on_another_gpu_every_model_judges(self):
        self.steps("llama8b", ("decode", "1x500", 10), of="h100")
        found = self.figures("h100")
        self.assertEqual(found["judged"]["steps"], 1)
        self.assertNotIn("fitted", found)
        self.assertIn("--gpu H100-SXM", Path(f"{self.program}.log").read_text())

    def test_correlation_of_kinds_that_err_together_is_one(self):
        self.steps("llama8b", ("decode", "1x500", 10), ("decode", "2x500", 10))
        kernels = "kind,batch,kernel,calls,us\n"
        for batch, sign in (("1x500", 1), ("2x500", -1)):
            kernels += f"decode,{batch},nvjet_x,32,{800 + sign * 100}\n"
            kernels += f"decode,{batch},triton_rms_norm,64,{100 + sign * 10}\n"
        (self.root / "vllm_0_24_h200" / "steps" / "llama8b_kernels.csv").write_text(kernels)
        result = self.run_tool("--correlation")
        self.assertEqual(result.stdout.split(), ["shared", "error", "1.000"], result.stderr)

    def test_a_run_keeps_what_the_means_of_models_keep(self):
        # 10 ms, 9 to 11: half of a half-width above and below in turns, but always above for qwen14b.
        self.steps("llama8b", ("decode", "1x500", 10.5), ("decode", "2x500", 9.5))
        self.steps("llama8bfp8", ("decode", "1x500", 20.5), ("decode", "2x500", 19.5))
        self.steps("qwen14b", ("decode", "1x500", 10.5), ("prefill", "1x64", 10.2))
        self.steps("mixtral", ("decode", "1x500", 10.2), ("prefill", "1x64", 10.1))
        result = self.run_tool("--runs")
        self.assertEqual(result.returncode, 0, result.stderr)
        # llama8b and mixtral give the share; qwen14b lies beyond it.
        decode, prompt = result.stdout.splitlines()
        self.assertEqual(decode, "decode steps of a run: 0.18 of a half-width; inside 1 of 2 others")
        self.assertEqual(prompt, "prompt steps of a run: 0.13 of a half-width; inside 0 of 1 others")

    def test_walls_count_the_host_and_leave_out_engines_that_shared_a_machine(self):
        folder = self.root / "vllm_0_33_h200" / "steps"
        folder.mkdir(parents=True)
        for tag in ("llama8b", "gemma4"):
            rows = "decode,1x500,13.9,9\ndecode,2x500,14.1,9\n"
            (folder / f"{tag}_steps.csv").write_text("kind,batch,wall_ms,kernel_sum_ms\n" + rows)
        result = self.run_tool("--walls", "--host-profile", "mine", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)["h200 0.33"]
        self.assertEqual(found["all"]["steps"], 2)  # llama8b's
        self.assertAlmostEqual(found["llama8b"]["bias"], (11 / 13.9 + 11 / 14.1) / 2 - 1)
        self.assertEqual(found["llama8b"]["inside"], 0.5)  # 9 to 14 ms
        asked = Path(f"{self.program}.log").read_text()
        self.assertIn("--no-async-scheduling --host-profile mine", asked)
        self.assertIn("changes nothing without --walls", self.run_tool("--host-profile", "mine").stderr)

    # 0.5 ms of a step and 0.1 ms of a request: 13.9 ms of one request are 13.3.
    def test_walls_are_without_the_outputs_for_clients(self):
        for name, head, rows in (
            ("vllm_0_33_h200", "kind,batch,wall_ms,kernel_sum_ms", "decode,1x500,13.9,9"),
            (
                "vllm_0_33_h100_pairs",
                "kind,batch,wall_ms,core_ms",
                "decode,1x500,5.6,5\ndecode,11x500,8.6,7\nprefill,1x64,99,1",
            ),
        ):
            folder = self.root / name / "steps"
            folder.mkdir(parents=True)
            (folder / "llama8b_steps.csv").write_text(f"{head}\n{rows}\n")
        found = self.answer(self.run_tool("--walls", "--json"))["h200 0.33"]
        self.assertAlmostEqual(found["llama8b"]["bias"], 11 / 13.3 - 1)

    def test_a_known_host_is_fitted_to_another_model(self):
        folder = self.root / "vllm_0_33_h200" / "steps"
        folder.mkdir(parents=True)
        for tag in ("llama8b", "qwen30bfp8"):
            rows = "decode,1x500,13.9,9\n"
            (folder / f"{tag}_steps.csv").write_text("kind,batch,wall_ms,kernel_sum_ms\n" + rows)
        result = self.run_tool("--walls", "--known-host", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["h200 0.33"]["decode"]["steps"], 2)
        asked = Path(f"{self.program}.log").read_text().splitlines()
        fits = [line for line in asked if line.startswith("calibrate-host")]
        self.assertEqual(len(fits), 2)
        for line in asked:
            if line.startswith("step "):
                mine, others = ("qwen30bfp8", "llama8b") if "Qwen3-30B" in line else ("llama8b", "qwen30bfp8")
                self.assertIn(f"{others}_host.json", line)
                self.assertNotIn(f"{mine}_host.json", line)
        self.assertIn("changes nothing without --walls", self.run_tool("--known-host").stderr)
        by_one = self.run_tool("--walls", "--known-host", "llama8b", "--json")
        self.assertEqual(json.loads(by_one.stdout)["h200 0.33"]["all"]["steps"], 1, by_one.stderr)
        self.assertIn("invalid choice", self.run_tool("--walls", "--known-host", "gemma4").stderr)
        both = self.run_tool("--walls", "--known-host", "--host-profile", "mine")
        self.assertIn("without --known-host", both.stderr)

    def test_refuses_a_program_that_fails_and_a_folder_without_steps(self):
        self.assertIn("no *_steps.csv", self.run_tool().stderr)
        self.steps("llama8b", ("decode", "1x500", 10))
        failing = self.root / "failing"
        failing.write_text("#!/bin/sh\necho 'no such model' >&2\nexit 2\n")
        failing.chmod(0o755)
        result = self.run_tool(program=failing)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no such model", result.stderr)


if __name__ == "__main__":
    unittest.main()
