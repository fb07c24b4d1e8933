#include "warploom/kernels/base_constants.h"

#include <vector>

#include "warploom/kernels/attention/attention_base.h"
#include "warploom/kernels/family_kind.h"
#include "warploom/kernels/gemm/block_scaled_hopper.h"
#include "warploom/kernels/gemm/gemm_constants.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

// The general ones, then those of the known kernels.
std::span<const ConstantSpec> all_gemm_constants() {
  static const std::vector<ConstantSpec> all = [] {
    const auto general = gemm_constants(), known = block_scaled_hopper_constants();
    std::vector<ConstantSpec> table(general.begin(), general.end());
    table.insert(table.end(), known.begin(), known.end());
    return table;
  }();
  return all;
}

}  // namespace

std::span<const ConstantSpec> base_constants(Family family) {
  switch (family) {
    case Family::Gemm:
      return all_gemm_constants();
    case Family::AttentionPrefill:
    case Family::MlaPrefill:
      return prefill_base_constants();
    case Family::AttentionDecode:
    case Family::MlaDecode:
      return decode_base_constants();
    case Family::MlaModule:
      return mla_module_constants();
    case Family::Moe:
      return moe_constants();
    case Family::LinearAttention:
      return linear_attention_constants();
    default:
      return is_collective(family) ? collective_constants() : stream_constants();
  }
}

const BaseConstants& default_constants(Family family) {
  constexpr std::size_t kFamilies = EnumNames<Family>::kNames.size();
  static const auto all = [] {
    std::array<BaseConstants, kFamilies> tables{};
    for (std::size_t f = 0; f < kFamilies; ++f) {
      std::size_t i = 0;
      for (const ConstantSpec& spec : base_constants(Family(f))) tables[f].values[i++] = spec.value;
    }
    return tables;
  }();
  return all[std::size_t(family)];
}

}  // namespace warploom
