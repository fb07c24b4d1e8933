// Which of the prefixes that lie in host memory or on disk come back to the GPU.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"

namespace warploom {

// Faster: where fetching takes less time than computing again, by the prompt steps so far. Always: whatever
// is found, as vLLM's offloading connector and LMCache do.
enum class KvFetchRule { Faster, Always };
template <>
struct EnumNames<KvFetchRule> {
  static constexpr std::array<std::pair<KvFetchRule, std::string_view>, 2> kNames{
      {{KvFetchRule::Faster, "faster"}, {KvFetchRule::Always, "always"}}};
};

}  // namespace warploom
