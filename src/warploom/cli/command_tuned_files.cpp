#include <nlohmann/json.hpp>

#include "warploom/app/tune/tuned_files.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/python_package.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_tuned_files_command(Command& app) {
  Command* command = app.add_subcommand("tuned-files", "tuned Triton files that an engine reads for a model");
  RequestCommand files(*command, "tuned_files");
  files.write([](Json& asked, GivenNames&) { asked["package"] = python_package(); });
  files.add_fields<TunedFilesRequest>();
  for (const char* name : {"--seconds", "--python", "--package"})
    command->get_option(name)->needs(command->get_option("--profile"));
  files.runs();
}

}  // namespace warploom
