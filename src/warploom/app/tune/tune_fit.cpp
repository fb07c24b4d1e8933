#include "warploom/app/tune/tune_fit.h"

#include <algorithm>
#include <chrono>

#include "warploom/app/tune/formula_file.h"
#include "warploom/app/tune/kernel_scope.h"
#include "warploom/app/tune/sample_limits.h"
#include "warploom/app/tune/tune_correction.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/statistics.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

FieldTable TuneFitRequest::describe() {
  using R = TuneFitRequest;
  return RequestFields<R>("tune_fit")
      .add("method", &R::method, {.doc = "ours, or the published wave model"})
      .add("samples", &R::samples, {.doc = "CSV files of measured configurations"})
      .add("output", &R::output, {.doc = "the table to write"})
      .add("gpu", &R::gpu, {.doc = "the GPU measured on", .required = true})
      .add("kernel", &R::kernel, {.doc = "the tile kernel"})
      .add("correction", &R::corrected,
           {.doc = "use what was learned from the reference kernels, not the formula alone"})
      .add("default_config", &R::default_config, {.doc = "the kernel's own configuration"})
      .table();
}

namespace {

// What most hand-written kernels start from.
constexpr TileConfig kUsualConfig{128, 128, 64, 8, 3, 1};

TableOptions options_of(const TuneFitRequest& request, const WaveModel& model) {
  TableOptions options;
  options.default_config = chosen_default(request.default_config, model);
  for (const auto& path : request.samples)
    options.data_hash = hash_combine(options.data_hash, hash_bytes(read_file(path)));
  return options;
}

// What is known of the reference kernel's configurations is of use where the samples agree with it: with it
// the typical error on them may grow by this factor at most (an H100's: by 1.06 to 1.12, since noise is no
// longer fitted).
constexpr double kMostGrowth = 1.25;

double typical_residual(const WaveModel& model) {
  std::vector<double> residuals;
  for (const FittedConfig& config : model.configs) residuals.push_back(double(config.residual));
  return quantile(std::move(residuals), 0.5);
}

WaveModel fitted_model(const TuneFitRequest& request, const TileGpu& gpu,
                       std::span<const TileSample> samples) {
  WaveModel alone = fit_wave_model(request.kernel, gpu, samples);
  const auto known = request.corrected ? built_in_formulas(request.kernel) : std::nullopt;
  if (!known || is_known(alone, known->formulas)) return alone;
  WaveModel model = fit_wave_model(request.kernel, gpu, samples, known->formulas);
  return typical_residual(model) <= kMostGrowth * typical_residual(alone) ? model : alone;
}

}  // namespace

std::optional<TileConfig> chosen_default(const std::string& text, const WaveModel& model) {
  if (!text.empty()) return parse_config(text, "default configuration");
  const bool usual = std::any_of(model.configs.begin(), model.configs.end(),
                                 [](const FittedConfig& fitted) { return fitted.config == kUsualConfig; });
  return usual ? std::optional(kUsualConfig) : std::nullopt;
}

TuneFitResult tune_fit(const TuneFitRequest& request) {
  request.files.check_writes(request.output, "output");
  check_kernel_scope(request.kernel, TileKernelUse::Table, "tune fit");
  GpuCatalog catalog;
  const GpuSpec& spec = catalog.load_gpu(request.gpu, request.files);
  const TileGpu gpu = TileGpu::from(spec);
  const TileSamples samples = read_tile_samples(request.samples);
  check_possible(request.kernel, spec, samples.rows);
  const auto start = std::chrono::steady_clock::now();
  WaveModel model = fitted_model(request, gpu, samples.rows);
  std::string warning = fit_warning(model.median_r_squared, model.buckets.size());
  if (warning.empty()) warning = slowness_warning(request.kernel, spec, samples.rows);
  TableOptions options = options_of(request, model);
  if (!warning.empty()) options.tier = TableTier::CrossGpu;
  const auto correction = request.corrected ? built_in_correction(request.kernel) : nullptr;
  const bool corrected = correction && correction_fits(model, *correction, samples.rows);
  if (corrected) options.correction = correction.get();
  RuntimeTable table = RuntimeTable::build(model, options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!request.output.empty()) table.write(request.output);
  const std::size_t bytes = table.bytes().size();
  return {.model = std::move(model),
          .table = std::move(table),
          .samples = samples.rows.size(),
          .fit_seconds = taken.count(),
          .bytes = bytes,
          .warning = std::move(warning),
          .corrected = corrected,
          .learned_on = correction ? std::vector(correction->gpus().begin(), correction->gpus().end())
                                   : std::vector<std::string>()};
}

}  // namespace warploom
