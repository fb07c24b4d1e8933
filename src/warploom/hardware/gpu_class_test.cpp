#include "warploom/hardware/gpu_class.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/base/error.h"
#include "warploom/hardware/clock_under_load.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

std::set<std::string> names_where(bool (*holds)(const GpuSpec&)) {
  std::set<std::string> names;
  for (const GpuSpec& gpu : catalog().gpus())
    if (holds(gpu)) names.insert(gpu.name);
  return names;
}

const std::set<std::string> kHopper{"gh200", "h100_nvl", "h100_pcie", "h100_sxm",
                                    "h20",   "h200_nvl", "h200_sxm",  "h800"};
const std::set<std::string> kBlackwell{"b200_sxm", "b300_sxm", "gb200", "gb300"};
const std::set<std::string> kA100{"a100_pcie_40gb", "a100_pcie_80gb", "a100_sxm", "a100_sxm_40gb"};
const std::set<std::string> kRubin{"vr200"};
const std::set<std::string> kAmd{"mi300x", "mi308x", "mi325x", "mi355x"};
const std::set<std::string> kSm120{"gb10", "rtx_5090", "rtx_pro_6000_max_q", "rtx_pro_6000_server",
                                   "rtx_pro_6000_workstation"};
const std::set<std::string> kGraphics{"a10",
                                      "a40",
                                      "gb10",
                                      "l20",
                                      "l4",
                                      "l40",
                                      "l40s",
                                      "p4",
                                      "rtx_4090",
                                      "rtx_5090",
                                      "rtx_6000_ada",
                                      "rtx_a6000",
                                      "rtx_pro_6000_max_q",
                                      "rtx_pro_6000_server",
                                      "rtx_pro_6000_workstation",
                                      "t4"};

std::set<std::string> joined(std::initializer_list<std::set<std::string>> parts) {
  std::set<std::string> all;
  for (const auto& part : parts) all.insert(part.begin(), part.end());
  return all;
}

TEST(GpuClass, EveryShippedGpuHasOneAnswerToEachQuestion) {
  ASSERT_EQ(catalog().gpus().size(), 40);
  EXPECT_EQ(names_where(has_wgmma), kHopper);
  EXPECT_EQ(names_where(has_tensor_memory), joined({kBlackwell, kRubin}));
  EXPECT_EQ(names_where(has_async_matrix_unit), joined({kHopper, kBlackwell, kRubin}));
  EXPECT_EQ(names_where(has_scaled_mma), kSm120);
  EXPECT_EQ(names_where(is_graphics_die), kGraphics);
  EXPECT_EQ(names_where(has_stacked_memory),
            joined({kHopper, kBlackwell, kRubin, kA100, kAmd, {"p100", "v100_pcie", "v100_sxm"}}));
  EXPECT_EQ(names_where(has_small_shared_memory),
            joined({kGraphics, {"mi300x", "mi308x", "mi325x", "p100", "v100_pcie", "v100_sxm"}}));
  EXPECT_EQ(
      names_where([](const GpuSpec& gpu) { return shared_memory_size(gpu) == SharedMemorySize::Middle; }),
      joined({kA100, {"mi355x"}}));
}

// What once stood in five files as thresholds of shared memory, compute capability and generation: one rule
// each, and no two of them contradict each other.
TEST(GpuClass, AGpuIsEitherGraphicsWithoutHbmOrDataCentreWithIt) {
  for (const GpuSpec& gpu : catalog().gpus())
    EXPECT_NE(is_graphics_die(gpu), has_stacked_memory(gpu)) << gpu.name;
}

TEST(GpuClass, DesignsOfTheSmGroupWhatRunsTheSameKernels) {
  std::map<int, std::set<std::string>> designs;
  for (const GpuSpec& gpu : catalog().gpus()) designs[architecture_class(gpu)].insert(gpu.name);
  const std::map<int, std::set<std::string>> expected{
      {60, {"p100"}},
      {61, {"p4"}},
      {70, {"v100_pcie", "v100_sxm"}},
      {75, {"t4"}},
      {80, kA100},
      {89, {"a10", "a40", "l20", "l4", "l40", "l40s", "rtx_4090", "rtx_6000_ada", "rtx_a6000"}},
      {90, kHopper},
      {100, joined({kBlackwell, kRubin})},
      {120, kSm120},
      {1003, {"mi300x", "mi308x", "mi325x"}},
      {1004, {"mi355x"}}};
  EXPECT_EQ(designs, expected);
  EXPECT_TRUE(are_cousins(89, 120));
  EXPECT_FALSE(are_cousins(89, 80));
}

