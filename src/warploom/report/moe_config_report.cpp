#include "warploom/report/moe_config_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

Json error_json(const GainError& error) {
  return {{"shapes", error.shapes},
          {"median_points", error.median_points},
          {"mean_points", error.mean_points},
          {"constant_median_points", error.constant_median_points}};
}

}  // namespace

std::string moe_config_text(const MoeConfigTable& table) {
  const MoeLayer& layer = table.layer;
  std::string text = fmt::format(
      "{} fused_moe of {} experts (top {}), hidden {}, width {}, {} on {}: tier {}, measured on {}\n\n",
      name_of(table.engine), layer.held(), layer.top_k, layer.hidden, layer.width(), name_of(layer.dtype),
      table.gpu, name_of(table.tier), fmt::join(table.from, ", "));
  TextTable rows({{"tokens"},
                  {"configuration", Align::Left},
                  {"engine's default", Align::Left},
                  {"speed-up"},
                  {"p10 .. p90"}});
  double sum = 0;
  for (const MoeConfigRow& row : table.rows) {
    sum += std::log(row.speedup);
    rows.add_row(
        {std::to_string(row.tokens), row.is_default ? "default" : moe_config_text(row.config),
         moe_config_text(row.engine_default), fixed_text(row.speedup, 3),
         row.is_default ? "-" : fixed_text(row.speedup_p10, 3) + " .. " + fixed_text(row.speedup_p90, 3)});
  }
  return text + rows.text() +
         fmt::format("\nexpected geo-mean over the keys {:.3f}\n", std::exp(sum / double(table.rows.size())));
}

std::string config_training_text(const ConfigTraining& training) {
  TextTable table({{"GPU left out", Align::Left},
                   {"shapes"},
                   {"median error [points]"},
                   {"mean"},
                   {"median of a constant gain"}});
  const auto add = [&](const GainError& error) {
    table.add_row({error.gpu, std::to_string(error.shapes), fixed_text(error.median_points, 2),
                   fixed_text(error.mean_points, 2), fixed_text(error.constant_median_points, 2)});
  };
  for (const GainError& error : training.gpus) add(error);
  table.add_rule();
  add(training.all);
  return table.text() +
         fmt::format(
             "gain of the best configuration over the engine's default, predicted by trees that saw neither "
             "the GPU nor the layer\n{} rows learned from, {} candidates; residual of ln gain p10 {:.3f}, "
             "p90 "
             "{:.3f}\n",
             training.record.rows, training.record.candidates.size(), training.record.residual_p10,
             training.record.residual_p90) +
         fmt::format(
             "most votes within 1 % of the best: {:.1f} % of shapes without their layer, {:.1f} % without "
             "their GPU "
             "too\n",
             100 * training.hits.new_layer, 100 * training.hits.new_gpu);
}

Json config_training_json(const ConfigTraining& training) {
  Json gpus = Json::object();
  for (const GainError& error : training.gpus) gpus[error.gpu] = error_json(error);
  return {{"rows", training.record.rows},
          {"candidates", training.record.candidates.size()},
          {"residual", {{"p10", training.record.residual_p10}, {"p90", training.record.residual_p90}}},
          {"vote_hits", {{"new_layer", training.hits.new_layer}, {"new_gpu", training.hits.new_gpu}}},
          {"all", error_json(training.all)},
          {"gpus", std::move(gpus)}};
}

}  // namespace warploom
