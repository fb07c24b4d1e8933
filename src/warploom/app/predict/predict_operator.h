// Use case `predict`: one operator on one GPU.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/kernels/alike_requests.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/kernels/structural_price.h"
#include "warploom/serving/pricing/kernel_names.h"

namespace warploom {

struct PredictRequest {
  Operator op;
  std::string gpu;        // name, alias or path of a record
  std::string predictor;  // as open_latency_model takes it
  std::string machine;    // as load_machine_profile takes it; empty: none
  // The implementation. A framework alone is the engine's own choice of kernel, as `step --engine` has it;
  // all empty: what engines ship, which the result names.
  std::string framework, version, kernel;
  std::string
      expert_routing;  // as parse_expert_routing takes it, in place of a FusedMoe's own; empty: as it is
  std::string require_tier;                // "measured": refuse another tier; empty: none is required
  FileScope files = FileScope::machine();  // where `gpu` and `predictor` may be paths
  std::string features;  // "published": also the feature vector of baselines/pipeweave/published_features.h
  static FieldTable describe();  // of all but the operator, whose fields operator_fields has
};

// Time each pipeline alone would take, at data-sheet rates.
struct PipelineShare {
  Bound pipeline = Bound::Dram;
  double demand = 0;  // FLOP, operations or bytes, by pipeline, as the kernels execute
  Seconds time;       // demand / rate
  double share = 0;   // of the predicted p50
};

struct PredictResult {
  Operator op;
  GpuSpec gpu;
  LatencyEstimate estimate;
  LatencyEstimate roofline;
  std::string framework, version, kernel;  // the implementation that was priced; empty without measurements
  bool by_rule = false;                    // `kernel` names a rule, which stands for every version
  // The scheme whose rows price the operator; absent: its own.
  std::optional<MatmulScheme> scheme_priced;
  std::string stands_in_for;             // what was asked for and never measured on this GPU; empty: nothing
  bool widened_weights = false;          // the GPU lacks the operand type; 16-bit products of widened weights
  StructuralPrice structure;             // the structural time that the predictor learned ratios to, in parts
  std::vector<PipelineShare> pipelines;  // those with a demand, longest first
  std::vector<std::pair<std::string, double>> features;  // as asked for
};

// expert_routing says what two fields of experts say; whoever gives both means one of them. `given`: whether
// the question names a field, of the request or of its operator. Throws InvalidInput where it says it twice.
void check_routing_said_once(const std::function<bool(std::string_view field)>& given);

// The operator as the request means it, checked as predict_operator checks it; throws the same. For callers
// who ask one question many times.
Operator checked_operator(const PredictRequest& request, const LatencyModel& model);
// Whose kernel the request means: the named one, else the one that the engine would run, as a step of that
// engine has it. `engine`: kernels_of the request's framework and version. Views into `request`, `engine`
// and constants.
KernelContext asked_kernel(const PredictRequest& request, const KernelNames& engine, const Operator& op,
                           const GpuSpec& gpu);

// What a user named must count: throws InvalidInput where the request names a framework, version or
// kernel and what was priced is none that was ever measured (both names empty, as in PredictResult).
void check_named_kernel(const PredictRequest& request, std::string_view priced_framework,
                        std::string_view priced_kernel);

// The feature vector of a published method, by name. Outside warploom-judge throws JudgingElsewhere.
std::vector<std::pair<std::string, double>> published_features(const Operator& op, const GpuSpec& gpu,
                                                               const KernelContext& context);

// Throws NotFound for a framework or kernel that the predictor never saw, and what the catalog, the model
// and check_operator throw; InvalidInput on features other than "published" and on a routing of an operator
// without experts, Unsupported on an operator that has none.
PredictResult predict_operator(const PredictRequest& request);
PredictResult predict_operator(const PredictRequest& request, const LatencyModel& model);

}  // namespace warploom
