"""warploom.seams, each against a stand-in of the interface that it serves.

PYTHONPATH holds the built package.
"""

import json
import math
import os
import sys
import tempfile
import types
import unittest
from importlib import metadata
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import seam_stand_ins as stand_ins  # noqa: E402

stand_ins.install_stand_ins()
import warploom  # noqa: E402
from warploom.seams import dynamo, forward_pass, sglang_simulator  # noqa: E402
from warploom.seams import sglang_plugin, vllm_block_products, vllm_plugin  # noqa: E402
from warploom.seams.aggregate_batch import prompts_of, shared_out  # noqa: E402
from warploom.table import Table, _LibraryTable  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
STAND_INS = {"aisimulate_core", "aisimulate_core.sdk"}  # that forward_pass.install makes
MODEL, GPU = "Llama-3.1-8B", "H100-SXM"


class SglangSimulator(unittest.TestCase):
    def predictor(self, model=None, **config):
        return sglang_simulator.WarploomTimePredictor(
            model or stand_ins.ModelInfo(model_path=MODEL),
            stand_ins.AcceleratorInfo(GPU),
            stand_ins.SchedulerConfig(**config),
        )

    def batch(self, *requests):
        return stand_ins.ScheduleBatch([stand_ins.ScheduleRequest(*each) for each in requests])

    def test_a_batch_takes_what_a_step_takes(self):
        step = warploom.Step(MODEL, GPU, engine="sglang")
        seconds = self.predictor().predict_infer_time(self.batch((1, 500), (1, 700), (300, 20)))
        self.assertAlmostEqual(seconds, step.mixed([500, 700], [(300, 20)]).p50_us * 1e-6, places=12)
        self.assertEqual(self.predictor().predict_infer_time(self.batch()), 0.0)

    def test_what_cannot_be_priced_is_negative(self):
        self.assertLess(self.predictor().predict_infer_time(self.batch((0, 5))), 0)
        self.assertLess(self.predictor().predict_infer_time(self.batch((5, -5))), 0)

    def test_the_configuration_of_the_engine_counts(self):
        batch = self.batch(*[(1, 2000)] * 64)
        alone = self.predictor().predict_infer_time(batch)
        self.assertLess(self.predictor(tp_size=2).predict_infer_time(batch), alone)
        fp8 = self.predictor(kv_cache_data_type=stand_ins.DataType.FP8)
        self.assertLess(fp8.predict_infer_time(batch), alone)

    def test_what_a_step_cannot_have_is_refused(self):
        with self.assertRaisesRegex(NotImplementedError, "cp_size"):
            self.predictor(cp_size=2, tp_size=2)
        with self.assertRaisesRegex(NotImplementedError, "moe_quant_mode_override"):
            self.predictor(moe_quant_mode_override="w4a8_mxfp4_mxfp8")
        batch = self.batch((4000, 0))
        fp8 = self.predictor(data_type=stand_ins.DataType.FP8)
        self.assertLess(fp8.predict_infer_time(batch), self.predictor().predict_infer_time(batch))

    def test_a_configuration_as_a_dictionary_is_a_model(self):
        record = Path(__file__).resolve().parents[2] / "data/models/llama-3.1-8b.json"
        config = json.loads(record.read_text())["config"]
        batch = self.batch((1, 100))
        given = self.predictor(stand_ins.ModelInfo(hf_config=config))
        self.assertEqual(given.predict_infer_time(batch), self.predictor().predict_infer_time(batch))

    def test_the_simulator_finds_it_by_name(self):
        manager = stand_ins.Configuration
        known = manager.__dict__["get_inference_time_predictor"]
        self.addCleanup(setattr, manager, "get_inference_time_predictor", known)
        sglang_simulator.install()
        asked = (
            stand_ins.ModelInfo(model_path=MODEL),
            stand_ins.AcceleratorInfo("a GPU of one's own"),
            stand_ins.SchedulerConfig(),
        )
        manager.raw = {"predictor": {"name": "warploom", "gpu": GPU, "include_host": True}}
        batch = self.batch((1, 500))
        found = manager.get_inference_time_predictor(*asked)
        self.assertGreater(found.predict_infer_time(batch), self.predictor().predict_infer_time(batch))
        manager.raw = {"predictor": {"name": "other"}}
        with self.assertRaisesRegex(ValueError, "other"):
            manager.get_inference_time_predictor(*asked)

    def test_unknown_gpus_are_refused_at_the_start(self):
        with self.assertRaisesRegex(ValueError, "H100"):
            sglang_simulator.WarploomTimePredictor(
                stand_ins.ModelInfo(model_path=MODEL),
                stand_ins.AcceleratorInfo("H100-SMX"),
                stand_ins.SchedulerConfig(),
            )


