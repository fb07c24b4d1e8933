#include "warploom/cli/flag_names.h"

#include <gtest/gtest.h>

#include <set>

namespace warploom {
namespace {

std::function<bool(const std::string&)> having(std::set<std::string> options) {
  return [options = std::move(options)](const std::string& option) { return options.contains(option); };
}

TEST(FlagNames, SayWhatTheCommandCallsAField) {
  EXPECT_EQ(flag_of("few_shot_per"), "--few-shot-per");
  EXPECT_EQ(flag_of("families"), "--family");
}

TEST(FlagNames, PutTheWordsOfTheCommandInPlaceOfFields) {
  const auto command = having({"--few-shot-per", "--family", "--batch"});
  EXPECT_EQ(in_flags("few_shot_per: 'x' is unknown", command), "--few-shot-per: 'x' is unknown");
  EXPECT_EQ(in_flags("batch is 0, expected 1", command), "--batch is 0, expected 1");
  EXPECT_EQ(in_flags("no row left; `families` names `one` and `batch` more", command),
            "no row left; --family names `one` and --batch more");
}

TEST(FlagNames, LeaveWhatIsNoField) {
  const auto command = having({"--batch", "--moe-backend"});
  EXPECT_EQ(in_flags("requests is 0 (see `train`)", command), "requests is 0 (see `train`)");
  EXPECT_EQ(in_flags("batch of rows: cut off", command), "batch of rows: cut off");
  EXPECT_EQ(in_flags("moe_backend: 'x' is not measured", command), "moe_backend: 'x' is not measured");
  EXPECT_EQ(in_flags("a ` alone", command), "a ` alone");
  EXPECT_EQ(in_flags("", command), "");
}

}  // namespace
}  // namespace warploom
