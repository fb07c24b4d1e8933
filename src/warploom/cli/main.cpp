// The command line. Exit status: 0 done, 1 failed, 2 bad input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/parse_failure.h"

namespace {

// Text of a broken file may stand in a message: it must not span lines or reach the terminal's controls.
int report_failure(std::string_view what, int status) {
  std::string line = fmt::format("warploom: {}", what);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
      ' ');
  warploom::print_note(line);
  return status;
}

int run(int argc, char** argv) {
  CLI::App app("Predicts GPU kernels, and LLM serving from them.", "warploom");
  app.set_version_flag("--version", WARPLOOM_VERSION);
  app.require_subcommand(1);
  warploom::add_gpu_commands(app);
  warploom::add_models_command(app);
  warploom::add_predict_command(app);
  warploom::add_import_command(app);
  warploom::add_sweep_plan_command(app);
  warploom::add_train_command(app);
  warploom::add_train_ceilings_command(app);
  warploom::add_calibrate_command(app);
  warploom::add_validate_command(app);
  warploom::add_diagnose_command(app);
  warploom::add_step_command(app);
  warploom::add_static_command(app);
  warploom::add_simulate_command(app);
  warploom::add_tune_command(app);
  warploom::add_moe_config_command(app);
  warploom::add_train_moe_configs_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    return report_failure(warploom::parse_failure_text(app, error), 2);
  }
  return 0;
}

// The commands of the line, as "predict gemm".
std::string commands_of(int argc, char** argv) {
  std::string names;
  for (int i = 1; i < argc && argv[i][0] != '-' && i <= 2; ++i)
    names += fmt::format("{}{}", names.empty() ? "" : " ", argv[i]);
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const warploom::Error& error) {
    return report_failure(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return report_failure(fmt::format("{}: not enough memory for sizes this large", commands_of(argc, argv)),
                          1);
  } catch (const std::length_error& error) {
    return report_failure(
        fmt::format("{}: a size beyond all memory ({})", commands_of(argc, argv), error.what()), 1);
  } catch (const std::exception& error) {
    return report_failure(error.what(), 1);
  }
}
