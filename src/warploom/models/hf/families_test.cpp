// Families read off the engine's classes: parameters by hand from the shapes of their tensors, and how they
// cache. Counts that the publisher states are named; the other configs have sizes of their own.
#include <gtest/gtest.h>

#include "warploom/models/contains_text.h"
#include "warploom/models/hf_config.h"
#include "warploom/models/memory_footprint.h"

namespace warploom {
namespace {

// Every config here has a hidden size of 256 or says another one.
ModelArchitecture model_of(const std::string& name, const std::string& keys) {
  return parse_hf_config(
      R"({"architectures": [")" + name + R"("], "max_position_embeddings": 8192, )" + keys + "}", name);
}
double parameters(const ModelArchitecture& model) { return parameter_counts(model).total; }
double cached(const ModelArchitecture& model) { return kv_footprint(model, {}).per_token().value(); }
const Attention& attention_of(const ModelArchitecture& model, std::size_t group = 0) {
  return std::get<Attention>(model.layers.at(group).mixer);
}

constexpr const char* kSmall = R"("hidden_size": 256, "num_hidden_layers": 3, "num_attention_heads": 4,
  "num_key_value_heads": 2, "intermediate_size": 512, "vocab_size": 1000, "tie_word_embeddings": false)";
// Two tables, three layers of queries and outputs, keys and values, an MLP of three matrices.
constexpr double kSmallMatrices = 2 * 1000 * 256 + 3 * (2 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512);

// LGAI-EXAONE/EXAONE-3.0-7.8B-Instruct: 7,818,448,896.
TEST(Families, Exaone3) {
  const ModelArchitecture model = model_of("ExaoneForCausalLM", R"("hidden_size": 4096, "num_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 102400,
    "tie_word_embeddings": false)");
  EXPECT_DOUBLE_EQ(parameters(model), 7818448896.0);
  EXPECT_DOUBLE_EQ(cached(model), 32 * 2 * 8 * 128 * 2);
}

// LGAI-EXAONE/EXAONE-4.0-32B: 30.95e9 without embeddings; 48 of 64 layers have a window.
TEST(Families, Exaone4) {
  std::string types;
  for (int i = 0; i < 64; ++i)
    types +=
        std::string(i == 0 ? "" : ", ") + (i % 4 == 3 ? R"("full_attention")" : R"("sliding_attention")");
  const std::string keys = R"("hidden_size": 5120, "num_hidden_layers": 64, "num_attention_heads": 40,
    "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 27392, "vocab_size": 102400,
    "tie_word_embeddings": false, "sliding_window": 4096)";
  const ModelArchitecture model =
      model_of("Exaone4ForCausalLM", keys + R"(, "layer_types": [)" + types + "]");
  EXPECT_DOUBLE_EQ(parameters(model), 2.0 * 102400 * 5120 + 64.0 * 483666176 + 5120);
  EXPECT_DOUBLE_EQ(kv_footprint(model, {}).windowed_per_token.value(), 48 * 2 * 8 * 128 * 2);
  EXPECT_THROW(model_of("Exaone4ForCausalLM", keys), InvalidInput);
}

// THUDM/glm-4-9b-chat: 9,399,951,360.
TEST(Families, ChatGlm) {
  const ModelArchitecture model = model_of("ChatGLMModel", R"("hidden_size": 4096, "num_layers": 40,
    "num_attention_heads": 32, "multi_query_attention": true, "multi_query_group_num": 2, "kv_channels": 128,
    "ffn_hidden_size": 13696, "padded_vocab_size": 151552, "add_qkv_bias": true, "add_bias_linear": false,
    "rmsnorm": true, "tie_word_embeddings": false)");
  EXPECT_DOUBLE_EQ(parameters(model), 9399951360.0);
  EXPECT_EQ(attention_of(model).rotary_dim, 64);
}

// mistralai/Mamba-Codestral-7B-v0.1: 7,285,403,648; the published count has the biases of the convolutions.
TEST(Families, Mamba2) {
  const ModelArchitecture model = model_of("Mamba2ForCausalLM", R"("hidden_size": 4096,
    "num_hidden_layers": 64, "num_heads": 128, "head_dim": 64, "n_groups": 8, "state_size": 128,
    "conv_kernel": 4, "expand": 2, "vocab_size": 32768, "tie_word_embeddings": false)");
  EXPECT_NEAR(parameters(model) / 7285403648.0, 1, 2e-4);
  EXPECT_DOUBLE_EQ(cached(model), 0);
  // In 16 bits: 128 states of 64 x 128, 3 tokens of a convolution of 8,192 + 2 x 8 x 128 channels.
  EXPECT_DOUBLE_EQ(kv_footprint(model, {}).per_request.value(), 64 * (128 * 64 * 128 + 3 * 10240) * 2.0);
}

