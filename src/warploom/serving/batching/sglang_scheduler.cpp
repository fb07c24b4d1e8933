#include "warploom/serving/batching/sglang_scheduler.h"

#include <algorithm>
#include <limits>

namespace warploom {
namespace {

// Names and values of sglang/srt/environ.py and global_config.py.
constexpr double kInitialNewTokenRatio = 0.7;
constexpr double kLeastNewTokenRatioFactor = 0.14;
constexpr double kNewTokenRatioDecaySteps = 600;
constexpr std::int64_t kRetractDecodeSteps = 20;
constexpr std::int64_t kClippedNewTokens = 4096;

std::int64_t expected_outputs(const Sequence& sequence) {
  return std::min<std::int64_t>(sequence.output_tokens - sequence.outputs_scheduled, kClippedNewTokens);
}

}  // namespace

SglangScheduler::SglangScheduler(const SchedulerLimits& limits)
    : limits_(limits),
      new_token_ratio_(std::min(1.0, kInitialNewTokenRatio * limits.conservativeness)),
      least_ratio_(std::min(1.0, new_token_ratio_ * kLeastNewTokenRatioFactor)),
      ratio_decay_((new_token_ratio_ - least_ratio_) / kNewTokenRatioDecaySteps) {}

bool SglangScheduler::decodes(const SchedulerState& state, Slot slot) const {
  return !state.sequences[slot].idle() && !(chunked_ && *chunked_ == slot);
}

void SglangScheduler::receive(const SchedulerState& state) {
  ++steps_since_;
  const bool due = prefilled_ || steps_since_ >= limits_.receive_interval || state.running.empty();
  if (!due) return;
  steps_since_ = 0;
  received_ = state.waiting.size();
}

void SglangScheduler::schedule(SchedulerState& state, ScheduledBatch& batch) {
  receive(state);
  const std::size_t decoding = state.running.size();
  if (chunked_ || received_ > 0) {
    Budget budget = prefill_budget(state);
    if (chunked_) continue_chunk(state, batch, budget);
    while (received_ > 0 && !budget.exhausted() && admit_next(state, batch, budget)) {
    }
  }
  prefilled_ = !batch.empty();
  if (batch.empty()) {
    schedule_decode(state, batch);
  } else if (limits_.mix_decode) {
    for (std::size_t i = 0; i < decoding; ++i) {
      const Slot slot = state.running[i];
      const bool chunk_of_step = !batch.emitting.empty() && batch.emitting.front() == slot;
      if (!decodes(state, slot) || chunk_of_step) continue;
      if (state.grow(state.sequences[slot], 1)) batch.add(slot, state.sequences[slot], 1);
    }
  }
}

SglangScheduler::Budget SglangScheduler::prefill_budget(const SchedulerState& state) const {
  double promised = 0;
  std::int64_t mixed = 0;
  for (const Slot slot : state.running) {
    if (!decodes(state, slot)) continue;
    promised += double(expected_outputs(state.sequences[slot])) * new_token_ratio_;
    if (limits_.mix_decode) ++mixed;
  }
  const auto free = double(state.kv_cache.free_blocks()) * double(state.kv_cache.block_size());
  const std::int64_t chunk = limits_.chunked_prefill_size > 0 ? limits_.chunked_prefill_size
                                                              : std::numeric_limits<std::int64_t>::max();
  return {free - promised - double(mixed), limits_.max_num_batched_tokens - mixed, chunk - mixed};
}

void SglangScheduler::continue_chunk(SchedulerState& state, ScheduledBatch& batch, Budget& budget) {
  const Slot slot = *chunked_;
  Sequence& sequence = state.sequences[slot];
  const std::int64_t rest = sequence.known_tokens() - sequence.computed_tokens;
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
    chunked_.reset();
  } else {
    budget.chunk = 0;
  }
}

bool SglangScheduler::admit_next(SchedulerState& state, ScheduledBatch& batch, Budget& budget) {
  if (std::ssize(state.running) >= limits_.max_num_seqs) return false;
  const Slot slot = state.waiting.front();
  Sequence& sequence = state.sequences[slot];
  const std::int64_t tokens = tokens_of_next(state, batch, budget);
  if (tokens == 0) {
    state.release(sequence);
    return false;
  }
  const std::int64_t rest = sequence.known_tokens() - sequence.computed_tokens,
                     outputs = expected_outputs(sequence);
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
  return true;
}

std::int64_t SglangScheduler::tokens_of_next(SchedulerState& state, const ScheduledBatch& batch,
                                             const Budget& budget) {
  Sequence& sequence = state.sequences[state.waiting.front()];
  const std::int64_t idle_before = state.kv_cache.free_blocks();
  state.take_prefix(sequence);
  const auto taken = double((idle_before - state.kv_cache.free_blocks()) * state.kv_cache.block_size());
  const std::int64_t rest = sequence.known_tokens() - sequence.computed_tokens;
  const std::int64_t outputs = expected_outputs(sequence);
  // A request alone in the engine runs as far as its blocks go.
  if (!state.running.empty() && double(rest + outputs) >= budget.total - taken) return 0;
  if (rest >= budget.input && !batch.empty()) return 0;
  std::int64_t tokens = rest;
  if (rest > budget.chunk) {
    const std::int64_t page = state.kv_cache.block_size();
    tokens = budget.chunk / page * page;
    if (tokens <= 0) return 0;
  }
  return state.grow(sequence, tokens) ? tokens : 0;
}

void SglangScheduler::retract(SchedulerState& state) {
  std::int64_t needed = 0, decoding = 0;
  for (const Slot slot : state.running) {
    if (!decodes(state, slot)) continue;
    const Sequence& sequence = state.sequences[slot];
    needed += state.kv_cache.blocks_for(sequence.computed_tokens + 1) - sequence.blocks;
    ++decoding;
  }
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
    needed -= state.kv_cache.blocks_for(sequence.computed_tokens + 1) - sequence.blocks;
    --decoding;
    state.running.erase(state.running.begin() + std::ptrdiff_t(victim));
    state.preempt(slot);
    state.waiting.pop_front();
    state.waiting.push_back(slot);
  }
  double done = 0, most = 1;
  for (const Slot slot : state.running) {
    if (!decodes(state, slot)) continue;
    done += double(state.sequences[slot].outputs_scheduled + kRetractDecodeSteps);
    most += double(state.sequences[slot].output_tokens);
  }
  new_token_ratio_ = std::min(1.0, done / most);
}

void SglangScheduler::schedule_decode(SchedulerState& state, ScheduledBatch& batch) {
  if (std::none_of(state.running.begin(), state.running.end(),
                   [&](Slot slot) { return decodes(state, slot); }))
    return;
  retract(state);
  for (const Slot slot : state.running) {
    Sequence& sequence = state.sequences[slot];
    if (!decodes(state, slot)) continue;
    // What was recomputed after a retraction comes back as a prompt, so one token is what is left here.
    if (state.grow(sequence, 1)) batch.add(slot, sequence, 1);
  }
}

}  // namespace warploom
