// Maintainers' side of the ceilings: training and validation.
#include <nlohmann/json.hpp>

#include "warploom/app/data/train_ceilings.h"
#include "warploom/app/validate/validate_ceilings.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/options.h"
#include "warploom/report/ceiling_report.h"
#include "warploom/report/ceiling_training_report.h"

namespace warploom {

void add_train_ceilings_command(Command& app) {
  Command* command = app.add_subcommand("train-ceilings", "performance ceilings from measured data");
  const auto fields = add_request_options<TrainCeilingsRequest>(*command, {.skipped = {"keep_impossible"}});
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, json] {
    TrainCeilingsRequest request;
    fields->apply(&request);
    request.progress = [](std::string_view line) { print_note(line); };
    const TrainCeilingsResult result = train_ceilings(request);
    print(*json ? json_text(ceiling_training_json(result)) : ceiling_training_text(result));
  });
}

void add_validate_ceilings(Command& validate) {
  Command* command = validate.add_subcommand("ceilings", "performance ceilings on shapes not learned from");
  const auto fields =
      add_request_options<ValidateCeilingsRequest>(*command, {.skipped = {"keep_impossible"}});
  command->get_option("--cross-fit")->excludes(command->get_option("--ceilings"));
  const HtmlOption html(*command, "validate_ceilings");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, html, json] {
    ValidateCeilingsRequest request;
    fields->apply(&request);
    request.progress = [](std::string_view line) { print_note(line); };
    const CeilingValidation result = validate_ceilings(request);
    const Json document = ceiling_validation_json(result);
    html.write_answer(request, document);
    print(*json ? json_text(document) : ceiling_validation_text(result));
  });
}

}  // namespace warploom
