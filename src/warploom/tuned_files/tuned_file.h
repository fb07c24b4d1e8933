// One file of tuned configurations that an engine looks for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/fused_moe/moe_layer.h"
#include "warploom/tuned_files/adapter_file.h"

namespace warploom {

// Kernels of engines that read one.
enum class TunedKernel {
  Experts,
  ExpertsDown,
  BlockProduct,
  ChannelProduct,
  StateUpdate,
  Lora,
  Int8Product,
  ChunkedLora
};
template <>
struct EnumNames<TunedKernel> {
  static constexpr std::array<std::pair<TunedKernel, std::string_view>, 8> kNames{
      {{TunedKernel::Experts, "fused_moe"},
       {TunedKernel::ExpertsDown, "fused_moe_down"},
       {TunedKernel::BlockProduct, "block_fp8_product"},
       {TunedKernel::ChannelProduct, "channel_fp8_product"},
       {TunedKernel::StateUpdate, "state_update"},
       {TunedKernel::Lora, "lora"},
       {TunedKernel::Int8Product, "block_int8_product"},
       {TunedKernel::ChunkedLora, "lora_chunked"}}};
};

// C[m, n] = A[m, k] B[n, k]^T of values of a byte; a scale for each block_n x block_k of B.
struct BlockProduct {
  std::int64_t n = 1, k = 1, block_n = 128, block_k = 128;
};

// One token's step of a recurrent state: of each head a [head_dim, state] matrix is read, changed, written.
struct StateUpdate {
  std::int64_t head_dim = 64, state = 128;
  std::int64_t state_bytes = 4;  // an element
};

// What experts multiply, where `layer` does not say it: 16-bit or fp8 values as it has them; int8 values of a
// byte; 16-bit activations with weights of 8 or 4 bits that are widened in registers.
enum class ExpertOperands { OfLayer, Int8, WeightsInt8, WeightsInt4 };

struct TunedFile {
  TunedKernel kernel = TunedKernel::Experts;
  std::string name;
  std::string package_folder;  // where the engine's own package has such files; empty: nowhere
  std::string variable;        // of the environment: the user's folder; empty: the package alone is read
  std::string user_folder;     // below that folder
  std::string opened;          // when the engine's kernel that reads it runs, for people
  std::string ships_in;        // folder of the package that has it in this release; empty: none
  // What rows are predicted from, where they are.
  std::optional<MoeLayer> layer;
  ExpertOperands operands = ExpertOperands::OfLayer;  // of `layer`
  std::optional<BlockProduct> product;
  std::optional<StateUpdate> state;
  std::optional<AdapterFile> adapters;

  bool ships() const { return !ships_in.empty(); }
};

}  // namespace warploom
