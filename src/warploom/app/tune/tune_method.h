// The two ways to make a table: ours and the published one.
#pragma once

#include <array>

#include "warploom/base/fields.h"

namespace warploom {

// Ours (one formula a configuration, cells of candidates, a correction), or the published wave model.
enum class TuneMethod { Warploom, WaveTune };
template <>
struct EnumNames<TuneMethod> {
  static constexpr std::array<std::pair<TuneMethod, std::string_view>, 2> kNames{
      {{TuneMethod::Warploom, "warploom"}, {TuneMethod::WaveTune, "wavetune"}}};
};

}  // namespace warploom
