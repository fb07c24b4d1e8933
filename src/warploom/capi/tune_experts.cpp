#include "warploom/capi/status.h"
#include "warploom/capi/tune_objects.h"
#include "warploom/capi/warploom.h"
#include "warploom/tuner/expert_configs.h"

struct warploom_tune_experts {
  warploom::ExpertConfigs configs;
};

using warploom::guarded;
using warploom::told;

warploom_status warploom_tune_experts_open(const warploom_tune_table* table,
                                           const warploom_expert_layer* layer,
                                           warploom_tune_experts** experts, char* message,
                                           size_t message_size) {
  if (experts != nullptr) *experts = nullptr;
  if (table == nullptr || layer == nullptr || experts == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_tune_experts_open: table, layer and experts must not be NULL",
                message, message_size);
  return guarded(message, message_size, [&] {
    *experts = new warploom_tune_experts{warploom::ExpertConfigs(
        table->table, {layer->hidden, layer->width, layer->top_k, layer->expert_parallel})};
  });
}

void warploom_tune_experts_close(warploom_tune_experts* experts) { delete experts; }

void warploom_tune_experts_pick(const warploom_tune_experts* experts, int64_t tokens,
                                const warploom_tile_config* own, warploom_expert_pick* pick) {
  if (pick == nullptr) return;
  *pick = warploom_expert_pick{};
  pick->keeps_own = own != nullptr ? 1 : 0;
  if (own != nullptr) pick->config = *own;
  pick->config.predicted_us = 0;
  if (experts == nullptr) return;
  warploom::TileConfig mine;
  if (own != nullptr) mine = {own->tile_m, own->tile_n, own->tile_k, own->warps, own->stages, own->split_k};
  const warploom::ExpertPick found = experts->configs.pick(tokens, own != nullptr ? &mine : nullptr);
  const bool fallback = found.config == experts->configs.table().default_config();
  pick->config = warploom::config_of(
      {.config = found.config, .predicted_us = found.predicted_us, .is_default = fallback});
  pick->group_rows = static_cast<int32_t>(experts->configs.table().kernel().group_rows);
  pick->keeps_own = found.keeps_own ? 1 : 0;
}
