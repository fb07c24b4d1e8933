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
from warploom.onboard import engine_setup, kernel_plan, plan, sglang_bench, vllm_bench, vllm_kernels  # noqa: E402
from warploom.onboard.kernel_sweep import KernelSweep, Timed, timed_calls  # noqa: E402
from warploom.record import kernels as recorded_kernels  # noqa: E402
from warploom.record.journal import ITERATION_COLUMNS  # noqa: E402

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
        self.assertIn("kernels not timed: attention_decode: NotImplementedError: no FlashAttention here", told)
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


class SweepTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def sweep(self, version="0.33.0"):
        return KernelSweep(self.folder, "H200", "vllm", version)

    def test_goes_on_where_it_was_cut_off(self):
        planned = kernel_plan.products([(64, 32), (32, 64)], "bf16", 64)
        calls = []

        def until_the_third(entry):
            if len(calls) == 3:
                raise KeyboardInterrupt
            calls.append(entry)
            return Timed("linear", 2.0, 5)

        with self.assertRaises(KeyboardInterrupt):
            self.sweep().run(planned, until_the_third, time.monotonic() + 60)
        again = []
        sweep = self.sweep()
        self.assertEqual(len(sweep.rows), 3)
        said = sweep.run(planned, lambda entry: again.append(entry) or Timed("l", 1, 5), time.monotonic() + 60)
        self.assertEqual(said, [])
        self.assertEqual(len(again), len(planned) - 3)
        self.assertEqual(calls, [entry for entry in planned if entry not in again])

    def test_begins_none_after_its_time_and_says_how_many(self):
        planned = kernel_plan.products([(64, 32)], "bf16", 64)
        said = self.sweep().run(planned, self.fail, time.monotonic() - 1)
        self.assertEqual(said, [f"{len(planned)} kernels were not begun in time"])

    def test_another_version_in_the_folder_is_refused(self):
        sweep = self.sweep()
        sweep.run(kernel_plan.products([(64, 32)], "bf16", 1), lambda _: Timed("l", 1, 5), time.monotonic() + 9)
        with self.assertRaisesRegex(ValueError, "holds kernels of H200 vllm 0.33.0, these are of H200 vllm 0.34"):
            self.sweep("0.34")

    def test_the_time_of_a_call_is_the_median_over_replays(self):
        times = iter([9.0, 3.0, 4.0, 5.0, 1.0])
        clock = types.SimpleNamespace(captured=lambda calls: calls, replay_us=lambda _graph, _n: next(times))
        self.assertEqual(timed_calls("k", [lambda: None], clock), Timed("k", 4.0, 5))


class KernelPlanTest(unittest.TestCase):
    def planned(self, name="llama-3.1-8b", budget=8192, tokens=400_000):
        model = json.loads((ROOT / f"data/models/{name}.json").read_text())
        return kernel_plan.kernels(model["config"], ["bf16"], budget, tokens)

    def test_has_the_models_own_layers_and_others(self):
        planned = self.planned()
        shapes = {(entry["n"], entry["k"]) for entry in planned if entry["family"] == "gemm"}
        own = {(6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336)}
        self.assertLessEqual(own, shapes)
        self.assertGreater(len(shapes), len(own))
        heads = {(entry["heads"], entry["kv_heads"]) for entry in planned if "heads" in entry}
        self.assertIn((32, 8), heads)
        mixture = [entry for entry in self.planned("qwen3-30b-a3b") if entry["family"] == "moe"]
        self.assertEqual([mixture[0][key] for key in ("hidden", "intermediate", "experts")], [2048, 768, 128])

    def test_is_enough_of_each_family_to_learn_from(self):
        planned = self.planned()
        for family in ("gemm", "moe", "attention_prefill", "attention_decode"):
            count = sum(entry["family"] == family for entry in planned)
            least = 60 if family in ("gemm", "moe") else 40  # kFewestRowsForTrees of the predictor's training
            self.assertGreaterEqual(count, least, family)
        self.assertEqual(len(planned), len({json.dumps(entry) for entry in planned}))

    def test_each_third_of_it_has_every_family(self):
        planned = self.planned()
        third = len(planned) // 3
        for at in range(3):
            found = {entry["family"] for entry in planned[at * third : (at + 1) * third]}
            self.assertEqual(len(found), 4)

    def test_holds_what_the_engine_can_run(self):
        planned = self.planned(budget=512, tokens=4000)
        self.assertTrue(all(entry.get("m", 0) <= 512 for entry in planned))
        for entry in planned:
            for request in entry.get("requests", []):
                seen = request["count"] * (request["query_tokens"] + request["context_tokens"])
                self.assertLessEqual(seen, 4000)

    def test_a_prefix_of_the_tokens_is_spread_over_all(self):
        self.assertEqual(kernel_plan.by_halves([1, 2, 3, 4, 5]), [1, 5, 3, 2, 4])


