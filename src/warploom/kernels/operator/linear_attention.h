// Linear attention and state space models.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// Linear-attention and state-space kernels. `kernel` distinguishes the several kernels of one layer.
enum class LinearAttentionKind { GatedDeltaNet, KimiDelta, Mamba2 };
template <>
struct EnumNames<LinearAttentionKind> {
  static constexpr std::array<std::pair<LinearAttentionKind, std::string_view>, 3> kNames{
      {{LinearAttentionKind::GatedDeltaNet, "gdn"},
       {LinearAttentionKind::KimiDelta, "kda"},
       {LinearAttentionKind::Mamba2, "mamba2"}}};
};
enum class LinearAttentionStage { Convolution, Scan, StateUpdate };
template <>
struct EnumNames<LinearAttentionStage> {
  static constexpr std::array<std::pair<LinearAttentionStage, std::string_view>, 3> kNames{
      {{LinearAttentionStage::Convolution, "convolution"},
       {LinearAttentionStage::Scan, "scan"},
       {LinearAttentionStage::StateUpdate, "state_update"}}};
};
struct LinearAttention {
  static constexpr std::array kNames{FamilyName{Family::LinearAttention, "linear_attention"}};
  static const OperatorFamily kFamily;

  LinearAttentionKind kind = LinearAttentionKind::GatedDeltaNet;
  LinearAttentionStage stage = LinearAttentionStage::Scan;
  std::int64_t sequences = 1, tokens_per_sequence = 1;
  std::int64_t key_heads = 16, key_dim = 128, value_heads = 32, value_dim = 128;
  std::int64_t convolution_width = 4;
  std::int64_t state_size = 128;  // Mamba-2 state per head
  static FieldTable describe();
};

}  // namespace warploom
