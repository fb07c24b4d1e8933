// Use case `validate serving`: a run of a real engine, request by request.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/runs/measured_requests.h"
#include "warploom/app/runs/serving_validation.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/simulation_options.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// How the engine was started: {"model", "gpu", "engine"?, "engine_version"? (or "vllm_version"),
// "engine_kwargs": {arguments by the names of ServingConfig's fields}, "resolved"? {what the engine made of
// them, read where they do not say: budget, sequences, graphs}, "num_gpu_blocks"?, "expert_routing"?,
// "client_latency_ms"?, "max_concurrency"?}. The last two are read where clients measured.
struct RealRun {
  ServingSetupRequest setup;
  std::int64_t requests = 0;                    // 0: not stated
  std::optional<Seconds> client_latency;        // the whole way from a client to the engine's queue
  std::optional<std::int64_t> max_concurrency;  // requests that clients kept in flight
};
// Throws IoError, InvalidInput (a missing key, an argument that is not modelled), Unsupported (a dtype other
// than bfloat16). `model` stands in place of the file's own where it is given.
RealRun read_real_run(const std::filesystem::path& path, const FileScope& files = {},
                      const std::string& model = "");

struct ValidateServingRequest {
  std::filesystem::path run, requests;
  std::optional<std::int64_t> benchmark;   // as StatedLoad has it
  std::string predictor;                   // as open_latency_model takes it
  std::string require_tier;                // as check_required_tier takes it
  std::string expert_routing;              // in place of the run's own
  FileScope files = FileScope::machine();  // where names may be paths
  HostSettings host;                       // to the defaults of the engine
  StepTime kernel_times = StepTime::Mid;   // of the interval of every kernel: where the runs lie
  static FieldTable describe();
};

// A run as it is read and set up, before it is simulated, once or by one host after the other.
struct OpenedRun {
  RealRun run;
  MeasuredRequests measured;
  ServingSetup setup;
  Workload workload;      // the measured requests
  Deployment deployment;  // of `setup`, one pool
};
// Throws what read_real_run, read_measured_requests and resolve_serving throw.
OpenedRun open_run(const ValidateServingRequest& request, const std::shared_ptr<const LatencyModel>& latency);

// Simulates it with `host` (of the setup, or another). Replays arrivals, lengths and shared prefixes. A
// client's requests after its first come as long after the simulated end of the one before as they did in the
// run. TTFT and E2EL count from where the measured ones do: for the engine's own record from where it takes a
// request in, without a front end; for what a load generator measured from the client, with a front end of
// client_latency, or that of the setup's host where it is not stated.
ServingValidation replay(OpenedRun& opened, const HostModel& host, StepTime kernel_times = StepTime::Mid);

// Both. `request.predictor` is opened where no model is given.
ServingValidation validate_serving(const ValidateServingRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency);
ServingValidation validate_serving(const ValidateServingRequest& request);

}  // namespace warploom
