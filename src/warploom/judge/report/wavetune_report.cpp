#include "warploom/judge/report/wavetune_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "warploom/base/statistics.h"

namespace warploom {
namespace {

std::size_t bucket_count(const WaveTuneModel& model) {
  std::size_t count = 0;
  for (const MacroTimes& macro : model.macros) count += macro.buckets.size();
  return count;
}

// A row for each macro configuration. Buckets are fitted apart, and exact where they have few anchors.
Json fitted_json(const WaveTuneModel& model) {
  Json rows = Json::array();
  for (const MacroTimes& macro : model.macros) {
    std::size_t anchors = 0;
    std::vector<double> r_squared;
    for (const WaveBucket& bucket : macro.buckets) {
      anchors += bucket.anchors;
      if (bucket.r_squared != 0) r_squared.push_back(bucket.r_squared);
    }
    rows.push_back(
        {{"config", fmt::format("{}x{}x{}", macro.tiles.tile_m, macro.tiles.tile_n, macro.tiles.tile_k)},
         {"buckets", macro.buckets.size()},
         {"anchors", anchors},
         {"median_r_squared",
          r_squared.empty() ? Json(nullptr) : Json(quantile(std::move(r_squared), 0.5))}});
  }
  return rows;
}

}  // namespace

std::string wavetune_fit_text(const WaveTuneFitResult& fit) {
  const WaveTuneModel& model = fit.table.model();
  return fmt::format(
             "{} '{}' on {}: published wave model of {} macro configurations, {} of {} samples as anchors, "
             "{} left out\n"
             "wave buckets: {}, median R^2 {:.5f}; default {}\nfitted in {:.3f} s\n",
             name_of(model.kernel.kind), model.kernel.name, model.gpu.name, model.macros.size(),
             model.anchors, model.samples, model.left_out.size(), bucket_count(model), model.median_r_squared,
             config_text(model.default_config), fit.fit_seconds) +
         (fit.warning.empty() ? "" : fmt::format("warning: {}\n", fit.warning));
}

Json wavetune_fit_json(const WaveTuneFitResult& fit) {
  const WaveTuneModel& model = fit.table.model();
  Json document = {{"method", name_of(TuneMethod::WaveTune)},
                   {"kernel", model.kernel.name},
                   {"kind", name_of(model.kernel.kind)},
                   {"gpu", model.gpu.name},
                   {"macro_configs", model.macros.size()},
                   {"left_out", model.left_out.size()},
                   {"samples", model.samples},
                   {"anchors", model.anchors},
                   {"buckets", bucket_count(model)},
                   {"median_r_squared", model.median_r_squared},
                   {"default", config_text(model.default_config)},
                   {"fit_seconds", fit.fit_seconds},
                   {"fitted", fitted_json(model)}};
  if (!fit.warning.empty()) document["warning"] = fit.warning;
  return document;
}

}  // namespace warploom
