"""vLLM's kernels through its own layers (names of 0.19 to 0.33), one by one.

Products are those of a ReplicatedLinear and experts those of a mixture's layer, in 16 bits, in block-scaled
fp8 and as the running model is quantised; attention is that of vllm_attention, where the engine runs
FlashAttention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warploom.onboard import vllm_attention, vllm_layers
from warploom.onboard.kernel_plan import SCALE_BLOCK, Entry
from warploom.onboard.kernel_sweep import Timed, timed_calls

# Schemes by the method of a linear layer.
LINEAR_METHODS = {
    "UnquantizedLinearMethod": "bf16",
    "Fp8LinearMethod": "fp8",
    "ModelOptFp8LinearMethod": "fp8",
}
LINEAR = "torch.nn.functional.linear"  # as public tables name what multiplies in 16 bits
# What is timed, who runs it, and whether the longest of its kernels alone counts.
Planned = tuple[list[Callable[[], object]], str, bool]


class VllmKernels:
    """Times entries of kernel_plan on an engine that runs in this process."""

    def __init__(self, engine: Any) -> None:
        self.config = engine.vllm_config
        self.quantised = getattr(self.config, "quant_config", None)
        self.known: dict[str, Any] | None = None
        vllm_layers.unlock_workspaces()

    def schemes(self) -> list[str]:
        """Those of products that can be made here, the model's own first."""
        return list(self.scheme_configs())

    def scheme_configs(self) -> dict[str, Any]:
        """Scheme -> what quantises its layers; the model's own first."""
        if self.known is None:
            own = self.own_scheme()
            self.known = {own: self.quantised} if own else {}
            self.known.setdefault("bf16", None)
            if "fp8_block" not in self.known and self.has_block_fp8():
                self.known["fp8_block"] = vllm_layers.block_fp8(SCALE_BLOCK)
        return self.known

    def own_scheme(self) -> str:
        if self.quantised is None:
            return "bf16"
        if getattr(self.quantised, "weight_block_size", None):
            return "fp8_block"
        try:
            method = vllm_layers.linear(self.config, 256, 256, self.quantised).quant_method
            return LINEAR_METHODS.get(type(method).__name__, "")
        except Exception:  # a quantisation that such a layer cannot have is not swept
            return ""

    def has_block_fp8(self) -> bool:
        """Whether such a layer can be made here, on this GPU and in this version."""
        try:
            scheme = vllm_layers.block_fp8(SCALE_BLOCK)
            vllm_layers.linear(self.config, 2 * SCALE_BLOCK, 2 * SCALE_BLOCK, scheme)
        except Exception:  # each version and GPU refuses in its own way
            return False
        return True

    def time(self, entry: Entry) -> Timed:
        import torch

        families = {"gemm": self._product, "moe": self._experts}
        calls, kernel, split = families.get(entry["family"], self._attention)(entry)
        with torch.inference_mode():
            whole = timed_calls(kernel, calls)
            # Rows are quantised before a product, by a kernel that has a price of its own.
            return whole._replace(us=whole.us * share_of_longest(calls)) if split else whole

    def _product(self, entry: Entry) -> Planned:
        import torch
        from warploom.timing import copies_of

        m, n, k = entry["m"], entry["n"], entry["k"]
        quantised = entry["scheme"] != "bf16"
        copies = copies_of(n * k * (1 if quantised else 2))
        scheme = self.scheme_configs()[entry["scheme"]]
        layers = [vllm_layers.linear(self.config, n, k, scheme) for _ in range(copies)]
        x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)

        def call_of(layer: Any) -> Callable[[], object]:
            return lambda: layer.quant_method.apply(layer, x, None)

        method = layers[0].quant_method
        kernel = type(getattr(method, "fp8_linear", method)).__name__ if quantised else LINEAR
        return [call_of(layer) for layer in layers], kernel, quantised

    def _experts(self, entry: Entry) -> Planned:
        import torch
        from warploom.kernels import fused_moe

        tokens, count, top_k = entry["tokens"], entry["experts"], entry["top_k"]
        sizes = {"num_experts": count, "top_k": top_k}
        sizes |= {"hidden_size": entry["hidden"], "intermediate_size": entry["intermediate"]}
        layer = vllm_layers.experts(self.config, sizes, self.scheme_configs()[entry["scheme"]])
        x = torch.randn(tokens, entry["hidden"], device="cuda", dtype=torch.bfloat16)
        weights = torch.rand(tokens, top_k, device="cuda")

        def call_of(seed: int) -> Callable[[], object]:
            chosen = fused_moe.random_experts(tokens, count, top_k, seed).view(tokens, top_k)
            return vllm_layers.experts_call(layer, x, weights, chosen.to(torch.int32))

        # Routings differ, so that weights come from memory.
        routings = 8 if tokens <= 48 else 4 if tokens <= 512 else 2
        return [call_of(seed) for seed in range(routings)], vllm_layers.experts_name(layer), False

    def _attention(self, entry: Entry) -> Planned:
        from warploom.timing import copies_of

        request = entry["requests"][0]
        queries, context = request["query_tokens"], request["context_tokens"]
        # A decoding request sees its own token too, which the plan counts among those cached.
        seen = context if entry["family"] == "attention_decode" else context + queries
        sizes = {name: entry[name] for name in ("heads", "kv_heads", "head_dim")}
        batch = vllm_attention.Batch(request["count"], queries, seen, **sizes)
        copies = copies_of(4 * batch.requests * seen * batch.kv_heads * batch.head_dim)
        calls, kernel = vllm_attention.attention_calls(self.config, batch, copies)
        return calls, kernel, False


def share_of_longest(calls: list[Callable[[], object]]) -> float:
    """The part of the GPU's time that the longest of their kernels takes, by name."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for call in calls:
            call()
        torch.cuda.synchronize()
    cuda = torch.autograd.DeviceType.CUDA
    sums: dict[str, float] = {}
    for event in profiler.events():
        if event.device_type == cuda:
            took = event.time_range.end - event.time_range.start
            sums[event.name] = sums.get(event.name, 0.0) + took
    return max(sums.values()) / sum(sums.values())
