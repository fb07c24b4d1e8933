#include "warploom/fused_moe/profiled_configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/fused_moe/voted_configs.h"

namespace warploom {
namespace {

constexpr std::size_t kSearched = 64;  // configurations of a key
// ln: medians of 21 interleaved replays of one configuration, repeated with another routing, differ by less.
constexpr double kNoise = 0.01;
constexpr MoeEngine kEngines[] = {MoeEngine::Vllm, MoeEngine::Sglang};

void put_row(std::string& csv, const char* kind, std::int64_t key, std::int64_t tokens,
             const MoeConfig& config) {
  const TileConfig& t = config.tile;
  csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", kind, key, tokens, t.tile_m, t.tile_n, t.tile_k, t.warps,
                     t.stages, config.group_m);
}

// The candidates with most votes; of those that differ in their group alone the first.
std::vector<MoeConfig> most_voted(const std::vector<double>& votes, const GpuSpec& gpu,
                                  const ConfigModel& model) {
  std::vector<std::size_t> order(votes.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return votes[a] > votes[b]; });
  std::vector<MoeConfig> chosen;
  std::set<TileConfig> seen;
  for (const std::size_t i : order) {
    const MoeConfig& config = model.record().candidates[i];
    if (votes[i] <= 0 || chosen.size() == kSearched) break;
    if (may_run(config, gpu) && seen.insert(config.tile).second) chosen.push_back(config);
  }
  return chosen;
}

// Times of one key's second round: by token count and configuration.
using Times = std::map<std::int64_t, std::map<MoeConfig, double>>;

struct Gain {
  double mean = 0, least = 0;  // ln, over the token counts
};

std::optional<Gain> gain_of(const MoeConfig& config, const MoeLayer& layer, MoeEngine engine,
                            const Times& times) {
  Gain gain{.mean = 0, .least = 1e9};
  for (const auto& [tokens, of_config] : times) {
    const auto usual = of_config.find(engine_default(engine, layer, tokens)), mine = of_config.find(config);
    if (usual == of_config.end() || mine == of_config.end()) return std::nullopt;
    const double here = std::log(usual->second / mine->second);
    gain.mean += here / double(times.size());
    gain.least = std::min(gain.least, here);
  }
  return gain;
}

MoeConfigRow row_of(std::int64_t key, const MoeLayer& layer, MoeEngine engine, const Times& times) {
  MoeConfigRow row{.tokens = key, .config = {}, .engine_default = engine_default(engine, layer, key)};
  row.config = row.engine_default;
  row.is_default = true;
  double best = kNoise;
  for (const auto& [config, us] : times.at(key)) {
    const std::optional<Gain> gain = gain_of(config, layer, engine, times);
    if (!gain || gain->mean <= best || gain->least <= -kNoise || config == row.engine_default) continue;
    best = gain->mean;
    row.config = config;
    row.is_default = false;
  }
  if (row.is_default) return row;
  row.speedup = std::exp(best);
  row.speedup_p10 = std::exp(best - kNoise);
  row.speedup_p90 = std::exp(best + kNoise);
  return row;
}

}  // namespace

std::string moe_profile_plan(const MoeLayer& layer, const GpuSpec& gpu, const ConfigModel& model) {
  check_moe_layer(layer, "moe-config");
  if (layer.dtype != MoeDtype::Bits16 || layer.expert_parallel != 1)
    throw Unsupported(
        "moe-config --profile: times bf16 weights without expert parallelism, expected such a layer");
  std::string csv = "kind,key,tokens,bm,bn,bk,warps,stages,group\n";
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i) {
    const std::int64_t key = kMoeLadder[i];
    std::vector<MoeConfig> searched = most_voted(layer_votes(layer, i, gpu, model), gpu, model);
    for (const MoeEngine engine : kEngines) searched.push_back(engine_default(engine, layer, key));
    std::set<MoeConfig> written;
    for (const MoeConfig& config : searched)
      if (written.insert(config).second) put_row(csv, "search", key, key, config);
    for (const std::int64_t tokens : judged_tokens(i))
      for (const MoeEngine engine : kEngines)
        put_row(csv, "default", key, tokens, engine_default(engine, layer, tokens));
  }
  return csv;
}

std::vector<MoeSample> read_moe_samples(const std::filesystem::path& path) {
  CsvReader csv(path);
  const std::size_t tokens = csv.column("tokens"), seed = csv.column("seed"), rounds = csv.column("rounds"),
                    us = csv.column("median_us"), bm = csv.column("bm"), bn = csv.column("bn"),
                    bk = csv.column("bk"), warps = csv.column("warps"), stages = csv.column("stages"),
                    group = csv.column("group");
  std::vector<MoeSample> samples;
  const auto number = [&](std::size_t column) {
    const std::int64_t value = csv.integer(column);
    if (value < 1 || value > (1 << 24))
      throw InvalidInput(fmt::format("{}: expected 1 to 16777216", csv.where(column)));
    return std::int32_t(value);
  };
  while (csv.next()) {
    if (csv.real(us) <= 0) continue;  // refused by the compiler or the GPU
    const TileConfig tile{.tile_m = number(bm),
                          .tile_n = number(bn),
                          .tile_k = number(bk),
                          .warps = number(warps),
                          .stages = number(stages)};
    samples.push_back({.tokens = number(tokens),
                       .config = {.tile = tile, .group_m = number(group)},
                       .seed = number(seed),
                       .rounds = number(rounds),
                       .us = csv.real(us)});
  }
  return samples;
}

MoeConfigTable profiled_configs(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                const std::vector<MoeSample>& samples) {
  check_moe_layer(layer, "moe-config");
  std::map<std::int64_t, std::map<MoeConfig, double>> verified;
  for (const MoeSample& sample : samples)
    if (sample.seed == kVerifySeed) verified[sample.tokens][sample.config] = sample.us;
  MoeConfigTable table{.engine = engine,
                       .layer = layer,
                       .gpu = gpu.name,
                       .tier = Tier::Measured,
                       .from = {gpu.name},
                       .rows = {}};
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i) {
    Times times;
    for (const std::int64_t tokens : judged_tokens(i)) {
      const auto found = verified.find(tokens);
      if (found == verified.end() || !found->second.contains(engine_default(engine, layer, tokens)))
        throw InvalidInput(fmt::format(
            "the samples hold no second round of the default at {} tokens: profile this layer to the end",
            tokens));
      times[tokens] = found->second;
    }
    table.rows.push_back(row_of(kMoeLadder[i], layer, engine, times));
  }
  return table;
}

}  // namespace warploom
