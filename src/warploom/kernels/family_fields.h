// How families list their fields: once, for two readers, the table and MemberSearch.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "warploom/base/fields.h"
#include "warploom/kernels/operator_limits.h"

namespace warploom {

inline FieldOptions at_least_one(std::string_view doc, std::int64_t most = kLargestCount) {
  return {.doc = doc, .min = 1, .max = double(most)};
}
inline FieldOptions at_least_none(std::string_view doc, std::int64_t most = kLargestCount) {
  return {.doc = doc, .min = 0, .max = double(most)};
}
// Rows, columns or depth of a product.
inline FieldOptions product_side(std::string_view doc) { return at_least_one(doc, kLargestSide); }

// Looks for a whole number among the fields of Op, one that may be absent too.
template <class Op>
class MemberSearch {
 public:
  using Size = std::int64_t Op::*;
  using OptionalSize = std::optional<std::int64_t> Op::*;
  explicit MemberSearch(std::string_view name) : name_(name) {}
  template <class M>
  MemberSearch& add(std::string_view name, M Op::*member, const FieldOptions& = {}) {
    if constexpr (std::is_integral_v<M> && !std::is_same_v<M, bool>) {
      static_assert(std::is_same_v<M, std::int64_t>, "sizes are of one type");
      if (name == name_) found_ = member;
    } else if constexpr (std::is_same_v<M, std::optional<std::int64_t>>) {
      if (name == name_) optional_ = member;
    }
    return *this;
  }
  Size found() const { return found_; }
  OptionalSize found_optional() const { return optional_; }

 private:
  std::string_view name_;
  Size found_ = nullptr;
  OptionalSize optional_ = nullptr;
};

}  // namespace warploom
