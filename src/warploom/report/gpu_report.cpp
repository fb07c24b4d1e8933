#include "warploom/report/gpu_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string rate_or_dash(const GpuSpec& gpu, double per_clock) {
  return per_clock > 0 ? fixed_text(gpu.tensor_rate(per_clock).value() * 1e-12, 0) : "-";
}

// Lines of at most `width` bytes, broken at spaces; a longer word stands alone.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    std::size_t space = text.rfind(' ', width);
    if (space == std::string_view::npos) space = text.find(' ');
    if (space == std::string_view::npos) break;
    lines.emplace_back(text.substr(0, space));
    text.remove_prefix(space + 1);
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace

std::string gpu_list_text(const std::vector<GpuSpec>& gpus) {
  TextTable table({{"name", Align::Left},
                   {"generation", Align::Left},
                   {"SMs"},
                   {"fp16 TFLOP/s"},
                   {"fp8"},
                   {"fp4"},
                   {"memory GiB"},
                   {"GB/s"},
                   {"L2 MiB"},
                   {"W"}});
  for (const GpuSpec& gpu : gpus) {
    table.add_row({gpu.name, std::string(name_of(gpu.generation)), count_text(gpu.sm_count),
                   rate_or_dash(gpu, gpu.tensor_rates.fp16), rate_or_dash(gpu, gpu.tensor_rates.fp8),
                   rate_or_dash(gpu, gpu.tensor_rates.fp4), fixed_text(to_gibibytes(gpu.memory_capacity), 1),
                   fixed_text(gpu.memory_bandwidth.value() * 1e-9, 0),
                   fixed_text(gpu.l2_capacity.value() / 1048576.0, 0),
                   fixed_text(gpu.power_limit.value(), 0)});
  }
  return table.text();
}

std::string gpu_text(const GpuSpec& gpu) {
  TextTable table({{"property", Align::Left}, {"value", Align::Left}});
  const auto add = [&](const char* name, const std::string& value) {
    bool first = true;
    for (std::string& line : wrapped(value, 90)) {
      table.add_row({first ? name : "", std::move(line)});
      first = false;
    }
  };
  add("name", gpu.name + "  (" + gpu.title + ")");
  add("also called", fmt::format("{}", fmt::join(gpu.aliases, ", ")));
  add("generation", fmt::format("{}, {}", name_of(gpu.generation), gpu.year));
  add("SMs x clock", fmt::format("{} x {:.0f} MHz", gpu.sm_count, gpu.boost_clock.value() * 1e-6));
  const TensorRates& rates = gpu.tensor_rates;
  const auto add_rate = [&](const char* name, double per_clock) {
    if (per_clock > 0) add(name, rate_text(gpu.tensor_rate(per_clock)));
  };
  add_rate("tensor tf32", rates.tf32);
  add_rate("tensor fp16/bf16", rates.fp16);
  add_rate("tensor fp8", rates.fp8);
  add_rate("tensor fp4", rates.fp4);
  add_rate("tensor int8", rates.int8);
  add("fp32 FMA", rate_text(gpu.fma_rate()));
  add("memory", gibibytes_text(gpu.memory_capacity) + " at " + bandwidth_text(gpu.memory_bandwidth));
  add("L2",
      fmt::format("{:.0f} MiB at {}", gpu.l2_capacity.value() / 1048576.0, bandwidth_text(gpu.l2_bandwidth)));
  add("shared memory", fmt::format("{:.0f} KiB per SM", gpu.shared_memory_per_sm.value() / 1024.0));
  add("link", gpu.link_kind == LinkKind::None
                  ? "none; PCIe at " + bandwidth_text(gpu.pcie_bandwidth)
                  : fmt::format("{} at {} per GPU and direction, {} GPUs", name_of(gpu.link_kind),
                                bandwidth_text(gpu.link_bandwidth), gpu.link_domain_size));
  add("power limit", fixed_text(gpu.power_limit.value(), 0) + " W");
  add("source", gpu.source);
  return table.text();
}

Json gpu_json(const GpuSpec& gpu) { return gpu_to_json(gpu); }

Json gpu_list_json(const std::vector<GpuSpec>& gpus) {
  Json list = Json::array();
  for (const GpuSpec& gpu : gpus) list.push_back(gpu_to_json(gpu));
  return Json{{"gpus", std::move(list)}};
}

}  // namespace warploom
