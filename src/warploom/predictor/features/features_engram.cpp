// Look-ups of n-grams: the parts of their base and the sizes. No kernel of them was timed without its host,
// so nothing is learned of them yet.
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/structural_price.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

void add_engram(const Engram& op, const FeatureInput& input, OperatorFeatures& row) {
  const StructuralPrice price = Engram::kFamily.price(op, input.gpu, input.kernel, input.fitted);
  row.log_base = std::log(price.seconds);
  row.add_log2(price.seconds);
  row.add_log2(price.compute / price.seconds);
  row.add_log2(price.memory / price.seconds);
  row.add_log2(double(op.tokens));
  row.add_log2(double(op.hidden));
  row.add_log2(double(op.gpus));
}

constexpr std::array kSources{feature_source<Engram, add_engram>()};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kEngramFeatures = features::kSources;
}  // namespace warploom
