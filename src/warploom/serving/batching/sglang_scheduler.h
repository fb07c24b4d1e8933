// SGLang's scheduler (behaviour of sglang/srt/managers/scheduler.py and schedule_policy.py).
//
// A step either prefills or decodes, and prefill goes first: while requests wait and memory is promised for
// them, running requests stand still (enable_mixed_chunk lets them take part). A prefill step holds at most
// chunked_prefill_size tokens; a longer prompt is cut there and goes on in the next step, one such prompt at
// a time. A request is admitted when its prompt and its output (at most 4096 tokens of it) fit beside what
// running requests are expected to grow: their rest of output times the new-token ratio, which starts at 0.7
// times the conservativeness, falls a little with every decode step, and is set anew when a decode step finds
// no block. Then the requests with the fewest outputs are retracted: their blocks are freed, and they start
// over from the end of the queue. An engine that has nothing to run starts again with the first ratio
// (scheduler_runtime_checker_mixin.py). Once a request found too little memory, or all places taken, the
// batch counts as full: the queue is looked at again when a request has left it. SGLang stops with an error
// when a cut prompt finds no memory for its next part; here it gives its memory back and waits again, but
// only when nothing else can run.
// schedule_policy orders the queue before requests are admitted: as they came (fcfs), longest cached prefix
// first (lpm, as they came when more than 128 wait; what shares its start with an earlier one of the queue
// and finds little in the cache comes last, so that it finds more later), longest output first (lof) or
// random. With receive_interval n, new requests are seen after each step that prefilled and after every
// n-th that decoded (scheduler_recv_skipper.py). A prefill step is O(admitted), a decode step O(running).
#pragma once

#include <optional>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/serving/batching/scheduler.h"

namespace warploom {

enum class SglangPolicy { Fcfs, Lpm, Lof, Random };
template <>
struct EnumNames<SglangPolicy> {
  static constexpr std::array<std::pair<SglangPolicy, std::string_view>, 4> kNames{
      {{SglangPolicy::Fcfs, "fcfs"},
       {SglangPolicy::Lpm, "lpm"},
       {SglangPolicy::Lof, "lof"},
       {SglangPolicy::Random, "random"}}};
};

struct SglangLimits {
  std::int64_t max_num_seqs = 2048;
  std::int64_t max_num_batched_tokens = 16384;  // prompt tokens admitted into a step
  std::int64_t chunked_prefill_size = 0;        // 0: prompts are not cut
  double conservativeness = 1;
  bool mix_decode = false;
  std::int64_t receive_interval = 1;  // decode steps between looks for new requests
  SglangPolicy policy = SglangPolicy::Fcfs;
};

class SglangScheduler final : public Scheduler {
 public:
  explicit SglangScheduler(const SglangLimits& limits);
  void schedule(SchedulerState& state, ScheduledBatch& batch) override;
  double new_token_ratio() const { return new_token_ratio_; }

 private:
  // What changed since the step before: who left, and whether the batch is still full.
  void look_back(const SchedulerState& state);
  // Counts the step before, and looks for new requests when their turn has come.
  void receive(const SchedulerState& state);
  struct Budget {
    double total;        // tokens of memory not promised
    std::int64_t input;  // tokens of prompts
    std::int64_t chunk;  // tokens of this step
    bool exhausted() const { return total <= 0 || input <= 0 || chunk <= 0; }
  };
  Budget prefill_budget(const SchedulerState& state) const;
  void order_queue(SchedulerState& state);
  std::int64_t rank_of(SchedulerState& state, Slot slot, std::uint64_t order);
  // Ranks by the cached prefix; lower comes first.
  std::int64_t prefix_rank(SchedulerState& state, Sequence& sequence);
  void continue_chunk(SchedulerState& state, ScheduledBatch& batch, Budget& budget);
  // Whether the request at the head of the queue left it and more may follow.
  bool admit_next(SchedulerState& state, ScheduledBatch& batch, Budget& budget);
  // Takes the blocks of the next request's first chunk; its tokens, 0 when it must wait.
  std::int64_t tokens_of_next(SchedulerState& state, const ScheduledBatch& batch, const Budget& budget,
                              const PrefixMatch& match);
  void schedule_decode(SchedulerState& state, ScheduledBatch& batch, std::size_t most);
  // Blocks that one more decode step of a sequence takes.
  static std::int64_t blocks_to_decode(const SchedulerState& state, const Sequence& sequence);
  // Makes room for one more step of every decoding request.
  void retract(SchedulerState& state);
  // The prompt that was cut gives its memory back and waits at the head of the queue.
  void give_up_chunk(SchedulerState& state);
  bool decodes(const SchedulerState& state, Slot slot) const;

  SglangLimits limits_;
  double first_ratio_, new_token_ratio_, least_ratio_, ratio_decay_;
  std::optional<Slot> chunked_;        // the prompt that is cut
  std::int64_t expected_outputs_ = 0;  // of the requests that decode; those that end expect none
  std::uint64_t orders_ = 0;           // times the queue was shuffled
  std::size_t received_ = 0;           // requests at the head of the queue that were seen
  std::int64_t steps_since_ = 0;
  bool prefilled_ = false;             // the step before
  bool full_ = false;                  // SGLang's batch_is_full
  std::size_t last_size_ = 0;          // requests that ran after the step before
  std::vector<std::uint64_t> starts_;  // of prompts in the queue, hashed: for prefix_rank
};

}  // namespace warploom
