#include "warploom/tuner/expert_configs.h"

#include <fmt/format.h>

#include <cmath>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::int64_t kRememberedTokens = 65'536;           // of a launch; more are looked for each time
constexpr std::int64_t kProductEnd = std::int64_t{1} << 30;  // twice a width is a dimension of a table

void check_expert_layer(const RuntimeTable& table, const ExpertLayer& layer) {
  const TileKernel& kernel = table.kernel();
  if (kernel.kind != TileKernelKind::GroupedGemm)
    throw InvalidInput(fmt::format("table: is of a {}, expected a table of {}", name_of(kernel.kind),
                                   name_of(TileKernelKind::GroupedGemm)));
  if (kernel.top_k != layer.top_k)
    throw InvalidInput(fmt::format("top_k: is {}, expected the table's {}", layer.top_k, kernel.top_k));
  const auto check = [](const char* name, std::int64_t value) {
    if (value < 1 || value >= kProductEnd)
      throw InvalidInput(fmt::format("{}: is {}, expected 1 to {}", name, value, kProductEnd - 1));
  };
  check("hidden", layer.hidden);
  check("width", layer.width);
  check("expert_parallel", layer.expert_parallel);
}

}  // namespace

ExpertConfigs::ExpertConfigs(RuntimeTable table, const ExpertLayer& layer)
    : table_(std::move(table)), layer_(layer) {
  check_expert_layer(table_, layer_);
  for (const FittedConfig& config : table_.configs()) {
    known_.emplace_back(config.config, static_cast<std::uint32_t>(configs_.size()));
    configs_.push_back(config.config);
  }
  std::sort(known_.begin(), known_.end());
  found_ = std::make_unique<std::atomic<Found>[]>(kRememberedTokens);
  static_assert(std::atomic<Found>::is_always_lock_free);
}

std::optional<std::uint32_t> ExpertConfigs::index_of(const TileConfig& config) const noexcept {
  const auto found = std::lower_bound(known_.begin(), known_.end(), std::pair{config, std::uint32_t{0}});
  if (found == known_.end() || found->first != config) return std::nullopt;
  return found->second;
}

ExpertConfigs::Found ExpertConfigs::find(std::int64_t tokens, std::uint16_t own) const {
  const ExpertProducts products(layer_, table_.kernel(), tokens);
  const std::optional<std::uint32_t> best = table_.least_of_both(products);
  if (!best) return {.own = own};
  const auto [least, own_time] = table_.times_of_both(products, {*best, own > 0 ? own - 1U : *best});
  if (own > 0 && own_time <= least * std::exp(kTableError))
    return {.own = own, .config = own, .predicted_us = own_time};
  return {.own = own, .config = static_cast<std::uint16_t>(*best + 1), .predicted_us = least};
}

ExpertPick ExpertConfigs::pick(std::int64_t tokens, const TileConfig* own) const noexcept {
  const ExpertPick kept{.config = own != nullptr ? *own : table_.default_config(),
                        .keeps_own = own != nullptr};
  if (tokens < 1 || tokens >= kProductEnd / layer_.top_k) return kept;
  const std::optional<std::uint32_t> known = own != nullptr ? index_of(*own) : std::nullopt;
  const auto mine = static_cast<std::uint16_t>(known ? *known + 1 : 0);
  std::atomic<Found>* const place = tokens < kRememberedTokens ? &found_[std::size_t(tokens)] : nullptr;
  Found found;
  if (place != nullptr) found = place->load(std::memory_order_relaxed);
  if (found.predicted_us == 0 || found.own != mine) {
    found = find(tokens, mine);
    if (place != nullptr) place->store(found, std::memory_order_relaxed);
  }
  if (found.config == 0) return kept;
  return {.config = configs_[found.config - 1U],
          .predicted_us = found.predicted_us,
          .keeps_own = mine > 0 && found.config == mine};
}

}  // namespace warploom
