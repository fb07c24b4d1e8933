#include "warploom/models/hf/vision_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/fields.h"

namespace warploom {
namespace {

void check_vision_heads(const VisionEncoder& encoder, std::string_view where) {
  constexpr std::int64_t kMostMerged = 1000;
  if (encoder.merge < 1 || encoder.merge > kMostMerged)
    throw InvalidInput(fmt::format("{}: {} patches a side become a token, expected 1 to {}", where,
                                   encoder.merge, kMostMerged));
  if (encoder.width_of_heads() % encoder.heads != 0)
    throw InvalidInput(fmt::format("{}: hidden_size is {}, expected a multiple of num_heads, which is {}",
                                   where, encoder.width_of_heads(), encoder.heads));
}

VisionEncoder read_qwen_vision(const ConfigValues& config) {
  return qwen_vision(*config.find("vision_config"), config.where() + ": vision_config");
}

// vLLM's kimi_k25_vit.py: patches of one frame, all frames of a chunk attend to each other, and the
// projection is whole on every GPU.
VisionEncoder read_moonvit_vision(const ConfigValues& config) {
  const ConfigValues vision = *config.nested("vision_config");
  VisionEncoder encoder;
  encoder.family = VisionFamily::MoonVit;
  encoder.depth = vision.needed({"vt_num_hidden_layers", "num_hidden_layers"});
  encoder.hidden = vision.needed({"vt_hidden_size", "hidden_size"});
  encoder.heads = vision.needed({"vt_num_attention_heads", "num_attention_heads"});
  encoder.attention_width = vision.integer("qkv_hidden_size", 0);
  encoder.intermediate = vision.needed({"vt_intermediate_size", "intermediate_size"});
  encoder.patch = vision.needed("patch_size");
  const std::vector<std::int64_t> merge = vision.integers("merge_kernel_size");
  if (!merge.empty()) encoder.merge = merge.front();
  encoder.frames = 1;
  encoder.out_hidden = vision.needed({"text_hidden_size", "projection_hidden_size"});
  encoder.position_rows = vision.integer("init_pos_emb_height", 0) * vision.integer("init_pos_emb_width", 0);
  encoder.rms_norm = vision.text("norm_type") == "rmsnorm";
  encoder.splits_projection = false;
  return encoder;
}

// transformers' modeling_gemma4.py, which vLLM runs as it is: whole on every GPU.
VisionEncoder read_gemma4_vision(const ConfigValues& config) {
  const ConfigValues vision = *config.nested("vision_config");
  VisionEncoder encoder;
  encoder.family = VisionFamily::Gemma4;
  encoder.depth = vision.needed("num_hidden_layers");
  encoder.hidden = vision.needed("hidden_size");
  encoder.heads = vision.needed("num_attention_heads");
  encoder.attention_width = encoder.heads * vision.integer("head_dim", encoder.hidden / encoder.heads);
  encoder.intermediate = vision.needed("intermediate_size");
  encoder.patch = vision.needed("patch_size");
  encoder.merge = vision.needed("pooling_kernel_size");
  encoder.frames = 1;
  encoder.out_hidden = config.nested("text_config").value_or(config).needed("hidden_size");
  encoder.position_rows = 2 * vision.integer("position_embedding_size", 0);
  encoder.norms_per_layer = 4;
  encoder.head_norms = encoder.gated = encoder.rms_norm = encoder.pooled = true;
  encoder.split = encoder.splits_projection = false;
  return encoder;
}

// vLLM's mllama4.py and transformers' image_processing_llama4.py: tiles that attend each to itself and a
// token of its class.
VisionEncoder read_llama4_vision(const ConfigValues& config) {
  const ConfigValues vision = *config.nested("vision_config");
  VisionEncoder encoder;
  encoder.family = VisionFamily::Llama4;
  encoder.depth = vision.needed("num_hidden_layers");
  encoder.hidden = vision.needed("hidden_size");
  encoder.heads = vision.needed("num_attention_heads");
  encoder.intermediate = vision.needed("intermediate_size");
  encoder.patch = vision.needed("patch_size");
  encoder.frames = 1;
  encoder.tile = vision.needed("image_size");
  if (encoder.tile % encoder.patch != 0)
    throw InvalidInput(fmt::format("{}: image_size is {}, expected a multiple of patch_size, which is {}",
                                   vision.where(), encoder.tile, encoder.patch));
  const std::int64_t side = encoder.tile / encoder.patch;
  encoder.position_rows = side * side + 2;  // the class has a place, and is a row
  encoder.adapter_width = vision.needed("projector_output_dim");
  encoder.out_hidden = config.nested("text_config").value_or(config).needed("hidden_size");
  constexpr std::int64_t kMostTiles = 16;  // of the processor, where config.json says nothing
  const auto processor = config.nested("image_processor_config");
  encoder.most_tiles = processor ? processor->integer("max_patches", kMostTiles) : kMostTiles;
  return encoder;
}

struct VisionReader {
  std::string_view architecture;
  VisionEncoder (*read)(const ConfigValues& config);
};
constexpr std::array<VisionReader, 8> kVisionReaders{
    {{"Qwen3VLForConditionalGeneration", read_qwen_vision},
     {"Qwen3VLMoeForConditionalGeneration", read_qwen_vision},
     {"Qwen3_5ForConditionalGeneration", read_qwen_vision},
     {"Qwen3_5MoeForConditionalGeneration", read_qwen_vision},
     {"KimiK25ForConditionalGeneration", read_moonvit_vision},
     {"KimiK3ForConditionalGeneration", read_moonvit_vision},
     {"Gemma4ForConditionalGeneration", read_gemma4_vision},
     {"Llama4ForConditionalGeneration", read_llama4_vision}}};

}  // namespace

VisionEncoder qwen_vision(const Json& vision_config, std::string_view where) {
  if (!vision_config.is_object())
    throw InvalidInput(fmt::format("{}: is no JSON object, expected a vision_config", where));
  Json known = Json::object();
  for (const Field& field : fields_of<VisionEncoder>().fields)
    if (vision_config.contains(field.name)) known[field.name] = vision_config[field.name];
  auto encoder = object_from_json<VisionEncoder>(known, where);
  encoder.deepstack =
      std::int64_t(ConfigValues(vision_config, where).integers("deepstack_visual_indexes").size());
  check_vision_heads(encoder, where);
  return encoder;
}

VisionPart vision_part(const ConfigValues& config, std::string_view architecture) {
  const bool multimodal = config.has("text_config") || config.has("vision_config") ||
                          architecture.ends_with("ForConditionalGeneration");
  if (!multimodal) return {};
  const auto reader =
      std::find_if(kVisionReaders.begin(), kVisionReaders.end(),
                   [&](const VisionReader& each) { return each.architecture == architecture; });
  if (reader == kVisionReaders.end())
    return {.encoder = std::nullopt,
            .refusal = fmt::format("the encoder of images of {} is not modelled", architecture)};
  if (!config.has("vision_config"))
    return {.encoder = std::nullopt, .refusal = "nothing is recorded of its encoder of images"};
  try {
    VisionEncoder encoder = reader->read(config);
    check_vision_heads(encoder, config.where());
    return {.encoder = encoder, .refusal = {}};
  } catch (const InvalidInput& error) {  // requests without images do not need it
    return {.encoder = std::nullopt, .refusal = error.what()};
  }
}

}  // namespace warploom
