"""The fits and reckonings of tools/engine_truth give back what made-up files were made from."""
import csv
import gzip
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

TOOLS = ROOT / "tools" / "engine_truth"
sys.path.insert(0, str(TOOLS))
import asked_experts
import attention
import contexts
import host_times
import iterations
import pauses
import probe_reference
import steady_pace
import step_folder

# 4 ms and 20 us for each decoding request; 10 ms with prompts; what the profile says of collectives.
PROGRAM = """#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
profile = json.load(open(words[words.index("--host-profile") + 1]))
ms = 10 if "--prefill" in words else 4 + 0.02 * int(words[words.index("--decode") + 1].split("x")[0])
print(json.dumps({"step_ms": ms + profile["engines"][0]["collective_us"] * 1e-3}))
"""


class EngineTruth(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name, rows):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with (gzip.open if name.endswith(".gz") else open)(path, "wt", newline="") as file:
            out = csv.DictWriter(file, rows[0])
            out.writeheader()
            out.writerows(rows)

    def run_tool(self, name, *words):
        command = [sys.executable, str(TOOLS / name), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True)

    def attend(self, values, tag, batches):
        """A folder of steps whose attention takes what the rule with these values says."""
        heads, layers = step_folder.MODELS[tag].kv_heads, step_folder.MODELS[tag].layers
        steps, kernels = [], []
        for requests, context in batches:
            tasks = requests * heads
            call = attention.Call("h200", tasks, tasks * (context + 64), 0)
            row = {"kind": "decode", "batch": f"{requests}x{context}"}
            steps.append({**row, "kernel_context_mean": context})
            us = attention.rule(values, call) * layers
            for name, share in (("cutlass flash::Fwd", 0.9), ("FlashAttnFwdCombine", 0.1)):
                kernels.append({**row, "kernel": name, "us": us * share, "in_graph": 1})
            kernels.append({**row, "kernel": "vllm::reshape_and_cache_flash_kernel", "us": 99, "in_graph": 1})
        self.write(f"set_h200/steps/{tag}_steps.csv", steps)
        self.write(f"set_h200/steps/{tag}_kernels.csv.gz", kernels)

    def test_attention_finds_the_rule_that_made_the_times(self):
        batches = [(1, 500), (8, 500), (64, 500), (256, 500), (4, 4000), (48, 4000)]
        self.attend((10, 0.85, 0.95), "llama8b", batches)
        self.attend((10, 0.85, 0.95), "qwen30b", batches)
        self.attend((11, 0.85, 0.95), "qwen14b", batches)
        names = ("set_h200/llama8b", "set_h200/qwen30b")
        result = self.run_tool("attention.py", self.root / "set_h200" / "steps", "--fit", *names)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "12 steps: ends 10.0 us, share 0.850, task 2.76 us, block 1.85 us")
        of = {line.split()[0]: line for line in lines[1:-1]}
        self.assertIn("fitted   6 steps mean  0.0 %", of["set_h200/llama8b"])
        self.assertIn("judged", of["set_h200/qwen14b"])
        self.assertNotIn("mean  0.0 %", of["set_h200/qwen14b"])
        self.assertIn("within 0.000 in ln", lines[-1])

    def test_attention_names_a_model_that_it_does_not_find(self):
        self.attend((10, 0.85, 0.95), "llama8b", [(1, 500), (8, 500)])
        result = self.run_tool("attention.py", self.root / "set_h200" / "steps", "--fit", "set_h200/mixtral")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no steps of set_h200/mixtral, only set_h200/llama8b", result.stderr)

    def test_kernels_are_of_the_rank_where_they_are_shorter(self):
        row = {"kind": "decode", "batch": "1x500", "kernel": "reduce", "in_graph": 1}
        rows = [{**row, "us": "9.5"}, {**row, "us": "10.5"}, {**row, "kernel": "b", "us": "7"}]
        self.assertEqual(sorted(r["us"] for r in step_folder.shorter_rank(rows)), ["7", "9.5"])

    def test_experts_that_can_have_been_read_are_bytes_over_the_memory_rate(self):
        config = {"hidden_size": 1000, "moe_intermediate_size": 100}
        config |= {"num_experts": 8, "num_experts_per_tok": 2}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernels.csv"
            path.write_text("kind,batch,kernel,calls,us\n"
                            "prefill,1x3,fused_moe_kernel,4.0,12.0\nprefill,1x3,other,4.0,90.0\n"
                            "mixed,2x500+1,fused_moe_kernel,4.0,6.0\n")
            prompt, mixed = asked_experts.asked(path, config, 1e6)
        # 6 us a layer at 1 MB a us, 600,000 bytes an expert; each token asks for a quarter of eight experts.
        self.assertAlmostEqual(prompt["at_most"], 10)
        self.assertAlmostEqual(mixed["at_most"], 5)
        self.assertAlmostEqual(prompt["by_chance"], 8 * (1 - 0.75 ** 3))
        self.assertAlmostEqual(mixed["by_chance"], prompt["by_chance"])

    def test_a_step_takes_what_its_requests_took_less_the_prompts_of_others(self):
        def request(first, last, output, scheduled=None):
            scheduled = first - 0.1 if scheduled is None else scheduled
            return {"scheduled": scheduled, "first": first, "last": last, "input": 100, "output": output}

        # 100 steps of 10 ms each and one that holds another's prompt, 200 ms.
        requests = [request(1, 2.2, 102), request(1.5, 2.2, 29, scheduled=1.3)]
        asked = []
        (only,) = steady_pace.differences(requests, lambda running, context: asked.append(running) or 9)
        self.assertAlmostEqual(only[1], 1, places=6)
        self.assertAlmostEqual(asked[0], (1.2 + 0.7) / 1.2)

    def test_experts_pauses_are_what_gap_and_layers_leave(self):
        entry = steady_pace.host_entry("xeon_16_cores")
        own = entry["gap_us"] + 10 * entry["layer_pause_us"]
        runs = [
            {"beyond_kernels_ms": (own - 10 * pause) / 1e3, "running": 3, "layers": 10, "block_fp8": blocks}
            for pause, blocks in ((5, False), (9, True))
        ]
        found = steady_pace.fit(runs, "xeon_16_cores")
        self.assertEqual(found, {"experts_pause_us": -5, "block_fp8_experts_pause_us": -4})

    def test_the_reference_is_the_mean_over_machines(self):
        machines = {
            name: {group: (offset, 0.01) for group in probe_reference.GROUPS}
            for name, offset in (("a", 0.04), ("b", 0.06))
        }
        found = probe_reference.reference(machines)["streaming"]
        self.assertEqual((found["offset"], found["experts"]), (0.05, 0.01))
        self.assertAlmostEqual(found["width"], 1.2816 * 0.02 / 2**0.5, places=3)

    def test_contexts_follow_both_passes(self):
        batches = [("prefill", "1x64"), ("decode", "1x500"), ("decode", "2x500"), ("mixed", "2x500+100"),
                   ("decode", "1x4000")]
        # Filling ends with the prompt, then five steps, then 24. The second request begins 29 later, and
        # the step of its prompt takes the first one token on.
        timed = contexts.contexts(batches, False)
        self.assertEqual(timed["decode", "1x500"], 529)
        self.assertEqual(timed["decode", "2x500"], 500 + (30 + 29 + 29) / 2)
        self.assertEqual(timed["mixed", "2x500+100"], 544 + 18)
        self.assertEqual(timed["decode", "1x4000"], 4029)
        profiled = contexts.contexts(batches, True)
        self.assertEqual(profiled["decode", "1x500"], 507)
        self.assertEqual(profiled["mixed", "2x500+100"], profiled["decode", "2x500"] + 1 + 4 + 1)

    def test_prompts_beyond_the_budget_take_several_steps(self):
        # Four prompts of 4,000 tokens: 8,192 in the first step, the rest and one token each in the second.
        requests = contexts.Requests(4000)
        requests.fill(4)
        self.assertEqual(requests.mean(), 4000 + (1 + 1 + 0 + 0) / 4 + 5)

    def test_contexts_are_those_of_the_fixtures(self):
        for path in sorted((ROOT / "tests" / "fixtures" / "engine").glob("vllm_0_24_*/steps/*_steps.csv")):
            rows = step_folder.read_rows(path)
            batches = [(row["kind"], row["batch"]) for row in rows]
            for column, profiled in (("context_mean", False), ("kernel_context_mean", True)):
                reckoned = contexts.contexts(batches, profiled)
                for row in rows:
                    if row["kind"] != "prefill" and row[column]:
                        key = (row["kind"], row["batch"])
                        noted = float(row[column])
                        self.assertAlmostEqual(reckoned[key], noted, delta=0.051, msg=f"{path} {key}")

    def test_pauses_are_time_between_kernels_without_the_longer_requests(self):
        model = step_folder.MODELS["llama8b"]
        reading = 8 * 88 * model.kv_heads * pauses.BYTES_OF_KEY / pauses.READING["h200"]
        row = {"kind": "decode", "batch": "8x500", "context_mean": 612, "kernel_context_mean": 512,
               "kernel_sum_ms": 4, "gpu_ms": 4 + model.layers * (3.5 + reading) * 1e-3}
        steps = step_folder.Steps("set_h200/llama8b", model, 1, [row, {**row, "gpu_ms": ""}], [])
        (batch, us), = pauses.pauses(steps)
        self.assertEqual(batch, "8x500")
        self.assertAlmostEqual(us, 3.5)

    def iterate(self, *words, collectives=3):
        program = self.root / "program"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        profile = {"engines": [{"engine": "vllm", "collective_us": collectives}]}
        (self.root / "host.json").write_text(json.dumps(profile))
        run = {"model": "meta-llama/Llama-3.1-8B", "gpu": "H200", "vllm_version": "0.24.0", "block_size": 16,
               "num_gpu_blocks": 100, "engine_kwargs": {"tensor_parallel_size": 2},
               "resolved": {"max_cudagraph_capture_size": 512}}
        (self.root / "llama8b_x.json").write_text(json.dumps(run))
        rows, at = [], 0.0
        # 5 us a request and 0.66 ms of 66 collectives more than PROGRAM says. The first has none before it.
        decoding = [(n, 0, 4 + 0.025 * n) for n in (2, 6, 10, 20)]
        for decodes, tokens, ms in ((1, 0, 9), *decoding, (2, 700, 10.66)):
            at += ms * 1e-3
            rows.append({"schedule_start_s": 0, "update_start_us": at * 1e6, "prompts": int(tokens > 0),
                         "prompt_tokens": tokens, "decodes": decodes, "kv_usage": 0.1})
        self.write("llama8b_x.iterations.csv.gz", rows)
        return self.run_tool("iterations.py", self.root / "llama8b_x.json", "--warploom", program,
                             "--host-profile", self.root / "host.json", *words)

    def test_host_times_are_read_from_iterations(self):
        def step(start_us, prompts, decodes, graph, ends):
            names = "schedule_end forward_start execute_end gpu_start gpu_end update_start update_end".split()
            row = {f"{name}_us": str(end) for name, end in zip(names, ends)}
            return {"schedule_start_s": str(start_us * 1e-6), "prompts": str(prompts),
                    "decodes": str(decodes), "graph": graph, **row}

        rows = [
            step(0, 0, 2, "F", (100, 300, 1300, 400, 5000, 2000, 5600)),
            step(5020, 0, 2, "F", (100, 300, 1300, 0, 5000, 2000, 5600)),
            step(10040, 0, 4, "F", (100, 300, 1300, 0, 5000, 2000, 5700)),
            step(15060, 1, 0, "P", (900, 1100, 5300, 1200, 9000, 9000, 9500)),
        ]
        found = host_times.times_of([rows], layers=4)
        expected = {"schedule_us": 100, "prepare_us": 200, "launch_graph_us": 1000, "piece_us": 800,
                    "finish_us": 500, "finish_per_sequence_us": 50, "gap_us": 20}
        self.assertEqual(set(found), set(expected))
        for name, time_us in expected.items():
            self.assertAlmostEqual(found[name], time_us, delta=1e-3, msg=name)

    def test_host_times_of_the_profile_are_those_of_the_fixture(self):
        runs = ROOT / "tests" / "fixtures" / "engine" / "sglang_0_5_16_h100" / "serving"
        files = [host_times.iterations_of(runs / f"llama8b_{load}.iterations.csv.gz")
                 for load in ("light", "heavy")]
        profile = json.loads((ROOT / "data" / "hosts" / "xeon_16_cores.json").read_text())
        (kept,) = [each for each in profile["engines"] if each["engine"] == "sglang"]
        for name, time_us in host_times.times_of(files, layers=32).items():
            self.assertAlmostEqual(kept[name] / time_us, 1, delta=0.02, msg=name)

    def test_iterations_say_what_is_missing_of_which_steps(self):
        result = self.iterate("--without", "collective_us")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("missing for each decoding request: 5.0 us", result.stdout)
        self.assertIn("missing for each of 66 collectives without a graph: 10 us", result.stdout)
        rows = {line[:26].strip(): line.split() for line in result.stdout.splitlines()}
        self.assertEqual(rows["0 to 7 decoding"][4:8], ["2", "steps", "measured", "4.10"])
        self.assertEqual(rows["16 to 23 decoding"][4:6], ["1", "steps"])
        self.assertIn("prompts without a graph", rows)

    def test_iterations_ask_with_the_profile_unless_told(self):
        self.assertIn("graph: -990 us", self.iterate(collectives=66000).stdout)
        refused = self.iterate("--without", "no_such_us")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("has no no_such_us", refused.stderr)


if __name__ == "__main__":
    unittest.main()
