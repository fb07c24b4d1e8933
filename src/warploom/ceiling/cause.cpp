#include "warploom/ceiling/cause.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/gemm/gemm_constants.h"
#include "warploom/kernels/gemm/gemm_model.h"

namespace warploom {
namespace {

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

// By what the compute part is stretched where SMs idle: whole rounds of alike tasks, then tasks of unlike
// length. What is left of the price's balance waits for something else.
struct Stretch {
  double rounds = 1, lengths = 1;
};

// Tasks over SMs, of the model where it counts them.
double waves_of(const KernelProfile& p) { return p.price.waves > 0 ? p.price.waves : p.sm_waves; }

Stretch stretch_of(const KernelProfile& p) {
  const double waves = waves_of(p), balance = p.price.balance;
  const double rounds = waves > 0 ? std::min(std::ceil(waves) / waves, balance) : 1;
  const double uneven = p.steps > 0 ? std::max(1.0, p.longest_steps / p.steps) : 1;
  return {rounds, std::min(balance / rounds, uneven)};
}

// A library may have left the inner length whole: then the time is that of the best unsplit tiling.
void add_split(const Gemm& op, const ExplainedCall& call, List& list) {
  const StructuralPrice& split = call.profile.price;
  if (split.splits == 1) return;
  GemmModel model(
      op.scheme, call.gpu,
      call.sources.constants != nullptr ? gemm_constants_of(*call.sources.constants) : GemmConstants{});
  model.forbid_splits();
  GemmPrice whole;
  model.price(op, whole);
  constexpr double kLooksUnsplit = 0.95;
  if (call.actual.value() < kLooksUnsplit * whole.seconds) return;
  list.add(Cause::NoSplitK, split.seconds * split.seconds / whole.seconds);
}

}  // namespace

std::vector<Counterfactual> counterfactuals(const ExplainedCall& call) {
  const KernelProfile& p = call.profile;
  List list(p.price.seconds);
  const auto add = [&](Cause cause, auto change) {
    StructuralPrice changed = p.price;
    change(changed);
    list.add(cause, changed.sum_of_parts());
  };
  const Stretch stretch = stretch_of(p);
  add(waves_of(p) >= 1 ? Cause::TailWave : Cause::LowOccupancy,
      [&](StructuralPrice& x) { x.compute /= stretch.rounds; });
  add(Cause::UnbalancedTasks, [&](StructuralPrice& x) { x.compute /= stretch.lengths; });
  add(Cause::Padding, [&](StructuralPrice& x) { x.compute /= std::max(1.0, p.padding); });
  add(Cause::MemoryTraffic, [](StructuralPrice& x) { x.memory *= 1 - x.again; });
  // The passes of a module are its projections, which are its work.
  if (!std::holds_alternative<MlaModule>(call.op))
    add(Cause::ExtraPasses, [](StructuralPrice& x) { x.passes = 0; });
  add(Cause::LaunchBound, [](StructuralPrice& x) { x.launch = 0; });
  if (const auto* moe = std::get_if<FusedMoe>(&call.op);
      moe != nullptr && moe->routing != RoutingKind::Balanced) {
    FusedMoe even = *moe;
    even.routing = RoutingKind::Balanced;
    list.add(Cause::UnbalancedExperts, profile(even, call.gpu, call.context, call.sources).price.seconds);
  }
  if (const auto* gemm = std::get_if<Gemm>(&call.op)) add_split(*gemm, call, list);
  return list.sorted();
}

}  // namespace warploom
