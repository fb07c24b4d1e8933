#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "warploom/answers/answer_table.h"
#include "warploom/answers/flat_operator.h"
#include "warploom/answers/internal/request_reading.h"
#include "warploom/answers/internal/setup_reading.h"
#include "warploom/answers/internal/version_note.h"
#include "warploom/answers/request_schema.h"
#include "warploom/answers/use_case_answer.h"
#include "warploom/app/data/convert_clients.h"
#include "warploom/app/plan/list_prices.h"
#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/predict/list_gpus.h"
#include "warploom/app/predict/list_models.h"
#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/runs/curve.h"
#include "warploom/app/serving/forecast.h"
#include "warploom/app/serving/price_static_batch.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/app/tune/diagnose.h"
#include "warploom/base/error.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/report/clients_report.h"
#include "warploom/report/curve_report.h"
#include "warploom/report/diagnose_report.h"
#include "warploom/report/forecast_report.h"
#include "warploom/report/gpu_report.h"
#include "warploom/report/group_report.h"
#include "warploom/report/model_report.h"
#include "warploom/report/plan_report.h"
#include "warploom/report/plan_views.h"
#include "warploom/report/prediction_report.h"
#include "warploom/report/prices_report.h"
#include "warploom/report/run_charts.h"
#include "warploom/report/run_views.h"
#include "warploom/report/shared_fleet_report.h"
#include "warploom/report/simulation_report.h"
#include "warploom/report/static_report.h"
#include "warploom/report/step_report.h"
#include "warploom/report/support_report.h"
#include "warploom/report/tuned_change.h"

