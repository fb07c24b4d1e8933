#include "warploom/app/serving/engine_releases.h"

#include <gtest/gtest.h>

#include <string>

#include "warploom/base/error.h"

namespace warploom {
namespace {

std::string error_of(std::string_view engine, std::string_view version) {
  try {
    check_release(engine, version, "engine_version");
  } catch (const NotFound& error) {
    return error.what();
  }
  return {};
}

TEST(EngineReleases, AVersionThatNeverWasIsRefusedWithTheNearest) {
  EXPECT_EQ(error_of("vllm", "0.24.7"),
            "engine_version: vllm was never released as 0.24.7, expected one of its releases; the nearest is "
            "0.24.0");
  EXPECT_NE(error_of("vllm", "v0.27.9").find("nearest is 0.27.1"), std::string::npos);
  EXPECT_NE(error_of("sglang", "0.5.15.post7").find("nearest is 0.5.15.post1"), std::string::npos);
  EXPECT_NE(error_of("trtllm", "1.2.5").find("nearest is 1.2.1"), std::string::npos);
}

TEST(EngineReleases, ReleasesAndWhatTheListCannotKnowAreLetThrough) {
  for (const char* version : {"0.24.0", "v0.24.0", "0.24", "0.33.0", "0.34.0", "9.9.9", "0.1.2", "0.31.0rc2",
                              "0.1.dev19262", "0.8.5.post1", ""})
    EXPECT_EQ(error_of("vllm", version), "") << version;
  EXPECT_EQ(error_of("sglang", "0.5.23"), "");
  EXPECT_EQ(error_of("trtllm", "1.3.0rc23"), "");
  EXPECT_EQ(error_of("lmdeploy", "0.0.1"), "");
}

}  // namespace
}  // namespace warploom
