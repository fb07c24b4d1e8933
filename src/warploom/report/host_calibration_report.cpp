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

}  // namespace

std::string host_calibration_text(const CalibrateHostResult& result) {
  std::string text = fmt::format("{} steps of {} on {}, {}; profile {} from {}\n\n", result.steps,
                                 result.model, result.gpu, result.engine, result.profile.name, result.base);
  TextTable factors({{"constants of", Align::Left}, {"factor"}, {"steps that show it"}, {"", Align::Left}});
  for (std::size_t i = 0; i < kHostGroups; ++i) {
    const auto group = HostGroup(i);
    factors.add_row({std::string(name_of(group)), fixed_text(result.fit.factors[i], 2),
                     std::to_string(result.fit.steps[i]),
                     result.fit.determined(group) ? "" : "not determined: follows each step's"});
  }
  TextTable errors({{"error of a step's wall time", Align::Left}, {"median"}, {"p90"}, {"bias"}});
  add_wall_errors(errors, "before", result.before);
  if (result.unseen) add_wall_errors(errors, "after, steps that the fit did not see", *result.unseen);
  add_wall_errors(errors, "after, all steps", result.after);
  text += factors.text() + "\n" + errors.text();
  if (!result.unseen) text += "\nfewer than six steps: none was kept from the fit to judge it by\n";
  return text;
}

Json host_calibration_json(const CalibrateHostResult& result) {
  Json factors = Json::array();
  for (std::size_t i = 0; i < kHostGroups; ++i)
    factors.push_back({{"constants", name_of(HostGroup(i))},
                       {"factor", result.fit.factors[i]},
                       {"steps", result.fit.steps[i]},
                       {"determined", result.fit.determined(HostGroup(i))}});
  return {{"model", result.model},
          {"gpu", result.gpu},
          {"engine", result.engine},
          {"base", result.base},
          {"steps", result.steps},
          {"factors", std::move(factors)},
          {"before", wall_errors_json(result.before)},
          {"unseen", result.unseen ? wall_errors_json(*result.unseen) : Json(nullptr)},
          {"after", wall_errors_json(result.after)},
          {"profile", host_profile_to_json(result.profile)}};
}

}  // namespace warploom
