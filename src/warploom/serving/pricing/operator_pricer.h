// The one place where an operator of a step gets its price: steps, static batches, runs, diagnoses and traces
// all come here, with the same model, GPU and kernels.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "warploom/kernels/latency_model.h"
#include "warploom/models/operator_graph.h"
#include "warploom/serving/pricing/joint_error.h"
#include "warploom/serving/pricing/kernel_names.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// Times of a list of operators, in seconds. The half-widths of the interval are kept by kinds of kernels
// (joint_error.h) and add when lists are joined.
struct ListPrice {
  double p50 = 0;
  HalfWidths below, above;
  double collectives = 0;         // part of p50
  double shared = 0, routed = 0;  // parts of p50 that run beside each other, see runs_beside_experts
  double memory = 0;              // what the memory needs for what no cache holds, whatever runs beside what
  ListPrice& operator+=(const ListPrice& other);
  // The part of p50 that runs beside something else and takes no time of its own; both read the same memory.
  double hidden() const {
    return std::min(hidden_beside_experts(shared, routed), std::max(0.0, p50 - memory));
  }
  StepCost cost() const;
};

// One operator of a list that runs, what one call of it takes, and whose kernel that is.
using SeeOperator = std::function<void(const OperatorNode&, const LatencyEstimate&, KernelSource)>;

// A model of latency on one GPU with one engine's kernels. Refers to the model and the GPU.
struct OperatorPricer {
  const LatencyModel* model = nullptr;
  const GpuSpec* gpu = nullptr;
  KernelNames names;

  // `see` (may be empty) is called for each operator with a count, in their order.
  ListPrice price(std::span<const OperatorNode> operators, const SeeOperator& see = {}) const;
};

}  // namespace warploom
