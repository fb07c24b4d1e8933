#include "warploom/base/fields.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/described_struct_test.h"

namespace warploom {
namespace {

const Field& field(std::string_view name) {
  for (const Field& candidate : fields_of<Machine>().fields) {
    if (candidate.name == name) return candidate;
  }
  throw NotFound(std::string(name));
}

TEST(FieldTable, ListsEveryFieldOnceInOrder) {
  const FieldTable& table = fields_of<Machine>();
  EXPECT_EQ(table.type_name, "machine");
  ASSERT_EQ(table.fields.size(), 14U);
  EXPECT_EQ(table.fields.front().name, "name");
  EXPECT_EQ(&table, &fields_of<Machine>());
}

TEST(FieldTable, KnowsTheKindOfEveryMember) {
  EXPECT_EQ(field("is_on").kind, FieldKind::Boolean);
  EXPECT_EQ(field("small").kind, FieldKind::Integer);
  EXPECT_EQ(field("period_ms").kind, FieldKind::Real);
  EXPECT_EQ(field("color").kind, FieldKind::Text);
  EXPECT_EQ(field("limit").kind, FieldKind::Integer);
  EXPECT_EQ(field("sizes").kind, FieldKind::IntegerList);
  EXPECT_EQ(field("weights").kind, FieldKind::RealList);
  EXPECT_EQ(field("tags").kind, FieldKind::TextList);
  EXPECT_EQ(field("spare").kind, FieldKind::Object);
  EXPECT_EQ(field("wheels").kind, FieldKind::ObjectList);
  EXPECT_TRUE(field("spare").optional);
  EXPECT_EQ(field("second_color").choices, (std::vector<std::string>{"red", "green"}));
}

TEST(FieldTable, ReadsAndWritesMembersThroughTypeErasure) {
  Machine machine;
  field("period_ms").set(&machine, 250.0);
  EXPECT_DOUBLE_EQ(machine.period.value(), 0.25);
  EXPECT_DOUBLE_EQ(std::get<double>(field("period_ms").get(&machine)), 250.0);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(field("limit").get(&machine)));
  field("limit").set(&machine, std::int64_t{9});
  EXPECT_EQ(machine.limit, 9);
  field("limit").set(&machine, std::monostate{});
  EXPECT_FALSE(machine.limit.has_value());
  field("second_color").set(&machine, std::string("green"));
  EXPECT_EQ(machine.second_color, Color::Green);
}

TEST(Check, AcceptsDefaultsAndRefusesValuesSetByHand) {
  Machine machine{.name = "m"};
  EXPECT_NO_THROW(check(machine, "machine"));
  machine.count = 0;
  EXPECT_THROW(check(machine, "machine"), InvalidInput);
  machine.count = 1;
  machine.period = Seconds(std::nan(""));
  EXPECT_THROW(check(machine, "machine"), InvalidInput);
  machine.period = Seconds(std::numeric_limits<double>::infinity());
  EXPECT_THROW(check(machine, "machine"), InvalidInput);
}

TEST(Check, LooksInsideNestedStructs) {
  Machine machine{.name = "m"};
  machine.wheels = {Wheel{.radius_m = 1}, Wheel{.radius_m = -1}};
  try {
    check(machine, "config");
    FAIL() << "a negative radius was accepted";
  } catch (const InvalidInput& error) {
    EXPECT_EQ(std::string(error.what()), "config: 'wheels': 'radius_m' is -1, expected at least 0 m");
  }
}

struct Gate {
  std::string mode = "open";
  std::string colour;
  static FieldTable describe() {
    static constexpr std::array<std::string_view, 2> kModes{"open", "shut"};
    static constexpr std::array<std::string_view, 1> kPainter{"painter"};
    return FieldList<Gate>("gate")
        .add("mode", &Gate::mode, {.choices = kModes, .topic = "use"})
        .add("colour", &Gate::colour, {.owners = kPainter})
        .table();
  }
};

TEST(Check, RefusesATextThatIsNoneOfItsChoices) {
  EXPECT_NO_THROW(check(Gate{.mode = "shut"}, "gate"));
  EXPECT_NO_THROW(check(Gate{.colour = "any"}, "gate"));
  EXPECT_THROW(check(Gate{.mode = "ajar"}, "gate"), InvalidInput);
}

TEST(FieldTable, FindsAFieldByName) {
  const FieldTable& table = fields_of<Gate>();
  ASSERT_NE(table.find("colour"), nullptr);
  EXPECT_EQ(table.find("colour")->options.owners.front(), "painter");
  EXPECT_EQ(table.find("mode")->choices, (std::vector<std::string>{"open", "shut"}));
  EXPECT_EQ(table.find("color"), nullptr);
}

TEST(EnumNames, ConvertBothWays) {
  EXPECT_EQ(name_of(Color::Green), "green");
  EXPECT_EQ(name_of(static_cast<Color>(77)), "");
  EXPECT_EQ(enum_from_name<Color>("red"), Color::Red);
  EXPECT_EQ(enum_from_name<Color>("Red"), std::nullopt);
  EXPECT_EQ(parse_enum<Color>("green", "--color"), Color::Green);
  EXPECT_THROW(parse_enum<Color>("blue", "--color"), InvalidInput);
}

}  // namespace
}  // namespace warploom
