#include "warploom/app/schema/request_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/app/data/calibrate.h"
#include "warploom/app/data/convert_clients.h"
#include "warploom/app/data/import_data.h"
#include "warploom/app/data/sweep_plan.h"
#include "warploom/app/data/train.h"
#include "warploom/app/data/train_ceilings.h"
#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/plan/plan_request.h"
#include "warploom/app/plan/support_matrix.h"
#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/serving/calibrate_host.h"
#include "warploom/app/serving/price_static_batch.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/app/tune/diagnose.h"
#include "warploom/app/tune/moe_config.h"
#include "warploom/app/tune/staircase.h"
#include "warploom/app/tune/tune_correction.h"
#include "warploom/app/tune/tune_cross_gpu.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/app/tune/tune_profile.h"
#include "warploom/app/tune/tune_regret.h"
#include "warploom/app/validate/concurrency_request.h"
#include "warploom/app/validate/validate_ceilings.h"
#include "warploom/app/validate/validate_kernels.h"
#include "warploom/app/validate/validate_leave_out.h"
#include "warploom/app/validate/validate_serving.h"
#include "warploom/app/validate/validate_static.h"
#include "warploom/base/error.h"
#include "warploom/base/json_schema.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

template <Described Request>
DescribedRequest described(std::string_view about) {
  return {about, &fields_of<Request>(), [] { return std::make_shared<Request>(); }};
}

// Of an operator, as operator_from_json reads it: the fields of its family.
Json operator_schema() {
  Json families = Json::array();
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const Operator op = default_operator(family);
    Json schema = json_schema(operator_fields(family), operator_object(op));
    schema["properties"]["family"] = {{"const", name}};
    schema["required"].push_back("family");
    families.push_back(std::move(schema));
  }
  return {{"oneOf", std::move(families)}, {"description", "the operator, by its family"}};
}

}  // namespace

const std::vector<DescribedRequest>& described_requests() {
  static const std::vector<DescribedRequest> requests{
      described<PredictRequest>("one operator on one GPU"),
      described<StepRequest>("one forward pass, kernel by kernel"),
      described<StaticBatchRequest>("latency of a static batch"),
      described<SimulateRequest>("a whole serving run"),
      described<PlanRequest>("which GPUs, how many, how configured, at what cost"),
      described<PlansRequest>("several plans from one YAML file"),
      described<ConvertClientsRequest>("loads that other programs describe, as clients"),
      described<SupportRequest>("which models, GPUs and engines rest on measured kernels"),
      described<DiagnoseRequest>("which kernels are worth tuning, and why"),
      described<TunePlanRequest>("which configurations to time at which shapes"),
      described<TuneProfileRequest>("measures a reference kernel's anchors on this machine's GPU"),
      described<TuneFitRequest>("measured samples into a look-up table"),
      described<TuneCrossGpuRequest>("a look-up table for a GPU on which the kernel was never measured"),
      described<TuneLearnRequest>("what the formula misses, from shapes off the anchors"),
      described<TuneShowRequest>("predicted times and choices of a table as m grows"),
      described<TuneRegretRequest>("a table's picks against exhaustive measurements"),
      described<MoeConfigRequest>("fused_moe files of vLLM and SGLang for a GPU"),
      described<SweepPlanRequest>("chooses what warploom-collect times"),
      described<CalibrateRequest>("fits a predictor to one GPU's sweep"),
      described<CalibrateHostRequest>("fits a host profile to steps or runs of your engine"),
      described<ImportRequest>("reads measured data into a store"),
      described<TrainRequest>("learns a predictor from measured data"),
      described<ValidateKernelsRequest>("a predictor against measured kernels"),
      described<LeaveOutRequest>("kernels predicted without what training saw of them"),
      described<ValidateStaticRequest>("static batches of real engines"),
      described<ValidateServingRequest>("a run of a real engine, request by request"),
      described<ValidateConcurrencyRequest>("benchmarks at fixed concurrency"),
      described<ValidateCeilingsRequest>("performance ceilings on shapes not learned from"),
      described<TrainCeilingsRequest>("performance ceilings from measured data"),
      described<TrainMoeConfigsRequest>("what `moe-config` knows of other GPUs' searches"),
  };
  return requests;
}

Json request_schema(std::string_view name) {
  std::vector<std::string> names;
  for (const DescribedRequest& request : described_requests()) {
    names.push_back(request.name());
    if (request.name() != name) continue;
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", request.name()},
                   {"description", request.about}};
    schema.update(json_schema(*request.table, request.make().get()));
    if (request.table == &fields_of<PredictRequest>()) {
      schema["properties"]["operator"] = operator_schema();
      schema["required"].push_back("operator");
    }
    return schema;
  }
  throw NotFound(fmt::format("request: '{}' is unknown{}; expected one of: {}", name,
                             did_you_mean(std::string(name), names), fmt::join(names, ", ")));
}

}  // namespace warploom
