#include "warploom/kernels/moe/mega_moe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

const GpuSpec& gpu(std::string_view name) {
  static const GpuCatalog catalog;
  return catalog.get(name);
}

// The experts of DeepSeek-V4-Pro; tokens of a rank.
FusedMoe experts(std::int64_t tokens, std::int64_t ranks) {
  return {.scheme = MatmulScheme::MxFp4A8,
          .tokens = tokens * ranks,
          .hidden = 7168,
          .intermediate = 3072,
          .experts = 384,
          .top_k = 6,
          .expert_parallel = ranks};
}

MegaMoeAnswer answer(const FusedMoe& op, std::string_view name) {
  return shipped_mega_moe().answer(op, gpu(name));
}

// Rows of dsv4_megamoe, SGLang 0.5.10 on GB200, balanced.
TEST(MegaMoe, AnswersWhatWasMeasured) {
  EXPECT_NEAR(answer(experts(64, 4), "gb200").seconds * 1e6, 636.1, 0.05 * 636.1);
  EXPECT_NEAR(answer(experts(8192, 8), "gb200").seconds * 1e6, 3045, 0.05 * 3045);
  EXPECT_NEAR(answer(experts(128, 16), "gb200").seconds * 1e6, 218.8, 0.1 * 218.8);
  EXPECT_NEAR(answer(experts(8, 16), "gb200").seconds * 1e6, 205.0, 0.05 * 205.0);
}

TEST(MegaMoe, SaysWhatItsAnswerRestsOn) {
  const MegaMoeAnswer own = answer(experts(64, 8), "gb200"), ranks = answer(experts(64, 64), "gb200"),
                      other = answer(experts(64, 8), "gb300"),
                      long_step = answer(experts(100'000, 8), "gb200");
  EXPECT_TRUE(own.measured);
  EXPECT_FALSE(own.outside);
  EXPECT_EQ(own.version, "0.5.10");
  EXPECT_FALSE(ranks.measured);
  EXPECT_FALSE(other.measured);
  EXPECT_TRUE(long_step.outside);
  EXPECT_LT(ranks.low, own.low);
  EXPECT_LT(other.low, ranks.low);
  EXPECT_GT(other.high, own.high);
}

TEST(MegaMoe, ASkewLoadsTheBusiestRankAndWidensTheInterval) {
  FusedMoe skewed = experts(4096, 16);
  skewed.routing = RoutingKind::PowerLaw;
  skewed.routing_alpha = 1.2;
  const MegaMoeAnswer even = answer(experts(4096, 16), "gb200"), busy = answer(skewed, "gb200");
  EXPECT_GT(busy.seconds, 1.2 * even.seconds);
  EXPECT_LE(busy.low, even.low);
  EXPECT_GE(busy.high, even.high);
}

TEST(MegaMoe, RefusesByNameWhatWasNeverMeasured) {
  const auto why = [](const FusedMoe& op, std::string_view name) -> std::string {
    try {
      shipped_mega_moe().check(op, gpu(name), "asked");
    } catch (const Unsupported& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(why(experts(64, 8), "gb200"), "");
  EXPECT_EQ(why(experts(64, 8), "b300_sxm"), "");
  for (const std::string_view name : {"h200_sxm", "mi300x", "rtx_5090"})
    EXPECT_NE(why(experts(64, 8), name).find(name), std::string::npos);
  FusedMoe op = experts(64, 8);
  op.scheme = MatmulScheme::NvFp4;
  EXPECT_NE(why(op, "gb200").find("nvfp4"), std::string::npos);
  op = experts(64, 8);
  op.hidden = 7000;
  EXPECT_NE(why(op, "gb200").find("7000"), std::string::npos);
  EXPECT_NE(why(experts(64, 1), "gb200"), "");
  EXPECT_NE(why(experts(64, 96), "gb200").find("72"), std::string::npos);
}

TEST(MegaMoe, RefusesAFileThatIsNone) {
  Json file = {{"schema", "warploom_mega_moe"}, {"version", 1}};
  EXPECT_THROW(MegaMoeTable(file, "file"), InvalidInput);
  file["version"] = 2;
  EXPECT_THROW(MegaMoeTable(file, "file"), Unsupported);
}

}  // namespace
}  // namespace warploom
