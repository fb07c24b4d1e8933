#include "warploom/app/data/train.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_train_command(Command& app) {
  Command* command = app.add_subcommand("train", "learns a predictor from measured data");
  RequestCommand training(*command, "train");
  training.add_fields<TrainRequest>({.skipped = {"gpus", "keep_impossible"}});
  command->get_option("--few-shot-per")->needs(command->get_option("--few-shot"));
  training.runs();
}

}  // namespace warploom
