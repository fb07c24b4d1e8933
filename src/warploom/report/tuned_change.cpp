#include "warploom/report/tuned_change.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"

namespace warploom {
namespace {

std::string line(const char* name, const TunedChange& change, Seconds MeanLatencies::*figure) {
  const Seconds before = change.before.*figure;
  const auto percent = [&](const MeanLatencies& after) { return percent_text(after.*figure / before - 1); };
  return fmt::format("tuned {}: {} -> {} ({}, interval {} .. {})\n", name, duration_text(before),
                     duration_text(change.expected.*figure), percent(change.expected), percent(change.least),
                     percent(change.most));
}

Json figure_json(const TunedChange& change, Seconds MeanLatencies::*figure) {
  return {{"before_ms", to_milliseconds(change.before.*figure)},
          {"expected_ms", to_milliseconds(change.expected.*figure)},
          {"least_ms", to_milliseconds(change.least.*figure)},
          {"most_ms", to_milliseconds(change.most.*figure)}};
}

}  // namespace

std::string tuned_change_text(const TunedChange& change) {
  return fmt::format("\nwith the tuned configurations (tier {}), against the same run without:\n{}{}",
                     change.tier, line("TTFT", change, &MeanLatencies::ttft),
                     line("TPOT", change, &MeanLatencies::tpot));
}

Json tuned_change_json(const TunedChange& change) {
  return {{"tier", change.tier},
          {"ttft", figure_json(change, &MeanLatencies::ttft)},
          {"tpot", figure_json(change, &MeanLatencies::tpot)}};
}

}  // namespace warploom
