#include "warploom/kernels/moe/expert_routing.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(ExpertRouting, ReadsWhatItWrites) {
  for (const char* text : {"uniform", "balanced", "power_law:1.2", "power_law:0.75", "power_law:16"})
    EXPECT_EQ(text_of(parse_expert_routing(text, "here")), text);
  EXPECT_EQ(parse_expert_routing("uniform", "here"), (ExpertRouting{RoutingKind::Uniform, 0}));
  EXPECT_EQ(parse_expert_routing("power_law:1.01", "here"), (ExpertRouting{RoutingKind::PowerLaw, 1.01}));
}

TEST(ExpertRouting, TheWordsOfFieldsNameTheDefault) {
  EXPECT_NE(kExpertRoutingDoc.find("default " + text_of(ExpertRouting{})), std::string_view::npos);
}

TEST(ExpertRouting, RefusesWhatIsNone) {
  for (const char* text : {"", "power_law", "power_law:", "power_law:0", "power_law:-1", "power_law:17",
                           "power_law:nan", "power_law:1.2x", "Uniform", "even"}) {
    try {
      parse_expert_routing(text, "run.json: expert_routing");
      ADD_FAILURE() << text;
    } catch (const InvalidInput& error) {
      const std::string said = error.what();
      EXPECT_TRUE(said.starts_with("run.json: expert_routing: '" + std::string(text))) << said;
      EXPECT_NE(said.find("power_law:ALPHA"), std::string::npos) << said;
    }
  }
}

}  // namespace
}  // namespace warploom
