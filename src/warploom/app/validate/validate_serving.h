// Use case `validate serving`: a run of a real engine, request by request.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/validate/serving_validation.h"
#include "warploom/base/fields.h"

namespace warploom {

// How the engine was started: {"model", "gpu", "vllm_version", "engine_kwargs": {vLLM's arguments},
// "num_gpu_blocks"?}.
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
};
// Columns arrival_s, input_tokens, output_tokens, queued_s, scheduled_s, first_token_s, last_token_s. Throws
// IoError and InvalidInput (lengths below 1, arrivals out of order, times that run backwards, no rows).
std::vector<RealRequest> read_real_requests(const std::filesystem::path& path);

struct ValidateServingRequest {
  std::filesystem::path run, requests;
  std::string predictor;  // as open_latency_model takes it
  HostChanges host;       // to the defaults of the engine
  static FieldTable describe();
};

// Replays arrivals and lengths. TTFT and E2EL count from the engine's queue, as the run's records do, so the
// front end is taken out of the simulation too.
ServingValidation validate_serving(const ValidateServingRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency);
ServingValidation validate_serving(const ValidateServingRequest& request);

}  // namespace warploom
