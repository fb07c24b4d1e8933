// Calls of PyTorch operators, as its profiler records them with record_shapes=True, as Operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/kernels/operator.h"

namespace warploom {

struct TorchCall {
  std::string name;                             // "aten::mm"
  std::vector<std::vector<std::int64_t>> dims;  // of each argument; empty: no tensor
  std::vector<std::string> types;               // "c10::BFloat16"
  std::vector<std::string> values;              // of arguments that are no tensors, "" for tensors: "True"
};

struct TorchOperator {
  std::optional<Operator> op;
  std::string reason;  // without op: why
};

// aten products, attention (flash, cuDNN, memory-efficient), norms, activations, element-wise operators,
// softmax, embedding, and vLLM's custom operators whose arguments tell their size. A call that does not say
// enough (packed requests, quantised weights) gives the reason. Never throws on odd arguments.
TorchOperator operator_of(const TorchCall& call);

}  // namespace warploom
