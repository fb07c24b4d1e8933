#include "warploom/report/static_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/kernel_sources.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string ms(Seconds time) { return fixed_text(to_milliseconds(time), 2); }

double output_rate(const StaticBreakdown& result) {
  return double(result.batch * result.output_tokens) / result.time.total.value();
}

}  // namespace

std::string static_text(const StaticBreakdown& result) {
  const StaticBatchTime& time = result.time;
  std::string text = fmt::format(
      "{} on {} x {}, {}{}: {} requests, {} input and {} output tokens each\n\n", result.model, result.gpus,
      result.gpu, host_text(result.engine, result.host_profile), routing_text(result.expert_routing),
      result.batch, result.input_tokens, result.output_tokens);
  TextTable phases({{"phase", Align::Left}, {"time [ms]"}, {"p10 .. p90"}});
  phases.add_row({"TTFT, client side", ms(result.client_way + time.prefill), "-"});
  phases.add_row({"TTFT, engine side: prefill", ms(time.prefill), "-"});
  phases.add_row({"decode step, mean", ms(time.decode_mean), "-"});
  phases.add_row({"decode step, median", ms(time.decode_median), "-"});
  phases.add_row({"whole batch", ms(time.total), ms(time.total_p10) + " .. " + ms(time.total_p90)});
  text += phases.text() + fmt::format("\n{} output tokens/s; {}\n\n", fixed_text(output_rate(result), 1),
                                      trust_text(trust_of(result.kernels)));
  TextTable kernels({{"kernel", Align::Left},
                     {"family", Align::Left},
                     {"calls"},
                     {"time [ms]"},
                     {"share"},
                     {"tier", Align::Left},
                     {"answered by", Align::Left}});
  for (const LabelledKernel& kernel : kernels_by_label(result.kernels)) {
    kernels.add_row({kernel.label, std::string(name_of(kernel.family)), fixed_text(kernel.calls, 0),
                     ms(kernel.time), percent_text(kernel.time / time.total),
                     std::string(name_of(weakest_tier(kernel.parts))), source_text(kernel)});
  }
  kernels.add_row({"host", "-", count_text(result.output_tokens), ms(time.host),
                   percent_text(time.host / time.total), "-", "-"});
  return text + kernels.text();
}

Json static_json(const StaticBreakdown& result) {
  const StaticBatchTime& time = result.time;
  Json kernels = Json::array();
  for (const LabelledKernel& kernel : kernels_by_label(result.kernels)) {
    kernels.push_back({{"label", kernel.label},
                       {"family", name_of(kernel.family)},
                       {"calls", kernel.calls},
                       {"time_ms", to_milliseconds(kernel.time)},
                       {"share", kernel.time / time.total},
                       {"tier", name_of(weakest_tier(kernel.parts))},
                       {"stands_in", any_stands_in(kernel.parts)}});
  }
  Json document = {{"model", result.model},
                   {"gpu", result.gpu},
                   {"engine", result.engine},
                   {"expert_routing", result.expert_routing},
                   {"host_profile", result.host_profile},
                   {"gpus", result.gpus},
                   {"kv_cache_tokens", result.kv_cache_tokens},
                   {"batch", result.batch},
                   {"input_tokens", result.input_tokens},
                   {"output_tokens", result.output_tokens},
                   {"prefill_ms", to_milliseconds(time.prefill)},
                   {"engine_ttft_ms", to_milliseconds(time.prefill)},
                   {"ttft_ms", to_milliseconds(result.client_way + time.prefill)},
                   {"decode_mean_ms", to_milliseconds(time.decode_mean)},
                   {"decode_median_ms", to_milliseconds(time.decode_median)},
                   {"total_ms", to_milliseconds(time.total)},
                   {"total_p10_ms", to_milliseconds(time.total_p10)},
                   {"total_p90_ms", to_milliseconds(time.total_p90)},
                   {"host_ms", to_milliseconds(time.host)},
                   {"collectives_ms", to_milliseconds(time.collectives)},
                   {"output_throughput", output_rate(result)},
                   {"kernels", std::move(kernels)},
                   {"kernel_sources", kernel_sources_json(result.kernels)}};
  add_trust(document, trust_of(result.kernels));
  return document;
}

}  // namespace warploom
