#include "warploom/app/latency_models.h"

#include "warploom/kernels/roofline.h"
#include "warploom/predictor/predictor.h"

namespace warploom {

std::unique_ptr<const LatencyModel> open_latency_model(const std::string& predictor) {
  if (predictor == "roofline") return std::make_unique<RooflineModel>();
  if (predictor.empty()) return std::make_unique<Predictor>();
  return std::make_unique<Predictor>(std::filesystem::path(predictor));
}

}  // namespace warploom
