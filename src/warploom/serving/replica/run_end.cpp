#include "warploom/serving/replica/run_end.h"

#include <cmath>

namespace warploom {
namespace {

HostStep between(const HostStep& from, const HostStep& to, double share) {
  const auto part = [&](Seconds HostStep::*member) {
    return from.*member + (to.*member - from.*member) * share;
  };
  return {.before = part(&HostStep::before),
          .launch = part(&HostStep::launch),
          .finish = part(&HostStep::finish),
          .gap = part(&HostStep::gap),
          .pause = part(&HostStep::pause)};
}

}  // namespace

StepAtEnd step_at_end(const StepCost& cost, bool prompts, StepTime time, const HostAsked& asked) {
  const HostStep host = asked.host.step(asked.sequences, asked.mode);
  if (time == StepTime::Mid) return {cost.p50, host};
  const int side = time == StepTime::Low ? -1 : 1;
  const Seconds end = side < 0 ? cost.p10 : cost.p90;
  const Seconds kernels = (end - cost.p50) * (prompts ? kPromptRunShare : kDecodeRunShare);
  HostStep host_end = asked.host.step(asked.sequences, asked.mode, side);
  if (asked.at_end != nullptr)
    host_end = between(host_end, asked.at_end->step(asked.sequences, asked.mode, side), kHostRunShare);
  const Seconds middle = host.whole(cost.p50, asked.async);
  const double by_kernels = (host.whole(cost.p50 + kernels, asked.async) - middle).value();
  const double by_host = (host_end.whole(cost.p50, asked.async) - middle).value();
  const double sum = std::abs(by_kernels) + std::abs(by_host);
  const double together = sum > 0 ? std::hypot(by_kernels, by_host) / sum : 1;
  return {cost.p50 + kernels * together, between(host, host_end, together)};
}

}  // namespace warploom
