#include "warploom/fused_moe/profiled_configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/fused_moe/measured_row.h"
#include "warploom/fused_moe/voted_configs.h"

namespace warploom {
namespace {

constexpr std::size_t kSearched = 64;  // configurations of a key
constexpr MoeEngine kEngines[] = {MoeEngine::Vllm, MoeEngine::Sglang};

void put_row(std::string& csv, const char* kind, std::int64_t key, std::int64_t tokens,
             const MoeConfig& config) {
  const TileConfig& t = config.tile;
  csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", kind, key, tokens, t.tile_m, t.tile_n, t.tile_k, t.warps,
                     t.stages, config.group_m);
}

}  // namespace

std::vector<MoeConfig> most_voted(const MoeLayer& layer, std::size_t key, const GpuSpec& gpu,
                                  const ConfigModel& model, std::size_t most) {
  const std::vector<double> votes = layer_votes(layer, key, gpu, model);
  std::vector<std::size_t> order(votes.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return votes[a] > votes[b]; });
  std::vector<MoeConfig> chosen;
  std::set<TileConfig> seen;
  for (const std::size_t i : order) {
    const MoeConfig& config = model.record().candidates[i];
    if (votes[i] <= 0 || chosen.size() == most) break;
    if (may_run(config, gpu) && seen.insert(config.tile).second) chosen.push_back(config);
  }
  return chosen;
}

std::string moe_profile_plan(const MoeLayer& layer, const GpuSpec& gpu, const ConfigModel& model) {
  check_moe_layer(layer, "moe-config");
  if (layer.dtype != MoeDtype::Bits16 || layer.expert_parallel != 1)
    throw Unsupported(
        "moe-config --profile: times bf16 weights without expert parallelism, expected such a layer");
  std::string csv = "kind,key,tokens,bm,bn,bk,warps,stages,group\n";
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i) {
    const std::int64_t key = kMoeLadder[i];
    std::vector<MoeConfig> searched = most_voted(layer, i, gpu, model, kSearched);
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
    KeyTimes times;
    for (const std::int64_t tokens : judged_tokens(i)) {
      const auto found = verified.find(tokens);
      if (found == verified.end() || !found->second.contains(engine_default(engine, layer, tokens)))
        throw InvalidInput(fmt::format(
            "the samples hold no second round of the default at {} tokens: profile this layer to the end",
            tokens));
      times[tokens] = found->second;
    }
    const auto usual = [&](std::int64_t tokens) { return engine_default(engine, layer, tokens); };
    table.rows.push_back(measured_row(kMoeLadder[i], usual, times));
  }
  return table;
}

}  // namespace warploom
