// Maintainers' side of the ceilings: training and validation.
#include "warploom/app/data/train_ceilings.h"
#include "warploom/app/validate/validate_ceilings.h"
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

void add_validate_ceilings(Command& validate) {
  Command* command = validate.add_subcommand("ceilings", "performance ceilings on shapes not learned from");
  RequestCommand ceilings(*command, "validate_ceilings");
  ceilings.add_fields<ValidateCeilingsRequest>({.skipped = {"keep_impossible"}});
  command->get_option("--cross-fit")->excludes(command->get_option("--ceilings"));
  ceilings.html().runs();
}

}  // namespace warploom
