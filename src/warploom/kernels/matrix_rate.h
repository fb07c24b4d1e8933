// Data-sheet rates of the matrix units by data type, and the load that their products put on the clock.
#pragma once

#include "warploom/hardware/clock_under_load.h"
#include "warploom/kernels/data_type.h"

namespace warploom {

// Matrix-unit operations per clock per SM for a type; a type without its own rate runs at the next wider one.
double tensor_rate_per_clock(const GpuSpec& gpu, DataType type);

// Products of a type, the matrix units busy for the share `busy` of the time.
MatrixLoad matrix_load(const GpuSpec& gpu, DataType type, const PowerConstants& constants, double busy = 1);

// Share of the data-sheet matrix rate that long kernels sustain under the power limit, at typical energies.
double sustained_rate_share(const GpuSpec& gpu);

}  // namespace warploom
