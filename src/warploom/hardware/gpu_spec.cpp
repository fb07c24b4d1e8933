#include "warploom/hardware/gpu_spec.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr double kMebi = 1048576.0;
constexpr double kGibi = 1073741824.0;
// Far above anything built; a value beyond it is a wrong unit.
constexpr double kMostFlopPerClock = 1 << 20;
constexpr BytesPerSecond kLeastLinkBandwidth(1e8);

void add_identity(FieldList<GpuSpec>& list) {
  list.add("name", &GpuSpec::name, {.doc = "canonical id, lower case", .required = true})
      .add("title", &GpuSpec::title, {.doc = "name for people"})
      .add("device_name", &GpuSpec::device_name,
           {.doc = "as the driver prints it (torch.cuda.get_device_name); engines name tuned files by it"})
      .add("aliases", &GpuSpec::aliases, {.doc = "names in data sets, drivers and other tools"})
      .add("vendor", &GpuSpec::vendor, {.doc = "maker", .required = true})
      .add("generation", &GpuSpec::generation, {.doc = "instruction set and memory system", .required = true})
      .add("compute_capability", &GpuSpec::compute_capability,
           {.doc = "CUDA compute capability times ten, 0 on AMD", .min = 0, .max = 999})
      .add("class", &GpuSpec::gpu_class, {.doc = "what the die was designed for", .required = true})
      .add("memory_kind", &GpuSpec::memory_kind, {.doc = "device memory", .required = true})
      .add("matrix_instruction", &GpuSpec::matrix_instruction,
           {.doc = "the best one of its SMs", .required = true})
      .add("sm_design", &GpuSpec::sm_design,
           {.doc = "compute capability times ten of the oldest part with this SM, 1003 on for AMD's",
            .min = 0,
            .max = 9999,
            .required = true})
      .add("sm_design_year", &GpuSpec::sm_design_year,
           {.doc = "of that part's launch, 0 = not to be used for trends", .min = 0, .max = 2100})
      .add("process_nm", &GpuSpec::process_nm,
           {.unit = "nm", .doc = "of the silicon, 0 = unknown", .min = 0, .max = 1000})
      .add("year", &GpuSpec::year, {.doc = "of launch, 0 = unknown", .min = 0, .max = 2100});
}

void add_compute(FieldList<GpuSpec>& list) {
  list.add("sm_count", &GpuSpec::sm_count,
           {.doc = "SMs or compute units", .min = 1, .max = 4096, .required = true})
      .add("boost_clock_mhz", &GpuSpec::boost_clock,
           {.unit = "MHz",
            .doc = "SM clock of the data sheet's dense peaks",
            .min = 100,
            .max = 10000,
            .scale = 1e6,
            .required = true})
      .add("base_clock_mhz", &GpuSpec::base_clock,
           {.unit = "MHz", .doc = "guaranteed SM clock, 0 = unknown", .min = 0, .max = 10000, .scale = 1e6})
      .add("max_clock_mhz", &GpuSpec::max_clock,
           {.unit = "MHz", .doc = "highest SM clock, 0 = boost clock", .min = 0, .max = 10000, .scale = 1e6})
      .add("largest_part", &GpuSpec::largest_part,
           {.doc = "GPU of the same silicon whose data sheet tells the clock under full matrix load"})
      .add("tensor_flop_per_clock_per_sm", &GpuSpec::tensor_rates,
           {.unit = "FLOP", .doc = "dense matrix-unit rates, a multiply-add counting two", .required = true})
      .add("supports_bf16", &GpuSpec::supports_bf16, {.doc = "whether matrix units take bf16"})
      .add("fma_lanes_per_sm", &GpuSpec::fma_lanes,
           {.doc = "fp32 fused multiply-adds per clock per SM",
            .min = 1,
            .max = kMostFlopPerClock,
            .required = true})
      .add("special_function_lanes_per_sm", &GpuSpec::special_function_lanes,
           {.doc = "exp2, rcp and rsqrt results per clock per SM",
            .min = 1,
            .max = kMostFlopPerClock,
            .required = true});
}

