// Records of GPUs, nodes, hosts and models, and what plans and runs are given.
#include <nlohmann/json.hpp>

#include "fuzz_input.h"
#include "warploom/base/json.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"
#include "warploom/planner/gpu_prices.h"
#include "warploom/serving/host/host_profile.h"
#include "warploom/serving/workload/client_mix.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warploom;
  static const fuzz::Files files;
  static const GpuCatalog gpus;
  static const ModelCatalog models;
  const fuzz::Input input(data, size);
  const auto document = [&] { return parse_json(input.bytes, "input"); };
  fuzz::read_or_refused(input, [&] {
    switch (input.choice % 6) {
      case 0: {
        GpuCatalog own;
        (void)own.load_gpu(files.write("gpu.json", input.bytes).string(), FileScope::machine());
        break;
      }
      case 1:
        (void)node_from_json(document(), gpus, "input");
        break;
      case 2:
        (void)host_profile_from_json(document(), "input");
        break;
      case 3:
        (void)parameter_counts(
            models.load(files.write("config.json", input.bytes).string(), FileScope::machine()));
        break;
      case 4:
        (void)client_mix_from_json(document(), "input");
        break;
      default: {
        GpuPrices prices;
        prices.add_document(document(), "input", gpus);
      }
    }
  });
  return 0;
}
