// Every key of every kind of document, with every wrong type, taken away and named otherwise: what is read or
// refused, never with the words of a library.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "own_words.h"
#include "warploom/app/data/convert_clients.h"
#include "warploom/app/data/device_constants.h"
#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/predict/machine_profile.h"
#include "warploom/app/runs/measured_requests.h"
#include "warploom/app/runs/probe_file.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/app/tune/tune_correction.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/base/whole_folder.h"
#include "warploom/base/yaml.h"
#include "warploom/fused_moe/config_table.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/models/model_catalog.h"
#include "warploom/planner/gpu_prices.h"
#include "warploom/planner/run_log.h"
#include "warploom/serving/host/host_profile.h"
#include "warploom/serving/workload/client_mix.h"
#include "warploom/serving/workload/fitted_workload.h"
#include "warploom/serving/workload/named_sessions.h"
#include "warploom/serving/workload/trace_file.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = WARPLOOM_SOURCE_DIR;

TEST(WrongTypes, OfRecordsAreRefusedInOwnWords) {
  const ScratchFolder folder;
  const GpuCatalog gpus;
  for (const char* name : {"h200_sxm", "mi300x"}) {
    Json record = read_json_file(kSource / "data/gpus" / (std::string(name) + ".json"));
    record["name"] = "own";
    record["aliases"] = Json::array({"mine"});
    expect_own_words(name, record, of_file(folder, "gpu.json", [](const fs::path& path) {
                       GpuCatalog own;
                       (void)own.load_gpu(path.string(), FileScope::machine());
                     }));
  }
  for (const auto& entry : fs::directory_iterator(kSource / "data/nodes"))
    if (entry.path().extension() == ".json")
      expect_own_words(entry.path().filename(), read_json_file(entry.path()),
                       [&](const Json& document) { node_from_json(document, gpus, "node"); });
  for (const auto& entry : fs::directory_iterator(kSource / "data/hosts"))
    if (entry.path().extension() == ".json")
      expect_own_words(entry.path().filename(), read_json_file(entry.path()),
                       [](const Json& document) { host_profile_from_json(document, "host"); });
  const auto machine = [](const Json& document) { machine_profile_from_json(document, "machine"); };
  for (const char* name : {"machine.json", "machine_host.json"})
    expect_own_words(name, fixture(std::string("options/") + name), machine);
  Json second = fixture("options/machine.json");
  second.update({{"version", 2},
                 {"measured_at", "2026-11-26T12:30:00Z"},
                 {"host_level", 1.4},
                 {"engine", "vllm"},
                 {"engine_version", "0.33.0"},
                 {"model", "32 layers of 4096, vocabulary 128256"}});
  expect_own_words("machine, version 2", second, machine);
}

TEST(WrongTypes, OfModelsAreRefusedInOwnWords) {
  const ScratchFolder folder;
  const ModelCatalog catalog;
  for (const char* name : {"llama-3.1-8b", "deepseek-v3", "qwen3-30b-a3b"})
    expect_own_words(
        name, read_json_file(kSource / "data/models" / (std::string(name) + ".json")).at("config"),
        of_file(folder, "config.json",
                [&](const fs::path& path) { (void)catalog.load(path.string(), FileScope::machine()); }));
}

TEST(WrongTypes, OfPlansAndLoadsAreRefusedInOwnWords) {
  const ScratchFolder folder;
  const GpuCatalog gpus;
  expect_own_words("clients", fixture("options/clients.json"),
                   [](const Json& document) { client_mix_from_json(document, "clients"); });
  expect_own_words("prices", fixture("options/prices.json"), [&](const Json& document) {
    GpuPrices prices;
    prices.add_document(document, "prices", gpus);
  });
  const auto yaml = [](const std::string& name) {
    return json_of(read_yaml_file(kSource / "tests/fixtures" / name));
  };
  expect_own_words("plans", yaml("options/plans.yaml"),
                   of_file(folder, "plans.yaml", [](const fs::path& path) { (void)read_experiments(path); }));
  expect_own_words(
      "inference-perf", yaml("plans/inference_perf.yaml"),
      of_file(folder, "perf.yaml", [](const fs::path& path) { (void)inference_perf_clients(path); }));
  folder.write("chunk-0-trace.csv", "0,0.25,1,Exponential,1,4\n600,0.5,1.2,Gamma,0.7,1.0\n");
  expect_own_words("servegen", fixture("options/servegen/chunk-0-dataset.json"),
                   of_file(folder, "chunk-0-dataset.json", [](const fs::path& path) {
                     (void)servegen_clients(path.parent_path(), Seconds(0), Seconds(900));
                   }));
  expect_own_words("fitted workload", read_json_file(kSource / "data/traces/conversation.json"),
                   [](const Json& document) { (void)parse_fitted_workload(document.dump(), "fitted"); });
  expect_own_words("sessions", read_json_file(kSource / "data/traces/agents.json"),
                   [](const Json& document) { (void)object_from_json<NamedSessions>(document, "sessions"); });
}

