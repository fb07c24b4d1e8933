#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/calibrate.h"
#include "warploom/base/json.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/calibration_report.h"

namespace warploom {
namespace {

struct Options {
  CalibrateRequest request;
  std::string data, output, record;
  bool json = false;
};

}  // namespace

void add_calibrate_command(Command& app) {
  const auto options = std::make_shared<Options>();
  CalibrateRequest& request = options->request;
  Command* command =
      app.add_subcommand("calibrate", "fits a predictor to one GPU's sweep by warploom-collect");
  command->add_option("--gpu", request.gpu, "the GPU that was swept")->required();
  command->add_option("--data", options->data, "folder that warploom-collect wrote, or its sweep.csv")
      ->required();
  command->add_option("--output", options->output, "folder of the calibrated predictor, for --predictor")
      ->required();
  command->add_option("--predictor", request.predictor, "folder of the predictor to build on");
  command->add_option("--record", options->record, "also write a GPU record with the measured rates");
  command->add_option("--seed", request.seed, "of every random choice");
  command->add_option("--threads", request.threads, "0 for all; the result does not depend on it");
  add_json_option(*command, options->json);
  command->callback([options] {
    CalibrateRequest& wanted = options->request;
    wanted.data = options->data;
    wanted.output = options->output;
    wanted.record = options->record;
    wanted.progress = [](std::string_view line) { print_note(line); };
    const CalibrateResult result = calibrate(wanted);
    print(options->json ? json_text(calibration_json(result)) : calibration_text(result));
  });
}

}  // namespace warploom
