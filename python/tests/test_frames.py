"""Frames and Parquet in and out of the package, and what answers show. PYTHONPATH holds the built package."""

import importlib.util
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import warploom

ROOT = Path(__file__).resolve().parents[2]
SWEEP = ROOT / "tests/fixtures/collector/h200/check/sweep.csv.gz"
RUN = ROOT / "tests/fixtures/engine/vllm_0_24_h200/serving/llama8b_light"
LLAMA = {"model": "Llama-3.1-8B", "gpu": "H100-SXM"}


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


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


class FramesOut(unittest.TestCase):
    def answers(self):
        return [
            warploom.predict("gemm", gpu="H200", m=64, n=4096, k=4096),
            warploom.predict("gemm", gpu="H200", m=np.array([64, 8]), n=4096, k=4096),
            warploom.step(**LLAMA, decode="8x100"),
            warploom.static(**LLAMA, batch=2, output_tokens=4),
            warploom.diagnose(**LLAMA, batch=2, output_tokens=4),
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
        self.assertEqual(len(kinds), 14)

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
            axes = answer.plot()
            self.assertTrue(axes.get_xlabel() or axes.get_ylabel())
            self.assertTrue(axes.has_data())
            matplotlib.pyplot.close(axes.figure)
            drawn += 1
        self.assertGreaterEqual(drawn, 8)


if __name__ == "__main__":
    unittest.main()
