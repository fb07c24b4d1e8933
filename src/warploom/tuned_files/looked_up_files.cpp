#include "warploom/tuned_files/looked_up_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "warploom/fused_moe/device_name.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/models/operator_graph.h"
#include "warploom/tuned_files/opened_when.h"

namespace warploom {
namespace {

constexpr std::string_view kVllmExperts = "vllm/model_executor/layers/fused_moe/configs";
constexpr std::string_view kVllmProducts = "vllm/model_executor/layers/quantization/utils/configs";
constexpr std::string_view kVllmStates =
    "vllm/model_executor/layers/mamba/ops/configs/selective_state_update";
constexpr std::string_view kVllmFolder = "VLLM_TUNED_CONFIG_FOLDER";
constexpr std::string_view kSglangFolder = "SGLANG_MOE_CONFIG_DIR";
constexpr std::string_view kSglangExperts = "sglang/srt/layers/moe/moe_runner/triton_utils/configs";
constexpr std::string_view kSglangProducts = "sglang/kernels/ops/gemm/configs";
constexpr std::int64_t kBlock = 128;

// What file names call the weights of experts; nullopt: another kernel than Triton's multiplies them.
std::optional<std::string_view> expert_dtype(MatmulScheme scheme, MoeEngine engine) {
  switch (scheme) {
    case MatmulScheme::Bf16:
    case MatmulScheme::Fp16:
      return "";
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
    case MatmulScheme::Fp8Block:
      return "fp8_w8a8";
    case MatmulScheme::Int8:
      return engine == MoeEngine::Sglang ? "int8_w8a8" : "";
    case MatmulScheme::Int8WeightOnly:
      return "int8_w8a16";
    case MatmulScheme::Int4WeightOnly:
      return "int4_w4a16";
    default:
      return std::nullopt;
  }
}

class Listing {
 public:
  explicit Listing(const FileLookUp& asked)
      : asked_(asked),
        engine_(asked.release.engine),
        experts_device_(engine_device_name(asked.gpu, engine_, NamedFiles::Experts)),
        device_(engine_device_name(asked.gpu, engine_, NamedFiles::Others)) {}

  std::vector<TunedFile> files() {
    const OperatorGraph graph =
        build_operator_graph(asked_.model, asked_.sharding, StepShape::one_token_each(1, 1));
    for (const OperatorNode& node : graph) {
      if (const auto* experts = std::get_if<FusedMoe>(&node.op)) add_experts(*experts);
      if (const auto* product = std::get_if<Gemm>(&node.op)) add_product(*product);
    }
    for (const LayerGroup& group : asked_.model.layers)
      if (const auto* state = std::get_if<Mamba2>(&group.mixer)) add_state_update(*state);
    if (engine_ == MoeEngine::Vllm) add_adapters();
    return std::move(files_);
  }

 private:
  bool vllm() const { return engine_ == MoeEngine::Vllm; }

  void add(TunedFile file, const std::string& device) {
    const auto same = [&](const TunedFile& other) { return other.name == file.name; };
    if (std::any_of(files_.begin(), files_.end(), same)) return;
    if (!file.package_folder.empty())
      file.ships_in = asked_.release.folder_with(file.package_folder, file.name, device);
    files_.push_back(std::move(file));
  }

  void add_experts(const FusedMoe& experts) {
    add_experts_file(experts, experts.experts);
    // SGLang makes shared experts more routed ones of models whose two kinds are alike.
    const MixtureOfExperts* mixture = asked_.model.mixture();
    if (vllm() || mixture == nullptr || mixture->shared_intermediate == 0 || experts.expert_parallel > 1)
      return;
    if (mixture->shared_intermediate % experts.intermediate != 0) return;
    const std::int64_t shared = mixture->shared_intermediate / experts.intermediate;
    FusedMoe joined = experts;
    joined.experts += shared;
    joined.top_k += shared;
    add_experts_file(joined, experts.experts);
  }

