#include "warploom/cli/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warploom {
namespace {

using namespace std::chrono_literals;

// A million requests in `seconds`, told of at every hundredth.
std::string said(bool terminal, std::chrono::seconds taken) {
  std::string text;
  Progress::Clock::time_point now;
  {
    Progress progress("requests", {.terminal = terminal,
                                   .write = [&](std::string_view part) { text += part; },
                                   .now = [&] { return now; }});
    for (std::int64_t part = 1; part <= 100; ++part) {
      now += taken / 100;
      progress.at(part * 10'000, 1'000'000);
    }
  }
  return text;
}

TEST(Progress, IsALineAMinuteInAFile) {
  const std::string text = said(false, 200s);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(text.substr(0, text.find('\n')), "300,000 of 1,000,000 requests, 5,000 a second, 140 s left");
  EXPECT_EQ(said(false, 50s), "");
}

TEST(Progress, IsOneLineOnATerminal) {
  const std::string text = said(true, 100s);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
  EXPECT_GT(std::count(text.begin(), text.end(), '\r'), 90);
  EXPECT_EQ(text.back(), '\r');  // cleared at the end
  EXPECT_EQ(said(true, 0s), "");
}

TEST(Progress, SaysWhatIsLeft) {
  EXPECT_EQ(progress_text(0, 10, "cells", 5), "0 of 10 cells");
  EXPECT_EQ(progress_text(2, 10, "cells", 4), "2 of 10 cells, 0.5 a second, 16 s left");
  EXPECT_EQ(progress_text(1, 1000, "cells", 10), "1 of 1,000 cells, 0.1 a second, 2.8 h left");
}

}  // namespace
}  // namespace warploom
