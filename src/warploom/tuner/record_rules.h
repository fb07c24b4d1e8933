// Constants of estimates by GPUs' records alone that were fitted on one GPU's measured times, and what such
// estimates err by: data/tuner/record_rules.json, by `warploom-judge --fit-record-rules`.
#pragma once

namespace warploom {

// Products with a scale for each block (block_scales.h), where the matrix unit yields whole tiles.
struct BlockScaleRule {
  // us that a load takes beside the record's latency, of which each stage but one hides a share, since the
  // products of a step have ended before the next one's are waited for.
  double load_us = 0;
  // An element's a step: scaled, added, and its sum cleared and moved.
  double tile_operations = 0;
};

// ln: deviations of times between tiles, and between configurations of one tile, at a shape whose times are
// known up to a factor.
struct TimeErrors {
  double tile = 0, knob = 0;
};

struct RecordRules {
  BlockScaleRule block_scales;
  TimeErrors plain, block_products;  // of products without scales of blocks, grouped ones too, and with
};

// What is built in. Thread-safe.
const RecordRules& record_rules();

}  // namespace warploom
