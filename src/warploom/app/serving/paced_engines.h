// The engines of a serving run in real time: requests come from clients while they run, and tokens leave when
// the simulated clock, which follows the machine's, has come to them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "warploom/app/serving/serving_engines.h"
#include "warploom/serving/live_run.h"

namespace warploom {

// What one client waits for. Thread-safe.
class PacedAnswer {
 public:
  enum class End { NotYet, Complete, TurnedAway, TimedOut, Stopped };
  using Clock = std::chrono::steady_clock;
  // Tokens of one step, and when they are due.
  struct Output {
    std::int32_t tokens = 0;
    Clock::time_point due;
  };
  struct News {
    std::deque<Output> outputs;
    End end = End::NotYet;  // once all tokens were handed out
  };

  PacedAnswer(std::uint32_t request, std::int64_t input_tokens, std::int64_t output_tokens)
      : request_(request), input_tokens_(input_tokens), output_tokens_(output_tokens) {}
  // What is due since the last call; waits for it, not longer than `patience` for it to be known.
  News wait(std::chrono::milliseconds patience);
  std::uint32_t request() const { return request_; }
  std::int64_t input_tokens() const { return input_tokens_; }
  std::int64_t output_tokens() const { return output_tokens_; }  // that it will get

 private:
  friend class PacedEngines;
  void give(std::int32_t tokens, Clock::time_point due);
  void end(End end, Clock::time_point due);
  void cut();  // stopped now, whatever is not due yet

  const std::uint32_t request_;
  const std::int64_t input_tokens_, output_tokens_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Output> known_;
  End end_ = End::NotYet;
  Clock::time_point end_due_;
};

// Samples counted up to each bound, in seconds.
class BoundedCounts {
 public:
  explicit BoundedCounts(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}
  void add(double seconds, std::int64_t times = 1);
  std::span<const double> bounds() const { return bounds_; }
  std::span<const std::int64_t> counts() const { return counts_; }  // the last one: beyond all bounds
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::int64_t> counts_;
  double sum_ = 0;
};

// The bounds of vLLM's histograms (vllm/v1/metrics/loggers.py, 0.11).
inline constexpr std::array<double, 22> kTtftBounds{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,
                                                    0.25,  0.5,   0.75, 1,    2.5,  5,    7.5,  10,
                                                    20,    40,    80,   160,  640,  2560};
inline constexpr std::array<double, 19> kTokenBounds{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
                                                     0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80};
inline constexpr std::array<double, 21> kRequestBounds{0.3, 0.5, 0.8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                                                       30,  40,  50,  60, 120, 240, 480, 960, 1920, 7680};

// Since the start, in simulated time.
struct PacedFigures {
  TimelineSample load;
  std::int64_t prompt_tokens = 0, generated_tokens = 0;
  std::int64_t completed = 0, stopped = 0, turned_away = 0;  // requests; stopped: their clients left
  BoundedCounts ttft{kTtftBounds}, tpot{kTokenBounds}, e2el{kRequestBounds};
  // That tokens left late because this machine did not keep up, by its clock: the most, and first tokens
  // together.
  double most_lag_s = 0, first_token_lag_s = 0;
  std::int64_t first_tokens = 0;
};

class PacedEngines final : private RunListener {
 public:
  // `speedup` > 0: simulated seconds in one of the clock. Throws what LiveRun throws.
  PacedEngines(ServingEngines engines, double speedup);
  ~PacedEngines() override;
  PacedEngines(const PacedEngines&) = delete;
  PacedEngines& operator=(const PacedEngines&) = delete;

  // A request that came at `arrived`: what its server did with it since is part of the way from the client,
  // which is simulated. Throws as LiveRun::add.
  std::shared_ptr<PacedAnswer> ask(std::int64_t input_tokens, std::int64_t output_tokens,
                                   std::chrono::steady_clock::time_point arrived);
  void leave(const PacedAnswer& answer);
  // Tokens left so long after they were due, the first ones of a request or later ones.
  void note_lag(std::chrono::duration<double> late, bool first);
  // Answers that wait end as Stopped; so do those that are asked for later.
  void stop();
  PacedFigures figures();
  std::int64_t max_model_len() const { return run_.max_model_len(); }
  const ServingEngines& engines() const { return engines_; }

 private:
  using Clock = PacedAnswer::Clock;
  void on_outputs(std::uint32_t request, std::int32_t tokens) override;
  void on_end(std::uint32_t request, const RequestRecord& record) override;
  SimTime time_of(Clock::time_point moment) const;
  SimTime now() const { return time_of(Clock::now()); }
  Clock::time_point moment_of(SimTime time) const;
  Clock::time_point play_moment_of(SimTime time) const;  // no earlier than play() has it
  void play(SimTime until);                              // under the lock
  void work();

  const ServingEngines engines_;
  const double speedup_;
  const Clock::time_point start_ = Clock::now();
  LiveRun run_;
  const SimDuration ahead_;  // of the clock, that the run is played: tokens wait for their moment, not for it
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::uint32_t, std::shared_ptr<PacedAnswer>> answers_;
  PacedFigures figures_;
  SimTime played_;         // up to here
  Clock::time_point due_;  // of what is played
  bool asked_ = false, stopped_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace warploom
