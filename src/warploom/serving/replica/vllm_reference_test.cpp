// vLLM's scheduler against a slow and obvious one: plain lists, no slots, no caches of what is known, written
// from vLLM's rules alone. Both play 10,000 random loads, and after each step every request must stand where
// it does in the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/serving/replica/replica.h"

namespace warploom {
namespace {

#if defined(WARPLOOM_SANITIZED)
constexpr std::uint64_t kCases = 500;
#else
constexpr std::uint64_t kCases = 10'000;
#endif

struct PlainRequest {
  std::int64_t input = 0, output = 0;
  std::int64_t computed = 0, emitted = 0, blocks = 0;
  bool in_step = false;
  std::int64_t known() const { return input + emitted; }
};

struct PlainLimits {
  std::int64_t sequences = 0, budget = 0, threshold = 0, block = 0, blocks = 0;
  bool chunked = true, reserve = true;
};

class PlainVllm {
 public:
  PlainVllm(const PlainLimits& limits, std::vector<PlainRequest> requests)
      : limits_(limits), requests_(std::move(requests)) {}

  void arrive(std::size_t request) { waiting_.push_back(request); }

  bool schedule() {
    std::int64_t budget = limits_.budget;
    const bool preempted = schedule_running(budget);
    if (!preempted) admit(budget);
    return std::any_of(requests_.begin(), requests_.end(), [](const PlainRequest& r) { return r.in_step; });
  }

  void finish() {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      PlainRequest& request = requests_[i];
      const bool yields = request.in_step && request.computed == request.known();
      request.in_step = false;
      if (!yields) continue;
      if (++request.emitted < request.output) continue;
      request.blocks = 0;
      running_.erase(std::find(running_.begin(), running_.end(), i));
    }
  }

  const std::vector<PlainRequest>& requests() const { return requests_; }
  const std::vector<std::size_t>& running() const { return running_; }
  const std::deque<std::size_t>& waiting() const { return waiting_; }
  bool is_over() const {
    return std::all_of(requests_.begin(), requests_.end(),
                       [](const PlainRequest& request) { return request.emitted == request.output; });
  }

 private:
  std::int64_t free_blocks() const {
    std::int64_t used = 0;
    for (const PlainRequest& request : requests_) used += request.blocks;
    return limits_.blocks - used;
  }
  std::int64_t blocks_of(std::int64_t tokens) const { return (tokens + limits_.block - 1) / limits_.block; }

  bool grow(PlainRequest& request, std::int64_t tokens) {
    const std::int64_t missing = blocks_of(request.computed + tokens) - request.blocks;
    if (missing > free_blocks()) return false;
    request.blocks += std::max<std::int64_t>(missing, 0);
    return true;
  }

  std::int64_t chunk(std::int64_t rest) const {
    return limits_.threshold > 0 ? std::min(rest, limits_.threshold) : rest;
  }

  void take(PlainRequest& request, std::int64_t tokens, std::int64_t& budget) {
    request.computed += tokens;
    request.in_step = true;
    budget -= tokens;
  }

  // True when somebody was preempted.
  bool schedule_running(std::int64_t& budget) {
    bool preempted = false;
    for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
      PlainRequest& request = requests_[running_[i]];
      const std::int64_t tokens = std::min(chunk(request.known() - request.computed), budget);
      while (!grow(request, tokens)) {
        const std::size_t last = running_.back();
        const bool itself = running_.size() - 1 == i;
        running_.pop_back();
        requests_[last].computed = requests_[last].blocks = 0;
        waiting_.push_front(last);
        preempted = true;
        if (itself) return true;
      }
      take(request, tokens, budget);
    }
    return preempted;
  }

  void admit(std::int64_t budget) {
    while (!waiting_.empty() && budget > 0 && std::int64_t(running_.size()) < limits_.sequences) {
      const std::size_t next = waiting_.front();
      PlainRequest& request = requests_[next];
      const std::int64_t rest = chunk(request.known());
      if (!limits_.chunked && rest > budget) return;
      const std::int64_t tokens = std::min(rest, budget);
      const std::int64_t needed = limits_.reserve ? std::max(tokens, request.known()) : tokens;
      if (blocks_of(needed) > free_blocks()) return;
      grow(request, tokens);
      waiting_.pop_front();
      running_.push_back(next);
      take(request, tokens, budget);
    }
  }

  PlainLimits limits_;
  std::vector<PlainRequest> requests_;
  std::vector<std::size_t> running_;
  std::deque<std::size_t> waiting_;
};

class NoObserver final : public EngineObserver {
 public:
  void on_token_gaps(SimDuration, std::int64_t) override {}
  void on_tokens(SimTime, std::int64_t) override {}
  void on_completion(SimTime, const Sequence& sequence, Slot) override { ended.push_back(sequence.request); }
  std::vector<std::uint32_t> ended;
};

