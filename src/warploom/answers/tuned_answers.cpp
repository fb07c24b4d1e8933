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

Json answer_tune_plan(const Session& session, const Json& asked, const AnswerWatch&) {
  const TunePlanResult plan = tune_plan(read_request<TunePlanRequest>(session, asked));
  return {{"configs", plan.configs}, {"rows", plan.rows}, {"shapes", plan.shapes}};
}

Json answer_tune_fit(const Session& session, const Json& asked, const AnswerWatch&) {
  const auto request = read_request<TuneFitRequest>(session, asked);
  return request.method == TuneMethod::WaveTune ? wavetune_fit_json(tune_fit_wavetune(request))
                                                : tune_fit_json(tune_fit(request));
}

Json answer_tune_cross_gpu(const Session& session, const Json& asked, const AnswerWatch&) {
  return tune_fit_json(tune_fit_cross_gpu(read_request<TuneCrossGpuRequest>(session, asked)));
}

Json answer_tune_show(const Session& session, const Json& asked, const AnswerWatch&) {
  return tune_show_json(tune_show(read_request<TuneShowRequest>(session, asked)));
}

Json answer_tune_regret(const Session& session, const Json& asked, const AnswerWatch&) {
  return tune_regret_json(tune_regret(read_request<TuneRegretRequest>(session, asked)));
}

Json answer_moe_config(const Session& session, const Json& asked, const AnswerWatch&) {
  const MoeConfigResult result = moe_config(read_request<MoeConfigRequest>(session, asked));
  Json document = sidecar_json(result.table);
  for (const auto& file : result.files) document["files"].push_back(file.string());
  return document;
}

constexpr AnswerAccess kClients = AnswerAccess::Clients;

constexpr AnsweredRequest kTunedAnswers[] = {
    {"tune_plan", answer_tune_plan, {.access = kClients, .files = {"gpu", "samples"}, .output = "output"}},
    {"tune_fit", answer_tune_fit, {.access = kClients, .files = {"gpu", "samples"}, .output = "output"}},
    {"tune_fit_cross_gpu",
     answer_tune_cross_gpu,
     {.access = kClients, .files = {"gpu", "from_table"}, .output = "output"}},
    {"tune_show", answer_tune_show, {.access = kClients, .is_short = true, .files = {"table", "samples"}}},
    {"tune_regret",
     answer_tune_regret,
     {.access = kClients, .files = {"table", "oracle", "samples", "seen", "gpu"}}},
    {"moe_config", answer_moe_config, {.access = kClients, .files = {"model", "gpu", "table", "samples"}}},
};

}  // namespace

std::span<const AnsweredRequest> tuned_answers() { return kTunedAnswers; }

}  // namespace warploom
