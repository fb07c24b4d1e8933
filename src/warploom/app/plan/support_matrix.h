// Use case `support`: which combinations of model, GPU and engine rest on measured kernels, and which are
// refused.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

struct SupportRequest {
  std::vector<std::string> models, gpus, engines;  // empty: all; not of models and GPUs at once
  std::string predictor;
  FileScope files = FileScope::machine();  // where names may be paths
  std::size_t threads = 0;
  std::function<void(std::int64_t done, std::int64_t total)> on_progress;  // by one thread at a time
  static FieldTable describe();
};

// The kernels of a step that computes 2,000 prompt tokens beside 32 requests that decode after 1,000 tokens,
// on the fewest GPUs that hold the model.
struct SupportRow {
  std::string model, gpu, engine;
  std::int64_t tensor_parallel = 0;                  // 0: refused
  double measured = 0, cross_gpu = 0, roofline = 0;  // shares of the kernels' time
  std::string refused;                               // why; empty: it runs
  bool is_measured() const;                          // what --require-tier measured lets through
};

// In the order model, GPU, engine. Throws NotFound on names, InvalidInput when neither a model nor a GPU is
// named.
std::vector<SupportRow> support_matrix(const SupportRequest& request,
                                       std::shared_ptr<const LatencyModel> latency);
std::vector<SupportRow> support_matrix(const SupportRequest& request);  // opens request.predictor

}  // namespace warploom
