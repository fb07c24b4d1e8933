// Use case `calibrate`: one GPU's sweep on top of a predictor.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/data/device_constants.h"
#include "warploom/base/fields.h"
#include "warploom/measurements/error_summary.h"
#include "warploom/measurements/importers/import.h"

namespace warploom {

struct CalibrateRequest {
  std::string gpu;               // name, alias or path of a record
  std::filesystem::path data;    // folder that warploom-collect wrote, or its sweep.csv[.gz]
  std::filesystem::path output;  // folder of the calibrated predictor
  std::string predictor;         // to build on; empty: the one linked into the program
  std::filesystem::path record;  // also write a GPU record with the measured rates; empty: none
  std::uint64_t seed = 1;
  int threads = 0;
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

struct CalibratedFamily {
  std::string family;
  std::size_t rows = 0;        // learned from
  ErrorSummary before, after;  // on the sweep's shapes that the fit did not see
};

struct CalibrateResult {
  std::string gpu;
  std::vector<CalibratedFamily> families;
  std::vector<std::string> too_few;  // families with too few rows to learn from, left as they were
  ErrorSummary before, after;        // of all families
  std::vector<std::pair<std::string, double>> constants;  // of the device
  ImportReport report;
  std::uintmax_t bytes = 0;
};

// The output folder holds every family of the base, calibrated where the sweep has rows, and calibration.json
// (provenance, figures, the device's constants); the base is only read. Throws InvalidInput on a sweep of
// another GPU, an empty or cut-off one, or an output folder that is the base; NotFound, IoError.
CalibrateResult calibrate(const CalibrateRequest& request);

}  // namespace warploom