class Dynamo(unittest.TestCase):
    def test_a_session_prices_prefills_and_decodes(self):
        dynamo.install()
        from dynamo._internal import aic

        session = aic.create_session(backend_name="vllm", system=GPU, model_path=MODEL, tp_size=1)
        step = warploom.Step(MODEL, GPU)
        self.assertAlmostEqual(
            session.predict_prefill(2, 1000, 100), step.mixed([], [(1000, 100)] * 2).p50_us / 1000
        )
        self.assertAlmostEqual(session.predict_decode(8, 500, 2), step.decode(8, 500).p50_us / 1000)
        self.assertEqual(session.predict_decode(8, 500, 1), 0)
        self.assertAlmostEqual(
            session.predict_decode(8, 500, 4), sum(step.decode(8, 500 + i).p50_us for i in range(3)) / 1000
        )
        with self.assertRaises(ValueError):
            session.predict_prefill(1, 0, 100)
        with self.assertRaises(NotImplementedError):
            aic.create_session("vllm", GPU, MODEL, 1, nextn=2)

    def test_older_and_newer_dynamo_ask_the_same(self):
        self.assertEqual(dynamo.install(), ["aic", "ais"])
        from dynamo._internal import aic, ais

        config = {
            "backend": "vllm",
            "system": GPU,
            "model": MODEL,
            "tp_size": 2,
            "backend_version": "current",
        }
        newer = ais.create_session({**config, "worker_type": "decode"}, worker_type="decode")
        older = aic.create_session("vllm", GPU, MODEL, 2)
        self.assertEqual(newer.predict_prefill(2, 1000, 100), older.predict_prefill(2, 1000, 100))
        self.assertEqual(newer.predict_decode(8, 500, 4), older.predict_decode(8, 500, 4))
        with self.assertRaisesRegex(ValueError, "worker_type"):
            ais.create_session({**config, "worker_type": "decode"}, worker_type="prefill")
        with self.assertRaisesRegex(ValueError, "expected model"):
            ais.create_session({"system": GPU})

    def test_element_types_count_or_are_refused(self):
        plain = dynamo.AicSession("vllm", GPU, MODEL, 1)
        cached = dynamo.AicSession("vllm", GPU, MODEL, 1, kv_cache_dtype="fp8")
        self.assertLess(cached.predict_decode(64, 4000, 2), plain.predict_decode(64, 4000, 2))
        for given in ({"gemm_dtype": "fp8"}, {"gemm_dtype": "fp8", "moe_dtype": "fp8"}):
            scaled = dynamo.AicSession("vllm", GPU, MODEL, 1, **given)
            self.assertLess(scaled.predict_prefill(1, 4000, 0), plain.predict_prefill(1, 4000, 0))
        same = dynamo.AicSession("vllm", GPU, MODEL, 1, fmha_dtype="auto", comm_dtype="half")
        self.assertEqual(same.predict_decode(8, 500, 2), plain.predict_decode(8, 500, 2))
        for given in (
            {"moe_dtype": "fp8"},
            {"fmha_dtype": "fp8"},
            {"comm_dtype": "fp8"},
            {"gemm_dtype": 2},
        ):
            with self.assertRaises(NotImplementedError):
                dynamo.AicSession("vllm", GPU, MODEL, 1, **given)

    def test_the_estimator_stands_where_it_is_asked_for(self):
        before = {name for name in sys.modules if name.startswith("aisimulate_core")}
        self.addCleanup(lambda: [sys.modules.pop(name, None) for name in STAND_INS - before])
        self.assertEqual(forward_pass.install(), ["aisimulate_core"])
        from aisimulate_core.sdk import RustForwardPassPerfModel

        config = {"model": MODEL, "system": GPU, "backend": "vllm", "tp_size": 1}
        diagnostics = RustForwardPassPerfModel.best_available(config).diagnostics()
        self.assertEqual(diagnostics["readiness"], "ready")
        self.assertEqual(diagnostics["provenance"]["config"], config)

    def test_a_forward_pass_is_told_by_its_counts(self):
        model = dynamo.ForwardPassModel.best_available({"model_name": MODEL, "system_name": GPU})
        step = warploom.Step(MODEL, GPU)
        decode = {"scheduled_requests": {"num_decode_requests": 8, "sum_decode_kv_tokens": 8 * 500}}
        self.assertAlmostEqual(
            model.estimate_forward_pass_time_ms(decode), step.decode(8, 500).p50_us / 1000, places=6
        )
        mixed = {
            "version": 1,
            "scheduled_requests": {
                "num_prefill_requests": 2,
                "sum_prefill_tokens": 1001,
                "sum_prefill_kv_tokens": 10,
                "num_decode_requests": 1,
                "sum_decode_kv_tokens": 300,
            },
        }
        self.assertAlmostEqual(
            model.estimate_forward_pass_time_ms(mixed),
            step.mixed([300], [(501, 5), (500, 5)]).p50_us / 1000,
            places=6,
        )
        self.assertEqual(model.estimate_forward_pass_time_ms({"scheduled_requests": {}}), 0)
        both = model.estimate_forward_pass_time_ms([decode, mixed])
        self.assertEqual(both, model.estimate_forward_pass_time_ms(mixed))
        with self.assertRaisesRegex(ValueError, "version 2"):
            model.estimate_forward_pass_time_ms({"version": 2})

    def test_measured_passes_correct_their_kind(self):
        model = dynamo.ForwardPassModel({"model_name": MODEL, "system_name": GPU})
        decode = {"scheduled_requests": {"num_decode_requests": 8, "sum_decode_kv_tokens": 4000}}
        before = model.estimate_forward_pass_time_ms(decode)
        measured = {**decode, "wall_time": 1.5e-3 * before}
        for _ in range(forward_pass.SAMPLES_TO_CORRECT - 1):
            model.tune_with_fpms(measured)
        self.assertEqual(model.estimate_forward_pass_time_ms(decode), before)
        self.assertIsNone(model.get_avg_correction_factor())
        model.tune_with_fpms([[measured]])
        self.assertAlmostEqual(model.estimate_forward_pass_time_ms(decode), 1.5 * before)
        self.assertAlmostEqual(model.get_avg_correction_factor(), 1.5)
        self.assertEqual(model.diagnostics()["retained_observations"], forward_pass.SAMPLES_TO_CORRECT)

    def test_sums_are_shared_out_whole(self):
        self.assertEqual(shared_out(10, 3), [4, 3, 3])
        self.assertEqual(prompts_of(5, 3, 0), [(1, 0), (1, 0), (1, 0)])
        self.assertEqual(prompts_of(2, 0, 9), [])


