"""warploom.onboard without a GPU and without vLLM: which steps, the files, going on, refusals."""

import csv
import io
import json
import sys
import tempfile
import time
import types
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.onboard import __main__ as command  # noqa: E402
from warploom.onboard import engine_setup, plan, vllm_bench, vllm_kernels  # noqa: E402
from warploom.onboard.kernel_sweep import Timed  # noqa: E402

LLAMA = ROOT / "data/models/llama-3.1-8b.json"


class StandInEngine:
    """What of an engine is read: its configuration, and requests that decode a token a step."""

    def __init__(self):
        text = types.SimpleNamespace(num_experts=0)
        cache = types.SimpleNamespace(num_gpu_blocks=2000, block_size=16)
        scheduler = types.SimpleNamespace(max_num_batched_tokens=2048, max_num_seqs=64)
        model = types.SimpleNamespace(hf_config=text, hf_text_config=text)
        self.vllm_config = types.SimpleNamespace(
            cache_config=cache, scheduler_config=scheduler, model_config=model
        )
        self.engine_core = types.SimpleNamespace(
            engine_core=types.SimpleNamespace(), get_output=lambda: "out"
        )

    def has_unfinished_requests(self):
        return False


class StandInKernels:
    """Kernels of an engine that has no attention of its own."""

    def __init__(self, engine):
        self.config = engine.vllm_config

    def schemes(self):
        return ["bf16"]

    def time(self, entry):
        if entry["family"].startswith("attention"):
            raise NotImplementedError("no FlashAttention here")
        return Timed("a_kernel", 12.5, 5)


def facts_of(_config):
    return {
        "engine": "vllm",
        "model": "/tmp/x",
        "gpu": "H200",
        "vllm_version": "9.9.9",
        "engine_kwargs": {"max_num_seqs": 64, "load_format": "dummy"},
    }


def noted(kind):
    def measure(_bench, record, batch):
        if batch == "8x500":
            raise RuntimeError("no room")
        name = f"1x{batch}" if kind == "prefill" else batch
        record.add(
            kind,
            name,
            [(2.0, 1.9), (1.0, 0.9), (3.0, 2.8)],
            (0.5, 0.6, 7, {"gemm": (4, 100.0), "norm": (2, 9.0)}),
            2,
        )

    return measure


class OnboardTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"

    def onboard(self, *words, model=LLAMA, measures=None, start=StandInEngine):
        told = io.StringIO()
        with (
            mock.patch.object(command.importlib.util, "find_spec", lambda _: True),
            mock.patch.object(vllm_bench, "start_engine", lambda *_: start()),
            mock.patch.object(vllm_bench, "zero_router_biases", lambda _: None),
            mock.patch.object(vllm_kernels, "VllmKernels", StandInKernels),
            mock.patch.object(vllm_bench, "MEASURES", measures or {k: noted(k) for k in vllm_bench.MEASURES}),
            mock.patch("warploom.record.run_facts.vllm_facts", facts_of),
            mock.patch("warploom.record.run_facts.machine_facts", dict),
            mock.patch("warploom.program.find_program", mock.Mock(side_effect=FileNotFoundError)),
            redirect_stderr(told),
        ):
            code = command.main(["--model", str(model), "--out", str(self.out), *words])
        return code, told.getvalue()

    def rows(self):
        with open(self.out / "onboard_steps.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_writes_steps_facts_and_the_configuration(self):
        code, told = self.onboard()
        self.assertEqual(code, 0)
        rows = self.rows()
        self.assertIn({"prefill", "decode", "mixed"}, [{row["kind"] for row in rows}])
        self.assertEqual(rows[0]["wall_ms"], "2.0000")
        self.assertEqual(rows[0]["kernel_sum_ms"], "0.5000")
        self.assertEqual(rows[0]["core_ms"], "1.9000")
        self.assertIn("rows_ms", rows[0])
        facts = json.loads((self.out / "run.json").read_text())
        self.assertEqual(facts["model"], "config.json")
        self.assertEqual(facts["engine_kwargs"], {"max_num_seqs": 64})
        self.assertNotIn("expert_routing", facts)
        config = json.loads((self.out / "config.json").read_text())
        self.assertEqual(config["num_hidden_layers"], 32)
        self.assertIn("decode 8x500: RuntimeError: no room", told)
        self.assertNotIn("8x500", [row["batch"] for row in rows])
        self.assertIn(f"warploom calibrate-machine --onboarded {self.out} --output", told)
        self.assertIn(f"--predictor {self.out}/kernels", told)

    def test_times_the_engines_kernels_into_a_sweep_and_says_which_it_has_not(self):
        _, told = self.onboard()
        with open(self.out / "sweep.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["gpu"] for row in rows}, {"H200"})
        self.assertEqual({(row["framework"], row["version"]) for row in rows}, {("vllm", "9.9.9")})
        self.assertEqual(rows[0]["latency_us"], "12.5000")
        families = [json.loads(row["operator"])["family"] for row in rows]
        self.assertEqual(set(families), {"gemm", "moe"})
        own = {"m": 2048, "n": 28672, "k": 4096}
        self.assertTrue(any(own.items() <= json.loads(row["operator"]).items() for row in rows))
        self.assertIn("not timed: attention_decode: NotImplementedError: no FlashAttention here", told)
        self.assertIn("warploom calibrate --gpu H200 --data", told)

    def test_without_kernels_nothing_is_learned_of_them(self):
        _, told = self.onboard("--kernel-seconds", "0")
        self.assertFalse((self.out / "sweep.csv").exists())
        self.assertNotIn("warploom calibrate --gpu", told)

    def test_goes_on_where_it_was_cut_off(self):
        calls = []

        def until_the_third(kind):
            def measure(bench, record, batch):
                if len(calls) == 3:
                    raise KeyboardInterrupt
                calls.append(batch)
                noted(kind)(bench, record, batch)

            return measure

        with self.assertRaises(KeyboardInterrupt):
            self.onboard(measures={kind: until_the_third(kind) for kind in vllm_bench.MEASURES})
        self.assertEqual(len(self.rows()), 3)
        first = self.rows()
        code, _ = self.onboard()
        self.assertEqual(code, 0)
        rows = self.rows()
        self.assertEqual(rows[:3], first)
        self.assertEqual(len({(row["kind"], row["batch"]) for row in rows}), len(rows))

    def test_does_not_go_on_in_another_runs_folder(self):
        self.onboard()
        code, told = self.onboard("--layers", "4")
        self.assertEqual(code, 2)
        self.assertIn("holds a run with layers None, this has 4", told)

    def test_a_model_that_the_engine_refuses_is_said(self):
        def refuse():
            raise NotImplementedError("architecture X")

        code, told = self.onboard(start=refuse)
        self.assertEqual(code, 2)
        self.assertIn("vllm refuses the model or its arguments: NotImplementedError: architecture X", told)

    def test_what_is_no_configuration_is_refused_before_the_engine_starts(self):
        code, told = self.onboard(model=ROOT / "data/gpus/a10.json", start=self.fail)
        self.assertEqual(code, 2)
        self.assertIn("no 'architectures', expected a model's config.json", told)
        code, told = self.onboard(model=self.out / "absent.json", start=self.fail)
        self.assertEqual(code, 2)
        self.assertIn("absent.json", told)

    def test_layers_are_cut_in_the_models_folder(self):
        folder, _ = engine_setup.model_folder(LLAMA, "t", str(self.out.parent))
        engine_setup.cut_layers(folder, 3)
        self.assertEqual(json.loads(Path(folder, "config.json").read_text())["num_hidden_layers"], 3)

    def test_an_absent_engine_is_said(self):
        told = io.StringIO()
        with mock.patch.object(command.importlib.util, "find_spec", lambda _: None), redirect_stderr(told):
            code = command.main(["--model", str(LLAMA), "--out", str(self.out)])
        self.assertEqual(code, 2)
        self.assertIn("vllm is not installed in", told.getvalue())


class BenchTest(unittest.TestCase):
    def test_times_the_core_apart_from_what_is_made_for_clients(self):
        engine = StandInEngine()
        engine.engine_core.get_output = lambda: time.sleep(0.002) or "out"
        engine.step = lambda: (engine.engine_core.get_output(), time.sleep(0.05))[0]
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(synchronize=lambda: None))
        with mock.patch.dict(sys.modules, torch=torch):
            wall, core = vllm_bench.Bench(engine, 32000).timed_step()
        self.assertGreaterEqual(core, 2)
        self.assertGreaterEqual(wall - core, 50)


class ChunkedEngine(StandInEngine):
    """Reads prompts by a budget of tokens a step, while those that are read decode."""

    def __init__(self, budget):
        super().__init__()
        self.vllm_config = types.SimpleNamespace(
            scheduler_config=types.SimpleNamespace(max_num_batched_tokens=budget)
        )
        self.scheduler = types.SimpleNamespace(running=[], waiting=[])
        core = types.SimpleNamespace(scheduler=self.scheduler)
        self.engine_core = types.SimpleNamespace(engine_core=core, get_output=lambda: None)
        self.outputs = None  # in the place of what is asked for

    def add(self, tokens, outputs):
        left = self.outputs or outputs
        self.scheduler.waiting.append(
            types.SimpleNamespace(num_computed_tokens=0, num_prompt_tokens=tokens, left=left)
        )

    def step(self):
        running, waiting = self.scheduler.running, self.scheduler.waiting
        left = self.vllm_config.scheduler_config.max_num_batched_tokens
        for request in list(running):
            if request.num_computed_tokens >= request.num_prompt_tokens:
                request.left, left = request.left - 1, left - 1
                if request.left == 0:
                    running.remove(request)
        while left > 0 and (waiting or any(r.num_computed_tokens < r.num_prompt_tokens for r in running)):
            reading = [r for r in running if r.num_computed_tokens < r.num_prompt_tokens]
            if not reading:
                running.append(waiting.pop(0))
                continue
            part = min(left, reading[0].num_prompt_tokens - reading[0].num_computed_tokens)
            reading[0].num_computed_tokens += part
            left -= part


class DecodingTest(unittest.TestCase):
    def bench(self, engine):
        bench = vllm_bench.Bench(engine, 32000)
        bench.add = engine.add
        return bench

    def test_all_decode_together_though_the_first_began_long_before_the_last(self):
        for requests, context, budget in ((256, 500, 2048), (256, 500, 512), (1, 500, 2048), (64, 500, 8192)):
            engine = ChunkedEngine(budget)
            self.bench(engine).start_decoding(requests, context, 60)
            running = engine.scheduler.running
            self.assertEqual(len(running), requests)
            self.assertTrue(all(r.num_computed_tokens == context for r in running))
            self.assertGreaterEqual(min(r.left for r in running), 60)

    def test_requests_that_end_too_soon_are_an_error_not_an_endless_wait(self):
        engine = ChunkedEngine(2048)
        engine.outputs = 3
        with self.assertRaisesRegex(RuntimeError, "not all 256 requests decode together"):
            self.bench(engine).start_decoding(256, 500, 60)


class PlanTest(unittest.TestCase):
    def test_holds_what_the_engine_can_run(self):
        planned = plan.steps(budget=2048, sequences=64, cache_tokens=32000)
        self.assertIn(("prefill", "2048"), planned)
        self.assertNotIn(("prefill", "4096"), planned)
        self.assertIn(("decode", "32x500"), planned)
        self.assertNotIn(("decode", "128x500"), planned)
        self.assertNotIn(("decode", "64x500"), planned)  # 64 requests of 580 tokens do not fit the cache
        self.assertNotIn(("mixed", "16x500+2048"), planned)
        self.assertEqual(len(planned), len(set(planned)))

    def test_each_third_of_it_has_every_kind(self):
        planned = plan.steps(budget=8192, sequences=256, cache_tokens=400_000)
        third = len(planned) // 3
        for at in range(3):
            self.assertEqual(len({kind for kind, _ in planned[at * third : (at + 1) * third]}), 3)


if __name__ == "__main__":
    unittest.main()
