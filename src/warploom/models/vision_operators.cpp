#include "warploom/models/vision_operators.h"

#include <algorithm>
#include <numeric>

namespace warploom {
namespace {

constexpr double kVisionElementBytes = 2;  // of a bf16 element

std::int64_t vision_ranks(const VisionEncoder& encoder, const VisionSplit& split) {
  const std::int64_t ranks = split.tensor_parallel;
  const bool divides = encoder.split && encoder.heads % ranks == 0 && encoder.intermediate % ranks == 0;
  return divides && !split.by_images ? ranks : 1;
}

// GPUs that each work on images of their own.
std::int64_t image_shares(const VisionEncoder& encoder, const VisionSplit& split) {
  return split.by_images && encoder.split ? split.tensor_parallel : 1;
}

Gemm vision_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Gemm gemm;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  return gemm;
}

// What one GPU has of a pass.
struct VisionLoad {
  std::int64_t patches = 0, tokens = 0, all_tokens = 0;
  std::vector<RequestGroup> runs;
};

// Images of each shape on the GPU that has most patches. As vLLM's get_load_balance_assignment
// (model_executor/models/vision.py) gives them out: largest first, each to the GPU that has least.
std::vector<std::int64_t> busiest_share(std::span<const ImageCount> images, std::int64_t shares) {
  std::vector<std::size_t> order(images.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto patches = [&](std::size_t i) { return images[i].shape->patches(); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return patches(a) > patches(b); });
  struct Share {
    std::int64_t patches = 0;
    std::vector<std::int64_t> counts;
  };
  std::vector<Share> all(std::size_t(shares), {0, std::vector<std::int64_t>(images.size(), 0)});
  const auto less = [](const Share& a, const Share& b) { return a.patches < b.patches; };
  for (const std::size_t i : order)
    for (std::int64_t k = 0; k < images[i].count; ++k) {
      Share& least = *std::min_element(all.begin(), all.end(), less);
      least.patches += patches(i);
      ++least.counts[i];
    }
  return std::max_element(all.begin(), all.end(), less)->counts;
}

VisionLoad vision_load_of(std::span<const ImageCount> images, std::int64_t shares) {
  VisionLoad load;
  const std::vector<std::int64_t> counts = busiest_share(images, shares);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const ImageShape& shape = *images[i].shape;
    load.tokens += counts[i] * shape.tokens;
    load.all_tokens += images[i].count * shape.tokens;
    load.patches += counts[i] * shape.patches();
    for (const PatchRun& run : shape.runs)
      if (counts[i] > 0) load.runs.push_back({counts[i] * run.count, run.patches, 0});
  }
  return load;
}

void add_vision_layers(const VisionEncoder& encoder, const VisionLoad& load, std::int64_t ranks,
                       OperatorGraph& graph) {
  const std::int64_t layers = encoder.depth, hidden = encoder.hidden, patches = load.patches;
  const std::int64_t heads = encoder.width_of_heads() / ranks, wide = encoder.intermediate / ranks;
  AttentionPrefill attention;
  attention.heads = attention.kv_heads = encoder.heads / ranks;
  attention.head_dim = encoder.width_of_heads() / encoder.heads;
  attention.causal = false;
  attention.requests = load.runs;
  RmsNorm norm;
  norm.layer_norm = !encoder.rms_norm;
  norm.tokens = patches;
  norm.width = hidden;
  Activation activation;
  activation.gated = encoder.gated;
  activation.tokens = patches;
  activation.width = wide;
  graph.push_back({norm, encoder.norms_per_layer * layers, "vision_norm"});
  graph.push_back({vision_product(patches, 3 * heads, hidden), layers, "vision_qkv"});
  if (encoder.head_norms) {
    RmsNorm each;
    each.tokens = patches * (encoder.heads / ranks);
    each.width = attention.head_dim;
    graph.push_back({each, 3 * layers, "vision_head_norm"});
  }
  graph.push_back({attention, layers, "vision_attention"});
  graph.push_back({vision_product(patches, hidden, heads), layers, "vision_proj"});
  graph.push_back({vision_product(patches, encoder.gated ? 2 * wide : wide, hidden), layers, "vision_fc1"});
  graph.push_back({activation, layers, "vision_activation"});
  graph.push_back({vision_product(patches, hidden, wide), layers, "vision_fc2"});
}

