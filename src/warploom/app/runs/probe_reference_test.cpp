#include "warploom/app/runs/probe_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

Json whole_file() {
  return {{"schema", "warploom_probe_reference"},
          {"version", 1},
          {"source", "a test"},
          {"gpus",
           {{"h200_sxm",
             {{"streaming", {{"offset", 0.04}, {"experts", 0.01}, {"width", 0.03}}},
              {"computing", {{"offset", -0.02}, {"experts", 0}, {"width", 0.02}}}}}}},
          {"elsewhere", {{"streaming", 0.04}, {"computing", 0.02}}}};
}

std::vector<KernelScale> probed() { return {{KernelGroup::Streaming, 0.98, 0.98 * std::exp(-0.04), 1}}; }

TEST(ProbeReference, TheShippedOneKnowsAGpuThatWasBothProbedAndOnboarded) {
  const ReferenceOffset known = shipped_probe_reference().of("h200_sxm", KernelGroup::Streaming);
  EXPECT_GT(known.offset, known.experts);
  EXPECT_LT(known.width, shipped_probe_reference().of("h100_sxm", KernelGroup::Streaming).width);
}

TEST(ProbeReference, RefusesWhatIsMissingOrOutOfRange) {
  EXPECT_NO_THROW(parse_probe_reference(whole_file(), "file"));
  for (const char* key : {"gpus", "elsewhere"}) {
    Json file = whole_file();
    file.erase(key);
    EXPECT_THROW(parse_probe_reference(file, "file"), InvalidInput) << key;
  }
  Json file = whole_file();
  file["gpus"]["h200_sxm"].erase("computing");
  EXPECT_THROW(parse_probe_reference(file, "file"), InvalidInput);
  file = whole_file();
  file["gpus"]["h200_sxm"]["streaming"]["offset"] = 4;
  EXPECT_THROW(parse_probe_reference(file, "file"), InvalidInput);
  file = whole_file();
  file["elsewhere"]["computing"] = -0.1;
  EXPECT_THROW(parse_probe_reference(file, "file"), InvalidInput);
  file = whole_file();
  file["gpus"] = Json::array();
  EXPECT_THROW(parse_probe_reference(file, "file"), InvalidInput);
  file = whole_file();
  file["version"] = 2;
  EXPECT_THROW(parse_probe_reference(file, "file"), Unsupported);
}

TEST(ProbeReference, AddsWhatEnginesTakeAndWhatThatVariesBy) {
  const ProbeReference reference = parse_probe_reference(whole_file(), "file");
  std::vector<KernelScale> scales = probed();
  refer_to_engines(reference, "h200_sxm", scales);
  EXPECT_NEAR(scales[0].factor, 0.98 * std::exp(0.04), 1e-12);
  EXPECT_NEAR(scales[0].experts, 0.98 * std::exp(0.01), 1e-12);
  EXPECT_NEAR(std::log(scales[0].factor / scales[0].low), std::hypot(0.04, 0.03), 1e-12);
}

TEST(ProbeReference, SaysOfAnotherGpuThatItIsLessSure) {
  const ProbeReference reference = parse_probe_reference(whole_file(), "file");
  std::vector<KernelScale> scales = probed();
  refer_to_engines(reference, "h100_sxm", scales);
  EXPECT_NEAR(scales[0].factor, 0.98, 1e-12);
  EXPECT_NEAR(scales[0].experts, 0.98, 1e-12);
  EXPECT_NEAR(std::log(scales[0].factor / scales[0].low), std::hypot(0.04, 0.04), 1e-12);
}

}  // namespace
}  // namespace warploom
