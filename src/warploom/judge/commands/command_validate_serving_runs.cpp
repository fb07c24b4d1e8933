#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/runs/validate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"
#include "warploom/cli/command.h"
#include "warploom/cli/command_index.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/page_words.h"
#include "warploom/cli/request_command.h"
#include "warploom/judge/commands/validate_commands.h"
#include "warploom/judge/validate/concurrency_request.h"
#include "warploom/judge/validate/validate_static.h"

namespace warploom {
namespace {

// An option per constant of the host, into the field `host`.
void add_host_options(RequestCommand& run) {
  const auto values =
      add_field_options(run.command(), fields_of<HostSettings>(), {.group = std::string(kHostGroup)});
  run.write([values](Json& asked, GivenNames& names) {
    if (!values->any_given()) return;
    values->write(asked["host"]);
    names.add(values->given_options());
  });
}

void add_validate_static(Command& validate) {
  Command* command = validate.add_subcommand("static", "static batches of real engines");
  RequestCommand batches(*command, "validate_static");
  batches.add_fields<ValidateStaticRequest>({.skipped = {"host", "families", "gpus", "keep_impossible"}});
  for (const char* name : {"--store", "--layout"})
    command->get_option(name)->needs(command->get_option("--baseline"));
  add_host_options(batches);
  batches.html().runs();
}

void add_validate_serving(Command& validate) {
  Command* command = validate.add_subcommand("serving", "a run of a real engine, request by request");
  RequestCommand run(*command, "validate_serving");
  run.add_fields<ValidateServingRequest>({.skipped = {"host"}});
  add_host_options(run);
  run.html().runs();
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
  RequestCommand cells(*command, "validate_concurrency");
  cells.add_fields<ValidateConcurrencyRequest>({.skipped = {"host"}});
  add_host_options(cells);
  cells.see([](const Json& asked, Json& document, std::string& text) {
    if (asked.value("commands", false)) text += add_commands(document);
  });
  cells.html().counts("cells").runs();
}

}  // namespace

void add_validate_serving_runs(Command& validate) {
  add_validate_static(validate);
  add_validate_serving(validate);
  add_validate_concurrency(validate);
}

}  // namespace warploom
