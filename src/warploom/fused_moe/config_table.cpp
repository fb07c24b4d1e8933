#include "warploom/fused_moe/config_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "warploom/base/error.h"
#include "warploom/tuner/expert_products.h"

namespace warploom {
namespace {

constexpr std::size_t kProbes = 5;  // token counts of a key's range

// ln(time) of a configuration at a token count, up to a constant of the token count.
using Cost = std::function<double(const MoeConfig&, std::int64_t tokens)>;

std::vector<std::int64_t> probes(std::size_t key) {
  const auto [first, last] = served_tokens(key);
  std::vector<std::int64_t> tokens{kMoeLadder[key]};
  for (std::size_t i = 0; i < kProbes; ++i) {
    const double part = double(i) / double(kProbes - 1);
    tokens.push_back(std::llround(double(first) * std::pow(double(last) / double(first), part)));
  }
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

struct Judged {
  double gain = 0, least = 0;  // ln, mean and least over the probes
};

class RowChooser {
 public:
  RowChooser(const MoeLayer& layer, MoeEngine engine, Cost cost)
      : layer_(layer), engine_(engine), cost_(std::move(cost)) {}

  MoeConfigRow row(std::size_t key, const std::vector<MoeConfig>& candidates) const {
    const std::vector<std::int64_t> tokens = probes(key);
    std::vector<double> defaults;
    for (const std::int64_t m : tokens) defaults.push_back(cost_(engine_default(engine_, layer_, m), m));
    MoeConfigRow row{.tokens = kMoeLadder[key]};
    row.engine_default = engine_default(engine_, layer_, row.tokens);
    row.config = row.engine_default;
    row.is_default = true;
    Judged best;
    for (const MoeConfig& candidate : candidates) {
      const Judged judged = judge(candidate, tokens, defaults);
      // The table's error may not turn the gain into a loss, and no served count may be slower.
      if (judged.gain - kTableError <= 0 || judged.least < 0 || judged.gain <= best.gain) continue;
      best = judged;
      row.config = candidate;
      row.is_default = false;
    }
    if (row.is_default) return row;
    row.speedup = std::exp(best.gain);
    row.speedup_p10 = std::exp(best.gain - kTableError);
    row.speedup_p90 = std::exp(best.gain + kTableError);
    return row;
  }

 private:
  Judged judge(const MoeConfig& candidate, const std::vector<std::int64_t>& tokens,
               const std::vector<double>& defaults) const {
    Judged judged{.gain = 0, .least = 1e9};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const double gain = defaults[i] - cost_(candidate, tokens[i]);
      judged.gain += gain / double(tokens.size());
      judged.least = std::min(judged.least, gain);
    }
    return judged;
  }

  const MoeLayer& layer_;
  MoeEngine engine_;
  Cost cost_;
};

}  // namespace

MoeConfigTable measured_configs(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                const RuntimeTable& table) {
  check_moe_layer(layer, "moe-config");
  const TileKernel& kernel = table.kernel();
  if (kernel.kind != TileKernelKind::GroupedGemm)
    throw InvalidInput(
        fmt::format("--table is of a {}, expected a table of grouped_gemm", name_of(kernel.kind)));
  table.require(gpu.name, "");
  const std::int64_t bytes = layer.dtype == MoeDtype::Bits16 ? 2 : 1;
  if (kernel.experts != layer.held() || kernel.top_k != layer.top_k || kernel.operand_bytes != bytes)
    throw InvalidInput(fmt::format(
        "--table is of {} experts, top_k {} and {}-byte operands, expected {}, {} and {}: fit one for this "
        "layer (tune fit --experts --top-k --operand-bytes)",
        kernel.experts, kernel.top_k, kernel.operand_bytes, layer.held(), layer.top_k, bytes));
  MoeConfigTable result{
      .engine = engine, .layer = layer, .gpu = gpu.name, .tier = tier_of(table.tier()), .from = {gpu.name}};
  std::vector<MoeConfig> candidates;
  for (const FittedConfig& config : table.configs())
    candidates.push_back({.tile = config.config, .group_m = std::int32_t(kernel.group_rows)});
  // A configuration that the table does not know costs infinitely little, so nothing takes its place.
  const Cost cost = [&](const MoeConfig& config, std::int64_t tokens) {
    const ExpertProducts products({.hidden = layer.hidden,
                                   .width = layer.width(),
                                   .top_k = layer.top_k,
                                   .expert_parallel = layer.expert_parallel},
                                  kernel, tokens);
    const auto both = table.time_of_both(products, config.tile);
    return both ? std::log(*both) : -1e6;
  };
  const RowChooser chooser(layer, engine, cost);
  for (std::size_t key = 0; key < kMoeLadder.size(); ++key)
    result.rows.push_back(chooser.row(key, candidates));
  return result;
}

}  // namespace warploom
