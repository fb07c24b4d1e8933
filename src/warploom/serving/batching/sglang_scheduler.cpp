#include "warploom/serving/batching/sglang_scheduler.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "warploom/base/hash.h"

namespace warploom {
namespace {

// Names and values of sglang/srt/environ.py and global_config.py.
constexpr double kInitialNewTokenRatio = 0.7;
constexpr double kLeastNewTokenRatioFactor = 0.14;
constexpr double kNewTokenRatioDecaySteps = 600;
constexpr std::int64_t kRetractDecodeSteps = 20;
constexpr std::int64_t kClippedNewTokens = 4096;
constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
// Names and values of schedule_policy.py.
constexpr std::size_t kMostSortedByPrefix = 128;                  // longer queues are served as they came
constexpr std::int64_t kInBatchPrefixCheckThreshold = 32;         // tokens found in the cache
constexpr std::int64_t kInBatchPrefixDeprioritizeThreshold = 32;  // tokens shared within the queue

std::int64_t expected_outputs(const Sequence& sequence) {
  return std::min<std::int64_t>(sequence.output_tokens - sequence.outputs_scheduled, kClippedNewTokens);
}

}  // namespace

SglangScheduler::SglangScheduler(const SglangLimits& limits)
    : limits_(limits),
      first_ratio_(std::min(1.0, kInitialNewTokenRatio * limits.conservativeness)),
      new_token_ratio_(first_ratio_),
      least_ratio_(std::min(1.0, new_token_ratio_ * kLeastNewTokenRatioFactor)),
      ratio_decay_((new_token_ratio_ - least_ratio_) / kNewTokenRatioDecaySteps) {}

bool SglangScheduler::decodes(const SchedulerState& state, Slot slot) const {
  return !state.sequences[slot].idle() && !(chunked_ && *chunked_ == slot);
}

void SglangScheduler::receive(const SchedulerState& state) {
  ++steps_since_;
  received_ = std::min(received_, state.waiting.size());
  // What was fetched returns to the queue, and was seen before.
  const bool fetched =
      received_ < state.waiting.size() && state.sequences[state.waiting[received_]].computed_tokens > 0;
  const bool due = prefilled_ || fetched || steps_since_ >= limits_.receive_interval || state.running.empty();
  if (!due) return;
  steps_since_ = 0;
  received_ = state.waiting.size();
}

void SglangScheduler::look_back(const SchedulerState& state) {
  if (state.running.size() < last_size_ || state.running.empty()) full_ = false;
  if (state.running.empty()) expected_outputs_ = 0;
}

void SglangScheduler::schedule(SchedulerState& state, ScheduledBatch& batch) {
  look_back(state);
  receive(state);
  const std::size_t decoding = state.running.size();
  if (chunked_ || (received_ > 0 && !full_)) {
    Budget budget = prefill_budget(state);
    order_queue(state);
    if (chunked_) continue_chunk(state, batch, budget);
    // Whatever is promised, an engine that runs nothing takes the next request.
    const auto open = [&] { return !full_ && (state.running.empty() || !budget.exhausted()); };
    while (received_ > 0 && open() && admit_next(state, batch, budget)) {
    }
  }
  prefilled_ = !batch.empty();
  if (batch.empty()) {
    retract(state);
    schedule_decode(state, batch, state.running.size());
  } else if (limits_.mix_decode) {
    schedule_decode(state, batch, decoding);
  }
  if (batch.empty() && state.running.empty()) new_token_ratio_ = first_ratio_;
  last_size_ = state.running.size();
}

SglangScheduler::Budget SglangScheduler::prefill_budget(const SchedulerState& state) const {
  const double promised = double(expected_outputs_) * new_token_ratio_;
  const std::int64_t mixed = limits_.mix_decode
                                 ? std::count_if(state.running.begin(), state.running.end(),
                                                 [&](Slot slot) { return decodes(state, slot); })
                                 : 0;
  const auto free = double(state.kv_cache.free_blocks()) * double(state.kv_cache.block_size());
  const std::int64_t chunk = limits_.chunked_prefill_size > 0 ? limits_.chunked_prefill_size
                                                              : std::numeric_limits<std::int64_t>::max();
  return {free - promised - double(mixed), limits_.max_num_batched_tokens - mixed, chunk - mixed};
}

std::int64_t SglangScheduler::rank_of(SchedulerState& state, Slot slot, std::uint64_t order) {
  Sequence& sequence = state.sequences[slot];
  if (limits_.policy == SglangPolicy::Random)
    return std::int64_t(hash_combine(order, sequence.identity) >> 1);
  if (limits_.policy == SglangPolicy::Lof) return -std::int64_t(sequence.output_tokens);
  return prefix_rank(state, sequence);
}

std::int64_t SglangScheduler::prefix_rank(SchedulerState& state, Sequence& sequence) {
  const PrefixMatch match = state.match_prefix(sequence);
  const std::int64_t rank = -(std::int64_t(match.units) + match.cpu + match.disk);
  const std::int64_t unit = state.kv_cache.unit_tokens();
  if (unit == 0 || match.units * unit > kInBatchPrefixCheckThreshold) return rank;
  const std::uint64_t start =
      state.start_of_prompt(sequence, (kInBatchPrefixDeprioritizeThreshold + unit - 1) / unit);
  if (start == 0) return rank;  // a short prompt, or one of its own
  if (std::find(starts_.begin(), starts_.end(), start) != starts_.end())
    return std::numeric_limits<std::int64_t>::max();
  starts_.push_back(start);
  return rank;
}

void SglangScheduler::order_queue(SchedulerState& state) {
  const bool long_queue = received_ > kMostSortedByPrefix;
  if (limits_.policy == SglangPolicy::Fcfs || received_ < 2 ||
      (limits_.policy == SglangPolicy::Lpm && long_queue))
    return;
  const std::uint64_t order = orders_++;
  starts_.clear();
  std::vector<std::pair<std::int64_t, Slot>> ranked;
  ranked.reserve(received_);
  for (std::size_t i = 0; i < received_; ++i)
    ranked.emplace_back(rank_of(state, state.waiting[i], order), state.waiting[i]);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < ranked.size(); ++i) state.waiting[i] = ranked[i].second;
}

