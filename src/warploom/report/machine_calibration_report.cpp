#include "warploom/report/machine_calibration_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

Json errors_json(const WallErrors& errors) {
  return {{"median", errors.median}, {"p90", errors.p90}, {"bias", errors.bias}};
}

Json errors_json(const std::optional<MachineErrors>& errors) {
  if (!errors) return nullptr;
  return {{"measured", errors->measured},
          {"before", errors_json(errors->before)},
          {"unseen", errors->unseen ? errors_json(*errors->unseen) : Json(nullptr)},
          {"after", errors_json(errors->after)}};
}

void add_errors(TextTable& table, const std::string& what, const std::optional<MachineErrors>& errors) {
  if (!errors) return;
  const auto add = [&](const std::string& when, const WallErrors& found) {
    table.add_row(
        {what, when, percent_text(found.median), percent_text(found.p90), percent_text(found.bias)});
  };
  add("before", errors->before);
  if (errors->unseen) add("after, not seen by the fit", *errors->unseen);
  add("after, all", errors->after);
}

}  // namespace

std::string machine_calibration_text(const CalibrateMachineResult& result) {
  const MachineProfile& profile = result.profile;
  std::string text = fmt::format("{}: {}\n", profile.name, profile.source);
  if (!profile.measured_at.empty()) text += fmt::format("measured at {}\n", profile.measured_at);
  if (profile.host_level > 0)
    text += fmt::format("the host was {} times as slow as in its fastest tenth\n",
                        fixed_text(profile.host_level, 2));
  text += "\n";
  TextTable factors({{"", Align::Left}, {"factor"}, {"p10"}, {"p90"}});
  const auto add = [&](std::string_view what, std::string_view group, const auto& scale) {
    factors.add_row({fmt::format("{}: {}", what, group), fixed_text(scale.factor, 3),
                     fixed_text(scale.low, 3), fixed_text(scale.high, 3)});
  };
  for (const HostScale& scale : profile.host) add("host", name_of(scale.group), scale);
  for (const KernelScale& scale : profile.kernels) add("kernels", name_of(scale.group), scale);
  for (const KernelScale& scale : profile.kernels)
    if (scale.experts > 0) add("experts", name_of(scale.group), scale.of_experts());
  TextTable errors({{"error of", Align::Left}, {"predicted", Align::Left}, {"median"}, {"p90"}, {"bias"}});
  add_errors(errors, "a probed product", result.products);
  add_errors(errors, "a step's kernels", result.kernels);
  add_errors(errors, "a step's wall time", result.walls);
  const bool judged = result.products || result.walls;
  return text + factors.text() + (judged ? "\n" + errors.text() : std::string());
}

Json machine_calibration_json(const CalibrateMachineResult& result) {
  return {{"profile", machine_profile_to_json(result.profile)},
          {"model", result.model.empty() ? Json(nullptr) : Json(result.model)},
          {"products", errors_json(result.products)},
          {"kernels", errors_json(result.kernels)},
          {"walls", errors_json(result.walls)}};
}

}  // namespace warploom
