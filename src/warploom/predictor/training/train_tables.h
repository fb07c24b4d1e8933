// Trains the tables of a family: the residuals of its measured rows, and per GPU (of a small family: for
// all together) the correction that interpolates between them.
//
// A row of the correction's training set sees the table without its own point, as an operator that was never
// measured would. Test shapes are in no table; Calibrate shapes are, but the trees do not learn from them and
// the intervals come from them.
#pragma once

#include "warploom/predictor/tables/family_tables.h"
#include "warploom/predictor/training/train_predictor.h"

namespace warploom {

struct TablesTraining {
  Family family = Family::Gemm;
  std::size_t rows = 0;   // in the table
  ErrorFigures held_out;  // of shapes never seen that the tables answer
  double answered = 0;    // share of held-out rows that the tables answer
  double seconds = 0;
};

struct TablesResult {
  FamilyTables tables;
  TablesTraining report;
};

// `model` as train_predictor gave it for the same data set and options. Deterministic, as train_predictor is.
TablesResult train_tables(const Dataset& dataset, const GpuCatalog& catalog, const TrainingOptions& options,
                          const FamilyModel& model);

}  // namespace warploom
