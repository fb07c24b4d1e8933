#include "warploom/report/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/statistics.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

constexpr std::size_t kWorstRows = 8;

double median_residual(const WaveModel& model) {
  std::vector<double> residuals;
  for (const FittedConfig& fitted : model.configs) residuals.push_back(double(fitted.residual));
  return quantile(std::move(residuals), 0.5);
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json summary_json(const RegretSummary& summary) {
  return {{"shapes", summary.shapes},
          {"geo_mean_share", summary.geo_mean_share},
          {"worst_share", summary.worst_share},
          {"p10_share", summary.p10_share},
          {"pick_error_median", summary.pick_error_median},
          {"geo_mean_speedup", optional_json(summary.geo_mean_speedup)},
          {"best_speedup", optional_json(summary.best_speedup)},
          {"worst_speedup", optional_json(summary.worst_speedup)}};
}

std::string factor(const std::optional<double>& value) { return value ? fixed_text(*value, 3) : "-"; }

void add_summary(TextTable& table, const std::string& name, const RegretSummary& summary) {
  table.add_row({name, std::to_string(summary.shapes), percent_text(summary.geo_mean_share),
                 percent_text(summary.worst_share), percent_text(summary.p10_share),
                 factor(summary.geo_mean_speedup), factor(summary.worst_speedup),
                 factor(summary.best_speedup)});
}

std::string shape_text(const TileShape& shape) {
  return fmt::format("{} x {} x {}", shape.m, shape.n, shape.k);
}

}  // namespace

std::string tune_fit_text(const TuneFitSummary& fit) {
  const WaveModel& model = fit.model;
  return fmt::format(
      "{} '{}' on {}: {} configurations from {} samples, {} left out, tier {}\n"
      "wave buckets: {}, median R^2 {:.5f}; median residual {}\n"
      "table: {} bytes, {} cells of {:.1f} candidates, default {}\nfitted in {:.2f} s\n",
      name_of(model.kernel.kind), model.kernel.name, model.gpu.name, model.configs.size(), fit.samples,
      model.left_out.size(), name_of(fit.table.tier()), model.buckets.size(), model.median_r_squared,
      percent_text(median_residual(model)), count_text(std::int64_t(fit.table.bytes().size())),
      count_text(std::int64_t(fit.table.cells())), fit.table.mean_candidates(),
      config_text(fit.table.default_config()), fit.fit_seconds);
}

Json tune_fit_json(const TuneFitSummary& fit) {
  const WaveModel& model = fit.model;
  return {{"kernel", model.kernel.name},
          {"kind", name_of(model.kernel.kind)},
          {"gpu", model.gpu.name},
          {"configs", model.configs.size()},
          {"left_out", model.left_out.size()},
          {"samples", fit.samples},
          {"buckets", model.buckets.size()},
          {"median_r_squared", model.median_r_squared},
          {"median_residual", median_residual(model)},
          {"default", config_text(fit.table.default_config())},
          {"cells", fit.table.cells()},
          {"mean_candidates", fit.table.mean_candidates()},
          {"tier", name_of(fit.table.tier())},
          {"table_bytes", fit.table.bytes().size()},
          {"fit_seconds", fit.fit_seconds}};
}

std::string tune_regret_text(const TuneRegretResult& result) {
  TextTable text({{"chooser", Align::Left},
                  {"shapes"},
                  {"share of best"},
                  {"worst"},
                  {"p10"},
                  {"against default"},
                  {"least"},
                  {"most"}});
  add_summary(text, "table", result.table);
  if (result.seen_shapes > 0) add_summary(text, "with shapes seen before", result.with_seen);
  for (const RegretOf& entry : result.baselines) add_summary(text, entry.name, entry.summary);
  std::vector<const ShapeRegret*> worst;
  for (const ShapeRegret& row : result.rows) worst.push_back(&row);
  std::stable_sort(worst.begin(), worst.end(),
                   [](const ShapeRegret* a, const ShapeRegret* b) { return a->share() < b->share(); });
  TextTable detail({{"m x n x k", Align::Left},
                    {"share"},
                    {"picked", Align::Left},
                    {"time [us]"},
                    {"predicted"},
                    {"best", Align::Left},
                    {"time [us]"}});
  for (std::size_t i = 0; i < std::min(kWorstRows, worst.size()); ++i) {
    const ShapeRegret& row = *worst[i];
    detail.add_row({shape_text(row.shape), percent_text(row.share()), config_text(row.picked),
                    fixed_text(row.picked_us, 2), fixed_text(row.predicted_us, 2), config_text(row.best),
                    fixed_text(row.best_us, 2)});
  }
  const std::string dropped =
      result.seen_shapes == 0
          ? ""
          : fmt::format("\nnot judged: {} shapes that were seen before\n", result.seen_shapes);
  return text.text() + dropped +
         fmt::format("\nmedian error of the picked configurations' predictions: {}\n\nworst shapes:\n",
                     percent_text(result.table.pick_error_median)) +
         detail.text();
}

std::string tune_learn_text(const TuneLearnResult& result) {
  return fmt::format(
      "{} rows: formula {:.1f} %, corrected {:.1f} % (root mean square, in the sample); {} rows without "
      "alignment\n",
      result.rows, 100 * result.before, 100 * result.after, result.unaligned_rows);
}

Json tune_regret_json(const TuneRegretResult& result) {
  Json document = summary_json(result.table);
  document["seen"] = {{"shapes", result.seen_shapes}, {"with_them", summary_json(result.with_seen)}};
  document["baselines"] = Json::object();
  for (const RegretOf& entry : result.baselines) {
    Json one = {{"how", entry.how}};
    one.update(summary_json(entry.summary));
    document["baselines"][entry.name] = std::move(one);
  }
  document["rows"] = Json::array();
  for (const ShapeRegret& row : result.rows)
    document["rows"].push_back({{"m", row.shape.m},
                                {"n", row.shape.n},
                                {"k", row.shape.k},
                                {"picked", config_text(row.picked)},
                                {"best", config_text(row.best)},
                                {"share", row.share()},
                                {"picked_us", row.picked_us},
                                {"best_us", row.best_us},
                                {"predicted_us", row.predicted_us},
                                {"default_us", optional_json(row.default_us)},
                                {"library_us", optional_json(row.library_us)}});
  return document;
}

Json tile_pick_json(const TileShape& shape, const TilePick& pick) {
  const TileConfig& c = pick.config;
  return {{"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"config", config_text(c)},
          {"tile_m", c.tile_m},
          {"tile_n", c.tile_n},
          {"tile_k", c.tile_k},
          {"warps", c.warps},
          {"stages", c.stages},
          {"split_k", c.split_k},
          {"predicted_us", double(pick.predicted_us)},
          {"default", pick.is_default}};
}

}  // namespace warploom