// tiiuae/falcon-7b: one key and value for 71 heads, one norm, two matrices of an MLP.
TEST(Families, Falcon) {
  const ModelArchitecture one = model_of("FalconForCausalLM", R"("hidden_size": 4544, "num_hidden_layers": 32,
    "num_attention_heads": 71, "multi_query": true, "parallel_attn": true, "vocab_size": 65024)");
  EXPECT_DOUBLE_EQ(parameters(one),
                   65024.0 * 4544 + 32.0 * (4544.0 * (4544 + 128) + 9 * 4544.0 * 4544 + 2 * 4544) + 2 * 4544);
  EXPECT_DOUBLE_EQ(cached(one), 32 * 2 * 64 * 2);
  const ModelArchitecture grouped =
      model_of("FalconForCausalLM", R"("hidden_size": 8192, "num_hidden_layers": 60,
    "num_attention_heads": 128, "num_kv_heads": 8, "new_decoder_architecture": true, "multi_query": true,
    "vocab_size": 65024)");
  EXPECT_EQ(attention_of(grouped).kv_heads, 8);
  EXPECT_EQ(grouped.norms_per_layer, 2);
}

// EleutherAI/gpt-j-6b: 6,050,882,784 with the biases of its MLPs.
TEST(Families, GptJ) {
  const ModelArchitecture model = model_of("GPTJForCausalLM", R"("n_embd": 4096, "n_layer": 28, "n_head": 16,
    "n_inner": null, "rotary_dim": 64, "vocab_size": 50400, "tie_word_embeddings": false)");
  EXPECT_NEAR(parameters(model) / 6050882784.0, 1, 3e-4);
  EXPECT_EQ(attention_of(model).rotary_dim, 64);
}

TEST(Families, PlainOnes) {
  for (const char* name : {"SolarForCausalLM", "TeleFLMForCausalLM", "MiniCPMForCausalLM",
                           "HyperCLOVAXForCausalLM", "GraniteSWAForCausalLM"})
    EXPECT_DOUBLE_EQ(parameters(model_of(name, kSmall)), kSmallMatrices + (3 * 2 + 1) * 256) << name;
  // Norms with a scale and a shift.
  EXPECT_DOUBLE_EQ(parameters(model_of("OrionForCausalLM", kSmall)), kSmallMatrices + (3 * 2 + 1) * 2 * 256);
  EXPECT_DOUBLE_EQ(
      parameters(model_of("HyperCLOVAXForCausalLM", std::string(kSmall) + R"(, "use_post_norm": true)")),
      kSmallMatrices + (3 * 4 + 1) * 256);
}

TEST(Families, HyperClovaXBesideAnEncoderOfImages) {
  const ModelArchitecture model =
      model_of("HCXVisionV2ForCausalLM", std::string(R"("text_config": {)") + kSmall + "}");
  EXPECT_DOUBLE_EQ(parameters(model), kSmallMatrices + (3 * 2 + 1) * 256);
}

// TeleChat2's own keys; all heads have keys and values.
TEST(Families, TeleChat2) {
  const ModelArchitecture model =
      model_of("TeleChat2ForCausalLM", R"("hidden_size": 256, "n_layer": 3, "n_head": 4,
    "ffn_hidden_size": 512, "vocab_size": 1000, "tie_word_embeddings": false)");
  EXPECT_DOUBLE_EQ(parameters(model), kSmallMatrices + 3 * 2 * 256 * 128 + (3 * 2 + 1) * 256);
  EXPECT_DOUBLE_EQ(cached(model), 3 * 2 * 256 * 2);
}

TEST(Families, Step1HasSlopesForPositions) {
  const ModelArchitecture model =
      model_of("Step1ForCausalLM", std::string(kSmall) + R"(, "num_attention_groups": 1)");
  EXPECT_EQ(attention_of(model).kv_heads, 1);
  EXPECT_EQ(attention_of(model).rotary_dim, 0);
}

TEST(Families, MiniCpmMayHaveExperts) {
  const ModelArchitecture model =
      model_of("MiniCPMForCausalLM", std::string(kSmall) + R"(, "num_experts": 8, "num_experts_per_tok": 2)");
  EXPECT_DOUBLE_EQ(parameters(model), kSmallMatrices + 3 * (7 * 3 * 256 * 512 + 8 * 256) + (3 * 2 + 1) * 256);
}

// Windows by layer, and a sink for each head wherever a config has types of layers.
TEST(Families, GraniteWithWindows) {
  const std::string windows = std::string(kSmall) + R"(, "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"])";
  const ModelArchitecture model = model_of("GraniteSWAForCausalLM", windows);
  EXPECT_DOUBLE_EQ(kv_footprint(model, {}).windowed_per_token.value(), 2 * 2 * 128 * 2);
  EXPECT_TRUE(attention_of(model).sinks);
  const ModelArchitecture experts = model_of(
      "GraniteMoeSWAForCausalLM",
      windows + R"(, "num_local_experts": 8, "num_experts_per_tok": 2, "shared_intermediate_size": 64)");
  EXPECT_DOUBLE_EQ(parameters(experts), kSmallMatrices + 3 * (7 * 3 * 256 * 512 + 8 * 256 + 3 * 256 * 64) +
                                            (3 * 2 + 1) * 256 + 3 * 4);
}

