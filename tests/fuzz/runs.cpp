// What engines, load generators and the program's own commands leave behind: runs, steps, metrics, profiles;
// and the texts that say how GPUs are rented and experts replicated.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz_input.h"
#include "warploom/app/data/device_constants.h"
#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/predict/machine_profile.h"
#include "warploom/app/runs/client_result.h"
#include "warploom/app/runs/measured_requests.h"
#include "warploom/app/runs/probe_file.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/app/serving/host_steps.h"
#include "warploom/app/serving/metrics_text.h"
#include "warploom/app/tune/tuned_times.h"
#include "warploom/base/json.h"
#include "warploom/fused_moe/config_table.h"
#include "warploom/fused_moe/profiled_configs.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/planner/rent.h"
#include "warploom/serving/engines/eplb_config.h"
#include "warploom/tuned_files/timed_rows.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom::fuzz {
namespace {

constexpr int kKinds = 18;

std::vector<std::string> lines_of(std::string_view bytes) {
  std::vector<std::string> lines(1);
  for (const char byte : bytes)
    if (byte == '\n')
      lines.emplace_back();
    else
      lines.back() += byte;
  return lines;
}

void read_file_of(int kind, const Files& files, std::string_view bytes) {
  static const GpuCatalog gpus;
  const auto document = [&] { return parse_json(bytes, "input"); };
  const auto file = [&](const char* name) { return files.write(name, bytes); };
  switch (kind) {
    case 0:
      return void(machine_profile_from_json(document(), "input"));
    case 1:
      return void(read_vllm_bench_result(document(), "input"));
    case 2:
      return void(read_guidellm_report(document(), {}, "input"));
    case 3:
      return void(moe_config_from_json(document(), "input"));
    case 4:
      return void(parse_metrics(bytes, "input"));
    case 5:
      return void(read_real_run(file("run.json")));
    case 6:
      return void(read_device_constants(file("device.json")));
    case 7:
      return void(read_experiments(file("plans.yaml")));
    case 8:
      return void(read_measured_steps(file("steps.csv")));
    case 9:
      return void(read_real_requests(file("requests.csv")));
    case 10:
      return void(read_tuned_times(file("tuned.csv"), gpus));
    case 11: {
      const std::filesystem::path paths[] = {file("samples.csv")};
      return void(read_tile_samples(paths));
    }
    case 12:
      return void(read_probe(file("probe.json")));
    case 13:
      return void(read_launch_times(file("launches.csv"), "NVIDIA L40S"));
    case 14:
      return void(read_moe_samples(file("experts.csv")));
    case 15:
      return void(rent_parts(lines_of(bytes), true));
    case 16: {
      ServingConfig config;
      return apply_eplb_config(config, bytes, "input");
    }
    default:
      return void(read_measured_requests(file("records.jsonl"), {.max_concurrency = 4}));
  }
}

}  // namespace
}  // namespace warploom::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warploom;
  static const fuzz::Files files;
  const fuzz::Input input(data, size);
  fuzz::read_or_refused(input, [&] { fuzz::read_file_of(input.choice % fuzz::kKinds, files, input.bytes); });
  return 0;
}
