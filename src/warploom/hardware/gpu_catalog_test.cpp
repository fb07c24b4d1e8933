#include "warploom/hardware/gpu_catalog.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

// What `action` throws as E; fails the test when it throws nothing or something else.
template <class E, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "threw another type: " << error.what();
    return {};
  }
  ADD_FAILURE() << "threw nothing";
  return {};
}

void expect_contains(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

class ScratchFile {
 public:
  ScratchFile(std::string_view name, const Json& document)
      : path_(std::filesystem::path(testing::TempDir()) / name) {
    write_json_file(path_, document);
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Json future_gpu() {
  const GpuCatalog catalog;
  GpuSpec gpu = catalog.get("h100_sxm");
  gpu.name = "x900";
  gpu.aliases = {"X 900 Ultra"};
  gpu.sm_count = 500;
  return gpu_to_json(gpu);
}

TEST(GpuCatalog, KnowsEveryPromisedGpu) {
  const GpuCatalog catalog;
  for (const char* name : {"p100",
                           "v100_sxm",
                           "v100_pcie",
                           "p4",
                           "t4",
                           "a100_sxm_40gb",
                           "a100_sxm",
                           "a100_pcie_40gb",
                           "a100_pcie_80gb",
                           "a40",
                           "rtx_a6000",
                           "a10",
                           "l4",
                           "l20",
                           "l40",
                           "l40s",
                           "rtx_4090",
                           "rtx_6000_ada",
                           "rtx_5090",
                           "h20",
                           "h800",
                           "h100_sxm",
                           "h100_pcie",
                           "h100_nvl",
                           "h200_sxm",
                           "h200_nvl",
                           "gh200",
                           "b200_sxm",
                           "gb200",
                           "b300_sxm",
                           "gb300",
                           "gb10",
                           "rtx_pro_6000_server",
                           "rtx_pro_6000_workstation",
                           "rtx_pro_6000_max_q",
                           "vr200",
                           "mi300x",
                           "mi308x",
                           "mi325x",
                           "mi355x"}) {
    const GpuSpec* gpu = catalog.find(name);
    ASSERT_NE(gpu, nullptr) << name;
    EXPECT_EQ(gpu->name, name);
    EXPECT_GT(gpu->source.size(), 30U) << name;
    EXPECT_EQ(gpu->name_hash, hash_bytes(name));
  }
}

TEST(GpuCatalog, UnderstandsTheSpellingsOfDataSetsAndDrivers) {
  const GpuCatalog catalog;
  const std::pair<const char*, const char*> spellings[] = {
      {"A100", "a100_sxm"},
      {"NVIDIA A100-SXM4-80GB", "a100_sxm"},
      {"A100-SXM4-80G", "a100_sxm"},
      {"NVIDIA A100-PCIE-40GB", "a100_pcie_40gb"},
      {"NVIDIA A100 80GB PCIe", "a100_pcie_80gb"},
      {"NVIDIA A100-SXM4-40GB", "a100_sxm_40gb"},
      {"Tesla V100-PCIE-32GB", "v100_pcie"},
      {"Tesla P4", "p4"},
      {"Tesla P100-PCIE-16GB", "p100"},
      {"Tesla T4", "t4"},
      {"NVIDIA L4", "l4"},
      {"H100", "h100_sxm"},
      {"NVIDIA H100 80GB HBM3", "h100_sxm"},
      {"NVIDIA H100 PCIe", "h100_pcie"},
      {"H200", "h200_sxm"},
      {"NVIDIA H200", "h200_sxm"},
      {"H800", "h800"},
      {"H20", "h20"},
      {"L20", "l20"},
      {"L40", "l40"},
      {"A40", "a40"},
      {"RTX_A6000", "rtx_a6000"},
      {"NVIDIA RTX A6000", "rtx_a6000"},
      {"RTX_6000_Ada", "rtx_6000_ada"},
      {"RTX 6000 Ada", "rtx_6000_ada"},
      {"NVIDIA RTX 6000 Ada Generation", "rtx_6000_ada"},
      {"RTX_PRO_6000_S", "rtx_pro_6000_server"},
      {"RTXPRO6000", "rtx_pro_6000_server"},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx_pro_6000_server"},
      {"rtx_pro_6000_server", "rtx_pro_6000_server"},
      {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx_pro_6000_workstation"},
      {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx_pro_6000_max_q"},
      {"NVIDIA H100 NVL", "h100_nvl"},
      {"AMD Instinct MI325X", "mi325x"},
      {"Vera Rubin NVL144", "vr200"},
      {"B200", "b200_sxm"},
      {"NVIDIA B200", "b200_sxm"},
      {"gb200", "gb200"},
      {"NVIDIA GeForce RTX 4090", "rtx_4090"},
      {"AMD Instinct MI300X", "mi300x"},
      {"mi308x", "mi308x"},
      {"h100-sxm", "h100_sxm"},
      {"NVIDIA L40S", "l40s"}};
  for (const auto& [spelling, name] : spellings) EXPECT_EQ(catalog.get(spelling).name, name) << spelling;
}

RC_GTEST_PROP(GpuCatalog, IgnoresCaseAndPunctuation, ()) {
  static const GpuCatalog catalog;
  const auto index = *rc::gen::inRange<std::size_t>(0, catalog.gpus().size());
  const GpuSpec& gpu = catalog.gpus()[index];
  std::string spelling;
  for (const char c : gpu.name) {
    const bool upper = *rc::gen::arbitrary<bool>();
    spelling.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
    spelling += *rc::gen::element<std::string>("", "-", "_", " ");
  }
  RC_ASSERT(catalog.find(spelling) == &gpu);
}

TEST(GpuCatalog, EveryAliasLeadsToItsOwnRecord) {
  const GpuCatalog catalog;
  for (const GpuSpec& gpu : catalog.gpus()) {
    EXPECT_EQ(&catalog.get(gpu.title), &gpu) << gpu.title;
    for (const std::string& alias : gpu.aliases) EXPECT_EQ(&catalog.get(alias), &gpu) << alias;
  }
}

TEST(GpuCatalog, OffersTheNearestNamesWhenUnknown) {
  const GpuCatalog catalog;
  EXPECT_EQ(catalog.find("h100_sxn"), nullptr);
  const std::string message = message_of<NotFound>([&] { catalog.get("h100_sxn"); });
  expect_contains(message, "'h100_sxn' is not known");
  expect_contains(message, "`warploom gpus` lists them");
  expect_contains(message, "h100_sxm");
  message_of<NotFound>([&] { catalog.get(""); });
  message_of<NotFound>([&] { catalog.get("nvidia"); });
}

TEST(GpuCatalog, LoadsAUsersRecordByPathOnce) {
  const ScratchFile file("warploom_x900.json", future_gpu());
  GpuCatalog catalog;
  const GpuSpec* before = catalog.find("h100_sxm");
  const GpuSpec& gpu = catalog.load_gpu(file.path().string(), FileScope::machine());
  EXPECT_EQ(gpu.name, "x900");
  EXPECT_EQ(gpu.sm_count, 500);
  EXPECT_EQ(gpu.name_hash, hash_bytes("x900"));
  EXPECT_EQ(&catalog.load_gpu(file.path().string(), FileScope::machine()), &gpu);
  EXPECT_EQ(&catalog.get("x900-ultra"), &gpu);
  EXPECT_EQ(catalog.find("H100 SXM"), before);
}

TEST(GpuCatalog, LoadsANameAsAName) {
  GpuCatalog catalog;
  EXPECT_EQ(catalog.load_gpu("H100").name, "h100_sxm");
  message_of<NotFound>([&] { catalog.load_gpu("h101"); });
  expect_contains(message_of<IoError>([&] { catalog.load_gpu("no/such/gpu.json", FileScope::machine()); }),
                  "no/such/gpu.json");
}

TEST(GpuCatalog, RefusesARecordWhoseNameIsTaken) {
  Json document = future_gpu();
  document["name"] = "h100_sxm";
  const ScratchFile file("warploom_taken.json", document);
  GpuCatalog catalog;
  expect_contains(
      message_of<InvalidInput>([&] { catalog.load_gpu(file.path().string(), FileScope::machine()); }),
      "'h100_sxm' already names GPU 'h100_sxm'");
  document["name"] = "x901";
  document["aliases"] = {"A100"};
  const ScratchFile alias("warploom_taken_alias.json", document);
  expect_contains(
      message_of<InvalidInput>([&] { catalog.load_gpu(alias.path().string(), FileScope::machine()); }),
      "'A100' already names GPU 'a100_sxm'");
}

TEST(GpuRecord, ReadsBackWhatItWrites) {
  const GpuCatalog catalog;
  for (const GpuSpec& gpu : catalog.gpus()) {
    const Json written = gpu_to_json(gpu);
    const GpuSpec again = gpu_from_json(written, gpu.name);
    const Json rewritten = gpu_to_json(again);
    ASSERT_EQ(written.size(), rewritten.size());
    for (const auto& [key, value] : written.items()) {
      if (value.is_number()) {
        EXPECT_NEAR(rewritten[key].get<double>(), value.get<double>(), 1e-12 * std::abs(value.get<double>()))
            << key;
      } else {
        EXPECT_EQ(rewritten[key], value) << key;
      }
    }
    EXPECT_EQ(again.name_hash, gpu.name_hash);
    EXPECT_EQ(again.tensor_rates.fp8, gpu.tensor_rates.fp8);
    EXPECT_EQ(again.supports_bf16, gpu.supports_bf16);
  }
}

TEST(GpuRecord, ReadsOneThatStillHoldsAnEnginesShare) {
  Json old = future_gpu();
  old["decode_attention_share"] = 0.853;  // a constant of a step rule since
  const GpuSpec gpu = gpu_from_json(old, "old");
  EXPECT_EQ(to_json(gpu), to_json(gpu_from_json(future_gpu(), "new")));
}

TEST(GpuRecord, RefusesBadRecordsNamingTheKey) {
  const auto refused = [](const char* key, const Json& value) {
    Json document = future_gpu();
    document[key] = value;
    return message_of<InvalidInput>([&] { gpu_from_json(document, "x900.json"); });
  };
  expect_contains(refused("sm_count", 0), "sm_count");
  expect_contains(refused("sm_count", 1.5), "sm_count");
  expect_contains(refused("boost_clock_mhz", -1830), "boost_clock_mhz");
  expect_contains(refused("memory_bandwidth_gb_per_s", 3.35e12), "memory_bandwidth_gb_per_s");
  expect_contains(refused("memory_capacity_gib", nullptr), "memory_capacity_gib");
  expect_contains(refused("tensor_flop_per_clock_per_sm", {{"fp16", 1e15}}), "fp16");
  expect_contains(refused("tensor_flop_per_clock_per_sm", {{"fp61", 1}}), "fp16");
  expect_contains(refused("generation", "hoper"), "hopper");
  expect_contains(refused("boost_clock_mzh", 1), "did you mean 'boost_clock_mhz'");
  expect_contains(refused("name", "X 900"), "canonical");
  expect_contains(refused("name", ""), "canonical");
  expect_contains(refused("base_clock_mhz", 1900), "base_clock_mhz is above");
  expect_contains(refused("max_clock_mhz", 1000), "max_clock_mhz is below");
  expect_contains(refused("max_shared_memory_per_block_kib", 500),
                  "max_shared_memory_per_block_kib is above");
  expect_contains(refused("l2_bandwidth_gb_per_s", 10), "l2_bandwidth_gb_per_s is below");
  expect_contains(refused("link_bandwidth_gb_per_s", 0), "disagree");
  expect_contains(refused("link_kind", "pcie"), "direct link");
  expect_contains(refused("schema", "warploom_node"), "schema");
  expect_contains(refused("version", 0), "version");
}

TEST(GpuRecord, RefusesAMissingKeyAndANewerVersion) {
  Json document = future_gpu();
  document.erase("l2_bandwidth_gb_per_s");
  expect_contains(message_of<InvalidInput>([&] { gpu_from_json(document, "x900.json"); }),
                  "x900.json: 'l2_bandwidth_gb_per_s' is missing");
  document = future_gpu();
  document["version"] = 3;
  expect_contains(message_of<Unsupported>([&] { gpu_from_json(document, "x900.json"); }), "reads up to 2");
  message_of<InvalidInput>([&] { gpu_from_json(Json::array(), "x900.json"); });
}

TEST(GpuRecord, TakesTheBoostClockWhenNoMaximumIsGiven) {
  Json document = future_gpu();
  document.erase("max_clock_mhz");
  document.erase("title");
  const GpuSpec gpu = gpu_from_json(document, "x900.json");
  EXPECT_EQ(gpu.max_clock, gpu.boost_clock);
  EXPECT_EQ(gpu.title, "x900");
}

}  // namespace
}  // namespace warploom
