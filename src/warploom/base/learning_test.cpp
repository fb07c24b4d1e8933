#include "warploom/base/learning.h"

#include <gtest/gtest.h>

#include <string>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(Learning, IsRefusedWithWhatToInstallWhereItWasNotBuilt) {
  if (learning_available()) {
    EXPECT_NO_THROW(require_learning("train"));
    return;
  }
  try {
    require_learning("train");
    FAIL() << "expected a refusal";
  } catch (const Unsupported& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("train: "), 0U);
    for (const char* word : {"XGBoost", "libxgboost-dev", "WARPLOOM_LEARNING"})
      EXPECT_NE(text.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace warploom