TEST(WrongTypes, OfRunsAndDevicesAreRefusedInOwnWords) {
  const ScratchFolder folder;
  expect_own_words("run", fixture("clients/run.json"),
                   of_file(folder, "run.json", [](const fs::path& path) { (void)read_real_run(path); }));
  for (const char* name : {"clients/vllm_bench.json", "clients/guidellm.json"}) {
    StatedLoad load;
    if (std::string_view(name).find("guidellm") != std::string_view::npos) load.benchmark = 1;
    expect_own_words(name, fixture(name), of_file(folder, "result.json", [&](const fs::path& path) {
                       (void)read_measured_requests(path, load);
                     }));
  }
  // A load generator writes a line for each request; one that counts is walked.
  const std::string records = read_file(kSource / "tests/fixtures/clients/profile_export.jsonl");
  const std::size_t first = records.find("\"profiling\""), begin = records.rfind('\n', first) + 1;
  expect_own_words("aiperf", parse_json(records.substr(begin, records.find('\n', first) - begin), "aiperf"),
                   of_file(folder, "records.jsonl", [](const fs::path& path) {
                     (void)read_measured_requests(path, {.max_concurrency = 1});
                   }));
  expect_own_words("probe", fixture("options/probe.json"),
                   of_file(folder, "probe.json", [](const fs::path& path) { (void)read_probe(path); }));
  Json whole_probe = fixture("options/probe.json");
  whole_probe["machine"]["host"] = {{"processor", {{"virtual", true}}}};
  whole_probe["processors"] = {{"others", 0.1}};
  whole_probe["measured_at"] = "2026-11-26T12:30:00Z";
  expect_own_words("probe of a virtual host", whole_probe,
                   of_file(folder, "probe.json", [](const fs::path& path) { (void)read_probe(path); }));
  expect_own_words(
      "learning sets", Json::array({{{"anchors", {"a.csv"}}, {"shapes", {"b.csv"}}, {"gpu", "H200"}}}),
      of_file(folder, "sets.json", [](const fs::path& path) { (void)read_learning_sets(path); }));
  expect_own_words(
      "device", fixture("collector/h200/sweep/device.json"),
      of_file(folder, "device.json", [](const fs::path& path) { (void)read_device_constants(path); }));
}

TEST(WrongTypes, OfTracesAreRefusedInOwnWords) {
  const ScratchFolder folder;
  const auto trace = of_file(folder, "trace.json", [](const fs::path& path) { (void)read_trace_file(path); });
  const Json turn = {{"from", "human"}, {"value", "what is asked here has some more words than a greeting"}};
  const Json reply = {{"from", "gpt"}, {"value", "and so has the answer, as those of others do"}};
  expect_own_words("conversations",
                   Json::array({{{"id", "a"}, {"conversations", Json::array({turn, reply})}}}), trace);
  expect_own_words("times",
                   {{"start_times", {0, 0.1}},
                    {"input_lens", {10, 20}},
                    {"output_lens", {4, 5}},
                    {"ttfts", {0.1, 0.1}},
                    {"itls", {{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1}}},
                    {"errors", {"", ""}}},
                   trace);
  const auto lines =
      of_file(folder, "trace.jsonl", [](const fs::path& path) { (void)read_trace_file(path); });
  expect_own_words(
      "mooncake", {{"timestamp", 300}, {"input_length", 500}, {"output_length", 30}, {"hash_ids", {0, 1, 2}}},
      lines);
  expect_own_words(
      "agents",
      {{"session_id", "s"},
       {"arrival_time_ns", 300},
       {"sub_requests", Json::array({{{"input_toks", 50}, {"output_toks", 9}, {"tool_duration_ns", 1000}}})}},
      lines);
}

class NoRuns final : public ConfigurationModel {
 public:
  Screened screen(const Configuration&) const override { return {}; }
  RunFigures run(const Configuration&, const Fleet&, const RunQuestion&) const override { return {}; }
};

TEST(WrongTypes, OfFilesOfTheProgramAreRefusedInOwnWords) {
  const ScratchFolder folder;
  const NoRuns none;
  {
    const LoggedRuns log(none, folder.path() / "log.json", 7, "test");
    (void)log.run({}, {}, {});
    log.write();
  }
  expect_own_words(
      "log", read_json_file(folder.path() / "log.json"),
      of_file(folder, "log.json", [&](const fs::path& path) { LoggedRuns(none, path, 7, "test"); }));
  write_whole_folder(folder.path() / "whole", {.created_by = "test", .suffixes = {".wlp"}, .removed = {}},
                     std::vector<FolderFile>{{"gemm.wlp", "bytes"}});
  expect_own_words("manifest", read_json_file(folder.path() / "whole/manifest.json"),
                   of_file(folder, "manifest.json",
                           [](const fs::path& path) { (void)FolderManifest(path.parent_path()); }));
  const Json config = {{"BLOCK_SIZE_M", 16}, {"BLOCK_SIZE_N", 64}, {"BLOCK_SIZE_K", 128},
                       {"GROUP_SIZE_M", 1},  {"num_warps", 4},     {"num_stages", 3}};
  const Json speedup = {{"p10", 1.0}, {"p50", 1.1}, {"p90", 1.2}};
  expect_own_words(
      "experts",
      {{"schema", "warploom_moe_config"},
       {"version", 1},
       {"engine", "vllm"},
       {"gpu", "h200_sxm"},
       {"tier", "measured"},
       {"measured_on", {"h200_sxm"}},
       {"layer", {{"experts", 8}, {"top_k", 2}, {"hidden", 4096}, {"intermediate", 14336}}},
       {"rows", {{"1", {{"config", config}, {"engine_default", config}, {"speedup", speedup}}}}}},
      [](const Json& document) { (void)moe_config_from_json(document, "experts"); });
  expect_own_words("operator", operator_to_json(Operator(Gemm{.m = 100, .n = 4096, .k = 4096})),
                   [](const Json& document) { (void)operator_from_json(document, "operator"); });
}

}  // namespace
}  // namespace warploom
