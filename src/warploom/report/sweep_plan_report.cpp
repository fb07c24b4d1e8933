#include "warploom/report/sweep_plan_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace warploom {

std::string sweep_plan_text(const SweepPlanResult& result, const std::filesystem::path& plan) {
  std::string text;
  std::size_t all = 0;
  for (const auto& [family, count] : result.operators) {
    text += fmt::format("{:<20}{:>8}\n", family, count);
    all += count;
  }
  return text + fmt::format("{} of {} candidates in {}\n", all, result.candidates, plan.string());
}

Json sweep_plan_json(const SweepPlanResult& result) {
  return {{"candidates", result.candidates}, {"operators", result.operators}};
}

}  // namespace warploom
