#include "warploom/serving/pricing/step_pricer.h"

#include <algorithm>

#include "warploom/kernels/placed_routing.h"

namespace warploom {
namespace {

// What the question names and the answer is not of.
std::string asked_for(const KernelAnswer& answer, const Operator& op, const KernelContext& asked) {
  std::string text;
  const auto add = [&](std::string_view part) { text.append(text.empty() ? "" : " ").append(part); };
  if (!asked.framework.empty() && asked.framework != answer.implementation.framework) add(asked.framework);
  if (!asked.kernel.empty() && asked.kernel != answer.implementation.kernel) add(asked.kernel);
  const auto* moe = std::get_if<FusedMoe>(&op);
  if (moe != nullptr && moe->routing == RoutingKind::Uniform) add("uniform routing");
  if (moe != nullptr && is_placed(*moe)) add("experts placed by load");
  if (!answer.scheme_priced) return text;
  std::visit(
      [&](const auto& held) {
        if constexpr (requires { name_of(held.scheme); }) add(name_of(held.scheme));
      },
      op);
  return text;
}

}  // namespace

KernelSource::KernelSource(const KernelAnswer& answer, const Operator& op, const KernelContext& asked)
    : tier(answer.estimate.tier),
      extrapolated(answer.estimate.extrapolated),
      stands_in(answer.estimate.stands_in),
      in_step(answer.estimate.in_step),
      framework(answer.implementation.framework),
      version(answer.implementation.version),
      kernel(answer.implementation.kernel),
      scheme_priced(answer.scheme_priced) {
  if (stands_in) stands_in_for = asked_for(answer, op, asked);
}

void StepBatch::set_decode(std::span<const std::int32_t> contexts) {
  decode_requests = std::ssize(contexts);
  decode_contexts = contexts;
  decode_context_sum = 0;
  decode_context_max = 0;
  for (const std::int32_t context : contexts) {
    decode_context_sum += context;
    decode_context_max = std::max(decode_context_max, context);
  }
}

StepCost joined_cost(const StepCost& a, const StepCost& b) {
  return {.p10 = a.p10 + b.p10,
          .p50 = a.p50 + b.p50,
          .p90 = a.p90 + b.p90,
          .collectives = a.collectives + b.collectives,
          .images_p10 = a.images_p10 + b.images_p10,
          .images_p50 = a.images_p50 + b.images_p50,
          .images_p90 = a.images_p90 + b.images_p90};
}

void add_kernel_times(std::vector<KernelTime>& sum, std::span<const KernelTime> kernels) {
  for (const KernelTime& kernel : kernels) {
    const auto same = std::find_if(sum.begin(), sum.end(), [&](const KernelTime& other) {
      return other.family == kernel.family && other.label == kernel.label && other.source == kernel.source;
    });
    if (same == sum.end()) {
      sum.push_back(kernel);
    } else {
      same->time += kernel.time;
      same->calls += kernel.calls;
    }
  }
}

}  // namespace warploom
