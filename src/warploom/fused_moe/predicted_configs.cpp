#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/fused_moe/config_table.h"
#include "warploom/fused_moe/voted_configs.h"

namespace warploom {
namespace {

// Shares of the votes, chosen so that no row lost more than 3 % on 17 layers of real models on an H200
// (docs/accuracy.md), whose times nothing was learned from.
constexpr double kEnoughVotes = 0.6, kEnoughAgainstBadTile = 0.4, kMargin = 0.3;
constexpr double kBadTile = 0.03;  // no configuration of the default's tile has more

class VotedRow {
 public:
  VotedRow(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu, const ConfigModel& model)
      : layer_(layer), engine_(engine), gpu_(gpu), model_(model) {}

  MoeConfigRow row(std::size_t key) const {
    MoeConfigRow row{.tokens = kMoeLadder[key]};
    row.engine_default = engine_default(engine_, layer_, row.tokens);
    row.config = chosen(layer_votes(layer_, key, gpu_, model_), row.engine_default);
    row.is_default = row.config == row.engine_default;
    if (row.is_default) return row;
    const double gain =
        std::max(0.0, slowdown(row.engine_default, row.tokens) - slowdown(row.config, row.tokens));
    row.speedup = std::exp(gain);
    row.speedup_p10 = std::exp(gain + std::min(0.0, double(model_.record().residual_p10)));
    row.speedup_p90 = std::exp(gain + std::max(0.0, double(model_.record().residual_p90)));
    return row;
  }

 private:
  MoeConfig chosen(const std::vector<double>& votes, const MoeConfig& usual) const {
    const std::vector<MoeConfig>& candidates = model_.record().candidates;
    double most = 0, of_default = 0, of_tile = 0;
    const MoeConfig* best = nullptr;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const MoeConfig& config = candidates[i];
      if (same_tile(config.tile, usual.tile)) of_tile = std::max(of_tile, votes[i]);
      if (config == usual) of_default = votes[i];
      if (votes[i] <= most || !may_run(config, gpu_) || !fills_tiles(config.tile, layer_)) continue;
      most = votes[i];
      best = &config;
    }
    const double enough = of_tile >= kBadTile ? kEnoughVotes : kEnoughAgainstBadTile;
    return best != nullptr && most >= enough && most - of_default >= kMargin ? *best : usual;
  }

  static bool same_tile(const TileConfig& a, const TileConfig& b) {
    return a.tile_m == b.tile_m && a.tile_n == b.tile_n && a.tile_k == b.tile_k;
  }

  double slowdown(const MoeConfig& config, std::int64_t tokens) const {
    return layer_slowdown(layer_, config, tokens, gpu_, model_);
  }

  const MoeLayer& layer_;
  MoeEngine engine_;
  const GpuSpec& gpu_;
  const ConfigModel& model_;
};

}  // namespace

MoeConfigTable predicted_configs(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                 const ConfigModel& model) {
  check_moe_layer(layer, "moe-config");
  if (layer.dtype != MoeDtype::Bits16)
    throw Unsupported(fmt::format(
        "moe-config: no search over configurations of {} was learned from, expected bf16, or --table with a "
        "tuner table of one-byte operands measured on {}",
        name_of(layer.dtype), gpu.name));
  MoeConfigTable table{.engine = engine, .layer = layer, .gpu = gpu.name, .from = model.gpus()};
  const VotedRow chooser(layer, engine, gpu, model);
  for (std::size_t key = 0; key < kMoeLadder.size(); ++key) table.rows.push_back(chooser.row(key));
  return table;
}

}  // namespace warploom
