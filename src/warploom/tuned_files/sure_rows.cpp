#include "warploom/tuned_files/sure_rows.h"

#include <algorithm>
#include <cmath>

#include "warploom/fused_moe/voted_configs.h"
#include "warploom/tuned_files/expert_launches.h"
#include "warploom/tuned_files/key_launches.h"

namespace warploom {
SureRow sure_row(const KeyLaunches& launches) {
  const std::vector<double>& times = launches.log_times;
  const auto usual_place = std::find(launches.configs.begin(), launches.configs.end(), launches.usual);
  std::size_t pick = std::size_t(std::min_element(times.begin(), times.end()) - times.begin());
  SureRow sure{.row = {.tokens = launches.key,
                       .config = launches.usual,
                       .engine_default = launches.usual,
                       .is_default = true},
               .above = launches.above,
               .below = launches.below,
               .share = {}};
  // The compiler may refuse the default, as the model does.
  if (usual_place != launches.configs.end()) {
    const std::size_t place = std::size_t(usual_place - launches.configs.begin());
    const double gain = times[place] - times[pick];
    if (clearly_faster(gain, launches.configs[pick].tile, launches.usual.tile, launches.errors)) {
      sure.row.speedup = std::exp(gain);
      const double error = 1.2816 * std::sqrt(2.0) * launches.errors.tile;  // p10 and p90 of two tiles
      sure.row.speedup_p10 = std::exp(gain - error);
      sure.row.speedup_p90 = std::exp(gain + error);
    } else {
      pick = place;
    }
  }
  sure.row.config = launches.configs[pick];
  sure.row.is_default = sure.row.config == launches.usual;
  sure.share = share_of_best(launches.tiles(), times, pick, launches.errors);
  return sure;
}

namespace {

// Searches on other GPUs say how far a configuration lies behind the best.
PickShare voted_share(const MoeLayer& layer, const MoeConfigRow& row, const GpuSpec& gpu,
                      const ConfigModel& model) {
  const double behind = layer_slowdown(layer, row.config, row.tokens, gpu, model);
  const auto share = [&](double error) { return std::exp(-std::max(0.0, behind + error)); };
  return {.p10 = share(double(model.record().residual_p90)),
          .p50 = share(0),
          .p90 = share(double(model.record().residual_p10))};
}

std::vector<SureRow> second_rows(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                                 const ConfigModel& searches) {
  TunedFile both = file;
  both.kernel = TunedKernel::Experts;
  std::vector<MoeConfig> first;
  for (const SureRow& sure : sure_rows(both, engine, gpu, searches)) first.push_back(sure.row.config);
  std::vector<SureRow> rows;
  for (const KeyLaunches& launches : second_product_launches(file, first, gpu))
    rows.push_back(sure_row(launches));
  return rows;
}

}  // namespace

bool was_ever_timed(const TunedFile& file) {
  if (file.kernel == TunedKernel::BlockProduct || file.kernel == TunedKernel::StateUpdate) return true;
  return file.kernel == TunedKernel::Experts && file.operands == ExpertOperands::OfLayer;
}

std::vector<SureRow> sure_rows(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                               const ConfigModel& searches) {
  std::vector<SureRow> rows;
  if (file.kernel == TunedKernel::ExpertsDown) return second_rows(file, engine, gpu, searches);
  if (file.layer && file.operands == ExpertOperands::OfLayer && file.layer->dtype == MoeDtype::Bits16) {
    for (const MoeConfigRow& row : predicted_configs(*file.layer, engine, gpu, searches).rows)
      rows.push_back({.row = row, .share = voted_share(*file.layer, row, gpu, searches)});
    return rows;
  }
  for (const KeyLaunches& launches : key_launches(file, engine, gpu, searches))
    rows.push_back(sure_row(launches));
  return rows;
}

}  // namespace warploom
