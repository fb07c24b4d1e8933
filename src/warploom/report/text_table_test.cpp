#include "warploom/report/text_table.h"

#include <gtest/gtest.h>

#include "warploom/report/number_text.h"

namespace warploom {
namespace {

TEST(TextTable, PadsColumnsToTheirWidestCell) {
  TextTable table({{"name", Align::Left}, {"ms"}});
  table.add_row({"a", "1.25"});
  table.add_rule();
  table.add_row({"longer", "10"});
  EXPECT_EQ(table.text(),
            "name      ms\n"
            "------  ----\n"
            "a       1.25\n"
            "------  ----\n"
            "longer    10\n");
}

TEST(NumberText, KeepsThreeSignificantDigits) {
  EXPECT_EQ(duration_text(microseconds(3.214)), "3.21 us");
  EXPECT_EQ(duration_text(milliseconds(999.96)), "1.00 s");
  EXPECT_EQ(duration_text(Seconds(0.0)), "0 s");
  EXPECT_EQ(bytes_text(gigabytes(16.06)), "16.1 GB");
  EXPECT_EQ(bandwidth_text(gigabytes_per_second(3352)), "3.35 TB/s");
  EXPECT_EQ(percent_text(0.1234), "12.3 %");
  EXPECT_EQ(gibibytes_text(gibibytes(80)), "80.0 GiB");
}

TEST(NumberText, GroupsThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace warploom
