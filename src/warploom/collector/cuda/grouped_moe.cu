#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/grouped_moe.cuh"
#include "warploom/collector/cuda/tensor_core.cuh"

namespace warploom::collector {
namespace {

constexpr int kColumns = 128, kDepth = 64, kStages = 3, kThreads = 256;

template <int kRows>
constexpr std::size_t shared_bytes() {
  return std::size_t(kStages) * (kRows + kColumns) * kDepth * sizeof(Bf16);
}

// Two warps along the rows, four along the columns: each kRows / 2 x 32.
template <int kRows>
struct Accumulator {
  static constexpr int kRowTiles = kRows / 32, kColumnTiles = 4;
  float c[kRowTiles][kColumnTiles][4] = {};

  __device__ void add(Bf16* x, Bf16* w, int warp_row, int warp_column) {
    const int lane = int(threadIdx.x) % 32, matrix = lane / 8, row = lane % 8;
#pragma unroll
    for (int d = 0; d < kDepth / 16; ++d) {
      std::uint32_t a[kRowTiles][4], b[2][4];
#pragma unroll
      for (int i = 0; i < kRowTiles; ++i)
        load_matrices(a[i],
                      swizzled<kDepth>(x, warp_row * (kRows / 2) + i * 16 + lane % 16, d * 2 + lane / 16));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_matrices(b[j], swizzled<kDepth>(w, warp_column * 32 + j * 16 + (matrix >> 1) * 8 + row,
                                             d * 2 + (matrix & 1)));
#pragma unroll
      for (int i = 0; i < kRowTiles; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          multiply(c[i][2 * j], a[i], b[j][0], b[j][1]);
          multiply(c[i][2 * j + 1], a[i], b[j][2], b[j][3]);
        }
    }
  }

  __device__ void store(const GroupedProduct& p, int first_row, int rows, int first_column, int warp_row,
                        int warp_column) const {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = warp_row * (kRows / 2) + i * 16 + half * 8 + lane / 4;
        if (row >= rows) continue;
#pragma unroll
        for (int j = 0; j < kColumnTiles; ++j) {
          const int column = first_column + warp_column * 32 + j * 8 + (lane % 4) * 2;
          if (column < p.n)
            *reinterpret_cast<std::uint32_t*>(p.out + std::size_t(first_row + row) * p.n + column) =
                packed(c[i][j][2 * half], c[i][j][2 * half + 1]);
        }
      }
  }
};

template <int kRows>
__global__ void __launch_bounds__(kThreads) grouped_kernel(GroupedProduct p) {
  extern __shared__ __align__(128) unsigned char shared[];
  constexpr int kChunks = kDepth / 8, kStage = (kRows + kColumns) * kDepth;
  auto* stages = reinterpret_cast<Bf16*>(shared);
  const int tile = int(blockIdx.x), expert = p.rows.tile_expert[tile], first_row = p.rows.tile_row[tile];
  const int rows = p.rows.tile_rows[tile], first_column = int(blockIdx.y) * kColumns;
  const Bf16* weights = p.weights + std::size_t(expert) * p.n * p.k;
  const int warp = int(threadIdx.x) / 32, steps = p.k / kDepth;
  const auto load = [&](int step) {
    if (step < steps) {
      Bf16* stage = stages + step % kStages * kStage;
      for (int i = int(threadIdx.x); i < kRows * kChunks; i += kThreads) {
        const int row = i / kChunks, chunk = i % kChunks;
        const bool valid = row < rows;
        const int from = first_row + (valid ? row : 0);
        const int source = p.source == nullptr ? from : p.source[from];
        copy_async(swizzled<kDepth>(stage, row, chunk),
                   p.x + std::size_t(source) * p.k + step * kDepth + chunk * 8, valid);
      }
      for (int i = int(threadIdx.x); i < kColumns * kChunks; i += kThreads) {
        const int row = i / kChunks, chunk = i % kChunks;
        const bool valid = first_column + row < p.n;
        copy_async(swizzled<kDepth>(stage + kRows * kDepth, row, chunk),
                   weights + std::size_t(valid ? first_column + row : 0) * p.k + step * kDepth + chunk * 8,
                   valid);
      }
    }
    commit_copies();
  };
  Accumulator<kRows> sums;
  for (int step = 0; step < kStages - 1; ++step) load(step);
  for (int step = 0; step < steps; ++step) {
    wait_copies<kStages - 2>();
    __syncthreads();
    load(step + kStages - 1);
    Bf16* stage = stages + step % kStages * kStage;
    sums.add(stage, stage + kRows * kDepth, warp / 4, warp % 4);
  }
  wait_copies<0>();
  sums.store(p, first_row, rows, first_column, warp / 4, warp % 4);
}

template <int kRows>
void launch_rows(const GroupedProduct& p, cudaStream_t stream) {
  static const cudaError_t allowed = cudaFuncSetAttribute(
      grouped_kernel<kRows>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes<kRows>()));
  check(allowed, "asking for shared memory");
  const dim3 grid(unsigned(p.rows.tiles), unsigned((p.n + kColumns - 1) / kColumns));
  grouped_kernel<kRows><<<grid, kThreads, shared_bytes<kRows>(), stream>>>(p);
}

}  // namespace

void launch_grouped(const GroupedProduct& p, int tile_rows, cudaStream_t stream) {
  if (tile_rows == 64)
    launch_rows<64>(p, stream);
  else
    launch_rows<128>(p, stream);
}

}  // namespace warploom::collector
