#include "warploom/models/hf/module_pattern.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

bool matches(const std::string& pattern, std::string_view module) {
  return ModulePattern(pattern, "test").matches(module);
}

TEST(ModulePattern, MatchesWholePartsOfAPath) {
  EXPECT_TRUE(matches("lm_head", "lm_head"));
  EXPECT_TRUE(matches("gate", "model.layers.3.mlp.gate"));
  EXPECT_FALSE(matches("gate", "model.layers.3.mlp.gate_proj"));
  EXPECT_TRUE(matches("model.layers.3", "model.layers.3.mlp.gate"));
  EXPECT_FALSE(matches("model.layers.3", "model.layers.31.mlp.gate"));
  EXPECT_FALSE(matches("", "model"));
}

TEST(ModulePattern, MatchesGlobsOverAModuleOrWhatHoldsIt) {
  EXPECT_TRUE(matches("model.layers.*.self_attn", "model.layers.7.self_attn.q_proj"));
  EXPECT_TRUE(matches("model.layers.3.self_attn*", "model.layers.3.self_attn.o_proj"));
  EXPECT_FALSE(matches("model.layers.3.self_attn*", "model.layers.33.self_attn.o_proj"));
  EXPECT_TRUE(matches("*router*", "model.layers.1.mlp.router"));
  EXPECT_FALSE(matches("*router", "model.layers.1.mlp.experts"));
}

TEST(ModulePattern, MatchesExpressionsFromTheStart) {
  EXPECT_TRUE(matches("re:.*mlp\\.(gate|up)_proj.*", "model.layers.0.mlp.up_proj"));
  EXPECT_FALSE(matches("re:.*mlp\\.(gate|up)_proj.*", "model.layers.0.mlp.experts.0.up_proj"));
  EXPECT_FALSE(matches("re:self_attn", "model.layers.0.self_attn"));
  EXPECT_THROW(matches("re:[", "x"), InvalidInput);
}

}  // namespace
}  // namespace warploom
