"""An engine's step as its host sees it: inputs, a layer kernel by kernel, layers in graphs, sampling.

Sizes are small, so that the GPU is never what is waited for."""
from __future__ import annotations

from typing import Any

from warploom.probe.workload import Sampler, Workload, cuda, of_modules, per_call

HIDDEN, HEADS, KV_HEADS, HEAD, INNER = 512, 8, 2, 64, 1024
TOKENS, LAYERS = 16, 8


def layers_of(torch: Any) -> tuple[Any, tuple[Any, Any], Any]:
    """A decoder of small layers, built and called as model code is: modules, keywords, views."""
    nn, functional = torch.nn, torch.nn.functional
    module: Any = nn.Module

    class Attention(module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD, bias=False)
            self.out = nn.Linear(HEADS * HEAD, HIDDEN, bias=False)

        def forward(self, positions: Any, hidden: Any) -> Any:
            q, k, v = self.qkv(hidden).split([HEADS * HEAD, KV_HEADS * HEAD, KV_HEADS * HEAD], dim=-1)
            cos, sin = positions
            q = q.view(-1, HEADS, HEAD) * cos + q.view(-1, HEADS, HEAD) * sin
            k = k.view(-1, KV_HEADS, HEAD) * cos + k.view(-1, KV_HEADS, HEAD) * sin
            v = v.view(-1, KV_HEADS, HEAD)
            q, k, v = (part.transpose(0, 1).unsqueeze(0) for part in (q, k, v))
            k, v = k.repeat_interleave(HEADS // KV_HEADS, 1), v.repeat_interleave(HEADS // KV_HEADS, 1)
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(mixed.squeeze(0).transpose(0, 1).reshape(-1, HEADS * HEAD))

    class Layer(module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.RMSNorm(HIDDEN), nn.RMSNorm(HIDDEN)
            self.attention = Attention()
            self.up, self.down = (
                nn.Linear(HIDDEN, 2 * INNER, bias=False),
                nn.Linear(INNER, HIDDEN, bias=False),
            )

        def forward(self, positions: Any, hidden: Any) -> Any:
            hidden = hidden + self.attention(positions=positions, hidden=self.first(hidden))
            gate, up = self.up(self.second(hidden)).chunk(2, dim=-1)
            return hidden + self.down(functional.silu(gate) * up)

    layers = nn.ModuleList([Layer() for _ in range(LAYERS)]).to("cuda", torch.bfloat16)
    angle = torch.zeros(TOKENS, 1, HEAD, device="cuda", dtype=torch.bfloat16)
    hidden = torch.zeros(TOKENS, HIDDEN, device="cuda", dtype=torch.bfloat16)
    return layers, (angle, angle), hidden


def make_layer() -> Sampler:
    """The host's time for a layer whose kernels are launched one by one."""
    torch = cuda()
    layers, positions, start = layers_of(torch)

    def model() -> None:
        hidden = start
        with torch.inference_mode():
            for layer in layers:
                hidden = layer(positions=positions, hidden=hidden)

    model()
    each = per_call(model, 2, torch.cuda.synchronize)
    return lambda: each() / LAYERS


def make_piece() -> Sampler:
    """The host's time for a layer that is a graph, with an attention launched between two graphs."""
    torch = cuda()
    from warploom.timing import captured

    x = torch.zeros(1024, device="cuda")
    graphs = [captured([lambda: x.add_(1)] * 10) for _ in range(32)]
    q = torch.zeros(1, HEADS, TOKENS, HEAD, device="cuda", dtype=torch.bfloat16)
    cache = torch.zeros(4096, HEAD, device="cuda", dtype=torch.bfloat16)
    slots = torch.arange(TOKENS, device="cuda")
    attend = torch.nn.functional.scaled_dot_product_attention

    def model() -> None:
        with torch.inference_mode():
            for graph in graphs:
                graph.replay()
                cache.index_copy_(0, slots, q[0, 0])
                attend(q, q, q, is_causal=True)

    model()
    each = per_call(model, 1, torch.cuda.synchronize)
    return lambda: each() / len(graphs)


def make_inputs() -> Sampler:
    """Arrays of a step: reckoned in NumPy, copied from pinned memory, gathered on the GPU."""
    torch, numpy = cuda(), of_modules("numpy")
    rows = 64
    pinned = [torch.zeros(rows, dtype=torch.int64, pin_memory=True) for _ in range(6)]
    arrays = [each.numpy() for each in pinned]
    device = [torch.zeros(rows, dtype=torch.int64, device="cuda") for _ in range(6)]
    counts = numpy.ones(rows, dtype=numpy.int64)
    table = torch.zeros(rows, 512, dtype=torch.int32, device="cuda")

    def inputs() -> Any:
        numpy.cumsum(counts, out=arrays[0])
        for array in arrays[1:]:
            array[:rows] = arrays[0] + counts
        for there, here in zip(device, pinned):
            there[:rows].copy_(here[:rows], non_blocking=True)
        block = table.gather(1, (device[1] % 512).unsqueeze(1)).squeeze(1)
        return block * 16 + device[2] % 16

    inputs()
    return per_call(inputs, 20, torch.cuda.synchronize)


def make_sampling() -> Sampler:
    """Logits to tokens: cast, choice, the copy to pinned memory and its event."""
    torch = cuda()
    logits = torch.zeros(16, 4096, device="cuda", dtype=torch.bfloat16)
    pinned, event = torch.zeros(16, dtype=torch.int64, pin_memory=True), torch.cuda.Event()

    def sample() -> None:
        with torch.inference_mode():
            chosen = logits.to(torch.float32).argmax(dim=-1)
            pinned.copy_(chosen, non_blocking=True)
            event.record()

    sample()
    return per_call(sample, 50, torch.cuda.synchronize)


WORK = [
    Workload("engine.layer", make_layer, size={"layers": LAYERS}),
    Workload("engine.piece", make_piece, size={"kernels": 10}),
    Workload("engine.inputs", make_inputs),
    Workload("engine.sampling", make_sampling),
]
