"""warploom.onboard of SGLang without a GPU and without SGLang: a stand-in writes what the recorder would."""

import csv
import io
import json
import sys
import tempfile
import types
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.onboard import __main__ as command  # noqa: E402
from warploom.onboard import sglang_bench  # noqa: E402
from warploom.onboard.step_record import HEADS  # noqa: E402
from warploom.record import kernels as recorded_kernels  # noqa: E402
from warploom.record.journal import ITERATION_COLUMNS  # noqa: E402

LLAMA = ROOT / "data/models/llama-3.1-8b.json"


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
        return dict(zip(HEADS["steps"].split(), self.record.rows["steps"][-1]))

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
        given = {"load_format": "dummy", "max_num_seqs": 8}
        run = {"engine": "sglang", "num_requests": 0, "engine_kwargs": given}
        Path(self.folder, "run.json").write_text(json.dumps(run))
        self.assertEqual(self.bench().facts(), {"engine": "sglang", "engine_kwargs": {"max_num_seqs": 8}})


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
            said = Path(folder, "profile.error").read_text()
            self.assertIn("expected a number of steps, or '3 after 20'", said)


if __name__ == "__main__":
    unittest.main()
