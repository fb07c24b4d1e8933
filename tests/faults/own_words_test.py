#!/usr/bin/env python3
"""Bad files, names and flags end the whole program with status 2 and words of its own (docs/reliability.md).

WARPLOOM_PROGRAM names the built program.
"""

import json
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from faults_test import FOREIGN, PROGRAM, SIMULATE, Folder, run, sweep_in  # noqa: E402


class OwnWords(Folder):
    """Bad files end with status 2 and words of the program's own."""

    CLIENT = {"name": "web", "rate": 5, "input_tokens": {"min": 100, "max": 600}, "output_tokens": 40}
    PRICE = {
        "gpu": "h100_sxm",
        "kind": "on_demand",
        "usd_per_gpu_hour": 12.5,
        "provider": "none",
        "source": "x",
    }

    def refused(self, *words):
        ended = run(*words)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        last = ended.stderr.strip().splitlines()[-1]
        for foreign in FOREIGN:
            self.assertNotIn(foreign, last)
        self.assertTrue(last.startswith("warploom: "), last)
        return last

    def write(self, name, content):
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def test_wrong_types_under_the_keys_of_every_file(self):
        plan = ["plan", "--model", "Qwen3-8B", "--predictor", "roofline", "--gpus", "H100-SXM", "--tp", "1"]
        plan += ["--rate", "4", "--requests", "20", "--input-tokens", "300", "--output-tokens", "10"]
        plan += ["--slo", "ttft_p95_ms=900", "--max-gpus", "2"]
        for key, value in (
            ("schema", 3),
            ("version", "one"),
            ("version", None),
            ("version", 10**20),
            ("duration_s", []),
        ):
            clients = {"schema": "warploom_clients", "version": 1, "duration_s": 10, "clients": [self.CLIENT]}
            self.refused(*SIMULATE[:7], "--clients", self.write("clients.json", {**clients, key: value}))
        for key, value in (("schema", []), ("version", "warploom_gpu_prices"), ("prices", {})):
            prices = {"schema": "warploom_gpu_prices", "version": 1, "prices": [self.PRICE]}
            self.refused(*plan, "--prices", self.write("prices.json", {**prices, key: value}))
        for key, value in (
            ("schema", 1),
            ("version", "nan"),
            ("created_by", -1),
            ("question", None),
            ("runs", []),
        ):
            log = {
                "schema": "warploom_plan_runs",
                "version": 4,
                "created_by": "x",
                "question": "1",
                "runs": {},
            }
            self.refused(*plan, "--store", self.write("log.json", {**log, key: value}))

    def test_yaml_that_is_no_text_or_names_itself(self):
        def command(config):
            line = f"vllm serve Qwen/Qwen3-8B --config {config}"
            return [
                "step",
                "--gpu",
                "H200",
                "--decode",
                "8x100",
                "--predictor",
                "roofline",
                "--from-command",
                line,
            ]

        self.refused(*command(self.write("list_as_key.yaml", "? [1]\n: 2\n")))
        self.assertIn("alias", self.refused(*command(self.write("itself.yaml", "compilation: &a {b: *a}\n"))))
        levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
        began = time.monotonic()
        self.refused(*command(self.write("aliases.yaml", "\n".join(levels) + "\n")))
        self.assertLess(time.monotonic() - began, 20)
        deep = "[" * 500_000 + "]" * 500_000
        for key, inside in (("compilation-config", "cudagraph_mode"), ("eplb-config", "policy")):
            written = f"{key}: '{{\"{inside}\": {deep}}}'\n"
            self.assertIn("nested", self.refused(*command(self.write("deep.yaml", written))))
        perf = b"data:\n  type: random\nload:\n  type: poisson\n  stages: [{rate: \xff, duration: 30}]\n"
        self.refused(
            "convert-clients", "inference-perf", self.write("perf.yml", perf), "--output", self.folder / "o"
        )

    def test_manifests_that_are_none(self):
        words = ("simulate", "--gpu", "H200", "--predictor", "roofline", "--manifest")
        for text in (
            "",
            "[]",
            "kind: &a {b: *a}\n",
            "kind: [Deployment]\n",
            "kind: Deployment\napiVersion: apps/v1\nspec: 3\n",
            "kind: Deployment\napiVersion: apps/v1\nspec: {replicas: x}\n",
            "kind: DynamoGraphDeployment\napiVersion: nvidia.com/v1alpha1\nspec: {services: [1]}\n",
            "decode: {containers: {}}\n",
            "servingEngineSpec: {modelSpec: [[]]}\n",
            "#!/bin/sh\nvllm serve 'x\n",
            "#SBATCH --nodes=x\n",
            "#SBATCH --array=5-1\n",
            b"kind: \xff\n",
        ):
            self.refused(*words, self.write("manifest.yaml", text))

    def test_flags_that_are_no_text(self):
        for flag in (
            b"--eplb-config.policy",
            b"--eplb-config.num_redundant_experts",
            b"-cc.max_cudagraph_capture_size",
            b"--speculative-config.method",
            b"--speculative-config.\xff",
            b"--quantization",
            b"--max-num-seqs",
        ):
            line = os.fsdecode(b"vllm serve Qwen/Qwen3-8B " + flag + b"=\xff")
            words = ["step", "--gpu", "H200", "--decode", "1x1", "--predictor", "roofline"]
            words += ["--from-command", line]
            ended = subprocess.run([PROGRAM, *words], capture_output=True, timeout=60, check=False)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertFalse([word for word in FOREIGN if word.encode() in ended.stderr], ended.stderr)

    def test_plans_of_other_sweeps(self):
        for plan in ("", "operator\n", "operator\n{}\n", "operator\n3\n", "m\n1\n", "operator\n[[[\n"):
            apart = ("--apart-from", self.write("plan.csv", plan), "--output", self.folder / "o")
            words = ("sweep-plan", "--gpu", "H200", "--like", "Llama-3.1-8B", "--predictor", "roofline")
            if plan != "operator\n":  # no operator is left out
                self.refused(*words, *apart, "--operators", 2, "--random", 2)

    def test_a_sweep_without_enough_rows_says_what_was_wrong_with_the_others(self):
        head = "gpu,framework,version,kernel,latency_us,n_samples,operator\n"
        product = '"{""family"":""gemm"",""scheme"":""%s"",""m"":%d,""n"":4096,""k"":4096}"'
        fast = [f"h200_sxm,vllm,0.33.0,fast,0.01,5,{product % ('fp8', m)}\n" for m in range(1, 68)]
        usual = [f"h200_sxm,vllm,0.33.0,linear,20,5,{product % ('bf16', m)}\n" for m in (1, 8)]
        of_both = "2 rows are too few to learn any family; "
        for begins, rows in ((of_both, fast + usual), ("a sweep of warploom-collect; ", fast)):
            last = self.calibrated(head + "".join(rows))
            self.assertIn(begins + "left out, most of all, were ", last)
            self.assertIn("faster than the physical bound", last)

    def calibrated(self, sweep):
        data = self.write("sweep.csv", sweep)
        return self.refused("calibrate", "--gpu", "H200", "--data", data, "--output", self.folder / "o")

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to become nobody")
    def test_folders_that_may_not_be_searched(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o700)
        (closed / "a.json").write_text("{}")
        self.folder.chmod(0o777)
        asked = ("--gpu", "H200", "--decode", "1x1")
        for words in (
            ("step", "--model", closed / "a.json", *asked),
            ("step", "--model", "Qwen3-8B", *asked, "--predictor", closed / "p"),
            ("calibrate", "--gpu", "H200", "--data", closed / "d", "--output", self.folder / "o"),
        ):
            ended = run(*words, user=65534, group=65534, extra_groups=[])
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn("Permission denied", ended.stderr)
            self.assertNotIn("filesystem error", ended.stderr)

    def test_names_and_times_beyond_all_measure(self):
        self.refused("step", "--model", "a" * 5000, "--gpu", "H200", "--decode", "1x1")
        long, output = "a" * 5000, self.folder / "o"
        for words in (
            ("calibrate", "--gpu", "H200", "--data", long, "--output", output),
            ("convert-clients", "servegen", long, "--output", output),
            ("train", "--layout", "warploom", "--data", sweep_in(self.folder), "--output", long),
            ("step", "--model", "Qwen3-8B", "--gpu", "H200", "--decode", "1x1", "--predictor", long),
        ):
            self.refused(*words)
        began = time.monotonic()
        self.refused("gpu", "show", "a" * 100_000)
        self.assertLess(time.monotonic() - began, 20)
        for us in ("1e-320", "", "nan", "-1", "0"):
            samples = f"tile_m,tile_n,tile_k,warps,stages,m,n,k,median_us\n64,64,64,4,3,64,64,64,{us}\n"
            data = self.write("samples.csv", samples)
            self.refused("tune", "fit", "--samples", data, "--output", self.folder / "t.wlt")
            steps = self.write("steps.csv", f"kind,batch,wall_ms\ndecode,4x500,{us}\n")
            words = ["--model", "Llama-3.1-8B", "--gpu", "H200", "--output", self.folder / "host.json"]
            self.refused("calibrate-host", "--steps", steps, *words)


if __name__ == "__main__":
    unittest.main(verbosity=1)
