#include "warploom/report/training_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/kernel_error_report.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"
#include "warploom/report/work_cost_report.h"

namespace warploom {
namespace {

Json figures_json(const ErrorFigures& figures) {
  return {{"rows", figures.rows},
          {"mean_error", figures.mean},
          {"median_error", figures.median},
          {"p90_error", figures.p90},
          {"coverage", figures.coverage}};
}

Json method_json(const MethodTraining& kernel) {
  Json held_out = error_summary_json(kernel.held_out);
  held_out["efficiency_mean_error"] = kernel.efficiency_mean_error;
  Json json = {
      {"rows_learned", kernel.rows_learned}, {"gpus", kernel.gpus}, {"held_out", std::move(held_out)}};
  if (!kernel.learner.empty()) json["learner"] = kernel.learner;
  return json;
}

// Errors of latency, and of efficiency as the publication counts.
std::string method_text(const TrainSummary& summary) {
  TextTable table({{"kernel", Align::Left},
                   {"rows learned"},
                   {"rows held out"},
                   {"mean error"},
                   {"median"},
                   {"of efficiency, mean"}});
  for (const MethodTraining& kernel : summary.method)
    table.add_row(
        {kernel.learner.empty() ? kernel.kernel : fmt::format("{} ({})", kernel.kernel, kernel.learner),
         count_text(std::int64_t(kernel.rows_learned)), count_text(kernel.held_out.rows),
         percent_text(kernel.held_out.mean_error), percent_text(kernel.held_out.median_error),
         percent_text(kernel.efficiency_mean_error)});
  return table.text();
}

}  // namespace

Json train_summary_json(const TrainSummary& summary) {
  Json families = Json::object();
  for (const FamilyTraining& training : summary.families) {
    Json left_out = Json::object();
    for (const auto& [gpu, figures] : training.left_out) left_out[gpu] = figures_json(figures);
    families[std::string(name_of(training.family))] = {{"rows_learned", training.rows_learned},
                                                       {"held_out", figures_json(training.held_out)},
                                                       {"left_out_gpu", std::move(left_out)},
                                                       {"seconds", training.seconds}};
  }
  for (const TablesTraining& training : summary.tables)
    families[std::string(name_of(training.family))]["tables"] = {
        {"rows", training.rows},
        {"held_out", figures_json(training.held_out)},
        {"answered", training.answered},
        {"seconds", training.seconds}};
  Json document = {{"rows", summary.rows}, {"bytes", summary.bytes}};
  document.update(work_cost_json(summary.cost));
  if (summary.method.empty()) {
    document["families"] = std::move(families);
  } else {
    for (const MethodTraining& kernel : summary.method)
      document["kernels"][kernel.kernel] = method_json(kernel);
  }
  return document;
}

std::string train_summary_text(const TrainSummary& summary) {
  const std::string written =
      fmt::format("{} written\n", bytes_text(Bytes(static_cast<double>(summary.bytes))));
  if (!summary.method.empty()) return method_text(summary) + written;
  TextTable table({{"family", Align::Left},
                   {"rows learned"},
                   {"rows held out"},
                   {"mean error"},
                   {"median"},
                   {"in p10..p90"},
                   {"s"}});
  for (const FamilyTraining& training : summary.families) {
    const ErrorFigures& held_out = training.held_out;
    table.add_row(
        {std::string(name_of(training.family)), count_text(static_cast<std::int64_t>(training.rows_learned)),
         count_text(static_cast<std::int64_t>(held_out.rows)), percent_text(held_out.mean),
         percent_text(held_out.median), percent_text(held_out.coverage), fixed_text(training.seconds, 1)});
  }
  for (const TablesTraining& training : summary.tables) {
    const ErrorFigures& held_out = training.held_out;
    table.add_row({fmt::format("{} with tables", name_of(training.family)),
                   count_text(static_cast<std::int64_t>(training.rows)),
                   count_text(static_cast<std::int64_t>(held_out.rows)), percent_text(held_out.mean),
                   percent_text(held_out.median), percent_text(held_out.coverage),
                   fixed_text(training.seconds, 1)});
  }
  return table.text() + written;
}

Json ceiling_training_json(const TrainCeilingsResult& result) {
  Json families = Json::object(), too_few = Json::object();
  for (const TrainedCeiling& family : result.families)
    families[std::string(name_of(family.family))] = {
        {"rows", family.rows}, {"gpus", family.gpus}, {"bytes", family.bytes}};
  for (const auto& [family, rows] : result.too_few) too_few[family] = rows;
  return {{"families", std::move(families)}, {"too_few", std::move(too_few)}};
}

std::string ceiling_training_text(const TrainCeilingsResult& result) {
  TextTable table({{"family", Align::Left}, {"rows"}, {"GPUs"}, {"bytes"}});
  for (const TrainedCeiling& family : result.families)
    table.add_row({std::string(name_of(family.family)), count_text(static_cast<std::int64_t>(family.rows)),
                   count_text(static_cast<std::int64_t>(family.gpus)),
                   count_text(static_cast<std::int64_t>(family.bytes))});
  std::string text = table.text();
  for (const auto& [family, rows] : result.too_few)
    text += fmt::format("left out {}: {} rows are too few\n", family, rows);
  return text;
}

}  // namespace warploom
