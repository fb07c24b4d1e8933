#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/tune/tune_correction.h"
#include "warploom/app/tune/tune_cross_gpu.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_regret.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/tile_kernel_options.h"
#include "warploom/report/tune_report.h"

namespace warploom {
namespace {

struct FitOptions {
  TuneFitRequest request;
  std::vector<std::string> samples;
  std::string output, from_table;
  bool cross_gpu = false, json = false;
};

// Tables without samples are not corrected, and one that is scaled has its kernel from another.
void check_cross_gpu(const FitOptions& options, const FieldOptionValues& fields) {
  if (!options.request.corrected)
    throw InvalidInput(
        "tune fit: --no-correction: a table without samples has no correction, expected --samples with it");
  const auto given = fields.given_options();
  if (!options.from_table.empty() && !given.empty())
    throw InvalidInput(fmt::format("tune fit: {}: the kernel is that of --from-table, expected one of them",
                                   given.front().first));
}

TuneFitResult fitted(FitOptions& options, const FieldOptionValues& fields) {
  TuneFitRequest& request = options.request;
  request.kernel = tile_kernel_of(fields, TileKernelUse::Table, "tune fit");
  request.samples.assign(options.samples.begin(), options.samples.end());
  request.output = options.output;
  const bool cross = options.cross_gpu || !options.from_table.empty();
  if (cross != options.samples.empty())
    throw InvalidInput("tune fit: expected either --samples, or --cross-gpu or --from-table without samples");
  if (!cross) return tune_fit(request);
  check_cross_gpu(options, fields);
  return tune_fit_cross_gpu({.kernel = request.kernel,
                             .gpu = request.gpu,
                             .from_table = options.from_table,
                             .output = request.output,
                             .default_config = request.default_config});
}

void add_fit(Command& tune) {
  const auto options = std::make_shared<FitOptions>();
  Command* command = tune.add_subcommand("fit", "measured samples into a look-up table");
  command->add_option("--samples", options->samples, "CSV files of measured configurations");
  Option* record = command->add_flag("--cross-gpu", options->cross_gpu,
                                     "no samples: estimate from the GPU's record (tier cross_gpu)");
  command
      ->add_option("--from-table", options->from_table,
                   "no samples: scale another GPU's table by the records (tier cross_gpu)")
      ->excludes(record);
  command->add_option("--output", options->output, "the table to write")->required();
  command->add_option("--default", options->request.default_config, "the kernel's own configuration");
  command->add_option("--gpu", options->request.gpu, "the GPU measured on");
  command->add_flag("!--no-correction", options->request.corrected,
                    "the formula alone, without what was learned from the reference kernels");
  const auto fields = add_tile_kernel_options(*command, TileKernelUse::Table);
  add_json_option(*command, options->json);
  command->callback([options, fields] {
    const TuneFitResult result = fitted(*options, *fields);
    for (const TileConfig& config : result.model.left_out)
      print_note(fmt::format("left out: {} has fewer than {} samples", config_text(config), kFewestSamples));
    const TuneFitSummary summary{.model = result.model,
                                 .table = result.table,
                                 .samples = result.samples,
                                 .fit_seconds = result.fit_seconds};
    print(options->json ? json_text(tune_fit_json(summary)) : tune_fit_text(summary));
  });
}

void add_learn(Command& tune) {
  struct Options {
    TuneLearnRequest request;
    std::vector<std::string> anchors, shapes, more_anchors, more_shapes;
    std::string output;
  };
  const auto options = std::make_shared<Options>();
  Command* command =
      tune.add_subcommand("learn", "what the formula misses, from shapes off the anchors (maintainers)");
  command->add_option("--anchors", options->anchors, "CSV files that a table would be fitted on")->required();
  command->add_option("--shapes", options->shapes, "CSV files of other shapes")->required();
  command->add_option("--more-anchors", options->more_anchors, "the same of another kernel of this kind");
  command->add_option("--more-shapes", options->more_shapes, "and its other shapes");
  command->add_option("--output", options->output, "folder, data/tuner in the source tree")->required();
  command->add_option("--gpu", options->request.gpu, "the GPU measured on");
  const auto fields = add_tile_kernel_options(*command, TileKernelUse::Learning);
  command->callback([options, fields] {
    options->request.kernel = tile_kernel_of(*fields, TileKernelUse::Learning, "tune learn");
    const auto add = [&](const std::vector<std::string>& anchors, const std::vector<std::string>& shapes) {
      options->request.sets.push_back({{anchors.begin(), anchors.end()}, {shapes.begin(), shapes.end()}});
    };
    add(options->anchors, options->shapes);
    if (options->more_anchors.empty() != options->more_shapes.empty())
      throw InvalidInput("tune learn: --more-anchors and --more-shapes belong together");
    if (!options->more_anchors.empty()) add(options->more_anchors, options->more_shapes);
    options->request.output = options->output;
    const TuneLearnResult result = tune_learn(options->request);
    print(
        fmt::format("{} rows: formula {:.1f} %, corrected {:.1f} % (root mean square, in the sample); {} "
                    "rows without alignment\n",
                    result.rows, 100 * result.before, 100 * result.after, result.unaligned_rows));
  });
}

void add_regret(Command& tune) {
  struct Options {
    TuneRegretRequest request;
    std::string table;
    std::vector<std::string> oracle, samples, seen;
    bool plain = false, json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = tune.add_subcommand("regret", "a table's picks against exhaustive measurements");
  command->add_option("--table", options->table, "a table that `tune fit` wrote")->required();
  command->add_option("--oracle", options->oracle, "CSV files of every configuration at every shape")
      ->required();
  command->add_option("--samples", options->samples, "the table's samples, for one more baseline");
  command->add_option("--seen", options->seen,
                      "sets learned from or designed on: shapes of the oracle among them are not judged");
  command->add_flag("--no-baselines", options->plain, "the table alone");
  add_json_option(*command, options->json);
  command->callback([options] {
    TuneRegretRequest& request = options->request;
    request.table = options->table;
    request.oracle.assign(options->oracle.begin(), options->oracle.end());
    request.samples.assign(options->samples.begin(), options->samples.end());
    request.seen.assign(options->seen.begin(), options->seen.end());
    request.baselines = !options->plain;
    const TuneRegretResult result = tune_regret(request);
    std::vector<NamedRegret> baselines;
    for (const RegretOf& entry : result.baselines)
      baselines.push_back({entry.name, entry.how, entry.summary});
    const SeenShapes seen{.shapes = result.seen_shapes, .with_them = result.with_seen};
    print(options->json ? json_text(tune_regret_json(result.table, seen, baselines, result.rows))
                        : tune_regret_text(result.table, seen, baselines, result.rows));
  });
}

}  // namespace

void add_tune_command(Command& app) {
  Command* tune = app.add_subcommand("tune", "the best configuration of a tile kernel for every shape");
  tune->require_subcommand(1);
  add_tune_table_commands(*tune);
  add_fit(*tune);
  add_learn(*tune);
  add_regret(*tune);
}

}  // namespace warploom