def best_of_lists(table, pairs, own):
    """The rule over whole lists: the least time of a layer's two products together; None where `own` is
    within 3 % (ln) of it."""
    times = [dict(table.timed(pairs, n, k, 1024)) for n, k in ((2 * 1408, 2048), (2048, 1408))]
    both = {tile: us + times[1][tile] for tile, us in times[0].items() if tile[5] == 1}
    best = min(both, key=lambda tile: both[tile])
    return None if both.get(own, math.inf) <= both[best] * math.exp(0.03) else best


class SglangPlugin(unittest.TestCase):
    PRODUCT = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 32,
               "num_warps": 4, "num_stages": 3}  # fmt: skip
    SHIPPED = {1: {"BLOCK_SIZE_M": 64}}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.compiles, self.deterministic = Path(folder.name), False, False
        self.products, self.experts = types.ModuleType("fp8_kernel"), types.ModuleType("configs")
        self.user = types.ModuleType("user")
        dynamo = types.SimpleNamespace(is_compiling=lambda: self.compiles)
        self.products.torch = types.SimpleNamespace(_dynamo=dynamo)
        self.products.get_device_name = lambda: "NVIDIA L40S"
        self.products.get_w8a8_block_fp8_configs = lambda *_: self.SHIPPED
        self.experts.get_moe_configs = self.user.get_moe_configs = lambda *_, **__: self.SHIPPED
        self.experts.get_config_file_name = lambda e, n, dtype, shape, channels, down_moe: (
            f"E={e},N={n},device_name=NVIDIA_L40S{',dtype=' + dtype if dtype else ''}"
            f"{'_down' if down_moe else ''}.json"
        )
        self.experts.get_exec = lambda: types.SimpleNamespace(
            deterministic=types.SimpleNamespace(enable_deterministic_inference=self.deterministic)
        )

    def registered(self, folder):
        modules = {sglang_plugin.PRODUCTS: self.products, sglang_plugin.EXPERTS: self.experts,
                   "sglang.user": self.user}  # fmt: skip
        patched = mock.patch.dict(sys.modules, modules)
        patched.start()
        self.addCleanup(patched.stop)
        with mock.patch.dict(os.environ, {sglang_plugin.FOLDER: str(folder)}):
            with self.assertLogs("sglang.warploom", "INFO") as logged:
                sglang_plugin._log.info("begins")
                sglang_plugin.register()
        return " ".join(logged.output)

    def written(self, name, rows):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows) if isinstance(rows, dict) else rows)

    def test_files_of_the_folder_come_first_and_all_else_is_sglangs(self):
        file = "package/sglang/N={},K=2048,device_name=NVIDIA_L40S,dtype=fp8_w8a8,block_shape=[128, 128].json"
        self.written(file.format(512), {"8": self.PRODUCT})
        self.written(file.format(768), {"8": {**self.PRODUCT, "BLOCK_SIZE_K": 256}})
        row = {name: self.PRODUCT[name] for name in vllm_plugin.NEEDED}
        self.written("configs/triton_3_8_0/E=8,N=64,device_name=NVIDIA_L40S.json", {"16": row})
        self.written("configs/triton_3_8_0/E=9,N=64,device_name=NVIDIA_L40S.json", "{")
        said = self.registered(self.folder)
        parts = "1 tuned files of block products", "1 tuned files of experts", "cross blocks", "is no JSON"
        for part in parts:
            self.assertIn(part, said)
        before = dict(sglang_plugin.counts)
        product = self.products.get_w8a8_block_fp8_configs
        self.assertEqual(product(512, 2048, 128, 128), {8: self.PRODUCT})
        self.assertIs(product(768, 2048, 128, 128), self.SHIPPED)
        self.compiles = True
        self.assertIs(product(512, 2048, 128, 128), self.SHIPPED)
        experts = self.user.get_moe_configs
        self.assertEqual(experts(8, 64, None, 0, 0, False, down_moe=False), {16: row})
        self.assertIs(experts(8, 64, None, 0, 0, False, down_moe=True), self.SHIPPED)
        self.assertIs(experts(9, 64, None), self.SHIPPED)
        self.deterministic = True
        self.assertIs(experts(8, 64, None), self.SHIPPED)
        told = {key: count - before[key] for key, count in sglang_plugin.counts.items()}
        self.assertEqual(told, {"tuned": 2, "left_to_sglang": 5})

    def test_an_engine_with_other_functions_starts_all_the_same(self):
        self.written("E=8,N=64,device_name=NVIDIA_L40S.json",
                     {"16": {name: 16 for name in vllm_plugin.NEEDED}})  # fmt: skip
        del self.experts.get_moe_configs, self.user.get_moe_configs
        self.assertIn("experts of", self.registered(self.folder))
        self.assertIn("is no folder", self.registered("/none"))
        with tempfile.TemporaryDirectory() as empty:
            self.assertIn("holds no file", self.registered(empty))


