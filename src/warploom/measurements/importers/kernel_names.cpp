#include "warploom/measurements/importers/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace warploom {
namespace {

// The first part that a name contains decides; in lower case.
constexpr std::array<std::pair<std::string_view, std::string_view>, 66> kParts{{
    {"allreduce", "allreduce"},
    {"cross_device_reduce", "allreduce"},
    {"one_shot_all_reduce", "allreduce"},
    {"allgather", "allgather"},
    {"reducescatter", "reduce_scatter"},
    {"alltoall", "alltoall"},
    {"ncclkernel_sendrecv", "send_recv"},
    {"nccldevkernel_sendrecv", "send_recv"},
    {"deep_ep", "moe_dispatch"},
    {"memcpy", "memory"},
    {"memset", "memory"},
    {"fused_moe", "moe"},
    {"fusedmoe", "moe"},
    {"grouped_gemm", "moe"},
    {"groupedgemm", "moe"},
    {"moegemm", "moe"},
    {"moe_align", "moe"},
    {"topkgating", "moe"},
    {"finalizemoe", "moe"},
    {"mla_decode", "mla_decode"},
    {"flash_mla", "mla_decode"},
    {"flash_fwd_splitkv", "attention_decode"},
    {"batchdecodewith", "attention_decode"},
    {"paged_attention", "attention_decode"},
    {"decode_attention", "attention_decode"},
    {"masked_multihead_attention", "attention_decode"},
    {"batchprefillwith", "attention_prefill"},
    {"flash_fwd", "attention_prefill"},
    {"flashattn", "attention_prefill"},
    {"fmha", "attention_prefill"},
    {"sdpa", "attention_prefill"},
    {"unified_attention", "attention_prefill"},
    {"context_attention", "attention_prefill"},
    {"selective_scan", "linear_attention"},
    {"gated_delta", "linear_attention"},
    {"causal_conv1d", "linear_attention"},
    {"mamba", "linear_attention"},
    {"rms_norm", "rmsnorm"},
    {"rmsnorm", "rmsnorm"},
    {"layer_norm", "rmsnorm"},
    {"layernorm", "rmsnorm"},
    {"act_and_mul", "activation"},
    {"silu", "activation"},
    {"swiglu", "activation"},
    {"gelu", "activation"},
    {"rotary", "rope"},
    {"reshape_and_cache", "kv_write"},
    {"set_kv_buffer", "kv_write"},
    {"quant", "quantize"},
    {"nvjet", "gemm"},
    {"gemm", "gemm"},
    {"gemv", "gemm"},
    {"splitkreduce", "gemm"},
    {"cutlass_80", "gemm"},
    {"cutlass_90", "gemm"},
    {"deep_gemm", "gemm"},
    {"marlin", "gemm"},
    {"embedding", "embedding"},
    {"indexselect", "embedding"},
    {"vectorized_gather", "embedding"},
    {"sampling", "sampling"},
    {"argmax", "sampling"},
    {"gathertopk", "sampling"},
    {"softmax", "elementwise"},
    {"elementwise", "elementwise"},
    {"cat_array", "elementwise"},
}};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "128x256" and "64x4" of "nvjet_tst_128x256_64x4_1x2_h_bz_NNT": numbers joined by x, from the first such
// word.
std::vector<std::string> products_in(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < name.size();) {
    if (!is_digit(name[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < name.size() &&
           (is_digit(name[end]) || (name[end] == 'x' && end + 1 < name.size() && is_digit(name[end + 1]))))
      ++end;
    if (name.substr(at, end - at).find('x') != std::string_view::npos)
      words.emplace_back(name.substr(at, end - at));
    at = end + (end == at ? 1 : 0);
  }
  return words;
}

std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(at, end - at);
}

// The size that a text begins with, "cute::C<128>", taken off it; empty: it begins otherwise.
std::string_view take_size(std::string_view& text) {
  constexpr std::string_view kSize = "cute::C<";
  if (!text.starts_with(kSize)) return {};
  const std::string_view size = digits_at(text, kSize.size());
  const std::size_t end = kSize.size() + size.size();
  if (size.empty() || end == text.size() || text[end] != '>') return {};
  text.remove_prefix(end + 1);
  return size;
}

// The sizes of a CUTLASS template's tile, "tuple<cute::C<128>, cute::C<256>, cute::C<64>"; absent: none.
std::optional<std::array<std::string_view, 3>> template_tile(std::string_view name) {
  constexpr std::string_view kTuple = "tuple<";
  for (std::size_t at = name.find(kTuple); at != name.npos; at = name.find(kTuple, at + 1)) {
    std::string_view rest = name.substr(at + kTuple.size());
    std::array<std::string_view, 3> sizes;
    std::size_t read = 0;
    while (read < sizes.size()) {
      sizes[read] = take_size(rest);
      if (sizes[read].empty() || ++read == sizes.size() || !rest.starts_with(',')) break;
      rest.remove_prefix(rest.starts_with(", ") ? 2 : 1);
    }
    if (read == sizes.size()) return sizes;
  }
  return std::nullopt;
}

// The number behind the first "stage" that has one; empty: none.
std::string_view stages_of(std::string_view name) {
  constexpr std::string_view kStage = "stage";
  for (std::size_t at = name.find(kStage); at != name.npos; at = name.find(kStage, at + 1))
    if (const std::string_view digits = digits_at(name, at + kStage.size()); !digits.empty()) return digits;
  return {};
}

// The tile of a product. cuBLAS: tile, then depth x stages, then the cluster; CUTLASS templates: C<128>.
std::string tile_of(std::string_view name) {
  if (const auto sizes = template_tile(name))
    return fmt::format("tile {}x{}x{}", (*sizes)[0], (*sizes)[1], (*sizes)[2]);
  const std::vector<std::string> words = products_in(name);
  if (words.empty()) return "";
  std::string told = "tile " + words[0];
  if (words.size() > 1 && std::count(words[0].begin(), words[0].end(), 'x') == 1) {
    const std::size_t x = words[1].find('x');
    told = fmt::format("tile {}x{} stages {}", words[0], words[1].substr(0, x), words[1].substr(x + 1));
  } else if (const std::string_view stages = stages_of(name); !stages.empty()) {
    told += fmt::format(" stages {}", stages);
  }
  if (name.starts_with("nvjet") && words.size() > 2) told += fmt::format(" cluster {}", words[2]);
  return told;
}

}  // namespace

KernelName read_kernel_name(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [part, family] : kParts)
    if (lower.find(part) != std::string::npos)
      return {std::string(family), family == "gemm" ? tile_of(name) : ""};
  return {};
}

}  // namespace warploom