namespace warploom {
namespace {

Json answer_predict(const Question& question) {
  PredictRequest request = read_predict_request(question.asked);
  hand_on(question.session.files(), request);
  const PredictResult result = predict_operator(request, *question.session.model_of(request.predictor));
  check_named_kernel(request, result.framework, result.kernel);
  if (const std::string note = version_note(request, result); !note.empty()) question.note(note);
  question.write([&] { return prediction_text(result); });
  return prediction_json(result);
}

// One group over several nodes works through the network between them, and is seldom meant.
void note_nodes(const Question& question, const ServingSetupRequest& setup) {
  const GpuSpec& gpu = question.session.gpu(setup.gpu);
  const NodeSpec node = NodeCatalog(GpuCatalog()).node_of(gpu);
  const std::int64_t ranks = setup.config.tensor_parallel_size, domain = node.gpus_per_domain();
  if (domain == 0 || ranks <= domain) return;
  question.note(
      fmt::format("{} GPUs in one tensor-parallel group, {} of them on a node: its all-reduces cross the "
                  "network between nodes, {:.3g} GB/s a GPU",
                  ranks, domain, network_per_gpu(node, setup.network).value() / 1e9));
}

Json answer_step(const Question& question) {
  const auto request =
      read_setup_request<StepRequest>(question.session, question.asked, SetupUse::Step, question.watch);
  note_nodes(question, request.setup);
  const StepBreakdown step = price_step(request, question.session.model_of(request.setup.predictor));
  question.write([&] {
    const auto charts = question.text->charts;
    return step_text(step) + (charts ? step_chart(step, *charts) : std::string());
  });
  return step_json(step);
}

Json answer_static(const Question& question) {
  const auto request = read_setup_request<StaticBatchRequest>(question.session, question.asked,
                                                              SetupUse::StaticBatch, question.watch);
  note_nodes(question, request.setup);
  const StaticBreakdown result =
      price_static_batch(request, question.session.model_of(request.setup.predictor));
  question.write([&] { return static_text(result); });
  return static_json(result);
}

void follow(SimulateRequest& request, const AnswerWatch& watch) {
  request.cancelled = watch.cancelled;
  if (!watch.progress) return;
  request.on_progress = [&watch](const SimulationProgress& at) {
    if (watch.at)
      watch.at(fmt::format("{:.0f} s simulated", SimDuration(at.now.nanoseconds()).seconds().value()));
    watch.progress(double(at.completed), double(at.total));
  };
}

// Said of requests that are drawn from what nobody named.
void say_workload(const Question& question, const WorkloadRequestSource& source) {
  question.note(
      fmt::format("no workload was named: this is `workload` {} (others: `trace`, `clients`, "
                  "`random_input_len`, `sessions`)",
                  source.workload));
}

std::string run_text(const SimulateRequest& request, const SimulateResult& result,
                     const std::optional<ChartStyle>& charts) {
  std::string text = simulation_text(result.label, result.run, result.interval, request.goodput);
  text += group_text(result.groups);
  if (result.tuned) text += tuned_change_text(*result.tuned);
  if (charts) text += timeline_chart(result.run, *charts);
  return text;
}

Json answer_simulate(const Question& question) {
  auto request = read_with_rate(question.asked, [&](const Json& asked) {
    return read_setup_request<SimulateRequest>(question.session, asked, SetupUse::Run, question.watch);
  });
  const bool unnamed = name_default_workload(request.source);
  if (!request.disaggregation) note_nodes(question, request.setup);
  follow(request, question.watch);
  const SimulateResult result = simulate_serving(request, question.session.model_of(predictor_of(request)));
  if (unnamed) say_workload(question, request.source);
  question.write([&] { return run_text(request, result, question.text->charts); });
  Json document =
      simulation_json(result.label, result.run, result.interval, request.details, request.goodput);
  if (!result.groups.empty()) document["groups"] = group_json(result.groups);
  if (result.tuned) document["tuned"] = tuned_change_json(*result.tuned);
  if (!request.views.empty()) document["views"] = run_views_json(request.views, result);
  return document;
}

// `run` in JSON, at one place of the curve.
Json run_at(Json run, const CurvePlace& place) {
  if (place.concurrency) run["source"]["max_concurrency"] = *place.concurrency;
  if (place.rate) run["source"]["request_rate"] = *place.rate;
  if (place.quantization) run["setup"]["quantization"] = *place.quantization;
  if (place.engine) run["setup"]["config"]["engine"] = *place.engine;
  if (place.tensor_parallel) run["setup"]["config"]["tensor_parallel_size"] = *place.tensor_parallel;
  return run;
}

// Each point is read as a request of its own, so that what `simulate` refuses is refused here.
std::vector<CurveRun> curve_runs(const Question& question, const CurveRequest& curve, const Json& run,
                                 bool all_at_once) {
  if (run.contains("disaggregation") &&
      (!curve.engines.empty() || !curve.quantizations.empty() || !curve.tensor_parallel.empty()))
    throw InvalidInput("curve: of two pools only loads can be varied, expected one pool or no such list");
  std::vector<CurveRun> runs;
  for (const CurvePlace& place : curve_places(curve)) {
    auto request = read_setup_request<SimulateRequest>(question.session, run_at(run, place), SetupUse::Run);
    if (all_at_once) request.source.request_rate = std::numeric_limits<double>::infinity();
    if (name_default_workload(request.source) && runs.empty()) say_workload(question, request.source);
    runs.push_back({place, std::move(request)});
  }
  return runs;
}

Json answer_curve(const Question& question) {
  Json asked = question.asked;
  const bool all_at_once = take_infinite_rate(asked);
  // Flat requests take `source` for a note, unless it is a field of their own.
  if (asked.is_object() && asked.contains("source")) {
    asked["run"]["source"] = asked["source"];
    asked.erase("source");
  }
  const FieldTable& table = fields_of<CurveRequest>();
  Json nested = nested_request(asked, table, table.type_name);
  note_left_out(question.watch, take_manifests(nested, table, SetupUse::Run, question.session.files()));
  auto curve = object_from_json<CurveRequest>(nested, table.type_name);
  if (all_at_once) curve.run.source.request_rate = std::numeric_limits<double>::infinity();
  const auto runs = curve_runs(question, curve, nested.value("run", Json::object()), all_at_once);
  const CurveResult result =
      simulate_curve(runs, curve.measured, question.session.model_of(predictor_of(runs.front().request)),
                     question.watch.progress, question.watch.cancelled);
  question.write([&] { return curve_text(result); });
  Json document = curve_json(result);
  for (const std::string& view : curve.views) document["views"][view] = curve_view(result, view);
  return document;
}

Json answer_forecast(const Question& question) {
  auto request = read_setup_request<ForecastRequest>(question.session, question.asked, SetupUse::Forecast,
                                                     question.watch);
  follow<ForecastRequest>(request, question.watch);
  if (request.setup.config.scheduling_policy == "priority")
    question.note("`scheduling_policy` priority is as fcfs here: metrics say no priorities");
  const ForecastResult result = forecast(request, question.session.model_of(request.setup.predictor));
  question.write([&] { return forecast_text(result); });
  return forecast_json(result);
}

void follow(PlanRequest& request, const AnswerWatch& watch) {
  request.cancelled = watch.cancelled;
  request.crew = watch.crew;
  if (!watch.progress || !gives_answer(request)) return;
  request.on_progress = [&watch](const PlanProgress& at) {
    if (watch.at) watch.at(at.stage);
    watch.progress(double(at.done), double(at.total));
  };
}

Json answer_plan(const Question& question) {
  auto request = read_with_rate(
      question.asked, [&](const Json& asked) { return read_request<PlanRequest>(question.session, asked); });
  if (request.predictor.empty()) request.predictor = question.session.predictor();
  const bool unnamed = name_default_workload(request.source);
  follow(request, question.watch);
  check_plan_views(request);
  const PlanResult result = make_plan(request, question.session.model_of(request.predictor));
  if (!gives_answer(request)) return nullptr;
  if (unnamed) say_workload(question, request.source);
  std::string text = plan_text(result);
  Json document = plan_json(result);
  add_plan_views(request, result, document, text);
  question.write([&] { return text; });
  return document;
}

Json answer_plans(const Question& question) {
  const auto request = read_request<PlansRequest>(question.session, question.asked);
  Json document = Json::object();
  std::string text;
  bool answered = true;
  PlanExperiments experiments = read_experiments(request.file);
  check_experiments(request, experiments.each);
  std::vector<PlanResult> plans;
  for (PlanExperiment& experiment : experiments.each) {
    PlanRequest& plan = experiment.request;
    if (plan.predictor.empty()) plan.predictor = question.session.predictor();
    plan.threads = request.threads;
    follow(plan, question.watch);
    PlanResult result = make_experiment(request, experiment, question.session.model_of(plan.predictor));
    answered = gives_answer(plan);
    if (!answered) continue;
    std::string words = plan_text(result);
    document[experiment.name] = plan_json(result);
    add_plan_views(plan, result, document[experiment.name], words);
    text += fmt::format("== {} ==\n{}\n", experiment.name, words);
    if (plan.cancelled != nullptr && *plan.cancelled) break;
    if (experiments.fleet) plans.push_back(std::move(result));
  }
  if (!answered) return nullptr;
  if (experiments.fleet && plans.size() == experiments.each.size()) {
    std::vector<std::string> names;
    for (const PlanExperiment& experiment : experiments.each) names.push_back(experiment.name);
    const SharedFleets fleets{share_fleet(*experiments.fleet, plans, false),
                              share_fleet(*experiments.fleet, plans, true)};
    document[std::string(kSharedFleet)] = shared_fleets_json(fleets, names, plans);
    text += shared_fleets_text(fleets, names, plans);
  }
  question.write([&] { return text; });
  return document;
}

Json answer_convert_clients(const Question& question) {
  const auto request = read_request<ConvertClientsRequest>(question.session, question.asked);
  const ClientMix mix = convert_clients(request);
  question.write([&] { return clients_text(mix, request.output); });
  return clients_json(mix, request.output);
}

Json answer_support(const Question& question) {
  auto request = read_request<SupportRequest>(question.session, question.asked);
  const AnswerWatch& watch = question.watch;
  if (watch.progress)
    request.on_progress = [&](std::int64_t done, std::int64_t total) {
      watch.progress(double(done), double(total));
    };
  const auto rows = support_matrix(request, question.session.model_of(request.predictor));
  question.write([&] { return support_text(rows); });
  return {{"rows", support_json(rows)}};
}

Json answer_prices(const Question& question) {
  const PriceListing listing = list_prices(read_request<PricesRequest>(question.session, question.asked));
  question.write([&] { return prices_text(listing); });
  return prices_json(listing);
}

Json answer_diagnose(const Question& question) {
  const auto request = read_setup_request<DiagnoseRequest>(question.session, question.asked,
                                                           SetupUse::Diagnosis, question.watch);
  const Diagnosis result = diagnose(
      request, request.workload ? question.session.model_of(request.workload->setup.predictor) : nullptr);
  question.write([&] { return diagnosis_text(result); });
  Json document = diagnosis_json(result);
  for (const std::string& view : request.views) document["views"][view] = diagnosis_html(result);
  return document;
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

Json answer_gpus(const Question& question) {
  if (!question.asked.empty()) throw InvalidInput("gpus: takes no fields; `gpu` shows one by its name");
  const std::vector<GpuSpec> gpus = list_gpus();
  question.write([&] { return gpu_list_text(gpus); });
  return gpu_list_json(gpus);
}

Json answer_gpu(const Question& question) {
  const GpuSpec gpu = show_gpu(asked_name(question.asked, "gpu", true), question.session.files());
  question.write([&] { return gpu_text(gpu); });
  return gpu_json(gpu);
}

Json answer_models(const Question& question) {
  const std::vector<ModelListing> models =
      list_models(asked_name(question.asked, "models", false), question.session.files());
  question.write([&] { return model_list_text(models); });
  return model_list_json(models);
}

// The schema of one request; without a name which there are.
Json answer_schema(const Question& question) {
  const std::string name = asked_name(question.asked, "schema", false);
  if (!name.empty()) {
    Json schema = request_schema(name);
    question.write([&] { return json_text(schema); });
    return schema;
  }
  Json list = Json::array();
  std::string text;
  for (const DescribedRequest& request : described_requests()) {
    list.push_back({{"name", request.name}, {"about", request.about}});
    text += fmt::format("{:<22}{}\n", request.name, request.about);
  }
  question.write([&] { return text; });
  return {{"requests", std::move(list)}};
}

constexpr AnswerAccess kClients = AnswerAccess::Clients;

// The fields of a setup that name files, and `more` of the request around it.
constexpr AnswerFiles setup_files(std::initializer_list<std::string_view> more = {}) {
  AnswerFiles files{"model",          "gpu",          "manifest", "predictor",
                    "vision_encoder", "host_profile", "machine",  "speculative_draft_model_path"};
  constexpr std::size_t kOfSetup = 8;
  std::copy(more.begin(), more.end(), files.begin() + kOfSetup);
  return files;
}

constexpr AnsweredRequest kPredictedAnswers[] = {
    {"predict",
     answer_predict,
     {.access = kClients, .is_short = true, .files = {"gpu", "predictor", "machine"}}},
    {"step", answer_step, {.access = kClients, .is_short = true, .files = setup_files()}},
    {"static", answer_static, {.access = kClients, .is_short = true, .files = setup_files()}},
    {"simulate",
     answer_simulate,
     {.access = kClients, .files = setup_files({"trace", "clients", "tuned", "encoder_gpu"})}},
    {"curve", answer_curve, {.access = kClients, .files = setup_files({"trace", "clients", "measured"})}},
    {"forecast", answer_forecast, {.access = kClients, .files = setup_files({"metrics", "metrics_before"})}},
    {"gpus", answer_gpus, {.access = kClients, .is_short = true}},
    {"gpu", answer_gpu, {.access = kClients, .is_short = true, .files = {"name"}}},
    {"models", answer_models, {.access = kClients, .is_short = true, .files = {"name"}}},
    {"schema", answer_schema, {.access = kClients, .is_short = true}},
    {"diagnose", answer_diagnose, {.access = kClients, .files = setup_files({"data"})}},
    {"plan",
     answer_plan,
     {.access = kClients,
      .files = {"model", "gpu_names", "predictor", "host_profile", "machine", "trace", "clients", "prices",
                "check"}}},
    {"support",
     answer_support,
     {.access = kClients, .files = {"supported_models", "supported_gpus", "predictor"}}},
    {"prices", answer_prices, {.access = kClients, .is_short = true, .files = {"gpus", "prices"}}},
    {"plans", answer_plans},  // its file may name stores
    {"convert_clients", answer_convert_clients},
};

}  // namespace

std::span<const AnsweredRequest> predicted_answers() { return kPredictedAnswers; }

}  // namespace warploom
