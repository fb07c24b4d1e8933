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
constexpr std::string_view kSglangLoraFolder = "SGLANG_LORA_CONFIG_DIR";
constexpr std::string_view kSglangLora = "sglang/kernels/ops/lora/dense/csgmv_configs";
constexpr std::string_view kSglangExperts = "sglang/srt/layers/moe/moe_runner/triton_utils/configs";
constexpr std::string_view kSglangProducts = "sglang/kernels/ops/gemm/configs";
constexpr std::int64_t kBlock = 128;

// What file names call the weights of experts, and what is multiplied; nullopt: another kernel than Triton's.
struct ExpertNames {
  std::string_view dtype;
  ExpertOperands operands = ExpertOperands::OfLayer;
};
std::optional<ExpertNames> expert_names(MatmulScheme scheme, MoeEngine engine) {
  const bool sglang = engine == MoeEngine::Sglang;
  switch (scheme) {
    case MatmulScheme::Bf16:
    case MatmulScheme::Fp16:
      return ExpertNames{""};
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
    case MatmulScheme::Fp8Block:
      return ExpertNames{"fp8_w8a8"};
    case MatmulScheme::Int8:
      // vLLM's _get_config_dtype_str has no word for it: the file of 16 bits is read.
      return sglang ? ExpertNames{"int8_w8a8", ExpertOperands::Int8} : ExpertNames{"", ExpertOperands::Int8};
    case MatmulScheme::Int8WeightOnly:
      return ExpertNames{"int8_w8a16", ExpertOperands::WeightsInt8};
    case MatmulScheme::Int4WeightOnly:
      return ExpertNames{"int4_w4a16", ExpertOperands::WeightsInt4};
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
    if (vllm())
      add_vllm_adapters(graph);
    else
      add_sglang_adapters();
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
    const auto names = expert_names(experts.scheme, engine_);
    if (!names) return;
    const bool blocks = experts.scheme == MatmulScheme::Fp8Block;
    const bool fp8 = names->dtype == "fp8_w8a8";
    MoeLayer layer{.experts = experts.experts,
                   .top_k = experts.top_k,
                   .hidden = experts.hidden,
                   .intermediate = experts.intermediate,
                   .dtype = fp8 ? MoeDtype::Fp8W8A8 : MoeDtype::Bits16,
                   .block_n = blocks ? kBlock : 0,
                   .block_k = blocks ? kBlock : 0,
                   .tensor_parallel = experts.tensor_parallel,
                   .expert_parallel = experts.expert_parallel};
    TunedFile file{.kernel = TunedKernel::Experts, .opened = experts_opened(asked_, experts, routed)};
    const bool named = fp8 || names->dtype.empty();
    // SGLang's w8a8_int8 experts have a scale for each column of weights.
    const bool by_columns = names->operands == ExpertOperands::Int8 && !vllm();
    file.name = named
                    ? moe_config_file_name(layer, experts_device_, engine_)
                    : fmt::format("E={},N={},device_name={},dtype={}{}.json", layer.held(), layer.width(),
                                  experts_device_, names->dtype, by_columns ? ",per_channel_quant=True" : "");
    file.layer = layer;
    file.operands = names->operands;
    file.package_folder = vllm() ? kVllmExperts : kSglangExperts;
    file.variable = vllm() ? kVllmFolder : kSglangFolder;
    if (!vllm()) file.user_folder = "configs/" + triton_folder();
    const std::string stem = file.name.substr(0, file.name.size() - std::string_view(".json").size());
    add(file, experts_device_);
    if (vllm()) return;
    // Optional: without it the second product takes the first one's configuration.
    file.kernel = TunedKernel::ExpertsDown;
    file.name = stem + "_down.json";
    // Which rows of tiles the first product's file asks for is known where we predict it.
    if (files_.back().ships()) file.layer.reset();
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
    } else if (product.scheme == MatmulScheme::Int8 && !vllm()) {
      file.kernel = TunedKernel::Int8Product;
      file.name = sizes + ",dtype=int8_w8a8" + block_shape_name(kBlock, kBlock, engine_) + ".json";
      file.package_folder = kSglangProducts;
      file.product = BlockProduct{.n = product.n, .k = product.k, .block_n = kBlock, .block_k = kBlock};
      file.opened = "weights have scales of blocks (quant_method blockwise_int8); else a CUDA kernel runs";
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
    file.state = StateUpdate{.head_dim = state.head_dim,
                             .state = state.state,
                             .state_bytes = state.state_type == DataType::Fp32 ? 4 : 2};
    add(std::move(file), device_);
  }

  AdapterFile adapters_of(bool shrinks, bool adds) const {
    return {.shrinks = shrinks,
            .adds = adds,
            .rank = asked_.lora_rank,
            .adapters = asked_.adapters,
            .products = adapter_products(asked_.model, asked_.sharding, asked_.lora_rank, shrinks)};
  }

  void add_vllm_adapters(const OperatorGraph& graph) {
    std::string gpu = asked_.gpu.device_name;
    std::replace_if(
        gpu.begin(), gpu.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    const auto add_one = [&](std::string_view ending, std::string_view opened, AdapterFile adapters) {
      TunedFile file{.kernel = TunedKernel::Lora, .opened = std::string(opened)};
      file.name = fmt::format("{}_{}.json", gpu, ending);
      file.variable = kVllmFolder;
      if (asked_.lora_rank > 0 && !adapters.products.empty()) file.adapters = std::move(adapters);
      add(std::move(file), gpu);
    };
    for (const std::string_view ending : {"SHRINK", "EXPAND_TRUE", "EXPAND_FALSE"})
      add_one(ending, "requests have LoRA adapters",
              adapters_of(ending == "SHRINK", ending == "EXPAND_TRUE"));
    const auto* const mixture = first_experts(graph);
    if (mixture == nullptr) return;
    const std::int64_t rank = asked_.lora_rank, width = mixture->intermediate / mixture->tensor_parallel;
    AdapterFile of_experts{.rank = rank,
                           .adapters = asked_.adapters,
                           .experts = mixture->experts / mixture->expert_parallel,
                           .top_k = mixture->top_k,
                           .hidden = mixture->hidden,
                           .width = width};
    const auto add_experts_adapter = [&](std::string_view ending, bool shrinks,
                                         const AdapterProduct& product) {
      of_experts.shrinks = shrinks;
      of_experts.products = {product};
      add_one(ending, "requests have LoRA adapters of experts", of_experts);
    };
    add_experts_adapter("FUSED_MOE_LORA_W13_SHRINK", true, {2, mixture->hidden, rank, 2 * rank});
    add_experts_adapter("FUSED_MOE_LORA_W13_EXPAND", false, {2, rank, width, 2 * width});
    add_experts_adapter("FUSED_MOE_LORA_W2_SHRINK", true, {1, width, rank, rank});
    add_experts_adapter("FUSED_MOE_LORA_W2_EXPAND", false, {1, rank, mixture->hidden, mixture->hidden});
  }

  static const FusedMoe* first_experts(const OperatorGraph& graph) {
    for (const OperatorNode& node : graph)
      if (const auto* experts = std::get_if<FusedMoe>(&node.op)) return experts;
    return nullptr;
  }

  // Their names have the rank: without one there is nothing to look for.
  void add_sglang_adapters() {
    if (asked_.lora_rank == 0) return;
    for (const bool shrinks : {true, false}) {
      const AdapterFile all = adapters_of(shrinks, !shrinks);
      for (const AdapterProduct& product : all.products) {
        TunedFile file{.kernel = TunedKernel::ChunkedLora,
                       .opened = "requests have LoRA adapters, --lora-backend csgmv (its default)"};
        file.name =
            fmt::format("lora_{},K={},R={},S={},device={}.json", shrinks ? "shrink" : "expand",
                        shrinks ? product.k : product.outputs, asked_.lora_rank, product.slices, device_);
        file.package_folder = kSglangLora;
        file.variable = kSglangLoraFolder;
        file.user_folder = "csgmv_configs/" + triton_folder();
        file.adapters = all;
        file.adapters->products = {product};
        add(std::move(file), device_);
      }
    }
  }

  std::string triton_folder() const {
    std::string version = asked_.triton;
    std::replace(version.begin(), version.end(), '.', '_');
    return "triton_" + version;
  }

  const FileLookUp& asked_;
  MoeEngine engine_;
  std::string experts_device_, device_;
  std::vector<TunedFile> files_;
};

}  // namespace

std::vector<TunedFile> looked_up_files(const FileLookUp& asked) { return Listing(asked).files(); }

}  // namespace warploom
