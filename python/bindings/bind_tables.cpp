#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "warploom/tuner/expert_configs.h"
#include "warploom/tuner/runtime_table.h"

namespace nb = nanobind;

namespace warploom::python {
namespace {

// tile_m, tile_n, tile_k, warps, stages, split_k
using ConfigTuple = std::tuple<int, int, int, int, int, int>;

ConfigTuple config_tuple(const TileConfig& c) {
  return {c.tile_m, c.tile_n, c.tile_k, c.warps, c.stages, c.split_k};
}

RuntimeTable open_table(const std::string& path, const std::string& gpu, const std::string& kernel) {
  auto table = RuntimeTable::open(path);
  table.require(gpu, kernel);
  return table;
}

std::vector<ConfigTuple> configs_of(const RuntimeTable& table) {
  std::vector<ConfigTuple> found;
  for (const FittedConfig& each : table.configs()) found.push_back(config_tuple(each.config));
  return found;
}

std::vector<ConfigTuple> best_of(const RuntimeTable& table, std::int64_t m, std::int64_t n, std::int64_t k,
                                 std::size_t count) {
  std::vector<ConfigTuple> found;
  for (const TilePick& pick : table.best({m, n, k}, count)) found.push_back(config_tuple(pick.config));
  return found;
}

std::vector<std::pair<ConfigTuple, double>> timed_best_of(const RuntimeTable& table, std::int64_t m,
                                                          std::int64_t n, std::int64_t k, std::size_t count) {
  std::vector<std::pair<ConfigTuple, double>> found;
  for (const TilePick& pick : table.best({m, n, k}, count))
    found.emplace_back(config_tuple(pick.config), pick.predicted_us);
  return found;
}

TileConfig tile_config(const ConfigTuple& tuple) {
  TileConfig config;
  std::tie(config.tile_m, config.tile_n, config.tile_k, config.warps, config.stages, config.split_k) = tuple;
  return config;
}

std::optional<ConfigTuple> next_of(const RuntimeTable& table, std::int64_t m, std::int64_t n, std::int64_t k,
                                   const std::vector<std::pair<ConfigTuple, double>>& timed) {
  std::vector<TimedTile> known;
  for (const auto& [config, us] : timed) known.push_back({.config = tile_config(config), .us = us});
  const auto next = table.next_to_time({m, n, k}, known);
  return next ? std::optional(config_tuple(next->config)) : std::nullopt;
}

// The configuration, its rows of tiles walked together, and microseconds of both products; nothing where the
// caller's own is kept.
using ExpertTuple = std::tuple<ConfigTuple, int, double>;

std::optional<ExpertTuple> expert_pick(const ExpertConfigs& experts, std::int64_t tokens,
                                       const std::optional<ConfigTuple>& own) {
  const TileConfig mine = own ? tile_config(*own) : TileConfig();
  const ExpertPick pick = experts.pick(tokens, own ? &mine : nullptr);
  if (pick.keeps_own) return std::nullopt;
  return ExpertTuple{config_tuple(pick.config), int(experts.table().kernel().group_rows), pick.predicted_us};
}

}  // namespace

// Calls of nanoseconds: letting go of the interpreter's lock would cost more than they do.
void bind_tables(nb::module_& m) {
  nb::class_<RuntimeTable>(m, "TuneTable")
      .def(
          "__init__",
          [](RuntimeTable* self, const std::string& path, const std::string& gpu, const std::string& kernel) {
            new (self) RuntimeTable(open_table(path, gpu, kernel));
          },
          nb::arg("path"), nb::arg("gpu") = "", nb::arg("kernel") = "")
      .def(
          "pick",
          [](const RuntimeTable& table, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
            return config_tuple(table.pick({rows, columns, depth}).config);
          },
          nb::arg("m"), nb::arg("n"), nb::arg("k"))
      .def(
          "index",
          [](const RuntimeTable& table, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
            return int(table.pick({rows, columns, depth}).index);
          },
          nb::arg("m"), nb::arg("n"), nb::arg("k"))
      .def("configs", &configs_of)
      .def("best", &best_of, nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("count"))
      .def("timed", &timed_best_of, nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("count"))
      .def("next_to_time", &next_of, nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("timed"));
  nb::class_<ExpertConfigs>(m, "TuneExperts")
      .def(
          "__init__",
          [](ExpertConfigs* self, const RuntimeTable& table, std::int64_t hidden, std::int64_t width,
             std::int64_t top_k, std::int64_t expert_parallel) {
            new (self) ExpertConfigs(table, {hidden, width, top_k, expert_parallel});
          },
          nb::arg("table"), nb::arg("hidden"), nb::arg("width"), nb::arg("top_k"),
          nb::arg("expert_parallel") = 1)
      .def("pick", &expert_pick, nb::arg("tokens"), nb::arg("own").none() = nb::none());
}

}  // namespace warploom::python