class VllmPlugin(unittest.TestCase):
    def registered(self, **environment):
        """What vLLM's folder is after the plugin, and what was logged."""
        kept = {name: "" for name in (vllm_plugin.FOLDER, vllm_plugin.VLLM_FOLDER)}
        with mock.patch.dict(os.environ, {**kept, **environment}):
            with self.assertLogs("vllm.warploom", "INFO") as logged:
                vllm_plugin._log.info("begins")
                vllm_plugin.register()
            return os.environ[vllm_plugin.VLLM_FOLDER], " ".join(logged.output)

    def test_files_of_moe_config_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            warploom.moe_config(model="Qwen3-30B-A3B", gpu="H200", output=folder)
            found, said = self.registered(**{vllm_plugin.FOLDER: folder})
            self.assertEqual(found, str(Path(folder).resolve()))
            self.assertIn("1 tuned", said)
            found, said = self.registered(
                **{vllm_plugin.FOLDER: folder, vllm_plugin.VLLM_FOLDER: "/tmp/other"}
            )
            self.assertEqual(found, "/tmp/other")
            self.assertIn("left as it is", said)
            (Path(folder) / "E=1,N=2,device_name=X.json").write_text('{"16": {"BLOCK_SIZE_M": 16}}')
            found, said = self.registered(**{vllm_plugin.FOLDER: folder})
            self.assertEqual(found, "")
            self.assertIn("E=1,N=2", said)

    def test_nothing_is_done_unasked_or_without_files(self):
        self.assertEqual(self.registered()[0], "")
        for folder in ("/none", tempfile.gettempdir() + "/none"):
            self.assertIn("is no folder", self.registered(**{vllm_plugin.FOLDER: folder})[1])

    def test_block_products_are_read_from_the_users_folder(self):
        name = "vllm.model_executor.layers.quantization.utils.fp8_utils"
        engine = types.ModuleType("fp8_utils")
        shipped = {1: {"BLOCK_SIZE_M": 64}}
        engine.get_w8a8_block_fp8_configs = lambda *_: shipped
        engine.get_device_name_as_file_name = lambda: "NVIDIA_L40S"
        row = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 32,
               "num_warps": 4, "num_stages": 3}  # fmt: skip
        file = "N={},K=2048,device_name={},dtype=fp8_w8a8,block_shape=[128,128].json"
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(sys.modules, {name: engine}):
            below = Path(folder) / "package/vllm"
            below.mkdir(parents=True)
            for n, device, rows in (
                (512, "NVIDIA_L40S", {"8": row}),
                (768, "NVIDIA_L40S", {"8": {**row, "BLOCK_SIZE_K": 256}}),
                (1024, "NVIDIA_H20", {"8": row}),
            ):
                (below / file.format(n, device)).write_text(json.dumps(rows))
            found, said = self.registered(**{vllm_plugin.FOLDER: folder})
            self.assertEqual(found, "", "no file of experts: the engine's own folder stays")
            self.assertIn("2 of block products", said)
            self.assertIn("steps of 256 cross", said)
            asked = engine.get_w8a8_block_fp8_configs
            before = dict(vllm_block_products.counts)
            self.assertEqual(asked(512, 2048, 128, 128), {8: row})
            for other in ((768, 2048, 128, 128), (1024, 2048, 128, 128), (512, 2048, 64, 128)):
                self.assertIs(asked(*other), shipped, other)
            told = {key: count - before[key] for key, count in vllm_block_products.counts.items()}
            self.assertEqual(told, {"tuned": 1, "left_to_vllm": 3})

    def test_a_table_is_asked_at_each_launch(self):
        layer = {"kernel": {"kind": "grouped_gemm", "experts": 64, "top_k": 6}, "gpu": "H100-SXM"}
        name, package = "vllm.model_executor.layers.fused_moe", types.ModuleType("fused_moe")
        engine, user = types.ModuleType("fused_moe"), types.ModuleType("user")
        bad = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "num_warps": 4, "num_stages": 2}
        engine.try_get_optimal_moe_config = user.try_get_optimal_moe_config = lambda *_: bad
        engine.get_config_file_name = lambda e, n, dtype: f"E={e},N={n},device_name={self.device}.json"
        package.get_config, self.device = lambda: self.override, "NVIDIA_H100_80GB_HBM3"
        package.fused_moe, self.override = engine, None
        modules = {name: package, name + ".fused_moe": engine, "vllm.user": user}
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(sys.modules, modules):
            table = Path(folder) / "e64.wlt"
            warploom.tune_fit_cross_gpu(output=str(table), **layer)
            warploom.moe_config(model="DeepSeek-V2-Lite", gpu="H100-SXM", table=str(table), output=folder)
            found, said = self.registered(**{vllm_plugin.TABLES: folder})
            self.assertIn("1 tables", said)

            def asked(tokens, experts=64, dtype=None):
                shapes = (experts, 2 * 1408, 2048), (experts, 2048, 1408)
                return user.try_get_optimal_moe_config(*shapes, 6, dtype, tokens, None)

            with self.assertLogs("vllm.warploom", "WARNING") as logged:
                chosen = asked(4096)
                self.assertNotEqual(chosen, bad)
                self.assertGreater(chosen["BLOCK_SIZE_M"], asked(1)["BLOCK_SIZE_M"])
                self.assertIs(asked(4096), chosen)
                self.assertEqual([asked(64, 32), asked(64, dtype="fp8_w8a8")], [bad, bad])
                self.override = {"BLOCK_SIZE_M": 1}
                self.assertEqual(asked(4096), bad)
                self.override, self.device = None, "NVIDIA_L40S"
                self.registered(**{vllm_plugin.TABLES: folder})
                engine.try_get_optimal_moe_config = lambda *_: bad
                user.try_get_optimal_moe_config = engine.try_get_optimal_moe_config
                self.registered(**{vllm_plugin.TABLES: folder})
                self.assertEqual(asked(4096), bad)
            self.assertIn("this engine looks for", " ".join(logged.output))
            for wrong in ("/none", tempfile.gettempdir()):
                self.assertIn("is not used", self.registered(**{vllm_plugin.TABLES: wrong})[1])

    def test_a_layers_choice_is_the_best_of_both_lists(self):
        """What the seam took from whole lists of both products, before the toolkit chose by itself.

        Lists are of the rows that the table states; where it states none, experts are chosen by chance.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "e64.wlt"
            samples = ROOT / "tests/fixtures/tuner/h100/grouped_e64_anchors.csv.gz"
            kernel = {"kind": "grouped_gemm", "experts": 64, "top_k": 6, "gpu": "H100-SXM"}
            warploom.tune_fit(**kernel, samples=samples, output=path)
            by_chance = Table(path).experts(2048, 1408, 6)
            nearly_even = 1e-3
            warploom.tune_fit(**kernel, expert_skew=nearly_even, samples=samples, output=path)
            table = Table(path)
            experts = table.experts(2048, 1408, 6)
            few = [int(1.2**i) for i in range(30)]
            self.assertNotEqual([by_chance.pick(t) for t in few], [experts.pick(t) for t in few])
            answers = []
            for tokens in sorted({int(1.2**i) for i in range(50)}):
                for own in (None, (64, 64, 32, 4, 3, 1), (128, 128, 64, 8, 3, 1), (1, 1, 1, 1, 1, 1)):
                    picked = experts.pick(tokens, own)
                    answers.append(None if picked is None else picked[0])
                    self.assertEqual(answers[-1], best_of_lists(table, tokens * 6, own), (tokens, own))
                    self.assertIn(picked and picked[1], (None, 8))
            if "WARPLOOM_LIBRARY" in os.environ:  # the same in C
                library = _LibraryTable(path).experts(2048, 1408, 6, 1)
                for own in (None, (64, 64, 32, 4, 3, 1)):
                    for tokens in (1, 77, 4000):
                        self.assertEqual(library.pick(tokens, own), experts.pick(tokens, own))
            self.assertGreater(len(set(answers)), 5)
            self.assertGreater(answers.count(None), 2)
            for wrong in ((0, 1408, 6), (2048, 1408, 5)):
                with self.assertRaisesRegex(ValueError, "expected"):
                    table.experts(*wrong)

    def test_the_package_names_the_plugin(self):
        text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text()
        self.assertIn('[project.entry-points."vllm.general_plugins"]', text)
        self.assertIn('warploom_tuned_configs = "warploom.seams.vllm_plugin:register"', text)
        entry = metadata.EntryPoint("x", "warploom.seams.vllm_plugin:register", "vllm.general_plugins")
        self.assertIs(entry.load(), vllm_plugin.register)


if __name__ == "__main__":
    unittest.main()
