#include "warploom/judge/report/kernel_validation_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/kernel_error_report.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"
#include "warploom/report/work_cost_report.h"

namespace warploom {
namespace {

Json named_json(const std::vector<std::pair<std::string, ErrorSummary>>& rows) {
  Json document = Json::object();
  for (const auto& [name, summary] : rows) document[name] = error_summary_json(summary);
  return document;
}

Json baselines_json(const std::vector<BaselineErrors>& errors) {
  Json document = Json::object();
  for (const BaselineErrors& baseline : errors) {
    Json entry = error_summary_json(baseline.overall);
    entry["families"] = named_json(baseline.families);
    entry["gpus"] = named_json(baseline.gpus);
    entry["unanswered"] = Json::object();
    for (const auto& [reason, rows] : baseline.unanswered) entry["unanswered"][reason] = rows;
    entry.update(work_cost_json(baseline.training));
    entry["answer_us"] = baseline.answer_microseconds;
    document[baseline.name] = std::move(entry);
  }
  return document;
}

// Rows that a method has no model for, which its figures leave out.
std::string unanswered_text(const std::vector<BaselineErrors>& errors) {
  std::string text;
  for (const BaselineErrors& baseline : errors)
    for (const auto& [reason, rows] : baseline.unanswered)
      text += fmt::format("  {:>12}  {}: {}\n", count_text(std::int64_t(rows)), baseline.name, reason);
  return text.empty() ? text : "\nNo model, left out of the method's figures:\n" + text;
}

Json rules_json(const std::vector<KernelRuleRows>& rules) {
  Json document = Json::array();
  for (const KernelRuleRows& entry : rules)
    document.push_back({{"rule", entry.exclusion->rule},
                        {"of", entry.of},
                        {"rows", entry.rows},
                        {"reason", entry.exclusion->reason},
                        {"source", entry.exclusion->source}});
  return document;
}

std::string rules_text(const std::vector<KernelRuleRows>& rules) {
  if (rules.empty()) return "";
  std::string text = "\nRules of data/benchmarks/kernel_exclusions.json that took rows out:\n";
  for (const KernelRuleRows& entry : rules)
    text += fmt::format("  {:>12}  {}{}: {}\n{:>16}source: {}\n", count_text(std::int64_t(entry.rows)),
                        entry.exclusion->rule, entry.of.empty() ? "" : " (" + entry.of + ")",
                        entry.exclusion->reason, "", entry.exclusion->source);
  return text;
}

std::string pair_text(const ErrorSummary& s) {
  if (s.rows == 0) return "-";
  return fmt::format("{} / {}", percent_text(s.mean_error), percent_text(s.median_error));
}

// Mean / median error of the predictor and each baseline, per family and GPU.
std::string baselines_text(const ValidateKernelsResult& result) {
  std::vector<TableColumn> columns{{"mean / median", Align::Left}, {"rows"}, {"ours"}};
  for (const BaselineErrors& baseline : result.baselines) columns.push_back({baseline.name});
  TextTable table(columns);
  const auto add = [&](const std::string& name, const ErrorSummary& ours, auto of_baseline) {
    std::vector<std::string> cells{name, count_text(ours.rows), pair_text(ours)};
    for (const BaselineErrors& baseline : result.baselines) cells.push_back(pair_text(of_baseline(baseline)));
    table.add_row(cells);
  };
  const auto find = [](const auto& list, const std::string& name) {
    for (const auto& [entry, summary] : list)
      if (entry == name) return summary;
    return ErrorSummary{};
  };
  for (const auto& [name, ours] : result.families)
    add(name, ours, [&, key = name](const BaselineErrors& b) { return find(b.families, key); });
  for (const auto& [name, ours] : result.gpus)
    add(name, ours, [&, key = name](const BaselineErrors& b) { return find(b.gpus, key); });
  add("all", result.overall, [](const BaselineErrors& b) { return b.overall; });
  return table.text() + unanswered_text(result.baselines);
}

}  // namespace

Json kernel_validation_json(const ValidateKernelsResult& result) {
  Json cells = Json::array();
  for (const CellErrors& cell : result.cells) {
    Json entry = {
        {"family", cell.family}, {"gpu", cell.gpu}, {"dtype", cell.dtype}, {"framework", cell.framework}};
    entry.update(error_summary_json(cell.errors));
    cells.push_back(std::move(entry));
  }
  Json skipped = Json::array();
  for (const SkippedCount& entry : result.skipped)
    skipped.push_back({{"reason", entry.reason}, {"rows", entry.rows}});
  Json document = {{"rules", rules_json(result.rules)},
                   {"overall", error_summary_json(result.overall)},
                   {"families", named_json(result.families)},
                   {"gpus", named_json(result.gpus)},
                   {"tiers", named_json(result.tiers)},
                   {"cells", std::move(cells)},
                   {"skipped", std::move(skipped)},
                   {"measurement_noise", noise_json(result.noise)},
                   {"split", result.split}};
  if (!result.baselines.empty()) document["baselines"] = baselines_json(result.baselines);
  return document;
}

std::string kernel_validation_text(const ValidateKernelsResult& result) {
  auto families = result.families;
  families.emplace_back("all", result.overall);
  std::string text = "Judged on " + result.split + ".\n\n";
  text += error_table_text("family", families) + "\n" + error_table_text("gpu", result.gpus) + "\n";
  text += error_table_text("tier", result.tiers);
  if (!result.noise.empty()) text += "\n" + noise_table_text(result.noise);
  if (!result.baselines.empty()) text += "\n" + baselines_text(result);
  if (!result.skipped.empty()) text += "\nNot judged:\n";
  for (const SkippedCount& entry : result.skipped) {
    text += fmt::format("  {:>12}  {}\n", count_text(static_cast<std::int64_t>(entry.rows)), entry.reason);
  }
  return text + rules_text(result.rules);
}

namespace {

// Mean / median error of each method on the rows of each group.
std::string compared_text(const LeaveOutResult& result) {
  if (result.groups.empty()) return "";
  const LeftOutErrors& any = result.groups.front();
  if (any.baselines.empty() && any.external.empty()) return "";
  std::vector<TableColumn> columns{{"mean / median", Align::Left}, {"rows"}, {"ours"}};
  for (const BaselineErrors& baseline : any.baselines) columns.push_back({baseline.name});
  for (const auto& [name, errors] : any.external) columns.push_back({name});
  TextTable table(columns);
  std::string without;
  for (const LeftOutErrors& group : result.groups) {
    std::vector<std::string> cells{group.family + ", " + group.left_out, count_text(group.errors.rows),
                                   pair_text(group.errors)};
    for (const BaselineErrors& baseline : group.baselines) cells.push_back(pair_text(baseline.overall));
    for (const auto& [name, errors] : group.external) cells.push_back(pair_text(errors));
    table.add_row(cells);
    without += unanswered_text(group.baselines);
  }
  return table.text() + without + "\n";
}

}  // namespace

Json leave_out_json(const LeaveOutResult& result) {
  Json groups = Json::array();
  for (const LeftOutErrors& group : result.groups) {
    Json entry = {{"family", group.family},         {"left_out", group.left_out},
                  {"gpus", named_json(group.gpus)}, {"tiers", named_json(group.tiers)},
                  {"seconds", group.seconds},       {"answer_us", group.answer_microseconds}};
    entry.update(work_cost_json(group.training));
    entry.update(error_summary_json(group.errors));
    entry["with_launch_bound"] = error_summary_json(group.with_launch_bound);
    if (!group.baselines.empty()) entry["baselines"] = baselines_json(group.baselines);
    for (const auto& [name, errors] : group.external) entry["external"][name] = error_summary_json(errors);
    groups.push_back(std::move(entry));
  }
  Json document = {{"families", named_json(result.families)},
                   {"with_launch_bound", named_json(result.with_launch_bound)},
                   {"rules", rules_json(result.rules)},
                   {"left_out", std::move(groups)},
                   {"protocol", result.protocol}};
  for (const AblatedErrors& part : result.ablation)
    document["ablation"][part.family][part.step] = error_summary_json(part.errors);
  return document;
}

std::string leave_out_text(const LeaveOutResult& result) {
  std::string text = "Protocol: " + result.protocol + ".\n\n";
  for (const auto& [family, errors] : result.families) {
    std::vector<std::pair<std::string, ErrorSummary>> rows;
    for (const LeftOutErrors& group : result.groups)
      if (group.family == family) rows.emplace_back(group.left_out, group.errors);
    rows.emplace_back("all", errors);
    for (const auto& [name, with] : result.with_launch_bound)
      if (name == family && with.rows > errors.rows) rows.emplace_back("all, with launch-bound rows", with);
    text += error_table_text(family + " without", rows) + "\n";
  }
  text += compared_text(result);
  text += rules_text(result.rules);
  if (result.ablation.empty()) return text;
  std::vector<std::pair<std::string, ErrorSummary>> parts;
  for (const AblatedErrors& part : result.ablation)
    parts.emplace_back(part.family + ", " + part.step, part.errors);
  return text + error_table_text("model up to", parts);
}

}  // namespace warploom
