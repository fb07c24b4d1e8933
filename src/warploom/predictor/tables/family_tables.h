// The measured tables of one family beside its model: residuals of the rows that a user's store holds, and
// for each GPU a correction, boosted trees that turn the residuals of measured neighbours into one of a new
// point.
//
// ln latency = ln base + centre + trees(features of the neighbourhood). A point that was measured itself
// answers with its own residual. A point without neighbours is not answered: the plain model does that.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "warploom/predictor/features/features.h"
#include "warploom/predictor/model/context_codes.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/tables/grid_neighbours.h"

namespace warploom {

// A neighbourhood of one or two measured points is no grid.
inline constexpr std::size_t kFewestNeighbours = 3;

// The features of a neighbourhood: the centre and its spread, every guess, far neighbours and gaps,
// then the operator's own features without those of the GPU. All but the last kind are less the centre.
struct TableFeatures {
  static constexpr std::size_t kMost = 7 + kMaxGuesses + kMaxAxes * 6 + std::size_t(kMaxFeatures);
  std::array<float, kMost> values;
  std::size_t count = 0;
  void add(float value) { values[count++] = value; }
};
// `row` as compute_features fills it. The number of features depends on the family alone.
void fill_table_features(const Neighbours& neighbours, const Guesses& guesses, const Centre& centre,
                         const ContextCodes& codes, float offset, const OperatorFeatures& row,
                         TableFeatures& features);

struct CorrectionRecord {
  std::vector<float> weights;           // of the guesses
  std::vector<std::uint16_t> features;  // which of TableFeatures the trees read; at most kMaxFeatures
  std::string trees;                    // encode_trees; empty: the GPU has too few rows for a correction
};

struct FamilyTables {
  Family family = Family::Gemm;
  std::string created_by;
  std::uint64_t model_hash = 0;  // of the bytes of the model that the cells belong to
  ResidualTable residuals;
  std::vector<CorrectionRecord> corrections;  // by FamilyModel::gpus, or one for all of them
  std::vector<LogInterval> intervals;         // by measured cell of FamilyModel::cells
};

}  // namespace warploom
