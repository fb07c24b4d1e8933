#include "warploom/steps/step_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/steps/apply_rule.h"

namespace warploom {
namespace {

const GpuSpec& gpu_of_rules(std::string_view name) {
  static const GpuCatalog gpus;
  return gpus.get(name);
}

RuleUse find_rule(RuleKind kind, std::string_view gpu, const KernelContext& context = {}) {
  return StepRules::shipped().find(kind, gpu_of_rules(gpu), context);
}

TEST(StepRules, AreFittedOnTheirGpuAndReleaseAlone) {
  EXPECT_TRUE(find_rule(RuleKind::Norms, "h200_sxm").fitted) << "no release means the fitted one";
  EXPECT_TRUE(find_rule(RuleKind::Norms, "h200_sxm", {.framework = "vllm", .version = "0.24.1"}).fitted);
  EXPECT_FALSE(find_rule(RuleKind::Norms, "h200_sxm", {.framework = "vllm", .version = "0.14.0"}).fitted);
  EXPECT_FALSE(find_rule(RuleKind::Norms, "h100_sxm").fitted);
  EXPECT_TRUE(find_rule(RuleKind::Norms, "h200_sxm", {.framework = "sglang"}).fitted);
  EXPECT_FALSE(find_rule(RuleKind::Norms, "h200_sxm", {.framework = "sglang", .version = "0.5.9"}).fitted);
  EXPECT_FALSE(find_rule(RuleKind::Norms, "h100_sxm", {.framework = "sglang"}).fitted);
}

TEST(StepRules, GiveAnEngineItsOwnBeforeThoseOfAny) {
  const RuleUse own = find_rule(RuleKind::Norms, "b200_sxm", {.framework = "vllm"}),
                any = find_rule(RuleKind::Norms, "b200_sxm", {.framework = "sglang"});
  ASSERT_TRUE(own && any);
  EXPECT_EQ(own.rule->engine, "vllm");
  EXPECT_EQ(any.rule->engine, "");
  EXPECT_FALSE(
      StepRules::shipped().find_own(RuleKind::Norms, gpu_of_rules("b200_sxm"), {.framework = "sglang"}));
}

TEST(StepRules, TakeTheFileOfTheGpu) {
  const auto share = [](std::string_view gpu) {
    return find_rule(RuleKind::DecodeAttention, gpu).constants<DecodeConstants>().memory_share;
  };
  EXPECT_NE(share("h200_sxm"), share("h100_sxm"));
  EXPECT_FALSE(find_rule(RuleKind::DecodeAttention, "b200_sxm")) << "it is asked on its own GPUs alone";
  EXPECT_TRUE(find_rule(RuleKind::Quantising, "b200_sxm"));
}

TEST(StepRules, AreAskedOfOtherEnginesWhereTheirFileSaysSo) {
  EXPECT_TRUE(find_rule(RuleKind::Ranks, "a100_sxm", {.framework = "sglang"}));
  EXPECT_FALSE(find_rule(RuleKind::Products, "h100_sxm", {.framework = "sglang"}));
  EXPECT_FALSE(find_rule(RuleKind::Products, "h200_sxm", {.framework = "trtllm"}));
}

// Every rule that replaces a price, on every GPU and for every engine and a few releases.
TEST(StepRules, NeverCallMeasuredWhatLiesOutsideOfTheirFit) {
  const GpuCatalog gpus;
  int inside = 0, outside = 0;
  for (const auto& [kind, name] : EnumNames<RuleKind>::kNames) {
    if (!form_of(kind).has_interval) continue;
    for (const GpuSpec& gpu : gpus.gpus())
      for (const auto& [engine, framework] : EnumNames<Engine>::kNames)
        for (const char* version : {"", "0.24.0", "0.14.0", "0.33.0"}) {
          const RuleUse use =
              StepRules::shipped().find(kind, gpu, {.framework = framework, .version = version});
          if (!use) continue;
          const RulePrice price = price_by(use, microseconds(10), {}, Tier::Measured);
          EXPECT_EQ(price.tier == Tier::Measured, use.fitted) << name << gpu.name << framework << version;
          EXPECT_LE(price.low, use.rule->low);
          EXPECT_GE(price.high, use.rule->high);
          ++(use.fitted ? inside : outside);
        }
  }
  EXPECT_GT(inside, 10);
  EXPECT_GT(outside, 100);
}

// Without a GPU no rule, interval or mark of it is left, and others answer as they did.
TEST(StepRules, WithoutAGpuNothingOfItsStepsIsLeft) {
  const StepRules left = StepRules::shipped().without(std::vector<std::string>{"h200_sxm"});
  const GpuCatalog gpus;
  int gone = 0, kept = 0;
  for (const auto& [kind, name] : EnumNames<RuleKind>::kNames)
    for (const GpuSpec& gpu : gpus.gpus())
      for (const auto& [engine, framework] : EnumNames<Engine>::kNames) {
        const KernelContext context{.framework = framework};
        const RuleUse before = StepRules::shipped().find(kind, gpu, context),
                      after = left.find(kind, gpu, context);
        if (after) {
          const auto& on = after.rule->gpus;
          EXPECT_EQ(std::find(on.begin(), on.end(), "h200_sxm"), on.end()) << name;
        }
        EXPECT_FALSE(gpu.name == "h200_sxm" && (after.fitted || after.judged)) << name;
        const bool of_it = before && before.rule->ran_on(gpu_of_rules("h200_sxm"));
        of_it ? ++gone : ++kept;
        if (before && !of_it) {
          EXPECT_EQ(after.rule->file, before.rule->file) << name << gpu.name;
        }
      }
  EXPECT_GT(gone, 10);
  EXPECT_GT(kept, 10);
  EXPECT_FALSE(left.find(RuleKind::Sampling, gpu_of_rules("h200_sxm"), {.framework = "vllm"}));
  EXPECT_EQ(left.find(RuleKind::Norms, gpu_of_rules("h200_sxm"), {.framework = "vllm"}).rule->engine, "");
}

TEST(StepRules, WidenElsewhereByWhatTheirFileStates) {
  const RuleUse here = find_rule(RuleKind::Norms, "h200_sxm"), there = find_rule(RuleKind::Norms, "h100_sxm");
  const RulePrice fitted = price_by(here, microseconds(10), {1e6}, Tier::Measured),
                  guess = price_by(there, microseconds(10), {1e6}, Tier::Measured);
  EXPECT_EQ(fitted.high, here.rule->high);
  EXPECT_EQ(guess.high, std::hypot(there.rule->high, there.rule->elsewhere.half_width));
  const RuleUse sampling = find_rule(RuleKind::Sampling, "b200_sxm"),
                judged = find_rule(RuleKind::Sampling, "h100_sxm");
  EXPECT_EQ(price_by(sampling, microseconds(10), {1e6}, Tier::Measured).high,
            sampling.rule->elsewhere.times * sampling.rule->high);
  EXPECT_EQ(price_by(judged, microseconds(10), {1e6}, Tier::Measured).high, judged.rule->high);
  EXPECT_EQ(price_by(judged, microseconds(10), {1e6}, Tier::Measured).tier, Tier::CrossGpu);
}

TEST(StepRules, ChangesAreGuessesOutsideOfTheirFit) {
  const LatencyEstimate measured{
      .p10 = microseconds(8), .p50 = microseconds(10), .p90 = microseconds(12), .tier = Tier::Measured};
  const RuleUse here = find_rule(RuleKind::Products, "h200_sxm"),
                older = find_rule(RuleKind::Products, "h200_sxm", {.framework = "vllm", .version = "0.14.0"});
  LatencyEstimate fitted = measured, far = measured, unchanged = measured, small = measured;
  doubt_change(here, true, 0.5, fitted);
  EXPECT_EQ(fitted.tier, Tier::Measured);
  EXPECT_EQ(fitted.p90, measured.p90);
  doubt_change(older, true, 0.5, far);
  EXPECT_EQ(far.tier, Tier::CrossGpu);
  EXPECT_GE(far.p90, 2 * measured.p50) << "that the change is not true";
  doubt_change(older, true, 1.0, unchanged);
  EXPECT_EQ(unchanged.tier, Tier::Measured) << "the rule changed nothing";
  doubt_change(here, false, 0.5, small);
  EXPECT_EQ(small.tier, Tier::Measured) << "only the size was not seen";
  EXPECT_GE(small.p90, 2 * measured.p50);
}

}  // namespace
}  // namespace warploom