void add_memory(FieldList<GpuSpec>& list) {
  list.add("memory_capacity_gib", &GpuSpec::memory_capacity,
           {.unit = "GiB",
            .doc = "as the driver reports it",
            .min = 0.1,
            .max = 1e5,
            .scale = kGibi,
            .required = true})
      .add("memory_bandwidth_gb_per_s", &GpuSpec::memory_bandwidth,
           {.unit = "GB/s",
            .doc = "peak of device memory",
            .min = 1,
            .max = 1e6,
            .scale = 1e9,
            .required = true})
      .add("l2_capacity_mib", &GpuSpec::l2_capacity,
           {.unit = "MiB",
            .doc = "cache shared by all SMs",
            .min = 0.1,
            .max = 1e5,
            .scale = kMebi,
            .required = true})
      .add("l2_bandwidth_gb_per_s", &GpuSpec::l2_bandwidth,
           {.unit = "GB/s", .doc = "reads from L2", .min = 1, .max = 1e7, .scale = 1e9, .required = true})
      .add("shared_memory_per_sm_kib", &GpuSpec::shared_memory_per_sm,
           {.unit = "KiB",
            .doc = "usable as shared memory",
            .min = 1,
            .max = 65536,
            .scale = 1024,
            .required = true})
      .add("max_shared_memory_per_block_kib", &GpuSpec::max_shared_memory_per_block,
           {.unit = "KiB",
            .doc = "of one thread block",
            .min = 1,
            .max = 65536,
            .scale = 1024,
            .required = true})
      .add("shared_bytes_per_clock_per_sm", &GpuSpec::shared_bytes_per_clock,
           {.unit = "B", .doc = "shared-memory bandwidth", .min = 1, .max = 65536});
}

void add_limits(FieldList<GpuSpec>& list) {
  list.add("registers_per_sm", &GpuSpec::registers_per_sm,
           {.doc = "32-bit registers", .min = 1024, .max = 1 << 24})
      .add("max_threads_per_sm", &GpuSpec::max_threads_per_sm,
           {.doc = "resident threads", .min = 32, .max = 65536})
      .add("max_blocks_per_sm", &GpuSpec::max_blocks_per_sm,
           {.doc = "resident thread blocks", .min = 1, .max = 1024})
      .add("power_limit_w", &GpuSpec::power_limit,
           {.unit = "W", .doc = "of the board", .min = 1, .max = 1e5, .required = true});
}

void add_links(FieldList<GpuSpec>& list) {
  list.add("link_kind", &GpuSpec::link_kind, {.doc = "direct link between GPUs"})
      .add("link_bandwidth_gb_per_s", &GpuSpec::link_bandwidth,
           {.unit = "GB/s", .doc = "per GPU, one direction, 0 = none", .min = 0, .max = 1e5, .scale = 1e9})
      .add("link_domain_size", &GpuSpec::link_domain_size,
           {.doc = "GPUs joined by the link in the usual node or rack", .min = 1, .max = 65536})
      .add("link_hop_us", &GpuSpec::link_hop,
           {.unit = "us",
            .doc = "one more rank's share of the smallest collective",
            .min = 0,
            .max = 1000,
            .scale = 1e-6})
      .add("link_reduces", &GpuSpec::link_reduces, {.doc = "whether the link's switches add up"})
      .add("pcie_bandwidth_gb_per_s", &GpuSpec::pcie_bandwidth,
           {.unit = "GB/s", .doc = "one direction", .min = 0.1, .max = 1e5, .scale = 1e9, .required = true})
      .add("source", &GpuSpec::source, {.doc = "where the numbers come from", .required = true});
}

[[noreturn]] void refuse(std::string_view where, const GpuSpec& gpu, std::string_view what) {
  throw InvalidInput(fmt::format("{}: GPU '{}': {}", where, gpu.name, what));
}

