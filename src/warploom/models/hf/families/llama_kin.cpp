// Families that are Llama's or DeepSeek's layers under keys or with norms of their own (each after its file
// in vLLM 0.33's model_executor/models).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"
#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

constexpr AttentionHabits kPlain{.derives_head_dim = true};
constexpr AttentionHabits kNormed{.derives_head_dim = true, .qk_norm = QueryKeyNorm::PerHead};

void refuse(const ConfigValues& text, std::string_view key, std::string_view reason) {
  if (is_switched_on(text, key))
    throw Unsupported(fmt::format("{}: '{}' is not supported: {}", text.where(), key, reason));
}

// The engine reads windows in 'layer_types' alone, so a window without them is a config of another form.
std::vector<LayerGroup> by_layer_types(const ConfigValues& text, const ModelArchitecture& model,
                                       const Attention& attention) {
  if (text.has("sliding_window") && text.texts("layer_types").empty())
    throw InvalidInput(
        fmt::format("{}: 'layer_types' is missing, expected it beside 'sliding_window'", text.where()));
  return layers_of_types(text, model, layer_types_of(text, always_full), attention);
}

std::vector<LayerGroup> everywhere(const ConfigValues& text, const Mixer& mixer, bool gated = true) {
  std::vector<LayerGroup> layers(static_cast<std::size_t>(layer_count_of(text)), {.mixer = mixer});
  set_dense(layers, text);
  for (LayerGroup& layer : layers) std::get<DenseMlp>(layer.feed_forward).gated = gated;
  return layers;
}

std::vector<LayerGroup> plain_layers(const ConfigValues& text, const ModelArchitecture& model) {
  return everywhere(text, read_attention(text, model, kPlain));
}

std::vector<LayerGroup> minicpm_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = plain_layers(text, model);
  if (is_switched_on(text, "num_experts")) set_mixture(layers, read_mixture(text, "intermediate_size"));
  return layers;
}

void hyperclovax_facts(const ConfigValues& text, ModelArchitecture& model) {
  if (text.flag("use_post_norm", false)) model.norms_per_layer = 4;
}

std::vector<LayerGroup> chatglm_layers(const ConfigValues& text, const ModelArchitecture& model) {
  Attention attention = read_attention(text, model, {.derives_head_dim = true, .rotary_share = 0.5});
  if (text.flag("multi_query_attention", false)) attention.kv_heads = text.needed("multi_query_group_num");
  attention.qkv_bias = text.flag("add_bias_linear", false) || text.flag("add_qkv_bias", false);
  return everywhere(text, attention);
}

void chatglm_facts(const ConfigValues& text, ModelArchitecture& model) {
  model.layer_norm = !text.flag("rmsnorm", true);
}

// Positions are slopes of each head (ALiBi), which cost nothing beside the scores.
std::vector<LayerGroup> step1_layers(const ConfigValues& text, const ModelArchitecture& model) {
  Attention attention = read_attention(text, model, kPlain);
  attention.kv_heads = text.integer("num_attention_groups", text.integer("num_key_value_heads", 1));
  attention.rotary_dim = 0;
  return everywhere(text, attention);
}

std::vector<LayerGroup> gpt_j_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers(static_cast<std::size_t>(layer_count_of(text)),
                                 {.mixer = read_attention(text, model, kPlain)});
  const DenseMlp mlp{.intermediate = text.integer("n_inner", 4 * model.hidden), .gated = false};
  for (LayerGroup& layer : layers) layer.feed_forward = mlp;
  return layers;
}

std::vector<LayerGroup> falcon_layers(const ConfigValues& text, const ModelArchitecture& model) {
  Attention attention = read_attention(text, model, kPlain);
  if (text.flag("new_decoder_architecture", false))
    attention.kv_heads = text.integer("num_kv_heads", attention.heads);
  else if (text.flag("multi_query", true))
    attention.kv_heads = 1;
  if (text.flag("alibi", false)) attention.rotary_dim = 0;
  std::vector<LayerGroup> layers(static_cast<std::size_t>(layer_count_of(text)), {.mixer = attention});
  const DenseMlp mlp{.intermediate = text.integer("ffn_hidden_size", 4 * model.hidden), .gated = false};
  for (LayerGroup& layer : layers) layer.feed_forward = mlp;
  return layers;
}

