// Maintainers' side of the ceilings: training and validation.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/train_ceilings.h"
#include "warploom/app/validate/validate_ceilings.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/ceiling_report.h"
#include "warploom/report/ceiling_training_report.h"

namespace warploom {
namespace {

// Where measured rows come from.
struct SourceOptions {
  MeasurementSource source;
  std::vector<std::string> paths;

  void add_to(Command& command) {
    command.add_option("--store", source.store, "a store that `import` wrote; or");
    command.add_option("--layout", source.layout, "layout of the files of --data");
    command.add_option("--data", paths, "files or folders");
    command.add_option("--family", source.families, "only these families");
    command.add_option("--gpu", source.gpus, "only these GPUs");
  }
  MeasurementSource parsed() const {
    MeasurementSource result = source;
    result.paths.assign(paths.begin(), paths.end());
    return result;
  }
};

}  // namespace

void add_train_ceilings_command(Command& app) {
  struct Options {
    TrainCeilingsRequest request;
    SourceOptions source;
    std::string output;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("train-ceilings", "performance ceilings from measured data");
  options->source.add_to(*command);
  command->add_option("--output", options->output, "folder")->required();
  command->add_option("--exclude-gpu", options->request.exclude_gpus, "learn nothing from these GPUs");
  command->add_option("--test-fraction", options->request.test_fraction, "of shapes kept out")
      ->capture_default_str();
  command->add_option("--rows", options->request.most_rows, "of a family, at most")->capture_default_str();
  command->add_option("--seed", options->request.seed, "of what is drawn")->capture_default_str();
  add_json_option(*command, options->json);
  command->callback([options] {
    options->request.source = options->source.parsed();
    options->request.output = options->output;
    options->request.progress = [](std::string_view line) { print_note(line); };
    const TrainCeilingsResult result = train_ceilings(options->request);
    print(options->json ? json_text(ceiling_training_json(result)) : ceiling_training_text(result));
  });
}

void add_validate_ceilings(Command& validate) {
  struct Options {
    ValidateCeilingsRequest request;
    SourceOptions source;
    std::vector<std::string> tuned;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = validate.add_subcommand("ceilings", "performance ceilings on shapes not learned from");
  options->source.add_to(*command);
  Option* ceilings =
      command->add_option("--ceilings", options->request.ceilings, "a folder that `train-ceilings` wrote");
  command->add_option("--quantile", options->request.quantile, "of the ceiling")->capture_default_str();
  command
      ->add_option("--cross-fit", options->request.cross_fit,
                   "learn anew from the data's other folds of shapes, so many folds; judges every row")
      ->excludes(ceilings);
  command->add_option("--tuned", options->tuned, "tables of tuned times, to compare with what is flagged");
  add_json_option(*command, options->json);
  command->callback([options] {
    options->request.source = options->source.parsed();
    options->request.tuned.assign(options->tuned.begin(), options->tuned.end());
    options->request.progress = [](std::string_view line) { print_note(line); };
    const CeilingValidation result = validate_ceilings(options->request);
    print(options->json ? json_text(ceiling_validation_json(result)) : ceiling_validation_text(result));
  });
}

}  // namespace warploom