TEST(GpuClass, LineagesPartAtAmpereAndAtTheMaker) {
  for (const GpuSpec& gpu : catalog().gpus()) {
    const bool amd = gpu.vendor == Vendor::Amd;
    const Lineage expected =
        amd ? Lineage::Amd : (gpu.compute_capability < 80 ? Lineage::BeforeAmpere : Lineage::SinceAmpere);
    EXPECT_EQ(lineage_of(architecture_class(gpu)), expected) << gpu.name;
  }
}

TEST(GpuClass, TheLargestPartIsTheOneOfTheSilicon) {
  std::map<std::string, std::set<std::string>> parts;
  for (const GpuSpec& gpu : catalog().gpus())
    if (gpu.largest.watts > 0) parts[gpu.largest_part].insert(gpu.name);
  const std::map<std::string, std::set<std::string>> expected{
      {"a100_sxm", kA100}, {"b200_sxm", kBlackwell}, {"h100_sxm", kHopper}};
  EXPECT_EQ(parts, expected);
}

TEST(GpuClass, ARecordSaysWhatKindOfPartItIs) {
  const GpuCatalog gpus;
  for (const char* key : {"class", "memory_kind", "matrix_instruction", "sm_design"}) {
    Json document = gpu_to_json(gpus.get("h100_sxm"));
    document["version"] = 1;  // which did not ask for them
    document.erase(key);
    try {
      gpu_from_json(document, "x.json");
      ADD_FAILURE() << key;
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("'{}' is missing", key)), std::string::npos)
          << error.what();
    }
  }
}

TEST(GpuClass, ALargestPartThatNobodyKnowsIsRefused) {
  GpuCatalog gpus;
  GpuSpec gpu = gpus.get("h200_sxm");
  gpu.name = "h201_sxm";
  gpu.aliases.clear();
  gpu.title = "H201";
  gpu.largest_part = "h100_smx";
  EXPECT_THROW(gpus.add(gpu, "test"), InvalidInput);
  EXPECT_EQ(gpus.find("h201_sxm"), nullptr);
  gpu.largest_part = "h201_sxm";  // a part may be its own
  EXPECT_EQ(gpus.add(gpu, "test").largest.watts, gpu.power_limit.value());
}

TEST(ClockUnderLoad, LightWorkRunsAtTheClockOfItsRule) {
  const GpuSpec& gb200 = catalog().get("gb200");
  EXPECT_EQ(clock_under_load(gb200, ClockRule::Highest).sustained(), gb200.max_clock.value());
  EXPECT_EQ(clock_under_load(gb200, ClockRule::DataSheet).sustained(), gb200.boost_clock.value());
  EXPECT_EQ(clock_under_load(gb200, ClockRule::Limited).sustained(), gb200.boost_clock.value());
  EXPECT_NEAR(clock_under_load(gb200, ClockRule::LargestPart).hertz, 2062e6 * 1855 / 1965, 1);
}

TEST(ClockUnderLoad, NoLoadRaisesTheClockAndMoreProductsLowerIt) {
  for (const GpuSpec& gpu : catalog().gpus()) {
    for (const ClockRule rule : {ClockRule::Limited, ClockRule::LargestPart}) {
      double before = clock_under_load(gpu, rule).sustained();
      for (const double busy : {0.25, 0.5, 1.0, 2.0}) {
        MatrixLoad load{.rate = gpu.tensor_rates.fp16 * busy};
        const LoadedClock clock = clock_under_load(gpu, rule, load);
        EXPECT_GE(clock.slowdown, 1) << gpu.name;
        EXPECT_LE(clock.sustained(), before) << gpu.name;
        before = clock.sustained();
      }
    }
  }
}

}  // namespace
}  // namespace warploom
