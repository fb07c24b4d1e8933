#include "warploom/answers/request_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/answers/judged_answers.h"
#include "warploom/app/data/calibrate.h"
#include "warploom/app/data/convert_clients.h"
#include "warploom/app/data/import_data.h"
#include "warploom/app/data/sweep_plan.h"
#include "warploom/app/data/train.h"
#include "warploom/app/data/train_ceilings.h"
#include "warploom/app/plan/list_prices.h"
#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/plan/plan_request.h"
#include "warploom/app/plan/support_matrix.h"
#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/runs/calibrate_machine.h"
#include "warploom/app/runs/curve.h"
#include "warploom/app/serving/calibrate_host.h"
#include "warploom/app/serving/forecast.h"
#include "warploom/app/serving/price_static_batch.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/app/tune/diagnose.h"
#include "warploom/app/tune/moe_config.h"
#include "warploom/app/tune/staircase.h"
#include "warploom/app/tune/tune_correction.h"
#include "warploom/app/tune/tune_cross_gpu.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_pick.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/app/tune/tune_profile.h"
#include "warploom/app/tune/tuned_files.h"
#include "warploom/base/json_schema.h"
#include "warploom/base/judging.h"
#include "warploom/base/nearest_name.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/workload/fitted_workload.h"

namespace warploom {
namespace {

template <Described Request>
DescribedRequest described(std::string_view about) {
  const FieldTable& table = fields_of<Request>();
  return {table.type_name, about, &table, [] { return std::make_shared<Request>(); }};
}

// What an example has otherwise than an operator with every field at its default.
Json example_of(Family family) {
  const Json standard = operator_to_json(default_operator(family));
  const Json whole = operator_to_json(family_value(family).example(family));
  Json example = Json::object();
  for (const auto& [name, value] : whole.items())
    if (!standard.contains(name) || standard[name] != value) example[name] = value;
  return example;
}

DescribedRequest judged(const char* name, std::string_view about) {
  JudgedFields fields = judged_fields(name);
  return {name, about, fields.table, std::move(fields.make)};
}

// An operator as operator_from_json reads it: the fields of its family.
Json operator_schema() {
  Json families = Json::array();
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const Operator op = default_operator(family);
    Json schema = json_schema(operator_fields(family), operator_object(op));
    schema["properties"]["family"] = {{"const", name}};
    schema["required"].push_back("family");
    schema["examples"] = Json::array({example_of(family)});
    families.push_back(std::move(schema));
  }
  return {{"oneOf", std::move(families)}, {"description", "the operator, by its family"}};
}

// Names that are known, where others may be taken too: files of engines, schemes of checkpoints.
void add_examples(Json& schema) {
  static const std::map<std::string, std::vector<std::string>> known = [] {
    std::map<std::string, std::vector<std::string>> names;
    for (const EngineSpec* engine : all_engines()) names["engine"].emplace_back(engine->name);
    for (const auto& [scheme, name] : EnumNames<MatmulScheme>::kNames)
      names["quantization"].emplace_back(name);
    names["workload"] = workload_names();
    return names;
  }();
  if (!schema.is_object()) return;
  for (auto& [name, property] : schema.items()) {
    const auto examples = known.find(name);
    const bool named = examples != known.end() && property.is_object() && property.contains("type") &&
                       !property.contains("enum") && !property.contains("properties");
    if (named)
      property["examples"] = examples->second;
    else
      add_examples(property);
  }
}

// What a setup needs, a file may say in its place (manifests/manifest_request.h).
void allow_manifests(Json& schema) {
  constexpr const char* kManifest = "manifest";
  if (!schema.is_object() || !schema.contains("properties")) return;
  for (auto& [name, property] : schema["properties"].items()) allow_manifests(property);
  if (!schema["properties"].contains(kManifest)) return;
  schema["anyOf"] = {{{"required", schema["required"]}}, {{"required", Json::array({kManifest})}}};
  schema.erase("required");
}

Json schema_of(const DescribedRequest& request) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", request.name},
                 {"description", request.about}};
  schema.update(json_schema(*request.table, request.make().get()));
  allow_manifests(schema);
  if (request.table == &fields_of<PredictRequest>()) {
    schema["properties"]["operator"] = operator_schema();
    schema["required"].push_back("operator");
  }
  add_examples(schema["properties"]);
  return schema;
}

}  // namespace

