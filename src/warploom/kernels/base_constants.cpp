#include "warploom/kernels/base_constants.h"

#include "warploom/kernels/operator_family.h"

namespace warploom {

std::span<const ConstantSpec> base_constants(Family family) { return family_value(family).constants(); }

const BaseConstants& default_constants(Family family) {
  static const auto all = [] {
    std::array<BaseConstants, Operators::kFamilies> tables{};
    for (std::size_t f = 0; f < tables.size(); ++f) {
      std::size_t i = 0;
      for (const ConstantSpec& spec : base_constants(Family(f))) tables[f].values[i++] = spec.value;
    }
    return tables;
  }();
  return all[std::size_t(family)];
}

}  // namespace warploom
