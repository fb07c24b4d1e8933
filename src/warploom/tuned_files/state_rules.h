// What the step of a recurrent state was seen to take on one GPU, and what estimates by it err by:
// data/tuner/state_rules.json, by `warploom-judge --fit-state-rules`.
#pragma once

#include "warploom/tuner/record_rules.h"

namespace warploom {

struct StateRules {
  double launch_us = 0;
  double memory_reached = 1;     // share of DRAM's peak
  double operations = 0;         // of an element
  double warp_instructions = 0;  // of each warp of a tile beside its elements: addresses, masks, sums of rows
  double sharpness = 1;          // how sharply the longer of both times stands out
  TimeErrors errors;             // between rows of a tile, and between warps of the same rows
};

// What is built in. Thread-safe.
const StateRules& state_rules();

}  // namespace warploom
