// Use case `train`: measurements -> predictor files, or the file of a published method.
#pragma once

#include <filesystem>

#include "warploom/app/data/import_data.h"
#include "warploom/app/data/train_method.h"
#include "warploom/base/fields.h"
#include "warploom/base/work_clock.h"
#include "warploom/predictor/training/train_predictor.h"
#include "warploom/predictor/training/train_tables.h"

namespace warploom {

struct TrainRequest {
  MeasurementSource source;
  std::filesystem::path output;           // folder for <family>.wlp
  std::vector<std::string> exclude_gpus;  // names; their rows are not learned
  std::vector<std::string> few_shot;      // "GPU:N"
  std::string few_shot_per = "family";    // or kind
  bool tables = false;  // also keep the measured rows, as <family>.wlt, to interpolate between
  // A published method in place of ours, "pipeweave" or "kernelsight"; `output` is then the method's file.
  std::string method;
  std::int64_t rows_per_gpu = 0;  // of a method's kernel, an even draw; 0: all
  double quantile = 0;            // of pipeweave: the efficiency that this share of rows stays below; 0: none
  std::uint64_t seed = 1;
  int threads = 0;
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

struct TrainSummary {
  std::vector<FamilyTraining> families;
  std::vector<TablesTraining> tables;  // as families, when asked for
  std::vector<MethodTraining> method;  // in place of families
  std::size_t rows = 0;                // read
  std::uintmax_t bytes = 0;            // of the files written
  WorkCost cost;                       // of training alone, after the rows were read
  ImportReport report;
};

// Writes the files only after every family is trained, and removes tables in the folder that belong to
// the files it replaces. Throws InvalidInput on an empty source, and on what is our predictor's alone where a
// method is asked for.
TrainSummary train(const TrainRequest& request);

}  // namespace warploom
