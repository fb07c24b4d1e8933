// What commands leave to the program warploom-judge, which is linked with judge/commands/ in place of this.
#include "warploom/base/judging.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/tile_picks.h"

namespace warploom {
namespace {

void hand_on(Command& parent, const std::string& name, const std::string& about) {
  Command* command = parent.add_subcommand(name, about);
  command->takes_all_words();
  command->callback([name] { throw JudgingElsewhere(name); });
}

}  // namespace

void add_validate_command(Command& app) { hand_on(app, "validate", "predictions against measurements"); }

void add_regret_command(Command& tune) {
  hand_on(tune, "regret", "a table's picks against exhaustive measurements");
}

void print_published_picks(const AskedPicks& asked) { throw JudgingElsewhere("tune pick of " + asked.table); }

}  // namespace warploom
