"""The plugins' choice of attention's tiles: the choice itself, and under the engines' own launchers.

WARPLOOM_ENGINE_WHEELS: wheels of vLLM 0.33.0 and SGLang 0.5.23, parted by ":": their functions are run with
stand-ins of tensors and kernels; without them a transcription of their launches is.
"""

import json
import logging
import os
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import warploom
from warploom.seams import attention_tables, sglang_attention, vllm_attention, vllm_plugin
from warploom.seams.attention_tables import MARGIN, AttentionTables, Chosen, Launch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "tuned_files_truth"))
import engine_loaders  # noqa: E402

WHEELS = {
    Path(wheel).name.split("-")[0]: wheel
    for wheel in os.environ.get("WARPLOOM_ENGINE_WHEELS", "").split(":")
    if wheel
}
UNIFIED = "vllm/v1/attention/ops/triton_unified_attention.py"
LOG = logging.getLogger("attention test")
OWN = Chosen(16, 32, 4, 3)
DEVICE = "NVIDIA_H100_80GB_HBM3"
NAME = "head_dim=128,head_group=4,device_name=NVIDIA_H100_80GB_HBM3,{}.wlt"


class Listed:
    """A table whose times are given."""

    def __init__(self, times):
        self.times = times

    def timed(self, *_):
        return [((c.rows, c.keys, c.keys, c.warps, c.stages, 1), us) for c, us in self.times.items()]


def tables_of(times, kind="prefill"):
    with tempfile.TemporaryDirectory() as folder:
        tables = AttentionTables(Path(folder), DEVICE, LOG)
    tables._tables[128, 4, kind] = Listed(times)
    return tables


class Recorder:
    """A kernel that says what it was launched with."""

    def __init__(self):
        self.launches = []

    def __getitem__(self, grid):
        return lambda *args, **given: self.launches.append((grid, args, given))


class Tensor:
    dtype = "bf16"

    def __init__(self, *shape):
        self.shape, self.ndim = shape, len(shape)

    def stride(self, place=None):
        strides = [1]
        for size in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * size)
        return tuple(strides) if place is None else strides[place]

    def element_size(self):
        return 2

    def __len__(self):
        return self.shape[0]


