"""warploom.onboard's kernels one by one, without a GPU: which, in what order, the file, going on."""

import json
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.onboard import kernel_plan  # noqa: E402
from warploom.onboard.kernel_sweep import KernelSweep, Timed, timed_calls  # noqa: E402


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
        def timed(entry):
            again.append(entry)
            return Timed("linear", 1.0, 5)

        said = sweep.run(planned, timed, time.monotonic() + 60)
        self.assertEqual(said, [])
        self.assertEqual(len(again), len(planned) - 3)
        self.assertEqual(calls, [entry for entry in planned if entry not in again])

    def test_begins_none_after_its_time_and_says_how_many(self):
        planned = kernel_plan.products([(64, 32)], "bf16", 64)
        said = self.sweep().run(planned, self.fail, time.monotonic() - 1)
        self.assertEqual(said, [f"{len(planned)} kernels were not begun in time"])

    def test_another_version_in_the_folder_is_refused(self):
        sweep = self.sweep()
        planned = kernel_plan.products([(64, 32)], "bf16", 1)
        sweep.run(planned, lambda _: Timed("linear", 1.0, 5), time.monotonic() + 9)
        with self.assertRaisesRegex(ValueError, "of H200 vllm 0.33.0, these are of H200 vllm 0.34"):
            self.sweep("0.34")

    def test_the_time_of_a_call_is_the_median_over_replays(self):
        times = iter([5000.0, 9.0, 3.0, 4.0, 5.0, 1.0])
        clock = types.SimpleNamespace(captured=lambda calls: calls, queued_us=lambda *_: next(times))
        self.assertEqual(timed_calls("k", [lambda: None], clock), Timed("k", 4.0, 5))

    def test_short_calls_follow_one_another_so_often_that_the_start_of_a_graph_is_little(self):
        launch, of_one, graphs = 10.0, 5.0, []

        def captured(calls):
            graphs.append(len(calls))
            return calls

        def queued_us(graph, calls):
            return launch / calls + of_one

        clock = types.SimpleNamespace(captured=captured, queued_us=queued_us)
        timed = timed_calls("k", [lambda: None] * 2, clock)
        self.assertEqual(graphs, [2, 64])
        self.assertLess(timed.us, 1.05 * of_one)


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

    def test_is_enough_of_each_family_to_learn_from_with_a_small_cache_too(self):
        for budget, tokens in ((8192, 400_000), (2048, 30_000)):
            planned = self.planned(budget=budget, tokens=tokens)
            for family in ("gemm", "moe", "attention_prefill", "attention_decode"):
                count = sum(entry["family"] == family for entry in planned)
                self.assertGreaterEqual(count, 60, family)  # kFewestRowsForTrees of the predictor's training
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


if __name__ == "__main__":
    unittest.main()
