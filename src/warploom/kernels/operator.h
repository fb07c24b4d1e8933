// What a kernel call computes: a closed set of operator structs. Sizes are per GPU (after sharding) unless a
// comment says otherwise, and count elements, tokens, heads or ranks. An Operator says nothing of how it is
// implemented; KernelContext (latency_model.h) names the implementation when it is known.
//
// The set is the headers of operator/, one each: the build lists them (cmake/WarploomLists.cmake). What is
// known of a struct is a value of its own, OperatorFamily (operator_family.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "warploom/kernels/operator_base.h"
#include "warploom_lists/operators.h"

namespace warploom {

// A pack of structs, and what follows from their codes; nothing depends on the order that they are listed in.
template <class... Ops>
struct OperatorList {
  static constexpr std::size_t kOperators = sizeof...(Ops);
  static constexpr std::size_t kFamilies = (Ops::kNames.size() + ...);

  // The codes count up from 0 without gaps.
  static constexpr bool has_every_code() {
    std::array<int, kFamilies> seen{};
    for (const auto& [family, name] : names())
      if (std::size_t(family) >= kFamilies || ++seen[std::size_t(family)] > 1) return false;
    return true;
  }
  static constexpr std::array<std::pair<Family, std::string_view>, kFamilies> names_by_code() {
    std::array<std::pair<Family, std::string_view>, kFamilies> sorted{};
    for (const auto& [family, name] : names()) sorted[std::size_t(family)] = {family, name};
    return sorted;
  }
  // Places of the structs in the pack, by their first codes.
  static constexpr std::array<std::size_t, kOperators> places_by_code() {
    const std::array<Family, kOperators> first{Ops::kNames[0].family...};
    std::array<std::size_t, kOperators> places{};
    for (std::size_t i = 0; i < kOperators; ++i) {
      std::size_t before = 0;
      for (const Family other : first) before += other < first[i] ? 1 : 0;
      places[before] = i;
    }
    return places;
  }
  template <template <class...> class To, std::size_t... I>
  static To<std::tuple_element_t<places_by_code()[I], std::tuple<Ops...>>...> sorted_into(
      std::index_sequence<I...>);
  // To<Ops...> in the order of their codes.
  template <template <class...> class To>
  using Into = decltype(sorted_into<To>(std::make_index_sequence<kOperators>{}));

 private:
  static constexpr std::array<FamilyName, kFamilies> names() {
    std::array<FamilyName, kFamilies> all{};
    std::size_t at = 0;
    const auto take = [&](const auto& of_struct) {
      for (const FamilyName& each : of_struct) all[at++] = each;
    };
    (take(Ops::kNames), ...);
    return all;
  }
};

using Operators = OperatorList<WARPLOOM_OPERATORS>;
using Operator = Operators::Into<std::variant>;

template <>
struct EnumNames<Family> {
  static_assert(Operators::has_every_code(), "the codes of families are 0, 1, 2, ..., each once");
  static constexpr auto kNames = Operators::names_by_code();
};

Family family_of(const Operator& op);

// Throws InvalidInput when sizes are not positive, heads do not divide, and the like. `where` names the
// source.
void check_operator(const Operator& op, std::string_view where);

// A hash of everything but the residency: equal shapes hash equal. Drives the splits into training and test.
std::uint64_t shape_hash(const Operator& op);

}  // namespace warploom
