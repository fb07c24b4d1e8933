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

TEST(FlagNames, SpellAFieldAsTheLineDid) {
  const auto command = having({"--tp", "--tensor-parallel-size", "--tp-size", "--max-num-seqs"});
  const std::string message = "32 heads cannot be split by `tensor_parallel_size` 3, expected a divisor";
  for (const char* typed : {"--tp", "--tensor-parallel-size", "--tp-size"})
    EXPECT_EQ(in_flags(message, command, having({typed})),
              std::string("32 heads cannot be split by ") + typed + " 3, expected a divisor");
  EXPECT_EQ(in_flags(message, command),
            "32 heads cannot be split by --tensor-parallel-size 3, expected a divisor");
  EXPECT_EQ(in_flags(message, having({}), having({})), message);
  EXPECT_EQ(given_flag("max_num_seqs", having({"--max-running-requests"})), "--max-running-requests");
  EXPECT_EQ(given_flag("max_num_seqs", having({})), "");
}

TEST(FlagNames, LeaveWhatIsNoField) {
  const auto command = having({"--batch", "--moe-backend"});
  EXPECT_EQ(in_flags("requests is 0 (see `train`)", command), "requests is 0 (see `train`)");
  EXPECT_EQ(in_flags("batch of rows: cut off", command), "batch of rows: cut off");
  EXPECT_EQ(in_flags("moe_backend: 'x' is not measured", command), "moe_backend: 'x' is not measured");
  EXPECT_EQ(in_flags("a ` alone", command), "a ` alone");
  EXPECT_EQ(in_flags("", command), "");
}

TEST(FlagNames, AFieldThatIsNamedTwiceIsSaidOnce) {
  const auto command = having({"--price-kind"});
  EXPECT_EQ(in_flags("--price-kind: 'price_kind': 'foo' is unknown", command),
            "--price-kind: 'foo' is unknown");
  for (const char* other : {"--price-kind: 'foo' is unknown", "--prices: 'price_kind': 'foo' is unknown"})
    EXPECT_EQ(in_flags(other, command), other);
}

}  // namespace
}  // namespace warploom
