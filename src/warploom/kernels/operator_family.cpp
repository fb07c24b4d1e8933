#include "warploom/kernels/operator_family.h"

#include "warploom/base/error.h"
#include "warploom/kernels/operator_checker.h"
#include "warploom/kernels/shape_hasher.h"

namespace warploom {
namespace {

template <class... Ops>
struct FirstFamilies {
  static constexpr std::array<Family, sizeof...(Ops)> kAll{Ops::kNames[0].family...};
};

}  // namespace

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
  const Family first = Operators::Into<FirstFamilies>::kAll[op.index()];
  const OperatorFamily& value = family_value(op);
  return value.place == nullptr ? first : value.names[value.place(op)].family;
}

void check_operator(const Operator& op, std::string_view where) {
  const OperatorFamily& value = family_value(op);
  OperatorChecker checker(where, value.names[value.place == nullptr ? 0 : value.place(op)].name);
  value.check(checker, op);
}

std::uint64_t shape_hash(const Operator& op) {
  const OperatorFamily& value = family_value(op);
  ShapeHasher hasher(value.names[0].family);
  value.hash(hasher, op);
  return hasher.value();
}

}  // namespace warploom
