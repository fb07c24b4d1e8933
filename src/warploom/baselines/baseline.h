// The baselines that `validate kernels --baseline` knows.
//
//   roofline       data-sheet rates, waves and a launch floor (kernels/roofline.h); learns nothing
//   linear         time = a + b ideal compute time + c ideal memory time, least squares per kernel and GPU
//   habitat        a network from sizes and GPU figures to latency; wave scaling where the same operator was
//                  measured on another GPU and its kernel is no matrix product (USENIX ATC 2021)
//   neusight       utilisation of one tile's roofline, alpha - beta / waves, both from a network (ASPLOS
//   2025) interpolation  between measured neighbours on the grid of the same GPU, library and data type
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/measurements/dataset.h"

namespace warploom {

enum class BaselineKind { Roofline, Linear, Habitat, NeuSight, Interpolation };
template <>
struct EnumNames<BaselineKind> {
  static constexpr std::array<std::pair<BaselineKind, std::string_view>, 5> kNames{
      {{BaselineKind::Roofline, "roofline"},
       {BaselineKind::Linear, "linear"},
       {BaselineKind::Habitat, "habitat"},
       {BaselineKind::NeuSight, "neusight"},
       {BaselineKind::Interpolation, "interpolation"}}};
};

// What a baseline learns from: `rows` of a data set. Both must outlive train_baseline alone.
struct BaselineRows {
  const Dataset& dataset;
  const std::vector<std::uint32_t>& rows;
};

// Deterministic. The networks learn from an even draw of at most 8,000 rows of each library's kernel. The
// catalog must outlive the model.
std::unique_ptr<const LatencyModel> train_baseline(BaselineKind kind, const BaselineRows& rows,
                                                   const GpuCatalog& catalog);

}  // namespace warploom
