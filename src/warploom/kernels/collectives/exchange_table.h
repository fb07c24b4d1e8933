// What tokens take to the ranks of their experts and back: DeepEP, TensorRT-LLM's all-to-all over NVLink.
//
// data/collectives/expert_exchange.json, by tools/fit_exchange, holds for each kernel and phase a closed form
// in what a rank sends, for all GPUs and numbers of ranks, and curves of ln(measured / form) over tokens, one
// for each GPU, number of ranks, bytes and choices of a token that was measured. Between those the curves are
// weighed by their nearness; a GPU or a number of ranks without rows takes the nearest curves, through the
// form, and the interval that leaving GPUs and numbers of ranks out gave.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/kernels/collectives/node_span.h"

namespace warploom {

// What was left out when an interval was found: a measured shape, a number of ranks, a GPU.
enum class LeftOut { Shape, Ranks, Gpu };
inline constexpr std::size_t kLeftOutKinds = 3, kExchangeRanges = 3;
using ExchangeEnds = std::array<std::array<double, kExchangeRanges>, kLeftOutKinds>;  // ln, by LeftOut

struct ExchangeKernel {
  std::string kernel, framework;
  CollectiveKind kind = CollectiveKind::Dispatch;
  bool sends_pairs = false;  // a token once for each of its experts; else once to each rank or node
  double sharpness = 1;      // time^p = latency^p + transfer^p
  double network_share = 1;  // of the adapters' rate
  double network_start = 1;  // times the latency where nodes are crossed
  double hops = 0;           // growth of the latency with log2(ranks / 8)
  struct Gpu {
    std::string name;
    double start = 0;  // s
    double share = 1;  // of the link's rate
  };
  std::vector<Gpu> gpus;
  ExchangeEnds low{}, high{};  // ln(p10 / p50), ln(p90 / p50)
};

struct ExchangeCurve {
  std::size_t kernel = 0;  // place among the kernels
  std::string gpu, version;
  std::int64_t ranks = 0, per_domain = 0, top_k = 0;
  double token_bytes = 0;
  std::vector<double> tokens, ln;  // of equal length, tokens ascending
};

struct ExchangeAnswer {
  double seconds = 0;
  double low = 0, high = 0;  // ln(p10 / p50), ln(p90 / p50)
  bool gpu_measured = false, ranks_measured = false;
  bool outside = false;  // of the measured numbers of tokens
  std::string_view framework, version;
};

// Immutable.
class ExchangeTable {
 public:
  // Throws InvalidInput "<where>: ..." on what is missing or does not fit, Unsupported on a newer version.
  ExchangeTable(const Json& document, std::string_view where);

  // Nothing where the kernel has no table, or the operator does not say its tokens. O(curves of the kernel),
  // no allocation.
  std::optional<ExchangeAnswer> answer(std::string_view kernel, const Collective& op,
                                       const GpuSpec& gpu) const;
  bool has(std::string_view kernel, CollectiveKind kind) const { return find(kernel, kind) != nullptr; }
  std::size_t curves() const { return curves_.size(); }

 private:
  const ExchangeKernel* find(std::string_view kernel, CollectiveKind kind) const;
  double residual(const ExchangeKernel& kernel, const Collective& op, const GpuSpec& gpu,
                  const NodeSpan& span, ExchangeAnswer& answer) const;
  std::vector<ExchangeKernel> kernels_;
  std::vector<ExchangeCurve> curves_;  // by kernel
  std::array<double, kExchangeRanges - 1> edges_{};
};

// As shipped; read once.
const ExchangeTable& shipped_exchanges();

}  // namespace warploom
