#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/train.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/training_report.h"

namespace warploom {
namespace {

struct Options {
  TrainRequest request;
  std::vector<std::string> paths, exclude;
  std::string output;
  bool json = false;
};

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
    print(options->json ? json_text(train_summary_json(summary)) : train_summary_text(summary));
  });
}

}  // namespace warploom
