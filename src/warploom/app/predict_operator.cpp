#include "warploom/app/predict_operator.h"

#include <algorithm>

#include "warploom/app/latency_models.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/roofline.h"

namespace warploom {
namespace {

std::vector<PipelineShare> pipeline_shares(const KernelProfile& profile, Seconds predicted) {
  const Work& work = profile.work;
  const double cached = (work.weight_bytes + work.cache_bytes + work.input_bytes + work.output_bytes).value();
  std::vector<PipelineShare> shares;
  const auto add = [&](Bound pipeline, double demand, double seconds) {
    if (seconds > 0) shares.push_back({pipeline, demand, Seconds(seconds), seconds / predicted.value()});
  };
  add(Bound::Tensor, work.matrix_flop.value(), profile.t_tensor);
  add(Bound::Fma, work.fma_flop.value(), profile.t_fma);
  add(Bound::SpecialFunction, work.special_ops, profile.t_special);
  add(Bound::Shared, cached, profile.t_shared);
  add(Bound::L2, cached, profile.t_l2);
  add(Bound::Dram, cached, profile.t_dram);
  add(Bound::Network, work.network_bytes.value(), profile.t_network);
  add(Bound::Launch, work.launches, profile.t_launch);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const PipelineShare& a, const PipelineShare& b) { return a.time > b.time; });
  return shares;
}

}  // namespace

PredictResult predict_operator(const PredictRequest& request) {
  GpuCatalog catalog;
  const std::unique_ptr<const LatencyModel> model = open_latency_model(request.predictor);
  const KernelContext context{request.framework, request.version, request.kernel};
  PredictResult result;
  result.op = request.op;
  result.gpu = catalog.load_gpu(request.gpu);
  check_operator(request.op, "predict");
  result.estimate = model->estimate(request.op, result.gpu, context);
  result.roofline = RooflineModel().estimate(request.op, result.gpu, context);
  result.pipelines = pipeline_shares(profile(request.op, result.gpu, context), result.estimate.p50);
  return result;
}

}  // namespace warploom