struct Case {
  PlainLimits limits;
  std::vector<PlainRequest> requests;
  std::vector<std::int64_t> arrivals;  // the step before which each comes
};

Case draw(std::uint64_t number) {
  RandomStream random(number, "vllm reference");
  Case drawn;
  PlainLimits& limits = drawn.limits;
  limits.block = std::vector<std::int64_t>{1, 4, 16}[std::size_t(random.integer(0, 2))];
  limits.sequences = random.integer(1, 12);
  limits.chunked = random.uniform() < 0.8;
  limits.budget = limits.chunked ? random.integer(4, 100) : 200;
  limits.threshold = limits.chunked && random.uniform() < 0.3 ? random.integer(4, 40) : 0;
  limits.reserve = random.uniform() < 0.5;
  std::int64_t longest = 0, step = 0;
  for (std::int64_t i = random.integer(1, 14); i > 0; --i) {
    PlainRequest request{.input = random.integer(1, 90), .output = random.integer(1, 25)};
    longest = std::max(longest, request.input + request.output);
    drawn.requests.push_back(request);
    drawn.arrivals.push_back(step += random.integer(0, 6));
  }
  const std::int64_t least = (longest + limits.block - 1) / limits.block;
  limits.blocks = least + random.integer(0, random.uniform() < 0.5 ? 3 : 2 * least);
  return drawn;
}

ServingConfig config_of(const PlainLimits& limits) {
  ServingConfig config;
  config.engine = "vllm";
  config.block_size = limits.block;
  config.max_num_seqs = limits.sequences;
  config.max_num_batched_tokens = limits.budget;
  config.enable_chunked_prefill = limits.chunked;
  config.long_prefill_token_threshold = limits.threshold;
  config.scheduler_reserve_full_isl = limits.reserve;
  config.enable_prefix_caching = false;
  config.async_scheduling = false;
  config.scheduling_policy = "fcfs";
  return config;
}

// One line for each request, in the order in which it runs or waits.
std::string state_of(const PlainVllm& plain) {
  std::string text;
  const auto add = [&](const char* where, std::size_t i) {
    const PlainRequest& request = plain.requests()[i];
    text += std::string(where) + std::to_string(i) + ":" + std::to_string(request.computed) + "/" +
            std::to_string(request.blocks) + " ";
  };
  for (const std::size_t i : plain.running()) add("r", i);
  for (const std::size_t i : plain.waiting()) add("w", i);
  return text;
}

std::string state_of(const SchedulerState& state) {
  std::string text;
  const auto add = [&](const char* where, Slot slot) {
    const Sequence& sequence = state.sequences[slot];
    text += std::string(where) + std::to_string(sequence.request) + ":" +
            std::to_string(sequence.computed_tokens) + "/" + std::to_string(sequence.blocks) + " ";
  };
  for (const Slot slot : state.running) add("r", slot);
  for (const Slot slot : state.waiting) add("w", slot);
  return text;
}

std::int64_t play(const Case& drawn) {
  const ServingConfig config = config_of(drawn.limits);
  Replica replica(config, drawn.limits.blocks, nullptr, {});
  PlainVllm plain(drawn.limits, drawn.requests);
  NoObserver observer;
  std::size_t arrived = 0;
  std::int64_t step = 0;
  for (; !plain.is_over() && step < 20'000; ++step) {
    for (; arrived < drawn.requests.size() && drawn.arrivals[arrived] <= step; ++arrived) {
      plain.arrive(arrived);
      replica.add({.request = std::uint32_t(arrived),
                   .input_tokens = std::int32_t(drawn.requests[arrived].input),
                   .output_tokens = std::int32_t(drawn.requests[arrived].output),
                   .arrival = SimTime(step)});
    }
    const bool runs = plain.schedule();
    EXPECT_EQ(replica.start(SimTime(step)), runs) << "step " << step;
    EXPECT_EQ(state_of(replica.state()), state_of(plain)) << "step " << step;
    if (testing::Test::HasFailure()) return step;
    if (!runs) continue;
    plain.finish();
    replica.finish(SimTime(step + 1), observer);
  }
  EXPECT_TRUE(plain.is_over());
  EXPECT_EQ(observer.ended.size(), drawn.requests.size());
  EXPECT_EQ(replica.state().kv_cache.used_blocks(), 0);
  return step;
}

TEST(VllmReference, EveryStepIsThatOfAPlainOne) {
  std::int64_t steps = 0;
  for (std::uint64_t number = 0; number < kCases; ++number) {
    steps += play(draw(number));
    ASSERT_FALSE(HasFailure()) << "load " << number;
  }
  EXPECT_GT(steps, std::int64_t(kCases) * 10);
}

}  // namespace
}  // namespace warploom
