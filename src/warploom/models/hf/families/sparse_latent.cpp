// Latent attention with an indexer: DeepSeek-V3.2 and GLM-5 to 5.3, in which most layers take over the choice
// of an earlier one.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"
#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

std::vector<LayerGroup> sparse_latent_layers(const ConfigValues& text, const ModelArchitecture&) {
  SparseLatentAttention attention = read_sparse_latent_attention(text);
  const std::vector<bool> indexers = indexers_of(text);
  std::vector<LayerGroup> layers(indexers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    attention.indexer = indexers[i];
    layers[i].mixer = attention;
  }
  set_mixture_behind_dense(layers, text);
  return layers;
}

constexpr std::array<std::string_view, 2> kNames{"DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM"};
constexpr std::array<std::string_view, 1> kReads{"index_topk"};

}  // namespace

extern constinit const HfFamily kSparseLatentFamily{
    .architectures = kNames, .layers = sparse_latent_layers, .reads_keys = kReads};

}  // namespace warploom
