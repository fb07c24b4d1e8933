// For tests: EXPECT_PRED2(contains_text, message, "part") prints both when it fails.
#pragma once

#include <string>

namespace warploom {

inline bool contains_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace warploom
