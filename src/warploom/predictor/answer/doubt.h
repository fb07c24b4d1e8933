// Half-widths, on the log scale, that an answer gains with its distance from what was measured. Each cause is
// independent of the others, so they add as squares (LogEstimate::doubt).
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"
#include "warploom/kernels/size_range.h"
#include "warploom/predictor/model/family_model.h"

namespace warploom {

// Without a learned model, of another arithmetic or of a GPU unlike all that were measured: the structural
// base is within about a factor of two.
inline constexpr double kUnlearnedHalfWidth = 0.6;  // ln

// For operands that come from memory where the rows found them in L2, which makes the time `longer`, ln.
double doubt_of_cold(double longer);

// For answering with another engine's kernel for the same operator on the same GPU.
double doubt_of_other_engine(Family family);

// For answering for a release of the engine by the rows of another one.
double doubt_of_other_version(Family family);

// For answering with the engine's kernel for the same element types on the same GPU under other scales;
// `blocks`: one of the two has scales per block of weights.
double doubt_of_other_scales(Family family, bool blocks);

// No row of any GPU like it was learned from: another vendor's, or older than bf16 where all have it.
bool is_unlike_all(const FamilyModel& model, const GpuSpec& gpu);

}  // namespace warploom
