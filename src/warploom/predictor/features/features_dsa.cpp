// The block of DeepSeek sparse attention: the parts of its base (kernels/operator/dsa.h) as ratios to it,
// and the sizes.
#include "warploom/kernels/operator/dsa.h"
#include "warploom/predictor/features/sparse_block_features.h"

namespace warploom::features {
namespace {

void add_dsa(const Dsa& op, const FeatureInput& input, OperatorFeatures& row) {
  const SparseBlockParts parts = dsa_parts(op, input.gpu, input.fitted);
  add_sparse_block(parts, double(op.shape.heads), input.gpu, row, Slots::AsChosen);
  row.add_log2(double(op.hidden));
  row.add_log2(double(op.shape.nope_head_dim + op.shape.value_head_dim));
  row.add(bytes_per_element(op.kv_cache));
  row.add(int(op.projections));
  row.add(op.decode ? 1 : 0);
  row.add(op.indexer ? 1 : 0);
}

// So many kernels and kinds were measured that each gets few: all families together stay below 20 MB.
constexpr std::array kSources{feature_source<Dsa, add_dsa>({.trees = 26, .depth = 6, .eta = 0.3})};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kDsaFeatures = features::kSources;
}  // namespace warploom
