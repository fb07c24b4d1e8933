#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/sweep_plan.h"
#include "warploom/base/json.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"

namespace warploom {
namespace {

struct Options {
  SweepPlanRequest request;
  std::string apart_from, output;
  bool json = false;
};

}  // namespace

void add_sweep_plan_command(Command& app) {
  const auto options = std::make_shared<Options>();
  SweepPlanRequest& request = options->request;
  Command* command =
      app.add_subcommand("sweep-plan", "chooses what warploom-collect times, most informative first");
  command->add_option("--gpu", request.gpu, "the GPU to be swept")->required();
  command->add_option("--like", request.like, "only shapes of these models")->delimiter(',');
  command->add_option("--except", request.except, "no shapes of these models")->delimiter(',');
  command->add_option("--scheme", request.schemes, "of products (bf16, fp8_static)")->delimiter(',');
  command->add_option("--family", request.families, "only these")->delimiter(',');
  command->add_option("--gpus", request.gpus, "of the node: with more than one also collectives over them")
      ->positive();
  command->add_option("--operators", request.operators, "at most")->positive();
  command->add_option("--random", request.random, "draw this many without regard to doubt, to check with");
  command->add_option("--apart-from", options->apart_from, "a plan whose operators are left out");
  command->add_option("--longest-ms", request.longest_ms, "leave out operators predicted to take longer");
  command->add_option("--predictor", request.predictor, "folder of a predictor, or roofline");
  command->add_option("--seed", request.seed, "of every random choice");
  command->add_option("--output", options->output, "the plan's file")->required();
  add_json_option(*command, options->json);
  command->callback([options] {
    SweepPlanRequest& wanted = options->request;
    wanted.apart_from = options->apart_from;
    wanted.output = options->output;
    const SweepPlanResult result = sweep_plan(wanted);
    if (options->json) {
      print(json_text(Json{{"candidates", result.candidates}, {"operators", result.operators}}));
      return;
    }
    std::size_t all = 0;
    for (const auto& [family, count] : result.operators) {
      print(fmt::format("{:<20}{:>8}\n", family, count));
      all += count;
    }
    print(fmt::format("{} of {} candidates in {}\n", all, result.candidates, options->output));
  });
}

}  // namespace warploom
