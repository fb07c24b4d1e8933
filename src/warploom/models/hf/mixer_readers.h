// Kinds of mixers beside softmax attention, from the keys that several families share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/hf/config_values.h"

namespace warploom {

// The type of a recurrent state under `key`: float32, bfloat16 or float16; absent or "auto": `usual`. Throws
// Unsupported on another.
DataType state_type_of(const ConfigValues& text, std::string_view key, DataType usual);

GatedDeltaNet read_gated_delta_net(const ConfigValues& text, const ModelArchitecture& model);
// 'linear_attn_config'.
KimiDelta read_kimi_delta(const ConfigValues& text);
LatentAttention read_latent_attention(const ConfigValues& text);
// Latent attention with the sizes of its indexer. Throws InvalidInput on sizes that cannot be.
SparseLatentAttention read_sparse_latent_attention(const ConfigValues& text);
// 'hc_mult' streams of the residual, where there are several.
void read_hyper_connections(const ConfigValues& text, ModelArchitecture& model);
// Which layers have an indexer: 'indexer_types' (full or shared), else 'index_topk_pattern' (F or S), else
// every 'index_topk_freq'-th from 'index_skip_topk_offset' on, else all.
std::vector<bool> indexers_of(const ConfigValues& text);

}  // namespace warploom
