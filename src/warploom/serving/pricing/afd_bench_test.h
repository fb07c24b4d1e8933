// For tests: a small mixture of experts with attention apart, priced by a latency of closed form.
#pragma once

#include <memory>

#include "warploom/serving/pricing/afd_step_pricer.h"

namespace warploom {

// 2 us and a rate for each kind of operator; links as fast as `link` bytes a second and `latency` us away.
class AfdLatency final : public LatencyModel {
 public:
  explicit AfdLatency(double link = 1e11, double latency_us = 3) : link_(link), latency_us_(latency_us) {}
  LatencyEstimate estimate(const Operator& op, const GpuSpec&, const KernelContext&) const override {
    const double us = std::visit([this](const auto& o) { return work(o); }, op);
    return {.p10 = microseconds(us * 0.9), .p50 = microseconds(us), .p90 = microseconds(us * 1.2)};
  }

 private:
  double work(const Gemm& gemm) const { return 2 + 0.01 * double(gemm.m); }
  double work(const FusedMoe& moe) const {
    return 4 + 0.02 * double(moe.tokens * moe.top_k) / double(moe.expert_parallel);
  }
  double work(const AttentionDecode& attention) const {
    double tokens = 0;
    for (const RequestGroup& group : attention.requests) tokens += double(group.count * group.kv_tokens());
    return 2 + 0.0005 * tokens;
  }
  double work(const Collective& collective) const {
    return latency_us_ + 1e6 * collective.size.value() / link_;
  }
  template <class O>
  double work(const O&) const {
    return 1;
  }
  double link_, latency_us_;
};

inline ModelArchitecture small_mixture() {
  ModelArchitecture model;
  model.name = "small mixture";
  model.hidden = 1024;
  model.vocabulary = 32000;
  model.max_positions = 1 << 20;
  const Attention attention{
      .heads = 16, .kv_heads = 8, .head_dim = 64, .value_head_dim = 64, .rotary_dim = 64};
  model.layers = {{.count = 12,
                   .mixer = attention,
                   .feed_forward = MixtureOfExperts{.experts = 64, .top_k = 2, .intermediate = 512}}};
  return model;
}

struct AfdBench {
  std::shared_ptr<const AfdLatency> latency;
  std::shared_ptr<const GpuSpec> gpu = std::make_shared<const GpuSpec>();
  ModelArchitecture model = small_mixture();
  AfdPlan plan;
  AfdStepPricer pricer;
  AfdBench(const Sharding& sharding, std::int64_t micro_batches, const AfdLatency& priced = AfdLatency())
      : latency(std::make_shared<const AfdLatency>(priced)),
        plan(model, sharding, {}),
        pricer(plan, {.model = latency.get(), .gpu = gpu.get(), .names = {}}, {}, micro_batches) {}
};

}  // namespace warploom
