#include "warploom/app/tune/tune_cross_gpu.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "warploom/app/tune/kernel_scope.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/record_model.h"

namespace warploom {

FieldTable TuneCrossGpuRequest::describe() {
  using R = TuneCrossGpuRequest;
  return RequestFields<R>("tune_fit_cross_gpu")
      .add("kernel", &R::kernel, {.doc = "the tile kernel"})
      .add("gpu", &R::gpu, {.doc = "the GPU to estimate for", .required = true})
      .add("from_table", &R::from_table,
           {.doc = "scale another GPU's table by the records; absent: the record alone"})
      .add("output", &R::output, {.doc = "the table to write"})
      .add("default_config", &R::default_config, {.doc = "the kernel's own configuration"})
      .table();
}

namespace {

WaveModel model_for(const TuneCrossGpuRequest& request, GpuCatalog& catalog) {
  const GpuSpec& gpu = catalog.load_gpu(request.gpu, request.files);
  if (!request.from_table.empty()) {
    const RuntimeTable table = RuntimeTable::open(request.from_table);
    return scaled_model(table.kernel(), table.configs(), catalog.load_gpu(table.gpu().name, request.files),
                        gpu);
  }
  const auto space = legal_space(request.kernel, TileGpu::from(gpu), default_axes(request.kernel.kind));
  return model_from_record(request.kernel, gpu, space);
}

}  // namespace

TuneFitResult tune_fit_cross_gpu(const TuneCrossGpuRequest& request) {
  request.files.check_writes(request.output, "output");
  check_kernel_scope(request.kernel, TileKernelUse::Table, "tune fit");
  if (!request.from_table.empty() && to_json(request.kernel) != to_json(TileKernel()))
    throw InvalidInput(
        "tune fit: from_table: the kernel is the table's, expected no field of `kernel` beside it");
  GpuCatalog catalog;
  const auto start = std::chrono::steady_clock::now();
  WaveModel model = model_for(request, catalog);
  const TableOptions options{.default_config = chosen_default(request.default_config, model),
                             .tier = TableTier::CrossGpu};
  RuntimeTable table = RuntimeTable::build(model, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!request.output.empty()) table.write(request.output);
  const std::size_t bytes = table.bytes().size();
  return {.model = std::move(model), .table = std::move(table), .fit_seconds = taken.count(), .bytes = bytes};
}

}  // namespace warploom
