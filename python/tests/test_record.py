"""warploom.record without a GPU and without an engine: recorded events, and stand-ins with vLLM's names."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.record import __main__ as command  # noqa: E402
from warploom.record import folder, journal, kernels, vllm_engine  # noqa: E402

RECORDED = ROOT / "tests/fixtures/engine/vllm_0_24_h200/serving/llama8b_heavy.iterations.csv.gz"


class Clock:
    """Time that goes on by a millisecond whenever somebody looks."""

    def __init__(self):
        self.time = 100.0

    def __call__(self):
        self.time += 1e-3
        return self.time


def events_again(row, book, key):
    """Tells the journal what a recorded row says, as the engine would have."""
    start = float(row["schedule_start_s"])

    def at(name):
        return start + int(row[name]) * 1e-6 if row[name] else None

    prompts, tokens = int(row["prompts"]), int(row["prompt_tokens"])
    batch = {f"d{i}": 1 for i in range(int(row["decodes"]))}
    for i in range(prompts):  # at least two tokens each
        batch[f"p{i}"] = tokens - 2 * (prompts - 1) if i == 0 else 2
    book.scheduled(key, start, at("schedule_end_us"), batch, float(row["kv_usage"]))
    step = book.enter(key)
    step.execute_start, step.execute_end = at("execute_start_us"), at("execute_end_us")
    step.forward_start, step.gpu_start, step.gpu_end = (
        at("forward_start_us"),
        at("gpu_start_us"),
        at("gpu_end_us"),
    )
    step.sample_start, step.sample_end = at("sample_start_us"), at("sample_end_us")
    step.graph = {"F": "FULL", "P": "PIECEWISE", "N": "NONE"}[row["graph"]]
    step.padded_tokens = row["padded_tokens"]
    return lambda: book.updated(key, at("update_start_us"), at("update_end_us"))


class JournalOfRecordedEvents(unittest.TestCase):
    def test_gives_the_recorded_rows_back(self):
        with gzip.open(RECORDED, "rt") as file:
            rows = [row for row in csv.DictReader(file) if row["update_end_us"] and row["gpu_end_us"]]
        self.assertGreater(len(rows), 500)
        book, late = journal.Journal(0.0), []
        for key, row in enumerate(rows):  # the update of a step comes after the launch of the next
            late.append(events_again(row, book, key))
            if len(late) > 1:
                late.pop(0)()
        late.pop()()
        taken = book.take_iterations()
        self.assertEqual(len(taken), len(rows))
        for step, row in zip(taken, rows):
            self.assertEqual(
                step.cells(0.0, lambda mark: mark), [row[name] for name in journal.ITERATION_COLUMNS]
            )
        self.assertEqual(book.take_iterations(), [])

    def test_batches_of_nothing_are_no_iterations(self):
        book = journal.Journal(0.0)
        book.scheduled(1, 0.0, 1.0, {})
        self.assertIsNone(book.enter(1))
        book.updated(1, 1.0, 2.0)
        self.assertEqual(book.take_iterations(), [])

    def test_stops_at_its_limits(self):
        book = journal.Journal(0.0, most_iterations=1, most_requests=1)
        for name in ("a", "b"):
            book.received(name, 1.0)
            book.queued(name, 1.1, 5)
            book.scheduled(name, 1.2, 1.3, {name: 5})
            book.updated(name, 1.4, 1.5)
            book.produced(name, 1.5, 1, True)
        self.assertEqual([row["request_id"] for row in book.take_requests()], ["a"])
        self.assertEqual(len(book.take_iterations()), 1)

    def test_leaves_out_what_was_aborted(self):
        book = journal.Journal(0.0)
        book.received("a", 1.0)
        book.queued("a", 1.0, 5)
        book.produced("a", 2.0, 1, False)
        self.assertEqual(book.take_requests(), [])


def stand_in_core(plan):
    """An engine core with vLLM's names. `plan`: steps as (tokens by request, new tokens, finished)."""
    steps = iter(plan)
    scheduler = types.SimpleNamespace()
    scheduler.kv_cache_manager = types.SimpleNamespace(
        block_pool=types.SimpleNamespace(get_usage=lambda: 0.25)
    )

    def schedule():
        scheduler.now = next(steps)
        return types.SimpleNamespace(num_scheduled_tokens=scheduler.now[0])

    def update(batch, output):
        _, new, finished = scheduler.now
        outputs = [
            types.SimpleNamespace(
                request_id=name,
                new_token_ids=[7] * count,
                finish_reason=finished.get(name),
                num_cached_tokens=16,
            )
            for name, count in new.items()
        ]
        return {0: types.SimpleNamespace(outputs=outputs)}

    scheduler.schedule, scheduler.update_from_output = schedule, update
    scheduler.add_request = lambda request: None
    executor = types.SimpleNamespace(execute_model=lambda batch: "output", sample_tokens=lambda: "tokens")
    return types.SimpleNamespace(
        scheduler=scheduler,
        model_executor=executor,
        vllm_config=stand_in_config(),
        shutdown=lambda: "shut down",
        preprocess_add_request=lambda request: request,
    )


def stand_in_config():
    space = types.SimpleNamespace
    return space(
        model_config=space(model="meta-llama/Llama-3.1-8B", max_model_len=8192, quantization=None),
        cache_config=space(
            gpu_memory_utilization=0.9, enable_prefix_caching=False, num_gpu_blocks=5000, block_size=16
        ),
        scheduler_config=space(max_num_seqs=256, max_num_batched_tokens=8192, async_scheduling=True),
        parallel_config=space(tensor_parallel_size=1),
        compilation_config=space(cudagraph_capture_sizes=[1, 512], cudagraph_mode="CUDAGraphMode.FULL"),
    )


