// The records against data sheets: a rate per clock per SM times SMs times the boost clock is the dense peak.
#include "warploom/hardware/gpu_spec.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "warploom/base/csv.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/same_numbers.h"

namespace warploom {
namespace {

double teraflops_of(const GpuSpec& gpu, double rate) { return gpu.tensor_rate(rate).value() * 1e-12; }

void expect_within(double actual, double expected, double share, const std::string& what) {
  EXPECT_NEAR(actual, expected, share * expected) << what;
}

TEST(GpuSpec, HasTheDataSheetsMatrixPeaks) {
  const GpuCatalog catalog;
  const std::pair<const char*, double> peaks[] = {{"v100_sxm", 125},
                                                  {"v100_pcie", 112},
                                                  {"t4", 65},
                                                  {"a100_sxm", 312},
                                                  {"a100_pcie_40gb", 312},
                                                  {"a40", 149.7},
                                                  {"rtx_a6000", 154.8},
                                                  {"a10", 125},
                                                  {"l4", 121},
                                                  {"l20", 119.5},
                                                  {"l40", 181},
                                                  {"l40s", 362},
                                                  {"rtx_4090", 165.2},
                                                  {"rtx_6000_ada", 364.2},
                                                  {"rtx_5090", 209.5},
                                                  {"h20", 148},
                                                  {"h800", 989},
                                                  {"h100_sxm", 989},
                                                  {"h100_pcie", 756},
                                                  {"h200_sxm", 989},
                                                  {"h200_nvl", 835},
                                                  {"h100_nvl", 835},
                                                  {"gh200", 989},
                                                  {"b200_sxm", 2250},
                                                  {"gb200", 2500},
                                                  {"b300_sxm", 2250},
                                                  {"gb300", 2500},
                                                  {"rtx_pro_6000_server", 467.8},
                                                  {"rtx_pro_6000_workstation", 504},
                                                  {"rtx_pro_6000_max_q", 440},
                                                  {"mi325x", 1307},
                                                  {"mi300x", 1307},
                                                  {"mi355x", 2516}};
  for (const auto& [name, peak] : peaks) {
    const GpuSpec& gpu = catalog.get(name);
    expect_within(teraflops_of(gpu, gpu.tensor_rates.fp16), peak, 0.02, name);
  }
}

TEST(GpuSpec, HasTheDataSheetsNarrowPeaks) {
  const GpuCatalog catalog;
  const auto peak = [&](const char* name, double TensorRates::*rate) {
    const GpuSpec& gpu = catalog.get(name);
    return teraflops_of(gpu, gpu.tensor_rates.*rate);
  };
  expect_within(peak("h100_sxm", &TensorRates::fp8), 1979, 0.02, "H100 fp8");
  expect_within(peak("a100_sxm", &TensorRates::int8), 624, 0.02, "A100 int8");
  expect_within(peak("a100_sxm", &TensorRates::tf32), 156, 0.02, "A100 tf32");
  expect_within(peak("t4", &TensorRates::int8), 130, 0.02, "T4 int8");
  expect_within(peak("l40s", &TensorRates::fp8), 733, 0.02, "L40S fp8");
  expect_within(peak("b200_sxm", &TensorRates::fp4), 9000, 0.02, "B200 fp4");
  expect_within(peak("b300_sxm", &TensorRates::fp4), 13500, 0.02, "B300 fp4");
  expect_within(peak("gb300", &TensorRates::fp4), 15000, 0.02, "GB300 fp4");
  expect_within(peak("b300_sxm", &TensorRates::int8), 150, 0.1, "B300 int8");
  expect_within(peak("rtx_pro_6000_server", &TensorRates::fp4), 1871, 0.02, "RTX PRO 6000 fp4");
  // Rubin's rates are announced rounded and follow from no one clock.
  expect_within(peak("vr200", &TensorRates::fp16), 4000, 0.06, "Rubin bf16");
  expect_within(peak("vr200", &TensorRates::fp8), 17500, 0.04, "Rubin fp8");
  expect_within(peak("vr200", &TensorRates::fp4), 35000, 0.04, "Rubin fp4");
  expect_within(peak("rtx_pro_6000_workstation", &TensorRates::fp4), 2000, 0.02, "RTX PRO 6000 WS fp4");
  expect_within(peak("rtx_pro_6000_max_q", &TensorRates::fp4), 1755.5, 0.02, "RTX PRO 6000 Max-Q fp4");
  expect_within(peak("mi300x", &TensorRates::fp8), 2615, 0.02, "MI300X fp8");
  expect_within(peak("mi355x", &TensorRates::fp4), 10066, 0.02, "MI355X fp4");
}

TEST(GpuSpec, HasTheDataSheetsFp32Peaks) {
  const GpuCatalog catalog;
  const std::pair<const char*, double> peaks[] = {{"p4", 5.7},      {"p100", 9.5},      {"v100_sxm", 15.7},
                                                  {"t4", 8.1},      {"a100_sxm", 19.5}, {"l4", 30.3},
                                                  {"mi300x", 163.4}};
  for (const auto& [name, peak] : peaks) {
    expect_within(catalog.get(name).fma_rate().value() * 1e-12, peak, 0.02, name);
  }
  const GpuSpec& h100 = catalog.get("h100_sxm");
  expect_within(h100.fma_rate().value() * h100.clock_headroom() * 1e-12, 66.9, 0.01,
                "H100 at its highest clock");
}

TEST(GpuSpec, KeepsWhatSetsGpusApart) {
  const GpuCatalog catalog;
  EXPECT_EQ(catalog.get("b300_sxm").special_function_lanes, 32);
  EXPECT_EQ(catalog.get("gb300").special_function_lanes, 32);
  EXPECT_EQ(catalog.get("b200_sxm").special_function_lanes, 16);
  for (const char* name : {"p4", "p100", "v100_sxm", "v100_pcie", "t4"}) {
    EXPECT_FALSE(catalog.get(name).supports_bf16) << name;
  }
  EXPECT_TRUE(catalog.get("a100_sxm").supports_bf16);
  EXPECT_EQ(catalog.get("p100").tensor_rates.fp16, 0);
  EXPECT_EQ(catalog.get("a100_sxm").tensor_rates.fp8, 0);
  EXPECT_NE(catalog.get("b200_sxm").generation, catalog.get("rtx_5090").generation);
}

TEST(GpuSpec, ConvertsToSiUnits) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("a100_sxm");
  EXPECT_DOUBLE_EQ(gpu.boost_clock.value(), 1.41e9);
  EXPECT_DOUBLE_EQ(gpu.memory_bandwidth.value(), 2039.04e9);
  EXPECT_DOUBLE_EQ(gpu.l2_capacity.value(), 40.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(gpu.shared_memory_per_sm.value(), 164.0 * 1024);
  EXPECT_NEAR(to_gibibytes(gpu.memory_capacity), 79.15, 1e-9);
}

// Every field of the record but its texts counts.
void expect_each_counts(const FieldTable& table, GpuSpec& changed, void* object, const GpuSpec& gpu) {
  for (const Field& field : table.fields) {
    if (field.nested) {
      expect_each_counts(*field.nested, changed, field.element(object, 0), gpu);
      continue;
    }
    const FieldValue before = field.get(object);
    FieldValue other = before;
    if (auto* real = std::get_if<double>(&other)) *real = *real * 2 + 1;
    if (auto* integer = std::get_if<std::int64_t>(&other)) *integer += 1;
    if (auto* flag = std::get_if<bool>(&other)) *flag = !*flag;
    if (auto* text = std::get_if<std::string>(&other))
      *text = field.choices.empty()       ? *text + "x"
              : *text == field.choices[0] ? field.choices[1]
                                          : field.choices[0];
    const bool is_text =
        (std::holds_alternative<std::string>(other) && field.choices.empty()) || other == before;
    field.set(object, std::move(other));
    EXPECT_EQ(same_numbers(gpu, changed), is_text) << field.name;
    field.set(object, FieldValue(before));
    EXPECT_TRUE(same_numbers(gpu, changed)) << field.name;
  }
}

TEST(GpuSpec, IsTheSameOnlyWhereEveryNumberIs) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  GpuSpec changed = gpu;
  expect_each_counts(GpuSpec::describe(), changed, &changed, gpu);
  for (double LargestPart::*part : {&LargestPart::watts, &LargestPart::sms, &LargestPart::boost_ghz,
                                    &LargestPart::highest_ghz, &LargestPart::rate}) {
    changed = gpu;
    changed.largest.*part += 1;
    EXPECT_FALSE(same_numbers(gpu, changed));
  }
}

// The shared table of another project's data-sheet values, where it is at hand.
TEST(GpuSpec, AgreesWithASecondTableOfDataSheets) {
  const char* folder = std::getenv("WARPLOOM_DATA");
  const std::filesystem::path path =
      std::filesystem::path(folder != nullptr ? folder : WARPLOOM_SOURCE_DIR "/../shared/data") /
      "gpus_aiconfigurator.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared data at " << path;
  const GpuCatalog catalog;
  CsvReader reader(path);
  while (reader.next()) {
    const GpuSpec& gpu = catalog.get(reader.cell(reader.column("gpu")));
    const auto agrees = [&](const char* column, double ours, double share) {
      if (!reader.empty(reader.column(column))) {
        expect_within(ours, reader.real(reader.column(column)), share, gpu.name + " " + column);
      }
    };
    EXPECT_EQ(gpu.name, reader.cell(reader.column("gpu")));
    EXPECT_EQ(gpu.compute_capability, reader.integer(reader.column("sm_version")));
    agrees("mem_bw_GBps", gpu.memory_bandwidth.value() * 1e-9, 0.03);
    agrees("mem_capacity_GiB", to_gibibytes(gpu.memory_capacity), 0.02);
    agrees("bf16_tflops", teraflops_of(gpu, gpu.tensor_rates.fp16), 0.02);
    agrees("fp8_tflops", teraflops_of(gpu, gpu.tensor_rates.fp8), 0.02);
    agrees("fp4_tflops", teraflops_of(gpu, gpu.tensor_rates.fp4), 0.05);
    agrees("int8_tops", teraflops_of(gpu, gpu.tensor_rates.int8), 0.1);
    agrees("power_W", gpu.power_limit.value(), 1e-9);
    if (gpu.link_bandwidth.value() > 0) agrees("intra_node_bw_GBps", gpu.link_bandwidth.value() * 1e-9, 1e-9);
  }
}

}  // namespace
}  // namespace warploom
