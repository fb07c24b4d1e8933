// Sub-commands of `tune` that read a table, and the plan that comes before one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "warploom/app/tune/moe_config.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/app/tune/tune_profile.h"
#include "warploom/app/tune/tune_regret.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/tile_kernel_options.h"
#include "warploom/report/tune_export.h"
#include "warploom/report/tune_report.h"
#include "warploom/report/tune_staircase.h"

namespace warploom {
namespace {

struct ShownTable {
  std::string table, format{name_of(MoeConfigRequest().engine)}, output, html;
  std::vector<std::string> samples;
  std::int64_t m = 4096, n = 4096, k = 4096;
  std::size_t best = 1;
  bool json = false;
};

void add_shape(Command& command, ShownTable& options, bool with_m) {
  command.add_option("--table", options.table, "a table that `tune fit` wrote")->required();
  if (with_m) command.add_option("--m", options.m, "rows (pairs, queries)")->required();
  command.add_option("--n", options.n, "columns (keys)")->required();
  command.add_option("--k", options.k, "depth (batch x heads)")->required();
}

template <class Table>
std::vector<TilePick> picks_of(const Table& table, const TileShape& shape, std::size_t count) {
  return count > 1 ? table.best(shape, count) : std::vector<TilePick>{table.pick(shape)};
}

// How far the pick's time is to be trusted.
void add_trust(Json& document, const RuntimeTable& table, const TileShape& shape, const TilePick& pick) {
  document["error_bound"] = table.error_bound(shape, pick);
  document["tier"] = name_of(table.tier());
}
void add_trust(Json& document, const WaveTuneTable& table, const TileShape& shape, const TilePick& pick) {
  document["extrapolated"] = table.extrapolated(shape, pick);
  document["tier"] = name_of(TableTier::Measured);
}

void add_pick(Command& tune) {
  const auto options = std::make_shared<ShownTable>();
  Command* command = tune.add_subcommand("pick", "the configuration for one shape");
  add_shape(*command, *options, true);
  command->add_option("--best", options->best, "the best few of all configurations instead");
  add_json_option(*command, options->json);
  command->callback([options] {
    const TileTable table = open_tile_table(options->table);
    const TileShape shape{options->m, options->n, options->k};
    check_shape(shape, "tune pick");
    const std::vector<TilePick> picks =
        std::visit([&](const auto& held) { return picks_of(held, shape, options->best); }, table);
    Json list = Json::array();
    std::string text;
    for (const TilePick& pick : picks) {
      list.push_back(tile_pick_json(shape, pick));
      std::visit([&](const auto& held) { add_trust(list.back(), held, shape, pick); }, table);
      text += fmt::format("{}  {:.2f} us{}\n", config_text(pick.config), pick.predicted_us,
                          pick.is_default ? "  (default)" : "");
    }
    print(options->json ? json_text(options->best > 1 ? list : list[0]) : text);
  });
}

void add_show(Command& tune) {
  const auto options = std::make_shared<ShownTable>();
  Command* command = tune.add_subcommand("show", "predicted times and choices as m grows");
  add_shape(*command, *options, false);
  command->add_option("--m", options->m, "the largest m");
  command->add_option("--html", options->html, "also write a plot");
  command->add_option("--samples", options->samples, "measured times for the plot, at this n and k");
  command->callback([options] {
    const RuntimeTable table = RuntimeTable::open(options->table);
    print(staircase_text(table, staircase(table, options->m, options->n, options->k, 28)));
    if (options->html.empty()) return;
    std::vector<TileSample> measured;
    if (!options->samples.empty()) {
      const std::vector<std::filesystem::path> paths(options->samples.begin(), options->samples.end());
      for (const TileSample& sample : read_tile_samples(paths).rows) {
        const TileShape& at = sample.shape;
        if (at.n == options->n && at.k == options->k && sample.config == table.pick(at).config)
          measured.push_back(sample);
      }
    }
    const auto fine = staircase(table, options->m, options->n, options->k, 400);
    write_file_atomically(options->html, staircase_html(table, fine, measured));
  });
}

void add_export(Command& tune) {
  const auto options = std::make_shared<ShownTable>();
  Command* command = tune.add_subcommand("export", "a table in another tool's format");
  add_shape(*command, *options, false);
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
  struct Options {
    bool first_round = false, json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = tune.add_subcommand("plan", "which configurations to time at which shapes");
  const auto fields = add_request_options<TunePlanRequest>(*command, {.skipped = {"kernel", "round"}});
  Option* first =
      command->add_flag("--first-round", options->first_round, "few anchors of every configuration");
  // The second round's configurations are those of the samples.
  command->get_option("--samples")->excludes(first)->excludes(command->get_option("--split-k"));
  const auto kernel = add_tile_kernel_options(*command, TileKernelUse::SecondRound);
  add_json_option(*command, options->json);
  command->callback([options, fields, kernel] {
    TunePlanRequest request;
    fields->apply(&request);
    const auto use = request.samples.empty() ? TileKernelUse::Anchors : TileKernelUse::SecondRound;
    request.kernel = tile_kernel_of(*kernel, use, "tune plan");
    if (options->first_round) request.round = AnchorRound::First;
    if (!request.samples.empty()) request.round = AnchorRound::Second;
    const TunePlanResult plan = tune_plan(request);
    print(options->json ? json_text({{"configs", plan.configs}, {"rows", plan.rows}, {"shapes", plan.shapes}})
                        : fmt::format("{} configurations, {} timings at {} shapes\n", plan.configs, plan.rows,
                                      plan.shapes));
  });
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
    request.kernel = tile_kernel_of(*kernel, TileKernelUse::Profile, "tune profile");
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
