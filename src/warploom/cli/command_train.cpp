#include <nlohmann/json.hpp>

#include "warploom/app/data/train.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/training_report.h"

namespace warploom {

void add_train_command(Command& app) {
  Command* command = app.add_subcommand("train", "learns a predictor from measured data");
  const auto fields = add_request_options<TrainRequest>(*command, {.skipped = {"gpus", "keep_impossible"}});
  command->get_option("--few-shot-per")->needs(command->get_option("--few-shot"));
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    TrainRequest request;
    fields->apply(&request);
    request.progress = [](std::string_view line) { print_note(line); };
    const TrainSummary summary = train(request);
    print(*json ? json_text(train_summary_json(summary)) : train_summary_text(summary));
  });
}

}  // namespace warploom
