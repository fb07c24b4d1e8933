"""warploom.onboard tells by a kernel's name what it does. Names are those of vLLM 0.33 on an H200."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.onboard.kernel_names import rows_us, works_on_rows  # noqa: E402

ON_ROWS = (
    "triton_red_fused_fused_add_rms_norm_0",
    "triton_poi_fused_mul_silu_slice_1",
    "void vllm::silu_and_mul_per_block_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn, true, 128>",
    "void vllm::rms_norm_per_block_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn, true, true, 128>",
    "void per_token_group_quant_8bit_register_kernel<c10::BFloat16>",
    "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16>",
)
OTHERS = (
    "nvjet_sm90_tst_128x16_64x11_2x1_v_bz_splitK_TNT",
    "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>",
    "void deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, 0u, 24576u, 4096u>",
    "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90>>",
    "void flash::prepare_varlen_num_blocks_kernel<1, false>(int, int)",
    "fused_moe_kernel",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
    "_gumbel_sample_kernel",
    "Memcpy DtoD (Device -> Device)",
)


class NamesTest(unittest.TestCase):
    def test_tells_what_works_on_rows(self):
        self.assertEqual([name for name in ON_ROWS if not works_on_rows(name)], [])
        self.assertEqual([name for name in OTHERS if works_on_rows(name)], [])

    def test_sums_their_times(self):
        self.assertEqual(rows_us({ON_ROWS[0]: (2, 3.0), ON_ROWS[1]: (1, 4.5), OTHERS[0]: (9, 90.0)}), 7.5)


if __name__ == "__main__":
    unittest.main()
