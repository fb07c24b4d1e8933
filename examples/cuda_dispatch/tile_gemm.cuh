// A small bf16 GEMM on tensor cores, C[m, n] = A[m, k] B[n, k]^T, as one template of its tile sizes: what a
// CUTLASS-style library instantiates many times. Two stages of shared memory filled by cp.async.
#pragma once

#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace example {

// Tile of the output, depth of one step, warps along m and n.
template <int M, int N, int K, int WarpsM, int WarpsN>
struct Tile {
  static constexpr int kM = M, kN = N, kK = K, kWarpsM = WarpsM, kWarpsN = WarpsN;
  static constexpr int kStages = 2, kPad = 8, kThreads = 32 * WarpsM * WarpsN;
  static constexpr int kSharedBytes = kStages * (M + N) * (K + kPad) * 2;
  static_assert(M % (16 * WarpsM) == 0 && N % (16 * WarpsN) == 0 && K % 16 == 0);
};

// rows x T::kK elements from row `first` and column `at` of a matrix with `count` rows into shared memory;
// rows beyond the end repeat the last one, columns beyond k are zero. k is a multiple of 8.
template <class T, int Rows>
__device__ void load_stage(__nv_bfloat16* to, const __nv_bfloat16* from, int first, int count, int at,
                           int k) {
  constexpr int kChunks = T::kK / 8;
  for (int i = threadIdx.x; i < Rows * kChunks; i += T::kThreads) {
    const int row = i / kChunks, column = i % kChunks * 8;
    const int source = min(first + row, count - 1);
    __nv_bfloat16* place = to + row * (T::kK + T::kPad) + column;
    const bool inside = at + column < k;
    __pipeline_memcpy_async(place, from + (inside ? size_t(source) * k + at + column : 0), 16,
                            inside ? 0 : 16);
  }
}

template <class T>
__global__ void __launch_bounds__(T::kThreads)
    tile_gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  extern __shared__ __nv_bfloat16 shared[];
  constexpr int kRow = T::kK + T::kPad, kStageA = T::kM * kRow, kStageB = T::kN * kRow;
  __nv_bfloat16 *stage_a = shared, *stage_b = shared + T::kStages * kStageA;
  constexpr int kTilesM = T::kM / T::kWarpsM / 16, kTilesN = T::kN / T::kWarpsN / 16;
  const int warp = threadIdx.x / 32, warp_m = warp / T::kWarpsN * kTilesM * 16;
  const int warp_n = warp % T::kWarpsN * kTilesN * 16;
  const int first_m = blockIdx.y * T::kM, first_n = blockIdx.x * T::kN;
  fragment<accumulator, 16, 16, 16, float> sums[kTilesM][kTilesN];
  for (auto& row : sums)
    for (auto& sum : row) fill_fragment(sum, 0.0F);
  const int steps = (k + T::kK - 1) / T::kK;
  const auto load = [&](int step) {
    const int stage = step % T::kStages;
    if (step < steps) {
      load_stage<T, T::kM>(stage_a + stage * kStageA, a, first_m, m, step * T::kK, k);
      load_stage<T, T::kN>(stage_b + stage * kStageB, b, first_n, n, step * T::kK, k);
    }
    __pipeline_commit();
  };
  load(0);
  for (int step = 0; step < steps; ++step) {
    load(step + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    const __nv_bfloat16* own_a = stage_a + step % T::kStages * kStageA + warp_m * kRow;
    const __nv_bfloat16* own_b = stage_b + step % T::kStages * kStageB + warp_n * kRow;
    for (int inner = 0; inner < T::kK; inner += 16) {
      fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> x[kTilesM];
      for (int i = 0; i < kTilesM; ++i) load_matrix_sync(x[i], own_a + i * 16 * kRow + inner, kRow);
      for (int j = 0; j < kTilesN; ++j) {
        fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> y;
        load_matrix_sync(y, own_b + j * 16 * kRow + inner, kRow);
        for (int i = 0; i < kTilesM; ++i) mma_sync(sums[i][j], x[i], y, sums[i][j]);
      }
    }
    __syncthreads();
  }
  // The example asks m and n to be multiples of 16, so that fragments are inside or outside as a whole.
  for (int i = 0; i < kTilesM; ++i)
    for (int j = 0; j < kTilesN; ++j) {
      const int row = first_m + warp_m + i * 16, column = first_n + warp_n + j * 16;
      if (row < m && column < n)
        store_matrix_sync(c + size_t(row) * n + column, sums[i][j], n, mem_row_major);
    }
}

}  // namespace example
