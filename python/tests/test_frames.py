"""Frames and Parquet in and out of the package, and what answers show. PYTHONPATH holds the built package."""

import importlib.util
import json
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import warploom

sys.path.insert(0, str(Path(__file__).resolve().parent))
from measured_requests import reading_requests, training_requests, write_inputs  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SWEEP = ROOT / "tests/fixtures/collector/h200/check/sweep.csv.gz"
ANCHORS = ROOT / "tests/fixtures/tuner/gemm_anchors.csv.gz"
RUN = ROOT / "tests/fixtures/engine/vllm_0_24_h200/serving/llama8b_light"
INPUTS = ("batches", "prompts", "benchmarks", "steps")  # of write_inputs
LLAMA = {"model": "Llama-3.1-8B", "gpu": "H100-SXM"}


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def placed(value, out):
    if isinstance(value, str):
        return value.replace("@src", str(ROOT)).replace("@out", out)
    return [placed(each, out) for each in value] if isinstance(value, list) else value


def figures(validation):
    return {key: validation[key] for key in ("overall", "families", "cells")}


@unittest.skipUnless(has("pandas"), "pandas is not installed")
class FramesIn(unittest.TestCase):
    def setUp(self):
        import pandas

        self.sweep = pandas.read_csv(SWEEP, comment="#")
        self.said = figures(warploom.validate_kernels(data=SWEEP, layout="warploom"))
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_a_frame_is_judged_as_its_file(self):
        self.assertEqual(figures(warploom.validate_kernels(data=self.sweep)), self.said)

    def test_objects_of_a_column_are_operators_too(self):
        frame = self.sweep.assign(operator=self.sweep["operator"].map(json.loads))
        self.assertEqual(figures(warploom.validate_kernels(data=frame)), self.said)

    @unittest.skipUnless(has("polars", "pyarrow"), "polars or pyarrow is not installed")
    def test_polars_arrow_and_parquet_are_the_same_rows(self):
        import polars
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.Table.from_pandas(self.sweep)
        path = Path(self.folder.name) / "sweep.parquet"
        pyarrow.parquet.write_table(table, path)
        frame = polars.from_pandas(self.sweep)
        for data in (table, frame, frame.lazy(), path, str(path), [path]):
            with self.subTest(type(data)):
                self.assertEqual(figures(warploom.validate_kernels(data=data)), self.said)

    def test_a_frame_calibrates(self):
        folder = Path(self.folder.name)
        try:
            by_file = warploom.calibrate(gpu="H200", data=SWEEP, output=folder / "file")
        except NotImplementedError:
            self.skipTest("built without training")
        by_frame = warploom.calibrate(gpu="H200", data=self.sweep, output=folder / "frame")
        self.assertEqual(by_frame.families, by_file.families)
        self.assertLess(by_frame.after["mean_error"], by_frame.before["mean_error"])

    def test_bad_frames_are_refused_with_the_row_or_column(self):
        with self.assertRaisesRegex(ValueError, "without a row"):
            warploom.validate_kernels(data=self.sweep[:0])
        with self.assertRaisesRegex(ValueError, "operator"):
            warploom.validate_kernels(data=self.sweep.drop(columns="operator"))
        broken = self.sweep.copy()
        broken.loc[3, "latency_us"] = -1
        with self.assertRaisesRegex(ValueError, "latency_us"):
            warploom.validate_kernels(data=broken)
        with self.assertRaisesRegex(FileNotFoundError, "none.parquet"):
            warploom.validate_kernels(data="/none.parquet", layout="warploom")


def with_columns_of_operators(sweep):
    """The products of a sweep with a column for each of their fields, in place of the operators."""
    import pandas

    operators = [json.loads(text) for text in sweep["operator"]]
    chosen = [place for place, operator in enumerate(operators) if operator["family"] == "gemm"]
    fields = pandas.DataFrame([operators[place] for place in chosen])
    rest = sweep.iloc[chosen].drop(columns="operator").reset_index(drop=True)
    return pandas.concat([rest, fields], axis=1), sweep.iloc[chosen]


