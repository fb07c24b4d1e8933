// What a setup says of itself in answers.
#include <fmt/format.h>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/serving/speculation/speculation_defaults.h"

namespace warploom {

std::string ServingSetup::engine_text() const {
  std::string text = config.engine;
  if (!kernels.version.empty()) text += " " + kernels.version;
  std::vector<std::string> instead;
  if (!priced_version.empty())
    instead.push_back(fmt::format("never measured: kernels of {}", priced_version));
  if (!defaults_version.empty())
    instead.push_back(fmt::format("not in the engine's table: defaults of {}", defaults_version));
  if (const std::string source = acceptance_source(config, model); !source.empty())
    instead.push_back(
        fmt::format("acceptance {} tokens a step, published: {}", *config.acceptance_length, source));
  return instead.empty() ? text : text + fmt::format(" ({})", fmt::join(instead, "; "));
}

std::string ServingSetup::expert_routing() const {
  return model.mixture() != nullptr ? text_of(ExpertRouting{graph.routing, graph.routing_alpha})
                                    : std::string();
}

std::optional<AfdLabel> ServingSetup::afd() const {
  if (!sharding.apart()) return std::nullopt;
  return AfdLabel{.attention_gpus = sharding.attention_ranks(),
                  .feed_forward_gpus = sharding.feed_forward_ranks,
                  .micro_batches = config.num_afd_stages,
                  .gate_on_attention = sharding.gate_on_attention,
                  .attention_weights = memory.weights,
                  .feed_forward_weights = memory.feed_forward_weights};
}

std::int64_t ServingSetup::kv_cache_tokens() const {
  if (memory.blocks == 0) return 0;
  return config.kv_layout.most_tokens(*config.num_gpu_blocks_override, *config.block_size);
}

}  // namespace warploom