// Attention and MLP run on one input; the large ones norm it for each.
void falcon_facts(const ConfigValues& text, ModelArchitecture& model) {
  const bool grouped = text.flag("new_decoder_architecture", false),
             parallel = text.flag("parallel_attn", true);
  model.norms_per_layer = parallel ? text.integer("num_ln_in_parallel_attn", grouped ? 2 : 1) : 2;
}

std::vector<LayerGroup> exaone4_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = by_layer_types(text, model, read_attention(text, model, kNormed));
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> exaone_moe_layers(const ConfigValues& text, const ModelArchitecture& model) {
  refuse(text, "sliding_windows", "windows of different lengths are not modelled");
  std::vector<LayerGroup> layers = by_layer_types(text, model, read_attention(text, model, kNormed));
  const std::vector<std::string> types = text.texts("mlp_layer_types");
  if (types.size() != layers.size())
    throw InvalidInput(fmt::format("{}: 'mlp_layer_types' has {} entries, expected one for each of {} layers",
                                   text.where(), types.size(), layers.size()));
  set_feed_forward(
      layers, [&](std::int64_t i) { return types[static_cast<std::size_t>(i)] == "sparse"; },
      [&] { return read_dense_mlp(text); },
      [&] {
        MixtureOfExperts mixture = read_mixture(text, "moe_intermediate_size");
        mixture.shared_intermediate = product_of(text, "num_shared_experts", "moe_intermediate_size");
        return mixture;
      });
  return layers;
}

// Sinks wherever a config has types of layers, unless it says otherwise.
Attention granite_attention(const ConfigValues& text, const ModelArchitecture& model) {
  Attention attention = read_attention(text, model, kPlain);
  attention.sinks = text.flag("attention_sinks", !text.texts("layer_types").empty());
  return attention;
}

std::vector<LayerGroup> granite_swa_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = by_layer_types(text, model, granite_attention(text, model));
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> granite_moe_swa_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = by_layer_types(text, model, granite_attention(text, model));
  MixtureOfExperts mixture = read_mixture(text, "intermediate_size");
  mixture.shared_intermediate = text.integer("shared_intermediate_size", 0);
  set_mixture(layers, mixture);
  return layers;
}

// A mixture behind dense layers whose shared experts are `shared` wide together.
void set_sarvam_mixture(std::vector<LayerGroup>& layers, const ConfigValues& text, std::int64_t shared) {
  const std::int64_t first = text.integer("first_k_dense_replace", 1);
  const std::int64_t frequency = std::max<std::int64_t>(1, text.integer("moe_layer_freq", 1));
  set_feed_forward(
      layers, [&](std::int64_t i) { return i >= first && (i - first) % frequency == 0; },
      [&] { return read_dense_mlp(text); },
      [&] {
        MixtureOfExperts mixture = read_mixture(text, "moe_intermediate_size");
        mixture.shared_intermediate = shared;
        return mixture;
      });
}

std::vector<LayerGroup> sarvam_mla_layers(const ConfigValues& text, const ModelArchitecture&) {
  std::vector<LayerGroup> layers(static_cast<std::size_t>(layer_count_of(text)),
                                 {.mixer = read_latent_attention(text)});
  const std::int64_t each =
      text.integer("moe_shared_expert_intermediate_size", text.needed("moe_intermediate_size"));
  set_sarvam_mixture(layers, text, text.integer("num_shared_experts", 1) * each);
  return layers;
}