@unittest.skipUnless(has("pandas"), "pandas is not installed")
class LayoutsOfFrames(unittest.TestCase):
    def setUp(self):
        import pandas

        self.pandas = pandas
        self.sweep = pandas.read_csv(SWEEP, comment="#")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write_inputs(self.folder)

    def test_fields_of_operators_may_be_columns(self):
        spread, whole = with_columns_of_operators(self.sweep)
        self.assertEqual(
            figures(warploom.validate_kernels(data=spread)), figures(warploom.validate_kernels(data=whole))
        )

    def test_attention_may_be_three_numbers(self):
        operator = '{"family": "attention_decode", "heads": 32, "kv_heads": 8, "requests": [{"count": 8, '
        listed = [f'{operator}"query_tokens": 1, "context_tokens": {size}}}]}}' for size in (500, 900)]
        same = {"gpu": "h200", "latency_us": [20.0, 30.0]}
        sizes = {
            "family": "attention_decode",
            "heads": 32,
            "kv_heads": 8,
            "batch": 8,
            "context": [500, 900],
        }
        by_text = self.pandas.DataFrame({**same, "operator": listed})
        by_columns = self.pandas.DataFrame({**same, **sizes})
        self.assertEqual(
            figures(warploom.validate_kernels(data=by_columns)),
            figures(warploom.validate_kernels(data=by_text)),
        )

    @unittest.skipUnless(has("polars", "pyarrow"), "polars or pyarrow is not installed")
    def test_columns_of_other_libraries_are_the_same(self):
        import polars
        import pyarrow

        spread, whole = with_columns_of_operators(self.sweep)
        said = figures(warploom.validate_kernels(data=whole))
        for data in (polars.from_pandas(spread), pyarrow.Table.from_pandas(spread)):
            with self.subTest(type(data)):
                self.assertEqual(figures(warploom.validate_kernels(data=data)), said)

    def test_a_frame_trains_as_its_file(self):
        table = self.folder / "gpus.csv"
        fields = {"threads": 1, "output": self.folder / "trained"}
        try:
            by_file = warploom.train(layout="warploom", data=table, **fields)
        except NotImplementedError:
            self.skipTest("built without training")
        frame = self.pandas.read_csv(table)
        spread = with_columns_of_operators(frame)[0]
        for data in (frame, [frame[:300], frame[300:]], spread):
            by_frame = warploom.train(data=data, **fields)
            self.assertEqual(by_frame.families["gemm"]["held_out"], by_file.families["gemm"]["held_out"])

    def test_other_layouts_are_frames_too(self):
        product = {"M": [64, 128], "N": 4096, "K": 4096, "latency_us": [60.0, 70.0]}
        neusight = self.pandas.DataFrame(
            {"gpu": "H100", "op": "linear", "split": "train", "B": 1, **product}
        )
        path = self.folder / "table.csv"
        neusight.to_csv(path, index=False)
        self.assertEqual(
            figures(warploom.validate_kernels(layout="neusight", data=neusight, all_rows=True)),
            figures(warploom.validate_kernels(layout="neusight", data=path, all_rows=True)),
        )
        kinds = {
            "framework": "vllm",
            "version": "0.19.0",
            "kernel_source": "vllm",
            "gemm_dtype": "bfloat16",
        }
        table = self.pandas.DataFrame(
            {**kinds, "m": [64, 128], "n": 4096, "k": 4096, "latency_us": [20.0, 30.0], "n_samples": 1}
        )
        folder = self.folder / "published/gemm"
        folder.mkdir(parents=True)
        table.to_csv(folder / "h100_sxm.csv", index=False)
        said = warploom.validate_kernels(layout="aiconfigurator", data=folder.parent, all_rows=True)
        self.assertEqual(said.overall["rows"], 2)
        named = warploom.validate_kernels(
            layout="aiconfigurator", data={"gemm/h100_sxm": table}, all_rows=True
        )
        self.assertEqual(figures(named), figures(said))
        with self.assertRaisesRegex(ValueError, "without '..'"):
            warploom.validate_kernels(layout="aiconfigurator", data={"../gemm": table})

    def test_every_table_of_measurements_may_be_a_frame(self):
        frame = {name: self.pandas.read_csv(self.folder / f"{name}.csv") for name in INPUTS}
        llama = {"model": "Llama-3.1-8B", "gpu": "H200", "output": self.folder / "host.json"}
        for by_frame, by_file in (
            (
                warploom.validate_static(truth=frame["batches"], requests=frame["prompts"]),
                warploom.validate_static(
                    truth=self.folder / "batches.csv", requests=self.folder / "prompts.csv"
                ),
            ),
            (
                warploom.validate_concurrency(truth=frame["benchmarks"]),
                warploom.validate_concurrency(truth=self.folder / "benchmarks.csv"),
            ),
            (
                warploom.calibrate_host(steps=frame["steps"], **llama),
                warploom.calibrate_host(steps=self.folder / "steps.csv", **llama),
            ),
        ):
            self.assertEqual(by_frame.to_dict(), by_file.to_dict())

    def test_wrong_columns_and_cells_are_named(self):
        spread = with_columns_of_operators(self.sweep)[0]
        for wrong, words in (
            (self.sweep.rename(columns={"latency_us": "latency"}), "no column 'latency_us'.*'latency'"),
            (self.sweep.drop(columns="gpu"), "no column 'gpu'"),
            (self.sweep.assign(family="gemm"), "both of the columns 'operator' and 'family'"),
            (self.sweep.drop(columns="operator"), "neither of the columns"),
            (self.sweep.assign(latency_us="fast"), "row 0: latency_us is 'fast'"),
            (self.sweep.assign(latency_us=float("nan")), "row 0: latency_us is empty"),
            (self.sweep.assign(latency_us=-1.0), "latency_us"),
            (self.sweep.assign(colour=1), "unknown column 'colour'"),
            (spread.assign(colour=1), "colour"),
            (spread.assign(family=None), "row 0: family is empty"),
            (spread.assign(m="many"), "m"),
            (spread.assign(m=2.5), "m"),
            (spread.assign(m=self.pandas.Timestamp(0)), "row 0: m is "),
            (spread.assign(family="gem"), "gemm"),
        ):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                warploom.validate_kernels(data=wrong)
        for data, words in (
            (spread.assign(m=0), r"^data .a frame., row 0: column 'operator': 'm' is 0"),
            ([spread, spread.assign(gpu="H2000")], r"^data .a frame., row 0: unknown GPU 'H2000'"),
            ({"gemm/one": spread.assign(m=0)}, r"^data.'gemm/one'., row 0: column 'operator': 'm' is 0"),
        ):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                warploom.validate_kernels(data=data)
        with self.assertRaisesRegex(ValueError, "^samples .a frame.: has no column 'bm'"):
            warploom.tune_fit(gpu="H200", samples=self.pandas.DataFrame({"m": [1]}))
        damaged = self.folder / "damaged.parquet"
        damaged.write_bytes(b"PAR1 is not enough")
        if has("pyarrow"):
            with self.assertRaisesRegex(ValueError, "damaged.parquet: is no Parquet"):
                warploom.validate_kernels(data=damaged)


