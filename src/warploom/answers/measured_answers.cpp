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
#include "warploom/app/validate/validate_tiles.h"
#include "warploom/report/calibration_report.h"
#include "warploom/report/ceiling_report.h"
#include "warploom/report/ceiling_training_report.h"
#include "warploom/report/concurrency_report.h"
#include "warploom/report/host_calibration_report.h"
#include "warploom/report/import_report.h"
#include "warploom/report/kernel_validation_report.h"
#include "warploom/report/sweep_plan_report.h"
#include "warploom/report/tile_report.h"
#include "warploom/report/training_report.h"
#include "warploom/report/validation_report.h"

namespace warploom {
namespace {

// A use case that opens what it needs itself.
template <Described Request, auto kUseCase, auto kReport>
Json answer_by(const Session& session, const Json& asked, const AnswerWatch& watch) {
  auto request = read_request<Request>(session, asked);
  if constexpr (requires { request.progress; }) request.progress = watch.said;
  return kReport(kUseCase(request));
}

// A use case that takes the session's model where the request names no other.
template <Described Request, auto kUseCase, auto kReport>
Json answer_with_model(const Session& session, const Json& asked, const AnswerWatch& watch) {
  auto request = read_request<Request>(session, asked);
  if constexpr (requires { request.on_progress; })
    if (watch.progress)
      request.on_progress = [&watch](std::int64_t done, std::int64_t total) {
        watch.progress(double(done), double(total));
      };
  return kReport(kUseCase(request, session.model_of(request.predictor)));
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

Json answer_calibrate_host(const Session& session, const Json& asked, const AnswerWatch&) {
  const auto request = read_request<CalibrateHostRequest>(session, asked);
  return host_calibration_json(calibrate_host_to(request, session.model_of(request.predictor)));
}

constexpr AnswerAccess kClients = AnswerAccess::Clients;

constexpr AnsweredRequest kMeasuredAnswers[] = {
    {"import", answer_by<ImportRequest, import_into_store, import_summary_json>},
    {"train", answer_by<TrainRequest, train, train_summary_json>},
    {"train_ceilings", answer_by<TrainCeilingsRequest, train_ceilings, ceiling_training_json>},
    {"sweep_plan", answer_by<SweepPlanRequest, sweep_plan, sweep_plan_json>},
    {"calibrate", answer_by<CalibrateRequest, calibrate, calibration_json>},
    {"calibrate_host", answer_calibrate_host},
    {"validate_kernels",
     answer_by<ValidateKernelsRequest, validate_kernels, kernel_validation_json>,
     {.access = kClients, .files = {"data", "predictor", "baselines", "baseline_data"}}},
    {"validate_leave_out",
     answer_by<LeaveOutRequest, validate_leave_out, leave_out_json>,
     {.access = kClients, .files = {"data", "baselines", "external"}}},
    {"validate_ceilings",
     answer_by<ValidateCeilingsRequest, validate_ceilings, ceiling_validation_json>,
     {.access = kClients, .files = {"data", "tuned", "published"}}},
    {"validate_tiles",
     answer_by<ValidateTilesRequest, validate_tiles, tile_validation_json>,
     {.access = kClients, .files = {"data", "gpu"}}},
    {"validate_static",
     answer_with_model<ValidateStaticRequest, judge_static, static_validation_json>,
     {.access = kClients, .files = {"truth", "requests", "data", "predictor", "host_profile", "baselines"}}},
    {"validate_serving",
     answer_with_model<ValidateServingRequest, judge_serving, serving_validation_json>,
     {.access = kClients, .files = {"run", "requests", "predictor", "host_profile"}}},
    {"validate_concurrency",
     answer_with_model<ValidateConcurrencyRequest, judge_concurrency, concurrency_validation_json>,
     {.access = kClients, .files = {"truth", "predictor", "host_profile"}}},
};

}  // namespace

std::span<const AnsweredRequest> measured_answers() { return kMeasuredAnswers; }

}  // namespace warploom
