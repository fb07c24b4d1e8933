"""What each engine's module of launches asks of its kernels, with recorders in the engines' place."""
import sys
import types
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from warploom import sglang_launches, tuned_profile, vllm_launches  # noqa: E402

TILES = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 8, "num_warps": 4,
         "num_stages": 3}


class Matrix:
    """Sizes and strides of a tensor, row-major."""

    def __init__(self, *shape):
        self.shape = shape

    def stride(self, axis):
        return [self.shape[1], 1][axis]


class Kernel:
    def __getitem__(self, grid):
        self.grid = grid

        def launch(*operands, **tiles):
            self.operands, self.tiles = operands, tiles
        return launch


def module(name, **members):
    """Puts a module with these members, and its parents, where `import` finds them."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        path = ".".join(parts[:end])
        if path not in sys.modules:
            sys.modules[path] = types.ModuleType(path)
        if end > 1:
            setattr(sys.modules[".".join(parts[:end - 1])], parts[end - 1], sys.modules[path])
    for key, value in members.items():
        setattr(sys.modules[name], key, value)


class Launches(unittest.TestCase):
    def setUp(self):
        before = dict(sys.modules)
        self.addCleanup(lambda: (sys.modules.clear(), sys.modules.update(before)))
        language = types.ModuleType("triton.language")
        language.bfloat16 = "bf16"
        sys.modules["triton"], sys.modules["triton.language"] = types.ModuleType("triton"), language
        sys.modules["triton"].language = language

    def product(self, launches, kernel, k):
        a, b, c = Matrix(20, k), Matrix(200, k), Matrix(20, 200)
        launches.block_product(a, b, c, Matrix(20, 3), Matrix(2, 3), [128, 128], TILES)
        self.assertEqual(kernel.grid, (2 * 4,))
        self.assertEqual(kernel.operands[5:10], (20, 200, k, 128, 128))
        self.assertEqual(kernel.operands[10:16], (k, 1, 1, k, 200, 1))
        self.assertEqual(kernel.operands[16:], (3, 1, 1, 3))
        self.assertEqual({name: kernel.tiles[name] for name in TILES}, TILES)
        return kernel.tiles

    def test_vllms_product(self):
        kernel = Kernel()
        module("vllm.model_executor.layers.quantization.utils.fp8_utils",
               _w8a8_triton_block_scaled_mm=kernel)
        self.assertNotIn("needs_masking", self.product(vllm_launches, kernel, 384))

    def test_sglangs_product_masks_a_cut_inner_tile(self):
        kernel = Kernel()
        module("sglang.kernels.ops.gemm.fp8_kernel",
               select_w8a8_block_fp8_matmul_kernel=lambda m, n, tiles: kernel)
        self.assertFalse(self.product(sglang_launches, kernel, 384)["needs_masking"])
        self.assertTrue(self.product(sglang_launches, kernel, 320)["needs_masking"])

    def experts(self, launches, calls):
        aligned = ("pairs", "blocks", "rows")
        launches.expert_product("a", "b", "c", "as", "bs", "w", aligned, 8, True, TILES, True, [128, 128])
        (operands, named), = calls
        at = operands.index("pairs")
        self.assertEqual(operands[at:at + 6], (*aligned, True, 8, TILES))
        self.assertEqual((named["use_fp8_w8a8"], named["block_shape"]), (True, [128, 128]))
        return operands

    def test_experts_of_both(self):
        for name, function, launches in (
                ("vllm.model_executor.layers.fused_moe.fused_moe", "invoke_fused_moe_triton_kernel",
                 vllm_launches),
                ("sglang.kernels.ops.moe.fused_moe_triton_kernels", "invoke_fused_moe_kernel",
                 sglang_launches)):
            calls = []
            module(name, **{function: lambda *given, calls=calls, **named: calls.append((given, named))})
            sys.modules.setdefault("torch", types.ModuleType("torch"))
            self.assertEqual(self.experts(launches, calls)[:2], ("a", "b"))

    def test_an_engine_that_is_not_there_is_an_import_error(self):
        sys.modules["sglang"] = None
        with self.assertRaises(ImportError):
            tuned_profile.launches_of("sglang")


if __name__ == "__main__":
    unittest.main()
