#include "warploom/judge/wavetune/tune_fit_wavetune.h"

#include <chrono>
#include <optional>

#include "warploom/app/tune/kernel_scope.h"
#include "warploom/app/tune/sample_limits.h"
#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

WaveTuneFitResult tune_fit_wavetune(const TuneFitRequest& request) {
  request.files.check_writes(request.output, "output");
  if (!request.corrected)
    throw InvalidInput(
        "correction: turned off, but the method wavetune has none; expected the method warploom");
  check_kernel_scope(request.kernel, TileKernelUse::WaveTuneTable, "tune fit");
  GpuCatalog catalog;
  const GpuSpec& spec = catalog.load_gpu(request.gpu, request.files);
  const TileGpu gpu = TileGpu::from(spec);
  const TileSamples samples = read_tile_samples(request.samples);
  check_possible(request.kernel, spec, samples.rows);
  std::optional<TileConfig> fallback;
  if (!request.default_config.empty())
    fallback = parse_config(request.default_config, "default configuration");
  const auto start = std::chrono::steady_clock::now();
  WaveTuneTable table(fit_wavetune(request.kernel, gpu, samples.rows, fallback ? &*fallback : nullptr));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const WaveTuneModel& model = table.model();
  const bool judged = model.median_r_squared != 0;  // 0: no bucket has more anchors than coefficients
  std::string warning = fit_warning(model.median_r_squared, judged ? 1 : 0);
  if (warning.empty()) warning = slowness_warning(request.kernel, spec, samples.rows);
  if (!request.output.empty()) table.write(request.output);
  return {.table = std::move(table), .warning = std::move(warning), .fit_seconds = taken.count()};
}

}  // namespace warploom
