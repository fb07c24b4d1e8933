// Use case `validate serving`: a run of a real engine, request by request.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/validate/serving_validation.h"
#include "warploom/base/fields.h"

namespace warploom {

// How the engine was started: {"model", "gpu", "vllm_version", "engine_kwargs": {vLLM's arguments},
// "num_gpu_blocks"?, "expert_routing"?}.
struct RealRun {
  ServingSetupRequest setup;
  std::int64_t requests = 0;  // 0: not stated
};
// Throws IoError, InvalidInput (a missing key, an argument that is not modelled), Unsupported (a dtype other
// than bfloat16).
RealRun read_real_run(const std::filesystem::path& path);

// Times in s on the engine's clock.
struct RealRequest {
  double arrival = 0, queued = 0, scheduled = 0, first_token = 0, last_token = 0;
  std::int32_t input_tokens = 0, output_tokens = 0;
  std::optional<std::int64_t> group;   // whose prompts begin with the same `prefix_tokens`
  std::int32_t prefix_tokens = 0;      // part of input_tokens
  std::optional<std::int64_t> client;  // sends its next request when the last one has ended
};
// Columns arrival_s, input_tokens, output_tokens, queued_s, scheduled_s, first_token_s, last_token_s, and
// optionally group with prefix_tokens, and client; cells of these may be empty. Throws IoError and
// InvalidInput (lengths below 1, arrivals out of order, times that run backwards, a prefix longer than its
// prompt, no rows).
std::vector<RealRequest> read_real_requests(const std::filesystem::path& path);

struct ValidateServingRequest {
  std::filesystem::path run, requests;
  std::string predictor;       // as open_latency_model takes it
  std::string expert_routing;  // in place of the run's own
  HostSettings host;           // to the defaults of the engine
  static FieldTable describe();
};

// Replays arrivals, lengths and shared prefixes. A client's requests after its first come as long after the
// simulated end of the one before as they did in the run. TTFT and E2EL count from the engine's queue, as the
// run's records do, so the front end is taken out of the simulation too.
ServingValidation validate_serving(const ValidateServingRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency);
ServingValidation validate_serving(const ValidateServingRequest& request);

}  // namespace warploom