const std::vector<DescribedRequest>& described_requests() {
  static const std::vector<DescribedRequest> requests{
      described<PredictRequest>("one operator on one GPU"),
      described<StepRequest>("one forward pass, kernel by kernel"),
      described<StaticBatchRequest>("latency of a static batch"),
      described<SimulateRequest>("a whole serving run"),
      described<CurveRequest>("a serving run at several loads or of several deployments"),
      described<ForecastRequest>("what a server does at other loads, from its metrics"),
      described<PlanRequest>("which GPUs, how many, how configured, at what cost"),
      described<PlansRequest>("several plans from one YAML file"),
      described<ConvertClientsRequest>("loads that other programs describe, as clients"),
      described<SupportRequest>("which models, GPUs and engines rest on measured kernels"),
      described<PricesRequest>("what GPUs cost by the hour, with the page and the day of each price"),
      described<DiagnoseRequest>("which kernels are worth tuning, and why"),
      described<TunePlanRequest>("which configurations to time at which shapes"),
      described<TuneProfileRequest>("measures a reference kernel's anchors on this machine's GPU"),
      described<TuneFitRequest>("measured samples into a look-up table"),
      described<TuneCrossGpuRequest>("a look-up table for a GPU on which the kernel was never measured"),
      described<TuneLearnRequest>("what the formula misses, from shapes off the anchors"),
      described<TunePickRequest>("the configuration that a table has for one shape"),
      described<TuneExportRequest>("a table in another tool's format"),
      described<TuneShowRequest>("predicted times and choices of a table as m grows"),
      judged("tune_regret", "a table's picks against exhaustive measurements"),
      described<MoeConfigRequest>("fused_moe files of vLLM and SGLang for a GPU"),
      described<TunedFilesRequest>(
          "tuned files that an engine looks for, and predicted ones for what it lacks"),
      described<SweepPlanRequest>("chooses what warploom-collect times"),
      described<CalibrateRequest>("fits a predictor to one GPU's sweep"),
      described<CalibrateHostRequest>("fits a host profile to steps or runs of your engine"),
      described<CalibrateMachineRequest>("the profile of a machine from a probe or an onboarded engine"),
      described<ImportRequest>("reads measured data into a store"),
      described<TrainRequest>("learns a predictor from measured data"),
      judged("validate_kernels", "a predictor against measured kernels"),
      judged("validate_leave_out", "kernels predicted without what training saw of them"),
      judged("validate_static", "static batches of real engines"),
      judged("validate_serving", "a run of a real engine, request by request"),
      judged("validate_concurrency", "benchmarks at fixed concurrency"),
      judged("validate_ceilings", "performance ceilings on shapes not learned from"),
      described<TrainCeilingsRequest>("performance ceilings from measured data"),
      described<TrainMoeConfigsRequest>("what `moe-config` knows of other GPUs' searches"),
  };
  return requests;
}

Json request_schema(std::string_view name) {
  std::vector<std::string> names;
  for (const DescribedRequest& request : described_requests()) {
    names.push_back(request.name);
    if (request.name != name) continue;
    if (request.table == nullptr) throw JudgingElsewhere("schema " + request.name);
    return schema_of(request);
  }
  throw NotFound(fmt::format("request: '{}' is unknown{}; expected one of: {}", name,
                             did_you_mean(std::string(name), names), fmt::join(names, ", ")));
}

Json request_schemas() {
  const Json judged = judged_schemas();
  Json schemas = Json::object();
  for (const DescribedRequest& request : described_requests()) {
    if (request.table != nullptr)
      schemas[request.name] = schema_of(request);
    else if (judged.contains(request.name))
      schemas[request.name] = judged[request.name];
  }
  return schemas;
}

}  // namespace warploom