// Mamba-2 of 4 heads of 64 and one group of 32, attention without positions, experts behind both.
TEST(Families, GraniteHybrid) {
  const std::string keys = std::string(kSmall) + R"(, "layer_types": ["mamba", "attention", "mamba"],
    "mamba_n_heads": 4, "mamba_d_head": 64, "mamba_n_groups": 1, "mamba_d_state": 32, "mamba_d_conv": 4,
    "position_embedding_type": "nope", "shared_intermediate_size": 64)";
  const std::string experts = R"(, "num_local_experts": 8, "num_experts_per_tok": 2)";
  const ModelArchitecture model = model_of("GraniteMoeHybridForCausalLM", keys + experts);
  const double mamba = 256 * (2 * 256 + 2 * 32 + 4) + 256 * 256;  // without what is below 1 %
  const double attention = 2 * 256 * 256 + 2 * 256 * 128;
  const double experts_of_layer = 8 * 3 * 256 * 512 + 8 * 256 + 3 * 256 * 64;
  EXPECT_NEAR(parameters(model) / (2 * 1000 * 256 + 2 * mamba + attention + 3 * experts_of_layer), 1, 2e-3);
  EXPECT_DOUBLE_EQ(cached(model), 2 * 128 * 2);
  EXPECT_DOUBLE_EQ(kv_footprint(model, {}).per_request.value(), 2 * (4 * 64 * 32 + 3 * (256 + 64)) * 2.0);
  EXPECT_EQ(attention_of(model, 1).rotary_dim, 0);
  EXPECT_TRUE(std::holds_alternative<DenseMlp>(
      model_of("GraniteMoeHybridForCausalLM", keys).layers.at(0).feed_forward));
  EXPECT_THROW(model_of("GraniteMoeHybridForCausalLM", std::string(kSmall) + R"(, "layer_types": ["mamba"])"),
               InvalidInput);
}

constexpr const char* kLatent = R"("hidden_size": 256, "num_hidden_layers": 3, "num_attention_heads": 4,
  "q_lora_rank": 64, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
  "intermediate_size": 512, "vocab_size": 1000, "tie_word_embeddings": false, "first_k_dense_replace": 1,
  "moe_intermediate_size": 128, "num_experts_per_tok": 2)";

// Latent attention and a mixture behind one dense layer: DeepSeek's, under other names.
TEST(Families, LatentOnes) {
  const std::string keys = std::string(kLatent) + R"(, "n_routed_experts": 8, "n_shared_experts": 1)";
  const double deepseek = parameters(model_of("DeepseekV3ForCausalLM", keys));
  EXPECT_DOUBLE_EQ(parameters(model_of("Glm4MoeLiteForCausalLM", keys)), deepseek);
  EXPECT_DOUBLE_EQ(parameters(model_of("MistralLarge3ForCausalLM", keys)), deepseek);
  EXPECT_DOUBLE_EQ(parameters(model_of("AXK1ForCausalLM", keys)), deepseek + 3 * 256);
  const std::string sarvam = std::string(kLatent) + R"(, "num_experts": 8, "num_shared_experts": 2)";
  const ModelArchitecture model = model_of("SarvamMLAForCausalLM", sarvam);
  EXPECT_DOUBLE_EQ(parameters(model), deepseek + 2 * 3 * 256 * 128);
  EXPECT_DOUBLE_EQ(cached(model), 3 * (32 + 8) * 2);
}

// Shared experts: so many of a width each (EXAONE, Sarvam), or a width of all together (Param-2).
TEST(Families, SharedExperts) {
  const std::string keys = std::string(kSmall) + R"(, "moe_intermediate_size": 128, "num_experts": 8,
    "num_experts_per_tok": 2, "num_shared_experts": 2, "first_k_dense_replace": 1)";
  const double mixtures = kSmallMatrices - 2 * 3 * 256 * 512 + 2 * (8 * 3 * 256 * 128 + 8 * 256) + 7 * 256;
  const double shared = 2 * 3 * 256 * 128;  // 128 wide in two layers
  EXPECT_DOUBLE_EQ(parameters(model_of("SarvamMoEForCausalLM", keys)), mixtures + 2 * shared);
  EXPECT_DOUBLE_EQ(parameters(model_of("Param2MoEForCausalLM", keys)), mixtures + 2 * shared);
  EXPECT_DOUBLE_EQ(
      parameters(model_of("Param2MoEForCausalLM", keys + R"(, "moe_shared_expert_intermediate_size": 128)")),
      mixtures + shared);
  const std::string types = R"(, "mlp_layer_types": ["dense", "sparse", "sparse"])";
  for (const char* name : {"ExaoneMoeForCausalLM", "ExaoneMoEForCausalLM"})
    EXPECT_DOUBLE_EQ(parameters(model_of(name, keys + types)), mixtures + 2 * shared + 3 * 2 * 64) << name;
  EXPECT_THROW(model_of("ExaoneMoeForCausalLM", keys), InvalidInput);
  EXPECT_THROW(model_of("ExaoneMoeForCausalLM", keys + types + R"(, "sliding_windows": [128, 256, 128])"),
               Unsupported);
}

}  // namespace
}  // namespace warploom
