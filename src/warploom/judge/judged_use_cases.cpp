// What the use cases of app leave to this program, in place of app/judging_elsewhere.cpp. The training of a
// method is published/train_method.cpp.
#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/baselines/method_file.h"
#include "warploom/baselines/pipeweave/published_kernel.h"
#include "warploom/judge/wavetune/boundary_anchors.h"

namespace warploom {

std::unique_ptr<const LatencyModel> open_published_method(const std::filesystem::path& file) {
  return read_method_file(file).model;
}

std::vector<std::pair<std::string, double>> published_features(const Operator& op, const GpuSpec& gpu,
                                                               const KernelContext& context) {
  const published::Features vector = published::features(op, gpu, context);
  const std::vector<std::string> names = vector.names();
  const std::vector<double> values = vector.values();
  std::vector<std::pair<std::string, double>> result;
  for (std::size_t i = 0; i < values.size(); ++i) result.emplace_back(names[i], values[i]);
  return result;
}

std::vector<AnchorRow> published_anchors(const TileKernel& kernel, const TileGpu& gpu,
                                         const std::vector<TileConfig>& space) {
  return plan_boundary_anchors(kernel, gpu, space);
}

}  // namespace warploom
