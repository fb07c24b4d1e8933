"""A Triton kernel behind @warploom.autotune: the first process profiles on sparse anchors and fits a wave
table, later calls of any shape and later processes only look up.

    python3 examples/triton_autotune.py [M N K]          # needs a GPU, torch and Triton

Prints the configuration, whether this process profiled, its rate beside cuBLAS's, and what a decision
costs in Python. Without a GPU, torch or Triton it says so and ends with status 77.
"""
import sys
import time
from pathlib import Path

try:
    import torch
    import triton
except ImportError as missing:
    print(f"{missing}: nothing was run")
    sys.exit(77)
if not torch.cuda.is_available():
    print("no GPU: nothing was run")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import warploom  # noqa: E402
from warploom.kernels.gemm import gemm_kernel, operands, reference  # noqa: E402
from warploom.timing import graph_us  # noqa: E402

# The first is the safe default: it stays where nothing is clearly faster.
TILES = [(128, 128, 64, 8, 3), (128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 4, 4),
         (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (32, 64, 128, 4, 4),
         (16, 64, 128, 4, 4), (16, 32, 128, 4, 5)]
CONFIGS = [triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, num_warps=warps,
                         num_stages=stages) for m, n, k, warps, stages in TILES]
gemm = warploom.autotune(configs=CONFIGS, key=["M", "N", "K"])(gemm_kernel)


def call(a, b, c):
    (m, k), n = a.shape, b.shape[0]
    gemm[lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)](
        a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0))


def main():
    m, n, k = (int(value) for value in sys.argv[1:4]) if len(sys.argv) > 3 else (4096, 4096, 4096)
    a, b, c = operands(m, n, k)
    started = time.perf_counter()
    call(a, b, c)
    torch.cuda.synchronize()
    first = time.perf_counter() - started
    error = float((c.double() - reference(a, b)).norm() / reference(a, b).norm())
    arguments = (a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0))
    rounds = 100_000
    started = time.perf_counter()
    for _ in range(rounds):
        gemm.decision(arguments, {})
    decision = (time.perf_counter() - started) / rounds
    ours = graph_us([lambda: call(a, b, c)] * 20, 5)[0]
    library = graph_us([lambda: torch.nn.functional.linear(a, b)] * 20, 5)[0]
    print(f"{m} x {n} x {k}: {gemm.decision(arguments, {})}")
    print(f"tables profiled by this process: {gemm.profiled}, keys measured: {gemm.measured}")
    print(f"first call {first:.2f} s, relative error {error:.1e}")
    print(f"{ours:.1f} us, {2e-6 * m * n * k / ours:.0f} TFLOP/s; torch {library:.1f} us; share "
          f"{100 * library / ours:.0f} %")
    print(f"a decision takes {decision * 1e6:.2f} us")


if __name__ == "__main__":
    main()
