"""The package `warploom` with its compiled part: numbers, arrays, frames, refusals. PYTHONPATH holds the
built package."""

import ast
import importlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import warploom

PACKAGE = Path(warploom.__file__).parent  # of the build: links to the sources, and what the build writes
SOURCES = Path(__file__).resolve().parents[2]
GEMM = {"gpu": "H100-SXM", "m": 64, "n": 4096, "k": 4096}
LLAMA = {"model": "Llama-3.1-8B", "gpu": "H100-SXM"}


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


class Predict(unittest.TestCase):
    def test_one_operator_has_an_interval_a_bound_and_a_tier(self):
        found = warploom.predict("gemm", **GEMM)
        self.assertLessEqual(found.p10_us, found.p50_us)
        self.assertLessEqual(found.p50_us, found.p90_us)
        self.assertEqual(found["bound"], found.bound)
        self.assertIn(found.tier, ("measured", "cross_gpu", "roofline"))
        self.assertEqual(found.operator["m"], 64)
        self.assertTrue(found.rows())

    def test_rows_of_arrays_are_the_operators_one_by_one(self):
        rng = np.random.default_rng(5)
        m, k = rng.integers(1, 9000, 3000), rng.integers(64, 9000, 3000)
        many = warploom.predict("gemm", gpu="H200", m=m, n=4096, k=k)
        also = warploom.predict("gemm", gpu="H200", m=m, n=4096, k=k, threads=2)
        np.testing.assert_array_equal(many.p50_us, also.p50_us)
        for row in (0, 1023, 1024, 2999):
            one = warploom.predict("gemm", gpu="H200", m=int(m[row]), n=4096, k=int(k[row]))
            self.assertEqual(
                (one.p10_us, one.p50_us, one.p90_us), (many.p10_us[row], many.p50_us[row], many.p90_us[row])
            )
            self.assertEqual(one.bound, many.to_dict()["bound"][row])

    def test_lists_and_engines_have_rows_too(self):
        many = warploom.predict(
            "attention_decode",
            gpu="H200",
            heads=32,
            kv_heads=8,
            batch=[1, 64],
            context=[900, 900],
            framework="vllm",
        )
        one = warploom.predict(
            "attention_decode", gpu="H200", heads=32, kv_heads=8, batch=64, context=900, framework="vllm"
        )
        self.assertEqual(many.p50_us[1], one.p50_us)

    def test_wrong_arrays_are_refused(self):
        for fields, words in (
            ({"m": [1, 2], "n": [1]}, "unequal length"),
            ({"m": [1.5]}, "whole numbers"),
            ({"m": [[1]]}, "dimensions"),
            ({"m": [3, 0]}, "row 1"),
            ({"m": [math.nan]}, "whole"),
            ({"mm": [1]}, "no field of gemm"),
            ({"m": ["a"]}, "whole numbers"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                warploom.predict("gemm", gpu="H200", **{"n": 64, "k": 64, **fields})

    def test_wrong_names_have_the_nearest_in_the_message(self):
        with self.assertRaisesRegex(ValueError, "H100"):
            warploom.predict("gemm", **{**GEMM, "gpu": "H100-SMX"})
        with self.assertRaisesRegex(ValueError, "gemm"):
            warploom.predict("gem", **GEMM)
        with self.assertRaisesRegex(ValueError, "max_num_seqs"):
            warploom.step(**LLAMA, decode="1x1", config={"max_num_seq": 4})
        with self.assertRaisesRegex(ValueError, "did you mean 'max_num_seqs'"):
            warploom.step(**LLAMA, decode="1x1", max_num_seq=4)
        with self.assertRaisesRegex(ValueError, "rate is nan"):
            warploom.simulate(**LLAMA, rate=math.nan)
        with self.assertRaises(FileNotFoundError):
            warploom.predict("gemm", **{**GEMM, "gpu": "/none/gpu.json"})
        with self.assertRaises(NotImplementedError):
            warploom.predict("gemm", **{**GEMM, "gpu": "V100-SXM-32GB", "scheme": "nvfp4"})

    def test_a_question_can_change_its_sizes(self):
        question = warploom.Question("gemm", **GEMM)
        self.assertEqual(question.us(m=8), warploom.predict("gemm", **{**GEMM, "m": 8}).p50_us)
        self.assertEqual(question.interval_us()[1], question.us())
        with self.assertRaises(ValueError):
            question.us(m=0)


class Steps(unittest.TestCase):
    def test_a_step_is_that_of_the_command_within_what_tables_round(self):
        step = warploom.Step(**LLAMA)
        price, exact = step.decode(64, 500), warploom.step(**LLAMA, decode="64x500")
        self.assertAlmostEqual(price.ms / exact.step_ms, 1, delta=0.02)
        self.assertAlmostEqual(step.decode_ms(64, 500), price.ms, places=9)  # sums in another order
        self.assertEqual(step.mixed([500] * 64), price)
        self.assertGreater(step.mixed([500] * 64, [(2048, 0)]).p50_us, step.prefill([2048]).p50_us)
        with self.assertRaises(ValueError):
            step.decode(0, 5)

    def test_a_configuration_object_is_a_model(self):
        class Config:
            model_type = "llama"

            def to_dict(self):
                return json.loads(
                    (
                        Path(warploom.__file__).resolve().parents[2] / "data/models/llama-3.1-8b.json"
                    ).read_text()
                )["config"]

        folder = Path(warploom.__file__).resolve().parents[2] / "data/models"
        if not (folder / "llama-3.1-8b.json").exists():
            self.skipTest(f"no such configuration in {folder}")
        self.assertEqual(
            warploom.Step(Config(), "H100-SXM").decode(4, 9), warploom.Step(**LLAMA).decode(4, 9)
        )


class Runs(unittest.TestCase):
    def test_details_are_rows(self):
        run = warploom.simulate(**LLAMA, requests=30, details=True, goodput={"ttft": 1e9})
        self.assertEqual(len(run.rows()), 30)
        one = run.rows()[0]
        self.assertEqual(
            list(one),
            "input_tokens output_tokens start_s ttft_s e2el_s tpot_s waiting_s instance decode_instance "
            "preemptions cached_tokens tier".split(),
        )
        decoded = one["tpot_s"] * (one["output_tokens"] - 1)
        self.assertAlmostEqual(one["ttft_s"] + decoded, one["e2el_s"], 9)
        self.assertLessEqual(one["waiting_s"], one["ttft_s"])
        self.assertEqual((one["instance"], one["decode_instance"], one["tier"]), (0, None, run.tier))
        self.assertEqual(sum(row["preemptions"] for row in run.rows()), run.preemptions)
        self.assertEqual(run.slo_attainment, 1)
        self.assertEqual(set(run.to_dict()), set(run))
        self.assertIn("duration", repr(run))
        self.assertIn("<table>", run._repr_html_())

    def test_progress_is_told_and_its_errors_come_back(self):
        told = []
        warploom.simulate(
            **LLAMA, requests=4000, intervals=False, progress=lambda done, total: told.append(total)
        )
        self.assertTrue(told)

        def fails(done, total):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            warploom.simulate(**LLAMA, requests=4000, intervals=False, progress=fails)

    def test_ctrl_c_ends_a_run(self):
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            warploom.simulate(**LLAMA, requests=3_000_000, rate=20)
        timer.join()

    def test_threads_share_a_session(self):
        found = []
        one = warploom.step(**LLAMA, decode="8x100").step_ms
        threads = [
            threading.Thread(target=lambda: found.append(warploom.step(**LLAMA, decode="8x100").step_ms))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [one] * 4)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_a_forked_process_can_ask(self):
        one = warploom.step(**LLAMA, decode="8x100").step_ms
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, str(warploom.step(**LLAMA, decode="8x100").step_ms).encode())
            os._exit(0)
        os.waitpid(child, 0)
        self.assertEqual(float(os.read(reading, 100)), one)

    def test_what_this_build_lacks_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises((FileNotFoundError, NotImplementedError)):
                warploom.train(layout="warploom", data=f"{folder}/none", output=f"{folder}/out")

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_rows_are_frames(self):
        frame = warploom.step(**LLAMA, decode="8x100").to_pandas()
        self.assertIn("time_us", frame.columns)
        many = warploom.predict("gemm", gpu="H200", m=[1, 2], n=64, k=64).to_pandas()
        self.assertEqual(list(many["m"]), [1, 2])

    @unittest.skipUnless(has("polars"), "polars is not installed")
    def test_rows_are_polars_frames(self):
        self.assertEqual(warploom.predict("gemm", gpu="H200", m=[1, 2], n=64, k=64).to_polars().height, 2)


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.path = Path(scratch.name) / "gemm.wlt"
        samples = Path(__file__).resolve().parents[2] / "tests/fixtures/tuner/gemm_anchors.csv.gz"
        cls.fitted = warploom.tune_fit(gpu="H200", samples=samples, output=cls.path)

    def test_the_compiled_part_picks_as_the_library_does(self):
        from warploom import table

        compiled = table.Table(self.path, gpu="h200_sxm")
        self.assertNotIsInstance(compiled._table, table._LibraryTable)
        configs = compiled.configs()
        self.assertEqual(len(configs), self.fitted.configs)
        shapes = [(1, 4096, 4096), (777, 4096, 4096), (0, 1, 1)]
        for shape in shapes:
            self.assertEqual(configs[compiled.index(*shape)], compiled.pick(*shape))
        self.assertEqual(compiled.best(777, 4096, 4096, 3)[0], compiled.pick(777, 4096, 4096))
        if os.environ.get("WARPLOOM_LIBRARY"):
            library = table._LibraryTable(self.path)
            self.assertEqual(library.configs(), configs)
            self.assertEqual(library.best(777, 4096, 4096, 3), compiled.best(777, 4096, 4096, 3))
            for shape in shapes:
                self.assertEqual(library.pick(*shape), compiled.pick(*shape))

    def test_foreign_and_damaged_tables_are_refused(self):
        from warploom.table import Table

        with self.assertRaisesRegex(ValueError, "h200_sxm"):
            Table(self.path, gpu="h100_sxm")
        with self.assertRaises(FileNotFoundError):
            Table("/none/gemm.wlt")
        damaged = self.path.with_name("damaged.wlt")
        damaged.write_bytes(self.path.read_bytes()[:1000])
        with self.assertRaises(ValueError):
            Table(damaged)


class Package(unittest.TestCase):
    def test_unknown_names_are_attribute_errors(self):
        with self.assertRaises(AttributeError):
            warploom.simulat
        self.assertIn("simulate", dir(warploom))

    def test_the_tuners_side_needs_no_compiled_part(self):
        root = Path(warploom.__file__).resolve().parent
        code = "import warploom, sys; warploom.autotune; sys.exit('warploom._core' in sys.modules)"
        self.assertEqual(
            subprocess.run([sys.executable, "-c", code], cwd=root.parent, check=False).returncode, 0
        )

    def test_the_package_is_a_program_too(self):
        words = ["predict", "gemm", "--gpu", "H200", "--m", "64", "--n", "64", "--k", "64", "--json"]
        try:
            importlib.import_module("warploom.__main__").program()
        except FileNotFoundError:
            self.skipTest("no program was built")
        done = subprocess.run(
            [sys.executable, "-m", "warploom", *words], check=True, capture_output=True, text=True
        )
        one = warploom.predict("gemm", gpu="H200", m=64, n=64, k=64)
        self.assertEqual(json.loads(done.stdout)["p50_us"], one.p50_us)
        wrong = subprocess.run(
            [sys.executable, "-m", "warploom", "predict", "gemm"], check=False, capture_output=True, text=True
        )
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))

    @unittest.skipUnless(has("mypy"), "mypy is not installed")
    def test_types_are_strict(self):
        """All modules but those that pyproject.toml names, and the examples."""
        words = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
        words += ["--cache-dir", os.devnull, "--config-file", str(SOURCES / "pyproject.toml")]
        examples = sorted(str(path) for path in (SOURCES / "examples/python").glob("*.py"))
        self.assertGreater(len(examples), 4)
        inside = {"MYPYPATH": str(PACKAGE.parent)}
        for asked, more in ((["-p", "warploom"], {}), (["--ignore-missing-imports", *examples], inside)):
            done = subprocess.run(
                [*words, *asked],
                check=False,
                capture_output=True,
                text=True,
                cwd=PACKAGE.parent,
                env={**os.environ, **more},
            )
            self.assertEqual(done.returncode, 0, done.stdout[-2000:])

    def test_answers_of_one_shape_have_one_type(self):
        from warploom.documents import shared_shapes, simulate_document, static_document

        self.assertIs(static_document.StaticKernelSourcesEntry, shared_shapes.KernelSource)
        self.assertIs(simulate_document.SimulateKernelSourcesEntry, shared_shapes.KernelSource)
        answer = warploom.static(model="Llama-3.1-8B", gpu="H100-SXM", input_tokens=100, output_tokens=2)
        for source in answer.to_dict()["kernel_sources"].values():
            self.assertEqual(source.keys(), shared_shapes.KernelSource.__annotations__.keys())

    @unittest.skipUnless(has("mypy"), "mypy is not installed")
    def test_a_checker_knows_the_types_of_answers(self):
        lines = (
            ("warploom.step(model='m', gpu='g').step_ms + 1.0", ""),
            ("warploom.step(model='m', gpu='g').kernels[0]['label'].upper()", ""),
            ("warploom.train(output='o').to_dict()['families']['gemm']['rows_learned'] + 1", ""),
            ("warploom.step(model='m', gpu='g').step_ms.upper()", 'float" has no attribute "upper"'),
            ("warploom.plan(model='m', gpu_names=['g']).to_dict()['point']", 'has no key "point"'),
            ("warploom.simulate(model='m', gpu='g', max_num_seq=3)", "max_num_seq"),
            ("warploom.predict('gemm', gpu='g', m=1).p50_us + 1.0", ""),
            ("warploom.predict('gemm', gpu='g', m=[1, 2]).to_pandas()", ""),
            ("warploom.plan(model='m', gpu_names=['g'], slo={'ttft_p95_ms': 500})", ""),
        )
        with tempfile.TemporaryDirectory() as folder:
            code = Path(folder) / "asked.py"
            code.write_text("import warploom\n" + "".join(f"{line}\n" for line, _ in lines))
            words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull]
            done = subprocess.run(
                [*words, "--follow-imports=silent", str(code)],
                check=False,
                capture_output=True,
                text=True,
                env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
            )
        for number, (_, wrong) in enumerate(lines, start=2):
            said = [line for line in done.stdout.splitlines() if f"asked.py:{number}: error" in line]
            self.assertEqual(bool(said), bool(wrong), done.stdout)
            if wrong:
                self.assertIn(wrong, said[0])

    def test_the_stub_says_what_the_compiled_part_has(self):
        from warploom import _core

        stub = ast.parse((Path(__file__).resolve().parents[1] / "warploom/_core.pyi").read_text())
        said = {
            getattr(node, "name", None) or node.target.id: node
            for node in stub.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AnnAssign))
        }
        self.assertEqual(set(said), {name for name in vars(_core) if not name.startswith("_")})
        for name, node in said.items():
            if isinstance(node, ast.ClassDef):
                methods = {each.name for each in node.body} - {"__init__"}
                self.assertEqual(
                    methods, {each for each in vars(getattr(_core, name)) if not each.startswith("_")}
                )


if __name__ == "__main__":
    unittest.main()
