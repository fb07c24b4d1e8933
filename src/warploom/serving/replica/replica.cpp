#include "warploom/serving/replica/replica.h"

#include <algorithm>

#include "warploom/base/divide_up.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

// SGLang's radix tree knows single tokens; units of this many keep the work per prompt small.
constexpr std::int64_t kLeastUnitTokens = 16;

}  // namespace

std::int64_t unit_tokens_of(const ServingConfig& config) {
  const std::int64_t page = block_size_of(config) * config.kv_layout.full_stretch;
  return (kLeastUnitTokens + page - 1) / page * page;
}

namespace {

KvCache make_cache(const ServingConfig& config, const Workload* workload, std::int64_t blocks) {
  const std::int64_t block_size = block_size_of(config);
  const bool keeps = config.enable_prefix_caching && workload != nullptr && !workload->content.empty();
  const std::int64_t page = block_size * config.kv_layout.full_stretch;
  const std::int64_t unit = keeps ? (kLeastUnitTokens + page - 1) / page : 0;
  return KvCache(blocks, block_size, unit, config.kv_layout);
}

// vLLM's compute_mm_encoder_budget: as many tokens as a step may have, and at least the largest image.
void set_encoder(const ServingConfig& config, const Workload* workload, SchedulerState& state) {
  if (workload == nullptr || workload->images.empty() || !engine_named(config.engine).cuts_at_images) return;
  std::int64_t most = std::max(max_num_batched_tokens_of(config), config.most_image_tokens);
  for (const ImageShape& shape : workload->image_shapes) most = std::max(most, shape.tokens);
  state.encoder.emplace(most, most);
}

// SGLang writes states at multiples of so many tokens of a prompt (CHUNK_SIZE of
// kernels/ops/attention/fla/chunk_delta_h.py).
constexpr std::int64_t kPoolStateTokens = 64;

// Prefixes are told apart by units, so a state stands at the end of one.
PrefixStates states_of(const ServingConfig& config) {
  const std::int64_t unit = unit_tokens_of(config);
  if (config.kv_layout.states_kept != StateKeeping::None) return PrefixStates::in_blocks(unit);
  if (config.state_pool.slots < 1) return {};
  return PrefixStates::in_pool(divide_up(kPoolStateTokens, unit) * unit, config.state_pool.slots,
                               config.state_pool.held);
}

SchedulerState make_state(const ServingConfig& config, std::int64_t kv_blocks, const Workload* workload,
                          const EngineOptions& options) {
  SchedulerState state{.kv_cache = make_cache(config, workload, kv_blocks),
                       .workload = workload,
                       .by_priority = engine_named(config.engine).orders_by_priority(config),
                       .step_tokens = max_num_batched_tokens_of(config)};
  if (options.role == EngineRole::Whole) state.drafts = DraftAcceptance(options.speculation, options.seed);
  set_encoder(config, workload, state);
  if (!state.kv_cache.keeps_prefixes()) return state;
  state.states = states_of(config);
  if (options.tiers.exists() || options.remote != nullptr)
    state.tiers = std::make_unique<KvTiers>(options.tiers, state.kv_cache.unit_tokens());
  state.remote = options.remote;
  state.remote_id = options.remote_id;
  return state;
}

}  // namespace

Replica::Replica(const ServingConfig& config, std::int64_t kv_blocks, const Workload* workload,
                 const EngineOptions& options)
    : state_(make_state(config, kv_blocks, workload, options)),
      scheduler_(engine_named(config.engine).scheduler(config)),
      role_(options.role),
      pipelined_(config.pipeline_parallel_size > 1),
      max_num_seqs_(max_num_seqs_of(config)) {}

