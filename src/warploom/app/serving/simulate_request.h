// What `simulate` is asked: requests, engines, what happens to them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/serving/kv_transfer_setup.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/serving/metrics.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/benchmark_workload.h"
#include "warploom/serving/workload/session_workload.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// What the requests are: exactly one of `trace`, `workload`, `sessions`, `clients` and `random`.
struct WorkloadRequestSource {
  std::filesystem::path trace;           // a recorded trace, layouts of trace_file.h
  std::string workload;                  // a fitted workload, for example "conversation"
  std::optional<SessionShape> sessions;  // conversations of several turns
  std::filesystem::path clients;         // a file of clients, see client_mix.h
  std::optional<RandomPrompts> random;   // the random data set of `vllm bench serve`
  std::optional<std::int64_t> requests;  // of a trace: the first ones; absent: all, or kDefaultRequests drawn
  std::optional<double> rate;            // requests/s; absent: as recorded
  std::optional<std::int64_t> concurrency;      // closed loop
  std::optional<double> request_rate;           // arrivals of `vllm bench serve`, infinite: all at once
  std::optional<std::int64_t> max_concurrency;  // most in flight at a rate; without one a closed loop
  std::optional<std::int64_t> images;           // of every request, of image_tokens tokens each
  std::int64_t image_tokens = 1024;
  std::string image_size;                 // as parse_image_sizes takes it; empty: image_tokens
  double image_share = 1;                 // of the requests that have images
  std::optional<double> thinking_tokens;  // mean of the thoughts before an answer
  double thinking_std_dev = 0;
  std::optional<std::int64_t> thinking_token_budget;
  std::vector<ImageDraw> image_draws;  // what they are drawn from; set by image_draws_of
  std::optional<double>
      burstiness;  // with a rate of either kind: gamma gaps of this shape, whatever was recorded
  std::optional<Seconds> think_time;  // with a concurrency: mean time before a user's next request
  std::uint64_t seed = 1;
  static FieldTable describe();
};
constexpr std::int64_t kDefaultRequests = 1000;
constexpr std::string_view kDefaultWorkload = "conversation";
// Takes kDefaultWorkload where no kind of requests is named; whether it did.
bool name_default_workload(WorkloadRequestSource& source);

// Throws InvalidInput on a source that is none or both, a trace without times that gets neither rate nor
// concurrency, rate and concurrency together; what the readers throw.
Workload open_workload(const WorkloadRequestSource& source);

// Prefill and decode apart. Both have the same model.
struct DisaggregationRequest {
  ServingSetupRequest prefill, decode;
  KvTransferRequest transfer;
  static FieldTable describe();
};

// Instances that encode images and nothing else; the rest of their engine is that of the pool that computes
// prompts.
struct EncoderPoolRequest {
  std::int64_t instances = 0;  // 0: the engines that compute prompts encode
  std::string gpu;             // empty: theirs
  std::int64_t tensor_parallel_size = 1;
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<BytesPerSecond> bandwidth;  // of one GPU, one direction; absent: the node record's
  std::optional<Seconds> latency;           // of one transfer; absent: the node record's
  bool on() const { return instances > 0; }
  static FieldTable describe();
};

// Instance `instance` of pool `pool` ("engine", or "prefill" and "decode") fails.
struct FailureRequest {
  std::string pool;  // empty: the only pool
  std::size_t instance = 0;
  Seconds at;
  std::optional<Seconds> down;  // absent: for good
  static FieldTable describe();
};

struct SimulateRequest {
  ServingSetupRequest setup;
  std::optional<DisaggregationRequest> disaggregation;  // then `setup` is not read
  EncoderPoolRequest encoder;
  AutoscalingConfig autoscaling;  // of every pool
  FleetRules fleet;               // of the router in front
  SharedKv shared_kv;             // caches that instances share
  std::vector<FailureRequest> failures;
  WorkloadRequestSource source;
  std::function<void(const SimulationProgress&)> on_progress;  // of the p50 run
  const std::atomic<bool>* cancelled = nullptr;
  std::size_t threads = 0;  // of replicas that never meet, in each of the runs; 0: as the machine has
  bool intervals = true;    // also the runs at p10 and p90
  std::filesystem::path
      tuned;  // sidecar of `moe-config`: the run as tuned, beside the run as it is; empty: none
  std::vector<std::string> views;           // of the result, in the words of other programs: kRunViews
  std::optional<std::size_t> traced_steps;  // in the view perfetto; absent: kTracedSteps
  Seconds trace_from{0.0};                  // the first of them starts at or after this time of the run
  Slo goodput;                              // limits that reports count requests against
  bool details = false;                     // reports also list each request
  // Steps that SimulateResult::traced holds: those of the view perfetto.
  std::size_t recorded_steps() const;
  static FieldTable describe();
};
constexpr std::string_view kPerfettoView = "perfetto";  // a trace that ui.perfetto.dev opens
constexpr std::string_view kAiperfView = "aiperf";      // a JSON line per request, as AIPerf writes them
constexpr std::array<std::string_view, 2> kRunViews{kPerfettoView, kAiperfView};
constexpr std::size_t kTracedSteps = 50;

}  // namespace warploom
