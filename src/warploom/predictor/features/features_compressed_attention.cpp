// The block of attention over a compressed cache: the parts of its base as ratios to it, and the sizes.
#include "warploom/kernels/operator/compressed_attention.h"
#include "warploom/predictor/features/sparse_block_features.h"

namespace warploom::features {
namespace {

void add_compressed_attention(const CompressedAttention& op, const FeatureInput& input,
                              OperatorFeatures& row) {
  const SparseBlockParts parts = compressed_attention_parts(op, input.gpu, input.fitted);
  add_sparse_block(parts, double(op.heads), input.gpu, row);
  row.add_log2(double(op.hidden));
  row.add_log2(double(op.compress_ratio) + 1);
  row.add_log2(double(op.top_k) + 1);
  row.add(bytes_per_element(op.kv_cache));
  row.add(int(op.projections));
  row.add((op.decode ? 4 : 0) + (op.compressor ? 2 : 0) + (op.indexer ? 1 : 0));
}

constexpr std::array kSources{
    feature_source<CompressedAttention, add_compressed_attention>({.trees = 26, .depth = 6, .eta = 0.3})};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kCompressedAttentionFeatures = features::kSources;
}  // namespace warploom
