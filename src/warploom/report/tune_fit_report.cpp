// What `tune fit` says of a table: how well each configuration was fitted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/statistics.h"
#include "warploom/report/number_text.h"
#include "warploom/report/tune_report.h"

namespace warploom {
namespace {

double median_residual(const WaveModel& model) {
  std::vector<double> residuals;
  for (const FittedConfig& fitted : model.configs) residuals.push_back(double(fitted.residual));
  return quantile(std::move(residuals), 0.5);
}

// Nothing where no bucket says how good its fit is.
Json median_or_null(std::vector<double> values) {
  return values.empty() ? Json(nullptr) : Json(quantile(std::move(values), 0.5));
}

// A row for each configuration: how far the model is from its samples, and the R^2 of its wave buckets.
Json fitted_json(const WaveModel& model) {
  std::vector<std::vector<double>> r_squared(model.configs.size());
  for (const BucketFit& bucket : model.buckets) r_squared.at(bucket.config).push_back(bucket.r_squared);
  Json rows = Json::array();
  for (std::size_t i = 0; i < model.configs.size(); ++i)
    rows.push_back({{"config", config_text(model.configs[i].config)},
                    {"residual", double(model.configs[i].residual)},
                    {"buckets", r_squared[i].size()},
                    {"median_r_squared", median_or_null(r_squared[i])}});
  return rows;
}

bool learned_on_this_gpu(const TuneFitResult& fit) {
  return std::find(fit.learned_on.begin(), fit.learned_on.end(), fit.model.gpu.name) != fit.learned_on.end();
}

// Where the learned correction is from, and whether this table leaves those GPUs.
std::string correction_text(const TuneFitResult& fit) {
  if (!fit.corrected) return "correction: none, the formula alone";
  if (fit.learned_on.empty()) return "correction: learned elsewhere; it fits these samples";
  const std::string gpus = fmt::format("{}", fmt::join(fit.learned_on, ", "));
  if (learned_on_this_gpu(fit)) return fmt::format("correction: learned on {}", gpus);
  return fmt::format("correction: learned on {}, not on {}; it fits these samples", gpus, fit.model.gpu.name);
}

std::string warning_text(const std::string& warning) {
  return warning.empty() ? "" : fmt::format("warning: {}\n", warning);
}

Json with_warning(Json document, const std::string& warning) {
  if (!warning.empty()) document["warning"] = warning;
  return document;
}

}  // namespace

std::string tune_fit_text(const TuneFitResult& fit) {
  const WaveModel& model = fit.model;
  return fmt::format(
             "{} '{}' on {}: {} configurations from {} samples, {} left out, tier {}\n"
             "wave buckets: {}, median R^2 {:.5f}; median residual {}\n"
             "table: {} bytes, {} cells of {:.1f} candidates, default {}\n{}\nfitted in {:.2f} s\n",
             name_of(model.kernel.kind), model.kernel.name, model.gpu.name, model.configs.size(), fit.samples,
             model.left_out.size(), name_of(fit.table.tier()), model.buckets.size(), model.median_r_squared,
             percent_text(median_residual(model)), count_text(std::int64_t(fit.table.bytes().size())),
             count_text(std::int64_t(fit.table.cells())), fit.table.mean_candidates(),
             config_text(fit.table.default_config()), correction_text(fit), fit.fit_seconds) +
         warning_text(fit.warning);
}

Json tune_fit_json(const TuneFitResult& fit) {
  const WaveModel& model = fit.model;
  Json document = {{"kernel", model.kernel.name},
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
                   {"fit_seconds", fit.fit_seconds},
                   {"correction",
                    {{"used", fit.corrected},
                     {"learned_on", fmt::format("{}", fmt::join(fit.learned_on, ", "))},
                     {"this_gpu", learned_on_this_gpu(fit)}}},
                   {"fitted", fitted_json(model)}};
  return with_warning(std::move(document), fit.warning);
}

}  // namespace warploom