  void add_experts_file(const FusedMoe& experts, std::int64_t routed) {
    const auto dtype = expert_dtype(experts.scheme, engine_);
    if (!dtype) return;
    const bool blocks = experts.scheme == MatmulScheme::Fp8Block;
    const bool wide = experts.scheme == MatmulScheme::Bf16 || experts.scheme == MatmulScheme::Fp16;
    MoeLayer layer{.experts = experts.experts,
                   .top_k = experts.top_k,
                   .hidden = experts.hidden,
                   .intermediate = experts.intermediate,
                   .dtype = wide ? MoeDtype::Bits16 : MoeDtype::Fp8W8A8,
                   .block_n = blocks ? kBlock : 0,
                   .block_k = blocks ? kBlock : 0,
                   .tensor_parallel = experts.tensor_parallel,
                   .expert_parallel = experts.expert_parallel};
    const bool predicted = wide || *dtype == "fp8_w8a8";
    TunedFile file{.kernel = TunedKernel::Experts, .opened = experts_opened(asked_, experts, routed)};
    file.name = predicted ? moe_config_file_name(layer, experts_device_, engine_)
                          : fmt::format("E={},N={},device_name={}{}{}.json", layer.held(), layer.width(),
                                        experts_device_, dtype->empty() ? "" : ",dtype=", *dtype);
    if (predicted) file.layer = layer;
    file.package_folder = vllm() ? kVllmExperts : kSglangExperts;
    file.variable = vllm() ? kVllmFolder : kSglangFolder;
    if (!vllm()) {
      std::string version = asked_.triton;
      std::replace(version.begin(), version.end(), '.', '_');
      file.user_folder = "configs/triton_" + version;
    }
    const std::string stem = file.name.substr(0, file.name.size() - std::string_view(".json").size());
    add(file, experts_device_);
    if (vllm()) return;
    // Optional: without it the second product takes the first one's configuration.
    file.kernel = TunedKernel::ExpertsDown;
    file.name = stem + "_down.json";
    file.layer.reset();
    add(std::move(file), experts_device_);
  }

  void add_product(const Gemm& product) {
    const std::string sizes = fmt::format("N={},K={},device_name={}", product.n, product.k, device_);
    TunedFile file{.kernel = TunedKernel::BlockProduct, .opened = product_opened(asked_)};
    if (product.scheme == MatmulScheme::Fp8Block) {
      file.name = sizes + ",dtype=fp8_w8a8" + block_shape_name(kBlock, kBlock, engine_) + ".json";
      file.package_folder = vllm() ? kVllmProducts : kSglangProducts;
      file.product = BlockProduct{.n = product.n, .k = product.k, .block_n = kBlock, .block_k = kBlock};
    } else if (product.scheme == MatmulScheme::Fp8 && !vllm()) {
      file.kernel = TunedKernel::ChannelProduct;
      file.name = sizes + ",dtype=fp8_w8a8_channelwise.json";
      file.package_folder = kSglangProducts;
      file.opened = "weights have a scale for each column and the engine's flag for tuned products is set";
    } else {
      return;
    }
    add(std::move(file), device_);
  }

  void add_state_update(const Mamba2& state) {
    if (!vllm()) return;
    // Types of one width share a file.
    const std::string_view dtype = state.state_type == DataType::Fp32 ? "float32" : "float16";
    TunedFile file{.kernel = TunedKernel::StateUpdate, .opened = "requests decode"};
    file.name = fmt::format("headdim={},dstate={},device_name={},cache_dtype={}.json", state.head_dim,
                            state.state, device_, dtype);
    file.package_folder = kVllmStates;
    file.variable = kVllmFolder;
    add(std::move(file), device_);
  }

  void add_adapters() {
    std::string gpu = asked_.gpu.device_name;
    std::replace_if(
        gpu.begin(), gpu.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    const auto add_one = [&](std::string_view ending, std::string_view opened) {
      TunedFile file{.kernel = TunedKernel::Lora, .opened = std::string(opened)};
      file.name = fmt::format("{}_{}.json", gpu, ending);
      file.variable = kVllmFolder;
      add(std::move(file), gpu);
    };
    for (const std::string_view ending : {"SHRINK", "EXPAND_TRUE", "EXPAND_FALSE"})
      add_one(ending, "requests have LoRA adapters");
    if (asked_.model.mixture() == nullptr) return;
    for (const std::string_view ending : {"FUSED_MOE_LORA_W13_SHRINK", "FUSED_MOE_LORA_W13_EXPAND",
                                          "FUSED_MOE_LORA_W2_SHRINK", "FUSED_MOE_LORA_W2_EXPAND"})
      add_one(ending, "requests have LoRA adapters of experts");
  }

  const FileLookUp& asked_;
  MoeEngine engine_;
  std::string experts_device_, device_;
  std::vector<TunedFile> files_;
};

}  // namespace

std::vector<TunedFile> looked_up_files(const FileLookUp& asked) { return Listing(asked).files(); }

}  // namespace warploom
