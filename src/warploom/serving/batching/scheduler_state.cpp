#include "warploom/serving/batching/scheduler_state.h"

#include <algorithm>
#include <tuple>

#include "warploom/base/error.h"

namespace warploom {

std::span<const ContentSegment> SchedulerState::content_of(std::uint32_t request) const {
  if (workload == nullptr || !kv_cache.keeps_prefixes()) return {};
  return workload->content_of(request);
}

void SchedulerState::enqueue(Slot slot) {
  if (by_priority) return enqueue_by_priority(slot);
  waiting.push_back(slot);
}

void SchedulerState::enqueue_first(Slot slot) {
  if (by_priority) return enqueue_by_priority(slot);
  waiting.push_front(slot);
}

void SchedulerState::enqueue_by_priority(Slot slot) {
  const auto rank = [&](Slot s) {
    const Sequence& sequence = sequences[s];
    return std::tuple(sequence.priority, sequence.arrival, sequence.request);
  };
  const auto place = std::upper_bound(waiting.begin(), waiting.end(), rank(slot),
                                      [&](const auto& own, Slot other) { return own < rank(other); });
  waiting.insert(place, slot);
}

std::uint64_t SchedulerState::hash_of(Sequence& sequence, std::size_t unit) {
  if (sequence.hashes.empty())
    sequence.hasher = PrefixHasher(content_of(sequence.request), kv_cache.unit_tokens());
  if (const std::size_t known = sequence.hashes.size(); known <= unit) {
    sequence.hashes.resize(unit + 1);
    sequence.hasher.next(std::span(sequence.hashes).subspan(known));
  }
  return sequence.hashes[unit];
}

PrefixMatch SchedulerState::match_prefix(Sequence& sequence) {
  PrefixMatch match;
  if (sequence.computed_tokens > 0 || content_of(sequence.request).empty()) return match;
  const auto most = std::int32_t((sequence.known_tokens() - 1) / kv_cache.unit_tokens());
  if (most <= 0) return match;
  hash_of(sequence, std::size_t(most - 1));
  const auto hashes = std::span<const std::uint64_t>(sequence.hashes).first(std::size_t(most));
  const std::size_t guess = units_of_first_stretch(content_of(sequence.request), kv_cache.unit_tokens());
  std::size_t found = kv_cache.leading(hashes, guess);
  if (states.on()) found = units_with_state(sequence, found);
  match.units = std::int32_t(found);
  match.idle = std::int32_t(kv_cache.idle_among(hashes.first(found), guess));
  for (std::size_t i = 0; tiers != nullptr && i < found; ++i) tiers->touch(hashes[i]);
  if (tiers == nullptr || states.on() || sequence.remote_tokens > 0) return match;
  for (std::int32_t i = match.units; i < most; ++i) {
    const KvTier tier = tiers->find(hash_of(sequence, std::size_t(i)));
    if (tier == KvTier::None) break;
    ++(tier == KvTier::Cpu ? match.cpu : match.disk);
  }
  if (remote != nullptr)
    match.remote = remote->find(remote_id, hashes,
                                std::size_t(match.units) + std::size_t(match.cpu) + std::size_t(match.disk));
  return match;
}

std::size_t SchedulerState::units_with_state(Sequence& sequence, std::size_t found) {
  const std::int64_t unit = kv_cache.unit_tokens(), grain = states.grain();
  std::size_t units = found;
  while (units > 0 &&
         (std::int64_t(units) * unit % grain != 0 || !states.find(kv_cache, hash_of(sequence, units - 1))))
    --units;
  const std::int64_t branch = std::int64_t(found) * unit / grain * grain;
  sequence.branch_tokens = branch > std::int64_t(units) * unit ? std::int32_t(branch) : 0;
  return units;
}

void SchedulerState::keep_state(Sequence& sequence, std::int64_t tokens) {
  if (tokens <= sequence.state_tokens || tokens > sequence.computed_tokens) return;
  const std::int64_t unit = kv_cache.unit_tokens();
  states.keep(kv_cache, hash_of(sequence, std::size_t(tokens / unit - 1)), std::ssize(running));
  sequence.state_tokens = std::int32_t(tokens);
}

void SchedulerState::keep_states(Sequence& sequence) {
  if (sequence.state_tokens >= sequence.input_tokens) return;
  keep_state(sequence, sequence.branch_tokens);
  keep_state(sequence, states.last_place(sequence.computed_tokens, sequence.input_tokens));
}

std::uint64_t SchedulerState::start_of_prompt(Sequence& sequence, std::int64_t units) {
  if (content_of(sequence.request).empty() || sequence.known_tokens() < units * kv_cache.unit_tokens())
    return 0;
  return hash_of(sequence, std::size_t(units - 1));
}

bool SchedulerState::fits(const Sequence& sequence, const PrefixMatch& match, std::int64_t tokens,
                          std::int64_t reserved) const {
  const std::int64_t unit = kv_cache.unit_blocks(), size = kv_cache.block_size();
  const std::int64_t computed = sequence.computed_tokens + match.units * kv_cache.unit_tokens();
  std::int64_t needed = kv_cache.layout().blocks(tokens, computed, size);
  if (reserved > 0) needed = std::max(needed, kv_cache.layout().most_blocks(reserved, step_tokens, size));
  return needed - sequence.blocks - match.units * unit <= kv_cache.free_blocks() - match.idle * unit;
}

void SchedulerState::take_prefix(Sequence& sequence, const PrefixMatch& match) {
  if (match.units == 0) return;
  hash_of(sequence, std::size_t(match.units - 1));
  kv_cache.acquire_all(std::span(sequence.hashes).first(std::size_t(match.units)), sequence.units);
  sequence.hashed_units = match.units;
  sequence.computed_tokens = std::int32_t(match.units * kv_cache.unit_tokens());
  sequence.blocks = std::int32_t(match.units * kv_cache.unit_blocks());
  sequence.room_tokens = sequence.computed_tokens;
  sequence.state_tokens = sequence.computed_tokens;
  if (!sequence.was_scheduled) sequence.cached_tokens = sequence.computed_tokens;
}

bool SchedulerState::choose_fetch(const PrefixMatch& match, KvFetch& fetch) const {
  if (tiers == nullptr) return false;
  const std::int64_t unit = kv_cache.unit_tokens();
  if (tiers->fetches(match.cpu * unit, match.disk * unit)) {
    fetch.cpu_tokens = match.cpu * unit;
    fetch.disk_tokens = match.disk * unit;
  } else if (match.cpu + match.disk > 0) {
    return false;  // what follows would have nothing before it
  }
  if (remote != nullptr &&
      remote->fetches(remote_id, match.remote, unit, tiers->computing_time(match.remote.units() * unit))) {
    fetch.peer = match.remote.peer;
    fetch.peer_tokens = match.remote.peer_units * unit;
    fetch.store_tokens = match.remote.store_units * unit;
  }
  return fetch.cpu_tokens + fetch.disk_tokens + fetch.peer_tokens + fetch.store_tokens > 0;
}

HeadOfQueue SchedulerState::fetch_head(const PrefixMatch& match, std::size_t place) {
  const Slot slot = waiting[place];
  Sequence& sequence = sequences[slot];
  KvFetch fetch{.slot = slot, .remote_tokens = sequence.remote_tokens};
  if (fetch.remote_tokens == 0 && !choose_fetch(match, fetch)) return HeadOfQueue::Ready;
  const std::int64_t fetched =
      fetch.remote_tokens + fetch.cpu_tokens + fetch.disk_tokens + fetch.peer_tokens + fetch.store_tokens;
  const std::int64_t tokens = fetch.remote_tokens > 0
                                  ? std::max(fetched, match.units * kv_cache.unit_tokens())
                                  : fetched + match.units * kv_cache.unit_tokens();
  // As vLLM's scheduler_reserve_full_isl: nothing is fetched for a prompt that could not go on. What lies
  // behind a window is not fetched.
  const std::int64_t most = std::max<std::int64_t>(tokens, sequence.known_tokens());
  if (!fits(sequence, match, 0, most)) return HeadOfQueue::Blocked;
  take_prefix(sequence, match);
  // What the cache already holds of a remote prompt is not sent again.
  if (fetch.remote_tokens > 0)
    fetch.remote_tokens -= std::min<std::int64_t>(sequence.computed_tokens, fetched);
  const bool found = take_blocks(sequence, tokens, tokens);
  WARPLOOM_ASSERT(found);
  sequence.fetching_tokens = std::int32_t(tokens) - sequence.computed_tokens;
  waiting.erase(waiting.begin() + std::ptrdiff_t(place));
  fetching.push_back(slot);
  new_fetches.push_back(fetch);
  return HeadOfQueue::Fetching;
}

void SchedulerState::end_fetch(Slot slot, bool arrived) {
  Sequence& sequence = sequences[slot];
  std::erase(fetching, slot);
  if (!arrived) release(sequence);
  sequence.computed_tokens += sequence.fetching_tokens;
  if (sequence.remote_tokens == 0 && !sequence.was_scheduled)
    sequence.cached_tokens = sequence.computed_tokens;
  sequence.fetching_tokens = 0;
  sequence.remote_tokens = 0;
  keep_prefix(sequence);
  if (by_priority) return enqueue_by_priority(slot);
  // Before those that came later: several fetches may end in any order.
  const auto place = std::find_if(waiting.begin(), waiting.end(), [&](Slot other) {
    return std::tuple(sequences[other].arrival, sequences[other].request) >
           std::tuple(sequence.arrival, sequence.request);
  });
  waiting.insert(place, slot);
}

bool SchedulerState::take_blocks(Sequence& sequence, std::int64_t tokens, std::int64_t computed) {
  const std::int64_t size = kv_cache.block_size();
  const std::int64_t needed = kv_cache.layout().blocks(tokens, computed, size) - sequence.blocks;
  if (needed < 0) {
    kv_cache.release(-needed);
  } else if (!kv_cache.allocate(needed)) {
    return false;
  }
  sequence.blocks += std::int32_t(needed);
  sequence.room_tokens = std::int32_t((tokens + size - 1) / size * size);
  return true;
}

void SchedulerState::keep_prefix(Sequence& sequence) {
  if (content_of(sequence.request).empty()) return;
  const std::int64_t unit = kv_cache.unit_tokens();
  while ((std::int64_t(sequence.hashed_units) + 1) * unit <= sequence.computed_tokens) {
    const std::uint64_t hash = hash_of(sequence, std::size_t(sequence.hashed_units));
    constexpr std::size_t kAhead = 8;
    if (const std::size_t ahead = std::size_t(sequence.hashed_units) + kAhead; ahead < sequence.hashes.size())
      kv_cache.expect(sequence.hashes[ahead]);
    const KvCache::Unit latest = sequence.units.empty() ? KvCache::kNoUnit : sequence.units.back();
    const KvCache::Unit kept =
        sequence.hashed_units == 0
            ? kv_cache.publish(hash)
            : kv_cache.publish_after(sequence.hashes[std::size_t(sequence.hashed_units - 1)], latest, hash);
    // Written through: the tiers below keep what the GPU still holds.
    if (tiers != nullptr) tiers->store(hash_of(sequence, std::size_t(sequence.hashed_units)));
    if (remote != nullptr && remote->stores()) new_units.push_back(hash);
    ++sequence.hashed_units;
    if (kept != KvCache::kNoUnit) sequence.units.push_back(kept);
  }
  if (states.on()) keep_states(sequence);
}

void SchedulerState::note_image_holder(Slot slot) {
  if (std::find(image_holders.begin(), image_holders.end(), slot) == image_holders.end())
    image_holders.push_back(slot);
}

void SchedulerState::let_go_computed_images() {
  std::erase_if(image_holders, [&](Slot slot) {
    const Sequence& sequence = sequences[slot];
    for (const PlacedImage& image : workload->images_of(sequence.request)) {
      if (workload->end_of(image) > sequence.computed_tokens) return false;
      encoder->let_go(image.identity, sequence.request);
    }
    return true;
  });
}

void SchedulerState::let_go_images(Slot slot) {
  if (std::erase(image_holders, slot) == 0) return;
  const Sequence& sequence = sequences[slot];
  for (const PlacedImage& image : workload->images_of(sequence.request))
    encoder->let_go(image.identity, sequence.request);
}

void SchedulerState::release(Sequence& sequence) {
  if (!image_holders.empty()) let_go_images(Slot(&sequence - sequences.data()));
  if (states.on() && sequence.hashed_units > 0)
    keep_state(sequence, states.last_of_outputs(sequence.computed_tokens, sequence.input_tokens));
  kv_cache.drop_all(sequence.units);
  kv_cache.release(sequence.blocks - std::int64_t(sequence.units.size()) * kv_cache.unit_blocks());
  sequence.units.clear();
  sequence.hashed_units = 0;
  sequence.blocks = 0;
  sequence.room_tokens = 0;
  sequence.state_tokens = 0;
  sequence.computed_tokens = 0;
  sequence.fetching_tokens = 0;
}

void SchedulerState::preempt(Slot slot) {
  Sequence& sequence = sequences[slot];
  release(sequence);
  ++sequence.preemptions;
  ++preemptions;
  enqueue_first(slot);
}

}  // namespace warploom
