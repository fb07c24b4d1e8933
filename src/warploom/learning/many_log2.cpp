#include "warploom/learning/many_log2.h"

#include <cstdint>

namespace warploom {
namespace {

namespace plain {
#define WARPLOOM_LANES 4
#define WARPLOOM_TARGET
#include "warploom/learning/many_log2_lanes.inc"
#undef WARPLOOM_LANES
#undef WARPLOOM_TARGET
}  // namespace plain

#if defined(__x86_64__)
namespace avx2 {
#define WARPLOOM_LANES 8
#define WARPLOOM_TARGET __attribute__((target("avx2")))
#include "warploom/learning/many_log2_lanes.inc"
}  // namespace avx2
#else
namespace avx2 = plain;
#endif

}  // namespace

void log2_all(float* values, std::size_t count, VectorUnit unit) {
  constexpr VectorVersions kVersions{plain::log2_lanes, avx2::log2_lanes, avx2::log2_lanes};
  kVersions.on(unit)(values, count);
}

}  // namespace warploom