class Choice(unittest.TestCase):
    LAUNCH = Launch(512, 4096, 1, 32)

    def choose(self, times, fits=lambda _: True, **launch):
        tables = tables_of(times, launch.pop("kind", "prefill"))
        return tables.choose(128, 4, self.LAUNCH, OWN, fits), tables.counts

    def test_what_is_faster_by_the_margin_is_taken(self):
        better = Chosen(64, 64, 4, 3)
        found, counts = self.choose({OWN: 100.0, better: 99 / (1 + MARGIN)})
        self.assertEqual((found, counts), (better, {"tuned": 1, "left_to_engine": 0}))
        found, counts = self.choose({OWN: 100.0, better: 101 / (1 + MARGIN)})
        self.assertEqual((found, counts), (OWN, {"tuned": 0, "left_to_engine": 1}))

    def test_what_does_not_fit_or_is_not_known_is_left(self):
        better, other = Chosen(64, 64, 4, 3), Chosen(32, 32, 4, 3)
        found, _ = self.choose({OWN: 100.0, better: 10.0, other: 50.0}, lambda one: one.rows < 64)
        self.assertEqual(found, other)
        self.assertEqual(self.choose({better: 10.0})[0], OWN)
        self.assertEqual(self.choose({OWN: 100.0, better: 10.0}, kind="decode")[0], OWN)

    def test_an_error_of_a_choice_is_left_to_the_engine_and_said_once(self):
        tables = tables_of({OWN: 1.0})
        tables._tables[128, 4, "prefill"] = None
        broken = types.SimpleNamespace(timed=mock.Mock(side_effect=RuntimeError("of a table")))
        tables._tables[128, 4, "prefill"] = broken
        with self.assertLogs(LOG, "INFO") as said:
            for _ in range(3):
                self.assertEqual(tables.choose(128, 4, self.LAUNCH, OWN, lambda _: True), OWN)
        self.assertEqual(sum("of a table" in line for line in said.output), 1)
        self.assertEqual(tables.counts, {"tuned": 0, "left_to_engine": 3})

    def test_tables_of_this_gpu_are_opened_and_others_are_said(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / NAME.format("prefill")
            warploom.tune_fit_cross_gpu(
                gpu="H100-SXM", kind="attention", head_group=4, causal=True, output=str(path)
            )
            tables = AttentionTables(Path(folder), DEVICE, LOG)
            self.assertEqual(len(tables), 1)
            chosen = tables.choose(128, 4, Launch(4096, 4096, 1, 32), OWN, lambda _: True)
            self.assertGreater(chosen.rows, OWN.rows)
            with self.assertLogs(LOG, "WARNING") as said:
                self.assertEqual(len(AttentionTables(Path(folder), "NVIDIA_L40S", LOG)), 0)
            self.assertIn("this GPU is NVIDIA_L40S", said.output[0])
            path.rename(path.with_name("head_dim=128.wlt"))
            with self.assertRaisesRegex(ValueError, "expected head_dim"):
                AttentionTables(Path(folder), DEVICE, LOG)
            (Path(folder) / "head_dim=128.wlt").rename(path)
            path.write_bytes(path.read_bytes()[:100])
            with self.assertRaises(ValueError):
                AttentionTables(Path(folder), DEVICE, LOG)
        with self.assertRaisesRegex(FileNotFoundError, "is no folder"):
            AttentionTables(Path("/none"), DEVICE, LOG)


PREFILL = {OWN: 100.0, Chosen(64, 64, 8, 2): 10.0}
DECODE = {
    Chosen(16, 16, 4, 3): 100.0,
    Chosen(64, 64, 8, 2): 5.0,
    Chosen(16, 16, 2, 2): 20.0,
}


def engine_of(kernel):
    """What stands around vLLM's unified_attention, so that it runs without a GPU."""
    platform = types.SimpleNamespace(
        is_device_capability_family=lambda _: False,
        get_device_name=lambda: "NVIDIA H100 80GB HBM3",
        fp8_dtype=lambda: "fp8",
    )
    modes = types.SimpleNamespace(**{
        name: types.SimpleNamespace(name=name, value=place)
        for place, name in enumerate(
            ("NONE", "INT4_PER_TOKEN_HEAD", "INT8_PER_TOKEN_HEAD", "FP8_PER_TOKEN_HEAD")
        )
    })  # fmt: skip
    triton = types.SimpleNamespace(
        cdiv=lambda a, b: -(-a // b), next_power_of_2=lambda a: 1 << (a - 1).bit_length()
    )
    return {
        "kernel_unified_attention": kernel,
        "reduce_segments": Recorder(),
        "current_platform": platform,
        "KVQuantMode": modes,
        "triton": triton,
        "torch": types.SimpleNamespace(Tensor=Tensor, finfo=lambda _: types.SimpleNamespace(min=0, max=1)),
        "is_batch_invariant": False,
        "float8_info": types.SimpleNamespace(min=0, max=1),
        "MAX_3D_QUERY_LEN": 8,
    }


class Vllm(unittest.TestCase):
    def launched(self, times, kind, tokens, sequences, **more):
        """The grid and arguments of one launch as vLLM 0.33's unified_attention makes it."""
        kernel = Recorder()
        tables = tables_of(times, kind)
        chosen = vllm_attention.UnifiedKernel(kernel, tables, more.pop("engine", types.SimpleNamespace()))
        if "vllm" in WHEELS:
            self.by_the_wheel(chosen, tokens, sequences, **more)
        else:
            self.transcribed(chosen, tokens, sequences, **more)
        (grid, args, given) = kernel.launches[0]
        self.assertEqual(args, ())
        return grid, given, tables.counts

    def by_the_wheel(self, kernel, tokens, sequences, use_td=False):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        import zipfile

        with zipfile.ZipFile(WHEELS["vllm"]) as archive:
            archive.extract(UNIFIED, folder.name)
        space = engine_of(kernel)
        names = ["_is_gemma3_attention", "_get_tile_size", "unified_attention"]
        unified = engine_loaders.functions(folder.name, UNIFIED, names, space).unified_attention
        queries, parts = Tensor(tokens, 32, 128), Tensor(64, 32, 16, 128)
        decode = tokens == sequences
        unified(
            q=queries, k=Tensor(100, 16, 8, 128), v=Tensor(100, 16, 8, 128), out=Tensor(tokens, 32, 128),
            cu_seqlens_q=Tensor(sequences + 1), max_seqlen_q=1 if decode else tokens // sequences,
            seqused_k=Tensor(sequences), max_seqlen_k=4096, softmax_scale=1.0, causal=True,
            window_size=(-1, -1), block_table=Tensor(sequences, 256), softcap=0, q_descale=None,
            k_descale=None, v_descale=None, seq_threshold_3D=16, num_par_softmax_segments=16,
            softmax_segm_output=parts, softmax_segm_max=parts, softmax_segm_expsum=parts, use_td=use_td,
            kv_quant_mode=space["KVQuantMode"].NONE,
        )  # fmt: skip

    def transcribed(self, kernel, tokens, sequences, use_td=False):
        decode = tokens == sequences
        parts = decode and -(-sequences // 1) <= 16
        grid = (tokens // 4 + sequences, 8)
        kernel[(*grid, 16) if parts else grid](
            query_ptr=Tensor(tokens, 32, 128), block_tables_ptr=Tensor(sequences, 256), num_query_heads=32,
            num_queries_per_kv=4, BLOCK_SIZE=16, TILE_SIZE=16 if parts else 32, HEAD_SIZE=128, BLOCK_Q=4,
            BLOCK_M=16, num_seqs=sequences, USE_TD=use_td, IS_3D=parts, output_ptr="kept",
        )  # fmt: skip

    def test_a_prefill_has_the_tables_tile_and_as_many_query_blocks(self):
        grid, given, counts = self.launched(PREFILL, "prefill", 512, 1)
        told = {name: given[name] for name in ("BLOCK_M", "BLOCK_Q", "TILE_SIZE", "num_warps", "num_stages")}
        self.assertEqual(
            told, {"BLOCK_M": 64, "BLOCK_Q": 16, "TILE_SIZE": 64, "num_warps": 8, "num_stages": 2}
        )
        self.assertEqual(grid, (512 // 16 + 1, 8))
        self.assertEqual(counts, {"tuned": 1, "left_to_engine": 0})
        self.assertIn("output_ptr", given)

    def test_parts_of_the_keys_keep_their_step(self):
        grid, given, _ = self.launched(DECODE, "decode", 8, 8)
        self.assertEqual((given["BLOCK_M"], given["TILE_SIZE"]), (16, 16))
        self.assertEqual((given["num_warps"], given["num_stages"]), (2, 2))
        self.assertEqual(grid, (8 // 4 + 8, 8, 16))

    def test_what_is_fixed_goes_to_vllm_as_it_is(self):
        for more in ({"use_td": True}, {"engine": types.SimpleNamespace(is_batch_invariant=True)}):
            grid, given, counts = self.launched(PREFILL, "prefill", 512, 1, **more)
            self.assertEqual((given["BLOCK_M"], grid[0]), (16, 512 // 4 + 1))
            self.assertNotIn("num_warps", given)
            self.assertEqual(counts, {"tuned": 0, "left_to_engine": 1})

    def test_an_unknown_launch_is_vllms(self):
        kernel = Recorder()
        chosen = vllm_attention.UnifiedKernel(kernel, tables_of(PREFILL), types.SimpleNamespace())
        chosen[(1,)](1, 2, BLOCK_M=16)
        self.assertEqual(kernel.launches, [((1,), (1, 2), {"BLOCK_M": 16})])
        kernel.fn = "its own"
        self.assertEqual(chosen.fn, "its own")

    def test_the_plugin_puts_tables_before_the_constants(self):
        engine = types.ModuleType(vllm_attention.ATTENTION)
        engine.kernel_unified_attention = Recorder()
        engine.current_platform = types.SimpleNamespace(get_device_name=lambda: "NVIDIA H100 80GB HBM3")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / NAME.format("prefill")
            warploom.tune_fit_cross_gpu(
                gpu="H100-SXM", kind="attention", head_group=4, causal=True, output=str(path)
            )
            for named, said in ((folder, "1 tables of attention"), ("/none", "is not used")):
                with mock.patch.dict(sys.modules, {vllm_attention.ATTENTION: engine}), mock.patch.dict(
                    os.environ, {attention_tables.FOLDER: named}
                ), self.assertLogs("vllm.warploom", "INFO") as logged:
                    vllm_plugin.register()
                self.assertIn(said, " ".join(logged.output))
        self.assertIsInstance(engine.kernel_unified_attention, vllm_attention.UnifiedKernel)


class Sglang(unittest.TestCase):
    OWN = Chosen(128, 64, 8, 1)
    BETTER = Chosen(128, 32, 4, 2)
    TIMES = {OWN: 100.0, BETTER: 10.0, Chosen(64, 32, 4, 2): 1.0}

    def test_a_prefill_keeps_its_rows(self):
        kernel, tables = Recorder(), tables_of(self.TIMES)
        chosen = sglang_attention.SteppedKernel(kernel, tables, "prefill")
        args = [Tensor(512, 32, 128)] + [None] * 8 + [Tensor(4096)] + [None] * 7 + [4, 1, 1]
        given = {"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_N_PREFIX": 64, "Lq": 128, "Lv": 128, "num_warps": 8,
                 "num_stages": 1, "other": 3}  # fmt: skip
        chosen[(1, 32, 4)](*args, **given)
        grid, same, told = kernel.launches[0]
        self.assertEqual((grid, list(same)), ((1, 32, 4), args))
        changed = {"BLOCK_N": 32, "BLOCK_N_PREFIX": 32, "num_warps": 4, "num_stages": 2}
        self.assertEqual(told, {**given, **changed})
        self.assertEqual(tables.counts["tuned"], 1)

    def test_decodes_and_what_is_left(self):
        own, better = Chosen(16, 32, 4, 2), Chosen(16, 64, 4, 2)
        kernel, tables = Recorder(), tables_of({own: 100.0, better: 10.0}, "decode")
        chosen = sglang_attention.SteppedKernel(kernel, tables, "decode")
        args = [Tensor(8, 32, 128)] + [None] * 4 + [Tensor(8192)] + [None] * 20
        given = {"BLOCK_N": 32, "BLOCK_H": 16, "kv_group_num": 4, "Lk": 128, "Lv": 128, "num_warps": 4,
                 "num_stages": 2}  # fmt: skip
        chosen[(8, 8, 16)](*args, **given)
        self.assertEqual(kernel.launches[0][2]["BLOCK_N"], 64)
        for more in ({"HAS_MLA": True}, {"USE_FORCED": True}, {"Lv": 64}):
            chosen[(8, 8, 16)](*args, **{**given, **more})
            self.assertEqual(kernel.launches[-1][2]["BLOCK_N"], 32)
        chosen[(8, 8, 16)](1, 2)
        self.assertEqual(tables.counts, {"tuned": 1, "left_to_engine": 4})

    @unittest.skipUnless("sglang" in WHEELS, "WARPLOOM_ENGINE_WHEELS names no wheel of SGLang: unread")
    def test_the_wheels_launches_have_the_names_and_places(self):
        import ast
        import zipfile

        with zipfile.ZipFile(WHEELS["sglang"]) as archive:
            sources = {
                kind: archive.read(module.replace(".", "/") + ".py").decode()
                for kind, module in (
                    ("prefill", sglang_attention.EXTEND), ("decode", sglang_attention.DECODE)
                )
            }  # fmt: skip
        kernels = {"prefill": sglang_attention.EXTEND_KERNEL, "decode": sglang_attention.DECODE_KERNEL}
        for kind, text in sources.items():
            calls = [
                node for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)
                and getattr(node.func.value, "id", "") == kernels[kind]
            ]  # fmt: skip
            self.assertTrue(calls, kind)
            for call in calls:
                words = {keyword.arg for keyword in call.keywords}
                named = {"BLOCK_N", "num_warps", "num_stages", "Lv"}
                named |= {"BLOCK_M", "Lq"} if kind == "prefill" else {"BLOCK_H", "Lk", "kv_group_num"}
                self.assertLessEqual(named, words)
                place = call.args[sglang_attention.KV_INDICES[kind]]
                self.assertEqual(place.id, "kv_indices")
                if kind == "prefill":
                    self.assertEqual(call.args[sglang_attention.KV_GROUP].id, "kv_group_num")
                    self.assertEqual(call.args[-1].id, "batch_size")
                self.assertIn("q", call.args[0].id)


class FilesOfStatesAndAdapters(unittest.TestCase):
    """vLLM's folder may hold them beside experts; damaged ones keep the plugin from using the folder."""

    GOOD = {
        "headdim=64,dstate=128,device_name=X,cache_dtype=float32.json":
            '{"8": {"BLOCK_SIZE_M": 4, "num_warps": 1}}',
        "NVIDIA_L40S_SHRINK.json": '{"2": {"1": {"1": {"8": {"16": {"block_m": 32}}}}}}',
        "NVIDIA_L40S_EXPAND_TRUE.json": '{"2": {"1": {"1": {"8": {"16": {"block_m": 32}}}}}}',
    }  # fmt: skip

    def checked(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).write_text(text)
            return [path.name for path in vllm_plugin.check_folder(Path(folder))]

    def test_whole_ones_are_found(self):
        self.assertEqual(sorted(self.checked(self.GOOD)), sorted(self.GOOD))

    def test_damaged_ones_are_refused_by_name(self):
        for name, text in self.GOOD.items():
            foreign = text.replace("1}", '"1"}').replace("32}", "null}")
            for damaged in (text[:-3], "[]", "{}", foreign, '{"2": 3}'):
                with self.assertRaisesRegex(ValueError, name.split("=")[0].replace(".", r"\.")):
                    self.checked({**self.GOOD, name: damaged})

    def test_rows_of_narrow_weights_may_leave_columns_and_depth_to_vllm(self):
        name, row = "E=8,N=64,device_name=X.json", {"BLOCK_SIZE_M": 16, "GROUP_SIZE_M": 1, "SPLIT_K": 1}
        self.assertEqual(self.checked({name: json.dumps({"1": row})}), [name])
        with self.assertRaisesRegex(ValueError, "BLOCK_SIZE_N"):
            self.checked({name: json.dumps({"1": {**row, "BLOCK_SIZE_N": 64}})})


if __name__ == "__main__":
    unittest.main()
