// What the wave model misses, learned once from measured shapes of the reference kernels and linked into the
// program (data/tuner): symmetric trees on dimensionless features, one ensemble a kind of kernel and one more
// for rows without any alignment.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/tuner/tile_sample.h"
#include "warploom/tuner/time_correction.h"

namespace warploom {

// The built-in correction; nothing when none was learned for the kernel's kind and operand size (two bytes,
// and one byte for gemm). tests/fixtures/tuner/README.md names the measurements behind it.
std::unique_ptr<TimeCorrection> built_in_correction(const TileKernel& kernel);

// Whether the correction fits these samples: on another GPU or for another kernel it may lead astray, and
// then it more than doubles the formula's error on the very samples that the formula was fitted to.
bool correction_fits(const WaveModel& model, const TimeCorrection& correction,
                     std::span<const TileSample> samples);

// Measurements of one kernel on one GPU. A kind may have several kernels, whose formulas differ a little.
struct TuneLearnSet {
  std::vector<std::filesystem::path> anchors;  // what a table is fitted on
  std::vector<std::filesystem::path> shapes;   // off the anchors: what is learned from
  std::string gpu;                             // the GPU measured on; empty: the request's
  static FieldTable describe();
};

struct TuneLearnRequest {
  TileKernel kernel;
  std::string gpu;
  std::vector<TuneLearnSet> sets;
  std::filesystem::path output;  // folder; KIND.wlc, KIND_unaligned.wlc and KIND.wlf (KIND_fp8*) go there
  static FieldTable describe();
};

struct TuneLearnResult {
  std::size_t rows = 0, unaligned_rows = 0;
  std::vector<std::string> gpus;  // measured on, as the files say
  double before = 0, after = 0;   // root mean square of ln(model / measured), aligned rows, in the sample
};

// The sets of a file: a JSON list of objects with the fields of TuneLearnSet, relative paths from its folder.
// Throws IoError, InvalidInput.
std::vector<TuneLearnSet> read_learning_sets(const std::filesystem::path& path);

// What a shape's configurations have in common decides no pick: trees are learned three times, each time from
// targets less what the last ones left of a shape's mean. Throws IoError, InvalidInput (no set, bad samples),
// NotFound (unknown GPU). Deterministic.
TuneLearnResult tune_learn(const TuneLearnRequest& request);

}  // namespace warploom
