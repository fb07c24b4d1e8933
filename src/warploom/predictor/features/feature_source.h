// What the learners are given of a struct of operators, as a value: a file features_X.cpp of this folder
// has those of one family or of several that are alike. The build lists the files
// (cmake/WarploomLists.cmake).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>

#include "warploom/kernels/base_constants.h"
#include "warploom/kernels/gemm/gemm_model.h"
#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/operator.h"
#include "warploom/learning/symmetric_boosting.h"
#include "warploom/predictor/features/operator_features.h"
#include "warploom_lists/feature_sources.h"

namespace warploom {

// What features may rest on besides the operator.
struct FeatureInput {
  const GpuSpec& gpu;
  const ContextKernel& kernel;
  const BaseConstants& fitted;
  double sustained = 1;             // sustained_rate_share of the GPU
  const GemmModel* gemm = nullptr;  // of the operator's scheme, when it is at hand
};

// The trees of one kernel on one GPU. Sizes were chosen on held-out shapes, under the limit of what is
// shipped.
inline constexpr SymmetricOptions kUsualTrees{.trees = 128, .eta = 0.15};

struct FeatureSource {
  std::size_t place;  // of the struct in Operator
  // Fills log_base and the features.
  void (*add)(const Operator& op, const FeatureInput& input, OperatorFeatures& row);
  std::uint32_t (*layer)(const Operator& op);  // OperatorFeatures::layer; null: it has none
  SymmetricOptions trees;
};

template <class Op, class... Ops>
constexpr std::size_t place_in_variant(const std::variant<Ops...>*) {
  std::size_t place = 0;
  bool found = false;
  ((found = found || std::is_same_v<Op, Ops>, place += found ? 0 : 1), ...);
  return place;
}

// The source of the struct that `kAdd` takes: kAdd(const Op&, const FeatureInput&, OperatorFeatures&).
template <class Op, auto kAdd>
constexpr FeatureSource feature_source(const SymmetricOptions& trees = kUsualTrees) {
  return {.place = place_in_variant<Op>(static_cast<const Operator*>(nullptr)),
          .add = [](const Operator& op, const FeatureInput& input,
                    OperatorFeatures& row) { kAdd(*std::get_if<Op>(&op), input, row); },
          .layer = nullptr,
          .trees = trees};
}

extern const std::span<const FeatureSource> WARPLOOM_FEATURE_SOURCES;

const FeatureSource& feature_source(const Operator& op);

}  // namespace warploom
