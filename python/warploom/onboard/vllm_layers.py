"""Layers of vLLM (names of 0.19 to 0.33) beside the model that runs in this process, with random weights.

They are what the engine itself would build for such sizes, so their kernels are those that it chooses."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

PREFIX = "warploom_sweep"


@contextlib.contextmanager
def building(config: Any) -> Iterator[None]:
    """What layers find around them while the engine builds its model."""
    import torch
    from vllm.config import set_current_vllm_config

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with set_current_vllm_config(config), torch.device("cuda"):
            yield
    finally:
        torch.set_default_dtype(before)


def finish(layer: Any) -> Any:
    """The layer with the weights that the engine's dummy loader gives, in the form that its kernels read."""
    from vllm.model_executor.model_loader.weight_utils import initialize_single_dummy_weight

    for weights in layer.parameters():
        initialize_single_dummy_weight(weights.data)
    layer.quant_method.process_weights_after_loading(layer)
    return layer


def block_fp8(side: int) -> Any:
    """What quantises the layers of an official FP8 checkpoint: weights with a scale for `side` x `side`."""
    from vllm.model_executor.layers.quantization.fp8 import Fp8Config

    return Fp8Config(
        is_checkpoint_fp8_serialized=True, activation_scheme="dynamic", weight_block_size=[side, side]
    )


def linear(config: Any, n: int, k: int, scheme: Any) -> Any:
    """`scheme`: what quantises it, as the engine has it; None: nothing."""
    import torch
    from vllm.model_executor.layers.linear import ReplicatedLinear

    with building(config):
        layer = ReplicatedLinear(
            k, n, bias=False, params_dtype=torch.bfloat16, quant_config=scheme, prefix=PREFIX
        )
        return finish(layer)


def experts(config: Any, sizes: dict[str, int], scheme: Any) -> Any:
    """`sizes`: num_experts, top_k, hidden_size, intermediate_size; `scheme` as of `linear`."""
    import torch
    from vllm.model_executor.layers.fused_moe import layer as module

    build = getattr(module, "FusedMoEFactory", None) or module.FusedMoE
    known = config.compilation_config
    kept = list(getattr(known, "static_all_moe_layers", []))
    with building(config):
        try:
            built = build(
                **sizes, params_dtype=torch.bfloat16, renormalize=True, quant_config=scheme, prefix=PREFIX
            )
        finally:
            known.static_forward_context.pop(PREFIX, None)
            if hasattr(known, "static_all_moe_layers"):
                known.static_all_moe_layers[:] = kept
        return finish(getattr(built, "routed_experts", built))


def experts_call(layer: Any, x: Any, weights: Any, chosen: Any) -> Callable[[], object]:
    """One pass of the layer's experts. NotImplementedError: they choose experts by themselves."""
    method = layer.quant_method
    if getattr(method, "is_monolithic", False):
        raise NotImplementedError("this engine's experts choose for themselves")
    given = {"layer": layer, "x": x, "topk_weights": weights, "topk_ids": chosen}
    asked = inspect.signature(method.apply).parameters
    given.update({name: None for name in ("shared_experts", "shared_experts_input") if name in asked})
    return lambda: method.apply(**given)


def experts_name(layer: Any) -> str:
    """As public tables spell who runs them: method, backend, class."""
    method = layer.quant_method
    kernel = getattr(method, "moe_kernel", None)
    runs = getattr(kernel, "fused_experts", None) or getattr(kernel, "impl", None)
    backends = (getattr(method, name, None) for name in ("fp8_backend", "unquantized_backend"))
    backend = next((str(each.value) for each in backends if each is not None), "")
    parts = [type(method).__name__.removesuffix("Method"), backend, type(runs).__name__ if runs else ""]
    return "vllm_" + "_".join(part.lower().replace(" ", "_") for part in parts if part)


def unlock_workspaces() -> None:
    """Lets scratch memory grow: the engine's own steps are over. Older versions have none."""
    try:
        from vllm.v1.worker.workspace import unlock_workspace
    except ImportError:
        return
    unlock_workspace()