// The width of shared experts is that of all of them (param2moe.py).
std::vector<LayerGroup> param2_layers(const ConfigValues& text, const ModelArchitecture& model) {
  AttentionHabits habits = text.flag("use_qk_norm", false) ? kNormed : kPlain;
  if (text.flag("use_qkv_bias", false)) habits.qkv_bias = QkvBias::Always;
  std::vector<LayerGroup> layers(static_cast<std::size_t>(layer_count_of(text)),
                                 {.mixer = read_attention(text, model, habits)});
  const std::int64_t shared = text.integer("num_shared_experts", 1);
  set_sarvam_mixture(layers, text,
                     shared == 0 ? 0
                                 : text.integer("moe_shared_expert_intermediate_size",
                                                shared * text.needed("moe_intermediate_size")));
  return layers;
}

constexpr std::array<std::string_view, 1> kMiniCpm{"MiniCPMForCausalLM"}, kOrion{"OrionForCausalLM"},
    kStep1{"Step1ForCausalLM"}, kGptJ{"GPTJForCausalLM"}, kFalcon{"FalconForCausalLM"},
    kExaone4{"Exaone4ForCausalLM"}, kGraniteSwa{"GraniteSWAForCausalLM"},
    kGraniteMoeSwa{"GraniteMoeSWAForCausalLM"}, kSarvamMla{"SarvamMLAForCausalLM"},
    kParam2{"Param2MoEForCausalLM"};
constexpr std::array<std::string_view, 2> kHyperClovaX{"HCXVisionV2ForCausalLM", "HyperCLOVAXForCausalLM"},
    kChatGlm{"ChatGLMForConditionalGeneration", "ChatGLMModel"},
    kExaoneMoe{"ExaoneMoEForCausalLM", "ExaoneMoeForCausalLM"};
constexpr std::array<std::string_view, 4> kPlainNames{"ExaoneForCausalLM", "SolarForCausalLM",
                                                      "TeleChat2ForCausalLM", "TeleFLMForCausalLM"};

}  // namespace

extern constinit const HfFamily kPlainFamily{.architectures = kPlainNames, .layers = plain_layers};
extern constinit const HfFamily kMiniCpmFamily{
    .architectures = kMiniCpm, .layers = minicpm_layers, .tie_embeddings = true};
extern constinit const HfFamily kOrionFamily{
    .architectures = kOrion, .layers = plain_layers, .layer_norm = true};
extern constinit const HfFamily kHyperClovaXFamily{
    .architectures = kHyperClovaX, .layers = plain_layers, .facts = hyperclovax_facts};
extern constinit const HfFamily kChatGlmFamily{
    .architectures = kChatGlm, .layers = chatglm_layers, .facts = chatglm_facts};
extern constinit const HfFamily kStep1Family{.architectures = kStep1, .layers = step1_layers};
extern constinit const HfFamily kGptJFamily{
    .architectures = kGptJ, .layers = gpt_j_layers, .norms_per_layer = 1, .layer_norm = true};
extern constinit const HfFamily kFalconFamily{.architectures = kFalcon,
                                              .layers = falcon_layers,
                                              .facts = falcon_facts,
                                              .layer_norm = true,
                                              .tie_embeddings = true};
extern constinit const HfFamily kExaone4Family{.architectures = kExaone4, .layers = exaone4_layers};
extern constinit const HfFamily kExaoneMoeFamily{.architectures = kExaoneMoe, .layers = exaone_moe_layers};
extern constinit const HfFamily kGraniteSwaFamily{.architectures = kGraniteSwa, .layers = granite_swa_layers};
extern constinit const HfFamily kGraniteMoeSwaFamily{.architectures = kGraniteMoeSwa,
                                                     .layers = granite_moe_swa_layers,
                                                     .experts_module = "block_sparse_moe.input_linear",
                                                     .shared_experts_module = "shared_mlp.input_linear"};
extern constinit const HfFamily kSarvamMlaFamily{.architectures = kSarvamMla, .layers = sarvam_mla_layers};
extern constinit const HfFamily kParam2Family{.architectures = kParam2, .layers = param2_layers};

}  // namespace warploom
