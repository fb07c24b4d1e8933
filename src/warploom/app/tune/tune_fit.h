// Use case `tune fit`: measured samples into a runtime table.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/tune/tune_method.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {

struct TuneFitRequest {
  TuneMethod method = TuneMethod::Warploom;
  std::vector<std::filesystem::path> samples;  // CSV, see tuner/tile_sample.h
  std::filesystem::path output;                // empty: keep the table in memory alone
  std::string gpu;                             // a name of the catalogue
  FileScope files = FileScope::machine();      // where names may be paths
  TileKernel kernel;
  bool corrected = true;       // use what was learned about the reference kernels (tune_correction.h)
  std::string default_config;  // as config_text writes it; empty: 128x128x64/w8/s3 where measured
  static FieldTable describe();
};

struct TuneFitResult {
  WaveModel model;
  RuntimeTable table;
  std::size_t samples = 0;
  double fit_seconds = 0;  // model and table; the time varies from run to run
  std::size_t bytes = 0;
  std::string warning;     // what a user should be told of the samples; empty: nothing
  bool corrected = false;  // what was learned about the reference kernels fits these samples and was used
  std::vector<std::string> learned_on;  // the GPUs of that correction; none: there is none, or none is known
};

// What `text` names; without it the usual 128x128x64/w8/s3 where the model has it, else nothing. Throws
// InvalidInput when `text` is no configuration.
std::optional<TileConfig> chosen_default(const std::string& text, const WaveModel& model);

// Throws IoError, InvalidInput (bad samples, as sample_limits.h has them), NotFound (unknown GPU).
// For the method warploom.
TuneFitResult tune_fit(const TuneFitRequest& request);

}  // namespace warploom
