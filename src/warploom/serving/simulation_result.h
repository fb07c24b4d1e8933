// What a serving run yields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/serving/metrics.h"
#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/serving/request.h"
#include "warploom/serving/simulation_options.h"
#include "warploom/serving/speculation/draft_acceptance.h"
#include "warploom/serving/step_record.h"
#include "warploom/serving/time/timeline.h"

namespace warploom {

// Keys and values between engines, and back from lower tiers.
struct TransferTotals {
  std::int64_t count = 0;
  Bytes bytes;
  Seconds wait;       // of requests, from the wish to the last byte, summed
  Seconds link_wait;  // part of it: other transfers came first
  std::int64_t reloaded_tokens = 0;
  Seconds reload_wait;
  TransferTotals& operator+=(const TransferTotals& other) {
    count += other.count;
    bytes += other.bytes;
    wait += other.wait;
    link_wait += other.link_wait;
    reloaded_tokens += other.reloaded_tokens;
    reload_wait += other.reload_wait;
    return *this;
  }
};

// What a fleet's shared store and its instances as peers gave and took.
struct SharedKvTotals {
  std::int64_t store_capacity_units = 0;  // 0: no store
  std::int64_t store_units = 0;           // at the end
  std::int64_t store_written_units = 0, store_evicted_units = 0;
  std::int64_t store_dropped_units = 0;  // their writer failed
  std::int64_t store_read_tokens = 0, peer_tokens = 0;
  std::int64_t lost_tokens = 0;  // of peer_tokens: their sender failed
  Bytes store_read_bytes, store_written_bytes, peer_bytes;
  Seconds wait;       // of requests, from asking to the last byte, summed
  Seconds link_wait;  // part of it: other transfers came first
  bool any() const { return store_capacity_units > 0 || peer_tokens > 0; }
};

// GPUs of one instance, from its start to its stop.
struct HeldGpus {
  SimTime begin, end;
  std::int64_t gpus = 0;
};

struct PoolTotals {
  std::string name;
  StepTotals steps;
  Seconds gpu_time;  // GPUs times the time they were held
  std::int64_t most_instances = 0;
  std::vector<HeldGpus> held;  // of a pool that scales
};

// What instances did that encode images and nothing else.
struct EncoderTotals {
  std::int64_t instances = 0, gpus = 0;
  std::int64_t requests = 0;  // whose embeddings all arrived
  StepTotals steps;           // tokens of images
  Seconds gpu_time;           // GPUs times the time they were held
  Seconds wait;               // of requests, from the queue to their last embeddings, summed
  Bytes bytes;
  Seconds transfer_wait;  // of images, from the end of their step to their arrival, summed
};

// Thoughts before answers.
struct ThinkingTotals {
  std::int64_t thinking_tokens = 0, answer_tokens = 0;  // of completed requests
  std::int64_t cut = 0;                                 // completed requests whose thoughts met the budget
  LatencySummary ttfat;                                 // from arrival to the first token of the answer
};

struct SimulationResult {
  ServingMetrics metrics;
  std::vector<RequestRecord> requests;  // in the order of the workload
  std::vector<TimelineSample> timeline;
  std::vector<StepRecord> steps;    // as many as asked for, in order of their start
  std::vector<KernelTime> kernels;  // GPU time by kernel over all steps
  StepTotals totals;
  std::vector<PoolTotals> pools;  // as in the deployment
  std::optional<EncoderTotals> encoders;
  std::optional<ThinkingTotals> thinking;  // absent: no request thinks
  SpeculationCounts speculation;
  TransferTotals transfers;
  SharedKvTotals shared_kv;
  std::int64_t preemptions = 0;
  std::int64_t restarts = 0;         // of requests, because their instance failed
  std::int64_t rejected = 0;         // requests that max_model_len turned away; they count as failed
  std::int64_t turned_away = 0;      // requests that came when too many waited; they count as failed
  std::int64_t timed_out = 0;        // requests whose clients left; they count as failed
  std::int64_t cut = 0;              // requests whose output max_model_len shortened
  std::int64_t cached_tokens = 0;    // of prompts, found in the prefix cache
  std::int64_t offloaded_units = 0;  // of the prefix cache, to lower tiers
  std::int64_t kv_blocks = 0;        // of one (decoding) replica; 0 = no limit
  SimTime end;                       // of the last event
  bool partial = false;              // cancelled before the end
};

}  // namespace warploom
