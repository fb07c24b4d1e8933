// The seam between everything that needs a kernel's time and everything that knows it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// What limits a kernel.
enum class Bound { Tensor, Fma, SpecialFunction, Shared, L2, Dram, Network, Launch };
template <>
struct EnumNames<Bound> {
  static constexpr std::array<std::pair<Bound, std::string_view>, 8> kNames{{{Bound::Tensor, "tensor"},
                                                                             {Bound::Fma, "fma"},
                                                                             {Bound::SpecialFunction, "xu"},
                                                                             {Bound::Shared, "shared"},
                                                                             {Bound::L2, "l2"},
                                                                             {Bound::Dram, "dram"},
                                                                             {Bound::Network, "network"},
                                                                             {Bound::Launch, "launch"}}};
};

// How much a prediction rests on measurement.
enum class Tier { Measured, CrossGpu, Roofline };
template <>
struct EnumNames<Tier> {
  static constexpr std::array<std::pair<Tier, std::string_view>, 3> kNames{
      {{Tier::Measured, "measured"}, {Tier::CrossGpu, "cross_gpu"}, {Tier::Roofline, "roofline"}}};
};

// The implementation a caller means, by the names of the measured data; empty = unknown, the model then uses
// what engines ship by default on that GPU.
struct KernelContext {
  std::string_view framework;  // an engine (kernel_hints.h), "nccl", ...
  std::string_view version;    // of the framework
  std::string_view kernel;     // the data's kernel_source
  // The time is wanted as the public data were collected, with what their collectors did otherwise than
  // engines do (KernelHints). Rows of a Dataset are asked so; users never are.
  bool as_collected = false;
};

// A predicted latency. p10 <= p50 <= p90, and physical_bound <= p10 up to rounding.
struct LatencyEstimate {
  Seconds p10, p50, p90;
  Seconds physical_bound;  // no implementation on this GPU can be faster
  Bound bound = Bound::Dram;
  Tier tier = Tier::Roofline;
  bool extrapolated = false;  // outside the measured domain; the interval is widened
  // Measured on this GPU, but of another kernel than was asked for, or with another routing of experts: the
  // nearest one, with a wider interval.
  bool stands_in = false;
  // The measured kernel's time was changed to what it takes inside a step of an engine (module steps: what
  // surrounds it there).
  bool in_step = false;
};

// An estimate with what it rests on. Views stay valid as long as the model and those of the question.
struct KernelAnswer {
  LatencyEstimate estimate;
  KernelContext implementation;  // that was priced; empty where it is none that was measured
  // The scheme whose measured kernels price the operator; nothing when it is the operator's own.
  std::optional<MatmulScheme> scheme_priced{};
};

// Thread-safe: const methods may run concurrently.
class LatencyModel {
 public:
  virtual ~LatencyModel() = default;

  // Throws InvalidInput on an operator that check_operator refuses, Unsupported when the GPU cannot run it
  // (no fp8 units, say).
  virtual LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                                   const KernelContext& context = {}) const = 0;

  // The same estimate, and which kernel it is of.
  virtual KernelAnswer answer(const Operator& op, const GpuSpec& gpu,
                              const KernelContext& context = {}) const {
    return {.estimate = estimate(op, gpu, context), .implementation = {}};
  }

  // The same for many operators; results has the size of operators.
  virtual void estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu,
                              const KernelContext& context, std::span<LatencyEstimate> results) const {
    for (std::size_t i = 0; i < operators.size(); ++i) results[i] = estimate(operators[i], gpu, context);
  }
};

}  // namespace warploom
