"""warploom.onboard's kernels on rows, without a GPU: which, how they are called, their file."""

import json
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.onboard import row_plan, vllm_rows  # noqa: E402
from warploom.onboard.kernel_sweep import KernelSweep, Timed  # noqa: E402

FAMILIES = {"rmsnorm", "activation", "rope", "kv_write"}


def planned(schemes=("bf16",), budget=8192, name="llama-3.1-8b"):
    model = json.loads((ROOT / f"data/models/{name}.json").read_text())
    return row_plan.rows(model["config"], schemes, budget)


class RowPlanTest(unittest.TestCase):
    def test_begins_with_the_models_own_rows_of_every_kind(self):
        first = planned()[:4]
        self.assertEqual({entry["family"] for entry in first}, FAMILIES)
        self.assertEqual([entry.get("width") for entry in first], [4096, 14336, None, None])
        self.assertEqual((first[2]["heads"], first[2]["kv_heads"]), (32, 8))

    def test_each_is_once_and_fits_a_step(self):
        for budget in (512, 8192):
            entries = planned(("fp8_block", "bf16"), budget)
            self.assertEqual(len(entries), len({json.dumps(entry, sort_keys=True) for entry in entries}))
            largest = max(entry.get("tokens") or entry["rows"] for entry in entries)
            self.assertEqual(largest, budget)

    def test_block_scaled_rows_are_quantised_too(self):
        kinds = {(each["family"], each.get("quantised")) for each in planned(("fp8_block", "bf16"))}
        blocks = {("rmsnorm", "fp8_block"), ("activation", "fp8_block"), ("quantize", "fp8_block")}
        self.assertEqual(kinds - {(family, None) for family in FAMILIES}, blocks)
        self.assertFalse(any("quantised" in each for each in planned()))

    def test_a_model_that_says_little_has_the_general_rows(self):
        entries = row_plan.rows({}, ["bf16"], 64)
        self.assertEqual({entry["family"] for entry in entries}, FAMILIES)


class VllmRowsTest(unittest.TestCase):
    def setUp(self):
        self.compiled, self.called = [], []

        def compiled(function, **_):
            self.compiled.append(function)
            return lambda *arguments: self.called.append(arguments)

        torch = types.ModuleType("torch")
        torch.compile = compiled
        torch._dynamo = types.SimpleNamespace(
            maybe_mark_dynamic=lambda *_: None,
            config=types.SimpleNamespace(patch=lambda **_: mock.MagicMock()),
        )
        torch.inference_mode = lambda: mock.MagicMock()
        torch.arange = lambda count, **_: [count]
        layers = types.ModuleType("vllm.model_executor.layers.activation")
        layers.SiluAndMul = types.SimpleNamespace(forward_native=lambda x: x)
        operations = types.ModuleType("vllm._custom_ops")
        operations.silu_and_mul_per_block_quant = lambda *words: self.called.append(words)
        vllm = types.ModuleType("vllm")
        vllm._custom_ops = operations
        modules = {"torch": torch, "vllm": vllm, "vllm._custom_ops": operations}
        modules |= {"vllm.model_executor.layers.activation": layers}
        self.patch(mock.patch.dict(sys.modules, modules))
        self.patch(mock.patch.object(vllm_rows, "rows_of", lambda tokens, width: (tokens, width)))
        self.patch(mock.patch.object(vllm_rows, "fp8", lambda: "fp8"))
        self.patch(mock.patch.object(vllm_rows, "timed_calls", lambda kernel, calls: Timed(kernel, 3.0, 5)))
        self.rows = vllm_rows.VllmRows(types.SimpleNamespace(vllm_config=None))

    def patch(self, patch):
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_layer_is_compiled_once_for_all_numbers_of_tokens(self):
        entry = {"family": "activation", "width": 512}
        for tokens in (2, 64):
            self.assertEqual(self.rows.time(entry | {"tokens": tokens}).kernel, "silu_and_mul")
        self.assertEqual(len(self.compiled), 1)
        # The example has as many rows as any step, so that the number is left open.
        self.assertEqual(self.called, [((8192, 1024),), ((2, 1024),), ((64, 1024),)])

    def test_what_quantises_too_is_called_as_the_engines_passes_put_it(self):
        entry = {"family": "activation", "width": 512, "tokens": 64, "quantised": "fp8_block"}
        self.assertEqual(self.rows.time(entry).kernel, "silu_and_mul_per_block_quant")
        self.assertEqual(self.called, [((64, 1024), 128, "fp8", None, True)])


class RowFileTest(unittest.TestCase):
    def test_is_no_table_of_measurements(self):
        with tempfile.TemporaryDirectory() as folder:
            sweep = KernelSweep(folder, "H200", "vllm", "0.33.0", name="rows.csv")
            sweep.run(planned()[:2], lambda _: Timed("norm", 2.0, 5), time.monotonic() + 9)
            lines = Path(folder, "rows.csv").read_text().splitlines()
            self.assertEqual(lines[0], "gpu,framework,version,kernel,latency_us,n_samples,rows")
            again = KernelSweep(folder, "H200", "vllm", "0.33.0", name="rows.csv")
            self.assertEqual((len(lines), len(again.done)), (3, 2))


if __name__ == "__main__":
    unittest.main()
