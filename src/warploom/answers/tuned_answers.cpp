#include "warploom/answers/answer_table.h"
#include "warploom/answers/internal/request_reading.h"
#include "warploom/app/tune/moe_config.h"
#include "warploom/app/tune/staircase.h"
#include "warploom/app/tune/tune_cross_gpu.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/app/tune/tune_regret.h"
#include "warploom/report/moe_config_report.h"
#include "warploom/report/tune_report.h"
#include "warploom/report/tune_staircase.h"

namespace warploom {
namespace {

Json answer_tune_plan(const Session&, const Json& asked, const AnswerWatch&) {
  const TunePlanResult plan = tune_plan(read_request<TunePlanRequest>(asked));
  return {{"configs", plan.configs}, {"rows", plan.rows}, {"shapes", plan.shapes}};
}

Json answer_tune_fit(const Session&, const Json& asked, const AnswerWatch&) {
  const auto request = read_request<TuneFitRequest>(asked);
  return request.method == TuneMethod::WaveTune ? wavetune_fit_json(tune_fit_wavetune(request))
                                                : tune_fit_json(tune_fit(request));
}

Json answer_tune_cross_gpu(const Session&, const Json& asked, const AnswerWatch&) {
  return tune_fit_json(tune_fit_cross_gpu(read_request<TuneCrossGpuRequest>(asked)));
}

Json answer_tune_show(const Session&, const Json& asked, const AnswerWatch&) {
  return tune_show_json(tune_show(read_request<TuneShowRequest>(asked)));
}

Json answer_tune_regret(const Session&, const Json& asked, const AnswerWatch&) {
  return tune_regret_json(tune_regret(read_request<TuneRegretRequest>(asked)));
}

Json answer_moe_config(const Session&, const Json& asked, const AnswerWatch&) {
  const MoeConfigResult result = moe_config(read_request<MoeConfigRequest>(asked));
  Json document = sidecar_json(result.table);
  for (const auto& file : result.files) document["files"].push_back(file.string());
  return document;
}

constexpr AnsweredRequest kTunedAnswers[] = {
    {"tune_plan", answer_tune_plan},
    {"tune_fit", answer_tune_fit},
    {"tune_fit_cross_gpu", answer_tune_cross_gpu},
    {"tune_show", answer_tune_show},
    {"tune_regret", answer_tune_regret},
    {"moe_config", answer_moe_config},
};

}  // namespace

std::span<const AnsweredRequest> tuned_answers() { return kTunedAnswers; }

}  // namespace warploom
