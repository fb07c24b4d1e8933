#include "warploom/report/afd_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"

namespace warploom {
namespace {

constexpr double kMicro = 1e6;

std::string us(double seconds) { return fixed_text(seconds * kMicro, 1); }

}  // namespace

std::string afd_text(const AfdLabel& label) {
  return fmt::format("attention on {} GPUs, experts on {} others, {} micro-batches{}; rests on {}\n",
                     label.attention_gpus, label.feed_forward_gpus, label.micro_batches,
                     label.gate_on_attention ? ", gate on attention" : "", kAfdRestsOn);
}

std::string afd_text(const AfdBreakdown& afd) {
  return afd_text(afd.label) +
         fmt::format(
             "a micro-batch in one of {} layers: attention {} us, A2F {}, feed-forward {}, F2A {}; "
             "limit: {}; busy: attention {}, feed-forward {}\n",
             afd.layers, us(afd.layer.attention), us(afd.layer.to_experts), us(afd.layer.experts),
             us(afd.layer.from_experts), afd.limit, percent_text(afd.attention_busy),
             percent_text(afd.feed_forward_busy));
}

Json afd_json(const AfdLabel& label) {
  return {{"attention_gpus", label.attention_gpus},
          {"feed_forward_gpus", label.feed_forward_gpus},
          {"micro_batches", label.micro_batches},
          {"gate_on_attention", label.gate_on_attention},
          {"attention_weights_gib", to_gibibytes(label.attention_weights)},
          {"feed_forward_weights_gib", to_gibibytes(label.feed_forward_weights)},
          {"rests_on", kAfdRestsOn}};
}

Json afd_json(const AfdBreakdown& afd) {
  Json document = afd_json(afd.label);
  document["layers"] = afd.layers;
  document["layer_us"] = {{"attention", afd.layer.attention * kMicro},
                          {"a2f", afd.layer.to_experts * kMicro},
                          {"feed_forward", afd.layer.experts * kMicro},
                          {"f2a", afd.layer.from_experts * kMicro}};
  document["limit"] = afd.limit;
  document["attention_busy"] = afd.attention_busy;
  document["feed_forward_busy"] = afd.feed_forward_busy;
  return document;
}

}  // namespace warploom
