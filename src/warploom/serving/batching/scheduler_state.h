// What a scheduler works on: the sequences, who runs and who waits, the KV cache and what may be fetched into
// it, and how many tokens a draft yields.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "warploom/serving/kv/encoder_cache.h"
#include "warploom/serving/kv/kv_cache.h"
#include "warploom/serving/kv/kv_tiers.h"
#include "warploom/serving/kv/prefix_states.h"
#include "warploom/serving/kv/remote_caches.h"
#include "warploom/serving/kv/sequence.h"
#include "warploom/serving/speculation/draft_acceptance.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// What the prefix cache holds of a prompt, in units from its start.
struct PrefixMatch {
  std::int32_t units = 0;  // on the GPU
  std::int32_t idle = 0;   // those of `units` that nobody uses: taking them leaves fewer blocks free
  std::int32_t cpu = 0;    // the units that follow, in the tiers below
  std::int32_t disk = 0;
  RemoteMatch remote;  // the units that follow those, outside the instance
};

// A sequence whose keys and values come from elsewhere; its blocks are taken.
struct KvFetch {
  Slot slot = 0;
  std::int64_t remote_tokens = 0;
  std::int64_t cpu_tokens = 0, disk_tokens = 0;
  std::int64_t peer_tokens = 0, store_tokens = 0;
  std::uint32_t peer = 0;  // RemoteMatch
};

// What happened to the head of the queue.
enum class HeadOfQueue { Ready, Fetching, Blocked };

// `running` is in order of admission, `waiting` in order of service, `fetching` and `held` in order of entry.
struct SchedulerState {
  std::vector<Sequence> sequences;
  std::vector<Slot> running;
  std::deque<Slot> waiting;
  std::vector<Slot> fetching;  // their keys and values are on the way
  std::vector<Slot> held;      // done here, but another engine still reads their blocks
  KvCache kv_cache;
  PrefixStates states;
  std::int64_t preemptions = 0;
  const Workload* workload = nullptr;  // contents of prompts; may be null
  bool by_priority = false;            // the queue is in order of priority, then of arrival
  bool prompts_wait = false;           // no request starts in the step that is chosen now (RankBalance)
  std::int64_t step_tokens = 1;        // of a prompt in one step, at most
  DraftAcceptance drafts;
  SpeculationCounts speculation;
  std::unique_ptr<KvTiers> tiers;        // null: none
  RemoteCaches* remote = nullptr;        // caches outside the instance; null: none
  std::uint32_t remote_id = 0;           // of this replica there
  std::vector<std::uint64_t> new_units;  // computed since the engine took them away; where a store is told
  std::vector<KvFetch> new_fetches;      // begun by the step chosen last; the engine takes them away
  std::optional<EncoderCache> encoder;   // absent: prompts have no images, or the engine encodes all at once
  std::vector<Slot> image_holders;       // sequences that may hold something of `encoder`

  // A sequence joins the end of the queue, or its head.
  void enqueue(Slot slot);
  void enqueue_first(Slot slot);

  // What take_prefix would find of a sequence that has computed nothing; at least one token is left to
  // compute. The prompt counts as used in the tiers below, each time it is looked for, as in vLLM's
  // offloading connector and SGLang's radix tree. O(units found).
  PrefixMatch match_prefix(Sequence& sequence);
  // Stands for the first `units` units of the prompt: equal starts, equal values. 0 when it has no so many
  // whose content is known.
  std::uint64_t start_of_prompt(Sequence& sequence, std::int64_t units);
  // Whether `tokens` tokens in all would find blocks once the match is taken, and, unless `reserved` is 0,
  // so many tokens in steps of step_tokens.
  bool fits(const Sequence& sequence, const PrefixMatch& match, std::int64_t tokens,
            std::int64_t reserved = 0) const;
  // Takes what the GPU holds and counts it as computed.
  void take_prefix(Sequence& sequence, const PrefixMatch& match);
  // Hands the head of the queue over to a fetch when keys and values of it lie elsewhere: Fetching when it
  // left the queue, Blocked when the blocks are missing, Ready when there is nothing to fetch. `place`: where
  // it stands, behind those that keep their places and wait.
  HeadOfQueue fetch_head(const PrefixMatch& match, std::size_t place = 0);
  // The fetch is over: the sequence waits again, before those that came later. `arrived`: with what it was to
  // bring; else with nothing, and it gives its blocks back.
  void end_fetch(Slot slot, bool arrived = true);

  // Takes the blocks that `tokens` more tokens need; false and no change when there are too few.
  bool grow(Sequence& sequence, std::int64_t tokens) {
    return hold(sequence, sequence.computed_tokens + tokens);
  }
  // Takes the blocks that `tokens` tokens in all need, and gives back those behind a window.
  bool hold(Sequence& sequence, std::int64_t tokens) {
    return tokens <= sequence.room_tokens || take_blocks(sequence, tokens, sequence.computed_tokens);
  }
  // Blocks that hold() would take; below 0 when it would give some back.
  std::int64_t missing_blocks(const Sequence& sequence, std::int64_t tokens) const {
    if (tokens <= sequence.room_tokens) return 0;
    return kv_cache.layout().blocks(tokens, sequence.computed_tokens, kv_cache.block_size()) -
           sequence.blocks;
  }
  // Offers what is computed by now to the prefix cache. O(units filled since the last call).
  void keep_prefix(Sequence& sequence);
  // Gives every block back and forgets what was computed; what the prefix cache keeps can be found again.
  void release(Sequence& sequence);

  // A sequence begins to hold images, and lets go of those that lie before what it has computed, or of all.
  void note_image_holder(Slot slot);
  void let_go_computed_images();
  void let_go_images(Slot slot);

  // Releases the sequence and puts it at the head of the queue. The caller has taken it out of `running`.
  void preempt(Slot slot);

  // Tokens that a decoding sequence asks for in this step, its drafts included: 1 to `most`.
  std::int64_t decode_tokens(const Sequence& sequence, std::int64_t most) const {
    return sequence.decodes() ? 1 + drafts.proposed(sequence.identity, sequence.outputs_scheduled, most - 1)
                              : 1;
  }
  // Further tokens whose blocks the drafter writes ahead.
  std::int64_t lookahead() const { return drafts.lookahead(); }

 private:
  // `computed`: tokens whose blocks behind a window are not needed.
  bool take_blocks(Sequence& sequence, std::int64_t tokens, std::int64_t computed);
  void enqueue_by_priority(Slot slot);
  // The units of a prompt up to the last place with a state, of `found` that have their keys and values.
  std::size_t units_with_state(Sequence& sequence, std::size_t found);
  // Keeps the state after that many tokens, of which the sequence has at least as many.
  void keep_state(Sequence& sequence, std::int64_t tokens);
  void keep_states(Sequence& sequence);
  // What is to be fetched of a match in this instance and outside it; whether anything is.
  bool choose_fetch(const PrefixMatch& match, KvFetch& fetch) const;
  std::span<const ContentSegment> content_of(std::uint32_t request) const;
  std::uint64_t hash_of(Sequence& sequence, std::size_t unit);
};

}  // namespace warploom