class RecordedEngine:
    """SGLang as its recorder sees it: prompts in steps of `chunk`, then all decode; kernels when asked."""

    def __init__(self, folder, chunk=8192, late=0):
        self.folder, self.chunk, self.late = Path(folder), chunk, late
        self.rows, self.kernels = [], 0
        self.write()

    def write(self):
        with open(self.folder / "iterations.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, ITERATION_COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(self.rows)

    def generate(self, input_ids, sampling_params):
        asked = self.folder / "profile"
        text, first = (asked.read_text() if asked.exists() else ""), len(self.rows)
        tokens, outputs = sum(map(len, input_ids)), sampling_params["max_new_tokens"]
        steps = []
        while tokens > 0:
            steps.append((1, min(tokens, self.chunk), 0, 0.010))
            tokens -= self.chunk
        steps += [(0, 0, len(input_ids) - (at < self.late), 0.005) for at in range(outputs - 1)]
        start = float(self.rows[-1]["schedule_start_s"]) + 1 if self.rows else 0.0
        for prompts, new, decodes, took in steps:
            row = {"prompts": prompts, "prompt_tokens": new, "decodes": decodes}
            self.rows.append({**row, "schedule_start_s": f"{start:.6f}"})
            start += took
        self.write()
        if not text:
            return
        asked.unlink()
        count, after = map(int, text.split(" after "))
        watched = self.rows[first + after : first + after + count]
        self.kernels += 1
        us = sum(900.0 if row["prompts"] else 400.0 for row in watched) / count
        lines = f"kernel,calls_per_step,us_per_step,in_graph\ngemm,4.000,{us:.2f},1\n"
        (self.folder / f"kernels_{self.kernels}.csv").write_text(lines)


class SglangBenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.record = sglang_bench.StepRecord(self.folder, "onboard", {})

    def bench(self, **how):
        return sglang_bench.Bench(RecordedEngine(self.folder, **how), self.folder, 32000, patience_s=0.2)

    def row(self):
        return dict(zip(sglang_bench_head(), self.record.rows["steps"][-1]))

    def test_a_prompts_step_ends_with_the_choice_of_the_next(self):
        sglang_bench.measure_prompt(self.bench(), self.record, "1024")
        row = self.row()
        self.assertEqual((row["kind"], row["batch"], row["wall_ms"]), ("prefill", "1x1024", "10.0000"))
        self.assertEqual((row["kernel_sum_ms"], row["kernels"]), ("0.9000", "4"))
        self.assertEqual(self.record.rows["kernels"][-1][2:], ["gemm", 4, "900.00"])

    def test_a_prompt_that_takes_two_steps_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "a prompt of 1024 tokens was not read in one step"):
            sglang_bench.measure_prompt(self.bench(chunk=512), self.record, "1024")

    def test_decoding_steps_are_those_in_which_all_decode(self):
        sglang_bench.measure_decoding(self.bench(chunk=1000, late=7), self.record, "16x500")
        row = self.row()
        self.assertEqual((row["kind"], row["batch"], row["wall_ms"]), ("decode", "16x500", "5.0000"))
        self.assertEqual(row["kernel_sum_ms"], "0.4000", "of decoding steps alone")
        self.assertAlmostEqual(float(row["context_mean"]), 500 + 1 + 4 + 5)
        self.assertAlmostEqual(float(row["kernel_context_mean"]), 500 + 1 + 4 + 1.5)

    def test_requests_that_never_decode_together_are_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "not all 16 requests decode together"):
            sglang_bench.measure_decoding(self.bench(late=50), self.record, "16x500")

    def test_a_recorder_that_writes_nothing_is_said(self):
        bench = self.bench()
        bench.engine.generate = lambda **_: None
        with self.assertRaisesRegex(RuntimeError, "the recorder wrote no 2 steps within 0 s"):
            sglang_bench.measure_prompt(bench, self.record, "64")

    def test_facts_are_those_of_the_recording(self):
        run = {"engine": "sglang", "num_requests": 0, "engine_kwargs": {"load_format": "dummy", "max_num_seqs": 8}}
        Path(self.folder, "run.json").write_text(json.dumps(run))
        self.assertEqual(self.bench().facts(), {"engine": "sglang", "engine_kwargs": {"max_num_seqs": 8}})


