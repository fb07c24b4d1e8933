#include "warploom/models/layers/split_check.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {

void SplitCheck::refuse(std::string_view message) const {
  throw InvalidInput(fmt::format("{}: {}: {}", where_, model_, message));
}

void SplitCheck::divides(std::string_view what, std::int64_t size, std::string_view by,
                         std::int64_t ranks) const {
  if (size % ranks != 0)
    refuse(fmt::format("{} {} cannot be split by {} {}, expected a divisor", size, what, by, ranks));
}

}  // namespace warploom
