#include <nlohmann/json.hpp>

#include "warploom/answers/answer_table.h"
#include "warploom/answers/use_case_answer.h"
#include "warploom/app/data/calibrate.h"
#include "warploom/app/data/import_data.h"
#include "warploom/app/data/sweep_plan.h"
#include "warploom/app/data/train.h"
#include "warploom/app/data/train_ceilings.h"
#include "warploom/app/runs/calibrate_host_runs.h"
#include "warploom/app/runs/calibrate_machine.h"
#include "warploom/report/calibration_report.h"
#include "warploom/report/host_calibration_report.h"
#include "warploom/report/import_report.h"
#include "warploom/report/machine_calibration_report.h"
#include "warploom/report/sweep_plan_report.h"
#include "warploom/report/training_report.h"

namespace warploom {
namespace {

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
    {"calibrate_machine", answer_with_model<CalibrateMachineRequest, calibrate_machine,
                                            machine_calibration_json, machine_calibration_text>},
    {"validate_kernels",
     nullptr,
     {.access = kClients, .files = {"data", "predictor", "baselines", "baseline_data"}}},
    {"validate_leave_out", nullptr, {.access = kClients, .files = {"data", "baselines", "external"}}},
    {"validate_ceilings", nullptr, {.access = kClients, .files = {"data", "tuned", "published"}}},
    {"validate_static",
     nullptr,
     {.access = kClients,
      .files = {"truth", "requests", "data", "predictor", "host_profile", "machine", "baselines"}}},
    {"validate_serving",
     nullptr,
     {.access = kClients, .files = {"run", "requests", "predictor", "host_profile", "machine"}}},
    {"validate_concurrency",
     nullptr,
     {.access = kClients, .files = {"truth", "predictor", "host_profile", "machine"}}},
};

}  // namespace

std::span<const AnsweredRequest> measured_answers() { return kMeasuredAnswers; }

}  // namespace warploom
