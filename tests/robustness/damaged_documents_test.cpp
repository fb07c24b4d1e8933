// Documents of JSON: configurations of models, records of GPUs and nodes, runs, devices, tables for engines.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "damage.h"
#include "warploom/app/data/device_constants.h"
#include "warploom/app/runs/measured_requests.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/fused_moe/config_table.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/kernels/roofline.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/operator_graph.h"

namespace warploom::damage {
namespace {

const std::filesystem::path kSource = WARPLOOM_SOURCE_DIR;

void expect_finite(const LatencyEstimate& answer) {
  const bool sound = answer.p10.value() > 0 && answer.p10 <= answer.p50 && answer.p50 <= answer.p90 &&
                     std::isfinite(answer.p90.value());
  if (!sound) throw std::runtime_error("an answer that is not finite or not in order");
}

// A record under a name of its own: two of one name are refused.
std::string own_record(const std::filesystem::path& path) {
  Json record = read_json_file(path);
  record["name"] = "own";
  record["aliases"] = Json::array();
  return record.dump();
}

TEST(DamagedModels, AreReadOrRefused) {
  const ScratchFolder folder;
  GpuCatalog gpus;
  const GpuSpec& gpu = gpus.load_gpu("h200_sxm");
  const RooflineModel roofline;
  const ModelCatalog catalog;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "data" / "models")) {
    const Json record = read_json_file(entry.path());
    expect_sound_or_refused(
        {.name = entry.path().filename().string(),
         .kind = Kind::Json,
         .sound = record.at("config").dump(),
         .read =
             [&](const std::string& bytes) {
               const auto path = folder.write("config.json", bytes);
               const ModelArchitecture model = catalog.load(path.string(), FileScope::machine());
               parameter_counts(model);
               const Sharding sharding;
               weight_footprint(model, sharding);
               for (const StepShape& step :
                    {StepShape::whole_prompts(2, 300), StepShape::one_token_each(8, 1000)})
                 for (const OperatorNode& node : build_operator_graph(model, sharding, step))
                   expect_finite(roofline.estimate(node.op, gpu));
             },
         .share = 8});
  }
}

TEST(DamagedGpus, AreReadOrRefused) {
  const ScratchFolder folder;
  const RooflineModel roofline;
  for (const char* name : {"h200_sxm", "mi300x", "rtx_4090", "a100_sxm"}) {
    expect_sound_or_refused(
        {.name = name,
         .kind = Kind::Json,
         .sound = own_record(kSource / "data" / "gpus" / (std::string(name) + ".json")),
         .read = [&](const std::string& bytes) {
           GpuCatalog gpus;
           const GpuSpec& gpu = gpus.load_gpu(folder.write("own.json", bytes).string(), FileScope::machine());
           expect_finite(roofline.estimate(Gemm{.m = 100, .n = 4096, .k = 4096}, gpu));
           expect_finite(roofline.estimate(
               AttentionDecode{.heads = 32, .kv_heads = 8, .requests = {{8, 1, 1000}}}, gpu));
           expect_finite(roofline.estimate(Collective{.size = Bytes(1e6), .ranks = 8}, gpu));
         }});
  }
}

TEST(DamagedNodes, AreReadOrRefused) {
  const GpuCatalog gpus;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "data" / "nodes"))
    if (entry.path().extension() == ".json")
      expect_sound_or_refused({.name = entry.path().filename().string(),
                               .kind = Kind::Json,
                               .sound = own_record(entry.path()),
                               .read =
                                   [&](const std::string& bytes) {
                                     node_from_json(parse_json(bytes, "own.json"), gpus, "own.json");
                                   },
                               .share = 4});
}

TEST(DamagedRuns, AreReadOrRefused) {
  const ScratchFolder folder;
  expect_sound_or_refused(
      {.name = "run.json",
       .kind = Kind::Json,
       .sound =
           R"({"model": "meta-llama/Llama-3.1-8B", "gpu": "H200", "vllm_version": "0.24.0", "num_gpu_blocks": 9000,)"
           R"( "num_requests": 200, "engine_kwargs": {"model": "x", "dtype": "auto", "max_num_seqs": 256,)"
           R"( "max_num_batched_tokens": 8192, "enable_prefix_caching": true, "seed": null}})",
       .read = [&](const std::string& bytes) { read_real_run(folder.write("run.json", bytes)); }});
}

TEST(DamagedResultsOfLoadGenerators, AreReadOrRefused) {
  const ScratchFolder folder;
  const std::filesystem::path fixtures = kSource / "tests/fixtures/clients";
  struct Result {
    const char* name;
    Kind kind;
    StatedLoad load;
  };
  for (const auto& [name, kind, load] :
       {Result{"vllm_bench.json", Kind::Json, {}}, Result{"profile_export.jsonl", Kind::JsonLines, {}},
        Result{"profile_export.jsonl", Kind::JsonLines, {.max_concurrency = 1}},
        Result{"guidellm.json", Kind::Json, {.benchmark = 1}}}) {
    const StatedLoad& stated = load;
    expect_sound_or_refused(
        {.name = name,
         .kind = kind,
         .sound = read_file(fixtures / name),
         .read = [&](const std::string& bytes) {
           const auto path = folder.write("requests", bytes);
           for (const RealRequest& request : read_measured_requests(path, stated).requests)
             if (!(request.queued <= request.first_token && request.first_token <= request.last_token &&
                   std::isfinite(request.last_token)))
               throw std::runtime_error("times that are not finite or not in order");
         }});
  }
}

TEST(DamagedDevices, AreReadOrRefused) {
  const ScratchFolder folder;
  GpuCatalog gpus;
  const GpuSpec& gpu = gpus.load_gpu("h200_sxm");
  const RooflineModel roofline;
  expect_sound_or_refused({.name = "device.json",
                           .kind = Kind::Json,
                           .sound = read_file(kSource / "tests/fixtures/collector/h200/sweep/device.json"),
                           .read = [&](const std::string& bytes) {
                             const auto constants = read_device_constants(folder.write("device.json", bytes));
                             const GpuSpec own = fitted_record(gpu, constants);
                             own.check("device.json");
                             expect_finite(roofline.estimate(Gemm{.m = 100, .n = 4096, .k = 4096}, own));
                           }});
}

TEST(DamagedEngineTables, AreReadOrRefused) {
  expect_sound_or_refused(
      {.name = "moe.warploom.json",
       .kind = Kind::Json,
       .sound =
           R"({"schema": "warploom_moe_config", "version": 1, "engine": "vllm", "gpu": "h200_sxm", "tier": "measured",)"
           R"( "measured_on": ["h200_sxm"], "layer": {"experts": 8, "top_k": 2, "hidden": 4096, "intermediate": 14336},)"
           R"( "rows": {"1": {"config": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128,)"
           R"( "GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 3}, "engine_default": {"BLOCK_SIZE_M": 16,)"
           R"( "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 4},)"
           R"( "speedup": {"p10": 1.0, "p50": 1.1, "p90": 1.2}}}})",
       .read = [](const std::string& bytes) { moe_config_from_json(parse_json(bytes, "moe"), "moe"); }});
}

// A parser, a printer or a destructor that walks down the levels would leave the stack.
TEST(DamagedDocuments, OfManyLevelsAreRefused) {
  for (const char open : {'[', '{'}) {
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i) deep += open == '[' ? "[" : "{\"a\":";
    EXPECT_THROW(parse_json(deep, "deep"), InvalidInput);
  }
  EXPECT_NO_THROW(parse_json("[[[[\"[[[[\\\"[[\"]]]]", "shallow"));
}

}  // namespace
}  // namespace warploom::damage
