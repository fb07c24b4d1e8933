#include "warploom/serving/cluster/front_end.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

SimTime at_ms(double ms) { return to_sim_time(milliseconds(ms)); }

TEST(FrontEnd, ARequestAloneTakesItsWork) {
  FrontEnd front;
  EXPECT_EQ(front.next_time(), kNever);
  front.enter(at_ms(10), 7, milliseconds(3));
  EXPECT_EQ(front.next_time(), at_ms(13));
  EXPECT_EQ(front.leave(), 7u);
  EXPECT_EQ(front.next_time(), kNever);
}

TEST(FrontEnd, RequestsThatComeTogetherAllLeaveLate) {
  FrontEnd front;
  for (std::uint32_t request = 0; request < 4; ++request) front.enter(at_ms(0), request, milliseconds(2));
  for (std::uint32_t request = 0; request < 4; ++request) {
    EXPECT_EQ(front.next_time(), at_ms(8));
    EXPECT_EQ(front.leave(), request);
  }
}

// Alone for 2 ms, then half of the loop: the longer one has 1 ms left when the shorter one leaves.
TEST(FrontEnd, WhoComesLaterSharesWithWhoIsThere) {
  FrontEnd front;
  front.enter(at_ms(0), 0, milliseconds(5));
  front.enter(at_ms(2), 1, milliseconds(2));
  EXPECT_EQ(front.next_time(), at_ms(6));
  EXPECT_EQ(front.leave(), 1u);
  EXPECT_EQ(front.next_time(), at_ms(7));
  EXPECT_EQ(front.leave(), 0u);
}

// Two loops and four requests: each loop turns to two; with two requests each has a loop of its own.
TEST(FrontEnd, SeveralLoopsShareTheirRequestsAndNoneIsFasterThanALoop) {
  FrontEnd front(2);
  for (std::uint32_t request = 0; request < 4; ++request) front.enter(at_ms(0), request, milliseconds(2));
  EXPECT_EQ(front.next_time(), at_ms(4));
  for (std::uint32_t request = 0; request < 4; ++request) front.leave();
  front.enter(at_ms(10), 4, milliseconds(2));
  EXPECT_EQ(front.next_time(), at_ms(12));
  front.enter(at_ms(10), 5, milliseconds(3));
  EXPECT_EQ(front.next_time(), at_ms(12));
}

TEST(FrontEnd, WithoutWorkRequestsPassAsTheyCame) {
  FrontEnd front;
  for (std::uint32_t request = 0; request < 3; ++request) front.enter(at_ms(5), request, Seconds(0.0));
  for (std::uint32_t request = 0; request < 3; ++request) {
    EXPECT_EQ(front.next_time(), at_ms(5));
    EXPECT_EQ(front.leave(), request);
  }
}

}  // namespace
}  // namespace warploom
