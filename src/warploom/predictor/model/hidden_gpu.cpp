#include "warploom/predictor/model/hidden_gpu.h"

#include <algorithm>

#include "warploom/predictor/features/features.h"

namespace warploom {

void hide_gpu(Family family, std::span<float> row, std::size_t columns, const ContextCodes& codes) {
  if (family != Family::AttentionPrefill && family != Family::AttentionDecode && family != Family::Moe)
    return;
  const std::span<float> of_gpu = row.subspan(columns - kGpuFeatures, kGpuFeatures);
  std::fill(of_gpu.begin(), of_gpu.end(), 0.0F);
  of_gpu[0] = codes.version;
}

}  // namespace warploom
