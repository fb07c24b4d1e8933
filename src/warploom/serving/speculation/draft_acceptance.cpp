#include "warploom/serving/speculation/draft_acceptance.h"

#include <algorithm>

#include "warploom/base/hash.h"

namespace warploom {

void SpeculationCounts::add(std::int64_t proposed, std::int64_t accepted) {
  ++drafts;
  draft_tokens += proposed;
  accepted_tokens += accepted;
  if (std::ssize(accepted_at) < accepted) accepted_at.resize(std::size_t(accepted), 0);
  for (std::int64_t i = 0; i < accepted; ++i) ++accepted_at[std::size_t(i)];
}

SpeculationCounts& SpeculationCounts::operator+=(const SpeculationCounts& other) {
  drafts += other.drafts;
  draft_tokens += other.draft_tokens;
  accepted_tokens += other.accepted_tokens;
  accepted_at.resize(std::max(accepted_at.size(), other.accepted_at.size()), 0);
  for (std::size_t i = 0; i < other.accepted_at.size(); ++i) accepted_at[i] += other.accepted_at[i];
  return *this;
}

DraftAcceptance::DraftAcceptance(const SpeculativeConfig& config, std::uint64_t seed)
    : verified_(config.on() ? config.verified_tokens - 1 : 0),
      lookahead_(config.on() && config.method->on_gpu() ? config.steps : 0),
      proposal_rate_(config.proposal_rate),
      seed_(seed),
      acceptance_(config.acceptance) {}

double DraftAcceptance::uniform(std::uint32_t request, std::int32_t output, std::uint64_t stream) const {
  const std::uint64_t key = std::uint64_t(request) << 32 | std::uint32_t(output);
  return double(hash_combine(hash_combine(seed_, stream), key) >> 11) * 0x1.0p-53;
}

std::int64_t DraftAcceptance::draw(std::uint32_t request, std::int32_t output, std::int64_t most) const {
  if (proposal_rate_ < 1 && uniform(request, output, 1) >= proposal_rate_) return 0;
  return std::min(verified_, most);
}

std::int64_t DraftAcceptance::accepted(std::uint32_t request, std::int32_t output,
                                       std::int64_t proposed) const {
  if (proposed <= 0) return 0;
  const double u = uniform(request, output, 2);
  const auto first_refused =
      std::find_if(acceptance_.begin(), acceptance_.end(), [&](double rate) { return u >= rate; });
  return std::min<std::int64_t>(proposed, first_refused - acceptance_.begin());
}

}  // namespace warploom
