#include "warploom/ceiling/cause.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/gemm/gemm_model.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

constexpr double kOverlapPower = 3;
constexpr double kLeastTime = 1e-12;  // s, so that ratios of parts exist

// What the price is made of, seconds.
struct Parts {
  double compute = 0, memory = 0, launch = 0, stretch = 1;

  double price() const {
    return launch + power_sum(compute * stretch, std::max(memory, kLeastTime), kOverlapPower);
  }
};

Parts parts_of(const KernelProfile& p) {
  return {.compute = std::max({p.t_tensor, p.t_fma, p.t_special, p.t_shared}),
          .memory = std::max({p.t_l2, p.t_dram, p.t_network}),
          .launch = p.t_launch,
          .stretch = std::max(1.0, p.balance)};
}

// Whole rounds over fractional ones: what the schedule of alike tasks alone stretches.
double round_stretch(const KernelProfile& p) {
  return p.sm_waves > 0 ? std::max(1.0, std::ceil(p.sm_waves) / p.sm_waves) : 1;
}

// Seconds of the bytes that the operator must move, each once.
double least_memory(const KernelProfile& p, const GpuSpec& gpu) {
  const double bytes = p.work.unique_bytes().value();
  const double cold = bytes * (1 - p.resident_share) / gpu.memory_bandwidth.value();
  return std::max({cold, bytes / gpu.l2_bandwidth.value(), p.t_network});
}

class List {
 public:
  explicit List(double price) : price_(price) {}
  void add(Cause cause, double without) {
    const double share = 1 - without / price_;
    if (share >= kNamedCause) entries_.push_back({cause, share});
  }
  std::vector<Counterfactual> sorted() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Counterfactual& a, const Counterfactual& b) {
      return a.saved_share > b.saved_share;
    });
    return std::move(entries_);
  }

 private:
  double price_;
  std::vector<Counterfactual> entries_;
};

// A library may have left the inner length whole: then the time is that of the best unsplit tiling.
void add_split(const Gemm& op, const GpuSpec& gpu, double price_now, Seconds actual, List& list) {
  GemmModel model(op.scheme, gpu);
  GemmPrice split, whole;
  model.price(op, split);
  if (split.splits == 1) return;
  model.forbid_splits();
  model.price(op, whole);
  constexpr double kLooksUnsplit = 0.95;
  if (actual.value() < kLooksUnsplit * whole.seconds) return;
  List apart(whole.seconds);
  apart.add(Cause::NoSplitK, split.seconds);
  for (const Counterfactual& found : apart.sorted())
    list.add(found.cause, (1 - found.saved_share) * price_now);
}

}  // namespace

std::vector<Counterfactual> counterfactuals(const Operator& op, const GpuSpec& gpu, const KernelProfile& p,
                                            Seconds actual) {
  const Parts parts = parts_of(p);
  List list(parts.price());
  const double rounds = std::min(round_stretch(p), parts.stretch);
  const auto with = [&](auto change) {
    Parts changed = parts;
    change(changed);
    return changed.price();
  };
  if (p.sm_waves >= 1)
    list.add(Cause::TailWave, with([&](Parts& x) { x.stretch /= rounds; }));
  else
    list.add(Cause::LowOccupancy, with([&](Parts& x) { x.stretch /= rounds; }));
  list.add(Cause::UnbalancedTasks, with([&](Parts& x) { x.stretch = rounds; }));
  list.add(Cause::Padding, with([&](Parts& x) { x.compute /= std::max(1.0, p.padding); }));
  list.add(Cause::MemoryTraffic,
           with([&](Parts& x) { x.memory = std::min(x.memory, least_memory(p, gpu)); }));
  list.add(Cause::LaunchBound, with([](Parts& x) { x.launch = 0; }));
  if (const auto* moe = std::get_if<FusedMoe>(&op); moe != nullptr && moe->routing != RoutingKind::Balanced) {
    FusedMoe even = *moe;
    even.routing = RoutingKind::Balanced;
    list.add(Cause::UnbalancedExperts, parts_of(profile(even, gpu)).price());
  }
  if (const auto* gemm = std::get_if<Gemm>(&op)) add_split(*gemm, gpu, parts.price(), actual, list);
  return list.sorted();
}

}  // namespace warploom
