#include <algorithm>
#include <exception>
#include <vector>

#include "warploom/capi/status.h"
#include "warploom/capi/tune_objects.h"
#include "warploom/capi/warploom.h"

using warploom::config_of;
using warploom::guarded;
using warploom::tile_of;
using warploom::told;

warploom_status warploom_tune_open(const char* path, const char* gpu, const char* kernel,
                                   warploom_tune_table** table, char* message, size_t message_size) {
  if (table != nullptr) *table = nullptr;
  if (table == nullptr || path == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_tune_open: path and table must not be NULL", message,
                message_size);
  return guarded(message, message_size, [&] {
    auto opened = warploom::RuntimeTable::open(path);
    opened.require(gpu == nullptr ? "" : gpu, kernel == nullptr ? "" : kernel);
    *table = new warploom_tune_table{std::move(opened)};
  });
}

void warploom_tune_close(warploom_tune_table* table) { delete table; }

void warploom_tune_pick(const warploom_tune_table* table, int64_t m, int64_t n, int64_t k,
                        warploom_tile_config* config) {
  if (config == nullptr) return;
  if (table == nullptr) {
    *config = warploom_tile_config{};
    return;
  }
  *config = config_of(table->table.pick({m, n, k}));
}

int32_t warploom_tune_pick_index(const warploom_tune_table* table, int64_t m, int64_t n, int64_t k) {
  return table == nullptr ? 0 : static_cast<int32_t>(table->table.pick({m, n, k}).index);
}

size_t warploom_tune_configs(const warploom_tune_table* table, warploom_tile_config* configs, size_t count) {
  if (table == nullptr) return 0;
  try {
    const auto known = table->table.configs();
    const auto fallback = table->table.default_config();
    for (std::size_t i = 0; i < std::min(count, known.size()) && configs != nullptr; ++i)
      configs[i] = config_of({.config = known[i].config, .is_default = known[i].config == fallback});
    return known.size();
  } catch (const std::exception&) {
    return 0;
  }
}

size_t warploom_tune_best(const warploom_tune_table* table, int64_t m, int64_t n, int64_t k,
                          warploom_tile_config* configs, size_t count) {
  if (table == nullptr || configs == nullptr) return 0;
  try {
    const auto picks = table->table.best({m, n, k}, count);
    std::transform(picks.begin(), picks.end(), configs, config_of);
    return picks.size();
  } catch (const std::exception&) {
    return 0;
  }
}

int32_t warploom_tune_next(const warploom_tune_table* table, int64_t m, int64_t n, int64_t k,
                           const warploom_timed_tiles* timed, warploom_tile_config* next) {
  if (table == nullptr || timed == nullptr || next == nullptr) return 0;
  if (timed->count > 0 && (timed->configs == nullptr || timed->us == nullptr)) return 0;
  try {
    std::vector<warploom::TimedTile> known;
    for (std::size_t i = 0; i < timed->count; ++i)
      known.push_back({.config = tile_of(timed->configs[i]), .us = timed->us[i]});
    const auto found = table->table.next_to_time({m, n, k}, known);
    if (!found) return 0;
    *next = config_of(*found);
    return 1;
  } catch (const std::exception&) {
    return 0;
  }
}