class FramesOut(unittest.TestCase):
    def answers(self):
        return [
            warploom.predict("gemm", gpu="H200", m=64, n=4096, k=4096),
            warploom.predict("gemm", gpu="H200", m=np.array([64, 8]), n=4096, k=4096),
            warploom.step(**LLAMA, decode="8x100"),
            warploom.static(**LLAMA, batch=2, input_tokens=100, output_tokens=4),
            warploom.diagnose(**LLAMA, batch=2, input_tokens=100, output_tokens=4),
            warploom.simulate(**LLAMA, requests=20, details=True),
            warploom.plan(
                model="Llama-3.1-8B",
                gpu_names=["H100-SXM", "H200"],
                rate=5,
                random_input_len=300,
                random_output_len=50,
                slo=["ttft_p95_ms=800"],
                requests=50,
            ),
            warploom.plans(file=ROOT / "tests/fixtures/plans/two_plans.yaml"),
            warploom.validate_kernels(data=SWEEP, layout="warploom"),
            warploom.validate_serving(run=f"{RUN}.json", requests=f"{RUN}.csv.gz"),
            warploom.moe_config(model="Qwen3-30B-A3B", gpu="H200"),
            warploom.support(supported_models=["Llama-3.1-8B"]),
            warploom.prices(),
            warploom.gpus(),
            warploom.models(),
        ]

    def test_every_answer_has_a_kind_rows_and_a_page(self):
        kinds = set()
        for answer in self.answers():
            kinds.add(type(answer).__name__)
            rows = answer.rows()
            self.assertTrue(rows)
            self.assertIn("<table>", answer._repr_html_())
            for method, package in (
                ("to_pandas", "pandas"),
                ("to_polars", "polars"),
                ("to_arrow", "pyarrow"),
            ):
                if has(package):
                    self.assertEqual(len(getattr(answer, method)()), len(rows))
        self.assertNotIn("Answer", kinds)
        self.assertEqual(len(kinds), 15)

    def test_answers_of_measured_data_have_them_too(self):
        asked = {"gpu": "H200", "samples": [str(ANCHORS)], "output": "@out/gemm.wlt"}
        table = ("tune fit", "tune_fit", asked)
        with tempfile.TemporaryDirectory() as out:
            write_inputs(out)
            for _, request, fields in (table, *reading_requests(), *training_requests()):
                function = getattr(warploom, "import_" if request == "import" else request)
                with self.subTest(request):
                    try:
                        answer = function(**{name: placed(value, out) for name, value in fields.items()})
                    except NotImplementedError as missing:
                        self.assertIn("training", str(missing))
                        continue
                    self.assertNotEqual(type(answer).__name__, "Answer")
                    self.assertEqual(list(answer.to_dict()), list(answer))
                    self.assertTrue(answer.rows())
                    self.assertIn("<table>", answer._repr_html_())
                    for method, package in (("to_pandas", "pandas"), ("to_polars", "polars")):
                        if has(package):
                            self.assertEqual(len(getattr(answer, method)()), len(answer.rows()))
                    if has("matplotlib") and hasattr(answer, "plot"):
                        self.check_plot(answer.plot())

    def check_plot(self, axes):
        import matplotlib

        matplotlib.use("Agg")
        self.assertTrue(axes.get_xlabel() or axes.get_ylabel())
        self.assertTrue(axes.has_data())
        matplotlib.pyplot.close(axes.figure)

    def test_rows_of_arrays_are_their_columns(self):
        many = warploom.predict("gemm", gpu="H200", m=[64, 8], n=4096, k=4096)
        self.assertEqual([row["m"] for row in many.rows()], [64, 8])
        self.assertEqual(many.rows()[1]["p50_us"], many.p50_us[1])
        self.assertIn(many.rows()[0]["tier"], many.tiers)
        self.assertEqual(many.in_step.dtype, bool)

    @unittest.skipUnless(has("pyarrow"), "pyarrow is not installed")
    def test_parquet_comes_back(self):
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as folder:
            for answer in (
                warploom.step(**LLAMA, decode="8x100"),
                warploom.predict("gemm", gpu="H200", m=[1, 2], n=64, k=64),
            ):
                answer.to_parquet(path := Path(folder) / "rows.parquet")
                self.assertEqual(
                    pyarrow.parquet.read_table(path).to_pylist(), answer.to_arrow().to_pylist()
                )

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
    def test_plots_have_labels(self):
        import matplotlib

        matplotlib.use("Agg")
        drawn = 0
        for answer in self.answers():
            if not hasattr(answer, "plot"):
                continue
            self.check_plot(answer.plot())
            drawn += 1
        self.assertGreaterEqual(drawn, 8)


if __name__ == "__main__":
    unittest.main()