def sglang_bench_head():
    from warploom.onboard.step_record import HEADS

    return HEADS["steps"].split()


class OnboardSglangTest(unittest.TestCase):
    def test_writes_what_calibrate_machine_reads(self):
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "out"

            def start(_folder, place, arguments):
                self.assertTrue(arguments["disable_overlap_schedule"])
                recording = Path(place) / sglang_bench.RECORDING
                recording.mkdir()
                run = {"engine": "sglang", "model": "/tmp/x", "gpu": "H100", "engine_version": "0.5.16"}
                run |= {"num_gpu_blocks": 40000, "block_size": 1, "engine_kwargs": SGLANG_ARGUMENTS}
                (recording / "run.json").write_text(json.dumps(run))
                engine = RecordedEngine(recording)
                engine.shutdown = lambda: None
                return engine

            told = io.StringIO()
            words = ["--engine", "sglang", "--model", str(LLAMA), "--out", str(out)]
            with (
                mock.patch.object(command.importlib.util, "find_spec", lambda _: True),
                mock.patch.object(sglang_bench, "start_engine", start),
                mock.patch("warploom.program.find_program", mock.Mock(side_effect=FileNotFoundError)),
                redirect_stderr(told),
            ):
                self.assertEqual(command.main(words), 0, told.getvalue())
                self.assertEqual(command.main([*words, "--kv", "disable_overlap_schedule=false"]), 2)
            with open(out / "onboard_steps.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual({row["kind"] for row in rows}, {"prefill", "decode"})
            self.assertNotIn("mixed", [row["kind"] for row in rows])
            facts = json.loads((out / "run.json").read_text())
            self.assertEqual((facts["engine"], facts["model"]), ("sglang", "config.json"))
            self.assertIn("expected steps one after the other", told.getvalue())
            self.assertFalse((out / "sweep.csv").exists())


SGLANG_ARGUMENTS = {"max_num_seqs": 64, "max_num_batched_tokens": 16384, "chunked_prefill_size": 8192}


class WatchedStepsTest(unittest.TestCase):
    def test_the_recorder_passes_over_steps_first_where_asked(self):
        class Profile:
            def __init__(self, **_):
                self.profiler = types.SimpleNamespace()

            def __enter__(self):
                return self

            def __exit__(self, *_):
                pass

        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(synchronize=lambda: None))
        profiler = types.SimpleNamespace(ProfilerActivity=types.SimpleNamespace(CUDA=1), profile=Profile)
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.dict(sys.modules, {"torch": torch, "torch.profiler": profiler}),
            mock.patch.object(recorded_kernels, "events_of", lambda *_: [("k", 2000, True)]),
        ):
            watch = recorded_kernels.KernelWatch(folder, torch)
            Path(folder, "profile").write_text("2 after 3")
            watched = []
            for _ in range(8):
                watch.before_step()
                watched.append(watch.profiler is not None)
                watch.after_step()
            self.assertEqual(watched, [False] * 3 + [True] * 2 + [False] * 3)
            self.assertIn("k,0.500,1.00,1", Path(folder, "kernels_1.csv").read_text())
            Path(folder, "profile").write_text("2 before 3")
            watch.before_step()
            self.assertIn("expected a number of steps, or '3 after 20'", Path(folder, "profile.error").read_text())


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
