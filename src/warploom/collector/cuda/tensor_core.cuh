// bf16 matrix fragments of one warp: 16 x 8 x 16 products in fp32, loads from swizzled shared memory.
//
// Fragment layouts: PTX ISA, "Matrix fragments for mma.m16n8k16". Needs compute capability 8.0.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace warploom::collector {

__device__ inline std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

__device__ inline void copy_async(void* to, const void* from, bool valid = true) {
  const int bytes = valid ? 16 : 0;  // the rest of the 16 bytes is filled with zeros
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(shared_address(to)), "l"(from),
               "r"(bytes));
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;\n" ::); }
template <int kPending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kPending));
}

// Rows of kWidth elements as chunks of 8, the chunk number exclusive-or'd with the row: neither rows nor
// columns of 8 x 8 blocks then meet in a bank.
template <int kWidth>
__device__ inline __nv_bfloat16* swizzled(__nv_bfloat16* tile, int row, int chunk) {
  constexpr int kMask = kWidth >= 64 ? 7 : kWidth / 8 - 1;
  return tile + row * kWidth + ((chunk ^ (row & kMask)) << 3);
}

__device__ inline void load_matrices(std::uint32_t (&r)[4], const void* at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(at)));
}
__device__ inline void load_transposed(std::uint32_t (&r)[4], const void* at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(at)));
}

__device__ inline void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline std::uint32_t packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// Softmax of 16 rows, kept up while keys arrive: each thread holds rows g and g + 8 (g = lane / 4).
struct RunningSoftmax {
  float top[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
};

// Turns scores (kTiles tiles of 8 keys) into weights exp2(score * scale - top) and gives the factors by
// which what was summed before shrinks.
template <int kTiles>
__device__ inline void update_softmax(RunningSoftmax& state, float (&scores)[kTiles][4], float scale,
                                      float (&shrink)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float top = state.top[half];
#pragma unroll
    for (int t = 0; t < kTiles; ++t) top = fmaxf(top, fmaxf(scores[t][2 * half], scores[t][2 * half + 1]));
    top = fmaxf(top, __shfl_xor_sync(~0U, top, 1));
    top = fmaxf(top, __shfl_xor_sync(~0U, top, 2));
    const float base = top == -INFINITY ? 0.0F : top * scale;
    shrink[half] = exp2f(state.top[half] * scale - base);
    float sum = 0;
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float& score = scores[t][2 * half + i];
        score = exp2f(score * scale - base);
        sum += score;
      }
    state.sum[half] = state.sum[half] * shrink[half] + sum;
    state.top[half] = top;
  }
}

// The sums of a row's four threads.
__device__ inline void finish_sums(RunningSoftmax& state) {
#pragma unroll
  for (float& sum : state.sum) {
    sum += __shfl_xor_sync(~0U, sum, 1);
    sum += __shfl_xor_sync(~0U, sum, 2);
  }
}

}  // namespace warploom::collector
