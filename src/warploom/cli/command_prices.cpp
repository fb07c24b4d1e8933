#include "warploom/app/plan/list_prices.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_prices_command(Command& app) {
  Command* command = app.add_subcommand("prices", "what GPUs cost by the hour, and where that stands");
  RequestCommand prices(*command, "prices");
  prices.add_fields<PricesRequest>();
  prices.runs();
}

}  // namespace warploom
