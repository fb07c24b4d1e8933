#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/answers/answer_table.h"
#include "warploom/answers/judged_answers.h"
#include "warploom/answers/use_case_answer.h"
#include "warploom/app/tune/moe_config.h"
#include "warploom/app/tune/staircase.h"
#include "warploom/app/tune/tune_cross_gpu.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/report/moe_config_report.h"
#include "warploom/report/run_charts.h"
#include "warploom/report/tune_report.h"
#include "warploom/report/tune_staircase.h"

namespace warploom {
namespace {

constexpr std::size_t kStaircaseLines = 28;  // a terminal's height

Json answer_tune_plan(const Question& question) {
  const TunePlanResult plan = tune_plan(read_request<TunePlanRequest>(question.session, question.asked));
  question.write([&] {
    return fmt::format("{} configurations, {} timings at {} shapes\n", plan.configs, plan.rows, plan.shapes);
  });
  return {{"configs", plan.configs}, {"rows", plan.rows}, {"shapes", plan.shapes}};
}

Json fit_answer(const Question& question, const TuneFitResult& fit) {
  for (const TileConfig& config : fit.model.left_out)
    question.say(fmt::format("left out: {} has fewer than {} samples", config_text(config), kFewestSamples));
  question.write([&] {
    const auto charts = question.text->charts;
    return tune_fit_text(fit) + (charts ? fit_chart(fit.model, *charts) : std::string());
  });
  return tune_fit_json(fit);
}

Json answer_tune_fit(const Question& question) {
  const auto request = read_request<TuneFitRequest>(question.session, question.asked);
  if (request.method == TuneMethod::WaveTune) return answer_wavetune_fit(question, request);
  return fit_answer(question, tune_fit(request));
}

Json answer_tune_cross_gpu(const Question& question) {
  return fit_answer(question,
                    tune_fit_cross_gpu(read_request<TuneCrossGpuRequest>(question.session, question.asked)));
}

Json answer_tune_show(const Question& question) {
  const auto request = read_request<TuneShowRequest>(question.session, question.asked);
  const TuneShowResult result = tune_show(request);
  question.write([&] {
    return staircase_text(result.table,
                          staircase(result.table, request.m, request.n, request.k, kStaircaseLines));
  });
  return tune_show_json(result);
}

Json answer_moe_config(const Question& question) {
  const MoeConfigResult result = moe_config(read_request<MoeConfigRequest>(question.session, question.asked));
  Json document = sidecar_json(result.table);
  for (const auto& file : result.files) document["files"].push_back(file.string());
  question.write([&] {
    std::string text = moe_config_text(result.table);
    for (const auto& file : result.files) text += fmt::format("wrote {}\n", file.string());
    return text;
  });
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
    {"tune_regret", nullptr, {.access = kClients, .files = {"table", "oracle", "samples", "seen", "gpu"}}},
    {"moe_config", answer_moe_config, {.access = kClients, .files = {"model", "gpu", "table", "samples"}}},
};

}  // namespace

std::span<const AnsweredRequest> tuned_answers() { return kTunedAnswers; }

}  // namespace warploom
