#include <nlohmann/json.hpp>

#include "warploom/app/validate/validate_concurrency.h"
#include "warploom/app/validate/validate_serving.h"
#include "warploom/app/validate/validate_static.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/progress.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/concurrency_report.h"
#include "warploom/report/validation_report.h"

namespace warploom {
namespace {

void add_validate_static(Command& validate) {
  Command* command = validate.add_subcommand("static", "static batches of real engines");
  const auto fields = add_request_options<ValidateStaticRequest>(
      *command, {.skipped = {"host", "families", "gpus", "keep_impossible"}});
  for (const char* name : {"--store", "--layout"})
    command->get_option(name)->needs(command->get_option("--baseline"));
  const auto host = add_host_options(*command, "validate static");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, host, json] {
    ValidateStaticRequest request;
    fields->apply(&request);
    request.host = host();
    request.progress = [](std::string_view line) { print_note(line); };
    const StaticValidation result = validate_static(request);
    print(*json ? json_text(static_validation_json(result)) : static_validation_text(result));
  });
}

void add_validate_serving(Command& validate) {
  Command* command = validate.add_subcommand("serving", "a run of a real engine, request by request");
  const auto fields = add_request_options<ValidateServingRequest>(*command, {.skipped = {"host"}});
  const auto host = add_host_options(*command, "validate serving");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, host, json] {
    ValidateServingRequest request;
    fields->apply(&request);
    request.host = host();
    const ServingValidation result = validate_serving(request);
    print(*json ? json_text(serving_validation_json(result)) : serving_validation_text(result));
  });
}

void add_validate_concurrency(Command& validate) {
  Command* command = validate.add_subcommand("concurrency", "benchmarks at fixed concurrency");
  const auto fields = add_request_options<ValidateConcurrencyRequest>(*command, {.skipped = {"host"}});
  const auto host = add_host_options(*command);
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, host, json] {
    ValidateConcurrencyRequest request;
    fields->apply(&request);
    request.host = host();
    Progress progress("cells");
    request.on_progress = [&](std::int64_t done, std::int64_t total) { progress.at(done, total); };
    const ConcurrencyValidation result = validate_concurrency(request);
    print(*json ? json_text(concurrency_validation_json(result)) : concurrency_validation_text(result));
  });
}

}  // namespace

void add_validate_serving_runs(Command& validate) {
  add_validate_static(validate);
  add_validate_serving(validate);
  add_validate_concurrency(validate);
}

}  // namespace warploom
