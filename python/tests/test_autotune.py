"""@warploom.autotune without a GPU: a kernel that records its launches, and times that are given."""
import multiprocessing
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from warploom.autotune import TunedKernel, bench_of, source_of  # noqa: E402
from warploom.decisions import Decisions  # noqa: E402
from warploom.trials import Trials  # noqa: E402

try:
    import triton
except ImportError:
    triton = None


class Config:
    def __init__(self, block, pre_hook=None):
        self.block, self.pre_hook = block, pre_hook

    def all_kwargs(self):
        return {"BLOCK": self.block}

    def __str__(self):
        return f"BLOCK: {self.block}"


class Kernel:
    arg_names, src = ["x", "M", "BLOCK"], "def kernel(x, M, BLOCK): pass"

    def __init__(self):
        self.launched = []

    def run(self, *args, grid, warmup, BLOCK):
        self.launched.append(BLOCK)


def tuned(folder, times, gpu="a GPU", **options):
    kernel = Kernel()

    def bench(call):
        call()
        return times[kernel.launched[-1]]
    configs = [Config(block) for block in times]
    options.update(trials=Trials(kernel, bench=bench), folder=folder, identity=(gpu, "3.6"))
    return TunedKernel(kernel, configs, ["M"], **options)


def decide_in_process(folder, rank, results):
    decisions = Decisions(Path(folder) / "shared.json", {"kernel": "k"})
    results.put(decisions.decide("(64,)", lambda: f"rank {rank}"))


