// A struct with a member of every kind that base/fields.h describes. For tests only.
#pragma once

#include <rapidcheck.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"

namespace warploom {

enum class Color { Red, Green };

template <>
struct EnumNames<Color> {
  static constexpr std::array<std::pair<Color, std::string_view>, 2> kNames{
      {{Color::Red, "red"}, {Color::Green, "green"}}};
};

struct Wheel {
  double radius_m = 0.5;
  bool operator==(const Wheel&) const = default;
  static FieldTable describe() {
    return FieldList<Wheel>("wheel").add("radius_m", &Wheel::radius_m, {.unit = "m", .min = 0}).table();
  }
};

struct Machine {
  std::string name;
  bool is_on = false;
  std::int64_t count = 4;
  std::int8_t small = 0;
  Seconds period{1e-3};
  Color color = Color::Red;
  std::optional<std::int64_t> limit;
  std::optional<Color> second_color;
  std::vector<int> sizes;
  std::vector<double> weights;
  std::vector<std::string> tags;
  Wheel wheel;
  std::optional<Wheel> spare;
  std::vector<Wheel> wheels;
  bool operator==(const Machine&) const = default;

  static FieldTable describe() {
    return FieldList<Machine>("machine")
        .add("name", &Machine::name, {.required = true})
        .add("is_on", &Machine::is_on)
        .add("count", &Machine::count, {.min = 1, .max = 100})
        .add("small", &Machine::small)
        .add("period_ms", &Machine::period, {.unit = "ms", .min = 0, .scale = 1e-3})
        .add("color", &Machine::color)
        .add("limit", &Machine::limit, {.min = 0})
        .add("second_color", &Machine::second_color)
        .add("sizes", &Machine::sizes)
        .add("weights", &Machine::weights, {.min = 0, .max = 1})
        .add("tags", &Machine::tags)
        .add("wheel", &Machine::wheel)
        .add("spare", &Machine::spare)
        .add("wheels", &Machine::wheels)
        .table();
  }
};

inline rc::Gen<Machine> any_machine() {
  using rc::gen::arbitrary;
  using rc::gen::inRange;
  const auto text = rc::gen::container<std::string>(inRange<char>(1, 127));
  const auto wheel =
      rc::gen::map(inRange(0, 1'000'000), [](int value) { return Wheel{.radius_m = value / 7.0}; });
  return rc::gen::build<Machine>(
      rc::gen::set(&Machine::name, text), rc::gen::set(&Machine::is_on), rc::gen::set(&Machine::small),
      rc::gen::set(&Machine::count, inRange<std::int64_t>(1, 101)),
      rc::gen::set(&Machine::period, rc::gen::map(inRange(0, 4096), [](int v) { return Seconds(v * 1e-3); })),
      rc::gen::set(&Machine::color, rc::gen::element(Color::Red, Color::Green)),
      rc::gen::set(&Machine::limit, rc::gen::map(rc::gen::nonNegative<std::int64_t>(),
                                                 [](std::int64_t v) {
                                                   return v % 3 == 0 ? std::nullopt
                                                                     : std::optional<std::int64_t>(v);
                                                 })),
      rc::gen::set(&Machine::sizes),
      rc::gen::set(&Machine::tags, rc::gen::container<std::vector<std::string>>(text)),
      rc::gen::set(&Machine::wheel, wheel),
      rc::gen::set(&Machine::wheels, rc::gen::container<std::vector<Wheel>>(wheel)));
}

}  // namespace warploom
