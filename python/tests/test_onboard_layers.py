"""warploom.onboard's layers of vLLM, with a stand-in for the engine: what is built, what is left behind."""

import contextlib
import enum
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.onboard import vllm_kernels, vllm_layers  # noqa: E402

SIZES = {"num_experts": 8, "top_k": 2, "hidden_size": 256, "intermediate_size": 128}


class Backend(enum.Enum):
    FLASHINFER = "FlashInfer CUTLASS"


class TritonExperts:
    pass


class Fp8MoEMethod:
    fp8_backend = Backend.FLASHINFER

    def __init__(self):
        self.moe_kernel = types.SimpleNamespace(fused_experts=TritonExperts())
        self.given = None
        self.ready = False

    def process_weights_after_loading(self, layer):
        self.ready = layer.filled == ["w13", "w2"]

    def apply(self, layer, x, topk_weights, topk_ids, shared_experts, shared_experts_input):
        self.given = (layer, x, topk_weights, topk_ids, shared_experts, shared_experts_input)


class Layer:
    def __init__(self):
        self.quant_method = Fp8MoEMethod()
        self.filled = []

    def parameters(self):
        return [types.SimpleNamespace(data=name) for name in ("w13", "w2")]


class StandIn:
    """Modules of torch and vLLM, as far as a layer is built with them."""

    def __init__(self, test, build):
        self.dtype, self.asked = "float32", None
        self.layer = Layer()
        self.config = types.SimpleNamespace(
            quant_config="the model's",
            compilation_config=types.SimpleNamespace(
                static_forward_context={"model.layers.0": 1}, static_all_moe_layers=["model.layers.0"]
            ),
        )
        torch = types.SimpleNamespace(
            bfloat16="bfloat16",
            get_default_dtype=lambda: self.dtype,
            set_default_dtype=lambda dtype: setattr(self, "dtype", dtype),
            device=lambda _: contextlib.nullcontext(),
        )
        loader = types.SimpleNamespace(initialize_single_dummy_weight=self.layer.filled.append)
        layers = types.SimpleNamespace(FusedMoEFactory=lambda **asked: build(self, asked))
        modules = {
            "torch": torch,
            "vllm": types.SimpleNamespace(),
            "vllm.config": types.SimpleNamespace(set_current_vllm_config=lambda _: contextlib.nullcontext()),
            "vllm.model_executor": types.SimpleNamespace(),
            "vllm.model_executor.layers": types.SimpleNamespace(),
            "vllm.model_executor.layers.fused_moe": types.SimpleNamespace(layer=layers),
            "vllm.model_executor.model_loader": types.SimpleNamespace(),
            "vllm.model_executor.model_loader.weight_utils": loader,
        }
        patched = mock.patch.dict(sys.modules, modules)
        patched.start()
        test.addCleanup(patched.stop)


def registered(stand_in, asked):
    """What a mixture's layer of vLLM does as it is built."""
    stand_in.asked = dict(asked, dtype_then=stand_in.dtype)
    known = stand_in.config.compilation_config
    known.static_forward_context[asked["prefix"]] = stand_in.layer
    known.static_all_moe_layers.append(asked["prefix"])
    return types.SimpleNamespace(routed_experts=stand_in.layer)


class LayersTest(unittest.TestCase):
    def test_experts_are_built_as_the_engine_builds_its_own(self):
        stand_in = StandIn(self, registered)
        layer = vllm_layers.experts(stand_in.config, SIZES, "the model's")
        self.assertIs(layer, stand_in.layer)
        self.assertEqual(stand_in.asked["dtype_then"], "bfloat16")
        self.assertEqual(stand_in.asked["quant_config"], "the model's")
        self.assertEqual({name: stand_in.asked[name] for name in SIZES}, SIZES)
        self.assertTrue(layer.quant_method.ready)  # its weights were filled before
        vllm_layers.experts(stand_in.config, SIZES, None)
        self.assertIsNone(stand_in.asked["quant_config"])

    def test_the_running_model_is_left_as_it_was(self):
        def broken(stand_in, asked):
            registered(stand_in, asked)
            raise ValueError("no such sizes")

        for build in (registered, broken):
            stand_in = StandIn(self, build)
            with contextlib.suppress(ValueError):
                vllm_layers.experts(stand_in.config, SIZES, "the model's")
            known = stand_in.config.compilation_config
            self.assertEqual(known.static_forward_context, {"model.layers.0": 1})
            self.assertEqual(known.static_all_moe_layers, ["model.layers.0"])
            self.assertEqual(stand_in.dtype, "float32")

    def test_a_call_gives_what_the_version_asks_for(self):
        layer = Layer()
        vllm_layers.experts_call(layer, "x", "weights", "ids")()
        self.assertEqual(layer.quant_method.given, (layer, "x", "weights", "ids", None, None))

        class Older:
            def apply(self, layer, x, topk_weights, topk_ids):
                self.given = (layer, x, topk_weights, topk_ids)

        layer.quant_method = Older()
        vllm_layers.experts_call(layer, "x", "weights", "ids")()
        self.assertEqual(layer.quant_method.given, (layer, "x", "weights", "ids"))

    def test_experts_that_choose_for_themselves_are_refused(self):
        layer = Layer()
        layer.quant_method.is_monolithic = True
        with self.assertRaisesRegex(NotImplementedError, "choose for themselves"):
            vllm_layers.experts_call(layer, "x", "weights", "ids")

    def test_names_are_those_of_public_tables(self):
        self.assertEqual(vllm_layers.experts_name(Layer()), "vllm_fp8moe_flashinfer_cutlass_tritonexperts")


class SchemesTest(unittest.TestCase):
    """Which schemes a running engine's layers can be made in."""

    def schemes(self, quantised, refuses=False):
        def linear(config, n, k, scheme):
            if refuses:
                raise RuntimeError("no kernel for this GPU")
            return types.SimpleNamespace(quant_method=None)

        for patch in (
            mock.patch.object(vllm_layers, "unlock_workspaces", lambda: None),
            mock.patch.object(vllm_layers, "block_fp8", lambda side: f"blocks of {side}"),
            mock.patch.object(vllm_layers, "linear", linear),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        config = types.SimpleNamespace(quant_config=quantised)
        kernels = vllm_kernels.VllmKernels(types.SimpleNamespace(vllm_config=config))
        self.assertEqual(kernels.schemes(), list(kernels.scheme_configs()))
        return kernels.scheme_configs()

    def test_a_model_in_16_bits_has_block_scaled_fp8_beside(self):
        self.assertEqual(self.schemes(None), {"bf16": None, "fp8_block": "blocks of 128"})

    def test_the_models_own_quantisation_comes_first(self):
        own = types.SimpleNamespace(weight_block_size=[128, 128])
        self.assertEqual(list(self.schemes(own).items()), [("fp8_block", own), ("bf16", None)])

    def test_a_gpu_that_has_no_such_kernel_leaves_it_out(self):
        self.assertEqual(self.schemes(None, refuses=True), {"bf16": None})


if __name__ == "__main__":
    unittest.main()