def record_stand_in(place):
    """Two requests through a stand-in; what shutdown answered."""
    core = stand_in_core(
        [
            ({"a": 100}, {"a": 1}, {}),
            ({"a": 1, "b": 40}, {"a": 1, "b": 1}, {"a": "FinishReason.STOP"}),
            ({"b": 1}, {"b": 1}, {"b": "FinishReason.LENGTH"}),
        ]
    )
    vllm = types.ModuleType("vllm")
    vllm.__version__ = "0.24.0"
    facts = {"gpu": "H200"}
    with mock.patch.dict(sys.modules, {"vllm": vllm}), mock.patch.object(
        vllm_engine, "now", Clock()
    ), mock.patch("warploom.record.run_facts.gpu_name", lambda: facts["gpu"]), redirect_stderr(io.StringIO()):
        vllm_engine.CoreWatch(core, str(place))
        # "b" arrives first and is queued later, as a full queue makes it.
        for name in ("b", "a"):
            core.preprocess_add_request(types.SimpleNamespace(request_id=name))
        for name, tokens in (("a", 100), ("b", 40)):
            core.scheduler.add_request(types.SimpleNamespace(request_id=name, num_prompt_tokens=tokens))
        for _ in range(3):
            batch = core.scheduler.schedule()
            core.model_executor.execute_model(batch)
            core.model_executor.sample_tokens()
            core.scheduler.update_from_output(batch, None)
        return core.shutdown()


class RecordingOfAStandIn(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name) / "run"
        self.place.mkdir()
        self.answer = record_stand_in(self.place)

    def rows(self, name):
        with open(self.place / name) as file:
            return list(csv.DictReader(file))

    def test_shuts_the_engine_down_as_before(self):
        self.assertEqual(self.answer, "shut down")

    def test_requests_come_in_order_of_arrival_with_times_in_order(self):
        rows = self.rows("requests.csv")
        self.assertEqual([row["request_id"] for row in rows], ["b", "a"])
        self.assertEqual([row["input_tokens"] for row in rows], ["40", "100"])
        self.assertEqual([row["output_tokens"] for row in rows], ["2", "2"])
        self.assertEqual([row["cached_tokens"] for row in rows], ["16", "16"])
        for row in rows:
            times = [
                float(row[name])
                for name in ("arrival_s", "queued_s", "scheduled_s", "first_token_s", "last_token_s")
            ]
            self.assertEqual(times, sorted(times))
        self.assertLess(float(rows[1]["first_token_s"]), float(rows[0]["first_token_s"]))

    def test_every_step_is_a_row(self):
        rows = self.rows("iterations.csv")
        self.assertEqual(len(rows), 3)
        self.assertEqual([row["prompt_tokens"] for row in rows], ["100", "40", "0"])
        self.assertEqual([row["decodes"] for row in rows], ["0", "1", "1"])
        self.assertEqual({row["kv_usage"] for row in rows}, {"0.2500"})
        self.assertEqual({row["gpu_end_us"] for row in rows}, {""})  # no GPU here
        for row in rows:
            self.assertGreater(int(row["update_end_us"]), int(row["execute_end_us"]))

    def test_the_run_is_what_validate_serving_reads(self):
        run = json.loads((self.place / "run.json").read_text())
        self.assertEqual(
            (run["model"], run["gpu"], run["num_requests"]), ("meta-llama/Llama-3.1-8B", "H200", 2)
        )
        program = os.environ.get("WARPLOOM_PROGRAM")
        if not program:
            self.skipTest("WARPLOOM_PROGRAM is not set")
        words = [
            "validate",
            "serving",
            "--run",
            self.place / "run.json",
            "--requests",
            self.place / "requests.csv",
        ]
        said = subprocess.run(
            [program, *words, "--predictor", "roofline", "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("tpot", said.stdout)

    def test_nothing_is_written_over_a_recording(self):
        with self.assertRaisesRegex(ValueError, "holds a recording already"):
            folder.fresh_folder(self.place)
        with self.assertRaises(SystemExit) as stop:
            command.main(["vllm", "--output", str(self.place), "--", "serve", "M"])
        self.assertIn("holds a recording already", str(stop.exception))


class KernelsOfAStep(unittest.TestCase):
    def test_are_summed_by_name_longest_first(self):
        rows = kernels.sum_by_name(
            [("gemm", 4000, True), ("norm", 9000, True), ("gemm", 8000, True), ("gemm", 1000, False)], 2
        )
        self.assertEqual(
            rows, [["gemm", "1.000", "6.00", 1], ["norm", "0.500", "4.50", 1], ["gemm", "0.500", "0.50", 0]]
        )


class CommandLine(unittest.TestCase):
    def test_wants_the_engines_own_words(self):
        for words in (["vllm", "--output", "x"], ["vllm", "--output", "x", "--"]):
            with redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
                command.parse(words)
            self.assertIn("put it after --", said.getvalue())

    def test_passes_the_engines_words_on(self):
        request, words = command.parse(["vllm", "--output", "x", "--", "serve", "M", "--", "y"])
        self.assertEqual((request.output, words), ("x", ["serve", "M", "--", "y"]))

    def test_says_which_python_lacks_the_engine(self):
        with tempfile.TemporaryDirectory() as place, mock.patch.dict(os.environ), self.assertRaises(
            SystemExit
        ) as stop:
            command.main(["vllm", "--output", place, "--", "serve", "M"])
        self.assertIn("cannot be imported", str(stop.exception))


if __name__ == "__main__":
    unittest.main()
