#include "warploom/predictor/answer/doubt.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "warploom/hardware/gpu_class.h"

namespace warploom {
namespace {

// A power law of the widths of its range that a feature lies outside of it: the half-width at one width, and
// the exponent. Fitted to the growth of the 80th percentile of |ln(measured / predicted)| where products,
// experts and attention of an A100 and an H100 were learned from the 60 or 40 % of their rows with the
// shortest base time and judged on all (0.10 at a fiftieth of a width, 0.17 at a third, 0.26 at one and a
// half).
constexpr double kDoubtAtOneWidth = 0.22;  // ln
constexpr double kDoubtExponent = 0.3;

// The 80th percentile of |ln(time of one engine / time of another)| over the GPUs and operators that two
// engines were both measured on (shipped cells on a grid of sizes, November 2026).
struct OtherEngine {
  Family family;
  double half_width;  // ln
};
constexpr std::array kOtherEngines{OtherEngine{Family::Gemm, 0.27},
                                   OtherEngine{Family::AttentionPrefill, 0.68},
                                   OtherEngine{Family::AttentionDecode, 0.24},
                                   OtherEngine{Family::MlaPrefill, 1.31},
                                   OtherEngine{Family::MlaDecode, 1.14},
                                   OtherEngine{Family::Moe, 0.51},
                                   OtherEngine{Family::Quantize, 1.12},
                                   OtherEngine{Family::AllReduce, 0.34}};
// The median of those above, for families that no two engines were measured on.
constexpr double kOtherEngineElsewhere = 0.6;

// The same of one engine's kernels under other scales: fp8 per tensor against per token (216 pairs), and
// either against scales per block of weights (1,080 pairs of products, 110 of experts).
constexpr double kOtherScales = 0.074;
constexpr double kBlockScalesGemm = 0.45;
constexpr double kBlockScalesElsewhere = 0.76;

}  // namespace

double doubt_outside(double outside) {
  return outside > 0 ? kDoubtAtOneWidth * std::pow(outside, kDoubtExponent) : 0;
}

double doubt_of_other_engine(Family family) {
  for (const OtherEngine& known : kOtherEngines)
    if (known.family == family) return known.half_width;
  return kOtherEngineElsewhere;
}

double doubt_of_other_scales(Family family, bool blocks) {
  if (!blocks) return kOtherScales;
  return family == Family::Gemm ? kBlockScalesGemm : kBlockScalesElsewhere;
}

bool is_unlike_all(const FamilyModel& model, const GpuSpec& gpu) {
  const Lineage own = lineage_of(architecture_class(gpu));
  return std::none_of(model.gpus.begin(), model.gpus.end(),
                      [&](const GpuRecord& known) { return lineage_of(known.architecture) == own; });
}

}  // namespace warploom
