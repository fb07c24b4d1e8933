// Sub-commands of `tune` that read a table, and the plan that comes before one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "warploom/app/tune/moe_config.h"
#include "warploom/app/tune/staircase.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/app/tune/tune_profile.h"
#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/tile_kernel_options.h"
#include "warploom/cli/tile_picks.h"
#include "warploom/report/tune_export.h"
#include "warploom/report/tune_report.h"

namespace warploom {
namespace {

struct ExportedTable {
  std::string table, format{name_of(MoeConfigRequest().engine)}, output;
  std::int64_t m = 4096, n = 4096, k = 4096;
};

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
  const auto options = std::make_shared<ExportedTable>();
  Command* command = tune.add_subcommand("export", "a table in another tool's format");
  add_shape(*command, *options);
  command->add_option("--m", options->m, "kernel_tuner: the shape's m");
  const std::vector<std::string> engines = names_of<MoeEngine>();
  command->add_option("--format", options->format,
                      fmt::format("{} (fused_moe JSON), kernel_tuner or table", fmt::join(engines, ", ")));
  command
      ->add_option("--output", options->output,
                   fmt::format("file, or for {} a folder", fmt::join(engines, " and ")))
      ->required();
  command->callback([options] {
    const RuntimeTable table = RuntimeTable::open(options->table);
    std::filesystem::path path = options->output;
    if (options->format == "table") {
      table.write(path);
    } else if (options->format == "kernel_tuner") {
      const TileShape shape{options->m, options->n, options->k};
      write_json_file(path, kernel_tuner_json(table, {&shape, 1}, 10));
    } else if (enum_from_name<MoeEngine>(options->format)) {
      path /= fused_moe_file_name(table, options->n);
      write_json_file(path, fused_moe_json(table, options->n, options->k));
    } else {
      throw InvalidInput(fmt::format("--format: '{}', expected {}, kernel_tuner or table", options->format,
                                     fmt::join(names_of<MoeEngine>(), ", ")));
    }
    print(path.string() + "\n");
  });
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
  const auto fields = add_request_options<TuneProfileRequest>(*command, {.skipped = {"kernel"}});
  const auto kernel = add_tile_kernel_options(*command, TileKernelUse::Profile);
  command->callback([fields, kernel] {
    TuneProfileRequest request;
    const char* named = std::getenv("WARPLOOM_PACKAGE");
    request.package = named != nullptr ? named : WARPLOOM_PYTHON_FOLDER;
    fields->apply(&request);
    kernel->apply(&request.kernel);
    const TuneProfileResult result = tune_profile(request);
    print(fmt::format("{}: {} configurations, {} timings planned{}\n", request.output.string(),
                      result.configs, result.rows,
                      result.complete ? "" : "; out of time, run again to go on"));
  });
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