bool is_canonical_name(std::string_view name) {
  if (name.empty()) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (std::islower(c) != 0) || (std::isdigit(c) != 0) || c == '_' || c == '-' || c == '.';
  });
}

}  // namespace

FieldTable TensorRates::describe() {
  constexpr std::string_view unit = "FLOP per clock per SM";
  constexpr double most = kMostFlopPerClock;
  return FieldList<TensorRates>("tensor rates")
      .add("fp32", &TensorRates::fp32,
           {.unit = unit, .doc = "matrix units on fp32, 0 = none", .min = 0, .max = most})
      .add("tf32", &TensorRates::tf32, {.unit = unit, .doc = "tf32", .min = 0, .max = most})
      .add("fp16", &TensorRates::fp16, {.unit = unit, .doc = "fp16 and bf16", .min = 0, .max = most})
      .add("fp8", &TensorRates::fp8, {.unit = unit, .doc = "fp8", .min = 0, .max = most})
      .add("fp4", &TensorRates::fp4, {.unit = unit, .doc = "nvfp4 and mxfp4", .min = 0, .max = most})
      .add("int8", &TensorRates::int8, {.unit = unit, .doc = "int8", .min = 0, .max = most})
      .table();
}

FieldTable GpuSpec::describe() {
  FieldList<GpuSpec> list("GPU record");
  add_identity(list);
  add_compute(list);
  add_memory(list);
  add_limits(list);
  add_links(list);
  return list.table();
}

void GpuSpec::check(std::string_view where) const {
  if (!is_canonical_name(name)) {
    refuse(where, *this, "its name is not canonical, expected lower-case letters, digits, '_', '-' and '.'");
  }
  if (sm_count < 1 || boost_clock.value() <= 0) refuse(where, *this, "needs at least one SM and a clock");
  if (base_clock > boost_clock) refuse(where, *this, "base_clock_mhz is above boost_clock_mhz");
  if (max_clock.value() > 0 && max_clock < boost_clock)
    refuse(where, *this, "max_clock_mhz is below boost_clock_mhz");
  if (max_shared_memory_per_block > shared_memory_per_sm) {
    refuse(where, *this, "max_shared_memory_per_block_kib is above shared_memory_per_sm_kib");
  }
  if (l2_bandwidth < memory_bandwidth)
    refuse(where, *this, "l2_bandwidth_gb_per_s is below memory_bandwidth_gb_per_s");
  if (l2_capacity > memory_capacity) refuse(where, *this, "l2_capacity_mib is above memory_capacity_gib");
  if (tensor_rates.fp8 > 0 && tensor_rates.fp8 < tensor_rates.fp16) {
    refuse(where, *this, "the fp8 rate is below the fp16 rate, expected 0 (no fp8) or at least as much");
  }
  for (const double rate : {tensor_rates.fp32, tensor_rates.tf32, tensor_rates.fp16, tensor_rates.fp8,
                            tensor_rates.fp4, tensor_rates.int8})
    if (rate > 0 && rate < 1)
      refuse(where, *this, "a rate of tensor_flop_per_clock_per_sm is below 1, expected 0 (none) or more");
  if (link_bandwidth.value() > 0 && link_bandwidth < kLeastLinkBandwidth)
    refuse(where, *this, "link_bandwidth_gb_per_s is below 0.1, expected 0 (none) or more");
  const bool linked = link_kind != LinkKind::None;
  if (linked != (link_bandwidth.value() > 0)) {
    refuse(where, *this, "link_kind and link_bandwidth_gb_per_s disagree on whether there is a link");
  }
  if (!linked && link_domain_size != 1)
    refuse(where, *this, "link_domain_size is above 1, but link_kind is 'none'");
  if (link_kind == LinkKind::Pcie)
    refuse(where, *this, "link_kind is 'pcie', expected a direct link or 'none'");
}

}  // namespace warploom
