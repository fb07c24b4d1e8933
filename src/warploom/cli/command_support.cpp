#include "warploom/app/plan/support_matrix.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_support_command(Command& app) {
  Command* command = app.add_subcommand("support", "which models, GPUs and engines rest on measured kernels");
  RequestCommand matrix(*command, "support");
  matrix.add_fields<SupportRequest>();
  matrix.counts("combinations").runs();
}

}  // namespace warploom
