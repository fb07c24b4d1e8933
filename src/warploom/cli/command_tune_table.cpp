// Sub-commands of `tune` that read a table, and the plan that comes before one.
#include <nlohmann/json.hpp>

#include "warploom/app/tune/staircase.h"
#include "warploom/app/tune/tune_pick.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/app/tune/tune_profile.h"
#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/python_package.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/tile_kernel_options.h"
#include "warploom/cli/tile_picks.h"
#include "warploom/report/tune_export.h"
#include "warploom/report/tune_report.h"

namespace warploom {
namespace {

template <class Options>
void add_shape(Command& command, Options& options) {
  command.add_option("--table", options.table, "a table that `tune fit` wrote")->required();
  command.add_option("--n", options.n, "columns (keys)")->required();
  command.add_option("--k", options.k, "depth (batch x heads)")->required();
}

void print_own_picks(const AskedPicks& asked) {
  const RuntimeTable table = RuntimeTable::open(asked.table);
  print_picks(asked, pick_source(table, table.kernel(),
                                 [&](Json& document, const TileShape& shape, const TilePick& pick) {
                                   document["error_bound"] = table.error_bound(shape, pick);
                                   document["tier"] = name_of(table.tier());
                                 }));
}

void add_pick(Command& tune) {
  const auto asked = std::make_shared<AskedPicks>();
  Command* command = tune.add_subcommand("pick", "the configuration for one shape");
  add_shape(*command, *asked);
  Option* rows = command->add_option("--m", asked->m, "rows (pairs, queries, sequences)");
  Option* best = command->add_option("--best", asked->best, "the best few of all configurations instead");
  command
      ->add_option("--expert-rows", asked->expert_rows,
                   "in place of --m, for a grouped_gemm: the rows of each expert")
      ->delimiter(',')
      ->excludes(rows)
      ->excludes(best);
  add_json_option(*command, asked->json);
  command->callback([asked] {
    if (!asked->m && asked->expert_rows.empty())
      throw InvalidInput("tune pick: expected --m, or --expert-rows of a grouped_gemm");
    if (is_published_table(asked->table)) return print_published_picks(*asked);
    print_own_picks(*asked);
  });
}

void add_show(Command& tune) {
  Command* command = tune.add_subcommand("show", "predicted times and choices as m grows");
  RequestCommand table(*command, "tune_show");
  const auto fields = table.add_fields<TuneShowRequest>();
  table.needs_json([fields] { return std::string(fields->given("samples") ? "--samples" : ""); }, true);
  table.html().runs();
}

void add_export(Command& tune) {
  RequestCommand table(*tune.add_subcommand("export", "a table in another tool's format"), "tune_export");
  table.add_fields<TuneExportRequest>();
  table.runs();
}

void add_plan(Command& tune) {
  const auto first_round = std::make_shared<bool>(false);
  Command* command = tune.add_subcommand("plan", "which configurations to time at which shapes");
  RequestCommand plan(*command, "tune_plan");
  plan.add_fields<TunePlanRequest>({.skipped = {"kernel", "round"}});
  Option* first = command->add_flag("--first-round", *first_round, "few anchors of every configuration");
  // The second round's configurations are those of the samples.
  command->get_option("--samples")->excludes(first)->excludes(command->get_option("--split-k"));
  const auto kernel = add_tile_kernel_options(*command, TileKernelUse::SecondRound);
  plan.write([first_round, kernel](Json& asked, GivenNames&) {
    if (*first_round) asked["round"] = name_of(AnchorRound::First);
    if (kernel->any_given()) kernel->write(asked["kernel"]);
  });
  plan.runs();
}

void add_profile(Command& tune) {
  Command* command = tune.add_subcommand(
      "profile", "measure a reference kernel's anchors on this GPU (needs torch, triton)");
  RequestCommand profile(*command, "tune_profile");
  profile.write([](Json& asked, GivenNames&) { asked["package"] = python_package(); });
  profile.add_fields<TuneProfileRequest>({.skipped = {"kernel"}});
  const auto kernel = add_tile_kernel_options(*command, TileKernelUse::Profile);
  profile.write([kernel](Json& asked, GivenNames&) {
    if (kernel->any_given()) kernel->write(asked["kernel"]);
  });
  profile.runs();
}

}  // namespace

void add_tune_table_commands(Command& tune) {
  add_plan(tune);
  add_profile(tune);
  add_pick(tune);
  add_show(tune);
  add_export(tune);
}

}  // namespace warploom
