#include <nlohmann/json.hpp>

#include "warploom/app/predict/list_gpus.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/gpu_report.h"

namespace warploom {
namespace {

struct Options {
  std::string name;
  bool json = false;
};

}  // namespace

void add_gpu_commands(Command& app) {
  const auto list_options = std::make_shared<Options>();
  Command* list = app.add_subcommand("gpus", "lists the GPUs that are known");
  add_json_option(*list, list_options->json);
  list->callback([list_options] {
    const std::vector<GpuSpec> gpus = list_gpus();
    print(list_options->json ? json_text(gpu_list_json(gpus)) : gpu_list_text(gpus));
  });

  Command* gpu = app.add_subcommand("gpu", "shows one GPU");
  gpu->require_subcommand(1);
  const auto show_options = std::make_shared<Options>();
  Command* show = gpu->add_subcommand("show", "every number of one GPU, with its source");
  show->add_option("NAME", show_options->name, "a name, an alias, or the path of your own record")
      ->required();
  add_json_option(*show, show_options->json);
  show->callback([show_options] {
    const GpuSpec spec = show_gpu(show_options->name);
    print(show_options->json ? json_text(gpu_json(spec)) : gpu_text(spec));
  });
}

}  // namespace warploom