void SglangScheduler::continue_chunk(SchedulerState& state, ScheduledBatch& batch, Budget& budget) {
  const Slot slot = *chunked_;
  Sequence& sequence = state.sequences[slot];
  const std::int64_t rest = sequence.rest();
  const std::int64_t tokens = std::min(rest, budget.chunk);
  if (tokens <= 0 || !state.grow(sequence, tokens)) {
    budget.chunk = 0;  // nothing else is prefilled before the prompt that was cut
    return;
  }
  batch.add(slot, sequence, std::int32_t(tokens));
  budget.input -= tokens;
  budget.chunk -= tokens;
  budget.total -= double(tokens);
  if (tokens == rest) {
    budget.total -= double(expected_outputs(sequence));
    expected_outputs_ += expected_outputs(sequence);
    chunked_.reset();
  } else {
    budget.chunk = 0;
  }
}

bool SglangScheduler::admit_next(SchedulerState& state, ScheduledBatch& batch, Budget& budget) {
  if (std::ssize(state.running) >= limits_.max_num_seqs) {
    full_ = true;
    return false;
  }
  const Slot slot = state.waiting.front();
  Sequence& sequence = state.sequences[slot];
  const PrefixMatch match = state.match_prefix(sequence);
  const HeadOfQueue head = state.fetch_head(match);
  if (head == HeadOfQueue::Fetching) {
    --received_;
    return true;
  }
  if (head == HeadOfQueue::Blocked) {
    full_ = true;
    return false;
  }
  const std::int64_t tokens = tokens_of_next(state, batch, budget, match);
  if (tokens == 0) return false;
  const std::int64_t rest = sequence.rest(), outputs = expected_outputs(sequence);
  state.waiting.pop_front();
  --received_;
  state.running.push_back(slot);
  batch.add(slot, sequence, std::int32_t(tokens));
  budget.total -= double(tokens);
  budget.input -= tokens;
  budget.chunk -= tokens;
  if (tokens < rest) {
    chunked_ = slot;
    return false;
  }
  budget.total -= double(outputs);
  expected_outputs_ += expected_outputs(sequence);
  return true;
}

