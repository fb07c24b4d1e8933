#include "warploom/report/fitted_text.h"

#include <gtest/gtest.h>

#include "warploom/report/text_table.h"

namespace warploom {
namespace {

TEST(FittedText, WrapsLinesOfWords) {
  EXPECT_EQ(fitted_text("one two three four\nshort\n", {.prose = 10, .tables = 0}),
            "one two\n  three\n  four\nshort\n");
  EXPECT_EQ(fitted_text("it's one two\n", {.prose = 10, .tables = 0}), "it's one\n  two\n");
  EXPECT_EQ(fitted_text("    one two three\n", {.prose = 14, .tables = 0}), "    one two\n      three\n");
  EXPECT_EQ(fitted_text("a-word-that-has-no-blank b\n", {.prose = 10, .tables = 0}),
            "a-word-that-has-no-blank\n  b\n");
  EXPECT_EQ(fitted_text("  |    *        |\n", {.prose = 10, .tables = 0}), "  |    *        |\n");
  EXPECT_EQ(fitted_text("  --tp   so many of them\n", {.prose = 20, .tables = 0}),
            "  --tp   so many of\n         them\n");
  EXPECT_EQ(fitted_text("  warploom a --b 'c d' --e\n", {.prose = 20, .tables = 0}),
            "  warploom a --b \\\n    'c d' --e\n");
  EXPECT_EQ(fitted_text("one two three four\n\nend", {}), "one two three four\n\nend\n");
}

TEST(FittedText, SplitsTablesByColumn) {
  TextTable table({{"name", Align::Left}, {"ms"}, {"note", Align::Left}});
  table.add_row({"first", "1.25", "µ short"});
  table.add_rule();
  table.add_row({"second", "10", "words that go on"});
  const std::string whole = "before\n" + table.text() + "\nafter\n";
  EXPECT_EQ(fitted_text(whole, {.prose = 80, .tables = 80}), whole);
  EXPECT_EQ(fitted_text(whole, {.prose = 0, .tables = 26}),
            "before\n"
            "name      ms\n"
            "------  ----\n"
            "first   1.25\n"
            "------  ----\n"
            "second    10\n"
            "\n"
            "name    note\n"
            "------  ----------------\n"
            "first   µ short\n"
            "------  ----------------\n"
            "second  words that go on\n"
            "\n"
            "after\n");
}

TEST(FittedText, RepeatsWhatTellsRowsApartAndWrapsALastColumn) {
  TextTable table({{"model", Align::Left}, {"gpu", Align::Left}, {"tp"}, {"refused", Align::Left}});
  table.add_row({"m", "a", "1", ""});
  table.add_row({"m", "b", "2", "does not fit into the memory of one"});
  EXPECT_EQ(fitted_text(table.text(), {.prose = 0, .tables = 36}),
            "model  gpu  tp  refused\n"
            "-----  ---  --  --------------------\n"
            "m      a     1\n"
            "m      b     2  does not fit into\n"
            "                the memory of one\n");
}

TEST(FittedText, CutsWordsThatAreWiderThanTheirColumn) {
  TextTable table({{"name", Align::Left}, {"class", Align::Left}});
  table.add_row({"a-model-of-a-name", "ANameThatIsLongerThanAllThatIsLeft"});
  EXPECT_EQ(fitted_text(table.text(), {.prose = 0, .tables = 40}),
            "name               class\n"
            "-----------------  ---------------------\n"
            "a-model-of-a-name  ANameThatIsLongerThan\n"
            "                   AllThatIsLeft\n");
}

}  // namespace
}  // namespace warploom
