#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/validate/validate_concurrency.h"
#include "warploom/app/validate/validate_serving.h"
#include "warploom/app/validate/validate_static.h"
#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"
#include "warploom/cli/command.h"
#include "warploom/cli/command_index.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/options.h"
#include "warploom/cli/page_words.h"
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
  const HtmlOption html(*command, "validate_static");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, host, html, json] {
    ValidateStaticRequest request;
    fields->apply(&request);
    request.host = host();
    request.progress = [](std::string_view line) { print_note(line); };
    const StaticValidation result = validate_static(request);
    const Json document = static_validation_json(result);
    html.write_answer(request, document);
    print(*json ? json_text(document) : static_validation_text(result));
  });
}

void add_validate_serving(Command& validate) {
  Command* command = validate.add_subcommand("serving", "a run of a real engine, request by request");
  const auto fields = add_request_options<ValidateServingRequest>(*command, {.skipped = {"host"}});
  const auto host = add_host_options(*command, "validate serving");
  const HtmlOption html(*command, "validate_serving");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, host, html, json] {
    ValidateServingRequest request;
    fields->apply(&request);
    request.host = host();
    const ServingValidation result = validate_serving(request);
    const Json document = serving_validation_json(result);
    html.write_answer(request, document);
    print(*json ? json_text(document) : serving_validation_text(result));
  });
}

// Gives each cell the command line of its question ("command"; null where no option says a part of it) and
// lists them.
std::string add_commands(Json& document) {
  const CommandIndex index;
  std::string text = "\nWhat `simulate` is asked for each cell\n";
  for (const char* const cells : {"cells", "other_cells"})
    for (Json& cell : document[cells]) {
      cell["command"] = nullptr;
      if (cell["simulate"].is_null()) continue;
      try {
        std::vector<std::string> words = command_words(index, "simulate", cell["simulate"]);
        words.insert(words.begin(), "warploom");
        cell["command"] = shell_line(words);
      } catch (const InvalidInput& error) {
        cell["not_asked"] = error.what();
        continue;
      }
      text += fmt::format("{}: TTFT {:.2f} ms, TPOT {:.3f} ms\n  {}\n", cell["id"].get<std::string>(),
                          cell["predicted_ttft_ms"].get<double>(), cell["predicted_tpot_ms"].get<double>(),
                          cell["command"].get<std::string>());
    }
  return text;
}

void add_validate_concurrency(Command& validate) {
  Command* command = validate.add_subcommand("concurrency", "benchmarks at fixed concurrency");
  const auto fields = add_request_options<ValidateConcurrencyRequest>(*command, {.skipped = {"host"}});
  const auto host = add_host_options(*command);
  const HtmlOption html(*command, "validate_concurrency");
  const auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([fields, host, html, json] {
    ValidateConcurrencyRequest request;
    fields->apply(&request);
    request.host = host();
    Progress progress("cells");
    request.on_progress = [&](std::int64_t done, std::int64_t total) { progress.at(done, total); };
    const ConcurrencyValidation result = validate_concurrency(request);
    Json document = concurrency_validation_json(result);
    const std::string commands = request.commands ? add_commands(document) : std::string();
    html.write_answer(request, document);
    print(*json ? json_text(document) : concurrency_validation_text(result) + commands);
  });
}

}  // namespace

void add_validate_serving_runs(Command& validate) {
  add_validate_static(validate);
  add_validate_serving(validate);
  add_validate_concurrency(validate);
}

}  // namespace warploom
