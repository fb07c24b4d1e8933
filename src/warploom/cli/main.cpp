// The command line. Exit status: 0 done, 1 failed, 2 bad input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "warploom/base/error.h"
#include "warploom/cli/command.h"

namespace {

int report_failure(const std::exception& error, int status) {
  const std::string line = fmt::format("warploom: {}\n", error.what());
  std::fputs(line.c_str(), stderr);
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
  warploom::add_train_command(app);
  warploom::add_validate_command(app);
  warploom::add_step_command(app);
  warploom::add_static_command(app);
  warploom::add_simulate_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const warploom::Error& error) {
    return report_failure(error, 2);
  } catch (const std::exception& error) {
    return report_failure(error, 1);
  }
}
