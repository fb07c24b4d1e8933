#include "warploom/kernels/operator_family.h"

#include "warploom/base/error.h"
#include "warploom/kernels/operator_checker.h"
#include "warploom/kernels/shape_hasher.h"

namespace warploom {

const OperatorFamily& family_value(Family family) {
  static const auto by_code = [] {
    std::array<const OperatorFamily*, Operators::kFamilies> values{};
    for (const OperatorFamily* value : all_families())
      for (const FamilyName& name : value->names) values[std::size_t(name.family)] = value;
    return values;
  }();
  WARPLOOM_ASSERT(std::size_t(family) < by_code.size());
  return *by_code[std::size_t(family)];
}

std::span<const OperatorFamily* const> all_families() {
  return Operators::Into<operator_family_detail::Values>::kAll;
}

Family family_of(const Operator& op) {
  const OperatorFamily& value = family_value(op);
  return value.names[value.place == nullptr ? 0 : value.place(op)].family;
}

void check_operator(const Operator& op, std::string_view where) {
  OperatorChecker checker(where, name_of(family_of(op)));
  family_value(op).check(checker, op);
}

std::uint64_t shape_hash(const Operator& op) {
  const OperatorFamily& value = family_value(op);
  ShapeHasher hasher(value.names[0].family);
  value.hash(hasher, op);
  return hasher.value();
}

}  // namespace warploom
