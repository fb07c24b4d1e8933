#include "warploom/answers/answer_table.h"
#include "warploom/answers/internal/request_reading.h"
#include "warploom/app/data/calibrate.h"
#include "warploom/app/data/import_data.h"
#include "warploom/app/data/sweep_plan.h"
#include "warploom/app/data/train.h"
#include "warploom/app/data/train_ceilings.h"
#include "warploom/app/validate/calibrate_host_runs.h"
#include "warploom/app/validate/concurrency_request.h"
#include "warploom/app/validate/validate_ceilings.h"
#include "warploom/app/validate/validate_concurrency.h"
#include "warploom/app/validate/validate_kernels.h"
#include "warploom/app/validate/validate_leave_out.h"
#include "warploom/app/validate/validate_serving.h"
#include "warploom/app/validate/validate_static.h"
#include "warploom/report/calibration_report.h"
#include "warploom/report/ceiling_report.h"
#include "warploom/report/ceiling_training_report.h"
#include "warploom/report/concurrency_report.h"
#include "warploom/report/host_calibration_report.h"
#include "warploom/report/import_report.h"
#include "warploom/report/kernel_validation_report.h"
#include "warploom/report/sweep_plan_report.h"
#include "warploom/report/training_report.h"
#include "warploom/report/validation_report.h"

namespace warploom {
namespace {

// How far it is, and words on the way.
template <class Request>
void follow(Request& request, const AnswerWatch& watch) {
  if constexpr (requires { request.progress; }) request.progress = watch.said;
  if constexpr (requires { request.on_progress; })
    if (watch.progress)
      request.on_progress = [&watch](std::int64_t done, std::int64_t total) {
        watch.progress(double(done), double(total));
      };
}

// A text of a result, or of a result and what was asked.
template <auto kText, class Request, class Result>
std::string text_of(const Request& request, const Result& result) {
  if constexpr (requires { kText(request, result); })
    return kText(request, result);
  else
    return kText(result);
}

// A use case that opens what it needs itself.
template <Described Request, auto kUseCase, auto kReport, auto kText>
Json answer_by(const Question& question) {
  auto request = read_request<Request>(question.session, question.asked);
  follow(request, question.watch);
  const auto result = kUseCase(request);
  question.write([&] { return text_of<kText>(request, result); });
  return kReport(result);
}

// A use case that takes the session's model where the request names no other.
template <Described Request, auto kUseCase, auto kReport, auto kText>
Json answer_with_model(const Question& question) {
  auto request = read_request<Request>(question.session, question.asked);
  follow(request, question.watch);
  const auto result = kUseCase(request, question.session.model_of(request.predictor));
  question.write([&] { return text_of<kText>(request, result); });
  return kReport(result);
}

// Overloads by the arguments that are given here.
StaticValidation judge_static(const ValidateStaticRequest& request,
                              const std::shared_ptr<const LatencyModel>& model) {
  return validate_static(request, model);
}
ServingValidation judge_serving(const ValidateServingRequest& request,
                                const std::shared_ptr<const LatencyModel>& model) {
  return validate_serving(request, model);
}
ConcurrencyValidation judge_concurrency(const ValidateConcurrencyRequest& request,
                                        const std::shared_ptr<const LatencyModel>& model) {
  return validate_concurrency(request, model);
}

HostCalibration fit_host(const CalibrateHostRequest& request,
                         const std::shared_ptr<const LatencyModel>& model) {
  return calibrate_host_to(request, model);
}

std::string import_text(const ImportRequest& request, const ImportSummary& summary) {
  return import_summary_text(summary, request.store);
}
std::string sweep_text(const SweepPlanRequest& request, const SweepPlanResult& result) {
  return sweep_plan_text(result, request.output);
}

constexpr AnswerAccess kClients = AnswerAccess::Clients;

constexpr AnsweredRequest kMeasuredAnswers[] = {
    {"import", answer_by<ImportRequest, import_into_store, import_summary_json, import_text>},
    {"train", answer_by<TrainRequest, train, train_summary_json, train_summary_text>},
    {"train_ceilings",
     answer_by<TrainCeilingsRequest, train_ceilings, ceiling_training_json, ceiling_training_text>},
    {"sweep_plan", answer_by<SweepPlanRequest, sweep_plan, sweep_plan_json, sweep_text>},
    {"calibrate", answer_by<CalibrateRequest, calibrate, calibration_json, calibration_text>},
    {"calibrate_host",
     answer_with_model<CalibrateHostRequest, fit_host, host_calibration_json, host_calibration_text>},
    {"validate_kernels",
     answer_by<ValidateKernelsRequest, validate_kernels, kernel_validation_json, kernel_validation_text>,
     {.access = kClients, .files = {"data", "predictor", "baselines", "baseline_data"}}},
    {"validate_leave_out",
     answer_by<LeaveOutRequest, validate_leave_out, leave_out_json, leave_out_text>,
     {.access = kClients, .files = {"data", "baselines", "external"}}},
    {"validate_ceilings",
     answer_by<ValidateCeilingsRequest, validate_ceilings, ceiling_validation_json, ceiling_validation_text>,
     {.access = kClients, .files = {"data", "tuned", "published"}}},
    {"validate_static",
     answer_with_model<ValidateStaticRequest, judge_static, static_validation_json, static_validation_text>,
     {.access = kClients, .files = {"truth", "requests", "data", "predictor", "host_profile", "baselines"}}},
    {"validate_serving",
     answer_with_model<ValidateServingRequest, judge_serving, serving_validation_json,
                       serving_validation_text>,
     {.access = kClients, .files = {"run", "requests", "predictor", "host_profile"}}},
    {"validate_concurrency",
     answer_with_model<ValidateConcurrencyRequest, judge_concurrency, concurrency_validation_json,
                       concurrency_validation_text>,
     {.access = kClients, .files = {"truth", "predictor", "host_profile"}}},
};

}  // namespace

std::span<const AnsweredRequest> measured_answers() { return kMeasuredAnswers; }

}  // namespace warploom
