#include "warploom/steps/step_rule_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/steps/step_rules.h"

namespace warploom {
namespace {

// One rule of each sort: it replaces a price, it changes one.
Json small_file() {
  return Json::parse(R"({
    "schema": "warploom_step_rules", "version": 1, "name": "small", "title": "a test",
    "engine": "sglang", "from_release": "0.5", "to_release": "0.5.9", "gpus": ["h100_sxm"],
    "rules": [
      {"rule": "norms",
       "constants": {"launch": {"value": 2, "unit": "us", "source": "here"},
                     "share": {"value": 0.5, "unit": "1", "source": "here"}},
       "sizes": [{"name": "bytes", "low": 1, "high": 1000}],
       "interval": {"low": -0.1, "high": 0.2, "source": "here"},
       "elsewhere": {"other_gpus": true, "half_width": 0.6, "source": "here"}},
      {"rule": "ranks",
       "constants": {"all_reduce": {"value": 4, "unit": "us", "source": "here"},
                     "other": {"value": 5, "unit": "us", "source": "here"},
                     "own": {"value": 1, "unit": "us", "source": "here"},
                     "largest_own": {"value": 1024, "unit": "B", "source": "here"}},
       "sizes": [{"name": "ranks", "low": 2, "high": 4}],
       "elsewhere": {"undone": 1, "source": "here"}}]})");
}

std::vector<StepRule> read_small(const Json& document) {
  return step_rules_from_json(document, "small.json", GpuCatalog());
}

template <class E = InvalidInput>
void expect_refused(const Json& document, const std::vector<std::string>& parts) {
  try {
    read_small(document);
    ADD_FAILURE() << "read " << parts.front();
  } catch (const E& error) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << " lacks " << part;
  }
}

TEST(StepRuleFile, HoldsWhatItSays) {
  const std::vector<StepRule> rules = read_small(small_file());
  ASSERT_EQ(rules.size(), 2U);
  const StepRule& norms = rules[0];
  EXPECT_EQ(norms.kind, RuleKind::Norms);
  EXPECT_EQ(norms.engine, "sglang");
  EXPECT_TRUE(norms.releases.holds("0.5.3"));
  EXPECT_EQ(norms.gpus, std::vector<std::string>{"h100_sxm"});
  EXPECT_EQ(std::get<StreamConstants>(norms.constants).launch, microseconds(2));
  EXPECT_EQ(std::get<StreamConstants>(norms.constants).per_token, Seconds(0.0));
  EXPECT_EQ(norms.low, -0.1);
  EXPECT_EQ(norms.sizes[0].high, 1000);
  EXPECT_EQ(norms.elsewhere.half_width, 0.6);
  EXPECT_EQ(std::get<RankConstants>(rules[1].constants).largest_own, Bytes(1024));
}

TEST(StepRuleFile, RefusesAFileOfANewerFormat) {
  Json newer = small_file();
  newer["version"] = 2;
  expect_refused<Unsupported>(newer, {"small.json", "'version' is 2", "up to 1"});
  Json other = small_file();
  other["schema"] = "warploom_gpu";
  expect_refused(other, {"small.json", "warploom_step_rules"});
}

TEST(StepRuleFile, RefusesAnUnknownGpuEngineRuleOrConstant) {
  Json gpu = small_file(), engine = small_file(), judged = small_file(), rule = small_file(),
       constant = small_file(), key = small_file(), release = small_file();
  gpu["gpus"] = {"h100_smx"};
  expect_refused(gpu, {"small.json: 'gpus' has 'h100_smx'", "did you mean 'h100_sxm'"});
  gpu["gpus"] = {"H100"};
  expect_refused(gpu, {"small.json: 'gpus' has 'H100'"});
  engine["engine"] = "vlm";
  expect_refused(engine, {"small.json: 'engine' is 'vlm'", "vllm"});
  judged["rules"][0]["judged_gpus"] = {"h300"};
  expect_refused(judged, {"rules[0] (norms)", "h300"});
  rule["rules"][1]["rule"] = "rank";
  expect_refused(rule, {"small.json: rules[1]", "'rank'", "ranks"});
  constant["rules"][0]["constants"]["launched"] = {{"value", 1}, {"unit", "us"}, {"source", "x"}};
  expect_refused(constant, {"small.json: rules[0] (norms): constants.launched", "launch, share, per_token"});
  key["rules"][0]["elsewhere"]["halfwidth"] = 1;
  expect_refused(key, {"rules[0]", "halfwidth", "half_width"});
  release["to_release"] = "new";
  expect_refused(release, {"small.json", "'new' is no release"});
}

TEST(StepRuleFile, RefusesWhatHasNoSource) {
  Json without = small_file(), empty = small_file(), elsewhere = small_file(), interval = small_file();
  without["rules"][0]["constants"]["share"].erase("source");
  expect_refused(without, {"rules[0] (norms): constants.share", "'source' is missing"});
  empty["rules"][0]["constants"]["share"]["source"] = "";
  expect_refused(empty, {"rules[0] (norms): constants.share", "'source' is empty"});
  elsewhere["rules"][1]["elsewhere"]["source"] = "";
  expect_refused(elsewhere, {"rules[1] (ranks): elsewhere", "'source' is empty"});
  interval["rules"][0]["interval"].erase("source");
  expect_refused(interval, {"rules[0]", "'source' is missing"});
}

TEST(StepRuleFile, RefusesWhatDoesNotMakeARule) {
  Json missing = small_file(), unit = small_file(), twice = small_file(), sizes = small_file(),
       order = small_file(), interval = small_file(), none = small_file(), too_far = small_file();
  missing["rules"][1]["constants"].erase("own");
  expect_refused(missing, {"rules[1] (ranks): constants: 'own' is missing"});
  unit["rules"][0]["constants"]["launch"]["unit"] = "ms";
  expect_refused(unit, {"constants.launch", "'unit' is 'ms', expected 'us'"});
  twice["rules"].push_back(twice["rules"][0]);
  expect_refused(twice, {"rules[2]", "'norms' stands twice"});
  sizes["rules"][0]["sizes"] = Json::array();
  expect_refused(sizes, {"rules[0] (norms)", "sizes lacks 'bytes'"});
  order["rules"][1]["sizes"][0] = {{"name", "ranks"}, {"low", 4}, {"high", 2}};
  expect_refused(order, {"rules[1] (ranks)", "least first"});
  interval["rules"][0].erase("interval");
  expect_refused(interval, {"rules[0] (norms)", "'interval' is missing"});
  none["rules"] = Json::array();
  expect_refused(none, {"'rules' is missing or empty"});
  too_far["rules"][0]["constants"]["share"]["value"] = 97;
  expect_refused(too_far, {"rules[0] (norms): constants", "'share' is 97"});
}

std::string text_named(const Json& document) { return document.dump(); }

TEST(StepRules, RefuseTwoFilesOfTheSameRule) {
  const std::string text = text_named(small_file());
  Json later = small_file();
  later["from_release"] = "0.5.10", later["to_release"] = "0.6";
  const std::string later_text = text_named(later);
  const std::vector<EmbeddedFile> apart{{"a.json", text}, {"b.json", later_text}},
      same{{"a.json", text}, {"c.json", text}};
  EXPECT_NO_THROW(StepRules{apart});
  EXPECT_THROW(StepRules{same}, InvalidInput);
}

}  // namespace
}  // namespace warploom
