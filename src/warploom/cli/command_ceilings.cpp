#include "warploom/app/data/train_ceilings.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_train_ceilings_command(Command& app) {
  Command* command = app.add_subcommand("train-ceilings", "performance ceilings from measured data");
  RequestCommand training(*command, "train_ceilings");
  training.add_fields<TrainCeilingsRequest>({.skipped = {"keep_impossible"}});
  training.runs();
}

}  // namespace warploom
