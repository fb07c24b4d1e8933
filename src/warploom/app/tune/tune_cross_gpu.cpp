#include "warploom/app/tune/tune_cross_gpu.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/app/tune/formula_file.h"
#include "warploom/app/tune/kernel_scope.h"
#include "warploom/app/tune/tune_correction.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/block_scales.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/record_model.h"

namespace warploom {

FieldTable TuneCrossGpuRequest::describe() {
  using R = TuneCrossGpuRequest;
  return RequestFields<R>("tune_fit_cross_gpu")
      .add("kernel", &R::kernel, {.doc = "the tile kernel"})
      .add("gpu", &R::gpu, {.doc = "the GPU to estimate for", .required = true})
      .add("from_table", &R::from_table,
           {.doc = "scale another GPU's table by the records; absent: what is built in, or the record alone"})
      .add("scale_block", &R::scale_block,
           {.doc = "values of k that share a scale, as in engines' fp8 products; 0: a scale a tensor",
            .min = 0,
            .max = 4096})
      .add("output", &R::output, {.doc = "the table to write"})
      .add("default_config", &R::default_config, {.doc = "the kernel's own configuration"})
      .table();
}

namespace {

// The built-in formulas, where the kernel is one like the reference kernel.
std::optional<FormulaFile> known_formulas(const TileKernel& kernel, std::int64_t scale_block) {
  const bool alike = scale_block == 0 && !kernel.b_along_n && kernel.window == 0 &&
                     (!reads_keys(kernel.kind) || kernel.head_dim == TileKernel().head_dim);
  return alike ? built_in_formulas(kernel) : std::nullopt;
}

struct Estimated {
  WaveModel model;
  std::unique_ptr<const TimeCorrection> correction = nullptr;  // learned beside the model's formulas
};

Estimated estimated(const TuneCrossGpuRequest& request, GpuCatalog& catalog) {
  const GpuSpec& gpu = catalog.load_gpu(request.gpu, request.files);
  if (!request.from_table.empty()) {
    const RuntimeTable table = RuntimeTable::open(request.from_table);
    return {scaled_model(table.kernel(), table.configs(), catalog.load_gpu(table.gpu().name, request.files),
                         gpu)};
  }
  if (const auto known = known_formulas(request.kernel, request.scale_block))
    if (const GpuSpec& from = catalog.load_gpu(known->gpu); from.generation == gpu.generation)
      return {known_model(request.kernel, known->formulas, from, gpu), built_in_correction(request.kernel)};
  const auto space = legal_space(request.kernel, TileGpu::from(gpu), default_axes(request.kernel.kind));
  WaveModel model = model_from_record(request.kernel, gpu, space);
  if (request.scale_block > 0) add_block_scales(model, gpu, request.scale_block);
  return {std::move(model)};
}

}  // namespace

TuneFitResult tune_fit_cross_gpu(const TuneCrossGpuRequest& request) {
  request.files.check_writes(request.output, "output");
  check_kernel_scope(request.kernel, TileKernelUse::Table, "tune fit");
  if (!request.from_table.empty() && to_json(request.kernel) != to_json(TileKernel()))
    throw InvalidInput(
        "tune fit: from_table: the kernel is the table's, expected no field of `kernel` beside it");
  if (request.scale_block > 0 && (request.kernel.operand_bytes != 1 || !request.from_table.empty()))
    throw InvalidInput(
        "tune fit: scale_block: expected `operand_bytes` 1 and no `from_table`: others have no scales, "
        "and a table's formulas have theirs");
  GpuCatalog catalog;
  const auto start = std::chrono::steady_clock::now();
  auto [model, correction] = estimated(request, catalog);
  const TableOptions options{.default_config = chosen_default(request.default_config, model),
                             .correction = correction.get(),
                             .tier = TableTier::CrossGpu};
  RuntimeTable table = RuntimeTable::build(model, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!request.output.empty()) table.write(request.output);
  const std::size_t bytes = table.bytes().size();
  return {.model = std::move(model), .table = std::move(table), .fit_seconds = taken.count(), .bytes = bytes};
}

}  // namespace warploom
