#include "warploom/measurements/importers/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
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

// The tile of a product. cuBLAS: tile, then depth x stages, then the cluster; CUTLASS templates: C<128>.
std::string tile_of(std::string_view name) {
  const std::string text(name);
  std::smatch found;
  static const std::regex kTemplate(R"(tuple<cute::C<(\d+)>, ?cute::C<(\d+)>, ?cute::C<(\d+)>)");
  if (std::regex_search(text, found, kTemplate))
    return fmt::format("tile {}x{}x{}", found[1].str(), found[2].str(), found[3].str());
  const std::vector<std::string> words = products_in(name);
  if (words.empty()) return "";
  std::string told = "tile " + words[0];
  static const std::regex kStage(R"(stage(\d+))");
  if (words.size() > 1 && std::count(words[0].begin(), words[0].end(), 'x') == 1) {
    const std::size_t x = words[1].find('x');
    told = fmt::format("tile {}x{} stages {}", words[0], words[1].substr(0, x), words[1].substr(x + 1));
  } else if (std::regex_search(text, found, kStage)) {
    told += fmt::format(" stages {}", found[1].str());
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
