#include "warploom/cli/flag_names.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace warploom {
namespace {

TEST(FlagNames, SayWhatTheCommandCallsAField) {
  EXPECT_EQ(flag_of("few_shot_per"), "--few-shot-per");
  EXPECT_EQ(flag_of("families"), "--family");
}

TEST(FlagNames, PutTheWordsOfTheCommandInPlaceOfFields) {
  CLI::App command;
  command.add_option("--few-shot-per");
  command.add_option("--family");
  command.add_option("--batch");
  EXPECT_EQ(in_flags("few_shot_per: 'x' is unknown", command), "--few-shot-per: 'x' is unknown");
  EXPECT_EQ(in_flags("batch is 0, expected 1", command), "--batch is 0, expected 1");
  EXPECT_EQ(in_flags("no row left; `families` names `one` and `batch` more", command),
            "no row left; --family names `one` and --batch more");
}

TEST(FlagNames, LeaveWhatIsNoField) {
  CLI::App command;
  command.add_option("--batch");
  EXPECT_EQ(in_flags("requests is 0 (see `train`)", command), "requests is 0 (see `train`)");
  EXPECT_EQ(in_flags("batch of rows: cut off", command), "batch of rows: cut off");
  command.add_option("--moe-backend");
  EXPECT_EQ(in_flags("moe_backend: 'x' is not measured", command), "moe_backend: 'x' is not measured");
  EXPECT_EQ(in_flags("a ` alone", command), "a ` alone");
  EXPECT_EQ(in_flags("", command), "");
}

}  // namespace
}  // namespace warploom
