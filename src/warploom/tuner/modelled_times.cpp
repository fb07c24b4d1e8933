#include "warploom/tuner/modelled_times.h"

#include <cmath>

#include "warploom/tuner/tile_mapping.h"

namespace warploom {

std::vector<double> modelled_times(const WaveModel& model, const TileShape& shape,
                                   const TimeCorrection* correction,
                                   std::span<const std::int64_t> expert_rows) {
  const MappingConstants constants(model.kernel, model.gpu);
  const ShapeTerms terms(constants, shape, expert_rows);
  std::vector<CorrectionQuery> queries;
  std::vector<double> times;
  for (const FittedConfig& fitted : model.configs) {
    CorrectionQuery query{.config = &fitted, .shape = shape, .work = {}, .predicted_us = 0};
    query.work = map_tile(constants, terms, ConfigConstants(model.kernel, fitted.config));
    query.predicted_us = wave_time(fitted.coefficients, query.work);
    times.push_back(double(query.predicted_us));
    queries.push_back(query);
  }
  if (correction == nullptr) return times;
  std::vector<float> ratios(queries.size());
  correction->log_ratios(model.kernel, queries, ratios);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] *= std::exp(double(ratios[i]));
  return times;
}

}  // namespace warploom
