#include "warploom/report/tune_export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/fused_moe/device_name.h"
#include "warploom/fused_moe/moe_layer.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {
namespace {

void require_grouped(const RuntimeTable& table) {
  if (table.kernel().kind != TileKernelKind::GroupedGemm)
    throw InvalidInput(fmt::format("export: fused_moe files are for grouped_gemm tables, this one is of a {}",
                                   name_of(table.kernel().kind)));
}

}  // namespace

Json fused_moe_json(const RuntimeTable& table, std::int64_t n, std::int64_t k) {
  require_grouped(table);
  Json document = Json::object();
  for (const std::int64_t tokens : kMoeLadder) {
    const TileShape shape{tokens * table.kernel().top_k, n, k};
    check_shape(shape, "export");
    const TileConfig c = table.pick(shape).config;
    document[std::to_string(tokens)] = {
        {"BLOCK_SIZE_M", c.tile_m}, {"BLOCK_SIZE_N", c.tile_n},
        {"BLOCK_SIZE_K", c.tile_k}, {"GROUP_SIZE_M", table.kernel().group_rows},
        {"num_warps", c.warps},     {"num_stages", c.stages}};
  }
  return document;
}

std::string fused_moe_file_name(const RuntimeTable& table, std::int64_t n) {
  require_grouped(table);
  const GpuCatalog catalog;
  const GpuSpec* gpu = catalog.find(table.gpu().name);  // a user's own GPU has no record here
  return fmt::format(
      "E={},N={},device_name={}.json", table.kernel().experts, n / 2,
      engine_device_name(gpu != nullptr ? *gpu : GpuSpec{.name = table.gpu().name}, MoeEngine::Vllm));
}

Json kernel_tuner_json(const RuntimeTable& table, std::span<const TileShape> shapes, std::size_t count) {
  Json results = Json::array();
  for (const TileShape& shape : shapes) {
    for (const TilePick& pick : table.best(shape, count)) {
      const TileConfig& c = pick.config;
      results.push_back(
          {{"configuration",
            {{"m", shape.m},
             {"n", shape.n},
             {"k", shape.k},
             {"BLOCK_M", c.tile_m},
             {"BLOCK_N", c.tile_n},
             {"BLOCK_K", c.tile_k},
             {"SPLIT_K", c.split_k},
             {"num_warps", c.warps},
             {"num_stages", c.stages}}},
           {"objectives", {"time"}},
           {"times", Json::object()},
           {"invalidity", "correct"},
           {"correctness", 1},
           {"measurements",
            {{{"name", "time"}, {"value", double(pick.predicted_us) * 1e-3}, {"unit", "ms"}}}}});
    }
  }
  return {
      {"schema_version", "1.0.0"},
      {"metadata", {{"kernel", table.kernel().name}, {"device", table.gpu().name}, {"times", "predicted"}}},
      {"results", std::move(results)}};
}

}  // namespace warploom
