"""warploom.record of SGLang without a GPU and without SGLang: stand_ins/sglang has its names and processes.

WARPLOOM_SGLANG_SOURCE=DIR, a folder that holds SGLang's package `sglang` (an unpacked wheel), checks the
names in DIR as well.
"""

import ast
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
STAND_INS = Path(__file__).resolve().parent / "stand_ins"
sys.path[:0] = [str(ROOT / "python"), str(STAND_INS)]
from sglang.srt.managers.schedule_batch import (  # noqa: E402
    ForwardMode,
    GenerationBatchResult,
    Req,
    ScheduleBatch,
)
from sglang.srt.managers.scheduler import Scheduler, ServerArgs  # noqa: E402

from warploom.record import __main__ as command  # noqa: E402
from warploom.record import sglang_arrivals, sglang_engine, sglang_facts  # noqa: E402


def start(engine, place, *words):
    """The command in a process of its own, as a user starts it."""
    path = os.pathsep.join([str(ROOT / "python"), str(STAND_INS)])
    return subprocess.run(
        [sys.executable, "-m", "warploom.record", engine, "--output", str(place), "--", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def rows_of(path):
    with open(path) as file:
        return list(csv.DictReader(file))


class Recorded(unittest.TestCase):
    def record(self, *words):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name) / "run"
        done = start("sglang", self.place, "--model-path", "meta-llama/Llama-3.1-8B", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


class RecordingOfASpawnedScheduler(Recorded):
    def check_requests(self):
        rows = rows_of(self.place / "requests.csv")
        # Neither the server's own question nor its health check.
        self.assertEqual([row["request_id"] for row in rows], ["r0", "r1", "r2"])
        self.assertEqual([row["input_tokens"] for row in rows], ["20", "21", "22"])
        self.assertEqual([row["output_tokens"] for row in rows], ["4", "5", "6"])
        self.assertEqual(len({row["arrival_s"] for row in rows}), 3)
        for row in rows:
            names = ("arrival_s", "queued_s", "scheduled_s", "first_token_s", "last_token_s")
            times = [float(row[name]) for name in names]
            self.assertEqual(times, sorted(times))
            # The server sent them a millisecond apart, the scheduler took them together.
            self.assertGreater(times[1] - times[0], 1e-3 * (3 - rows.index(row)) - 1e-3)
            # A step takes a millisecond; the second token comes with the next step.
            self.assertGreater(times[4] - times[3], 1e-3 * (int(row["output_tokens"]) - 1))

    def check_steps(self, prompts, prompt_tokens):
        rows = rows_of(self.place / "iterations.csv")
        self.assertEqual([int(row["prompts"]) for row in rows if row["prompts"] != "0"], prompts)
        self.assertEqual([int(row["prompt_tokens"]) for row in rows if row["prompts"] != "0"], prompt_tokens)
        for row in rows:
            self.assertEqual(row["graph"], "N" if row["prompts"] != "0" else "F")
            self.assertEqual(row["kv_usage"], "0.2500")
            order = ("schedule_end", "execute_start", "forward_start", "sample_start", "sample_end")
            times = [int(row[f"{name}_us"]) for name in order]
            self.assertEqual(times, sorted(times))
            self.assertLessEqual(int(row["sample_end_us"]), int(row["execute_end_us"]))
            self.assertLessEqual(int(row["execute_end_us"]), int(row["update_start_us"]))
        return rows

    def test_follows_the_scheduler_into_its_process(self):
        self.record()
        self.check_requests()
        # Six tokens of the server's own question and one of its health check stand before the users' 63.
        rows = self.check_steps([4, 2, 1], [32, 32, 6])
        self.assertEqual([row["decodes"] for row in rows[3:5]], ["4", "4"])
        self.assertEqual(rows[3]["padded_tokens"], "4")

    def test_knows_the_plans_of_newer_schedulers(self):
        self.record("--newer")
        self.check_requests()
        self.check_steps([4, 2, 1], [32, 32, 6])

    def test_tells_prompts_from_decodes_in_a_mixed_step(self):
        self.record("--mixed")
        rows = rows_of(self.place / "iterations.csv")
        mixed = [row for row in rows if row["prompts"] != "0" and row["decodes"] != "0"]
        self.assertEqual([(row["prompts"], row["prompt_tokens"]) for row in mixed], [("2", "32"), ("1", "6")])

    def test_leaves_out_what_was_aborted(self):
        self.record("--abort", "r1")
        self.assertEqual([row["request_id"] for row in rows_of(self.place / "requests.csv")], ["r0", "r2"])

    def test_the_run_is_what_validate_serving_reads(self):
        self.record("--requests", "6")
        run = json.loads((self.place / "run.json").read_text())
        self.assertEqual((run["engine"], run["engine_version"], run["num_requests"]), ("sglang", "0.5.6", 6))
        self.assertEqual(run["engine_kwargs"]["chunked_prefill_size"], 32)
        program = os.environ.get("WARPLOOM_PROGRAM")
        if not program:
            self.skipTest("WARPLOOM_PROGRAM is not set")
        run["gpu"] = "H200"  # there is none here
        (self.place / "run.json").write_text(json.dumps(run))
        words = ["validate", "serving", "--run", self.place / "run.json"]
        words += ["--requests", self.place / "requests.csv", "--predictor", "roofline", "--json"]
        said = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(json.loads(said.stdout)["engine"], "sglang 0.5.6")
        words = ["calibrate-host", "--output", self.place / "host.json", *words[2:]]
        said = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        profile = json.loads((self.place / "host.json").read_text())
        self.assertEqual([engine["engine"] for engine in profile["engines"]], ["sglang"])

    def test_says_why_it_records_nothing(self):
        done = self.record("--pp-size", "2")
        self.assertIn("not recording: ValueError('pipeline parallelism", done.stderr)
        self.assertFalse((self.place / "run.json").exists())

    def test_leaves_the_engines_own_errors_to_the_engine(self):
        with tempfile.TemporaryDirectory() as place:
            done = start("sglang", place, "--model-pat", "M", "--no-such-flag")
        self.assertEqual(done.returncode, 2)
        self.assertIn("sglang.launch_server: error", done.stderr)


class RecordingOfSpawnedCores(unittest.TestCase):
    def test_vllm_is_followed_too(self):
        with tempfile.TemporaryDirectory() as place:
            done = start("vllm", place, "serve", "M")
        self.assertEqual((done.stdout.strip(), done.returncode), ("build_watched", 0), done.stderr)


class Marks:
    """In the place of GpuClock: counts the marks."""

    def __init__(self, torch):
        self.marks = 0

    def mark(self):
        self.marks += 1
        return self.marks

    def time_of(self, mark):
        return 100.0 + mark


class RecordingInThisProcess(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)

    def watched(self, scheduler, **changes):
        with mock.patch.dict(sys.modules, {"torch": types.ModuleType("torch")}), mock.patch.object(
            sglang_engine, "GpuClock", Marks
        ), mock.patch.object(sglang_facts, "gpu_name", lambda: "H200"), mock.patch.object(
            sglang_engine, "machine_facts", dict
        ), mock.patch.object(sglang_engine.atexit, "register"), redirect_stderr(io.StringIO()):
            watch = sglang_engine.SchedulerWatch(scheduler, str(self.place))
        self.addCleanup(watch.recording.close)
        return watch

    def test_the_gpu_ends_a_step_after_its_sample(self):
        scheduler = Scheduler(ServerArgs("M"), None)
        watch = self.watched(scheduler)
        batch = ScheduleBatch([Req("a", "", [1, 2], 1)], ForwardMode.EXTEND, [2])
        scheduler.next_batch = lambda: batch
        scheduler.get_next_batch_to_run()
        result = scheduler.run_batch(batch)
        scheduler.process_batch_result(batch.copy(), result)
        (step,) = watch.journal.take_iterations()
        self.assertEqual((step.gpu_start, step.gpu_end), (1, 3))  # before, after the model, after the sample

    def test_the_servers_own_first_question_is_no_request(self):
        def message(name, ids, text=None):
            return types.SimpleNamespace(rid=name, input_ids=ids, input_text=text)

        own = sglang_engine.WARM_UP_IDS
        for first in (message("w", [1] * 6, sglang_engine.WARM_UP), message("w", own), message("w", own, "")):
            watch = self.watched(Scheduler(ServerArgs("M"), None))
            self.assertFalse(watch._counts(first))
            self.assertTrue(watch._counts(message("a", own)), "only the first is the server's")
        watch = self.watched(Scheduler(ServerArgs("M"), None))
        self.assertTrue(watch._counts(message("a", [5, 6])))
        self.assertTrue(watch._counts(message("b", own)))

    def test_a_retracted_request_keeps_its_first_times(self):
        scheduler = Scheduler(ServerArgs("M"), None)
        watch = self.watched(scheduler)
        request = Req("a", "", [1, 2, 3], 4)
        watch.journal.received("a", 1.0)
        scheduler._add_request_to_queue(request)
        queued = dict(watch.journal.live["a"])
        request.origin_input_ids = [1] * 9
        scheduler._add_request_to_queue(request, is_retracted=True)
        self.assertEqual(watch.journal.live["a"], queued)
        self.assertEqual(queued["input_tokens"], 3)

    def test_an_idle_batch_is_no_step(self):
        scheduler = Scheduler(ServerArgs("M"), None)
        watch = self.watched(scheduler)
        batch = ScheduleBatch([], ForwardMode.IDLE)
        scheduler.next_batch = lambda: batch
        scheduler.get_next_batch_to_run()
        scheduler.process_batch_result(batch, scheduler.run_batch(batch))
        self.assertEqual(watch.journal.take_iterations(), [])

    def test_graphs_of_prompts_are_graphs_of_parts(self):
        step, batch = types.SimpleNamespace(graph=None), ScheduleBatch([], ForwardMode.EXTEND)
        watch = self.watched(Scheduler(ServerArgs("M"), None))
        watch._note_graph(step, batch, GenerationBatchResult(True), None)
        self.assertEqual(step.graph, "PIECEWISE")

    def test_ranks_are_found_where_each_version_keeps_them(self):
        space = types.SimpleNamespace
        kept = space(attn_tp_rank=2, pp_rank=0, dp_rank=None, attn_dp_rank=1)
        for scheduler in (kept, space(ps=kept)):
            ranks = sglang_engine.ranks_of(scheduler)
            self.assertEqual((ranks["attn_tp_rank"], ranks["dp_rank"], ranks["attn_dp_rank"]), (2, 0, 1))
        context = types.ModuleType("sglang.srt.runtime_context")
        context.get_parallel = lambda: kept
        with mock.patch.dict(sys.modules, {context.__name__: context}):
            self.assertEqual(sglang_engine.ranks_of(space())["attn_tp_rank"], 2)

    def test_refuses_engines_whose_steps_it_cannot_follow(self):
        scheduler = Scheduler(ServerArgs("M"), None)
        scheduler.tp_worker.worker = object()
        with self.assertRaisesRegex(ValueError, "0.5.4 or newer"):
            sglang_engine.check_watched(scheduler)
        del scheduler.tp_worker.worker
        scheduler.disaggregation_mode = types.SimpleNamespace(value="prefill")
        with self.assertRaisesRegex(ValueError, "prefill pool"):
            sglang_engine.check_watched(scheduler)
        scheduler.disaggregation_mode.value = "null"
        sglang_engine.check_watched(scheduler)

    def test_states_what_the_server_was_told(self):
        given = ServerArgs("M", served_model_name="Qwen/Qwen3-8B", tp_size=4, ep_size=4)
        given.schedule_policy = "lpm"
        with mock.patch.object(sglang_facts, "gpu_name", lambda: "H200"):
            facts = sglang_facts.sglang_facts(Scheduler(given, None))
        arguments = facts["engine_kwargs"]
        self.assertEqual((facts["model"], arguments["tensor_parallel_size"]), ("Qwen/Qwen3-8B", 4))
        self.assertEqual((arguments["schedule_policy"], arguments["enable_expert_parallel"]), ("lpm", True))
        self.assertNotIn("schedule_conservativeness", arguments)


class Arrivals(unittest.TestCase):
    def test_are_read_once_and_only_where_they_can_be(self):
        with tempfile.TemporaryDirectory() as folder:
            sent = sglang_arrivals.SentRequests(folder)
            rows = [{"request_id": "a", "received_s": 5.0}]
            self.assertEqual(sent.earlier(rows), [{"request_id": "a", "received_s": 5.0}])
            (Path(folder) / ".sent").write_text('["a", 4.5]\n["b", 9.0]\n["c", 1')
            self.assertEqual(sent.earlier(rows)[0]["received_s"], 4.5)
            self.assertEqual(sent.earlier([{"request_id": "b", "received_s": 8.0}])[0]["received_s"], 8.0)
            with open(Path(folder) / ".sent", "a") as file:
                file.write(".25]\n")
            self.assertEqual(sent.earlier([{"request_id": "c", "received_s": 8.0}])[0]["received_s"], 1.25)

    def test_requests_are_found_in_lists_and_by_name(self):
        space = types.SimpleNamespace
        one = space(rid="a", input_ids=[1])
        many = [space(rid="b", input_ids=[1]), space(rid=["x"], input_ids=[1])]
        self.assertEqual(sglang_arrivals.names_in([one, one, many, 3.5, space(rid="abort")]), ["a", "b"])


class CommandLine(unittest.TestCase):
    def test_wants_the_engines_own_words(self):
        with redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            command.parse(["sglang", "--output", "x"])
        self.assertIn("-- --model-path MODEL", said.getvalue())

    def test_says_which_python_lacks_the_engine(self):
        with tempfile.TemporaryDirectory() as place, mock.patch.object(
            sys, "path", [path for path in sys.path if path != str(STAND_INS)]
        ), mock.patch.dict(sys.modules), self.assertRaises(SystemExit) as stop:
            for name in [name for name in sys.modules if name.split(".")[0] == "sglang"]:
                del sys.modules[name]
            command.main(["sglang", "--output", place, "--", "--model-path", "M"])
        self.assertIn("sglang cannot be imported", str(stop.exception))


def class_in(source, name):
    classes = [node for node in ast.walk(source) if isinstance(node, ast.ClassDef) and node.name == name]
    body = classes[0].body if classes else []
    return {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


class NamesOfASource(unittest.TestCase):
    """The names that are wrapped and read: of the stand-in always, of SGLang's source where it is given."""

    def check(self, folder, wrapped=sglang_engine.WRAPPED):
        for owner, methods in wrapped.items():
            module, name = owner.rsplit(".", 1)
            found = class_in(ast.parse((folder / (module.replace(".", "/") + ".py")).read_text()), name)
            self.assertTrue(found, owner)
            for method, parameters in methods.items():
                self.assertIn(method, found, owner)
                given = [argument.arg for argument in found[method].args.args][1:]
                self.assertEqual(given[: len(parameters)], parameters, f"{owner}.{method}")

    def read_in(self, folder, path, *words):
        text = (folder / "sglang" / path).read_text()
        for word in words:
            self.assertTrue(re.search(word, text), f"{path} lacks {word}")

    def test_the_stand_in_has_them(self):
        built = sglang_arrivals.WRAPPED  # whose module the stand-in makes
        self.check(STAND_INS, {k: v for k, v in sglang_engine.WRAPPED.items() if k not in built})

    @unittest.skipUnless("WARPLOOM_SGLANG_SOURCE" in os.environ, "WARPLOOM_SGLANG_SOURCE is not set")
    def test_the_source_has_them(self):
        folder = Path(os.environ["WARPLOOM_SGLANG_SOURCE"])
        self.check(folder)
        self.read_in(
            folder, "srt/managers/scheduler.py", r"self\.max_total_num_tokens,", r"self\.max_prefill_tokens,",
            r"self\.max_running_requests,", r"self\.page_size =", r"self\.chunked_prefill_size =",
            r"self\.enable_overlap =", r"self\.token_to_kv_pool_allocator\b", r"self\.tree_cache =",
            r"self\.model_config\.context_len", r"self\.tp_worker =", r"self\.server_args = server_args",
            r"return NextBatchPlan\(batch_to_run=|-> Optional\[ScheduleBatch\]",
        )
        self.read_in(
            folder, "srt/managers/schedule_batch.py", r"self\.rid = rid", r"self\.output_ids = ",
            r"self\.finished_reason\b", r"self\.cached_tokens = 0", r"class FINISH_ABORT",
            r"extend_lens: List\[int\] = None", r"decoding_reqs: List\[Req\] = None", r"forward_mode",
        )
        self.read_in(folder, "srt/managers/utils.py", r"can_run_cuda_graph: bool")
        structs = (r"class BatchTokenizedGenerateReqInput", r"input_text: ")
        self.read_in(folder, "srt/managers/io_struct.py", *structs)
        warm_up = (sglang_engine.WARM_UP, re.escape(str(sglang_engine.WARM_UP_IDS)))
        self.read_in(folder, "srt/entrypoints/http_server.py", *warm_up)
        self.read_in(folder, "launch_server.py", r'if __name__ == "__main__":', r"sys\.argv\[1:\]")


if __name__ == "__main__":
    unittest.main()
