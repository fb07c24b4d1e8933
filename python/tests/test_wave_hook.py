"""@warploom.autotune on wave tables, without a GPU: tensors that have only sizes, times from a formula."""
import contextlib
import io
import math
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from warploom import anchors, calls, grids, program, ranks, tiling, wave_hook  # noqa: E402
from warploom.autotune import TunedKernel  # noqa: E402
from warploom.table import find_library  # noqa: E402
from warploom.trials import Trials  # noqa: E402


class Tensor:
    """Sizes, strides and a type; what calls.tensor_like makes of it is another one."""

    def __init__(self, *sizes, order=None, dtype="bf16"):
        self.shape, self.dtype = sizes, dtype
        steps, one = {}, 1
        for place in reversed(order or range(len(sizes))):
            steps[place] = one
            one *= sizes[place]
        self.steps = tuple(steps[place] for place in range(len(sizes)))

    def stride(self, place):
        return self.steps[place]

    def element_size(self):
        return 2


def like(tensor, sizes):
    order = sorted(range(len(sizes)), key=lambda place: (-tensor.stride(place), place))
    return Tensor(*sizes, order=order)


class Config:
    def __init__(self, m, n, k, warps=4, stages=3, **more):
        self.meta = {"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, **more}
        self.warps, self.stages, self.pre_hook = warps, stages, None

    def all_kwargs(self):
        return {**self.meta, "num_warps": self.warps, "num_stages": self.stages}

    def __str__(self):
        return str(self.all_kwargs())


CONFIGS = [Config(128, 128, 64, 8), Config(64, 64, 64), Config(16, 64, 64), Config(128, 64, 64)]


class Matmul:
    """As Triton's tutorial declares it."""
    arg_names = ["a_ptr", "b_ptr", "c_ptr", "M", "N", "K", "stride_am", "stride_ak", "stride_bk", "stride_bn",
                 "stride_cm", "stride_cn", "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "ACTIVATION"]
    src = "def matmul(...): pass"

    def __init__(self):
        self.launches = []

    def run(self, *args, grid, warmup, **kwargs):
        self.launches.append((grid, {**dict(zip(self.arg_names, args)), **kwargs}))


def arguments(m, n, k, b_order=(0, 1)):
    a, b, c = Tensor(m, k), Tensor(k, n, order=b_order), Tensor(m, n)
    return (a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1))


def grid_of(m, n):
    return lambda meta: (grids.cdiv(m, meta["BLOCK_SIZE_M"]) * grids.cdiv(n, meta["BLOCK_SIZE_N"]),)


def time_of(tile, shape):
    """Microseconds of a kernel whose SMs take one tile at a time; tiles of 64 x 64 do best on its loops."""
    waves = math.ceil(grids.cdiv(shape[0], tile[0]) * grids.cdiv(shape[1], tile[1]) / 132)
    step = 0.05 + tile[0] * tile[1] * tile[2] * 4e-7
    return 2 + waves * (1 + step * grids.cdiv(shape[2], tile[2]))


class Simulated:
    """Stands for wave_hook.measure: writes the formula's times, and looks at one call of each shape."""

    def __init__(self, factor=lambda tile, shape: 1.0):
        self.factor, self.subject, self.rows, self.found = factor, None, [], 0

    def __call__(self, subject, rows, path, seconds):
        self.subject, self.rows = subject, rows
        self.found = len(Path(path).read_text().splitlines()) if Path(path).exists() else 0
        for tile, shape in rows[:: max(1, len(rows) // 50)]:
            subject.call((shape, subject.form.at(*subject.numbers_at(shape))), tile)
        lines = ["bm,bn,bk,warps,stages,split_k,m,n,k,median_us,low_us"]
        for tile, shape in rows:
            us = time_of(tile, shape) * self.factor(tile, shape)
            lines.append(",".join(map(str, [*tile, *shape, us, us])))
        Path(path).write_text("\n".join(lines) + "\n")
        return True


def have_program():
    try:
        find_library()
        return bool(program.find_program())
    except FileNotFoundError:
        return False


class Hooked(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder, self.simulated = scratch.name, Simulated()
        for target, name, value in ((calls, "tensor_like", like), (wave_hook, "measure", self.measure),
                                    (wave_hook, "device_limits", lambda: (132, 10**12))):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def measure(self, *words):
        return self.simulated(*words)

    def tuned(self, configs=CONFIGS, **options):
        kernel = Matmul()
        trials = Trials(kernel, bench=lambda call: call() or 1.0)
        identity = ("NVIDIA H200", "3.6")
        return TunedKernel(kernel, configs, ["M", "N", "K"], None, trials, self.folder, identity, **options)


@unittest.skipUnless(have_program(), "warploom or libwarploom.so is not built: tables were not looked at")
class Tables(Hooked):
    def run_quietly(self, kernel, *shape):
        heard = io.StringIO()
        with contextlib.redirect_stderr(heard):
            kernel[grid_of(*shape[:2])](*arguments(*shape))
        return heard.getvalue()

    def test_any_shape_is_looked_up_after_one_profile(self):
        kernel = self.tuned()
        self.run_quietly(kernel, 4096, 4096, 4096)
        self.assertEqual((kernel.profiled, kernel.measured), (1, 0))
        shares = []
        for shape in [(8, 4096, 4096), (100, 512, 1024), (777, 3072, 512), (5000, 8192, 2048)]:
            self.run_quietly(kernel, *shape)
            _, named = kernel.kernel.launches[-1]
            picked = (named["BLOCK_SIZE_M"], named["BLOCK_SIZE_N"], named["BLOCK_SIZE_K"])
            best = min(time_of(tiling_tile(config), shape) for config in CONFIGS)
            shares.append(best / time_of(picked, shape))
        self.assertEqual((kernel.profiled, kernel.measured), (1, 0))
        self.assertGreater(min(shares), 0.93)

    def test_another_process_only_looks_up_and_a_damaged_table_is_made_anew(self):
        self.run_quietly(self.tuned(), 4096, 4096, 4096)
        second = self.tuned()
        self.run_quietly(second, 333, 4096, 4096)
        self.assertEqual(second.profiled, 0)
        table = next(Path(self.folder).glob("*.wlt"))
        table.write_bytes(table.read_bytes()[:1000])
        third = self.tuned()
        self.assertIn("profiling anew", self.run_quietly(third, 333, 4096, 4096))
        self.assertEqual(third.profiled, 1)

    def test_made_up_calls_have_matching_grids_sizes_and_strides(self):
        kernel = self.tuned()
        self.run_quietly(kernel, 4096, 4096, 4096)
        self.assertGreater(len(kernel.kernel.launches), 40)
        for grid, named in kernel.kernel.launches[:-1]:
            m, n, k = named["M"], named["N"], named["K"]
            expected = grid_of(m, n)(named)
            self.assertEqual(grid, expected)
            self.assertEqual((named["a_ptr"].shape, named["b_ptr"].shape, named["c_ptr"].shape),
                             ((m, k), (k, n), (m, n)))
            self.assertEqual((named["stride_am"], named["stride_ak"], named["stride_bk"], named["stride_bn"],
                              named["stride_cm"], named["stride_cn"]), (k, 1, n, 1, n, 1))

    def test_the_order_of_strides_is_kept(self):
        kernel = self.tuned()
        with contextlib.redirect_stderr(io.StringIO()):
            kernel[grid_of(512, 512)](*arguments(512, 512, 512, b_order=(1, 0)))
        _, named = kernel.kernel.launches[0]
        self.assertEqual((named["stride_bk"], named["stride_bn"]), (1, named["K"]))

    def test_kernels_that_the_formula_does_not_describe_are_measured(self):
        self.simulated = Simulated(lambda tile, shape: 30.0 if sum(shape) // 16 % 3 else 1.0)
        kernel = self.tuned()
        kernel._measured = lambda named, *rest: CONFIGS[2]
        self.assertIn("each key is measured", self.run_quietly(kernel, 4096, 4096, 4096))
        self.assertEqual(kernel.kernel.launches[-1][1]["BLOCK_SIZE_M"], 16)

    def test_early_pruning_holds_for_looked_up_shapes(self):
        kernel = self.tuned()
        kernel.prune = {"early_config_prune": lambda configs, named, **_: [
            config for config in configs if config.meta["BLOCK_SIZE_M"] <= named["M"]]}
        self.run_quietly(kernel, 4096, 4096, 4096)
        for tile, shape in self.simulated.rows:
            self.assertLessEqual(tile[0], shape[0])
        self.run_quietly(kernel, 20, 4096, 4096)
        self.assertEqual(kernel.kernel.launches[-1][1]["BLOCK_SIZE_M"], 16)

    def test_another_type_has_a_table_of_its_own(self):
        kernel = self.tuned()
        self.run_quietly(kernel, 4096, 4096, 4096)
        other = [Tensor(*value.shape, dtype="fp16") if isinstance(value, Tensor) else value
                 for value in arguments(512, 512, 512)]
        with contextlib.redirect_stderr(io.StringIO()):
            kernel[grid_of(512, 512)](*other)
        self.assertEqual(kernel.profiled, 2)

    def test_rows_that_wide_loads_cannot_read_have_anchors_and_a_table_of_their_own(self):
        # Narrow loads of the small tile take five times as long: the large one is then the best.
        self.simulated = Simulated(lambda tile, shape: 5.0 if shape[2] % 16 and tile[0] == 64 else 1.0)
        kernel = self.tuned()
        self.run_quietly(kernel, 4096, 4096, 4096)
        wide = len(self.simulated.rows)
        self.assertFalse(any(shape[2] % 16 for _, shape in self.simulated.rows))
        self.run_quietly(kernel, 512, 1024, 2048)
        self.assertEqual((kernel.kernel.launches[-1][1]["BLOCK_SIZE_M"], kernel.profiled), (64, 1))
        self.run_quietly(kernel, 512, 1024, 2047)
        self.assertEqual(kernel.profiled, 2)
        self.assertNotEqual(kernel.kernel.launches[-1][1]["BLOCK_SIZE_M"], 64)
        self.assertEqual(self.simulated.found, wide + 1)  # goes on from what was measured of wide rows
        self.assertGreater(sum(shape[2] % 16 > 0 for _, shape in self.simulated.rows), 8 * len(CONFIGS))
        self.run_quietly(kernel, 777, 3072, 1111)
        self.assertEqual(kernel.profiled, 2)

    def test_nodes_without_a_shared_disk_take_one_ranks_table(self):
        store, results = Store(), []
        with mock.patch.object(ranks, "distributed_store", lambda: store), \
                tempfile.TemporaryDirectory() as other:
            for folder in (self.folder, other):
                kernel = self.tuned()
                kernel.folder = folder
                self.run_quietly(kernel, 4096, 4096, 4096)
                results.append((kernel.profiled, next(Path(folder).glob("*.wlt")).read_bytes()))
        self.assertEqual([profiled for profiled, _ in results], [1, 0])
        self.assertEqual(results[0][1], results[1][1])


def tiling_tile(config):
    return tuple(config.meta[name] for name in ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K"))


class Store:
    """What warploom.ranks asks of torch.distributed's store."""

    def __init__(self):
        self.values, self.counts, self.changed = {}, {}, threading.Condition()

    def add(self, key, amount):
        with self.changed:
            self.counts[key] = self.counts.get(key, 0) + amount
            return self.counts[key]

    def set(self, key, value):
        with self.changed:
            self.values[key] = value
            self.changed.notify_all()

    def wait(self, keys, timeout):
        with self.changed:
            if not self.changed.wait_for(lambda: keys[0] in self.values, timeout.total_seconds()):
                raise RuntimeError("timeout")

    def get(self, key):
        return self.values[key]


class Ranks(unittest.TestCase):
    def test_one_rank_decides_and_a_failure_is_told(self):
        store, asked, answers = Store(), [], []

        def rank(number):
            def decide():
                asked.append(number)
                return b"chosen"
            answers.append(ranks.decided_once("a", decide, store))
        threads = [threading.Thread(target=rank, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(asked), answers), (1, [b"chosen"] * 6))
        with self.assertRaises(KeyError):
            ranks.decided_once("b", lambda: {}["missing"], store)
        self.assertIsNone(ranks.decided_once("b", lambda: b"never", store))

    def test_a_rank_that_never_answers_is_given_up(self):
        store = Store()
        store.add("warploom/c/asked", 1)
        with mock.patch.object(ranks, "WAIT_SECONDS", 0.01):
            self.assertIsNone(ranks.decided_once("c", lambda: b"never", store))


class WithoutATable(Hooked):
    def test_names_that_say_nothing_and_tile_false_measure_each_key(self):
        self.assertIsNone(self.tuned(tile=False).tile)
        self.assertIsNone(tiling.recognise(["x", "n_elements", "BLOCK_SIZE"], ["BLOCK_SIZE"]))

    def test_nothing_is_measured_while_a_graph_is_captured(self):
        kernel = self.tuned()
        with mock.patch("warploom.autotune.capturing", lambda: True):
            kernel[grid_of(512, 512)](*arguments(512, 512, 512))
        self.assertEqual((kernel.kernel.launches[-1][1]["BLOCK_SIZE_M"], kernel.profiled), (128, 0))
        self.assertEqual(kernel._known, {})

    def test_an_unclear_call_is_measured_and_the_next_is_looked_at_again(self):
        kernel = self.tuned()
        kernel._measured = lambda named, *rest: CONFIGS[1]
        heard = io.StringIO()
        with contextlib.redirect_stderr(heard):
            for n in (4096, 2048):
                kernel[lambda meta: (1, grids.cdiv(n, meta["BLOCK_SIZE_N"]))](*arguments(1, n, 512))
        self.assertEqual(heard.getvalue().count("warploom:"), 1)
        self.assertIn("several ways", heard.getvalue())
        self.assertIsNotNone(kernel.tile)

    def test_a_persistent_grid_is_refused(self):
        heard = io.StringIO()
        kernel = self.tuned()
        kernel._measured = lambda named, *rest: CONFIGS[1]
        with contextlib.redirect_stderr(heard):
            kernel[lambda meta: (132,)](*arguments(4096, 4096, 512))
        self.assertIn("no product of tile counts", heard.getvalue())

    def test_tiles_that_differ_in_what_the_table_cannot_see_are_measured(self):
        kernel = self.tuned([Config(64, 64, 64, GROUP_SIZE_M=1), Config(64, 64, 64, GROUP_SIZE_M=8)])
        kernel._measured = lambda named, *rest: kernel.configs[1]
        heard = io.StringIO()
        with contextlib.redirect_stderr(heard):
            kernel[grid_of(512, 512)](*arguments(512, 512, 512))
        self.assertIn("the same tiles", heard.getvalue())


class Reading(unittest.TestCase):
    def layout(self, m, n, grid, blocks=((64, 64, 1), (128, 64, 2), (32, 256, 4))):
        known = tiling.Tiling(split_k="SPLIT_K")
        seen = [(grids.counts(known, {"m": m, "n": n}, (bm, bn, 64, 4, 3, split)),
                 grid(grids.cdiv(m, bm), grids.cdiv(n, bn), split)) for bm, bn, split in blocks]
        return grids.read_layout(known, seen)

    def test_grids(self):
        self.assertEqual(self.layout(512, 1024, lambda tm, tn, s: (tm * tn, s)), (("tm", "tn"), ("s",)))
        self.assertEqual(self.layout(512, 1024, lambda tm, tn, s: (tn, tm, s)), (("tn",), ("tm",), ("s",)))
        self.assertEqual(self.layout(512, 1024, lambda tm, tn, s: (tm * tn * s,)), (("tm", "tn", "s"),))
        with self.assertRaises(grids.UnclearCall):
            self.layout(512, 1024, lambda tm, tn, s: (tm * tn + 1, s))
        with self.assertRaises(grids.UnclearCall):
            self.layout(1, 1024, lambda tm, tn, s: (tm, tn, s))

    def test_attention_of_the_tutorial(self):
        names = ["Q", "K", "V", "sm_scale", "M", "Out", "stride_qz", "stride_qh", "stride_qm", "stride_qk",
                 "Z", "H", "N_CTX", "HEAD_DIM", "BLOCK_M", "BLOCK_N", "STAGE"]
        known = tiling.recognise(names, ["BLOCK_M", "BLOCK_N"])
        self.assertEqual((known.kind, known.m, known.n, known.k, known.head_dim, known.causal),
                         ("attention", "N_CTX", "N_CTX", ("Z", "H"), "HEAD_DIM", "STAGE"))
        q = Tensor(4, 8, 1024, 64)
        named = {"Q": q, "K": q, "V": q, "sm_scale": 0.1, "M": Tensor(4, 8, 1024), "Out": q,
                 "stride_qz": 8 * 65536, "stride_qh": 65536, "stride_qm": 64, "stride_qk": 1, "Z": 4, "H": 8,
                 "N_CTX": 1024,
                 "HEAD_DIM": 64, "STAGE": 3}
        self.assertEqual((known.shape(named), known.is_causal(named)), ((1024, 1024, 32), True))
        with mock.patch.object(calls, "tensor_like", like):
            form = calls.CallForm(known, named, wave_hook.symbols_of(known, named))
            made = form.at(*wave_hook.numbers_for(known, named)((256, 256, 16)))
        self.assertEqual((made["Z"], made["H"], made["N_CTX"]), (2, 8, 256))
        self.assertEqual((made["Q"].shape, made["M"].shape), ((2, 8, 256, 64), (2, 8, 256)))
        self.assertEqual((made["stride_qz"], made["stride_qh"], made["stride_qm"], made["stride_qk"]),
                         (8 * 256 * 64, 256 * 64, 64, 1))
        for _, (m, n, heads) in anchors.self_attention_anchors([(64, 64, 64, 4, 3, 1)], 132, 8):
            self.assertEqual((m, heads % 8), (n, 0))

    def test_what_runs_along_the_second_matrix_is_seen(self):
        for order, along in (((0, 1), True), ((1, 0), False)):
            named = dict(zip(Matmul.arg_names, arguments(512, 512, 512, b_order=order)))
            form = calls.CallForm(tiling.recognise(Matmul.arg_names, CONFIGS[0].meta), named,
                                  {"m": 512, "n": 512, "k": 512})
            self.assertEqual(form.b_along_n(), along)

    def test_packed_operands_are_unclear(self):
        named = {"a": Tensor(64, 128), "b": Tensor(16, 256), "c": Tensor(64, 256)}
        with self.assertRaisesRegex(grids.UnclearCall, "dimensions of b"):
            calls.CallForm(tiling.Tiling(), named, {"m": 64, "n": 256, "k": 128})

    def test_a_bias_reaches_whichever_size_it_had(self):
        named = {"a": Tensor(64, 128), "b": Tensor(128, 64), "c": Tensor(64, 64), "bias": Tensor(64)}
        form = calls.CallForm(tiling.Tiling(), named, {"m": 64, "n": 64, "k": 128})
        self.assertEqual(form.sizes_of("bias", {"m": 512, "n": 32, "k": 16}), (512,))


if __name__ == "__main__":
    unittest.main()
