#include "warploom/report/step_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/afd_report.h"
#include "warploom/report/kernel_sources.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

Seconds step_time(const StepBreakdown& step) { return step.gpu_p50 + step.host; }

// In a graph kernels may overlap by more than the CPU adds.
bool overlaps(const StepBreakdown& step) { return step.host < Seconds(0.0); }

std::string host_words(const StepBreakdown& step) {
  return overlaps(step) ? fmt::format("{} less since kernels overlap", duration_text(-1.0 * step.host))
                        : fmt::format("{} host", duration_text(step.host));
}

std::string us(Seconds time) { return fixed_text(to_microseconds(time), 1); }

}  // namespace

std::string step_text(const StepBreakdown& step) {
  std::string text =
      fmt::format("{} on {} x {}, {}{}, {}: {} ({} .. {} on the GPU, {})\n", step.model, step.gpus, step.gpu,
                  host_text(step.engine, step.host_profile), routing_text(step.expert_routing), step.batch,
                  duration_text(step_time(step)), duration_text(step.gpu_p10), duration_text(step.gpu_p90),
                  host_words(step));
  text += trust_text(step.trust) + "\n";
  if (step.afd) text += afd_text(*step.afd);
  text += "\n";
  TextTable table({{"kernel", Align::Left},
                   {"family", Align::Left},
                   {"calls"},
                   {"time [us]"},
                   {"p10 .. p90"},
                   {"share"},
                   {"bound", Align::Left},
                   {"tier", Align::Left},
                   {"answered by", Align::Left}});
  for (const KernelRow& kernel : step.kernels) {
    table.add_row({kernel.label, std::string(name_of(kernel.family)), fixed_text(kernel.calls, 0),
                   us(kernel.p50), us(kernel.p10) + " .. " + us(kernel.p90),
                   percent_text(kernel.p50 / step_time(step)), std::string(name_of(kernel.bound)),
                   std::string(name_of(kernel.source.tier)) + (kernel.source.extrapolated ? ", outside" : ""),
                   source_text(kernel.source)});
  }
  if (step.hidden.value() > 0)
    table.add_row({step.afd         ? "both sides at once"
                   : step.in_halves ? "one half beside the other"
                                    : "shared experts beside routed",
                   "-", "", us(-1.0 * step.hidden), "-", percent_text(-1.0 * (step.hidden / step_time(step))),
                   "-", "-", "-"});
  const bool known = step.host_least == step.host_most;
  const std::string host_interval = known ? "-" : us(step.host_least) + " .. " + us(step.host_most);
  table.add_row({overlaps(step) ? "overlap" : "host", "-", "1", us(step.host), host_interval,
                 percent_text(step.host / step_time(step)), "-", "-", "-"});
  table.add_rule();
  table.add_row({"step", "", "", us(step_time(step)),
                 us(step.gpu_p10 + step.host_least) + " .. " + us(step.gpu_p90 + step.host_most),
                 percent_text(1.0), "", "", ""});
  return text + table.text();
}

Json step_json(const StepBreakdown& step) {
  Json kernels = Json::array();
  for (const KernelRow& kernel : step.kernels) {
    kernels.push_back({{"label", kernel.label},
                       {"family", name_of(kernel.family)},
                       {"calls", kernel.calls},
                       {"time_us", to_microseconds(kernel.p50)},
                       {"p10_us", to_microseconds(kernel.p10)},
                       {"p90_us", to_microseconds(kernel.p90)},
                       {"share", kernel.p50 / step_time(step)},
                       {"bound", name_of(kernel.bound)},
                       {"tier", name_of(kernel.source.tier)},
                       {"extrapolated", kernel.source.extrapolated},
                       {"framework", kernel.source.framework},
                       {"version", kernel.source.version},
                       {"kernel", kernel.source.kernel}});
    add_stand_in(kernels.back(), kernel.source);
  }
  Json document = {{"model", step.model},
                   {"gpu", step.gpu},
                   {"engine", step.engine},
                   {"expert_routing", step.expert_routing},
                   {"host_profile", step.host_profile},
                   {"gpus", step.gpus},
                   {"kv_cache_tokens", step.kv_cache_tokens},
                   {"batch", step.batch},
                   {"tokens", step.tokens},
                   {"step_ms", to_milliseconds(step_time(step))},
                   {"gpu_ms",
                    {{"p10", to_milliseconds(step.gpu_p10)},
                     {"p50", to_milliseconds(step.gpu_p50)},
                     {"p90", to_milliseconds(step.gpu_p90)}}},
                   {"host_ms", to_milliseconds(step.host)},
                   {"host_least_ms", to_milliseconds(step.host_least)},
                   {"host_most_ms", to_milliseconds(step.host_most)},
                   {"hidden_ms", to_milliseconds(step.hidden)},
                   {"kernels", std::move(kernels)}};
  if (step.afd) document["afd"] = afd_json(*step.afd);
  add_trust(document, step.trust);
  return document;
}

}  // namespace warploom
