#include "warploom/report/diagnose_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/kernels/operator_json.h"
#include "warploom/report/kernel_sources.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

constexpr std::size_t kShownGroups = 20;

std::string us(Seconds time) { return fixed_text(to_microseconds(time), 1); }

std::string change_text(const ExpectedChange& change) {
  const auto percent = [&](Seconds saved) { return percent_text(saved / change.now); };
  return fmt::format("expected {}: {} -> {} (-{}, interval -{} .. -{})\n", change.figure,
                     duration_text(change.now), duration_text(change.now - change.saved),
                     percent(change.saved), percent(change.least_saved), percent(change.most_saved));
}

std::string borrowed_text(const Diagnosis& diagnosis) {
  std::string text;
  for (const auto& [family, gpus] : diagnosis.borrowed)
    text += fmt::format("no {} rows of {}: their ceiling comes from {}\n", family, diagnosis.gpu,
                        fmt::join(gpus, ", "));
  return text;
}

// Once for each label.
std::string stand_in_text(const Diagnosis& diagnosis) {
  std::vector<std::string> lines;
  for (const DiagnosedKernel& kernel : diagnosis.kernels) {
    if (!kernel.source.stands_in) continue;
    std::string line = fmt::format("{} was never measured on {} with {}: {} {} {} stands in\n", kernel.label,
                                   diagnosis.gpu, kernel.source.stands_in_for, kernel.source.framework,
                                   kernel.source.version, kernel.source.kernel);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return fmt::format("{}", fmt::join(lines, ""));
}

std::string left_out_text(const Diagnosis& diagnosis) {
  std::string text;
  for (const LeftOut& entry : diagnosis.left_out) {
    text += fmt::format("left out: {} ({} rows", entry.what, entry.rows);
    if (entry.time)
      text += fmt::format(", {}, {} of the time", duration_text(*entry.time),
                          percent_text(*entry.time / (diagnosis.time + *entry.time)));
    text += ")\n";
  }
  return text;
}

Json causes_json(const std::vector<Counterfactual>& causes) {
  Json list = Json::array();
  for (const Counterfactual& cause : causes)
    list.push_back({{"cause", name_of(cause.cause)}, {"share", cause.saved_share}});
  return list;
}

Json group_json(const DiagnosedGroup& group) {
  return {{"label", group.label},
          {"family", name_of(group.family)},
          {"cause", name_of(group.cause)},
          {"cause_share", group.cause_share},
          {"kernels", group.kernels},
          {"flagged", group.flagged},
          {"calls", group.calls},
          {"time_us", to_microseconds(group.time)},
          {"saved_us", to_microseconds(group.saved)},
          {"efficiency", group.efficiency},
          {"ceiling_efficiency", group.ceiling_efficiency}};
}

Json kernel_json(const DiagnosedKernel& kernel) {
  Json document = {{"label", kernel.label},
                   {"operator", operator_to_json(kernel.op)},
                   {"calls", kernel.calls},
                   {"actual_us", to_microseconds(kernel.actual)},
                   {"ceiling_us", to_microseconds(kernel.ceiling.time)},
                   {"median_us", to_microseconds(kernel.ceiling.median_time)},
                   {"physical_bound_us", to_microseconds(kernel.ceiling.physical_bound)},
                   {"saved_us", to_microseconds(kernel.gap.saved)},
                   {"flagged", kernel.gap.flagged()},
                   {"bound", name_of(kernel.bound)},
                   {"tier", name_of(kernel.source.tier)},
                   {"framework", kernel.source.framework},
                   {"version", kernel.source.version},
                   {"kernel", kernel.source.kernel},
                   {"causes", causes_json(kernel.causes)}};
  add_stand_in(document, kernel.source);
  return document;
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis) {
  std::string text = fmt::format(
      "{} on {}: {} kernels, {}; at their ceilings (q = {:.2f}) {} less, {}\n\n", diagnosis.source,
      diagnosis.gpu, count_text(static_cast<std::int64_t>(diagnosis.kernels.size())),
      duration_text(diagnosis.time), diagnosis.quantile, duration_text(diagnosis.saved),
      percent_text(diagnosis.saved / diagnosis.time));
  TextTable table({{"kernel", Align::Left},
                   {"family", Align::Left},
                   {"calls"},
                   {"time [us]"},
                   {"would save"},
                   {"share"},
                   {"efficiency"},
                   {"ceiling"},
                   {"main cause", Align::Left},
                   {"costs"}});
  for (std::size_t i = 0; i < std::min(kShownGroups, diagnosis.groups.size()); ++i) {
    const DiagnosedGroup& group = diagnosis.groups[i];
    table.add_row({group.label, std::string(name_of(group.family)), fixed_text(group.calls, 0),
                   us(group.time), us(group.saved), percent_text(group.saved / diagnosis.time),
                   percent_text(group.efficiency), percent_text(group.ceiling_efficiency),
                   std::string(name_of(group.cause)),
                   group.cause == Cause::KernelCode ? "-" : percent_text(group.cause_share)});
  }
  text += table.text();
  if (diagnosis.groups.size() > kShownGroups)
    text += fmt::format("... and {} more groups\n", diagnosis.groups.size() - kShownGroups);
  const std::string notes = borrowed_text(diagnosis) + stand_in_text(diagnosis) + left_out_text(diagnosis);
  if (!notes.empty()) text += "\n" + notes;
  if (!diagnosis.changes.empty()) text += "\n";
  for (const ExpectedChange& change : diagnosis.changes) text += change_text(change);
  return text;
}

Json diagnosis_json(const Diagnosis& diagnosis) {
  Json groups = Json::array(), kernels = Json::array(), left_out = Json::array(), changes = Json::array(),
       borrowed = Json::object();
  for (const DiagnosedGroup& group : diagnosis.groups) groups.push_back(group_json(group));
  for (const DiagnosedKernel& kernel : diagnosis.kernels) kernels.push_back(kernel_json(kernel));
  for (const LeftOut& entry : diagnosis.left_out) {
    left_out.push_back({{"what", entry.what}, {"rows", entry.rows}});
    if (entry.time) left_out.back()["time_us"] = to_microseconds(*entry.time);
  }
  for (const auto& [family, gpus] : diagnosis.borrowed) borrowed[family] = gpus;
  for (const ExpectedChange& change : diagnosis.changes)
    changes.push_back({{"figure", change.figure},
                       {"now_ms", to_milliseconds(change.now)},
                       {"saved_ms", to_milliseconds(change.saved)},
                       {"least_saved_ms", to_milliseconds(change.least_saved)},
                       {"most_saved_ms", to_milliseconds(change.most_saved)}});
  return {{"gpu", diagnosis.gpu},
          {"source", diagnosis.source},
          {"quantile", diagnosis.quantile},
          {"time_us", to_microseconds(diagnosis.time)},
          {"saved_us", to_microseconds(diagnosis.saved)},
          {"groups", std::move(groups)},
          {"kernels", std::move(kernels)},
          {"left_out", std::move(left_out)},
          {"borrowed", std::move(borrowed)},
          {"changes", std::move(changes)}};
}

}  // namespace warploom
