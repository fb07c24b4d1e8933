// The parts that families make their physical bound of (physical_bound.h says what counts).
#pragma once

#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/kernels/work.h"

namespace warploom {

inline constexpr double kShortestKernel = 0.5e-6;  // s; back-to-back graph nodes measure 1 us and more

struct BoundLimit {
  double seconds = kShortestKernel;
  Bound bound = Bound::Launch;

  void raise(double time, Bound by) {
    if (time > seconds) seconds = time, bound = by;
  }
};

// Seconds of `flop` at a rate per clock and SM, at the highest clock that the driver allows.
double seconds_at_peak(double flop, double rate, const GpuSpec& gpu);
double fastest_product_seconds(const Gemm& op, const GpuSpec& gpu);
// The products alone of attention.
double fastest_attention_seconds(const AttentionView& view, const GpuSpec& gpu);

void raise_products(BoundLimit& limit, MatmulScheme scheme, double flop, const GpuSpec& gpu);
void raise_attention(BoundLimit& limit, const AttentionView& view, const GpuSpec& gpu);

// What of some bytes a cache cannot hold.
double bytes_beyond(double bytes, double capacity);
// Bytes that cannot all lie in L2, of which `cold` come from memory in any case.
double forced_bytes(double touched, double cold, const GpuSpec& gpu);
// Bytes of a cache that decoding requests read, without their new tokens.
double cold_cache_bytes(const AttentionView& view, const Work& work);

}  // namespace warploom
