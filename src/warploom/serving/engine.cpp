#include "warploom/serving/engine.h"

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/batching/scheduler_registry.h"

namespace warploom {
namespace {

// SGLang's radix tree knows single tokens; units of this many keep the work per prompt small.
constexpr std::int64_t kLeastUnitTokens = 16;

KvCache make_cache(const ServingConfig& config, const Workload* workload, std::int64_t blocks) {
  const std::int64_t block_size = block_size_of(config);
  const bool keeps = config.enable_prefix_caching && workload != nullptr && !workload->content.empty();
  const std::int64_t unit = keeps ? (kLeastUnitTokens + block_size - 1) / block_size : 0;
  return KvCache(blocks, block_size, unit);
}

}  // namespace

Engine::Engine(const ServingConfig& config, std::int64_t kv_blocks, const Workload* workload)
    : state_{.sequences = {},
             .running = {},
             .waiting = {},
             .kv_cache = make_cache(config, workload, kv_blocks),
             .preemptions = 0,
             .workload = workload},
      scheduler_(make_scheduler(config.engine, limits_of(config))),
      pipelined_(config.pipeline_parallel_size > 1) {}

void Engine::add(std::uint32_t request, std::int32_t input_tokens, std::int32_t output_tokens) {
  Sequence sequence;
  sequence.request = request;
  sequence.input_tokens = input_tokens;
  sequence.output_tokens = output_tokens;
  Slot slot;
  if (free_slots_.empty()) {
    slot = Slot(state_.sequences.size());
    state_.sequences.push_back(sequence);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    sequence.units.swap(state_.sequences[slot].units);  // keeps its memory
    state_.sequences[slot] = std::move(sequence);
  }
  state_.waiting.push_back(slot);
}

ScheduledBatch Engine::take_spare() {
  if (spare_.empty()) return {};
  ScheduledBatch batch = std::move(spare_.back());
  spare_.pop_back();
  batch.clear();
  return batch;
}

bool Engine::start(SimTime now) {
  ScheduledBatch batch = take_spare();
  scheduler_->schedule(state_, batch);
  if (batch.empty()) {
    spare_.push_back(std::move(batch));
    return false;
  }
  for (const Slot slot : batch.first_scheduled) state_.sequences[slot].scheduled = now;
  if (state_.kv_cache.keeps_prefixes())
    for (const Slot slot : batch.scheduled) state_.keep_prefix(state_.sequences[slot]);
  if (pipelined_)
    for (const Slot slot : batch.emitting) state_.sequences[slot].awaits_token = true;
  in_flight_.push_back(std::move(batch));
  return true;
}

void Engine::start_idle() { in_flight_.push_back(take_spare()); }

void Engine::finish(SimTime now, EngineObserver& observer) {
  WARPLOOM_ASSERT(!in_flight_.empty());
  ScheduledBatch batch = std::move(in_flight_.front());
  in_flight_.pop_front();
  SimDuration gap;
  std::int64_t run = 0;  // tokens in a row with one gap: most of a batch shares it
  for (const Slot slot : batch.emitting) {
    Sequence& sequence = state_.sequences[slot];
    if (sequence.outputs_emitted == 0) {
      sequence.first_token = now;
    } else {
      const SimDuration own = now - sequence.last_token;
      if (own != gap && run > 0) {
        observer.on_token_gaps(gap, run);
        run = 0;
      }
      gap = own;
      ++run;
    }
    sequence.last_token = now;
    sequence.awaits_token = false;
    ++sequence.outputs_emitted;
  }
  if (run > 0) observer.on_token_gaps(gap, run);
  observer.on_tokens(now, std::int64_t(batch.emitting.size()));

  std::size_t retired = 0;
  for (const Slot slot : batch.emitting) {
    const Sequence& sequence = state_.sequences[slot];
    if (sequence.outputs_emitted == sequence.output_tokens) {
      retire(slot, now, observer);
      ++retired;
    }
  }
  if (retired > 0) {
    std::erase_if(state_.running, [&](Slot slot) { return state_.sequences[slot].output_tokens == 0; });
  }
  spare_.push_back(std::move(batch));
}

void Engine::retire(Slot slot, SimTime now, EngineObserver& observer) {
  Sequence& sequence = state_.sequences[slot];
  observer.on_completion(now, sequence);
  state_.release(sequence);
  sequence.output_tokens = 0;  // marks the slot as retired until it is reused
  free_slots_.push_back(slot);
}

}  // namespace warploom
