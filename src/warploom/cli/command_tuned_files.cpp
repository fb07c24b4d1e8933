#include "warploom/app/tune/tuned_files.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_tuned_files_command(Command& app) {
  RequestCommand files(
      *app.add_subcommand("tuned-files", "tuned Triton files that an engine reads for a model"),
      "tuned_files");
  files.add_fields<TunedFilesRequest>();
  files.runs();
}

}  // namespace warploom
