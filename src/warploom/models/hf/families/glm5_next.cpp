// GLM-5.3-Flash: Kimi delta attention between layers of sparse latent attention whose index keys are pooled,
// with hyper-connections.
#include <fmt/format.h>

#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"
#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

std::vector<LayerGroup> glm5_next_layers(const ConfigValues& text, const ModelArchitecture&) {
  const std::vector<std::string> types = text.texts("layer_types");
  const std::vector<bool> indexers = indexers_of(text);
  if (types.size() != indexers.size())
    throw InvalidInput(fmt::format("{}: 'layer_types' has {} entries, expected one for each of {} layers",
                                   text.where(), types.size(), indexers.size()));
  const KimiDelta delta = read_kimi_delta(text);
  SparseLatentAttention sparse = read_sparse_latent_attention(text);
  std::vector<LayerGroup> layers(types.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    sparse.indexer = indexers[i];
    if (types[i] == "linear_attention") {
      layers[i].mixer = delta;
    } else if (types[i] == "deepseek_sparse_attention") {
      layers[i].mixer = sparse;
    } else {
      throw Unsupported(
          fmt::format("{}: 'layer_types' holds '{}', supported: linear_attention, "
                      "deepseek_sparse_attention",
                      text.where(), types[i]));
    }
  }
  set_mixture_behind_dense(layers, text);
  return layers;
}

void glm5_next_facts(const ConfigValues& text, ModelArchitecture& model) {
  if (text.flag("mhc", true)) read_hyper_connections(text, model);
}

constexpr std::array<std::string_view, 2> kNames{"Glm5NextForCausalLM", "Glm5NextForConditionalGeneration"};
constexpr std::array<std::string_view, 4> kReads{"index_topk", "index_kpool", "linear_attn_config",
                                                 "hc_mult"};

}  // namespace

extern constinit const HfFamily kGlm5NextFamily{
    .architectures = kNames, .layers = glm5_next_layers, .facts = glm5_next_facts, .reads_keys = kReads};

}  // namespace warploom
