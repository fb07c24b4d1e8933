// The SM clock at which a kernel runs: what the driver allows, what the data sheet promises, and what the
// power limit leaves when matrix units are busy.
//
//   need     = SMs * boost clock * (idle + busy * energy * rate / 1024) / limit
//   slowdown = max(1, need^exponent)                                       voltage falls with the clock
//
// Energies scatter by process and design: of silicon whose largest part is on record (GpuSpec::largest) they
// follow from that part, whose limit is set for such work; elsewhere they are given.
//
// The families were trained under four different rules. They are named here and nowhere else; to give all
// families one rule means to train them again.
#pragma once

#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// Units in the names; each was fitted on measured products of a full GPU (features_gemm.cpp gives the range
// of each fit).
struct PowerConstants {
  double idle_nanojoules = 0.45;    // per SM clock, whatever the SM does
  double flagship_draw = 1.3;       // need of the largest part in bf16
  double product_nanojoules = 1.2;  // per 1024 bf16 operations, no largest part, 7 nm and less
  double older_process = 1.9;       // the same on 8 nm and more, as a factor
  double byte_energy = 0.65;        // of 8- and 4-bit operations, per bf16 operation
  double nibble_energy = 0.40;
  double clock_exponent = 0.8;
};

// What keeps the matrix units busy.
struct MatrixLoad {
  double rate = 0;    // FLOP per clock per SM at full speed; 0: no products
  double energy = 1;  // of one operation, per bf16 operation
  double busy = 1;    // share of the time
};

enum class ClockRule {
  Highest,      // the driver's highest: decode attention and experts, which draw little power
  DataSheet,    // boost: MLA modules, block-scaled fp8 of Hopper, the collector's own attention
  Limited,      // boost, lowered by the power limit: prompts' attention, the sustained rate of a GPU
  LargestPart,  // dense products: see below
};

struct LoadedClock {
  double hertz = 0;     // of light work
  double slowdown = 1;  // factor by which full matrix units fall below it, at least 1
  double sustained() const { return hertz / slowdown; }
};

// LargestPart: parts of one generation are one silicon, whose power grows with the cube of its clock. The
// clock of light work is the driver's highest times the share of it that the data sheet of the largest part
// holds (GB200 against B200: 5 %, as measured, where boost clocks say 8). Its slowdown is that of the largest
// part, times this part's clock over the largest one's, over the cube root of the watts per SM that it has
// against the largest. Without a largest part on record: as Limited. O(1).
LoadedClock clock_under_load(const GpuSpec& gpu, ClockRule rule, const MatrixLoad& load = {},
                             const PowerConstants& constants = {});

}  // namespace warploom
