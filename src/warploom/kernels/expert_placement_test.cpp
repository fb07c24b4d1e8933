#include "warploom/kernels/expert_placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace warploom {
namespace {

using Slots = std::vector<std::int32_t>;

std::vector<double> rank_loads(const Slots& placed, const std::vector<double>& loads, std::size_t ranks) {
  std::vector<double> replicas(loads.size(), 0.0), sums(ranks, 0.0);
  for (const std::int32_t expert : placed) replicas[std::size_t(expert)] += 1;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto expert = std::size_t(placed[i]);
    sums[i * ranks / placed.size()] += loads[expert] / replicas[expert];
  }
  return sums;
}

// The example of DeepSeek's repository (deepseek-ai/EPLB, README), two layers.
TEST(ExpertPlacement, IsThatOfThePublishedExample) {
  const ExpertSlots slots{.slots = 16, .ranks = 8, .groups = 4, .nodes = 2};
  EXPECT_EQ(place_experts(std::vector<double>{90, 132, 40, 61, 104, 165, 39, 4, 73, 56, 183, 86}, slots),
            (Slots{5, 6, 5, 7, 8, 4, 3, 4, 10, 9, 10, 2, 0, 1, 11, 1}));
  EXPECT_EQ(place_experts(std::vector<double>{20, 107, 104, 64, 19, 197, 187, 157, 172, 86, 16, 27}, slots),
            (Slots{7, 10, 6, 8, 6, 11, 8, 9, 2, 4, 5, 1, 5, 0, 3, 1}));
}

// What vLLM 0.33's DefaultEplbPolicy gives for the same loads; no two experts have the same.
TEST(ExpertPlacement, IsVllmsForSixtyFourExperts) {
  std::vector<double> loads(64);
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i] = double(i * 7919 % 1009 + 1);
  EXPECT_EQ(place_experts(loads, {.slots = 80, .ranks = 8, .groups = 8, .nodes = 2}),
            (Slots{15, 36, 33, 53, 34, 54, 37, 51, 38, 26, 48, 49, 33, 30, 34, 50, 28, 31, 25, 39,
                   35, 29, 10, 27, 14, 8,  8,  11, 12, 13, 55, 9,  53, 27, 14, 54, 28, 24, 32, 52,
                   61, 23, 43, 40, 47, 1,  21, 18, 5,  59, 2,  3,  20, 7,  60, 1,  21, 44, 58, 0,
                   22, 16, 20, 7,  60, 47, 41, 41, 19, 6,  42, 62, 56, 40, 63, 17, 4,  57, 45, 46}));
  EXPECT_EQ(place_experts(loads, {.slots = 80, .ranks = 16}),
            (Slots{61, 30, 54, 51, 38, 15, 27, 21, 18, 5,  48, 27, 21, 11, 46, 2,  40, 50, 31, 58,
                   35, 40, 34, 44, 6,  22, 7,  34, 57, 26, 55, 7,  17, 24, 59, 9,  43, 1,  28, 0,
                   42, 53, 1,  28, 13, 29, 53, 47, 37, 39, 62, 20, 47, 41, 52, 16, 20, 14, 41, 19,
                   49, 10, 14, 8,  32, 3,  33, 63, 8,  12, 36, 33, 60, 4,  45, 23, 56, 60, 54, 25}));
}

// Every expert has a slot; replicas are of the heaviest; groups stay in their node.
RC_GTEST_PROP(ExpertPlacement, KeepsEveryExpertAndEveryGroupTogether, ()) {
  const std::int64_t nodes = *rc::gen::element<std::int64_t>(1, 2, 4);
  const std::int64_t groups = nodes * *rc::gen::inRange<std::int64_t>(1, 4);
  const std::int64_t ranks = nodes * *rc::gen::inRange<std::int64_t>(1, 5);
  std::int64_t experts = groups * *rc::gen::inRange<std::int64_t>(1, 9);
  const std::int64_t slots = (experts + ranks - 1) / ranks * ranks + ranks * *rc::gen::inRange(0, 3);
  std::vector<double> loads(static_cast<std::size_t>(experts));
  for (double& load : loads) load = double(*rc::gen::inRange(0, 1000));
  const Slots placed =
      place_experts(loads, {.slots = slots, .ranks = ranks, .groups = groups, .nodes = nodes});
  RC_ASSERT(std::ssize(placed) == slots);
  std::vector<std::int64_t> replicas(loads.size(), 0);
  std::vector<std::set<std::size_t>> nodes_of(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto expert = std::size_t(placed[i]);
    RC_ASSERT(expert < loads.size());
    ++replicas[expert];
    nodes_of[expert / (loads.size() / nodes_of.size())].insert(i * std::size_t(nodes) / placed.size());
  }
  for (const std::int64_t count : replicas) RC_ASSERT(count >= 1);
  for (const auto& places : nodes_of) RC_ASSERT(places.size() == 1u);
}

TEST(ExpertPlacement, EvensOutASkew) {
  std::vector<double> loads(256);
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i] = 1000 / double(i + 10);
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / 32;
  const auto busiest = [&](const Slots& placed) {
    const auto sums = rank_loads(placed, loads, 32);
    return *std::max_element(sums.begin(), sums.end()) / mean;
  };
  Slots in_order(256);
  std::iota(in_order.begin(), in_order.end(), 0);
  EXPECT_GT(busiest(in_order), 5);
  // The heaviest expert and seven of the lightest are 1.22 times the mean; its replicas are less.
  EXPECT_LT(busiest(place_experts(loads, {.slots = 256, .ranks = 32})), 1.25);
  EXPECT_LT(busiest(place_experts(loads, {.slots = 288, .ranks = 32})), 1.005);
}

}  // namespace
}  // namespace warploom
