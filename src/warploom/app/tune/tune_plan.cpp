#include "warploom/app/tune/tune_plan.h"

#include <algorithm>
#include <set>

#include "warploom/app/tune/kernel_scope.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/legality.h"

namespace warploom {

FieldTable TunePlanRequest::describe() {
  using R = TunePlanRequest;
  return RequestFields<R>("tune_plan")
      .add("method", &R::method, {.doc = "whose anchors: ours, or the published wave model's"})
      .add("kernel", &R::kernel, {.doc = "the tile kernel"})
      .add("gpu", &R::gpu, {.doc = "the GPU to measure on", .required = true})
      .add("round", &R::round, {.doc = "which anchors"})
      .add("samples", &R::samples,
           {.doc = "what the first round measured: the anchors left of configurations that may win"})
      .add("split_k", &R::split_k,
           {.doc = "gemm: also loops over k in so many parts (2 4 8)", .min = 2, .max = 64})
      .add("narrow_rows", &R::narrow_rows,
           {.doc = "products: also rows of K that wide loads cannot read (not in the first round)"})
      .add("output", &R::output, {.doc = "CSV to write"})
      .table();
}

namespace {

std::vector<TileConfig> space_of(const TunePlanRequest& request, const TileGpu& gpu) {
  auto space = legal_space(request.kernel, gpu, default_axes(request.kernel.kind));
  if (request.split_k.empty()) return space;
  const auto split = legal_space(request.kernel, gpu, split_axes(request.split_k));
  space.insert(space.end(), split.begin(), split.end());
  std::sort(space.begin(), space.end());
  space.erase(std::unique(space.begin(), space.end()), space.end());
  return space;
}

std::vector<AnchorRow> rows_of(const TunePlanRequest& request, const TileGpu& gpu) {
  if (request.method == TuneMethod::WaveTune && request.round != AnchorRound::All)
    throw InvalidInput("method: wavetune has one round of anchors, expected no second one and no samples");
  if (request.round == AnchorRound::Second)
    return plan_second_round(request.kernel, gpu, read_tile_samples(request.samples).rows,
                             request.narrow_rows);
  const auto space = space_of(request, gpu);
  if (request.method == TuneMethod::WaveTune) return published_anchors(request.kernel, gpu, space);
  if (request.round == AnchorRound::First) return plan_first_round(request.kernel, gpu, space);
  std::vector<AnchorRow> rows = plan_anchors(request.kernel, gpu, space);
  if (!request.narrow_rows) return rows;
  const std::vector<AnchorRow> narrow = plan_narrow(request.kernel, gpu, space);
  rows.insert(rows.end(), narrow.begin(), narrow.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

void check_narrow_rows(const TunePlanRequest& request) {
  if (!request.narrow_rows) return;
  if (reads_keys(request.kernel.kind) || request.kernel.b_along_n)
    throw InvalidInput(
        "narrow_rows: are of products whose neighbours lie along K, expected kind gemm or "
        "grouped_gemm without b_along_n");
  if (request.method == TuneMethod::WaveTune)
    throw InvalidInput("narrow_rows: the published wave model has no such anchors, expected method warploom");
}

}  // namespace

TunePlanResult write_anchors(const TunePlanRequest& request) {
  request.files.check_writes(request.output, "output");
  GpuCatalog catalog;
  const TileGpu gpu = TileGpu::from(catalog.load_gpu(request.gpu, request.files));
  check_kernel(request.kernel, "tile kernel");
  check_narrow_rows(request);
  const std::vector<AnchorRow> rows = rows_of(request, gpu);
  std::vector<std::string> columns = {"bm", "bn", "bk", "warps", "stages", "m", "n", "k"};
  const bool split =
      std::any_of(rows.begin(), rows.end(), [](const AnchorRow& row) { return row.config.split_k != 1; });
  if (split) columns.emplace_back("split_k");
  CsvWriter csv(columns);
  std::set<TileShape> shapes;
  std::set<TileConfig> configs;
  for (const AnchorRow& row : rows) {
    const TileConfig& c = row.config;
    std::vector<std::string> cells;
    for (const std::int64_t value :
         {std::int64_t{c.tile_m}, std::int64_t{c.tile_n}, std::int64_t{c.tile_k}, std::int64_t{c.warps},
          std::int64_t{c.stages}, row.shape.m, row.shape.n, row.shape.k})
      cells.push_back(std::to_string(value));
    if (split) cells.push_back(std::to_string(c.split_k));
    csv.row(cells);
    shapes.insert(row.shape);
    configs.insert(c);
  }
  if (!request.output.empty()) write_file_atomically(request.output, csv.text());
  return {.configs = configs.size(), .rows = rows.size(), .shapes = shapes.size()};
}

TunePlanResult tune_plan(const TunePlanRequest& asked) {
  TunePlanRequest request = asked;
  if (!request.samples.empty() && request.round == AnchorRound::First)
    throw InvalidInput("samples: are what the first round measured, expected none in that round");
  // The second round's configurations are those of the samples.
  if (!request.samples.empty()) request.round = AnchorRound::Second;
  const TileKernelUse use = request.method == TuneMethod::WaveTune ? TileKernelUse::BoundaryAnchors
                            : request.samples.empty()              ? TileKernelUse::Anchors
                                                                   : TileKernelUse::SecondRound;
  check_kernel_scope(request.kernel, use, "tune plan");
  return write_anchors(request);
}

}  // namespace warploom
