#include <fmt/format.h>

#include <utility>

#include "warploom/answers/answer_table.h"
#include "warploom/answers/flat_operator.h"
#include "warploom/answers/internal/request_reading.h"
#include "warploom/answers/internal/setup_reading.h"
#include "warploom/app/data/convert_clients.h"
#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/predict/list_gpus.h"
#include "warploom/app/predict/list_models.h"
#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/schema/request_schema.h"
#include "warploom/app/serving/price_static_batch.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/app/tune/diagnose.h"
#include "warploom/base/error.h"
#include "warploom/report/clients_report.h"
#include "warploom/report/diagnose_report.h"
#include "warploom/report/gpu_report.h"
#include "warploom/report/group_report.h"
#include "warploom/report/model_report.h"
#include "warploom/report/plan_report.h"
#include "warploom/report/prediction_report.h"
#include "warploom/report/run_views.h"
#include "warploom/report/simulation_report.h"
#include "warploom/report/static_report.h"
#include "warploom/report/step_report.h"
#include "warploom/report/support_report.h"
#include "warploom/report/tuned_change.h"

namespace warploom {
namespace {

Json answer_predict(const Session& session, const Json& asked, const AnswerWatch&) {
  const PredictRequest request = read_predict_request(asked);
  const PredictResult result = predict_operator(request, *session.model_of(request.predictor));
  check_named_kernel(request, result.framework, result.kernel);
  return prediction_json(result);
}

Json answer_step(const Session& session, const Json& asked, const AnswerWatch&) {
  const auto request = read_setup_request<StepRequest>(asked, SetupUse::Step);
  return step_json(price_step(request, session.model_of(request.setup.predictor)));
}

Json answer_static(const Session& session, const Json& asked, const AnswerWatch&) {
  const auto request = read_setup_request<StaticBatchRequest>(asked, SetupUse::StaticBatch);
  return static_json(price_static_batch(request, session.model_of(request.setup.predictor)));
}

void follow(SimulateRequest& request, const AnswerWatch& watch) {
  request.cancelled = watch.cancelled;
  if (!watch.progress) return;
  request.on_progress = [&watch](const SimulationProgress& at) {
    watch.progress(double(at.completed), double(at.total));
  };
}

Json answer_simulate(const Session& session, const Json& asked, const AnswerWatch& watch) {
  auto request = read_setup_request<SimulateRequest>(asked, SetupUse::Run);
  name_default_workload(request.source);
  follow(request, watch);
  const SimulateResult result = simulate_serving(request, session.model_of(predictor_of(request)));
  Json document =
      simulation_json(result.label, result.run, result.interval, request.details, request.goodput);
  if (!result.groups.empty()) document["groups"] = group_json(result.groups);
  if (result.tuned) document["tuned"] = tuned_change_json(*result.tuned);
  if (!request.views.empty()) document["views"] = run_views_json(request.views, result);
  return document;
}

Json answer_plan(const Session& session, const Json& asked, const AnswerWatch& watch) {
  auto request = read_request<PlanRequest>(asked);
  if (request.predictor.empty()) request.predictor = session.predictor();
  name_default_workload(request.source);
  request.cancelled = watch.cancelled;
  if (watch.progress)
    request.on_progress = [&watch](const PlanProgress& at) {
      watch.progress(double(at.done), double(at.total));
    };
  return plan_json(make_plan(request, session.model_of(request.predictor)));
}

Json answer_plans(const Session& session, const Json& asked, const AnswerWatch& watch) {
  const auto request = read_request<PlansRequest>(asked);
  Json document = Json::object();
  std::vector<PlanExperiment> experiments = read_experiments(request.file);
  check_experiments(request, experiments);
  for (PlanExperiment& experiment : experiments) {
    PlanRequest& plan = experiment.request;
    plan.threads = request.threads;
    plan.cancelled = watch.cancelled;
    if (watch.progress)
      plan.on_progress = [&watch](const PlanProgress& at) {
        watch.progress(double(at.done), double(at.total));
      };
    document[experiment.name] =
        plan_json(make_experiment(request, experiment, session.model_of(plan.predictor)));
  }
  return document;
}

Json answer_convert_clients(const Session&, const Json& asked, const AnswerWatch&) {
  const auto request = read_request<ConvertClientsRequest>(asked);
  return clients_json(convert_clients(request), request.output);
}

Json answer_support(const Session& session, const Json& asked, const AnswerWatch&) {
  const auto request = read_request<SupportRequest>(asked);
  return {{"rows", support_json(support_matrix(request, session.model_of(request.predictor)))}};
}

Json answer_diagnose(const Session& session, const Json& asked, const AnswerWatch&) {
  const auto request = read_setup_request<DiagnoseRequest>(asked, SetupUse::Diagnosis);
  return diagnosis_json(
      diagnose(request, request.workload ? session.model_of(request.workload->setup.predictor) : nullptr));
}

// The `name` of requests that have nothing else.
std::string asked_name(const Json& asked, std::string_view request, bool required) {
  for (const auto& [key, value] : asked.items()) {
    if (key != "name") throw InvalidInput(fmt::format("{}: '{}' is unknown, expected name", request, key));
    if (!value.is_string()) throw InvalidInput(fmt::format("{}: name: expected a text", request));
  }
  if (required && !asked.contains("name")) throw InvalidInput(fmt::format("{}: name is missing", request));
  return asked.contains("name") ? asked["name"].get<std::string>() : std::string();
}

Json answer_gpus(const Session&, const Json& asked, const AnswerWatch&) {
  if (!asked.empty()) throw InvalidInput("gpus: takes no fields; `gpu` shows one by its name");
  return gpu_list_json(list_gpus());
}

Json answer_gpu(const Session&, const Json& asked, const AnswerWatch&) {
  return gpu_json(show_gpu(asked_name(asked, "gpu", true)));
}

Json answer_models(const Session&, const Json& asked, const AnswerWatch&) {
  return model_list_json(list_models(asked_name(asked, "models", false)));
}

Json answer_schema(const Session&, const Json& asked, const AnswerWatch&) {
  return request_schema(asked_name(asked, "schema", true));
}

constexpr AnsweredRequest kPredictedAnswers[] = {
    {"predict", answer_predict},
    {"step", answer_step},
    {"static", answer_static},
    {"simulate", answer_simulate},
    {"gpus", answer_gpus},
    {"gpu", answer_gpu},
    {"models", answer_models},
    {"schema", answer_schema},
    {"diagnose", answer_diagnose},
    {"plan", answer_plan},
    {"support", answer_support},
    {"plans", answer_plans},
    {"convert_clients", answer_convert_clients},
};

}  // namespace

std::span<const AnsweredRequest> predicted_answers() { return kPredictedAnswers; }

}  // namespace warploom