Slot Replica::add(const EngineRequest& request) {
  Slot slot;
  if (free_slots_.empty()) {
    slot = Slot(state_.sequences.size());
    state_.sequences.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Sequence& sequence = state_.sequences[slot];
  sequence.units.clear();  // keeps its memory
  sequence.hashes.clear();
  Sequence fresh;
  fresh.units.swap(sequence.units);
  fresh.hashes.swap(sequence.hashes);
  fresh.request = request.request;
  fresh.identity = state_.workload != nullptr ? state_.workload->origin_of(request.request) : request.request;
  fresh.input_tokens = request.input_tokens;
  fresh.output_tokens = request.output_tokens;
  fresh.priority = request.priority;
  fresh.images = request.images;
  fresh.encoded = request.encoded;
  fresh.thinking_tokens = request.thinking_tokens;
  fresh.remote_tokens = request.remote_tokens;
  fresh.outputs_emitted = request.outputs_before;
  fresh.outputs_scheduled = request.outputs_before + request.outputs_coming;
  fresh.arrival = request.arrival;
  fresh.first_token = request.first_token;
  fresh.last_token = request.last_token;
  fresh.first_answer = request.first_answer;
  sequence = std::move(fresh);
  state_.enqueue(slot);
  arrived_.push_back(slot);
  return slot;
}

// Fetched sequences wait with their blocks; when no step can run, or one that ran had to stop, nobody else
// will give blocks back.
bool Replica::yield_waiting_blocks(bool stopped) {
  if (!stopped && (!state_.fetching.empty() || in_flight_.size() > 1)) return false;  // one is being filled
  const std::size_t served_first = state_.running.empty() ? 1 : 0;
  for (std::size_t i = state_.waiting.size(); i-- > served_first;) {
    Sequence& sequence = state_.sequences[state_.waiting[i]];
    if (sequence.blocks == 0) continue;
    state_.release(sequence);
    return true;
  }
  return false;
}

RankLoad Replica::load() const {
  return {.prompts = !state_.waiting.empty(),
          .decodes = !state_.running.empty(),
          .has_place = std::ssize(state_.running) + std::ssize(state_.fetching) < max_num_seqs_};
}

bool Replica::start(SimTime now) {
  state_.kv_cache.look_at(now);
  for (const Slot slot : arrived_) state_.sequences[slot].taken_in = now;
  arrived_.clear();
  ScheduledBatch& batch = in_flight_.push();
  bool stopped = false;
  do {
    const std::int64_t before = state_.preemptions;
    scheduler_->schedule(state_, batch);
    stopped = state_.preemptions > before;
    // A request that preempted itself left its blocks to others: the engines go round their loop again.
  } while (batch.empty() && !state_.waiting.empty() &&
           (yield_waiting_blocks(stopped) || (stopped && in_flight_.size() == 1)));
  if (batch.empty()) {
    in_flight_.drop_back();
    return false;
  }
  for (const Slot slot : batch.first_scheduled) state_.sequences[slot].scheduled = now;
  if (!state_.encoder) encode_first(batch);
  if (state_.kv_cache.keeps_prefixes())
    for (const Slot slot : state_.running) state_.keep_prefix(state_.sequences[slot]);
  if (pipelined_)
    for (const Emission& emission : batch.emitting) state_.sequences[emission.slot].awaits_token = true;
  return true;
}

// A preempted request finds its images where they were put. What was found in caches needs none (SGLang's
// _get_chunked_prefill_embedding of managers/mm_schedule.py).
void Replica::encode_first(ScheduledBatch& batch) const {
  for (const Slot slot : batch.first_scheduled) {
    const Sequence& sequence = state_.sequences[slot];
    if (sequence.images == 0 || sequence.encoded) continue;
    for (const PlacedImage& image : state_.workload->images_of(sequence.request))
      if (state_.workload->end_of(image) > sequence.cached_tokens)
        batch.add_image(state_.workload->image_shapes[image.shape]);
  }
}

void Replica::start_idle() { in_flight_.push(); }

void Replica::see_price(Seconds gpu) {
  const ScheduledBatch& batch = in_flight_.back();
  if (state_.tiers && batch.decode_contexts.empty()) state_.tiers->see_prompt_step(gpu, batch.chunk_tokens);
}

bool Replica::emit(const ScheduledBatch& batch, SimTime now, EngineObserver& observer) {
  SimDuration gap;
  bool ends = false;
  std::int64_t run = 0, tokens = 0;  // gaps in a row that are equal: most of a batch shares one
  const auto last = batch.emitting.data() + batch.emitting.size();
  for (const Emission& emission : batch.emitting) {
    constexpr std::ptrdiff_t kAhead = 8;  // in memory
    if (last - &emission > kAhead) __builtin_prefetch(&state_.sequences[(&emission)[kAhead].slot], 1);
    Sequence& sequence = state_.sequences[emission.slot];
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
    const std::int32_t before = sequence.outputs_emitted, after = before + emission.tokens;
    if (before <= sequence.thinking_tokens && after > sequence.thinking_tokens) sequence.first_answer = now;
    sequence.outputs_emitted = after;
    ends |= after == sequence.output_tokens;
    tokens += emission.tokens;
  }
  if (run > 0) observer.on_token_gaps(gap, run);
  observer.on_tokens(now, tokens);
  if (!observer.watches_outputs()) return ends;
  for (const Emission& emission : batch.emitting)
    observer.on_outputs(state_.sequences[emission.slot], emission.tokens);
  return ends;
}

void Replica::finish(SimTime now, EngineObserver& observer) {
  const ScheduledBatch& batch = in_flight_.pop();
  if (!state_.image_holders.empty()) state_.let_go_computed_images();
  if (role_ == EngineRole::Whole) {
    if (!emit(batch, now, observer)) return;
  } else {
    for (const Emission& emission : batch.emitting) {
      state_.sequences[emission.slot].awaits_token = false;
      state_.sequences[emission.slot].outputs_emitted += emission.tokens;
    }
  }
  std::size_t retired = 0;
  for (const Emission& emission : batch.emitting) {
    const Sequence& sequence = state_.sequences[emission.slot];
    if (sequence.outputs_emitted == sequence.output_tokens) {
      retire(emission.slot, now, observer);
      ++retired;
    }
  }
  if (retired > 0) {
    std::erase_if(state_.running, [&](Slot slot) { return state_.sequences[slot].done; });
  }
}

void Replica::retire(Slot slot, SimTime now, EngineObserver& observer) {
  Sequence& sequence = state_.sequences[slot];
  sequence.done = true;
  if (role_ == EngineRole::Prefill) {
    state_.held.push_back(slot);
    observer.on_completion(now, sequence, slot);
    return;
  }
  observer.on_completion(now, sequence, slot);
  state_.release(sequence);
  free_slots_.push_back(slot);
}

void Replica::fetched(Slot slot, SimTime now, EngineObserver& observer) {
  state_.kv_cache.look_at(now);
  Sequence& sequence = state_.sequences[slot];
  state_.end_fetch(slot);
  if (sequence.outputs_scheduled == sequence.outputs_emitted) return;
  // The token that the prefill gave comes with its keys and values.
  if (sequence.outputs_emitted == 0) {
    sequence.first_token = now;
  } else {
    observer.on_token_gaps(now - sequence.last_token, 1);
  }
  sequence.last_token = now;
  if (sequence.outputs_emitted <= sequence.thinking_tokens &&
      sequence.outputs_scheduled > sequence.thinking_tokens)
    sequence.first_answer = now;
  sequence.outputs_emitted = sequence.outputs_scheduled;
  observer.on_tokens(now, 1);
  if (observer.watches_outputs()) observer.on_outputs(sequence, 1);
  if (sequence.outputs_emitted < sequence.output_tokens) return;
  std::erase(state_.waiting, slot);
  retire(slot, now, observer);
}

void Replica::free_slot(Slot slot) {
  state_.release(state_.sequences[slot]);
  state_.sequences[slot].done = true;
  free_slots_.push_back(slot);
}

void Replica::release_held(Slot slot) {
  std::erase(state_.held, slot);
  free_slot(slot);
}

void Replica::cancel(Slot slot) {
  std::erase(state_.waiting, slot);
  std::erase(state_.fetching, slot);
  std::erase_if(state_.new_fetches, [&](const KvFetch& fetch) { return fetch.slot == slot; });
  free_slot(slot);
}

bool Replica::abandon(Slot slot) {
  Sequence& sequence = state_.sequences[slot];
  const auto among = [slot](const auto& slots) {
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
  };
  const bool coming = sequence.outputs_scheduled > sequence.outputs_emitted;
  if (!coming && among(state_.waiting)) {
    cancel(slot);
    return true;
  }
  const int more = coming && among(state_.running) ? 0 : 1;
  sequence.output_tokens = std::min(sequence.output_tokens, sequence.outputs_scheduled + more);
  return false;
}

std::vector<Slot> Replica::all_slots() const {
  std::vector<Slot> slots(state_.running.begin(), state_.running.end());
  slots.insert(slots.end(), state_.fetching.begin(), state_.fetching.end());
  slots.insert(slots.end(), state_.waiting.begin(), state_.waiting.end());
  slots.insert(slots.end(), state_.held.begin(), state_.held.end());
  return slots;
}

}  // namespace warploom
