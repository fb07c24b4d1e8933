// How far the power limit slows the matrix units, and their data-sheet rates.
//
//   need = SMs * boost clock * (idle + product * rate / 1024) / limit      product: by type of arithmetic
//   slowdown = max(1, need^exponent)                                       voltage falls with the clock
//
// The energies scatter by process and design: of data-centre parts they follow from the largest part of the
// generation, whose limit is set for such work; of graphics parts they are given.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/data_type.h"

namespace warploom {

// Matrix-unit operations per clock per SM for a type; a type without its own rate runs at the next wider one.
double tensor_rate_per_clock(const GpuSpec& gpu, DataType type);

struct PowerConstants {
  double idle_nanojoules = 0.45;    // per SM clock, whatever the SM does
  double flagship_draw = 1.3;       // need of the generation's largest data-centre part in bf16
  double product_nanojoules = 1.2;  // per 1024 bf16 operations of graphics parts on 5 nm and less
  double older_process = 1.9;       // the same on 8 nm, as a factor
  double byte_energy = 0.65;        // of 8- and 4-bit operations, per bf16 operation
  double nibble_energy = 0.40;
  double clock_exponent = 0.8;
};

// Power that all SMs would draw at boost clock, their matrix units busy for the share `busy` of the time, as
// a share of the limit. 0 for parts without a power limit on record.
double power_need(const GpuSpec& gpu, DataType type, const PowerConstants& constants, double busy = 1);

// Factor by which the clock falls, at least 1.
double power_slowdown(const GpuSpec& gpu, DataType type, const PowerConstants& constants, double busy = 1);

// Clock in Hz at which a product runs that the power limit leaves alone: of data-centre parts the driver's
// highest times the share of it that the data sheet of the generation's largest part holds (GB200 against
// B200: 5 %, as measured, where boost clocks say 8), else boost.
double product_clock(const GpuSpec& gpu);

// Factor by which full matrix units fall from product_clock, at least 1. Parts of one generation are one
// silicon, whose power grows with the cube of its clock: beside the largest part's clock at such work stands
// the cube root of the watts per SM, whatever the data sheet calls boost.
double product_slowdown(const GpuSpec& gpu, DataType type, const PowerConstants& constants);

}  // namespace warploom
