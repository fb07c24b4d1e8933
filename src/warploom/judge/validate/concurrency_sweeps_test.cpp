#include "warploom/judge/validate/concurrency_sweeps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/judge/validate/concurrency_speculation.h"

namespace warploom {
namespace {

SortedRow row_with(std::int64_t concurrency, const std::string& image = "i") {
  SortedRow row;
  row.truth.id = image + std::to_string(concurrency);
  row.truth.backend = "trtllm";
  row.truth.image = image;
  row.truth.input_tokens = row.truth.output_tokens = 1024;
  row.truth.concurrency = concurrency;
  return row;
}

ConcurrencySweep sweep_with(const std::vector<std::pair<double, double>>& ratios) {
  ConcurrencySweep sweep;
  for (const auto& [requests, ratio] : ratios)
    sweep.points.push_back({sweep.points.size(), requests, std::int64_t(requests), ratio});
  return sweep;
}

TEST(ConcurrencySweeps, HoldRowsThatDifferInRequestsAloneInTheirOrder) {
  std::vector<SortedRow> rows{row_with(64), row_with(4), row_with(16), row_with(8, "other")};
  rows.push_back(row_with(32));
  rows.back().excluded_by = 0;
  const auto sweeps = sweeps_of(rows);
  ASSERT_EQ(sweeps.size(), 2u);
  const ConcurrencySweep& longest =
      sweeps.begin()->second.points.size() == 3 ? sweeps.begin()->second : sweeps.rbegin()->second;
  ASSERT_EQ(longest.points.size(), 3u);
  EXPECT_EQ(longest.points[0].concurrency, 4);
  EXPECT_EQ(longest.points[2].concurrency, 64);
}

TEST(SpeculationRule, FindsSweepsThatAreFastWhereFewRequestsRun) {
  const SpeculationRule& rule = speculation_rule();
  EXPECT_TRUE(rule.finds(sweep_with({{4, 0.65}, {8, 0.7}, {64, 1.1}})));
  EXPECT_TRUE(rule.finds(sweep_with({{4, 0.65}, {8, 0.66}, {64, 0.6}})));
  EXPECT_FALSE(rule.finds(sweep_with({{4, 0.9}, {8, 0.95}, {64, 1.1}})));  // a plain engine
  EXPECT_FALSE(
      rule.finds(sweep_with({{16, 0.76}, {64, 0.6}, {256, 0.44}})));  // a kernel that is priced wrongly
  EXPECT_FALSE(
      rule.finds(sweep_with({{64, 0.6}, {128, 0.6}, {256, 0.6}})));     // nothing is known of few requests
  EXPECT_FALSE(rule.finds(sweep_with({{4, 0.6}, {8, 0.6}})));           // too short
  EXPECT_FALSE(rule.finds(sweep_with({{4, 0.6}, {8, 0.6}, {64, 0}})));  // one row could not be simulated
}

// A machine whose verifying steps cost as much as plain ones: TPOT is 10 ms over the tokens of a step.
std::optional<ConcurrencyCell> simulated(const SortedRow& row, const std::optional<AssumedDrafts>& drafts) {
  ConcurrencyCell cell;
  cell.id = row.truth.id;
  cell.concurrency = *row.truth.concurrency;
  cell.tpot = {10 / 1.7, drafts ? 10 / drafts->acceptance_length : 10};
  return cell;
}

TEST(FindSpeculation, FitsEverySecondRowAndJudgesTheOthers) {
  const std::vector<SortedRow> rows{row_with(4), row_with(8), row_with(16), row_with(32)};
  // Two ratios are known; the others are simulated, so that a part of the rows finds what all do.
  const auto found = find_speculation(rows, {0, 1 / 1.7, 0, 0}, speculation_rule(), simulated, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].drafts.acceptance_length, 1.7, 1e-9);
  ASSERT_EQ(found[0].cells.size(), 4u);
  EXPECT_TRUE(found[0].cells[0].tpot_fitted);
  EXPECT_FALSE(found[0].cells[1].tpot_fitted);
  EXPECT_EQ(found[0].cells[1].group, CellGroup::Speculative);
  EXPECT_NEAR(found[0].cells[1].tpot.error(), 0, 1e-9);
  // Nothing is looked into while every known ratio is that of a plain engine.
  EXPECT_TRUE(find_speculation(rows, {0, 1, 0, 0}, speculation_rule(), simulated, 1).empty());
}

TEST(SpeculationRule, RefusesADocumentOfAnotherSchema) {
  EXPECT_THROW(speculation_rule_from_json(parse_json(R"({"schema": "x", "version": 1, "rule": {}})", "t")),
               InvalidInput);
  EXPECT_THROW(
      speculation_rule_from_json(parse_json(
          R"({"schema": "warploom_concurrency_speculation", "version": 1, "rule": {"fewest": 1}})", "t")),
      InvalidInput);
}

}  // namespace
}  // namespace warploom