std::int64_t SglangScheduler::tokens_of_next(SchedulerState& state, const ScheduledBatch& batch,
                                             const Budget& budget, const PrefixMatch& match) {
  Sequence& sequence = state.sequences[state.waiting.front()];
  const std::int64_t block = state.kv_cache.block_size();
  const std::int64_t found = match.units * state.kv_cache.unit_tokens();
  const auto taken = double(match.idle * state.kv_cache.unit_blocks() * block);
  const std::int64_t rest = sequence.rest() - found;
  const std::int64_t outputs = expected_outputs(sequence);
  const double promised = double(rest + outputs + state.kv_cache.layout().state * block);
  // A request alone in the engine runs as far as its blocks go.
  if (!state.running.empty() && promised >= budget.total - taken) {
    full_ = true;
    return 0;
  }
  if (rest >= budget.input && !batch.empty()) return 0;
  const std::int64_t tokens = rest > budget.chunk ? budget.chunk / block * block : rest;
  if (tokens <= 0) return 0;
  if (!state.fits(sequence, match, sequence.computed_tokens + found + tokens)) {
    full_ = true;
    return 0;
  }
  state.take_prefix(sequence, match);
  const bool grown = state.grow(sequence, tokens);
  WARPLOOM_ASSERT(grown);
  return tokens;
}

std::int64_t SglangScheduler::blocks_to_decode(const SchedulerState& state, const Sequence& sequence) {
  const std::int64_t tokens = 1 + state.drafts.most_proposed() + state.lookahead();
  return std::max<std::int64_t>(0, state.missing_blocks(sequence, sequence.computed_tokens + tokens));
}

void SglangScheduler::retract(SchedulerState& state) {
  std::int64_t needed = 0, decoding = 0;
  for (const Slot slot : state.running) {
    if (!decodes(state, slot)) continue;
    const Sequence& sequence = state.sequences[slot];
    needed += blocks_to_decode(state, sequence);
    ++decoding;
  }
  if (decoding == 0) return;
  if (needed <= state.kv_cache.free_blocks()) {
    new_token_ratio_ = std::max(least_ratio_, new_token_ratio_ - ratio_decay_);
    return;
  }
  while (needed > state.kv_cache.free_blocks() && decoding > 1) {
    std::size_t victim = state.running.size();
    for (std::size_t i = 0; i < state.running.size(); ++i) {
      if (!decodes(state, state.running[i])) continue;
      if (victim == state.running.size()) {
        victim = i;
        continue;
      }
      const Sequence &least = state.sequences[state.running[victim]],
                     &other = state.sequences[state.running[i]];
      if (other.outputs_scheduled < least.outputs_scheduled ||
          (other.outputs_scheduled == least.outputs_scheduled && other.input_tokens >= least.input_tokens))
        victim = i;
    }
    const Slot slot = state.running[victim];
    const Sequence& sequence = state.sequences[slot];
    needed -= blocks_to_decode(state, sequence);
    --decoding;
    state.running.erase(state.running.begin() + std::ptrdiff_t(victim));
    state.preempt(slot);
    state.waiting.pop_front();
    state.enqueue(slot);
  }
  full_ = false;
  if (needed > state.kv_cache.free_blocks() && chunked_) give_up_chunk(state);
  double done = 0, most = 1;
  for (const Slot slot : state.running) {
    if (!decodes(state, slot)) continue;
    done += double(state.sequences[slot].outputs_scheduled + kRetractDecodeSteps);
    most += double(state.sequences[slot].output_tokens);
  }
  new_token_ratio_ = std::min(1.0, done / most);
}

void SglangScheduler::give_up_chunk(SchedulerState& state) {
  const Slot slot = *chunked_;
  chunked_.reset();
  std::erase(state.running, slot);
  state.preempt(slot);
  ++received_;
}

void SglangScheduler::schedule_decode(SchedulerState& state, ScheduledBatch& batch, std::size_t most) {
  const Slot cut_before = batch.emitting.empty() ? kNoSlot : batch.emitting.front().slot;
  expected_outputs_ = 0;
  for (std::size_t i = 0; i < state.running.size(); ++i) {
    const Slot slot = state.running[i];
    Sequence& sequence = state.sequences[slot];
    // What was recomputed after a retraction comes back as a prompt, so one token is what is left here.
    if (i < most && decodes(state, slot) && slot != cut_before) {
      const std::int64_t tokens = state.decode_tokens(sequence, kUnlimited);
      if (state.grow(sequence, tokens + state.lookahead())) batch.add_decode(slot, state, tokens);
    }
    if (!(chunked_ && *chunked_ == slot)) expected_outputs_ += expected_outputs(sequence);
  }
}

}  // namespace warploom
