// The requests that this program alone answers, in place of answers/judging_elsewhere.cpp.
#include "warploom/answers/judged_answers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/answers/request_schema.h"
#include "warploom/answers/use_case_answer.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/base/error.h"
#include "warploom/judge/regret/tune_regret.h"
#include "warploom/judge/report/ceiling_report.h"
#include "warploom/judge/report/concurrency_report.h"
#include "warploom/judge/report/kernel_validation_report.h"
#include "warploom/judge/report/regret_report.h"
#include "warploom/judge/report/validation_report.h"
#include "warploom/judge/report/wavetune_report.h"
#include "warploom/judge/validate/concurrency_request.h"
#include "warploom/judge/validate/validate_ceilings.h"
#include "warploom/judge/validate/validate_concurrency.h"
#include "warploom/judge/validate/validate_kernels.h"
#include "warploom/judge/validate/validate_leave_out.h"
#include "warploom/judge/validate/validate_static.h"

namespace warploom {
namespace {

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

struct JudgedRequest {
  std::string_view name;
  Json (*answer)(const Question& question);
  JudgedFields (*fields)();
};

template <Described Request>
JudgedFields fields_with_defaults() {
  return {&fields_of<Request>(), [] { return std::make_shared<Request>(); }};
}

constexpr JudgedRequest kJudged[] = {
    {"validate_kernels",
     answer_by<ValidateKernelsRequest, validate_kernels, kernel_validation_json, kernel_validation_text>,
     fields_with_defaults<ValidateKernelsRequest>},
    {"validate_leave_out", answer_by<LeaveOutRequest, validate_leave_out, leave_out_json, leave_out_text>,
     fields_with_defaults<LeaveOutRequest>},
    {"validate_ceilings",
     answer_by<ValidateCeilingsRequest, validate_ceilings, ceiling_validation_json, ceiling_validation_text>,
     fields_with_defaults<ValidateCeilingsRequest>},
    {"validate_static",
     answer_with_model<ValidateStaticRequest, judge_static, static_validation_json, static_validation_text>,
     fields_with_defaults<ValidateStaticRequest>},
    {"validate_serving",
     answer_with_model<ValidateServingRequest, judge_serving, serving_validation_json,
                       serving_validation_text>,
     fields_with_defaults<ValidateServingRequest>},
    {"validate_concurrency",
     answer_with_model<ValidateConcurrencyRequest, judge_concurrency, concurrency_validation_json,
                       concurrency_validation_text>,
     fields_with_defaults<ValidateConcurrencyRequest>},
    {"tune_regret", answer_by<TuneRegretRequest, tune_regret, tune_regret_json, tune_regret_text>,
     fields_with_defaults<TuneRegretRequest>},
};

const JudgedRequest& judged_request(std::string_view name) {
  for (const JudgedRequest& one : kJudged)
    if (one.name == name) return one;
  throw Unsupported(
      fmt::format("request: '{}' is not answered by warploom-judge {}", name, WARPLOOM_VERSION));
}

}  // namespace

Json answer_judged(std::string_view request, const Question& question) {
  return judged_request(request).answer(question);
}

Json answer_wavetune_fit(const Question& question, const TuneFitRequest& request) {
  const WaveTuneFitResult fit = tune_fit_wavetune(request);
  for (const TileConfig& tiles : fit.table.model().left_out)
    question.note(fmt::format("left out: tiles {}x{}x{} have fewer than {} anchors", tiles.tile_m,
                              tiles.tile_n, tiles.tile_k, kFewestAnchors));
  question.write([&] { return wavetune_fit_text(fit); });
  return wavetune_fit_json(fit);
}

JudgedFields judged_fields(std::string_view request) { return judged_request(request).fields(); }

Json judged_schemas() {
  Json schemas = Json::object();
  for (const JudgedRequest& one : kJudged) schemas[std::string(one.name)] = request_schema(one.name);
  return schemas;
}

}  // namespace warploom
