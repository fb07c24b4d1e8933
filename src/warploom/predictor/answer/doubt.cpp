#include "warploom/predictor/answer/doubt.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "warploom/hardware/gpu_class.h"

namespace warploom {
namespace {

// The 80th percentile of |ln(measured / cold)| of decode attention in 31 steps of vLLM 0.24 on an H100 and an
// H200 that cold caches lengthen by 2 to 16 % (tests/fixtures/engine; the tables' own kernel, without the
// rule of steps/decode_in_step.h). Mean error 6.0 %, 10.1 % with warm caches.
constexpr double kDoubtOfCold = 0.1;

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

// The 80th percentile of |ln(time of one release / time of the next that was measured)| over equal shapes of
// one engine's kernel on one GPU: seven GPUs, public tables up to vLLM 0.27.1, SGLang 0.5.17 and TensorRT-LLM
// 1.3.0rc20, without rows that are withdrawn, replaced or of a throttled session. Of vLLM 0.31.0 and SGLang
// 0.5.20, which judge it, no row (docs/decisions/0093).
struct OtherVersion {
  Family family;
  double half_width;  // ln
};
constexpr std::array kOtherVersions{OtherVersion{Family::Gemm, 0.099},
                                    OtherVersion{Family::AttentionPrefill, 0.045},
                                    OtherVersion{Family::AttentionDecode, 0.055},
                                    OtherVersion{Family::Moe, 0.069}, OtherVersion{Family::AllReduce, 0.282}};
// The median of those above, for families whose tables hold eager or withdrawn releases.
constexpr double kOtherVersionElsewhere = 0.069;

// The same of one engine's kernels under other scales: fp8 per tensor against per token (216 pairs), and
// either against scales per block of weights (1,080 pairs of products, 110 of experts).
constexpr double kOtherScales = 0.074;
constexpr double kBlockScalesGemm = 0.45;
constexpr double kBlockScalesElsewhere = 0.76;

}  // namespace

double doubt_of_cold(double longer) { return std::min(longer, kDoubtOfCold); }

double doubt_of_other_engine(Family family) {
  for (const OtherEngine& known : kOtherEngines)
    if (known.family == family) return known.half_width;
  return kOtherEngineElsewhere;
}

double doubt_of_other_version(Family family) {
  for (const OtherVersion& known : kOtherVersions)
    if (known.family == family) return known.half_width;
  return kOtherVersionElsewhere;
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
