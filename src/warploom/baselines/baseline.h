// The baselines that `validate kernels --baseline` knows.
//
//   roofline       data-sheet rates, waves and a launch floor (kernels/roofline.h); learns nothing
//   linear         time = a + b ideal compute time + c ideal memory time, least squares per kernel and GPU
//   habitat        a network from sizes and GPU figures to latency; wave scaling where the same operator was
//                  measured on another GPU and its kernel is no matrix product (USENIX ATC 2021)
//   neusight       utilisation of one tile's roofline, alpha - beta / waves, both from a network
//                  (ASPLOS 2025)
//   pipeweave      published features of tasks and pipes to efficiency, a network per kernel; a random forest
//                  for collectives (pipeweave/pipeweave_model.h)
//   kernelsight    roofline times an efficiency: interpolated where the GPU was swept, else by the learner
//                  that cross-validation chose for the family (kernelsight/kernelsight_model.h)
//   interpolation  between measured neighbours on the grid of the same GPU, library and data type
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/measurements/dataset.h"

namespace warploom {

enum class BaselineKind { Roofline, Linear, Habitat, NeuSight, PipeWeave, KernelSight, Interpolation };
template <>
struct EnumNames<BaselineKind> {
  static constexpr std::array<std::pair<BaselineKind, std::string_view>, 7> kNames{
      {{BaselineKind::Roofline, "roofline"},
       {BaselineKind::Linear, "linear"},
       {BaselineKind::Habitat, "habitat"},
       {BaselineKind::NeuSight, "neusight"},
       {BaselineKind::PipeWeave, "pipeweave"},
       {BaselineKind::KernelSight, "kernelsight"},
       {BaselineKind::Interpolation, "interpolation"}}};
};

// What a baseline learns from: `rows` of a data set. Both must outlive the training alone.
struct BaselineRows {
  const Dataset& dataset;
  const std::vector<std::uint32_t>& rows;
};

}  // namespace warploom
