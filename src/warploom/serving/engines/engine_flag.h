// How an engine spells a field of ServingConfig.
#pragma once

#include <string_view>

namespace warploom {

// `flag` as the engine spells it, with underscores. A `negated` flag stands alone and turns the Boolean field
// off; `alone` marks a switch that gives the field the value `sets`; `count` marks a number of ranks that
// turns the Boolean field on when it is above one.
struct EngineFlag {
  std::string_view flag;
  std::string_view field;
  std::string_view doc;
  bool negated = false;
  bool count = false;
  bool alone = false;
  std::string_view sets = "true";
  bool stands_alone() const { return negated || alone; }
};

}  // namespace warploom
