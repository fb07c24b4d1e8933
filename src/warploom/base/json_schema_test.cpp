#include "warploom/base/json_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/request_fields.h"

namespace warploom {
namespace {

enum class Shade { Light, Dark };

struct Hinge {
  std::int64_t screws = 2;
  static FieldTable describe() { return FieldList<Hinge>("hinge").add("screws", &Hinge::screws).table(); }
};

struct Lid {
  double angle = 1.5;
  Hinge hinge;
  static FieldTable describe() {
    return FieldList<Lid>("lid")
        .add("angle_deg", &Lid::angle, {.unit = "deg", .doc = "how far open", .min = 0, .max = 90})
        .add("hinge", &Lid::hinge)
        .table();
  }
};

}  // namespace

template <>
struct EnumNames<Shade> {
  static constexpr std::array<std::pair<Shade, std::string_view>, 2> kNames{
      {{Shade::Light, "light"}, {Shade::Dark, "dark"}}};
};

namespace {

struct Box {
  std::string name;
  std::int64_t width = 3;
  std::optional<Shade> shade;
  std::vector<std::filesystem::path> files;
  Lid lid;
  std::optional<Lid> second;
  std::vector<Lid> more;
  static FieldTable describe() {
    return RequestFields<Box>("box")
        .add("name", &Box::name, {.doc = "of the box", .required = true})
        .add("width", &Box::width, {.min = 1})
        .add("shade", &Box::shade)
        .add("files", &Box::files)
        .add("lid", &Box::lid)
        .add("second", &Box::second)
        .add("more", &Box::more)
        .table();
  }
};

Json schema_of_box() {
  const Box box;
  return json_schema(fields_of<Box>(), &box);
}

TEST(JsonSchema, StatesTypeRangeDefaultAndUnit) {
  const Json properties = schema_of_box()["properties"];
  EXPECT_EQ(properties["name"], Json::parse(R"({"type": "string", "description": "of the box"})"));
  EXPECT_EQ(properties["width"], Json::parse(R"({"type": "integer", "minimum": 1, "default": 3})"));
  EXPECT_EQ(properties["shade"],
            Json::parse(R"({"type": ["string", "null"], "enum": ["light", "dark", null]})"));
  EXPECT_EQ(properties["files"],
            Json::parse(R"({"type": "array", "items": {"type": "string"}, "default": []})"));
  EXPECT_EQ(properties["lid"]["properties"]["angle_deg"],
            Json::parse(R"({"type": "number", "minimum": 0.0, "maximum": 90.0, "default": 1.5,
                            "description": "how far open", "unit": "deg"})"));
  EXPECT_EQ(properties["second"]["type"], Json::parse(R"(["object", "null"])"));
  EXPECT_EQ(properties["more"]["items"]["type"], "object");
  // What an entry of a list holds has a type, but no defaults to state.
  const Json& hinge = properties["more"]["items"]["properties"]["hinge"];
  EXPECT_EQ(hinge["type"], "object");
  EXPECT_EQ(hinge["properties"]["screws"], Json::parse(R"({"type": "integer"})"));
  EXPECT_EQ(properties["lid"]["properties"]["hinge"]["properties"]["screws"]["default"], 2);
}

TEST(JsonSchema, RefusesWhatReadingRefuses) {
  const Json schema = schema_of_box();
  EXPECT_EQ(schema["required"], Json::parse(R"(["name"])"));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_TRUE(schema["patternProperties"].contains("^_"));
}

TEST(RequestFields, TakePathsAsTexts) {
  const Box box = object_from_json<Box>(Json::parse(R"({"name": "a", "files": ["x/y", "z"]})"), "test");
  EXPECT_EQ(box.files, (std::vector<std::filesystem::path>{"x/y", "z"}));
  EXPECT_EQ(to_json(box)["files"], Json::parse(R"(["x/y", "z"])"));
}

}  // namespace
}  // namespace warploom
