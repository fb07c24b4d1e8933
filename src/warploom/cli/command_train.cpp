#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/train.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

struct Options {
  TrainRequest request;
  std::vector<std::string> paths, exclude;
  std::string output;
  bool json = false;
};

Json figures_json(const ErrorFigures& figures) {
  return {{"rows", figures.rows},
          {"mean_error", figures.mean},
          {"median_error", figures.median},
          {"p90_error", figures.p90},
          {"coverage", figures.coverage}};
}

Json summary_json(const TrainSummary& summary) {
  Json families = Json::object();
  for (const FamilyTraining& training : summary.families) {
    Json left_out = Json::object();
    for (const auto& [gpu, figures] : training.left_out) left_out[gpu] = figures_json(figures);
    families[std::string(name_of(training.family))] = {{"rows_learned", training.rows_learned},
                                                       {"held_out", figures_json(training.held_out)},
                                                       {"left_out_gpu", std::move(left_out)},
                                                       {"seconds", training.seconds}};
  }
  for (const TablesTraining& training : summary.tables)
    families[std::string(name_of(training.family))]["tables"] = {
        {"rows", training.rows},
        {"held_out", figures_json(training.held_out)},
        {"answered", training.answered},
        {"seconds", training.seconds}};
  return {{"rows", summary.rows}, {"bytes", summary.bytes}, {"families", std::move(families)}};
}

std::string summary_text(const TrainSummary& summary) {
  TextTable table({{"family", Align::Left},
                   {"rows learned"},
                   {"rows held out"},
                   {"mean error"},
                   {"median"},
                   {"in p10..p90"},
                   {"s"}});
  for (const FamilyTraining& training : summary.families) {
    const ErrorFigures& held_out = training.held_out;
    table.add_row(
        {std::string(name_of(training.family)), count_text(static_cast<std::int64_t>(training.rows_learned)),
         count_text(static_cast<std::int64_t>(held_out.rows)), percent_text(held_out.mean),
         percent_text(held_out.median), percent_text(held_out.coverage), fixed_text(training.seconds, 1)});
  }
  for (const TablesTraining& training : summary.tables) {
    const ErrorFigures& held_out = training.held_out;
    table.add_row({fmt::format("{} with tables", name_of(training.family)),
                   count_text(static_cast<std::int64_t>(training.rows)),
                   count_text(static_cast<std::int64_t>(held_out.rows)), percent_text(held_out.mean),
                   percent_text(held_out.median), percent_text(held_out.coverage),
                   fixed_text(training.seconds, 1)});
  }
  return table.text() + fmt::format("{} written\n", bytes_text(Bytes(static_cast<double>(summary.bytes))));
}

}  // namespace

void add_train_command(Command& app) {
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("train", "learns a predictor from measured data");
  MeasurementSource& source = options->request.source;
  command->add_option("--store", source.store, "a store that `import` wrote; or");
  command->add_option("--layout", source.layout, "the layout of");
  command->add_option("--data", options->paths, "files or folders");
  command->add_option("--family", source.families, "only these families");
  command->add_option("--exclude-gpu", options->exclude, "GPUs whose rows are not learned")->delimiter(',');
  Option* few =
      command->add_option("--few-shot", options->request.few_shot, "GPU:N, learn N shapes of that GPU")
          ->delimiter(',');
  command
      ->add_option("--few-shot-per", options->request.few_shot_per,
                   "what --few-shot counts: family, or kind (each combination of data types by itself)")
      ->needs(few);
  command->add_flag("--tables", options->request.tables,
                    "also keep the measured rows beside the predictor, to interpolate between them");
  command->add_option("--seed", options->request.seed, "of every random choice");
  command->add_option("--threads", options->request.threads, "0 for all; the result does not depend on it");
  command->add_option("--output", options->output, "folder of the predictor")->required();
  add_json_option(*command, options->json);
  command->callback([options] {
    TrainRequest& request = options->request;
    request.source.paths.assign(options->paths.begin(), options->paths.end());
    request.exclude_gpus = options->exclude;
    request.output = options->output;
    request.progress = [](std::string_view line) { print_note(line); };
    const TrainSummary summary = train(request);
    print(options->json ? json_text(summary_json(summary)) : summary_text(summary));
  });
}

}  // namespace warploom
