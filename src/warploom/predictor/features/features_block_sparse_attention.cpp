// The block of attention to chosen blocks of tokens: the parts of its base as ratios to it, and the sizes.
#include "warploom/kernels/operator/block_sparse_attention.h"
#include "warploom/predictor/features/sparse_block_features.h"

namespace warploom::features {
namespace {

void add_block_sparse_attention(const BlockSparseAttention& op, const FeatureInput& input,
                                OperatorFeatures& row) {
  const SparseBlockParts parts = block_sparse_parts(op, input.gpu, input.fitted);
  add_sparse_block(parts, double(op.heads), input.gpu, row);
  row.add_log2(double(op.hidden));
  row.add_log2(double(op.kv_heads));
  row.add_log2(double(op.index_heads));
  row.add(bytes_per_element(op.kv_cache));
  row.add(int(op.projections));
  row.add(op.decode ? 1 : 0);
}

constexpr std::array kSources{
    feature_source<BlockSparseAttention, add_block_sparse_attention>({.trees = 50, .depth = 6, .eta = 0.22})};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kBlockSparseAttentionFeatures = features::kSources;
}  // namespace warploom