void add_vision_projection(const VisionEncoder& encoder, const VisionLoad& load, std::int64_t ranks,
                           OperatorGraph& graph) {
  if (encoder.pooled) {
    graph.push_back({vision_product(load.tokens, encoder.out_hidden, encoder.hidden), 1, "vision_embed"});
    return;
  }
  const std::int64_t merged = encoder.hidden * encoder.merge * encoder.merge;
  if (encoder.adapter_width > 0) {
    const std::int64_t wide = encoder.adapter_width, part = wide / ranks;
    graph.push_back({vision_product(load.tokens, part, merged), 1, "vision_merger_fc1"});
    graph.push_back({vision_product(load.tokens, wide, part), 1, "vision_merger_fc2"});
    graph.push_back({vision_product(load.tokens, encoder.out_hidden, wide), 1, "vision_embed"});
    return;
  }
  const std::int64_t own = encoder.splits_projection ? merged / ranks : merged;
  const std::int64_t times = 1 + encoder.deepstack;
  graph.push_back({vision_product(load.tokens, own, merged), times, "vision_merger_fc1"});
  graph.push_back({vision_product(load.tokens, encoder.out_hidden, own), times, "vision_merger_fc2"});
}

void add_vision_collectives(const VisionEncoder& encoder, const VisionLoad& load, std::int64_t ranks,
                            std::int64_t shares, OperatorGraph& graph) {
  if (ranks > 1) {
    const Collective reduce{.size = Bytes(double(load.patches * encoder.hidden) * kVisionElementBytes),
                            .ranks = ranks};
    graph.push_back({reduce, 2 * encoder.depth, "vision_allreduce"});
    if (!encoder.splits_projection || encoder.pooled) return;
    const std::int64_t wide = encoder.adapter_width > 0 ? encoder.adapter_width : encoder.out_hidden;
    const Collective merged{.size = Bytes(double(load.tokens * wide) * kVisionElementBytes), .ranks = ranks};
    graph.push_back({merged, 1 + encoder.deepstack, "vision_merger_allreduce"});
  }
  if (shares > 1) {
    const Collective gather{
        .kind = CollectiveKind::AllGather,
        .size = Bytes(double(load.all_tokens * encoder.embedding_width()) * kVisionElementBytes),
        .ranks = shares};
    graph.push_back({gather, 1, "vision_allgather"});
  }
}

}  // namespace

OperatorGraph vision_operators(const VisionEncoder& encoder, std::span<const ImageCount> images,
                               const VisionSplit& split) {
  const std::int64_t ranks = vision_ranks(encoder, split), shares = image_shares(encoder, split);
  const VisionLoad load = vision_load_of(images, shares);
  const std::int64_t pixels = encoder.channels * encoder.frames * encoder.patch * encoder.patch;
  OperatorGraph graph{{vision_product(load.patches, encoder.hidden, pixels), 1, "vision_patch_embed"}};
  add_vision_layers(encoder, load, ranks, graph);
  add_vision_projection(encoder, load, ranks, graph);
  add_vision_collectives(encoder, load, ranks, shares, graph);
  return graph;
}

Bytes vision_weights(const VisionEncoder& encoder, const VisionSplit& split) {
  const auto ranks = double(vision_ranks(encoder, split));
  const auto hidden = double(encoder.hidden);
  const double mlp = (encoder.gated ? 3.0 : 2.0) * hidden * double(encoder.intermediate);
  const double layer = (4 * hidden * double(encoder.width_of_heads()) + mlp) / ranks;
  const double merged = hidden * double(encoder.merge * encoder.merge);
  const auto adapter = double(encoder.adapter_width);
  const double projection =
      adapter > 0      ? adapter * (merged + adapter) / ranks + adapter * double(encoder.out_hidden)
      : encoder.pooled ? hidden * double(encoder.out_hidden)
                       : double(1 + encoder.deepstack) * merged * (merged + double(encoder.out_hidden)) /
                             (encoder.splits_projection ? ranks : 1);
  const double pixels = double(encoder.channels * encoder.frames * encoder.patch * encoder.patch);
  return Bytes(
      (double(encoder.depth) * layer + projection + (pixels + double(encoder.position_rows)) * hidden) *
      kVisionElementBytes);
}

}  // namespace warploom
