// What a method of the literature is here: a LatencyModel that says where it has no model of its own.
#pragma once

#include <string>

#include "warploom/kernels/latency_model.h"

namespace warploom {

class MethodModel : public LatencyModel {
 public:
  // Why the method has no model for this question, in words that questions share; empty: it has one. Where it
  // has none, `estimate` answers with the roofline, and comparisons leave the row out.
  virtual std::string lacks(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const = 0;
};

}  // namespace warploom
