// Closes the last branch of a visitor: it names the alternatives that it serves, so that the compiler points
// at every visitor that forgot a new one.
//
//   template <AnyOf<RmsNorm, Rope> Op> void operator()(const Op&) const;
//   else { static_assert(AnyOf<Op, RmsNorm, Rope>); ... }
#pragma once

#include <concepts>

namespace warploom {

template <class T, class... Choices>
concept AnyOf = (std::same_as<T, Choices> || ...);

}  // namespace warploom
