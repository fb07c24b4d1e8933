#include "warploom/serving/pricing/vision_encoder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"

namespace warploom {
namespace {

constexpr double kBytes = 2;  // of a bf16 element

std::int64_t ranks_of(const VisionEncoder& encoder, std::int64_t tensor_parallel) {
  const bool divides = encoder.heads % tensor_parallel == 0 && encoder.intermediate % tensor_parallel == 0;
  return divides ? tensor_parallel : 1;
}

Gemm product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Gemm gemm;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  return gemm;
}

}  // namespace

FieldTable VisionEncoder::describe() {
  using V = VisionEncoder;
  const auto size = [](std::string_view doc) { return FieldOptions{.doc = doc, .min = 1, .max = 1e6}; };
  return FieldList<V>("vision_encoder")
      .add("depth", &V::depth, {.doc = "layers", .min = 1, .max = 1e4, .required = true})
      .add("hidden_size", &V::hidden, {.doc = "width", .min = 1, .max = 1e6, .required = true})
      .add("num_heads", &V::heads, {.doc = "attention heads", .min = 1, .max = 1e4, .required = true})
      .add("intermediate_size", &V::intermediate,
           {.doc = "width of the MLP", .min = 1, .max = 1e6, .required = true})
      .add("patch_size", &V::patch, size("pixels a side of a patch"))
      .add("spatial_merge_size", &V::merge, size("patches a side of a token"))
      .add("in_channels", &V::channels, size("colours"))
      .add("temporal_patch_size", &V::frames, size("frames of a patch"))
      .add("out_hidden_size", &V::out_hidden, size("width of the language model"))
      .table();
}

VisionEncoder load_vision_encoder(const std::string& text, const FileScope& files) {
  const bool inline_json = text.find('{') != std::string::npos;
  const std::string where = inline_json ? std::string("vision_config") : text;
  if (!inline_json && !files.holds(text))
    throw Unsupported(
        fmt::format("vision_encoder: '{}' is no vision_config as JSON, and no file is read here", text));
  Json document = parse_json(inline_json ? text : read_file(text), where);
  if (document.is_object() && document.contains("vision_config")) document = document["vision_config"];
  if (!document.is_object())
    throw InvalidInput(
        fmt::format("{}: expected a JSON object with depth, hidden_size, num_heads ...", where));
  Json known = Json::object();
  for (const Field& field : fields_of<VisionEncoder>().fields)
    if (document.contains(field.name)) known[field.name] = document[field.name];
  const auto encoder = object_from_json<VisionEncoder>(known, where);
  if (encoder.hidden % encoder.heads != 0)
    throw InvalidInput(fmt::format("{}: hidden_size is {}, expected a multiple of num_heads, which is {}",
                                   where, encoder.hidden, encoder.heads));
  return encoder;
}

OperatorGraph vision_operators(const VisionEncoder& encoder, std::int64_t images, std::int64_t tokens,
                               std::int64_t tensor_parallel) {
  const std::int64_t ranks = ranks_of(encoder, tensor_parallel), layers = encoder.depth;
  const std::int64_t patches = images * encoder.patches_of(tokens), hidden = encoder.hidden;
  AttentionPrefill attention;
  attention.heads = attention.kv_heads = encoder.heads / ranks;
  attention.head_dim = hidden / encoder.heads;
  attention.causal = false;
  attention.requests = {{images, encoder.patches_of(tokens), 0}};
  RmsNorm norm;
  norm.layer_norm = true;
  norm.tokens = patches;
  norm.width = hidden;
  Activation activation;
  activation.gated = false;
  activation.tokens = patches;
  activation.width = encoder.intermediate / ranks;
  const std::int64_t pixels = encoder.channels * encoder.frames * encoder.patch * encoder.patch;
  const std::int64_t merged = hidden * encoder.merge * encoder.merge;
  OperatorGraph graph{{product(patches, hidden, pixels), 1, "vision_patch_embed"},
                      {norm, 2 * layers, "vision_norm"},
                      {product(patches, 3 * hidden / ranks, hidden), layers, "vision_qkv"},
                      {attention, layers, "vision_attention"},
                      {product(patches, hidden, hidden / ranks), layers, "vision_proj"},
                      {product(patches, encoder.intermediate / ranks, hidden), layers, "vision_fc1"},
                      {activation, layers, "vision_activation"},
                      {product(patches, hidden, encoder.intermediate / ranks), layers, "vision_fc2"},
                      {product(images * tokens, merged, merged), 1, "vision_merger_fc1"},
                      {product(images * tokens, encoder.out_hidden, merged), 1, "vision_merger_fc2"}};
  if (ranks > 1) {
    const Collective reduce{.size = Bytes(double(patches * hidden) * kBytes), .ranks = ranks};
    graph.push_back({reduce, 2 * layers, "vision_allreduce"});
  }
  return graph;
}

Bytes vision_weights(const VisionEncoder& encoder, std::int64_t tensor_parallel) {
  const auto hidden = double(encoder.hidden), ranks = double(ranks_of(encoder, tensor_parallel));
  const double layer = (4 * hidden * hidden + 2 * hidden * double(encoder.intermediate)) / ranks;
  const double merged = hidden * double(encoder.merge * encoder.merge);
  const double pixels = double(encoder.channels * encoder.frames * encoder.patch * encoder.patch);
  return Bytes(
      (double(encoder.depth) * layer + merged * (merged + double(encoder.out_hidden)) + pixels * hidden) *
      kBytes);
}

}  // namespace warploom
