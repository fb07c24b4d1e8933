#include "warploom/base/json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/described_struct_test.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/base/work_clock.h"

namespace warploom {
namespace {

Machine machine_of(std::string_view text) {
  return object_from_json<Machine>(parse_json(text, "machine.json"), "machine.json");
}

std::string refusal_of(std::string_view text) {
  try {
    machine_of(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  ADD_FAILURE() << text << " was accepted";
  return {};
}

TEST(ReadFields, ConvertsUnitsAndKeepsDefaults) {
  const Machine machine = machine_of(R"({"name": "m", "period_ms": 2.5, "color": "green"})");
  EXPECT_EQ(machine.name, "m");
  EXPECT_DOUBLE_EQ(machine.period.value(), 2.5e-3);
  EXPECT_EQ(machine.color, Color::Green);
  EXPECT_EQ(machine.count, 4);
  EXPECT_FALSE(machine.limit.has_value());
}

TEST(ReadFields, ReadsListsNestedObjectsAndOptionals) {
  const Machine machine = machine_of(R"({"name": "m", "limit": 7, "sizes": [1, 2], "weights": [0.5],
      "tags": ["x", "y"], "wheel": {"radius_m": 3}, "spare": {"radius_m": 4},
      "wheels": [{"radius_m": 1}, {"radius_m": 2}]})");
  EXPECT_EQ(machine.limit, 7);
  EXPECT_EQ(machine.sizes, (std::vector<int>{1, 2}));
  EXPECT_EQ(machine.tags, (std::vector<std::string>{"x", "y"}));
  EXPECT_DOUBLE_EQ(machine.wheel.radius_m, 3);
  ASSERT_TRUE(machine.spare.has_value());
  EXPECT_DOUBLE_EQ(machine.spare->radius_m, 4);
  ASSERT_EQ(machine.wheels.size(), 2U);
  EXPECT_DOUBLE_EQ(machine.wheels[1].radius_m, 2);
}

TEST(ReadFields, TakesNullAsNoValueForOptionalsOnly) {
  EXPECT_FALSE(machine_of(R"({"name": "m", "limit": null, "spare": null})").limit.has_value());
  EXPECT_NE(refusal_of(R"({"name": "m", "count": null})").find("'count'"), std::string::npos);
}

TEST(ReadFields, SkipsNotes) {
  EXPECT_EQ(
      machine_of(R"({"schema": "s", "version": 1, "created_by": "c", "source": "u", "_x": 1, "name": "m"})")
          .name,
      "m");
}

struct Refusal {
  std::string_view document;
  std::string_view expected_part;
};

class ReadFieldsRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(ReadFieldsRefuses, AndSaysWhatWhereAndWhatWasExpected) {
  const std::string message = refusal_of(GetParam().document);
  EXPECT_NE(message.find(GetParam().expected_part), std::string::npos) << message;
  EXPECT_EQ(message.rfind("machine.json", 0), 0U) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Documents, ReadFieldsRefuses,
    ::testing::Values(
        Refusal{R"({"name": "m", "cuont": 1})", "unknown key 'cuont' in machine (did you mean 'count'"},
        Refusal{R"({"count": 1})", "'name' is missing"},
        Refusal{R"({"name": "m", "count": 0})", "'count' is 0, expected 1 to 100"},
        Refusal{R"({"name": "m", "count": 101})", "'count' is 101"},
        Refusal{R"({"name": "m", "count": 1.5})", "expected an integer"},
        Refusal{R"({"name": "m", "count": "1"})", "expected an integer"},
        Refusal{R"({"name": "m", "small": 300})", "expected -128 to 127"},
        Refusal{R"({"name": "m", "limit": -1})", "'limit' is -1"},
        Refusal{R"({"name": "m", "limit": 18446744073709551615})", "64-bit signed"},
        Refusal{R"({"name": "m", "period_ms": -1})", "at least 0 ms"},
        Refusal{R"({"name": "m", "period_ms": "1"})", "expected a number"},
        Refusal{R"({"name": 5})", "expected a text"},
        Refusal{R"({"name": "m", "is_on": 1})", "expected true or false"},
        Refusal{R"({"name": "m", "color": "grene"})", "did you mean 'green'"},
        Refusal{R"({"name": "m", "color": "grene"})", "expected one of: red, green"},
        Refusal{R"({"name": "m", "sizes": 3})", "expected a list"},
        Refusal{R"({"name": "m", "sizes": [1, "2"]})", "expected an integer"},
        Refusal{R"({"name": "m", "weights": [0.5, 2]})", "'weights' is 2, expected 0 to 1"},
        Refusal{R"({"name": "m", "wheel": {"radius_m": -1}})", "machine.json: 'wheel': 'radius_m' is -1"},
        Refusal{R"({"name": "m", "wheel": 3})", "'wheel': is not a JSON object"},
        Refusal{R"({"name": "m", "wheels": [{}, {"radius": 1}]})", "'wheels'[1]: unknown key 'radius'"},
        Refusal{R"({"name": "m", "wheels": {}})", "expected a list of objects"},
        Refusal{R"([1])", "is not a JSON object"}, Refusal{"{\n\"name\": ,}", "machine.json:2"},
        Refusal{"", "is not valid JSON"}));

TEST(WriteFields, LeavesOutAbsentOptionalsAndKeepsTheOrderOfTheTable) {
  const Json document = to_json(Machine{.name = "m"});
  EXPECT_FALSE(document.contains("limit"));
  EXPECT_FALSE(document.contains("spare"));
  EXPECT_EQ(document.begin().key(), "name");
  EXPECT_DOUBLE_EQ(document["period_ms"].get<double>(), 1.0);
  EXPECT_EQ(document["color"], "red");
}

RC_GTEST_PROP(Json, GivesBackEveryDescribedStruct, ()) {
  const Machine machine = *any_machine();
  const std::string text = json_text(to_json(machine));
  const Machine read = machine_of(text);
  RC_ASSERT(read == machine);
  RC_ASSERT(json_text(to_json(read)) == text);
}

TEST(JsonFile, IsReadBackPlainAndGzipped) {
  const ScratchFolder folder;
  const Json document = parse_json(R"({"b": 1, "a": [1.5, "x"]})", "text");
  write_json_file(folder.path() / "a.json", document);
  EXPECT_EQ(read_json_file(folder.path() / "a.json"), document);
  EXPECT_EQ(read_file(folder.path() / "a.json").back(), '\n');
  folder.write_gzip("a.json.gz", json_text(document));
  EXPECT_EQ(read_json_file(folder.path() / "a.json.gz"), document);
  EXPECT_THROW(read_json_file(folder.path() / "absent.json"), IoError);
}

TEST(ParseJson, TakesTheLastOfEqualKeysAtThePlaceOfTheFirst) {
  EXPECT_EQ(parse_json(R"({"a": 1, "b": [2, {"c": 3}], "a": {"d": null}})", "text").dump(),
            R"({"a":{"d":null},"b":[2,{"c":3}]})");
}

TEST(ParseJson, ReadsManyKeysInATimeThatTheirNumberSays) {
  std::string text = "{\"k\": 0";
  for (int i = 0; i < 200'000; ++i) text += ", \"" + std::to_string(i) + "\": 1";
  const double begin = thread_cpu_seconds();  // what others run beside it does not count
  EXPECT_EQ(parse_json(text + "}", "text").size(), 200'001U);
  // Below a second here. Adding keys one by one to an ordered object compares each with all before it.
  EXPECT_LT(thread_cpu_seconds() - begin, 10);
}

TEST(JsonText, ReplacesBytesThatAreNotUtf8) { EXPECT_EQ(json_text(Json("a\xFF")), "\"a\xEF\xBF\xBD\"\n"); }

}  // namespace
}  // namespace warploom
