#include "warploom/report/host_calibration_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

Json wall_errors_json(const WallErrors& errors) {
  return {{"median", errors.median}, {"p90", errors.p90}, {"bias", errors.bias}};
}

void add_wall_errors(TextTable& table, const std::string& name, const WallErrors& errors) {
  table.add_row({name, percent_text(errors.median), percent_text(errors.p90), percent_text(errors.bias)});
}

Json run_errors_json(const RunErrors& errors) {
  return {{"tpot_mean", errors.tpot_mean},
          {"ttft_mean", errors.ttft_mean},
          {"ttft_p50", errors.ttft_p50},
          {"ttft_p90", errors.ttft_p90}};
}

std::string errors_of_steps_text(const CalibrateHostResult& result) {
  TextTable errors({{"error of a step's wall time", Align::Left}, {"median"}, {"p90"}, {"bias"}});
  add_wall_errors(errors, "before", result.before);
  if (result.unseen) add_wall_errors(errors, "after, steps that the fit did not see", *result.unseen);
  add_wall_errors(errors, "after, all steps", result.after);
  return errors.text() +
         (result.unseen ? "" : "\nfewer than six steps: none was kept from the fit to judge it by\n");
}

std::string errors_of_runs_text(const std::vector<CalibratedRun>& runs) {
  TextTable errors({{"run", Align::Left},
                    {"predicted", Align::Left},
                    {"tpot mean"},
                    {"ttft mean"},
                    {"ttft p50"},
                    {"ttft p90"}});
  const auto add = [&](const CalibratedRun& run, const char* when, const RunErrors& found) {
    errors.add_row({run.run, when, percent_text(found.tpot_mean), percent_text(found.ttft_mean),
                    percent_text(found.ttft_p50), percent_text(found.ttft_p90)});
  };
  for (const CalibratedRun& run : runs) {
    add(run, "before", run.before);
    if (run.unseen) add(run, "by the other runs", *run.unseen);
    add(run, "after", run.after);
  }
  return errors.text() + (runs.size() > 1 ? "" : "\none run: none was kept from the fit to judge it by\n");
}

}  // namespace

std::string host_calibration_text(const HostCalibration& calibration) {
  const CalibrateHostResult& result = calibration.host;
  const bool runs = !calibration.runs.empty();
  const std::string what =
      runs ? counted(std::ssize(calibration.runs), "run")
           : fmt::format("{} of {}", counted(std::int64_t(result.steps), "step"), result.model);
  std::string text = fmt::format("{} on {}, {}; profile {} from {}\n\n", what, result.gpu, result.engine,
                                 result.profile.name, result.base);
  TextTable factors({{"constants of", Align::Left},
                     {"factor"},
                     {runs ? "latencies that show it" : "steps that show it"},
                     {"", Align::Left}});
  for (std::size_t i = 0; i < kHostGroups; ++i) {
    const auto group = HostGroup(i);
    factors.add_row({std::string(name_of(group)), fixed_text(result.fit.factors[i], 2),
                     std::to_string(result.fit.steps[i]),
                     result.fit.determined(group) ? "" : "not determined: follows each step's"});
  }
  return text + factors.text() + "\n" +
         (runs ? errors_of_runs_text(calibration.runs) : errors_of_steps_text(result));
}

Json host_calibration_json(const HostCalibration& calibration) {
  const CalibrateHostResult& result = calibration.host;
  Json factors = Json::array();
  for (std::size_t i = 0; i < kHostGroups; ++i)
    factors.push_back({{"constants", name_of(HostGroup(i))},
                       {"factor", result.fit.factors[i]},
                       {calibration.runs.empty() ? "steps" : "latencies", result.fit.steps[i]},
                       {"determined", result.fit.determined(HostGroup(i))}});
  Json document = {{"gpu", result.gpu},
                   {"engine", result.engine},
                   {"base", result.base},
                   {"factors", std::move(factors)},
                   {"profile", host_profile_to_json(result.profile)}};
  if (calibration.runs.empty()) {
    document["model"] = result.model;
    document["steps"] = result.steps;
    document["before"] = wall_errors_json(result.before);
    document["unseen"] = result.unseen ? wall_errors_json(*result.unseen) : Json(nullptr);
    document["after"] = wall_errors_json(result.after);
    return document;
  }
  for (const CalibratedRun& run : calibration.runs)
    document["runs"].push_back({{"run", run.run},
                                {"model", run.model},
                                {"before", run_errors_json(run.before)},
                                {"unseen", run.unseen ? run_errors_json(*run.unseen) : Json(nullptr)},
                                {"after", run_errors_json(run.after)}});
  return document;
}

}  // namespace warploom
