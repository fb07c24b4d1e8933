#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/answers/answer_table.h"
#include "warploom/answers/judged_answers.h"
#include "warploom/answers/use_case_answer.h"
#include "warploom/app/tune/moe_config.h"
#include "warploom/app/tune/staircase.h"
#include "warploom/app/tune/tune_correction.h"
#include "warploom/app/tune/tune_cross_gpu.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_pick.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/app/tune/tune_profile.h"
#include "warploom/app/tune/tuned_files.h"
#include "warploom/report/moe_config_report.h"
#include "warploom/report/run_charts.h"
#include "warploom/report/tune_export.h"
#include "warploom/report/tune_report.h"
#include "warploom/report/tune_staircase.h"
#include "warploom/report/tuned_files_report.h"

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
    question.note(fmt::format("left out: {} has fewer than {} samples", config_text(config), kFewestSamples));
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

// An object, or where more than one is asked for a list.
Json answer_tune_pick(const Question& question) {
  const auto request = read_request<TunePickRequest>(question.session, question.asked);
  const TunePickResult result = tune_pick(request);
  question.write([&] { return tune_pick_text(result); });
  Json picks = tune_picks_json(result);
  return request.best > 1 ? picks : picks[0];
}

Json answer_tune_export(const Question& question) {
  const auto request = read_request<TuneExportRequest>(question.session, question.asked);
  const RuntimeTable table = RuntimeTable::open(request.table);
  std::filesystem::path path = request.output;
  if (request.format == kTableFormat) {
    table.write(path);
  } else if (request.format == kKernelTunerFormat) {
    constexpr std::size_t kBest = 10;
    const TileShape shape{request.m, request.n, request.k};
    write_json_file(path, kernel_tuner_json(table, {&shape, 1}, kBest));
  } else {
    path /= fused_moe_file_name(table, request.n);
    write_json_file(path, fused_moe_json(table, request.n, request.k));
  }
  question.write([&] { return path.string() + "\n"; });
  return {{"file", path.string()}};
}

Json answer_tune_profile(const Question& question) {
  const auto request = read_request<TuneProfileRequest>(question.session, question.asked);
  const TuneProfileResult result = tune_profile(request);
  question.write([&] {
    return fmt::format("{}: {} configurations, {} timings planned{}\n", request.output.string(),
                       result.configs, result.rows,
                       result.complete ? "" : "; out of time, run again to go on");
  });
  return {{"output", request.output.string()},
          {"configs", result.configs},
          {"rows", result.rows},
          {"complete", result.complete}};
}

Json answer_tune_learn(const Question& question) {
  const TuneLearnResult result = tune_learn(read_request<TuneLearnRequest>(question.session, question.asked));
  question.write([&] { return tune_learn_text(result); });
  return tune_learn_json(result);
}

Json answer_train_moe_configs(const Question& question) {
  const ConfigTraining training =
      train_moe_configs(read_request<TrainMoeConfigsRequest>(question.session, question.asked));
  question.write([&] { return config_training_text(training); });
  return config_training_json(training);
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

Json answer_tuned_files(const Question& question) {
  const TunedFilesResult result =
      tuned_files(read_request<TunedFilesRequest>(question.session, question.asked));
  question.write([&] { return tuned_files_text(result); });
  return tuned_files_json(result);
}

constexpr AnswerAccess kClients = AnswerAccess::Clients;

constexpr AnsweredRequest kTunedAnswers[] = {
    {"tune_plan", answer_tune_plan, {.access = kClients, .files = {"gpu", "samples"}, .output = "output"}},
    {"tune_fit", answer_tune_fit, {.access = kClients, .files = {"gpu", "samples"}, .output = "output"}},
    {"tune_fit_cross_gpu",
     answer_tune_cross_gpu,
     {.access = kClients, .files = {"gpu", "from_table"}, .output = "output"}},
    {"tune_pick", answer_tune_pick, {.access = kClients, .is_short = true, .files = {"table"}}},
    {"tune_show", answer_tune_show, {.access = kClients, .is_short = true, .files = {"table", "samples"}}},
    {"tune_regret", nullptr, {.access = kClients, .files = {"table", "oracle", "samples", "seen", "gpu"}}},
    {"moe_config", answer_moe_config, {.access = kClients, .files = {"model", "gpu", "table", "samples"}}},
    {"tuned_files", answer_tuned_files, {.access = kClients, .files = {"model", "gpu", "samples"}}},
    {"tune_export", answer_tune_export},
    {"tune_profile", answer_tune_profile},
    {"tune_learn", answer_tune_learn},
    {"train_moe_configs", answer_train_moe_configs},
};

}  // namespace

std::span<const AnsweredRequest> tuned_answers() { return kTunedAnswers; }

}  // namespace warploom
