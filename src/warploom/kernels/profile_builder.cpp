#include "warploom/kernels/profile_builder.h"

#include <cmath>

#include "warploom/kernels/attention/attention_tiling.h"

namespace warploom {
namespace {

std::int64_t whole(double side) { return std::max<std::int64_t>(1, std::int64_t(side)); }

GemmTiling tiling_of(const Gemm& op, const StructuralPrice& price) {
  GemmTiling tiling{
      .tile_m = whole(price.tile_rows), .tile_n = whole(price.tile_columns), .splits = whole(price.splits)};
  tiling.row_tiles = std::ceil(double(op.m) / price.tile_rows) * double(op.batch);
  tiling.column_tiles = std::ceil(double(op.n) / price.tile_columns);
  return tiling;
}

}  // namespace

ProfileBuilder::ProfileBuilder(const GpuSpec& of_gpu, const ContextKernel& of_kernel,
                               const StructuralPrice& of_call)
    : gpu(of_gpu), kernel(of_kernel), price(of_call) {
  parts.profile.tile_m = price.tile_rows;
  parts.profile.tile_n = price.tile_columns;
  parts.profile.splits = price.splits;
}

void ProfileBuilder::add_product(const Gemm& op) {
  add_gemm_grid(parts.sequence, op, gpu, tiling_of(op, price), "product", true);
}

void ProfileBuilder::add_projection(const Gemm& op) {
  const StructuralPrice of_product = structural_price(op, gpu, GemmModel(op.scheme, gpu));
  add_gemm_grid(parts.sequence, op, gpu, tiling_of(op, of_product), "projection", false);
}

void ProfileBuilder::add_attention(const AttentionView& view) {
  const AttentionTiling tiling = attention_tiling(view, gpu, kernel.hints);
  add_attention_grid(parts.sequence, view, gpu, tiling);
  parts.profile.tile_m = double(tiling.query_rows);
  parts.profile.tile_n = double(tiling.keys);
}

void ProfileBuilder::add_stream(const Work& work, std::string_view name) {
  parts.profile.work = work;
  add_streaming_grid(parts.sequence, work, name);
}

}  // namespace warploom
