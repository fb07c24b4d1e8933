#include <nlohmann/json.hpp>

#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/tile_picks.h"
#include "warploom/judge/regret/tune_regret.h"
#include "warploom/judge/wavetune/wavetune_table.h"

namespace warploom {

void add_regret_command(Command& tune) {
  Command* command = tune.add_subcommand("regret", "a table's picks against exhaustive measurements");
  RequestCommand regret(*command, "tune_regret");
  regret.add_fields<TuneRegretRequest>();
  regret.html().runs();
}

void print_published_picks(const AskedPicks& asked) {
  const WaveTuneTable table = WaveTuneTable::open(asked.table);
  print_picks(asked, pick_source(table, table.model().kernel,
                                 [&](Json& document, const TileShape& shape, const TilePick& pick) {
                                   document["extrapolated"] = table.extrapolated(shape, pick);
                                   document["tier"] = name_of(TableTier::Measured);
                                 }));
}

}  // namespace warploom
