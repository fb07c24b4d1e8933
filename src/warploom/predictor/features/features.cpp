#include "warploom/predictor/features/features.h"

#include <algorithm>
#include <variant>

#include "warploom/base/error.h"
#include "warploom/kernels/gemm/gemm_constants.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom {

namespace features {

namespace {

void add_gpu(const GpuSpec& gpu, double sustained, OperatorFeatures& row) {
  const double flop = gpu.tensor_rate(tensor_rate_per_clock(gpu, DataType::Bf16)).value();
  row.add(architecture_class(gpu));
  row.add_log2(double(gpu.sm_count));
  row.add_log2(flop / gpu.memory_bandwidth.value());
  row.add_log2(gpu.l2_capacity.value());
  row.add_log2(gpu.memory_bandwidth.value() / gpu.sm_cycles_per_second());
  row.add(sustained);
}

}  // namespace
}  // namespace features

void compute_features(const Operator& op, const GpuSpec& gpu, OperatorFeatures& row) {
  compute_features(op, gpu, default_constants(family_of(op)), row);
}

void compute_features(const Operator& op, const GpuSpec& gpu, const BaseConstants& fitted,
                      OperatorFeatures& row) {
  compute_features(op, gpu, ContextKernel{}, fitted, row);
}

namespace {

using SourcesByPlace = std::array<const FeatureSource*, std::variant_size_v<Operator>>;
SourcesByPlace sources_by_place() {
  SourcesByPlace sources{};
  for (const std::span<const FeatureSource>& of_file : {WARPLOOM_FEATURE_SOURCES})
    for (const FeatureSource& source : of_file) sources[source.place] = &source;
  for (const FeatureSource* source : sources) WARPLOOM_ASSERT(source != nullptr);
  return sources;
}
// Made when the program starts, of values that need no start: a lookup has no guard to ask.
const SourcesByPlace kSourcesByPlace = sources_by_place();

}  // namespace

const FeatureSource& feature_source(const Operator& op) { return *kSourcesByPlace[op.index()]; }

void compute_features(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                      const BaseConstants& fitted, OperatorFeatures& row) {
  row.clear();
  const FeatureInput input{gpu, kernel, fitted, sustained_rate_share(gpu)};
  feature_source(op).add(op, input, row);
  features::add_gpu(gpu, input.sustained, row);
  row.take_logs();
}

GpuFeatures::GpuFeatures(const GpuSpec& gpu) : sustained(sustained_rate_share(gpu)) {
  OperatorFeatures row;
  features::add_gpu(gpu, sustained, row);
  row.take_logs();
  std::copy_n(row.values.begin(), values.size(), values.begin());
}

void compute_features(const Operator& op, const KnownGpu& known, const ContextKernel& kernel,
                      const BaseConstants& fitted, OperatorFeatures& row) {
  row.clear();
  feature_source(op).add(op, {known.gpu, kernel, fitted, known.features.sustained, known.gemm}, row);
  const std::array<float, kGpuFeatures>& values = known.features.values;
  std::copy(values.begin(), values.end(), row.values.begin() + row.count);
  row.count += kGpuFeatures;
  row.take_logs();
}

FeaturePlan::FeaturePlan(const Operator& example, const GpuSpec& gpu, const ContextKernel& kernel,
                         const BaseConstants& fitted)
    : gpu_(gpu), kernel_(kernel), fitted_(fitted), of_gpu_(gpu) {
  if (const auto* gemm = std::get_if<Gemm>(&example))
    gemm_.emplace(gemm->scheme, gpu, gemm_constants_of(fitted));
}

void FeaturePlan::compute(const Operator& op, OperatorFeatures& row) const {
  compute_features(op, {gpu_, of_gpu_, gemm_ ? &*gemm_ : nullptr}, kernel_, fitted_, row);
}

std::uint32_t layer_of(const Operator& op) {
  const FeatureSource& source = feature_source(op);
  return source.layer != nullptr ? source.layer(op) : 0;
}

}  // namespace warploom
