// Every key of every kind of document, with every wrong type, taken away and named otherwise: what is read or
// refused, never with the words of a library.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/convert_clients.h"
#include "warploom/app/data/device_constants.h"
#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/predict/machine_profile.h"
#include "warploom/app/runs/measured_requests.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/base/whole_folder.h"
#include "warploom/base/yaml.h"
#include "warploom/fused_moe/config_table.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/judge/regret/tile_table.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/models/model_catalog.h"
#include "warploom/planner/gpu_prices.h"
#include "warploom/planner/run_log.h"
#include "warploom/serving/host/host_profile.h"
#include "warploom/serving/workload/client_mix.h"
#include "warploom/serving/workload/trace_file.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = WARPLOOM_SOURCE_DIR;
using Read = std::function<void(const Json& document)>;
using Pointer = nlohmann::json_pointer<std::string>;

void add_places(const Json& value, const Pointer& at, std::vector<Pointer>& places) {
  places.push_back(at);
  if (value.is_object())
    for (const auto& [key, member] : value.items()) add_places(member, at / key, places);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) add_places(value[i], at / i, places);
}

// Each value in one of the types that it may not have, or not with this value.
std::vector<Json> wrong_values() {
  return {nullptr,
          true,
          -1,
          0,
          1e300,
          0.5,
          "",
          "of a type",
          Json::array(),
          Json::object(),
          Json::array({Json::array({1, "two", nullptr})}),
          Json{{"of", "another"}},
          std::uint64_t(-1)};
}

// Words of the libraries that read for the program, or of the language's own.
bool is_foreign(std::string_view words) {
  for (const char* foreign :
       {"json.exception", "yaml-cpp", "bad conversion", "basic_string", "std::", "map::at",
        "vector::", "stoll", "stod", "filesystem error", "bad_alloc", "regex"})
    if (words.find(foreign) != std::string_view::npos) return true;
  return false;
}

void expect_own_words(const std::string& name, const Json& sound, const Read& read) {
  ASSERT_NO_THROW(read(sound)) << name;
  std::vector<Pointer> places;
  add_places(sound, Pointer(), places);
  // Long lists are alike: of many places an even share.
  constexpr std::size_t kMostPlaces = 150;
  const std::size_t step = std::max<std::size_t>(1, places.size() / kMostPlaces);
  std::size_t refused = 0;
  const auto expect_read_or_refused = [&](const Json& document, const Pointer& place,
                                          const std::string& what) {
    try {
      read(document);
    } catch (const Error& error) {
      ++refused;
      EXPECT_FALSE(is_foreign(error.what()))
          << name << ": " << place.to_string() << " " << what << ": " << error.what();
      EXPECT_GT(std::string_view(error.what()).size(), 10u)
          << name << ": " << place.to_string() << " " << what;
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ": " << place.to_string() << " " << what << ": " << error.what();
    }
  };
  for (std::size_t i = 0; i < places.size(); i += step) {
    const Pointer& place = places[i];
    for (const Json& wrong : wrong_values()) {
      Json document = sound;
      document[place] = wrong;
      expect_read_or_refused(document, place, "is " + wrong.dump());
    }
    if (place.empty() || !sound[place.parent_pointer()].is_object()) continue;
    Json without = sound;
    Json& parent = without[place.parent_pointer()];
    const Json value = parent[place.back()];
    parent.erase(place.back());
    expect_read_or_refused(without, place, "is missing");
    parent["of_no_reader"] = value;
    expect_read_or_refused(without, place, "has another name");
  }
  EXPECT_GT(refused, places.size() / step) << name;
}

Json fixture(const std::string& name) { return read_json_file(kSource / "tests/fixtures" / name); }

// Readers of files, by way of a file.
Read of_file(const ScratchFolder& folder, const std::string& name,
             const std::function<void(const fs::path&)>& read) {
  return [&folder, name, read](const Json& document) { read(folder.write(name, document.dump())); };
}

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
  expect_own_words("machine.json", read_json_file(kSource / "tests/fixtures/options/machine.json"),
                   [](const Json& document) { machine_profile_from_json(document, "machine"); });
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
  std::vector<TileSample> samples;
  for (const std::int64_t tiles : {4, 12, 16, 20})
    for (const std::int64_t loop : {4, 64})
      samples.push_back(
          {{128, 128, 64, 8, 3, 1}, {tiles * 128, tiles * 128, loop * 64}, double(tiles * loop)});
  WaveTuneTable(fit_wavetune({}, {}, samples)).write(folder.path() / "table.json");
  expect_own_words("published table", read_json_file(folder.path() / "table.json"),
                   [](const Json& document) { (void)WaveTuneTable::from_json(document, "table"); });
}

}  // namespace
}  // namespace warploom
