#include "warploom/cli/charts_option.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

const ChartPlace kTerminal{
    .terminal = true, .no_color = "", .term = "xterm-256color", .locale = "de_DE.UTF-8"};

TEST(ChartStyle, IsForTerminals) {
  ASSERT_TRUE(chart_style(kTerminal, false).has_value());
  EXPECT_TRUE(chart_style(kTerminal, false)->color);
  EXPECT_FALSE(chart_style({}, false).has_value());
  ASSERT_TRUE(chart_style({}, true).has_value());
  EXPECT_FALSE(chart_style({}, true)->color);
}

TEST(ChartStyle, RespectsNoColor) {
  ChartPlace place = kTerminal;
  place.no_color = "1";
  ASSERT_TRUE(chart_style(place, false).has_value());
  EXPECT_FALSE(chart_style(place, false)->color);
}

TEST(ChartStyle, LeavesTerminalsAloneThatCannotDraw) {
  for (const char* term : {"dumb", ""}) {
    ChartPlace place = kTerminal;
    place.term = term;
    EXPECT_FALSE(chart_style(place, false).has_value()) << term;
    ASSERT_TRUE(chart_style(place, true).has_value());
    EXPECT_FALSE(chart_style(place, true)->color);
  }
  for (const auto& [locale, drawn] :
       {std::pair{"en_US.ISO-8859-1", false}, {"C", true}, {"", true}, {"en_US.utf8", true}}) {
    ChartPlace place = kTerminal;
    place.locale = locale;
    EXPECT_EQ(chart_style(place, false).has_value(), drawn) << locale;
  }
}

}  // namespace
}  // namespace warploom
