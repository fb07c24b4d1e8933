// How a table's estimates of a shape's likely configurations err, and what mends them:
// data/tuner/candidate_errors.json, by tools/tuner_truth/candidate_errors.py.
#pragma once

namespace warploom {

// Where rows start between two sectors (sector_limit.h): us that an SM needs to load a tile's row of a step,
// and for each byte of it; and how sharply a time nears that of its loads.
struct SectorLimit {
  double row_us = 0, byte_us = 0, sharpness = 1;
};

// Standard deviations of ln(measured / predicted), nested: between shapes, between grids of tiles at a shape
// and between configurations of one grid.
struct CandidateErrors {
  double shape = 0, tile = 0, config = 0;
  SectorLimit between_sectors;
};

// What is built in. Thread-safe.
const CandidateErrors& candidate_errors();

}  // namespace warploom
