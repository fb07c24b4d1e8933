#include "warploom/report/training_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

Json figures_json(const ErrorFigures& figures) {
  return {{"rows", figures.rows},
          {"mean_error", figures.mean},
          {"median_error", figures.median},
          {"p90_error", figures.p90},
          {"coverage", figures.coverage}};
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
  return {{"rows", summary.rows}, {"bytes", summary.bytes}, {"families", std::move(families)}};
}

std::string train_summary_text(const TrainSummary& summary) {
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
  return table.text() + fmt::format("{} written\n", bytes_text(Bytes(static_cast<double>(summary.bytes))));
}

}  // namespace warploom
