#include "warploom/tuner/tile_kernel.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {

FieldTable TileKernel::describe() {
  return FieldList<TileKernel>("tile_kernel")
      .add("name", &TileKernel::name, {.doc = "key of the kernel: source, compiler and types"})
      .add("kind", &TileKernel::kind, {.doc = "how shapes become tiles"})
      .add("operand_bytes", &TileKernel::operand_bytes,
           {.unit = "B", .doc = "operand element", .min = 1, .max = 8})
      .add("output_bytes", &TileKernel::output_bytes,
           {.unit = "B", .doc = "output element", .min = 1, .max = 8})
      .add("group_rows", &TileKernel::group_rows, {.doc = "tile rows walked together", .min = 1, .max = 4096})
      .add("batch", &TileKernel::batch, {.doc = "problems of one launch", .min = 1, .max = 1 << 20})
      .add("b_along_n", &TileKernel::b_along_n, {.doc = "B is stored row by row of k"})
      .add("experts", &TileKernel::experts, {.doc = "experts held", .min = 1, .max = 1 << 16})
      .add("top_k", &TileKernel::top_k, {.doc = "experts of one token", .min = 1, .max = 1 << 16})
      .add("expert_skew", &TileKernel::expert_skew,
           {.doc = "power of the rank that experts' rows fall by", .min = 0, .max = 8})
      .add("head_dim", &TileKernel::head_dim, {.doc = "attention head size", .min = 1, .max = 4096})
      .add("head_group", &TileKernel::head_group, {.doc = "query heads of a key head", .min = 1, .max = 4096})
      .add("causal", &TileKernel::causal, {.doc = "mask future keys"})
      .add("window", &TileKernel::window, {.doc = "keys that a query sees, 0: all", .min = 0, .max = 1 << 30})
      .add("page_keys", &TileKernel::page_keys, {.doc = "keys of a page", .min = 1, .max = 1 << 16})
      .add("rotation", &TileKernel::rotation, {.doc = "operand sets in turn", .min = 1, .max = 1 << 20})
      .table();
}

TileGpu TileGpu::from(const GpuSpec& gpu) {
  return {.name = gpu.name,
          .sms = gpu.sm_count,
          .shared_per_sm = static_cast<std::int64_t>(gpu.shared_memory_per_sm.value()),
          .shared_per_block = static_cast<std::int64_t>(gpu.max_shared_memory_per_block.value()),
          .registers_per_sm = gpu.registers_per_sm,
          .threads_per_sm = gpu.max_threads_per_sm,
          .blocks_per_sm = gpu.max_blocks_per_sm,
          .l2_bytes = static_cast<std::int64_t>(gpu.l2_capacity.value()),
          .l2_bytes_per_us = gpu.l2_bandwidth.value() * 1e-6};
}

FieldTable TileGpu::describe() {
  constexpr double kMost = double(std::int64_t{1} << 40);
  const auto size = [](std::string_view unit, std::string_view doc) {
    return FieldOptions{.unit = unit, .doc = doc, .min = 1, .max = kMost, .required = true};
  };
  return FieldList<TileGpu>("tile_gpu")
      .add("name", &TileGpu::name, {.doc = "name of the catalogue", .required = true})
      .add("sms", &TileGpu::sms, size("", "streaming multiprocessors"))
      .add("shared_per_sm", &TileGpu::shared_per_sm, size("B", "shared memory of an SM"))
      .add("shared_per_block", &TileGpu::shared_per_block, size("B", "shared memory of a block"))
      .add("registers_per_sm", &TileGpu::registers_per_sm, size("", "registers of an SM"))
      .add("threads_per_sm", &TileGpu::threads_per_sm, size("", "threads of an SM"))
      .add("blocks_per_sm", &TileGpu::blocks_per_sm, size("", "blocks of an SM"))
      .add("l2_bytes", &TileGpu::l2_bytes, size("B", "L2"))
      .add("l2_bytes_per_us", &TileGpu::l2_bytes_per_us,
           {.unit = "B/us", .doc = "read by all SMs", .min = 1e-9, .max = 1e18, .required = true})
      .table();
}

void check_kernel(const TileKernel& kernel, std::string_view where) {
  check(kernel, where);
  if (kernel.window > 0 && kernel.kind == TileKernelKind::Attention && !kernel.causal)
    throw InvalidInput(fmt::format("{}: 'window' is {} without 'causal', expected causal attention with it",
                                   where, kernel.window));
}

std::int64_t stage_bytes(const TileKernel& kernel, const TileConfig& config) {
  if (reads_keys(kernel.kind))
    return kernel.operand_bytes * kernel.head_dim * (config.tile_m + 2 * config.stages * config.tile_n);
  return kernel.operand_bytes * config.stages * config.tile_k * (config.tile_m + config.tile_n);
}

}  // namespace warploom