class InScratchFolder(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = self.scratch.name


class Stored(InScratchFolder):
    def test_ranks_agree_on_one_decision(self):
        context = multiprocessing.get_context("fork")
        results = context.Queue()
        ranks = [context.Process(target=decide_in_process, args=(self.folder, rank, results))
                 for rank in range(4)]
        for rank in ranks:
            rank.start()
        choices = {results.get(timeout=20) for _ in ranks}
        for rank in ranks:
            rank.join()
        self.assertEqual(len(choices), 1)

    def test_damaged_or_foreign_files_count_as_empty(self):
        path = Path(self.folder) / "d.json"
        foreign = '{"schema": "warploom_decisions", "version": 1, "identity": 1, "entries": {}}'
        for text in ("{", "[]", foreign):
            path.write_text(text)
            self.assertEqual(Decisions(path, {"kernel": "k"}).decide("a", lambda: "chosen"), "chosen")
            self.assertEqual(Decisions(path, {"kernel": "k"}).read(), {"a": "chosen"})


@unittest.skipIf(triton is None, "Triton is not installed: the decorator was not looked at")
class Tuning(InScratchFolder):
    def test_measures_a_key_once_and_then_looks_up(self):
        kernel = tuned(self.folder, {16: 3.0, 32: 1.0, 64: 2.0})
        for _ in range(3):
            kernel[(1,)](None, 100)
        self.assertEqual((kernel.measured, kernel.kernel.launched), (1, [16, 32, 64, 32, 32, 32]))
        again = tuned(self.folder, {16: 3.0, 32: 1.0, 64: 2.0})
        again[(1,)](None, 100)
        self.assertEqual((again.measured, again.kernel.launched), (0, [32]))
        again[(1,)](None, 101)
        self.assertEqual(again.measured, 1)

    def test_another_gpu_or_list_is_measured_anew(self):
        tuned(self.folder, {16: 3.0, 32: 1.0})[(1,)](None, 100)
        other = tuned(self.folder, {16: 1.0, 32: 3.0}, gpu="another GPU")
        other[(1,)](None, 100)
        self.assertEqual(other.kernel.launched[-1], 16)
        longer = tuned(self.folder, {16: 3.0, 32: 2.0, 64: 1.0})
        longer[(1,)](None, 100)
        self.assertEqual(longer.kernel.launched[-1], 64)

    def test_near_ties_go_to_the_first(self):
        kernel = tuned(self.folder, {16: 1.01, 32: 1.0})
        kernel[(1,)](None, 100)
        self.assertEqual(kernel.kernel.launched[-1], 16)

    def test_prunes_as_triton_does(self):
        prune = {"perf_model": lambda BLOCK, **_: -BLOCK, "top_k": 1}
        kernel = tuned(self.folder, {16: 1.0, 32: 2.0}, prune=prune)
        kernel[(1,)](None, 100)
        self.assertEqual(kernel.kernel.launched, [32, 32])

    def test_refuses_an_empty_list_and_an_unknown_key(self):
        with self.assertRaisesRegex(ValueError, "no configuration"):
            TunedKernel(Kernel(), [], ["M"])
        with self.assertRaisesRegex(ValueError, "no argument Q"):
            TunedKernel(Kernel(), [Config(16)], ["Q"])

    def test_decorates_a_jit_function_with_tritons_configurations(self):
        import warploom

        source = Path(self.folder) / "kernel_of_test.py"
        source.write_text("import triton\nimport triton.language as tl\n"
                          "@triton.jit\ndef copy(x, M, BLOCK: tl.constexpr):\n    pass\n")
        sys.path.insert(0, self.folder)
        from kernel_of_test import copy
        configs = [triton.Config({"BLOCK": block}, num_warps=4) for block in (16, 32)]
        kernel = warploom.autotune(configs=configs, key=["M"])(copy)
        self.assertEqual(kernel.arg_names, ["x", "M", "BLOCK"])
        self.assertNotEqual(str(configs[0]), str(configs[1]))


class Value:
    """A tensor of one number."""
    dtype = "f32"

    def __init__(self, number):
        self.number = number

    def clone(self):
        return Value(self.number)

    def copy_(self, other):
        self.number = other.number

    def zero_(self):
        self.number = 0


class Adding(Kernel):
    def run(self, x, *args, grid, warmup, BLOCK):
        super().run(x, *args, grid=grid, warmup=warmup, BLOCK=BLOCK)
        x.number += 1


@unittest.skipIf(triton is None, "Triton is not installed: hooks of measured keys were not looked at")
class Hooks(InScratchFolder):
    def launched_on(self, number, **options):
        kernel, value = Adding(), Value(number)

        def bench(call):
            call()
            call()
            return 1.0
        trials = Trials(kernel, bench=bench, **options)
        tuned = TunedKernel(kernel, [Config(16), Config(32)], ["M"], None, trials, self.folder,
                            ("a GPU", "3.6"))
        tuned[(1,)](value, 100)
        return value.number

    def test_values_are_zeroed_or_restored_before_the_launch_that_counts(self):
        self.assertEqual(self.launched_on(5, reset=["x"]), 1)

    def test_restored_values_are_as_they_were(self):
        self.assertEqual(self.launched_on(5, restore=["x"]), 6)

    def test_the_callers_hooks_take_the_place_of_resetting(self):
        heard = []
        self.launched_on(5, pre_hook=lambda named, reset_only=False: heard.append(reset_only),
                         post_hook=lambda named, exception: heard.append(exception))
        self.assertEqual(heard, [False, None] * 4 + [True])


class Timing(unittest.TestCase):
    def test_bench_is_chosen_as_triton_does(self):
        self.assertIsNone(bench_of(None, None, False, None))
        self.assertIs(bench_of(5, 5, True, len), len)
        fake = mock.MagicMock()
        with mock.patch.dict(sys.modules, {"triton": fake}):
            bench_of(5, None, False, None)("call")
            bench_of(None, 7, True, None)("call")
        fake.testing.do_bench.assert_called_once_with("call", warmup=5, rep=100)
        fake.testing.do_bench_cudagraph.assert_called_once_with("call", rep=7)

    def test_the_source_below_decorators_is_what_counts(self):
        class Heuristics:
            def __init__(self, fn):
                self.fn = fn
        self.assertEqual(source_of(Heuristics(Heuristics(Kernel()))), Kernel.src)


if __name__ == "__main__":
    os.environ.pop("TRITON_CACHE_DIR", None)
    unittest.main()
