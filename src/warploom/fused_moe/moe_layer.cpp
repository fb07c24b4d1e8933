#include "warploom/fused_moe/moe_layer.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::int64_t kTileUnit = 16;  // Triton's smallest matrix operand
constexpr std::int64_t kMostSize = 1 << 20;

[[noreturn]] void refuse(std::string_view where, const std::string& what) {
  throw InvalidInput(fmt::format("{}: {}", where, what));
}

void check_divides(std::string_view where, const char* what, std::int64_t size, std::int64_t by,
                   const char* by_name) {
  if (size % by != 0)
    refuse(where,
           fmt::format("{} {} is not divisible by {} {}, which engines require", what, size, by_name, by));
}

void check_blocks(const MoeLayer& layer, std::string_view where) {
  if ((layer.block_n == 0) != (layer.block_k == 0))
    refuse(where, fmt::format("block shape [{},{}], expected both or none", layer.block_n, layer.block_k));
  if (layer.block_n == 0) return;
  if (layer.dtype != MoeDtype::Fp8W8A8)
    refuse(where, fmt::format("a block shape with {}, expected fp8_w8a8", name_of(layer.dtype)));
  check_divides(where, "intermediate / tp =", layer.width(), layer.block_n, "block_n");
  check_divides(where, "intermediate / tp =", layer.width(), layer.block_k, "block_k");
  check_divides(where, "hidden", layer.hidden, layer.block_k, "block_k");
}

}  // namespace

FieldTable MoeLayer::describe() {
  const auto size = [](const char* doc, double least) {
    return FieldOptions{.doc = doc, .min = least, .max = double(kMostSize)};
  };
  return FieldList<MoeLayer>("moe_layer")
      .add("experts", &MoeLayer::experts, size("experts of the model", 1))
      .add("top_k", &MoeLayer::top_k, size("experts of one token", 1))
      .add("hidden", &MoeLayer::hidden, size("hidden size", 1))
      .add("intermediate", &MoeLayer::intermediate, size("width of one expert", 1))
      .add("dtype", &MoeLayer::dtype, {.doc = "of the weights"})
      .add("block_n", &MoeLayer::block_n, size("rows of a block of fp8 weights; 0: one scale a tensor", 0))
      .add("block_k", &MoeLayer::block_k, size("columns of that block", 0))
      .add("tensor_parallel", &MoeLayer::tensor_parallel, size("GPUs that share an expert", 1))
      .add("expert_parallel", &MoeLayer::expert_parallel, size("GPUs that share the experts", 1))
      .table();
}

void check_moe_layer(const MoeLayer& layer, std::string_view where) {
  if (layer.top_k > layer.experts)
    refuse(where,
           fmt::format("top_k {} of {} experts, expected at most as many", layer.top_k, layer.experts));
  check_divides(where, "experts", layer.experts, layer.expert_parallel, "expert_parallel");
  check_divides(where, "intermediate", layer.intermediate, layer.tensor_parallel, "tensor_parallel");
  check_divides(where, "hidden", layer.hidden, kTileUnit, "the tile unit");
  check_divides(where, "intermediate / tp =", layer.width(), kTileUnit, "the tile unit");
  check_blocks(layer, where);
}

std::pair<std::int64_t, std::int64_t> served_tokens(std::size_t i) {
  const std::int64_t key = kMoeLadder[i];
  const std::int64_t first = i == 0 ? 1 : (kMoeLadder[i - 1] + key) / 2 + 1;
  const std::int64_t last = i + 1 == kMoeLadder.size() ? 2 * key : (key + kMoeLadder[i + 1]) / 2;
  return {first, last};
}

std::string block_shape_name(std::int64_t block_n, std::int64_t block_k, MoeEngine engine) {
  return fmt::format(",block_shape=[{},{}{}]", block_n, engine == MoeEngine::Sglang ? " " : "", block_k);
}

std::string moe_config_file_name(const MoeLayer& layer, std::string_view device_name, MoeEngine engine) {
  std::string name = fmt::format("E={},N={},device_name={}", layer.held(), layer.width(), device_name);
  if (layer.dtype != MoeDtype::Bits16) name += fmt::format(",dtype={}", name_of(layer.dtype));
  if (layer.block_n > 0) name += block_shape_name(layer.block_n, layer.block_k, engine);
  return name + ".json";
}

}  // namespace warploom
