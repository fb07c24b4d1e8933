// How a table's estimates of a shape's likely configurations err: data/tuner/candidate_errors.json, by
// tools/tuner_truth/candidate_errors.py.
#pragma once

namespace warploom {

// Standard deviations of ln(measured / predicted), nested: between shapes, between grids of tiles at a shape
// and between configurations of one grid.
struct CandidateErrors {
  double shape = 0, tile = 0, config = 0;
};

// What is built in. Thread-safe.
const CandidateErrors& candidate_errors();

}  // namespace warploom
